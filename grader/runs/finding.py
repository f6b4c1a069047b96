"""Which report, and which check in it, a person speaks of: by name, by id, by number."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeVar

from grader.errors import ReportError
from grader.model import Outcome, Report, Verdict
from grader.report.numbers import numbered
from grader.report.words import on_device
from grader.spelling import did_you_mean

Numbered = tuple[str, Verdict]
_Found = TypeVar("_Found")
_MOST_NAMED = 10


def report_of(reports: Sequence[Report], name: str) -> Report:
    """The report on the submission or student of this name or id; a part of a name will do if it is
    nobody else's. Raises ``ReportError`` if there is none, or more than one.
    """
    wanted = _plain(name)
    by_report = [({_plain(n) for n in _names(report)}, report) for report in reports]
    found = [report for names, report in by_report if wanted in names]
    found = found or [report for names, report in by_report if any(wanted in n for n in names)]
    if not found:
        near = did_you_mean(name, [n for report in reports for n in _names(report)])
        raise ReportError(f"There is no report on {name!r} in this run.{near}")
    return _only(found, name, lambda report: f"{report.submission} ({report.student})")


def check_of(report: Report, name: str) -> Numbered:
    """The check of this number (``2.1``) or name, with its exercise where others have the same
    (``softmax.test_example``); ``test_`` may be left out. What failed goes before what passed.
    Raises ``ReportError`` if there is none, or more than one.
    """
    every = list(numbered(report))
    found = [one for one in every if name in (one[0], *_called(one[1]))]
    found = failed_among(found) or found
    if not found:
        known = [n for number, verdict in every for n in (number, *_called(verdict))]
        near = did_you_mean(name, known)
        raise ReportError(f"There is no check {name!r} in the report on {report.submission}.{near}")
    return _only(found, name, lambda one: f"{one[0]} ({title_of(one[1])})")


def failed_among(checks: Sequence[Numbered]) -> list[Numbered]:
    """Those that a student may ask about."""
    right = (Outcome.PASSED, Outcome.SKIPPED)
    return [one for one in checks if one[1].outcome not in right]


def title_of(verdict: Verdict) -> str:
    """``softmax.test_example``, and where it ran, unless that was the CPU."""
    return f"{verdict.check.exercise}.{verdict.check.name}{on_device(verdict)}"


def _names(report: Report) -> list[str]:
    return [n for n in (report.submission, report.student, report.student_id) if n]


def _called(verdict: Verdict) -> list[str]:
    check = verdict.check
    short = check.name.removeprefix("test_")
    names = [check.name, short, f"{check.exercise}.{check.name}", f"{check.exercise}.{short}"]
    return [*names, title_of(verdict)]


def _only(found: Sequence[_Found], name: str, said: Callable[[_Found], str]) -> _Found:
    if len(found) > 1:
        several = ", ".join(map(said, found[:_MOST_NAMED]))
        raise ReportError(f"{name!r} may be one of {len(found)}: {several}. Say which.")
    return found[0]


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()
