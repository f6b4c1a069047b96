"""Groups of assignments, of which each student's worst do not count."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """No assignment is in a group so far."""
    op.create_table(
        "groups",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("drop_worst", sa.Integer(), nullable=False),
        sa.UniqueConstraint("name", name="uq_groups_name"),
    )
    with op.batch_alter_table("assignments") as table:
        table.add_column(sa.Column("group_key", sa.Integer(), nullable=True))
        table.create_foreign_key("fk_assignments_group_key_groups", "groups", ["group_key"], ["id"])
