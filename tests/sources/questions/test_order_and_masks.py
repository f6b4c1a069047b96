"""What the questions say of order, masks, windows and residuals, tried on small networks."""

from __future__ import annotations

import math

import pytest
import torch

SEEDS = range(1, 31)


class TestOrderAndMasks:
    """Shuffled words, replaced words, and what the mask does."""

    @pytest.mark.parametrize("positions", [False, True])
    @pytest.mark.parametrize("causal", [False, True])
    def test_order(self, page, positions, causal, attention):
        words = 0.3 * torch.randn(6, 8, dtype=torch.float64)
        words[4] = words[1]
        places = 0.3 * torch.randn(6, 8, dtype=torch.float64) * positions

        def layer(words):
            x = words + places
            return attention(x, causal) @ x

        out, order = layer(words), torch.tensor([3, 0, 4, 1, 2, 5])
        others = torch.cat([words[:1], torch.randn(5, 8, dtype=torch.float64)])
        keys = words + places
        found = {
            "A": torch.allclose(layer(words[order]), out[order]),
            "C": torch.allclose(layer(words[order])[-1], out[-1]),
            "D": torch.allclose(layer(others)[0], out[0]),
            "E": torch.equal(keys[1], keys[4]),
        }
        answer = page.order_statements(positions, causal)

        assert {letter: letter in answer for letter in "ACDE"} == found
        assert "B" not in answer

    def test_masks(self, page, cases_of, attention):
        for seed in SEEDS:
            for tokens, position in cases_of("mask_statements", seed):
                weights = attention(torch.zeros(tokens, 1), causal=True)
                answer = page.mask_statements(tokens, position)

                assert ("A" in answer) is bool((weights[position] == 0).sum() > tokens / 2)
                assert ("B" in answer) is bool(weights[position, position] > 0.1 + 1e-6)
                assert ("E" in answer) is bool((weights[-1] > 0).all())

    def test_zeros_after_the_softmax_are_not_the_same(self, attention):
        x = torch.randn(5, 3)

        assert not torch.allclose(attention(x).tril(), attention(x, causal=True))


class TestByHand:
    """The network that continues aabaab..., and its head."""

    def test_window(self, page, cases_of):
        for seed in SEEDS:
            for position, window, score in cases_of("window_statements", seed):
                places = torch.arange(8)
                back = places[:, None] - places
                windows = ((back >= 0) & (back < window)).double()
                scores = score * windows[position]
                own = windows[position].bool()
                tied = (score * windows @ windows.T)[position].softmax(0)
                weights = scores.softmax(0)
                answer = page.window_statements(position, window, score)

                assert ("A" in answer) is bool(torch.allclose(tied[own], tied[position]))
                assert tied.argmax() == position or tied[position] == tied.max()
                assert ("B" in answer) is ((scores == scores.max()).sum().item() == window)
                assert ("C" in answer) is bool(weights[~own].sum() < 0.01)
                assert ("D" in answer) is bool((scores[position + 1 :] == scores.max()).any())
                assert ("E" in answer) is bool(
                    torch.allclose((2 * scores).softmax(0)[own], (2 * scores).softmax(0)[position])
                )

    @staticmethod
    def logits(text, scale, *, masked=True, residual=True):
        """Width 8: five places, two tokens (a and b), one value that is 1 for a and -1 for b."""
        tokens = torch.tensor([" ab".index(c) - 1 for c in text])
        n = len(tokens)
        x = torch.cat([torch.eye(5)[:n], torch.eye(2)[tokens], torch.zeros(n, 1)], 1).double()
        places = torch.eye(5, dtype=torch.float64)
        query = 1024 * x[:, :5] @ (places + places.roll(-1, 1).tril())
        value = x[:, 5] - x[:, 6]
        scores = query @ x[:, :5].T / math.sqrt(8)
        if masked:
            scores = scores.masked_fill(~torch.ones(n, n).tril().bool(), -torch.inf)
        seen = scores.softmax(-1) @ value
        branch = scale * torch.stack([1 - seen, seen], 1)
        return x[:, 5:7] * residual + branch

    def right_answers(self, scale, **options):
        text, right = "aab" * 10, 0
        for end in range(2, 29):
            context = text[max(0, end - 5) : end]
            answer = self.logits(context, scale, **options)[-1].argmax().item()
            right += "ab"[answer] == text[end]
        return right

    def test_the_printed_logits(self):
        """Those for "aabaa", and for "bb", which never comes up."""
        printed = [[1, 1024], [1, 1024], [1024, 1], [1025, 0], [1, 1024]]

        assert self.logits("aabaa", 1024.0).tolist() == printed
        assert self.logits("bb", 1024.0)[-1].tolist() == [2048, -1023]

    def test_two_is_enough_and_one_is_not(self):
        """1 gets 18 of 27: after "aa" it is a draw, which a wins."""
        assert [self.right_answers(scale) for scale in (1.0, 2.0, 1024.0)] == [18, 27, 27]

    def test_the_mask_is_not_needed(self):
        assert self.right_answers(1024.0, masked=False) == 27

    def test_residual(self, page, cases_of):
        for seed in SEEDS:
            for (scale,) in cases_of("residual_statements", seed):
                found = {t: self.logits(t, scale)[-1] for t in ("aa", "ab", "ba")}
                answer = page.residual_statements(scale)

                assert ("A" in answer) is (found["ba"].argmax().item() == 0)
                assert ("B" in answer) is (found["aa"].argmax().item() == 1)
                assert ("D" in answer) is (self.right_answers(scale, residual=False) == 27)
                assert ("E" in answer) is (found["ab"].softmax(0)[0].item() > 0.99)
