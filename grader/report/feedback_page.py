"""Report -> one page of HTML for the student: complete in itself, to be read, printed or mailed.

It says what ``feedback.py`` says, in its words. Names, causes and printed output are untrusted:
every one of them is escaped, and should one slip through, the page's own policy runs no script
and loads nothing.
"""

from __future__ import annotations

import base64
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from grader.model import ExerciseReport, Report
from grader.report.feedback import advice_on, words_on
from grader.report.lateness import deduction_words
from grader.report.lost import lost_words
from grader.report.parts import core_words, parts_of, robust_words
from grader.report.picture import Picture
from grader.report.words import score_words, without_verdict

_NO_PICTURES: Mapping[str, Picture] = {}
_VERSIONS = ("grader", "course", "torch")  # that of the suites is no student's business


def feedback_page(
    report: Report, pictures: Mapping[str, Picture] = _NO_PICTURES, appeal: str = ""
) -> str:
    """The page; ``pictures`` by exercise stand beside the verdicts. ``appeal`` says at its end what
    a student can do who thinks that a mark is wrong.
    """
    exercises = [
        _section(place, exercise, report.digests.get(exercise.name, ""), pictures)
        for place, exercise in enumerate(report.exercises, start=1)
    ]
    count = len(report.without_verdict)
    notice = without_verdict(count) if count else ""
    known = report.conditions.versions
    versions = {name: known[name] for name in _VERSIONS if name in known}
    return _template().render(
        report=report,
        exercises=exercises,
        notice=notice,
        late=deduction_words(report),
        versions=versions,
        appeal=appeal,
    )


def _section(
    place: int, exercise: ExerciseReport, digest: str, pictures: Mapping[str, Picture]
) -> dict[str, object]:
    picture = pictures.get(exercise.name)
    return {
        "place": place,
        "digest": digest,
        "name": exercise.name,
        "score": exercise.score,
        "max_score": exercise.max_score,
        "done": exercise.score == exercise.max_score,
        "unjudged": bool(exercise.without_verdict),
        "followed": lost_words(exercise),
        "parts": list(_parts(exercise)),
        "advice": advice_on(exercise),
        "picture": None if picture is None else _image(picture),
    }


def _parts(exercise: ExerciseReport) -> Iterator[dict[str, object]]:
    """The core and what makes it robust, each under its own score; without a core, one part."""
    parts, told = parts_of(exercise.verdicts), words_on(exercise)
    if parts is None:
        yield {"head": "", "told": told}
        return
    for core, head in ((True, core_words(parts)), (False, robust_words(parts))):
        yield {"head": head, "told": [words for words in told if words.core is core]}


def _image(picture: Picture) -> dict[str, str]:
    return {
        "source": f"data:image/png;base64,{base64.b64encode(picture.png).decode()}",
        "alt": picture.alt,
    }


@functools.cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"code": with_code, "points": score_words}
    return environment.get_template("feedback_page.html")


def with_code(text: str) -> Markup:
    """Words in which what stands between backticks is code; all of it escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one has no partner
        return escape(text)
    marked = (
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
    return Markup("").join(marked)
