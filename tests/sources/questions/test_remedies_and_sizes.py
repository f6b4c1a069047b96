"""What the questions say of prefixes, windows, positions and computation, counted and tried out."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

SEEDS = range(1, 11)


def band(tokens, window):
    """True where a token may attend: itself and the window - 1 before it."""
    return torch.ones(tokens, tokens, dtype=torch.bool).tril().triu(1 - window)


class TestMasks:
    """Masks that are built, and what gets through them."""

    @pytest.mark.parametrize(("given", "written"), [(1, 1), (1, 6), (3, 2), (9, 3), (10, 3)])
    def test_a_prefix(self, page, given, written):
        tokens = given + written
        mask = torch.ones(tokens, tokens, dtype=torch.bool).tril()
        mask[:given, :given] = True
        answer = page.prefix_statements(given, written)

        assert ("B" in answer) is bool(mask.double().mean() > 0.75)
        assert ("C" in answer) is bool(mask.sum() > mask.tril().sum())
        assert ("D" in answer) is bool(mask[0, -1])
        assert ("E" in answer) is bool(mask[:given, :given].all())

    @pytest.mark.parametrize(("tokens", "window", "layers"), [(9, 3, 4), (10, 3, 4), (40, 3, 2)])
    def test_a_window(self, page, tokens, window, layers):
        """Which tokens reach the last one through all layers, and how many scores there are."""
        mask, seen = band(tokens, window), torch.zeros(tokens, dtype=torch.bool)
        seen[-1] = True
        for _ in range(layers):
            seen = mask[seen].any(dim=0)
        answer = page.sliding_window_statements(tokens, window, layers)

        assert ("A" in answer) is bool(band(tokens + 1, window).sum() - mask.sum() == window)
        assert ("B" in answer) is bool(seen[0])
        assert ("D" in answer) is bool(mask.sum() < mask.new_ones(mask.shape).tril().sum() / 5)

    def test_older_keys_are_not_needed(self, page):
        """The last token's result without all that stands before its window; weights sum to 1."""
        q, k, v = torch.randn(3, 9, 4, dtype=torch.float64)
        whole = F.scaled_dot_product_attention(q[None], k[None], v[None], band(9, 3))[0, -1]
        recent = F.scaled_dot_product_attention(q[None, -1:], k[None, -3:], v[None, -3:])[0, -1]

        torch.testing.assert_close(whole, recent)
        assert not {"C", "E"} & set(page.sliding_window_statements(9, 3, 2))


class TestLoss:
    """Distributions of two tokens."""

    def test_divergences(self, page, cases_of):
        for seed in SEEDS:
            for right, model in cases_of("divergence_statements", seed):
                p, q = (torch.tensor([x, 1 - x], dtype=torch.float64) for x in (right, model))
                loss = F.cross_entropy(q.log(), p)
                more = F.cross_entropy((q + torch.tensor([1e-4, -1e-4])).log(), p)
                answer = page.divergence_statements(right, model)

                assert abs((q - p).sum()) < 1e-12
                assert "A" in answer
                assert ("B" in answer) is bool(loss > math.log(2))
                assert ("C" in answer) is bool(F.cross_entropy(p.log(), p) == 0)
                assert ("D" in answer) is bool(F.kl_div(q.log(), p, reduction="sum") > 0)
                assert ("E" in answer) is bool(more < loss)


class TestSizes:
    """Tables of positions, and the operations of a training."""

    def test_tables(self, page, cases_of):
        for seed in SEEDS:
            for tokens, max_len, vocabulary in cases_of("position_statements", seed):
                with torch.device("meta"):
                    places, words = nn.Embedding(max_len, 8), nn.Embedding(vocabulary, 8)
                answer = page.position_statements(tokens, max_len, vocabulary)

                assert ("A" in answer) is (tokens - 1 < places.num_embeddings)
                assert ("C" in answer) is (places.weight.numel() > words.weight.numel())

    def test_operations_as_torch_counts_them(self, page):
        """Two linear layers: forward, and backward with gradients for the input as well."""
        network = nn.Sequential(nn.Linear(6, 10, bias=False), nn.Linear(10, 3, bias=False))
        parameters, tokens = 6 * 10 + 10 * 3, 7
        x = torch.randn(tokens, 6, requires_grad=True)
        with FlopCounterMode(display=False) as forward:
            y = network(x)
        with FlopCounterMode(display=False) as backward:
            y.backward(torch.ones_like(y))
        counts = forward.get_total_flops(), backward.get_total_flops()

        for part, count in zip(
            ("forward", "backward", "both"), (*counts, sum(counts)), strict=True
        ):
            assert page.training_operations(parameters, tokens, part) == count
