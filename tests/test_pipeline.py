"""Submissions in, Reports out: one after another, repeatable, and each says how it was made."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace

import pytest

from grader.course.catalog import load_catalog
from grader.errors import IsolationRefused
from grader.examiner import examination
from grader.model import Outcome, Submission
from grader.pipeline import grade_all, require_full, suites_digest
from grader.runs.texts import digest_of

RIGHT = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return x * x\n"
NUMBERS = '''
def test_tells_its_input(submission, draw):
    """Every seed has inputs of its own."""
    x = draw.normal(1)
    assert submission.double(x).equal(x), f"{x.item()} was drawn"
'''


@dataclass(frozen=True)
class Walls:
    """What a sandbox says of itself."""

    isolation: str
    layers: tuple[str, ...] = ()


@pytest.fixture
def graded(toy, sandbox):
    """``graded(submissions, ...)`` grades them in the toy course."""

    def graded(submissions, **options):
        return grade_all(toy, list(load_catalog(toy).values()), submissions, sandbox, **options)

    return graded


def handed_in(name="ann", text=RIGHT, path=""):
    return Submission(name, name, {"toy": text}, path=path)


def without_time(report):
    """The report but for when it was made and how long that took."""
    exercises = tuple(
        replace(one, verdicts=tuple(replace(verdict, seconds=0.0) for verdict in one.verdicts))
        for one in report.exercises
    )
    return replace(report, graded_at="", exercises=exercises)


class TestReports:
    def test_come_one_after_another(self, graded):
        """In the order of the submissions, each with its own verdicts."""
        reports = graded([handed_in("ann"), handed_in("bob", WRONG), handed_in("eve")], seed=1)

        assert [(r.submission, r.score, r.max_score) for r in reports] == [
            ("ann", 2.0, 2.0),
            ("bob", 0.0, 2.0),
            ("eve", 2.0, 2.0),
        ]

    def test_come_only_when_asked_for(self, graded, monkeypatch):
        """A class is never held in memory, and the first can be written while others wait."""
        taken, examined = [], []

        def report_on(self, exercise):
            examined.append(self._program.submission.name)
            return examination.ExerciseReport(exercise.name, ())

        def arriving():
            for name in ("ann", "bob", "eve"):
                taken.append(name)
                yield handed_in(name)

        monkeypatch.setattr(examination.Examination, "report_on", report_on)
        reports = graded(arriving(), seed=1)
        assert (taken, examined) == ([], [])
        for number in (1, 2):
            next(reports)
            assert taken == examined == ["ann", "bob", "eve"][:number]

    def test_of_nobody_are_none(self, graded):
        """There is nothing to say."""
        assert list(graded([], seed=1)) == []

    def test_say_where_the_submission_lay(self, graded):
        """So that a person finds it again."""
        (report,) = graded([handed_in(path="class/ann")], seed=1)

        assert report.path == "class/ann"

    def test_say_which_text_was_graded(self, graded):
        """By the digest of every module, which changes with it."""
        (report,) = graded([handed_in(text=RIGHT)], seed=1)

        assert report.digests == {"toy": f"sha256:{hashlib.sha256(RIGHT.encode()).hexdigest()}"}
        assert digest_of(RIGHT) != digest_of(WRONG)

    def test_say_under_what_they_were_made(self, graded, sandbox, toy):
        """A mark can be defended."""
        (report,) = graded([handed_in()], seed=7)
        made = report.conditions

        assert (made.seed, made.devices) == (7, ("cpu",))
        assert (made.isolation, made.layers) == (sandbox.isolation, sandbox.layers)
        assert set(made.versions) == {"grader", "torch", "suites"}
        assert made.versions["suites"] == suites_digest(toy)


class TestTheSeed:
    def test_gives_the_same_report_again(self, graded):
        """But for the time that it took, and when."""
        (once,) = graded([handed_in(text=WRONG)], seed=7)
        (again,) = graded([handed_in(text=WRONG)], seed=7)

        assert once.exercises[0].verdicts[0].outcome is Outcome.FAILED
        assert without_time(once) == without_time(again)

    def test_decides_the_inputs(self, graded, toy):
        """Otherwise the same seed would prove nothing."""
        toy.suite("toy").write_text(NUMBERS)
        toy.misconceptions("toy").write_text("")
        told = {
            report.verdicts[0].cause.facts["text"]
            for seed in (7, 8, 7)
            for report in graded([handed_in()], seed=seed)
        }

        assert len(told) == 2

    def test_that_nobody_gave_is_secret(self, graded, monkeypatch):
        """All of its 128 bits are drawn where nobody can know them."""
        asked = []

        def randbits(bits):
            asked.append(bits)
            return 2**bits - 1

        monkeypatch.setattr(secrets, "randbits", randbits)
        (report,) = graded([handed_in()])

        assert asked == [128]
        assert report.conditions.seed == 2**128 - 1

    def test_that_nobody_gave_is_another_in_every_run(self, graded):
        """And the same for all submissions of a run."""
        first = {r.conditions.seed for r in graded([handed_in("ann"), handed_in("bob")])}
        second = {r.conditions.seed for r in graded([handed_in()])}

        assert (len(first), len(second)) == (1, 1)
        assert first != second

    def test_may_be_nought(self, graded):
        """That a person chose."""
        (report,) = graded([handed_in()], seed=0)

        assert report.conditions.seed == 0


class TestTheDigestOfTheSuites:
    @pytest.mark.parametrize("which", ["suite", "misconceptions", "solution"])
    def test_changes_with_every_text(self, toy, which):
        """Marks came of suites, banks and references."""
        path, before = getattr(toy, which)("toy"), suites_digest(toy)
        path.write_text(path.read_text() + "\n")

        assert suites_digest(toy) != before

    def test_changes_with_a_name(self, toy):
        """The same text in another place is another suite."""
        before = suites_digest(toy)
        toy.suite("toy").rename(toy.suite("toy").with_name("test_tay.py"))

        assert suites_digest(toy) != before

    def test_stays_otherwise(self, toy):
        """What is generated, or no program, decides no mark."""
        before = suites_digest(toy)
        toy.stub("toy").write_text("")
        (toy.suites / "toy" / "notes.txt").write_text("mine")

        assert suites_digest(toy) == before


class TestFullIsolation:
    def test_is_required_for_marks(self):
        """Without it submissions could read the suites; it is said how to grade all the same."""
        with pytest.raises(IsolationRefused, match="--isolation process"):
            require_full(Walls("process"))

    def test_is_enough(self):
        """Nothing else is asked."""
        assert require_full(Walls("full")) is None
