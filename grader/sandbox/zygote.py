"""A process that has imported torch once and forks a worker whenever it is asked to.

What an exercise forbids is taken away once, in a *branch*: a zygote that the first one forks, and
whose workers serve this exercise. In each worker anew it took longer than all else that it begins
with.

It is single-threaded (a fork of a process with an OpenMP pool hangs in its first parallel
operation) and holds nothing secret: no suite, no solution, no seed, no other submission.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import jaxtyping  # noqa: F401  (stubs annotate with it: paid here once, not in every worker)
import numpy as np
import torch

from grader.sandbox import landlock, limits, seccomp, spare_memory, temporary, worker
from grader.sandbox.audit import AuditHook
from grader.sandbox.channel import Channel
from grader.sandbox.decoder import Decoder
from grader.sandbox.encoder import Encoder
from grader.sandbox.engine import Engine
from grader.sandbox.forbidden import forbid_for_good
from grader.sandbox.protocol import Leaf, Result
from grader.sandbox.temporary import WATCH_SECONDS
from grader.sandbox.zygote_start import Walls

_MANY = 4  # forks: who has asked for so many will ask for more


def main(
    control_fd: int,
    walls: Walls,
    readable: Sequence[str],
    memory_mib: int,
    devices: Sequence[str] = (),
) -> None:
    """Serve on the inherited control socket, where the ``walls`` have been told, until the other
    end closes it.
    """
    _forget_handlers()
    _forget_environment()
    _forget_places()
    worker.keep_only_libraries(readable)
    worker.prepare()
    _warm_up(gpu=bool(devices))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != control_fd:
            _close(int(name))
    Zygote(socket.socket(fileno=control_fd), walls, readable, memory_mib, devices).serve()


def _forget_handlers() -> None:
    """A forked zygote ends when it is told to, whatever its maker does instead."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def _forget_environment() -> None:
    """Empty the environment, and wipe the memory that it and the command came in: a forked zygote
    shares its maker's. What remains is the program's name.
    """
    os.environ.clear()
    with open("/proc/self/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[48])
    kept = len(ctypes.string_at(start)) + 1
    ctypes.memset(start + kept, 0, end - start - kept)


def _forget_places() -> None:
    """Stand nowhere, and drop what names the course's and the submissions' folders."""
    os.chdir("/")
    sys.argv[:] = sys.orig_argv[:] = [""]
    sys.path_importer_cache.clear()


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

    The first backward starts the driver of a GPU, and a thread for each, neither of which survives
    a fork: workers that may use one are left to do it themselves, the others never find the driver.
    """
    torch.set_num_threads(1)
    _pin_allocator()
    x = torch.randn(2, 4, 8, requires_grad=True)
    layer = torch.nn.Linear(8, 8)
    loss = (torch.softmax(layer(x) @ x.transpose(-1, -2), -1) @ x).sum()
    np.exp(np.ones(3)) @ np.ones(3)
    np.random.seed(0)  # imports it; a worker begins it anew
    if not gpu:
        with _no_new_files(), warnings.catch_warnings(action="ignore"):
            torch.autograd.grad(loss, x)
    _rehearse(x, backward=not gpu)
    os.environ.clear()
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("the zygote must have one thread")
    _share_what_is_kept()


def _share_what_is_kept() -> None:
    """Garbage collection would write in pages that forks share, and what is free in them would be
    copied for a worker before it writes there: it gets new memory.
    """
    gc.freeze()
    spare_memory.give_back()


@contextlib.contextmanager
def _no_new_files() -> Iterator[None]:
    """Whatever is not loaded yet cannot be. CUDA starts a thread even where no GPU is visible; that
    there is no driver it finds out once, and remembers.
    """
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def _rehearse(x: torch.Tensor, *, backward: bool) -> None:
    """One call, its gradient and its reply, so that whatever Python imports late is there."""
    source = "def f(x): return x * 2"
    engine = Engine(worker.load_submission({"rehearsal": source}, "rehearsal", []))
    answer = engine.perform({"op": "call", "name": "f", "args": [Leaf(0, x, True)], "kwargs": {}})
    if backward:
        request = {"outputs": [Result(0)], "cotangents": [x.detach()], "wrt": [Leaf(0)]}
        engine.perform({"op": "differentiate"} | request)
    Decoder(memoryview(bytes(1 << 12))).decode(Encoder().encode(answer["value"]))
    sys.modules.pop("rehearsal")


def _rehearse_what_is_rare() -> None:
    """To index what has no values imports sympy: a third of a second in every worker that does so.
    It is no shorter here, and only who forks many workers gains by it.
    """
    with torch.device("meta"):
        torch.ones(2)[torch.tensor([0])]
    _share_what_is_kept()


class Zygote:
    """Forks on request; remembers how its workers ended. Where they cannot mount a temporary folder
    of their own, it watches theirs, below ``folder``, and removes them.
    """

    def __init__(
        self,
        control: socket.socket,
        walls: Walls,
        readable: Sequence[str],
        memory_mib: int,
        devices: Sequence[str],
    ) -> None:
        self.control = control
        self.readable, self.devices = list(readable), list(devices)
        self.memory_mib = None if devices else memory_mib  # CUDA reserves address space
        self.pids: dict[int, int] = {}
        self.ended: dict[int, int] = {}
        self.forks, self.has_rehearsed = 0, False
        self.folder = walls.folder
        self.seccomp = "seccomp" in walls.layers
        self.program = seccomp.deny_list if devices else seccomp.allow_list
        if self.seccomp:
            self.program(os.getpid())  # what is the same for all workers is kept

    def serve(self) -> None:
        self._reply({"ready": True})
        while True:
            if not self.has_rehearsed and self.forks >= _MANY and not self._is_asked(0):
                _rehearse_what_is_rare()
                self.has_rehearsed = True
            while self.folder and not self._is_asked(WATCH_SECONDS):
                self._watch()
            message, fds, _, _ = socket.recv_fds(self.control, 4096, 1)
            if not message:
                self._end()
            request = json.loads(message)
            if "open" in request:
                self._open(request["open"], fds[0])
            elif "branch" in request:
                self._branch(request["branch"], fds[0])
            else:
                number = request["status"]
                status, killed = self._status(number)
                self._reply({"number": number, "status": status, "killed": killed})

    def _is_asked(self, seconds: float) -> bool:
        return bool(select.select([self.control], [], [], seconds)[0])

    def _reply(self, reply: dict[str, Any]) -> None:
        self.control.send(json.dumps(reply).encode())

    def _branch(self, forbids: Sequence[str], fd: int) -> None:
        """Fork a zygote in which something is forbidden; it answers on a control socket of its
        own, and ends when that is closed.
        """
        self.forks += 1
        if os.fork() == 0:
            try:
                self.control.close()
                forbid_for_good(forbids)
                _share_what_is_kept()
                control, walls = socket.socket(fileno=fd), Walls.found()
                walls.tell(control)
                branch = Zygote(control, walls, self.readable, self.memory_mib or 0, self.devices)
                branch.has_rehearsed = self.has_rehearsed
                branch.serve()
            finally:
                os._exit(70)
        os.close(fd)

    def _open(self, number: int, fd: int) -> None:
        self.forks += 1
        folder = self._folder_of(number)
        if folder:
            os.mkdir(folder, 0o700)
        pid = os.fork()
        if pid == 0:
            try:
                self._become_worker(fd, folder)
            finally:
                os._exit(70)
        os.close(fd)
        self.pids[number] = pid
        for ended in [n for n in self.pids if n < number - 64]:
            self._status(ended)
        for forgotten in [n for n in self.ended if n < number - 64]:
            del self.ended[forgotten]

    def _folder_of(self, number: int) -> str:
        return f"{self.folder}/{number}" if self.folder else ""

    def _watch(self) -> None:
        """End those who have put too much into their folder, and tidy up after the dead."""
        for number, pid in list(self.pids.items()):
            done, status = os.waitpid(pid, os.WNOHANG)
            if not done and temporary.is_overfull(self._folder_of(number)):
                os.kill(pid, signal.SIGKILL)
                done, status = os.waitpid(pid, 0)[0], temporary.OVERFULL << 8
            if done:
                del self.pids[number]
                self.ended[number] = status
                temporary.remove(self._folder_of(number))

    def _end(self) -> None:
        """Nobody is to write in a folder that is removed."""
        for pid in self.pids.values() if self.folder else ():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        if self.folder:
            temporary.remove(self.folder)
        os._exit(0)

    def _status(self, number: int) -> tuple[int | None, bool]:
        """How worker ``number`` ended, as ``os.waitpid`` says it; if it has not, it is killed."""
        if number in self.ended:
            return self.ended.pop(number), False
        pid = self.pids.pop(number, None)
        if pid is None:
            return None, False
        try:
            return self._waited_for(pid)
        except OSError:
            return None, False
        finally:
            if self.folder:
                temporary.remove(self._folder_of(number))

    def _waited_for(self, pid: int) -> tuple[int, bool]:
        for _ in range(200):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status, False
            signal.sigtimedwait([signal.SIGCHLD], 0.01)
        os.kill(pid, signal.SIGKILL)
        return os.waitpid(pid, 0)[1], True

    def _become_worker(self, fd: int, folder: str) -> None:
        os.setsid()
        self.control.close()
        connection = socket.socket(fileno=fd)
        _introduce(connection)
        gpu, readable, devices = bool(self.devices), self.readable, self.devices
        if gpu:  # CUDA's driver looks at its own process, which is not the zygote's
            os.environ["CUDA_CACHE_DISABLE"] = "1"
            _count_by_the_driver()
            readable, devices = [*readable, "/proc/self"], [*devices, landlock.OWN_THREADS]
        file_bytes = temporary.MAX_WATCHED_FILE_BYTES if folder else temporary.MAX_BYTES
        if not folder:
            folder = temporary.MOUNT_POINT
            temporary.mount_own()
        temporary.settle(folder)
        ruleset = landlock.ruleset(readable, devices, folder)
        # What is told of an opaque process is root's: an ordinary user's could name no thread.
        limits.apply(self.memory_mib, 300, 1024 if gpu else 64, file_bytes, opaque=not gpu)
        if not gpu:
            _keep_one_thread()
        channel = Channel(connection)
        AuditHook(channel, self.readable, folder).install()
        if ruleset is not None:
            landlock.restrict_to(ruleset)
        if self.seccomp:
            seccomp.apply(self.program(os.getpid()))
        if any(path.startswith("/dev/nvidia") for path in devices):
            _start_driver()
        connection.send(b"!")  # behind its walls: one that ends before has run no submission
        worker.serve(channel)


def _keep_one_thread() -> None:
    """Threads are refused, and OpenMP ends a process that cannot have those it was told to use."""
    vars(torch)["set_num_threads"] = lambda threads: None


def _start_driver() -> None:
    """Before the submission's clock begins, and where no submission is blamed if it cannot. What it
    takes of the GPU's memory it takes with the first tensor.
    """
    if torch.version.cuda and not torch.cuda.is_available():
        raise RuntimeError("CUDA's driver does not start behind these walls")


def _count_by_the_driver() -> None:
    """How many GPUs there are torch asks a library of NVIDIA's that it loads for this alone, which
    the witness notes as native code; without an answer it asks the driver.
    """
    vars(torch.cuda)["_raw_device_count_nvml"] = lambda: -1


def _introduce(connection: socket.socket) -> None:
    """One byte whose credentials tell the grader, in its own numbering, which process this is."""
    own = struct.pack("iII", os.getpid(), os.getuid(), os.getgid())
    connection.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, own)])


def _close(fd: int) -> None:
    with contextlib.suppress(OSError):
        os.close(fd)
