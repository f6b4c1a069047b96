"""The proof by automatic slips finds what a suite lets pass, and what is marked wrongly."""

from __future__ import annotations

from contextlib import closing

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.release import write_stubs
from grader.errors import SuiteError
from grader.examiner.slip_trial import ADVICE, ENDED, Trials
from grader.programs.slips.automatic import AutomaticSlip
from grader.programs.slips.equivalent import as_table
from grader.proof_slips import survivor, try_slips

PAGE = '''\
"""A toy."""

import torch


def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    {body}
    # END SOLUTION
'''
BODY = "y = x + x\n    return y"


class Here:
    """Tries slips in this process: right is what doubles 3, with a gradient."""

    def rejecting(self, exercise, slips, seeds):
        return ["" if self.is_right(slip.text) else "test_doubles" for slip, _ in slips]

    @staticmethod
    def is_right(text):
        names = {}
        try:
            exec(text, names)
            x = torch.tensor(3.0, requires_grad=True)
            doubled = names["double"](x)
            doubled.backward()
            return (doubled.item(), x.grad.item()) == (6, 2)
        except Exception:
            return False


@pytest.fixture
def found(toy):
    """``found(body, marks)`` is what becomes of the slips of a toy with this body."""

    def found(body=BODY, marks="", share=1):
        toy.solution("toy").write_text(PAGE.format(body=body))
        toy.equivalent("toy").write_text(marks)
        write_stubs(toy)
        return try_slips(toy, load_catalog(toy)["toy"], Here(), share)

    return found


def mark(before, after, why="It is the same."):
    table = as_table(AutomaticSlip("double", before, after, 1, 0, ""))
    return table.replace('why = ""', f'why = "{why}"') + "\n"


class TestSlips:
    def test_that_are_rejected_are_no_findings(self, found):
        """The toy's two checks compare values and gradients."""
        slips = found()

        assert slips.findings == []
        assert slips.made == slips.rejected > 5

    def test_that_survive_are_shown_as_they_are_marked(self, found, toy):
        """A diff, and a table to paste, which marks it."""
        slips = found("y = x + x + 0.0\n    return y")
        left = [slip for slip in slips.unexplained if slip.after == "y = x + x"]

        assert len(slips.findings) == len(slips.unexplained) > 0
        shown = survivor(toy, "toy", left[0])
        assert "-    y = x + x + 0.0\n+    y = x + x\n" in shown
        assert as_table(left[0]) in shown

    def test_are_taken_in_a_share_that_is_the_same_every_time(self, found):
        """By their digests."""
        whole, part = found(), found(share=3)

        assert 0 < part.made < whole.made
        assert part == found(share=3)


class TestMarks:
    ZERO = "y = x + x + 0.0"

    def test_explain_what_survives(self, found):
        """Then it is no finding."""
        body = f"{self.ZERO}\n    return y"
        before = found(body)
        tables = "\n".join(as_table(slip) for slip in before.unexplained)
        after = found(body, tables.replace('why = ""', 'why = "Adding 0 changes nothing."'))

        assert after.findings == []
        assert after.equivalent == len(before.unexplained)

    def test_without_a_reason_are_found(self, found):
        """They explain nothing."""
        slips = found(f"{self.ZERO}\n    return y", mark(self.ZERO, "y = x + x", why=""))

        assert any("marked as equivalent without a reason" in f for f in slips.faults)

    @pytest.mark.parametrize(
        ("marked", "said"),
        [
            (mark("y = x + x", "y = x - x"), "marked but rejected by test_"),
            (mark("y = x + x", "y = x * 7"), "marked but no longer made: double"),
            (mark("z = x + x", "z = x - x"), "marked but no longer made: double"),
        ],
    )
    def test_that_are_not_true_are_found(self, found, marked, said):
        """The page or the suite has changed since."""
        (fault,) = found(BODY, marked).faults

        assert fault.startswith(said)

    def test_that_stand_twice_are_found(self, found):
        """One would be left behind when the other goes."""
        twice = 2 * mark(self.ZERO, "y = x + x")

        assert any("marked twice" in f for f in found(f"{self.ZERO}\n    return y", twice).faults)


@pytest.fixture(scope="module")
def tried(toy_in, tmp_path_factory):
    """``tried(*bodies)`` is what rejects pages with these bodies."""
    toy = toy_in(tmp_path_factory.mktemp("tried"))
    write_stubs(toy)
    with closing(Trials(toy)) as trials:

        def tried(*bodies):
            slips = [AutomaticSlip("double", "", b, 1, 0, PAGE.format(body=b)) for b in bodies]
            return list(trials.rejecting("toy", [(slip, True) for slip in slips], (1, 2)))

        yield tried


class TestTrials:
    def test_say_which_check_rejects(self, tried):
        """Nothing where none does; another child goes on after one that was ended."""
        bodies = ("return 3 * x", "return 2 * x", "import os; os._exit(3)", "return x + x")
        wrong, right, ended, again = tried(*bodies)

        assert wrong in ("test_doubles", "test_leaves_its_input_alone")
        assert (right, ended, again) == ("", ENDED, "")

    def test_bound_time_and_memory(self, tried):
        """Both are bounded outside of Python."""
        large, endless = tried("return torch.zeros(1 << 40) + x", "while True: pass")

        assert endless == ENDED
        assert large.startswith("test_")

    def test_hear_advice(self, tried):
        """What would fail on a GPU changes nothing on the CPU, but is told."""
        assert tried("return x + x + torch.zeros(1)") == [ADVICE]

    def test_raise_what_is_our_failure(self, toy):
        """A suite that cannot be read rejects nothing."""
        toy.suite("toy").write_text("def test_without_a_docstring(): pass\n")
        write_stubs(toy)
        slip = AutomaticSlip("double", "", "", 1, 0, PAGE.format(body=BODY))
        with closing(Trials(toy)) as trials, pytest.raises(SuiteError, match="docstring"):
            list(trials.rejecting("toy", [(slip, True)], (1,)))
