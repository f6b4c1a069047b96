"""The tables of a gradebook are those that this version knows, before anything else is done.

A gradebook that is older is brought up to date, step by step (``migrations/versions``), after a
copy of its file was made; one that a newer version wrote is refused.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from grader.errors import GradebookError
from grader.gradebook.database import BUSY_SECONDS, Database

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "grader_version"  # alembic's own name is taken in nbgrader's gradebook


def brought_up_to_date(
    database: Database, may_be_new: bool, scripts: Path = MIGRATIONS
) -> Path | None:
    """Afterwards ``database`` has our tables; gives the copy that was made of an older one.

    Raises ``GradebookError`` where there is no gradebook and none ``may_be_new``, where it is newer
    than this version, and where the tables are another program's.
    """
    if not may_be_new and database.file is not None and not database.file.exists():
        raise _missing(database)
    steps = ScriptDirectory.from_config(_config(scripts))
    if _found(database, steps, may_be_new) == steps.get_current_head():
        return None
    _keep_a_journal(database)
    with database.changing_tables() as connection:
        found = _revision(connection)  # meanwhile somebody else may have done it
        copy = None if found in (None, steps.get_current_head()) else _copied(database, found)
        command.upgrade(_config(scripts, connection), "head")
    return copy


def _config(scripts: Path, connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _found(database: Database, steps: ScriptDirectory, may_be_new: bool) -> str | None:
    """The revision of the tables there are; None without any."""
    with database.looking() as connection:
        found = _revision(connection)
        others = found is None and bool(inspect(connection).get_table_names())
    if others:
        raise GradebookError(
            f"{database.shown} holds the tables of another program: give the gradebook a file or a "
            "database of its own."
        )
    if found is None and not may_be_new:
        raise _missing(database)
    known = [step.revision for step in steps.walk_revisions()]
    if found is not None and found not in known:
        raise GradebookError(
            f"{database.shown} was written by a newer version of grader (its tables have revision "
            f"{found}, and this version knows {', '.join(sorted(known))}): update grader."
        )
    return found


def _revision(connection: Connection) -> str | None:
    options = {"version_table": VERSION_TABLE}
    return MigrationContext.configure(connection, opts=options).get_current_revision()


def _missing(database: Database) -> GradebookError:
    return GradebookError(
        f"{database.shown}: there is no gradebook yet. `grader gradebook add RUN` makes one; "
        "--database or GRADER_DATABASE says where another one is."
    )


def _keep_a_journal(database: Database) -> None:
    """Write-ahead logging, which stays set: nobody who reads waits for who writes.

    SQLite changes this only while nobody else has the file open, and does not wait for that.
    """
    file = database.file
    if file is None:
        return
    until = time.monotonic() + BUSY_SECONDS
    with database.looking() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        while True:
            try:
                raw.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)


def _copied(database: Database, revision: str) -> Path | None:
    """A whole copy, beside the file, of what it held before; a server's is its keeper's to make."""
    file = database.file
    if file is None:
        return None
    copy = _free(file.with_name(f"{file.name}.revision-{revision}"))
    part = copy.with_name(f"{copy.name}.{os.getpid()}.part")
    here, there = sqlite3.connect(file), sqlite3.connect(part)
    with contextlib.closing(here), contextlib.closing(there):
        here.backup(there)
    os.replace(part, copy)
    return copy


def _free(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free
