"""What alembic runs: the steps, on the connection and in the transaction that it is given."""

from __future__ import annotations

from alembic import context

from grader.gradebook.models import Base
from grader.gradebook.upgrading import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite changes a table by making it anew
)
with context.begin_transaction():
    context.run_migrations()
