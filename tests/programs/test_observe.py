"""What a check finds out beyond what calls return: models without memory, and work."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from grader.programs.observe import on_meta, work_of

SOURCE = """
import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.generator = nn.Linear(width, vocab, bias=False)
        self.generator.weight = self.embedding.weight

    def forward(self, ids):
        return self.generator(self.embedding(ids))


def zeros(n):
    return torch.zeros(n)


def in_one(x):
    return (x * 2).T


def row_by_row(x):
    return torch.stack([row * 2 for row in x])


def outer(x):
    return (x[:, None] * x[None, :]).sum()
"""


@pytest.fixture
def impl(impl_of):
    return impl_of(SOURCE)


class TestOnMeta:
    def test_a_model_of_any_size_has_its_shapes(self, impl):
        """A thousand million parameters are counted without being there."""
        parameters = on_meta(impl).Tied(1_000_000, 1000).parameters()

        assert {name: tuple(p.shape) for name, p in parameters.items()} == {
            "embedding.weight": (1_000_000, 1000)
        }
        assert parameters["embedding.weight"].device.type == "meta"

    def test_is_for_that_call_alone(self, impl):
        """The next call makes real tensors again."""
        on_meta(impl).zeros(3)

        assert impl.zeros(3).device.type == "cpu"
        assert nn.Linear(2, 2).weight.device.type == "cpu"


class TestWork:
    def test_is_counted_by_name(self, impl):
        """Operations on tensors, however small, and no views."""
        work = work_of(impl, lambda impl: impl.in_one(torch.ones(3, 4)))

        assert work.by_name == {"mul": 1}
        assert work.largest == 12

    def test_of_a_loop_grows_with_what_it_loops_over(self, impl):
        """One multiplication a row and one stack, against one multiplication in all."""
        counts = [
            work_of(impl, lambda impl, n=n: impl.row_by_row(torch.ones(n, 2))).operations
            for n in (2, 8)
        ]

        assert counts == [3, 9]

    def test_knows_the_largest_tensor_that_was_made(self, impl):
        """Also when it is gone before the result is returned."""
        assert work_of(impl, lambda impl: impl.outer(torch.ones(50))).largest == 2500

    def test_adds_up_over_calls(self, impl):
        """A probe may call more than once; nothing is left over from an earlier one."""
        x = torch.ones(3, 4)
        twice = work_of(impl, lambda impl: (impl.in_one(x), impl.in_one(x)))
        once = work_of(impl, lambda impl: impl.in_one(x))

        assert (twice.operations, once.operations) == (2, 1)
