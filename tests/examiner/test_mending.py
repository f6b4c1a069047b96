"""Where one change is enough is found by trying, told, and changes no mark."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from grader.examiner.assembled import Examination
from grader.examiner.collection import collected
from grader.model import Outcome, Submission
from grader.programs.program import SubmissionProgram
from grader.report.feedback import words_of

RIGHT = "def double(x):\n    return x + x\n"
ONE_PLACE = "def double(x):\n    y = x * 1\n    return y + x - y\n"
TWO_PLACES = "def double(x):\n    y = x.exp().log1p()\n    return y.sin() - x\n"
ELSEWHERE = "def double(x):\n    return _once_more(x)\n\n\ndef _once_more(x):\n    return x - x\n"
RAISES_LATER = "def double(x):\n    y = x.sum()\n    return y.unsqueeze(-2).squeeze(-2) + x\n"
LUCKY = (
    "import torch\n\n\ndef double(x):\n    hit = torch.rand(6).argmax() == 1\n"
    "    return (x + x) * hit + x.exp() * ~hit\n"
)
ENDLESS = "def double(x):\n    while x is not None:\n        pass\n    return x - x\n"


@pytest.fixture
def examined(toy, sandbox):
    """Of a submission's text: the report, and the same with mends."""
    suites = collected(toy)
    (exercise,) = suites.catalog.values()

    def examined(text, stop=lambda: False):
        program = SubmissionProgram(Submission("s", "s", {"toy": text}), sandbox)
        examination = Examination(suites, program, 7)
        report = examination.report_on(exercise)
        return report, examination.with_mends(report, stop)

    return examined


def mends(report):
    return [v.cause and v.cause.facts.get("mend") for v in report.verdicts]


class TestASlipInOnePlace:
    def test_is_found(self, examined):
        _, mended = examined(ONE_PLACE)
        told = {"kind": "part_left_out", "file": "toy.py", "line": 3, "name": "- y", "more": 0}

        assert mends(mended) == [told, told]

    def test_is_told_in_the_place_of_a_hint(self, examined):
        report, mended = examined(ONE_PLACE)

        assert words_of(report.verdicts[0]).help != words_of(mended.verdicts[0]).help
        assert words_of(mended.verdicts[0]).help == (
            "Tried out: one change in toy.py, line 3 is enough, and nothing fails here any more. "
            "`- y` is too much there."
        )

    def test_takes_the_place_of_advice_for_another_line(self, examined):
        """What is said of the line that raises misleads where another one is at fault."""
        _, mended = examined(RAISES_LATER)
        words = words_of(mended.verdicts[0])

        assert "line 3" in words.rationale
        assert words.help.startswith("Tried out: one change in toy.py, line 2 is enough")
        assert words.help.endswith("`.sum()` is too much there.")

    def test_in_several_places_is_told_as_that(self, examined):
        """One of them alone would not be enough."""
        _, mended = examined("def double(x):\n    y = x.exp() * 2\n    return y - x.exp() * 2\n")

        assert mends(mended) == [None, None]
        _, mended = examined("def double(x):\n    y = x.sum(-1)\n    return x.sum(-1) + y\n")
        help = words_of(mended.verdicts[0]).help

        assert "one change in toy.py, line 2, and the same wherever the same stands" in help
        assert "(1 more place), is enough" in help

    def test_may_be_in_what_the_function_calls(self, examined):
        _, mended = examined(ELSEWHERE)

        assert {mend["line"] for mend in mends(mended)} == {6}

    def test_changes_no_mark(self, examined):
        report, mended = examined(ONE_PLACE)

        assert (mended.score, mended.max_score) == (report.score, report.max_score)
        assert [v.outcome for v in mended.verdicts] == [v.outcome for v in report.verdicts]

    def test_that_is_known_needs_no_trying(self, examined):
        report, mended = examined("def double(x):\n    return x * x\n")

        assert report.verdicts[0].misconception == "squares"
        assert mended == report

    def test_is_not_sought_while_there_is_something_urgent(self, examined):
        report, mended = examined(ONE_PLACE, stop=lambda: True)

        assert mended == report


class TestNothingIsTold:
    @pytest.mark.parametrize("text", [RIGHT, TWO_PLACES, "def double(x):\n    return None\n"])
    def test_where_no_one_change_is_enough(self, examined, text):
        report, mended = examined(text)

        assert not any(mends(mended))
        assert mended.score == report.score

    def test_of_what_passes_by_good_luck(self, examined):
        """Whatever draws other numbers may pass for once."""
        report, mended = examined(LUCKY)

        assert report.score < report.max_score
        assert not any(mends(mended))

    def test_of_a_stub(self, examined):
        report, mended = examined("def double(x):\n    raise NotImplementedError('toy')\n")

        assert report.score == 0
        assert mended == report

    def test_of_what_hangs(self, toy, sandbox):
        """It is not even tried: trying would hang as well."""
        suites = collected(toy)
        (exercise,) = suites.catalog.values()
        suite = suites.of(exercise)
        suite.checks = tuple(replace(one, seconds=0.5) for one in suite.checks)
        program = SubmissionProgram(Submission("s", "s", {"toy": ENDLESS}), sandbox)
        examination = Examination(suites, program, 7)
        report = examination.report_on(exercise)
        begun = time.monotonic()

        assert {verdict.outcome for verdict in report.verdicts} == {Outcome.TIMEOUT}
        assert examination.with_mends(report) == report
        assert time.monotonic() - begun < 5


BOTH = '''

def test_both(compare, draw):
    """Twice, and then what is not written yet."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x))
    compare(lambda impl: impl.later(x))
'''


class TestAPageThatIsHalfWritten:
    LATER = "\n\ndef later(x):\n    raise NotImplementedError('TODO')\n"

    def test_is_mended_where_it_is_written(self, toy, examined):
        """A check that goes on to what is not written says nothing against a mend."""
        for path, more in (
            (toy.suite("toy"), BOTH),
            (toy.solution("toy"), "\n\ndef later(x):\n    return x\n"),
        ):
            path.write_text(path.read_text() + more)
        report, mended = examined(ONE_PLACE + self.LATER)
        wrong = [v for v in report.verdicts if v.cause and v.cause.kind != "unwritten"]
        told = {"kind": "part_left_out", "file": "toy.py", "line": 3, "name": "- y", "more": 0}

        assert len(wrong) == 3
        assert mends(mended) == [told] * 3


USING = '''

def test_user(compare, draw):
    """What uses it."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.user(x))
'''
ADVISED = '''

def test_small(submission, draw):
    """It grows."""
    submission.double(draw.normal(2, 3))
    raise finding("double does not grow.", help="Add what is missing.")
'''


class TestAMendThatIsNone:
    USER = "\n\ndef user(x):\n    return double(x) - 2 * x + x\n"

    @pytest.fixture
    def asked(self, toy, examined):
        """Of a text, what its mends are, with one check more."""

        def asked(text, check):
            suite, solution = toy.suite("toy"), toy.solution("toy")
            suite.write_text(f"from grader.check import finding\n{suite.read_text()}{check}")
            solution.write_text(solution.read_text() + self.USER)
            _, mended = examined(text)
            return [verdict.outcome for verdict in mended.verdicts], mends(mended)

        return asked

    def test_breaks_what_passes_elsewhere(self, asked):
        """Whoever uses the function is right as it is."""
        outcomes, told = asked(f"{ONE_PLACE}\n\ndef user(x):\n    return double(x) * 1\n", USING)

        assert outcomes == [Outcome.FAILED, Outcome.FAILED, Outcome.PASSED]
        assert told == [None, None, None]

    def test_only_leads_to_what_is_not_written(self, asked):
        """Whatever would come then, the numbers are as wrong as before."""
        later = "    if len(x) > 50:\n        raise NotImplementedError('later')\n"
        text = TWO_PLACES.replace("(x):\n", f"(x):\n{later}")
        outcomes, told = asked(f"{text}\n\ndef user(x):\n    return x * 1\n", USING)

        assert outcomes == [Outcome.FAILED, Outcome.FAILED, Outcome.PASSED]
        assert told == [None, None, None]

    def test_is_not_sought_where_a_check_says_what_to_do(self, asked):
        outcomes, told = asked(ONE_PLACE + self.USER, ADVISED)

        assert outcomes == [Outcome.FAILED] * 3
        assert not any(told)
