"""The figures of the page ``softmax``."""

import math

from grader.figures import Figure

SCORES = (1.0, 2.0, 3.0)
SHARES = [math.exp(score) / sum(map(math.exp, SCORES)) for score in SCORES]


def bars() -> Figure:
    """Scores, exponentials and weights, each as three bars."""
    figure = Figure(178)
    steps = (
        ("scores x", SCORES, 3.0, "d"),
        ("exp(x - 3)", [math.exp(score - 3) for score in SCORES], 1.0, "b"),
        ("/ their sum", SHARES, 1.0, "a"),
    )
    for step, (named, values, largest, tone) in enumerate(steps):
        left = 14 + 112 * step
        for place, value in enumerate(values):
            tall = 92 * value / largest
            figure.bar(left + 30 * place, 130 - tall, 22, tall, tone)
            figure.text(left + 30 * place + 11, 124 - tall, f"{value:.2f}", kind="small")
        figure.line((left - 4, 130), (left + 88, 130))
        figure.text(left + 41, 150, named, kind="small")
    figure.text(279, 168, "sum: 1", kind="small soft")
    figure.text(167, 168, "sum: 1.50", kind="small soft")
    figure.arrow((103, 70), (119, 70))
    figure.arrow((215, 70), (231, 70))
    return figure


FIGURES = {"bars": bars}
