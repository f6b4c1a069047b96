"""Where a gradebook may lie, and what is said where it cannot."""

from __future__ import annotations

import contextlib
import sqlite3
import sys

import pytest
from sqlalchemy import text

from grader.errors import GradebookError
from grader.gradebook import database
from grader.gradebook.database import Database, url_of


class TestAPlace:
    @pytest.mark.parametrize("where", ["a.sqlite", "sqlite:///a.sqlite"])
    def test_is_a_file(self, where):
        """By its name or by its URL."""
        assert url_of(where).get_backend_name() == "sqlite"
        assert url_of(where).database == "a.sqlite"

    @pytest.mark.parametrize("kind", ["postgresql", "postgres", "postgresql+psycopg2"])
    def test_is_a_server(self, kind):
        """Whatever driver the URL names, ours is used."""
        assert url_of(f"{kind}://ann@db/marks").drivername == "postgresql+psycopg"

    @pytest.mark.parametrize("where", ["mysql://a@b/c", "sqlite://", "postgresql://b:port/c"])
    def test_is_nothing_else(self, where):
        """And that is said, without what may be a password."""
        with pytest.raises(GradebookError, match=r"postgresql://USER@HOST/NAME"):
            url_of(where)

    def test_is_told_without_its_password(self):
        """Also where it stands among the options."""
        where = "postgresql://ann:sEcret@db/marks?password=sEcret"

        assert Database(where).shown == "postgresql://ann@db/marks"

    def test_needs_the_driver(self, monkeypatch):
        """It is an extra: without it a sentence says how to come to it."""
        monkeypatch.setitem(sys.modules, "psycopg", None)

        with pytest.raises(GradebookError, match=r"\[postgresql\]"):
            Database("postgresql://ann@db/marks")


class TestWriting:
    @pytest.fixture
    def notes(self, tmp_path):
        """A database with one table."""
        found = Database(str(tmp_path / "notes.sqlite"))
        with found.writing() as session:
            session.execute(text("create table notes (id integer primary key, said text)"))
        return found

    def test_is_whole_or_not_at_all(self, notes):
        """After an error nothing of it is there."""
        with contextlib.suppress(ZeroDivisionError), notes.writing() as session:
            session.execute(text("insert into notes (said) values ('half')"))
            raise ZeroDivisionError
        with notes.reading() as session:
            found = session.execute(text("select count(*) from notes")).scalar()

        assert found == 0

    def test_waits_for_others_and_says_so_in_the_end(self, notes, monkeypatch):
        """Nothing is kept, and nothing is lost."""
        monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
        second = Database(str(notes.file))
        with notes.writing(), pytest.raises(GradebookError, match="try again"), second.writing():
            pytest.fail("two are writing")

    def test_goes_to_what_is_a_database(self, tmp_path):
        """A file of another kind is named, with what SQLite says of it."""
        (tmp_path / "marks.csv").write_text("name,mark\n" * 100)

        with (
            pytest.raises(GradebookError, match=r"marks\.csv: file is not a database\."),
            Database(str(tmp_path / "marks.csv")).writing(),
        ):
            pytest.fail("a table of marks is no database")

    def test_keeps_references_whole(self, tmp_path):
        """SQLite looks at them only if it is told to."""
        with Database(str(tmp_path / "a.sqlite")).looking() as connection:
            assert connection.execute(text("pragma foreign_keys")).scalar() == 1
            assert connection.execute(text("pragma synchronous")).scalar() == 2  # FULL

        with sqlite3.connect(tmp_path / "a.sqlite") as plain:
            assert plain.execute("pragma foreign_keys").fetchone() == (0,)
        plain.close()
