"""One model, or a whole one beside a broken one, step by step; and what is told of it.

What is told are dicts of a ``kind`` and what belongs to it; ``here.py`` hands them on.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from grader.errors import LearnerError
from grader.finale import words
from grader.finale.plan import Learning, Setting, Task

SAMPLES = 14  # so many times it is asked to write meanwhile
KEPT_EVERY_SECONDS = 10.0
Tell = Callable[[Mapping[str, Any]], None]


@dataclass
class Run:
    """A model that learns, and where torch's generator stands for it alone: two of them, in turn,
    draw what each would draw by itself.
    """

    learning: Learning
    dice: torch.Tensor
    costs: list[float]

    @staticmethod
    def begun(task: Task, setting: Setting) -> Run:
        torch.manual_seed(setting.seed)
        learning = task.begin(setting)
        return Run(learning, torch.get_rng_state(), [])

    def step(self) -> float:
        """One step, with its own random numbers."""
        torch.set_rng_state(self.dice)
        self.costs.append(self.learning.step())
        self.dice = torch.get_rng_state()
        return self.costs[-1]

    def state(self) -> dict[str, Any]:
        """All that the next steps depend on."""
        return {"learning": self.learning.state(), "dice": self.dice, "costs": self.costs}

    def load(self, state: Mapping[str, Any]) -> None:
        """The reverse of ``state``."""
        self.learning.load(state["learning"])
        self.dice, self.costs = state["dice"].cpu(), list(state["costs"])


class Checkpoint:
    """A file from which a model goes on as if it had never stopped."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path, self.about = path, dict(about)

    def keep(self, run: Run) -> None:
        """Raises ``LearnerError`` where nothing can be written."""
        beside = self.path.with_name(f".{self.path.name}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            torch.save({"about": self.about, "run": _moved(run.state(), "cpu")}, beside)
            os.replace(beside, self.path)
        except OSError as error:
            raise LearnerError(
                words.NOT_KEPT.format(path=self.path, said=error.strerror)
            ) from error


def _moved(state: Any, device: str) -> Any:
    """The same with all tensors there: whoever goes on may have another device."""
    if isinstance(state, torch.Tensor):
        return state.detach().to(device)
    if isinstance(state, dict):
        return {key: _moved(value, device) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(_moved(value, device) for value in state)
    return state


def kept(path: Path, task: str, device: str = "cpu") -> dict[str, Any]:
    """What a checkpoint holds, wherever it was made: ``about`` and ``run``; raises
    ``LearnerError`` without one.
    """
    if not path.is_file():
        raise LearnerError(words.NO_CHECKPOINT.format(path=path, task=task))
    try:
        found: dict[str, Any] = torch.load(path, weights_only=True)
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        said = str(error).splitlines()[0]
        raise LearnerError(
            words.OTHER_CHECKPOINT.format(path=path, said=said, task=task)
        ) from error
    moved: dict[str, Any] = _moved(found, device)
    return moved


def loaded(run: Run, state: Mapping[str, Any], path: Path, task: str) -> None:
    """``run`` where the checkpoint left it; raises ``LearnerError`` if it is another model's."""
    try:
        run.load(state)
    except (RuntimeError, KeyError, ValueError) as error:
        said = str(error).splitlines()[0]
        raise LearnerError(
            words.OTHER_CHECKPOINT.format(path=path, said=said, task=task)
        ) from error


def learn(
    runs: Mapping[str, Run],
    steps: int,
    tell: Tell,
    checkpoint: Checkpoint | None,
    stopped: Callable[[], bool],
) -> bool:
    """All ``runs`` in turn up to ``steps`` steps; whether they came there."""
    kept_at, every = time.monotonic(), max(1, steps // SAMPLES)
    for step in range(len(next(iter(runs.values())).costs), steps):
        for name, run in runs.items():
            tell({"kind": "step", "run": name, "step": step + 1, "cost": run.step()})
            if (step + 1) % every == 0:
                text = run.learning.sample(step)
                tell({"kind": "text", "run": name, "step": step + 1, "text": text})
        if checkpoint is not None and time.monotonic() - kept_at > KEPT_EVERY_SECONDS:
            checkpoint.keep(next(iter(runs.values())))
            kept_at = time.monotonic()
        if stopped():
            break
    if checkpoint is not None:
        checkpoint.keep(next(iter(runs.values())))
    return len(next(iter(runs.values())).costs) >= steps


def ends(runs: Mapping[str, Run]) -> Iterator[dict[str, Any]]:
    """What is told of each at the end."""
    for name, run in runs.items():
        share, says = run.learning.score()
        yield {
            "kind": "end",
            "run": name,
            "costs": run.costs,
            "share": share,
            "says": says,
            "text": run.learning.sample(0),
            "maps": [asdict(one) for one in run.learning.maps()],
        }
