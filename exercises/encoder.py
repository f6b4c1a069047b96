"""The encoder: self-attention and a feed-forward network, layer upon layer.

Idea
----

An encoder takes one vector for each token and returns one for each token, which now depends on all
the others. A layer does this in two steps: in *self-attention* the tokens exchange information,
in the *feed-forward network* each token is processed by itself. An encoder is N such layers one
after the other, alike in shape, each with weights of its own.

    x --+----------------------> + --+--------------------------> + --> next layer
        |                        ^   |                            ^
        +--> self-attention -----+   +--> feed-forward network ---+

[Figure layer: one layer in both forms, with its norms. Two branches, self-attention and
feed-forward, each end in a plus on the straight way. In pre-norm norm1 and norm2 begin the
branches, in post-norm they stand behind the sums.]

Each sub-layer is a branch beside a straight way (the *residual* or *skip connection* of the page
``residual``), and each has a norm of its own. The norms stand after the sums (post-norm, as in the
first Transformer) or at the beginning of the branches (pre-norm).

Formula
-------

    post-norm:  x = norm1(x + attention(x))          pre-norm:  x = x + attention(norm1(x))
                x = norm2(x + feed_forward(x))                  x = x + feed_forward(norm2(x))

    feed_forward(x) = linear2(activation(linear1(x)))

The second line goes on from the result of the first. A pre-norm stack ends with one more norm.

Worked example
--------------

One pre-norm layer, three tokens of width 2. The norm takes the mean away and divides by the
standard deviation, so two numbers always become -1 and 1:

>>> x = torch.tensor([[0.0, 2.0], [4.0, 2.0], [1.0, 3.0]])
>>> normed = nn.functional.layer_norm(x, (2,))
>>> normed.round(decimals=2)
tensor([[-1.,  1.],
        [ 1., -1.],
        [-1.,  1.]])

Let all scores be equal and the projections do nothing. Then every token gets the mean of the three:

>>> mean = normed.mean(0).expand(3, 2)
>>> mean.round(decimals=4)
tensor([[-0.3333,  0.3333],
        [-0.3333,  0.3333],
        [-0.3333,  0.3333]])
>>> x = x + mean  # the straight way: x itself, not normed
>>> x.round(decimals=4)
tensor([[-0.3333,  2.3333],
        [ 3.6667,  2.3333],
        [ 0.6667,  3.3333]])

Let the feed-forward network answer (10, 0) to everything. It is added in the same way. The example
of ``EncoderLayer`` below gets these numbers from a real layer:

>>> (x + torch.tensor([10.0, 0.0])).round(decimals=4)
tensor([[ 9.6667,  2.3333],
        [13.6667,  2.3333],
        [10.6667,  3.3333]])

What is graded
--------------

First ``EncoderLayer`` without mask and dropout, then with a mask, then with dropout; then
``Encoder``.

The lesson is the wiring. So build it from torch's own parts, nn.MultiheadAttention, nn.Linear and
nn.LayerNorm: nothing that you wrote in other exercises is needed here. Your layer then has the
parameters of torch's own encoder layer, name by name.

Masks are boolean and True = may attend. torch's attention means the opposite; the function
``attend`` below, which is given, turns them round. Everything keeps the dtype and the device of x
(to which the modules have been moved as well, with ``.to(...)``) and leaves its inputs as they
were.

Write it yourself: ``nn.TransformerEncoderLayer`` and ``nn.TransformerEncoder`` are not available
here, under any name. ``nn.MultiheadAttention``, ``nn.LayerNorm`` and ``F.gelu`` are welcome here.

Why it is like this
-------------------

Why two sub-layers? Attention only averages values. Without a network between them, averages of
averages would follow one another, and all tokens would become more and more alike. The network,
on the other hand, never mixes tokens.

Why one more norm at the end of a pre-norm stack? Every layer adds to x and none normalises the sum.
In post-norm, the last thing a layer does is to normalise it.

Why dropout in three places? The paper names one of them, what a branch adds (and the embeddings:
section 5.4). The other two, the attention weights and the activations, are dropped in the authors'
program and in torch's layers.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", sections 3.1 and 3.3. Xiong et al. 2020, "On Layer
Normalization in the Transformer Architecture": pre-norm, figure 1. Dong et al. 2021, "Attention Is
Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth": what becomes of
attention without the feed-forward network and the straight way. Devlin et al. 2019, "BERT:
Pre-training of Deep Bidirectional Transformers for Language Understanding", section 3: a famous
model that is this encoder.
"""

from __future__ import annotations

import copy

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def attend(
    attention: nn.MultiheadAttention,
    query: Float[Tensor, "B Tq d"],
    key_value: Float[Tensor, "B Tk d"],
    mask: Bool[Tensor, "Tq Tk"] | Bool[Tensor, "B H Tq Tk"] | None,
) -> Float[Tensor, "B Tq d"]:
    """What torch's attention (made with batch_first=True) finds for ``query`` in ``key_value``.

    Ready to use. torch's own masks are the other way round, True = may not attend, and have
    three axes, (B * H, Tq, Tk). This takes ours: True = may attend, two axes or four, any axis of
    size 1 standing for all. None lets everybody attend to everybody.
    """
    if mask is not None:
        batch, heads = query.shape[0], attention.num_heads
        mask = mask.expand(batch, heads, query.shape[1], key_value.shape[1])
        mask = mask.logical_not().flatten(0, 1)
    return attention(query, key_value, key_value, attn_mask=mask, need_weights=False)[0]


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network, each beside a straight way (formulas above).

    The modules are named as those of ``torch.nn.TransformerEncoderLayer``:

    - self_attn: ``nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)``
    - linear1, linear2: ``nn.Linear``, from d_model to d_ff and back
    - norm1, norm2: ``nn.LayerNorm(d_model)``, eps = 1e-5, of the first and the second sub-layer

    and there are no other parameters. All begin as these modules begin: the norms with ones and
    zeros, the matrices about as large as torch makes them (four times more or less is right as
    well), drawn anew for every layer. At the paper's size, EncoderLayer(512, 8, 2048), that makes
    3,152,384 numbers. Each layer keeps its own settings and weights, whatever is made after it; the
    names and the order of the arguments stay as they are.

    Args:
        dropout: 0 <= dropout < 1. In train mode it acts in three places, each number on its own,
            and anew for every branch, every layer and every call: on the attention weights (inside
            self_attn); on the activations between linear1 and linear2; and on what each of the two
            branches adds to the straight way. The straight way and the norms lose nothing, and in
            eval mode nothing does.
        norm_first: True for pre-norm, False for post-norm.
        activation: "relu", or "gelu" for the exact GELU.

    Raises:
        ValueError: activation is another word (when the layer is made, or at the latest when it
            is first called).

    Source: Vaswani et al. 2017, sections 3.1, 3.3 and 5.4; Xiong et al. 2020, figure 1.

    The worked example: attention with equal scores and W_v = W_o = 1, the unit matrix, and a
    feed-forward network that answers (10, 0) to everything.

    >>> layer = EncoderLayer(2, 1, 5, dropout=0.0, norm_first=True)
    >>> for name, weights in layer.named_parameters():
    ...     if "norm" not in name:
    ...         _ = nn.init.zeros_(weights)
    >>> for square in layer.self_attn.in_proj_weight[4:], layer.self_attn.out_proj.weight:
    ...     _ = square.data.copy_(torch.eye(2))
    >>> _ = layer.linear2.bias.data.copy_(torch.tensor([10.0, 0.0]))
    >>> layer(torch.tensor([[[0.0, 2.0], [4.0, 2.0], [1.0, 3.0]]])).detach()
    tensor([[[ 9.6667,  2.3333],
             [13.6667,  2.3333],
             [10.6667,  3.3333]]])
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        norm_first: bool = False,
        activation: str = "relu",
    ) -> None:
        # TODO: step 1 of 4
        raise NotImplementedError("encoder: replace this line")

    def forward(
        self,
        x: Float[Tensor, "B T d_model"],
        mask: Bool[Tensor, "T T"] | Bool[Tensor, "B H T T"] | None = None,
    ) -> Float[Tensor, "B T d_model"]:
        """Lengths may differ from call to call, and nothing is remembered between calls.

        Args:
            mask: True = may attend. Two axes, (T, T), or four, (B, H, T, T); any axis may have
                size 1 and then stands for all: (B, 1, 1, T) hides padding. Every token may attend
                to at least one. A token that may not be attended to gets no weight, however
                large its score. None lets everybody attend to everybody.
        """
        # TODO: step 1 of 4, post-norm
        #       step 2 of 4, pre-norm
        #       step 3 of 4, with a mask
        raise NotImplementedError("encoder: replace this line")


class Encoder(nn.Module):
    """N encoder layers one after the other, and a norm at the end if one is given.

    - layers: an ``nn.ModuleList`` of ``num_layers`` deep copies of ``layer`` (``copy.deepcopy``).
      They begin with its weights and from then on share nothing: not with one another, and not with
      ``layer``, which itself is no part of the stack.
    - norm: the module given, itself and not a copy, or nothing.

    So the parameters are called layers.0.self_attn.in_proj_weight and so on, and norm's come with
    "norm." before their names. There are no others.

    Args:
        layer: an EncoderLayer.
        num_layers: N >= 1.
        norm: called once, on the result of the last layer, with that alone. Any module will do.

    Source: Vaswani et al. 2017, section 3.1 (N = 6).

    >>> layer = EncoderLayer(12, 3, 20)
    >>> sum(weights.numel() for weights in layer.parameters())
    1184
    >>> stack = Encoder(layer, 6, nn.LayerNorm(12))
    >>> sum(weights.numel() for weights in stack.parameters())  # 6 * 1184 + 24
    7128
    """

    def __init__(self, layer: nn.Module, num_layers: int, norm: nn.Module | None = None) -> None:
        # TODO: step 4 of 4
        raise NotImplementedError("encoder: replace this line")

    def forward(
        self,
        x: Float[Tensor, "B T d_model"],
        mask: Bool[Tensor, "T T"] | Bool[Tensor, "B H T T"] | None = None,
    ) -> Float[Tensor, "B T d_model"]:
        """Every layer gets the result of the one before it, and every layer gets the mask."""
        # TODO: step 4 of 4
        raise NotImplementedError("encoder: replace this line")
