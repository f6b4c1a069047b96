"""What is replaced is kept: ``earlier/TIME`` holds it in the form of a run, of one command each."""

from __future__ import annotations

import datetime
import os
from functools import cached_property
from pathlib import Path

from grader.report.files import file_name, write_whole
from grader.runs.texts import folder_of

FOLDER = "earlier"


class Earlier:
    """Where this command puts what it replaces; nothing is made before it is needed."""

    def __init__(self, run: Path) -> None:
        self._run = run

    def put(self, submission: str) -> None:
        """The report is copied, so that there is one at any moment; text and page are moved."""
        report = self._run / "reports" / file_name(submission, ".json")
        if not report.exists():
            return
        write_whole(self._place / "reports" / report.name, report.read_bytes())
        for path in (
            folder_of(self._run, submission),
            self._run / "feedback" / file_name(submission, ".html"),
        ):
            if path.exists():
                self._move(path)

    def _move(self, path: Path) -> None:
        target = self._place / path.relative_to(self._run)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)

    @cached_property
    def _place(self) -> Path:
        name = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H-%M-%SZ}"
        number, place = 1, self._run / FOLDER / name
        while place.exists():
            number += 1
            place = self._run / FOLDER / f"{name} {number}"
        return place
