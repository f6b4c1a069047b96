"""Older gradebooks are brought up to date, newer ones and other programs' are left alone."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from grader.errors import GradebookError
from grader.gradebook.book import Gradebook
from grader.gradebook.database import Database
from grader.gradebook.models import Base
from grader.gradebook.upgrading import MIGRATIONS, VERSION_TABLE, brought_up_to_date

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{head}"


def upgrade():
    with op.batch_alter_table("students") as table:
        table.add_column(sa.Column("seat", sa.String(), nullable=False, server_default="none"))
"""


def differences(database):
    """Between the tables there are and those that the models say."""
    with database.looking() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata)


def head(database):
    with database.looking() as connection:
        return connection.execute(text(f"select version_num from {VERSION_TABLE}")).scalar()


def changed(path, statement):
    """What somebody else does to the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statement)


@pytest.fixture
def later(tmp_path, book):
    """Our migrations, and one more after the last: it makes a table anew that others refer to."""
    scripts = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    step = NEXT.format(head=head(Database(book.shown)))
    (scripts / "versions" / "revision_next.py").write_text(step)
    return scripts


class TestANewGradebook:
    def test_has_the_tables_of_the_models(self, book):
        """Nobody forgot a migration."""
        assert differences(Database(book.shown)) == []

    def test_keeps_a_journal(self, book):
        """So readers do not wait for who writes."""
        with Database(book.shown).looking() as connection:
            assert connection.execute(text("pragma journal_mode")).scalar() == "wal"

    def test_is_made_only_by_who_adds(self, tmp_path):
        """A mistyped name must not look like an empty class, and makes no file."""
        with pytest.raises(GradebookError, match="there is no gradebook yet"):
            Gradebook(str(tmp_path / "boook.sqlite"))

        assert list(tmp_path.iterdir()) == []

    def test_an_empty_file_is_none(self, tmp_path):
        """What `touch` leaves."""
        (tmp_path / "book.sqlite").touch()

        with pytest.raises(GradebookError, match="there is no gradebook yet"):
            Gradebook(str(tmp_path / "book.sqlite"))

    def test_a_folder_that_is_not_there_is_said(self, tmp_path):
        """In a sentence."""
        with pytest.raises(GradebookError, match="unable to open database file"):
            Gradebook(str(tmp_path / "nowhere" / "book.sqlite"), may_be_new=True)


class TestAnOlderGradebook:
    def test_is_brought_up_to_date(self, book, add, handed_in, later, marks):
        """With all that was in it."""
        add("ps1", handed_in("ann", softmax=3))
        database = Database(book.shown)
        brought_up_to_date(database, may_be_new=False, scripts=later)

        assert head(database) == "next"
        assert marks_in(database) == [3.0]
        with database.looking() as connection:
            assert connection.execute(text("select seat from students")).scalars().all() == ["none"]
            assert connection.execute(text("pragma foreign_key_check")).all() == []

    def test_of_the_first_revision_has_no_groups(self, tmp_path):
        """Its assignments are as they were, and in none; the tables are those of the models."""
        first, path = tmp_path / "first", tmp_path / "old.sqlite"
        later = shutil.ignore_patterns("__pycache__", "revision_[23].py")
        shutil.copytree(MIGRATIONS, first, ignore=later)
        brought_up_to_date(Database(str(path)), may_be_new=True, scripts=first)
        changed(path, "insert into assignments (name, counts) values ('ps1', 'best')")
        book = Gradebook(str(path))

        assert book.copy is not None
        assert book.group("", [], None).assignments == ("ps1",)
        assert differences(Database(str(path))) == []

    def test_is_copied_before(self, book, add, handed_in, later):
        """The copy is a whole gradebook, as it was."""
        add("ps1", handed_in("ann", softmax=3))
        before = head(Database(book.shown))
        copy = brought_up_to_date(Database(book.shown), may_be_new=False, scripts=later)

        assert copy is not None
        assert copy.name == f"book.sqlite.revision-{before}"
        assert head(Database(str(copy))) == before
        assert marks_in(Database(str(copy))) == [3.0]

    def test_overwrites_no_earlier_copy(self, book, later, tmp_path):
        """Somebody may have put the first one back."""
        database = Database(book.shown)
        first = brought_up_to_date(database, may_be_new=False, scripts=later)
        shutil.copy(first, tmp_path / "book.sqlite")
        second = brought_up_to_date(database, may_be_new=False, scripts=later)

        assert second.name == f"{first.name}-2"

    def test_is_as_it_was_if_a_step_fails(self, book, add, handed_in, later):
        """Half a migration is none."""
        add("ps1", handed_in("ann", softmax=3))
        step = later / "versions" / "revision_next.py"
        step.write_text(step.read_text() + "    raise ZeroDivisionError\n")
        before = head(Database(book.shown))
        with pytest.raises(ZeroDivisionError):
            brought_up_to_date(Database(book.shown), may_be_new=False, scripts=later)

        assert head(Database(book.shown)) == before
        assert differences(Database(book.shown)) == []

    def test_and_is_not_touched_when_up_to_date(self, book, tmp_path):
        """No copy, no change."""
        before = (tmp_path / "book.sqlite").read_bytes()

        assert Gradebook(book.shown).copy is None
        assert (tmp_path / "book.sqlite").read_bytes() == before


def marks_in(database):
    with database.looking() as connection:
        return connection.execute(text("select score from attempts")).scalars().all()


class TestOthers:
    def test_a_newer_gradebook_is_refused(self, book, later):
        """This version does not know what its tables mean."""
        brought_up_to_date(Database(book.shown), may_be_new=False, scripts=later)

        with pytest.raises(GradebookError, match=r"newer version of grader.*revision next"):
            Gradebook(book.shown)

    @pytest.mark.parametrize("may_be_new", [True, False])
    def test_another_program_s_is_left_alone(self, tmp_path, may_be_new):
        """nbgrader keeps a gradebook as well, under alembic's own name for versions."""
        path = tmp_path / "gradebook.db"
        changed(path, "create table alembic_version (version_num text); create table student (id)")
        before = path.read_bytes()

        with pytest.raises(GradebookError, match="tables of another program"):
            Gradebook(str(path), may_be_new)
        assert path.read_bytes() == before
