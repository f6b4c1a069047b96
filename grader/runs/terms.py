"""By what terms the tables and pages in a run were written: where its ``assignment.toml`` is
another today, whoever reads the run is told, and whatever writes into it makes them anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import FILE_NAME
from grader.runs.journal import Journal
from grader.runs.texts import digest_of

WRITTEN = "tables written"  # the event of grades.csv and all pages that there are


@dataclass(frozen=True)
class Terms:
    """The text of an assignment's file, and what pages say of a mark that is wrong; "" for none."""

    assignment: str = ""
    appeal: str = ""

    @property
    def digest(self) -> str:
        """Tells other terms; empty where there are none."""
        parts = [self.assignment, self.appeal]
        return digest_of("\0".join(parts)) if any(parts) else ""


def note_written(journal: Journal, terms: Terms) -> None:
    """All in the run is by these."""
    journal.add(WRITTEN, assignment=digest_of(terms.assignment), appeal=terms.appeal)


def last_appeal(run: Path) -> str:
    """What pages said last."""
    return str(_last_written(run).get("appeal", ""))


def are_older(run: Path) -> bool:
    """Whether its assignment was changed since; of runs of older versions nobody knows."""
    written = _last_written(run).get("assignment")
    return written is not None and written != digest_of(_assignment_in(run))


def _last_written(run: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for entry in Journal(run).entries():
        if entry.get("event") == WRITTEN:
            found = dict(entry)
    return found


def _assignment_in(run: Path) -> str:
    path = run / FILE_NAME
    return path.read_bytes().decode("utf-8-sig", "replace") if path.is_file() else ""
