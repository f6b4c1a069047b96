"""result.json, as Classroom 50's schema classroom50/result/v1 has it."""

from __future__ import annotations

import re

import pytest

from grader.errors import GraderError
from grader.exports.classroom50 import classroom50
from grader.model import Outcome
from grader.runs.reading import read_run

CONTEXT = {"CLASSROOM": "nlp", "ASSIGNMENT": "ps1"}
TEXTS = (
    "classroom assignment assignment_type owner submission commit release review datetime graded_at"
).split()


def complaints(form):
    """Where it is not as its collector wants it."""
    if set(form) != {"schema", "score", "max-score", "tests", *TEXTS}:
        yield "fields", set(form)
    yield from ((key, form[key]) for key in TEXTS if not (isinstance(form[key], str) and form[key]))
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", form["datetime"]):
        yield "datetime", form["datetime"]
    for key in ("score", "max-score"):
        if type(form[key]) is not int or form[key] != sum(test[key] for test in form["tests"]):
            yield key, form[key]
    for test in form["tests"]:
        kinds = {key: type(value) for key, value in test.items()}
        if kinds != {"test-name": str, "passed": bool, "score": int, "max-score": int}:
            yield "test", test


class TestTheForm:
    def test_is_the_documented_one(self, graded):
        """Of every submission of a real class."""
        out, _ = graded
        forms = [classroom50(one, CONTEXT) for one in read_run(out).reports]

        assert [form["schema"] for form in forms] == ["classroom50/result/v1"] * 6
        assert [c for form in forms for c in complaints(form)] == []

    def test_has_whole_numbers(self, report, verdict):
        """All points are multiplied alike: halves and thirds are kept."""
        checks = [verdict(points=0.5), verdict(points=1 / 3), verdict(Outcome.FAILED, 2.0)]
        form = classroom50(report(softmax=checks), CONTEXT)

        assert [(t["score"], t["max-score"]) for t in form["tests"]] == [(3, 3), (2, 2), (0, 12)]
        assert (form["score"], form["max-score"]) == (5, 17)

    def test_has_the_points_themselves_where_they_are_whole(self, report, verdict):
        """As they stand in the report."""
        form = classroom50(report(softmax=[verdict(points=3.0)]), CONTEXT)

        assert (form["score"], form["max-score"]) == (3, 3)

    def test_tells_the_core_from_the_rest(self, report, verdict, of_the_core):
        """In the names of its tests: the schema has no other place for it."""
        form = classroom50(report(softmax=[of_the_core(verdict()), verdict()]), CONTEXT)
        names = [test["test-name"] for test in form["tests"]]

        assert names == ["1.1 softmax, core: It is.", "1.2 softmax, robust: It is."]

    def test_takes_what_the_runner_knows(self, report, verdict):
        """Its environment says of which commit this is; without it, the hour of the marks does."""
        known = {"OWNER": "ann-gh", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://c"}
        one = report(softmax=[verdict()])
        told, bare = classroom50(one, CONTEXT | known), classroom50(one, CONTEXT)

        assert (told["owner"], told["submission"], told["review"]) == (
            "ann-gh", "submit/1", "https://c",
        )  # fmt: skip
        assert (bare["owner"], bare["commit"]) == ("ann", "submit/manual-2026-01-02T03-04-05Z")

    @pytest.mark.parametrize("missing", CONTEXT)
    def test_must_know_for_whom(self, report, verdict, missing):
        """A result of no classroom would be collected by nobody."""
        context = {key: value for key, value in CONTEXT.items() if key != missing}

        with pytest.raises(GraderError, match=missing):
            classroom50(report(softmax=[verdict()]), context)


def test_there_is_none_without_a_verdict(report, verdict):
    """The schema requires a score, and there is none."""
    assert classroom50(report(softmax=[verdict(Outcome.INTERNAL)]), CONTEXT) is None


def test_what_was_skipped_is_not_in_it(report, verdict):
    """As if it did not exist."""
    form = classroom50(report(softmax=[verdict(), verdict(Outcome.SKIPPED, 3.0)]), CONTEXT)

    assert (len(form["tests"]), form["max-score"]) == (1, 1)
