"""The folder of a run: tried before anything is graded, and one run's alone."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.runs.folder import LOCK, held


def names(folder):
    return {path.name for path in folder.iterdir()} - {LOCK}


class TestTheFirstTry:
    def test_leaves_nothing_behind(self, tmp_path):
        """The folder is made where there is none."""
        with held(tmp_path / "new" / "out") as earlier:
            assert names(tmp_path / "new" / "out") == set()
            assert earlier is None

    def test_finds_a_file_in_its_place(self, tmp_path):
        """Somebody mistyped --out."""
        (tmp_path / "out").write_text("mine")

        with (
            pytest.raises(GraderError, match=r"out cannot be written to \(File exists\)"),
            held(tmp_path / "out"),
        ):
            pass
        assert (tmp_path / "out").read_text() == "mine"

    def test_finds_a_folder_that_takes_no_files(self, tmp_path, monkeypatch, without_rights):
        """One sentence, before anything is graded for nothing."""
        monkeypatch.chdir(tmp_path)
        Path("out").mkdir(mode=0o555)

        with (
            without_rights(),
            pytest.raises(GraderError, match="Permission denied"),
            held(Path("out")),
        ):
            pass

    @pytest.mark.parametrize("inner", ["reports", "feedback"])
    def test_looks_into_the_folders_of_an_earlier_run(
        self, tmp_path, inner, monkeypatch, without_rights
    ):
        """They may belong to somebody else."""
        monkeypatch.chdir(tmp_path)
        Path("out").mkdir()
        Path("out").chmod(0o777)
        (Path("out") / inner).mkdir(mode=0o555)

        with (
            without_rights(),
            pytest.raises(GraderError, match="Permission denied"),
            held(Path("out")),
        ):
            pass

    def test_finds_a_disk_that_is_full(self, tmp_path):
        """A small one, really mounted."""
        mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "none", str(tmp_path)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
            pytest.skip("mounting a small disk takes the rights of root")
        try:
            with pytest.raises(GraderError, match="No space left on device"), held(tmp_path):
                pass
            assert list(tmp_path.iterdir()) == []
        finally:
            subprocess.run(["umount", str(tmp_path)], check=True)


class TestAnEarlierRun:
    def test_is_moved_aside(self, tmp_path):
        """Its reports would be taken for this one's; nothing of it is lost, and nothing else
        is touched.
        """
        (tmp_path / "reports").mkdir()
        (tmp_path / "reports" / "gone.json").write_text("{}")
        (tmp_path / "grades.csv").write_text("old")
        (tmp_path / "notes.txt").write_text("mine")
        with held(tmp_path) as earlier:
            assert earlier.parent == tmp_path / "earlier"
            assert names(earlier) == {"reports", "grades.csv"}
            assert names(tmp_path) == {"earlier", "notes.txt"}
            assert (earlier / "reports" / "gone.json").read_text() == "{}"

    def test_of_the_same_second_stays_apart(self, tmp_path):
        """A class of one is graded fast."""
        for number in range(3):
            (tmp_path / "grades.csv").write_text(str(number))
            with held(tmp_path):
                pass
        kept = (tmp_path / "earlier").rglob("grades.csv")

        assert {path.read_text() for path in kept} == {"0", "1", "2"}


class TestAnotherRun:
    def test_is_refused_meanwhile(self, tmp_path):
        """Two would mix their files without a word."""
        with (
            held(tmp_path),
            pytest.raises(GraderError, match="Another grader is writing to"),
            held(tmp_path),
        ):
            pass

    def test_may_come_afterwards(self, tmp_path):
        """Also after one that ended with an error."""
        with contextlib.suppress(ValueError), held(tmp_path):
            raise ValueError
        with held(tmp_path) as earlier:
            assert earlier is None
