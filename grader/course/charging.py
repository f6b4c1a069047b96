"""What known mistakes cost of an exercise's points, and which of its checks pay for them.

A misconception costs the checks that it is about: these have failed. What else fails because of it
is carried, which the examiner has decided; here only points are counted, of whatever the checks are
worth by now. If an assignment drops what a mistake is about, another check pays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.model import Outcome, Verdict, total

LEAST, MOST = 0.05, 0.25  # of an exercise's points, for one misconception
_TENTHS = 10
_RIGHT = (Outcome.PASSED, Outcome.SKIPPED)


def charged(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of an exercise of which all that failed is explained; each with the part of its
    points that it has given back.

    One check after another pays what it lost, those that have failed first, until all is paid for.
    Costs are in tenths of a point.
    """
    wrong = [verdict for verdict in verdicts if verdict.outcome not in _RIGHT]
    paying = sorted(wrong, key=lambda verdict: verdict.outcome is Outcome.CARRIED)
    cost = _cost(wrong, total(verdict.max_points for verdict in verdicts))
    paid = dict(zip(map(id, paying), _paid(cost, paying), strict=True))
    return [_given_back(v, paid[id(v)]) if id(v) in paid else v for v in verdicts]


def _lost(verdict: Verdict) -> float:
    return verdict.max_points - verdict.strict_points


def _cost(wrong: Sequence[Verdict], whole: float) -> float:
    """Of all misconceptions together, in points; never more than what was lost."""
    names = dict.fromkeys(verdict.misconception for verdict in wrong if verdict.misconception)
    about = [verdict for verdict in wrong if verdict.outcome is not Outcome.CARRIED]
    lost = [sum(_lost(v) for v in about if v.misconception == name) for name in names]
    costs = (min(max(points, LEAST * whole), MOST * whole) for points in lost)
    return min(math.ceil(round(sum(costs) * _TENTHS, 6)) / _TENTHS, sum(map(_lost, wrong)))


def _paid(cost: float, paying: Sequence[Verdict]) -> Iterator[float]:
    for verdict in paying:
        paid = min(cost, _lost(verdict))
        yield paid
        cost -= paid


def _given_back(verdict: Verdict, paid: float) -> Verdict:
    worth = verdict.max_points
    back = round((_lost(verdict) - paid) / worth, 9) if worth else 0.0
    return replace(verdict, carried=max(back, 0.0))
