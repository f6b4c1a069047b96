"""What is said of the points that an exercise has lost: what they are for, and how much is wrong.

Wherever lost points are told, these words come first. What the points of a check are for is the
course's to say; where it does not, only known mistakes are told.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.model import ExerciseReport, Outcome, Verdict, total
from grader.report.follow_through import follow_words
from grader.report.parts import SLIPS, TOGETHER, waits
from grader.report.words import score_words

LOST = "Lost: {lost} of {most:g} points{reasons}{waiting}."
WAITING_ONE = "; 1 waits with later steps"
WAITING = "; {points} wait with later steps"
FOR = ", for {ideas}"
SO_FAR = (
    "Lost so far: {lost} of {most:g} points, all for {things}{waiting}. Once all is written, what "
    "fails only because of {it} costs nothing."
)
ONE_THING, TWO_THINGS = ("one thing", "it"), ("two things", "them")
OF_IDEA = "{idea} ({lost} of {worth:g})"
ONE_MORE, MORE = "one thing more", "{count} things more"
_NAMED = 3  # ideas: those that cost most; whoever has lost more has others to read first


def lost_words(exercise: ExerciseReport) -> list[str]:
    """What is lost, then the known mistakes behind it, and what else fails only because of them."""
    said = lost_line(exercise)
    return [*([said] if said else []), *follow_words(exercise)]


def lost_line(exercise: ExerciseReport) -> str:
    """What is lost, for which ideas, and how much of each; what waits for what is not written
    yet is not lost. Nothing where all is, nor while a check has no verdict.
    """
    among = exercise.verdicts
    lost, reasons = total(_lost(v, among) for v in among), _reasons(among)
    waiting = total(_open(v) for v in among if waits(v, among))
    if not (exercise.score and lost and (reasons or follow_words(exercise))):
        return ""
    said = {
        "lost": score_words(lost),
        "most": exercise.max_score,
        "waiting": _waiting(waiting),
    }
    if waiting and (known := _known(among)):
        things, it = ONE_THING if known == 1 else TWO_THINGS
        return SO_FAR.format(**said, things=things, it=it)
    return LOST.format(**said, reasons=FOR.format(ideas=_listed(reasons)) if reasons else "")


def _waiting(points: float) -> str:
    said = WAITING_ONE if points == 1 else WAITING
    return said.format(points=score_words(points)) if points else ""


def _known(verdicts: Sequence[Verdict]) -> int:
    """By how many misconceptions all is explained that is written and fails, where these are at
    most two and more fails than they are; 0 where something else is wrong too, or refused, or where
    only what is right counts.
    """
    wrong = [v for v in verdicts if _lost(v, verdicts)]
    names = {verdict.misconception for verdict in wrong}
    slips = all(verdict.outcome in SLIPS and not verdict.refused for verdict in wrong)
    if None in names or not slips or any(verdict.strict for verdict in wrong):
        return 0
    return len(names) if len(names) <= TOGETHER and len(names) < len(wrong) else 0


def _reasons(verdicts: Sequence[Verdict]) -> list[str]:
    """An idea each, with what is lost of its points: first what costs most."""
    by_idea: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_idea.setdefault(verdict.check.idea, []).append(verdict)
    by_idea.pop("", None)
    lost = {idea: total(_lost(v, verdicts) for v in those) for idea, those in by_idea.items()}
    worth = {idea: total(v.max_points for v in those) for idea, those in by_idea.items()}
    return [
        OF_IDEA.format(idea=idea, lost=score_words(lost[idea]), worth=worth[idea])
        for idea in sorted(lost, key=lambda idea: -lost[idea])
        if lost[idea]
    ]


def _lost(verdict: Verdict, among: Sequence[Verdict]) -> float:
    unknown = verdict.outcome in (Outcome.SKIPPED, Outcome.INTERNAL)
    late = unknown or waits(verdict, among)
    return 0.0 if late else _open(verdict)


def _open(verdict: Verdict) -> float:
    """The points that it has not got; one that waits may have a part of its own."""
    return total((verdict.max_points, -verdict.points))


def _listed(reasons: list[str]) -> str:
    more = len(reasons) - _NAMED
    named = reasons[:_NAMED]
    if more > 0:
        named.append(ONE_MORE if more == 1 else MORE.format(count=more))
    *others, last = named
    return f"{', '.join(others)} and {last}" if others else last
