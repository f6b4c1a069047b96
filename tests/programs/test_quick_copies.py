"""What is copied quickly is what Python would have copied."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from grader.programs.quick_copies import _copied

MODULES = {
    "stack": lambda: nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1), nn.BatchNorm1d(4)),
    "recurrent": lambda: nn.GRU(3, 4, num_layers=2),
    "attention": lambda: nn.MultiheadAttention(4, 2),
    "transformer": lambda: nn.TransformerEncoderLayer(4, 2, 8),
    "parametrized": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 4)),
}


class Tied(nn.Module):
    """One parameter under two names, its own module in a list, a buffer that is not kept."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight
        self.layers = [self.head]
        self.seen = {"calls": [1, 2]}
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.register_parameter("bias", None)
        self.head.register_forward_hook(lambda *_: None)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    monkeypatch.setattr(nn.Module, "__deepcopy__", _copied, raising=False)


@pytest.mark.parametrize("name", MODULES)
def test_a_copy_is_like_the_module(name):
    """The same parameters and buffers, of its own, the same mode, the same attributes."""
    module = MODULES[name]().eval()
    made = copy.deepcopy(module)

    assert type(made) is type(module)
    assert str(made) == str(module)
    assert [vars(m).keys() for m in made.modules()] == [vars(m).keys() for m in module.modules()]
    assert not any(m.training for m in made.modules())
    for (key, one), (other_key, other) in zip(
        module.state_dict().items(), made.state_dict().items(), strict=True
    ):
        assert key == other_key
        assert one.equal(other)
        assert one.data_ptr() != other.data_ptr()


def test_what_is_shared_is_shared_in_the_copy():
    """And with nobody else; hooks come along."""
    module = Tied()
    made = copy.deepcopy(module)
    made.seen["calls"].append(3)

    assert made.head.weight is made.embed.weight is not module.head.weight
    assert made.layers[0] is made.head
    assert module.seen == {"calls": [1, 2]}
    assert made.bias is None
    assert "mask" not in made.state_dict()
    assert len(made.head._forward_hooks) == 1


def test_a_module_that_copies_itself_does_so():
    """As it says."""

    class Own(nn.Module):
        def __getstate__(self):
            return {**vars(self), "copied": True}

    assert copy.deepcopy(Own()).copied
