"""Workers forked from a zygote, behind every wall this kernel has."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
from functools import cached_property, partial
from typing import IO

from grader.errors import SandboxError
from grader.sandbox import bubblewrap, cgroup
from grader.sandbox.channel import Channel
from grader.sandbox.paths import CODE, QUIET_ENVIRONMENT, gpu_nodes, python_command, readable_paths
from grader.sandbox.process_stats import ProcessStats
from grader.sandbox.session import DEFAULT_MEMORY_MIB, START_SECONDS, Keeper, Session, Worker


class ZygoteSandbox:
    """Workers forked from a zygote, which bubblewrap encloses where it can.

    The next worker is always asked for in advance, so that it is forked while the grader works.
    """

    def __init__(
        self, memory_mib: int = DEFAULT_MEMORY_MIB, *, fork: bool = False, gpu: bool = False
    ) -> None:
        self._readable = readable_paths()
        self._devices = gpu_nodes() if gpu else []
        self._memory_mib = memory_mib
        self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._opened = 0
        self._keeper = Keeper(self._fresh)
        self._groups = cgroup.Groups.here(cgroup.limits_for(memory_mib, gpu=bool(self._devices)))
        self._next: tuple[int, socket.socket] | None = None
        self._wrapped = False
        if fork and len(os.listdir("/proc/self/task")) == 1:
            self._fork(far)
        else:
            self._execute(far)
        far.close()

    @cached_property
    def layers(self) -> tuple[str, ...]:
        """What is in force; waits until the zygote is ready to tell."""
        grouped = ["cgroup"] * (self._groups is not None)
        return ("process", "limits", *grouped, *self._hello(), *["bubblewrap"] * self._wrapped)

    @property
    def isolation(self) -> str:
        return "full" if {"landlock", "seccomp"} <= set(self.layers) else "process"

    def open(self, owner: str = "") -> Session:
        """A walled-in worker that has loaded nothing yet, or that ``owner`` alone has used."""
        return self._keeper.open(owner)

    def _fresh(self) -> Worker:
        assert self.layers
        number, connection = self._next or self._request()
        self._next = None
        pid = self._identify(connection)
        self._next = self._request()
        handle = os.pidfd_open(pid)
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
        out_of_memory = group.oom_killed if group else lambda: False
        fate = partial(self._status, number)
        return Worker(Channel(connection), kill, fate, stats, out_of_memory=out_of_memory)

    def close(self) -> None:
        """End the zygote; its workers end with it."""
        self._keeper.drop()
        self._control.close()
        if self._next is not None:
            self._next[1].close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
            self._process.kill()
            self._process.wait()
        self._complaints.close()
        if self._groups is not None:
            self._groups.close()

    def _execute(self, far: socket.socket) -> None:
        command = python_command(
            "zygote", far.fileno(), self._readable, self._memory_mib, self._devices
        )
        self._wrapped = bubblewrap.starts()
        if self._wrapped:
            code = [str(CODE / "grader" / part) for part in ("__init__.py", "errors.py", "sandbox")]
            folders = [*self._readable, *code, command[0]]
            command = bubblewrap.command(folders, command, self._devices)
        self._process = subprocess.Popen(
            command,
            pass_fds=[far.fileno()],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            process_group=0,  # what is typed at the terminal is for the grader to answer
        )

    def _environment(self) -> dict[str, str]:
        """The zygote's, which it forgets once it has found its libraries."""
        kept = {"PATH": os.environ.get("PATH", os.defpath)}
        if self._devices and "LD_LIBRARY_PATH" in os.environ:
            kept["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        return QUIET_ENVIRONMENT | kept

    def _fork(self, far: socket.socket) -> None:
        if os.fork() == 0:
            try:
                from grader.sandbox import zygote

                os.setpgid(0, 0)  # what is typed at the terminal is for the grader to answer
                self._control.close()
                zygote.main(far.fileno(), self._readable, self._memory_mib, self._devices)
            finally:
                os._exit(70)

    def _hello(self) -> list[str]:
        self._control.settimeout(START_SECONDS)
        try:
            data = self._control.recv(4096)
        except TimeoutError:
            data = b""
        if not data:
            self._complaints.seek(0)
            said = self._complaints.read()[-2000:].decode(errors="replace").strip()
            raise SandboxError(f"the sandbox did not start: {said or 'it said nothing'}")
        found: list[str] = json.loads(data)["layers"]
        return found

    def _request(self) -> tuple[int, socket.socket]:
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._opened += 1
        try:
            message = json.dumps({"open": self._opened}).encode()
            socket.send_fds(self._control, [message], [far.fileno()])
        except OSError as error:
            raise SandboxError("the zygote is gone") from error
        far.close()
        return self._opened, near

    def _identify(self, connection: socket.socket) -> int:
        """The worker's process number, as the kernel tells it."""
        connection.settimeout(START_SECONDS)
        _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(12))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        for _, kind, data in ancillary:
            if kind == socket.SCM_CREDENTIALS:
                pid: int = struct.unpack("iII", data[:12])[0]
                return pid
        raise SandboxError("a worker did not start")

    def _status(self, number: int) -> int | None:
        try:
            self._control.send(json.dumps({"status": number}).encode())
            self._control.settimeout(5)
            status: int | None = json.loads(self._control.recv(4096))["status"]
        except (OSError, ValueError):
            return None
        return status
