"""A witness inside the worker: notes what a submission tries that an exercise never needs.

Python's audit events cannot be switched off by Python code, but native code can step round them,
so this refuses in plain words and leaves evidence; the walls are the kernel's: ``landlock`` and
``seccomp``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from grader.sandbox.channel import Channel

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATH_EVENTS = ("os.listdir", "os.scandir", "os.chdir")
_NOTED = ("ctypes.dlopen", "gc.get_objects", "sys.settrace", "sys.setprofile")
_REFUSED = (
    "os.fork os.forkpty os.posix_spawn os.exec os.spawn os.startfile os.system subprocess.Popen "
    "os.kill os.killpg signal.pthread_kill os.remove os.rename os.mkdir os.rmdir os.link "
    "os.symlink os.truncate os.chmod os.chown os.utime os.setxattr shutil.rmtree shutil.move "
    "shutil.copyfile tempfile.mkstemp tempfile.mkdtemp socket.__new__ socket.connect socket.bind "
    "socket.getaddrinfo socket.gethostbyname urllib.Request ctypes.create_function"
).split()


class AuditHook:
    """Refuses and reports; ``readable`` are the folders imports may read from."""

    def __init__(self, channel: Channel, readable: Sequence[str]) -> None:
        self.channel = channel
        self.readable = tuple(os.path.realpath(path) for path in readable)
        self.seen: set[str] = set()
        self.busy = False

    def install(self) -> None:
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.busy or not self._concerns(event, args):
            return
        self.busy = True
        try:
            attempt = _sentence(event, args)
            if attempt not in self.seen and len(self.seen) < 20:
                self.seen.add(attempt)
                self.channel.send({"refused": attempt})
        finally:
            self.busy = False
        if event not in _NOTED:
            raise PermissionError(f"not allowed in an exercise: {attempt}")

    def _concerns(self, event: str, args: tuple[Any, ...]) -> bool:
        if event == "open":
            path, mode, flags = args
            if not isinstance(path, (str, bytes)) or path == "" or _is_own_source(path):
                return False
            writing = bool((flags or 0) & _WRITING) or bool(set(mode or "") & set("wax+"))
            return (writing and path != os.devnull) or not self._may_read(path)
        if event in _PATH_EVENTS:
            return not self._may_read(args[0] if args and args[0] is not None else ".")
        return event in _NOTED or event in _REFUSED

    def _may_read(self, path: Any) -> bool:
        if not isinstance(path, (str, bytes)):
            return False
        real = os.path.realpath(os.fsdecode(path))
        return real == os.devnull or any(
            real == folder or real.startswith(folder + os.sep) for folder in self.readable
        )


def _is_own_source(path: str | bytes) -> bool:
    """Python looks for the text of a submission's line; there is no such file."""
    return os.fsdecode(path).startswith("<submission>")


def _sentence(event: str, args: tuple[Any, ...]) -> str:
    shown = args[:1] if event in ("open", *_PATH_EVENTS) else args[:2]
    inner = ", ".join(repr(a)[:100] for a in shown if isinstance(a, (str, bytes, int, list)))
    return f"{event}({inner})"
