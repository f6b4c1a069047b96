"""``assignment.toml`` -> an Assignment: what is graded, what it is worth, and when it is due.

It is read strictly, and only what is really done can be set. Whether its checks exist is asked of
whoever knows them: the course's suites before grading, the reports of a run afterwards.
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course import strict
from grader.course.course import Course
from grader.course.suite_text import points_by_check
from grader.errors import AssignmentError
from grader.spelling import did_you_mean, folded

FILE_NAME = "assignment.toml"
DEVICES = ("cpu", "cuda")
FOLLOWED, STRICT = MARKS = ("follow-through", "strict")
LIMITS = ("exercise_seconds", "submission_seconds", "memory_mib")
MEMORY_MIB = (128, 1 << 20)  # enough for every solution of this course; a TiB is a slip
_KEYS = ("title", "exercises", "weights", "checks", "due", "extensions", "late", "seed", "devices",
         "limits", "core_percent", "marks")  # fmt: skip
_LATE_KEYS = ("percent_per_day", "points_per_day", "at_most_percent", "at_most_points",
              "grace_minutes", "not_after_days")  # fmt: skip


@dataclass(frozen=True)
class Amount:
    """So many points, or so many percent of all points that the assignment is worth."""

    value: float
    is_percent: bool

    def of(self, all_points: float) -> float:
        """In points."""
        return all_points * self.value / 100 if self.is_percent else self.value


@dataclass(frozen=True)
class LateRule:
    """``per_day`` is taken off for every day that has begun since the due date and
    ``grace_minutes``, ``at_most`` in all; after ``not_after_days`` of them nothing counts.
    """

    per_day: Amount = Amount(0.0, is_percent=False)
    at_most: Amount | None = None
    grace_minutes: float = 0.0
    not_after_days: int | None = None


@dataclass(frozen=True)
class Assignment:
    """All of a file. ``weights`` are what exercises are worth, ``dropped`` and ``points`` name
    checks as ``exercise.test_name``, ``extensions`` students by id or name; without ``devices``
    or ``seed`` nothing is said about them. ``core_percent`` of what an exercise is worth belongs to
    its core, the rest to the robust checks; None leaves it to their points. ``marks`` says whether
    what follows from a mistake that has been paid for counts. ``text`` is the file's.
    """

    title: str
    exercises: tuple[str, ...]
    weights: Mapping[str, float] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    points: Mapping[str, float] = field(default_factory=dict)
    due: datetime.datetime | None = None
    extensions: Mapping[str, datetime.datetime] = field(default_factory=dict)
    late: LateRule | None = None
    seed: int | None = None
    devices: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    core_percent: float | None = None
    marks: str = FOLLOWED
    text: str = ""

    def due_for(self, *names: str) -> datetime.datetime | None:
        """Until when somebody has time who is called so: the first name that has an extension
        decides, so give an id before a name.
        """
        later = {folded(name): when for name, when in self.extensions.items()}
        return next((later[folded(name)] for name in names if folded(name) in later), self.due)


def read_assignment(path: Path) -> Assignment:
    """The assignment in a file; raises ``AssignmentError`` on any slip."""
    form, text = strict.read_toml(path)
    name = path.name
    strict.require_keys(name, form, _KEYS)
    for key in ("title", "exercises"):
        if key not in form:
            raise AssignmentError(f"{name}: {key!r} is missing. Add it.")
    due = _given(form, "due", lambda value: strict.moment(f"{name}: 'due'", value))
    assignment = Assignment(
        title=strict.text(f"{name}: 'title'", form["title"]),
        exercises=strict.names(f"{name}: 'exercises'", form["exercises"]),
        weights=_amounts(f"{name}: [weights]", form.get("weights", {})),
        **_checks(f"{name}: [checks]", form.get("checks", {})),
        due=due,
        extensions=_extensions(f"{name}: [extensions]", form.get("extensions", {}), due),
        late=_given(form, "late", lambda value: _late(f"{name}: [late]", value)),
        seed=_given(form, "seed", lambda value: strict.whole(f"{name}: 'seed'", value)),
        devices=_given(form, "devices", lambda value: _devices(f"{name}: 'devices'", value)) or (),
        limits=_limits(f"{name}: [limits]", form.get("limits", {})),
        core_percent=_given(
            form, "core_percent", lambda v: strict.amount(f"{name}: 'core_percent'", v, 100)
        ),
        marks=_marks(f"{name}: 'marks'", form.get("marks", FOLLOWED)),
        text=text,
    )
    _require_sense(name, assignment)
    return assignment


def _given(form: Mapping[str, Any], key: str, read: Callable[[Any], Any]) -> Any:
    return read(form[key]) if key in form else None


def _amounts(where: str, value: Any) -> dict[str, float]:
    form = strict.table(where, value)
    return {key: strict.amount(f"{where}: {key!r}", item) for key, item in form.items()}


def _checks(where: str, value: Any) -> dict[str, Any]:
    """Checks may be named in quotes or without: ``softmax.test_x = 2`` is a table in a table."""
    form = strict.table(where, value)
    strict.require_keys(where, form, ("drop", "points"))
    drop = form.get("drop", [])
    dropped = strict.names(f"{where}: 'drop'", drop) if drop != [] else ()
    points: dict[str, float] = {}
    for key, item in strict.table(f"{where}: 'points'", form.get("points", {})).items():
        inner = {f"{key}.{k}": v for k, v in item.items()} if type(item) is dict else {key: item}
        for name, worth in inner.items():
            if name in points or name in dropped:
                raise AssignmentError(f"{where}: {name!r} stands there twice. Take one out.")
            points[name] = strict.amount(f"{where}: {name!r}", worth)
    return {"dropped": frozenset(dropped), "points": points}


def _extensions(
    where: str, value: Any, due: datetime.datetime | None
) -> dict[str, datetime.datetime]:
    form = strict.table(where, value)
    found = {
        strict.text(f"{where}: a name", key): strict.moment(f"{where}: {key!r}", item)
        for key, item in form.items()
    }
    seen: dict[str, str] = {}
    for name, when in found.items():
        if folded(name) in seen:
            raise AssignmentError(
                f"{where}: {name!r} and {seen[folded(name)]!r} are one name. Take one out."
            )
        seen[folded(name)] = name
        if due is not None and when < due:
            raise AssignmentError(
                f"{where}: {name!r} has time until {when}, which is before 'due', {due}. "
                "Give a later time."
            )
    return found


def _late(where: str, value: Any) -> LateRule:
    form = strict.table(where, value)
    strict.require_keys(where, form, _LATE_KEYS)
    per_day = _amount(where, form, "percent_per_day", "points_per_day")
    at_most = _amount(where, form, "at_most_percent", "at_most_points")
    last = _given(form, "not_after_days", lambda v: strict.whole(f"{where}: 'not_after_days'", v))
    if per_day is None and last is None:
        raise AssignmentError(
            f"{where} takes nothing off: add percent_per_day, points_per_day or not_after_days."
        )
    if at_most is not None and per_day is None:
        raise AssignmentError(
            f"{where} has a most and nothing per day: add percent_per_day or points_per_day."
        )
    grace = strict.amount(f"{where}: 'grace_minutes'", form.get("grace_minutes", 0))
    return LateRule(per_day or LateRule.per_day, at_most, grace, last)


def _amount(where: str, form: Mapping[str, Any], percent: str, points: str) -> Amount | None:
    if percent in form and points in form:
        raise AssignmentError(f"{where} has both {percent} and {points}. Take one out.")
    if percent in form:
        return Amount(strict.amount(f"{where}: {percent!r}", form[percent], 100), is_percent=True)
    if points in form:
        return Amount(strict.amount(f"{where}: {points!r}", form[points]), is_percent=False)
    return None


def _marks(where: str, value: Any) -> str:
    found = strict.text(where, value)
    if found not in MARKS:
        near = did_you_mean(found, MARKS) or f" Write {' or '.join(map(repr, MARKS))}."
        raise AssignmentError(f"{where}: {found!r} is no way to count.{near}")
    return found


def _devices(where: str, value: Any) -> tuple[str, ...]:
    found = strict.names(where, value)
    for name in found:
        if name not in DEVICES:
            near = did_you_mean(name, DEVICES) or f" There are {' and '.join(DEVICES)}."
            raise AssignmentError(f"{where}: {name!r} is no device.{near}")
    return tuple(name for name in DEVICES if name in found)


def _limits(where: str, value: Any) -> dict[str, float]:
    form = strict.table(where, value)
    strict.require_keys(where, form, LIMITS)
    found: dict[str, float] = {
        key: strict.positive(f"{where}: {key!r}", item)
        for key, item in form.items()
        if key != "memory_mib"
    }
    if "memory_mib" in form:
        value = form["memory_mib"]
        found["memory_mib"] = strict.whole(f"{where}: 'memory_mib'", value, *MEMORY_MIB)
    return found


def _require_sense(name: str, assignment: Assignment) -> None:
    """What one part of the file says of another."""
    if assignment.due is None and (assignment.late or assignment.extensions):
        raise AssignmentError(f"{name}: nothing is late without 'due'. Add it.")
    for exercise in assignment.weights:
        _require_listed(name, assignment, exercise, "[weights]")
    for check in sorted({*assignment.dropped, *assignment.points}):
        exercise, dot, test = check.partition(".")
        if not (dot and test):
            raise AssignmentError(
                f"{name}: [checks]: {check!r} names no check. Write exercise.test_name."
            )
        _require_listed(name, assignment, exercise, "[checks]")


def _require_listed(name: str, assignment: Assignment, exercise: str, where: str) -> None:
    if exercise not in assignment.exercises:
        near = did_you_mean(exercise, assignment.exercises) or " Add it there, or take it out."
        raise AssignmentError(f"{name}: {where}: {exercise!r} is not one of 'exercises'.{near}")


def read_for(course: Course, catalog: Iterable[str], path: Path) -> Assignment:
    """The assignment in a file, all of whose exercises and checks this course has; raises
    ``AssignmentError``. Of a course that was given away nobody knows the checks that stay at home.
    """
    assignment = read_assignment(path)
    if course.is_released:
        return assignment
    wanted = assignment.exercises
    require_known(
        assignment, {n: points_by_check(course, n) if n in wanted else {} for n in catalog}
    )
    return assignment


def require_known(
    assignment: Assignment,
    known: Mapping[str, Mapping[str, float]],
    unknown: str = "is not an exercise",
) -> None:
    """``known`` are the points of all checks that there are, by exercise and name; raises
    ``AssignmentError`` for one that is not among them, and for an exercise of which nothing is
    left.
    """
    for name in assignment.exercises:
        if name not in known:
            near = did_you_mean(name, known) or f" There are {', '.join(known)}."
            raise AssignmentError(f"{FILE_NAME}: {name!r} {unknown}.{near}")
    for check in sorted({*assignment.dropped, *assignment.points}):
        exercise, _, test = check.partition(".")
        if test not in known[exercise]:
            near = _near_checks(test, known[exercise])
            raise AssignmentError(f"{FILE_NAME}: {check!r} is not a check of {exercise!r}.{near}")
    for name in assignment.exercises:
        _require_points(assignment, name, known[name])


def _near_checks(test: str, known: Iterable[str]) -> str:
    """What all names have in common makes none of them near."""
    bare = {name.removeprefix("test_"): name for name in known}
    close = difflib.get_close_matches(test.removeprefix("test_"), list(bare), n=3)
    if close:
        return f" Did you mean {' or '.join(repr(bare[name]) for name in close)}?"
    return f" There are {', '.join(bare.values())}."


def _require_points(assignment: Assignment, name: str, checks: Mapping[str, float]) -> None:
    left = {c: p for c, p in checks.items() if f"{name}.{c}" not in assignment.dropped}
    if not left:
        raise AssignmentError(
            f"{FILE_NAME}: all checks of {name!r} are dropped. Take it out of 'exercises'."
        )
    points = [assignment.points.get(f"{name}.{c}", p) for c, p in left.items()]
    if assignment.weights.get(name) and not any(points):
        raise AssignmentError(
            f"{FILE_NAME}: {name!r} is worth {assignment.weights[name]:g} and all its checks 0. "
            "Give one of them points."
        )
