"""A submission calls a function of ours and never holds it: every call is answered on this side."""

from __future__ import annotations

import pytest
import torch

from grader.errors import SubmissionRaised
from grader.programs.client import Client
from grader.programs.proxy import Implementation
from grader.programs.under_test import MOST_CALLS, UnderTest

SOURCE = """
import torch

def value(f): return f(torch.tensor([1.0, 2.0]))
def gradient(f):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (f(x) * torch.tensor([3.0, 5.0])).sum().backward()
    return x.grad
def turned(f): return f(torch.arange(6.0).view(2, 3).T)
def afterwards(f):
    x = torch.ones(2)
    f(x)
    return x
def often(f):
    for _ in range(60):
        f(torch.ones(1))
def large(f): return f(torch.ones(3, 99))
def keeps(f):
    global kept
    kept = f
def later(): return kept(torch.ones(2))
def looks(f): return [hasattr(f, name) for name in ("__name__", "__code__", "__wrapped__")]
def raised(f):
    try:
        f(torch.ones(2))
    except ZeroDivisionError:
        return "caught"
def hands_over(f): return f(object())
def all_of(f): return list(f)
def twice(f): return [list(f), list(f)]
def attached(f): return f(torch.ones(2, requires_grad=True)).requires_grad
"""


@pytest.fixture
def submission(load):
    session = load(SOURCE)
    names = [line[4:].partition("(")[0] for line in SOURCE.splitlines() if line[:4] == "def "]
    return Implementation(Client(session.perform, "m", names))


def test_a_call_is_answered(submission):
    assert torch.equal(submission.value(UnderTest(lambda x: 2 * x)), torch.tensor([2.0, 4.0]))


def test_it_is_gone_through_once_up_to_the_first_none(submission):
    """What is asked for one thing after another gives each of them once, as a generator."""
    given = iter([(torch.ones(2), 3), (torch.zeros(1), 4)])

    (first, three), (second, four) = submission.all_of(UnderTest(lambda: next(given, None)))

    assert (first.tolist(), three, second.tolist(), four) == ([1.0, 1.0], 3, [0.0], 4)

    given = iter([5, 6])
    actual = submission.twice(UnderTest(lambda: next(given, None)))

    assert actual == [[5, 6], []]


def test_backward_is_answered(submission):
    actual = submission.gradient(UnderTest(lambda x: x * x))

    assert torch.equal(actual, torch.tensor([6.0, 20.0]))


def test_a_constant_has_no_graph(submission):
    assert submission.attached(UnderTest(lambda x: x.detach())) is False


def test_a_transposed_view_arrives_as_one(submission):
    def layout(x):
        return x.stride()

    assert submission.turned(UnderTest(layout)) == (1, 3)


def test_a_changed_input_is_changed_over_there(submission):
    assert torch.equal(submission.afterwards(UnderTest(lambda x: x.add_(1))), torch.full((2,), 2.0))


def test_an_exception_keeps_its_kind(submission):
    assert submission.raised(UnderTest(lambda x: 1 / 0)) == "caught"


def test_it_has_neither_name_nor_source(submission):
    assert not any(submission.looks(UnderTest(torch.softmax)))


@pytest.mark.parametrize(("asked", "words"), [("often", "times"), ("large", "too large")])
def test_rules_are_kept(submission, asked, words):
    """More calls or larger inputs are refused, and said of the function under test."""
    tested = UnderTest(lambda x: x)
    with pytest.raises(SubmissionRaised):
        getattr(submission, asked)(tested)

    assert words in tested.broken
    assert tested.calls <= MOST_CALLS + 1


def test_only_tensors_and_plain_values_are_taken(submission):
    tested = UnderTest(lambda x: x)
    with pytest.raises(SubmissionRaised):
        submission.hands_over(tested)

    assert "neither a tensor nor a plain value" in tested.broken


def test_it_cannot_be_called_later(submission):
    """Who keeps it has nothing: the next request hands over another one, or none."""
    submission.keeps(UnderTest(lambda x: x))
    with pytest.raises(SubmissionRaised, match="no longer be called"):
        submission.later()


def test_random_numbers_are_its_own(submission):
    """What it draws moves nobody else's random numbers, and is the same for the same seed."""
    before = torch.get_rng_state()
    drawn = [submission.value(UnderTest(torch.rand_like, seed=3)) for _ in range(2)]

    assert torch.equal(*drawn)
    assert torch.equal(before, torch.get_rng_state())
