"""The figures of the page ``positional_encoding``."""

import math

from grader.figures import Figure

POSITIONS, D_MODEL = 12, 8


def rows() -> Figure:
    """The sines and cosines of twelve positions, one row each."""
    figure = Figure(390)
    figure.text(190, 18, "one column pair for each frequency", kind="small soft")
    table = [[_entry(p, column) for column in range(D_MODEL)] for p in range(POSITIONS)]
    figure.shares(54, 44, table, wide=34, tall=24)
    for column in range(D_MODEL):
        named = "cos" if column % 2 else "sin"
        figure.text(71 + 34 * column, 38, named, kind="small")
    for p in range(POSITIONS):
        figure.text(46, 60 + 24 * p, f"{p}", kind="small soft", anchor="end")
    figure.text(14, 36, "p", kind="small soft", anchor="start")
    for pair in range(D_MODEL // 2):
        left = 54 + 68 * pair
        figure.frame(left, 44, 68, 24 * POSITIONS)
        figure.text(left + 34, 350, f"p / {10**pair:,}", kind="small")
    figure.text(54, 376, "turns fast", kind="small soft", anchor="start")
    figure.text(326, 376, "turns slowly", kind="small soft", anchor="end")
    return figure


def _entry(p: int, column: int) -> float:
    angle = p / 10_000 ** (column // 2 * 2 / D_MODEL)
    return math.cos(angle) if column % 2 else math.sin(angle)


FIGURES = {"rows": rows}
