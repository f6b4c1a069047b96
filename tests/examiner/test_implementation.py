"""Modules seen through an implementation: copies, tied parameters, models without memory."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from grader.course.catalog import load_catalog
from grader.examiner.implementation import Implementation, on_meta
from grader.examiner.subject import LocalSubject, SubmissionSubject
from grader.model import Submission

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
"""


@pytest.fixture(params=["here", "in a worker"])
def impl(request, toy, sandbox):
    """A module of ours, in this process and in a worker: it must make no difference."""
    exercise = load_catalog(toy)["toy"]
    if request.param == "here":
        names = {}
        exec(SOURCE, names)
        subject = LocalSubject(names)
    else:
        subject = SubmissionSubject(Submission("ada", "ada", {"toy": SOURCE}), sandbox)
    yield Implementation(subject.open(exercise, 5.0, 1))
    subject.close()


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
