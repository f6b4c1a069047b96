"""A report of what the checks found, and an assignment -> the report that marks are read from."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from grader.course.assignment import STRICT, Assignment, LateRule
from grader.course.charging import charged
from grader.course.strict import DECIMALS
from grader.errors import AssignmentError
from grader.model import Check, Deduction, ExerciseReport, Outcome, Report, Verdict

_DAY = datetime.timedelta(days=1)
_UNITS = 10**DECIMALS  # in a point


def weighted(report: Report, assignment: Assignment) -> Report:
    """The report with the assignment's exercises, checks and points, and what being late costs;
    what was carried has failed if its marks are strict.

    Exercises that are not the assignment's and dropped checks are left out. Nothing is run.
    Raises ``AssignmentError`` where the report lacks an exercise.
    """
    found = {exercise.name: exercise for exercise in report.exercises}
    for name in assignment.exercises:
        if name not in found:
            raise AssignmentError(f"{name} was not graded, which the assignment asks for")
    chosen = [exercise for name, exercise in found.items() if name in assignment.exercises]
    exercises = tuple(_weighted(exercise, assignment) for exercise in chosen)
    whole = replace(report, exercises=exercises, deduction=None)
    return replace(whole, deduction=_deduction(whole, assignment))


def points_by_check(
    points: Mapping[str, float],
    exercise: str,
    assignment: Assignment,
    core: Collection[str] = (),
) -> dict[str, float]:
    """The same of an exercise that nobody handed in yet: what each of its checks is worth, by name;
    ``core`` names those of its core. One that is not the assignment's is worth nothing.
    """
    names = [name for name in points if f"{exercise}.{name}" not in assignment.dropped]
    own = [assignment.points.get(f"{exercise}.{name}", points[name]) for name in names]
    listed = exercise in assignment.exercises
    weight = assignment.weights.get(exercise) if listed else 0.0
    shares = shared_out(own, [name in core for name in names], weight, assignment.core_percent)
    return dict(zip(names, shares, strict=True))


def check_of(check: Check) -> str:
    """``exercise.test_name``: as an assignment names it, with all its parameters."""
    return f"{check.exercise}.{bare_name(check)}"


def bare_name(check: Check) -> str:
    """The check's name without its parameters."""
    return check.name.partition("[")[0]


def _weighted(exercise: ExerciseReport, assignment: Assignment) -> ExerciseReport:
    kept = [v for v in exercise.verdicts if check_of(v.check) not in assignment.dropped]
    own = [_worth(v, assignment.points.get(check_of(v.check), v.check.max_points)) for v in kept]
    weight = assignment.weights.get(exercise.name)
    is_core = [verdict.check.core for verdict in own]
    points = [verdict.max_points for verdict in own]
    shares = shared_out(points, is_core, weight, assignment.core_percent)
    if shares != points:
        own = [_worth(verdict, share) for verdict, share in zip(own, shares, strict=True)]
    if any(verdict.carried or verdict.outcome is Outcome.CARRIED for verdict in own):
        own = charged(own)
    if assignment.marks == STRICT:
        own = list(map(strictly, own))
    return replace(exercise, verdicts=tuple(own))


def strictly(verdict: Verdict) -> Verdict:
    """The same where only what is right counts: what is carried has failed."""
    carried = verdict.outcome is Outcome.CARRIED
    outcome = Outcome.FAILED if carried else verdict.outcome
    return replace(verdict, outcome=outcome, strict=True)


def _worth(verdict: Verdict, points: float) -> Verdict:
    return replace(verdict, check=replace(verdict.check, max_points=points))


def shared_out(
    points: Sequence[float], is_core: Sequence[bool], weight: float | None, percent: float | None
) -> list[float]:
    """The points of an exercise's checks, when all of them are worth ``weight``, or what they are,
    and ``percent`` of that belongs to the core. A part that is worth nothing by itself leaves all
    to the other.
    """
    core = [share for share, mine in zip(points, is_core, strict=True) if mine]
    robust = [share for share, mine in zip(points, is_core, strict=True) if not mine]
    if percent is None or not (any(core) and any(robust)):
        return list(points) if weight is None else apportioned(points, weight)
    whole = sum(map(Fraction, points)) if weight is None else Fraction(weight)
    of_core = round(float(whole) * percent / 100, DECIMALS)
    of_parts = {True: iter(apportioned(core, of_core))}
    of_parts[False] = iter(apportioned(robust, float(whole) - of_core))
    return [next(of_parts[mine]) for mine in is_core]


def apportioned(points: Sequence[float], worth: float) -> list[float]:
    """``worth`` in proportion to ``points``, in thousandths that add up to it exactly.

    What is left over by rounding down goes to the largest remainders, the earlier of equal ones
    first (Hamilton's method). Of nothing there is no part.
    """
    whole = sum(map(Fraction, points))
    if not whole:
        return [0.0 for _ in points]
    exact = [Fraction(share) * round(worth * _UNITS) / whole for share in points]
    units = [int(share) for share in exact]
    left = round(worth * _UNITS) - sum(units)
    by_remainder = sorted(range(len(exact)), key=lambda place: units[place] - exact[place])
    for place in by_remainder[:left]:
        units[place] += 1
    return [unit / _UNITS for unit in units]


def _deduction(report: Report, assignment: Assignment) -> Deduction | None:
    rule = assignment.late
    due = assignment.due_for(report.student_id, report.student, report.submission)
    if rule is None or due is None:
        return None
    handed_in = time_of(report.handed_in)
    if handed_in is None:
        return Deduction(due.isoformat(), None) if report.late else None
    days = _days(handed_in - due - datetime.timedelta(minutes=rule.grace_minutes))
    return _after(rule, days, due, report.max_score) if days else None


def _after(rule: LateRule, days: int, due: datetime.datetime, all_points: float) -> Deduction:
    if rule.not_after_days is not None and days > rule.not_after_days:
        return Deduction(due.isoformat(), days, all_points, closed=True)
    limits = [all_points] if rule.at_most is None else [all_points, rule.at_most.of(all_points)]
    points = min(rule.per_day.of(all_points) * days, *limits)
    return Deduction(due.isoformat(), days, round(points, DECIMALS))


def _days(late: datetime.timedelta) -> int:
    """How many have begun."""
    return max(0, -(-late // _DAY))


def time_of(handed_in: str) -> datetime.datetime | None:
    """When that was; None for what is no time, or the time of a zone that is not known."""
    try:
        found = datetime.datetime.fromisoformat(handed_in)
    except ValueError:
        return None
    return None if found.tzinfo is None else found
