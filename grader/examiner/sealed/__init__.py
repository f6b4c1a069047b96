"""Checks as data: what a released course holds in the place of its suites."""
