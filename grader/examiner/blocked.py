"""Exercises that assemble the submission's own earlier modules: is one of those at fault?

A capstone built on a wrong module gives wrong answers however well it is wired. Its failed checks
are then ``blocked`` by the module to mend first, instead of being a cascade of failures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.model import Cause, Fact, Outcome, Verdict

_DOUBTFUL = (Outcome.FAILED, Outcome.ERROR, Outcome.TIMEOUT, Outcome.MEMORY)
_RIGHT = (Outcome.PASSED, Outcome.SKIPPED)


def mend_first(verdicts: Sequence[Verdict], own: Mapping[str, Sequence[Verdict]]) -> list[Verdict]:
    """The verdicts of an exercise, given those of the own modules it uses, in teaching order.

    A failed check is blocked by the first of these that does not pass its own suite. What such a
    module raises is the caller's doing if it passes: then it was handed what it cannot use.
    """
    failing = {name: sum(v.outcome not in _RIGHT for v in found) for name, found in own.items()}
    verdicts = [v if failing.get(blamed(v), 1) else _of_the_caller(v) for v in verdicts]
    for name in filter(failing.get, own):
        facts: dict[str, Fact] = {
            "other": name,
            "failing": failing[name],
            "checks": len(own[name]),
        }
        return [_blocked(v, facts) if is_doubtful(v) else v for v in verdicts]
    return verdicts


def is_doubtful(verdict: Verdict) -> bool:
    """Whether a check failed for a reason that need not lie in the exercise's own module."""
    return verdict.outcome in _DOUBTFUL and not verdict.settled


def blamed(verdict: Verdict) -> str:
    """The other module in which an exception was raised; empty where none was."""
    cause = verdict.cause
    return str(cause.facts["other"]) if cause is not None and cause.kind == "needs_unready" else ""


def _of_the_caller(verdict: Verdict) -> Verdict:
    assert verdict.cause is not None
    return replace(verdict, outcome=Outcome.ERROR, cause=verdict.cause.because)


def _blocked(verdict: Verdict, facts: Mapping[str, Fact]) -> Verdict:
    facts = {**facts, "module": verdict.check.exercise}
    cause = Cause("needs_wrong", facts, because=verdict.cause)
    return replace(verdict, outcome=Outcome.BLOCKED, cause=cause, lesson="")
