"""Learning alone, command by command: what is printed, and the exit status."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.suite_text import suite_points

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
CATALOG = load_catalog(COURSE)
POINTS = suite_points(COURSE, "softmax")
TOTAL = sum(suite_points(COURSE, name) for name in CATALOG)


def grader(*arguments, cwd, course=COURSE.root, **options):
    settings = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONPATH": str(course)}
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | settings, capture_output=True, text=True, timeout=300,
        check=False, stdin=subprocess.DEVNULL, **options,
    )  # fmt: skip


@pytest.fixture
def own(tmp_path):
    """A folder just started."""
    folder = tmp_path / "mein Heft λ"
    done = grader("start", folder, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return folder


def hand_in(sample, own):
    shutil.copy(SAMPLES / sample / "softmax.py", own)


class TestStart:
    def test_a_second_start_is_refused(self, own):
        """Exit status 2, one sentence, nothing overwritten."""
        hand_in("wrong_axis", own)
        before = (own / "softmax.py").read_bytes()
        done = grader("start", own, cwd=own)

        assert done.returncode == 2
        assert "nothing was changed" in done.stderr
        assert (own / "softmax.py").read_bytes() == before


class TestCheck:
    def test_without_names_what_was_touched_is_checked(self, own):
        """An untouched page is neither checked nor held against anybody."""
        hand_in("perfect", own)
        done = grader("check", cwd=own)

        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[0] == f"softmax  {POINTS:g} / {POINTS:g}"
        assert f"{POINTS:g} of {POINTS:g} points." in done.stdout

    def test_nothing_touched_is_said(self, own):
        """Exit status 2: there was nothing to check."""
        done = grader("check", cwd=own)

        assert done.returncode == 2
        assert "has been changed yet. Open softmax.py" in done.stderr

    def test_json_is_the_report_and_nothing_else(self, own):
        """For scripts; the exit status is the same."""
        hand_in("wrong_axis", own)
        done = grader("check", "softmax", "--json", cwd=own)
        report = json.loads(done.stdout)

        assert done.returncode == 1
        assert report["schema"] == "report/v2"
        assert [e["name"] for e in report["exercises"]] == ["softmax"]

    def test_a_page_that_is_gone_can_be_brought_back(self, own):
        """By the command that is named."""
        (own / "softmax.py").unlink()
        done = grader("check", "softmax", cwd=own)

        assert done.returncode == 1
        assert "softmax.py is not in the submission" in done.stdout
        assert done.stderr == "! `grader reset softmax` puts a fresh softmax.py there.\n"

    def test_an_isolation_that_is_none_is_refused(self, own):
        """Rather than understood as the usual one."""
        done = grader("check", "softmax", "--isolation", "none", cwd=own)

        assert done.returncode == 2
        assert "'process'" in done.stderr

    def test_other_folders_are_left_without_a_trace(self, tmp_path):
        """Only where exercises were started is progress kept."""
        hand_in("perfect", tmp_path)
        grader("check", "softmax", cwd=tmp_path)

        assert [path.name for path in tmp_path.iterdir()] == ["softmax.py"]


class TestTheRest:
    def test_the_list_shows_progress(self, own):
        """Points, tries, and what each exercise needs."""
        hand_in("perfect", own)
        grader("check", cwd=own)
        lines = grader("list", cwd=own).stdout.splitlines()

        assert lines[1].split() == ["✓", "softmax", f"{POINTS:g}/{POINTS:g}", "1", "-"]
        assert lines[-1] == f"1 of {len(CATALOG)} done, {POINTS:g} of {TOTAL:g} points."
        assert max(map(len, lines)) <= 80

    def test_hints_come_one_by_one(self, own):
        """Those shown before are shown again; after the last one nothing is left."""
        counts = [grader("hint", "softmax", cwd=own).stdout.count("→ Hint") for _ in range(5)]

        assert counts == [1, 2, 3, 4, 4]

    def test_reset_keeps_the_old_page(self, own):
        """Beside the fresh one."""
        hand_in("wrong_axis", own)
        refused = grader("reset", "softmax", cwd=own)
        done = grader("reset", "softmax", "--yes", cwd=own)

        assert refused.returncode != 0
        assert "kept as softmax.py.old-1" in done.stdout
        assert "TODO" in (own / "softmax.py").read_text(encoding="utf-8")

    def test_the_solution_is_shown_after_a_pass_only(self, own):
        """Before, it says what helps instead."""
        before = grader("solution", "softmax", cwd=own)
        hand_in("perfect", own)
        grader("check", cwd=own)
        after = grader("solution", "softmax", cwd=own)

        assert before.returncode == 2
        assert "once yours has passed" in before.stderr
        assert "│ the solution" in after.stdout

    @pytest.mark.parametrize("command", [["watch"], []])
    def test_without_a_terminal_it_says_what_to_run(self, own, command):
        """`grader` and `grader watch` alike."""
        done = grader(*command, cwd=own)

        assert done.returncode == 2
        assert "needs a terminal" in done.stderr
        assert "Run `grader check`" in done.stderr

    def test_elsewhere_plain_grader_shows_its_commands(self, tmp_path):
        """Exit status 0, and nothing is made."""
        done = grader(cwd=tmp_path)

        assert done.returncode == 0
        assert "watch" in done.stdout
        assert list(tmp_path.iterdir()) == []

    def test_a_damaged_progress_file_is_said_once(self, own):
        """It is set aside; the next command is quiet."""
        (own / ".grader.json").write_text("{")
        first, second = grader("list", cwd=own), grader("list", cwd=own)

        assert "progress file was damaged" in first.stderr
        assert second.stderr == ""

    def test_the_command_works_like_the_module(self, own):
        """The installed script, in the same folder."""
        script = shutil.which("grader", path=os.path.dirname(sys.executable))
        if script is None:
            pytest.skip("the package is not installed")
        settings = {"COLUMNS": "80", "PYTHONPATH": str(COURSE.root)}
        done = subprocess.run(
            [script, "list"], cwd=own, env=os.environ | settings, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

        assert "0 of 19 done" in done.stdout, done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """``course(part)`` is a copy of the course without it."""
    copies = {}

    def course(part):
        if part not in copies:
            copies[part] = copy = tmp_path_factory.mktemp("course")
            for folder in ("grader", "exercises", "solutions"):
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(COURSE.root / folder, copy / folder, ignore=ignored)
            gone = copy / part
            gone.unlink() if gone.is_file() else shutil.rmtree(gone)
        return copies[part]

    return course


class TestAnIncompleteCourse:
    """A class's copy of a checkout, or a clone in which something was deleted."""

    COMMANDS = [
        ["list"], ["hint", "softmax"], ["check", "softmax"], ["reset", "softmax", "--yes"],
        ["solution", "softmax"], ["show", "softmax"], ["watch"], [], ["start", "elsewhere"],
    ]  # fmt: skip

    @pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
    @pytest.mark.parametrize("part", ["solutions", "grader/suites", "solutions/softmax.py"])
    def test_every_command_says_what_is_missing(self, own, course, command, part):
        """In a sentence, and what to do about it; nothing is made or changed."""
        before = sorted(path.name for path in own.iterdir())
        done = grader(*command, cwd=own, course=course(part))

        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert part in done.stderr
        assert "git restore" in done.stderr or "whole clone" in done.stderr
        assert sorted(path.name for path in own.iterdir()) == before

    @pytest.mark.parametrize("command", [["list"], ["check", "softmax"], ["start", "elsewhere"]])
    def test_a_missing_suite_is_said(self, own, course, command):
        """By the commands that need it."""
        part = "grader/suites/softmax/test_softmax.py"
        done = grader(*command, cwd=own, course=course(part))

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"grader: {part} is missing, and without it softmax cannot")


def test_without_fork_a_check_is_the_same(own):
    """As on Windows: no os.fork, ordinary processes instead."""
    hand_in("perfect", own)
    program = (
        "import os, sys; del os.fork; sys.argv = ['grader', 'check', '--isolation', 'process']\n"
        "from grader.cli import main; main()"
    )
    settings = {"COLUMNS": "80", "PYTHONPATH": str(COURSE.root)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=own, env=os.environ | settings, capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    assert f"{POINTS:g} of {POINTS:g} points." in done.stdout, done.stderr
