"""The decoder: a layer that reads its own sequence first, and then the encoder's.

Idea
----

A decoder writes the target, token by token. Its layer is an encoder layer with one sub-layer more,
in the middle. First the target's tokens exchange information (*self-attention*). Then each of them
collects information from the source (*cross-attention*). Then each is processed by itself.

    x --+---------------> + --+----------------> + --+---------------> + --> next layer
        |                 ^   |                  ^   |                 ^
        +-> self- --------+   +-> cross- --------+   +-> feed-forward -+
            attention             attention              network
                                      ^
                                      |
                                    memory

[Figure layer: three branches beside a straight way, each ending in a plus: self-attention, with
queries, keys and values from the target; cross-attention, with queries from the target and keys and
values from the memory; feed-forward.]

The *memory* is what the encoder made of the source. In cross-attention, queries come from the
target, keys and values from the memory. Norms and dropout are left out of the figure.

Formula
-------

    post-norm:  x = norm1(x + self_attention(x))
                x = norm2(x + cross_attention(x, memory))
                x = norm3(x + feed_forward(x))

    pre-norm:   x = x + self_attention(norm1(x))
                x = x + cross_attention(norm2(x), memory)
                x = x + feed_forward(norm3(x))

Each line goes on from the result of the one before. The memory is read as it is: the norms of this
layer are for the target, and no layer changes the memory.

Worked example
--------------

One target token, (0, 2), and a memory of two tokens, (3, 0) and (6, 3). The layer is pre-norm. Its
self-attention answers (10, 0) to everything, its feed-forward network (0, 100). Its cross-attention
has equal scores and does not change the values, so it answers with the mean of the memory:

    x                                        (0, 2)
    + self-attention      (10, 0)            (10, 2)
    + cross-attention     (4.5, 1.5)         (14.5, 3.5)
    + feed-forward        (0, 100)           (14.5, 103.5)

If a mask hides the second memory token, cross-attention answers (3, 0), and the end is (13, 102).
The example of ``DecoderLayer`` below gets these numbers from a real layer.

With T target tokens and S memory tokens, self-attention has (T, T) weights, cross-attention (T, S):
one row for each token that asks, one column for each that is looked at.

What is graded
--------------

First ``DecoderLayer`` without masks and dropout, then with each mask; then ``Decoder``; at last the
attention weights of both, and dropout. Much is as in ``encoder``: new are the memory, the second
attention and the third connection. An attention becomes a sub-layer through a closure, as there: a
function of the stream alone, which sees the masks and the memory around it.

There are two masks, because there are two attentions. ``tgt_mask`` says which target tokens a
target token may look at, ``memory_mask`` which memory tokens. Both are boolean and True = may
attend, as in ``MultiHeadAttention``. A layer is not causal by itself: whoever calls it gives a
causal ``tgt_mask``, as with torch's own layers.

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

Everything keeps the dtype and the device of tgt (to which memory and modules have been moved as
well) and leaves its inputs as they were.

Write it yourself: ``nn.TransformerDecoderLayer`` and ``nn.TransformerDecoder`` are not available
here, under any name. ``nn.LayerNorm`` and ``F.gelu`` are welcome here.

Why it is like this
-------------------

Why do queries come from the target? There is one answer for each query, and the target is what is
being written. Keys and values come from what is looked at: the source.

Why the same memory for every layer? Each layer may look at other parts of the source, and what
leaves the encoder's last layer has collected the most context.

Why dropout in these places? As in the encoder: section 5.4 of the paper names the output of each
sub-layer, 6.3 mentions that of attention; the authors' program and torch drop activations as well.

Why is self-attention first? What a target token needs from the source depends on the target tokens
before it, so these are read first.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3: the three uses of attention.
Bahdanau, Cho, Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and Translate":
the first decoder that looked at all source tokens through attention.
Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture" (pre-norm).
"""

from __future__ import annotations

import copy

import torch
from feed_forward import PositionwiseFeedForward
from jaxtyping import Bool, Float
from multi_head_attention import MultiHeadAttention
from residual import SublayerConnection
from torch import Tensor, nn


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention, feed-forward network, each beside a straight way.

    The modules are your own:

    - self_attn, multihead_attn: a ``MultiHeadAttention`` for the target, one for the memory (named
      as in torch's own layer)
    - feed_forward: ``PositionwiseFeedForward``
    - residual1, residual2, residual3: a ``SublayerConnection`` for each of the three sub-layers

    and there are no parameters but theirs: self_attn.w_q.weight, feed_forward.w_1.weight,
    residual1.norm.weight (called norm1 in the formulas) and so on. All begin as these modules
    begin: the norms with ones and zeros, the matrices at random, drawn anew for every layer. At the
    paper's size, DecoderLayer(512, 8, 2048), that makes 4,204,032 numbers. Each layer keeps its own
    settings and weights, whatever is made after it; the names and the order of the arguments stay
    as they are.

    Args:
        dropout: 0 <= dropout < 1. In train mode it acts in three places, each number on its own,
            and anew for every branch, every layer and every call: on the weights of both attentions
            (inside them); on the activations (inside feed_forward); and on what each of the
            three branches adds to the straight way. The straight way, the norms and the memory lose
            nothing, and in eval mode nothing does.
        norm_first: True for pre-norm, False for post-norm.
        activation: "relu", or "gelu" for the exact GELU.

    Raises:
        ValueError: activation is another word (when the layer is made, or at the latest when it
            is first called). Your ``PositionwiseFeedForward`` raises it.

    Source: Vaswani et al. 2017, sections 3.1 to 3.3 and 5.4; Xiong et al. 2020, figure 1.

    The worked example: self-attention and feed-forward network answer with a bias, and
    between them cross-attention with equal scores and W_v = W_o = 1, the unit matrix, answers with
    the mean of the memory, or with its first token if the mask hides the second:

    >>> layer = DecoderLayer(2, 1, 5, dropout=0.0, norm_first=True)
    >>> for name, weights in layer.named_parameters():
    ...     if "norm" not in name:
    ...         _ = nn.init.zeros_(weights)
    >>> for square in layer.multihead_attn.w_v.weight, layer.multihead_attn.w_o.weight:
    ...     _ = square.data.copy_(torch.eye(2))
    >>> _ = layer.self_attn.w_o.bias.data.copy_(torch.tensor([10.0, 0.0]))
    >>> _ = layer.feed_forward.w_2.bias.data.copy_(torch.tensor([0.0, 100.0]))
    >>> tgt, memory = torch.tensor([[[0.0, 2.0]]]), torch.tensor([[[3.0, 0.0], [6.0, 3.0]]])
    >>> layer(tgt, memory).detach()
    tensor([[[ 14.5000, 103.5000]]])
    >>> layer(tgt, memory, memory_mask=torch.tensor([[True, False]])).detach()
    tensor([[[ 13., 102.]]])
    >>> result, self_weights, cross_weights = layer(tgt, memory, need_weights=True)
    >>> self_weights[0, 0].detach(), cross_weights[0, 0].detach()
    (tensor([[1.]]), tensor([[0.5000, 0.5000]]))
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
        self.multihead_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout, activation)
        self.residual1 = SublayerConnection(d_model, dropout, norm_first)
        self.residual2 = SublayerConnection(d_model, dropout, norm_first)
        self.residual3 = SublayerConnection(d_model, dropout, norm_first)

    def forward(
        self,
        tgt: Float[Tensor, "B T d_model"],
        memory: Float[Tensor, "B S d_model"],
        tgt_mask: Bool[Tensor, "T T"] | Bool[Tensor, "B H T T"] | None = None,
        memory_mask: Bool[Tensor, "T S"] | Bool[Tensor, "B H T S"] | None = None,
        need_weights: bool = False,
    ) -> (
        Float[Tensor, "B T d_model"]
        | tuple[Tensor, Float[Tensor, "B H T T"], Float[Tensor, "B H T S"]]
    ):
        """The result, or ``(result, self_weights, cross_weights)`` if ``need_weights``.

        Lengths may differ from call to call, and nothing is remembered between calls.

        A token that may not be attended to gets no weight, however large its score. No mask that
        you are given forbids a target token all tokens of the target, or all of the memory.

        Args:
            tgt_mask: for the self-attention. True = may attend; two axes, (T, T), or four,
                (B, H, T, T), any of which may have size 1 and then stands for all. None lets
                everybody attend to everybody, later tokens included.
            memory_mask: for the cross-attention, likewise (T, S) or (B, H, T, S): (B, 1, 1, S)
                hides the padding of the source.
            need_weights: return as well the attention weights of every head in this very call,
                before dropout, as ``MultiHeadAttention`` gives them: those of the self-attention,
                (B, H, T, T), then those of the cross-attention, (B, H, T, S). Gradients flow back
                through them too. The result is the same with them and without.
        """
        maps: list[Tensor] = []

        def look(y: Tensor) -> Tensor:
            found, weights = self.self_attn(y, mask=tgt_mask, need_weights=True)
            maps.append(weights)
            return found

        def read(y: Tensor) -> Tensor:
            found, weights = self.multihead_attn(y, memory, mask=memory_mask, need_weights=True)
            maps.append(weights)
            return found

        x = self.residual1(tgt, look)
        x = self.residual2(x, read)
        x = self.residual3(x, self.feed_forward)
        return (x, maps[0], maps[1]) if need_weights else x


class Decoder(nn.Module):
    """N decoder layers one after the other, and a norm at the end if one is given.

    - layers: an ``nn.ModuleList`` of ``num_layers`` deep copies of ``layer`` (``copy.deepcopy``).
      They begin with its weights and from then on share nothing: not with one another, and not with
      ``layer``, which itself is no part of the stack.
    - norm: the module given, itself and not a copy, or nothing.

    So the parameters are called layers.0.self_attn.w_q.weight and so on, and norm's come with
    "norm." before their names. There are no others.

    Args:
        layer: a DecoderLayer.
        num_layers: N >= 1.
        norm: called once, on the result of the last layer, with that alone. Any module will do.

    Source: Vaswani et al. 2017, section 3.1 (N = 6).

    >>> layer = DecoderLayer(12, 3, 20)
    >>> sum(weights.numel() for weights in layer.parameters())
    1832
    >>> stack = Decoder(layer, 6, nn.LayerNorm(12))
    >>> sum(weights.numel() for weights in stack.parameters())  # 6 * 1832 + 24
    11016
    >>> tgt, memory = torch.ones(2, 5, 12), torch.ones(2, 7, 12)
    >>> result, self_maps, cross_maps = stack(tgt, memory, need_weights=True)
    >>> len(self_maps), self_maps[0].shape, cross_maps[0].shape
    (6, torch.Size([2, 3, 5, 5]), torch.Size([2, 3, 5, 7]))
    """

    def __init__(self, layer: nn.Module, num_layers: int, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.norm = norm

    def forward(
        self,
        tgt: Float[Tensor, "B T d_model"],
        memory: Float[Tensor, "B S d_model"],
        tgt_mask: Bool[Tensor, "T T"] | Bool[Tensor, "B H T T"] | None = None,
        memory_mask: Bool[Tensor, "T S"] | Bool[Tensor, "B H T S"] | None = None,
        need_weights: bool = False,
    ) -> (
        Float[Tensor, "B T d_model"]
        | tuple[Tensor, list[Float[Tensor, "B H T T"]], list[Float[Tensor, "B H T S"]]]
    ):
        """Every layer gets the result of the one before it, the same memory and both masks.

        With ``need_weights`` it returns ``(result, self_maps, cross_maps)``: two lists with the
        attention weights of each layer in this very call, those of the first layer first. The
        result is the same with them and without.
        """
        x = tgt
        self_maps: list[Tensor] = []
        cross_maps: list[Tensor] = []
        for layer in self.layers:
            x, own, cross = layer(x, memory, tgt_mask, memory_mask, need_weights=True)
            if need_weights:  # maps are large: none is kept that nobody asked for
                self_maps.append(own)
                cross_maps.append(cross)
        x = x if self.norm is None else self.norm(x)
        return (x, self_maps, cross_maps) if need_weights else x
