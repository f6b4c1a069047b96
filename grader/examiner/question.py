"""One probe of a check, put to a program and to the references, once or again in other ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from grader.errors import SuiteError
from grader.examiner.expected import Expected, Readings, expect, nudged
from grader.examiner.judge import Judge
from grader.programs.again import FIRST, How, Probe, Repeated
from grader.programs.client import Client
from grader.programs.draw import Draw, derive_seed
from grader.programs.failure import CheckFailed
from grader.programs.gradients import Gradients


@dataclass
class Known:
    """What is right, by the way of asking: first and then in ``rounds``, if these are settled; and
    in one way ``alone``, but for those ``unanswered`` by the references. ``names`` are the public
    functions and classes that are called.
    """

    right: dict[How, Expected] = field(default_factory=dict)
    rounds: list[How] | None = None
    names: frozenset[str] = frozenset()
    alone: dict[How, Expected] = field(default_factory=dict)
    unanswered: set[How] = field(default_factory=set)


class Question:
    """A probe at one step of a check; ``known`` is what an earlier program left to know of it."""

    def __init__(
        self,
        references: Readings[Client],
        probe: Probe,
        wrt: Sequence[torch.Tensor],
        step: int,
        seed: int,
        known: Known,
    ) -> None:
        self.references, self.probe, self.wrt = references, probe, wrt
        self.step, self.known = step, known
        self._seed = derive_seed(seed, "cotangent", step)
        self._asked_first: Readings[Repeated] | None = None

    def draw(self) -> Draw:
        """That of its cotangents, which are the same in every way of asking."""
        return Draw(self._seed)

    def put_to(self, client: Client) -> Repeated:
        return Repeated(client, self.probe, self.wrt)

    def first(self, asked: Repeated) -> None:
        """Ask; raises ``CheckFailed`` when the answer differs from what is right."""
        known = self.known.right
        if FIRST not in known:
            known[FIRST] = self.expected([FIRST])[FIRST]
        self._judge(asked, [FIRST], known)

    def again(self, asked: Repeated, how: How) -> None:
        """Ask in one of the rounds, after those before it."""
        rounds = self.known.rounds or []
        self._judge(asked, [FIRST, *rounds[: rounds.index(how)], how], self.known.right)

    def alone(self, client: Client, how: How) -> None:
        """Ask in one way and nothing before it but the first; if the references have no answer, any
        is right.
        """
        if self.has_answer(how):
            asked = self.put_to(client)
            asked.ask(FIRST)
            self.repeat(asked, how)

    def repeat(self, asked: Repeated, how: How) -> None:
        """Ask what was asked just now in one way, to which the references have an answer."""
        self._judge(asked, [FIRST, how], self.known.alone)

    def has_answer(self, how: How) -> bool:
        """Whether the references can answer when they are asked once and then so."""
        alone, unanswered = self.known.alone, self.known.unanswered
        if how not in alone and how not in unanswered:
            try:
                alone[how] = self.expected([FIRST, how])[how]
            except SuiteError:
                unanswered.add(how)
        return how in alone

    def expected(self, hows: Sequence[How]) -> dict[How, Expected]:
        """What is right when the same is asked in one way after the other; raises ``SuiteError``
        where the references cannot answer. References that were just asked first go on from there.
        """
        asked, self._asked_first = self._asked_first, None
        if asked is None:
            asked = replace(self.references, nudged=()).mapped(self.put_to)
        else:
            hows = hows[1:]
        with _same_chance():
            found = {how: expect(asked, how, self.draw()) for how in hows}
        self._asked_first = asked if hows == [FIRST] else None
        return found

    def with_room(self, right: Mapping[How, Expected], hows: Sequence[How]) -> dict[How, Expected]:
        """What is ``right``, with what the nudged references answer in one way of ``hows`` after
        the other.
        """
        found: dict[How, list[tuple[Any, Gradients | None]]] = {how: [] for how in right}
        with _same_chance():
            for asked in map(self.put_to, self.references.nudged):
                for how in hows:
                    if how in right:
                        found[how].append(nudged(asked, how, right[how]))
                    else:
                        asked.ask(how)
        return {how: expected.with_room(found[how]) for how, expected in right.items()}

    def _judge(self, asked: Repeated, hows: Sequence[How], right: dict[How, Expected]) -> None:
        """Ask in the last way and judge by what is ``right``, at first without room for rounding,
        and with it where room may help.

        The very same answer is judged once more: another one could be that of the call before.
        """
        how = hows[-1]
        actual, judge = asked.ask(how), Judge(asked, right[how], self.step)
        try:
            judge.judge(actual)
        except CheckFailed:
            if right[how].value.nudged or not judge.by_rounding:
                raise
            right |= self.with_room({how: right[how]}, hows)
            Judge(asked, right[how], self.step).judge(actual)


@contextmanager
def _same_chance() -> Iterator[None]:
    """A program of ours draws the same, whoever was asked before it."""
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
