"""The figures of the page ``before_attention``."""

import math

from grader.figures import Figure

TOKENS = 5
STATES = (0.7616, 0.3634, 0.1797, 0.0896, 0.0448, 0.0224)  # of the worked example
EXPONENTIALS = (math.exp(5.0), 1.0, 1.0, 1.0, 1.0, 1.0)  # of its scores
WEIGHTS = [one / sum(EXPONENTIALS) for one in EXPONENTIALS]
_WIDE, _TALL = 55, 26
_WAY = "thick sb"  # from the first token to the last result


def ways() -> Figure:
    """How the first of five tokens reaches the result for the last one, in three networks."""
    figure = Figure(448)
    _recurrent(figure, 30)
    _convolutions(figure, 154)
    _attention(figure, 342)
    return figure


def _recurrent(figure: Figure, top: float) -> None:
    _named(figure, top, "recurrent network:", "4 steps from state to state")
    for token in range(TOKENS):
        kind = "" if token else _WAY
        figure.line((_middle(token), top + 64), (_middle(token), top + _TALL), kind=kind)
    for token in range(1, TOKENS):
        across = _middle(token - 1) + _WIDE / 2, _middle(token) - _WIDE / 2
        figure.line(*((x, top + _TALL / 2) for x in across), kind=_WAY)
    _cells(figure, top, "state", "d")
    _cells(figure, top + 64, "x", "a")


def _convolutions(figure: Figure, top: float) -> None:
    _named(figure, top, "convolutions, k = 3:", "2 layers see 5 tokens")
    for token in range(TOKENS):
        for other in range(max(0, token - 2), token + 1):
            kind = "dashed" if token < 2 else _WAY if (token, other) == (2, 0) else ""
            _step(figure, (token, top + 64), (other, top + 128), kind)
    for other in range(2, TOKENS):
        _step(figure, (4, top), (other, top + 64), _WAY if other == 2 else "")
    figure.box(_middle(4) - _WIDE / 2, top, _WIDE, _TALL, "z 4", "c")
    _cells(figure, top + 64, "y", "d")
    _cells(figure, top + 128, "x", "a")


def _attention(figure: Figure, top: float) -> None:
    _named(figure, top, "attention:", "1 step from every token")
    for token in range(TOKENS):
        _step(figure, (4, top), (token, top + 74), "" if token else _WAY)
    figure.box(_middle(4) - _WIDE / 2, top, _WIDE, _TALL, "answer", "c")
    _cells(figure, top + 74, "x", "a")


def _named(figure: Figure, top: float, network: str, steps: str) -> None:
    figure.text(8, top - 12, network, kind="strong", anchor="start")
    figure.text(332, top - 12, steps, kind="small", anchor="end")


def _cells(figure: Figure, top: float, named: str, tone: str) -> None:
    for token in range(TOKENS):
        left = _middle(token) - _WIDE / 2
        figure.box(left, top, _WIDE, _TALL, f"{named} {token}", tone)


def _step(figure: Figure, above: tuple[int, float], below: tuple[int, float], kind: str) -> None:
    start = _middle(above[0]), above[1] + _TALL
    figure.line(start, (_middle(below[0]), below[1]), kind=kind)


def _middle(token: int) -> float:
    return 36 + 67 * token


def lookup() -> Figure:
    """The states of the worked example: what the last one holds, and what a lookup brings back."""
    figure = Figure(246)
    figure.text(8, 18, "the states, one after the other", kind="strong", anchor="start")
    for column in range(len(STATES)):
        figure.text(_column(column), 38, f"{column}", kind="small soft")
    figure.shares(_column(0) - 20, 44, [STATES], wide=40)
    figure.frame(_column(5) - 20, 44, 40, 30, "b")
    figure.text(332, 92, "the last one alone: 0.02 of 0.76", kind="small", anchor="end")
    figure.text(8, 126, "a lookup in all of them", kind="strong", anchor="start")
    figure.text(88, 153, "weights", kind="small", anchor="end")
    figure.shares(_column(0) - 20, 134, [WEIGHTS], wide=40)
    figure.text(88, 63, "states", kind="small", anchor="end")
    for column in range(len(STATES)):
        figure.line((_column(column), 166), (_column(column), 180), kind="" if column else "thick")
    figure.line((_column(0), 180), (_column(5), 180))
    figure.arrow((214, 180), (214, 204))
    answer = sum(w * state for w, state in zip(WEIGHTS, STATES, strict=True))
    figure.box(96, 206, 236, 32, f"sum of shares: {answer:.2f} of 0.76", "c")
    return figure


def _column(number: int) -> float:
    return 114 + 40 * number


FIGURES = {"ways": ways, "lookup": lookup}
