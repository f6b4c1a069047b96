"""Exercises that assemble the submission's own earlier modules: is one of those at fault?

A capstone built on a wrong module gives wrong answers however well it is wired. Its failed checks
are then ``blocked`` by the module to mend first, instead of being a cascade of failures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.model import Cause, Fact, Outcome, Verdict
from grader.report.parts import DONE

_DOUBTFUL = (Outcome.FAILED, Outcome.ERROR, Outcome.TIMEOUT, Outcome.MEMORY)
_NOT_READY = "unwritten", "needs_unready", "needs_missing"  # these raise: no wrong value is theirs


def mend_first(verdicts: Sequence[Verdict], own: Mapping[str, Sequence[Verdict]]) -> list[Verdict]:
    """The verdicts of an exercise, given those of the own modules it uses, in teaching order.

    A failed check is blocked by the first of these that is wrong in its core, or else by the first
    that is wrong at all, unless an exception in its own lines stops it. A recognised misconception
    is the exercise's own, unless a module is wrong in its core: without its straight way it gives
    what a layer gives whose author forgot to add. What a module raises is the caller's doing if it
    passes: then it was handed what it cannot use.
    """
    failing = {name: sum(v.outcome not in DONE for v in found) for name, found in own.items()}
    verdicts = [v if failing.get(blamed(v), 1) else _of_the_caller(v) for v in verdicts]
    in_core = [name for name, found in own.items() if any(map(is_wrong_in_core, found))]
    wrong = in_core or [name for name, found in own.items() if any(map(_is_wrong, found))]
    if not wrong:
        return verdicts
    first = wrong[0]
    facts: dict[str, Fact] = {"other": first, "failing": failing[first], "checks": len(own[first])}
    is_theirs = _may_be_theirs if in_core else _may_be_of_values
    return [_blocked(v, facts) if is_theirs(v) else v for v in verdicts]


def asks_for_others(verdict: Verdict) -> bool:
    """Whether the other modules must be examined to say whose fault a verdict is."""
    return _may_be_theirs(verdict) or bool(blamed(verdict))


def is_its_own_doing(verdict: Verdict) -> bool:
    """Whether another module can only be at fault if it is wrong in its core, or raised it."""
    return verdict.misconception is not None or not _is_doubtful(verdict)


def is_wrong_in_core(verdict: Verdict) -> bool:
    """Whether the idea of its module is missing; what is only not ready is not wrong."""
    return verdict.check.core and not verdict.right_at_first and _is_wrong(verdict)


def _may_be_theirs(verdict: Verdict) -> bool:
    return _is_doubtful(verdict) or verdict.misconception is not None


def _is_doubtful(verdict: Verdict) -> bool:
    """Whether a check failed for a reason that need not lie in the exercise's own module."""
    return verdict.outcome in _DOUBTFUL and not verdict.settled


def _may_be_of_values(verdict: Verdict) -> bool:
    """Whether what other modules return may have led to it: an exception on a line of the page
    itself is told as that.
    """
    place = verdict.cause.place if verdict.cause else None
    own = place is not None and place.file == f"{verdict.check.exercise}.py"
    return _is_doubtful(verdict) and not (own and verdict.outcome is Outcome.ERROR)


def blamed(verdict: Verdict) -> str:
    """The other module in which an exception was raised; empty where none was."""
    cause = verdict.cause
    return str(cause.facts["other"]) if cause is not None and cause.kind == "needs_unready" else ""


def _is_wrong(verdict: Verdict) -> bool:
    not_ready = verdict.cause is not None and verdict.cause.kind in _NOT_READY
    return verdict.outcome not in DONE and not not_ready


def _of_the_caller(verdict: Verdict) -> Verdict:
    assert verdict.cause is not None
    return replace(verdict, outcome=Outcome.ERROR, cause=verdict.cause.because)


def _blocked(verdict: Verdict, facts: Mapping[str, Fact]) -> Verdict:
    facts = {**facts, "module": verdict.check.exercise}
    cause = Cause("needs_wrong", facts, because=verdict.cause)
    told = replace(verdict, misconception=None, lesson="", settled=False)
    return replace(told, outcome=Outcome.BLOCKED, cause=cause)
