"""Markdown: one page for one student, to be pasted into an issue or a message."""

from __future__ import annotations

import re

from grader.exports import words
from grader.exports.students import SeenCheck, SeenExercise, for_students
from grader.model import Report
from grader.report.feedback import SIGNS
from grader.report.plain import one_line
from grader.report.words import score_words

# Signs that mean something in Markdown; a backslash before them takes that away (CommonMark, 2.4).
_SIGNS = re.compile(r"([\\`*_\[\]<>#+\-.)!|&~=:@$])")


def markdown(report: Report) -> str:
    """The page. What a submission wrote is escaped: it makes no link, picture, list or HTML."""
    seen = for_students(report)
    lines = [f"# {plain(words.TITLE.format(student=seen.student))}", ""]
    lines += [f"**{_points(seen.score, seen.max_score)}**", ""]
    lines += [f"**{plain(seen.notice)}**", ""] if seen.notice else []
    lines += [plain(seen.late), ""] if seen.late else []
    lines += [plain(words.GRADED.format(when=seen.graded_at.replace("T", ", ")))]
    for exercise in seen.exercises:
        lines += ["", *_section(exercise)]
    return "\n".join(lines) + "\n"


def _points(score: float | None, max_score: float) -> str:
    return words.POINTS.format(score=score_words(score), max_score=f"{max_score:g}")


def _section(exercise: SeenExercise) -> list[str]:
    head = f"## {plain(exercise.name)}: {_points(exercise.score, exercise.max_score)}"
    items = _items(exercise)
    advice = [f"- {with_code(words.TO_DO.format(text=text))}" for text in exercise.advice]
    followed = [line for text in exercise.followed for line in (with_code(text), "")]
    return [head, "", *followed, *items, *advice]


def _items(exercise: SeenExercise) -> list[str]:
    """The core and what makes it robust, each under its own score, if there is a core."""
    if not exercise.core:
        return [line for check in exercise.checks for line in _item(check)]
    lines = []
    for core, head in ((True, exercise.core), (False, exercise.robust)):
        told = [line for check in exercise.checks if check.core is core for line in _item(check)]
        lines += [f"### {plain(head)}", "", *told, ""]
    return lines[:-1]


def _item(check: SeenCheck) -> list[str]:
    """One check; a backslash at the end of a line begins a new one (CommonMark, section 6.7)."""
    worth = words.WORTH.format(
        points=score_words(check.points), max_points=score_words(check.max_points)
    )
    first = f"- {plain(SIGNS[check.outcome])} {with_code(check.sentence)} ({worth})"
    lines = [first, *(f"  {with_code(line)}" for line in words.lines_on(check))]
    return [f"{line}\\" for line in lines[:-1]] + lines[-1:]


def plain(text: str) -> str:
    """Text that is shown letter by letter, on one line."""
    return _SIGNS.sub(r"\\\1", one_line(text))


def with_code(text: str) -> str:
    """Text in which what stands between backticks is code, in which nothing is escaped."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:  # one has no partner
        return plain(text)
    return "".join(
        (f"`{part}`" if part.strip() else plain(f"`{part}`")) if number % 2 else plain(part)
        for number, part in enumerate(parts)
    )
