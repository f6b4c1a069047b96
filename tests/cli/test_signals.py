"""However a sitting ends: the terminal as it was, no traceback, no process left behind."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from grader.course.course import find_course

pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
if not Path("/proc/self/stat").exists():
    pytest.skip("processes are counted in /proc", allow_module_level=True)

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
LEAVES_SCREEN = "\x1b[?1049l"


class WatchState:
    """`grader watch` in a terminal of its own; ``said`` is all that it wrote there."""

    def __init__(self, folder, *arguments):
        self.keyboard, self.terminal = pty.openpty()
        self.modes = termios.tcgetattr(self.terminal)
        self.errors = (folder.parent / "errors").open("w+")
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader", "watch", *arguments], cwd=folder,
            stdin=self.terminal, stdout=self.terminal, stderr=self.errors,
            env=os.environ | {"PYTHONPATH": str(COURSE.root), "TERM": "xterm"},
            start_new_session=True, preexec_fn=self._own_terminal,
        )  # fmt: skip
        self.hung_up = threading.Event()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    @staticmethod
    def _own_terminal():
        os.close(os.open(os.ttyname(0), os.O_RDWR))  # a session's first terminal becomes its own

    def _read(self):
        with contextlib.suppress(OSError):
            while not self.hung_up.is_set():
                if select.select([self.keyboard], [], [], 0.05)[0]:
                    self.said += os.read(self.keyboard, 4096).decode(errors="ignore")

    def types(self, keys):
        os.write(self.keyboard, keys.encode())

    def sees(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while text not in self.said:
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.said}"
            assert self.process.poll() is None, f"ended without {text!r}:\n{self.said}"
            time.sleep(0.02)

    def ends(self, seconds=30):
        """How it ended, and which of its processes are still there."""
        family = descendants(self.process.pid)
        deadline = time.monotonic() + seconds
        status = self.process.wait(timeout=seconds)
        while (left := [p for p in family if is_alive(p)]) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.errors.seek(0)
        return status, left, self.errors.read()

    def hang_up(self):
        """Close the terminal's other end, as a window does that is closed."""
        if not self.hung_up.is_set():
            self.hung_up.set()
            self.reader.join()
            os.close(self.keyboard)

    def close(self):
        for pid, _ in descendants(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        self.hang_up()
        os.close(self.terminal)
        self.errors.close()


def descendants(pid):
    """Its children and theirs, each with the time it was started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name), fields[19]] = int(fields[1])
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        children = [known for known, its in parents.items() if its == parent]
        found += children
        waiting += [child for child, _ in children]
    return found


def is_alive(known):
    pid, started = known
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return fields[19] == started and fields[0] != "Z"
    return False


@pytest.fixture
def sit(started, tmp_path):
    """``sit(*arguments)`` starts watching a fresh folder, ``sit.folder``."""
    opened = []

    def sit(*arguments):
        opened.append(WatchState(sit.folder, *arguments))
        return opened[-1]

    sit.folder = shutil.copytree(started, tmp_path / "own")
    yield sit
    for state in opened:
        state.close()


def ask(state, how):
    if isinstance(how, str):
        state.types(how)
    else:
        state.process.send_signal(how)


WAYS = {
    "Ctrl-C": ("\x03", 0),
    "Ctrl-D": ("\x04", 0),
    "q": ("q", 0),
    "SIGINT": (signal.SIGINT, 0),
    "SIGTERM": (signal.SIGTERM, 128 + signal.SIGTERM),
    "SIGHUP": (signal.SIGHUP, 128 + signal.SIGHUP),
}


class TestBeforeAnybodyWaits:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_nothing_that_is_imported_can_go_on(self, number):
        """Imports are full of what goes on after any exception: parts that are optional, calls
        before and after a fork."""
        program = f"""
import signal, sys
from grader.cli.signals import Signals

with Signals(lambda: print("given back", flush=True)).heeded():
    try:
        exec("signal.raise_signal({number:d})")
    except BaseException:
        print("went on")
sys.exit(70)
"""
        ran = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(COURSE.root)},
            capture_output=True, text=True,
        )  # fmt: skip
        expected = 0 if number == signal.SIGINT else 128 + number
        assert (ran.returncode, ran.stdout, ran.stderr) == (expected, "given back\n", "")


class TestInGoodOrder:
    @pytest.mark.parametrize(
        ("isolation", "way"),
        [*(("full", way) for way in WAYS), ("process", "Ctrl-C"), ("process", "SIGTERM")],
    )
    def test_in_the_midst_of_a_check_that_never_ends(self, sit, isolation, way):
        """No worker goes on with the loop."""
        how, expected = WAYS[way]
        shutil.copy(SAMPLES / "loops_forever" / "softmax.py", sit.folder)
        state = sit(*(["--isolation", "process"] if isolation == "process" else []))
        state.sees("Checking softmax.py")
        time.sleep(0.5)  # somewhere in it, or still on the way to it: both are to be answered
        ask(state, how)
        status, left, errors = state.ends()

        assert (status, left, errors) == (expected, [], "")
        assert termios.tcgetattr(state.terminal) == state.modes
        assert "Kept for next time." in state.said.partition(LEAVES_SCREEN)[2]

    @pytest.mark.parametrize("way", ["Ctrl-C", "SIGTERM", "SIGHUP"])
    def test_before_it_is_ready(self, sit, way):
        """While torch is being imported, which can take long."""
        how, expected = WAYS[way]
        state = sit()
        state.sees("Getting ready")
        ask(state, how)
        status, left, errors = state.ends()

        assert (status, left, errors) == (expected, [], "")
        assert termios.tcgetattr(state.terminal) == state.modes
        assert "Checking" not in state.said

    @pytest.mark.parametrize("isolation", ["full", "process"])
    def test_when_the_terminal_is_closed(self, sit, isolation):
        """Nobody is there to read a traceback; it ends all the same, with its worker."""
        shutil.copy(SAMPLES / "loops_forever" / "softmax.py", sit.folder)
        state = sit(*(["--isolation", "process"] if isolation == "process" else []))
        state.sees("Checking softmax.py")
        state.hang_up()
        status, left, errors = state.ends()

        assert (left, errors) == ([], "")
        assert status == 128 + signal.SIGHUP
