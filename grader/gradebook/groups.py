"""Groups of assignments, of which each student's worst do not count."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.errors import GradebookError
from grader.gradebook.models import Assignment, Group
from grader.report.plain import one_line
from grader.spelling import folded


@dataclass(frozen=True)
class Grouped:
    """A group as it is now; without a name, the assignments that are in none."""

    name: str
    drop_worst: int
    assignments: tuple[str, ...]


def the_group(session: Session, name: str, may_be_new: bool) -> Group:
    """The group of this name, however it is spelled; raises ``GradebookError`` without."""
    groups = session.scalars(select(Group).order_by(Group.id)).all()
    known = next((one for one in groups if folded(one.name) == folded(name)), None)
    if known is not None:
        return known
    if not may_be_new:
        names = ", ".join(one.name for one in groups) or "none"
        raise GradebookError(
            f"There is no group {name!r}. There are: {names}. Name the assignments of a new one."
        )
    new = Group(name=" ".join(one_line(name).split()), drop_worst=0)
    session.add(new)
    return new


def grouped(session: Session, group: Group | None) -> Grouped:
    """What is in a group, or in none."""
    key = None if group is None else group.id
    asked = select(Assignment).where(Assignment.group_key == key).order_by(Assignment.id)
    names = tuple(one.name for one in session.scalars(asked))
    return Grouped("", 0, names) if group is None else Grouped(group.name, group.drop_worst, names)
