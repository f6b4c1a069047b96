"""Where the gradebook lies: a file of SQLite, or a PostgreSQL server; one writer at a time in both.

Source: SQLAlchemy, "SQLite: Transactions with SQLite and the sqlite3 driver"; PostgreSQL, "Advisory
locks".
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from grader import DISTRIBUTION
from grader.errors import GradebookError
from grader.report.plain import one_line

BUSY_SECONDS = 30.0  # a class is taken in within one or two
_LOCK = 7_274_496_113  # a number of our own, by which PostgreSQL knows the gradebook's writers
_WRITES = "gradebook_writes"
EXTRA = f"pip install '{DISTRIBUTION}[postgresql]'"


def url_of(where: str) -> URL:
    """``where`` is a file, or the URL of a database; raises ``GradebookError`` for all others."""
    if "://" not in where:
        return URL.create("sqlite", database=str(Path(where).expanduser()))
    try:
        url = make_url(where)
    except (ArgumentError, ValueError) as error:
        raise GradebookError("The URL of the database cannot be read: expected "
                             "postgresql://USER@HOST/NAME.") from error  # fmt: skip
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and url.database:
        return url.set(drivername="sqlite")
    raise GradebookError(
        f"The gradebook lies in a file of SQLite or in PostgreSQL, not in {kind!r}: name a file, "
        "or postgresql://USER@HOST/NAME."
    )


class Database:
    """Sessions on one database. Raises ``GradebookError`` wherever the database refuses."""

    def __init__(self, where: str) -> None:
        self._url = url_of(where)
        self._engine = self._connecting(foreign_keys=True)

    @property
    def file(self) -> Path | None:
        """The file, if it is one."""
        return Path(self._url.database or "") if self._is_a_file else None

    @property
    def shown(self) -> str:
        """How it is spoken of, without its password, which may also stand among the options."""
        url = self._url
        bare = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
        return str(self.file) if self._is_a_file else bare.render_as_string()

    @property
    def _is_a_file(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session]:
        """All that is read is of one moment."""
        with self._told(), Session(self._engine, expire_on_commit=False) as session:
            session.connection()
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """Kept whole at the end, or, after an error, not at all; others wait that would write."""
        engine = self._engine.execution_options(**{_WRITES: True})
        with self._told(), Session(engine, expire_on_commit=False) as session, session.begin():
            session.connection()  # takes the lock now
            yield session

    @contextlib.contextmanager
    def changing_tables(self) -> Iterator[Connection]:
        """As ``writing``, but tables can be made anew that others refer to."""
        engine = self._connecting(foreign_keys=False).execution_options(**{_WRITES: True})
        with self._told(), engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def looking(self) -> Iterator[Connection]:
        """For what is asked of the tables themselves."""
        with self._told(), self._engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise GradebookError(f"{self.shown}: {_why(error)}") from error

    def _connecting(self, foreign_keys: bool) -> Engine:
        """No connection is kept: a command needs one or two."""
        options: dict[str, Any] = {"timeout": BUSY_SECONDS} if self._is_a_file else {}
        try:
            engine = create_engine(self._url, poolclass=NullPool, connect_args=options)
        except (ImportError, NoSuchModuleError) as error:
            raise GradebookError(f"PostgreSQL needs psycopg: {EXTRA}") from error
        if self._is_a_file:
            event.listen(engine, "connect", _Prepared(foreign_keys))
            event.listen(engine, "begin", _begin_sqlite)
        else:
            event.listen(engine, "begin", _begin_postgresql)
        return engine


class _Prepared:
    """sqlite3 itself must begin no transaction, for it begins them too late; a power cut must cost
    nothing that was kept.
    """

    def __init__(self, foreign_keys: bool) -> None:
        self._foreign_keys = foreign_keys

    def __call__(self, connection: Any, record: object) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA foreign_keys = {'ON' if self._foreign_keys else 'OFF'}")
        connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: Connection) -> None:
    """Who will write takes the lock before reading: what was read then still holds."""
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _why(error: SQLAlchemyError) -> str:
    """The database's own words on one line, without the statement and its values."""
    whole = str(error.orig if isinstance(error, DBAPIError) else error).strip()
    said = one_line(whole.partition("\n")[0])
    if "database is locked" in said:
        return f"another program has been writing to it for {BUSY_SECONDS:g} seconds: try again."
    if "readonly database" in said:
        return "whoever reads or writes it must be allowed to write to the file and its folder."
    return f"{said.rstrip('.')}."
