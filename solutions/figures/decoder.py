"""The figures of the page ``decoder``."""

from grader.figures import Figure

SUBLAYERS = (
    ("self-attention", "a", "q, k, v: the target"),
    ("cross-attention", "d", "q: the target"),
    ("feed-forward", "b", "each token by itself"),
)


def layer() -> Figure:
    """Three sub-layers beside the straight way; the memory enters at the second."""
    figure = Figure(350)
    straight, middle = 30, 130
    figure.text(straight, 18, "x")
    figure.text(276, 346, "norms are left out", kind="small soft")
    for place, (named, tone, said) in enumerate(SUBLAYERS):
        top = 24 + 104 * place
        figure.line((straight, top), (straight, top + 75), kind="thick sc")
        figure.line((straight, top + 12), (middle, top + 12))
        figure.arrow((middle, top + 12), (middle, top + 26))
        figure.box(middle - 56, top + 26, 112, 30, named, tone)
        figure.text(middle + 62, top + 8, said, kind="small soft", anchor="start")
        figure.arrow((middle, top + 56), (middle, top + 84), (straight + 9, top + 84))
        figure.plus(straight, top + 84)
        figure.line((straight, top + 93), (straight, top + 104), kind="thick sc")
    figure.box(230, 148, 106, 42, "memory\nof the source", "c")
    figure.arrow((230, 169), (188, 169))
    figure.text(209, 160, "k, v", kind="small")
    figure.text(straight - 12, 348, "next layer", kind="small soft", anchor="start")
    return figure


FIGURES = {"layer": layer}
