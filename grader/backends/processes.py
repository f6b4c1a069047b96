"""An executor of processes on this machine that survives the death of any of them.

``concurrent.futures.ProcessPoolExecutor`` is broken as soon as one of its processes dies, and then
nobody knows whose job killed it. Here every process has one job at a time and a pipe of its own: a
death is that one job's, which is asked again in a new process, and the others notice nothing.

What goes through these pipes is pickled by processes of ours and read by processes of ours: a
worker of the sandbox has none of their ends, and what it said is text by then.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from grader.backends.in_flight import Place
from grader.errors import GraderError, JobLost

TRIES = 2  # of a job whose process dies
END_SECONDS = 1.0  # in which a process may end in good order

Job = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Entry = tuple[Future[Any], Job]

# A fork server has imported once what every process needs. Elsewhere than on Linux, forking what
# has imported torch is not safe.
_METHOD = "forkserver" if sys.platform == "linux" else "spawn"


def begin(preload: tuple[str, ...]) -> None:
    """Start what processes are made from, ahead of ``processes``: it imports the modules meanwhile,
    as its caller may.
    """
    if _METHOD == "forkserver":
        multiprocessing.get_context(_METHOD).set_forkserver_preload(list(preload))
        _start_fork_server()


@contextlib.contextmanager
def processes(number: int, preload: tuple[str, ...] = ()) -> Iterator[Place]:
    """So many processes on this machine; they are ended when the block is left, whatever they do.
    ``preload`` names modules that jobs need.
    """
    executor = Processes(number, preload)
    try:
        yield Place(executor, lambda: number, (JobLost,))
    finally:
        executor.shutdown(wait=False)


class Processes(Executor):
    """So many processes, started when there is a first job for them. ``preload`` names modules that
    jobs need. A job whose process died twice raises ``JobLost``.
    """

    def __init__(self, number: int, preload: tuple[str, ...] = ()) -> None:
        self._context = multiprocessing.get_context(_METHOD)
        begin(preload)
        self._entries: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._lanes = [Lane(self._context) for _ in range(number)]
        self._threads = [
            threading.Thread(target=_serve, args=(lane, self._entries), daemon=True)
            for lane in self._lanes
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """What ``fn``, its arguments and its result are is pickled on the way."""
        future: Future[Any] = Future()
        self._entries.put((future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes; what runs is finished before only with ``wait``."""
        if cancel_futures or not wait:
            with contextlib.suppress(queue.Empty):
                while entry := self._entries.get_nowait():
                    entry[0].cancel()
        for _ in self._threads:
            self._entries.put(None)
        if not wait:
            for lane in self._lanes:
                lane.stop()
            self._threads[-1].join(END_SECONDS)
            if any(thread.is_alive() for thread in self._threads):
                _end_fork_server()
        for thread in self._threads:
            thread.join()

    def pids(self) -> list[int]:
        """The numbers of the processes that live."""
        return [pid for lane in self._lanes if (pid := lane.pid)]


def _start_fork_server() -> None:
    """What is typed at the terminal is for us to answer: the fork server would ignore it only once
    it has imported everything. What it starts ignores it as well.
    """
    resource_tracker.ensure_running()  # which the server starts otherwise, and takes the mask away
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _end_fork_server() -> None:
    """While it imports it answers nobody, and who asked it for a process would wait for that. It is
    dead when this returns, for ``forkserver`` takes one that is dying for one that lives; and its
    status is left to ``forkserver``, which then starts another.
    """
    pid = getattr(getattr(forkserver, "_forkserver", None), "_forkserver_pid", None)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def _serve(lane: Lane, entries: queue.SimpleQueue[Entry | None]) -> None:
    """A thread of the caller's: one job after another through its lane."""
    while entry := entries.get():
        future, job = entry
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(lane.do(job))
        except BaseException as error:
            future.set_exception(error)
    lane.close()


class Lane:
    """One process after another, each doing one job at a time; asked by one thread."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._process: Any = None
        self._pipe: Connection | None = None
        self._stopped = False

    def do(self, job: Job) -> Any:
        """The job's result; raises what it raised, and ``JobLost`` when its process died."""
        for _ in range(TRIES):
            if self._stopped:
                break
            try:
                done, value = self._asked(job)
            except (EOFError, OSError):
                self.close()
                continue
            if done:
                return value
            raise value
        raise JobLost("the process that did it ended, every time it was tried")

    def _asked(self, job: Job) -> tuple[bool, Any]:
        if self._pipe is None:
            self._start()
        pipe = self._pipe
        assert pipe is not None
        pipe.send(job)
        wait([pipe, self._process.sentinel])
        if not pipe.poll():
            raise EOFError
        found: tuple[bool, Any] = pipe.recv()
        return found

    def _start(self) -> None:
        self._pipe, far = self._context.Pipe()
        process = self._context.Process(target=_work, args=(far,), daemon=True)
        process.start()
        self._process = process
        far.close()
        if self._stopped:  # meanwhile
            raise EOFError

    @property
    def pid(self) -> int:
        """Of the process, if there is one."""
        process = self._process
        return process.pid or 0 if process is not None else 0

    def stop(self) -> None:
        """From another thread: end the process now, whatever it does."""
        self._stopped = True
        with contextlib.suppress(AttributeError, OSError, ValueError):  # there is none (any more)
            self._process.terminate()

    def close(self) -> None:
        """End the process: in good order if it can, for it may have started others."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.join(END_SECONDS)
            self._process.kill()
            self._process.join()
        self._pipe = self._process = None


# What follows is run in the process.


def _work(pipe: Connection) -> None:
    """Jobs come and results go until the other end is closed, or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is typed is for the caller to answer
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_the_caller, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            function, args, kwargs = pipe.recv()
            try:
                reply = True, function(*args, **kwargs)
            except Exception as error:
                reply = False, _sendable(error)
            pipe.send(reply)


def _leave(number: int, frame: object) -> None:
    raise SystemExit(0)


def _end_with_the_caller() -> None:
    """If the caller is killed, nobody waits for what is being done. In good order if it can be: a
    job that asks programs of its own process takes ``SystemExit`` for an answer of theirs.
    """
    caller = multiprocessing.parent_process()
    if caller is not None:
        caller.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(END_SECONDS)
        os.kill(os.getpid(), signal.SIGKILL)


def _sendable(error: Exception) -> Exception:
    """Itself, unless it cannot be made again from what is sent of it."""
    try:
        return pickle.loads(pickle.dumps(error))  # type: ignore[no-any-return]
    except Exception:
        return GraderError(f"{type(error).__name__}: {error}")
