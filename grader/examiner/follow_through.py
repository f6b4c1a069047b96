"""A mistake costs what it is worth, and what follows from it is marked as if it had not been made.

Examiners call that *error carried forward* or *follow-through marks*. It takes somebody who knows
what a wrong answer equals: where misconceptions, at most two, give the same answers in every check
that failed, and would pass what passed (``diagnosis.py``), nothing else is wrong with the exercise.

A misconception is *about* the checks that its entry says catch it, which the proofs hold it to. It
costs their points, at least a twentieth of what the exercise is worth and at most a quarter, and
never more than the failed checks are worth. What else it makes fail is *carried*.

Nothing is carried where one failed check is left unexplained; after a crash, a hang or too much
memory, after anything refused, and beside what is suspiciously fast; nor where nothing passes, or
what comes back is mostly one number throughout: then the idea is missing, and that is no slip.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.model import Outcome, Verdict, total
from grader.programs.bank import Entry

LEAST, MOST = 0.05, 0.25  # of an exercise's points, for one misconception
_TENTHS = 10
_TOGETHER = 2
_RIGHT = (Outcome.PASSED, Outcome.SKIPPED)
_EXPLAINABLE = (*_RIGHT, Outcome.FAILED, Outcome.ERROR)
_CONSTANT = "one_number"
_FOLLOWS = "wrong_when_timed"  # of a wrong answer nobody need know how long it took


def followed(verdicts: Sequence[Verdict], bank: Sequence[Entry]) -> list[Verdict]:
    """The verdicts on all checks of an exercise, with what is carried.

    Strict points never change. One check after another pays what it lost, those that the mistakes
    are about first, until they are paid for: the others have all their points given.
    """
    entries = {entry.name: entry for entry in bank}
    failed = [verdict for verdict in verdicts if verdict.outcome not in _RIGHT]
    names = dict.fromkeys(verdict.misconception for verdict in failed if verdict.misconception)
    explained = bool(names) and len(names) <= _TOGETHER and entries.keys() >= names.keys()
    if not (
        explained and all(map(_is_slip, failed)) and _has_an_idea(failed) and _is_honest(verdicts)
    ):
        return list(verdicts)
    about = [[v for v in failed if v.check.name in entries[name].caught_by] for name in names]
    cost = _cost(about, failed, total(verdict.max_points for verdict in verdicts))
    own = {id(verdict) for group in about for verdict in group}
    paying = sorted(failed, key=lambda verdict: id(verdict) not in own)
    paid = dict(zip(map(id, paying), _shared(cost, paying), strict=True))
    return [_carried(v, paid[id(v)], id(v) in own) if id(v) in paid else v for v in verdicts]


def _is_slip(verdict: Verdict) -> bool:
    """Whether a failed check is explained."""
    kind = verdict.cause.kind if verdict.cause is not None else ""
    known = verdict.misconception is not None or kind == _FOLLOWS
    return known and verdict.outcome in _EXPLAINABLE


def _is_honest(verdicts: Sequence[Verdict]) -> bool:
    """Whether something is right, and nothing is suspicious."""
    suspicious = any(v.measured is not None and v.measured.suspicious for v in verdicts)
    refused = any(verdict.refused for verdict in verdicts)
    return any(v.outcome is Outcome.PASSED for v in verdicts) and not (suspicious or refused)


def _has_an_idea(failed: Sequence[Verdict]) -> bool:
    """Whether what comes back is mostly more than one number throughout."""
    constant = sum(v.cause is not None and v.cause.kind == _CONSTANT for v in failed)
    return 2 * constant < len(failed)


def _lost(verdict: Verdict) -> float:
    return verdict.max_points - verdict.strict_points


def _cost(about: Sequence[Sequence[Verdict]], failed: Sequence[Verdict], whole: float) -> float:
    """What the misconceptions cost together, in points: in tenths, as marks are read."""
    costs = (min(max(sum(map(_lost, own)), LEAST * whole), MOST * whole) for own in about)
    return min(math.ceil(round(sum(costs) * _TENTHS, 6)) / _TENTHS, sum(map(_lost, failed)))


def _shared(cost: float, paying: Sequence[Verdict]) -> Iterator[float]:
    """What each has to pay: all that it lost, one after another, until nothing is left to pay."""
    for verdict in paying:
        paid = min(cost, _lost(verdict))
        yield paid
        cost -= paid


def _carried(verdict: Verdict, paid: float, is_about: bool) -> Verdict:
    """With what is given back; one that got nothing back, or is what it is about, has failed."""
    back = round(_lost(verdict) - paid, 9)
    if back <= 0:
        return verdict
    outcome = verdict.outcome if is_about else Outcome.CARRIED
    return replace(verdict, outcome=outcome, carried=back / verdict.max_points)
