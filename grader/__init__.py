"""Exercises on the Transformer, and a grader that can be trusted with them."""

__version__ = "0.1.0"
