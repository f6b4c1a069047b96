"""A real terminal, driven through tmux: somebody's evening, from the first page to the second."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
import sys
import time

import pytest

from grader.cli.terminal import Terminal
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.suite_text import read_suite, suite_points
from grader.learner.lines import Line

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
ALL = len(load_catalog(COURSE))
CHECKS, POINTS = len(read_suite(COURSE, "softmax")), suite_points(COURSE, "softmax")

# A server that was told to end takes a while, and meanwhile refuses windows to its namesake.
NUMBERS = itertools.count()

needs_tmux = pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")


class Tmux:
    """One window of 80 by 24; ``sees`` waits until a text is on it."""

    def __init__(self, name, folder, **environment):
        self.command = ["tmux", "-f", os.devnull, "-L", name]
        settings = {"PYTHONPATH": str(COURSE.root), "TERM": "screen", **environment}
        exports = " ".join(f"{key}={shlex.quote(value)}" for key, value in settings.items())
        self._run("new-session", "-d", "-x", "80", "-y", "24", "-c", str(folder), f"{exports} sh")

    def _run(self, *arguments):
        done = subprocess.run(
            [*self.command, *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout

    def types(self, text):
        self._run("send-keys", "-l", text)

    def runs(self, *arguments):
        self.types(f"clear; {shlex.quote(sys.executable)} -m grader {shlex.join(arguments)}")
        self._run("send-keys", "Enter")

    @property
    def screen(self):
        return self._run("capture-pane", "-p")

    @property
    def coloured(self):
        return self._run("capture-pane", "-p", "-e")

    def sees(self, *texts, seconds=30):
        deadline = time.monotonic() + seconds
        while not all(text in self.screen for text in texts):
            assert time.monotonic() < deadline, f"no {texts} in:\n{self.screen}"
            time.sleep(0.05)
        return self.screen

    def close(self):
        subprocess.run([*self.command, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def tmux(tmp_path):
    opened = []

    def tmux(**environment):
        opened.append(Tmux(f"grader-{os.getpid()}-{next(NUMBERS)}", tmp_path, **environment))
        return opened[-1]

    yield tmux
    for window in opened:
        window.close()


@needs_tmux
def test_an_evening(tmux, tmp_path):
    """Starts, fails, takes hints, fixes, passes, goes on, resets, quits and resumes; in a folder
    with spaces and letters of any kind.
    """
    own = tmp_path / "meine Übung λ"
    window = tmux()
    window.runs("start", str(own))
    window.sees("Open softmax.py first")
    window.types(f"cd {shlex.quote(str(own))}\n")
    window.runs()
    window.sees("Not written yet", f"1 of {ALL}", "q quit")

    shutil.copy(SAMPLES / "wrong_axis" / "softmax.py", own)
    window.sees("→ Your output always normalises the last axis")
    window.types("n")
    window.sees("n goes on once the core of softmax is right")
    window.types("h")
    window.sees("Hint 1 of ")
    window.types("h")
    window.sees("Hint 2 of ")

    shutil.copy(SAMPLES / "loops_forever" / "softmax.py", own)
    window.sees("Checking softmax.py …")
    shutil.copy(SAMPLES / "perfect" / "softmax.py", own)
    window.sees(
        f"✓ All {CHECKS} checks pass: {POINTS:g} points.", "n next", f"1 of {ALL} exercises done"
    )
    window.types("s")
    window.sees("yours", "│ the solution", "logsumexp")
    window.types(" b")
    window.types("n")
    window.sees("before_attention", f"2 of {ALL}")

    window.types("l")
    window.sees("✓ softmax", f"{POINTS:g}/{POINTS:g}", "> ")
    window.types("k")
    window.types("\r")
    window.sees(f"All {CHECKS} checks pass", "softmax.py:")
    window.types("x")
    window.sees("Yours is kept beside it. y/n")
    window.types("y")
    window.sees("kept as softmax.py.old-1", "Not written yet", f"0 of {ALL} exercises done")
    assert (own / "softmax.py.old-1").read_bytes() == (
        SAMPLES / "perfect" / "softmax.py"
    ).read_bytes()

    window.types("q")
    window.sees("Kept for next time.")
    window.runs("watch")
    window.sees("softmax", "Hint 2 of ", "s solution")
    window.types("q")
    window.sees("Kept for next time.")


@needs_tmux
def test_without_colour_and_without_file_events(tmux, tmp_path):
    """NO_COLOR is obeyed, and polling finds the save as well; Ctrl-C leaves a usable terminal."""
    own = tmp_path / "own"
    window = tmux(NO_COLOR="1", GRADER_POLL="1")
    window.runs("start", str(own))
    window.sees("Open softmax.py first")
    window.types(f"cd {own}\n")
    window.runs("watch", "--isolation", "process")
    window.sees("Not written yet")
    shutil.copy(SAMPLES / "perfect" / "softmax.py", own)
    window.sees(f"All {CHECKS} checks pass")
    assert "\x1b[" not in window.coloured
    window.types("\x03")
    window.sees("Kept for next time.")
    window.types("echo still $((40 + 2))\n")
    window.sees("still 42")


@needs_tmux
@pytest.mark.parametrize("isolation", [[], ["--isolation", "process"]])
def test_ctrl_z_and_fg(tmux, tmp_path, isolation):
    """The shell gets the terminal as it was, also in the midst of a check; what is saved meanwhile
    is answered by `fg`.
    """
    own = tmp_path / "own"
    window = tmux()
    window.runs("start", str(own))
    window.sees("Open softmax.py first")
    window.types(f"cd {own}\n")
    window.runs("watch", *isolation)
    window.sees("Not written yet")
    shutil.copy(SAMPLES / "loops_forever" / "softmax.py", own)
    window.sees("Checking softmax.py")
    window.types("\x1a")
    window.sees("Stopped")
    window.types("stty -a | tr ' ;' '\\n' | grep -x -e -icanon -e -echo; echo modes $((40 + 2))\n")
    seen = window.sees("modes 42")
    assert not {"-icanon", "-echo"} & set(seen.split("modes 42")[0].split("\n"))

    shutil.copy(SAMPLES / "wrong_axis" / "softmax.py", own)
    window.types("fg\n")
    window.sees("Your output always normalises the last axis", "q quit")
    window.types("h")
    window.sees("Hint 1 of ")
    window.types("\x1a")
    window.sees("modes 42", "Stopped")
    window.types("clear; fg\n")
    window.sees("Hint 1 of ", "Your output always normalises the last axis")
    window.types("q")
    window.sees("Kept for next time.")


class TestWithoutModes:
    """As on Windows: there is no `termios`, and nothing to suspend with."""

    @pytest.fixture
    def bare(self, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, "termios", None)
        monkeypatch.delattr("signal.SIGTSTP")
        return Terminal()

    def test_the_screen_is_taken_and_given_back(self, bare, capsys):
        """With the codes that every console knows by now, and no modes."""
        with bare.own_screen():
            bare.show([Line("hello")])
        said = capsys.readouterr().out

        assert said.index("\x1b[?1049h") < said.index("hello") < said.index("\x1b[?1049l")

    def test_ctrl_z_does_nothing(self, bare, capsys):
        """The screen stays."""
        with bare.own_screen():
            capsys.readouterr()
            bare.suspend()
            assert capsys.readouterr().out == ""
