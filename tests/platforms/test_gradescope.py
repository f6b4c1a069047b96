"""The archive that Gradescope takes."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zipfile

import pytest

from grader.platforms.engine import WHEEL, torch_version
from grader.platforms.gradescope import PROGRAMS, archive, no_mark


def held(hidden="visible", isolation=None):
    with zipfile.ZipFile(io.BytesIO(archive({"course/x": b"1"}, hidden, isolation))) as opened:
        return {name: opened.read(name).decode("utf-8", "replace") for name in opened.namelist()}


class TestTheArchive:
    def test_has_its_programs_at_the_top(self):
        """As the specification wants it; beside them all that they need."""
        assert set(held()) == {"setup.sh", "run_autograder", "no_mark.json", WHEEL, "course/x"}

    @pytest.mark.parametrize("name", PROGRAMS)
    def test_programs_are_bash(self, name):
        """Which reads them without complaint, and knows them for its own."""
        text = held("after_due_date", "process")[name]
        done = subprocess.run(
            [shutil.which("bash") or "bash", "-n"], input=text, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

        assert text.startswith("#!/usr/bin/env bash\n")
        assert (done.returncode, done.stderr) == (0, "")

    def test_installs_what_was_tried_here(self):
        """This grader, and the torch that it runs with."""
        assert (
            f'install --quiet "torch=={torch_version()}" /autograder/source/{WHEEL}\n'
            in (held()["setup.sh"])
        )

    def test_remembers_what_was_asked_for(self):
        """What students see, and under which walls marks are given."""
        assert "run --hidden visible\n" in held()["run_autograder"]
        assert (
            "run --hidden points --isolation process\n"
            in held("points", "process")["run_autograder"]
        )

    def test_imports_nothing_that_was_handed_in(self):
        """Isolated mode: no current folder, no variables."""
        for name in PROGRAMS:
            commands = [line for line in held()[name].splitlines() if "-m grader" in line]

            assert commands
            assert all("python -I -m grader" in line for line in commands)


class TestNoMark:
    def test_has_no_number(self):
        """A score of 0 would be one."""
        form = json.loads(no_mark())

        assert form["tests"] == []
        assert not {"score", "leaderboard"} & set(form)

    def test_says_to_the_student_whose_fault_it_is(self):
        """And shows nothing that was printed."""
        form = json.loads(no_mark())

        assert "not your fault" in form["output"]
        assert form["stdout_visibility"] == "hidden"
