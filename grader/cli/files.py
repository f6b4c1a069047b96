"""What a run leaves: its reports, pages and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from grader.cli import screen
from grader.collect import Ignored
from grader.collect.names import shown
from grader.course.assignment import FILE_NAME, Assignment
from grader.course.course import Course
from grader.course.marks import weighted
from grader.errors import GraderError
from grader.model import Report, Submission
from grader.pictures import picture_of, require_matplotlib
from grader.report.export import write_feedback, write_grades, write_not_graded
from grader.report.files import write_whole
from grader.report.picture import Picture
from grader.runs.reading import Run, read_not_graded, read_reports, weighed
from grader.runs.store import Store, in_order
from grader.runs.terms import Terms, last_appeal, note_written
from grader.runs.texts import submission_of
from grader.sandbox.launch import Sandbox


@dataclass(frozen=True)
class Extras:
    """What is written beside the reports: pages for students, and pictures in them."""

    feedback: bool = False
    pictures: bool = False
    appeal: str = ""

    def require(self, out: Path | None) -> None:
        """Raises ``GraderError`` before anything runs for nothing."""
        if self.pictures and not self.feedback:
            raise GraderError("--pictures go into the pages that --feedback writes: add it.")
        if self.appeal and not self.feedback:
            raise GraderError("--appeal goes into the pages that --feedback writes: add it.")
        if self.feedback and out is None:
            raise GraderError("--feedback writes pages: say where, with --out DIR.")
        if self.pictures:
            require_matplotlib()


@dataclass
class Files:
    """Writes what belongs to a report as soon as there is one.

    A file that cannot be written costs that file: it is named at the end, and the class goes on.
    Reports are kept as they are; what marks are read from is weighted by the ``assignment``. A run
    that has pages keeps them, whether or not they are asked for once more.
    ``held`` are the reports that stand in no folder: without a ``store`` all of them.
    """

    course: Course
    store: Store | None
    sandbox: Sandbox
    extras: Extras
    assignment: Assignment | None = None
    problems: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    held: dict[str, Report] = field(default_factory=dict)

    @cached_property
    def terms(self) -> Terms:
        """By which tables and pages are written; an appeal holds until there is another one."""
        appeal = self.extras.appeal or (last_appeal(self.store.run) if self.store else "")
        return Terms("" if self.assignment is None else self.assignment.text, appeal)

    @property
    def has_pages(self) -> bool:
        """Whether there are pages in the run, or are to be."""
        return self.store is not None and (
            self.extras.feedback or (self.store.run / "feedback").is_dir()
        )

    def keep_assignment(self) -> None:
        """In the run, whose reports would be read by other weights without."""
        if self.store is None or self.assignment is None:
            return
        path, text = self.store.run / FILE_NAME, self.assignment.text
        if not path.exists() or path.read_bytes() != text.encode():
            self._write(FILE_NAME, write_whole, path, text)

    def keep(self, submission: Submission, report: Report) -> None:
        """A new report."""
        store = self.store
        if store is None:
            self.held[report.submission] = report
        elif self._write(f"the report on {report.submission}", store.keep, submission, report):
            self._page(store, submission, report)
        else:
            self.held[report.submission] = report

    def bring_up(self, submission: Submission, report: Report) -> None:
        """A report that stands."""
        store = self.store
        assert store is not None
        self._write(f"the report on {report.submission}", store.bring_up, submission, report)

    def finish(self, not_yet: Sequence[Submission] = ()) -> list[Report]:
        """The marks and pages of all in the folder; gives all reports, weighted, but for those of
        an earlier attempt of whoever is ``not_yet`` graded.
        """
        store, found = self.store, Run(())
        if store is not None:
            found = read_reports(store.run)
            self.missing += found.problems
        reports = {one.submission: one for one in found.reports} | self.held
        waiting = {one.name for one in not_yet}
        those = in_order([one for name, one in reports.items() if name not in waiting])
        self._bring_pages_up(those)
        those = self._weighted(those)
        if store is not None and self._write("grades.csv", write_grades, those, store.run, not_yet):
            self._write("journal.jsonl", note_written, store.journal, self.terms)
        return those

    def list_ignored(self, ignored: Sequence[Ignored], folder: Path) -> None:
        """What lay in ``folder`` and was not graded, instead of what was said of it before."""
        if self.store is None:
            return
        rows = read_not_graded(self.store.run)
        here = f"{shown(folder).rstrip('/')}/"
        others = [(path, why) for path, why in rows if not f"{path}/".startswith(here)]
        if rows or ignored:
            rows = sorted([*others, *((one.path, one.reason) for one in ignored)])
            self._write("not_graded.csv", write_not_graded, rows, self.store.run)

    def note(self, event: str, **facts: object) -> None:
        """In the journal."""
        if self.store is not None:
            add = partial(self.store.journal.add, event, **facts)
            self._write("journal.jsonl", add)

    def tell(self) -> None:
        """What became of the files."""
        for problem in [*self.problems, *self.missing]:
            screen.note(problem)
        if self.store is not None:
            out = self.store.run
            feedback = f" and {out / 'feedback'}" if self.has_pages else ""
            but = ", but for what is named above" if self.missing else ""
            screen.say(f"Written{but}: {out / 'grades.csv'} and {out / 'reports'}{feedback}")

    def _weighted(self, reports: Sequence[Report]) -> list[Report]:
        if self.assignment is None:
            return list(reports)
        found = weighed(Run(tuple(reports)), self.assignment)
        self.missing += found.problems
        self.problems += (f"note  {remark}" for remark in found.remarks)
        return list(found.reports)

    def _bring_pages_up(self, reports: Sequence[Report]) -> None:
        """Those that were not written by today's terms; also of whom nobody asked for now."""
        store, pictures = self.store, self.extras.pictures
        if store is None or not self.has_pages:
            return
        for report in reports:
            if not store.has_page(report, pictures, self.terms):
                page = f"the page for {report.submission}"
                self._write(page, self._page_of_kept, store, report)

    def _page_of_kept(self, store: Store, report: Report) -> None:
        problems = store.problems_of(report)
        self._page(store, submission_of(report, problems, store.run), report)

    def _page(self, store: Store, submission: Submission, report: Report) -> None:
        if self.has_pages:
            pictures = self.extras.pictures or store.had_pictures(report)
            drawn = self._pictures(submission, report) if pictures else {}
            page = f"the page for {report.submission}"
            if self._write(page, self._write_page, report, drawn, store.run):
                self._write("journal.jsonl", store.note_page, report, pictures, self.terms)

    def _write_page(self, report: Report, drawn: Mapping[str, Picture], run: Path) -> None:
        shown = report if self.assignment is None else weighted(report, self.assignment)
        write_feedback(shown, drawn, run, self.terms.appeal)

    def _pictures(self, submission: Submission, report: Report) -> dict[str, Picture]:
        def note(exercise: str, why: str) -> None:
            self.problems.append(f"no picture  {report.submission}: {exercise}: {why}")

        found = {
            exercise.name: picture_of(self.course, exercise, submission, self.sandbox, note)
            for exercise in report.exercises
        }
        return {name: picture for name, picture in found.items() if picture is not None}

    def _write(self, what: str, write: Callable[..., object], *arguments: object) -> bool:
        """Whether it could be written."""
        try:
            write(*arguments)
        except Exception as error:  # the disk, or words of a submission that nobody foresaw
            why = error.strerror if isinstance(error, OSError) else None
            self.missing.append(f"not written  {what}: {why or f'{type(error).__name__}: {error}'}")
            return False
        return True
