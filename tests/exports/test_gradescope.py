"""results.json, as Gradescope's autograder specification has it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from grader.exports.gradescope import HIDDEN, gradescope
from grader.model import Deduction, Outcome
from grader.runs.reading import read_run

FORMATS = {"text", "html", "simple_format", "md", "ansi"}
VISIBLE = {"hidden", "after_due_date", "after_published", "visible"}
NUMBER = (int, float)
TOP = {
    "score": NUMBER, "execution_time": NUMBER, "output": str, "output_format": FORMATS,
    "test_output_format": FORMATS, "test_name_format": FORMATS, "visibility": VISIBLE,
    "stdout_visibility": VISIBLE, "extra_data": dict, "tests": list, "leaderboard": list,
}  # fmt: skip
TEST = {
    "score": NUMBER, "max_score": NUMBER, "status": {"passed", "failed"}, "name": str,
    "name_format": FORMATS, "number": str, "output": str, "output_format": FORMATS,
    "tags": list, "visibility": VISIBLE, "extra_data": dict,
}  # fmt: skip


def complaints(form, known):
    """What the specification does not know, or has as another kind."""
    for name, value in form.items():
        kind = known.get(name, ())
        if not (value in kind if isinstance(kind, set) else isinstance(value, kind)):
            yield name, value


class TestTheForm:
    def test_is_the_documented_one(self, graded):
        """Of every submission of a real class, there and back as JSON."""
        out, _ = graded
        forms = [json.loads(json.dumps(gradescope(one))) for one in read_run(out).reports]
        tests = [test for form in forms for test in form["tests"]]

        assert [c for form in forms for c in complaints(form, TOP)] == []
        assert [c for test in tests for c in complaints(test, TEST)] == []
        assert len(tests) > 60

    def test_adds_up(self, graded):
        """The score is that of its tests, and nobody has more than there is."""
        out, _ = graded
        for one in read_run(out).reports:
            form = gradescope(one)

            assert form["score"] == sum(test["score"] for test in form["tests"]) == one.score
            assert sum(test["max_score"] for test in form["tests"]) == one.max_score

    def test_says_what_went_wrong(self, report, verdict):
        """Named by the sentence, numbered by exercise and check; nothing in it is HTML."""
        wrong = verdict(Outcome.FAILED, 2.0, misconception="squares", lesson="You square.")
        (first, second) = gradescope(report(softmax=[verdict(), wrong]))["tests"]

        assert (first["number"], first["status"], first["output"]) == ("1.1", "passed", "")
        assert second["name"] == "softmax: It is."
        assert second["output"] == "It differs.\nexpected: 1 2\ngot: 1 3\n→ You square."
        assert {second["output_format"], second["name_format"]} == {"text"}


class TestTheCore:
    @pytest.fixture
    def told_apart(self, report, verdict, of_the_core):
        return report(softmax=[of_the_core(verdict()), verdict(Outcome.FAILED, 2.0)])

    def test_is_told_from_the_rest(self, told_apart):
        """In a test's name, which students see, and in a tag, which sorts."""
        tests = gradescope(told_apart)["tests"]

        assert [test["name"] for test in tests] == ["softmax, core: It is.",
                                                    "softmax, robust: It is."]  # fmt: skip
        assert [test["tags"] for test in tests] == [["softmax", "core"], ["softmax", "robust"]]

    def test_is_summed_up_above(self, told_apart):
        """Where students see the points of all checks."""
        assert gradescope(told_apart)["output"] == (
            "softmax: Core: 1 of 1 right, 1 of 1 points\n"
            "softmax: Robust: 0 of 1 right, 0 of 2 points"
        )

    @pytest.mark.parametrize("hidden", ["after_due_date", "after_published", "hidden"])
    def test_tells_nothing_of_checks_that_are_not_seen(self, told_apart, hidden):
        """A sum would give them away."""
        assert gradescope(told_apart, hidden)["output"] == ""


class TestWithoutAVerdict:
    @pytest.fixture
    def form(self, report, verdict):
        return gradescope(report(softmax=[verdict(), verdict(Outcome.INTERNAL)]))

    def test_there_is_no_number_anywhere(self, form):
        """Not in a test either: Gradescope would add those up to a mark."""
        assert "score" not in form
        assert [test for test in form["tests"] if "score" in test] == []

    def test_it_is_said(self, form):
        """To the student; and what has a verdict keeps it."""
        assert "not your fault" in form["output"]
        assert [test.get("status") for test in form["tests"]] == ["passed", None]


def test_what_was_skipped_is_worth_nothing(report, verdict):
    """Neither a zero nor hidden, which would hide the total."""
    form = gradescope(report(softmax=[verdict(), verdict(Outcome.SKIPPED, 3.0)]))
    skipped = form["tests"][1]

    assert form["score"] == 1.0
    assert not {"score", "max_score", "status"} & set(skipped)
    assert {test["visibility"] for test in form["tests"]} == {"visible"}


class TestHiddenChecks:
    """As much of them as an instructor wants; public ones are always seen."""

    @pytest.fixture
    def both(self, report, verdict):
        """``both(hidden)``: a public check and a hidden one, both failed."""
        (exercise,) = report(softmax=[verdict(Outcome.FAILED), verdict(Outcome.FAILED)]).exercises
        first, second = exercise.verdicts
        public = replace(first, check=replace(first.check, public=True))
        one = replace(exercise, verdicts=(public, second))
        return lambda hidden: gradescope(replace(report(), exercises=(one,)), hidden)["tests"]

    @pytest.mark.parametrize("hidden", HIDDEN)
    def test_never_hide_public_ones(self, both, hidden):
        """Their examples stand on the page."""
        public, _ = both(hidden)

        assert public["visibility"] == "visible"
        assert "It differs." in public["output"]

    @pytest.mark.parametrize("hidden", ["after_due_date", "after_published", "hidden"])
    def test_are_seen_when_gradescope_may_show_them(self, both, hidden):
        """In its own words; the platform decides when that is."""
        _, secret = both(hidden)

        assert secret["visibility"] == hidden
        assert "It differs." in secret["output"]

    def test_may_tell_points_alone(self, both):
        """What was asked, and what it earned; not what came."""
        _, secret = both("points")

        assert (secret["visibility"], secret["output"]) == ("visible", "")
        assert (secret["score"], secret["max_score"]) == (0.0, 1.0)

    @pytest.mark.parametrize("hidden", HIDDEN)
    def test_are_of_the_documented_form(self, both, hidden):
        """Whatever is chosen."""
        assert [c for test in both(hidden) for c in complaints(test, TEST)] == []


def test_what_being_late_costs_would_tell_the_total(report, verdict):
    """Where that is not to be seen before it is published, neither is this."""
    late = replace(report(softmax=[verdict()]), deduction=Deduction("2026-01-01T00:00:00Z", 1, 0.5))

    assert "0.5 are taken off" in gradescope(late, "after_due_date")["output"]
    assert gradescope(late, "after_published")["output"] == ""
