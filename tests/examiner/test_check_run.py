"""One check and one run of it by one program: the road that everybody comes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.examiner.check_run import case_of, made_on
from grader.examiner.examination import examine
from grader.examiner.finding import TRIES
from grader.model import Outcome, Submission
from grader.programs.bank import Entry
from grader.programs.failure import Evidence
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram, SubmissionProgram
from grader.report.feedback import words_of

CountedProgram = load_by_path(Path(__file__).with_name("counted.py")).CountedProgram
USES = '''
def test_uses(submission, draw):
    """What comes back can be used."""
    x = draw.normal(3)
    assert submission.double(x).sum().isclose(2 * x.sum()), "another sum"
'''
NO_BANK = "from grader.check import Bank\nwrong = Bank()\n"


def verdict_on(suite, names, **options):
    """The verdict of the first check on a program of ours."""
    program = LocalProgram({"double": names}) if callable(names) else names
    return examine(suite, program, 5, advised=False, **options)[0]


class TestTheRoad:
    @pytest.mark.parametrize("body", ["x + x", "x * 3", "None", "x.nope", "(2 * x).detach()"])
    def test_is_the_same_here_and_in_a_worker(self, suite_of, sandbox, body):
        """Outcome, cause and diagnosis do not depend on where a program runs; only of a submission
        is the text known, of which a cause may say more."""
        suite = suite_of(None)
        source = f"def double(x):\n    return {body}\n"
        names = {}
        exec(compile(source, "<submission>/toy.py", "exec"), names)
        workers = SubmissionProgram(Submission("ann", "", {"toy": source}), sandbox)
        here, there = (
            [(v.outcome, v.cause, v.misconception) for v in examine(suite, p, 5, advised=False)]
            for p in (LocalProgram(names), workers)
        )

        assert [outcome for outcome, _, _ in here] == [outcome for outcome, _, _ in there]
        for (_, one, _), (_, other, _) in zip(here, there, strict=True):
            known = dict(one.facts) if one else {}

            assert known == {name: other.facts[name] for name in known}
        assert [name for _, _, name in here] == [name for _, _, name in there]


class TestChangedInputs:
    def test_are_told_beside_what_they_may_have_caused(self, suite_of):
        """A property fails for a reason that may lie in an input which was changed before."""
        suite = suite_of(USES)
        (verdict,) = examine(suite, LocalProgram({"double": lambda x: x.add_(1)}), 5, advised=False)

        assert (
            "Its input (argument 1) was changed in place: mend that first"
            in words_of(verdict).rationale
        )

    def test_are_no_news_where_the_reference_changes_them_too(self, suite_of):
        """Then that is what is asked for."""
        suite = suite_of(USES, "def double(x):\n    return x.add_(x)\n", NO_BANK)
        program = LocalProgram({"double": lambda x: x.mul_(3)})
        (verdict,) = examine(suite, program, 5, advised=False)

        assert words_of(verdict).rationale == "another sum"


class TestFixtures:
    def test_are_made_when_they_are_asked_for(self, suite_of):
        """Who asks for no implementation opens none."""
        suite = suite_of('def test_draws(draw):\n    """It draws."""\n    draw.normal(2)\n')
        program = CountedProgram(None)

        assert verdict_on(suite, program).outcome is Outcome.PASSED
        assert program.opened == 0

    def test_share_what_was_opened(self, suite_of):
        """A check that asks twice for the submission has it loaded once."""
        suite = suite_of(
            'def test_asks(compare, submission, draw):\n    """It asks."""\n'
            "    x = draw.normal(2)\n    compare.double(x)\n    submission.double(x)\n"
        )
        program = CountedProgram(lambda x: x + x)

        assert verdict_on(suite, program).outcome is Outcome.PASSED
        assert (program.opened, program.closed) == (1, 1)

    def test_lie_on_the_device(self, suite_of):
        """What a check makes without naming a device lies there, and so does what is drawn."""
        suite = suite_of(
            "import torch\n\n\n"
            'def test_lies(draw, device):\n    """It lies there."""\n'
            "    places = {torch.ones(1).device.type, draw.normal(1).device.type, device}\n"
            '    assert places == {"meta"}, str(places)\n'
        )
        case = case_of(suite, suite.checks[0], 5, "meta", "")

        assert case.rerun({}) is None
        assert torch.ones(1).device.type == "cpu"

    def test_leave_the_default_device_as_it_was(self):
        """Also where a check stumbles."""

        def stumbles():
            with made_on("meta"):
                return torch.ones(1).nope

        with pytest.raises(AttributeError):
            stumbles()

        assert torch.ones(1).device.type == "cpu"


class TestAccidents:
    def test_are_the_submissions_doing_if_the_reference_passes(self, suite_of):
        """What came back could not be used; how, is said in a few words."""
        verdict = verdict_on(suite_of(USES), lambda x: None)

        assert verdict.outcome is Outcome.FAILED
        assert words_of(verdict).rationale == (
            "What came back cannot be used here "
            "(AttributeError: 'NoneType' object has no attribute 'sum')."
        )

    def test_are_ours_if_the_reference_stumbles_too(self, suite_of):
        """Nobody is to blame for a check that cannot pass."""
        suite = suite_of(USES.replace(".sum()", ".sums()"))
        verdict = verdict_on(suite, lambda x: None)

        assert verdict.outcome is Outcome.INTERNAL
        assert "not your fault" in words_of(verdict).rationale

    @pytest.mark.parametrize("double", [lambda x: x + x, lambda x: None])
    def test_are_ours_while_fixtures_are_made(self, suite_of, double):
        """Nothing was asked of the submission yet, whatever the reference would have made of it."""
        broken = [OSError("no worker")] * TRIES
        verdict = verdict_on(suite_of(USES), CountedProgram(double, *broken))

        assert verdict.outcome is Outcome.INTERNAL
        assert words_of(verdict).actual == "OSError: no worker"

    def test_of_the_reference_are_ours(self, suite_of):
        """A reference that cannot answer is the suite's fault, and no answer is looked at."""
        suite = suite_of(None, page="def double(x):\n    return x.nope\n", bank="")
        verdict = verdict_on(suite, lambda x: None)

        assert verdict.outcome is Outcome.INTERNAL
        assert "the reference cannot answer" in words_of(verdict).actual

    def test_are_told_safely(self, suite_of):
        """A message that the submission had a hand in drives no terminal and has an end."""
        suite = suite_of(
            'def test_speaks(submission):\n    """It speaks."""\n'
            '    said = submission.double("x")\n'
            '    if said != "xx":\n        raise ValueError(said)\n'
        )
        said = words_of(verdict_on(suite, lambda x: "\x1b[2J" + "x" * 5000)).rationale

        assert "\x1b" not in said
        assert len(said) < 300

    def test_are_recognised_like_any_other_mistake(self, suite_of):
        """Who makes the same value as a known misconception is told so, usable or not."""
        bank = (
            "from grader.check import Bank\n\nwrong = Bank()\n"
            'wrong("double", "nothing", "uses", "You return nothing.", "return x + x", "x + x")\n'
        )
        verdict = verdict_on(suite_of(USES, bank=bank), lambda x: None)

        assert verdict.misconception == "nothing"


class TestPytestsOwnWays:
    def test_of_failing_fail(self, suite_of):
        """``pytest.fail`` says what an assertion would."""
        suite = suite_of(
            "import pytest\n\n\n"
            'def test_it(draw):\n    """It is."""\n    pytest.fail("it is not")\n'
        )
        verdict = verdict_on(suite, CountedProgram(None))

        assert verdict.outcome is Outcome.FAILED
        assert words_of(verdict).rationale == "it is not"

    def test_of_skipping_skip(self, suite_of):
        """``pytest.skip`` counts as if the check did not exist."""
        suite = suite_of(
            'import pytest\n\n\ndef test_it(draw):\n    """It is."""\n    pytest.skip("not here")\n'
        )
        verdict = verdict_on(suite, CountedProgram(None))

        assert (verdict.outcome, verdict.max_points) == (Outcome.SKIPPED, 0.0)
        assert words_of(verdict).rationale == "not here"


class TestCases:
    PER_STUDENT = USES.replace("\ndef", "\nimport pytest\n\n\n@pytest.mark.per_student\ndef")

    def test_share_what_is_known_of_the_same_inputs(self, suite_of):
        """From one submission to the next, as long as the run's seed is the same."""
        suite = suite_of(USES)
        ann, ben, other = (
            case_of(suite, suite.checks[0], seed, "cpu", student)
            for seed, student in ((5, "ann"), (5, "ben"), (6, "ann"))
        )

        assert ann.seed == ben.seed != other.seed
        assert ann.shared is ben.shared
        assert ann.shared is not other.shared

    def test_of_students_own_inputs_share_nothing(self, suite_of):
        """Everybody's are others, and the same again for the same student."""
        suite = suite_of(self.PER_STUDENT)
        ann, again, ben = (
            case_of(suite, suite.checks[0], 5, "cpu", name) for name in ("ann", "ann", "ben")
        )

        assert ann.seed == again.seed != ben.seed
        assert ann.shared is not again.shared

    def test_open_a_program_for_the_check_at_hand(self, suite_of):
        """Its exercise, its deadline, its seed and its device."""
        suite = suite_of(USES.replace("\ndef", "\nimport pytest\n\n\n@pytest.mark.timeout(7)\ndef"))
        case = case_of(suite, suite.checks[0], 5, "cpu", "")
        opening = case.opening

        assert (opening.exercise, opening.seconds) == (suite.exercise, 7.0)
        assert (opening.seed, opening.device, opening.fresh) == (case.seed, "cpu", False)


class Counted(Entry):
    """A misconception that counts how often it is tried."""

    tried = []

    def applied_to(self, reference):
        self.tried.append(self.name)
        return {**reference, "double": lambda x: 3 * x}


class TestAnswersOfMisconceptions:
    def test_are_worked_out_once_a_run(self, suite_of):
        """The inputs are everybody's, and so is the answer."""
        suite, entry = suite_of(USES), Counted(name="triples", sentence="You triple.")
        entry.tried.clear()
        answers = [
            case_of(suite, suite.checks[0], 5, "cpu", student).answer_of(entry)
            for student in ("ann", "ben", "cleo")
        ]

        assert answers == [Evidence("said", 0, "another sum")] * 3
        assert entry.tried == ["triples"]


class TestAnswersUntilAComparison:
    """What a misconception does not show there need not be asked in all other ways."""

    TWICE = """
ASKED = []


def test_twice(compare, draw):
    \"\"\"Two are doubled.\"\"\"
    for size in 2, 3:
        x = draw.normal(size)
        compare(lambda impl: impl.double(x))
    ASKED.append("the end")
"""

    @pytest.fixture
    def answers(self, suite_of):
        """``answers(function, step)``: until that comparison; how often it was called; whether
        the check was gone through; and whether that is all of its answer.
        """
        suite = suite_of(self.TWICE)
        check = suite.checks[0]
        ended = check.function.__globals__["ASKED"]

        def answers(double, step):
            calls = []

            class Wrong(Entry):
                def applied_to(self, reference):
                    return {**reference, "double": lambda x: calls.append(x) or double(x)}

            entry = Wrong(name="wrong", sentence="You do.")
            case = case_of(suite, check, 5, "cpu", "ann")
            found = case.answer_until(step, entry)
            asked, through = len(calls), bool(ended)
            case.answer_of(entry)
            return found, asked, through, len(calls) == asked

        return answers

    def test_are_none_of_one_that_is_right_so_far(self, answers):
        """Nothing after it is asked, nor is anything asked again."""
        found, calls, through, _ = answers(lambda x: 2 * x + (len(x) == 3), 0)

        assert found is None
        assert calls == 1
        assert not through

    def test_are_the_whole_answer_if_the_first_is_wrong(self, answers):
        """Nothing is asked again before it: no second run tells more."""
        found, calls, _, is_all = answers(lambda x: 3 * x, 0)

        assert (found.kind, found.step, calls) == ("numbers", 0, 1)
        assert is_all

    def test_are_asked_for_once_more_if_a_later_one_is(self, answers):
        """It may fail sooner when it is asked again."""
        found, calls, through, is_all = answers(lambda x: 2 * x + (len(x) == 3), 1)

        assert (found.kind, found.step, calls) == ("numbers", 1, 2)
        assert not through
        assert not is_all


class TestAdvice:
    """Trying elsewhere takes time: not everything is tried."""

    CHECK = '''
def test_{n}(compare, draw):
    """Rule {n}."""
    compare(lambda impl: impl.{name}(draw.normal(2, 3)))
'''
    PAGE = "import torch\n\n\n" + "".join(
        f"def {name}(x):\n    return x + x\n\n\n" for name in "abcde"
    )
    STAYS = PAGE.replace("x + x", "x * torch.full((2, 3), 2.0)")

    def advised(self, suite_of, names):
        """Which of the checks, each of which calls one of these names, come with advice."""
        checks = "".join(self.CHECK.format(n=n, name=name) for n, name in enumerate(names))
        suite, program = suite_of(checks, page=self.PAGE), {}
        exec(self.STAYS, program)
        return [bool(verdict.advice) for verdict in examine(suite, LocalProgram(program), 5)]

    def test_is_given_on_three_checks_at_most(self, suite_of):
        """Whoever makes one such mistake makes it everywhere."""
        assert self.advised(suite_of, "abcde") == [True, True, True, False, False]

    def test_compares_the_same_calls(self, suite_of):
        """Whoever looks at values is not tried with the first call of a check, and not measured by
        what came of it for somebody else."""
        check = '''
def test_both(compare, draw):
    """Both rules."""
    x = draw.normal(2, 3).to("meta")
    compare(lambda impl: impl.a(x))
    compare(lambda impl: impl.b(3))
'''
        page = "import torch\ndef a(x):\n    {}return x + x\ndef b(n):\n    return torch.ones(n)\n"
        suite, plain, looks = suite_of(check, page=page.format("")), {}, {}
        exec(page.format(""), plain)
        exec(page.format("assert x.isfinite().all()\n    "), looks)
        found = [examine(suite, LocalProgram(program), 5) for program in (plain, looks)]

        assert [(verdicts[0].outcome, verdicts[0].advice) for verdicts in found] == [
            (Outcome.PASSED, None),
            (Outcome.PASSED, None),
        ]

    def test_is_given_once_on_the_same_kind_of_call(self, suite_of):
        """A second look at the same function would find the same."""
        assert self.advised(suite_of, "aabab") == [True, False, True, False, False]
