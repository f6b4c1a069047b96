"""Automatic slips: a page changed in one place, and which changes are none."""
