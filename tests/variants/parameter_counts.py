"""Right answers to ``parameter_counts`` that are written differently."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import nn

from grader.check import variant


@variant(of="count_mha_params")
def one_formula(d_model, num_heads, bias=True, *, out_bias=None, d_inner=None, num_kv_heads=None):
    inner = d_inner or d_model
    narrow = inner * (num_kv_heads or num_heads) // num_heads
    if out_bias is None:
        out_bias = bias
    weights = 2 * d_model * (inner + narrow)
    return weights + int(bias) * (inner + 2 * narrow) + int(out_bias) * d_model


@variant(of="count_mha_params")
def head_by_head(d_model, num_heads, bias=True, out_bias=None, d_inner=None, num_kv_heads=None):
    d_head = (d_model if d_inner is None else d_inner) // num_heads
    heads_of_keys = num_heads if num_kv_heads is None else num_kv_heads
    total = 0
    for _ in range(num_heads):
        total += d_model * d_head + (d_head if bias else 0)
    for _ in range(2 * heads_of_keys):
        total += d_model * d_head + (d_head if bias else 0)
    total += num_heads * d_head * d_model
    return total + (d_model if (bias if out_bias is None else out_bias) else 0)


@variant(of="count_mha_params")
def by_true_division(d_model, num_heads, bias=True, **options):
    """A float of exactly the right value."""
    inner = options.get("d_inner") or d_model
    narrow = inner * (options.get("num_kv_heads") or num_heads) / num_heads
    out_bias = options.get("out_bias")
    last = bias if out_bias is None else out_bias
    return (d_model + bias) * (inner + 2 * narrow) + (inner + last) * d_model


@variant(of="count_mha_params")
def from_a_table_of_shapes(
    d_model, num_heads, bias=True, *, out_bias=None, d_inner=None, num_kv_heads=None
):
    inner = d_inner or d_model
    narrow = (num_kv_heads or num_heads) * (inner // num_heads)
    shapes = [(inner, d_model), (narrow, d_model), (narrow, d_model), (d_model, inner)]
    biases = [bias, bias, bias, bias if out_bias is None else out_bias]
    numbers = [math.prod(shape) for shape in shapes]
    numbers += [shape[0] for shape, has in zip(shapes, biases, strict=True) if has]
    return np.sum(np.array(numbers))


@variant(of="count_feed_forward_params")
def from_modules_without_memory(d_model, d_ff, bias=True, *, gated=False):
    layers = [nn.Linear(d_model, d_ff, bias, device="meta") for _ in range(2 if gated else 1)]
    layers.append(nn.Linear(d_ff, d_model, bias, device="meta"))
    return sum(p.numel() for layer in layers for p in layer.parameters())


@variant(of="count_feed_forward_params")
def weights_then_biases(d_model, d_ff, bias=True, gated=False):
    maps = 3 if gated else 2
    count = maps * d_model * d_ff
    if bias:
        count += (maps - 1) * d_ff + d_model
    return count


@variant(of="count_layer_params")
def written_out(
    d_model,
    num_heads,
    d_ff,
    bias=True,
    *,
    cross_attention=False,
    d_inner=None,
    num_kv_heads=None,
    gated=False,
    shared_norm=False,
):
    b = int(bias)
    inner = d_inner or d_model
    narrow = inner // num_heads * (num_kv_heads or num_heads)
    attention = (d_model + b) * (inner + 2 * narrow) + (inner + b) * d_model
    feed_forward = (d_model + b) * d_ff * (1 + gated) + (d_ff + b) * d_model
    norm = d_model * (1 + b)
    if not cross_attention:
        return attention + feed_forward + 2 * norm
    return 2 * attention + feed_forward + (2 if shared_norm else 3) * norm


@variant(of="count_model_params")
def term_by_term(
    vocab_size,
    d_model,
    num_heads,
    d_ff,
    num_layers,
    bias=True,
    *,
    num_encoder_layers=0,
    src_vocab_size=None,
    learned_positions=0,
    tie_weights=False,
    logit_bias=False,
    final_norm=False,
    **layer,
):
    sizes = (d_model, num_heads, d_ff, bias)
    total = vocab_size * d_model
    if not tie_weights:
        total += d_model * vocab_size
    if logit_bias:
        total += vocab_size
    for stack in ("encoder", "decoder") if num_encoder_layers else ("decoder",):
        crossed = stack == "decoder" and num_encoder_layers > 0
        count = num_layers if stack == "decoder" else num_encoder_layers
        total += sum(written_out(*sizes, cross_attention=crossed, **layer) for _ in range(count))
        total += learned_positions * d_model
        if final_norm:
            total += d_model + (d_model if bias else 0)
        if stack == "encoder" and src_vocab_size:
            total += src_vocab_size * d_model
    return total


@variant(of="attention_flops")
def product_by_product(batch, tokens, d_model, num_heads, *, num_kv_heads=None):
    d_head = d_model // num_heads
    narrow = (num_kv_heads or num_heads) * d_head
    shapes = [(tokens, d_model, d_model), (tokens, d_model, narrow), (tokens, d_model, narrow)]
    shapes += [(tokens, d_head, tokens), (tokens, tokens, d_head)] * num_heads
    shapes.append((tokens, d_model, d_model))
    return batch * sum(2 * m * k * n for m, k, n in shapes)


@variant(of="attention_flops")
def as_a_float(batch, tokens, d_model, num_heads, num_kv_heads=None):
    narrow = d_model * (num_kv_heads or num_heads) / num_heads
    return 4 * batch * tokens * d_model * (d_model + narrow + tokens)


@variant(of="kv_cache_bytes")
def from_a_tensor_without_memory(
    batch, tokens, d_model, num_heads, num_layers, bytes_per_element=4, *, num_kv_heads=None
):
    shape = (num_layers, 2, batch, num_kv_heads or num_heads, tokens, d_model // num_heads)
    return torch.empty(shape, device="meta").numel() * bytes_per_element


@variant(of="kv_cache_bytes")
def width_first(
    batch, tokens, d_model, num_heads, num_layers, bytes_per_element=4, num_kv_heads=None
):
    width = d_model * (num_kv_heads or num_heads) // num_heads
    per_token = 2 * width * bytes_per_element
    return per_token * tokens * batch * num_layers


@variant(of="activation_bytes")
def product_of_the_shape(batch, tokens, num_heads, num_layers=1, bytes_per_element=4):
    return math.prod((num_layers, batch, num_heads, tokens, tokens)) * bytes_per_element


@variant(of="activation_bytes")
def in_numpys_integers(batch, tokens, num_heads, num_layers=1, bytes_per_element=4):
    shape = np.array([num_layers, batch, num_heads, tokens, tokens, bytes_per_element])
    return shape.prod()


@variant(of="mask_buffer_bytes")
def squared(context_length, bytes_per_element=4, num_layers=1):
    return context_length**2 * bytes_per_element * num_layers


@variant(of="mask_buffer_bytes")
def summed_over_layers(context_length, bytes_per_element=4, num_layers=1):
    mask = torch.empty(context_length, context_length, dtype=torch.uint8, device="meta")
    return sum(mask.numel() * mask.element_size() * bytes_per_element for _ in range(num_layers))


@variant(of="count_feed_forward_params")
def checked_on_the_way(d_model: int, d_ff: int, bias: bool = True, *, gated: bool = False) -> int:
    """Type checks, assertions and prints, as in code that is being debugged."""
    if not all(isinstance(size, int) for size in (d_model, d_ff)):
        raise TypeError("sizes are whole numbers")
    assert d_model > 0, d_model
    assert d_ff > 0, d_ff
    count = (3 if gated else 2) * d_model * d_ff + bias * ((2 if gated else 1) * d_ff + d_model)
    print(f"{count:,} parameters")
    return count


@variant(of="count_model_params")
def from_named_shapes(
    vocab_size, d_model, num_heads, d_ff, num_layers, bias=True, *, num_encoder_layers=0, **options
):
    """A dictionary of shapes, as a state_dict has them."""
    layer = {k: v for k, v in options.items() if k in ("d_inner", "num_kv_heads", "gated")}
    layer["shared_norm"] = options.get("shared_norm", False)
    shapes = {"embedding": (vocab_size, d_model)}
    if not options.get("tie_weights"):
        shapes["output"] = (d_model, vocab_size)
    if options.get("logit_bias"):
        shapes["output.bias"] = (vocab_size,)
    counts = {"decoder": num_layers} | (
        {"encoder": num_encoder_layers} if num_encoder_layers else {}
    )
    if "encoder" in counts and options.get("src_vocab_size") is not None:
        shapes["source"] = (options["src_vocab_size"], d_model)
    total = 0
    for stack, count in counts.items():
        shapes[f"{stack}.positions"] = (options.get("learned_positions", 0), d_model)
        if options.get("final_norm"):
            shapes[f"{stack}.norm"] = (2 if bias else 1, d_model)
        crossed = stack == "decoder" and "encoder" in counts
        one = written_out(d_model, num_heads, d_ff, bias, cross_attention=crossed, **layer)
        total += count * one
    return total + sum(map(math.prod, shapes.values()))


@variant(of="mask_buffer_bytes")
def in_numpys_64_bits(context_length, bytes_per_element=4, num_layers=1):
    sides = np.array([context_length, context_length, bytes_per_element, num_layers], np.int64)
    return int(sides.prod())
