"""What an exercise forbids is not there under any of its names, and everything else is."""

from __future__ import annotations

from operator import attrgetter

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.sandbox.forbidden import (
    NotAllowedHere,
    as_refusal,
    classes,
    forbidden,
    functions,
    operations,
)

CATALOG = load_catalog(find_course())
NAMED = {name for exercise in CATALOG.values() for name in exercise.forbids}
X = torch.tensor([[1.0, 2.0, 4.0], [0.0, 3.0, 1.0]])


def refused(call, *args, **kwargs):
    """What is said of a call that is refused."""
    with pytest.raises(NotAllowedHere) as caught:
        call(*args, **kwargs)
    return str(caught.value)


class TestNames:
    @pytest.mark.parametrize("name", sorted(NAMED))
    def test_in_the_catalog_are_known_to_torch(self, name):
        """A slip in the catalog would forbid nothing, in silence."""
        holder = {"torch": torch, "F": F, "nn": nn}[name.partition(".")[0]]

        assert callable(attrgetter(name.partition(".")[2])(holder))
        assert operations([name]) or functions([name]) or classes([name])

    @pytest.mark.parametrize("name", [name for name in CATALOG if CATALOG[name].welcomes])
    def test_of_an_exercise_leave_what_it_welcomes(self, name):
        """Nothing that a page welcomes belongs to what the same page forbids."""
        forbids = CATALOG[name].forbids
        taken = {full.partition("::")[2].partition(".")[0] for full in operations(forbids)}
        taken |= {key for _, key in functions(forbids)}
        taken |= {kind.__name__ for kind in classes(forbids)}

        assert [n for n in CATALOG[name].welcomes if n.rpartition(".")[2] in taken] == []

    def test_stand_for_the_operations_that_hold_them(self):
        """Backward, sparse and masked forms too, and of the names that fit the longest."""
        found = operations(["torch.softmax", "torch.log_softmax"])

        assert found["aten::softmax.int"] == found["aten::_softmax_backward_data"]
        assert found["aten::_sparse_softmax"] == "torch.softmax"
        assert found["aten::_log_softmax.out"] == "torch.log_softmax"
        assert "aten::exp" not in found

    def test_of_functions_are_those_of_modules_too(self):
        """F.layer_norm is also nn.LayerNorm, and F.rms_norm nn.RMSNorm."""
        assert classes(["F.layer_norm", "F.rms_norm"]) == [nn.LayerNorm, nn.RMSNorm]

    def test_may_be_optimizers(self):
        """Adam is not AdamW; what computes for either is named in lower case."""
        found = set(functions(["torch.optim.AdamW"]).values())
        computing = {key for _, key in functions(["torch.optim.Adam"])}

        assert classes(["torch.optim.AdamW"]) == [torch.optim.AdamW]
        assert classes(["torch.optim.Adam"]) == [torch.optim.Adam]
        assert found == {"torch.optim.AdamW"}
        assert {"adam", "adamw", "_single_tensor_adam"} <= computing


class TestWhatIsForbidden:
    def test_says_why(self):
        """The sentence names what was called and asks for one's own."""
        with forbidden(["torch.softmax"]):
            said = refused(X.softmax, -1)

        assert said == "torch.softmax does this exercise for you: write it yourself here"

    def test_may_be_an_optimizer(self):
        """It cannot be made, nor what is derived from it, and others can."""
        own = type("AdamW", (torch.optim.AdamW,), {})
        weights = [nn.Parameter(X.clone())]
        with forbidden(["torch.optim.AdamW"]):
            said = refused(own, weights)
            torch.optim.SGD(weights, lr=0.1)

        assert said.startswith("torch.optim.AdamW does this exercise for you")
        assert own(weights).param_groups[0]["lr"] == 1e-3

    def test_is_there_again_afterwards(self):
        """Operations, functions, classes and their methods are as they were, gradients too."""
        x = X.clone().requires_grad_()
        before = F.softmax(x, -1), F.layer_norm(x, (3,)), nn.TransformerEncoderLayer.forward
        with forbidden(["torch.softmax", "F.layer_norm", "nn.TransformerEncoderLayer"]):
            refused(nn.TransformerEncoderLayer, 4, 1, 4)
        after = F.softmax(x, -1), F.layer_norm(x, (3,)), nn.TransformerEncoderLayer.forward

        assert torch.equal(before[0], after[0])
        assert torch.equal(before[1], after[1])
        assert before[2] is after[2]
        assert nn.LayerNorm(3)(x).grad_fn is not None

    def test_is_there_again_after_an_exception(self):
        """A proof that ends early leaves torch whole."""
        with pytest.raises(KeyError), forbidden(["torch.softmax", "F.dropout"]):
            raise KeyError

        assert torch.equal(F.dropout(X.softmax(-1), 0.0), torch.softmax(X, -1))

    def test_is_nothing_else(self):
        """Every operation that a right answer is made of works, with its gradient."""
        x = X.clone().requires_grad_()
        with forbidden(sorted(NAMED)):
            e = (x - x.amax(-1, keepdim=True)).exp()
            y = nn.Linear(3, 2)(e / e.sum(-1, keepdim=True)).relu().sum()
            (gradient,) = torch.autograd.grad(y, x)

        assert gradient.shape == x.shape

    def test_may_be_nothing(self):
        """An exercise that forbids nothing leaves torch as it is."""
        begin = nn.Module.__init__
        with forbidden([]):
            assert nn.Module.__init__ is begin
            assert X.softmax(-1).shape == X.shape

    def test_costs_other_operations_nothing(self):
        """No mode is on, so that calls are not slower for it: a clock may run."""
        with forbidden(["torch.softmax"]):
            modes = torch.utils._python_dispatch._get_current_dispatch_mode_stack()
            functional = torch.overrides._get_current_function_mode_stack()

        assert (modes, functional) == ([], [])


class TestRefusals:
    def test_out_of_a_script_are_refusals_again(self):
        """A compiled script makes a RuntimeError of any exception, with the sentence in it."""
        said = "F.gelu does this exercise for you: write it yourself here"
        refusal = as_refusal(RuntimeError(f"The operation failed in the interpreter.\n{said}\nAt:"))

        assert type(refusal) is NotAllowedHere
        assert str(refusal) == said

    @pytest.mark.parametrize("kind", [RuntimeError, OSError, ValueError])
    def test_are_made_of_nothing_else(self, kind):
        """Any other exception is told as it is, also one whose text cannot be read."""

        class Mute:
            def __str__(self):
                raise KeyError

        for error in (kind("no such axis"), kind(Mute())):
            assert as_refusal(error) is error
