"""The journal is only ever added to, and a line that was torn costs that line."""

from __future__ import annotations

import os

import pytest

from grader.runs.journal import FILE, Journal


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path)


def events(journal):
    return [entry["event"] for entry in journal.entries()]


def test_tells_what_happened_in_order(journal):
    """With the time in UTC, and what belongs to it."""
    journal.add("first", who="Zoë\n☃")
    journal.add("second")
    first, second = journal.entries()

    assert (first["event"], first["who"]) == ("first", "Zoë\n☃")
    assert second["event"] == "second"
    assert first["at"].endswith("Z")


def test_is_empty_before_anything_happened(journal):
    """There is no file yet."""
    assert events(journal) == []


@pytest.mark.parametrize("left", range(1, 20))
def test_goes_on_after_a_torn_line(journal, tmp_path, left):
    """Wherever it was torn: what came before and what comes after is there."""
    journal.add("first")
    whole = (tmp_path / FILE).stat().st_size
    journal.add("torn")
    os.truncate(tmp_path / FILE, whole + left)
    again = Journal(tmp_path)
    again.add("after")

    assert events(again) == ["first", "after"]


@pytest.mark.parametrize("line", [b"\xff\xfe\n", b"5\n", b"[]\n", b"\n", b"[" * 100_000 + b"\n"])
def test_passes_over_what_is_no_entry(journal, tmp_path, line):
    """Somebody edited it, or a disk lost a block."""
    journal.add("first")
    with (tmp_path / FILE).open("ab") as file:
        file.write(line)
    journal.add("after")

    assert events(journal) == ["first", "after"]


def test_is_on_the_disk_at_once(journal, tmp_path, monkeypatch):
    """A machine that loses its power loses what was in flight."""
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    journal.add("first")

    assert synced == [(tmp_path / FILE).stat().st_size]
