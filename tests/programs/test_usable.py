"""A property is asked of an answer only: what is none is told like any other wrong answer."""

from __future__ import annotations

import pytest
import torch

from grader.errors import GraderError
from grader.programs.failure import CheckFailed
from grader.programs.usable import usable
from grader.report.words import told

SOURCE = """
import torch
from torch import nn


def answer(what, x):
    return {
        "right": lambda: x * 2, "nothing": lambda: None, "array": lambda: x.numpy(),
        "numbers": lambda: 2.0, "transposed": lambda: x.T, "empty": lambda: x[:0],
        "wide": lambda: x.double(), "whole": lambda: x.long(),
        "nan": lambda: x.masked_fill(x == x.max(), torch.nan),
        "infinite": lambda: x.masked_fill(x == x.max(), -torch.inf),
        "constant": lambda: torch.full_like(x, 3.0), "input": lambda: x,
    }[what]()


class Layer(nn.Module):
    def forward(self, x):
        return None
"""


@pytest.fixture
def impl(impl_of):
    return impl_of(SOURCE)


@pytest.fixture
def x():
    return torch.arange(6.0).reshape(2, 3)


class TestAnAnswer:
    def test_comes_back_as_it_is(self, impl, x):
        """So that a check can go on with it."""
        y = impl.answer("right", x)

        assert usable(impl, y, (2, 3)) is y

    @pytest.mark.parametrize(
        ("what", "said"),
        [
            ("nothing", "returned None .* where a tensor was expected"),
            ("array", "returned a numpy array where a tensor"),
            ("numbers", "returned a value of type float where a tensor"),
            ("transposed", r"returned shape \(3, 2\), not \(2, 3\)"),
            ("empty", r"returned shape \(0, 3\), not \(2, 3\)"),
            ("wide", "returned dtype float64, not float32"),
            ("whole", "returned dtype int64, not float32"),
            ("nan", "returned nan among its numbers"),
            ("infinite", "returned -inf among its numbers"),
            ("constant", "returned the same number everywhere"),
            ("input", "returned what it was given"),
        ],
    )
    def test_that_is_none_fails_the_check(self, impl, x, what, said):
        """In the words of a comparison, with the call that gave it."""
        with pytest.raises(CheckFailed, match=said) as caught:
            usable(impl, impl.answer(what, x), (2, 3), unlike=[x])

        assert told(caught.value.cause).rationale.startswith(f"answer('{what}', tensor (2, 3))")
        assert isinstance(caught.value, GraderError)
        assert caught.value.evidence is not None

    def test_is_blamed_on_the_call_that_gave_it(self, impl, x):
        """And not on a later one."""
        first = impl.answer("nan", x)
        impl.answer("right", x)
        with pytest.raises(CheckFailed, match=r"^answer\('nan'"):
            usable(impl, first, (2, 3))

    def test_of_a_layer_is_the_layers(self, impl, x):
        """A module in the submission's place tells its own calls."""
        layer = impl.Layer()
        with pytest.raises(CheckFailed, match=r"^the Layer\(tensor \(2, 3\)\) returned None"):
            usable(layer, layer(x), (2, 3))

    def test_may_be_one_number_where_the_check_says_so(self, impl, x):
        """For example where everything is dropped; or where there is but one."""
        usable(impl, impl.answer("constant", x), (2, 3), varied=False)
        usable(impl, impl.answer("constant", x[:1, :1]), (1, 1))

    def test_may_have_another_dtype_where_the_check_says_so(self, impl, x):
        """The dtype of the inputs, mostly."""
        usable(impl, impl.answer("wide", x), (2, 3), torch.float64)

    def test_elsewhere_has_no_numbers_to_look_at(self, impl, x):
        """A meta tensor has a shape and a dtype."""
        usable(impl, impl.answer("right", x.to("meta")), (2, 3))
        with pytest.raises(CheckFailed, match="shape"):
            usable(impl, impl.answer("right", x.to("meta")), (3, 2))
