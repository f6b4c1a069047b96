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


OWN = """
class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3, 2))
        self.register_buffer("mask", torch.ones(4))
        self.width = 7

    def forward(self, x, other=None, *, flag=True):
        count, word = x.shape[-1], "word"
        return x @ self.weight + self.mask

Layer()(torch.ones(2, 3))
"""


def test_names_are_told_with_what_they_held():
    """Tensors by their shapes, whole numbers, None, and what is on self; nothing else, and nothing
    of what stands outside of functions.
    """
    code = compile(OWN, "<submission>/layer.py", "exec")
    outer, inner = described(lambda: exec(code, {"torch": torch}))["lines"]

    assert outer == ["layer.py", 13, []]
    assert inner[:2] == ["layer.py", 11]
    held = dict(map(tuple, inner[2]))
    assert held["x"] == [2, 3]
    assert held["count"] == 3
    assert held["other"] is None
    assert (held["self.weight"], held["self.mask"], held["self.width"]) == ([3, 2], [4], 7)
    assert not {"self", "word", "flag"} & held.keys()


def test_what_lies_about_its_own_shape_is_not_asked():
    """A kind of tensor that the submission made may answer as it likes, or raise."""

    class Odd(torch.Tensor):
        @property
        def shape(self):
            raise RuntimeError

    code = compile(
        "def f(odd, self):\n    raise KeyError(odd is self)", "<submission>/m.py", "exec"
    )
    names = {}
    exec(code, names)
    (line,) = described(lambda: names["f"](torch.ones(2).as_subclass(Odd), object()))["lines"]

    assert line[2] == []
