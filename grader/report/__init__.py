"""What is made of verdicts: points, words, files."""
