"""The far side: a process in which the learner's files run, and tell how they learn.

It takes an order on its standard input and tells what happens on its standard output, a JSON object
a line. Whatever the files print goes to the standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from grader.errors import GraderError, LearnerError
from grader.finale import words
from grader.finale.order import Order

_STOP: list[int] = []


def main() -> None:
    """Do what is ordered; the exit status is 0 unless something broke."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    order = Order.from_json(sys.stdin.read())
    tell = _telling(channel)
    try:
        _do(order, tell)
    except GraderError as error:
        tell({"kind": "error", "says": str(error)})
    except BrokenPipeError:
        return
    except KeyboardInterrupt:
        return
    except Exception as error:
        traceback.print_exc()
        tell({"kind": "error", "says": words.RAISED.format(said=_said(error, order))})


def _telling(channel: TextIO) -> Any:
    def tell(what: Mapping[str, Any]) -> None:
        channel.write(json.dumps(what) + "\n")
        channel.flush()

    return tell


def _said(error: Exception, order: Order) -> str:
    """An exception, and where in a page it was raised."""
    pages = {str(Path(place).resolve()) for place in order.paths.values()}
    frames = traceback.extract_tb(error.__traceback__)
    places = [one for one in frames if str(Path(one.filename).resolve()) in pages]
    said = f"{type(error).__name__}: {error}"
    if not places:
        return said
    return said + words.PLACE.format(file=Path(places[-1].filename).name, line=places[-1].lineno)


def _do(order: Order, tell: Any) -> None:
    import torch

    from grader.finale.asked import Desk, look, talk, train
    from grader.finale.pages import load_finale, taken

    torch.set_num_threads(1)  # with more, small models lose more to waiting than they gain
    finale = load_finale(Path(order.finale))
    task = finale.task(order.task)
    sys.path.append(os.getcwd())  # what else the learner's pages import
    pages = taken(finale, task, order.paths)
    device = _device(order.device)
    desk = Desk(order, task, pages, device, tell)
    if order.count or order.looks:
        (look if order.looks else talk)(desk)
        return
    signal.signal(signal.SIGINT, _stop)
    train(desk, lambda: bool(_STOP))


def _device(wanted: str) -> str:
    """The best there is, or the one that is ``wanted``; raises ``LearnerError`` without it."""
    import torch

    if not wanted:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=wanted)
    except (RuntimeError, AssertionError) as error:
        raise LearnerError(words.NO_DEVICE.format(device=wanted)) from error
    return wanted


def _stop(number: int, frame: FrameType | None) -> None:
    """After the step that is going on; at once when it is asked a second time."""
    if _STOP:
        raise KeyboardInterrupt
    _STOP.append(number)


if __name__ == "__main__":
    main()
