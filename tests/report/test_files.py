"""Files are whole or not there, under names that every file system takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.files import MAX_NAME_BYTES, file_name, write_whole


class TestNames:
    @pytest.mark.parametrize("name", ["ann", "Zoë ☃", "=1+1", "a.b"])
    def test_stay_as_they_are(self, name):
        """Whoever looks for a student finds the name."""
        assert file_name(name, ".json") == f"{name}.json"

    @pytest.mark.parametrize("letter", ["a", "é", "☃", "🙂"])
    def test_that_are_long_are_cut(self, tmp_path, letter):
        """A folder may have a name of 255 bytes; with a suffix that is too many."""
        name = letter * (255 // len(letter.encode()))
        found = file_name(name, ".json")
        (tmp_path / found).touch()

        assert found.startswith(letter * 15)
        assert len(found.encode()) <= MAX_NAME_BYTES + 9 + len(".json")

    def test_that_differ_only_at_the_end_stay_apart(self):
        """Two students must never share a report."""
        assert file_name("a" * 250 + "1", ".json") != file_name("a" * 250 + "2", ".json")

    @given(st.text(st.characters(exclude_categories=("Cs",)), max_size=300))
    def test_lead_nowhere_else(self, name):
        """Whatever the name was."""
        assert "/" not in file_name(name, ".json")
        assert len(file_name(name, ".json").encode()) < 120


class TestWriting:
    @pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
    def test_leaves_rights_to_the_umask(self, tmp_path, umask, mode):
        """The same for every file: who shares a folder says so there."""
        before = os.umask(umask)
        try:
            write_whole(tmp_path / "new" / "a.csv", "a")
        finally:
            os.umask(before)

        assert (tmp_path / "new" / "a.csv").stat().st_mode & 0o777 == mode

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
    def test_leaves_nothing_when_it_fails(self, tmp_path, monkeypatch):
        """Neither half a file nor one beside it."""
        real = Path.open
        monkeypatch.setattr(Path, "open", lambda path, mode: real(Path("/dev/full"), mode))

        with pytest.raises(OSError, match="No space left"):
            write_whole(tmp_path / "a.csv", "a" * 100_000)

        assert list(tmp_path.iterdir()) == []
