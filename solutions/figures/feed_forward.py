"""The figures of the page ``feed_forward``."""

import math
from collections.abc import Callable

from grader.figures import Figure


def widths() -> Figure:
    """One token: wide in between, narrow again."""
    figure = Figure(200)
    figure.box(110, 8, 120, 28, "token: d_model", "a")
    figure.line((110, 36), (30, 76))
    figure.line((230, 36), (310, 76))
    figure.text(170, 62, "w_1", kind="small")
    figure.box(30, 78, 280, 44, "d_ff numbers, often 4 d_model\nactivation", "b")
    figure.line((30, 122), (110, 164))
    figure.line((310, 122), (230, 164))
    figure.text(170, 148, "w_2", kind="small")
    figure.box(110, 166, 120, 28, "token: d_model", "a")
    return figure


def activations() -> Figure:
    """ReLU, GELU and SiLU between -4 and 3."""
    figure = Figure(200)
    figure.line((20, 160), (330, 160), kind="dashed")
    figure.line((194, 10), (194, 184), kind="dashed")
    for named, function, tone, top in (
        ("ReLU", lambda x: max(x, 0.0), "d", 30),
        ("GELU", lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2, "a", 50),
        ("SiLU", lambda x: x / (1 + math.exp(-x)), "b", 70),
    ):
        figure.line(*_curve(function), kind=f"s{tone}")
        figure.line((36, top - 4), (60, top - 4), kind=f"thick s{tone}")
        figure.text(68, top, named, anchor="start")
    for x in (-4, -2, 2):
        figure.text(194 + 43 * x, 192, f"{x}", kind="small soft")
    figure.text(188, 78, "2", kind="small soft", anchor="end")
    figure.text(188, 192, "0", kind="small soft", anchor="end")
    return figure


def _curve(function: Callable[[float], float]) -> list[tuple[float, float]]:
    points = [step / 8 for step in range(-32, 25)]
    return [(194 + 43 * x, 160 - 43 * function(x)) for x in points]


FIGURES = {"widths": widths, "activations": activations}
