"""What a check asked is asked again: the same requests, and what is right of each."""

from __future__ import annotations

import pytest
import torch

from grader.examiner.scripts.transcript import Target, transcript_of
from grader.model import Cause
from grader.sandbox.protocol import Leaf

CHECKS = '''
import torch

def test_several(compare, draw):
    """Any size."""
    for size in (2, 3, 5):
        x = draw.normal(size)
        compare.double(x, wrt=[x])

def test_property(submission, draw):
    """Twice."""
    x = draw.normal(4)
    y = submission.double(x)
    x[0] = 100.0
    assert submission.double(y).equal(4 * x), "not twice"
'''


@pytest.fixture
def suite(suite_of):
    return suite_of(CHECKS)


def transcript(failures_of, suite, double, **options):
    ((case, verdict),) = failures_of(suite, {"double": double}, **options)
    return transcript_of(case, verdict.cause)


def inputs(transcript):
    """The tensors that were sent, in order."""
    args = [arg for one in transcript.exchanges for arg in one.request.get("args", ())]
    return [arg.value for arg in args if isinstance(arg, Leaf)]


class TestOneComparison:
    def test_is_the_one_that_failed(self, suite, failures_of):
        """And none before or after it."""

        def double(x):
            return x + x if len(x) != 3 else x

        found = transcript(failures_of, suite, double, only=["test_several"])

        assert found.of_one_comparison
        assert [len(x) for x in inputs(found)] == [3]

    def test_has_the_inputs_of_the_report(self, suite, failures_of):
        """The very numbers that the failing program was given."""
        seen = []

        def double(x):
            seen.append(x.detach().clone())
            return x * 3 if len(x) == 5 else x * 2

        found = transcript(failures_of, suite, double, only=["test_several"])

        assert torch.equal(inputs(found)[0], next(x for x in seen if len(x) == 5))

    def test_in_the_way_that_failed(self, suite, failures_of):
        """As it was asked at first, then again in that way, and in no other."""
        answers = []

        def double(x):
            answers.append(x + x)
            return answers[0]

        ((case, verdict),) = failures_of(suite, {"double": double}, only=["test_several"])
        first, again = inputs(transcript_of(case, verdict.cause))

        assert Target.of(verdict.cause) == Target(0, ("others",))
        assert torch.equal(again, first.roll(1))

    def test_of_a_blocked_check(self):
        """Is that of the failure behind it."""
        blocked = Cause("needs_wrong", because=Cause("numbers", {"step": 2}))

        assert Target.of(blocked) == Target(2)

    def test_knows_what_is_right(self, suite, failures_of):
        """In float64, in the inputs' dtype, and on nudged inputs."""
        found = transcript(failures_of, suite, lambda x: x, only=["test_several"])
        reply = found.exchanges[0].reply.item("value")

        assert (reply.exact.dtype, reply.native.dtype) == (torch.float64, torch.float32)
        assert torch.equal(reply.exact, 2 * inputs(found)[0].double())
        assert len(reply.nudged) == 3


class TestAWholeCheck:
    def test_is_all_it_asks(self, suite, failures_of):
        """Where the failure is of no comparison; inputs are as they were sent."""
        found = transcript(failures_of, suite, lambda x: -x, only=["test_property"])

        assert not found.of_one_comparison
        assert [one.request["op"] for one in found.exchanges] == ["call", "call"]
        assert 100.0 not in inputs(found)[0]

    def test_says_what_is_left_to_chance(self, suite_of, failures_of):
        """What another seed answers otherwise."""
        checks = (
            "def test_it(submission, draw):\n    'It is.'\n    submission.double(draw.normal(3))\n"
            "    submission.noise(draw.normal(3))\n    raise AssertionError('no')\n"
        )
        page = (
            "import torch\n\ndef double(x):\n    # BEGIN SOLUTION\n    return x + x\n"
            "    # END SOLUTION\n\ndef noise(x):\n    # BEGIN SOLUTION\n"
            "    return x + torch.rand(3)\n    # END SOLUTION\n"
        )
        suite = suite_of(checks, page, "from grader.check import Bank\n")
        ((case, verdict),) = failures_of(suite, suite.reference)
        found = transcript_of(case, verdict.cause)

        assert [one.varies for one in found.exchanges] == [False, True]

    def test_is_the_same_twice(self, suite, failures_of):
        """Nothing depends on who was first, nor on torch's own generator."""
        first = inputs(transcript(failures_of, suite, lambda x: x, only=["test_several"]))
        torch.rand(3)
        again = inputs(transcript(failures_of, suite, lambda x: x, only=["test_several"]))

        assert all(map(torch.equal, first, again))
