"""The grader's end of one zygote: starts it, asks it for workers, ends it.

Whatever goes wrong with a zygote is a ``SandboxError``, which is never a submission's failure.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import IO, Any

from grader.errors import SandboxError
from grader.sandbox import bubblewrap, temporary
from grader.sandbox.paths import CODE, LARGE_PAGES, QUIET_ENVIRONMENT, python_command
from grader.sandbox.session import START_SECONDS

FORK_SECONDS = 20.0  # a fork takes milliseconds: a zygote that needs this long answers no more
STATUS_SECONDS = 5.0


class ZygoteLost(SandboxError):
    """The zygote is gone, or does not answer: another one is needed."""


class ZygoteEnd:
    """The grader's end of a zygote's control socket. One that is ``wrapped`` stands in bubblewrap,
    and so do its branches.
    """

    def __init__(self, control: socket.socket, *, wrapped: bool = False) -> None:
        self._control, self._wrapped = control, wrapped
        self._opened, self._is_ready = 0, False
        self._folder = ""  # of its workers' temporary ones, where it watches them

    @cached_property
    def layers(self) -> tuple[str, ...]:
        """The kernel's that are in force; waits for the zygote's first words."""
        told = self._heard()
        found: list[str] = told["layers"]
        self._folder = told["folder"]
        return (*found, *["bubblewrap"] * self._wrapped)

    def wait(self) -> None:
        """Until it is ready to fork."""
        if not self._is_ready:
            assert self.layers is not None  # its first words come before
            self._is_ready = "ready" in self._heard()

    def _heard(self) -> dict[str, Any]:
        try:
            self._control.settimeout(START_SECONDS)
            data = self._control.recv(4096)
        except OSError:  # it may have been closed
            data = b""
        if not data:
            raise ZygoteLost(f"the sandbox did not start: {self._complaint() or 'it said nothing'}")
        told: dict[str, Any] = json.loads(data)
        return told

    def request(self) -> tuple[int, socket.socket]:
        """Ask for a worker; returns its number here and the socket it will answer on."""
        self.wait()
        self._opened += 1
        near = self._send_socket({"open": self._opened}, socket.SOCK_STREAM)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        return self._opened, near

    def branch(self, forbids: Sequence[str]) -> ZygoteEnd:
        """Ask for a zygote in whose workers something is forbidden."""
        self.wait()
        control = self._send_socket({"branch": list(forbids)}, socket.SOCK_SEQPACKET)
        return ZygoteEnd(control, wrapped=self._wrapped)

    def identify(self, connection: socket.socket) -> int:
        """The process number of a worker that stands behind its walls, as the kernel tells it."""
        connection.settimeout(FORK_SECONDS)
        try:
            _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(12))
            stands = connection.recv(1)
        except TimeoutError:
            raise ZygoteLost("the zygote does not answer") from None
        except OSError:
            stands = b""
        if not stands:
            raise SandboxError("a worker did not start")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        for _, kind, data in ancillary:
            if kind == socket.SCM_CREDENTIALS:
                pid: int = struct.unpack("iII", data[:12])[0]
                return pid
        raise SandboxError("nobody knows which process a worker is")

    def status(self, number: int) -> tuple[int | None, bool]:
        """How a worker ended, as ``os.waitpid`` says it, and whether only because it was asked."""
        try:
            self._control.settimeout(STATUS_SECONDS)
            self._control.send(json.dumps({"status": number}).encode())
            reply = json.loads(self._control.recv(4096))
            while reply["number"] != number:  # an answer that nobody had waited for
                reply = json.loads(self._control.recv(4096))
        except (OSError, ValueError):
            return None, False
        return reply["status"], reply["killed"]

    def close(self) -> None:
        """End the zygote; its workers end with it."""
        self._control.close()
        self._end()
        if self._folder and not self._wrapped:  # it has, unless it was killed
            temporary.remove(self._folder)

    def _send_socket(self, request: Mapping[str, object], kind: int) -> socket.socket:
        """Send a request with one end of a new pair of sockets; the other end is returned."""
        near, far = socket.socketpair(socket.AF_UNIX, kind)
        try:
            self._control.settimeout(FORK_SECONDS)
            socket.send_fds(self._control, [json.dumps(request).encode()], [far.fileno()])
        except OSError as error:
            near.close()
            raise ZygoteLost("the zygote is gone") from error
        finally:
            far.close()
        return near

    def _complaint(self) -> str:
        return ""

    def _end(self) -> None:
        """Nothing more: a branch ends when its control socket does."""


class ZygoteProcess(ZygoteEnd):
    """The first zygote. With ``fork`` it is made out of the calling process, otherwise started
    anew, and bubblewrap encloses it where it can.
    """

    def __init__(
        self, readable: Sequence[str], devices: Sequence[str], memory_mib: int, *, fork: bool
    ) -> None:
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(near)
        self._readable, self._devices, self._memory_mib = readable, devices, memory_mib
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._forked = 0
        if fork and len(os.listdir("/proc/self/task")) == 1:
            self._fork(far)
        else:
            self._execute(far)
        far.close()

    def _complaint(self) -> str:
        if self._complaints.closed:
            return "it has been ended"
        self._complaints.seek(0)
        return self._complaints.read()[-2000:].decode(errors="replace").strip()

    def _end(self) -> None:
        if self._process is not None:
            if self._is_ready:  # it would not heed us otherwise
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=2)
            self._process.kill()
            self._process.wait()
        if self._forked:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._forked, signal.SIGKILL)
                os.waitpid(self._forked, 0)
            self._forked = 0
        self._complaints.close()

    def _execute(self, far: socket.socket) -> None:
        command = python_command(
            "zygote_start", far.fileno(), self._readable, self._memory_mib, self._devices
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
        kept = {"PATH": os.environ.get("PATH", os.defpath), "GLIBC_TUNABLES": LARGE_PAGES}
        if self._devices and "LD_LIBRARY_PATH" in os.environ:
            kept["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        return QUIET_ENVIRONMENT | kept

    def _fork(self, far: socket.socket) -> None:
        self._forked = os.fork()
        if self._forked == 0:
            try:
                from grader.sandbox import zygote_start

                os.setpgid(0, 0)  # what is typed at the terminal is for the grader to answer
                self._control.close()
                zygote_start.main(far.fileno(), self._readable, self._memory_mib, self._devices)
            finally:
                os._exit(70)
