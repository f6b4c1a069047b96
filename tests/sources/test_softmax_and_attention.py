"""Numbers printed in the texts the exercises come from: they come out of the references.

Weights are drawn with the seeds of those texts, in their order, and loaded.
"""

from __future__ import annotations

import math

import pytest
import torch

from grader.course.course import find_course
from grader.programs.page import load_by_path

COURSE = find_course()

SENTENCE = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
THREE_TOKENS = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])


def page(name):
    return load_by_path(COURSE.solution(name))


def close(actual, expected, digits=4):
    expected = torch.as_tensor(expected)
    return torch.allclose(actual.detach().float(), expected, rtol=0, atol=0.6 * 10**-digits)


class TestAttentionByHand:
    def test_three_tokens(self):
        """Scores, scaled weights and averages of the two-dimensional example."""
        hand = page("attention_by_hand")
        weights = hand.attention_weights(THREE_TOKENS, scale=1 / math.sqrt(2))
        answers = torch.stack([hand.dictionary_lookup(row, THREE_TOKENS) for row in weights])

        assert close(hand.attention_scores(THREE_TOKENS)[0], [1.0, 0.5, 0.0])
        assert close(weights[0], [0.45552749, 0.31986617, 0.22460634], 7)
        assert close(answers[0], [0.61546057, 0.38453943], 7)
        assert close(answers[2], [0.38453943, 0.61546057], 7)

    def test_a_sentence_of_six(self):
        """Scores, plain-sum and softmax weights, and the context of its second token."""
        hand = page("attention_by_hand")
        scores = hand.attention_scores(SENTENCE)[1]

        assert close(scores, [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
        assert close(
            hand.normalize_by_sum(scores), [0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656]
        )
        assert close(
            hand.attention_weights(SENTENCE)[1], [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]
        )
        assert close(hand.context_vectors(SENTENCE)[1], [0.4419, 0.6515, 0.5683])

    def test_only_two_tokens_attend_most_to_themselves(self):
        """Whatever intuition says: the largest weight of a row need not be its own."""
        weights = page("attention_by_hand").attention_weights(SENTENCE)

        assert weights.argmax(-1).tolist() == [0, 1, 1, 1, 2, 1]

    def test_a_dictionary_that_answers_in_shares(self):
        """0.6 of ten and 0.4 of five make eight."""
        answer = page("attention_by_hand").dictionary_lookup(
            torch.tensor([0.6, 0.4, 0.0]), torch.tensor([10.0, 5.0, 2.0])
        )

        assert close(answer, 8.0)


class TestSelfAttention:
    def test_bare_matrices(self):
        """Three matrices drawn with seed 123 in the order query, key, value."""
        generator = torch.Generator().manual_seed(123)
        layer = page("self_attention").SelfAttention_v1(3, 2)
        for weight in (layer.W_query, layer.W_key, layer.W_value):
            weight.data = torch.rand(3, 2, generator=generator)
        expected = [
            [0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040],
        ]

        assert close(layer(SENTENCE), expected)

    @pytest.mark.parametrize(
        ("name", "seed", "first", "last"),
        [
            ("SelfAttention_v2", 789, [-0.0739, 0.0713], [-0.0754, 0.0693]),
            ("CausalAttention", 123, [-0.4519, 0.2216], [-0.5299, -0.1081]),
        ],
    )
    def test_linear_layers(self, name, seed, first, last):
        """Linear layers drawn in the order query, key, value."""
        generator = torch.Generator().manual_seed(seed)
        extra = (6, 0.0) if name == "CausalAttention" else ()
        layer = getattr(page("self_attention"), name)(3, 2, *extra).eval()
        bound = 1 / math.sqrt(3)
        for linear in (layer.W_query, layer.W_key, layer.W_value):
            linear.weight.data.uniform_(-bound, bound, generator=generator)
        rows = layer(SENTENCE[None])[0]

        assert close(rows[0], first)
        assert close(rows[-1], last)


class TestScaling:
    @pytest.mark.parametrize(("width", "spread"), [(16, 4.0), (64, 8.0), (512, 22.6)])
    def test_scores_spread_with_the_root_of_the_width(self, width, spread):
        """The dot product of two normal vectors has the standard deviation sqrt(d)."""
        generator = torch.Generator().manual_seed(0)
        q, k = (torch.randn(20_000, width, generator=generator) for _ in range(2))

        assert abs((q * k).sum(-1).std().item() - spread) < 0.05 * spread


class TestFeedForward:
    def test_the_two_gelus_differ_by_little(self):
        """The tanh form is off by at most 4.7e-4."""
        feed_forward = page("feed_forward")
        x = torch.linspace(-6, 6, 20_001, dtype=torch.float64)
        off = (feed_forward.gelu(x) - feed_forward.gelu(x, approximate="tanh")).abs().max().item()

        assert abs(off - 4.7e-4) < 0.1e-4


class TestPositions:
    def test_the_first_row_is_zero_one_zero_one(self):
        """At position 0 every sine is 0 and every cosine is 1."""
        table = page("positional_encoding").sinusoidal_encoding(10, 6)

        assert close(table[0], [0.0, 1.0, 0.0, 1.0, 0.0, 1.0], 6)

    def test_the_example_of_width_four(self):
        """sin and cos of p and of p / 100, interleaved."""
        table = page("positional_encoding").sinusoidal_encoding(3, 4)

        assert close(table[1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)], 6)

    def test_a_shift_is_a_matrix(self):
        """One matrix carries every position k places on."""
        positions = page("positional_encoding")
        table = positions.sinusoidal_encoding(60, 8)
        shift = positions.pe_shift_matrix(7, 8).to(table.dtype)

        assert close(table[:50] @ shift.T, table[7:57])
