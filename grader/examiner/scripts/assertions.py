"""Replies of a transcript -> statements of a script that hold an answer against what is right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from grader.examiner.expected import Readings
from grader.examiner.judge import Tolerance, tolerance
from grader.examiner.scripts.expressions import Expressions
from grader.examiner.scripts.literals import literal
from grader.examiner.scripts.transcript import Exchange
from grader.sandbox.protocol import Object, Result

_EXACT = Tolerance(0.0, 0.0)


class Tolerated(NamedTuple):
    """How near an answer must come: see ``Tolerance``."""

    what: str
    relative: float
    absolute: float


class Assertions:
    """Writes into ``expressions``; ``judged`` are the parts of results that count, None for all."""

    def __init__(self, expressions: Expressions, judged: frozenset[Result] | None) -> None:
        self._out, self._judged = expressions, judged
        self.tolerances: list[Tolerated] = []

    def hold_answer(self, variable: str, call: str, exchange: Exchange) -> None:
        """Against the reference's: all of it, or the parts that the comparison looked at."""
        judged, number = self._judged, exchange.reply.native["number"]
        value = exchange.reply.item("value")
        paths = (
            [()] if judged is None else sorted(one.path for one in judged if one.number == number)
        )
        if len(paths) == _count(value.native):
            paths = [()]
        for path in paths:
            expression, part = variable, value
            for key in path:
                expression, part = f"{expression}[{key!r}]", part.item(key)
            self.hold(expression, f"{call}{expression[len(variable) :]}", part, exchange.varies)

    def hold(self, expression: str, what: str, wanted: Readings[Any], varies: bool) -> None:
        native = wanted.native
        if isinstance(native, (list, tuple)):
            count = f"len({expression}) == {len(native)}"
            self._out.lines.append(f"assert isinstance({expression}, (list, tuple)) and {count}")
            for index in range(len(native)):
                part = wanted.item(index)
                self.hold(f"{expression}[{index}]", f"{what}[{index}]", part, varies)
        elif isinstance(native, dict):
            self._out.lines.append(f"assert {{*{expression}}} == {{*{list(native)!r}}}, {what!r}")
            for key in native:
                part = wanted.item(key)
                self.hold(f"{expression}[{key!r}]", f"{what}[{key!r}]", part, varies)
        elif isinstance(native, (torch.Tensor, np.ndarray)):
            self._hold_tensor(expression, what, wanted, varies)
        elif not varies and not isinstance(native, Object):
            self._hold_plain(expression, what, wanted)

    def _hold_tensor(self, expression: str, what: str, wanted: Readings[Any], varies: bool) -> None:
        native, array = wanted.native, isinstance(wanted.native, np.ndarray)
        dtype = f'"{native.dtype}"' if array else str(native.dtype)
        if varies or (not array and native.is_meta):
            self._out.used.add("form")
            self._out.lines.append(f"form({what!r}, {expression}, {tuple(native.shape)}, {dtype})")
            return
        tensors = wanted.mapped(lambda v: torch.from_numpy(np.array(v)) if array else v.detach())
        within, right = _EXACT, tensors.native
        if tensors.native.is_floating_point():
            within, right = tolerance(tensors), tensors.exact.double()
        self._check(what, expression, literal(right), dtype, within)

    def _hold_plain(self, expression: str, what: str, wanted: Readings[Any]) -> None:
        within, right = _EXACT, wanted.native
        if isinstance(right, float):
            numbers = wanted.mapped(lambda v: torch.tensor(v, dtype=torch.float64))
            within, right = tolerance(numbers), wanted.exact
        self._check(what, expression, literal(right), "None", within)

    def _check(self, what: str, expression: str, right: str, dtype: str, within: Tolerance) -> None:
        self._out.used.add("check")
        self.tolerances.append(Tolerated(what, *within))
        room = "" if not any(within) else f", ({within[0]:.3g}, {within[1]:.3g})"
        self._out.lines.append(f"check({what!r}, {expression},\n{right}, {dtype}{room})")


def _count(value: Any) -> int:
    """How many tensors a value holds."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return sum(map(_count, value))
    return int(isinstance(value, torch.Tensor))
