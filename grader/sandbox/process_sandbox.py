"""A worker for systems without fork, Landlock or seccomp: an ordinary process, started anew.

It connects back over the loopback interface with a token, so one mechanism serves every system.
What it lacks is the wall: only process separation and the witness stand between the submission
and this machine. Reports made this way say ``process``.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence

from grader.errors import SandboxError
from grader.sandbox import temporary, worker
from grader.sandbox.audit import AuditHook
from grader.sandbox.channel import Channel
from grader.sandbox.paths import QUIET_ENVIRONMENT, library_folders, python_command
from grader.sandbox.process_stats import ProcessStats
from grader.sandbox.session import START_SECONDS, Keeper, Session, Worker

Started = tuple[subprocess.Popen[str], socket.socket, str, str]

_ENDS_SECONDS = 2.0  # a process that has closed its channel is ending, or it has left the channel


class ProcessSandbox:
    """Workers that are new processes, one started ahead: works everywhere, protects little."""

    isolation = "process"
    layers = ("process",)

    def __init__(self) -> None:
        self._next = self._start()
        self._keeper = Keeper(self._fresh)

    def open(self, owner: str = "", device: str = "cpu", forbids: Sequence[str] = ()) -> Session:
        """A worker that has loaded nothing yet, or that ``owner`` alone has used before; all of
        them serve any ``device``, and whatever it ``forbids``.
        """
        return self._keeper.open(owner)

    def wait(self) -> None:
        """For nothing: every worker begins anew."""

    def rest(self) -> None:
        """Nothing: the one worker that is made in advance costs little."""

    def close(self) -> None:
        """End all workers."""
        process, listener, _, folder = self._next
        listener.close()
        _kill_with_children(process)
        temporary.remove(folder)
        self._keeper.drop()

    def _fresh(self, forbids: Sequence[str] = ()) -> Worker:
        process, listener, token, folder = self._next
        self._next = self._start()
        try:
            channel = _accept(process, listener, token)
        except SandboxError:
            temporary.remove(folder)
            raise

        def kill() -> None:
            _kill_with_children(process)
            temporary.remove(folder)
            channel.close()

        stats = ProcessStats(process.pid, process.send_signal)
        return Worker(channel, kill, lambda: _fate(process), stats)

    def _start(self) -> Started:
        listener = socket.create_server(("127.0.0.1", 0), backlog=1)
        token, folder = secrets.token_hex(32), tempfile.mkdtemp(prefix="grader-")
        process = subprocess.Popen(
            python_command("process_sandbox", library_folders()),
            env=_inherited_environment() | QUIET_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        line = {"port": listener.getsockname()[1], "token": token, "folder": folder}
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        return process, listener, token, folder


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
    if process.returncode is None:  # not asked for yet: also a dead worker may have children
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform != "win32":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _fate(process: subprocess.Popen[str]) -> tuple[int, bool]:
    """How the worker ended, as ``os.waitpid`` says it, and whether only because it was asked."""
    by_us = False
    try:
        code = process.wait(_ENDS_SECONDS)
    except subprocess.TimeoutExpired:
        by_us = True
        process.kill()
        code = process.wait()
    return (-code if code < 0 else code << 8), by_us


def main(readable: Sequence[str]) -> None:
    """Entry point of the started process; the port and the token come on standard input."""
    import jaxtyping  # noqa: F401
    import torch

    torch.set_num_threads(1)
    line = json.loads(sys.stdin.readline())
    worker.keep_only_libraries(readable)
    worker.prepare()
    connection = socket.create_connection(("127.0.0.1", line["port"]))
    connection.sendall(line["token"].encode())
    channel = Channel(connection)
    folder = line["folder"]
    temporary.settle(folder)
    for task in (_end_with_the_grader, _end_when_overfull):
        threading.Thread(target=task, args=(folder,), daemon=True).start()
    AuditHook(channel, readable, folder).install()
    worker.serve(channel)


def _end_with_the_grader(folder: str) -> None:
    """However the grader ends, its end of the pipe is closed; nobody waits for an answer then, and
    nobody else will tidy up.
    """
    sys.stdin.buffer.read()
    temporary.remove(folder)
    os._exit(1)


def _end_when_overfull(folder: str) -> None:
    while not temporary.is_overfull(folder):
        time.sleep(temporary.WATCH_SECONDS)
    os._exit(temporary.OVERFULL)
