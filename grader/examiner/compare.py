"""The fixture ``compare``: the submission and the reference are asked the same.

compare.softmax(x, dim=0, wrt=[x])                       # one call
compare(lambda impl: impl.softmax(impl.softmax(x)))      # whatever a function of impl may do
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import CellType, FunctionType
from typing import Any, cast

import torch

from grader.errors import EnoughCompared, GraderError, ValueMissing
from grader.examiner.evidence import shown_by
from grader.examiner.expected import Readings, tensors_of
from grader.examiner.question import Known, Question
from grader.examiner.rounds import NO_ROUNDS, Rounds, ask_again
from grader.programs.again import FIRST, Probe, Repeated
from grader.programs.client import Client
from grader.programs.failure import CheckFailed, Evidence

_ASKED = 4  # times the same, to see whether chance answers
_ASKED_OF_WHOLE = 40  # of whole numbers, as tokens, of which one may be far more likely than others
_MOST_NUMBERS = 1 << 14  # of all inputs together: what takes long is not asked for advice alone


class Compare:
    """The fixture. Every public name of it is one of the submission's functions. What is ``told``
    to somebody, whatever is wrong, and not only compared, is looked at once more; and ``closely``,
    in which single way it fails that is asked again in several. The ``last`` comparison, counted
    from 0, ends the check. Those up to the one ``behind`` which it looks are not made, and what
    goes wrong in one that is made then is kept, and does not end it.
    """

    def __init__(
        self,
        program: Client,
        reference: Readings[Client],
        seed: int,
        known: dict[int, Known],
        rounds: Rounds = NO_ROUNDS,
        *,
        told: bool = True,
        closely: bool = True,
        last: int | None = None,
        behind: int | None = None,
    ) -> None:
        self._program, self._reference = program, reference
        self._seed, self._known, self._rounds = seed, known, rounds
        self._told, self._closely, self._last = told, closely, last
        self._behind, self._seen = behind, dict[int, Evidence | None]()
        self._step = 0
        self._repeated: frozenset[Any] = frozenset()
        self._first: tuple[Probe, frozenset[str]] | None = None

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        """Raises ``CheckFailed`` when the answers differ; ``EnoughCompared`` after the last one
        that is wanted. Where values were looked at on the meta device, which has none, there is no
        answer, and nothing is said.

        ``probe`` calls the implementation it is given. ``wrt`` lists inputs whose gradients are
        compared too, under a random cotangent; parameters of modules always are. Calls of kinds
        that are repeated in this check are asked again, in other ways.
        """
        step, self._step = self._step, self._step + 1
        if self._behind is not None and step <= self._behind:
            return
        try:
            self._compare(probe, wrt, step)
            self._seen[step] = None
        except GraderError as error:
            error.step = step
            shown = shown_by(error)
            if self._behind is None or shown is None:
                raise
            self._seen[step] = shown

    def _compare(self, probe: Probe, wrt: Sequence[torch.Tensor], step: int) -> None:
        known = self._known.setdefault(step, Known())
        question = Question(self._reference, probe, wrt, step, self._seed, known)
        asked = question.put_to(self._program)
        try:
            question.first(asked)
        except ValueMissing:
            return
        except CheckFailed as failed:
            if self._told and failed.cause.kind == "numbers":
                self._note_chance(failed, asked)
            raise
        if step == self._last:
            raise EnoughCompared
        kinds = self._program.kinds_of_calls()
        self._first = self._first or (bound(probe), kinds)
        if (kinds & self._rounds.kinds) - self._repeated:
            rounds = self._rounds.of(asked, step, called={name for name, *_ in self._repeated})
            self._repeated |= kinds if rounds else frozenset()
            ask_again(question, asked, rounds, closely=self._closely)

    def _note_chance(self, failed: CheckFailed, asked: Repeated) -> None:
        """Tokens that are drawn may differ; where other numbers do, that is said."""
        pairs = _other_answers(asked)
        failed.by_chance = any(not _are_equal(one, other) for one, other in pairs)
        if any(_differ(one, other) for one, other in pairs):
            facts = {**failed.cause.facts, "left_to_chance": True}
            failed.cause = replace(failed.cause, facts=facts)

    def __getattr__(self, name: str) -> Callable[..., None]:
        """The comparison of one call of the function ``name``."""

        def compared(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return compared


def _other_answers(asked: Repeated) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """What is answered, beside what is when the same is asked again: several times, for of few
    tokens the same may well be drawn. Nothing where that takes long.
    """
    if sum(tensor.numel() for tensor in asked.inputs) > _MOST_NUMBERS:
        return []
    try:
        one = tensors_of(asked.ask(FIRST))
        whole = not any(tensor.is_floating_point() for tensor in one)
        times = _ASKED_OF_WHOLE if whole else _ASKED
        others = [tensors_of(asked.ask(FIRST)) for _ in range(1, times)]
    except GraderError:
        return []
    return [pair for other in others for pair in zip(one, other, strict=False)]


def _are_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return torch.equal(one, other) or torch.equal(one.nan_to_num(), other.nan_to_num())


def _differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    """By far more than rounding."""
    if one.shape != other.shape or not one.is_floating_point():
        return False
    return not torch.allclose(one, other.to(one.dtype), rtol=1e-2, atol=1e-3, equal_nan=True)


def first_of(compare: Compare) -> tuple[Probe, frozenset[Any]] | None:
    """The first probe that was answered rightly, and the kinds of its calls."""
    return compare._first


def seen_in(compare: Compare) -> Mapping[int, Evidence | None]:
    """What each comparison that was made has found, by its number; None if all was right."""
    return compare._seen


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
