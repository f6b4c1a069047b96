"""Speed and memory are compared with the reference's."""

from __future__ import annotations

import copy
import os
import time
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.errors import SandboxError, SubmissionRaised
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.examiner.race import Race
from grader.model import Exercise, Outcome, Submission
from grader.pipeline import grade_all
from grader.programs.failure import CheckFailed
from grader.programs.program import Opening, SubmissionProgram
from grader.proof import examine_programs
from grader.report.feedback import words_of
from grader.sandbox.process_stats import ProcessStats

SUITE = '''
import pytest
import torch


@pytest.mark.timeout(30)
def test_is_fast(faster_than, draw):
    """It takes no longer than half as long again."""
    faster_than(1.5, lambda impl, x: impl.double(x), lambda: [draw.normal(60, 300)])


def test_is_lean(leaner_than, draw):
    """It needs no large intermediate result."""
    leaner_than(3, lambda impl, x: impl.double(x), lambda: [draw.normal(60, 300)])
'''
SOLUTION = '''
import torch


EYE = torch.eye(300)


def double(x):
    """Twice ``x``, the long way."""
    # BEGIN SOLUTION
    for _ in range(40):
        x = x @ EYE
    return x + x
    # END SOLUTION
'''
BODY = """
import time

import torch

EYE = torch.eye(300)


def work(x, times):
    for _ in range(times):
        x = x @ EYE
    return x + x


"""
PROGRAMS = {
    "same": "def double(x):\n    return work(x, 40)\n",
    "twice_as_slow": "def double(x):\n    return work(x, 84)\n",
    "waits": "def double(x):\n    time.sleep(0.01)\n    return work(x, 40)\n",
    "large": "def double(x):\n    y = torch.ones(60, 150000)\n"
    "    return work(x, 40) + 0 * y[:, :300]\n",
    "much_faster": "def double(x):\n    return x + x\n",
    "no_answer": "def double(x):\n    return None\n",
    "large_on_a_heap_kept_ahead": "ahead = [torch.ones(7 << 20) for _ in range(8)]\ndel ahead\n"
    "def double(x):\n    y = torch.ones(60, 150000)\n    return work(x, 40) + 0 * y[:, :300]\n",
    "large_in_a_buffer_of_old": "Y = torch.ones(60, 500000)\n"
    "def double(x):\n    return work(x, 40) + 0 * Y.mul_(1.0)[:, :300]\n",
    "large_at_import_only": "table = torch.ones(60 << 20)\ndel table\n"
    "def double(x):\n    return work(x, 40)\n",
    "holds_some_libraries": "modules = [torch.ones(1 << 20) for _ in range(12)]\n"
    "def double(x):\n    return work(x, 40)\n",
}


@pytest.fixture
def course(toy):
    """``double(x)``, timed."""
    (toy.root / "solutions/toy.py").write_text(SOLUTION)
    (toy.root / "grader/suites/toy/test_toy.py").write_text(SUITE)
    return toy


@pytest.fixture
def raced(course, sandbox):
    """``raced(name, check)``: the verdict on one of the programs, in a worker."""
    suite = collected(course).of(load_catalog(course)["toy"])

    def raced(name, check):
        submission = Submission(name, name, {"toy": BODY + PROGRAMS[name]})
        program = SubmissionProgram(submission, sandbox)
        (verdict,) = examine(suite, program, seed=3, only=[check])
        return verdict

    return raced


class TestInWorkers:
    def test_an_equal_passes_and_its_ratio_is_told(self, raced):
        """The report says how it compares, with the spread and the limit."""
        fast, lean = raced("same", "test_is_fast"), raced("same", "test_is_lean")
        measured = fast.measured

        assert (fast.outcome, lean.outcome) == (Outcome.PASSED, Outcome.PASSED)
        assert 0.5 < measured.ratio < 1.5
        assert measured.low <= measured.high
        assert measured.limit == 1.5
        assert measured.what == "time"

    def test_over_the_limit_fails(self, raced):
        """The words say how many times, and never how many seconds."""
        verdict = raced("twice_as_slow", "test_is_fast")

        assert verdict.outcome is Outcome.FAILED
        assert "times as long as the reference" in words_of(verdict).rationale
        assert verdict.measured.ratio > 1.5

    def test_both_clocks_must_be_over_it(self, raced):
        """A submission that was only kept waiting has used no processor time: not its fault."""
        verdict = raced("waits", "test_is_fast")

        assert verdict.outcome is Outcome.PASSED

    def test_a_large_intermediate_fails(self, raced):
        """35 MB where the reference needs a fraction of one."""
        verdict = raced("large", "test_is_lean")

        assert verdict.outcome is Outcome.FAILED
        assert "as much memory as the reference" in words_of(verdict).rationale

    @pytest.mark.parametrize("name", ["large_on_a_heap_kept_ahead", "large_in_a_buffer_of_old"])
    def test_memory_held_ahead_counts(self, raced, name):
        """Whether it was freed and kept by the allocator, or is still in use."""
        verdict = raced(name, "test_is_lean")

        assert verdict.outcome is Outcome.FAILED
        assert verdict.cause.kind == "large"

    def test_what_libraries_hold_is_forgiven(self, raced):
        """48 MiB, about what a plotting library takes, are none of the call's."""
        verdict = raced("holds_some_libraries", "test_is_lean")

        assert verdict.outcome is Outcome.PASSED

    def test_what_was_needed_before_the_call_is_not_its_need(self, raced):
        """Where the kernel does not let us forget that, nothing is said of the call."""
        verdict = raced("large_at_import_only", "test_is_lean")
        told = verdict.outcome is Outcome.PASSED
        unknown = verdict.outcome is Outcome.SKIPPED and verdict.cause.kind == "peak_unknown"

        assert told or (unknown and os.geteuid() != 0)

    @pytest.mark.parametrize("check", ["test_is_fast", "test_is_lean"])
    def test_needs_the_right_answer(self, raced, check):
        """Nothing is fast and lean, and earns no point."""
        assert raced("no_answer", check).cause.kind == "wrong_when_timed"

    def test_too_fast_to_be_true_is_marked_for_a_person(self, raced):
        """It has its answers right by luck, perhaps; the report says so."""
        verdict = raced("much_faster", "test_is_fast")

        assert verdict.outcome is Outcome.PASSED
        assert verdict.measured.suspicious


WORDS = """
import pytest


@pytest.mark.timeout(30)
def test_counts_words(faster_than, draw):
    \"\"\"Different words are looked at once.\"\"\"
    def probe(impl, text):
        return impl.double(text)

    faster_than(4, probe, lambda: [" ".join(said(draw, 1))])
    faster_than(4, probe, lambda: [" ".join(said(draw, 60))], shows="every word is looked at")


def said(draw, times):
    words = ["".join(map(chr, draw.integers(97, 123, (9,)).tolist())) for _ in range(200)]
    return words * times
"""
COUNTED = '''
from collections import Counter


def slowly(word):
    for _ in range(60):
        letters = sorted(word)
    return letters[0]


def double(text):
    """How many words have each letter as their first in the alphabet."""
    # BEGIN SOLUTION
    counts = {}
    for word, n in Counter(text.split()).items():
        letter = slowly(word)
        counts[letter] = counts.get(letter, 0) + n
    return sorted(counts.items())
    # END SOLUTION
'''
WORD_BANK = """
from grader.check import Bank

wrong = Bank()
wrong("double", "every_word", "counts_words", "You look at every word.",
    "Counter(text.split()).items()", "[(word, 1) for word in text.split()]")
"""


class TestPlainPython:
    """Answers without a tensor, and what it shows to be slow."""

    @pytest.fixture
    def found(self, toy, sandbox):
        """``found(old, new)``: the verdict on the solution with other words, in a worker."""
        (toy.root / "solutions/toy.py").write_text(COUNTED)
        (toy.root / "grader/suites/toy/test_toy.py").write_text(WORDS)
        (toy.root / "grader/suites/toy/misconceptions.py").write_text(WORD_BANK)
        suite = collected(toy).of(load_catalog(toy)["toy"])

        def found(old, new):
            text = COUNTED.replace(old, new)
            program = SubmissionProgram(Submission("ann", "ann", {"toy": text}), sandbox)
            (verdict,) = examine(suite, program, seed=3)
            return verdict

        return found

    def test_the_same_answer_passes(self, found):
        """A list where the reference has tuples is the same answer, as in other checks."""
        assert found("sorted(counts.items())", "sorted(map(list, counts.items()))").points

    @pytest.mark.parametrize(
        "answer", ["sorted(counts.items())[1:]", "None", "[]", "sorted(counts)", "str(counts)"]
    )
    def test_another_answer_fails(self, found, answer):
        """Texts, numbers and None are compared as well."""
        verdict = found("sorted(counts.items())", answer)

        assert verdict.cause.kind == "wrong_when_timed"

    def test_what_is_slow_for_a_known_reason_is_told_it(self, found):
        """And not only that it is slow: in other words than those of the bank."""
        verdict = found("Counter(text.split()).items()", "zip(text.split(), [1] * 10**6)")

        assert verdict.cause.kind == "slow"
        assert verdict.misconception == "every_word"

    def test_what_is_slow_for_another_reason_is_not(self, found):
        """It is slow where the misconception is not: a false name is worse than none."""
        verdict = found("range(60)", "range(900)")

        assert verdict.cause.kind == "slow"
        assert verdict.misconception is None


class TestHere:
    @pytest.mark.parametrize(
        ("name", "fast", "lean"),
        [("same", True, True), ("twice_as_slow", False, True), ("large", None, False)],
    )
    def test_programs_of_ours_race_in_this_process(self, course, name, fast, lean):
        """So that suites can be proved: same turns, same limits."""
        suite = collected(course).of(load_catalog(course)["toy"])
        names = {}
        exec(BODY + PROGRAMS[name], names)
        for _ in range(3):  # whoever disturbs the reference alone spoils a race
            verdicts = examine_programs(suite, {name: suite.reference | names})[name]
            if fast in (None, bool(verdicts[0].points)):
                break

        assert fast in (None, bool(verdicts[0].points))
        assert lean is bool(verdicts[1].points)


class TestAccidents:
    """What happens to the reference's worker is never the submission's doing."""

    @pytest.fixture
    def race(self, sandbox):
        """A program that races against itself, and the other side's program."""
        source = {"toy": "def double(x):\n    return x + x\n"}
        opening = Opening(Exercise("toy", "A toy", "nowhere", ("double",)), 1.0)
        program = SubmissionProgram(Submission("ann", "ann", source), sandbox)
        reference = program.beside({}, source)
        yield Race(program, reference, opening, []), reference
        program.close()

    @pytest.mark.parametrize("measure", ["faster_than", "leaner_than"])
    def test_of_the_reference_are_ours(self, race, measure):
        """Its worker is killed before the first call: no verdict."""
        race, reference = race

        def inputs():
            if reference.session is not None:
                reference.session.interrupt()
            return [torch.ones(9)]

        def prepared(impl):
            inputs()
            return impl

        with pytest.raises(SandboxError, match="the reference did not finish its race"):
            getattr(race, measure)(3, lambda impl, x: impl.double(x), inputs, prepared)

    def test_are_none_where_it_was_weighed_before(self, race):
        """Once in a run is enough: its worker is not even made for the next submission."""
        race, reference = race
        next_one = copy.copy(race)
        race.leaner_than(3, lambda impl, x: impl.double(x), lambda: [torch.ones(9)])
        reference.open = lambda opening: pytest.fail("the reference is asked again")
        next_one.leaner_than(3, lambda impl, x: impl.double(x), lambda: [torch.ones(9)])

        assert next_one.measured.what == "memory"

    def test_of_another_question_are_not_taken_for_it(self, race):
        """What a check asks after its first measurement has an answer of its own."""
        race, _ = race
        race.leaner_than(3, lambda impl, x: impl.double(x), lambda: [torch.ones(9)])
        race.leaner_than(3, lambda impl, x: impl.double(x), lambda: [torch.zeros(7)])

        assert race.measured.what == "memory"

    def test_repeat_nothing_in_a_worker_that_was_measured(self, race, monkeypatch):
        """One worker is weighed and then clocked; whatever is measured again, in a fresh one."""
        race, _ = race
        program, opened, workers = race._program, [], set()

        def noting(opening):
            client = SubmissionProgram.open(program, opening)
            workers.add(program.session.channel)
            opened.append((opening.apart, opening.fresh, len(workers)))
            return client

        monkeypatch.setattr(program, "open", noting)
        clocked = copy.copy(race)
        race.leaner_than(3, lambda impl, x: impl.double(x), lambda: [torch.ones(9)])
        program.close()
        clocked.faster_than(1000, lambda impl, x: impl.double(x), lambda: [torch.ones(9)])
        clocked.faster_than(1000, lambda impl, x: impl.double(x), lambda: [torch.ones(9)])

        assert opened == [(True, False, 1), (True, False, 1), (False, True, 2)]

    def test_of_the_submission_are_its_own(self, race):
        """One that ends itself is told so."""
        race, _ = race
        with pytest.raises(SubmissionRaised):
            race.faster_than(3, lambda impl, x: impl.double(x, x), lambda: [torch.ones(9)])

    def test_many_answers_are_not_too_much(self, race, monkeypatch):
        """What may come back counts for one window: in three turns the reference answers six times
        1 MiB.
        """
        monkeypatch.setattr("grader.sandbox.session.MAX_CHECK_BYTES", 3 << 20)
        race, _ = race
        race.faster_than(1000, lambda impl, x: impl.double(x), lambda: [torch.ones(1 << 18)])

        assert race.measured.ratio < 1000

    def test_neither_waits_at_the_other_s_expense(self, race):
        """Four turns take more than the check's second here, and less than that in a worker."""
        race, _ = race

        def inputs():
            time.sleep(0.4)
            return [torch.ones(9)]

        race.faster_than(1000, lambda impl, x: impl.double(x), inputs)

        assert race.measured.ratio < 1000


@dataclass
class Lender:
    """Lends the same core again and again."""

    core: int | None
    lent: bool = False

    @contextmanager
    def leased(self):
        self.lent = True
        try:
            yield self.core
        finally:
            self.lent = False

    def device(self, name, *, alone):
        return nullcontext()


class TestPinning:
    """A core that was lent is where both sides run; where none can be, the kernel decides."""

    @pytest.fixture
    def pinned(self, sandbox, monkeypatch):
        """``pinned(lender)``: where the two sides of a race were pinned."""
        if not ProcessStats(1, lambda number: None).works:
            pytest.skip("nothing is known of processes here")
        source = {"toy": "def double(x):\n    return x + x\n"}
        opening = Opening(Exercise("toy", "A toy", "nowhere", ("double",)), 30.0)

        def pinned(lender, probe=lambda impl, x: impl.double(x)):
            cores = []
            monkeypatch.setattr(ProcessStats, "pin", lambda self, core: cores.append(core))
            program = SubmissionProgram(Submission("ann", "ann", source), sandbox, lender)
            race = Race(program, program.beside({}, source), opening, [])
            with closing(program):
                race.faster_than(1000, probe, lambda: [torch.ones(9)])
            return cores

        return pinned

    def test_is_of_both_sides_to_one_core(self, pinned):
        """Two cores may differ in speed, and then decide who wins."""
        assert pinned(Lender(1)) == [1, 1]

    def test_is_not_where_a_system_cannot(self, pinned):
        """Then nobody has a core to lend."""
        assert pinned(Lender(None)) == []

    def test_lasts_as_long_as_the_clocks_run(self, pinned):
        """The core is lent in every call, and given back also when the answers are wrong."""
        lender, lent = Lender(1), []

        def probe(impl, x):
            lent.append(lender.lent)
            return impl.double(x) + len(lent)

        with pytest.raises(CheckFailed):
            pinned(lender, probe)

        assert lent == [True, True]
        assert not lender.lent

    def test_is_everybody_s(self, course, sandbox, monkeypatch):
        """Nobody need ask for it: of two cores one may be half as fast, where its other half works
        for somebody else, and then twice the work is once and a half.
        """
        cores = []
        monkeypatch.setattr(ProcessStats, "pin", lambda self, core: cores.append(core))
        monkeypatch.setattr("grader.programs.program.Cores", lambda: Lender(0))
        submission = Submission("same", "same", {"toy": BODY + PROGRAMS["same"]})
        exercises = list(load_catalog(course).values())
        next(grade_all(course, exercises, [submission], sandbox, seed=3))

        assert set(cores) == {0}
