"""A learner's terminal: lines out, in colour if it is wanted, and single keys in."""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

from grader.learner.events import END
from grader.learner.view import Line, Size

_CODES = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "warn": "35", "hint": "36"}
_ESCAPES = {"\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down"}
_NAMES = {"\r": "enter", "\n": "enter", "\x1b": "escape", "\x04": END, "\x03": END}


class Terminal:
    """Draws by writing over what is there, so that nothing flickers."""

    def __init__(self) -> None:
        self._coloured = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    @property
    def size(self) -> Size:
        columns, rows = shutil.get_terminal_size((80, 24))
        return Size(columns, rows)

    def show(self, lines: Sequence[Line]) -> None:
        """Each line up to its end, then nothing below."""
        body = "\r\n".join(self._styled(line) + "\x1b[K" for line in lines)
        sys.stdout.write(f"\x1b[H{body}\x1b[J")
        sys.stdout.flush()

    def _styled(self, line: Line) -> str:
        code = _CODES.get(line.style) if self._coloured else None
        return f"\x1b[{code}m{line.text}\x1b[0m" if code else line.text


def is_terminal() -> bool:
    """Whether there is somebody to watch and to press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextlib.contextmanager
def own_screen() -> Iterator[None]:
    """A screen of our own, with the keys as they are pressed; everything as before afterwards."""
    sys.stdout.write("\x1b[?1049h\x1b[H\x1b[2J\x1b[?25l")
    sys.stdout.flush()
    try:
        with _single_keys():
            yield
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()


@contextlib.contextmanager
def reading_keys(put: Callable[[str], None]) -> Iterator[None]:
    """Hand over keys from a thread of its own; afterwards what is typed is the shell's again."""
    source = _windows_keys if os.name == "nt" else _unix_keys
    ended = threading.Event()

    def run() -> None:
        for key in source(ended):
            put(key)

    thread = threading.Thread(target=run, daemon=True, name="keys")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=1)


@contextlib.contextmanager
def _single_keys() -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    now = termios.tcgetattr(sys.stdin)
    now[3] &= ~termios.ISIG  # Ctrl-C is a key: it ends in good order, whatever is going on
    termios.tcsetattr(sys.stdin, termios.TCSANOW, now)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def _unix_keys(ended: threading.Event) -> Iterator[str]:
    source = sys.stdin.fileno()
    with contextlib.suppress(OSError):
        while not ended.is_set():
            if not select.select([source], [], [], 0.1)[0]:
                continue
            data = os.read(source, 64)
            if not data:
                break
            yield from split_keys(data.decode(errors="ignore"))
    yield END


def split_keys(text: str) -> list[str]:
    """What one read brought: an arrow's escape sequence, or keys typed fast."""
    if text in _ESCAPES:
        return [_ESCAPES[text]]
    if text.startswith("\x1b"):
        return ["escape"]
    return [_NAMES.get(key, key) for key in text]


def _windows_keys(ended: threading.Event) -> Iterator[str]:
    console = importlib.import_module("msvcrt")
    while not ended.wait(0.02):
        while console.kbhit():
            key = console.getwch()
            if key in ("\x00", "\xe0"):
                yield {"H": "up", "P": "down"}.get(console.getwch(), "escape")
            else:
                yield _NAMES.get(key, key)
