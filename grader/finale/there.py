"""The far side: a process in which the learner's files run, and tell how they learn.

It takes an order on its standard input and tells what happens on its standard output, a JSON object
a line. Whatever the files print goes to the standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
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
    place = [one for one in frames if str(Path(one.filename).resolve()) in pages]
    where = words.PLACE.format(file=Path(place[-1].filename).name, line=place[-1].lineno)
    return f"{type(error).__name__}: {error}{where if place else ''}" if place else repr(error)


def _do(order: Order, tell: Any) -> None:
    import torch

    from grader.finale.pages import load_finale, taken

    torch.set_num_threads(1)  # with more, small models lose more to waiting than they gain
    finale = load_finale(Path(order.finale))
    task = finale.task(order.task)
    sys.path.append(os.getcwd())  # what else the learner's pages import
    pages = taken(finale, task, order.paths)
    device = _device(order.device)
    if order.count:
        _talk(order, task, pages, device, tell)
    else:
        _train(order, finale, task, pages, device, tell)


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


def _train(order: Order, finale: Any, task: Any, pages: Any, device: str, tell: Any) -> None:
    from grader.finale.learns import Checkpoint, Run, ends, kept, learn, loaded
    from grader.finale.plan import Setting

    path = checkpoint_path(order)
    before = kept(path, order.task) if order.goes_on else None
    about = before["about"] if before else {}
    planned = about.get("steps") or order.steps or (task.steps // (2 if order.broken else 1))
    seed, text = about.get("seed", order.seed), about.get("text", order.text)
    setting = Setting(pages, planned, seed, device, "", text)
    runs = {"": Run.begun(task, setting)}
    steps = planned
    if before:
        loaded(runs[""], before["run"], path, task.name)
        done = len(runs[""].costs)
        steps = planned if done < planned else done + (order.steps or planned)
        tell({"kind": "on", "step": done, "costs": runs[""].costs, "path": str(path)})
    same = False
    if order.broken:
        finale.broken(order.broken)
        broken = Setting(pages, planned, seed, device, order.broken, text)
        runs[order.broken] = Run.begun(task, broken)
        same = getattr(runs[order.broken].learning, "unbroken", False)
    about = {"task": task.name, "seed": seed, "steps": planned, "text": text}
    about["text_name"] = order.text_name
    facts = runs[""].learning.facts
    tell({"kind": "start", "steps": steps, "device": device, "facts": facts, "unbroken": same})
    signal.signal(signal.SIGINT, _stop)
    checkpoint = None if order.broken else Checkpoint(path, about)
    cpu = time.process_time()
    whole = learn(runs, steps, tell, checkpoint, lambda: bool(_STOP))
    cpu = time.process_time() - cpu
    for one in ends(runs):
        tell(one)
    kept_in = "" if order.broken else str(path)
    tell({"kind": "finished", "cpu": cpu, "whole": whole, "path": kept_in})


def _stop(number: int, frame: FrameType | None) -> None:
    """After the step that is going on; at once when it is asked a second time."""
    if _STOP:
        raise KeyboardInterrupt
    _STOP.append(number)


def checkpoint_path(order: Order) -> Path:
    """Where the model of this task is kept."""
    return Path(order.out) / f"{order.stem}.pt"


def _talk(order: Order, task: Any, pages: Any, device: str, tell: Any) -> None:
    from grader.finale.learns import Run, kept, loaded
    from grader.finale.plan import Setting

    path = checkpoint_path(order)
    before = kept(path, order.task)
    about = before["about"]
    setting = Setting(pages, about["steps"], about["seed"], device, "", about["text"])
    run = Run.begun(task, setting)
    loaded(run, before["run"], path, task.name)
    letters = run.learning.letters(order.prompt, order.temperature, order.seed)
    for _, piece in zip(range(order.count), letters, strict=False):
        tell({"kind": "piece", "text": piece})
    tell({"kind": "said", "cached": bool(getattr(run.learning, "cached", False))})
