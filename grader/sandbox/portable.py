"""A worker for systems without fork, Landlock or seccomp: an ordinary process, started anew.

It connects back over the loopback interface with a token, so one mechanism serves every system.
What it lacks is the wall: only process separation and the witness stand between the submission
and this machine. Reports made this way say ``process``.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence

from grader.sandbox import worker
from grader.sandbox.protocol import Channel
from grader.sandbox.watch import Watch


def main(readable: Sequence[str]) -> None:
    """Entry point of the started process; the port and the token come on standard input."""
    import jaxtyping  # noqa: F401
    import torch

    torch.set_num_threads(1)
    line = json.loads(sys.stdin.readline())
    worker.keep_only_libraries(readable)
    connection = socket.create_connection(("127.0.0.1", line["port"]))
    connection.sendall(line["token"].encode())
    channel = Channel(connection)
    Watch(channel, readable).install()
    worker.serve(channel)
