"""A check as data, with what it does where its decisions fall otherwise than for the reference.

It is run once as it goes, and once more for each decision, forced to fall the other way; and so on
along what it does then, where mostly it says what is wrong.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.examiner.check_run import CheckCase
from grader.examiner.sealed.drawn import Law, together
from grader.examiner.sealed.script import (
    Attempt,
    Compared,
    Decision,
    Given,
    Item,
    Path,
    Recording,
    Refusals,
    Script,
    Step,
    holes_in,
    same_scripts,
)
from grader.programs.failure import CheckFailed, finding_of
from grader.release import words
from grader.release.idle import is_form, is_idle, without_idle
from grader.release.recorder import Fork, Unrecordable, steps_of
from grader.release.recording import Taken
from grader.report.words import told

_MOST_RUNS = 300  # of one check
_MOST_STEPS = 1 << 14  # of one path: so numbers differ from path to path
_DEEPEST = 4  # decisions that fall otherwise, one after the other

Right = Mapping[str, Any]


def recorded(case: CheckCase, right: Right, others: Sequence[Right] = ()) -> Recording:
    """What a check asks, in order, of the program that is ``right``. Demanded of the form of
    answers is what ``others``, right as well, share. Raises ``Unrecordable`` with the reason.
    """
    if case.collected.measures:
        raise Unrecordable(words.CLOCKED)
    if "given" in case.collected.asks_for:
        raise Unrecordable(words.ASKS_THE_STUB)
    taken = Taken(case, right)
    if taken.error is not None:
        error = taken.error
        raise error if isinstance(error, Unrecordable) else Unrecordable(str(error))
    trunk = _Branch(_with_others(case, taken, others))
    if not any(isinstance(item, (Step, Compared, Refusals)) for item in trunk.items):
        raise Unrecordable(words.NOTHING_ASKED)
    scripts = list(taken.comparisons.values())
    _explore(case, right, trunk, scripts)
    drawn = together(taken.drawn, *(branch.drawn for branch in _all(trunk)))
    return Recording(tuple(taken.recorder.inputs), tuple(scripts), _pruned(trunk), drawn)


@dataclass
class _Branch:
    """Items from a fork to the end, what was ``drawn`` until then, and the branches at its own
    forks, by their place.
    """

    items: Sequence[Item | Fork]
    said: str | None = None
    inputs: tuple[Any, ...] = ()
    drawn: dict[Law, int] = field(default_factory=dict)
    otherwise: dict[int, _Branch] = field(default_factory=dict)


def _explore(case: CheckCase, right: Right, trunk: _Branch, scripts: list[Script]) -> None:
    """Breadth first: what is found with one decision is told to most. Comparisons that are made
    there alone come after the other ``scripts``.
    """
    left, waiting = _MOST_RUNS, deque([(trunk, dict[int, int](), 0)])
    while waiting:
        branch, forced, before = waiting.popleft()
        forks = [place for place, item in enumerate(branch.items) if isinstance(item, Fork)]
        for number, place in enumerate(forks, start=before):
            if not left:
                return
            left -= 1
            further = {**forced, number: (_MOST_RUNS - left) * _MOST_STEPS}
            other = _branch_of(case, right, further, scripts)
            if other is None:
                continue
            branch.otherwise[place] = other
            if len(forced) + 1 < _DEEPEST:
                waiting.append((other, further, number + 1))


def _branch_of(
    case: CheckCase, right: Right, forced: Mapping[int, int], scripts: list[Script]
) -> _Branch | None:
    """What comes after the last decision that is forced; None for what ends in an accident."""
    taken = Taken(case, right, forced)
    items = taken.recorder.items
    forks = [place for place, item in enumerate(items) if isinstance(item, Fork)]
    if max(forced) >= len(forks):
        return None
    at = forks[max(forced)]
    fork = items[at]
    assert isinstance(fork, Fork)
    said, error = None, taken.error
    if isinstance(error, AssertionError):
        said = finding_of(error)
    elif isinstance(error, CheckFailed):
        is_told = any(isinstance(item, Step) and item.does == "finding" for item in items[at:])
        said = None if is_told else told(error.cause).rationale
    elif error is not None:
        return None
    further = list(_numbered(items[at + 1 :], taken.comparisons, scripts))
    return _Branch(further, said, tuple(taken.recorder.inputs[fork.before :]), taken.drawn)


def _numbered(
    items: Sequence[Item | Fork], made: Mapping[int, Script], scripts: list[Script]
) -> Iterator[Item | Fork]:
    """The items, in which a comparison has its place among all ``scripts`` as its number."""
    for item in items:
        if isinstance(item, Compared) and item.number in made:
            script = made[item.number]
            known = (number for number, one in enumerate(scripts) if same_scripts(one, script))
            number = next(known, len(scripts))
            scripts += [script] if number == len(scripts) else []
            yield Compared(number)
        elif not isinstance(item, Compared):  # of one that was not made to its end nothing is known
            yield item


# The same of several right programs -----------------------------------------------------------


def _with_others(case: CheckCase, taken: Taken, others: Sequence[Right]) -> list[Item | Fork]:
    """The items without the forms that another right program's answers do not have; and with its
    attempts where it went further before it refused: one refuses when an object is made, another
    when it is used.
    """
    items = list(taken.recorder.items)
    if not any(isinstance(item, Refusals) or is_form(item) for item in items):
        return items
    for names in others:
        with contextlib.suppress(Unrecordable):
            other = Taken(case, names)
            if other.error is None:
                items = list(_shared(items, other.recorder.items))
    return items


def _shared(items: Sequence[Item | Fork], other: Sequence[Item | Fork]) -> Iterator[Item | Fork]:
    forms = iter([item.args[1:] for item in other if isinstance(item, Step) and is_form(item)])
    refusals = iter([item for item in other if isinstance(item, Refusals)])
    for item in items:
        if isinstance(item, Refusals):
            yield _longer(item, next(refusals, item))
            continue
        wanted = item.args[1:] if isinstance(item, Step) and is_form(item) else None
        if wanted is None or next(forms, wanted) == wanted:
            yield item


def _longer(one: Refusals, other: Refusals) -> Refusals:
    if len(one.attempts) != len(other.attempts):
        return one
    pairs = zip(one.attempts, other.attempts, strict=True)
    return Refusals(tuple(_longer_attempt(*pair) for pair in pairs))


def _longer_attempt(one: Attempt, other: Attempt) -> Attempt:
    same_start = one.steps[0].number == other.steps[0].number
    return other if same_start and len(other.steps) > len(one.steps) else one


# Without what nobody needs --------------------------------------------------------------------


def _pruned(trunk: _Branch) -> Path:
    """Without what is computed for nothing, and without decisions of which nothing is known."""
    branches = list(_all(trunk))
    steps = [step for one in branches for step in steps_of(one.items)]
    roots = [root for one in branches for root in _roots(one)]
    kept = without_idle(sorted(steps, key=lambda step: step.number), roots)
    return _path(trunk, {step.number for step in kept})


def _all(branch: _Branch) -> Iterator[_Branch]:
    yield branch
    for other in branch.otherwise.values():
        yield from _all(other)


def _roots(branch: _Branch) -> Iterator[Any]:
    """What its decisions, attempts and words speak of."""
    for place in branch.otherwise:
        fork = branch.items[place]
        assert isinstance(fork, Fork)
        yield fork.of
    for item in branch.items:
        if isinstance(item, Refusals):
            yield from ((s.args, s.kwargs, s.of) for one in item.attempts for s in one.steps)
        elif isinstance(item, Step) and item.does == "finding":
            said = [one for one in (*item.args, *item.kwargs.values()) if isinstance(one, str)]
            yield from (Given(number) for one in said for number in holes_in(one))
    yield from (Given(number) for number in holes_in(branch.said or ""))


def _path(branch: _Branch, needed: set[int]) -> Path:
    items: list[Item] = []
    for place, item in enumerate(branch.items):
        if isinstance(item, Fork):
            other = branch.otherwise.get(place)
            if other is not None:
                otherwise = _path(other, needed)
                items.append(Decision(item.of, item.usual, item.before, other.inputs, otherwise))
        elif not isinstance(item, Step) or not _may_go(item) or item.number in needed:
            items.append(item)
    return Path(tuple(items), branch.said)


def _may_go(step: Step) -> bool:
    return is_idle(step) or is_form(step)
