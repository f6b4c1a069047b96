"""Verdicts -> what a student reads, as lines of plain text.

Built from a whitelist of fields (sentence, outcome, cause, misconception), never from a check's
code: hidden tests stay hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.model import ExerciseReport, Outcome, Report, Verdict, not_handed_in

SIGNS = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.ERROR: "✗",
    Outcome.TIMEOUT: "✗",
    Outcome.MEMORY: "✗",
    Outcome.BLOCKED: "·",
    Outcome.SKIPPED: "-",
    Outcome.INTERNAL: "!",
}


def verdict_lines(verdict: Verdict) -> list[str]:
    """The sentence, then for a check that did not pass: what, where, and what to do."""
    lines = [f"{SIGNS[verdict.outcome]} {verdict.check.sentence}{_label(verdict)}"]
    cause = verdict.cause
    if cause is None or verdict.outcome is Outcome.PASSED:
        return lines
    lines.append(f"    {cause.rationale}")
    if cause.expected and cause.actual:
        lines += [f"    expected  {cause.expected}", f"    got       {cause.actual}"]
    elif cause.actual:
        lines.append(f"    {cause.actual}")
    if cause.help:
        lines.append(f"    → {cause.help}")
    if verdict.output.strip():
        lines.append("    it printed:")
        lines += [f"    | {line}" for line in verdict.output.strip().splitlines()[:8]]
    return lines


def exercise_lines(exercise: ExerciseReport) -> list[str]:
    """One exercise; checks that failed for one and the same reason are told once."""
    title = f"{exercise.name}  {exercise.score:g} / {exercise.max_score:g}"
    lines = [title]
    for verdicts in _by_cause(exercise.verdicts):
        shown = verdict_lines(verdicts[0])
        lines += [f"  {line}" for line in shown]
        if len(verdicts) > 1:
            more = len(verdicts) - 1
            lines.append(f"      The same stops {more} more {'check' if more == 1 else 'checks'}.")
    advice = dict.fromkeys(v.advice for v in exercise.verdicts if v.advice)
    return lines + [f"  → {text}" for text in advice]


def summary(report: Report) -> str:
    """The one thing to mend first, in a few words; empty when everything passed.

    A recognised misconception comes first, a module that was not handed in last.
    """
    done = (Outcome.PASSED, Outcome.SKIPPED)
    open_verdicts = sorted((v for v in report.verdicts if v.outcome not in done), key=_urgency)
    if not open_verdicts:
        return ""
    first = open_verdicts[0]
    if first.misconception:
        return f"{first.check.exercise}: {first.misconception}"
    assert first.cause is not None
    what = "" if first.outcome is Outcome.FAILED else f"{first.outcome.value}: "
    return f"{first.check.exercise}: {what}{first.cause.rationale}"


def _urgency(verdict: Verdict) -> int:
    if verdict.misconception:
        return 0
    absent = verdict.cause is not None and verdict.cause.rationale == not_handed_in(
        verdict.check.exercise
    )
    return 2 if absent else 1


def _label(verdict: Verdict) -> str:
    device = "" if verdict.check.device == "cpu" else f" [{verdict.check.device}]"
    if verdict.measured is not None and verdict.outcome is Outcome.PASSED:
        ratio, limit = verdict.measured.ratio, verdict.measured.limit
        return (
            f"{device} ({ratio:.1f} times the reference's {verdict.measured.what}; up to {limit:g})"
        )
    if verdict.outcome in (Outcome.PASSED, Outcome.FAILED):
        return device
    return f"{device} ({verdict.outcome.value})"


def _by_cause(verdicts: Sequence[Verdict]) -> Iterable[list[Verdict]]:
    """Groups with one and the same cause, each where its first member stands."""
    groups: dict[object, list[Verdict]] = {}
    for index, verdict in enumerate(verdicts):
        alone = verdict.outcome in (Outcome.PASSED, Outcome.SKIPPED) or verdict.cause is None
        groups.setdefault(index if alone else verdict.cause, []).append(verdict)
    return groups.values()
