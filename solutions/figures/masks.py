"""The figures of the page ``masks``."""

import math

from grader.figures import Figure

IDS = ("5", "6", "0")
CAUSAL = ((1, 0, 0), (1, 1, 0), (1, 1, 1))
PADDING = ((1, 1, 0),) * 3
BOTH = ((1, 0, 0), (1, 1, 0), (1, 1, 0))


def shares() -> Figure:
    """Three masks, and under each the weights that it leaves for the scores 1, 2, 3."""
    figure = Figure(300)
    figure.text(26, 158, "weights of the scores 1, 2, 3:", kind="small", anchor="start")
    for place, (named, mask) in enumerate(
        (("causal", CAUSAL), ("padding", PADDING), ("both", BOTH))
    ):
        left = 30 + 106 * place
        figure.text(left + 45, 18, named, kind="strong")
        for column, token in enumerate(IDS):
            figure.text(left + 15 + 30 * column, 36, token, kind="small soft")
        may = [["x" if allowed else "" for allowed in row] for row in mask]
        tones = [["c" if allowed else "" for allowed in row] for row in mask]
        figure.cells(left, 42, may, tones=tones)
        figure.shares(left, 168, [_weights(row) for row in mask])
    for top in (42, 168):
        for row, token in enumerate(IDS):
            figure.text(22, top + 19.5 + 30 * row, token, kind="small soft", anchor="end")
    figure.text(170, 280, "rows: queries; columns: keys; 0: the pad", kind="small soft")
    return figure


def _weights(mask: tuple[int, ...]) -> list[float]:
    exponentials = [math.exp(score) * may for score, may in zip((1, 2, 3), mask, strict=True)]
    return [one / sum(exponentials) for one in exponentials]


FIGURES = {"shares": shares}
