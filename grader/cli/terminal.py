"""A learner's terminal: lines out, in colour if it is wanted, on a screen of our own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from grader.learner.lines import Line, Size

_CODES = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "warn": "35", "hint": "36"}


class Terminal:
    """Draws by writing over what is there, so that nothing flickers."""

    def __init__(self) -> None:
        self._coloured = not os.environ.get("NO_COLOR")
        self._modes_before: list[Any] | None = None

    @property
    def size(self) -> Size:
        columns, rows = shutil.get_terminal_size((80, 24))
        return Size(columns, rows)

    def show(self, lines: Sequence[Line]) -> None:
        """Each line up to its end, then nothing below."""
        body = "\r\n".join(self._styled(line) + "\x1b[K" for line in lines)
        _write(f"\x1b[H{body}\x1b[J")

    @contextlib.contextmanager
    def own_screen(self) -> Iterator[None]:
        """A screen of our own, with the keys as they are pressed; everything as before after it."""
        self._take()
        try:
            yield
        finally:
            self.give_back()

    def suspend(self) -> None:
        """Give the terminal back, stop, and take it again when the shell says to go on."""
        if hasattr(signal, "SIGTSTP"):
            self.give_back()
            _stop_the_job()
            self._take()

    def _take(self) -> None:
        self._modes_before = _keys_one_by_one()  # first: in the background this waits for `fg`
        _write("\x1b[?1049h\x1b[H\x1b[2J\x1b[?25l")

    def give_back(self) -> None:
        """Everything as before ``own_screen``."""
        _write("\x1b[?25h\x1b[?1049l")
        if self._modes_before is not None:
            _set_modes(self._modes_before)

    def _styled(self, line: Line) -> str:
        code = _CODES.get(line.style) if self._coloured else None
        return f"\x1b[{code}m{line.text}\x1b[0m" if code else line.text


def is_terminal() -> bool:
    """Whether there is somebody to watch and to press keys, and a screen to be drawn on."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:  # the terminal is gone: whatever is still said goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _keys_one_by_one() -> list[Any] | None:
    """No line editing, no echo. Ctrl-C stays a signal, for it may come before keys are read;
    Ctrl-Z and Ctrl-\\ become keys, for the screen must be given back first. Returns what was set
    before; None where terminals have no modes.
    """
    try:
        import termios
    except ImportError:  # Windows: keys are read one by one anyway
        return None
    before = termios.tcgetattr(sys.stdin)
    now = termios.tcgetattr(sys.stdin)
    now[3] &= ~(termios.ICANON | termios.ECHO)
    characters = now[6]
    characters[termios.VMIN], characters[termios.VTIME] = 1, 0
    for name in ("VSUSP", "VDSUSP", "VQUIT"):
        if hasattr(termios, name):
            characters[getattr(termios, name)] = b"\0"
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, now)
    return before


def _set_modes(modes: list[Any]) -> None:
    import termios

    with contextlib.suppress(termios.error):  # the terminal is gone
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)


def _stop_the_job() -> None:
    """As Ctrl-Z does it: whatever started us stops as well, or the shell would not come back."""
    handler = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    os.kill(0, signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTSTP)  # stops here, until SIGCONT
    signal.signal(signal.SIGTSTP, handler)
