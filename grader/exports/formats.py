"""Which formats there are, by the name that the command takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from grader.exports.classroom50 import classroom50
from grader.exports.csv_long import csv_long
from grader.exports.csv_wide import csv_wide
from grader.exports.gradescope import gradescope
from grader.exports.junit import junit
from grader.exports.markdown import markdown
from grader.model import Report
from grader.report.feedback_page import feedback_page
from grader.report.files import file_name

Context = Mapping[str, str]  # environment variables

TABLES: Mapping[str, Callable[[Sequence[Report]], str]] = {
    "csv": csv_wide,
    "csv-long": csv_long,
    "junit": junit,
}
"""One text for the whole run, for instructors."""

PAGES: Mapping[str, Callable[[Report, Context], str | None]] = {
    "gradescope": lambda report, context: as_json(gradescope(report)),
    "classroom50": lambda report, context: as_json(classroom50(report, context)),
    "markdown": lambda report, context: markdown(report),
    "html": lambda report, context: feedback_page(report),
}
"""One text for each submission, for its student; None where there is nothing to be written."""

ROSTERS = ("canvas", "moodle")
"""A platform's own table with the marks in it."""

MOODLE_PAGES = "moodle-pages"
"""The students' pages in one archive, in the shape that Moodle takes feedback in."""

GRADEBOOKS = ("nbgrader",)
"""A program's own database, filled through that program."""

NAMES = (*TABLES, *ROSTERS, *GRADEBOOKS, *PAGES, MOODLE_PAGES)

_FILES = {"gradescope": "results.json", "classroom50": "result.json"}  # names that are prescribed
_SUFFIXES = {"markdown": ".md", "html": ".html"}


def page_path(format_name: str, report: Report) -> PurePath:
    """Where the page of a submission belongs, in the folder of an export."""
    name = report.submission
    safe = f"_{name[1:]}" if name[:1] == "." else name  # `..` is another folder
    if format_name in _FILES:
        return PurePath(file_name(safe, ""), _FILES[format_name])
    return PurePath(file_name(safe, _SUFFIXES[format_name]))


def as_json(form: dict[str, Any] | None) -> str | None:
    """The values as text; of nothing, nothing."""
    if form is None:
        return None
    return json.dumps(form, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
