"""What stands in the folder of a run already, and need not be graded again."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.course.imports import own_modules
from grader.model import Cause, ExerciseReport, Outcome, Report, Submission
from grader.report.record import cause_form, cause_from
from grader.runs.journal import Journal
from grader.runs.settings import Settings
from grader.runs.texts import digests_of

WRITTEN = "written"  # the event of a submission whose files are all there


@dataclass(frozen=True)
class Written:
    """What the journal says of a submission's files: of which report they are, why modules could
    not be read, whether pictures were drawn into its page, and by which terms that was written.
    """

    graded_at: str
    problems: Mapping[str, Cause]
    pictures: bool = False
    terms: str = ""


def note_written(journal: Journal, report: Report, written: Written) -> None:
    """The files of a report are all there."""
    problems = {name: cause_form(cause) for name, cause in written.problems.items()}
    journal.add(
        WRITTEN,
        submission=report.submission,
        graded_at=written.graded_at,
        problems=problems,
        pictures=written.pictures,
        terms=written.terms,
    )


def all_written(run: Path) -> dict[str, Written]:
    """The last that the journal says of each submission; what cannot be read says nothing."""
    found = {}
    for entry in Journal(run).entries():
        if entry.get("event") == WRITTEN:
            with contextlib.suppress(KeyError, TypeError, AttributeError):
                found[str(entry["submission"])] = _written(entry)
    return found


def _written(entry: Mapping[str, Any]) -> Written:
    causes = {name: cause_from(form) for name, form in entry["problems"].items()}
    problems = {name: cause for name, cause in causes.items() if cause is not None}
    return Written(entry["graded_at"], problems, entry["pictures"], entry.get("terms", ""))


_FOR_ALL_EXERCISES = ("budget", "budget_of_bytes")  # what is spent on one, others lack


def left_of(
    submission: Submission, report: Report, written: Written | None, settings: Settings
) -> tuple[str, ...] | None:
    """Which exercises must be graded for a report that says what grading everything would say; None
    where this one does. None is left, and the report is another, where it has too many.
    """
    if not (_is_about(submission, report, written) and settings.same_but_for_suites(report)):
        return settings.exercises
    found = {exercise.name: exercise for exercise in report.exercises}
    left = tuple(
        name
        for name in settings.exercises
        if name not in found or not _stays(found[name], submission, report, settings)
    )
    if left and any(v.cause and v.cause.kind in _FOR_ALL_EXERCISES for v in report.verdicts):
        return settings.exercises
    return None if tuple(found) == settings.exercises and not left else left


def _is_about(submission: Submission, report: Report, written: Written | None) -> bool:
    """Whether this very work was graded. A report of which the journal knows nothing was being
    written when its run was killed.
    """
    return (
        report.drawn_for == submission.drawn_for  # some inputs are drawn for each student
        and report.digests == digests_of(submission)
        and written is not None
        and written.graded_at == report.graded_at
        and written.problems == submission.problems
    )


def _stays(
    exercise: ExerciseReport, submission: Submission, report: Report, settings: Settings
) -> bool:
    """Whether its suite is the same, and those of the own modules that it rests on: where one of
    these is wrong, what it breaks is not held against the exercise.
    """
    used = {exercise.name} | own_modules(submission.files, exercise.name)
    causes = [verdict.cause for verdict in exercise.verdicts if verdict.cause is not None]
    used |= {str(cause.facts["other"]) for cause in causes if "other" in cause.facts}
    known = used & settings.conditions.suites.keys() | {exercise.name}
    same = all(settings.same_suite(name, report.conditions) for name in known)
    return same and not any(v.outcome is Outcome.INTERNAL for v in exercise.verdicts)


def completed(fresh: Report, before: Report | None, settings: Settings) -> Report:
    """The new report, with what stays of the one before where not all was graded."""
    earlier = before.exercises if before is not None else ()
    known = {exercise.name: exercise for exercise in (*earlier, *fresh.exercises)}
    return replace(fresh, exercises=tuple(known[name] for name in settings.exercises))


def brought_up(report: Report, submission: Submission) -> Report:
    """The report with what the platform says today: that is not graded, and may have changed."""
    return replace(
        report,
        student=submission.student,
        path=submission.path,
        student_id=submission.student_id,
        late=submission.late,
        handed_in=submission.handed_in,
    )
