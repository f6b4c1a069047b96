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

A ``SublayerConnection`` calls its sub-layer with one tensor, and expects one back. What takes or
returns more is wrapped in a function that sees the variables around it (a *closure*). Here
``times`` needs a factor, and also returns the largest number:

>>> def times(y, factor):
...     return y * factor, round(y.max().item(), 2)
>>> factor, largest = 10.0, []
>>> def branch(y):
...     result, number = times(y, factor)
...     largest.append(number)
...     return result
>>> SublayerConnection(2, dropout=0.0)(x[:1], branch).detach()  # x + 10 * norm(x)
tensor([[-10.3333,  12.3333]])
>>> largest
[1.0]

``largest`` is a list because a plain ``largest = number`` inside ``branch`` would make a new name
that ends with the call. Within a method, a line ``nonlocal largest`` before it would do as well. If
nothing is to be kept, ``lambda y: times(y, factor)[0]`` is such a function in one line.

What is graded
--------------

First ``EncoderLayer`` without mask and dropout, then with a mask; then ``Encoder``; at last the
attention weights of both. ``dropout`` and ``activation`` are only handed on to the parts.

The lesson is the wiring. The parts are your own, imported from your earlier exercises: attention,
feed-forward network, and the residual connection, which holds the norm and the dropout of its
branch. If one of them is wrong or not written yet, what fails here because of it is *blocked*, and
says which one comes first. How they are made and, in the second line of each, called (hand options
over by their names; with need_weights the attention returns the pair of its result and its
weights):

    MultiHeadAttention(d_model, num_heads, dropout=0.0, bias=True, ...)
        (query, key=None, value=None, mask=None, is_causal=False, need_weights=False)
    PositionwiseFeedForward(d_model, d_ff, dropout=0.1, activation="relu", *, bias=True, ...)
        (x)
    SublayerConnection(d_model, dropout, norm_first=True)
        (x, sublayer)

What an option is there by default is not always what it is here: so hand on each that you are
given.

Masks are boolean and True = may attend, as in ``MultiHeadAttention``. Everything keeps the dtype
and the device of x (to which the modules have been moved as well, with ``.to(...)``) and leaves its
inputs as they were.

Write it yourself: ``nn.TransformerEncoderLayer`` and ``nn.TransformerEncoder`` are not available
here, under any name. ``nn.LayerNorm`` and ``F.gelu`` are welcome here.

Why it is like this
-------------------

Why two sub-layers? Attention only averages values. Without a network between them, averages of
averages would follow one another, and all tokens would become more and more alike. The network,
on the other hand, never mixes tokens.

Why one more norm at the end of a pre-norm stack? Every layer adds to x and none normalises the sum.
In post-norm, the last thing a layer does is to normalise it.

Why dropout in three places? Section 5.4 of the paper names the output of each sub-layer (and the
sums of embeddings and positions), section 6.3 mentions dropout of attention. The authors' program
and torch's layers drop activations as well.

Why return the attention weights? They say which tokens a token has taken its values from, in every
layer and head. Drawn as a picture, those of one layer are called an *attention map*.

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
from feed_forward import PositionwiseFeedForward
from jaxtyping import Bool, Float
from multi_head_attention import MultiHeadAttention
from residual import SublayerConnection
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network, each beside a straight way (formulas above).

    The modules are your own:

    - self_attn: ``MultiHeadAttention``
    - feed_forward: ``PositionwiseFeedForward``
    - residual1, residual2: a ``SublayerConnection`` for each of the two sub-layers

    and there are no parameters but theirs: self_attn.w_q.weight, feed_forward.w_1.weight,
    residual1.norm.weight (called norm1 in the formulas) and so on. All begin as these modules
    begin: the norms with ones and zeros, the matrices at random, drawn anew for every layer
    that is made. At the paper's size, EncoderLayer(512, 8, 2048), that makes 3,152,384 numbers.
    Each layer keeps its own settings and weights, whatever is made after it; the names and the
    order of the arguments stay as they are.

    Args:
        dropout: 0 <= dropout < 1. In train mode it acts in three places, each number on its own,
            and anew for every branch, every layer and every call: on the attention weights (inside
            self_attn); on the activations (inside feed_forward); and on what each of the two
            branches adds to the straight way. The straight way and the norms lose nothing, and in
            eval mode nothing does.
        norm_first: True for pre-norm, False for post-norm.
        activation: "relu", or "gelu" for the exact GELU.

    Raises:
        ValueError: activation is another word (when the layer is made, or at the latest when it
            is first called). Your ``PositionwiseFeedForward`` raises it.

    Source: Vaswani et al. 2017, sections 3.1, 3.3 and 5.4; Xiong et al. 2020, figure 1.

    The worked example: attention with equal scores and W_v = W_o = 1, the unit matrix, and a
    feed-forward network that answers (10, 0) to everything.

    >>> layer = EncoderLayer(2, 1, 5, dropout=0.0, norm_first=True)
    >>> for name, weights in layer.named_parameters():
    ...     if "norm" not in name:
    ...         _ = nn.init.zeros_(weights)
    >>> for square in layer.self_attn.w_v.weight, layer.self_attn.w_o.weight:
    ...     _ = square.data.copy_(torch.eye(2))
    >>> _ = layer.feed_forward.w_2.bias.data.copy_(torch.tensor([10.0, 0.0]))
    >>> x = torch.tensor([[[0.0, 2.0], [4.0, 2.0], [1.0, 3.0]]])
    >>> layer(x).detach()
    tensor([[[ 9.6667,  2.3333],
             [13.6667,  2.3333],
             [10.6667,  3.3333]]])
    >>> result, weights = layer(x, need_weights=True)
    >>> weights[0, 0].detach()
    tensor([[0.3333, 0.3333, 0.3333],
            [0.3333, 0.3333, 0.3333],
            [0.3333, 0.3333, 0.3333]])
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
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout, activation)
        self.residual1 = SublayerConnection(d_model, dropout, norm_first)
        self.residual2 = SublayerConnection(d_model, dropout, norm_first)

    def forward(
        self,
        x: Float[Tensor, "B T d_model"],
        mask: Bool[Tensor, "T T"] | Bool[Tensor, "B H T T"] | None = None,
        need_weights: bool = False,
    ) -> Float[Tensor, "B T d_model"] | tuple[Tensor, Float[Tensor, "B H T T"]]:
        """The result, or ``(result, weights)`` if ``need_weights``.

        Lengths may differ from call to call, and nothing is remembered between calls.

        Args:
            mask: True = may attend. Two axes, (T, T), or four, (B, H, T, T); any axis may have
                size 1 and then stands for all: (B, 1, 1, T) hides padding from everybody, and as
                a query the padding still attends. Every token may attend to at least one. A token
                that may not be attended to gets no weight, however large its score. None lets
                everybody attend to everybody.
            need_weights: return as well the attention weights of every head in this very call,
                before dropout, as ``MultiHeadAttention`` gives them. Gradients flow back through
                them too. The result is the same with them and without.
        """
        maps: list[Tensor] = []

        def attention(y: Tensor) -> Tensor:
            found, weights = self.self_attn(y, mask=mask, need_weights=True)
            maps.append(weights)
            return found

        x = self.residual1(x, attention)
        x = self.residual2(x, self.feed_forward)
        return (x, maps[0]) if need_weights else x


class Encoder(nn.Module):
    """N encoder layers one after the other, and a norm at the end if one is given.

    - layers: an ``nn.ModuleList`` of ``num_layers`` deep copies of ``layer`` (``copy.deepcopy``).
      They begin with its weights and from then on share nothing: not with one another, and not with
      ``layer``, which itself is no part of the stack.
    - norm: the module given, itself and not a copy, or nothing.

    So the parameters are called layers.0.self_attn.w_q.weight and so on, and norm's come with
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
    >>> result, maps = stack(torch.ones(2, 5, 12), need_weights=True)
    >>> len(maps), maps[0].shape
    (6, torch.Size([2, 3, 5, 5]))
    """

    def __init__(self, layer: nn.Module, num_layers: int, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.norm = norm

    def forward(
        self,
        x: Float[Tensor, "B T d_model"],
        mask: Bool[Tensor, "T T"] | Bool[Tensor, "B H T T"] | None = None,
        need_weights: bool = False,
    ) -> Float[Tensor, "B T d_model"] | tuple[Tensor, list[Float[Tensor, "B H T T"]]]:
        """Every layer gets the result of the one before it, and every layer gets the mask.

        With ``need_weights`` it returns ``(result, maps)``, where ``maps`` is a list with the
        attention weights of each layer in this very call, those of the first layer first. The
        result is the same with them and without.
        """
        maps: list[Tensor] = []
        for layer in self.layers:
            x, weights = layer(x, mask, need_weights=True)
            if need_weights:  # maps are large: none is kept that nobody asked for
                maps.append(weights)
        x = x if self.norm is None else self.norm(x)
        return (x, maps) if need_weights else x
