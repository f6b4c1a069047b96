"""Exercises with hidden checks, and a grader that can be trusted with them."""

__version__ = "0.1.0"
DISTRIBUTION = "transformer-exercises"  # what `pip install` calls it
