"""Verdicts -> what a student reads: first the words, then lines of plain text made of them.

Built from a whitelist of fields (sentence, outcome, cause, misconception), never from a check's
code: hidden tests stay hidden. Whatever shows verdicts to a student is made of ``Words``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import shorten

from grader.model import ExerciseReport, Outcome, Report, Verdict
from grader.report.advice import what_to_do
from grader.report.exceptions import MEANINGS
from grader.report.follow_through import FOLLOWS, carried_words
from grader.report.lost import lost_words
from grader.report.parts import (
    core_words,
    is_core,
    led,
    parts_of,
    robust_words,
    unused,
    waits,
)
from grader.report.words import Spot, in_file, on_device, score_words, told

SIGNS = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.ERROR: "✗",
    Outcome.TIMEOUT: "✗",
    Outcome.MEMORY: "✗",
    Outcome.CARRIED: "≈",
    Outcome.BLOCKED: "·",
    Outcome.SKIPPED: "-",
    Outcome.INTERNAL: "!",
}

NO_VERDICT = "no verdict"
OUTCOMES = {Outcome.INTERNAL: NO_VERDICT}  # others are called by their own words
SAME_ADVICE = "As above: {advice}"
WAITS_ONE = "1 check fails as where a later step is not written yet, and waits."
WAITS_MORE = "{count} checks fail as where later steps are not written yet, and wait."
UNUSED_YET = " Never used: {names}."
SAME_STOPS_ONE = "The same stops 1 more check."
SAME_STOPS_MORE = "The same stops {count} more checks."
_WITH_SIZES = (
    *MEANINGS,
    "callers",
    "callers_of_own",
    "callers_within",
    "pair_handed_over",
    "pair_returned",
)
_MOST_REPEATED = 64  # characters of an advice that was given above
_MOST_PRINTED = 8  # lines
_MOST_CHARACTERS = 1000  # of them together: whoever prints inputs sees few of what was drawn


@dataclass(frozen=True)
class Words:
    """What is said of one check, and of ``more`` that failed for one and the same reason.

    The sentence comes first; for a check that did not pass, what, where, and what to do, which
    says it all if the misconception ``is_named`` and the check is of one function. ``place`` is the
    check's in its exercise, counted from 1, and ``alike`` are those of the others with the same
    reason; 0 where it was not asked. Those of the ``core`` come first. What ``waits`` is a step
    whose turn has not come, and ``unused`` are arguments that wait.
    """

    outcome: Outcome
    sentence: str
    rationale: str = ""
    expected: str = ""
    actual: str = ""
    help: str = ""
    printed: tuple[str, ...] = ()
    more: int = 0
    is_named: bool = False
    points: str = ""
    place: int = 0
    alike: tuple[int, ...] = ()
    core: bool = False
    waits: bool = False
    unused: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        return SIGNS[self.outcome]

    @property
    def others(self) -> str:
        """Those that are not told of one by one, in words."""
        return same_stops(self.more) if self.more else ""


def same_stops(count: int) -> str:
    """How many more checks failed for the reason that was just told."""
    return SAME_STOPS_ONE if count == 1 else SAME_STOPS_MORE.format(count=count)


def words_of(verdict: Verdict, spot: Spot = in_file) -> Words:
    """One verdict in words; ``spot`` says how a line of the submission's is spoken of."""
    sentence = f"{verdict.check.sentence}{_label(verdict)}"
    cause = verdict.cause
    if cause is None or verdict.outcome is Outcome.PASSED:
        return Words(verdict.outcome, sentence, points=_points(verdict), core=is_core(verdict))
    if verdict.outcome is Outcome.CARRIED and cause.kind != FOLLOWS:
        worth, core = _points(verdict), is_core(verdict)
        return Words(verdict.outcome, sentence, carried_words(verdict), points=worth, core=core)
    words = told(cause, spot)
    return Words(
        verdict.outcome,
        sentence,
        words.rationale,
        words.expected if words.actual else "",
        words.actual,
        what_to_do(verdict, words.help, spot),
        _printed(verdict.output.strip()),
        is_named=verdict.misconception is not None and "of_all" not in cause.facts,
        points=_points(verdict),
        core=is_core(verdict),
    )


def _points(verdict: Verdict) -> str:
    """For example ``0 / 2``; what was skipped is worth nothing."""
    if verdict.outcome is Outcome.SKIPPED:
        return ""
    points = None if verdict.outcome is Outcome.INTERNAL else verdict.points
    return f"{score_words(points)} / {verdict.max_points:g}"


def _printed(output: str) -> tuple[str, ...]:
    cut = len(output) > _MOST_CHARACTERS
    shown = f"{output[: _MOST_CHARACTERS - 1]}…" if cut else output
    return tuple(shown.splitlines()[:_MOST_PRINTED])


def words_on(exercise: ExerciseReport, spot: Spot = in_file) -> list[Words]:
    """One exercise; checks that failed for one and the same reason are told once."""
    found = []
    for first, *others in _by_reason(exercise.verdicts, spot):
        alike = tuple(words.place for words in others)
        found.append(replace(first, more=len(others), alike=alike))
    return found


def advice_on(exercise: ExerciseReport, spot: Spot = in_file) -> list[str]:
    """What those who passed could do better still, each advice once."""
    given = [verdict.advice for verdict in exercise.verdicts if verdict.advice is not None]
    return list(dict.fromkeys(told(advice, spot).rationale for advice in given))


def attempts(verdicts: Iterable[Verdict]) -> list[str]:
    """What was tried and is not allowed, each attempt once. What a debugger tries when it starts is
    no attempt of the student's; reports keep it.
    """
    own = [v for v in verdicts if v.cause is None or v.cause.kind != "debugger"]
    return list(dict.fromkeys(text for verdict in own for text in verdict.refused))


def verdict_lines(verdict: Verdict, spot: Spot = in_file) -> list[str]:
    """One verdict as lines."""
    return _lines(words_of(verdict, spot))


def exercise_lines(
    exercise: ExerciseReport, spot: Spot = in_file, steps: Sequence[str] = ()
) -> list[str]:
    """One exercise as lines, under its score; an advice that was given is not given again. What the
    first of its ``steps`` lacks comes first.
    """
    if steps:
        exercise = replace(exercise, verdicts=tuple(led(exercise.verdicts, steps)))
    told_once = list(_folded(words_on(exercise, spot)))
    advice = [f"  → {text}" for text in advice_on(exercise, spot)]
    return [*_title(exercise), *_apart(_heads(exercise), told_once), *advice]


def standing_lines(exercise: ExerciseReport) -> list[str]:
    """The score, what was lost for what, and the scores of the core and of all else, if there is a
    core.
    """
    return [*_title(exercise), *_heads(exercise)]


def _title(exercise: ExerciseReport) -> list[str]:
    title = f"{exercise.name}  {score_words(exercise.score)} / {exercise.max_score:g}"
    return [title, *(f"  {line}" for line in lost_words(exercise))]


def _heads(exercise: ExerciseReport) -> list[str]:
    parts = parts_of(exercise.verdicts)
    heads = [] if parts is None else [core_words(parts), robust_words(parts)]
    return [f"  {head}" for head in heads]


def _apart(heads: Sequence[str], told_once: Sequence[Words]) -> list[str]:
    """The core, then what makes it robust, each under its own score, if there is a core."""
    lines = []
    for core, head in zip_longest((True, False), heads):
        lines += [head] if head else []
        lines += [f"  {line}" for one in told_once if one.core is core for line in _lines(one)]
    return lines


def _folded(found: Sequence[Words]) -> Iterator[Words]:
    """A named misconception that was told once needs no second example. What is not written yet is
    counted; only where nothing else is wrong the first of it is told.
    """
    given: set[str] = set()
    waiting = {True: 0, False: 0}
    lacking: dict[bool, dict[str, None]] = {True: {}, False: {}}
    others_wait = any(one.sign == SIGNS[Outcome.FAILED] and not one.waits for one in found)
    for words in found:
        counted = words.waits and others_wait
        others_wait = others_wait or words.waits
        if counted:
            waiting[words.core] += 1 + words.more
            lacking[words.core] |= dict.fromkeys(words.unused)
        elif words.help not in given:
            given |= {words.help} if words.help else set()
            yield words
        elif words.is_named:
            said, same = words.sentence, _as_above(words.help)
            yield Words(words.outcome, said, help=same, more=words.more, core=words.core)
        else:
            yield replace(words, help=_as_above(words.help))
    for core, count in waiting.items():
        said = WAITS_ONE if count == 1 else WAITS_MORE.format(count=count)
        if names := lacking[core]:
            said += UNUSED_YET.format(names=", ".join(f"`{name}`" for name in names))
        if count:
            yield Words(Outcome.BLOCKED, said, core=core)


def _as_above(given: str) -> str:
    return SAME_ADVICE.format(advice=shorten(given, _MOST_REPEATED, placeholder=" …"))


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

    A recognised misconception comes first, a module that was not handed in late, and last what has
    no verdict, where there is nothing to mend.
    """
    done = (Outcome.PASSED, Outcome.SKIPPED)
    open_verdicts = sorted((v for v in report.verdicts if v.outcome not in done), key=_urgency)
    if not open_verdicts:
        return ""
    first = open_verdicts[0]
    if first.misconception:
        return f"{first.check.exercise}: {first.misconception}"
    if first.outcome is Outcome.INTERNAL:
        return f"{first.check.exercise}: {NO_VERDICT}"
    assert first.cause is not None
    what = "" if first.outcome is Outcome.FAILED else f"{first.outcome.value}: "
    return f"{first.check.exercise}: {what}{told(first.cause).rationale}"


def _urgency(verdict: Verdict) -> int:
    if verdict.misconception:
        return 0
    if verdict.outcome is Outcome.INTERNAL:
        return 3
    return 2 if verdict.cause is not None and verdict.cause.kind == "absent" else 1


def _label(verdict: Verdict) -> str:
    device = on_device(verdict)
    if verdict.measured is not None and verdict.outcome is Outcome.PASSED:
        ratio, limit = verdict.measured.ratio, verdict.measured.limit
        return (
            f"{device} ({ratio:.1f} times the reference's {verdict.measured.what}; up to {limit:g})"
        )
    if verdict.outcome in (Outcome.PASSED, Outcome.FAILED):
        return device
    return f"{device} ({OUTCOMES.get(verdict.outcome, verdict.outcome.value)})"


def same_line(one: Verdict, other: Verdict) -> bool:
    """Whether one line raised the same sort of exception in both, or one call of another module of
    the submission's did: then only sizes differ.
    """
    if one.cause is None or other.cause is None or one.cause.kind not in _WITH_SIZES:
        return False
    mine, theirs = one.cause, other.cause
    return mine.place is not None and (mine.kind, mine.place) == (theirs.kind, theirs.place)


def _by_reason(verdicts: Sequence[Verdict], spot: Spot) -> Iterable[list[Words]]:
    """Groups with one and the same reason, each where its first member stands."""
    groups: dict[object, list[Words]] = {}
    for index, verdict in sorted(enumerate(verdicts), key=lambda one: not is_core(one[1])):
        words = replace(
            words_of(verdict, spot),
            place=index + 1,
            unused=unused(verdict, verdicts),
            waits=waits(verdict, verdicts),
        )
        alone = words.outcome in (Outcome.PASSED, Outcome.SKIPPED) or not words.rationale
        cause = verdict.cause
        reason: tuple[object, ...] = (words.rationale, words.expected, words.actual, words.help)
        if cause is not None and same_line(verdict, verdict):
            reason = (cause.kind, cause.place, words.help)
        groups.setdefault(index if alone else reason, []).append(words)
    return groups.values()
