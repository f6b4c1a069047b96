"""The figures of the page ``sampling``."""

import math
from collections.abc import Sequence

from grader.figures import Figure

LOGITS = (3.0, 2.0, 1.0, 0.0)  # of the worked example
TOKENS = "abcd"


def ways() -> Figure:
    """The same four probabilities: as they are, under two temperatures, by top-k and by top-p."""
    figure = Figure(480)
    _panel(figure, 98, 20, "softmax(z)", LOGITS, "d")
    figure.text(170, 158, "temperature: all tokens stay", kind="small soft")
    _panel(figure, 14, 184, "T = 0.5: sharper", [z / 0.5 for z in LOGITS], "a")
    _panel(figure, 182, 184, "T = 2: flatter", [z / 2 for z in LOGITS], "a")
    figure.text(170, 322, "a filter: the last ones go, the others grow", kind="small soft")
    _panel(figure, 14, 348, "top-k, k = 2", LOGITS[:2], "c")
    _panel(figure, 182, 348, "top-p, p = 0.9", LOGITS[:3], "c")
    figure.text(86, 476, "the two largest", kind="small soft")
    figure.text(254, 476, "sums: 0.64, 0.88, 0.97", kind="small soft")
    return figure


def _panel(
    figure: Figure, left: float, top: float, named: str, logits: Sequence[float], tone: str
) -> None:
    """One bar for each token, 144 wide and 114 tall in all; a token without a logit is out."""
    shares = [math.exp(logit) / sum(map(math.exp, logits)) for logit in logits]
    floor = top + 96
    for place, token in enumerate(TOKENS):
        middle = left + 36 * place + 18
        if place < len(shares):
            tall = 72 * shares[place]
            figure.bar(middle - 13, floor - tall, 26, tall, tone)
            figure.text(middle, floor - tall - 6, f"{shares[place]:.2f}", kind="small")
        else:
            figure.text(middle, floor - 6, "out", kind="small soft")
        figure.text(middle, floor + 15, token, kind="small soft")
    figure.line((left, floor), (left + 144, floor))
    figure.text(left + 72, top, named, kind="small strong")


FIGURES = {"ways": ways}
