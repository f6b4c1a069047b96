"""Ctrl-C or `kill -9` at any moment of a run, and the same command again: nothing is lost.

    pytest tests/cli/test_kills.py --kills 10    # a normal run kills twice

``tests/benchmarks/kills.py`` does it to a class of the samples.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from grader.course.course import find_course
from grader.runs.journal import Journal

SEED = 5
STUDENTS = 6
SLOW = "import time\ntime.sleep(0.05)\n"
TEXTS = ["def double(x):\n    return 2 * x\n", "def double(x):\n    return x * x\n", "def double("]
COMMAND = """\
import sys
from pathlib import Path
from grader.cli import instructor
from grader.cli.files import Extras
from grader.course.course import Course

root, out = Path(sys.argv[1]), Path(sys.argv[2])
instructor.find_course = lambda: Course(root / "toy")
extras = Extras(feedback=True)
sys.exit(instructor.grade(root / "class", out, [], int(sys.argv[3]), None, None, extras))
"""


def heed_ctrl_c():
    """Whoever runs the tests in the background has them ignore it, and what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start(toy, tmp_path):
    """``start(out)``: a process that grades a class of the toy course into this folder."""
    for number in range(STUDENTS):
        folder = tmp_path / "class" / f"student {number}"
        folder.mkdir(parents=True)
        (folder / "toy.py").write_text(SLOW + TEXTS[number % len(TEXTS)])

    def start(out):
        command = [sys.executable, "-c", COMMAND, str(tmp_path), str(out), str(SEED)]
        own = os.environ | {"PYTHONPATH": str(find_course().root)}
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env=own,
            start_new_session=True,
            preexec_fn=heed_ctrl_c,
        )

    return start


def said_of(out):
    """All reports, but for times."""
    return {path.name: untimed(path) for path in sorted((out / "reports").iterdir())}


def untimed(path):
    report = json.loads(path.read_text(encoding="utf-8"))
    for check in (check for exercise in report["exercises"] for check in exercise["checks"]):
        check["seconds"] = 0
    return report | {"graded_at": ""}


def written(out):
    return sum(entry["event"] == "written" for entry in Journal(out).entries())


def wait_for_one(process, out):
    """Until one more submission was written."""
    before = written(out)
    while process.poll() is None and written(out) == before:
        time.sleep(0.005)


def press_ctrl_c(process):
    """As a terminal does it: everything that the command has started gets it as well."""
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate()
    return process.returncode, said


def interrupted(start, folder):
    """A run after Ctrl-C, its exit status and what it said. On a busy machine a run may have ended
    before anybody can press it: then another one is.
    """
    for number in range(5):
        out = folder / f"killed {number}"
        process = start(out)
        wait_for_one(process, out)
        status, told = press_ctrl_c(process)
        if status != 0:
            break
    return out, status, told


@pytest.mark.timeout(600)
def test_nothing_is_lost(start, tmp_path, request):
    """The same reports, texts and marks as of a run that nobody disturbed, and no more work than
    what was in flight.
    """
    kills = request.config.getoption("--kills")
    chance = random.Random(SEED)
    undisturbed = start(tmp_path / "undisturbed")
    out, status, told = interrupted(start, tmp_path)
    assert status == 130
    assert "The same command goes on from here." in told
    for _ in range(kills):
        process = start(out)
        wait_for_one(process, out)
        time.sleep(chance.uniform(0, 0.3))  # a moment of the next one
        process.kill()
        process.communicate()
    last = start(out)
    said, _ = last.communicate()
    undisturbed.communicate()
    graded = {(e["submission"], e["graded_at"]) for e in Journal(out).entries() if "graded_at" in e}

    assert (last.returncode, undisturbed.returncode) == (0, 0), said
    assert said_of(out) == said_of(tmp_path / "undisturbed")
    assert texts(out) == texts(tmp_path / "undisturbed")
    assert len(list((out / "feedback").iterdir())) == STUDENTS
    assert marks(out) == marks(tmp_path / "undisturbed")
    assert len(graded) == STUDENTS


def texts(out):
    folder = out / "submissions"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}


def marks(out):
    return (out / "grades.csv").read_text(encoding="utf-8")
