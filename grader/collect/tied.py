"""Submissions and a roster -> whose the submissions are, and who handed in nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.collect.found import Collected
from grader.collect.matching import Match, Matcher
from grader.collect.modules import Note
from grader.collect.roster import Enrolled
from grader.model import Submission

NOT_ENROLLED = "nobody of the roster has this id or name"
NAMESAKES = "several of the roster may be meant, and nothing tells which of them: {names}"
TWICE = "the roster's {name} has more than one submission"


def tied(found: Collected, roster: Sequence[Enrolled]) -> Collected:
    """``found`` with the names and ids of the roster; told are those who are not on it, and those
    who handed in nothing. A group keeps its names.
    """
    matcher = Matcher(roster)
    submissions: list[Submission] = []
    notes: list[Note] = []
    owners: set[int] = set()
    for one in found:
        match = matcher.whose([one.student], [one.student_id], clones=True)
        notes += [Note(one.path, says) for says in _doubts(match, owners, roster)]
        owners.update(match.owners)
        submissions.append(_of(one, [roster[place] for place in match.owners]))
    absent = tuple(_shown(who) for place, who in enumerate(roster) if place not in owners)
    return replace(
        found, submissions=tuple(submissions), notes=(*found.notes, *notes), absent=absent
    )


def _of(submission: Submission, owners: Sequence[Enrolled]) -> Submission:
    """The submission under its one owner's name and id."""
    if len(owners) != 1:
        return submission
    return replace(submission, student=owners[0].name, student_id=owners[0].id)


def _doubts(match: Match, before: set[int], roster: Sequence[Enrolled]) -> list[str]:
    """What a person should look at; ``before`` are those who have a submission already."""
    if match.rivals:
        return [NAMESAKES.format(names=", ".join(_shown(roster[place]) for place in match.rivals))]
    if not match.owners:
        return [NOT_ENROLLED]
    return [TWICE.format(name=roster[place].name) for place in match.owners if place in before]


def _shown(who: Enrolled) -> str:
    return f"{who.name} ({who.id})" if who.id else who.name
