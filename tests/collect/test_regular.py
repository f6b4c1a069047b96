"""Only regular files are opened."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from grader.collect.regular import kind_of, read_at_most


@pytest.fixture
def lies(tmp_path, monkeypatch):
    """``lies(kind)`` puts something of this kind there; returns its path."""
    monkeypatch.chdir(tmp_path)  # the path of a socket may have 108 bytes

    def bind(path):
        with socket.socket(socket.AF_UNIX) as own:
            own.bind(path)

    make = {
        "a named pipe": os.mkfifo,
        "a link": lambda path: os.symlink("/etc/hostname", path),
        "a folder": os.mkdir,
        "a socket": bind,
    }

    def lies(kind):
        if kind == "a device":
            return Path("/dev/zero")
        make[kind]("it.py")
        return Path("it.py")

    return lies


@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", ["a named pipe", "a link", "a folder", "a socket", "a device"])
def test_nothing_else_is_opened(lies, kind):
    """A pipe would be waited for, a device has no end, a link leads elsewhere."""
    path = lies(kind)

    assert kind_of(path) == kind
    with pytest.raises(OSError, match=f"it is {kind}, not a file"):
        read_at_most(path, 100)


def test_a_file_is_read_up_to_a_limit(tmp_path):
    """One byte more tells that there was more."""
    (tmp_path / "a.py").write_bytes(b"0123456789")

    assert read_at_most(tmp_path / "a.py", 10) == b"0123456789"
    assert read_at_most(tmp_path / "a.py", 4) == b"01234"
