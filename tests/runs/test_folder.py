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
        with held(tmp_path / "new" / "out"):
            assert names(tmp_path / "new" / "out") == set()

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

    @pytest.mark.parametrize("inner", ["reports", "submissions", "feedback", "earlier"])
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


LEFT = [
    ".settings.json.77.part",
    ".grades.csv.77.part",
    ".grader.77.try",
    "..grader.77.try.77.part",
    "reports/.ann.json.77.part",
    "submissions/.ann.77.part/softmax.py",
    "feedback/.Zoë (1).html.77.part",
]
MINE = ["grades.csv", "reports/ann.json", "notes.part", ".film.mkv.part", "mine/.ann.json.77.part"]


class TestAnEarlierRun:
    def test_stays_where_it_is(self, tmp_path):
        """This one goes on with it; what a kill left half written is taken away, and no more."""
        for name in LEFT + MINE:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("x")
        with held(tmp_path):
            files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}

        assert {path.as_posix() for path in files} - {LOCK} == set(MINE)
        assert names(tmp_path / "submissions") == set()


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
        with held(tmp_path):
            assert names(tmp_path) == set()

    def test_of_somebody_else_is_refused_as_well(self, tmp_path, monkeypatch, without_rights):
        """A lock that is not ours to take is no reason to go on without one."""
        monkeypatch.chdir(tmp_path)
        Path("out").mkdir()
        Path("out").chmod(0o777)
        (Path("out") / LOCK).touch(mode=0o600)

        with (
            without_rights(),
            pytest.raises(GraderError, match="Permission denied"),
            held(Path("out")),
        ):
            pass
