"""All that happened to one student's marks, in the order in which the gradebook learned of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.gradebook.counting import Standing, in_force
from grader.gradebook.models import COMMENT, MARK, Assignment, Attempt, Entry, Student
from grader.report.words import score_words

COUNTS = "counts"
WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Life:
    """All that there is on one student, the earlier first."""

    student: Student
    assignments: dict[int, Assignment]
    attempts: tuple[Attempt, ...]
    entries: tuple[Entry, ...]
    standings: tuple[Standing, ...]


@dataclass(frozen=True)
class Event:
    """``number`` is what it is withdrawn by, ``state`` whether it counts now or was withdrawn."""

    number: str
    when: str
    by: str
    assignment: str
    what: str
    state: str = ""


def events(life: Life, with_names: bool) -> list[Event]:
    """Attempts and entries; without names also without whatever would tell them."""
    found = [*_attempts(life, with_names), *_entries(life)]
    return sorted(found, key=lambda event: event.when)  # stable


def _attempts(life: Life, with_names: bool) -> Iterator[Event]:
    counting = {one.attempt.id for one in life.standings if one.attempt and not one.manual}
    gone = {entry.withdraws_attempt for entry in in_force(life.entries)}
    for one in life.attempts:
        number = f"a{one.id}" if with_names else ""  # they were numbered in the order of names
        state = WITHDRAWN if one.id in gone else COUNTS if one.id in counting else ""
        parts = [_scores(one), *(["late"] if one.late else []), f"graded {one.graded_at}"]
        if with_names:
            parts += [f"handed in {one.handed_in}"] if one.handed_in else []
            parts += [f"seed {one.seed}", f"{one.submission} in {one.run}"]
        name = life.assignments[one.assignment_key].name
        yield Event(number, one.taken_in_at, one.taken_in_by, name, "; ".join(parts), state)


def _scores(attempt: Attempt) -> str:
    each = [f"{e.name} {score_words(e.score)}/{e.max_score:g}" for e in attempt.exercises]
    detail = f" ({', '.join(each)})" if len(each) > 1 else ""
    return f"attempt: {score_words(attempt.score)}/{attempt.max_score:g}{detail}{_other(attempt)}"


def _other(attempt: Attempt) -> str:
    """The score that does not count, where it is another one."""
    named = (("strictly", attempt.strict_score), ("with follow-through", attempt.followed_score))
    others = [f"{how} {score_words(one)}" for how, one in named if one not in (None, attempt.score)]
    return f" ({', '.join(others)})" if others else ""


def _entries(life: Life) -> Iterator[Event]:
    holding = in_force(life.entries)
    counting = {entry.id for one in life.standings for entry in one.manuals}
    for one in life.entries:
        gone = one not in holding
        state = WITHDRAWN if gone else COUNTS if one.id in counting else ""
        name = life.assignments[one.assignment_key].name
        yield Event(f"e{one.id}", one.made_at, one.author, name, _said(one), state)


def _said(entry: Entry) -> str:
    about = f"{entry.exercise}: " if entry.exercise else ""
    if entry.kind == MARK:
        return f"{about}mark {score_words(entry.mark)}: {entry.text}"
    if entry.kind == COMMENT:
        return f"{about}comment: {entry.text}"
    return f"withdraws {_withdrawn(entry)}: {entry.text}"


def _withdrawn(entry: Entry) -> str:
    if entry.withdraws_entry is not None:
        return f"e{entry.withdraws_entry}"
    return f"a{entry.withdraws_attempt}"


def standing_remarks(one: Standing) -> Sequence[str]:
    """What a person should know of a mark: what it rests on, beside the checks."""
    remarks = [_manual(one, entry) for entry in one.manuals]
    remarks += ["no verdict"] if one.has_no_verdict else []
    remarks += ["nothing handed in"] if one.attempt is None else []
    remarks += ["late"] if one.attempt and one.attempt.late else []
    remarks += [f"{one.assignment.counts} of {one.attempts} attempts"] if one.attempts > 1 else []
    return [*remarks, *(f"{entry.author}: {entry.text}" for entry in one.comments)]


def _manual(one: Standing, entry: Entry) -> str:
    found = {exercise.name: exercise.automatic for exercise in one.exercises}
    automatic = found.get(entry.exercise, one.automatic)
    about = f"{entry.exercise} " if entry.exercise else ""
    return f"{about}{score_words(entry.mark)} by {entry.author} (was {score_words(automatic)})"
