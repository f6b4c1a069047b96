"""Several processes at one gradebook, and some that end in the middle."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing

import pytest

from grader.gradebook.book import Gradebook
from tests.gradebook.writers import SAY, TAKE_IN, ended, started

CLASS = 12


@pytest.fixture
def class_run(run, handed_in):
    """The folder of a run of a dozen."""
    return run(*(handed_in(f"student {n}", softmax=n % 5, masks=1) for n in range(CLASS)))


class TestTwoAtOnce:
    def test_make_one_gradebook(self, class_run, tmp_path):
        """All find none: one makes it. Nobody is in it twice, and one run is taken in once."""
        where = tmp_path / "book.sqlite"
        names = ("ps1", "ps2", "ps2")
        said, statuses = ended(*(started(TAKE_IN, class_run, where, name) for name in names))
        book = Gradebook(str(where))

        assert (said, statuses) == ("", [0, 0, 0])
        assert len(book.totals()) == CLASS
        assert [len(book.history(f"student {n}").attempts) for n in range(CLASS)] == [2] * CLASS

    def test_lose_no_word(self, book, add, handed_in):
        """Every entry of both is there, in one order."""
        add("ps1", handed_in("ann", softmax=1))
        said, statuses = ended(*(started(SAY, book.shown, "ann", by, 15) for by in ("ta1", "ta2")))
        entries = book.history("ann").entries
        by = {who: [e.mark for e in entries if e.author == who] for who in ("ta1", "ta2")}

        assert (said, statuses) == ("", [0, 0])
        assert by == {who: [float(n) for n in range(15)] for who in ("ta1", "ta2")}
        assert book.standings()[0].mark == entries[-1].mark


class TestKilled:
    @pytest.mark.parametrize("after_seconds", [0.0, 0.03])
    def test_the_gradebook_is_whole(self, class_run, book, after_seconds, tmp_path):
        """At any moment: what was told to be taken in is there, of the rest all or nothing; also
        where the file and its journal are taken elsewhere together.
        """
        process = started(TAKE_IN, class_run, book.shown, "all")
        assert process.stdout.readline() == "ready\n"
        process.stdout.readline()
        time.sleep(after_seconds)
        process.kill()
        told = 1 + len(process.communicate(timeout=60)[0].splitlines())
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for path in tmp_path.glob("book.sqlite*"):
            shutil.copy(path, elsewhere)

        for where in (book.shown, str(elsewhere / "book.sqlite")):
            attempts = [one.assignment.name for one in Gradebook(where).standings()]
            counts = {name: attempts.count(name) for name in attempts}

            assert set(counts.values()) == {CLASS}
            assert told <= len(counts) <= told + 1
            with closing(sqlite3.connect(where)) as connection:
                assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
                assert connection.execute("pragma foreign_key_check").fetchall() == []
