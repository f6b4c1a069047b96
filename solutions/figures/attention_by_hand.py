"""The figures of the page ``attention_by_hand``."""

from grader.figures import Figure

TOKENS = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
SCORES, WEIGHTS, CONTEXT = (1.0, 0.5, 0.0), (0.5065, 0.3072, 0.1863), (0.6601, 0.3399)


def mixture() -> Figure:
    """The first token's context vector: a mixture of three rows."""
    figure = Figure(284)
    for named, down in (("rows of x", 29), ("score", 99), ("weight", 169)):
        figure.text(8, down, named, kind="small soft", anchor="start")
    for place, (token, score, weight) in enumerate(zip(TOKENS, SCORES, WEIGHTS, strict=True)):
        left = 76 + 92 * place
        middle = left + 38
        figure.cells(left, 10, [[f"{number:g}" for number in token]], tones=[["d", "d"]], wide=38)
        figure.arrow((middle, 40), (middle, 78))
        figure.cells(left + 19, 80, [[f"{score:g}"]], wide=38)
        figure.arrow((middle, 110), (middle, 148))
        figure.shares(left + 19, 150, [[weight]], wide=38)
        figure.line((middle, 180), (middle, 204), (206, 204))
    figure.text(86, 63, "times row 0", kind="small soft", anchor="end")
    figure.text(86, 133, "softmax", kind="small soft", anchor="end")
    figure.text(8, 204, "weight * row,", kind="small soft", anchor="start")
    figure.text(8, 218, "summed", kind="small soft", anchor="start")
    figure.arrow((206, 204), (206, 226))
    figure.cells(168, 228, [[f"{number:.2f}" for number in CONTEXT]], tones=[["d", "d"]], wide=38)
    figure.text(206, 276, "context vector of token 0", kind="small")
    return figure


FIGURES = {"mixture": mixture}
