"""What the gradebook holds, as tables.

Attempts and entries are only ever added: what no longer counts is withdrawn by a further entry.
Times are ISO 8601 in UTC, but for those that a platform gave; a score without a verdict is NULL.
"""

from __future__ import annotations

from sqlalchemy import JSON, Float, ForeignKey, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

LATEST, BEST = "latest", "best"
MARK, COMMENT, WITHDRAWAL = "mark", "comment", "withdrawal"


class Base(DeclarativeBase):
    """Names for all constraints: a migration can only change what has one."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {str: String(), float: Float(53)}


class Student(Base):
    """``platform_id`` is empty where no platform gave one; then ``submission`` tells namesakes
    apart. ``drawn`` is the id for anonymous grading.
    """

    __tablename__ = "students"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    platform_id: Mapped[str]
    submission: Mapped[str]
    drawn: Mapped[str] = mapped_column(unique=True)


class Group(Base):
    """Assignments of one kind, as homework. Of these, each student's ``drop_worst`` worst do not
    count.
    """

    __tablename__ = "groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    drop_worst: Mapped[int]


class Assignment(Base):
    """``counts`` says which attempt does: ``latest`` or ``best``."""

    __tablename__ = "assignments"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    counts: Mapped[str]
    group_key: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    group: Mapped[Group | None] = relationship(lazy="joined")


class Attempt(Base):
    """One report: what was handed in, and how it was graded then. Graded again, it is a further
    row. ``run`` and ``digest`` find the report, ``digests`` are those of the modules. Of
    ``strict_score`` and ``followed_score`` one is the ``score`` that counts.
    """

    __tablename__ = "attempts"

    id: Mapped[int] = mapped_column(primary_key=True)
    student_key: Mapped[int] = mapped_column(ForeignKey("students.id"), index=True)
    assignment_key: Mapped[int] = mapped_column(ForeignKey("assignments.id"), index=True)
    submission: Mapped[str]
    handed_in: Mapped[str]
    late: Mapped[bool]
    graded_at: Mapped[str]
    seed: Mapped[str]
    digests: Mapped[dict[str, str]] = mapped_column(JSON)
    score: Mapped[float | None]
    max_score: Mapped[float]
    strict_score: Mapped[float | None]
    followed_score: Mapped[float | None]
    digest: Mapped[str]
    run: Mapped[str]
    taken_in_at: Mapped[str]
    taken_in_by: Mapped[str]
    exercises: Mapped[list[ExerciseScore]] = relationship(
        order_by="ExerciseScore.place", lazy="selectin"
    )


class ExerciseScore(Base):
    """One exercise of an attempt, the ``place``-th of its report."""

    __tablename__ = "exercise_scores"

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_key: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
    place: Mapped[int]
    name: Mapped[str]
    score: Mapped[float | None]
    max_score: Mapped[float]


class Entry(Base):
    """What a person said: a mark with its reason, a comment, or that something no longer counts.

    ``exercise`` is empty where the whole assignment is meant.
    """

    __tablename__ = "entries"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    student_key: Mapped[int] = mapped_column(ForeignKey("students.id"), index=True)
    assignment_key: Mapped[int] = mapped_column(ForeignKey("assignments.id"), index=True)
    exercise: Mapped[str]
    mark: Mapped[float | None]
    text: Mapped[str]
    author: Mapped[str]
    made_at: Mapped[str]
    withdraws_entry: Mapped[int | None] = mapped_column(ForeignKey("entries.id"))
    withdraws_attempt: Mapped[int | None] = mapped_column(ForeignKey("attempts.id"))
