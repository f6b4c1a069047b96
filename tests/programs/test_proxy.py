"""Modules seen through an implementation: copies, and parameters that are tied."""

from __future__ import annotations

import pytest
import torch

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
"""


@pytest.fixture
def impl(impl_of):
    return impl_of(SOURCE)


class TestCopies:
    def test_are_independent(self, impl):
        """What is loaded into the copy leaves the original alone."""
        ids, weight = torch.tensor([1, 2]), torch.arange(12.0).reshape(4, 3)
        model = impl.Tied(4, 3)
        before = model(ids)
        copy = model.deepcopy()
        copy.load({"embedding.weight": weight})

        assert copy(ids).equal(weight[ids] @ weight.T)
        assert model(ids).equal(before)

    def test_keep_what_is_tied(self, impl):
        """A shared parameter is one parameter in the copy too, and has one name there."""
        copy = impl.Tied(4, 3).deepcopy()

        assert list(copy.parameters()) == ["embedding.weight"]


class TestLoading:
    @pytest.mark.parametrize("name", ["embedding.weight", "generator.weight"])
    def test_a_tied_parameter_needs_one_of_its_names(self, impl, name):
        """Either name sets both."""
        ids, weight = torch.tensor([0, 3]), torch.arange(12.0).reshape(4, 3)
        model = impl.Tied(4, 3)
        model.load({name: weight})

        assert model(ids).equal(weight[ids] @ weight.T)
