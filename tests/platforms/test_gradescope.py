"""The archive that Gradescope takes."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import zipfile

import pytest

from grader.platforms.engine import WHEEL, torch_version
from grader.platforms.gradescope import PROGRAMS, archive, no_mark
from grader.platforms.packed import rendered


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


class TestItsPrograms:
    """Run among stand-ins, which say what they were asked for."""

    # -c asks whether it is new enough; -m venv makes an environment, if that is installed.
    PYTHON = """\
case "$1 $2" in
"-c "*) exit {old} ;;
"-m venv") if [ {no_venv} = 1 ] && [ ! -e {log} ]; then exit 1; fi; mkdir -p "${{!#}}/bin"
    for tool in pip python; do echo "echo $tool \\"\\$@\\" >> {log}" > "${{!#}}/bin/$tool"
    chmod +x "${{!#}}/bin/$tool"; done ;;
esac
"""

    @pytest.fixture
    def setup(self, tmp_path):
        """``setup(old=True)``: what it did, a line each, with such a Python."""
        log, tools = tmp_path / "log", tmp_path / "tools"

        def setup(old=False, no_venv=False):
            facts = {"log": log, "no_venv": int(no_venv)}
            programs = {
                "python3": self.PYTHON.format(old=int(old), **facts),
                "python3.11": self.PYTHON.format(old=0, **facts),
                "apt-get": f'echo apt-get "$@" >> {log}\n',
            }
            self.install(tools, programs)
            done = self.run(
                rendered("setup.sh", root=tmp_path, wheel="w.whl", torch="2.13.0"), tools
            )
            return done.returncode, log.read_text().splitlines()

        return setup

    def install(self, folder, programs):
        folder.mkdir()
        for name, text in programs.items():
            (folder / name).write_text(f"#!/bin/bash\n{text}")
            (folder / name).chmod(0o755)

    def run(self, text, tools):
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(["bash"], input=text, env={"PATH": path}, check=False)

    def test_a_new_python_needs_no_package(self, setup, tmp_path):
        """As of Debian 12: nothing but pip is asked."""
        wanted = f"pip install --quiet torch==2.13.0 {tmp_path}/source/w.whl"

        assert setup() == (0, [wanted, "python -I -m grader doctor"])

    def test_an_old_one_gets_company(self, setup):
        """As on Ubuntu 22.04."""
        status, did = setup(old=True)

        assert (status, did[0]) == (0, "apt-get install -y python3.11 python3.11-venv")
        assert len(did) == 3

    def test_one_without_environments_gets_them(self, setup):
        """Debian and Ubuntu pack these by themselves."""
        status, did = setup(no_venv=True)

        assert (status, did[0]) == (0, "apt-get install -y python3-venv")
        assert len(did) == 3

    def test_a_grader_that_is_ended_leaves_no_mark(self, tmp_path):
        """Whatever it wrote of: what lies there is valid, and the status hides it from nobody."""
        bin_ = tmp_path / "environment" / "bin"
        bin_.parent.mkdir()
        self.install(bin_, {"python": "kill -9 $$\n"})
        (tmp_path / "source").mkdir()
        (tmp_path / "source" / "no_mark.json").write_text(no_mark())
        done = self.run(rendered("run_autograder", root=tmp_path, options=""), tmp_path)

        assert done.returncode == 0
        assert (tmp_path / "results" / "results.json").read_text() == no_mark()


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
