"""The figures of the page ``encoder``."""

from grader.figures import Figure

SUBLAYERS = ("self-attention", "feed-forward")


def layer() -> Figure:
    """One layer in both forms: two branches beside a straight way."""
    figure = Figure(404)
    for left, named in ((4, "pre-norm"), (174, "post-norm")):
        straight = left + 18
        figure.text(left + 82, 20, named, kind="strong")
        figure.text(straight, 44, "x")
        top = 50.0
        for place, part in enumerate(SUBLAYERS, start=1):
            tone = "b" if place == 2 else "a"
            branch(figure, straight, top, part, tone, f"norm{place}", pre=named == "pre-norm")
            top += 170
        figure.text(straight + 10, 398, "next layer", kind="small soft", anchor="start")
    return figure


def branch(
    figure: Figure, straight: float, top: float, part: str, tone: str, norm: str, *, pre: bool
) -> None:
    """170 units: a sub-layer beside the straight way, and its norm, on the branch or behind."""
    middle = straight + 84
    figure.line((straight, top), (straight, top + 93), kind="thick sc")
    figure.line((straight, top + 8), (middle, top + 8))
    if pre:
        figure.arrow((middle, top + 8), (middle, top + 16))
        figure.box(middle - 48, top + 16, 96, 24, norm, "d")
        figure.arrow((middle, top + 40), (middle, top + 52))
    else:
        figure.arrow((middle, top + 8), (middle, top + 52))
    figure.box(middle - 50, top + 52, 100, 28, part, tone)
    figure.arrow((middle, top + 80), (middle, top + 102), (straight + 9, top + 102))
    figure.plus(straight, top + 102)
    if pre:
        figure.line((straight, top + 111), (straight, top + 170), kind="thick sc")
    else:
        figure.arrow((straight, top + 111), (straight, top + 126))
        figure.box(straight - 16, top + 126, 96, 24, norm, "d")
        figure.arrow((straight, top + 150), (straight, top + 168))


FIGURES = {"layer": layer}
