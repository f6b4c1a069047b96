"""Multi-head attention: several narrow attentions side by side instead of one wide one.

Idea
----

One attention gives each query one set of weights, so everything it takes from the other tokens is
averaged in the same way. Multi-head attention runs H attentions (heads) at once, each with weights
of its own. Each head works on a narrow projection of the tokens (their product with a matrix), and
a last projection mixes what the heads found.

Formula
-------

    head_h = Attention(query W_q,h^T, key W_k,h^T, value W_v,h^T)
    MultiHead(query, key, value) = Concat(head_1, ..., head_H) W_o^T

Concat puts the heads' results side by side. Queries, keys and values may come from one sequence
(self-attention), or the queries from one and the keys and values from another (cross-attention).

All heads' matrices are stored as one: head h uses the rows h*d to (h+1)*d - 1 of w_q and w_k, its
part of the rows of w_v, and the columns of w_o that belong to its place in the concatenation. (The
paper counts heads from 1, this page from 0.) The shapes on the way, for B sentences:

    query (B, Tq, d_model)    key (B, Tk, d_model)    value (B, Tk, d_model)
      | w_q                     | w_k                   | w_v
    (B, Tq, H*d)              (B, Tk, H*d)            (B, Tk, H*d)
      | split_heads             | split_heads           | split_heads
    (B, H, Tq, d)             (B, H, Tk, d)           (B, H, Tk, d)
      +------- scaled dot-product attention, in each head -----+
                                |
                              (B, H, Tq, d)
                                | merge_heads
                              (B, Tq, H*d)
                                | w_o
                              (B, Tq, d_model)

[Figure flow: query, key and value are multiplied by w_q, w_k and w_v, and become H*d numbers wide.
They are split into heads, each of which computes an attention of its own, with results of shape (T,
d). Side by side again these are H*d wide, and w_o mixes them to d_model numbers.]

Worked example
--------------

One query, three tokens, two heads of width 1. All four matrices are the identity, so head 0 works
on the first column and head 1 on the second. The scores are divided by sqrt(1).

>>> query = torch.tensor([[[1.0, 1.0]]])
>>> key = torch.tensor([[[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]])
>>> value = torch.tensor([[[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]]])
>>> head_0 = torch.softmax(torch.tensor([0.0, 1.0, 2.0]), dim=-1)
>>> head_0, head_0 @ torch.tensor([10.0, 20.0, 30.0])
(tensor([0.0900, 0.2447, 0.6652]), tensor(25.7521))
>>> head_1 = torch.softmax(torch.tensor([2.0, 1.0, 0.0]), dim=-1)
>>> head_1, head_1 @ torch.tensor([1.0, 2.0, 3.0])
(tensor([0.6652, 0.2447, 0.0900]), tensor(1.4248))
>>> one = torch.eye(2)
>>> multi_head_attention(query, key, value, one, one, one, one, num_heads=2)
tensor([[[25.7521,  1.4248]]])

What is graded
--------------

Begin with the last class of this file, ``MultiHeadAttentionWrapper``: it is the idea, with one
small layer for each head. Then write ``MultiHeadAttention``, which does all heads at once: first
for ``d_model`` and ``num_heads`` alone, then its other options. The function comes last. It is the
same computation, with the weights as arguments; it knows no dropout and returns no weights, so the
class can share its steps, but not simply call it.
``from heads import split_heads, merge_heads`` works here, as with all that a page needs.

Everything keeps the dtype and the device of its inputs and leaves the inputs as they were. Axes of
size 1 are ordinary axes: one sentence, one token, one head. What is put into the scores, or added
to them, must exist in their dtype: float16 ends at 65504 and has no -1e9. Masks are boolean and
True = may attend (``torch.nn.MultiheadAttention`` has it the other way round).

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

Why it is like this
-------------------

Why several heads? Let two tokens have the values (8, 10) and (4, 20), and let (8, 20) be wanted:
the first number of one token, the second number of the other. One head has one pair of weights for
both numbers. With (1, 0) it gives (8, 10), with (0.5, 0.5) it gives (6, 15); no pair gives (8, 20).
Two heads do: one attends to the first token, the other one to the second.

Why narrow heads? With d = d_model / H, all heads together have as many parameters and need as many
multiplications as one head of width d_model. But there are H weights for each query and key instead
of one, so the weights need H times as much memory, and the softmax H times as much time.

Why widths of their own? The heads together need not be as wide as the tokens. In the largest T5
tokens have 1,024 numbers, and 128 heads of width 128 share d_inner = 16,384 (Raffel et al. 2020). A
layer with d_model = 1024 and d_inner = 2048 has 4 * 1024 * 2048 weights and 3 * 2048 + 1024 biases,
8,395,776 parameters. And the result may have another width than the tokens: Raschka's
``MultiHeadAttention(d_in, d_out, ...)`` is this one with d_model = d_in, d_inner = d_out, a d_out
of its own and, since only his last projection has a bias, bias=False and out_bias=True.

Why do many programs turn scores into float32 before the softmax? A number in bfloat16 has about
three digits: too few for a sum of many small weights. The weights are turned back afterwards, so
the result has the dtype of its inputs. Written for every dtype, the same line harms float64, which
it makes less exact. (That is not graded: float64 is held to the accuracy of float32 here.)

Why w_o? Without it, what head h found would stay in the columns of head h. w_o mixes the heads.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2; Raschka, Build a Large Language
Model (From Scratch), 2024, section 3.6, which goes the same way: wrapper first.
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

    A key that may not be attended to gets no weight, however large its score: forbid it before the
    softmax. Scores of several hundred must not overflow. Queries that may attend to no key at all
    are not graded: NaN, or the zeros of ``masked_softmax``, are both accepted. Gradients flow to
    all inputs and all weights. (The true gradient of b_k is zero: b_k adds the same number to all
    scores of a query, and that changes no weight.)

    Args:
        num_heads: H, a divisor of the rows of w_q, w_k and w_v.
        b_q, b_k, b_v, b_o: what each projection adds; any of them may be None, whatever the others
            are.
        mask: True = may attend. Two axes, (Tq, Tk), for all sentences and heads; or four,
            (B, H, Tq, Tk). Any axis may have size 1 and then stands for all: (B, 1, 1, Tk) hides
            padding. Masks of three axes are not graded.
        is_causal: position i may attend to the positions 0..i only (for Tq = Tk). Given together
            with a mask, both must allow.

    Source: Vaswani et al. 2017, section 3.2.2.

    Two heads of width 1. Head 0 has the scores 0 and log 3 for its two keys: weights 1/4 and 3/4.
    Head 1 has equal scores: weights 1/2 and 1/2. So head 0 finds 8 / 4 + 4 * 3 / 4 = 5, and head 1
    finds 15. w_o exchanges the two results:

    >>> key = torch.tensor([[[1.0, 1.0], [3.0, 1.0]]]).log()
    >>> value = torch.tensor([[[8.0, 10.0], [4.0, 20.0]]])
    >>> one, swap = torch.eye(2), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> multi_head_attention(torch.ones(1, 1, 2), key, value, one, one, one, swap, num_heads=2)
    tensor([[[15.,  5.]]])
    """
    q, k, v = (
        linear(x, w, b).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        for x, w, b in ((query, w_q, b_q), (key, w_k, b_k), (value, w_v, b_v))
    )
    heads = _attention_weights(q, k, mask, is_causal) @ v
    return linear(heads.transpose(1, 2).flatten(2), w_o, b_o)


def _attention_weights(
    q: Float[Tensor, "B H Tq d"],
    k: Float[Tensor, "B H Tk d"],
    mask: Bool[Tensor, "..."] | None,
    is_causal: bool,
) -> Float[Tensor, "B H Tq Tk"]:
    """What share of its attention each query gives to each key, in each head."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if is_causal:
        past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~past, -torch.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1)


class MultiHeadAttention(nn.Module):
    """``multi_head_attention`` with weights to learn, and dropout on the attention weights.

    Parameters, each projection an ``nn.Linear``:

    - w_q.weight (d_inner, d_model), w_q.bias (d_inner,)
    - w_k.weight (d_inner, kdim), w_k.bias (d_inner,)
    - w_v.weight (d_inner, vdim), w_v.bias (d_inner,)
    - w_o.weight (d_out, d_inner), w_o.bias (d_out,)

    Where all widths are d_model these are 4 d_model^2 + 4 d_model numbers, or 4 d_model^2 without
    biases, whatever the number of heads.

    Args:
        d_model: the width of the queries.
        num_heads: H, a divisor of d_inner; each head is d_inner / num_heads wide.
        dropout: 0 <= dropout < 1. In train mode each attention weight on its own is set to 0 with
            this probability and otherwise divided by 1 - dropout, afresh in every call, before the
            values are averaged. Every head, every query and every sentence has random numbers of
            its own, with and without masks. Nothing else is dropped, and in eval mode nothing is.
        bias: False makes all four projections without biases.
        kdim, vdim: the widths of key and value; None means d_model.
        d_inner: the width of all heads together; None means d_model.
        d_out: the width of the result; None means d_model, whatever d_inner is.
        out_bias: whether w_o has a bias, whatever ``bias`` says; None: it has if the others have.

    ``torch.autocast`` is torch's switch to mixed precision: to save time and memory, matrix
    products are computed in 16 bits, while parameters and inputs stay in 32. Under
    ``torch.autocast`` projections and scores are bfloat16 or float16 while the query is float32:
    what is put into the scores, or added to them, must suit their dtype, not the query's.

    Raises:
        ValueError: num_heads does not divide d_inner (when the layer is made).

    Source: Vaswani et al. 2017, section 3.2.2 (dropout on the weights: as in the authors' code).

    12 * 12 * 4 + 12 * 4 = 624 parameters. Then 3 * (6 * 12 + 6) + 5 * 6 + 5 = 269; and those of one
    layer of GPT-2 in Raschka's book, 4 * 768 * 768 + 768:

    >>> sum(p.numel() for p in MultiHeadAttention(12, 3).parameters())
    624
    >>> sum(p.numel() for p in MultiHeadAttention(12, 3, d_inner=6, d_out=5).parameters())
    269
    >>> sum(p.numel() for p in MultiHeadAttention(768, 12, bias=False, out_bias=True).parameters())
    2360064

    All tokens are equal here, so token 1 gives the same weight to itself and to token 0:

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
        d_inner: int | None = None,
        d_out: int | None = None,
        out_bias: bool | None = None,
    ) -> None:
        super().__init__()
        inner = d_inner or d_model
        if inner % num_heads:
            raise ValueError(f"{num_heads} heads cannot share a width of {inner} equally")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, inner, bias)
        self.w_k = nn.Linear(kdim or d_model, inner, bias)
        self.w_v = nn.Linear(vdim or d_model, inner, bias)
        self.w_o = nn.Linear(inner, d_out or d_model, bias if out_bias is None else out_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        query: Float[Tensor, "B Tq d_model"],
        key: Float[Tensor, "B Tk kdim"] | None = None,
        value: Float[Tensor, "B Tk vdim"] | None = None,
        mask: Bool[Tensor, "Tq Tk"] | Bool[Tensor, "B H Tq Tk"] | None = None,
        is_causal: bool = False,
        need_weights: bool = False,
    ) -> Float[Tensor, "B Tq d_out"] | tuple[Tensor, Float[Tensor, "B H Tq Tk"]]:
        """The result, or ``(result, weights)`` if ``need_weights``.

        Without a key, the keys are the query; without a value, the values are the keys. ``mask``
        and ``is_causal`` mean what they mean in ``multi_head_attention``. The weights returned
        are those of every head, before dropout; gradients flow back through them too. The lengths
        may differ from call to call, and there is no longest one.
        """
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = (
            y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for y in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        weights = _attention_weights(q, k, mask, is_causal)
        heads = self.dropout(weights) @ v
        out = self.w_o(heads.transpose(1, 2).flatten(2))
        return (out, weights) if need_weights else out


class MultiHeadAttentionWrapper(nn.Module):
    """Multi-head attention the long way: a list of causal heads, computed one after another.

    Each head projects ``x`` to queries, keys and values of width d_out, lets every position
    attend to itself and those before it, with scores scaled by 1 / sqrt(d_out), and averages the
    values. The results are put side by side, head 0 first. There is no output projection.

    ``self.heads`` is an ``nn.ModuleList`` of ``num_heads`` modules of your own, each with the
    parameters, from ``nn.Linear`` without bias,

    - W_query.weight, W_key.weight, W_value.weight, all (d_out, d_in)

    so that the first is called heads.0.W_query.weight. ``CausalAttention`` of the page
    ``self_attention`` is such a head. A mask that a head keeps must follow ``.to(...)`` and is no
    parameter: register it as a buffer.

    Args:
        d_out: the width of one head; the result is num_heads * d_out wide.
        context_length: the longest sentence that is taken; shorter ones are taken too.
        dropout: 0 <= dropout < 1, on each head's attention weights as in ``MultiHeadAttention``,
            in train mode only.

    Raises:
        ValueError: ``forward`` is given a sentence longer than context_length.

    Source: Raschka, Build a Large Language Model (From Scratch), section 3.6.1.

    4 heads of 3 * 3 * 2 = 18 parameters each:

    >>> wrapper = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=4)
    >>> wrapper(torch.ones(5, 6, 3)).shape
    torch.Size([5, 6, 8])
    >>> sum(p.numel() for p in wrapper.parameters())
    72
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            _CausalHead(d_in, d_out, context_length, dropout) for _ in range(num_heads)
        )

    def forward(self, x: Float[Tensor, "B T d_in"]) -> Float[Tensor, "B T H*d_out"]:
        return torch.cat([head(x) for head in self.heads], dim=-1)


class _CausalHead(nn.Module):
    """One causal head."""

    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float) -> None:
        super().__init__()
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "B T d_in"]) -> Float[Tensor, "B T d_out"]:
        if x.shape[1] > self.context_length:
            raise ValueError(f"{x.shape[1]} tokens are more than {self.context_length}")
        weights = _attention_weights(self.W_query(x), self.W_key(x), None, is_causal=True)
        return self.dropout(weights) @ self.W_value(x)
