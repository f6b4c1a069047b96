"""What a check finds out beyond what calls return: models without memory, and work."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from grader.course.catalog import load_catalog
from grader.errors import SubmissionRaised
from grader.programs.client import client_of
from grader.programs.failure import CheckFailed
from grader.programs.observe import (
    autocast,
    gradient,
    gradient_by_shape,
    inputs_of,
    on_meta,
    on_one_device,
    parameter_gradient,
    torch_module,
    work_of,
)
from grader.programs.program import LocalProgram, Opening
from grader.programs.proxy import Implementation

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


def rows_stacked(x):
    return torch.stack([x[i] for i in range(len(x))])


def outer(x):
    return (x[:, None] * x[None, :]).sum()


def write_a_row(x):
    x.index_copy_(0, torch.arange(1), torch.ones(1, 50))
    return x.sum()


def twice_through(module, x):
    return module(module(x) + 1)


def product(x, y):
    return x @ y


def fails(x):
    raise ValueError("no")
"""


@pytest.fixture
def impl(impl_of):
    return impl_of(SOURCE)


class TestInputsOf:
    def test_are_those_of_every_call(self, impl):
        """A module handed in tells what it was called with, in order."""
        x = torch.tensor([[1.0, 2.0]])
        double = torch_module("Linear", 2, 2, weights={"weight": 2 * torch.eye(2), "bias": x[0]})
        result = impl.twice_through(double, x)
        first, second = inputs_of(impl, double)

        assert first.equal(x)
        assert second.equal(3 * x + 1)
        assert result.equal(2 * second + x)

    def test_are_none_before_a_call(self, impl):
        """A module that was handed in and left alone has seen nothing."""
        module = torch_module("ReLU")

        assert inputs_of(impl, module) == []


class TestGradients:
    def test_of_an_input_weigh_the_output(self, impl):
        """The vector-Jacobian product for an input that was drawn with a gradient."""
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        cotangent = torch.arange(6.0).reshape(3, 2)
        found = gradient(impl, impl.in_one(x), cotangent, x)

        assert found.equal(2 * cotangent.T)

    def test_are_none_where_nothing_leads_back(self, impl):
        """An input that nobody used has no gradient, and not a gradient of zeros."""
        x, other = (torch.ones(2, 3, requires_grad=True) for _ in range(2))
        out = impl.in_one(x)
        impl.in_one(other)

        assert gradient(impl, out, torch.ones(3, 2), other) is None

    def test_of_a_parameter_go_by_any_of_its_names(self, impl):
        """A tied one is listed once, and found by both."""
        model = impl.Tied(4, 3)
        out = model(torch.tensor([1]))
        found = [
            parameter_gradient(model, out, torch.ones(1, 4), name)
            for name in ("embedding.weight", "generator.weight", "nothing.weight")
        ]

        assert found[0].shape == (4, 3)
        assert found[0].equal(found[1])
        assert found[2] is None

    def test_by_shape_are_added_up(self, impl):
        """A table's, whether its two uses are one parameter or two; of a shape that is not there,
        zeros.
        """
        model = impl.Tied(4, 3)
        out = model(torch.tensor([1]))
        tied = gradient_by_shape(impl, out, torch.ones(1, 4), (4, 3))

        assert tied.equal(parameter_gradient(model, out, torch.ones(1, 4), "embedding.weight"))
        assert gradient_by_shape(impl, out, torch.ones(1, 4), (9, 9)).equal(torch.zeros(9, 9))

    def test_by_shape_begin_at_an_answer_of_the_form_asked_for(self, impl):
        """In float64, say: from an answer in another dtype there is no gradient to judge."""
        out = impl.Tied(4, 3)(torch.tensor([1]))
        with pytest.raises(CheckFailed) as failed:
            gradient_by_shape(impl, out, torch.ones(1, 4, dtype=torch.float64), (4, 3))

        assert failed.value.cause.kind == "dtype"


class TestAutocast:
    def test_is_in_force_within_the_block(self, impl):
        """Products come in the dtype asked for, before and after it as always."""
        x = torch.ones(2, 2)
        before = impl.product(x, x).dtype
        with autocast(impl, torch.bfloat16):
            within = impl.product(x, x).dtype
        after = impl.product(x, x).dtype

        assert (before, within, after) == (torch.float32, torch.bfloat16, torch.float32)

    def test_ends_with_an_error_too(self, impl):
        """A call that raises does not leave it on."""
        x = torch.ones(2, 2)
        with pytest.raises(SubmissionRaised), autocast(impl, torch.bfloat16):
            impl.fails(x)

        assert impl.product(x, x).dtype == torch.float32

    def test_does_not_touch_a_reference_in_float64(self, toy):
        """Its answers say what is right, whatever accuracy is left to others."""
        names = {"product": torch.matmul}
        opening = Opening(load_catalog(toy)["toy"])
        reference = Implementation(LocalProgram(names, torch.float64).open(opening))
        with autocast(reference, torch.bfloat16):
            assert reference.product(torch.ones(2, 2), torch.ones(2, 2)).dtype == torch.float64


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

    def test_of_a_loop_of_views_grows_in_steps(self, impl):
        """Views move no numbers, so they are no operations; a loop of them is a loop."""
        works = [
            work_of(impl, lambda impl, n=n: impl.rows_stacked(torch.ones(n, 2))) for n in (2, 8)
        ]

        assert [work.operations for work in works] == [1, 1]
        assert [work.steps for work in works] == [3, 9]

    def test_knows_the_largest_tensor_that_was_made(self, impl):
        """Also when it is gone before the result is returned."""
        assert work_of(impl, lambda impl: impl.outer(torch.ones(50))).largest == 2500

    def test_what_is_written_in_place_is_not_made(self, impl):
        work = work_of(impl, lambda impl: impl.write_a_row(torch.zeros(50, 50)))

        assert work.of("index_copy") == 1
        assert work.largest == 50

    def test_adds_up_over_calls(self, impl):
        """A probe may call more than once; nothing is left over from an earlier one."""
        x = torch.ones(3, 4)
        twice = work_of(impl, lambda impl: (impl.in_one(x), impl.in_one(x)))
        once = work_of(impl, lambda impl: impl.in_one(x))

        assert (twice.operations, once.operations) == (2, 1)

    def test_leaves_out_what_an_object_did_before(self, impl):
        """A module that was made earlier can be asked; neither that nor earlier calls count."""
        model, ids = impl.Tied(50, 3), torch.tensor([1, 2])
        model(torch.arange(50))
        work = work_of(impl, lambda _: model(ids))

        assert work.largest == 2 * 50

    def test_is_counted_no_longer_after_an_error(self, impl):
        """Later calls are not charged to a probe that raised."""
        with pytest.raises(SubmissionRaised):
            work_of(impl, lambda impl: impl.fails(torch.ones(1)))

        assert client_of(impl).work is None


class TestOnOneDevice:
    def test_tells_of_a_tensor_on_the_cpu(self, toy):
        """Whose it is, and what torch said; anything else that is raised stays what it is."""
        program = LocalProgram({"f": lambda x: x + torch.ones(3, 2), "g": lambda x: x @ x})
        impl = Implementation(program.open(Opening(load_catalog(toy)["toy"])))
        x = torch.ones(3, 2, device="meta")
        with pytest.raises(CheckFailed) as caught, on_one_device("the layer"):
            impl.f(x)
        with pytest.raises(SubmissionRaised), on_one_device("the layer"):
            impl.g(torch.ones(3, 2))

        assert caught.value.cause.kind == "left_on_cpu"
        assert caught.value.cause.facts["name"] == "the layer"
