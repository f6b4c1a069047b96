"""A witness inside the worker: notes what a submission tries that an exercise never needs.

It refuses in plain words and leaves evidence; the walls are the kernel's: ``landlock`` and
``seccomp``. Python's audit events cannot be switched off by Python code, and there are two hooks.
The first one notes and never raises, so no traceback leads to it. The second one refuses; whoever
follows its traceback and changes it is refused no more, and noted all the same. Both look up every
name, the built-in ones too, in a copy of their own, and notes leave through a socket of their own:
if that is taken away, the process ends.

What code in the same process can still do: native code, which a note of ``ctypes.dlopen`` comes
before, can do anything. A signal handler, a callback of the garbage collector or another thread may
look at the first hook's frame while it runs, and from there change what it remembers. After 20
different notes it is silent. And whoever finds the channel may send notes of its own: they accuse
nobody but their sender.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from grader.sandbox.channel import MAGIC, PREFIX, Channel

MAX_NOTES = 20
SILENCED = 71  # the exit status of a worker whose witness was silenced

Judge = Callable[[str, tuple[Any, ...]], str]
Hook = Callable[[str, tuple[Any, ...]], None]

_NOTED = frozenset(
    "ctypes.dlopen gc.get_objects gc.get_referrers gc.get_referents sys.settrace sys.setprofile "
    "sys._current_frames".split()
)
_REFUSED = frozenset(
    "os.fork os.forkpty os.posix_spawn os.exec os.spawn os.startfile os.system subprocess.Popen "
    "os.kill os.killpg signal.pthread_kill os.link os.symlink os.truncate os.chmod os.chown "
    "os.utime os.setxattr socket.__new__ socket.connect socket.bind socket.getaddrinfo "
    "socket.gethostbyname urllib.Request ctypes.create_function".split()
)
_PATHS = frozenset(["os.listdir", "os.scandir", "os.chdir"])
_MAKING = frozenset(
    "os.remove os.rename os.mkdir os.rmdir shutil.rmtree shutil.move shutil.copyfile "
    "tempfile.mkstemp tempfile.mkdtemp".split()
)  # refused but in the temporary folder
# All but these are let pass at once: `builtins.id` is one of them, which a deep copy of a small
# layer asks for a thousand times.
_HEEDED = frozenset(["open"]) | _MAKING | _PATHS | _NOTED | _REFUSED
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVNULL, _SEP = os.devnull, os.sep

# What does the work, bound here: all but `realpath`, of other systems, is native code.
_pack, _quoted, _leave = PREFIX.pack, json.encoder.encode_basestring_ascii, os._exit
_cwd, _target = os.getcwd, getattr(os, "readlink", str)
_real = os.path.realpath if os.sep != "/" else None


class AuditHook:
    """Refuses and reports; ``readable`` are the folders imports may read from, and in its temporary
    ``folder`` a submission may do what it likes.
    """

    def __init__(self, channel: Channel, readable: Sequence[str], folder: str) -> None:
        self.channel = channel
        self.folders = tuple(os.path.realpath(path) for path in readable)
        self.own = os.path.realpath(folder)

    def install(self) -> None:
        """For good: there is no way to take it out again."""
        own = self.channel.socket.dup()
        witness = _apart(_witness)(_apart(_judge)(self.folders, self.own), own.send, own)
        refusal = _apart(_refusal)(_apart(_judge)(self.folders, self.own))
        sys.addaudithook(witness)
        sys.addaudithook(refusal)


def _apart(maker: Any) -> Any:
    """The same function over names of its own, which those it makes have as well. Nothing that is
    changed in this module, in ``os`` or in ``builtins`` reaches them.
    """
    names = globals() | {"__builtins__": dict(vars(builtins))}
    return FunctionType(maker.__code__, names, maker.__name__, maker.__defaults__)


# What follows is run by `_apart`. What an event is given may be anything, and may do anything when
# it is asked, so only values of exactly the known types are looked into.


def _judge(folders: tuple[str, ...], own: str) -> Judge:
    """``judge(event, args)`` is what is tried, if an exercise does not need it, and else empty."""

    def judge(event: str, args: tuple[Any, ...]) -> str:
        if event == "open":
            return said(event, args[:1]) if opens(*args) else ""
        if event in _MAKING:
            return "" if makes(event, *args) else said(event, args[:2])
        if event in _PATHS:
            if args and type(args[0]) is int:
                return ""  # a descriptor: it was looked at when it was opened
            path = text_of(args[0]) if args and args[0] is not None else "."
            return "" if path and may_read(path) else said(event, args[:1])
        return said(event, args[:2])

    def opens(given: Any, mode: Any = None, flags: Any = 0, *more: Any) -> bool:
        if type(given) is int or type(given) is bool:
            return False
        path = text_of(given)
        if (path == "" and type(given) in (str, bytes)) or path.startswith("<submission>"):
            return False  # Python looks for the text of a submission's line; there is no such file
        reads = mode is None or (type(mode) is str and not set(mode) & {"w", "a", "x", "+"})
        reads = reads and (flags is None or (type(flags) is int and not flags & _WRITING))
        if not path or is_own(path):
            return not path
        return not ((reads or path == _DEVNULL) and may_read(path))

    def makes(event: str, *args: Any) -> bool:
        """Whether all is done in the temporary folder. What is copied, or moved by a copy, is
        looked at again when it is opened. A path that begins at a descriptor leads nobody knows
        where.
        """
        paths = [text_of(given) for given in args if text_of(given)]
        if event.startswith("os."):
            given = args[-1]
            here = type(given) is int and given == -1
            return here and bool(paths) and all(is_own(path) for path in paths)
        return bool(paths) and is_own(paths[-1])

    def is_own(path: str) -> bool:
        found = _real(path) if _real else resolved(path)
        return found == own or found.startswith(own + _SEP)

    def may_read(path: str) -> bool:
        found = _real(path) if _real else resolved(path)
        return found == _DEVNULL or any(
            found == folder or found.startswith(folder + _SEP) for folder in (own, *folders)
        )

    def resolved(path: str) -> str:
        """Without links; a path that cannot be looked up is left as it is."""
        waiting = (path if path.startswith("/") else _cwd() + "/" + path).split("/")[::-1]
        found, links = "", 0
        while waiting:
            part = waiting.pop()
            if part in ("", "."):
                continue
            if part == "..":
                found = found.rpartition("/")[0]
                continue
            try:
                to = _target(found + "/" + part) if links < 40 else ""
            except OSError:
                to = ""
            links += bool(to)
            if to.startswith("/"):
                found = ""
            waiting += to.split("/")[::-1]
            found += "" if to else "/" + part
        return found or "/"

    def text_of(given: Any) -> str:
        """A path's text; none if it is of another type, which may do anything when asked."""
        if type(given) is bytes:
            return given.decode("utf-8", "replace")
        if issubclass(type(given), str):
            return str.__str__(given)
        return ""

    def said(event: str, args: tuple[Any, ...]) -> str:
        return event + "(" + ", ".join([shown(a) for a in args if shown(a)]) + ")"

    def shown(given: Any) -> str:
        if type(given) in (str, bytes, int):
            return repr(given[:100] if type(given) is not int else given)[:100]
        if type(given) is list:
            return "[" + ", ".join([shown(item) for item in given[:5]])[:100] + "]"
        return text_of(given)[:100] if issubclass(type(given), str) else ""

    return judge


def _witness(judge: Judge, send: Callable[[bytes], int], own: Any) -> Hook:
    """Notes and never raises; ``own`` keeps the socket open."""
    seen: set[str] = set()

    def witness(event: str, args: tuple[Any, ...]) -> None:
        if event not in _HEEDED:
            return
        try:
            said = judge(event, args)
            if not said or said in seen or len(seen) >= MAX_NOTES:
                return
            seen.add(said)
            header = ('{"refused":' + _quoted(said) + "}").encode()
            frame = _pack(MAGIC, len(header), 0) + header
        except BaseException:
            return  # too deep in a recursion, or no memory: the refusal fails there as well
        try:
            sent = send(frame)
        except BaseException:
            sent = 0
        if sent != len(frame):
            _leave(SILENCED)

    return witness


def _refusal(judge: Judge) -> Hook:
    """Raises where something is tried; what is merely odd is let pass."""

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        if event not in _HEEDED:
            return
        said = "" if event in _NOTED else judge(event, args)
        if said:
            raise PermissionError("not allowed in an exercise: " + said)

    return refuse
