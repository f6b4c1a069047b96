"""Modules seen through an implementation: copies, parameters that are tied, and no tensors."""

from __future__ import annotations

import pytest
import torch

from grader.programs.failure import CheckFailed
from grader.report.words import told

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


class Watched(Tied):
    def watch(self):
        self.generator.register_forward_hook(lambda *given: None)
        self.register_forward_pre_hook(lambda *given: None)


class Loose(nn.Module):
    def __init__(self, out, width):
        super().__init__()
        self.weight = torch.ones(width)
        self.linear = nn.Linear(out, width)
        self.other = nn.Parameter(torch.ones(3))


class Yes(nn.Module):
    def __getattr__(self, name):
        return lambda *args: True


def answer():
    return Yes()
"""


@pytest.fixture
def impl(impl_of):
    return impl_of(SOURCE)


def test_hooks_are_named_by_the_part_they_stand_on(impl):
    """One that only reads is seen in no answer, and stays all the same."""
    model = impl.Watched(4, 3)
    before = model.hooks()
    model.watch()

    assert before == []
    assert sorted(model.hooks()) == ["", "generator"]


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


class TestLoadingWhatDoesNotFit:
    @pytest.fixture
    def told_of(self, impl):
        """What is said when these shapes are loaded into ``Loose(4, 5)``."""

        def told_of(**shapes):
            weights = {name.replace("_", "."): torch.ones(shape) for name, shape in shapes.items()}
            with pytest.raises(CheckFailed) as caught:
                impl.Loose(4, 5).load(weights)
            return told(caught.value.cause)

        return told_of

    def test_a_plain_tensor_is_said_to_be_one(self, told_of):
        """Its name is right: what is missing is nn.Parameter."""
        words = told_of(weight=(5,), linear_weight=(5, 4), linear_bias=(5,), other=(3,))

        assert words.rationale.endswith(": self.weight is a plain tensor and no parameter.")
        assert "Wrap it in nn.Parameter" in words.help
        assert "missing" not in words.help

    def test_exchanged_sizes_are_said_to_be_so(self, told_of):
        """Nothing is wrong with the name."""
        words = told_of(linear_weight=(4, 5), linear_bias=(5,), other=(3,))

        assert "linear.weight has shape (5, 4), which is the other way round" in words.rationale
        assert "Exchange the two sizes" in words.help

    def test_only_what_differs_is_shown(self, told_of):
        """Of ever so many parameters."""
        words = told_of(linear_weight=(5, 4), linear_bias=(5,), more=(2,))

        assert (words.expected, words.actual) == ("more (2,)", "other (3,)")

    def test_a_tied_one_is_too_many_once(self, impl):
        """It is one Parameter, whatever its names are."""
        with pytest.raises(CheckFailed) as caught:
            impl.Tied(4, 3).load({})
        words = told(caught.value.cause)

        one = "embedding.weight and generator.weight are the same one, and share it with no other."
        assert words.rationale.endswith(f": there is one Parameter too many: {one}")

    def test_many_that_are_missing_leave_room_for_one_too_many(self, told_of):
        """Together they tell what was made in the place of what."""
        many = {f"more_{n}": (2,) for n in range(30)}
        words = told_of(linear_weight=(5, 4), linear_bias=(5,), **many)

        assert words.actual == "other (3,)"
        assert words.expected.count("more.") == 6


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
