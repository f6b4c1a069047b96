"""The figures of the page ``attention``."""

import math

from grader.figures import Figure

SCORES = (0.0, 1.0, 2.0)  # of the worked example, divided by 2
WEIGHTS = [math.exp(score) / sum(map(math.exp, SCORES)) for score in SCORES]


def flow() -> Figure:
    """The matrices with their shapes: what is multiplied with what."""
    figure = Figure(330)
    figure.box(8, 34, 72, 44, "Q\n(Tq, d_k)", "a")
    figure.box(100, 34, 90, 44, "K transposed\n(d_k, Tk)", "b")
    figure.box(252, 34, 80, 44, "V\n(Tk, d_v)", "c")
    figure.text(90, 60, "@", kind="strong")
    figure.arrow((90, 84), (90, 108))
    figure.box(20, 110, 140, 44, "scores\n(Tq, Tk)")
    figure.arrow((90, 156), (90, 196))
    figure.text(98, 180, "divide by sqrt(d_k), softmax", kind="small", anchor="start")
    figure.box(20, 198, 140, 44, "weights\n(Tq, Tk)", "d")
    figure.text(170, 216, "each row", kind="small soft", anchor="start")
    figure.text(170, 232, "sums to 1", kind="small soft", anchor="start")
    figure.line((90, 244), (90, 258), (190, 258))
    figure.line((292, 80), (292, 258), (210, 258))
    figure.text(200, 263, "@", kind="strong")
    figure.arrow((200, 268), (200, 282))
    figure.box(130, 284, 140, 40, "out (Tq, d_v)", "c")
    figure.text(44, 24, "queries", kind="small soft")
    figure.text(145, 24, "keys", kind="small soft")
    figure.text(292, 24, "values", kind="small soft")
    return figure


def weights() -> Figure:
    """The worked example: one query, three keys, the weights as shares and the average."""
    figure = Figure(252)
    rows = (
        (8, "query · key", ["0", "2", "4"]),
        (58, "divided by 2", ["0", "1", "2"]),
        (158, "values", ["(10, 0)", "(0, 10)", "(10, 10)"]),
    )
    for top, named, numbers in rows:
        figure.text(88, top + 20, named, kind="small", anchor="end")
        figure.cells(98, top, [numbers], wide=78, tones=[["c" * (top == 158)] * 3])
    figure.text(88, 128, "softmax", kind="small", anchor="end")
    figure.shares(98, 108, [WEIGHTS], wide=78)
    figure.text(88, 228, "out", kind="small", anchor="end")
    out = [
        sum(w * v for w, v in zip(WEIGHTS, vs, strict=True)) for vs in ((10, 0, 10), (0, 10, 10))
    ]
    figure.box(98, 208, 234, 32, f"({out[0]:.2f}, {out[1]:.2f})", "c")
    for column in range(3):
        middle = 137 + 78 * column
        figure.arrow((middle, 40), (middle, 56))
        figure.arrow((middle, 90), (middle, 106))
        figure.text(middle, 152, "times", kind="small soft")
        figure.arrow((middle, 190), (middle, 206))
    return figure


FIGURES = {"flow": flow, "weights": weights}
