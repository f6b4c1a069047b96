"""Numbers and claims of the five sources that no other file here computes.

The classes are named after the sources, as in ``coverage.toml`` and ``slips.toml``.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from grader.programs.bank import load_bank
from grader.programs.page import load_by_path

ROOT = Path(__file__).parents[2]


def page(name):
    return load_by_path(ROOT / "solutions" / f"{name}.py")


def wrong(exercise, slip, function):
    """A function of the page ``exercise``, with the misconception ``slip`` in it."""
    solution = ROOT / "solutions" / f"{exercise}.py"
    bank = load_bank(ROOT / "grader" / "suites" / exercise / "misconceptions.py", solution)
    (entry,) = (entry for entry in bank if entry.name == slip)
    return entry.applied_to(vars(load_by_path(solution)))[function]


def draw(*shape, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=dtype)


class TestHappyLlm:
    """The notes on chapter 2 of Happy-LLM."""

    def test_projections_that_change_nothing(self):
        """Three words, and three matrices that are the identity: the printed weights."""
        hand, projections = page("attention_by_hand"), page("projections_by_hand")
        x, one = torch.tensor(hand.THREE_WORDS, dtype=torch.float64), torch.eye(2).double()
        weights = projections.attention_weights(x, one, one)

        assert weights[0].tolist() == pytest.approx([0.45552749, 0.31986617, 0.22460634], abs=1e-8)
        result = projections.context_vectors(x, one, one, one)
        assert result[0].tolist() == pytest.approx([0.61546057, 0.38453943], abs=1e-8)

    def test_the_printed_mask(self):
        """Six tokens: 0 on and below the diagonal, -inf above it."""
        masks = page("masks")
        printed = torch.triu(torch.full((6, 6), -torch.inf), diagonal=1)

        added = masks.to_additive(masks.causal_mask(6), torch.float32)
        scores = draw(6, 6, dtype=torch.float32)

        assert torch.equal(added <= -1e30, printed == -torch.inf)
        assert torch.equal((scores + added).softmax(-1), (scores + printed).softmax(-1))

    @pytest.mark.parametrize("heads", [2, 4, 8])
    def test_heads_cost_what_one_wide_head_costs(self, heads):
        """As many multiplications, in the class that does all heads at once."""
        attention, x = page("multi_head_attention"), torch.zeros(1, 5, 16)
        flops = []
        for number in (1, heads):
            layer = attention.MultiHeadAttention(16, number)
            with FlopCounterMode(display=False) as counter:
                layer(x)
            flops.append(counter.get_total_flops())

        assert flops[0] == flops[1] > 0


class TestRaschka:
    """Chapter 3 of the book."""

    def test_where_exponentials_overflow(self):
        """e^88 fits into float32, e^89 does not; the softmax without a maximum then is NaN."""
        assert torch.tensor(88.0).exp().isfinite()
        assert torch.tensor(89.0).exp().isinf()

        naive, scores = wrong("softmax", "no_maximum", "softmax"), torch.tensor([0.0, 89.0])
        assert naive(scores).isnan().any()
        assert page("softmax").softmax(scores).tolist() == pytest.approx([0.0, 1.0])

    def test_why_linear_layers_start_better(self):
        """Weights of torch.rand add up: with 256 numbers for a token, one word gets all."""
        torch.manual_seed(1)
        attention, x = page("self_attention"), torch.randn(20, 256)
        largest = []
        for kind in (attention.SelfAttention_v1, attention.SelfAttention_v2):
            layer = kind(256, 16)
            queries, keys = (
                x @ matrix if isinstance(matrix, torch.nn.Parameter) else matrix(x)
                for matrix in (layer.W_query, layer.W_key)
            )
            weights = (queries @ keys.mT / 4).softmax(-1)
            largest.append(weights.max(-1).values.median().item())

        assert largest[0] > 0.99
        assert largest[1] < 0.2

    def test_what_triu_keeps(self):
        """With diagonal=1 it keeps what is above the diagonal, and makes all other numbers 0."""
        kept = torch.triu(torch.ones(3, 3), diagonal=1)

        assert kept.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
        assert torch.equal(kept == 0, page("masks").causal_mask(3))


class TestLecture:
    """The notebook of a lecture."""

    def test_a_distance_prefers_what_is_unlike(self):
        """A token is at distance 0 from itself: without a softmax, that is its own weight."""
        x = draw(5, 8)
        distance = (x[:, None] - x).abs().amax(-1) / math.sqrt(8)

        assert (distance.diagonal() == 0).all()
        assert not torch.allclose(distance.sum(-1), torch.ones(5).double(), atol=0.1)
        weights = wrong("attention", "distance_as_score", "scaled_dot_product_attention")(x, x, x)[
            1
        ]
        assert (weights.argmin(-1) == torch.arange(5)).all()

    def test_numbers_for_every_pair_and_feature(self):
        """16 sentences, 4 heads, 20 tokens, heads of 512: 13,107,200 numbers for 25,600 scores."""
        q = torch.empty(16, 4, 20, 512, device="meta")

        assert (q[:, :, :, None] - q[:, :, None]).numel() == 13_107_200
        assert (q @ q.mT).numel() == 25_600

    def test_a_global_in_the_place_of_the_argument(self):
        """The sum changes with the global tensor alone; in a file alone the name is not there."""
        text = "def layer(embeddded, attention):\n    return embedded + attention(embeddded)\n"
        notebook = {"embedded": torch.zeros(3)}
        exec(text, notebook)
        before = notebook["layer"](torch.ones(3), torch.neg)
        notebook["embedded"] = torch.full((3,), 5.0)

        assert before.tolist() == [-1.0, -1.0, -1.0]
        assert notebook["layer"](torch.ones(3), torch.neg).tolist() == [4.0, 4.0, 4.0]
        alone: dict[str, object] = {}
        exec(text, alone)
        with pytest.raises(NameError, match="embedded"):
            alone["layer"](torch.ones(3), torch.neg)

    def test_a_table_with_a_frequency_for_every_column(self):
        """Off by nearly 2, the most that sines and cosines can differ."""
        right = page("positional_encoding").sinusoidal_encoding(500, 64)
        slip = "a_frequency_for_every_column"
        off = wrong("positional_encoding", slip, "sinusoidal_encoding")(500, 64) - right

        assert 1.9 < off.abs().max() <= 2


class TestTinyTransformer:
    """An article with the program tiny_transformer.py."""

    def test_five_tokens_make_four_steps(self):
        """BOS, three words and EOS: four inputs, four targets, and four rows in the mask."""
        inputs, targets = page("training").teacher_forcing(torch.tensor([[1, 4, 5, 6, 2]]), 0)

        assert inputs.tolist() == [[1, 4, 5, 6]]
        assert targets.tolist() == [[4, 5, 6, 2]]
        assert page("masks").causal_mask(inputs.shape[1]).shape == (4, 4)

    @pytest.mark.parametrize("causal", [False, True])
    def test_torchs_fast_attention_gives_the_same(self, causal):
        """F.scaled_dot_product_attention, values and gradients."""
        q, k, v = (draw(2, 3, 5, 4).roll(i).requires_grad_() for i in range(3))
        cotangent = draw(2, 3, 5, 4).flip(0)
        ours = page("attention").scaled_dot_product_attention(q, k, v, is_causal=causal)[0]
        theirs = F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        torch.testing.assert_close(ours, theirs)
        pairs = (torch.autograd.grad(out, (q, k, v), cotangent) for out in (ours, theirs))
        for one, other in zip(*pairs, strict=True):
            torch.testing.assert_close(one, other)

    def test_torch_aligns_its_causal_mask_at_the_top_left(self):
        """Two new tokens after three stored ones would see one and two keys, not four and five."""
        q, k, v = torch.zeros(2, 4), torch.zeros(5, 4), torch.eye(5)
        shares = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]

        assert (shares > 0).sum(-1).tolist() == [1, 2]
        assert page("masks").causal_mask(2, 5).sum(-1).tolist() == [4, 5]

    def test_an_encoder_that_reads_the_target_tells_the_answer(self):
        """The same text for both: the logits of the first place depend on the last token."""
        torch.manual_seed(1)
        model = page("transformer").Transformer(11, 11, 8, 2, 1, 1, 12, 0.0).eval()
        for weights in model.parameters():
            torch.nn.init.normal_(weights, std=0.3)
        text, other = torch.tensor([[1, 4, 5, 6]]), torch.tensor([[1, 4, 5, 9]])

        assert torch.equal(model(text, text)[:, 0], model(text, other)[:, 0])
        assert (model(text, text) - model(other, other))[:, 0].abs().max() > 0.01

    def test_dropout_twice_keeps_a_quarter(self):
        """p = 0.5 in the positions, and once more behind them."""
        dropout = page("dropout").dropout
        torch.manual_seed(1)
        kept = dropout(dropout(torch.ones(40_000), 0.5, True), 0.5, True) > 0

        assert kept.double().mean().item() == pytest.approx(0.25, abs=0.012)

    def test_the_last_sentence_is_cut_off(self):
        """logits[: -1, :] leaves out a sentence; a batch of one is empty then."""
        assert torch.zeros(3, 4, 7)[:-1, :].shape == (2, 4, 7)
        assert torch.zeros(1, 4, 7)[:-1, :].numel() == 0
        assert torch.zeros(1, 4, 7)[:, -1, :].shape == (1, 7)


class TestVogel:
    """A transformer by hand."""

    def test_a_model_that_is_trained_for_the_same_task(self):
        """Two letters, a context of 5, one layer, one head, a width of 8: 944 numbers."""
        model = page("gpt").GPT(2, 5, 1, 1, 8)
        by_hand = page("hand_weights").aab_weights()

        assert model.get_num_params() == 944
        assert by_hand["wte"].shape == (2, 8)
        assert by_hand["wpe"].shape == (5, 8)
