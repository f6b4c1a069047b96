"""The class report as one page of HTML: complete in itself, for a screen, a phone or paper.

Names, sentences and attempts are untrusted: all are escaped, and the page's own policy runs no
script and loads nothing.
"""

from __future__ import annotations

import functools
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from grader.exports.class_report import ClassReport
from grader.exports.item_analysis import FEWEST, POOR
from grader.report.feedback_page import with_code
from grader.report.plain import one_line

MOST_SHOWN = 5  # attempts of one submission; a loop makes hundreds, and the report keeps them


def class_page(report: ClassReport) -> str:
    """The page."""
    highest = max(*report.distribution.bins, 1)
    return _template().render(
        report=report, highest=highest, poor=POOR, fewest=FEWEST, most_shown=MOST_SHOWN
    )


def _number(value: float | None, digits: int = 0) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


@functools.cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=folder,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"code": with_code, "number": _number, "line": one_line}
    return environment.get_template("class_page.html")
