"""One exercise's suite: its checks, its reference and its misconceptions, each read once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch

from grader.course.course import Course
from grader.course.page_names import given_names, used_within
from grader.course.release import untouched
from grader.examiner.device_advice import Elsewhere
from grader.examiner.expected import Readings
from grader.examiner.known_pass import KnownPass
from grader.examiner.memory_need import Need
from grader.examiner.question import Known
from grader.examiner.rounds import Rounds
from grader.model import Check, Exercise
from grader.programs.bank import Entry, Stage, load_bank, load_stages
from grader.programs.client import Client
from grader.programs.draw import Draw
from grader.programs.failure import Evidence
from grader.programs.page import Page, load_by_path
from grader.programs.program import LocalProgram, Opening

_WAYS = (1, 2, 3)  # of nudging inputs


@dataclass(frozen=True)
class CollectedCheck:
    """A check as pytest found it: a function to call, and what its marks say.

    ``parameters`` are those of ``pytest.mark.parametrize``; ``seconds`` is the deadline. ``kept``
    is why it stays though no misconception needs it; ``without`` are the ways in which its probes
    are not asked again.
    """

    check: Check
    function: Callable[..., None]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 5.0
    per_student: bool = False
    kept: str = ""
    without: frozenset[str] = frozenset()

    @cached_property
    def asks_for(self) -> frozenset[str]:
        """The names of its fixtures and parameters."""
        return frozenset(inspect.signature(self.function).parameters)

    @property
    def clocked(self) -> bool:
        """Whether others may disturb it."""
        return "faster_than" in self.asks_for

    @property
    def weighs(self) -> bool:
        """Whether it has a GPU alone, for memory is measured."""
        return "leaner_than" in self.asks_for

    @property
    def measures(self) -> bool:
        """Whether time or memory is measured."""
        return self.clocked or self.weighs


@dataclass(frozen=True)
class Repeats:
    """The kinds of calls that a check asks again, and the names that no earlier one has called."""

    kinds: frozenset[Any]
    names: frozenset[str]


@dataclass
class Shared:
    """What a check's inputs, which are the same for everybody in a run, need asking only once;
    whose ``answers`` are ``rough``, of one that failed when it was asked again; those ``until`` a
    comparison, and in each one ``behind`` it, if nothing is asked again; what came ``elsewhere`` of
    the reference, by the calls that were tried there; what it answered and needed when it was
    ``weighed``, which is there once it was; and the ``passes`` of programs that answered each in
    their own way.
    """

    known: dict[int, Known] = field(default_factory=dict)
    answers: dict[str, Evidence | None] = field(default_factory=dict)
    rough: set[str] = field(default_factory=set)
    until: dict[tuple[str, int], Evidence | None] = field(default_factory=dict)
    behind: dict[tuple[str, int], Mapping[int, Evidence | None]] = field(default_factory=dict)
    elsewhere: dict[frozenset[Any], Elsewhere] = field(default_factory=dict)
    weighed: list[tuple[Any, Need]] = field(default_factory=list)
    passes: list[KnownPass] = field(default_factory=list)


@dataclass
class Suite:
    """What one exercise is judged with; ``known`` are the exercises there are, and ``repeated`` is
    which kinds of calls its checks ask again, by device. ``drawing`` is what their inputs are drawn
    with, from a seed and on a device.
    """

    course: Course
    exercise: Exercise
    known: Mapping[str, Exercise]
    checks: tuple[CollectedCheck, ...]
    drawing: Callable[[int, str], Draw] = Draw
    repeated: dict[str, Mapping[str, Repeats]] = field(default_factory=dict)
    _readings: dict[str, Readings[Client]] = field(default_factory=dict)
    _shared: dict[tuple[str, str], tuple[int, Shared]] = field(default_factory=dict)

    @cached_property
    def reference(self) -> dict[str, Any]:
        return dict(vars(load_by_path(self.course.solution(self.exercise.name))))

    @cached_property
    def given(self) -> dict[str, Any]:
        """The stub, as a program."""
        name = self.exercise.name
        return Page(self.course.page(name)).program(untouched(self.course, name))

    @cached_property
    def misconceptions(self) -> list[Entry]:
        name = self.exercise.name
        bank = load_bank(self.course.misconceptions(name), self.course.solution(name))
        return [entry for entry in bank if entry.sentence]

    @cached_property
    def stages(self) -> list[Stage]:
        """How far the page may be written, where what comes later is only ignored."""
        name = self.exercise.name
        return load_stages(self.course.misconceptions(name), self.course.solution(name))

    @cached_property
    def rests_on(self) -> dict[str, frozenset[str]]:
        """Which other functions and classes of its page each one is made from, not counting those
        that the page gives.
        """
        text = self.course.solution(self.exercise.name).read_text(encoding="utf-8")
        return {name: used - given_names(text) for name, used in used_within(text).items()}

    def references_on(self, device: str) -> Readings[Client]:
        """The reference in float64, as it comes, and in float64 on inputs nudged in some ways."""
        if device not in self._readings:
            names, high = self.reference, torch.float64
            programs = Readings(
                LocalProgram(names, high),
                LocalProgram(names),
                tuple(LocalProgram(names, high, nudge=way) for way in _WAYS),
            )
            opening = Opening(self.exercise, device=device)
            self._readings[device] = programs.mapped(lambda program: program.open(opening))
        return self._readings[device]

    def rounds(self, collected: CollectedCheck, repeats: Mapping[str, Repeats]) -> Rounds:
        """In which ways the probes of a check are asked again."""
        turn, own = self.checks.index(collected), repeats[collected.check.name]
        return Rounds(own.kinds, own.names, self.exercise.dtypes, collected.without, turn)

    def asked_again(self) -> dict[str, set[str]]:
        """In which ways each function and class was asked again by the checks made so far."""
        found: dict[str, set[str]] = {name: set() for name in self.exercise.names}
        known = [k for _, shared in self._shared.values() for k in shared.known.values()]
        for name in found:
            found[name] = {
                way for k in known if name in k.names for how in k.rounds or () for way in how
            }
        return found

    def shared(self, check: str, device: str, seed: int) -> Shared:
        """What is known of a check on the inputs of ``seed``; only one seed is remembered."""
        known = self._shared.get((check, device))
        if known is None or known[0] != seed:
            known = self._shared[check, device] = (seed, Shared())
        return known[1]
