"""Reports -> files. Everything is made from the Report alone, but for pictures."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.model import Report, Submission
from grader.report.feedback_page import feedback_page
from grader.report.files import file_name, write_whole
from grader.report.lateness import deduction_words, undecided
from grader.report.picture import Picture
from grader.report.plain import cell
from grader.report.words import suspicion, unjudged

TWO_SCORES = ("strict", "follow_through")  # whichever of the two counts
NOT_YET = "not graded yet"
_VERSIONS = ("grader", "course")  # by which a mark was given


def write_feedback(
    report: Report, pictures: Mapping[str, Picture], folder: Path, appeal: str = ""
) -> Path:
    """``folder/feedback/<submission>.html``, the page for the student."""
    path = folder / "feedback" / file_name(report.submission, ".html")
    write_whole(path, feedback_page(report, pictures, appeal))
    return path


def write_grades(
    reports: Sequence[Report], folder: Path, not_yet: Sequence[Submission] = ()
) -> Path:
    """``folder/grades.csv``: a row per submission, a column per exercise, and at the end what a
    person should look at before the marks are given out.

    Where a check has no verdict, the cells of its exercise and of the total are empty; of whoever
    is ``not_yet`` graded, all cells with marks. The score is the sum of the exercises without what
    is ``deducted``.
    """
    names = list(dict.fromkeys(e.name for report in reports for e in report.exercises))
    head = ["submission", "student", "score", "max_score", *names, "deducted", *TWO_SCORES]
    head += ["seed", "isolation", *_VERSIONS, "no_verdict", "refused", "suspicious"]
    head += ["student_id", "late", "handed_in", "path", "digest"]
    rows = [_row(report, names) for report in reports]
    rows += [_empty_row(submission, head) for submission in not_yet]
    return _table(folder / "grades.csv", [head, *rows])


def write_not_graded(ignored: Iterable[tuple[str, str]], folder: Path) -> Path:
    """``folder/not_graded.csv``: what lay beside the submissions, and why it was not graded."""
    rows = [[cell(path), cell(reason)] for path, reason in ignored]
    return _table(folder / "not_graded.csv", [["path", "reason"], *rows])


def _table(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    write_whole(path, table_text(rows))
    return path


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Every cell in quotes: where a spreadsheet splits at semicolons, a name stays in its own."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()


def _row(report: Report, names: Sequence[str]) -> list[str]:
    scores = {exercise.name: mark(exercise.score) for exercise in report.exercises}
    who = [cell(report.submission), cell(report.student)]
    marks = [mark(report.score), f"{report.max_score:g}"]
    each = [scores.get(name, "") for name in names]
    fast = list(map(suspicion, report.suspicious))
    look = [cell("; ".join(notes)) for notes in (unjudged(report), report.refused, fast)]
    seed, by = str(report.conditions.seed), report.conditions.versions
    made = [deducted(report), *two_scores(report), seed, report.conditions.isolation]
    made += [cell(by.get(name, "")) for name in _VERSIONS]
    told = [cell(report.student_id), cell(_late(report)), cell(report.handed_in)]
    graded = [cell(report.path), _digest(report.digests)]
    return [*who, *marks, *each, *made, *look, *told, *graded]


def _late(report: Report) -> str:
    """What it costs, or why nobody knows; without an assignment, what the platform says."""
    said = "".join([deduction_words(report), *undecided(report)])
    return said or ("late" if report.late else "")


def _empty_row(submission: Submission, head: Sequence[str]) -> list[str]:
    known = {
        "submission": cell(submission.name),
        "student": cell(submission.student),
        "student_id": cell(submission.student_id),
        "late": "late" if submission.late else "",
        "handed_in": cell(submission.handed_in),
        "no_verdict": NOT_YET,
        "path": cell(submission.path),
    }
    return [known.get(column, "") for column in head]


def mark(score: float | None) -> str:
    """A score as a cell: empty where there is none, so that nobody takes it for a zero."""
    return "" if score is None else f"{score:g}"


def two_scores(report: Report) -> list[str]:
    """Both marks as cells."""
    return [mark(report.strict_score), mark(report.followed_score)]


def deducted(report: Report) -> str:
    """What being late cost, as a cell; empty while there is no mark."""
    return "" if report.score is None else mark(report.deducted)


def _digest(digests: Mapping[str, str]) -> str:
    """One for all files that were graded: two rows with the same one are the same work. Those of
    single files are in the report.
    """
    text = "\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}" if digests else ""
