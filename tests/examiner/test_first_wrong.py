"""At which value a function goes wrong is found by its own values, told, and changes no mark."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import without_markers
from grader.examiner.assembled import Examination
from grader.examiner.collection import collected
from grader.model import Submission
from grader.programs.program import SubmissionProgram
from grader.report.feedback import words_of

SOLUTION = '''\
"""Attention, in three steps."""

import math


def attend(q, k, v):
    """The average of the values."""
    # BEGIN SOLUTION
    scores = q @ k.mT
    weights = (scores / math.sqrt(q.shape[-1])).softmax(-1)
    return weights @ v
    # END SOLUTION
'''
SUITE = '''\
def test_attends(compare, draw):
    """It averages."""
    q, k, v = draw.normal(2, 5, 8), draw.normal(2, 6, 8), draw.normal(2, 6, 8)
    compare.attend(q, k, v)


def test_nothing_else(submission, draw):
    """It is a function."""
    assert submission.attend(draw.normal(2, 8), draw.normal(2, 8), draw.normal(2, 8)) is not None
'''
IN_TWO = (
    SOLUTION.replace("def attend", "def scored(q, k):\n    \"\"\"All products.\"\"\"\n"
    "    # BEGIN SOLUTION\n    return q @ k.mT\n    # END SOLUTION\n\n\ndef attend")
    .replace("scores = q @ k.mT", "scores = scored(q, k)")
)  # fmt: skip
ASKS_BOTH = SUITE.replace("def test_attends", "@pytest.mark.core\ndef test_attends").replace(
    "def test_nothing_else",
    '@pytest.mark.core\ndef test_scores(compare, draw):\n    """It multiplies."""\n'
    "    compare.scored(draw.normal(2, 8), draw.normal(3, 8))\n\n\ndef test_nothing_else",
)
BANK = "from grader.check import Bank\n\nwrong = Bank()\n"
SINE = "scores.sin().softmax(-1).sin()"  # no one change makes that right


def page(*lines):
    return "import torch\n\n\ndef attend(q, k, v):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.fixture
def told(toy, sandbox, request):
    """Of a text: what the first check's verdict says of it."""
    solution, suite = getattr(request, "param", (SOLUTION, SUITE))
    toy.solution("toy").write_text(solution)
    toy.suite("toy").write_text(suite)
    toy.misconceptions("toy").write_text(BANK)
    suites = collected(toy)
    (exercise,) = suites.catalog.values()

    def told(text, stop=lambda: False):
        program = SubmissionProgram(Submission("s", "s", {"toy": text}), sandbox)
        examination = Examination(suites, program, 7)
        report = examination.report_on(exercise)
        mended = examination.with_mends(report, stop)
        assert (mended.score, mended.max_score) == (report.score, report.max_score)
        verdict = mended.verdicts[0]
        assert verdict.cause is not None and "mend" not in verdict.cause.facts
        return verdict.cause.facts.get("first_wrong"), words_of(verdict).help

    return told


SMALL_FIRST = '''\
def test_averages_two(compare, draw):
    """It averages two numbers."""
    compare.attend(draw.normal(1, 2), draw.normal(3, 2), draw.normal(3, 2))


'''
TABLE = '''\
"""A table."""

import torch


def table(n):
    """Its rows count."""
    # BEGIN SOLUTION
    return torch.arange(4.0 * n).view(n, 4) / 3
    # END SOLUTION
'''
ASKS_TABLE = '''\
def test_counts(compare):
    """They count."""
    compare.table(5)


def test_nothing_else(submission):
    """It is a table."""
    assert submission.table(2) is not None
'''
SEVERAL_CALLS = SUITE.replace(
    "    compare.attend(q, k, v)",
    "    compare(lambda impl: [impl.attend(0 * q, k, v), impl.attend(q, k, v)])",
)


class TestTheFirstWrongValue:
    def test_is_told_with_what_it_is_made_from(self, told):
        fact, help = told(page("scores = q @ k.mT", f"weights = {SINE}", "return weights @ v"))

        assert fact == {
            "kind": "leaves", "name": "scores.sin()", "line": 6, "after": "scores",
            "file": "toy.py",
        }  # fmt: skip
        assert help.startswith(
            "Followed step by step: `scores` is still what the reference has on its way. "
            "`scores.sin()`, made of it in toy.py, line 6, is the first that is not"
        )

    @pytest.mark.parametrize("told", [(SOLUTION, SEVERAL_CALLS)], indirect=True)
    def test_is_that_of_the_call_whose_answer_is_wrong(self, told):
        """Of several that are compared together: the first of these is right, for sin(0) is 0."""
        line = "weights = scores.sin().softmax(-1)"
        fact, _ = told(page("scores = q @ k.mT", line, "return weights @ v"))

        assert (fact["name"], fact["line"]) == ("scores.sin()", 6)

    @pytest.mark.parametrize("told", [(SOLUTION, SMALL_FIRST + SUITE)], indirect=True)
    def test_is_told_where_the_reader_begins(self, told):
        """Found in another check, if the first one has too few numbers for it."""
        fact, help = told(page("scores = q @ k.mT", f"weights = {SINE}", "return weights @ v"))

        assert fact["name"] == "scores.sin()" and fact["elsewhere"]
        assert help.startswith("Followed step by step in another check: `scores` is still what")

    @pytest.mark.parametrize("told", [(SOLUTION, SEVERAL_CALLS)], indirect=True)
    def test_is_none_behind_a_return(self, told):
        """What stands there is not come to."""
        early = ("if v is not None:", "    return (q @ k.mT + 1).sin().sin() @ v")
        fact, _ = told(page(*early, "return (q @ k.mT).cos().cos() @ v"))

        assert fact["line"] == 6

    def test_may_come_from_a_right_one(self, told):
        """What it is made from is not, in two places."""
        lines = ("a = q / 3", "b = k.mT / 5", "scores = a @ b", f"weights = {SINE}")
        fact, help = told(page(*lines, "return weights @ v"))

        assert (fact["kind"], fact["line"], fact["form"]) == ("comes_near", 7, "factor")
        assert "but another way begins before it. Look at both. It is what the reference" in help
        assert "It is what the reference has, times 0.0667." in help

    def test_may_be_seen_later_than_where_it_begins(self, told):
        """Which is told as well."""
        lines = ("q = q * 0.2 if v is None else q * 0.6", "scores = q @ k.mT")
        fact, help = told(page(*lines, f"weights = {SINE}", "return weights @ v"))

        assert (fact["name"], fact["form"]) == ("q @ k.mT", "factor")
        assert (fact["first"], fact["first_line"]) == ("q * 0.6", 5)
        assert "begins before it, with `q * 0.6` in toy.py, line 5. Look at both." in help

    def test_may_be_one_of_which_the_numbers_were_moved(self, told):
        """There, and no sooner."""
        lines = ("scores = (q @ k.mT).flip(-2)", "weights = scores.softmax(-1).sin()")
        fact, _ = told(page(*lines, "return weights @ v"))

        assert fact["name"] == "(q @ k.mT).flip(-2)"

    def test_may_have_been_right_before(self, told):
        """The same name holds something else then."""
        lines = ("scores = q @ k.mT", "for row in scores[0]:", "    row.sin_()")
        fact, help = told(page(*lines, "return (scores / 8**0.5).softmax(-1).sin() @ v"))

        assert (fact["kind"], fact["name"], fact["line"]) == ("changes", "scores", 8)
        assert "and no longer when it comes to toy.py, line 8: what changes it in between?" in help

    def test_may_be_the_first_of_all(self, told):
        fact, help = told(page("a = q.sin().cos()", "return (a @ k.mT).sin().softmax(-1) @ v"))

        assert (fact["name"], fact["line"]) == ("q.sin()", 5)
        assert "`q.sin()` in toy.py, line 5 is the first that the reference has not" in help

    def test_is_where_nan_begins(self, told):
        """Even if something before it is another way."""
        lines = ("scores = (q @ k.mT).sin().cos()", "gone = scores - scores")
        fact, help = told(page(*lines, "weights = gone / gone", "return weights @ v"))

        assert fact["kind"] == "nan_begins" and fact["name"] == "gone / gone"
        assert "NaN begins in `gone / gone` in toy.py, line 7" in help

    def test_is_where_infinity_was_before(self, told):
        """It comes of that."""
        lines = ("scores = q @ k.mT", "large = (scores * 1e3).exp()")
        fact, help = told(
            page(*lines, "weights = large / large.sum(-1, keepdim=True)", "return weights @ v")
        )

        assert fact["infinite"] == "large"
        assert "which is made from what is infinite already: `large`." in help

    def test_is_none_where_another_way_was_gone_at_first(self, told):
        """It comes back to the reference's values, and leaves them later."""
        lines = ("scores = (q * 2) @ (k / 2).mT", f"weights = {SINE}", "return weights @ v")
        fact, _ = told(page(*lines))

        assert (fact["name"], fact["after"], fact["line"]) == ("scores.sin()", "scores", 6)

    def test_is_found_under_a_condition_that_holds(self, told):
        lines = ("scores = q @ k.mT", "if scores.ndim > 9:", "    scores = scores.cos()")
        fact, _ = told(page(*lines, f"weights = {SINE}", "return weights @ v"))

        assert (fact["name"], fact["line"]) == ("scores.sin()", 8)

    def test_is_no_return_that_is_not_come_to(self, told):
        """There the function returns what it always does."""
        lines = ("scores = q @ k.mT", "if scores.ndim > 1:", f"    return {SINE} @ v")
        fact, _ = told(page(*lines, "return scores.cos() @ v"))

        assert (fact["name"], fact["line"]) == ("scores.sin()", 7)

    def test_is_no_mask_of_another_way(self, told):
        """What speaks of places alone, the reference need not have."""
        seen = "seen = torch.ones_like(scores, dtype=torch.bool).tril()"
        lines = ("scores = q @ k.mT", seen, "some = scores.masked_fill(~seen, -9.0)")
        fact, _ = told(page(*lines, "return some.sin().softmax(-1) @ v"))

        assert (fact["name"], fact["line"]) == ("scores.masked_fill(~seen, -9.0)", 7)

    def test_is_told_with_a_mask_that_may_be_wrong(self, told):
        """It speaks of places alone, and nobody knows which of the reference's it is to be."""
        found, help = told(page(
            "scores = q @ k.mT / q.shape[-1] ** 0.5", "allowed = torch.ones(5, 6).bool().tril(1)",
            "hidden = scores.masked_fill(~allowed, -3.0)", "return hidden.sin().softmax(-1) @ v",
        ))  # fmt: skip

        assert (found["name"], found["beside"]) == (
            "scores.masked_fill(~allowed, -3.0)",
            "torch.ones(5, 6).bool().tril(1)",
        )
        assert "is the first" not in help
        assert "at `torch.ones(5, 6).bool().tril(1)` in toy.py, line 6" in help

    def test_that_is_returned_too_soon_is_told_as_that(self, told):
        fact, help = told(
            page(
                "scores = q @ k.mT",
                "w = scores.sin()",
                "w = (scores / 8**0.5).softmax(-1)",
                "return w * 1 / 1 * 1 / 1 * 1",
            )
        )

        assert (fact["kind"], fact["line"]) == ("goes_on", 8)
        assert "what is returned in toy.py, line 8 is a value that the reference has" in help


class TestNothingIsTold:
    def test_of_a_round_that_is_not_the_first(self, told):
        """A value that is right there may be wrong later."""
        again = "    x = (x @ k.mT / 8**0.5).softmax(-1) @ v"
        fact, _ = told(page("x = q", "for _ in k[0, :, 0]:", again, "return x"))

        assert fact is None

    def test_of_what_is_given_back_as_it_came(self, told):
        """Something was done with it, perhaps, that did nothing for once."""
        assert (
            told(page("return v.mT.mT[..., :5, :].masked_fill(v[..., :5, :] > 99, 0)"))[0] is None
        )

    def test_where_another_way_begins(self, told):
        """It may be right as far as it is known."""
        line = "weights = (q @ k.mT).repeat(1, 2, 1).sin()[:, :5].softmax(-1)"  # of another shape

        assert told(page(line, "return weights @ v"))[0] is None

    def test_where_two_are_wrong(self, told):
        fact, _ = told(
            page("a = q.sin()", "b = k.cos()", "return (a @ b.mT).sin().softmax(-1) @ v")
        )

        assert fact is None

    @pytest.mark.parametrize("told", [(IN_TWO, f"import pytest\n\n\n{ASKS_BOTH}")], indirect=True)
    def test_of_a_call_of_what_is_known_to_be_wrong(self, told):
        """That comes first, and what calls it may be right."""
        scored = "\n\ndef scored(q, k):\n    return (q @ k.mT).sin().cos() * q.sum()\n"
        lines = ("scores = scored(q, k)", "weights = (scores / 8**0.5).softmax(-1)")
        fact, help = told(page(*lines, "return weights @ v") + scored)

        assert fact is None and "Followed" not in help

    @pytest.mark.parametrize("told", [(TABLE, ASKS_TABLE)], indirect=True)
    def test_of_a_table_that_is_filled_later(self, told):
        """That it is empty at first is no mistake."""
        lines = ("x = torch.zeros(n, 4)", "for i in range(n):", "    x[i] = i", "return x")
        fact, _ = told(page(*lines).replace("attend(q, k, v)", "table(n)"))

        assert fact is None

    def test_while_there_is_something_urgent(self, told):
        fact, _ = told(page("return (q @ k.mT).sin().sin() @ v"), stop=lambda: True)

        assert fact is None

    def test_of_what_hangs(self, told):
        lines = ("if q.ndim == 3:", "    while True:", "        pass", "return q")
        fact, _ = told(page(*lines))

        assert fact is None


def test_code_that_the_page_gives_is_not_followed(sandbox):
    """It is right, and wrong is what was done to its model before."""
    course = find_course()
    exercise = load_catalog(course)["training"]
    suites = collected(course, [exercise])
    clip = "nn.utils.clip_grad_norm_(model.parameters(), max_norm)"
    always = """norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        for p in model.parameters():
            p.grad = p.grad / norm * max_norm"""
    text = without_markers(course.solution_texts["training"])
    wrong = Submission("s", "s", {"training": text.replace(clip, always)})
    examination = Examination(suites, SubmissionProgram(wrong, sandbox), 7)
    mended = examination.with_mends(examination.report_on(exercise))
    places = [v.cause.facts.get("first_wrong") for v in mended.verdicts if v.cause]
    given = text[: text.index("def next_token_batch")].count("\n")

    assert clip in text and places
    assert all(place["line"] > given for place in places if place)
