"""An exception as it is told on the other side of the wall."""

from __future__ import annotations

import pytest
import torch

from grader.sandbox.describe import describe


def refuses():
    raise ValueError("no room")


def asserts():
    assert torch.ones(2).sum() == 3


def hands_on():
    try:
        refuses()
    except ValueError as error:
        raise RuntimeError("there is no room") from error


def multiplies():
    return torch.ones(2) @ torch.ones(3)


def asks_torch_for_what_it_refuses():
    return torch.nn.MultiheadAttention(5, 2)  # Python of torch raises here, and not C++


def divides():
    return 1 / 0


def counts_too_far():
    return [][2]


def described(call):
    with pytest.raises(Exception) as caught:
        call()
    return describe(caught.value)


@pytest.mark.parametrize("call", [refuses, asserts, hands_on])
def test_an_own_statement_raises_by_hand(call):
    """``raise`` and ``assert``, whoever called the function."""
    assert described(call)["by_hand"] is True


@pytest.mark.parametrize(
    "call", [multiplies, asks_torch_for_what_it_refuses, divides, counts_too_far]
)
def test_torch_and_python_do_not(call):
    """Their words are the same for everybody."""
    assert described(call)["by_hand"] is False


def test_who_never_was_raised_was_raised_by_nobody():
    """Such an exception has no traceback."""
    assert describe(ValueError("made"))["by_hand"] is False
