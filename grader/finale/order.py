"""What the far side is asked for, as it travels: one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any


@dataclass(frozen=True)
class Order:
    """``finale`` is the folder in which the course says what there is. ``mine`` and ``ours`` say
    where pages lie: those of the learner that are ready, and the course's for the others.

    ``out`` is the folder for checkpoints; ``text`` is a text to learn, ``text_name`` its name.
    ``steps`` 0 means as many as the task says. ``count`` pieces are written after ``prompt``; where
    it ``looks``, the model is looked into while it reads that.
    """

    finale: str
    mine: Mapping[str, str] = field(default_factory=dict)
    ours: Mapping[str, str] = field(default_factory=dict)
    task: str = ""
    text: str = ""
    text_name: str = ""
    broken: str = ""
    seed: int = 0
    steps: int = 0
    device: str = ""
    out: str = ""
    goes_on: bool = False
    prompt: str = ""
    count: int = 0
    temperature: float = 0.8
    looks: bool = False

    @property
    def paths(self) -> dict[str, str]:
        """Where each page is taken from."""
        return {**self.ours, **self.mine}

    @property
    def stem(self) -> str:
        """What its files are called: of a task, or of the text that was given."""
        return f"{self.task}_{PurePath(self.text_name).stem}" if self.text_name else self.task

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Order:
        form: dict[str, Any] = json.loads(text)
        return Order(**form)
