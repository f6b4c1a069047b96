"""Groups of assignments, of which each student's worst do not count."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.gradebook.models import Assignment, Group


@dataclass(frozen=True)
class Grouped:
    """A group as it is now; without a name, the assignments that are in none."""

    name: str
    drop_worst: int
    assignments: tuple[str, ...]


def grouped(session: Session, group: Group | None) -> Grouped:
    """What is in a group, or in none."""
    key = None if group is None else group.id
    asked = select(Assignment).where(Assignment.group_key == key).order_by(Assignment.id)
    names = tuple(one.name for one in session.scalars(asked))
    return Grouped("", 0, names) if group is None else Grouped(group.name, group.drop_worst, names)
