"""Modules seen through an implementation: copies, parameters that are tied, and no tensors."""

from __future__ import annotations

import pytest
import torch

from grader.programs.failure import CheckFailed

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


class Yes(nn.Module):
    def __getattr__(self, name):
        return lambda *args: True


def answer():
    return Yes()
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


class TestInThePlaceOfATensor:
    @pytest.mark.parametrize("name", ["equal", "isnan", "all", "shape", "dtype", "abs", "item"])
    def test_a_module_answers_nothing(self, impl, name):
        """One that says yes to everything would have every property a check asks for."""
        found = impl.answer()
        with pytest.raises(
            CheckFailed, match=r"^answer\(\) returned a value of type Yes where a ten"
        ):
            getattr(found, name)

    def test_a_module_still_has_methods_of_its_own(self, impl):
        """What modules have too, or only they."""
        model = impl.Tied(4, 3)
        model.to(torch.float64)

        assert model.forward(torch.tensor([1])).dtype == torch.float64
