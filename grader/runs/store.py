"""A run's files, written so that a kill at any moment loses at most what was being graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.model import Cause, Report, Submission
from grader.report.files import file_name
from grader.report.record import write_report
from grader.runs.earlier import Earlier
from grader.runs.journal import Journal
from grader.runs.kept import Written, all_written, brought_up, left_of, note_written
from grader.runs.reading import read_reports
from grader.runs.settings import Settings, read_settings, write_settings
from grader.runs.terms import Terms
from grader.runs.texts import has_texts, write_texts


class Store:
    """The folder of a run, which this command alone holds; see ``folder.held``."""

    def __init__(self, run: Path) -> None:
        self.run, self.begun = run, read_settings(run)
        self.journal, self._earlier = Journal(run), Earlier(run)
        self._written = all_written(run)

    def begin(self, settings: Settings, event: str, **facts: object) -> tuple[str, ...]:
        """Keep the settings before anything else; gives in what they differ from those before."""
        changed = settings.differ_from(self.begun) if self.begun is not None else ()
        if self.begun != settings:
            write_settings(settings, self.run)
        self.journal.add(event, changed=list(changed), **facts)
        return changed

    def reports(self) -> tuple[Report, ...]:
        """Those that are whole, as they were written."""
        return read_reports(self.run).reports

    def problems_of(self, report: Report) -> Mapping[str, Cause]:
        """Why modules of it could not be read when it was graded."""
        written = self._written.get(report.submission)
        return {} if written is None else written.problems

    def left_of(
        self, submission: Submission, report: Report, settings: Settings
    ) -> tuple[str, ...] | None:
        """Which exercises must be graded again; None where the report stands as it is."""
        return left_of(submission, report, self._written.get(submission.name), settings)

    def bring_up(self, submission: Submission, report: Report) -> Report:
        """A report that stands, with what the platform says today, and the text it is about."""
        if not has_texts(report, self.run):
            write_texts(submission, self.run)
        now = brought_up(report, submission)
        if now != report:
            write_report(now, self.run)
        return now

    def keep(self, submission: Submission, report: Report) -> None:
        """A new report, and the text it is about; the earlier ones are put aside.

        The journal comes last: what it does not know of is graded again.
        """
        self._earlier.put(report.submission)
        write_texts(submission, self.run)
        write_report(report, self.run)
        self._note(report, Written(report.graded_at, submission.problems))

    def note_page(self, report: Report, pictures: bool, terms: Terms) -> None:
        """Its page is written, with pictures or without."""
        problems = self.problems_of(report)
        self._note(report, Written(report.graded_at, problems, pictures, terms.digest))

    def has_page(self, report: Report, pictures: bool, terms: Terms) -> bool:
        """Whether its page need not be made again."""
        written = self._written.get(report.submission)
        path = self.run / "feedback" / file_name(report.submission, ".html")
        if not path.exists() or written is None or written.terms != terms.digest:
            return False
        return written.pictures or not pictures

    def had_pictures(self, report: Report) -> bool:
        """Whether its page had some when it was written last."""
        written = self._written.get(report.submission)
        return written is not None and written.pictures

    def _note(self, report: Report, written: Written) -> None:
        note_written(self.journal, report, written)
        self._written[report.submission] = written


def in_order(reports: Sequence[Report]) -> list[Report]:
    """As a class is listed: by name, whoever was graded first."""
    return sorted(reports, key=lambda report: report.submission)
