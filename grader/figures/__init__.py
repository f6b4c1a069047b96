"""Drawing the figures of pages: shapes with coordinates in, an SVG out; Python's own library only.

A page names its figures and says in words what is on them; ``solutions/figures/NAME.py`` draws
them, and ``course/figures.py`` brings both together.
"""

from __future__ import annotations

from grader.figures.figure import WIDTH, Figure, number

__all__ = ["WIDTH", "Figure", "number"]
