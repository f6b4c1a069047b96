"""The same gradebook on a PostgreSQL server, a real one, which is started for these tests."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text

from grader.errors import GradebookError
from grader.gradebook.book import About, Gradebook
from grader.gradebook.database import Database
from grader.gradebook.models import Base
from grader.gradebook.upgrading import VERSION_TABLE
from tests.gradebook.writers import TAKE_IN, ended, started

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: it is an extra")


def program(name):
    """Debian keeps the server's programs out of PATH."""
    found = shutil.which(name)
    kept = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return found or (str(kept[-1]) if kept else None)


@pytest.fixture(scope="module")
def server():
    """A server of its own, reached through a socket in its folder; it refuses to run as root."""
    if not (program("initdb") and program("pg_ctl")):
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path is 107 bytes at most
    options = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        options |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    data, log = folder / "data", folder / "log"
    make = ["-U", "grader", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run([program("initdb"), "-D", data, *make], **options)
    settings = f"-c fsync=off -c listen_addresses='' -c unix_socket_directories={folder}"
    control = [program("pg_ctl"), "-D", data, "-w"]
    subprocess.run([*control, "-l", log, "-o", settings, "start"], **options)
    yield f"postgresql://grader@/NAME?host={folder}"
    subprocess.run([*control, "-m", "immediate", "stop"], **options)
    shutil.rmtree(folder)


NUMBERS = itertools.count(1)


@pytest.fixture
def where(server):
    """The URL of a new, empty database."""
    name = f"marks{next(NUMBERS)}"
    administration = server.replace("postgresql:", "postgresql+psycopg:").replace(
        "NAME", "postgres"
    )
    engine = create_engine(administration, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"create database {name}"))
    engine.dispose()
    return server.replace("NAME", name)


@pytest.fixture
def book(where):
    """A new gradebook, on the server."""
    return Gradebook(where, may_be_new=True)


class TestOnAServer:
    def test_the_tables_are_those_of_the_models(self, where, book):
        """The migrations make the same as in a file."""
        with Database(where).looking() as connection:
            options = {"version_table": VERSION_TABLE, "compare_type": True}
            context = MigrationContext.configure(connection, opts=options)

            assert compare_metadata(context, Base.metadata) == []

    def test_a_class_is_kept(self, where, add, handed_in):
        """Marks, names in every script, what people say, and what has no verdict."""
        names = ["José Núñez", "प्रिया शर्मा", "李明", "O'Brien"]
        fields = {"late": True, "handed_in": "2026-01-01T10:00:00+01:00"}
        add("Übung 1", *(handed_in(name, fields=fields, softmax=3, masks=0) for name in names))
        add("Übung 2", *(handed_in(name, softmax=None) for name in names[:1]))
        book = Gradebook(where)
        book.set_mark(About("李明", "übung 1", "masks"), 2.5, "%s; drop table 'x' \\ 好", "ta")
        book.comment(About("o'brien", "Übung 1"), "a\0b", "ta")
        marks = {(one.student.name, one.assignment.name): one.mark for one in book.standings()}
        (comment,) = book.history("O'Brien").entries

        assert marks == (
            {(name, "Übung 1"): 3.0 for name in names}
            | {(name, "Übung 2"): 0.0 for name in names}
            | {("李明", "Übung 1"): 5.5, ("José Núñez", "Übung 2"): None}
        )
        assert book.history("李明").entries[0].text == "%s; drop table 'x' \\ 好"
        assert comment.text == "a�b"

    def test_a_run_taken_in_twice_changes_nothing(self, add, handed_in, book):
        """As in a file."""
        add("ps1", handed_in("ann", softmax=3))

        assert add("ps1", handed_in("ann", softmax=3)).known == 1
        assert len(book.history("ann").attempts) == 1

    def test_the_worst_of_a_group_are_dropped(self, add, handed_in, book):
        """As in a file."""
        for name, points in {"ps1": 3, "ps2": 1}.items():
            add(name, handed_in("ann", softmax=points))
        book.group("homework", ["ps1", "ps2"], 1)

        assert [(t.points, t.worth) for t in book.totals()] == [(3.0, 4.0)]

    def test_an_entry_is_withdrawn(self, add, handed_in, book, marks):
        """As in a file, and once."""
        add("ps1", handed_in("ann", softmax=3))
        book.set_mark(About("ann", "ps1"), 1, "as told", "ta")
        book.withdraw("e1", "no", "ta")

        assert marks() == {("ann", "ps1"): 3.0}
        with pytest.raises(GradebookError, match="was withdrawn before"):
            book.withdraw("e1", "no", "ta")
        with pytest.raises(GradebookError, match="There is no 'e99999999999'"):
            book.withdraw("e99999999999", "no", "ta")

    def test_nothing_is_made_by_who_reads(self, where):
        """As in a file."""
        with pytest.raises(GradebookError, match="there is no gradebook yet"):
            Gradebook(where)

    def test_several_at_once_make_one_gradebook(self, run, handed_in, where):
        """All find an empty database. Nobody is in it twice, and one run is taken in once."""
        folder = run(*(handed_in(f"student {n}", softmax=n % 5) for n in range(12)))
        names = ("ps1", "ps2", "ps2")
        said, statuses = ended(*(started(TAKE_IN, folder, where, name) for name in names))
        book = Gradebook(where)

        assert (said, statuses) == ("", [0, 0, 0])
        assert len(book.totals()) == 12
        assert [len(book.history(f"student {n}").attempts) for n in range(12)] == [2] * 12

    def test_that_is_not_there_is_said(self, server, tmp_path):
        """With what the server says, and without the password."""
        nowhere = f"postgresql://ann:sEcret@/marks?host={tmp_path}"
        with pytest.raises(GradebookError, match="postgresql://ann@/marks: ") as found:
            Gradebook(nowhere)

        assert "sEcret" not in str(found.value)
        assert len(str(found.value).splitlines()) == 1
