"""A check that was run, as the diagnosis sees it: what it showed, and how others would fail it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.examiner.evidence import is_like_none, same_evidence
from grader.programs.bank import Entry
from grader.programs.failure import Evidence

OF_NUMBERS = ("numbers", "value", "finding")
_ROBUST = ("dtype", "input_changed", "left_on_cpu")
_REFUSALS = ("not_refused", "refused_by_accident")
_BESIDE_NUMBERS = (*_ROBUST, *_REFUSALS, "seeds")

AnswerOf = Callable[[Entry], Evidence | None]
SameEvidence = Callable[[Evidence, Evidence], bool]
Seen = Mapping[int, Evidence | None]  # in comparisons, by their numbers; None where all is right


@dataclass(frozen=True)
class Behind:
    """What is ``seen`` in the comparisons of a check behind the one in which it failed, and what
    would be seen ``of`` a misconception there; each is found out when it is asked for.
    """

    seen: Callable[[], Seen]
    of: Callable[[Entry], Seen]


@dataclass(frozen=True)
class Case:
    """A check that was run: its name, the function that gave what is wrong or was asked last, what
    can be compared of its failure, and how a misconception would fail it: None from ``answer_of``
    is one that would not. ``sooner_known`` is part of that answer, where there is one: who does not
    show the failure in it does not show it.

    ``beside`` are classes whose objects it was given, which may be what is wrong. One that is
    ``clocked`` takes long, and is asked last. ``contradicts``: the submission passed, and a
    misconception may be asked whether it would. ``step`` is which of the page's steps it belongs
    to, from 1; 0 is none, or right when it was asked first. ``behind`` is what comes after the
    failure, if anything does.
    """

    check: str
    evidence: Evidence | None
    answer_of: AnswerOf
    of: str = ""
    beside: frozenset[str] = frozenset()
    is_strong: bool = False
    passed: bool = False
    contradicts: bool = False
    clocked: bool = False
    seconds: float = 0.0
    step: int = 0
    sooner_known: AnswerOf | None = None
    behind: Behind | None = None

    @property
    def was_right_at_first(self) -> bool:
        """Whether it failed only when it was asked again: then the step says in which way."""
        return self.evidence is not None and self.evidence.is_repeated

    @property
    def is_gap(self) -> bool:
        """Whether it failed in something else than the numbers that are asked for plainly."""
        kind = self.evidence.kind if self.evidence else ""
        return self.was_right_at_first or kind not in OF_NUMBERS

    @property
    def is_beside_numbers(self) -> bool:
        """Whether these numbers may be right all the same."""
        kind = self.evidence.kind if self.evidence else ""
        return self.was_right_at_first or kind in _BESIDE_NUMBERS


def shows(entry: Entry, case: Case, same: SameEvidence = same_evidence) -> bool:
    """Whether it fails the check with the same answer as the submission. What is like nothing else
    need not be asked: an answer takes as long as the check.
    """
    if case.evidence is None or is_like_none(case.evidence):
        return False
    asked = [case.answer_of] if case.sooner_known is None else [case.sooner_known, case.answer_of]
    answers = (answer_of(entry) for answer_of in asked)
    return all(found is not None and same(case.evidence, found) for found in answers)
