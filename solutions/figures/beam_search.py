"""The figures of the page ``beam_search``."""

from grader.figures import Figure

FIRST = ((".", "0.1"), ("a", "0.5"), ("b", "0.4"))  # of the worked example
SECOND = (
    (("a.", "0.1"), ("aa", "0.225"), ("ab", "0.175")),
    (("b.", "0.36"), ("ba", "0.024"), ("bb", "0.016")),
)
KEPT = {"a", "b", "aa", "b."}
HEIGHTS = (50.0, 118.0, 262.0)  # of the three texts of round 1


def tree() -> Figure:
    """Two rounds of the search with beam size 2: what is kept, and what is given up."""
    figure = Figure(350)
    figure.text(113, 18, "round 1", kind="small soft")
    figure.text(226, 18, "round 2", kind="small soft")
    for height, (text, share) in zip(HEIGHTS, FIRST, strict=True):
        figure.line((40, 172), (78, height), kind="" if text in KEPT else "dashed")
        _node(figure, 78, height, text, share)
    figure.box(2, 158, 38, 28, "start")
    for height, row in zip(HEIGHTS[1:], SECOND, strict=True):
        for place, (text, share) in enumerate(row):
            below = height + 44 * (place - 1)
            figure.line((148, height), (184, below), kind="" if text in KEPT else "dashed")
            _node(figure, 184, below, text, share)
    figure.text(276, 122, "open", kind="small", anchor="start")
    figure.text(276, 222, "finished", kind="small", anchor="start")
    figure.text(170, 342, "thick frame: kept, the best two of each round", kind="small soft")
    return figure


def _node(figure: Figure, x: float, y: float, text: str, share: str) -> None:
    """A hypothesis and its probability; what is kept has a thick frame."""
    wide = 70 if x < 100 else 82
    figure.box(x, y - 14, wide, 28)
    figure.text(x + 9, y + 4.5, text, anchor="start")
    figure.text(x + wide - 9, y + 4.5, share, anchor="end")
    if text in KEPT:
        figure.frame(x, y - 14, wide, 28, "a")


FIGURES = {"tree": tree}
