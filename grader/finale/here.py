"""This side: starts the process in which a learner's files run, and reads what it tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from grader.errors import LearnerError
from grader.finale import words
from grader.finale.order import Order

_ENGINE = Path(__file__).resolve().parents[2]
_THERE = "grader.finale.there"


def told(order: Order, folder: Path, printed: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """What happens, one thing after another. ``printed`` is given each line that the files print,
    in another thread. Closing the iterator ends the process.

    Raises ``LearnerError`` with the sentence of whatever went wrong there.
    """
    process = _started(folder)
    assert process.stdin and process.stdout and process.stderr
    reader = threading.Thread(target=_passed_on, args=(process.stderr, printed), daemon=True)
    reader.start()
    try:
        with process.stdin as stdin:
            stdin.write(order.to_json().encode())
        for line in process.stdout:
            what = json.loads(line)
            if what["kind"] == "error":
                raise LearnerError(what["says"])
            yield what
        if process.wait():
            raise LearnerError(words.ENDED_EARLY.format(status=process.returncode))
    finally:
        process.kill()
        process.wait()
        reader.join(timeout=5)
        process.stdout.close()
        process.stderr.close()


def _started(folder: Path) -> subprocess.Popen[bytes]:
    """With this very engine, and without the learner's files before it: one may be called torch."""
    known = [str(_ENGINE), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", _THERE],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, known))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _passed_on(stream: IO[bytes], printed: Callable[[str], None]) -> None:
    for line in stream:
        printed(line.decode(errors="replace").rstrip("\n"))
