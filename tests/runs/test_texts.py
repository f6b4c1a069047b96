"""The text that was graded is kept to the last byte, and under no name can it go anywhere else."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import ReportError
from grader.model import Cause, Submission
from grader.runs.texts import (
    digests_of,
    folder_of,
    has_texts,
    read_texts,
    submission_of,
    write_texts,
)

ODD = "# \ufeff Zoë\r\nx = 1\rprint('☃')\x00\f\n\n"


@pytest.fixture
def about(report):
    """``about(submission)``: a report on it."""
    return lambda one: replace(report(one.name), digests=digests_of(one))


class TestWhatWasGraded:
    @pytest.mark.parametrize("text", ["", "x = 1\n", ODD, "x" * 100_000])
    def test_is_kept_to_the_last_byte(self, tmp_path, about, text):
        """Line ends, control characters, nothing at all."""
        one = Submission("ann", "ann", {"softmax": text})
        write_texts(one, tmp_path)

        assert (tmp_path / "submissions" / "ann" / "softmax.py").read_bytes() == text.encode()
        assert read_texts(about(one), tmp_path) == {"softmax": text}

    def test_is_all_of_it(self, tmp_path, about):
        """A module of an earlier attempt is not left beside the new ones."""
        write_texts(Submission("ann", "ann", {"softmax": "1", "masks": "2"}), tmp_path)
        one = Submission("ann", "ann", {"masks": "3"})
        write_texts(one, tmp_path)

        assert os.listdir(tmp_path / "submissions" / "ann") == ["masks.py"]
        assert has_texts(about(one), tmp_path)

    def test_can_be_graded_again(self, tmp_path, about):
        """With what the platform said, and what could not be read."""
        problems = {"masks": Cause("not_utf8", {"byte": 1})}
        one = Submission("ann", "Ann", {"softmax": "1"}, problems, "/x", "77", True, "2026-01-02")
        write_texts(one, tmp_path)
        told = replace(
            about(one), student="Ann", path="/x", student_id="77", late=True, handed_in="2026-01-02"
        )

        assert submission_of(told, problems, tmp_path) == one

    def test_is_missed_where_it_was_changed(self, tmp_path, about):
        """Or deleted: nothing else is graded in its place."""
        one = Submission("ann", "ann", {"softmax": "1"})
        write_texts(one, tmp_path)
        path = tmp_path / "submissions" / "ann" / "softmax.py"
        path.write_text("2")

        with pytest.raises(ReportError, match="is not the text that was graded"):
            read_texts(about(one), tmp_path)
        path.unlink()
        with pytest.raises(ReportError, match="is not there"):
            read_texts(about(one), tmp_path)

    def test_leaves_nothing_beside_it(self, tmp_path, monkeypatch):
        """Where the disk is full, what was there before stays."""
        write_texts(Submission("ann", "ann", {"softmax": "1"}), tmp_path)

        def full(path, raw):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            write_texts(Submission("ann", "ann", {"softmax": "2"}), tmp_path)

        assert os.listdir(tmp_path / "submissions") == ["ann"]
        assert (tmp_path / "submissions" / "ann" / "softmax.py").read_text() == "1"

    @pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700), (0o002, 0o775)])
    def test_can_be_read_by_whom_the_umask_says(self, tmp_path, umask, mode):
        """As reports."""
        before = os.umask(umask)
        try:
            write_texts(Submission("ann", "ann", {"softmax": "1"}), tmp_path)
        finally:
            os.umask(before)
        folder = tmp_path / "submissions" / "ann"

        assert folder.stat().st_mode & 0o777 == mode
        assert (folder / "softmax.py").stat().st_mode & 0o777 == mode & 0o666


NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=300)


class TestFolders:
    @pytest.mark.parametrize("name", ["..", ".", "", "../x", "/etc", "a/../..", "ann.", "ann "])
    def test_lie_in_the_run(self, tmp_path, about, name):
        """Whatever somebody is called."""
        one = Submission(name, name, {"softmax": "1"})
        write_texts(one, tmp_path)

        assert folder_of(tmp_path, name).parent == tmp_path / "submissions"
        assert [path.parent.parent for path in tmp_path.rglob("*.py")] == [tmp_path / "submissions"]
        assert has_texts(about(one), tmp_path)

    @given(NAMES, NAMES)
    def test_are_never_shared(self, one, other):
        """Also where the end of a name does not count, as on Windows."""
        found = {folder_of(Path("run"), name).name.rstrip(". ") for name in (one, other)}
        names = {name.replace("/", "_") for name in (one, other)}

        assert len(found) == len(names)
        assert all(found)

    @given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=260))
    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_take_modules_of_any_name(self, tmp_path, about, name):
        """A module besides the exercises' may be called anything that a file may."""
        one = Submission("ann", "ann", {name: "1"})
        write_texts(one, tmp_path)

        assert read_texts(about(one), tmp_path) == {name: "1"}
