"""Encoder and decoder stacks are torch's own under the same weights, and as large as printed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from grader.programs.page import load_by_path
from tests.sources.torchs_names import in_our_names

ROOT = Path(__file__).parents[2]
SIZES = (12, 3, 20)

each_order = pytest.mark.parametrize("norm_first", [False, True])
each_activation = pytest.mark.parametrize("activation", ["relu", "gelu"])


@pytest.fixture(scope="module")
def encoder():
    return load_by_path(ROOT / "solutions" / "encoder.py")


@pytest.fixture(scope="module")
def decoder():
    return load_by_path(ROOT / "solutions" / "decoder.py")


def draw(*shape, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def redrawn(module):
    """Weights large enough for every slip to show."""
    generator = torch.Generator().manual_seed(2)
    for weights in module.parameters():
        nn.init.normal_(weights, std=0.3, generator=generator)
    return module


def same_gradients(torchs, ours):
    """Gradients of the same sum for the parameters of both, by name."""
    expected, actual = (
        {name: weights.grad for name, weights in module.named_parameters()}
        for module in (torchs, ours)
    )
    expected = in_our_names(expected)
    assert expected.keys() == actual.keys()
    return all(torch.allclose(expected[name], actual[name], atol=1e-4) for name in expected)


def size_of(module):
    return sum(weights.numel() for weights in module.parameters())


class TestEncoder:
    """Exercise ``encoder``."""

    @each_order
    @each_activation
    def test_layer_equals_torchs_own(self, encoder, norm_first, activation):
        """Values and all gradients, with a causal mask and with padding hidden."""
        torchs = nn.TransformerEncoderLayer(
            *SIZES, 0.0, activation, batch_first=True, norm_first=norm_first
        )
        ours = encoder.EncoderLayer(*SIZES, 0.0, norm_first, activation)
        ours.load_state_dict(in_our_names(redrawn(torchs).state_dict()))
        x, weight = draw(2, 5, 12), draw(2, 5, 12, seed=3)
        causal = torch.ones(5, 5, dtype=torch.bool).tril()
        real = torch.arange(5) < torch.tensor([[5], [3]])

        expected = torchs(x, src_mask=~causal, src_key_padding_mask=~real)
        actual = ours(x, causal & real[:, None, None])
        assert torch.allclose(expected, actual, atol=1e-5)
        assert torch.allclose(torchs(x), ours(x), atol=1e-5)

        (expected * weight).sum().backward()
        (actual * weight).sum().backward()
        assert same_gradients(torchs, ours)

    @each_order
    def test_stack_equals_torchs_own(self, encoder, norm_first):
        """Three layers and a norm at the end, with padding hidden, in evaluation."""
        layer = nn.TransformerEncoderLayer(*SIZES, batch_first=True, norm_first=norm_first)
        torchs = nn.TransformerEncoder(layer, 3, nn.LayerNorm(12), enable_nested_tensor=False)
        ours = encoder.EncoderLayer(*SIZES, norm_first=norm_first)
        ours = encoder.Encoder(ours, 3, nn.LayerNorm(12))
        ours.load_state_dict(in_our_names(redrawn(torchs).state_dict()))
        x, real = draw(2, 5, 12), torch.arange(5) < torch.tensor([[5], [3]])

        expected = torchs.eval()(x, src_key_padding_mask=~real)
        actual = ours.eval()(x, real[:, None, None])
        assert torch.allclose(expected, actual, atol=1e-4)

    def test_size_at_the_papers_size(self, encoder):
        """3,152,384 parameters in a layer of width 512 with 8 heads and d_ff = 2048."""
        assert size_of(encoder.EncoderLayer(512, 8, 2048)) == 3_152_384


class TestDecoder:
    """Exercise ``decoder``."""

    @each_order
    @each_activation
    def test_layer_equals_torchs_own(self, decoder, norm_first, activation):
        """Values and all gradients, with a causal mask and with the memory's padding hidden."""
        torchs = nn.TransformerDecoderLayer(
            *SIZES, 0.0, activation, batch_first=True, norm_first=norm_first
        )
        ours = decoder.DecoderLayer(*SIZES, 0.0, norm_first, activation)
        ours.load_state_dict(in_our_names(redrawn(torchs).state_dict()))
        tgt, memory, weight = draw(2, 5, 12), draw(2, 7, 12, seed=4), draw(2, 5, 12, seed=3)
        causal = torch.ones(5, 5, dtype=torch.bool).tril()
        real = torch.arange(7) < torch.tensor([[7], [3]])

        expected = torchs(tgt, memory, ~causal, memory_key_padding_mask=~real)
        actual = ours(tgt, memory, causal, real[:, None, None])
        assert torch.allclose(expected, actual, atol=1e-5)
        assert torch.allclose(torchs(tgt, memory), ours(tgt, memory), atol=1e-5)

        (expected * weight).sum().backward()
        (actual * weight).sum().backward()
        assert same_gradients(torchs, ours)

    @each_order
    def test_stack_equals_torchs_own(self, decoder, norm_first):
        """Three layers and a norm at the end, in evaluation."""
        layer = nn.TransformerDecoderLayer(*SIZES, batch_first=True, norm_first=norm_first)
        torchs = nn.TransformerDecoder(layer, 3, nn.LayerNorm(12))
        ours = decoder.DecoderLayer(*SIZES, norm_first=norm_first)
        ours = decoder.Decoder(ours, 3, nn.LayerNorm(12))
        ours.load_state_dict(in_our_names(redrawn(torchs).state_dict()))
        tgt, memory = draw(2, 5, 12), draw(2, 7, 12, seed=4)
        causal = torch.ones(5, 5, dtype=torch.bool).tril()

        expected = torchs.eval()(tgt, memory, ~causal)
        actual = ours.eval()(tgt, memory, causal)
        assert torch.allclose(expected, actual, atol=1e-4)

    def test_size_at_the_papers_size(self, decoder):
        """4,204,032 parameters in a layer of width 512 with 8 heads and d_ff = 2048."""
        assert size_of(decoder.DecoderLayer(512, 8, 2048)) == 4_204_032

    def test_size_of_both_stacks(self, encoder, decoder):
        """Six layers each, without embeddings and norms at the end: 44,138,496 parameters."""
        sizes = (
            size_of(encoder.EncoderLayer(512, 8, 2048)),
            size_of(decoder.DecoderLayer(512, 8, 2048)),
        )
        small = (
            encoder.Encoder(encoder.EncoderLayer(*SIZES), 6),
            decoder.Decoder(decoder.DecoderLayer(*SIZES), 6),
        )

        assert 6 * sum(sizes) == 44_138_496
        assert [size_of(stack) for stack in small] == [6 * 1184, 6 * 1832]
