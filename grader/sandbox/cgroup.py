"""Control groups, version 2: memory, processes and cores of one worker, counted by the kernel.

Memory that the address-space limit does not see (page tables, pipes, what a GPU's driver takes) is
counted too, and a worker that goes over ends alone. Groups can be made by root, or where systemd
hands a user a part of the tree (``systemd-run --user --scope -p Delegate=yes``).

Source: Linux, Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SandboxError

MOUNT = Path("/sys/fs/cgroup")
_TOLD = Path("/proc/self/cgroup")
_NEEDED = ("memory", "pids")
_PERIOD_MICROSECONDS = 100_000
_REMOVAL_SECONDS = 1.0
_HEADROOM_MIB = 512  # pages of Python and torch that a worker writes to become its own


@dataclass(frozen=True)
class Limits:
    """Of one worker; None leaves it unlimited."""

    memory_mib: int | None
    processes: int
    cores: int | None

    @property
    def files(self) -> dict[str, str]:
        """What is written into which file."""
        files = {"pids.max": str(self.processes), "memory.oom.group": "1"}
        if self.memory_mib is not None:
            files |= {"memory.max": str(self.memory_mib << 20), "memory.swap.max": "0"}
        if self.cores is not None:
            files["cpu.max"] = f"{self.cores * _PERIOD_MICROSECONDS} {_PERIOD_MICROSECONDS}"
        return files


def limits_for(memory_mib: int, *, gpu: bool) -> Limits:
    """What a worker may have. The address-space limit, which raises an exception, is met first; a
    GPU's driver takes threads, and memory as it likes.
    """
    if gpu:
        return Limits(memory_mib=None, processes=256, cores=None)
    return Limits(memory_mib + _HEADROOM_MIB, processes=1, cores=1)


_NUMBERS = itertools.count(1)  # of all sandboxes of this process
_OPTIONAL = {"memory.swap.max", "memory.oom.group", "cpu.max"}  # by kernel and controllers


class Group:
    """The group of one worker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._oom_killed = False

    @classmethod
    def create(cls, parent: Path, name: str, limits: Limits) -> Group:
        """A new group below ``parent``; raises ``OSError`` where that may not be."""
        group = cls(parent / name)
        _make(group._folder)
        try:
            for file, text in limits.files.items():
                with contextlib.suppress(*[FileNotFoundError] * (file in _OPTIONAL)):
                    _write(group._folder / file, text)
        except OSError:
            group.remove()
            raise
        return group

    def add(self, pid: int) -> None:
        """Put a process into it; what it has allocated before stays counted where it was."""
        _write(self._folder / "cgroup.procs", str(pid))

    def oom_killed(self) -> bool:
        """Whether the kernel ended it for its memory; known also after ``remove``."""
        with contextlib.suppress(OSError):
            events = (self._folder / "memory.events").read_text().splitlines()
            self._oom_killed |= any(int(line[9:]) for line in events if line[:9] == "oom_kill ")
        return self._oom_killed

    def remove(self) -> bool:
        """End what is still in it and take it away; returns whether it is gone already, for what
        was killed takes a moment to end.
        """
        self.oom_killed()
        with contextlib.suppress(OSError):
            _write(self._folder / "cgroup.kill", "1")
        with contextlib.suppress(OSError):
            _take_away(self._folder)
        return not self._folder.exists()


class Groups:
    """The groups of one sandbox's workers, below ``parent``."""

    def __init__(self, parent: Path, limits: Limits) -> None:
        self._parent, self._limits = parent, limits
        self._left: list[Group] = []

    @classmethod
    def here(cls, limits: Limits, mount: Path = MOUNT, told: Path = _TOLD) -> Groups | None:
        """The groups this process may make, tried with one; None where it may make none.

        Has to be asked before other processes are started: this one moves to a group beside those
        it makes, because a group that is divided may hold no process itself.
        """
        parent = _divided(mount, told)
        if parent is None:
            return None
        groups = cls(parent, limits)
        try:
            Group.create(parent, groups._name(), limits).remove()
        except OSError:
            return None
        return groups

    def of(self, pid: int) -> Group:
        """A group for this process alone; raises ``SandboxError`` where the kernel refuses it."""
        try:
            group = Group.create(self._parent, self._name(), self._limits)
            group.add(pid)
        except OSError as error:
            raise SandboxError(
                f"a worker could not be put into a control group: {error}"
            ) from error
        return group

    def remove(self, group: Group) -> None:
        """Take a group away, at once or with a later one."""
        self._left = [left for left in {*self._left, group} if not left.remove()]

    def close(self) -> None:
        """Wait until all that were taken away are gone."""
        until = time.monotonic() + _REMOVAL_SECONDS
        while self._left and time.monotonic() < until:
            self._left = [left for left in self._left if not left.remove()]
            time.sleep(0.001)

    def _name(self) -> str:
        return f"grader-{os.getpid()}-{next(_NUMBERS)}"


def why_not(mount: Path = MOUNT, told: Path = _TOLD) -> str:
    """What stands against it, in a few words; empty where nothing is seen to."""
    if not (mount / "cgroup.controllers").is_file():
        return f"version 2 is not mounted at {mount}"
    own = _own(mount, told)
    if own is None or not own.is_dir():
        return "this process has no group of version 2"
    lacking = [name for name in _NEEDED if name not in _words(own / "cgroup.controllers")]
    if lacking:
        return f"its group has no {' and no '.join(lacking)} controller"
    if not os.access(own / "cgroup.procs", os.W_OK):
        return "its group belongs to somebody else"
    others = _words(own / "cgroup.procs") - {str(os.getpid())}
    divisible = own.name == "grader" or not (others and (own / "cgroup.type").exists())
    return "" if divisible else "other processes are in its group"


def _divided(mount: Path, told: Path) -> Path | None:
    """This process's group, handing its controllers down; None where that may not be."""
    own = _own(mount, told)
    if why_not(mount, told) or own is None:
        return None
    if own.name == "grader" and set(_NEEDED) <= _words(own.parent / "cgroup.subtree_control"):
        return own.parent  # moved there by an earlier sandbox of this process, or by its maker
    wanted = [name for name in (*_NEEDED, "cpu") if name in _words(own / "cgroup.controllers")]
    try:
        if (own / "cgroup.type").exists():  # the root has none, may hold processes and be divided
            if not (own / "grader").is_dir():
                _make(own / "grader")
            _write(own / "grader" / "cgroup.procs", str(os.getpid()))
        _write(own / "cgroup.subtree_control", " ".join(f"+{name}" for name in wanted))
    except OSError:
        return None
    return own


def _own(mount: Path, told: Path) -> Path | None:
    with contextlib.suppress(OSError):
        for line in told.read_text().splitlines():
            if line.startswith("0::/"):
                return mount / line[len("0::/") :]
    return None


def _words(file: Path) -> set[str]:
    with contextlib.suppress(OSError):
        return set(file.read_text().split())
    return set()


def _make(group: Path) -> None:
    """The kernel fills the folder with its files."""
    group.mkdir()


def _take_away(group: Path) -> None:
    """The kernel's files go with the folder, unless a process is still in it."""
    group.rmdir()


def _write(file: Path, text: str) -> None:
    """Into a file of the kernel's: none is ever made."""
    handle = os.open(file, os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
