"""A process that has imported torch once and forks a worker whenever it is asked to.

It is single-threaded (a fork of a process with an OpenMP pool hangs in its first parallel
operation) and holds nothing secret: no suite, no solution, no seed, no other submission.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from typing import Any

import jaxtyping  # noqa: F401  (stubs annotate with it: paid here once, not in every worker)
import numpy as np
import torch

from grader.sandbox import layers, limits, worker
from grader.sandbox.audit import AuditHook
from grader.sandbox.channel import Channel
from grader.sandbox.decoder import Decoder
from grader.sandbox.encoder import Encoder
from grader.sandbox.engine import Engine
from grader.sandbox.protocol import Leaf, Result


def main(
    control_fd: int, readable: Sequence[str], memory_mib: int, devices: Sequence[str] = ()
) -> None:
    """Serve on the inherited control socket until the other end closes it."""
    _forget_handlers()
    _forget_environment()
    worker.keep_only_libraries(readable)
    _warm_up(gpu=bool(devices))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != control_fd:
            _close(int(name))
    Zygote(socket.socket(fileno=control_fd), readable, memory_mib, devices).serve()


def _forget_handlers() -> None:
    """A forked zygote ends when it is told to, whatever its maker does instead."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def _forget_environment() -> None:
    """Empty the environment and wipe the memory it came in: a forked zygote shares its maker's."""
    os.environ.clear()
    with open("/proc/self/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    ctypes.memset(start, 0, end - start)


def _pin_allocator() -> None:
    """Give no memory back and take it in large pieces: where a process's heap happens to end would
    otherwise decide how fast it is, by a factor of up to two. glibc's names for its options.
    """
    mmap_threshold, trim_threshold, top_pad, arena_max = -3, -1, -2, -8
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    for option, value in (
        (mmap_threshold, 32 << 20),
        (trim_threshold, 1 << 30),
        (top_pad, 64 << 20),
        (arena_max, 1),
    ):
        if set_option is not None:
            set_option(option, value)


def _warm_up(*, gpu: bool) -> None:
    """Touch what every exercise touches, on one thread; then keep the pages shared.

    The first backward starts a thread for every GPU, and its driver, neither of which survives a
    fork: workers that may use one are left to do it themselves, from the others it is hidden.
    """
    torch.set_num_threads(1)
    _pin_allocator()
    x = torch.randn(2, 4, 8, requires_grad=True)
    layer = torch.nn.Linear(8, 8)
    loss = (torch.softmax(layer(x) @ x.transpose(-1, -2), -1) @ x).sum()
    np.exp(np.ones(3)) @ np.ones(3)
    if not gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        torch.autograd.grad(loss, x)
    _rehearse(x, backward=not gpu)
    os.environ.clear()
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("the zygote must have one thread")
    gc.freeze()


def _rehearse(x: torch.Tensor, *, backward: bool) -> None:
    """One call, its gradient and its reply, so that whatever Python imports late is there."""
    source = "def f(x): return x * 2"
    engine = Engine(worker.load_submission({"rehearsal": source}, "rehearsal", [], 0))
    answer = engine.perform({"op": "call", "name": "f", "args": [Leaf(0, x, True)], "kwargs": {}})
    if backward:
        request = {"outputs": [Result(0)], "cotangents": [x.detach()], "wrt": [Leaf(0)]}
        engine.perform({"op": "differentiate"} | request)
    Decoder(bytearray(1 << 12)).decode(Encoder().encode(answer["value"]))
    sys.modules.pop("rehearsal")


class Zygote:
    """Forks on request; remembers how its workers ended."""

    def __init__(
        self,
        control: socket.socket,
        readable: Sequence[str],
        memory_mib: int,
        devices: Sequence[str],
    ) -> None:
        self.control = control
        self.readable, self.devices = list(readable), list(devices)
        self.memory_mib = None if devices else memory_mib  # CUDA reserves address space
        self.pids: dict[int, int] = {}
        self.ruleset = layers.landlock_ruleset(self.readable, devices)
        self.seccomp = layers.seccomp_available()
        found = {"landlock": self.ruleset is not None, "seccomp": self.seccomp}
        self._reply({"layers": [name for name, there in found.items() if there]})

    def serve(self) -> None:
        while True:
            message, fds, _, _ = socket.recv_fds(self.control, 4096, 1)
            if not message:
                os._exit(0)
            request = json.loads(message)
            if "open" in request:
                self._open(request["open"], fds[0])
            else:
                number = request["status"]
                status, killed = self._status(number)
                self._reply({"number": number, "status": status, "killed": killed})

    def _reply(self, reply: dict[str, Any]) -> None:
        self.control.send(json.dumps(reply).encode())

    def _open(self, number: int, fd: int) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                self._become_worker(fd)
            finally:
                os._exit(70)
        os.close(fd)
        self.pids[number] = pid
        for ended in [n for n in self.pids if n < number - 64]:
            self._status(ended)

    def _status(self, number: int) -> tuple[int | None, bool]:
        """How worker ``number`` ended, as ``os.waitpid`` says it; if it has not, it is killed."""
        pid = self.pids.pop(number, None)
        if pid is None:
            return None, False
        try:
            for _ in range(200):
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    return status, False
                signal.sigtimedwait([signal.SIGCHLD], 0.01)
            os.kill(pid, signal.SIGKILL)
            return os.waitpid(pid, 0)[1], True
        except OSError:
            return None, False

    def _become_worker(self, fd: int) -> None:
        os.setsid()
        self.control.close()
        connection = socket.socket(fileno=fd)
        gpu, ruleset = bool(self.devices), self.ruleset
        if gpu:  # CUDA's driver looks at its own process, which is not the zygote's
            os.environ["CUDA_CACHE_DISABLE"] = "1"
            ruleset = layers.landlock_ruleset([*self.readable, "/proc/self"], self.devices)
        limits.apply(self.memory_mib, cpu_seconds=300, open_files=1024 if gpu else 64)
        channel = Channel(connection)
        AuditHook(channel, self.readable).install()
        if ruleset is not None:
            layers.restrict_to(ruleset)
        if self.seccomp:
            layers.apply_seccomp(layers.seccomp_filter(os.getpid()))
        _introduce(connection)
        worker.serve(channel)


def _introduce(connection: socket.socket) -> None:
    """One byte whose credentials tell the grader, in its own numbering, which process this is; and
    that it stands behind its walls: one that ends before has not run a line of a submission.
    """
    own = struct.pack("iII", os.getpid(), os.getuid(), os.getgid())
    connection.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, own)])


def _close(fd: int) -> None:
    with contextlib.suppress(OSError):
        os.close(fd)
