"""Every sort of exception in the table is provoked here with the installed torch and numpy."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.errors import Raised
from grader.examiner.exceptions import recognised
from grader.examiner.surroundings import NOWHERE
from grader.model import Cause
from grader.report.words import told

T = torch.randn
MASK, IDS = torch.ones(2, 4).bool(), torch.tensor([5])
NOTHING, PAIR = None, (T(2), None)


class Unready(nn.Module):
    def __init__(self, value):
        self.value = value


class Unheld:
    """It has no base."""

    def __init__(self, *values):
        if values:
            super().__init__(*values)


def leaf():
    return T(3, requires_grad=True)


def run(code):
    exec(code, {"T": T})


def misspelt(message):
    raise AttributeError(message)


def changed_in_place():
    x = leaf()
    y = x.exp()
    y.mul_(2).sum().backward()


def backward_twice():
    y = leaf().exp().sum()
    y.backward()
    y.backward()


def never(n):
    return never(n + 1)


PROVOKED = {
    "no_super_init": [
        lambda: Unready(nn.Linear(2, 2)),
        lambda: Unready(nn.Parameter(T(2))),
        lambda: Unready(3)(T(2)),
        lambda: list(Unready(3).parameters()),
        lambda: Unready(T(2)).eval(),
    ],
    "no_parameter": [lambda: setattr(nn.LayerNorm(3), "weight", T(3))],
    "state_dict": [lambda: nn.Linear(2, 2).load_state_dict({"w": T(2)})],
    "named_pair": [
        lambda: T(2, 3) - T(2, 3).max(-1, keepdim=True),
        lambda: torch.exp(T(2, 3).max(-1)),
        lambda: T(2, 3).sort().sum(),
    ],
    "array_for_tensor": [
        lambda: torch.exp(np.ones(3)),
        lambda: np.ones(3).softmax(-1),
        lambda: np.ones((2, 2)) @ T(2, 2),
        lambda: np.sum(T(2, 3), axis=-1, keepdims=True),
        lambda: np.max(T(2, 3), axis=-1, keepdims=True),
        lambda: np.ones((2, 2)).sum(dim=-1),
    ],
    "pair_for_tensor": [
        lambda: F.dropout((T(2), T(2))),
        lambda: nn.LayerNorm(3)((T(3), None)),
        lambda: (T(2), T(2)).shape,
        lambda: T(2) + PAIR,
        lambda: PAIR + T(2),
        lambda: (T(2), None) * 0.5,
        lambda: torch.stack([PAIR, PAIR]),
    ],
    "unpacked": [lambda: run("a, b = T(2, 3, 4).shape"), lambda: run("a, b, c = T(2, 4)")],
    "none": [
        lambda: T(2) + None,
        lambda: NOTHING[0],
        lambda: torch.exp(None),
        lambda: torch.zeros(2, None),
        lambda: run("a, b = None"),
        lambda: T(2).masked_fill(None, 0),
        lambda: NOTHING.shape,
    ],
    "exponent": [lambda: T(2) ^ T(2), lambda: 2 ^ 0.5, lambda: T(2) ^ 0.5],
    "layer_for_tensor": [
        lambda: T(2) @ nn.Linear(2, 2),
        lambda: nn.Linear(2, 2) @ T(2),
        lambda: torch.matmul(T(2), nn.Linear(2, 2)),
    ],
    "shape_for_size": [lambda: math.sqrt(T(2).shape), lambda: T(2) / T(2).shape],
    "product_with_number": [
        lambda: 0 @ T(2, 2),
        lambda: T(2, 2) @ 2.0,
        lambda: T(2).sum() @ T(2),
        lambda: np.ones(2).sum() @ np.ones((2, 2)),
    ],
    "dot_of_matrices": [lambda: torch.dot(T(2, 2), T(2, 2))],
    "parts_not_listed": [lambda: torch.cat(x for x in [T(2)])],
    "text_for_number": [lambda: T(2, 4).masked_fill(MASK, "-inf")],
    "name_before_equals": [
        lambda: T(2, 4).masked_fill(MASK, valu=0),
        lambda: T(2, 3).var(-1, keepdim=True, biased=True),
    ],
    "two_sizes_left_open": [lambda: T(2, 3).view(2, -1, -1), lambda: T(6).reshape(-1, -1)],
    "matmul_transposed": [lambda: T(3, 6) @ T(4, 6), lambda: F.linear(T(2, 3, 6), T(6, 4))],
    "matmul_left": [lambda: T(6, 3) @ T(6, 4)],
    "matmul": [
        lambda: T(3, 6) @ T(5, 4),
        lambda: T(2, 3, 6) @ T(2, 5, 6),
        lambda: np.ones((2, 3)) @ np.ones((2, 3)),
    ],
    "matmul_unsized": [
        lambda: T(6) @ T(5),
        lambda: T(3, 6) @ T(5),
        lambda: torch.einsum("ij,jk->ik", T(2, 3), T(2, 3)),
    ],
    "broadcast": [lambda: T(2, 3) + T(2, 4), lambda: T(2, 3).masked_fill(MASK, 0)],
    "grows_in_place": [lambda: T(3).add_(T(2, 3)), lambda: T(()).mul_(T(2))],
    "broadcast_shapes": [lambda: np.ones((2, 3)) + np.ones((2, 4))],
    "written_shape": [lambda: np.zeros((2, 3)).__setitem__(slice(None), np.ones((2, 4)))],
    "view_size": [
        lambda: T(2, 3).view(4, 2),
        lambda: T(2, 3).reshape(4, -1),
        lambda: np.ones((2, 3)).reshape(4, 2),
        lambda: T(2, 6).unflatten(-1, (4, 2)),
    ],
    "view_stride": [lambda: T(2, 3, 4).transpose(1, 2).view(2, 12)],
    "expand": [lambda: T(2, 3).expand(2, 4)],
    "expand_axes": [lambda: T(2, 3).expand(3)],
    "joined": [
        lambda: torch.cat([T(2, 3), T(3, 4)], 0),
        lambda: np.concatenate([np.ones((2, 3)), np.ones((3, 4))]),
    ],
    "joined_axes": [lambda: torch.cat([T(2, 3), T(3)], 0)],
    "stacked": [lambda: torch.stack([T(2, 3), T(3, 4)])],
    "split": [lambda: T(2, 6).split([2, 3], -1)],
    "norm_shape": [lambda: nn.LayerNorm(5)(T(2, 6)), lambda: F.layer_norm(T(2, 6), (6,), T(5))],
    "mask_of_torch": [
        lambda: nn.MultiheadAttention(6, 2)(*[T(3, 1, 6)] * 3, attn_mask=T(1, 1, 3, 3)),
        lambda: nn.MultiheadAttention(6, 2)(*[T(3, 1, 6)] * 3, attn_mask=MASK),
    ],
    "mask_shape": [lambda: T(2, 3)[MASK]],
    "heads_width": [lambda: nn.MultiheadAttention(6, 4)],
    "negative_size": [lambda: torch.ones(2, -1)],
    "dimension": [lambda: T(3).sum(2), lambda: T(3).transpose(1, 2)],
    "few_axes": [
        lambda: T(3)[0, 0],
        lambda: T(3)[0][0],
        lambda: T(3, 2).permute(0, 2, 1),
        lambda: T(3).mT,
        lambda: np.ones((2, 3)).sum(axis=3),
        lambda: np.ones((2, 3, 2)).transpose(-2, -1),
    ],
    "index": [lambda: nn.Embedding(3, 2)(IDS)],
    "topk_range": [lambda: T(3).topk(5)],
    "multinomial_negative": [lambda: torch.multinomial(-torch.ones(3), 1)],
    "multinomial_axes": [lambda: torch.multinomial(torch.ones(2, 2, 3), 1)],
    "tensor_for_sizes": [
        lambda: torch.rand(T(2, 3)),
        lambda: torch.rand(T(2, 3), generator=None, device="cpu"),
        lambda: torch.zeros(T(2, 3), dtype=torch.float32),
    ],
    "number_for_tensor": [lambda: torch.sqrt(2), lambda: torch.exp(0.5)],
    "index_below_zero": [
        lambda: T(3)[-5],
        lambda: T(2, 3).gather(1, torch.tensor([[-100]])),
    ],
    "indices_paired": [lambda: T(2, 3)[torch.arange(2), torch.arange(3)]],
    "index_of_axis": [lambda: T(3)[5], lambda: T(3)[IDS], lambda: np.ones(3)[5]],
    "index_of_list": [lambda: [1][2]],
    "gather_axes": [lambda: T(2, 3).gather(-1, IDS)],
    "reduce_order": [lambda: functools.reduce([1, 2], max)],
    "loss_axes": [
        lambda: F.cross_entropy(T(1, 3, 10), torch.zeros(1, 3).long()),
        lambda: F.cross_entropy(T(6, 10), torch.zeros(5).long()),
    ],
    "loss_target": [lambda: F.cross_entropy(T(6, 10), torch.full((6,), 11))],
    "loss_dtype": [lambda: F.cross_entropy(T(6, 10), T(6))],
    "numpy_of_graph": [lambda: np.exp(leaf()), lambda: leaf().numpy()],
    "generator_of_device": [lambda: torch.Generator(device="meta")],
    "numpy_of_device": [lambda: np.exp(torch.ones(3, device="meta"))],
    "no_graph": [lambda: T(3).sum().backward()],
    "changed_in_place": [changed_in_place],
    "view_in_place": [lambda: leaf().mul(1).unbind()[0].add_(1)],
    "no_source_of_chance": [lambda: run("raise RuntimeError('Unable to open /dev/urandom')")],
    "leaf_in_place": [lambda: leaf().mul_(2), lambda: leaf()[:2].mul_(2)],
    "backward_twice": [backward_twice],
    "two_dtypes": [
        lambda: T(2, 2) @ T(2, 2).double(),
        lambda: nn.Linear(2, 2)(T(2, 2).double()),
        lambda: T(2, 2, 2) @ T(2, 2, 2).double(),
        lambda: T(2) @ T(2).double(),
    ],
    "overflow": [lambda: T(2).half().masked_fill(torch.tensor([True, False]), -1e9)],
    "index_dtype": [lambda: nn.Embedding(3, 2)(T(2)), lambda: T(3)[T(2)]],
    "integers": [lambda: torch.ones(2).long().softmax(-1), lambda: torch.ones(2).long().mean()],
    "mask_minus": [lambda: 1 - MASK, lambda: -MASK],
    "no_mask": [lambda: T(2).masked_fill(T(2), 0), lambda: ~T(2), lambda: T(2) & T(2)],
    "truth_of_many": [lambda: bool(T(2)), lambda: bool(np.ones(2))],
    "number_of_many": [lambda: T(2).item(), lambda: float(np.ones(2))],
    "not_callable": [lambda: T(2)(3), lambda: run("n = 3\nn(4)")],
    "not_called": [
        lambda: run("with T: pass"),
        lambda: run("for x in {}.items: pass"),
        lambda: list(leaf),
        lambda: leaf.shape,
    ],
    "not_subscriptable": [lambda: leaf[0], lambda: nn.Linear(2, 2)[0], lambda: run("n = 3\nn[0]")],
    "not_iterable": [lambda: run("for n in 3: pass"), lambda: list(nn.Linear(2, 2))],
    "whole_number": [
        lambda: T(4)[: 4 / 2],
        lambda: [1, 2].__getitem__(2 / 2),
        lambda: range(4 / 2),
        lambda: T(4).view(2, 4 / 2),
        lambda: torch.ones(4 / 2),
    ],
    "arguments_of_library": [lambda: leaf(3), lambda: changed_in_place(x=3), lambda: Unready()],
    "attribute": [lambda: T(2).nope],
    "attribute_nearly": [
        lambda: misspelt("'Tensor' object has no attribute 'summ'. Did you mean: 'sum'?"),
        lambda: misspelt("module 'torch' has no attribute 'expp'. Did you mean: 'exp'?"),
    ],
    "attribute_elsewhere": [
        lambda: T(2).astype(float),
        lambda: T(2).gelu(),
        lambda: nn.layernorm(2),
        lambda: nn.gelu(T(2)),
        lambda: torch.Linear(2, 2),
        lambda: torch.view(T(4), 2, 2),
    ],
    "init_returns": [lambda: type("Odd", (), {"__init__": lambda self: ValueError()})()],
    "attribute_of_library": [lambda: torch.keepdims],
    "unbound": [lambda: run("def f():\n    y = y + 1\nf()")],
    "undefined_name": [lambda: run("jnp")],
    "undefined_of_math": [lambda: run("-inf"), lambda: run("ceil(1.5)")],
    "no_self": [lambda: run("self.d_model")],
    "key": [lambda: {}["a"]],
    "recursion": [lambda: never(0)],
    "zero_division": [lambda: 1 / 0],
    "not_installed": [lambda: run("import jaxy")],
    "not_in_module": [lambda: run("from torch import nope")],
    "axis_twice": [lambda: T(2, 3).permute(0, 0)],
    # What torch's functions and modules refuse to be given.
    "list_for_tensor": [lambda: T(2, 3).__setitem__((slice(None), 0), [1, 2])],
    "not_a_tensor_among": [lambda: torch.cat([T(2), 3])],
    "sizes_in_brackets": [lambda: F.layer_norm(T(2, 3), 3), lambda: torch.full(2, 1.0)],
    "argument_of_kind": [
        lambda: T(2).argmax(T(2)),
        lambda: torch.arange(T(2, 2)),
        lambda: nn.Linear((2, 2), 3),
        lambda: torch.ones([T(2), 2]),
    ],
    "probability": [
        lambda: F.dropout(T(2), 5),
        lambda: nn.Dropout(-1),
        lambda: torch.bernoulli(T(2).abs() + 3),
    ],
    "step_backwards": [lambda: T(3)[::-1]],
    "arange_ends": [lambda: torch.arange(3, 0), lambda: torch.arange(0, 3, 0)],
    "masked_fill_value": [lambda: T(2).masked_fill(torch.ones(2).bool(), T(2))],
    "multinomial_draws": [lambda: torch.multinomial(torch.ones(2), 3)],
    "nothing_to_join": [lambda: torch.cat([]), lambda: torch.stack([])],
    "vectors_only": [
        lambda: torch.outer(T(2, 2), T(2, 2)),
        lambda: T(2).index_select(0, IDS[None]),
    ],
    "ragged": [lambda: torch.tensor([[1], [1, 2]]), lambda: np.array([[1], [1, 2]])],
    "makes_no_tensor": [lambda: torch.tensor([{}])],
    "einsum": [
        lambda: torch.einsum("ij,jk", T(2), T(2)),
        lambda: torch.einsum("i->k", T(2)),
        lambda: torch.einsum("i", T(2), T(2)),
    ],
    "fans": [lambda: nn.init.xavier_uniform_(torch.ones(2))],
    "modules_called": [lambda: nn.ModuleList([])(T(2))],
    "no_forward": [lambda: nn.Module()(T(2))],
    "modules_listed": [
        lambda: nn.ModuleList(nn.Linear(2, 2)),
        lambda: nn.ModuleList([nn.Linear]),
        lambda: nn.Sequential([nn.ReLU()]),
    ],
    "place_of_module": [lambda: setattr(nn.Sequential(nn.ReLU()), "0", F.relu)],
    "taken_name": [lambda: nn.Sequential(nn.ReLU()).register_buffer("0", T(2))],
    "optimizer_of_nothing": [lambda: torch.optim.SGD([], 1)],
    "optimizer_of_model": [lambda: torch.optim.SGD(T(2, 2), 1)],
    "not_a_state": [lambda: nn.ReLU().load_state_dict(3)],
    "combination_of_nothing": [lambda: T(2).view(), lambda: torch.randn()],
    "combination": [lambda: torch.pow(2, 3), lambda: T(2).masked_fill(MASK)],
    # What does not go together in Python.
    "number_in_slice": [lambda: T(3)[: T(3)], lambda: range(T(1))],
    "length_of_number": [lambda: len(torch.tensor(3)), lambda: len(3), lambda: list(T(1)[0])],
    "generator": [lambda: len(n for n in "ab"), lambda: nn.ReLU().parameters()[0]],
    "no_iterator": [lambda: next([1])],
    "one_for_several": [lambda: run("a, b = 3")],
    "bytes_and_text": [lambda: b"a" + "a", lambda: "a" + b"a", lambda: bytes("a")],
    "texts_joined": [lambda: "".join([1])],
    "no_letter": [lambda: ord("ab")],
    "no_byte": [lambda: bytes([256])],
    "no_whole_text": [lambda: b"\xff".decode()],
    "sizes_joined": [lambda: run("T(2).shape + [1]")],
    "joined_kinds": [lambda: [1] + 1, lambda: "a" + 1],
    "lists_reckoned": [lambda: [1] / 2, lambda: -[1], lambda: [1] > 1],
    "text_reckoned": [
        lambda: 2 * T(1) + "a",
        lambda: -"a",
        lambda: max("a", 1),
        lambda: range("a"),
    ],
    "no_number": [lambda: int("a"), lambda: float("a")],
    "text_index": [lambda: run("it = [1]; it['a']"), lambda: run("it = 'ab'; it['a']")],
    "unhashable": [lambda: {[1]: 2}, lambda: {[1]}],
    "fixed": [lambda: run("(1, 2)[0] = 3")],
    "nothing_in_it": [lambda: max([]), lambda: [].pop()],
    "nothing_left": [lambda: next(iter([]))],
    "not_in_list": [lambda: [1].index(2), lambda: [1].remove(2)],
    "out_of_range": [lambda: math.log(0), lambda: math.exp(1000), lambda: math.sqrt(-1)],
    "format": [lambda: f"{T(2):.2f}", lambda: f"{[1]:.2f}"],
    "of_class": [lambda: list.append(1), lambda: dict.keys()],
    "attribute_of_class": [lambda: int.shape],
    "not_raisable": [lambda: run("raise 'a'")],
    "base_takes_nothing": [lambda: Unheld(3)],
    "super_outside": [lambda: run("def f():\n    super().f()\nf()")],
    "no_file": [lambda: run("open('no such file')")],
}


def raised_by(code):
    with pytest.raises(Exception) as caught:
        code()
    return Raised(type(caught.value).__name__, " ".join(str(caught.value).split())[:1000])


@pytest.mark.parametrize(
    ("kind", "code"),
    [(kind, code) for kind, codes in PROVOKED.items() for code in codes],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_is_known_by_its_message(kind, code):
    """Its kind is told, in words, whatever the message lacks."""
    raised = raised_by(code)
    found = recognised(raised, NOWHERE)

    assert found is not None, raised
    assert found[0] == kind, raised
    facts = {"module": "page", "said": f"{raised.type_name}: {raised.message}"}
    assert told(Cause(kind, facts | found[1])).rationale


@pytest.mark.parametrize(
    "raised",
    [
        Raised("ValueError", "p is a probability, not 3"),
        Raised("RuntimeError", "p is a probability, not 3"),
        Raised("TypeError", "activation must be relu or gelu"),
        Raised("AssertionError", "the mask has two axes"),
        Raised("LookupError", ""),
    ],
    ids=str,
)
def test_what_is_not_in_the_table_is_left_as_it_is(raised):
    """Somebody's own words need no other ones."""
    assert recognised(raised, NOWHERE) is None
