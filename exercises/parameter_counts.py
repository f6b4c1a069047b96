"""Counting: parameters, multiplications and memory, before anything is built.

Idea
----

How large is a model, where do its parameters sit, and what grows with the length of the text? A
description of the model is enough to know: its widths, its layers, its vocabulary. Counting also
shows what a design is good for, since most of them save one of these numbers.

Formula
-------

    a linear map from m to n numbers    m * n weights, and n biases if it has any
    a norm of width d                   d weights, and d biases if it has any
    an embedding of V tokens            V * d
    a product (m, k) @ (k, n)           m * k * n multiply-adds = 2 * m * k * n flops
    memory                              numbers stored * bytes per number

A *multiply-add* multiplies two numbers and adds the result to a sum: two floating-point operations,
or *flops*.

Worked example
--------------

A layer of width d_model = 4, whose network is d_ff = 16 wide:

    attention                four maps       4 * (4 * 4 + 4)               80
    feed-forward network     up and down     4 * 16 + 16 + 16 * 4 + 4     148
    two norms                                2 * (4 + 4)                   16
    the layer                                                             244

And GPT-2 small, with 50,257 tokens, 1,024 positions, the width 768 and 12 layers:

>>> layer = 4 * (768 * 768 + 768) + 768 * 3072 + 3072 + 3072 * 768 + 768 + 2 * (768 + 768)
>>> layer
7087872
>>> 50_257 * 768 + 1_024 * 768 + 12 * layer + 2 * 768  # tables, layers, the last norm
124439808

[Figure where: bars for GPT-2 small. Of its 124 million parameters, 45.5 percent are in the
feed-forward networks, 31.0 in the token table, 22.8 in attention, 0.6 in the positions, and the
norms have almost none.]

What is graded
--------------

Eight functions. The first four build on one another; the others are short.

These counts are exact, and small slips hide well in large numbers: a bias, the last norm, one of
two embeddings. Every function takes whole numbers and returns a whole number: a Python int,
but numpy's, or a float of exactly that value, will do. Counts may be larger than 32 bits hold, and
all options may be used together. Sizes may be taken to fit together: num_heads divides d_inner (or,
without one, d_model), num_kv_heads divides num_heads.

Words used throughout:

    d_model         width of the tokens
    d_inner         width of all heads together, when it is not d_model (None: it is)
    num_kv_heads    heads of keys and values, when several heads of queries share one (grouped
                    queries: Ainslie et al. 2023); None: as many as num_heads
    bias            whether the linear maps, and in layers and models the norms, have biases

Why it is like this
-------------------

Why are biases sometimes left out? They are few: 8,448 of the 7 million numbers of the layer above,
norms included. Many recent models do without them.

Why share keys and values among heads? A model that writes token by token needs the keys and values
of all earlier tokens again and again. It keeps them, in the *KV cache*, instead of computing them
anew. For long texts this cache can be larger than the model; sharing makes it several times
smaller.

Why count attention weights? They (and masks that are kept) are what grows with the square of the
text's length, in memory and in time.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3 and table 3 (sizes), 5.1 (vocabulary).
Kaplan et al. 2020, "Scaling Laws for Neural Language Models", section 2.1: counts, parameter by
parameter and flop by flop.
Ainslie et al. 2023, "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
Checkpoints": grouped queries.
"""

from __future__ import annotations


def _linear(d_in: int, d_out: int, bias: bool) -> int:
    """The parameters of one linear map."""
    return d_in * d_out + (d_out if bias else 0)


def _norm(d_model: int, bias: bool) -> int:
    """The parameters of one norm."""
    return 2 * d_model if bias else d_model


def count_mha_params(
    d_model: int,
    num_heads: int,
    bias: bool = True,
    *,
    out_bias: bool | None = None,
    d_inner: int | None = None,
    num_kv_heads: int | None = None,
) -> int:
    """The parameters of one multi-head attention: four linear maps.

    Queries: d_model to d_inner. Keys and values: d_model to num_kv_heads heads of
    d_inner / num_heads numbers each. Output: from d_inner back to d_model.

    Heads cut the width into pieces, they do not add to it: unless keys and values have fewer, the
    number of heads does not change the count.

    Args:
        bias: whether the projections of queries, keys and values have biases.
        out_bias: whether the output projection has one; None: it has if the others have.

    Source: Vaswani et al. 2017, section 3.2.2.

    >>> count_mha_params(4, 2)  # 4 maps of 4 * 4 weights and 4 biases
    80
    >>> count_mha_params(768, 12, bias=False, out_bias=True)
    2360064
    >>> count_mha_params(1024, 4, d_inner=2048)
    8395776
    """
    # TODO: step 1 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def count_feed_forward_params(
    d_model: int, d_ff: int, bias: bool = True, *, gated: bool = False
) -> int:
    """The parameters of one feed-forward network: d_model to d_ff and back.

    ``gated`` (SwiGLU of the page ``feed_forward``: Shazeer 2020) has two maps side by side from
    d_model to d_ff, one of them for the gate. What they give is multiplied, number by number, so
    one map leads back from d_ff. With ``bias`` each of the three has one.

    Source: Vaswani et al. 2017, section 3.3, eq. (2).

    >>> count_feed_forward_params(4, 16)  # 4 * 16 + 16 and 16 * 4 + 4
    148
    >>> count_feed_forward_params(4, 16, bias=False, gated=True)  # 3 * 4 * 16
    192
    """
    # TODO: step 2 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def count_layer_params(
    d_model: int,
    num_heads: int,
    d_ff: int,
    bias: bool = True,
    *,
    cross_attention: bool = False,
    d_inner: int | None = None,
    num_kv_heads: int | None = None,
    gated: bool = False,
    shared_norm: bool = False,
) -> int:
    """The parameters of one layer: attention, feed-forward network, and their norms.

    An encoder layer, or the layer of a decoder-only model, holds one attention. A decoder layer
    with ``cross_attention`` holds two alike: one over its own tokens, one over the encoder's. Each
    attention and the feed-forward network come with a norm; a model that makes one norm and uses
    it after both of its attentions has a ``shared_norm`` there, counted once. (With one attention
    alone there is nothing to share, and ``shared_norm`` changes nothing.)

    ``bias`` holds for all linear maps and all norms of the layer.

    Source: Vaswani et al. 2017, section 3.1 and figure 1.

    >>> count_layer_params(4, 2, 16)  # 80 + 148 + two norms of 8
    244
    >>> count_layer_params(512, 8, 2048), count_layer_params(512, 8, 2048, cross_attention=True)
    (3152384, 4204032)
    """
    # TODO: step 3 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def count_model_params(
    vocab_size: int,
    d_model: int,
    num_heads: int,
    d_ff: int,
    num_layers: int,
    bias: bool = True,
    *,
    num_encoder_layers: int = 0,
    src_vocab_size: int | None = None,
    learned_positions: int = 0,
    tie_weights: bool = False,
    logit_bias: bool = False,
    final_norm: bool = False,
    d_inner: int | None = None,
    num_kv_heads: int | None = None,
    gated: bool = False,
    shared_norm: bool = False,
) -> int:
    """The parameters of a whole model, each counted once however often it is used.

    Two kinds of model. With ``num_encoder_layers`` there are two stacks: an encoder of that many
    layers, and a decoder of ``num_layers`` more with cross-attention. Without, a decoder-only
    model: one stack of ``num_layers`` layers, no cross-attention, nothing of an encoder.

    Around the stacks:

    - an embedding of vocab_size tokens for the decoder. The encoder uses the same matrix, unless it
      has tokens of its own: ``src_vocab_size`` many, in a second matrix (also when the two
      vocabularies are of the same size);
    - an output layer from d_model to vocab_size logits. With ``tie_weights`` its weights are the
      decoder's embedding. It has a bias only with ``logit_bias``: tied or not, and whatever
      ``bias`` says;
    - ``learned_positions`` rows of d_model numbers in each stack. 0: sinusoids, which are computed
      and no parameters;
    - with ``final_norm`` a norm after the last layer of each stack.

    The other arguments are those of ``count_layer_params``, for all layers of both stacks; ``bias``
    holds for the final norms too.

    Source: Vaswani et al. 2017, section 3.4 (shared embeddings); Radford et al. 2019 (GPT-2).

    >>> count_model_params(10, 4, 2, 16, 3)  # 10 * 4, three layers of 244, 4 * 10
    812

    An encoder alone has the same layers as a decoder-only model, and no output layer. With tied
    weights the output layer adds nothing, so this counts an encoder: 10 * 4 and three layers of
    244.

    >>> count_model_params(10, 4, 2, 16, 3, tie_weights=True)
    772

    The base model of the first paper. (Its table 3 prints 65 million, and the text does not say
    what else was counted; if you get this number, you made no mistake.) Then GPT-2 small:

    >>> count_model_params(37_000, 512, 8, 2048, 6, num_encoder_layers=6, tie_weights=True)
    63082496
    >>> gpt2 = dict(learned_positions=1024, tie_weights=True, final_norm=True)
    >>> count_model_params(50_257, 768, 12, 3072, 12, **gpt2)
    124439808
    """
    # TODO: step 4 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def attention_flops(
    batch: int, tokens: int, d_model: int, num_heads: int, *, num_kv_heads: int | None = None
) -> int:
    """The floating-point operations of one self-attention's forward pass.

    Counted are the matrix products and nothing else: the four projections, the scores q k^T and
    the weighted sum of the values. A multiply-add is two operations. A causal mask saves nothing:
    the scores of forbidden pairs are computed before they are masked. Biases, scaling and softmax
    are left out, and so is the copying of shared keys and values.

    The projections grow with the number of tokens, scores and sums with its square.

    Source: Vaswani et al. 2017, table 1; Kaplan et al. 2020, table 1.

    >>> attention_flops(1, 3, 4, 2)  # 2 * 4 * 3 * 4 * 4, and 2 * 2 * 3 * 3 * 4
    528
    """
    # TODO: step 5 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def kv_cache_bytes(
    batch: int,
    tokens: int,
    d_model: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
    *,
    num_kv_heads: int | None = None,
) -> int:
    """The memory that generation keeps: keys and values of all tokens so far, in every layer.

    This is the KV cache: two numbers for each token of each text of the batch, for each layer and
    each place in the width of the keys. The heads' width together is d_model; shared keys and
    values are kept once.

    Source: Shazeer 2019, "Fast Transformer Decoding", section 2.4.1; Kwon et al. 2023, section 3:
    one token of a model of 40 layers and width 5120 takes 800 KiB in float16.

    >>> kv_cache_bytes(1, 1, 5120, 40, 40, 2)  # 2 * 40 * 5120 numbers of 2 bytes
    819200
    >>> kv_cache_bytes(1, 1, 5120, 40, 40, 2, num_kv_heads=8)
    163840
    """
    # TODO: step 6 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def activation_bytes(
    batch: int, tokens: int, num_heads: int, num_layers: int = 1, bytes_per_element: int = 4
) -> int:
    """The memory of the attention weights alone, which training keeps for the backward pass.

    Each head of each layer has a number for every pair of tokens of a sequence: for each token with
    each, itself included, in either order, whether a mask allows the pair or not. FlashAttention
    computes attention in small tiles, so as to store none of them.

    Source: Dao et al. 2022, "FlashAttention", section 2.2; Korthikanti et al. 2022, section 4.1.

    >>> activation_bytes(16, 20, 4)  # 25,600 weights
    102400
    >>> activation_bytes(1, 1024, 12, 12, 2)  # GPT-2 small, one sequence in 16 bits: 288 MiB
    301989888
    """
    # TODO: step 7 of 8
    raise NotImplementedError("parameter_counts: replace this line")


def mask_buffer_bytes(context_length: int, bytes_per_element: int = 4, num_layers: int = 1) -> int:
    """The memory of a causal mask kept as a buffer, a full square in each layer that has its own.

    It is the same for any batch and any number of heads. Nearly half of it, the part above the
    diagonal, is always False, and is stored like all the rest.

    >>> mask_buffer_bytes(2048) // 2**20  # float32: 16 MiB in every layer
    16
    >>> mask_buffer_bytes(2048, 1) // 2**20  # bool
    4
    """
    # TODO: step 8 of 8
    raise NotImplementedError("parameter_counts: replace this line")
