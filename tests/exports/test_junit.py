"""JUnit XML that strict readers take."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from grader.exports.junit import junit
from grader.model import Outcome
from grader.runs.reading import read_run

# junit-10.xsd: what may stand in what, with which attributes.
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped"},
}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
}


def complaints(root):
    for element in root.iter():
        yield from set(element.attrib) ^ ATTRIBUTES[element.tag]
        yield from {child.tag for child in element} - CHILDREN.get(element.tag, set())


def parsed(text):
    return ElementTree.fromstring(text.encode())


class TestTheForm:
    def test_is_the_documented_one(self, graded):
        """Every element and attribute, of a real class."""
        out, _ = graded
        root = parsed(junit(read_run(out).reports))

        assert root.tag == "testsuites"
        assert list(complaints(root)) == []

    def test_counts_what_it_holds(self, report, verdict):
        """In each suite and in all: what failed, what has no verdict, what was skipped."""
        kinds = [Outcome.PASSED, Outcome.FAILED, Outcome.TIMEOUT, Outcome.BLOCKED,
                 Outcome.INTERNAL, Outcome.SKIPPED]  # fmt: skip
        root = parsed(junit([report(softmax=[verdict(kind) for kind in kinds]), report("ben")]))
        suite = root[0]

        assert [root.get(key) for key in ("tests", "failures", "errors")] == ["6", "3", "1"]
        assert suite.get("skipped") == "1"
        assert [[child.tag for child in case] for case in suite.iter("testcase")] == [
            [], ["failure"], ["failure"], ["failure"], ["error"], ["skipped"],
        ]  # fmt: skip

    def test_says_why(self, report, verdict):
        """The check, its sentence, and what went wrong."""
        (case,) = parsed(junit([report(softmax=[verdict(Outcome.FAILED)])])).iter("testcase")

        assert (case.get("classname"), case.get("name")) == ("softmax", "test_it")
        assert case[0].get("message") == "It is."
        assert case[0].text == "It differs.\n1 3\nLook there."

    def test_has_no_score_without_a_verdict(self, report, verdict):
        """Neither a zero nor an empty one."""
        root = parsed(junit([report(softmax=[verdict(Outcome.INTERNAL)])]))
        whole = parsed(junit([report(softmax=[verdict()])]))

        assert [p.get("name") for p in root.iter("property")] == ["student", "max_score"]
        assert {p.get("name"): p.get("value") for p in whole.iter("property")}["score"] == "1"

    def test_tells_the_core_from_the_rest(self, report, verdict, of_the_core):
        """As two classes of a package, and as properties that add up to the score."""
        verdicts = [of_the_core(verdict(points=2.0)), verdict(points=3.0)]
        root = parsed(junit([report(softmax=verdicts)]))
        named = {p.get("name"): p.get("value") for p in root.iter("property")}
        classes = [case.get("classname") for case in root.iter("testcase")]

        assert classes == ["softmax.core", "softmax.robust"]
        assert [named[name] for name in ("core", "robust", "score")] == ["2", "3", "5"]


@pytest.mark.parametrize("name", ["a\x00b", "\x1b[2J", "<x>&\"'", "]]>", "\ufffe", "a\nb"])
def test_any_name_can_be_read_back(report, verdict, name):
    """XML holds no control characters, not even escaped: each is shown as one that is unseen."""
    root = parsed(junit([report(name, softmax=[verdict()])]))
    kept = "".join("�" if c in "\x00\x1b\ufffe" else c for c in name)

    assert root[0].get("name") == kept
