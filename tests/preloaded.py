"""``python -m`` without its slowest part: a process that has imported torch, and nothing of ours,
becomes the command. Where processes cannot be forked safely, it is an ordinary one.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path

SECONDS = 300


class Preloaded:
    """Runs one command after another, each in a process of its own."""

    def __init__(self) -> None:
        self._control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, __file__, str(there.fileno())]
        alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # a process with threads is not forked
        self._process = subprocess.Popen(command, env=alone, pass_fds=[there.fileno()])
        there.close()

    def __call__(
        self, module: str, *arguments: str, cwd: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """``python -m module arguments`` in ``cwd``: its exit status and what it printed."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            told = json.dumps([module, arguments, str(cwd), dict(env)]).encode()
            socket.send_fds(self._control, [told], [out.fileno(), err.fileno()])
            self._control.settimeout(SECONDS)
            status = int(self._control.recv(64))
            out.seek(0), err.seek(0)
            return subprocess.CompletedProcess([module, *arguments], status, out.read(), err.read())

    def close(self) -> None:
        self._control.close()
        self._process.wait(SECONDS)


def ordinary(
    module: str, *arguments: str, cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """The same as ``Preloaded`` gives, by a process that begins with nothing."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=cwd, env=env, capture_output=True,
        text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def serve(control: socket.socket) -> None:
    """Fork a process for each command, until nobody asks any more."""
    import torch  # noqa: F401

    gc.freeze()  # what is looked at nowhere is copied nowhere
    while True:
        told, fds, _, _ = socket.recv_fds(control, 1 << 20, 2)
        if not told:
            return
        pid = os.fork()
        if not pid:
            control.close()
            _end(_become(*json.loads(told), fds))
        for fd in fds:
            os.close(fd)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        control.send(str(status).encode())


def _become(
    module: str, arguments: list[str], cwd: str, env: Mapping[str, str], fds: list[int]
) -> int:
    null = os.open(os.devnull, os.O_RDONLY)
    for number, fd in enumerate([null, *fds]):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    paths = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:1] = [cwd, *paths]  # in place of the folder of this file
    sys.argv[1:] = arguments
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(status: int) -> None:
    """As Python does, but for the last look at every object of torch's."""
    atexit._run_exitfuncs()
    sys.stdout.flush(), sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
