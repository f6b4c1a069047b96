"""What stands in the folder of a run already, and need not be graded again."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.model import Cause, Report, Submission
from grader.report.record import cause_form, cause_from
from grader.runs.journal import Journal
from grader.runs.settings import Settings
from grader.runs.texts import digests_of

WRITTEN = "written"  # the event of a submission whose files are all there


@dataclass(frozen=True)
class Written:
    """What the journal says of a submission's files: of which report they are, why modules could
    not be read, and whether pictures were drawn into its page.
    """

    graded_at: str
    problems: Mapping[str, Cause]
    pictures: bool = False


def note_written(journal: Journal, report: Report, written: Written) -> None:
    """The files of a report are all there."""
    problems = {name: cause_form(cause) for name, cause in written.problems.items()}
    journal.add(
        WRITTEN,
        submission=report.submission,
        graded_at=written.graded_at,
        problems=problems,
        pictures=written.pictures,
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
    return Written(entry["graded_at"], problems, entry["pictures"])


def stands(
    submission: Submission, report: Report, written: Written | None, settings: Settings
) -> bool:
    """Whether grading the submission would say the same again. A report of which the journal knows
    nothing was being written when its run was killed.
    """
    return (
        settings.made(report)
        and not report.without_verdict
        and report.drawn_for == submission.drawn_for  # some inputs are drawn for each student
        and report.digests == digests_of(submission)
        and written is not None
        and written.graded_at == report.graded_at
        and written.problems == submission.problems
    )


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
