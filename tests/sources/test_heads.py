"""The numbers that the sources print about heads come out of our solutions."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from grader.programs.page import load_by_path

SOLUTIONS = Path(__file__).parents[2] / "solutions"


@pytest.fixture(scope="module")
def heads():
    return load_by_path(SOLUTIONS / "heads.py")


@pytest.fixture(scope="module")
def page():
    return load_by_path(SOLUTIONS / "multi_head_attention.py")


@pytest.fixture
def inputs():
    """The book's sentence "Your journey starts with one step", three numbers a word."""
    words = [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
    return torch.tensor(words).expand(2, 6, 3)


def printed(tensor):
    """As the book prints it, with four decimals."""
    return [[round(number, 4) for number in row] for row in tensor.tolist()]


class TestHeads:
    """Exercise ``heads``."""

    def test_scores_of_two_heads_as_the_book_prints_them(self, heads):
        """a @ a.mT for the tensor of shape (1, 2, 3, 4)."""
        first = [
            [0.2745, 0.6584, 0.2775, 0.8573],
            [0.8993, 0.0390, 0.9268, 0.7388],
            [0.7179, 0.7058, 0.9156, 0.4340],
        ]
        second = [
            [0.0772, 0.3565, 0.1479, 0.5331],
            [0.4066, 0.2318, 0.4545, 0.9737],
            [0.4606, 0.5159, 0.4220, 0.5786],
        ]

        scores = heads.head_scores(torch.tensor([[first, second]]))

        assert printed(scores[0, 0]) == [
            [1.3208, 1.1631, 1.2879],
            [1.1631, 2.2150, 1.8424],
            [1.2879, 1.8424, 2.0402],
        ]
        assert printed(scores[0, 1]) == [
            [0.4391, 0.7003, 0.5903],
            [0.7003, 1.3737, 1.0620],
            [0.5903, 1.0620, 0.9912],
        ]

    def test_merging_undoes_splitting(self, heads):
        x = torch.randn(2, 5, 12)

        assert torch.equal(x, heads.merge_heads(heads.split_heads(x, 3)))

    def test_view_fails_after_the_transpose_and_reshape_does_not(self):
        x = torch.randn(2, 5, 3, 4).transpose(1, 2).contiguous().transpose(1, 2)

        with pytest.raises(RuntimeError, match="view size is not compatible"):
            x.view(2, 5, 12)
        assert x.reshape(2, 5, 12).shape == (2, 5, 12)


class TestPrintedNumbers:
    """Section 3.6 of the book. Its weights follow from a seed and the order of construction."""

    def test_the_wrapper_prints_what_the_book_prints(self, page, inputs):
        torch.manual_seed(123)
        wrapper = page.MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)

        out = wrapper(inputs)

        assert printed(out[0]) == [
            [-0.4519, 0.2216, 0.4772, 0.1063],
            [-0.5874, 0.0058, 0.5891, 0.3257],
            [-0.6300, -0.0632, 0.6202, 0.3860],
            [-0.5675, -0.0843, 0.5478, 0.3589],
            [-0.5526, -0.0981, 0.5321, 0.3428],
            [-0.5299, -0.1081, 0.5077, 0.3493],
        ]
        assert torch.equal(out[0], out[1])

    def test_two_columns_of_one_number_each(self, page, inputs):
        """Exercise 3.2: for two columns with two heads, a head is one number wide."""
        wrapper = page.MultiHeadAttentionWrapper(3, 1, 6, 0.0, num_heads=2)

        assert wrapper(inputs).shape == (2, 6, 2)

    def test_split_heads_print_what_the_book_prints(self, page, inputs):
        torch.manual_seed(123)
        w_q, w_k, w_v = (nn.Linear(3, 2, bias=False).weight for _ in range(3))
        out_proj = nn.Linear(2, 2)

        out = page.multi_head_attention(
            inputs, inputs, inputs, w_q, w_k, w_v, out_proj.weight, 2, b_o=out_proj.bias,
            is_causal=True,
        )  # fmt: skip

        assert printed(out[0]) == [
            [0.3190, 0.4858],
            [0.2943, 0.3897],
            [0.2856, 0.3593],
            [0.2693, 0.3873],
            [0.2639, 0.3928],
            [0.2575, 0.4028],
        ]

    def test_the_class_from_three_to_two_columns_prints_the_same(self, page, inputs):
        """The book's MultiHeadAttention(3, 2, 6, 0.0, num_heads=2), with its seed's weights."""
        layer = page.MultiHeadAttention(3, 2, bias=False, d_inner=2, d_out=2, out_bias=True)
        torch.manual_seed(123)
        books = [nn.Linear(3, 2, bias=False) for _ in range(3)] + [nn.Linear(2, 2)]
        for ours, theirs in zip((layer.w_q, layer.w_k, layer.w_v, layer.w_o), books, strict=True):
            ours.load_state_dict(theirs.state_dict())

        out = layer(inputs, is_causal=True)

        assert printed(out[0])[0] == [0.3190, 0.4858]
        assert printed(out[0])[-1] == [0.2575, 0.4028]


class TestCounts:
    """Numbers of parameters, on the meta device: nothing is allocated."""

    def test_gpt2_small_has_2_360_064_parameters_a_layer(self, page):
        """Exercise 3.3, width 768 and 12 heads: no biases but the last, 4 * 768^2 + 768."""
        with torch.device("meta"):
            layer = page.MultiHeadAttention(768, 12, bias=False, out_bias=True)

        assert sum(p.numel() for p in layer.parameters()) == 2_360_064

    def test_a_layer_of_a_lecture_is_twice_as_wide_inside(self, page):
        """Width 1024, 4 heads that share 2048: 8,395,776 parameters, and the shapes it prints."""
        with torch.device("meta"):
            layer, x = page.MultiHeadAttention(1024, 4, d_inner=2048), torch.ones(16, 20, 1024)
        out, weights = layer(x, need_weights=True)

        assert sum(p.numel() for p in layer.parameters()) == 8_395_776
        assert (out.shape, weights.shape) == ((16, 20, 1024), (16, 4, 20, 20))

    @pytest.mark.parametrize("num_heads", [1, 8, 64])
    def test_the_number_of_parameters_does_not_depend_on_the_heads(self, page, num_heads):
        with torch.device("meta"):
            layer = page.MultiHeadAttention(512, num_heads)

        assert sum(p.numel() for p in layer.parameters()) == 4 * 512**2 + 4 * 512


class TestAgreement:
    """Three ways to the same heads, in float64."""

    @pytest.mark.parametrize("mask", [None, "lengths", "pairs", "heads"])
    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize(("kdim", "vdim"), [(12, 12), (7, 10)])
    def test_torch_with_the_same_weights(self, page, mask, bias, kdim, vdim):
        ours = page.MultiHeadAttention(12, 3, bias=bias, kdim=kdim, vdim=vdim).double()
        theirs = nn.MultiheadAttention(
            12, 3, bias=bias, kdim=kdim, vdim=vdim, batch_first=True, dtype=torch.float64
        )
        copy_weights(ours, theirs)
        query, key, value = (
            torch.randn(2, length, width, dtype=torch.float64)
            for length, width in ((5, 12), (6, kdim), (6, vdim))
        )
        allowed = {
            None: None,
            "lengths": torch.tensor([6, 4])[:, None, None, None] > torch.arange(6),
            "pairs": torch.rand(5, 6) < 0.7,
            "heads": torch.rand(2, 3, 5, 6) < 0.7,
        }[mask]
        if allowed is not None:
            allowed[..., 0] = True
            forbidden = ~allowed.expand(2, 3, 5, 6).flatten(0, 1)

        expected, weights = theirs(
            query, key, value,
            attn_mask=None if allowed is None else forbidden,
            average_attn_weights=False,
        )  # fmt: skip

        out, ours_weights = ours(query, key, value, allowed, need_weights=True)
        torch.testing.assert_close(out, expected)
        torch.testing.assert_close(ours_weights, weights)

    def test_the_wrapper_with_stacked_weights(self, page):
        """Without an output projection, one function call does what the wrapper's heads do."""
        wrapper = page.MultiHeadAttentionWrapper(7, 4, 5, 0.0, num_heads=3).double()
        x = torch.randn(2, 5, 7, dtype=torch.float64)
        stacked = [
            torch.cat([getattr(head, name).weight for head in wrapper.heads])
            for name in ("W_query", "W_key", "W_value")
        ]
        no_mixing = torch.eye(12, dtype=torch.float64)

        out = page.multi_head_attention(x, x, x, *stacked, no_mixing, 3, is_causal=True)

        torch.testing.assert_close(out, wrapper(x))

    def test_the_order_of_heads_does_not_matter(self, page):
        """Heads exchanged in all four matrices give the same result."""
        x = torch.randn(2, 5, 12, dtype=torch.float64)
        w_q, w_k, w_v, w_o = torch.randn(4, 12, 12, dtype=torch.float64)
        order = torch.arange(12).view(3, 4)[[2, 0, 1]].flatten()

        out = page.multi_head_attention(
            x, x, x, w_q[order], w_k[order], w_v[order], w_o[:, order], 3
        )

        torch.testing.assert_close(out, page.multi_head_attention(x, x, x, w_q, w_k, w_v, w_o, 3))

    def test_the_bias_of_the_keys_learns_nothing(self, page):
        """It adds the same number to all scores of a query, and softmax does not see that."""
        layer = page.MultiHeadAttention(12, 3).double()
        x = torch.randn(2, 5, 12, dtype=torch.float64)

        layer(x).backward(torch.randn(2, 5, 12, dtype=torch.float64))

        assert layer.w_k.bias.grad.abs().max() < 1e-14
        assert layer.w_q.bias.grad.abs().max() > 1e-4


def copy_weights(ours, theirs):
    """The weights of ``theirs``, an nn.MultiheadAttention, become those of ``ours``."""
    if theirs.in_proj_weight is not None:
        matrices = theirs.in_proj_weight.chunk(3)
    else:
        matrices = theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight
    state = {f"{name}.weight": w for name, w in zip(("w_q", "w_k", "w_v"), matrices, strict=True)}
    state["w_o.weight"] = theirs.out_proj.weight
    if theirs.in_proj_bias is not None:
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
        biases = (*theirs.in_proj_bias.chunk(3), theirs.out_proj.bias)
        names = ("w_q", "w_k", "w_v", "w_o")
        state |= {f"{name}.bias": b for name, b in zip(names, biases, strict=True)}
    ours.load_state_dict(state)
