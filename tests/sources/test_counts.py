"""The counts that papers and sources print come out of our solutions, and real modules agree.

The modules are built on the meta device: any size, no memory.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from grader.programs.page import load_by_path

ROOT = Path(__file__).parents[2]
META = {"device": "meta"}


@pytest.fixture(scope="module")
def page():
    return load_by_path(ROOT / "solutions" / "parameter_counts.py")


@pytest.fixture(params=range(6))
def choose(request):
    """Random sizes; the same in every run."""
    return random.Random(request.param)


def parameters(*modules):
    """Parameters of all modules together, each counted once."""
    together = nn.ModuleList(modules)
    return sum(p.numel() for p in together.parameters())


def attention(d, heads, bias=True, out_bias=None, d_inner=None, num_kv_heads=None):
    inner = d_inner or d
    narrow = inner // heads * (num_kv_heads or heads)
    out_bias = bias if out_bias is None else out_bias
    maps = [nn.Linear(d, inner, bias, **META), nn.Linear(d, narrow, bias, **META)]
    maps += [nn.Linear(d, narrow, bias, **META), nn.Linear(inner, d, out_bias, **META)]
    return nn.ModuleList(maps)


def layer(d, heads, d_ff, bias=True, cross_attention=False, gated=False, shared_norm=False,
          **widths):  # fmt: skip
    parts = [attention(d, heads, bias, **widths) for _ in range(2 if cross_attention else 1)]
    parts += [nn.Linear(d, d_ff, bias, **META) for _ in range(2 if gated else 1)]
    parts.append(nn.Linear(d_ff, d, bias, **META))
    norms = [nn.LayerNorm(d, bias=bias, **META) for _ in range(2 if shared_norm else 3)]
    return nn.ModuleList([*parts, *(norms if cross_attention else norms[:2])])


def sizes(choose):
    """Width, heads, hidden width, and fewer heads of keys and values."""
    kv_heads, group = choose.choice((1, 2, 3)), choose.choice((2, 4, 5))
    heads = kv_heads * group
    return heads * choose.randint(3, 9), heads, choose.randint(20, 90), kv_heads


def flip(choose):
    return choose.random() < 0.5


class TestPublishedCounts:
    def test_a_wide_attention(self, page):
        assert page.count_mha_params(1024, 4, d_inner=2048) == 8_395_776
        assert page.count_feed_forward_params(1024, 2048) == 4_197_376

    def test_an_encoder_and_a_translator_around_it(self, page):
        """Two vocabularies of 129,650 words; decoder layers with two norms for three parts."""
        layer = page.count_layer_params(1024, 4, 2048, d_inner=2048)
        options = {"num_encoder_layers": 6, "src_vocab_size": 129_650, "d_inner": 2048}
        options |= {"logit_bias": True, "shared_norm": True}

        assert 129_650 * 1024 + 6 * layer == 208_345_088
        assert page.count_model_params(129_650, 1024, 4, 2048, 6, **options) == 599_956_082

    def test_the_same_model_as_modules(self):
        """Built, and counted as torch counts."""
        wide = {"shared_norm": True, "d_inner": 2048}
        encoder = [nn.Embedding(129_650, 1024, **META)]
        encoder += [layer(1024, 4, 2048, **wide) for _ in range(6)]
        decoder = [nn.Embedding(129_650, 1024, **META), nn.Linear(1024, 129_650, **META)]
        decoder += [layer(1024, 4, 2048, cross_attention=True, **wide) for _ in range(6)]

        assert parameters(attention(1024, 4, d_inner=2048)) == 8_395_776
        assert parameters(*encoder) == 208_345_088
        assert parameters(*encoder, *decoder) == 599_956_082

    def test_the_base_transformer(self, page):
        """Six and six layers; with 37,000 words shared by three matrices; torch's final norms."""
        encoder, decoder = (
            page.count_layer_params(512, 8, 2048, cross_attention=cross) for cross in (False, True)
        )
        stacks = {"num_encoder_layers": 6}
        tied = page.count_model_params(37_000, 512, 8, 2048, 6, tie_weights=True, **stacks)
        normed = page.count_model_params(0, 512, 8, 2048, 6, final_norm=True, **stacks)

        assert (encoder, decoder) == (3_152_384, 4_204_032)
        assert page.count_model_params(0, 512, 8, 2048, 6, **stacks) == 44_138_496
        assert tied == 63_082_496
        assert normed == parameters(nn.Transformer(batch_first=True, **META)) == 44_140_544

    @pytest.mark.parametrize(
        ("width", "heads", "layers", "printed"),
        [(768, 12, 12, 124_439_808), (1600, 25, 48, 1_557_611_200)],
    )
    def test_gpt2(self, page, width, heads, layers, printed):
        gpt2 = {"learned_positions": 1024, "tie_weights": True, "final_norm": True}
        found = page.count_model_params(50_257, width, heads, 4 * width, layers, **gpt2)

        assert found == printed

    def test_attention_of_gpt2_without_biases_in_its_queries(self, page):
        assert page.count_mha_params(768, 12, bias=False, out_bias=True) == 2_360_064

    def test_llama_3_with_eight_heads_of_keys(self, page):
        llama = {"num_kv_heads": 8, "gated": True, "final_norm": True}
        found = page.count_model_params(128_256, 4096, 32, 14_336, 32, bias=False, **llama)

        assert found == 8_030_261_248

    def test_a_mask_of_2048_tokens_takes_16_mib(self, page):
        assert page.mask_buffer_bytes(2048) == 16 * 2**20

    def test_the_attention_weights_of_a_lecture(self, page):
        """Batch 16, 4 heads, 20 tokens: 25,600 weights."""
        assert page.activation_bytes(16, 20, 4, bytes_per_element=1) == 25_600


class TestAgainstModules:
    def test_torchs_attention(self, page, choose):
        d, heads, _, _ = sizes(choose)
        for bias in (True, False):
            module = nn.MultiheadAttention(d, heads, bias=bias, **META)

            assert page.count_mha_params(d, heads, bias) == parameters(module)

    def test_attention_of_any_kind(self, page, choose):
        d, heads, _, kv_heads = sizes(choose)
        options = {"bias": flip(choose), "out_bias": choose.choice((None, True, False))}
        options |= {"d_inner": choose.choice((None, heads * 11))}
        options |= {"num_kv_heads": choose.choice((None, kv_heads))}

        assert page.count_mha_params(d, heads, **options) == parameters(
            attention(d, heads, **options)
        )

    def test_torchs_layers(self, page, choose):
        d, heads, d_ff, _ = sizes(choose)
        for bias in (True, False):
            options = {"bias": bias, **META}
            encoder = nn.TransformerEncoderLayer(d, heads, d_ff, **options)
            decoder = nn.TransformerDecoderLayer(d, heads, d_ff, **options)
            crossed = page.count_layer_params(d, heads, d_ff, bias, cross_attention=True)

            assert page.count_layer_params(d, heads, d_ff, bias) == parameters(encoder)
            assert crossed == parameters(decoder)

    def test_layers_of_any_kind(self, page, choose):
        d, heads, d_ff, kv_heads = sizes(choose)
        options = {"bias": flip(choose), "cross_attention": flip(choose), "gated": flip(choose)}
        options |= {"shared_norm": flip(choose), "d_inner": choose.choice((None, heads * 11))}
        options |= {"num_kv_heads": choose.choice((None, kv_heads))}

        assert page.count_layer_params(d, heads, d_ff, **options) == parameters(
            layer(d, heads, d_ff, **options)
        )

    def test_models_of_any_kind(self, page, choose):
        d, heads, d_ff, kv_heads = sizes(choose)
        vocab, layers = choose.randint(100, 200), choose.randint(1, 4)
        encoders = choose.choice((0, 1, 3))
        bias, tied, biased, final = (flip(choose) for _ in range(4))
        source, rows = choose.choice((None, vocab, 77)), choose.choice((0, 55))
        of_layers = {"gated": flip(choose), "shared_norm": flip(choose)}
        of_layers |= {"num_kv_heads": choose.choice((None, kv_heads)), "d_inner": heads * 11}

        words = nn.Embedding(vocab, d, **META)
        output = nn.Linear(d, vocab, biased, **META)
        if tied:
            output.weight = words.weight
        parts = [words, output]
        if encoders and source is not None:
            parts.append(nn.Embedding(source, d, **META))
        for count, crossed in ((encoders, False), (layers, encoders > 0)):
            parts += [
                layer(d, heads, d_ff, bias, cross_attention=crossed, **of_layers)
                for _ in range(count)
            ]
            if count and rows:
                parts.append(nn.Embedding(rows, d, **META))
            if count and final:
                parts.append(nn.LayerNorm(d, bias=bias, **META))
        found = page.count_model_params(
            vocab, d, heads, d_ff, layers, bias, num_encoder_layers=encoders,
            src_vocab_size=source, learned_positions=rows, tie_weights=tied, logit_bias=biased,
            final_norm=final, **of_layers,
        )  # fmt: skip

        assert found == parameters(*parts)


class TestWorkAndMemory:
    def test_torch_counts_the_same_flops(self, page, choose):
        """Torch's own counter, watching an attention with grouped heads."""
        d, heads, _, kv_heads = sizes(choose)
        batch, tokens, d_head = choose.randint(1, 4), choose.randint(2, 30), d // heads
        maps = attention(d, heads, choose.random() < 0.5, num_kv_heads=kv_heads)
        x = torch.empty(batch, tokens, d, **META)

        def split(y):
            return y.view(batch, tokens, -1, d_head).transpose(1, 2)

        with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
            q, k, v = (split(maps[i](x)) for i in range(3))
            k, v = (t.repeat_interleave(heads // kv_heads, dim=1) for t in (k, v))
            mixed = (q @ k.transpose(-2, -1)).softmax(-1) @ v
            maps[3](mixed.transpose(1, 2).reshape(batch, tokens, d))
        found = page.attention_flops(batch, tokens, d, heads, num_kv_heads=kv_heads)

        assert found == counter.get_total_flops()

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool])
    def test_tensors_take_what_was_counted(self, page, choose, dtype):
        d, heads, _, kv_heads = sizes(choose)
        batch, tokens, layers = choose.randint(1, 4), choose.randint(2, 30), choose.randint(1, 5)
        size = dtype.itemsize
        cache = (layers, 2, batch, kv_heads, tokens, d // heads)
        weights = (layers, batch, heads, tokens, tokens)
        mask = (layers, tokens, tokens)
        counted = (
            page.kv_cache_bytes(batch, tokens, d, heads, layers, size, num_kv_heads=kv_heads),
            page.activation_bytes(batch, tokens, heads, layers, size),
            page.mask_buffer_bytes(tokens, size, layers),
        )

        assert counted == tuple(
            torch.empty(shape, dtype=dtype, **META).nbytes for shape in (cache, weights, mask)
        )

    def test_a_token_of_opt_13b_takes_800_kib(self, page):
        assert page.kv_cache_bytes(1, 1, 5120, 40, 40, 2) == 800 * 1024
