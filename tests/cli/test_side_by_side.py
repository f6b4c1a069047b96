"""`grader grade --jobs`: the same class table and files, and one Ctrl-C ends all of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from grader.cli import instructor, many
from grader.cli.files import Extras
from grader.cli.many import Many
from grader.course.course import find_course

COURSE = find_course()
RIGHT = "def double(x):\n    return 2 * x\n"
SLOW = "import time\n\ntime.sleep(0.5)\n\n\n" + RIGHT


class TestJobs:
    def test_change_no_file(self, toy, tmp_path, monkeypatch):
        """Who came first in the folder comes first in the table, also if it was done last."""
        monkeypatch.setattr(instructor, "find_course", lambda: toy)
        for name, text in {"ann": SLOW, "bob": RIGHT}.items():
            (tmp_path / "class" / name).mkdir(parents=True)
            (tmp_path / "class" / name / "toy.py").write_text(text)

        def grades(jobs):
            out = tmp_path / f"out{jobs}"
            arguments = (tmp_path / "class", out, [], 5, "process", "cpu", Extras(), None)
            assert instructor.grade(*arguments, many=Many(jobs)) == 0
            return (out / "grades.csv").read_text(encoding="utf-8")

        assert grades(2) == grades(1)

    def test_are_as_many_as_there_are_cores(self, monkeypatch):
        """Unless that is not worth the start: a few submissions are graded one after another."""
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(4)), raising=False)
        few, some, lots = (Many().jobs_for(number) for number in (3, 8, 400))

        assert (few, some, lots) == (1, 2, 4)
        assert Many(3).jobs_for(1) == 3

    def test_are_one_on_a_gpu(self):
        """Two on the same would clock one another, unless somebody wants that."""
        assert Many().jobs_for(400, ("cpu", "cuda")) == 1
        assert Many(2).jobs_for(400, ("cpu", "cuda")) == 2

    def test_are_begun_early_where_there_will_be_several(self, monkeypatch, tmp_path):
        begun = []
        monkeypatch.setattr(many, "begin", begun.append)
        for chosen in (Many(1), Many(2, "tcp://elsewhere"), Many()):
            chosen.begin(tmp_path / "nowhere")

        assert not begun
        Many(2).begin(tmp_path)
        assert len(begun) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is needed")
class TestCtrlC:
    def test_ends_all_processes(self, tmp_path, descendants):
        """Soon, in whatever they are, and none is left behind."""
        for number in range(8):
            shutil.copytree(
                COURSE.root / "tests" / "submissions" / "loops_forever", tmp_path / f"s{number}"
            )
        command = [sys.executable, "-m", "grader", "grade", tmp_path, "--jobs", "2"]
        settings = {"PYTHONPATH": str(COURSE.root), "COLUMNS": "80"}
        with subprocess.Popen(
            [*map(str, command), "--exercises", "softmax"], start_new_session=True, text=True,
            preexec_fn=heed_ctrl_c, env=os.environ | settings,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as grading:  # fmt: skip
            started = until(lambda: len(descendants(grading.pid)) >= 10, 120)
            processes = descendants(grading.pid)
            os.killpg(grading.pid, signal.SIGINT)
            said, complaints = grading.communicate(timeout=120)

        assert started, f"{grading.returncode}, {len(processes)} processes: {said}{complaints}"
        assert grading.returncode == 130
        assert "Traceback" not in complaints
        assert until(lambda: not any(map(is_alive, processes)), 60)  # on the busiest machine


def heed_ctrl_c():
    """Whoever runs the tests in the background has them ignore it, and what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def until(is_so, seconds):
    """Whether it comes to be so within so many seconds, be it for a moment."""
    end = time.monotonic() + seconds
    while not (so := is_so()) and time.monotonic() < end:
        time.sleep(0.05)
    return so


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
