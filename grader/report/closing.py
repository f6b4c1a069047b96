"""What is said to a learner whose page has passed: what they can do now, where theirs differs from
ours in kind, a question to think about, and where to read on.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.model import Exercise, ExerciseReport
from grader.report.parts import DONE

NOW = "Now you can {gains}."
QUESTION = "To think about: {question}"
READ_ON = 'Read on: {source}; and what the page names under "Look further".'
SLOWER = (
    "Yours takes {ratio:.1f} times as long as ours, which is allowed: is there a loop, or is "
    "something computed twice?"
)
LARGER = (
    "Yours takes {ratio:.1f} times the memory that ours does, which is allowed: is there a copy "
    "that nobody needs?"
)
_WORTH_TELLING = {"time": (1.8, SLOWER), "memory": (1.3, LARGER)}


def closing_lines(exercise: Exercise, report: ExerciseReport) -> list[str]:
    """A line for each; none before all of it has passed."""
    if not report.verdicts or any(verdict.outcome not in DONE for verdict in report.verdicts):
        return []
    return list(_lines(exercise, report))


def _lines(exercise: Exercise, report: ExerciseReport) -> Iterator[str]:
    if exercise.afterwards:
        yield NOW.format(gains="; ".join(exercise.afterwards))
    yield from _in_kind(report)
    if exercise.question:
        yield QUESTION.format(question=exercise.question)
    yield READ_ON.format(source=exercise.source)


def _in_kind(report: ExerciseReport) -> Iterator[str]:
    """Of what was measured, the largest of a kind, where it is no matter of luck."""
    found = [verdict.measured for verdict in report.verdicts if verdict.measured is not None]
    for what, (least, template) in _WORTH_TELLING.items():
        ratio = max((one.low for one in found if one.what == what), default=0.0)
        if ratio >= least:
            yield template.format(ratio=ratio)
