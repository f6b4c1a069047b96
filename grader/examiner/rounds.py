"""In which ways a probe is asked again, several at once; and which of them is to blame.

Asking costs about a millisecond, so a few ways share a round. A right answer passes it, and nothing
more is asked; of a wrong one every way of the round is tried alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from grader.errors import GraderError, SubmissionRaised, SuiteError
from grader.examiner.question import Question
from grader.programs.again import FIRST, How, Repeated
from grader.programs.failure import CheckFailed

_MOST_NUMBERS = 1 << 16  # of all inputs together: what computes longer than some ms is asked once

_COPIES = ("copied", "restored")  # of a module, one in turn
# Is held to float32's accuracy, and a module needs no round of its own for it. A function does: one
# that keeps answers by shape and dtype shows it in the first dtype only.
_EXACT = "float64"


@dataclass(frozen=True)
class Rounds:
    """Those of one check: for probes with a call of these ``kinds``, in all ways but those
    ``without``. A function, and a class that is one of ``names`` and new in this check, is asked in
    all of the exercise's ``dtypes``; other modules in one of them, and copied in one way, in turn.
    """

    kinds: frozenset[Any] = frozenset()
    names: frozenset[str] = frozenset()
    dtypes: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    turn: int = 0

    def of(self, asked: Repeated, step: int) -> list[How]:
        """For the probe of this ``step``, when it was asked first."""
        if not can_be_others(asked):
            return []
        turn = self.turn + step
        of_module = any(module is not None for module in asked.made)
        in_all = not of_module or any(call["of"] in self.names for call in asked.client.calls)
        rounds: list[How] = [("others", "layout")]
        if of_module:
            copies = _COPIES if in_all else _COPIES[turn % 2 :][:1]
            rounds = [("others", "layout", *copies, "eval"), ("same_object", "flipped")]
        for dtype in self._dtypes_for(asked, turn, in_all=in_all):
            if dtype == _EXACT and of_module:
                rounds[0] = (*rounds[0], dtype)
            else:
                rounds.append((dtype,))
        left = (tuple(way for way in how if way not in self.without) for how in rounds)
        return [how for how in left if how]

    def _dtypes_for(self, asked: Repeated, turn: int, *, in_all: bool) -> Sequence[str]:
        """A probe that has its own dtypes is not asked in others."""
        floating = [tensor.dtype for tensor in asked.inputs if tensor.is_floating_point()]
        if not self.dtypes or any(dtype is not torch.float32 for dtype in floating):
            return ()
        return self.dtypes if in_all else (self.dtypes[turn % len(self.dtypes)],)


NO_ROUNDS = Rounds()


def can_be_others(asked: Repeated) -> bool:
    """Whether the inputs of a probe can be other ones: there are some, of values, and not many."""
    inputs = asked.inputs
    if not inputs or any(tensor.device.type == "meta" for tensor in inputs):
        return False
    return sum(tensor.numel() for tensor in inputs) <= _MOST_NUMBERS


def ask_again(question: Question, asked: Repeated, rounds: Rounds) -> None:
    """Ask what was answered rightly in every round that the references can answer; raises the first
    failure, marked with the ways in which it was asked.
    """
    if question.known.rounds is None:
        question.known.names = frozenset(str(call["of"]) for call in asked.client.calls)
        _settle(question, rounds.of(asked, question.step))
    for how in question.known.rounds or ():
        failure = _failure(partial(question.again, asked, how))
        if failure is not None:
            raise _blamed(question, asked, how, failure) from None


def _settle(question: Question, rounds: list[How]) -> None:
    """Which rounds there are; of one that the references cannot answer, the ways that they can."""
    known = question.known
    try:
        known.right |= question.expected([FIRST, *rounds]) if rounds else {}
    except SuiteError:
        possible: list[How] = []
        for how in rounds:
            parts = [how] if question.has_answer(how) else [(way,) for way in how]
            possible += [part for part in parts if question.has_answer(part)]
        known.right |= question.expected([FIRST, *possible])
        rounds = possible
    known.rounds = rounds


def _failure(ask: Callable[[], None]) -> GraderError | None:
    try:
        ask()
    except GraderError as error:
        return error
    return None


def _blamed(question: Question, asked: Repeated, how: How, failure: GraderError) -> GraderError:
    """The failure of the first way that fails alone, or else that of all together."""
    if not isinstance(failure, (CheckFailed, SubmissionRaised)):
        return _marked(question, failure, how)
    for alone in _alone(how):
        found = _failure(partial(question.alone, asked.client, alone))
        if found is not None:
            return _marked(question, found, alone)
    return _marked(question, failure, how)


def _alone(how: How) -> list[How]:
    """The ways of a round one by one; before an object is used again, another one was made."""
    if "same_object" not in how:
        return [(way,) for way in how] if len(how) > 1 else []
    again = "same_object"
    others = [(again, way) for way in how if way != again and len(how) > 2]
    return [(again,), ("beside", again), *others]


def _marked(question: Question, failure: GraderError, how: How) -> GraderError:
    """With the ways in which was asked, in the cause and in the evidence."""
    failure.asked_again = how
    if isinstance(failure, CheckFailed):
        cause, evidence = failure.cause, failure.evidence
        failure.cause = replace(cause, facts={**cause.facts, "asked_again": how})
        failure.evidence = evidence and replace(evidence, step=(question.step, *how))
    return failure
