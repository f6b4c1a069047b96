"""JUnit XML: a suite per submission, a case per check, as Jenkins, GitLab and others read it.

Source: the Ant JUnit schema as Jenkins' xunit plugin keeps it (junit-10.xsd). A check that did not
pass is a failure; one without a verdict is an error, which is the format's word for a test that
itself went wrong, so ``errors`` counts exactly what must be repeated. The class of a case is its
exercise, and ``softmax.core`` or ``softmax.robust`` where the course tells these apart: readers
take what stands before the last dot for a package.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from grader.model import Outcome, Report, Verdict
from grader.report.export import TWO_SCORES, deducted, mark, two_scores
from grader.report.feedback import words_of
from grader.report.parts import part_names, parts_of
from grader.report.plain import UNSEEN

_TAGS = {Outcome.SKIPPED: "skipped", Outcome.INTERNAL: "error"}  # all others that did not pass fail


def junit(reports: Sequence[Report]) -> str:
    """For instructors: it names hidden checks. Marks are properties of a suite, none without a
    verdict; ``score`` is what is left after what was ``deducted`` for being late, and ``core`` and
    ``robust`` are the two parts of the sum before.
    """
    root = ElementTree.Element("testsuites", {"name": "grader"} | _counts(_verdicts(reports)))
    for report in reports:
        root.append(_suite(report))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _verdicts(reports: Sequence[Report]) -> list[Verdict]:
    return [verdict for report in reports for verdict in report.verdicts]


def _counts(verdicts: Sequence[Verdict]) -> dict[str, str]:
    tags = [_tag(verdict) for verdict in verdicts]
    return {
        "tests": str(len(tags)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "time": f"{sum(verdict.seconds for verdict in verdicts):.3f}",
    }


def _tag(verdict: Verdict) -> str | None:
    if verdict.outcome is Outcome.PASSED:
        return None
    return _TAGS.get(verdict.outcome, "failure")


def _suite(report: Report) -> ElementTree.Element:
    verdicts = report.verdicts
    skipped = sum(_tag(verdict) == "skipped" for verdict in verdicts)
    counts = _counts(verdicts) | {"skipped": str(skipped)}
    suite = ElementTree.Element("testsuite", {"name": _valid(report.submission)} | counts)
    suite.append(_properties(report))
    for exercise in report.exercises:
        parts = part_names(exercise.verdicts)
        suite.extend(map(_case, exercise.verdicts, parts))
    return suite


def _properties(report: Report) -> ElementTree.Element:
    found = {
        "student": report.student,
        "score": mark(report.score),
        "max_score": mark(report.max_score),
        "deducted": deducted(report) if report.deducted else "",
        **dict(zip(TWO_SCORES, two_scores(report), strict=True)),
        **_parts(report),
    }
    properties = ElementTree.Element("properties")
    for name, value in found.items():
        if value:
            ElementTree.SubElement(properties, "property", name=name, value=_valid(value))
    return properties


def _parts(report: Report) -> dict[str, str]:
    parts = parts_of(report.verdicts)
    if parts is None:
        return {}
    return {"core": mark(parts.core.points), "robust": mark(parts.robust.points)}


def _case(verdict: Verdict, part: str) -> ElementTree.Element:
    check, tag = verdict.check, _tag(verdict)
    device = "" if check.device == "cpu" else f"[{check.device}]"
    case = ElementTree.Element(
        "testcase",
        classname=_valid(f"{check.exercise}.{part}" if part else check.exercise),
        name=_valid(f"{check.name}{device}"),
        time=f"{verdict.seconds:.3f}",
    )
    if tag is not None:
        words = words_of(verdict)
        found = ElementTree.SubElement(case, tag, message=_valid(words.sentence))
        if tag != "skipped":
            found.set("type", verdict.outcome.value)
        found.text = _valid("\n".join(filter(None, (words.rationale, words.actual, words.help))))
    return case


def _valid(text: str) -> str:
    """XML 1.0 holds no control characters, not even escaped (section 2.2, Char)."""
    return "".join(c if _is_char(ord(c)) else UNSEEN for c in text)


def _is_char(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or (
        0xE000 <= code <= 0x10FFFF and code not in (0xFFFE, 0xFFFF)
    )  # fmt: skip
