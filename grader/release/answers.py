"""What is right, worked out at home for every way in which a recorded check will be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from grader.errors import SuiteError
from grader.examiner.check_run import CheckCase, CheckRun
from grader.examiner.expected import Expected
from grader.examiner.question import Known, Question
from grader.examiner.rounds import alone_in
from grader.examiner.sealed.script import Comparison, Event, Given, Script, Step
from grader.programs.again import FIRST, How
from grader.programs.program import LocalProgram
from grader.programs.proxy import Implementation, ModuleProxy
from grader.sandbox.devices import seed_all

Settled = tuple[tuple[Event, ...], dict[int, Known]]


def settled(case: CheckCase, events: Sequence[Event]) -> Settled:
    """The events, and by their number what is right. Of what is left to chance only the form is
    judged.
    """
    rounds = _rounds_of(case)
    found: list[Event] = []
    known: dict[int, Known] = {}
    for number, event in enumerate(events):
        if isinstance(event, Comparison) and event.is_loose:
            event = replace(event, script=_without_chance(case, event.script))
            known[number] = _values_only(case, event.script, number)
        elif isinstance(event, Comparison):
            known[number] = _in_all_ways(case, event.script, number, next(rounds))
        found.append(event)
    return tuple(found), known


def _rounds_of(case: CheckCase) -> Any:
    """In which rounds each comparison of the check is repeated, in their order."""
    error = CheckRun(case, LocalProgram(case.suite.reference)).run()
    if error is not None:
        raise SuiteError(f"the reference does not pass: {error}")
    known = case.shared.known
    return iter([known[step].rounds or [] for step in sorted(known)])


def _question(case: CheckCase, script: Script, number: int, known: Known) -> Question:
    references = case.suite.references_on(case.device)
    return Question(references, script, script.wanted, number, case.seed, known)


def _in_all_ways(case: CheckCase, script: Script, number: int, rounds: list[How]) -> Known:
    known = Known(rounds=list(rounds))
    question = _question(case, script, number, known)
    known.right = question.expected([FIRST, *rounds], nudge=True)
    for way in dict.fromkeys(way for how in rounds for way in alone_in(how)):
        try:
            known.alone[way] = question.expected([FIRST, way], nudge=True)[way]
        except SuiteError:
            known.unanswered.add(way)
    return known


def _values_only(case: CheckCase, script: Script, number: int) -> Known:
    asked = case.suite.references_on(case.device).mapped(
        _question(case, script, number, Known()).put_to
    )
    return Known({FIRST: Expected(asked.mapped(lambda one: one.ask(FIRST)))})


# What is left to chance ---------------------------------------------------------------------------


def _without_chance(case: CheckCase, script: Script) -> Script:
    """The script, whose value holds the form of what is another with every seed."""
    one, other = (_answers(case, script, seed) for seed in (1, 2))
    steps, value = list(script.steps), []
    for given, first, second in zip(script.value, one, other, strict=True):
        if _differs(first, second):
            steps.append(Step("form", args=(given,)))
            given = Given(len(steps) - 1)
        value.append(given)
    return replace(script, steps=tuple(steps), value=tuple(value))


def _answers(case: CheckCase, script: Script, seed: int) -> Any:
    client = LocalProgram(case.suite.reference).open(replace(case.opening, seed=seed))
    client.begin()
    seed_all(seed)
    return script(Implementation(client))


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        return len(one) != len(other) or any(map(_differs, one, other))
    if isinstance(one, dict):
        return bool(one.keys() != other.keys()) or any(_differs(one[k], other[k]) for k in one)
    if isinstance(one, np.ndarray):
        return not np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, torch.Tensor):
        if one.is_meta or one.shape != other.shape:
            return bool(one.shape != other.shape)
        return not torch.allclose(one.double(), other.double(), equal_nan=True)
    return not isinstance(one, ModuleProxy) and bool(one != other)
