"""How hard a check is, and how well it tells those who can from those who cannot.

Difficulty is the share that passes. Discrimination is the item-rest correlation: with x what a
submission earned in this check (0 or its points) and R what it earned in all the others,

    r = cov(x, R) / (s_x * s_R)

Without x in R, for a check always agrees with itself. Source: Henrysson 1963, Psychometrika 28,
211-218; that below 0.2 an item should be looked at: Ebel & Frisbie 1991, Essentials of Educational
Measurement, 5th edition, chapter 13.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.model import ExerciseReport, Outcome, Report, Verdict

POOR = 0.2
FEWEST = 10  # submissions: with fewer, r's standard error 1/sqrt(n - 1) is more than a third
_Answer = tuple[float | None, Verdict]  # with the total of the submission, if it has a mark
_NO_FINDING = (Outcome.INTERNAL, Outcome.SKIPPED)


@dataclass(frozen=True)
class Item:
    """One check on one device, over those who handed its exercise in and got a verdict.

    ``discrimination`` is None with fewer than ten, or where all did alike.
    """

    exercise: str
    name: str
    sentence: str
    device: str
    asked: int
    passed: int
    discrimination: float | None
    outcomes: dict[str, int]

    @property
    def difficulty(self) -> float:
        """The share that passes, 0 to 1: the easier, the higher."""
        return self.passed / self.asked

    @property
    def is_poor(self) -> bool:
        return self.discrimination is not None and self.discrimination < POOR


def items(reports: Sequence[Report]) -> list[Item]:
    """Every check that anybody was asked, in the order of the suites."""
    found: dict[tuple[str, str, str], list[_Answer]] = {}
    for report in reports:
        score = None if report.without_verdict else report.earned  # being late is no answer
        for verdict in _asked(report):
            check = verdict.check
            key = (check.exercise, check.name, check.device)
            found.setdefault(key, []).append((score, verdict))
    return [_item(answers) for answers in found.values()]


def handed_in(exercise: ExerciseReport) -> bool:
    """Whether there was a module at all: who hands in none says nothing about a check."""
    return not all(v.cause is not None and v.cause.kind == "absent" for v in exercise.verdicts)


def _asked(report: Report) -> Iterable[Verdict]:
    there = [exercise for exercise in report.exercises if handed_in(exercise)]
    return (v for e in there for v in e.verdicts if v.outcome not in _NO_FINDING)


def _item(answers: Sequence[_Answer]) -> Item:
    verdicts = [verdict for _, verdict in answers]
    check = verdicts[0].check
    counts = Counter(verdict.outcome.value for verdict in verdicts)
    return Item(
        check.exercise,
        check.name,
        check.sentence,
        check.device,
        len(verdicts),
        counts[Outcome.PASSED.value],
        _discrimination(answers),
        dict(counts),
    )


def _discrimination(answers: Sequence[_Answer]) -> float | None:
    """Over those who have a mark."""
    whole = [(score, verdict.points) for score, verdict in answers if score is not None]
    if len(whole) < FEWEST:
        return None
    earned = [points for _, points in whole]
    try:
        return statistics.correlation(earned, [score - points for score, points in whole])
    except statistics.StatisticsError:  # all did alike
        return None
