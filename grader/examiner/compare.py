"""The fixture ``compare``: the submission and the reference are asked the same.

compare.softmax(x, dim=0, wrt=[x])                       # one call
compare(lambda impl: impl.softmax(impl.softmax(x)))      # whatever a function of impl may do
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import CellType, FunctionType
from typing import Any, cast

import torch

from grader.errors import ValueMissing
from grader.examiner.expected import Expected, Probe, Readings, expect
from grader.examiner.judge import Judge
from grader.programs.client import Client
from grader.programs.draw import derive_seed
from grader.programs.failure import CheckFailed
from grader.programs.proxy import Implementation


class Compare:
    """The fixture. Every public name of it is one of the submission's functions."""

    def __init__(
        self,
        program: Client,
        reference: Readings[Client],
        seed: int,
        known: dict[int, Expected],
    ) -> None:
        self._program, self._reference = program, reference
        self._seed, self._known = seed, known
        self._step = 0
        self._first: tuple[Probe, frozenset[str]] | None = None

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        """Raises ``CheckFailed`` when the answers differ. Where values were looked at on the meta
        device, which has none, there is no answer, and nothing is said.

        ``probe`` calls the implementation it is given. ``wrt`` lists inputs whose gradients are
        compared too, under a random cotangent; parameters of modules always are.
        """
        step, self._step = self._step, self._step + 1
        if step not in self._known:
            self._known[step] = self._expected(probe, wrt, step, nudge=False)
        self._program.begin(wrt)
        try:
            actual = probe(Implementation(self._program))
        except ValueMissing:
            return
        try:
            Judge(self._program, self._known[step], step).judge(actual, wrt)
        except CheckFailed:
            if self._known[step].value.nudged:
                raise
            # The very same answer: one that is asked for again could be that of the call before.
            self._known[step] = self._expected(probe, wrt, step, nudge=True)
            Judge(self._program, self._known[step], step).judge(actual, wrt)
        self._first = self._first or (bound(probe), self._program.kinds_of_calls())

    def __getattr__(self, name: str) -> Callable[..., None]:
        """The comparison of one call of the function ``name``."""

        def compared(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return compared

    def _expected(
        self, probe: Probe, wrt: Sequence[torch.Tensor], step: int, *, nudge: bool
    ) -> Expected:
        state = torch.get_rng_state()
        seed = derive_seed(self._seed, "cotangent", step)
        reference = self._reference if nudge else replace(self._reference, nudged=())
        expected = expect(probe, wrt, reference, seed)
        torch.set_rng_state(state)  # a program of ours draws the same whoever was first
        return expected


def first_of(compare: Compare) -> tuple[Probe, frozenset[str]] | None:
    """The first probe that was answered rightly, and the kinds of its calls."""
    return compare._first


def bound(probe: Probe) -> Probe:
    """The same function with the variables around it as they are now: a loop may go on. So are
    the functions among them, but for one that calls itself.
    """
    return cast(Probe, _bound(probe, frozenset()))


def _bound(value: Any, within: frozenset[int]) -> Any:
    if not isinstance(value, FunctionType) or value.__closure__ is None or id(value) in within:
        return value
    within |= {id(value)}
    cells = tuple(_bound_cell(cell, within) for cell in value.__closure__)
    copy = FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, cells
    )
    copy.__kwdefaults__ = value.__kwdefaults__
    return copy


def _bound_cell(cell: CellType, within: frozenset[int]) -> CellType:
    try:
        return CellType(_bound(cell.cell_contents, within))
    except ValueError:  # not set yet
        return cell
