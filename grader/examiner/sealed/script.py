"""What a check asks, as data: inputs, steps, comparisons, and decisions about answers.

A comparison is a script. Its steps, taken with an implementation, are a probe,
and whatever asks a probe again in another way can do so with a script. What a check asks and
asserts outside of comparisons is a path of steps and decisions. What an earlier step gave is spoken
of by that step's number and the way into its value, so gradients flow through a chain of calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from grader.examiner.sealed.drawn import Law


@dataclass(frozen=True)
class Input:
    """One of the inputs, by its place among them."""

    number: int


@dataclass(frozen=True)
class Given:
    """What an earlier step gave, or a part of it by the keys that lead there."""

    step: int
    path: tuple[int | str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One thing to do: ``call`` a function or class; or with the object ``of``, ``method``,
    ``load``, ``parameters``, ``buffers``, ``loose_tensors``, ``hooks``, ``copy``; ``seen`` and
    ``gradients`` are asked of the program, and how much work it does from ``count`` to ``counted``.
    Here, ``torch`` and ``number`` compute, and ``like``, ``led``, ``usable`` and ``finding`` may
    fail the check.
    """

    number: int
    does: str
    name: str = ""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    of: Given | None = None
    device: str = ""
    autocast: torch.dtype | None = None


@dataclass(frozen=True)
class Script:
    """A comparison. ``value`` is what is judged, with ``Given`` for what steps gave; ``wrt`` are
    the inputs, by number, whose gradients are wanted.
    """

    inputs: tuple[Any, ...]
    steps: tuple[Step, ...]
    value: Any
    wrt: tuple[int, ...] = ()

    @property
    def wanted(self) -> list[torch.Tensor]:
        """The inputs whose gradients are compared."""
        return [self.inputs[number] for number in self.wrt]


def same_scripts(one: Script, other: Script) -> bool:
    """Whether they ask the same on equal inputs."""
    asked, also = ((s.steps, s.value, s.wrt, len(s.inputs)) for s in (one, other))
    return asked == also and all(map(_equal, one.inputs, other.inputs))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same_form = (one.dtype, one.device) == (other.dtype, other.device)
        return same_form and not one.is_meta and torch.equal(one, other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)


@dataclass(frozen=True)
class Compared:
    """Here the check makes one of its comparisons, by its number among them."""

    number: int


@dataclass(frozen=True)
class Attempt:
    """Steps, on ``inputs``, that must be refused; ``what`` completes "... is accepted"."""

    inputs: tuple[Any, ...]
    steps: tuple[Step, ...]
    what: str


@dataclass(frozen=True)
class Refusals:
    """Attempts that must all be refused."""

    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Decision:
    """What ``of`` gave is ``usual`` or not; if not, the check goes on ``otherwise``, on the inputs
    ``before`` and further ones. Where it is not known how, it goes on as usual.
    """

    of: Given
    usual: bool
    before: int = 0
    inputs: tuple[Any, ...] = ()
    otherwise: Path | None = None


Item = Step | Decision | Compared | Refusals


@dataclass(frozen=True)
class Path:
    """What a check does, one after the other, and what it says in the end if it fails then. In
    what it ``said`` stand ``hole(n)`` for the text that a step gave.
    """

    items: tuple[Item, ...]
    said: str | None = None


@dataclass(frozen=True)
class Recording:
    """A whole check: ``inputs`` are those of its ``path``; ``drawn`` is, by law, how many numbers
    were drawn for all of it.
    """

    inputs: tuple[Any, ...]
    comparisons: tuple[Script, ...]
    path: Path
    drawn: Mapping[Law, int] = field(default_factory=dict)


_HOLE = "\ue000{}\ue001"  # of a private range of Unicode: stands in nobody's sentence
_HOLES = re.compile(_HOLE.format("([0-9]+)"))


def hole(number: int) -> str:
    """Stands in a sentence for what a step gave."""
    return _HOLE.format(number)


def holes_in(sentence: str) -> list[int]:
    """The numbers of these steps."""
    return [int(number) for number in _HOLES.findall(sentence)]


def without_holes(sentence: str, text_of: Callable[[int], str]) -> str:
    """The sentence with the texts that steps gave."""
    return _HOLES.sub(lambda found: text_of(int(found[1])), sentence)


def sentences_of(path: Path) -> Iterator[str]:
    """All that a check may say at the end of a path, or of those that leave it."""
    for item in path.items:
        if isinstance(item, Refusals):
            yield from (attempt.what for attempt in item.attempts)
        elif isinstance(item, Step) and item.does == "finding":
            yield from (said for said in (*item.args, *item.kwargs.values()) if type(said) is str)
        elif isinstance(item, Decision) and item.otherwise is not None:
            yield from sentences_of(item.otherwise)
    if path.said is not None:
        yield path.said
