"""Starting sandboxes: the zygote where the kernel helps, ordinary processes elsewhere."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import signal
import site
import socket
import struct
import subprocess
import sys
import sysconfig
import tempfile
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

from grader.errors import SandboxError
from grader.sandbox import layers
from grader.sandbox.protocol import Channel
from grader.sandbox.session import Session

START_SECONDS = 120
DEFAULT_MEMORY_MIB = 1024
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_CODE = Path(__file__).resolve().parents[2]
_PACKAGES = ("torch", "numpy", "jaxtyping")
_QUIET_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


class Sandbox(Protocol):
    """Hands out one fresh worker after another. ``isolation`` is ``full`` or ``process``."""

    @property
    def isolation(self) -> str: ...

    @property
    def layers(self) -> tuple[str, ...]: ...

    def open(self, owner: str = "") -> Session: ...

    def close(self) -> None: ...


def start(isolation: str | None = None, *, fork: bool = False) -> Sandbox:
    """The best sandbox this machine has, or, with ``isolation="process"``, the portable one.

    ``fork`` makes the zygote out of the calling process, which must have imported torch, run one
    thread and know nothing secret yet: it saves importing torch a second time.
    """
    if isolation == "process" or sys.platform != "linux":
        return ProcessSandbox()
    return ZygoteSandbox(fork=fork)


def library_folders() -> list[str]:
    """Where Python and its packages live: all that a worker may read."""
    stdlib = sysconfig.get_path("stdlib")
    folders = [stdlib, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    endings = ("site-packages", "dist-packages", "lib-dynload")
    folders += [path for path in sys.path if path.endswith(endings)]
    folders += [site.getusersitepackages()]
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            folders.append(str(Path(spec.origin).parents[1]))
    unique = dict.fromkeys(os.path.abspath(folder) for folder in folders)
    return [f for f in unique if os.path.isdir(f) and not _holds_secrets(f)]


def _holds_secrets(folder: str) -> bool:
    """A folder above a checkout's suites must never be readable to a worker."""
    suites = _CODE / "grader" / "suites"
    return suites.exists() and Path(folder).resolve() in [_CODE, *suites.resolve().parents]


def readable_paths() -> list[str]:
    """Libraries of Python and of the system."""
    base = os.path.join(sys.base_prefix, "lib")
    paths = [*library_folders(), *([] if _holds_secrets(base) else [base]), *_SYSTEM_LIBRARIES]
    return [path for path in paths if os.path.exists(path)]


def _python(entry: str, *arguments: object) -> list[str]:
    """A command that runs ``grader.sandbox.<entry>.main(*arguments)`` with our import path."""
    path = [*library_folders(), str(_CODE)]
    program = (
        f"import sys; sys.path[:] = {path!r}; "
        f"from grader.sandbox.{entry} import main; main(*{arguments!r})"
    )
    return [os.path.realpath(sys.executable), "-I", "-S", "-B", "-c", program]


class ZygoteSandbox:
    """Workers forked from a zygote, which bubblewrap encloses where it can.

    The next worker is always asked for in advance, so that it is forked while the grader works.
    """

    def __init__(self, memory_mib: int = DEFAULT_MEMORY_MIB, *, fork: bool = False) -> None:
        self._readable = readable_paths()
        self._memory_mib = memory_mib
        self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._opened = 0
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
        return ("process", "limits", *self._hello(), *["bubblewrap"] * self._wrapped)

    @property
    def isolation(self) -> str:
        return "full" if {"landlock", "seccomp"} <= set(self.layers) else "process"

    def open(self, owner: str = "") -> Session:
        """A fresh worker, forked and walled in, that has not loaded anything yet."""
        assert self.layers
        number, connection = self._next or self._request()
        self._next = None
        pid = self._identify(connection)
        self._next = self._request()
        handle = os.pidfd_open(pid)

        def end(healthy: bool) -> None:
            nonlocal handle
            if handle >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                os.close(handle)
                handle = -1
            connection.close()

        return Session(Channel(connection), end, lambda: self._status(number))

    def close(self) -> None:
        """End the zygote; its workers end with it."""
        self._control.close()
        if self._next is not None:
            self._next[1].close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
            self._process.kill()
            self._process.wait()
        self._complaints.close()

    def _execute(self, far: socket.socket) -> None:
        command = _python("zygote", far.fileno(), self._readable, self._memory_mib)
        self._wrapped = layers.bubblewrap_starts()
        if self._wrapped:
            code = [
                str(_CODE / "grader" / part) for part in ("__init__.py", "errors.py", "sandbox")
            ]
            command = layers.bubblewrap_command([*self._readable, *code, command[0]], command)
        self._process = subprocess.Popen(
            command,
            pass_fds=[far.fileno()],
            env=_QUIET_ENVIRONMENT | {"PATH": os.environ.get("PATH", os.defpath)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
        )

    def _fork(self, far: socket.socket) -> None:
        if os.fork() == 0:
            try:
                from grader.sandbox import zygote

                self._control.close()
                zygote.main(far.fileno(), self._readable, self._memory_mib)
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


class ProcessSandbox:
    """Workers that are new processes, one started ahead: works everywhere, protects little.

    A start takes as long as importing torch, so a healthy worker is used again for the next check
    of the same owner, with the module imported afresh; never for another's.
    """

    isolation = "process"
    layers = ("process",)

    def __init__(self) -> None:
        self._next = self._start()
        self._kept: tuple[str, subprocess.Popen[str], Channel] | None = None

    def open(self, owner: str = "") -> Session:
        """A worker that has loaded nothing yet, or that ``owner`` alone has used before."""
        process, channel = self._take(owner)

        def end(healthy: bool) -> None:
            if healthy and owner:
                self._kept = (owner, process, channel)
            else:
                _kill_with_children(process)
                channel.close()

        return Session(channel, end, lambda: _wait_status(process))

    def close(self) -> None:
        process, listener, _ = self._next
        listener.close()
        _kill_with_children(process)
        self._drop_kept()

    def _take(self, owner: str) -> tuple[subprocess.Popen[str], Channel]:
        if self._kept is not None and self._kept[0] == owner:
            (_, process, channel), self._kept = self._kept, None
            return process, channel
        self._drop_kept()
        process, listener, token = self._next
        self._next = self._start()
        return process, _accept(process, listener, token)

    def _drop_kept(self) -> None:
        if self._kept is not None:
            _, process, channel = self._kept
            _kill_with_children(process)
            channel.close()
            self._kept = None

    def _start(self) -> tuple[subprocess.Popen[str], socket.socket, str]:
        listener = socket.create_server(("127.0.0.1", 0), backlog=1)
        token = secrets.token_hex(32)
        process = subprocess.Popen(
            _python("portable", library_folders()),
            env=_inherited_environment() | _QUIET_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"port": listener.getsockname()[1], "token": token}) + "\n")
        process.stdin.flush()
        return process, listener, token


def _inherited_environment() -> dict[str, str]:
    """Windows cannot load libraries without these; nothing else is handed on."""
    names = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP")
    return {name: os.environ[name] for name in names if name in os.environ}


def _accept(process: subprocess.Popen[str], listener: socket.socket, token: str) -> Channel:
    listener.settimeout(START_SECONDS)
    try:
        connection, _ = listener.accept()
        connection.settimeout(START_SECONDS)
        if not secrets.compare_digest(connection.recv(len(token)), token.encode()):
            raise SandboxError("a stranger answered in place of the worker")
    except OSError as error:
        _kill_with_children(process)
        raise SandboxError(f"a worker did not start: {error}") from error
    finally:
        listener.close()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Channel(connection)


def _kill_with_children(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _wait_status(process: subprocess.Popen[str]) -> int | None:
    code = process.poll()
    return None if code is None else -code if code < 0 else code << 8


def describe_layers(sandbox: Sandbox) -> str:
    """For the terminal: what stands between submissions and this machine."""
    return f"{sandbox.isolation} isolation ({', '.join(sandbox.layers)})"
