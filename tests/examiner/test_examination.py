"""Checks are run one after another, what failed is diagnosed together, and nothing runs twice."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from grader.errors import SandboxError, WorkerLost
from grader.examiner.assembled import Examination
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.examiner.finding import TRIES, find
from grader.model import Outcome, Submission
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram, SubmissionProgram
from grader.report.feedback import words_of

CountedProgram = load_by_path(Path(__file__).with_name("counted.py")).CountedProgram

CHECKS = '''
import pytest


def test_one(submission):
    """Rule one."""
    found = submission.double(1)
    assert found == 2, f"found {found}"


def test_two(submission):
    """Rule two."""
    found = submission.double(2)
    assert found == 4, f"found {found}"


@pytest.mark.per_student
def test_three(submission):
    """Rule three."""
    found = submission.double(3)
    assert found == 6, f"found {found}"
'''
BANK = """
from grader.check import Bank
wrong = Bank()
wrong("double", "squares", "one three", "You square.", "x + x", "x * x")
"""


def right(x):
    return x + x


def squares(x):
    return x * x


@pytest.fixture
def suite(suite_of):
    return suite_of(CHECKS, bank=BANK)


def examined(suite, double, **options):
    program = LocalProgram({"double": double})
    return examine(suite, program, 5, **{"advised": False, **options})


class TestWhichChecks:
    def test_are_all_in_the_order_of_the_suite(self, suite):
        """Whatever became of those before."""
        assert [(v.check.name, v.points) for v in examined(suite, squares)] == [
            ("test_one", 0.0),
            ("test_two", 1.0),
            ("test_three", 0.0),
        ]

    def test_of_the_core_come_first(self, suite_of):
        """Whoever waits for the idea need not wait for the rest."""
        asked = []
        checks = CHECKS.replace("def test_two", "@pytest.mark.core\ndef test_two")
        examine(suite_of(checks), LocalProgram({"double": lambda x: asked.append(x)}), 1)

        assert [x for n, x in enumerate(asked) if x not in asked[:n]] == [2, 1, 3]

    def test_that_measure_come_last(self, suite_of):
        """Theirs are workers of their own, for which the one of the others ends; the verdicts
        stand where the suite has the checks.
        """
        asked = []
        checks = CHECKS.replace("def test_one(submission)", "def test_one(submission, leaner_than)")
        verdicts = examine(suite_of(checks), LocalProgram({"double": lambda x: asked.append(x)}), 1)

        assert asked == [2, 3, 1]
        assert [v.check.name for v in verdicts] == ["test_one", "test_two", "test_three"]

    def test_are_those_that_are_named(self, suite):
        """In the suite's order; a name that is none is nobody's."""
        found = examined(suite, right, only=["test_three", "test_one", "test_nine"])

        assert [v.check.name for v in found] == ["test_one", "test_three"]

    def test_may_be_none(self, suite):
        """Nobody asks for a diagnosis of nothing."""
        assert examined(suite, squares, only=[]) == []

    def test_end_where_it_is_enough(self, suite):
        """``stop`` is asked before every check, with the verdicts so far."""
        asked = []

        def stop(found):
            asked.append([v.check.name for v in found])
            return any(not v.points for v in found)

        found = examined(suite, lambda x: 2 if x == 1 else 0, stop=stop)

        assert [v.check.name for v in found] == ["test_one", "test_two"]
        assert asked == [[], ["test_one"], ["test_one", "test_two"]]


class TestDevices:
    @pytest.fixture(autouse=True)
    def _no_gpu(self, monkeypatch):
        monkeypatch.setattr("grader.examiner.finding.is_here", lambda device: device == "cpu")

    def test_are_tried_one_after_another_in_each_check(self, suite):
        """Each gives a verdict that says where it was."""
        found = examined(suite, right, devices=("cpu", "cuda"), only=["test_one", "test_two"])

        assert [(v.check.name, v.check.device) for v in found] == [
            ("test_one", "cpu"),
            ("test_one", "cuda"),
            ("test_two", "cpu"),
            ("test_two", "cuda"),
        ]

    def test_that_are_not_here_skip_the_check(self, suite):
        """It counts as if it did not exist, and nothing is opened for it."""
        program = CountedProgram(right)
        found = examine(suite, program, 5, devices=("cuda",), advised=False)

        assert {(v.outcome, v.max_points, v.cause.kind) for v in found} == {
            (Outcome.SKIPPED, 0.0, "no_gpu")
        }
        assert program.opened == 0


MEASURES = (
    CHECKS
    + '''

def test_four(submission, faster_than):
    """Rule four."""
    assert submission.double(4) == 8, "not 8"


def test_five(submission, leaner_than):
    """Rule five."""
    assert submission.double(5) == 10, "not 10"
'''
)


class Lender:
    """Lends devices, and remembers to whom."""

    def __init__(self):
        self.lent = []

    @contextmanager
    def device(self, name, *, alone):
        self.lent.append((name, alone))
        yield


class TestADeviceOfWhichOthersMakeUse:
    def test_is_had_alone_by_checks_that_weigh(self, suite_of, monkeypatch):
        """Time is measured on the CPU; other checks and the diagnosis share it."""
        program = LocalProgram({"double": squares})
        monkeypatch.setattr(program, "cores", Lender(), raising=False)
        examine(suite_of(MEASURES, bank=BANK), program, 5, advised=False)

        alone = [False, False, False, True, False]
        assert program.cores.lent == [("cpu", one) for one in [*alone, False]]


class TestWithoutAVerdict:
    @pytest.mark.parametrize("failure", [SandboxError("once"), WorkerLost("once")])
    def test_a_check_is_tried_again(self, suite, failure):
        """A worker that could not be started, or was lost, is no reason to give no mark."""
        program = CountedProgram(right, failure)
        (verdict,) = examine(suite, program, 5, only=["test_one"], advised=False)

        assert verdict.outcome is Outcome.PASSED
        assert (program.opened, program.closed) == (2, 2)

    def test_a_check_is_not_tried_for_ever(self, suite):
        """What fails every time is told, and the other checks go on."""
        program = CountedProgram(right, *[SandboxError("again")] * TRIES)
        first, *others = examine(suite, program, 5, advised=False)

        assert (first.outcome, first.cause.facts["said"]) == (
            Outcome.INTERNAL,
            "SandboxError: again",
        )
        assert {verdict.outcome for verdict in others} == {Outcome.PASSED}
        assert program.opened == TRIES + 2

    def test_a_verdict_of_any_kind_is_not_asked_for_again(self, suite):
        """Whoever failed has been heard."""
        program = CountedProgram(squares)
        examine(suite, program, 5, only=["test_one"], advised=False)

        assert (program.opened, program.closed) == (1, 1)


class TestLessons:
    def test_are_of_the_recognised_misconception(self, suite):
        """Its name and its sentence, in every check that it explains."""
        found = examined(suite, squares)

        assert [(v.misconception, v.lesson) for v in found] == [
            ("squares", "You square."),
            (None, ""),
            ("squares", "You square."),
        ]
        assert [v.settled for v in found] == [True, False, True]

    def test_are_none_where_the_check_says_it_itself(self, suite):
        """Nothing rather than a hint that has nothing to do with it."""
        found = examined(suite, lambda x: 7 * x)

        assert {v.lesson for v in found} == {""}
        assert {v.settled for v in found} == {False}

    @pytest.mark.parametrize(
        ("double", "lesson"),
        [
            (lambda x: x + torch.tensor([1.0, 5.0, 2.0, 7.0]), "Twice x is x + x."),
            (lambda x: None, ""),
            (lambda x: 3 * x, ""),
        ],
        ids=["wrong", "nothing", "a pattern"],
    )
    def test_are_the_hint_of_the_function_where_nothing_is_recognised(
        self, suite_of, double, lesson
    ):
        """It says where to begin; but not to whom nothing came back, nor beside a pattern."""
        text = """
def test_doubles(compare, draw):
    '''Rule.'''
    compare.double(draw.normal(4))
"""
        (found,) = examined(suite_of(text, bank="from grader.check import Bank\n"), double)

        assert found.lesson == lesson
        assert bool(found.cause.facts.get("pattern")) is (not lesson and found.cause.kind != "kind")

    @pytest.mark.parametrize(
        ("wrong_for", "banks", "often"),
        [
            ((2,), 1, ["You 0."]),
            ((2,), 2, ["You 0.", "You 1."]),
            ((2,), 3, []),
            ((1, 2), 1, []),
        ],
        ids=["one mistake", "two", "one of many", "more is wrong"],
    )
    def test_are_what_is_often_wrong_where_one_check_fails(self, suite_of, wrong_for, banks, often):
        """Of an answer that nobody knows, beside mistakes that only this check catches."""
        checks = """
import pytest

@pytest.mark.core
def test_rows(compare, draw):
    '''Rule.'''
    compare.double(draw.normal(4))

def test_matrices(compare, draw):
    '''Rule.'''
    compare.double(draw.normal(2, 4))
"""
        wrong = """
@wrong.instead_of("double", "matrices")
def wrong_{0}(x):
    '''You {0}.'''
    return 2 * x if x.ndim < 2 else {0} + 7 * x
"""
        bank = "from grader.check import Bank\nwrong = Bank()\n"
        suite = suite_of(checks, bank="".join([bank, *(wrong.format(n) for n in range(banks))]))
        more = torch.tensor([1.0, 5.0, 2.0, 7.0])
        found = examined(suite, lambda x: x + more if x.ndim in wrong_for else 2 * x)
        told = found[1].cause.facts.get("often", ())

        assert list(told) == often
        assert ("Others who failed nothing but this" in words_of(found[1]).help) is bool(often)

    @pytest.mark.parametrize(("scale", "told"), [(1.0, False), (1000.0, True)])
    def test_say_where_numbers_are_too_large(self, suite_of, scale, told):
        """For exp in their dtype; not where an infinity comes from elsewhere."""
        text = f"""
def test_doubles(compare, draw):
    '''Rule.'''
    compare.double({scale} * draw.normal(4))
"""
        double = (lambda x: x.exp().log() * 2) if told else (lambda x: x / 0)
        (found,) = examined(suite_of(text, bank="from grader.check import Bank\n"), double)

        assert (found.cause.facts.get("pattern", {}).get("kind") == "beyond") is told

    def test_are_not_for_what_is_no_wrong_answer(self, suite):
        """A hint helps nobody whose code does not run."""
        found = examined(suite, lambda x: x.nope)

        assert {(v.outcome, v.lesson) for v in found} == {(Outcome.ERROR, "")}

    def test_need_no_diagnosis(self, suite):
        """Whoever proves a suite asks for outcomes alone."""
        found = examined(suite, squares, diagnosed=False)

        assert [v.misconception for v in found] == [None] * 3
        assert [v.outcome for v in found] == [Outcome.FAILED, Outcome.PASSED, Outcome.FAILED]


class TestASubmissionsWay:
    @pytest.fixture
    def begun(self, suite, toy, sandbox, monkeypatch):
        """``begun(source)`` is an examination of it; ``begun.examined`` are the exercises."""
        begun_examined = []

        def counting(suite, *rest, **options):
            begun_examined.append(suite.exercise.name)
            return find(suite, *rest, **options)

        monkeypatch.setattr("grader.examiner.assembled.find", counting)

        def begun(source, student="ann", **options):
            submission = Submission(student, student, {"toy": source})
            program = SubmissionProgram(submission, sandbox)
            return Examination(collected(toy), program, 5, **options)

        begun.examined = begun_examined
        return begun

    def test_examines_each_exercise_once(self, begun, suite):
        """However often its report is asked for."""
        examination = begun("def double(x):\n    return x + x\n")
        first, second = (examination.report_on(suite.exercise) for _ in range(2))

        assert first == second
        assert [v.points for v in first.verdicts] == [1.0, 1.0, 1.0]
        assert begun.examined == ["toy"]

    def test_goes_through_the_devices_it_is_given(self, begun, suite, monkeypatch):
        """In every exercise."""
        monkeypatch.setattr("grader.examiner.finding.is_here", lambda device: device == "cpu")
        examination = begun("def double(x):\n    return x + x\n", devices=("cpu", "cuda"))
        verdicts = examination.report_on(suite.exercise).verdicts

        assert [v.check.device for v in verdicts] == ["cpu", "cuda"] * 3

    def test_ends_where_it_is_enough(self, begun, suite):
        """As for a learner who has saved again meanwhile."""
        examination = begun("def double(x):\n    return x + x\n", stop=lambda found: len(found) > 1)

        assert len(examination.report_on(suite.exercise).verdicts) == 2

    def test_tells_what_was_printed_and_refused(self, begun, suite):
        """In the check that it happened in."""
        source = (
            "def double(x):\n    if x == 2:\n        print('two')\n        try:\n"
            "            open('/etc/passwd')\n        except OSError:\n            pass\n"
            "    return x + x\n"
        )
        one, two, _ = begun(source).report_on(suite.exercise).verdicts

        assert (one.output, one.refused) == ("", ())
        assert (two.output, two.refused) == ("two\n", ("open('/etc/passwd')",))

    def test_settles_what_lies_in_the_module_itself(self, begun, suite):
        """A module that cannot be imported, or is not written yet, is not a neighbour's fault."""
        sources = {
            "unwritten": "def double(x):\n    raise NotImplementedError('toy')\n",
            "broken": "def double(x:\n",
            "wrong": "def double(x):\n    return 7\n",
        }
        found = {
            name: {v.settled for v in begun(text).report_on(suite.exercise).verdicts}
            for name, text in sources.items()
        }

        assert found == {"unwritten": {True}, "broken": {True}, "wrong": {False}}


USER = {
    "exercises/catalog.toml": """
[user]
title = "A user"
source = "nowhere"
needs = ["toy"]
hints = ["Twice twice is four times."]
""",
    "solutions/user.py": '''"""Built on the toy."""

from toy import double


def fourfold(x):
    """Four times ``x``."""
    # BEGIN SOLUTION
    return double(double(x))
    # END SOLUTION
''',
    "grader/suites/user/test_user.py": '''
def test_fourfold(compare, draw):
    """Twice twice."""
    compare.fourfold(draw.normal(3))
''',
    "grader/suites/user/misconceptions.py": "from grader.check import Bank\n\nwrong = Bank()\n",
}


class TestAModuleKnownToBeRight:
    """A learner's, which passed before and is as it was."""

    @pytest.fixture
    def examined(self, toy, sandbox, monkeypatch):
        """``examined(right)``: the user's verdicts, and which exercises were examined."""
        for name, text in USER.items():
            path = toy.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text((path.read_text() if path.exists() else "") + text)
        texts = {
            "toy": "def double(x):\n    return 3 * x\n",
            "user": "from toy import double\n\n\ndef fourfold(x):\n    return 5 + double(x)\n",
        }
        found = []

        def noting(suite, *rest, **options):
            found.append(suite.exercise.name)
            return find(suite, *rest, **options)

        monkeypatch.setattr("grader.examiner.assembled.find", noting)

        def examined(right):
            found.clear()
            suites = collected(toy)
            program = SubmissionProgram(Submission("ann", "ann", texts), sandbox)
            examination = Examination(suites, program, 5, right=right)
            report = examination.report_on(suites.catalog["user"])
            return [verdict.outcome for verdict in report.verdicts], found

        return examined

    def test_is_not_examined_once_more(self, examined):
        """So what is built on it is wrong by itself."""
        assert examined({"toy"}) == ([Outcome.FAILED], ["user"])

    def test_is_one_that_was_examined(self, examined):
        """Of any other it is found out whether it is to blame."""
        assert examined(()) == ([Outcome.BLOCKED], ["user", "toy"])
