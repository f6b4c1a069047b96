"""The words beside those of the feedback that a student reads in an export."""

from __future__ import annotations

from grader.exports.students import Seen, SeenCheck

TITLE = "Feedback for {student}"
POINTS = "{score} of {max_score} points"
WORTH = "{points}/{max_points}"
EXPECTED = "expected: {text}"
GOT = "got: {text}"
GRADED = "Graded {when}"
TO_DO = "→ {text}"
OF_PART = "{exercise}, {part}"


def lines_on(check: SeenCheck) -> list[str]:
    """What happened, what was expected and came, and what to do; nothing for what passed."""
    actual = GOT.format(text=check.actual) if check.expected else check.actual
    lines = [
        check.rationale,
        EXPECTED.format(text=check.expected) if check.expected else "",
        actual,
        TO_DO.format(text=check.help) if check.help else "",
    ]
    return [line for line in lines if line]


def where(exercise: str, check: SeenCheck) -> str:
    """Of which exercise a check is, and of which part: what a format without headings says."""
    return OF_PART.format(exercise=exercise, part=check.part) if check.part else exercise


def lines_on_parts(seen: Seen) -> list[str]:
    """What the mistakes in each exercise cost where something is carried, and how its core stands
    and what makes it robust; nothing without a core.
    """
    return [
        f"{exercise.name}: {said}"
        for exercise in seen.exercises
        for said in (*exercise.followed, exercise.core, exercise.robust)
        if said
    ]
