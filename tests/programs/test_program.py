"""Who is examined is opened for every check: here, or in a worker that an exercise keeps."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest
import torch

from grader.backends.cores import Cores
from grader.errors import DeadlinePassed, SubmissionRaised, WorkerDied, WorkerLost
from grader.model import Cause, Exercise, Submission
from grader.programs.failure import NotHandedIn
from grader.programs.program import LocalProgram, Opening, StandIn, SubmissionProgram
from grader.programs.proxy import Implementation

TOY = Exercise("toy", "A toy", "nowhere", ("double",))
OPENING = Opening(TOY, 5.0, 3)
SOURCE = """
import os, time, torch

calls = []


def me():
    calls.append(1)
    return os.getpid(), len(calls)


def drawn():
    return torch.rand(3)


def end():
    os._exit(0)


def forever():
    while True:
        time.sleep(1)
"""


class Counting:
    """A sandbox that remembers for whom workers were opened."""

    def __init__(self, sandbox):
        self.sandbox, self.owners = sandbox, []

    def open(self, owner="", device="cpu", forbids=()):
        self.owners.append(owner)
        return self.sandbox.open(owner)


@pytest.fixture
def counting(sandbox):
    return Counting(sandbox)


@pytest.fixture
def submitted(counting):
    """``submitted(source)`` is a submission of it, examined in workers."""
    programs = []

    def submitted(source=SOURCE, problems=None, cores=None):
        files = {"toy": source} if isinstance(source, str) else source
        submission = Submission("ann", "Ann Lee", files, problems or {})
        programs.append(SubmissionProgram(submission, counting, cores))
        return programs[-1]

    yield submitted
    for program in programs:
        program.close()


def impl(program, opening=OPENING):
    return Implementation(program.open(opening))


class TestWhatWasNotHandedIn:
    def test_opens_no_worker(self, submitted, counting):
        """A module that is not there, or that could not be read, is said by its own cause."""
        problem = Cause("a_link", {"module": "toy", "name": "toy.py"})
        for program, cause in (
            (submitted({"other": ""}), Cause("absent", {"module": "toy"})),
            (submitted({}, {"toy": problem}), problem),
        ):
            with pytest.raises(NotHandedIn) as caught:
                program.open(OPENING)

            assert caught.value.cause == cause
        assert counting.owners == []


class TestImports:
    def test_that_fail_are_made_once(self, submitted, counting):
        """Every later check is told the same at once."""
        program = submitted("raise ValueError('no')")
        failures = []
        for _ in range(3):
            with pytest.raises(SubmissionRaised) as caught:
                program.open(OPENING)
            failures.append(caught.value)

        assert failures[0] is failures[2]
        assert failures[0].importing
        assert len(counting.owners) == 1

    def test_in_a_worker_whose_gpu_gave_up_are_made_in_another(self, submitted, counting):
        """That was the doing of the check before; in a fresh one it is the module's own."""
        gives_up = "raise RuntimeError('CUDA error: device-side assert triggered')\n"
        program = submitted(SOURCE + f"if hasattr(torch, 'used'): {gives_up}torch.used = True\n")
        first, second = (impl(program).me()[0] for _ in range(2))

        assert first != second
        with pytest.raises(SubmissionRaised, match="device-side"):
            submitted(gives_up).open(OPENING)

    def test_that_hang_are_waited_for_once(self, submitted, counting, monkeypatch):
        """A worker's failure while importing is remembered as well."""
        monkeypatch.setattr("grader.programs.program.IMPORT_SECONDS", 0.2)
        program = submitted("while True: pass")
        for _ in range(2):
            with pytest.raises(DeadlinePassed) as caught:
                program.open(OPENING)

            assert caught.value.importing
        assert len(counting.owners) == 1

    def test_of_one_exercise_say_nothing_of_another(self, submitted):
        """Each module fails for itself."""
        program = submitted({"toy": "1 / 0", "other": "def f():\n    return 1\n"})
        with pytest.raises(SubmissionRaised):
            program.open(OPENING)
        other = replace(TOY, name="other", names=("f",))

        assert impl(program, replace(OPENING, exercise=other)).f() == 1

    def test_are_without_what_the_exercise_forbids(self, submitted):
        """The catalog's list goes to the worker."""
        program = submitted("import torch\ndef f(x): return torch.softmax(x, 0)\n")
        opening = replace(OPENING, exercise=replace(TOY, forbids=("torch.softmax",)))
        with pytest.raises(SubmissionRaised, match="softmax does this exercise for you"):
            impl(program, opening).f(torch.ones(2))

    def test_have_their_own_time(self, submitted):
        """However little a check is given, its deadline begins when the module is there."""
        program = submitted("import time\ntime.sleep(0.4)\ndef f(): return 1\n")

        assert impl(program, replace(OPENING, seconds=0.3)).f() == 1


class TestWorkers:
    def test_serve_an_exercise_and_import_afresh(self, submitted):
        """One process for all checks; what a check left in the module is unknown to the next."""
        program = submitted()
        (first, calls), (second, calls_again) = (impl(program).me() for _ in range(2))

        assert first == second
        assert (calls, calls_again) == (1, 1)

    def test_are_one_for_each_exercise(self, submitted, counting):
        """Nothing is carried from one exercise to the next."""
        program = submitted({"toy": SOURCE, "other": SOURCE})
        opened = [OPENING, replace(OPENING, exercise=replace(TOY, name="other"))]
        pids = [impl(program, opening).me()[0] for opening in opened]

        assert pids[0] != pids[1]
        assert [owner.partition("/")[2] for owner in counting.owners] == ["toy", "other"]

    def test_are_not_shared_by_two_of_one_name(self, submitted):
        """A name tells a file from another, and not a submission."""
        pids = [impl(submitted()).me()[0] for _ in range(2)]

        assert pids[0] != pids[1]

    def test_that_are_asked_for_fresh_serve_nobody_else(self, submitted):
        """Neither a check before nor a check after."""
        program = submitted()
        before, fresh, after = (
            impl(program, replace(OPENING, fresh=flag)).me()[0] for flag in (False, True, False)
        )

        assert fresh not in (before, after)

    def test_that_died_are_replaced(self, submitted):
        """A crash costs its own check, and the next finds a worker."""
        program = submitted()
        pid, _ = impl(program).me()
        with pytest.raises(WorkerDied):
            impl(program).end()

        assert impl(program).me()[0] != pid

    def test_are_given_a_seed_that_tells_nothing(self, submitted):
        """The same check gives a submission the same random numbers, and not the reference's."""
        program = submitted()
        one, same, other = (
            impl(program, replace(OPENING, seed=seed)).drawn() for seed in (3, 3, 4)
        )
        here = impl(LocalProgram({"drawn": lambda: torch.rand(3)})).drawn()

        beside = impl(StandIn({"drawn": lambda: torch.rand(3)}), replace(OPENING, seed=3)).drawn()

        assert one.equal(same)
        assert not one.equal(other)
        assert not one.equal(here)
        assert one.equal(beside)

    def test_are_given_back_by_closing(self, submitted):
        """As often as anybody likes."""
        program = submitted()
        impl(program)
        opened = program.session
        program.close()
        program.close()

        assert opened is not None
        assert program.session is None


class TestInterrupts:
    def test_end_the_call_at_hand(self, submitted):
        """From another thread, long before its time is up."""
        program = submitted()
        asked = impl(program)
        started = time.monotonic()
        timer = threading.Timer(0.2, program.interrupt)
        timer.start()
        with pytest.raises(WorkerLost):
            asked.forever()
        timer.join()

        assert time.monotonic() - started < 3

    def test_leave_nothing_to_wait_for(self, submitted):
        """Whatever is opened afterwards ends at once: nobody wants to know it any more."""
        program = submitted()
        program.interrupt()
        with pytest.raises(WorkerLost):
            impl(program).me()


class TestBeside:
    def test_a_submission_stands_the_reference_in_another_worker(self, submitted):
        """Of the course's own texts, on a core lent by the same, under no student's name."""
        cores = Cores()
        program = submitted(cores=cores)
        beside = program.beside({}, {"toy": SOURCE})
        fresh = replace(OPENING, fresh=True)
        mine, theirs = impl(program, fresh).me()[0], impl(beside, fresh).me()[0]
        beside.close()

        assert mine != theirs
        assert (beside.cores, beside.student) == (cores, "name reference")
        assert beside.submission.files == {"toy": SOURCE}

    def test_a_program_of_ours_stands_the_reference_here(self):
        """Both are in this process, so neither is pinned or held."""
        names = {"double": lambda x: 2 * x}
        beside = LocalProgram({}).beside(names, {"toy": "unread"})

        assert impl(beside).double(2) == 4
        assert (beside.session, beside.cores) == (None, None)


class TestOurs:
    def test_draw_what_the_check_s_seed_gives(self):
        """A program of ours that draws is the same whenever it is opened."""
        program = LocalProgram({"drawn": lambda: torch.rand(3)})
        one, same, other = (
            impl(program, replace(OPENING, seed=seed)).drawn() for seed in (3, 3, 4)
        )

        assert one.equal(same)
        assert not one.equal(other)

    def test_may_be_cast_and_nudged(self):
        """As a reference is, to learn how accurate anybody can be."""
        x = torch.ones(5)
        names = {"same": lambda x: x}
        exact = impl(LocalProgram(names, torch.float64)).same(x)
        nudged = impl(LocalProgram(names, torch.float64, nudge=1)).same(x)

        assert exact.dtype == nudged.dtype == torch.float64
        assert exact.equal(x.double())
        assert not nudged.equal(exact)
