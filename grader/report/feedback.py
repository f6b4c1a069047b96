"""Verdicts -> what a student reads: first the words, then lines of plain text made of them.

Built from a whitelist of fields (sentence, outcome, cause, misconception), never from a check's
code: hidden tests stay hidden. Whatever shows verdicts to a student is made of ``Words``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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


_MOST_PRINTED = 8  # lines


@dataclass(frozen=True)
class Words:
    """What is said of one check, and of ``more`` that failed for one and the same reason: the
    sentence, then for a check that did not pass: what, where, and what to do.
    """

    outcome: Outcome
    sentence: str
    rationale: str = ""
    expected: str = ""
    actual: str = ""
    help: str = ""
    printed: tuple[str, ...] = ()
    more: int = 0

    @property
    def sign(self) -> str:
        return SIGNS[self.outcome]

    @property
    def others(self) -> str:
        """Those that are not told of one by one, in words."""
        checks = "check" if self.more == 1 else "checks"
        return f"The same stops {self.more} more {checks}." if self.more else ""


def words_of(verdict: Verdict) -> Words:
    """One verdict in words."""
    sentence = f"{verdict.check.sentence}{_label(verdict)}"
    cause = verdict.cause
    if cause is None or verdict.outcome is Outcome.PASSED:
        return Words(verdict.outcome, sentence)
    return Words(
        verdict.outcome,
        sentence,
        cause.rationale,
        cause.expected if cause.actual else "",
        cause.actual,
        cause.help,
        tuple(verdict.output.strip().splitlines()[:_MOST_PRINTED]),
    )


def words_on(exercise: ExerciseReport) -> list[Words]:
    """One exercise; checks that failed for one and the same reason are told once."""
    groups = _by_cause(exercise.verdicts)
    return [replace(words_of(verdicts[0]), more=len(verdicts) - 1) for verdicts in groups]


def advice_on(exercise: ExerciseReport) -> list[str]:
    """What who passed could do better still, each advice once."""
    return list(dict.fromkeys(v.advice for v in exercise.verdicts if v.advice))


def verdict_lines(verdict: Verdict) -> list[str]:
    """One verdict as lines."""
    return _lines(words_of(verdict))


def exercise_lines(exercise: ExerciseReport) -> list[str]:
    """One exercise as lines, under its score."""
    title = f"{exercise.name}  {exercise.score:g} / {exercise.max_score:g}"
    lines = [f"  {line}" for one in words_on(exercise) for line in _lines(one)]
    return [title, *lines, *(f"  → {text}" for text in advice_on(exercise))]


def _lines(words: Words) -> list[str]:
    lines = [f"{words.sign} {words.sentence}"]
    if words.rationale:
        lines.append(f"    {words.rationale}")
    if words.expected:
        lines += [f"    expected  {words.expected}", f"    got       {words.actual}"]
    elif words.actual:
        lines.append(f"    {words.actual}")
    if words.help:
        lines.append(f"    → {words.help}")
    if words.printed:
        lines += ["    it printed:", *(f"    | {line}" for line in words.printed)]
    return [*lines, f"    {words.others}"] if words.more else lines


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
