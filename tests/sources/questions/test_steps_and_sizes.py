"""What the questions say of steps, cost and size, counted on graphs and on the meta device."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

SEEDS = range(1, 31)


class TestSteps:
    """Who reaches whom, counted on graphs and gradients."""

    @pytest.mark.parametrize("kernel", [2, 3, 5])
    @pytest.mark.parametrize("distance", [1, 7, 8, 9])
    def test_hops_of_causal_convolutions(self, page, kernel, distance):
        """As many layers as it takes for a gradient to come back from the output."""
        x = torch.zeros(1, 1, distance + 1, requires_grad=True)
        layers, out, reached = 0, x, False
        while not reached:
            out = nn.functional.conv1d(
                nn.functional.pad(out, (kernel - 1, 0)), torch.ones(1, 1, kernel)
            )
            layers += 1
            reached = bool(torch.autograd.grad(out[0, 0, -1], x, retain_graph=True)[0][0, 0, 0])

        assert page.path_length("convolution", distance, kernel) == layers
        assert ("C" in page.distance_statements(distance, kernel)) is (layers <= 4)

    def test_fading(self, page):
        for distance in (*range(34, 44), *range(44, 61)):
            left = math.prod([0.9] * distance)

            assert ("B" in page.distance_statements(distance, 3)) is (left < 0.01)

    def test_an_rnn_takes_every_step(self):
        """A state equals that of one cell applied token by token, each to the state before."""
        rnn, cell = nn.LSTM(3, 4), nn.LSTMCell(3, 4)
        cell.load_state_dict({k.removesuffix("_l0"): v for k, v in rnn.state_dict().items()})
        x, state = torch.randn(6, 1, 3), None
        for token in x:
            state = cell(token, state)

        torch.testing.assert_close(rnn(x)[0][-1], state[0])

    def test_training_in_one_pass_gives_what_generation_gives_step_by_step(self, attention):
        """Causal attention over all positions at once equals the last rows of all prefixes."""
        x = torch.randn(7, 4, dtype=torch.float64)
        at_once = attention(x, causal=True) @ x
        one_by_one = torch.stack([(attention(x[:n]) @ x[:n])[-1] for n in range(1, 8)])

        torch.testing.assert_close(at_once, one_by_one)


class TestCostAndSize:
    """Multiplications and parameters, counted on the meta device."""

    @staticmethod
    def multiplications(work):
        from torch.utils.flop_counter import FlopCounterMode

        with torch.device("meta"), FlopCounterMode(display=False) as counter:
            work()
        return counter.get_total_flops() // 2

    @pytest.mark.parametrize(("n", "d"), [(20, 50), (70, 50), (130, 50)])
    def test_cost(self, page, n, d):
        scores = self.multiplications(lambda: torch.empty(n, d) @ torch.empty(d, n))
        context = self.multiplications(lambda: torch.empty(n, n) @ torch.empty(n, d))
        projections = self.multiplications(
            lambda: [torch.empty(n, d) @ torch.empty(d, d) for _ in range(4)]
        )

        assert scores == context == page.operations_per_layer("self-attention", n, d, 3)
        assert projections == 4 * page.operations_per_layer("recurrent", n, d, 3)
        assert ("E" in page.cost_statements(n, d)) is (projections > scores + context)

    def test_convolution(self, page):
        """Table 1's k n d^2, with as many outputs as tokens."""
        found = self.multiplications(
            lambda: nn.functional.conv1d(torch.empty(1, 8, 12), torch.empty(8, 8, 3))
        )

        assert found == page.operations_per_layer("convolution", 12 - 2, 8, 3)

    def test_scores_of_a_mebibyte(self, page):
        for tokens in (511, 512, 513):
            scores = torch.empty(tokens, tokens, device="meta")

            assert ("D" in page.cost_statements(tokens, 64)) is (scores.nbytes > 2**20)

    @pytest.mark.parametrize("d_model", [64, 512])
    def test_parameters_do_not_depend_on_the_heads(self, d_model):
        with torch.device("meta"):
            counts = {
                sum(p.numel() for p in nn.MultiheadAttention(d_model, h, bias=False).parameters())
                for h in (1, 2, 8, 64)
            }

        assert counts == {4 * d_model**2}

    def test_heads(self, page, cases_of):
        for seed in SEEDS:
            for d_model, num_heads in cases_of("heads_statements", seed):
                with torch.device("meta"):
                    layer = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
                    x = torch.empty(1, 100, d_model)
                    weights = layer(x, x, x, average_attn_weights=False)[1]
                answer = page.heads_statements(d_model, num_heads)

                assert ("C" in answer) is (math.sqrt(layer.head_dim) == 8)
                assert ("D" in answer) is (weights.numel() > d_model**2)

    def test_blocks(self, page, cases_of):
        for seed in SEEDS:
            for d_model, d_ff in cases_of("block_statements", seed):
                with torch.device("meta"):
                    layer = nn.TransformerEncoderLayer(d_model, 1, d_ff)
                attention = layer.self_attn.in_proj_weight, layer.self_attn.out_proj.weight
                network = layer.linear1.weight, layer.linear2.weight
                norms = *layer.norm1.parameters(), *layer.norm2.parameters()
                sizes = [sum(p.numel() for p in group) for group in (attention, network, norms)]
                answer = page.block_statements(d_model, d_ff)

                assert ("A" in answer) is (sizes[1] > sizes[0])
                assert ("E" in answer) is (sizes[2] < 0.01 * sizes[0])

    def test_a_layer_norm_without_bias(self):
        layer = nn.LayerNorm(5, bias=False)

        assert layer.bias is None
        assert layer(torch.randn(3, 5)).mean(-1).abs().max() < 1e-6
