"""Students, assignments, attempts with the scores of their exercises, and what people say."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """The first tables."""
    op.create_table(
        "students",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("platform_id", sa.String(), nullable=False),
        sa.Column("submission", sa.String(), nullable=False),
        sa.Column("drawn", sa.String(), nullable=False),
        sa.UniqueConstraint("drawn", name="uq_students_drawn"),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("counts", sa.String(), nullable=False),
        sa.UniqueConstraint("name", name="uq_assignments_name"),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), primary_key=True),
        _key("student_key", "attempts", "students"),
        _key("assignment_key", "attempts", "assignments"),
        sa.Column("submission", sa.String(), nullable=False),
        sa.Column("handed_in", sa.String(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("graded_at", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("digests", sa.JSON(), nullable=False),
        sa.Column("score", sa.Float(53)),
        sa.Column("max_score", sa.Float(53), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("taken_in_at", sa.String(), nullable=False),
        sa.Column("taken_in_by", sa.String(), nullable=False),
    )
    op.create_table(
        "exercise_scores",
        sa.Column("id", sa.Integer(), primary_key=True),
        _key("attempt_key", "exercise_scores", "attempts"),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("score", sa.Float(53)),
        sa.Column("max_score", sa.Float(53), nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        _key("student_key", "entries", "students"),
        _key("assignment_key", "entries", "assignments"),
        sa.Column("exercise", sa.String(), nullable=False),
        sa.Column("mark", sa.Float(53)),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        _key("withdraws_entry", "entries", "entries", nullable=True),
        _key("withdraws_attempt", "entries", "attempts", nullable=True),
    )
    for table, column in _INDEXED:
        op.create_index(f"ix_{table}_{column}", table, [column])


_INDEXED = (
    ("attempts", "student_key"),
    ("attempts", "assignment_key"),
    ("exercise_scores", "attempt_key"),
    ("entries", "student_key"),
    ("entries", "assignment_key"),
)


def _key(name: str, table: str, of: str, nullable: bool = False) -> sa.Column[int]:
    key = sa.ForeignKey(f"{of}.id", name=f"fk_{table}_{name}_{of}")
    return sa.Column(name, sa.Integer(), key, nullable=nullable)
