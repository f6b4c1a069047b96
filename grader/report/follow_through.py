"""What is said of a mistake that was paid for once, and of what fails only because of it."""

from __future__ import annotations

from grader.model import ExerciseReport, Outcome, Verdict
from grader.report.parts import unused
from grader.report.words import score_words, worded

ONE_THING = "One thing is wrong: {lesson}"
TWO_THINGS = "Two things are wrong: {lesson}"
ONE_MISSING = "One thing is missing: {lesson}"
TWO_MISSING = "Two things are missing: {lesson}"
COSTS_NOTHING = (
    "A mistake that is told elsewhere makes it fail just as it does; so it costs nothing."
)
COSTS_A_PART = (
    "A mistake that is told elsewhere makes it fail just as it does; so it costs a part of its "
    "points."
)
COSTS_ALL = "A mistake that is told elsewhere makes it fail just as it does."
ONE_MORE = "{that} 1 more check fail just so{free}. Strictly: {points} of {most:g} points."
MORE = "{that} {count} more checks fail just so{free}. Strictly: {points} of {most:g} points."
THAT, THOSE = "That alone makes", "Those alone make"
ONE_FREE, FREE = "; it costs nothing", "; they cost nothing"
FROM_BELOW = (
    "Nothing is lost here: what fails, fails only because of your {others}. Mend that first. "
    "{lesson}"
)
BELOW_STRICTLY = "Strictly: {points} of {most:g} points."
FOLLOWS = "follows_below"  # the kind of such a cause
_WHOLE = 0.999  # of its points: a part that no mark shows


def carried_words(verdict: Verdict) -> str:
    """Of one check that is carried."""
    if verdict.carried > _WHOLE:
        return COSTS_NOTHING
    return COSTS_A_PART if verdict.carried > 1 - _WHOLE else COSTS_ALL


def follow_words(exercise: ExerciseReport) -> list[str]:
    """The known mistakes of an exercise, and how much else is carried; nothing where nothing
    is, or where only what is right counts.
    """
    carried = [verdict for verdict in exercise.verdicts if verdict.outcome is Outcome.CARRIED]
    if not carried or exercise.score is None:
        return []
    most, points = exercise.max_score, score_words(exercise.strict_points)
    cause = carried[0].cause
    if cause is not None and cause.kind == FOLLOWS:
        first = worded(FROM_BELOW, cause, lesson=carried[0].lesson)
        return [first, BELOW_STRICTLY.format(points=points, most=most)]
    known = [v for v in exercise.verdicts if v.misconception and v.lesson]
    at_hand = [verdict for verdict in known if not _is_not_done(verdict, exercise)]
    lessons = list(dict.fromkeys(verdict.lesson for verdict in at_hand or known))
    one, two = (ONE_THING, TWO_THINGS) if at_hand else (ONE_MISSING, TWO_MISSING)
    first = one if len(lessons) == 1 else two
    more, free = (ONE_MORE, ONE_FREE) if len(carried) == 1 else (MORE, FREE)
    free = free if all(verdict.carried > _WHOLE for verdict in carried) else ""
    that = THAT if len(lessons) == 1 else THOSE
    strict = more.format(that=that, count=len(carried), free=free, points=points, most=most)
    return [first.format(lesson=" ".join(lessons)), strict]


def _is_not_done(verdict: Verdict, exercise: ExerciseReport) -> bool:
    """Whether a known mistake is no more than that a step is not done."""
    facts = verdict.cause.facts if verdict.cause else {}
    return "not_done_after" in facts or bool(unused(verdict, exercise.verdicts))
