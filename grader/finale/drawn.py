"""Pictures at the end: the loss as a line, and who looks at whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.figures import WIDTH, Figure
from grader.finale import words
from grader.finale.curve import smoothed
from grader.finale.plan import Map

_LEFT, _TOP, _TALL = 34.0, 28.0, 150.0
_CURVE = _TOP + _TALL + 34
_TONES = "ab"
_COLUMN = (WIDTH - 24) / 2  # two maps side by side
_LETTER = 12.0  # what a label takes
_TITLE = 24.0


def picture(costs: Mapping[str, Sequence[float]], maps: Sequence[Map]) -> str:
    """An SVG: a line for each name in ``costs``, and below it the ``maps``, two in a row."""
    tall = [_tall(one) for one in maps]
    rows = [max(tall[place : place + 2]) for place in range(0, len(maps), 2)]
    figure = Figure(_CURVE + sum(rows) + 8)
    _line(figure, costs)
    top = _CURVE
    for row, height in enumerate(rows):
        for side, one in enumerate(maps[2 * row : 2 * row + 2]):
            _map(figure, one, 8 + side * (_COLUMN + 8), top)
        top += height
    return figure.svg(_alt(costs, maps))


def _alt(costs: Mapping[str, Sequence[float]], maps: Sequence[Map]) -> str:
    first, *_ = costs.values()
    said = words.CURVE_ALT.format(steps=len(first), first=first[0], last=first[-1])
    titles = ", ".join(one.title for one in maps)
    return said + (words.MAPS_ALT.format(titles=titles) if maps else "")


def _line(figure: Figure, costs: Mapping[str, Sequence[float]]) -> None:
    top = max(max(smoothed(line, 200)) for line in costs.values())
    right, bottom = WIDTH - 14, _TOP + _TALL
    figure.line((_LEFT, _TOP), (_LEFT, bottom), (right, bottom))
    figure.text(_LEFT, _TOP - 10, words.CURVE_TITLE, kind="small soft", anchor="start")
    figure.text(_LEFT - 5, _TOP + 6, f"{top:.1f}", kind="small soft", anchor="end")
    figure.text(_LEFT - 5, bottom + 4, "0", kind="small soft", anchor="end")
    steps = max(map(len, costs.values()))
    figure.text(right, bottom + 16, f"{steps} {words.STEPS_AXIS}", kind="small soft", anchor="end")
    place = _LEFT + 60
    for tone, (name, line) in zip(_TONES, costs.items(), strict=False):
        points = smoothed(line, 200)
        wide = (right - _LEFT) / max(1, len(points) - 1)
        figure.line(
            *((_LEFT + n * wide, bottom - v / top * _TALL) for n, v in enumerate(points)),
            kind=f"s{tone}" + (" dashed" if tone != _TONES[0] else ""),
        )
        if name:
            figure.text(place, _TOP - 10, name, kind=f"small t{tone}", anchor="start")
            place += 9 * len(name) + 14


def _cell(one: Map) -> float:
    return min(29.0, (_COLUMN - _LETTER) / max(1, len(one.columns)))


def _tall(one: Map) -> float:
    under = 14.0 * len(_broken(one.under))
    return _TITLE + _LETTER + 4 + _cell(one) * len(one.rows) + under + 14


def _broken(text: str) -> list[str]:
    """In lines that fit below a map."""
    import textwrap

    return textwrap.wrap(text, 26)


def _map(figure: Figure, one: Map, left: float, top: float) -> None:
    size = _cell(one)
    figure.text(left + _LETTER, top + 14, one.title, kind="small strong", anchor="start")
    head, begin = top + _TITLE + _LETTER - 2, left + _LETTER
    for place, letter in enumerate(one.columns):
        figure.text(begin + (place + 0.5) * size, head, letter, kind="small")
    for place, letter in enumerate(one.rows):
        down = head + 4 + (place + 0.5) * size + 4
        figure.text(left + _LETTER / 2, down, letter, kind="small")
    figure.shares(begin, head + 4, one.shares, wide=size, tall=size, numbers=size > 28)
    down = head + 4 + size * len(one.rows) + 14
    for place, line in enumerate(_broken(one.under)):
        figure.text(begin, down + 14 * place, line, kind="small soft", anchor="start")
