"""What may be asked of the far side: to train, to continue a text, or to look inside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.errors import LearnerError
from grader.finale import words
from grader.finale.learns import Checkpoint, Run, Tell, ends, kept, learn, loaded
from grader.finale.order import Order
from grader.finale.plan import Setting, Task


@dataclass(frozen=True)
class Desk:
    """An order, and all that it is carried out with."""

    order: Order
    task: Task
    pages: Mapping[str, Any]
    device: str
    tell: Tell

    @property
    def checkpoint(self) -> Path:
        """Where the model of this task is kept."""
        return Path(self.order.out) / f"{self.order.stem}.pt"

    def setting(self, about: Mapping[str, Any], broken: str = "") -> Setting:
        """``about`` is what a checkpoint says of itself."""
        steps, seed, text = about["steps"], about["seed"], about["text"]
        return Setting(self.pages, steps, seed, self.device, broken, text)


def train(desk: Desk, stopped: Callable[[], bool]) -> None:
    """One model up to its last step, or on from where it was; or a broken one beside it."""
    order, path = desk.order, desk.checkpoint
    before = kept(path, desk.task.name, desk.device) if order.goes_on else None
    about = before["about"] if before else _about(desk)
    runs = {"": Run.begun(desk.task, desk.setting(about))}
    steps = about["steps"]
    if before:
        loaded(runs[""], before["run"], path, desk.task.name)
        done = len(runs[""].costs)
        steps = steps if done < steps else done + (order.steps or steps)
        desk.tell({"kind": "on", "step": done, "costs": runs[""].costs, "path": str(path)})
    if order.broken:
        runs[order.broken] = Run.begun(desk.task, desk.setting(about, order.broken))
    _tell_of_the_beginning(desk, runs, steps)
    checkpoint = None if order.broken else Checkpoint(path, about)
    cpu = time.process_time()
    whole = learn(runs, steps, desk.tell, checkpoint, stopped)
    cpu = time.process_time() - cpu
    for one in ends(runs):
        desk.tell(one)
    kept_in = "" if order.broken else str(path)
    desk.tell({"kind": "finished", "cpu": cpu, "whole": whole, "path": kept_in})


def _about(desk: Desk) -> dict[str, Any]:
    """Two models in the same minute have half of the steps each."""
    order, half = desk.order, 2 if desk.order.broken else 1
    steps = order.steps or desk.task.steps // half
    return {"task": desk.task.name, "seed": order.seed, "steps": steps, "text": order.text}


def _tell_of_the_beginning(desk: Desk, runs: Mapping[str, Run], steps: int) -> None:
    said = {"steps": steps, "device": desk.device, "facts": runs[""].learning.facts}
    broken = runs.get(desk.order.broken or " ")
    said["unbroken"] = broken is not None and bool(getattr(broken.learning, "unbroken", False))
    desk.tell({"kind": "start", **said})


def talk(desk: Desk) -> None:
    """So many pieces after the prompt, each as soon as it is there."""
    order, run = desk.order, _trained(desk)
    letters = run.learning.letters(order.prompt, order.temperature, order.seed)
    for _, piece in zip(range(order.count), letters, strict=False):
        desk.tell({"kind": "piece", "text": piece})
    desk.tell({"kind": "said", "cached": getattr(run.learning, "cached", None)})


def look(desk: Desk) -> None:
    """Inside of the model that was trained last, while it reads the prompt.

    Raises ``LearnerError`` where the page with the tools is not ready, or there is none.
    """
    task = desk.task
    if task.looks_with not in desk.pages:
        form = words.NO_TOOLS if task.looks_with else words.NO_LOOK
        raise LearnerError(form.format(task=task.name, page=task.looks_with))
    run = _trained(desk)
    learning: Any = run.learning
    found = asdict(learning.look(desk.order.prompt))
    desk.tell({"kind": "looked", "costs": run.costs, **found})


def _trained(desk: Desk) -> Run:
    """The model that was trained last under this name."""
    before = kept(desk.checkpoint, desk.order.text_name or desk.order.task, desk.device)
    run = Run.begun(desk.task, desk.setting(before["about"]))
    loaded(run, before["run"], desk.checkpoint, desk.task.name)
    return run
