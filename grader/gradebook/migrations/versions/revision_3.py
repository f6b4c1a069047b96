"""Beside the score that counts, those with and without follow-through."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Nothing was carried so far: both are the score."""
    with op.batch_alter_table("attempts") as table:
        table.add_column(sa.Column("strict_score", sa.Float(), nullable=True))
        table.add_column(sa.Column("followed_score", sa.Float(), nullable=True))
    attempts = sa.table("attempts", *map(sa.column, ("score", "strict_score", "followed_score")))
    op.execute(
        attempts.update().values(strict_score=attempts.c.score, followed_score=attempts.c.score)
    )
