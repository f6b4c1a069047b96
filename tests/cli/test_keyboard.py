"""Keys of a pretended Windows console and of Unix terminals, by the names we give them."""

from __future__ import annotations

import os
import sys
import threading
import time
import types

import pytest

from grader.cli.keyboard import reading_keys, split_keys
from grader.learner.events import END, SUSPEND


class Console:
    """What `msvcrt` offers: ``getwch`` waits until there is something, as the real one does."""

    def __init__(self, typed=""):
        self.waiting = list(typed)
        self.asked_in_vain = 0

    def kbhit(self):
        return bool(self.waiting)

    def getwch(self):
        if not self.waiting:
            self.asked_in_vain += 1
            raise AssertionError("getwch would have blocked")
        return self.waiting.pop(0)


@pytest.fixture
def windows(monkeypatch):
    """``windows(typed)`` returns the keys that were put while the loop read these characters."""

    def windows(typed):
        console, put = Console(typed), []
        module = types.SimpleNamespace(kbhit=console.kbhit, getwch=console.getwch)
        monkeypatch.setitem(sys.modules, "msvcrt", module)
        monkeypatch.setattr("grader.cli.keyboard._WINDOWS", True)
        with reading_keys(put.append):
            _until(lambda: not console.waiting)
        assert not console.asked_in_vain
        return put

    return windows


def _until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class TestWindows:
    def test_letters_are_keys(self, windows):
        """In their order, however fast they come."""
        assert windows("nhq") == ["n", "h", "q"]

    @pytest.mark.parametrize("prefix", ["\x00", "\xe0"])
    def test_special_keys_come_in_two_halves(self, windows, prefix):
        """The number pad begins with 0, the arrows' own keys with 0xe0; F1, Home, Delete are one
        key that means nothing, and never the letter their second half happens to be.
        """
        typed = "".join(prefix + second for second in "HP;GS") + "s"

        assert windows(typed) == ["up", "down", "escape", "escape", "escape", "s"]

    def test_control_keys_have_the_same_names(self, windows):
        """Enter, escape, Ctrl-C, Ctrl-D, Ctrl-Z."""
        assert windows("\r\x1b\x03\x04\x1a") == ["enter", "escape", END, END, SUSPEND]

    def test_afterwards_nothing_is_read(self, monkeypatch):
        """What is typed then is the shell's."""
        console, put = Console(), []
        module = types.SimpleNamespace(kbhit=console.kbhit, getwch=console.getwch)
        monkeypatch.setitem(sys.modules, "msvcrt", module)
        monkeypatch.setattr("grader.cli.keyboard._WINDOWS", True)
        with reading_keys(put.append):
            pass
        console.waiting.append("n")

        assert all(thread.name != "keys" for thread in threading.enumerate())
        assert (put, console.waiting) == ([], ["n"])


class TestUnix:
    def test_arrows_are_keys(self):
        """An escape sequence is one key, letters typed fast are several, unknown ones are none."""
        assert split_keys("\x1b[A") == ["up"]
        assert split_keys("jj\r") == ["j", "j", "enter"]
        assert split_keys("\x1b[1;5C") == ["escape"]

    def test_the_end_of_what_is_typed_is_an_end(self, monkeypatch):
        """A terminal that is gone brings nothing more."""
        reading, writing = os.pipe()
        put = []
        with os.fdopen(reading) as source:
            monkeypatch.setattr("sys.stdin", source)
            os.write(writing, b"n")
            os.close(writing)
            with reading_keys(put.append):
                _until(lambda: END in put)

        assert put == ["n", END]
