"""Single keys, as they are pressed: from a Unix terminal or a Windows console."""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator

from grader.learner.events import END, SUSPEND

_ESCAPES = {"\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down"}
_NAMES = {
    "\r": "enter", "\n": "enter", "\x1b": "escape", "\x03": END, "\x04": END, "\x1a": SUSPEND,
}  # fmt: skip
_SPECIAL = ("\x00", "\xe0")  # on Windows the first half of a key that is no letter
_SECOND_HALVES = {"H": "up", "P": "down"}
_LOOK_SECONDS = 0.02
_WINDOWS = os.name == "nt"


@contextlib.contextmanager
def reading_keys(put: Callable[[str], None]) -> Iterator[None]:
    """Hand over keys from a thread of its own; afterwards what is typed is the shell's again."""
    source = _windows_keys if _WINDOWS else _unix_keys
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


def split_keys(text: str) -> list[str]:
    """What one read brought: an arrow's escape sequence, or keys typed fast."""
    if text in _ESCAPES:
        return [_ESCAPES[text]]
    if text.startswith("\x1b"):
        return ["escape"]
    return [_NAMES.get(key, key) for key in text]


def _unix_keys(ended: threading.Event) -> Iterator[str]:
    source = sys.stdin.fileno()
    with contextlib.suppress(OSError):
        while not ended.is_set():
            ready = select.select([source], [], [], 0.1)[0]
            if not ready or ended.is_set():  # ended meanwhile: what was typed is not for us
                continue
            data = os.read(source, 64)
            if not data:
                break
            yield from split_keys(data.decode(errors="ignore"))
    yield END


def _windows_keys(ended: threading.Event) -> Iterator[str]:
    console = importlib.import_module("msvcrt")
    while not ended.wait(_LOOK_SECONDS):
        while console.kbhit():
            key = console.getwch()
            if key in _SPECIAL:
                yield _SECOND_HALVES.get(console.getwch(), "escape")
            else:
                yield _NAMES.get(key, key)
