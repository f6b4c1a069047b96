"""Workers forked from a zygote, behind every wall this kernel has."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Sequence
from functools import cached_property, partial

from grader.errors import SandboxError
from grader.sandbox import cgroup
from grader.sandbox.channel import Channel
from grader.sandbox.paths import gpu_nodes, readable_paths
from grader.sandbox.process_stats import ProcessStats
from grader.sandbox.session import DEFAULT_MEMORY_MIB, Keeper, Session, Worker
from grader.sandbox.zygote_process import ZygoteEnd, ZygoteLost, ZygoteProcess

_TRIES = 3  # as often a worker is asked for; without any for so long, only once


class ZygoteSandbox:
    """Workers forked from a zygote, and from a branch of it for all that forbids the same; one that
    dies, hangs or is stopped is replaced, and its branches with it.

    The next worker is always asked for in advance, so that it is forked while the grader works.
    """

    def __init__(
        self, memory_mib: int = DEFAULT_MEMORY_MIB, *, fork: bool = False, gpu: bool = False
    ) -> None:
        self._made_with = readable_paths(), gpu_nodes() if gpu else [], memory_mib
        self._groups = cgroup.Groups.here(cgroup.limits_for(memory_mib, gpu=gpu))
        self._zygote = ZygoteProcess(*self._made_with, fork=fork)
        self._branches: dict[tuple[str, ...], ZygoteEnd] = {}
        self._branching = not gpu  # what a driver makes of one more fork nobody has seen
        self._keeper = Keeper(self._fresh)
        self._next: dict[ZygoteEnd, tuple[int, socket.socket]] = {}
        self._in_vain = 0

    @cached_property
    def layers(self) -> tuple[str, ...]:
        """What is in force; waits for the zygote's first words."""
        return ("process", "limits", *["cgroup"] * (self._groups is not None), *self._walls)

    @cached_property
    def _walls(self) -> tuple[str, ...]:
        """Of the first zygote; every other must have the same."""
        with contextlib.suppress(ZygoteLost):
            return self._zygote.layers
        self._start_another()
        return self._zygote.layers

    @property
    def isolation(self) -> str:
        return "full" if {"landlock", "seccomp"} <= set(self.layers) else "process"

    def open(self, owner: str = "", device: str = "cpu", forbids: Sequence[str] = ()) -> Session:
        """A walled-in worker that has loaded nothing yet, or that ``owner`` alone has used; all of
        them serve any ``device``. It begins sooner if it is said what it is to load will forbid.
        """
        return self._keeper.open(owner, forbids if self._branching else ())

    def wait(self) -> None:
        """Until the zygote is ready to fork; raises ``SandboxError`` where none gets so far."""
        try:
            self._zygote.wait()
        except ZygoteLost:
            self._start_another()
            self._zygote.wait()

    def rest(self) -> None:
        """End the zygote and its branches until somebody asks for a worker."""
        self._keeper.drop()
        self._close_zygotes()

    def close(self) -> None:
        """End the zygote and its branches; their workers end with them."""
        self._keeper.drop()
        self._close_zygotes()
        if self._groups is not None:
            self._groups.close()

    def _fresh(self, forbids: Sequence[str]) -> Worker:
        """Raises ``SandboxError`` when there is none to be had."""
        tries = _TRIES if self._in_vain < _TRIES else 1
        while True:
            try:
                worker = self._worker(tuple(forbids))
            except SandboxError as error:
                self._forget_next()
                tries -= 1
                # One that dies still takes requests: after two in vain another is asked.
                if isinstance(error, ZygoteLost) or tries == 1:
                    self._start_another()
                if not tries:
                    self._in_vain += 1
                    raise
            else:
                self._in_vain = 0
                return worker

    def _worker(self, forbids: tuple[str, ...]) -> Worker:
        zygote = self._zygote_for(forbids)
        if self._walls != zygote.layers:
            raise SandboxError("the walls are not those that the run began with")
        number, connection = self._next.pop(zygote) if zygote in self._next else zygote.request()
        try:
            pid = zygote.identify(connection)
            self._next[zygote] = zygote.request()
            handle = os.pidfd_open(pid)
        except (OSError, SandboxError) as error:
            connection.close()
            if isinstance(error, SandboxError):
                raise
            raise SandboxError("a worker ended before it was used") from error

        groups, group = self._groups, self._groups and self._groups.of(pid)

        def send_signal(number: int) -> None:
            if handle >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(handle, number)

        def kill() -> None:
            nonlocal handle
            send_signal(signal.SIGKILL)
            if handle >= 0:
                os.close(handle)
                handle = -1
            connection.close()
            if groups and group:
                groups.remove(group)

        stats = ProcessStats(pid, send_signal)
        fate = partial(zygote.status, number)
        out_of_memory = group.oom_killed if group else lambda: False
        return Worker(Channel(connection), kill, fate, stats, out_of_memory=out_of_memory)

    def _zygote_for(self, forbids: tuple[str, ...]) -> ZygoteEnd:
        if not forbids:
            return self._zygote
        if forbids not in self._branches:
            self._branches[forbids] = self._zygote.branch(forbids)
        return self._branches[forbids]

    def _start_another(self) -> None:
        self._close_zygotes()
        self._zygote = ZygoteProcess(*self._made_with, fork=False)

    def _close_zygotes(self) -> None:
        self._forget_next()
        for branch in self._branches.values():
            branch.close()
        self._branches.clear()
        self._zygote.close()

    def _forget_next(self) -> None:
        for _, connection in self._next.values():
            connection.close()
        self._next.clear()
