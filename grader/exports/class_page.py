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
from grader.report.words import score_words
from grader.similarity import compared
from grader.similarity.winnowing import K, W

MOST_SHOWN = 5  # attempts of one submission; a loop makes hundreds, and the report keeps them
WINNOWING = {
    "k": K,
    "w": W,
    "fewest": compared.FEWEST,
    "share": compared.SHARE,
    "same_work": compared.SAME_WORK,
    "lines": compared.FEWEST_LINES,
    "large": compared.LARGE,
}
MOST_PAIRS = 100  # near-identical ones; the JSON holds more


def class_page(report: ClassReport) -> str:
    """The page."""
    highest = max(*report.distribution.bins, 1)
    return _template().render(
        report=report,
        highest=highest,
        poor=POOR,
        fewest=FEWEST,
        most_shown=MOST_SHOWN,
        most_pairs=MOST_PAIRS,
        winnowing=WINNOWING,
    )


def _number(value: float | None, digits: int = 0) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def _points(worth: float | None) -> str:
    """Points, or a dash for a check that is not there."""
    return "–" if worth is None else score_words(worth)


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
    environment.filters |= {
        "code": with_code,
        "number": _number,
        "line": one_line,
        "points": score_words,
        "points_or_dash": _points,
    }
    return environment.get_template("class_page.html")
