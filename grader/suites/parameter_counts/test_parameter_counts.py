"""Hidden checks of ``parameter_counts``.

Sizes are drawn, and drawn from ranges that do not meet, so that no two of them are ever equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from grader.check import pairs


@dataclass(frozen=True)
class Sizes:
    """The sizes of one model; ``inner`` is another width of its heads."""

    kv_heads: int
    heads: int
    width: int
    inner: int
    hidden: int


def whole(draw, low, high):
    return int(draw.integers(low, high, ()))


def several(draw):
    """A batch; never 2 or 4, which might be taken for key and value, or for bytes."""
    return 2 * whole(draw, 1, 4) + 1


def sizes(draw):
    kv_heads, group = (3, 2) if whole(draw, 0, 2) else (2, 5)
    heads = kv_heads * group
    width = heads * (whole(draw, 3, 6) * 2 + 1)
    inner = heads * (whole(draw, 6, 10) * 2)
    return Sizes(kv_heads, heads, width, inner, whole(draw, 203, 263))


def stacks(draw):
    """Positional arguments of a model, without its encoder's: 4 to 6 layers."""
    s = sizes(draw)
    return whole(draw, 307, 401), s.width, s.heads, s.hidden, whole(draw, 4, 7)


def all_pairs(**more):
    """Every option of a layer, and more of them."""
    yes_or_no = dict.fromkeys(("bias", "gated", "shared_norm"), (False, True))
    return pairs(**yes_or_no, **more)


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on(">>> count_mha_params(4, 2) # 4 maps of 4 * 4 weights and 4 biases 80")
def test_examples_of_parameters(compare):
    """80 in a small attention, 148 in its feed-forward network, 244 in the layer, 812 in all."""
    compare.count_mha_params(4, 2)
    compare.count_feed_forward_params(4, 16)
    compare.count_layer_params(4, 2, 16)
    compare.count_model_params(10, 4, 2, 16, 3)


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on(
    ">>> attention_flops(1, 3, 4, 2) # 2 * 4 * 3 * 4 * 4, and 2 * 2 * 3 * 3 * 4 528"
)
def test_examples_of_work_and_memory(compare):
    """528 flops, 800 KiB of keys and values, 102,400 bytes of weights, 16 MiB of mask."""
    compare.attention_flops(1, 3, 4, 2)
    compare.kv_cache_bytes(1, 1, 5120, 40, 40, 2)
    compare.activation_bytes(16, 20, 4)
    compare.mask_buffer_bytes(2048)


@pytest.mark.core("count_mha_params")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "the parameters of one multi-head attention: four linear maps",
    "whether the projections of queries, keys and values have biases",
)
def test_attention_is_four_projections(compare, draw):
    """Queries, keys, values and output: four maps, each with or without biases, for any heads."""
    s = sizes(draw)
    compare.count_mha_params(s.width, s.heads, bias=True)
    compare.count_mha_params(s.width, s.heads, bias=False)
    compare.count_mha_params(s.width, 1)


@pytest.mark.rests_on("whether the output projection has one; None: it has if the others have")
def test_output_bias_is_a_fact_of_its_own(compare, draw):
    """The output projection may have a bias where the others have none, and the other way round."""
    s = sizes(draw)
    for bias, out_bias in ((False, True), (True, False)):
        compare.count_mha_params(s.width, s.heads, bias=bias, out_bias=out_bias)
    widths = {"d_inner": (None, s.inner), "num_kv_heads": (None, s.kv_heads)}
    for options in pairs(bias=(True, False), out_bias=(None, False, True), **widths):
        compare.count_mha_params(s.width, s.heads, **options)


@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on("queries: d_model to d_inner", "output: from d_inner back to d_model")
def test_heads_of_another_width(compare, draw):
    """With d_inner queries, keys and values are d_inner wide, or their share of it when grouped;
    the last map leads back to d_model.
    """
    s = sizes(draw)
    for kv_heads in (None, s.kv_heads):
        compare.count_mha_params(s.width, s.heads, d_inner=s.inner, num_kv_heads=kv_heads)


@pytest.mark.points(2)
@pytest.mark.kept("the plain case, told apart from heads of another width")
@pytest.mark.rests_on("keys and values: d_model to num_kv_heads heads")
def test_grouped_queries(compare, draw):
    """Fewer heads of keys and values make these two maps narrower, and no other."""
    s = sizes(draw)
    for kv_heads in (s.kv_heads, 1, s.heads):
        compare.count_mha_params(s.width, s.heads, num_kv_heads=kv_heads)


@pytest.mark.core("count_feed_forward_params")
@pytest.mark.points(2)
@pytest.mark.rests_on("has two maps side by side from d_model to d_ff")
def test_feed_forward(compare, draw):
    """Up to d_ff and back, with a bias per output; a gate is one more map up."""
    s = sizes(draw)
    compare.count_feed_forward_params(s.width, s.hidden)
    for bias in (False, True):  # without biases first: only there do all three slips differ
        compare.count_feed_forward_params(s.width, s.hidden, bias=bias, gated=True)
    compare.count_feed_forward_params(s.width, s.hidden, bias=False)


@pytest.mark.core("count_layer_params")
@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on("each attention and the feed-forward network come with a norm")
def test_encoder_layer(compare, draw):
    """One attention, one feed-forward network, two norms with gains and biases."""
    s = sizes(draw)
    compare.count_layer_params(s.width, s.heads, s.hidden)
    compare.count_layer_params(s.width, s.heads, s.hidden, shared_norm=True)


@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on(
    "holds two alike: one over its own tokens, one over the encoder's",
    "has a shared_norm there, counted once",
)
def test_decoder_layer(compare, draw):
    """Cross-attention is a second attention, and brings a third norm unless they share one."""
    s = sizes(draw)
    for shared_norm in (False, True):
        compare.count_layer_params(
            s.width, s.heads, s.hidden, cross_attention=True, shared_norm=shared_norm
        )


@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on("bias holds for all linear maps and all norms of the layer")
def test_layer_without_biases(compare, draw):
    """With bias=False no linear map has a bias, and no norm either."""
    s = sizes(draw)
    for cross_attention in (False, True):
        compare.count_layer_params(
            s.width, s.heads, s.hidden, bias=False, cross_attention=cross_attention
        )


@pytest.mark.rests_on(
    "a decoder layer with cross_attention holds two alike",
    "two maps side by side from d_model to d_ff",
)
def test_options_reach_every_part_of_a_layer(compare, draw):
    """d_inner and num_kv_heads hold for both attentions, `gated` for the feed-forward network."""
    s = sizes(draw)
    inner, grouped, gated = {"d_inner": s.inner}, {"num_kv_heads": s.kv_heads}, {"gated": True}
    for options in (inner, grouped, gated, inner | grouped | gated):
        for cross_attention in (False, True):
            compare.count_layer_params(
                s.width, s.heads, s.hidden, cross_attention=cross_attention, **options
            )
    for options in all_pairs(d_inner=(None, s.inner), num_kv_heads=(None, s.kv_heads)):
        for cross_attention in (False, True):
            compare.count_layer_params(
                s.width, s.heads, s.hidden, cross_attention=cross_attention, **options
            )
    compare.count_layer_params(6, 6, 6, cross_attention=True)  # sizes that coincide


@pytest.mark.core("count_model_params")
@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on("one stack of num_layers layers, no cross-attention, nothing of an encoder")
def test_decoder_only_model(compare, draw):
    """An embedding, the layers without cross-attention, an output layer; nothing of an encoder."""
    model, other = stacks(draw), whole(draw, 503, 601)
    compare.count_model_params(*model)
    compare.count_model_params(*model, src_vocab_size=other)


@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on(
    "with tie_weights its weights are the decoder's embedding",
    "it has a bias only with logit_bias: tied or not",
)
def test_output_layer(compare, draw):
    """Tied weights are counted once; a bias of the logits has one number per word, tied or not."""
    model = stacks(draw)
    compare.count_model_params(*model, tie_weights=True)
    compare.count_model_params(*model, logit_bias=True)
    compare.count_model_params(*model, logit_bias=True, tie_weights=True)


@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on("the encoder uses the same matrix, unless it has tokens of its own")
def test_encoder_and_decoder(compare, draw):
    """The encoder's layers have no cross-attention, the decoder's have; they share one embedding
    unless the encoder has words of its own.
    """
    model, encoder = stacks(draw), whole(draw, 2, 4)
    other = whole(draw, 503, 601)
    compare.count_model_params(*model, num_encoder_layers=encoder)
    for words in (other, model[0]):
        for tied in (False, True):
            compare.count_model_params(
                *model, num_encoder_layers=encoder, src_vocab_size=words, tie_weights=tied
            )
    compare.count_model_params(*model, num_encoder_layers=encoder, tie_weights=True)
    compare.count_model_params(*model, num_encoder_layers=encoder + model[-1])  # the deeper stack


@pytest.mark.points(2)
@pytest.mark.kept("says which fact is missing, before all options meet")
@pytest.mark.rests_on(
    "rows of d_model numbers in each stack",
    "with final_norm a norm after the last layer of each stack",
)
def test_positions_and_final_norms(compare, draw):
    """Learned positions and final norms are there once in each stack: in one, or in two."""
    model, rows = stacks(draw), whole(draw, 701, 801)
    for encoder in (0, 1):
        for options in ({"learned_positions": rows}, {"final_norm": True}):
            compare.count_model_params(*model, num_encoder_layers=encoder, **options)


@pytest.mark.rests_on("for all layers of both stacks; bias holds for the final norms too")
def test_options_reach_every_part_of_a_model(compare, draw):
    """What is said of the layers holds for all layers of both stacks; `bias` for final norms too,
    but not for the logits.
    """
    model, encoder, s = stacks(draw), whole(draw, 2, 4), sizes(draw)
    inner = {"d_inner": 2 * s.inner * model[2]}
    grouped = {"num_kv_heads": model[2] // 2}
    plain = {"bias": False, "final_norm": True, "logit_bias": True}
    for options in (inner, grouped, {"gated": True}, {"shared_norm": True}, plain):
        for count in (0, encoder):
            compare.count_model_params(*model, num_encoder_layers=count, **options)
    more = dict.fromkeys(("tie_weights", "logit_bias", "final_norm"), (False, True))
    more |= {name: (None, value) for wide in (inner, grouped) for name, value in wide.items()}
    more |= {"src_vocab_size": (None, whole(draw, 503, 601)), "learned_positions": (0, 701)}
    for options in all_pairs(**more):
        for count in (0, encoder):
            compare.count_model_params(*model, num_encoder_layers=count, **options)
    compare.count_model_params(6, 6, 6, 6, 1, num_encoder_layers=1)  # sizes that coincide


@pytest.mark.kept("a formula that gives these six numbers is right")
@pytest.mark.rests_on("the parameters of a whole model, each counted once however often it is used")
def test_published_counts(compare):
    """GPT-2 small and XL, the base Transformer, Llama 3 with 8 billion, and two more."""
    gpt2 = {"learned_positions": 1024, "tie_weights": True, "final_norm": True}
    base = {"num_encoder_layers": 6, "tie_weights": True}
    llama = {"num_kv_heads": 8, "gated": True, "bias": False, "final_norm": True}
    wide = {"num_encoder_layers": 6, "src_vocab_size": 129_650, "d_inner": 2048}
    wide |= {"logit_bias": True, "shared_norm": True}
    compare.count_model_params(50_257, 768, 12, 3072, 12, **gpt2)
    compare.count_model_params(50_257, 1600, 25, 6400, 48, **gpt2)
    compare.count_model_params(37_000, 512, 8, 2048, 6, **base)
    compare.count_model_params(128_256, 4096, 32, 14_336, 32, **llama)
    compare.count_model_params(129_650, 1024, 4, 2048, 6, **wide)
    compare.count_mha_params(768, 12, bias=False, out_bias=True)


@pytest.mark.core("attention_flops")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "the four projections, the scores q k^T and the weighted sum of the values",
    "a multiply-add is two operations",
)
def test_flops_of_attention(compare, draw):
    """Two operations for each multiply-add in the projections, the scores and the weighted sum."""
    s, batch, tokens = sizes(draw), several(draw), whole(draw, 401, 501)
    compare.attention_flops(batch, tokens, s.width, s.heads)
    compare.attention_flops(1, 1, s.width, 1)
    compare.attention_flops(6, 6, 6, 6)  # sizes that coincide
    compare.attention_flops(16, 100_001, 8192, 64)  # and those for which 32 bits are too few
    for kv_heads in (s.kv_heads, 1):
        compare.attention_flops(batch, tokens, s.width, s.heads, num_kv_heads=kv_heads)


@pytest.mark.core("kv_cache_bytes")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "keys and values of all tokens so far, in every layer", "shared keys and values are kept once"
)
def test_memory_of_keys_and_values(compare, draw):
    """A key and a value for every token, in every layer, of every shared head, in bytes."""
    s, batch, tokens = sizes(draw), several(draw), whole(draw, 401, 501)
    layers = whole(draw, 7, 13)
    model = (s.width, s.heads, layers)
    compare.kv_cache_bytes(batch, tokens, *model, bytes_per_element=1)
    compare.kv_cache_bytes(batch, tokens, *model)
    compare.kv_cache_bytes(6, 6, 6, 6, 6, 6)
    compare.kv_cache_bytes(16, 100_001, 8192, 64, 80)
    for kv_heads in (s.kv_heads, 1):
        compare.kv_cache_bytes(batch, tokens, *model, 2, num_kv_heads=kv_heads)


@pytest.mark.core("activation_bytes")
@pytest.mark.rests_on("each head of each layer has a number for every pair of tokens")
def test_memory_of_attention_weights(compare, draw):
    """A number for every pair of tokens, in every head of every layer, in bytes."""
    batch, tokens, heads = several(draw), whole(draw, 401, 501), whole(draw, 14, 20)
    layers = whole(draw, 7, 13)
    compare.activation_bytes(batch, tokens, heads)
    compare.activation_bytes(6, 6, 6, 6, 6)
    compare.activation_bytes(16, 100_001, 64, 80)
    compare.activation_bytes(batch, tokens, heads, layers, 2)
    compare.activation_bytes(batch, tokens, heads, bytes_per_element=2, num_layers=layers)


@pytest.mark.core("mask_buffer_bytes")
@pytest.mark.rests_on("a full square in each layer that has its own")
def test_memory_of_a_mask(compare, draw):
    """A full square of the context length in every layer, in bytes."""
    length, layers = whole(draw, 401, 501), whole(draw, 7, 13)
    compare.mask_buffer_bytes(length, 2)
    compare.mask_buffer_bytes(length)
    compare.mask_buffer_bytes(length, 1)
    compare.mask_buffer_bytes(6, 6, 6)
    compare.mask_buffer_bytes(100_001, num_layers=80)
    compare.mask_buffer_bytes(length, num_layers=layers, bytes_per_element=2)
