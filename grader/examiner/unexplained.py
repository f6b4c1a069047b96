"""Failures that nobody has explained yet: for these it is worth trying where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grader.examiner.finding import Finding
from grader.examiner.loose_ends import STRANGE_WORD
from grader.model import Outcome, Verdict
from grader.report.follow_through import FOLLOWS

# With what to do about it.
_TELLS_ENOUGH = ("seeds", "input_changed", "refused", "exception", "returns_none_for_word")


def unexplained(found: Sequence[Finding], verdicts: Sequence[Verdict]) -> dict[str, list[int]]:
    """The places of failures that lie in a function of the page and have no name, by function.
    Where something else is known to be wrong in the same one, that comes first: what is left may
    follow from it.
    """
    pairs = list(zip(found, verdicts, strict=True))
    known = {of_function(finding) for finding, verdict in pairs if _is_known(verdict)}
    places: dict[str, list[int]] = {}
    for n, (finding, verdict) in enumerate(pairs):
        of = of_function(finding)
        if of not in known and _is_unknown(verdict, finding):
            places.setdefault(of, []).append(n)
    return places


def without_hints(found: Sequence[Finding], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, without general hints on a function of which a place, or a known mistake, is
    told elsewhere: a hint that does not fit would lead away from it.
    """
    pairs = list(zip(found, verdicts, strict=True))
    told = {of_function(finding) for finding, verdict in pairs if _is_told(verdict)} - {""}
    return [
        replace(one, lesson="") if of_function(finding) in told and _has_hint(one) else one
        for finding, one in pairs
    ]


def _is_told(verdict: Verdict) -> bool:
    return _is_known(verdict) or (
        verdict.cause is not None and "first_wrong" in verdict.cause.facts
    )


def _has_hint(verdict: Verdict) -> bool:
    """Whether its lesson is a general one: no mistake's, and not what other checks follow from."""
    cause = verdict.cause
    general = bool(verdict.lesson) and not verdict.misconception
    return general and cause is not None and cause.kind != FOLLOWS


def of_function(finding: Finding) -> str:
    """The function or class of the page that gave what is wrong, or was asked last."""
    return finding.case.of if finding.case else ""


def _is_known(verdict: Verdict) -> bool:
    """Whether a mistake has a name, or the check says in its own words what to do about it, or a
    change was found that is enough.
    """
    facts = verdict.cause.facts if verdict.cause is not None else {}
    return verdict.misconception is not None or bool(facts.get("advice") or facts.get("mend"))


def _is_unknown(verdict: Verdict, finding: Finding) -> bool:
    """Whether a failure lies in a function of the page, and has no name."""
    cause = verdict.cause
    if cause is None or verdict.misconception or verdict.settled or not of_function(finding):
        return False
    if "written_up_to" in cause.facts:
        return False
    if verdict.outcome is Outcome.ERROR:
        return cause.kind != "needs_unready" and finding.shown is not None
    ends: Any = cause.facts.get("loose_ends", ())
    strange = any(end["kind"] == STRANGE_WORD for end in ends)
    told = strange or cause.facts.get("advice") or cause.kind in _TELLS_ENOUGH
    return verdict.outcome is Outcome.FAILED and not told
