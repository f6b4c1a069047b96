"""Exercises that assemble the submission's own earlier modules: is it only these that are wrong?

Where a known mistake explains all that is wrong with a module below, it has been paid for there.
The reference of this exercise, built on a module with that mistake, shows what follows from it
here: if it gives the same answers wherever the submission failed, and passes what passed, the
wiring is right and every failed check is *carried*. Otherwise they stay ``blocked``, or its own.

Two modules below may have mistakes. A weak answer, an exception or a shape, says little of
what would have come after it: so of every function something must have passed, or have failed with
numbers that nothing else is likely to give.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from grader.course.charging import charged
from grader.course.course import Course
from grader.errors import SuiteError
from grader.examiner.case import Case, shows
from grader.examiner.evidence import said_alike
from grader.examiner.follow_through import TIMED, is_honest
from grader.model import Cause, Fact, Outcome, Verdict
from grader.programs.bank import Entry
from grader.programs.inherited import Inherited
from grader.report.follow_through import FOLLOWS
from grader.report.parts import DONE, SLIPS

MOST = 2  # modules below

Below = Sequence[tuple[str, Sequence[Entry]]]


def is_inherited(verdicts: Sequence[Verdict]) -> bool:
    """Whether all that is wrong with an exercise was found to come from below."""
    wrong = [verdict for verdict in verdicts if verdict.outcome not in DONE]
    return bool(wrong) and all(v.cause is not None and v.cause.kind == FOLLOWS for v in wrong)


def inherited(
    course: Course,
    exercise: str,
    found: Sequence[tuple[Verdict, Case | None]],
    below: Below,
) -> list[Verdict] | None:
    """The verdicts on all checks of an exercise, if all that failed follows from the misconceptions
    of the modules ``below``; None if not.
    """
    cases = [case for _, case in found if case is not None]
    verdicts = [verdict for verdict, _ in found]
    if not (0 < len(below) <= MOST and is_honest(verdicts) and _says_enough(cases)):
        return None
    entry = Inherited(
        name=" and ".join(f"{name}.{one.name}" for name, several in below for one in several),
        path=course.solution(exercise),
        below=[(course.solution(name), several) for name, several in below],
    )
    with suppress(SuiteError):  # two slips in one place
        return _followed(found, entry, exercise, below)
    return None


def _followed(
    found: Sequence[tuple[Verdict, Case | None]], entry: Entry, exercise: str, below: Below
) -> list[Verdict] | None:
    failed = [(v, case) for v, case in found if v.outcome not in DONE]
    right = [case for v, case in found if v.outcome in DONE and case and case.contradicts]
    if not all(_is_explained(verdict, case, entry) for verdict, case in failed):
        return None
    if not all(case.answer_of(entry) is None for case in right):
        return None
    return charged([_carried(verdict, exercise, below) for verdict, _ in found])


def _says_enough(cases: Sequence[Case]) -> bool:
    strong = {case.of for case in cases if case.passed or case.is_strong}
    return all(case.of in strong for case in cases if case.evidence is not None)


def _is_explained(verdict: Verdict, case: Case | None, entry: Entry) -> bool:
    """Whether the entry fails the check with the same answer; or it is a wrong answer on the clock,
    of which nobody need know how long it took.
    """
    if verdict.outcome not in SLIPS or case is None or case.evidence is None:
        return False
    if verdict.cause is not None and verdict.cause.kind == TIMED:
        return True
    return shows(entry, case) or shows(entry, case, said_alike)


def _carried(verdict: Verdict, exercise: str, below: Below) -> Verdict:
    if verdict.outcome in DONE:
        return verdict
    modules = tuple(name for name, _ in below)
    facts: dict[str, Fact] = {"others": modules, "module": exercise}
    if verdict.cause is not None and "earned" in verdict.cause.facts:
        facts["earned"] = verdict.cause.facts["earned"]  # what is right by itself stays as it is
    cause = Cause(FOLLOWS, facts, because=verdict.cause)
    lesson = " ".join(entry.sentence for _, several in below for entry in several)
    return replace(verdict, outcome=Outcome.CARRIED, misconception=None, lesson=lesson, cause=cause)
