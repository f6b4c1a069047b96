"""A run is a folder: what belongs in it, and what is read out of it again."""
