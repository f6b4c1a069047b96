"""The figures of the page ``training``."""

import math

from grader.figures import Figure

STREAM = (7, 3, 1, 4, 1, 5, 9, 2)  # of the worked example
START, TOKENS = 2, 3
SIDE, LEFT = 36, 26  # of a token's box

# Losses of fit, every fourth step, of a TinyModel of two tokens that begins with zeros: batch 8,
# tokens 9, lr 0.2, generator seeded with 1; on "aab" * 30, and on 20,000 tokens drawn with seed 2.
AAB = (
    0.69,
    0.34,
    0.17,
    0.11,
    0.12,
    0.08,
    0.07,
    0.07,
    0.08,
    0.08,
    0.04,
    0.05,
    0.04,
    0.05,
    0.06,
    0.08,
)
NOISE = (
    0.69,
    0.70,
    0.71,
    0.72,
    0.71,
    0.70,
    0.71,
    0.71,
    0.70,
    0.69,
    0.75,
    0.69,
    0.71,
    0.69,
    0.73,
    0.70,
)


def windows() -> Figure:
    """A piece of a stream, its targets, and the places where a piece may begin."""
    figure = Figure(244)
    figure.text(LEFT, 20, "data", kind="small strong", anchor="start")
    for place, token in enumerate(STREAM):
        inside = START <= place <= START + TOKENS
        _token(figure, place, 30, token, "a" if inside else "d")
        figure.text(_middle(place), 82, str(place), kind="small soft")
    last = len(STREAM) - TOKENS - 1
    figure.line((_middle(0), 94), (_middle(0), 100), (_middle(last), 100), (_middle(last), 94))
    figure.text((_middle(0) + _middle(last)) / 2, 116, "a piece may begin here", kind="small soft")
    rows = (("inputs", START, 134, "b"), ("targets", START + 1, 178, "c"))
    for named, start, top, tone in rows:
        figure.text(LEFT, top + 23, named, kind="small strong", anchor="start")
        for place in range(start, start + TOKENS):
            _token(figure, place, top, STREAM[place], tone)
    figure.text(170, 232, "the same tokens, one place further", kind="small soft")
    return figure


def canary() -> Figure:
    """The loss of 60 steps on a text with a rule, and on noise."""
    figure = Figure(256)
    figure.line((48, 24), (48, 210), (326, 210))
    figure.text(56, 20, "loss", kind="small strong", anchor="start")
    level = _at(0, math.log(2))[1]
    figure.line((48, level), (326, level), kind="dashed")
    figure.text(42, level + 4, "0.69", kind="small", anchor="end")
    figure.text(42, 214, "0", kind="small", anchor="end")
    for losses, tone in ((NOISE, "sb"), (AAB, "sa")):
        figure.line(*(_at(4 * n, loss) for n, loss in enumerate(losses)), kind=f"thick {tone}")
    figure.text(318, level + 22, "random tokens: log(2)", kind="small tb", anchor="end")
    figure.text(318, 178, "aabaab...", kind="small ta", anchor="end")
    figure.text(48, 226, "0", kind="small")
    figure.text(318, 226, "60", kind="small")
    figure.text(184, 244, "steps", kind="small soft")
    return figure


def _token(figure: Figure, place: int, top: float, token: int, tone: str) -> None:
    figure.box(LEFT + SIDE * place + 2, top, SIDE - 4, 34, str(token), tone)


def _middle(place: int) -> float:
    return LEFT + SIDE * place + SIDE / 2


def _at(step: int, loss: float) -> tuple[float, float]:
    """A step from 0 to 60, and a loss from 0 to 0.8, as a place on the paper."""
    return 48 + 4.5 * step, 210 - 220 * loss


FIGURES = {"windows": windows, "canary": canary}
