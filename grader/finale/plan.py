"""What a course says of its end: parts, tasks, and what may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from grader.errors import LearnerError
from grader.finale import words
from grader.spelling import did_you_mean


@dataclass(frozen=True)
class Part:
    """What is taken from a page. ``instead`` says, by name and as ``module:name``, what may stand
    in where neither the learner nor the course has the page, and ``stands_in`` what that is in
    words; None says that nothing may.
    """

    page: str
    says: str
    instead: Mapping[str, str] | None = None
    stands_in: str = ""


@dataclass(frozen=True)
class Break:
    """One part made wrong on purpose: what ``says`` names, and ``why`` that is seen, or is not.
    ``seen_in`` is the task that shows it best, which is meant where none is named.
    """

    name: str
    says: str
    why: str
    seen_in: str


@dataclass(frozen=True)
class Map:
    """Who looks at whom: a row for each that looks, with its shares. ``under`` says what to see."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    shares: Sequence[Sequence[float]]
    under: str = ""


@dataclass(frozen=True)
class Look:
    """What was found inside a model: in words, line by line, and who looks at whom."""

    lines: Sequence[str]
    maps: Sequence[Map]


@dataclass(frozen=True)
class Setting:
    """What a task begins with. ``pages`` holds a module for each part; ``broken`` names a break,
    or nothing. ``steps`` are those that the learning rate is planned for.
    """

    pages: Mapping[str, Any]
    steps: int
    seed: int = 0
    device: str = "cpu"
    broken: str = ""
    text: str = ""


class Learning(Protocol):
    """A model that learns. It begins the same wherever torch's generator stands the same, and its
    ``state`` holds all that the next steps depend on.

    It may also say that it is ``unbroken``, where a break changed nothing, and whether it is
    ``cached``: whether each letter that it writes is read once. Of a task with ``looks_with`` it
    has ``look(prompt)``, which makes a ``Look``.
    """

    facts: str

    def step(self) -> float:
        """One step; the loss before it."""

    def sample(self, seed: int) -> str:
        """What the model writes by now, in a line or a few."""

    def score(self) -> tuple[float, str]:
        """The share that it gets right when it is asked as a reader would, and in words."""

    def maps(self) -> list[Map]:
        """Who looks at whom, at the end."""

    def letters(self, prompt: str, temperature: float, seed: int) -> Iterator[str]:
        """The prompt continued, piece by piece, without an end."""

    def state(self) -> dict[str, Any]:
        """Numbers, words and tensors, in dicts and lists."""

    def load(self, state: Mapping[str, Any]) -> None:
        """The reverse of ``state``."""


@dataclass(frozen=True)
class Task:
    """Something to learn. ``parts`` are pages; ``optional`` ones only make it better, and are not
    counted where they are not ready. One that ``takes_text`` learns what it is given.
    ``looks_with`` is the optional page with whose tools one can look into the model.
    """

    name: str
    says: str
    parts: Sequence[str]
    steps: int
    begin: Callable[[Setting], Learning]
    takes_text: bool = False
    optional: Sequence[str] = ()
    looks_with: str = ""


@dataclass(frozen=True)
class Finale:
    """All of it; the first task is the one meant where none is named."""

    parts: Sequence[Part]
    tasks: Sequence[Task]
    breaks: Sequence[Break] = field(default=())

    def part(self, page: str) -> Part:
        return next(part for part in self.parts if part.page == page)

    def task(self, name: str) -> Task:
        """Raises ``LearnerError`` for a task there is not."""
        for task in self.tasks:
            if task.name == name or (not name and not task.takes_text):
                return task
        names = [task.name for task in self.tasks if not task.takes_text]
        near = did_you_mean(name, names)
        raise LearnerError(words.NO_TASK.format(name=name, names=", ".join(names), near=near))

    def broken(self, name: str) -> Break:
        """Raises ``LearnerError`` for what cannot be broken."""
        for one in self.breaks:
            if one.name == name:
                return one
        names = [one.name for one in self.breaks]
        near = did_you_mean(name, names)
        raise LearnerError(words.NO_BREAK.format(name=name, names=", ".join(names), near=near))
