"""Submissions in, Reports out: one after another, repeatable, and each says how it was made."""

from __future__ import annotations

import hashlib
import os
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from grader import pipeline
from grader.backends.in_flight import Place
from grader.course.catalog import load_catalog
from grader.course.suite_digests import suite_digests
from grader.errors import IsolationRefused, JobLost, OtherConditions
from grader.examiner import assembled
from grader.model import Outcome, Submission
from grader.pipeline import (
    Orders,
    Task,
    conditions,
    grade_all,
    grade_there,
    require_full,
)
from grader.programs.budget import LIMITS
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
            return assembled.ExerciseReport(exercise.name, ())

        def arriving():
            for name in ("ann", "bob", "eve"):
                taken.append(name)
                yield handed_in(name)

        monkeypatch.setattr(assembled.Examination, "report_on", report_on)
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
        assert set(made.versions) == {"grader", "course", "torch"}
        assert made.suites == suite_digests(toy)
        assert made.limits == asdict(LIMITS)


class TestSomeExercises:
    @pytest.mark.parametrize("jobs", [1, 2])
    def test_are_graded_alone(self, graded, jobs):
        """Of who is named, no others are; of the rest, all."""
        submissions = [handed_in("ann"), handed_in("bob"), handed_in("eve")]
        only = {"ann": [], "bob": ["toy"]}
        reports = graded(submissions, seed=1, jobs=jobs, only=only)
        found = {report.submission: [e.name for e in report.exercises] for report in reports}

        assert found == {"ann": [], "bob": ["toy"], "eve": ["toy"]}


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


HANGS = "def double(x):\n    while True:\n        pass\n"
FOUR = """
import pytest

@pytest.mark.timeout(0.4)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_doubles(submission, draw, size):
    \"\"\"Every size is doubled.\"\"\"
    submission.double(draw.normal(size))
"""


class TestAFunctionThatHangs:
    def test_costs_two_deadlines(self, graded, toy):
        """And not one for each check: the others say that it was not called, and earn nothing."""
        toy.suite("toy").write_text(FOUR)
        toy.misconceptions("toy").write_text("")
        (report,) = graded([handed_in(text=HANGS)], seed=1)
        kinds = [verdict.cause.kind for verdict in report.verdicts]

        assert kinds == ["timeout", "timeout", "hung_before", "hung_before"]
        assert {verdict.outcome for verdict in report.verdicts} == {Outcome.TIMEOUT}
        assert report.score == 0.0
        assert all(verdict.seconds < 0.3 for verdict in report.verdicts[2:])
        assert report.verdicts[2].cause.place.line == 1


def own_class():
    """Right and wrong ones, and one who is waited for while the others come."""
    slow = f"import time\n\n{WRONG}    time.sleep(0)\n\n\ntime.sleep(0.3)\n"
    texts = [slow, WRONG, RIGHT, "def double(x):\n    return\n", HANGS.replace("while", "if")]
    return [handed_in(f"student{n}", texts[n % len(texts)]) for n in range(10)]


@pytest.fixture
def in_this_process(sandbox, monkeypatch):
    """What is made once for a whole process is made of our sandbox, and forgotten afterwards."""
    monkeypatch.setattr(pipeline, "_kept", [])
    monkeypatch.setattr(pipeline, "open_sandbox", lambda isolation, gpu, memory_mib: sandbox)
    monkeypatch.setattr(pipeline, "Finalize", lambda *arguments, **options: None)


class TestSideBySide:
    def test_reports_are_the_same(self, graded):
        """But for times, and the order in which they come."""
        alone = [without_time(report) for report in graded(own_class(), seed=3)]
        together = {r.submission: without_time(r) for r in graded(own_class(), seed=3, jobs=2)}

        assert [together[report.submission] for report in alone] == alone

    def test_a_process_that_is_killed_costs_nothing(self, graded, descendants):
        """What it was doing is done again, and everybody has a report."""
        found = []
        with closing(graded(own_class(), seed=3, jobs=2)) as reports:
            for report in reports:
                found.append(report)
                if len(found) == 2:
                    os.kill(one_that_grades(descendants), signal.SIGKILL)

        assert {r.submission for r in found} == {s.name for s in own_class()}
        assert not [(v.check.name, v.cause) for r in found for v in r.without_verdict]

    def test_what_nobody_could_grade_has_no_verdict(self, graded, in_this_process, monkeypatch):
        """The process ended whenever it was tried; the others have their marks."""

        def losing(settings, task):
            if task.submission.name == "bob":
                raise JobLost("ended twice")
            return grade_there(settings, task)

        @contextmanager
        def threads(number, preload):
            with ThreadPoolExecutor(number) as executor:
                yield Place(executor, lambda: number, (JobLost,))

        monkeypatch.setattr(pipeline, "processes", threads)
        monkeypatch.setattr(pipeline, "grade_there", losing)
        submissions = [handed_in("ann"), handed_in("bob", path="class/bob"), handed_in("eve")]
        found = {report.submission: report for report in graded(submissions, seed=3, jobs=2)}

        assert [found[name].score for name in ("ann", "bob", "eve")] == [2.0, None, 2.0]
        assert [v.outcome for v in found["bob"].verdicts] == [Outcome.INTERNAL] * 2
        assert found["bob"].max_score == found["ann"].max_score
        assert found["bob"].path == "class/bob"
        assert found["bob"].conditions == found["ann"].conditions


class TestAProcessElsewhere:
    @pytest.fixture
    def settings(self, toy, sandbox, in_this_process):
        """Those of a run in the toy course."""
        exercises = tuple(load_catalog(toy).values())
        return Orders(str(toy.root), exercises, conditions(toy, sandbox, 3, ("cpu",)))

    def test_grades_as_we_do(self, settings, graded):
        """All it is told is in the settings."""
        (ours,) = graded([handed_in()], seed=3)

        assert without_time(grade_there(settings, Task(handed_in()))) == without_time(ours)

    def test_collects_once(self, settings, monkeypatch):
        """For all submissions of the run."""
        collecting = []
        collected = pipeline.collected
        monkeypatch.setattr(
            pipeline, "collected", lambda *what: collecting.append(1) or collected(*what)
        )
        for name in ("ann", "bob"):
            grade_there(settings, Task(handed_in(name)))

        assert collecting == [1]

    @pytest.mark.parametrize("which", ["torch", "grader"])
    def test_of_other_versions_refuses(self, settings, which):
        """Its marks would mean something else; it says which, and what to do."""
        agreed = settings.conditions
        versions = {**agreed.versions, which: "another"}
        other = replace(settings, conditions=replace(agreed, versions=versions))
        with pytest.raises(OtherConditions, match=f"{which} .* and not another.*Install there"):
            grade_there(other, Task(handed_in()))

    def test_with_another_suite_refuses(self, settings):
        """It says whose."""
        other = replace(settings.conditions, suites={"toy": "another"})
        with pytest.raises(
            OtherConditions, match=r"another suite or solution of toy.*Install there"
        ):
            grade_there(replace(settings, conditions=other), Task(handed_in()))

    def test_with_another_catalog_refuses(self, settings):
        """It says what is forbidden, for instance."""
        (exercise,) = settings.exercises
        other = replace(settings, exercises=(replace(exercise, forbids=("sum",)),))
        with pytest.raises(OtherConditions, match="another catalog"):
            grade_there(other, Task(handed_in()))

    def test_with_other_walls_refuses(self, settings):
        """Where we have full isolation, nobody grades without."""
        agreed = replace(settings.conditions, isolation="none")
        with pytest.raises(OtherConditions, match="isolation and not none"):
            grade_there(replace(settings, conditions=agreed), Task(handed_in()))


def command_of(pid):
    """What a process was started with; nothing of one that has ended meanwhile."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def is_child_of(pid, parent):
    """Whether ``parent`` started it; not, if it has ended meanwhile."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[1]) == parent


def one_that_grades(descendants):
    """Such a process, as soon as there is one: one that has ended is replaced in a moment."""
    while not (found := forked(descendants)):
        time.sleep(0.01)
    return found[0]


def forked(descendants):
    """The processes that grade: what the fork servers of this process have started."""
    below = descendants(os.getpid())
    ours = [pid for pid in below if is_child_of(pid, os.getpid())]
    servers = [pid for pid in ours if b"forkserver" in command_of(pid)]
    return [pid for pid in below for server in servers if is_child_of(pid, server)]


class TestFullIsolation:
    def test_is_required_for_marks(self):
        """Without it submissions could read the suites; it is said how to grade all the same."""
        with pytest.raises(IsolationRefused, match="--isolation process"):
            require_full(Walls("process"))

    def test_is_enough(self):
        """Nothing else is asked."""
        assert require_full(Walls("full")) is None


def test_a_course_that_submissions_could_read_gives_no_marks(toy, monkeypatch):
    """It lies among Python's own libraries, say; others lie out of reach."""
    pipeline.require_out_of_reach(toy)
    monkeypatch.setattr(pipeline, "readable_paths", lambda: [str(toy.root.parent)])

    with pytest.raises(IsolationRefused, match=r"Move the course elsewhere\."):
        pipeline.require_out_of_reach(toy)
