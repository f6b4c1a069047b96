"""The numbers of the hand-made transformer come out of our solution."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from grader.programs.page import load_by_path

PAGE = load_by_path(Path(__file__).parents[2] / "solutions" / "hand_weights.py")


@pytest.fixture
def weights():
    return PAGE.aab_weights()


def predicted(weights, text):
    logits, _ = PAGE.forward(weights, PAGE.tokens_of(text))
    return PAGE.LETTERS[int(logits[-1].argmax())]


def accuracy(weights):
    """The published test: a long text, each letter from the third but the last, from five before;
    a tie counts for the first letter.
    """
    text = "aab" * 10
    asked = range(2, len(text) - 1)
    return sum(predicted(weights, text[max(0, i - 5) : i]) == text[i] for i in asked), len(asked)


class TestPublishedNumbers:
    def test_a_score_before_the_softmax(self, weights):
        query, key, _ = np.split(weights["layers.0.c_attn"], 3, axis=1)
        x = weights["wte"][0] + weights["wpe"][2]
        earlier = weights["wte"][0] + weights["wpe"][1]

        assert (x @ query) @ (earlier @ key) / math.sqrt(8) == pytest.approx(362.04, abs=5e-3)

    def test_attention_halves_between_the_last_two(self, weights):
        _, attention = PAGE.forward(weights, PAGE.tokens_of("aabaa"))

        assert np.allclose(attention[0][:3, :3], [[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]])

    def test_what_the_values_add_up_to(self, weights):
        tokens = PAGE.tokens_of("aabaa")
        _, attention = PAGE.forward(weights, tokens)
        x = weights["wte"][tokens] + weights["wpe"]
        values = np.split(x @ weights["layers.0.c_attn"], 3, axis=1)[2]

        assert np.allclose((attention[0] @ values)[:, 7], [1, 1, 0, 0, 1])

    def test_logits(self, weights):
        logits, _ = PAGE.forward(weights, PAGE.tokens_of("aabaa"))
        printed = [[1, 1024], [1, 1024], [1024, 1], [1025, 0], [1, 1024]]

        assert np.allclose(logits, printed)
        assert [PAGE.LETTERS[i] for i in logits.argmax(-1)] == list("bbaab")

    def test_all_27_letters_are_right(self, weights):
        assert accuracy(weights) == (27, 27)

    def test_two_letters_that_never_come_together(self, weights):
        logits, _ = PAGE.forward(weights, PAGE.tokens_of("bb"))

        assert np.allclose(logits[-1], [2048, -1023])


class TestScales:
    @pytest.mark.parametrize("scale", [1, 2, 4, 16, 64, 256, 1024])
    def test_queries_may_be_small(self, weights, scale):
        query = weights["layers.0.c_attn"][:, :8]
        query *= scale / query.max()

        assert accuracy(weights) == (27, 27)
        assert predicted(weights, "baa") == ("a" if scale == 1 else "b")  # which nobody had asked

    @pytest.mark.parametrize(("scale", "right"), [(1, 18), (2, 27), (1024, 27)])
    def test_what_is_written_must_drown_the_last_letter(self, weights, scale, right):
        for name in ("layers.0.c_proj", "layers.0.c_proj_bias"):
            weights[name] *= scale / 1024

        assert accuracy(weights) == (right, 27)


class TestWithoutTheMask:
    """Whoever asks for two places only leaves nothing for the others, masked or not."""

    def test_the_mask_changes_nothing(self, weights):
        for text in ("aabaa", "abaab", "baaba"):
            x = weights["wte"][PAGE.tokens_of(text)] + weights["wpe"]
            query, key, value = np.split(x @ weights["layers.0.c_attn"], 3, axis=1)
            scores = query @ key.T / math.sqrt(8)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            written = shares @ value @ weights["layers.0.c_proj"] + weights["layers.0.c_proj_bias"]
            masked, _ = PAGE.forward(weights, PAGE.tokens_of(text))

            assert np.triu(shares, 1).max() <= math.exp(-362)
            assert np.allclose((x + written) @ weights["wte"].T, masked)


class TestOurOwn:
    @pytest.mark.parametrize("pattern", ["ab", "aaab", "abc", "dcba", "aabbcd"])
    def test_a_pattern_goes_on_for_ever(self, pattern):
        weights = PAGE.periodic_weights(pattern)

        assert PAGE.complete(weights, pattern, 20) == (pattern * 20)[: len(pattern) + 20]

    def test_an_induction_head_repeats_what_it_has_read_once(self):
        """cab d cab: it finds its way back into the text and goes on with it."""
        assert PAGE.complete(PAGE.induction_head(), "cabdc", 3) == "cabdcabd"
