"""What the book prints of projections and masks, and what torch does, come out of our solutions.

Weights are drawn with the seeds of the book, in its order.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.page import load_by_path

SOLUTIONS = Path(__file__).parents[2] / "solutions"
NAMES = ("W_query", "W_key", "W_value")


@pytest.fixture(scope="module")
def page():
    return load_by_path(SOLUTIONS / "projections_by_hand.py")


@pytest.fixture(scope="module")
def before():
    return load_by_path(SOLUTIONS / "before_attention.py")


@pytest.fixture(scope="module")
def drawn():
    """The matrices of section 3.4.1: query, key, value, after the seed 123."""
    generator = torch.Generator().manual_seed(123)
    return [torch.rand(3, 2, generator=generator) for _ in NAMES]


@pytest.fixture(scope="module")
def linears():
    """The weights of the three linear layers of section 3.4.2, after the seed 789."""
    generator, bound = torch.Generator().manual_seed(789), 1 / math.sqrt(3)
    empty = {f"{name}.weight": torch.empty(2, 3) for name in NAMES}
    return {
        name: weight.uniform_(-bound, bound, generator=generator) for name, weight in empty.items()
    }


def printed(tensor):
    """As the book prints it, with four decimals."""
    return [[round(number, 4) for number in row] for row in tensor.tolist()]


class TestProjections:
    """Section 3.4.1 and the output of section 3.4.2."""

    def test_matrices_of_the_page_are_those_that_are_drawn(self, page, drawn, linears):
        """To the six decimals that the page holds."""
        given = [page.W_QUERY, page.W_KEY, page.W_VALUE]

        assert torch.allclose(torch.stack(given), torch.stack(drawn), rtol=0, atol=6e-7)
        for name, weight in page.LINEARS.items():
            assert torch.allclose(weight, linears[name], rtol=0, atol=6e-7)

    def test_the_second_word(self, page, drawn):
        """Its query, its score with itself, its scores, its weights and its context."""
        x, (w_query, w_key, w_value) = page.JOURNEY, drawn
        scores = page.attention_scores(x, w_query, w_key)

        assert printed(page.projection(x, w_query)[1:2]) == [[0.4306, 1.4551]]
        assert page.projection(x, w_key).shape == page.projection(x, w_value).shape == (6, 2)
        assert round(scores[1, 1].item(), 4) == 1.8524
        assert printed(scores[1:2]) == [[1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440]]
        assert printed(page.attention_weights(x, w_query, w_key)[1:2]) == [
            [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820]
        ]
        assert printed(page.context_vectors(x, *drawn)[1:2]) == [[0.3061, 0.8210]]

    def test_contexts_of_all_words(self, page, drawn):
        assert printed(page.context_vectors(page.JOURNEY, *drawn)) == [
            [0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040],
        ]


class TestExercises:
    """Exercises 3.1 and 3.2 of the book."""

    def test_weights_of_linear_layers_give_the_same_as_matrices(self, page, linears):
        """Exercise 3.1: transposed, they give the output of the class with linear layers."""
        found = page.context_vectors(page.JOURNEY, *page.matrices_of_linears(linears).values())
        q, k, v = (F.linear(page.JOURNEY, linears[f"{name}.weight"]) for name in NAMES)
        expected = torch.softmax(q @ k.T / 2**0.5, dim=-1) @ v

        assert torch.allclose(found, expected)
        assert printed(found)[0] == [-0.0739, 0.0713]
        assert printed(found)[-1] == [-0.0754, 0.0693]

    def test_two_heads_that_are_one_wide_give_two_numbers(self, page, drawn):
        """Exercise 3.2: d_out must be 1."""
        width = page.head_width(2, num_heads=2)
        heads = [tuple(w[:, i : i + width] for w in drawn) for i in range(2)]

        assert width == 1
        assert page.heads_side_by_side(page.JOURNEY, heads).shape == (6, 2)


class TestMask:
    """The five matrices of section 3.5.1, and what the softmax of the last one is."""

    @pytest.fixture
    def w(self, page, linears):
        """The matrices of queries and keys."""
        matrices = page.matrices_of_linears(linears)
        return matrices["W_query"], matrices["W_key"]

    def test_weights(self, page, w):
        assert printed(page.attention_weights(page.JOURNEY, *w)) == [
            [0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
            [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
            [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
            [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
            [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
            [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529],
        ]

    def test_masked_and_renormalized(self, page, w):
        """Ones below the diagonal, the product with them, and rows divided by their sums."""
        weights = page.attention_weights(page.JOURNEY, *w)
        masked = weights * torch.tril(torch.ones(6, 6))
        renormalized = page.renormalized_past(weights)

        assert printed(masked)[1] == [0.2041, 0.1659, 0, 0, 0, 0]
        assert printed(masked.sum(dim=-1)[None]) == [
            [0.1921, 0.3700, 0.5357, 0.6775, 0.8415, 1.0000]
        ]
        assert printed(renormalized) == [
            [1.0000, 0, 0, 0, 0, 0],
            [0.5517, 0.4483, 0, 0, 0, 0],
            [0.3800, 0.3097, 0.3103, 0, 0, 0],
            [0.2758, 0.2460, 0.2462, 0.2319, 0, 0],
            [0.2175, 0.1983, 0.1984, 0.1888, 0.1971, 0],
            [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529],
        ]

    def test_minus_infinity_gives_the_same(self, page, w):
        """Its scores as printed, and both ways agree."""
        scores, none = page.attention_scores(page.JOURNEY, *w), -math.inf
        hidden = page.hide_future(scores)

        assert printed(hidden) == [
            [0.2899, none, none, none, none, none],
            [0.4656, 0.1723, none, none, none, none],
            [0.4594, 0.1703, 0.1731, none, none, none],
            [0.2642, 0.1024, 0.1036, 0.0186, none, none],
            [0.2183, 0.0874, 0.0882, 0.0177, 0.0786, none],
            [0.3408, 0.1270, 0.1290, 0.0198, 0.1290, 0.0078],
        ]
        weights = page.attention_weights(page.JOURNEY, *w)
        assert torch.allclose(
            torch.softmax(hidden / 2**0.5, dim=-1), page.renormalized_past(weights)
        )

    def test_the_first_way_fails_where_the_future_had_all(self, page):
        """0 / 0 where later tokens' scores are 200 higher; the second way never looks at them."""
        scores = torch.tensor([[0.0, 200.0], [0.0, 0.0]])

        assert page.renormalized_past(torch.softmax(scores, -1))[0].isnan().all()
        assert torch.softmax(page.hide_future(scores), -1).tolist() == [[1, 0], [0.5, 0.5]]


class TestBeforeAttention:
    """torch's own recurrent network and convolution, and numbers that the page's text names."""

    def test_states_are_those_of_torch(self, before):
        """nn.RNN keeps its matrices transposed and has biases; here there are none."""
        x, w_in, w_state = torch.randn(7, 3), torch.randn(3, 4), torch.randn(4, 4)
        network = nn.RNN(3, 4, bias=False)
        network.load_state_dict({"weight_ih_l0": w_in.T, "weight_hh_l0": w_state.T})

        expected, _ = network(x)

        assert torch.allclose(before.recurrent_states(x, w_in, w_state), expected, atol=1e-6)

    def test_a_convolution_is_torchs_with_the_kernel_turned_round(self, before):
        x, kernel = torch.randn(6, 3), torch.randn(4, 3, 2)
        padded = F.pad(x.T, (3, 0))

        expected = F.conv1d(padded, kernel.flip(0).permute(2, 1, 0)).T

        assert torch.allclose(before.causal_convolution(x, kernel), expected, atol=1e-6)

    def test_what_a_stack_of_convolutions_sees(self, before):
        """As many tokens as have a gradient; and the longest path is the layers it takes."""
        for kernel_size, layers in ((2, 3), (3, 2), (4, 4)):
            x = torch.randn(20, 1, requires_grad=True)
            y = x
            for _ in range(layers):
                y = before.causal_convolution(y, torch.ones(kernel_size, 1, 1))
            (found,) = torch.autograd.grad(y[-1, 0], x)
            field = before.receptive_field(kernel_size, layers)

            assert int((found != 0).sum()) == field
            assert before.longest_path("convolution", field, kernel_size) == layers

    def test_after_twenty_tokens_a_millionth_is_left(self, before):
        """Of the state, if each step keeps a half; and 44 steps leave less than 1 % of 0.9."""
        assert pytest.approx(1e-6, rel=0.1) == 0.5**20
        assert before.steps_to_forget(0.9, 0.01) == 44
        assert 0.9**44 < 0.01 <= 0.9**43

    def test_a_lookup_finds_what_the_state_has_forgotten(self, before):
        """With a thousand tokens in between as well, given a larger query."""
        x = torch.zeros(1001, 1)
        x[0] = 1.0
        states = before.recurrent_states(x, torch.ones(1, 1), torch.tensor([[0.5]]))
        keys = torch.eye(1001)

        assert states[-1].abs() < 1e-12
        assert before.soft_lookup(15 * keys[0], keys, states) == pytest.approx(0.7616, abs=1e-3)
