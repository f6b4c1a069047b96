"""Mends: a wrong function changed in one place, such that it may be right."""
