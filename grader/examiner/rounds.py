"""In which ways a probe is asked again, several at once; and which of them is to blame.

Asking costs about a millisecond, so a few ways share a round. A right answer passes it, and nothing
more is asked; of a wrong one every way of the round is tried alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from grader.errors import GraderError, SubmissionRaised, SuiteError
from grader.examiner.question import Question
from grader.programs.again import FIRST, OTHER_VALUES, WAYS, How, Repeated
from grader.programs.failure import CheckFailed

_MOST_NUMBERS = 1 << 16  # of all inputs together: what computes longer than some ms is asked once


@dataclass(frozen=True)
class Rounds:
    """Those of one check, for probes with a call of these ``kinds``, in all ways but those
    ``without``. What no earlier probe has called, by its ``names``, is asked in every way and in
    all of the exercise's ``dtypes``. What is only called with other arguments is asked once more,
    in all ways that need no other object and in one dtype, another one each ``turn``.
    """

    kinds: frozenset[Any] = frozenset()
    names: frozenset[str] = frozenset()
    dtypes: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    turn: int = 0

    def of(self, asked: Repeated, step: int, called: Set[str]) -> list[How]:
        """For the probe of this ``step``, when it was asked first, and those before it in this
        check have ``called`` so much.
        """
        if not can_be_others(asked):
            return []
        is_new = any(call["of"] in self.names - called for call in asked.client.calls)
        is_module = any(module is not None for module in asked.made)
        dtypes = self.dtypes if _is_float32(asked) else ()
        if is_new:
            rounds = _of_modules(dtypes) if is_module else _of_functions(dtypes)
        else:
            turn = dtypes and (dtypes[(self.turn + step) % len(dtypes)],)
            rounds = [(*(_SAME_MODULE if is_module else _SAME_FUNCTION), *turn, "values")]
        left = (tuple(way for way in how if way not in self.without) for how in rounds)
        return [how for how in left if _ways(how)]


_SAME_FUNCTION = ("others", "layout")
_SAME_MODULE = ("same_object", "others", "layout", "eval")


def _of_functions(dtypes: Sequence[str]) -> list[How]:
    """Each dtype in a round of its own: one that keeps answers by shape and dtype shows it in the
    first dtype only.
    """
    return [_SAME_FUNCTION, *((dtype,) for dtype in dtypes)]


def _of_modules(dtypes: Sequence[str]) -> list[How]:
    """float64 needs no round of its own, for it is held to float32's accuracy."""
    exact = tuple(dtype for dtype in dtypes if dtype == "float64")
    rough = [(dtype,) for dtype in dtypes if dtype != "float64"]
    others = ("others", "layout", "copied", "restored", "eval", *exact)
    return [others, ("same_object", "flipped"), *rough]


def _is_float32(asked: Repeated) -> bool:
    """A probe that has its own dtypes is not asked in others."""
    floating = [tensor.dtype for tensor in asked.inputs if tensor.is_floating_point()]
    return all(dtype is torch.float32 for dtype in floating)


NO_ROUNDS = Rounds()


def can_be_others(asked: Repeated) -> bool:
    """Whether the inputs of a probe can be other ones: there are some, of values, and not many."""
    inputs = asked.inputs
    if not inputs or any(tensor.device.type == "meta" for tensor in inputs):
        return False
    return sum(tensor.numel() for tensor in inputs) <= _MOST_NUMBERS


def ask_again(
    question: Question, asked: Repeated, rounds: Sequence[How], *, closely: bool = True
) -> None:
    """Ask what was answered rightly in all the ``rounds`` that the references can answer; raises
    the first failure, marked with the way in which it was asked, or unless ``closely`` with all
    ways of its round.
    """
    if question.known.rounds is None:
        question.known.names = frozenset(str(call["of"]) for call in asked.client.calls)
        _settle(question, rounds)
    for how in question.known.rounds or ():
        failure = _failure(partial(question.again, asked, how))
        if failure is not None:
            if closely:
                raise _blamed(question, asked, how, failure) from None
            raise _marked(question, failure, how)


def _settle(question: Question, rounds: Sequence[How]) -> None:
    """Which rounds there are; of one that the references cannot answer, the ways that they can."""
    known = question.known
    try:
        known.right |= question.expected([FIRST, *rounds]) if rounds else {}
    except SuiteError:
        rounds = [part for how in rounds for part in _answered(question, how)]
        known.right |= question.expected([FIRST, *rounds])
    known.rounds = list(rounds)


def _answered(question: Question, how: How) -> list[How]:
    """The whole round, or all ways of it that have an answer, or else these one by one."""
    if question.has_answer(how):
        return [how]
    none = {way for (way,) in _ways(how) if not question.has_answer((way,))}
    left = tuple(way for way in how if way not in none)
    together = bool(_ways(left)) and question.has_answer(left)
    return [left] if together else _ways(left)


def _failure(ask: Callable[[], None]) -> GraderError | None:
    try:
        ask()
    except GraderError as error:
        return error
    return None


def _blamed(question: Question, asked: Repeated, how: How, failure: GraderError) -> GraderError:
    """The failure of the first way that fails alone, or else that of all together. If all but other
    values are right together, it is these: others are drawn each time, and some may be right. Of an
    object used again it is its use and the values.
    """
    if not isinstance(failure, (CheckFailed, SubmissionRaised)):
        return _marked(question, failure, how)
    for alone in alone_in(how):
        found = _failure(partial(question.alone, asked.client, alone))
        if found is not None:
            return _marked(question, found, alone)
    values = tuple(way for (way,) in _ways(how) if way in OTHER_VALUES)
    rest = tuple(way for (way,) in _ways(how) if way not in OTHER_VALUES)
    if not values or "same_object" in rest:
        return _marked(question, failure, how)
    found = _failure(partial(question.alone, asked.client, rest)) if len(rest) > 1 else None
    return _marked(question, failure, values) if found is None else _marked(question, found, rest)


def alone_in(how: How) -> list[How]:
    """The ways of a round one by one, of another object first; before an object is used again,
    another one was made.
    """
    again, ways = "same_object", _ways(how)
    if len(ways) == 1:
        return []
    if (again,) not in ways:
        return ways
    ways.remove((again,))
    used = [(again,), ("beside", again)]
    return [*ways, *used, *((again, *way) for way in ways if len(ways) > 1)]


def _ways(how: How) -> list[How]:
    return [(way,) for way in how if way in WAYS]


def _marked(question: Question, failure: GraderError, how: How) -> GraderError:
    """With the ways in which was asked, in the cause and in the evidence."""
    how = tuple(way for (way,) in _ways(how))
    failure.asked_again = how
    if isinstance(failure, CheckFailed):
        cause, evidence = failure.cause, failure.evidence
        failure.cause = replace(cause, facts={**cause.facts, "asked_again": how})
        failure.evidence = evidence and replace(evidence, step=(question.step, *how))
    return failure
