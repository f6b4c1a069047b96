"""Multi-head attention: several narrow attentions side by side instead of one wide one.

One softmax gives a query one way to share out its attention. With H heads it has H of them, at
the same price: each head works on projections of its own, d = d_model / H wide, and a last
projection mixes what the heads found.

    head_h = Attention(query W_q,h^T, key W_k,h^T, value W_v,h^T)
    MultiHead(query, key, value) = Concat(head_1, ..., head_H) W_o^T

All heads' projections are one matrix: head h owns the rows h*d to (h+1)*d - 1 of w_q and w_k, its
share of the rows of w_v, and the columns of w_o that belong to its place in the concatenation.

Masks are boolean and True = may attend (``torch.nn.MultiheadAttention`` has it the other way
round). Everything keeps the dtype and the device of its inputs and leaves the inputs as they
were. Axes of size 1 are ordinary axes: one sentence, one token, one head. What is put into the
scores, or added to them, must exist in their dtype: float16 ends at 65504 and knows no -1e9.

A layer follows its own options, the mask of this very call, and its weights as they are now; eval
mode ends dropout and changes nothing else. Matrices start at random, every number drawn on its
own, each projection and each head apart, around 0, with a standard deviation between 0.05 / sqrt(n)
and 2 / sqrt(n) in a matrix with n inputs (``nn.Linear``'s own start is right); biases start at 0 or
near it. No seed is set: two new layers differ.

No Python loop runs over sentences, queries or keys: the number of torch operations does not
depend on B, Tq or Tk (a loop over heads is fine). And no tensor on the way is larger than a few
times the attention weights and the inputs: none of shape (B, H, Tq, Tk, d).

Write it yourself: ``F.scaled_dot_product_attention`` and ``nn.MultiheadAttention`` are not
available here, under any name. ``torch.softmax``, ``nn.Linear`` and ``nn.Dropout`` are welcome
here.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import linear


def multi_head_attention(
    query: Float[Tensor, "B Tq d_q"],
    key: Float[Tensor, "B Tk d_k_in"],
    value: Float[Tensor, "B Tk d_v_in"],
    w_q: Float[Tensor, "H*d d_q"],
    w_k: Float[Tensor, "H*d d_k_in"],
    w_v: Float[Tensor, "H*d_v d_v_in"],
    w_o: Float[Tensor, "d_out H*d_v"],
    num_heads: int,
    b_q: Float[Tensor, "H*d"] | None = None,
    b_k: Float[Tensor, "H*d"] | None = None,
    b_v: Float[Tensor, "H*d_v"] | None = None,
    b_o: Float[Tensor, "d_out"] | None = None,
    mask: Bool[Tensor, "Tq Tk"] | Bool[Tensor, "B H Tq Tk"] | None = None,
    is_causal: bool = False,
) -> Float[Tensor, "B Tq d_out"]:
    """What the heads found for every query, mixed by w_o.

    Weights are laid out as in ``torch.nn.Linear``, so a projection is y = x @ w.T + b. Head h
    works on the columns h*d to (h+1)*d - 1 of the projected queries and keys, and likewise on d_v
    columns of the projected values. Its scores are scaled by 1 / sqrt(d), d being the width of
    one head. The heads' answers are put side by side, head 0 first, and projected by w_o. All
    widths may differ, and so may the lengths Tq and Tk.

    A key that may not be attended to gets no weight, however large its score: forbid it before
    the softmax. Scores of several hundred must not overflow. What a query gets that may attend to
    no key at all is left open. Gradients flow to all inputs and all weights (the true gradient of
    b_k is zero: it adds the same to all scores of a query).

    Args:
        num_heads: H, a divisor of the rows of w_q, w_k and w_v.
        b_q, b_k, b_v, b_o: what each projection adds; any of them may be None, whatever the others
            are.
        mask: True = may attend. Two axes, (Tq, Tk), for all sentences and heads; or four,
            (B, H, Tq, Tk). Any axis may have size 1 and then stands for all: (B, 1, 1, Tk) hides
            padding. Three axes are left open.
        is_causal: position i may attend to the positions 0..i only (for Tq = Tk). Given together
            with a mask, both must allow.

    Source: Vaswani et al. 2017, section 3.2.2.

    Two heads of width 1. Head 0 has the scores 0 and log 3 for its two keys, shares of 1 to 3;
    head 1 has equal scores. w_o exchanges the two answers:

    >>> key = torch.tensor([[[1.0, 1.0], [3.0, 1.0]]]).log()
    >>> value = torch.tensor([[[8.0, 10.0], [4.0, 20.0]]])
    >>> one, swap = torch.eye(2), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> multi_head_attention(torch.ones(1, 1, 2), key, value, one, one, one, swap, num_heads=2)
    tensor([[[15.,  5.]]])
    """
    # TODO: step 3 of 4, the heads
    #       step 4 of 4, masks
    raise NotImplementedError("multi_head_attention: replace this line")


class MultiHeadAttention(nn.Module):
    """``multi_head_attention`` with weights to learn, and dropout on the attention weights.

    Parameters, each projection an ``nn.Linear``:

    - w_q.weight (d_model, d_model), w_q.bias (d_model,)
    - w_k.weight (d_model, kdim), w_k.bias (d_model,)
    - w_v.weight (d_model, vdim), w_v.bias (d_model,)
    - w_o.weight (d_model, d_model), w_o.bias (d_model,)

    With kdim = vdim = d_model these are 4 d_model^2 + 4 d_model numbers, or 4 d_model^2 without
    biases, whatever the number of heads.

    Args:
        d_model: the width of queries and results; each head is d_model / num_heads wide.
        num_heads: H, a divisor of d_model.
        dropout: 0 <= dropout < 1. In train mode each attention weight on its own is set to 0 with
            this probability and otherwise divided by 1 - dropout, afresh in every call, before
            the values are averaged: in every head, for every query and in every sentence others,
            with and without masks. Nothing else is dropped, and in eval mode nothing is.
        bias: False makes all four projections without biases.
        kdim, vdim: the widths of key and value; None means d_model.

    Under ``torch.autocast`` projections and scores are bfloat16 or float16 while the query is
    float32: what is put into the scores, or added to them, must suit their dtype, not the query's.

    Raises:
        ValueError: num_heads does not divide d_model (when the layer is made).

    Source: Vaswani et al. 2017, section 3.2.2 (dropout on the weights: as in the authors' code).

    >>> sum(p.numel() for p in MultiHeadAttention(12, 3).parameters())
    624
    >>> layer, x = MultiHeadAttention(12, 3), torch.ones(2, 5, 12)
    >>> out, weights = layer(x, is_causal=True, need_weights=True)
    >>> out.shape, weights.shape
    (torch.Size([2, 5, 12]), torch.Size([2, 3, 5, 5]))
    >>> weights[0, 0, 1].tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        kdim: int | None = None,
        vdim: int | None = None,
    ) -> None:
        # TODO: step 2 of 4
        raise NotImplementedError("multi_head_attention: replace this line")

    def forward(
        self,
        query: Float[Tensor, "B Tq d_model"],
        key: Float[Tensor, "B Tk kdim"] | None = None,
        value: Float[Tensor, "B Tk vdim"] | None = None,
        mask: Bool[Tensor, "Tq Tk"] | Bool[Tensor, "B H Tq Tk"] | None = None,
        is_causal: bool = False,
        need_weights: bool = False,
    ) -> Float[Tensor, "B Tq d_model"] | tuple[Tensor, Float[Tensor, "B H Tq Tk"]]:
        """The result, or ``(result, weights)`` if ``need_weights``.

        Without a key, the keys are the query; without a value, the values are the keys. ``mask``
        and ``is_causal`` mean what they mean in ``multi_head_attention``. The weights returned
        are those of every head, before dropout; gradients flow back through them too. The lengths
        may differ from call to call, and there is no longest one.
        """
        # TODO: step 2 of 4
        raise NotImplementedError("multi_head_attention: replace this line")


class MultiHeadAttentionWrapper(nn.Module):
    """Multi-head attention the long way: a list of causal heads, asked one after another.

    Each head projects ``x`` to queries, keys and values of width d_out, lets every position
    attend to itself and those before it, with scores scaled by 1 / sqrt(d_out), and averages the
    values. The results are put side by side, head 0 first. There is no output projection.

    ``self.heads`` is an ``nn.ModuleList`` of ``num_heads`` modules of your own, each with the
    parameters, from ``nn.Linear`` without bias,

    - W_query.weight, W_key.weight, W_value.weight, all (d_out, d_in)

    so that the first is called heads.0.W_query.weight. A mask that a head keeps must follow
    ``.to(...)`` and is no parameter: register it as a buffer.

    Args:
        d_out: the width of one head; the result is num_heads * d_out wide.
        context_length: the longest sentence that is taken; shorter ones are as welcome.
        dropout: 0 <= dropout < 1, on each head's attention weights as in ``MultiHeadAttention``,
            in train mode only.

    Raises:
        ValueError: ``forward`` is given a sentence longer than context_length.

    Source: Raschka, Build a Large Language Model (From Scratch), section 3.6.1.

    >>> wrapper = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=4)
    >>> wrapper(torch.ones(5, 6, 3)).shape
    torch.Size([5, 6, 8])
    >>> sum(p.numel() for p in wrapper.parameters())
    72
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int
    ) -> None:
        # TODO: step 1 of 4
        raise NotImplementedError("multi_head_attention: replace this line")

    def forward(self, x: Float[Tensor, "B T d_in"]) -> Float[Tensor, "B T H*d_out"]:
        # TODO: step 1 of 4
        raise NotImplementedError("multi_head_attention: replace this line")
