"""The KV cache: compute every key and every value once, and keep them.

Idea
----

A language model writes one token at a time. Each new token attends to all tokens before it, so it
needs their keys and values. The program of the page ``sampling`` computes all of them again for
every token it writes. But they are the same as before: a token does not see its future, so nothing
that is appended to the text changes its key or its value.

So keep them. A *KV cache* is a store for keys and values. Only the new token goes through the
model: its query is compared with all stored keys and its own. The text that is written stays the
same, number for number, and costs far less.

Formula
-------

L is the number of tokens after a step, t of them are new (t = 1 while writing, and t = the whole
prompt at the start):

    K = [stored keys; new keys]            (L, d)
    V = [stored values; new values]        (L, d)
    out_i = Attention(q_i, K_0..p, V_0..p)    with p = L - t + i,   i = 0 .. t - 1

p is the position of new token i in the whole text. So a new token sees everything that is stored,
the new tokens before it, and itself. This is ``causal_mask(t, L)`` of the page ``masks``.

Worked example
--------------

A model is given the tokens 5 6 7, and writes 8, 9 and 1. These tokens go through the model:

               without a cache                with a cache
    step 1     5 6 7                          5 6 7    at positions 0 1 2
    step 2     5 6 7 8                        8        at position 3
    step 3     5 6 7 8 9                      9        at position 4
    together   3 + 4 + 5 = 12 tokens          3 + 1 + 1 = 5 tokens

[Figure steps: three steps of writing. Without a cache 3, 4 and 5 tokens go through the model, 12 in
all. With a cache 3, 1 and 1 go through it, 5 in all, and the keys and values of the others are
stored.]

Two new tokens after three stored ones. The mask has a row for each new token, and a column for each
token of the text. The last new token sees everything:

>>> causal_mask(2, 5)
tensor([[ True,  True,  True,  True, False],
        [ True,  True,  True,  True,  True]])

How large is the saving? For a text of 1,000 tokens that begins with one, 1 + 2 + ... + 1,000 tokens
go through the model without a cache, and 1,000 with one:

>>> sum(range(1, 1001)) / 1000
500.5

What is graded
--------------

Four parts, in the order of this file: the store, an attention layer that uses it, your GPT with
such layers, and the loop that writes. With a cache or without, at once, token by token or in
chunks: the answers agree to 1e-5.

Work is counted, in operations and in the sizes of tensors, and no clock is asked. A token that is
written costs as many operations after 20 tokens as after 2. No tensor that is made for it grows
with the text, except for those that have one number for each head and each stored token, such as
attention weights (and, of course, the text itself).

Batch, heads, positions and head_dim may have any size, 1 included. Inputs stay as they were. The
dtype is float32 or float64, the same in a model, its caches and what they are given.

``torch.softmax``, ``nn.Linear`` and ``F.scaled_dot_product_attention`` are welcome here.

Your own earlier functions are welcome too. The first returns (output, weights):

    scaled_dot_product_attention(q, k, v, mask=None, ...)
    split_heads(x, num_heads)
    merge_heads(x)
    causal_mask(q_len, k_len=None, *, device=None)

Why it is like this
-------------------

Why keys and values, and no queries? A query is used once, when its token is new. The keys and the
values of a token are used again by every later token.

Why reserve room at once? ``torch.cat`` makes a new tensor and copies all that is there, for every
token: T (T + 1) / 2 copies for T tokens. In a tensor of full size only the new places are
written. What stands in the places behind them does not matter, as long as nobody looks at it. A
row of zeros would not be harmless: a key of zeros has the score 0, and exp(0) is 1, so it takes
weight from the others.

Why must positions go on? The token after three stored ones is the fourth of the text, and must be
given the fourth row of the table of positions, though it comes to the model alone.

Why no gradients? A cache is for writing, not for learning. If it kept the history of its numbers
for a backward pass, the memory of all steps could never be freed.

Why hand the caches over? They hold one text, and a model writes many. If they were kept in the
model, or in a default argument, two texts would share them.

What does it cost? Memory: 2 d_model numbers for each token, in every layer. With long texts, and
many at once, this may be more than all weights together. Later models let several heads share keys
and values for that reason.

Look further
------------

Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.4 (one step
with stored keys and values, and what it costs); Pope et al. 2022, "Efficiently Scaling Transformer
Inference", section 2; Kwon et al. 2023, "Efficient Memory Management for Large Language Model
Serving with PagedAttention" (the same store, cut into pages).
"""

from __future__ import annotations

from functools import partial

import torch
from attention import scaled_dot_product_attention
from gpt import GPT
from heads import merge_heads, split_heads
from jaxtyping import Float, Int
from masks import causal_mask
from torch import Tensor, nn


class KVCache(nn.Module):
    """Room for the keys and values of ``max_len`` tokens, in one layer of attention.

    Two buffers, ``k`` for keys and ``v`` for values, each of shape (batch, num_heads, max_len,
    head_dim): 2 * batch * num_heads * max_len * head_dim numbers, which are made at the start. They
    are no parameters, and since they are buffers, ``.to(...)`` moves them.

    ``length`` is an attribute, an int: how many tokens are stored. It starts at 0.

    Args:
        dtype, device: of both buffers; None means torch's default.

    Source: Shazeer 2019, section 2.4; Pope et al. 2022, section 2.

    Room for 4 tokens of width 1, in one row and one head:

    >>> cache = KVCache(batch=1, num_heads=1, max_len=4, head_dim=1)
    >>> k, v = torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[[[10.0], [20.0]]]])
    >>> keys, values = cache.append(k, v)
    >>> keys, values = cache.append(k[:, :, :1] + 2, v[:, :, :1] + 20)
    >>> keys.flatten(), values.flatten(), cache.length
    (tensor([1., 2., 3.]), tensor([10., 20., 30.]), 3)
    """

    k: Tensor
    v: Tensor

    def __init__(
        self,
        batch: int,
        num_heads: int,
        max_len: int,
        head_dim: int,
        *,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        super().__init__()
        room = torch.zeros(batch, num_heads, max_len, head_dim, dtype=dtype, device=device)
        self.register_buffer("k", room, persistent=False)
        self.register_buffer("v", room.clone(), persistent=False)
        self.length = 0

    def append(
        self, k: Float[Tensor, "B H t d"], v: Float[Tensor, "B H t d"]
    ) -> tuple[Float[Tensor, "B H L d"], Float[Tensor, "B H L d"]]:
        """Store t more tokens, and return the keys and values of all L tokens that are stored now.

        What is returned may be views of the buffers. The work does not depend on how much is
        stored: no operation makes a tensor larger than what is appended.

        Numbers are stored and no history: what comes back has no gradient, though k and v may need
        one.

        Raises:
            ValueError: there is no room for t more tokens. Nothing was changed then.

        Source: Shazeer 2019, section 2.4.
        """
        start, end = self.length, self.length + k.shape[2]
        if end > self.k.shape[2]:
            raise ValueError(f"{end} tokens, but there is room for {self.k.shape[2]} only")
        self.k[:, :, start:end] = k.detach()
        self.v[:, :, start:end] = v.detach()
        self.length = end
        return self.k[:, :, :end], self.v[:, :, :end]

    def reset(self) -> None:
        """Forget all tokens: the next one is stored as the first. The room stays."""
        self.length = 0

    def reorder(self, rows: Int[Tensor, "B2"]) -> None:
        """Row b becomes a copy of what row ``rows[b]`` was; all that is stored stays stored.

        A search that follows several texts at once drops some of them, and continues others in
        several ways. So a row may come several times or not at all, and there may be fewer or more
        rows than before. Afterwards they are independent of each other. New buffers, with as many
        rows as ``rows`` is long, may take the place of the old ones; the room for ``max_len``
        tokens stays.

        Source: Sutskever et al. 2014, section 3.2 (a search that keeps the best few texts).

        >>> cache = KVCache(batch=2, num_heads=1, max_len=4, head_dim=1)
        >>> _ = cache.append(torch.tensor([[[[1.0]]], [[[2.0]]]]), torch.zeros(2, 1, 1, 1))
        >>> cache.reorder(torch.tensor([1, 1, 0]))
        >>> keys, _ = cache.append(torch.zeros(3, 1, 1, 1), torch.zeros(3, 1, 1, 1))
        >>> keys[:, 0, :, 0]
        tensor([[2., 0.],
                [2., 0.],
                [1., 0.]])
        """
        self.k, self.v = self.k[rows], self.v[rows]


class CachedAttention(nn.Module):
    """Causal self-attention that may continue a text whose keys and values are stored.

    Parameters, each projection an ``nn.Linear``, with the names of ``MultiHeadAttention``, so that
    the weights of one load into the other; without biases if ``bias`` is False:

    - w_q.weight (d_model, d_model), w_q.bias (d_model,); the same for w_k, w_v and w_o

    There is no dropout, and train and eval mode are the same.

    Raises:
        ValueError: num_heads does not divide d_model (when the layer is made).

    Source: Shazeer 2019, section 2.4; Vaswani et al. 2017, section 3.2.2.

    Five tokens at once, and the same five as 3 + 2:

    >>> layer, x = CachedAttention(4, num_heads=2), torch.ones(1, 5, 4).cumsum(1)
    >>> whole = layer(x)
    >>> cache = KVCache(batch=1, num_heads=2, max_len=8, head_dim=2)
    >>> parts = torch.cat([layer(x[:, :3], cache), layer(x[:, 3:], cache)], dim=1)
    >>> torch.allclose(parts, whole, atol=1e-5), cache.length
    (True, 5)
    """

    def __init__(self, d_model: int, num_heads: int, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share a width of {d_model} equally")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias)
        self.w_k = nn.Linear(d_model, d_model, bias)
        self.w_v = nn.Linear(d_model, d_model, bias)
        self.w_o = nn.Linear(d_model, d_model, bias)

    def forward(
        self, x: Float[Tensor, "B t d_model"], cache: KVCache | None = None
    ) -> Float[Tensor, "B t d_model"]:
        """What the t tokens of ``x`` find: in themselves, and in what is stored.

        Without a cache, each token attends to itself and to those before it, as in
        ``MultiHeadAttention`` with ``is_causal``; gradients flow back to x and all weights.

        With one, the keys and values of the t tokens are appended to it, once. Each token attends
        to all that was stored before, and among the t tokens to itself and to those before it. No
        token attends to a place where nothing is stored. (Gradients are not graded then.)
        """
        q, k, v = (split_heads(w(x), self.num_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = causal_mask(q.shape[-2], k.shape[-2], device=x.device)
        found, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.w_o(merge_heads(found))


class CachedGPT(GPT):
    """Your GPT with a ``CachedAttention`` in every block, and one cache for every layer.

    It has the parameters of a ``GPT`` of these sizes, by the same names, so that a trained one can
    be loaded: ``cached.load_state_dict(trained.state_dict())``. Derive it from ``GPT`` and replace
    the attention of every block: ``block.attention = ...``. There is no dropout. A block is called
    as ``Block`` of gpt does it: residual1 with the attention, then residual2 with feed_forward.

    Source: Radford et al. 2019, section 2.3; Pope et al. 2022, section 2.

    >>> model = CachedGPT(vocab_size=10, block_size=8, n_layer=2, n_head=2, n_embd=4)
    >>> caches = model.new_caches(batch=1)
    >>> model(torch.tensor([[5, 6, 7]]), caches).shape
    torch.Size([1, 3, 10])
    >>> model(torch.tensor([[8]]), caches).shape, [cache.length for cache in caches]
    (torch.Size([1, 1, 10]), [4, 4])
    """

    def __init__(
        self,
        vocab_size: int,
        block_size: int,
        n_layer: int,
        n_head: int,
        n_embd: int,
        *,
        bias: bool = True,
        tie_weights: bool = True,
    ) -> None:
        super().__init__(vocab_size, block_size, n_layer, n_head, n_embd, 0.0, bias, tie_weights)
        self.n_head = n_head
        for block in self.blocks:
            block.attention = CachedAttention(n_embd, n_head, bias)

    def new_caches(self, batch: int, max_len: int | None = None) -> list[KVCache]:
        """New, empty caches for ``batch`` texts: a list with one ``KVCache`` for every block.

        Each has room for ``max_len`` tokens (None: ``block_size``, as many as there are positions),
        and the dtype and the device of the weights, as they are now. Every call makes others.
        """
        table = self.position_embedding.weight
        block_size, n_embd = table.shape
        room = block_size if max_len is None else max_len
        shape = batch, self.n_head, room, n_embd // self.n_head
        return [KVCache(*shape, dtype=table.dtype, device=table.device) for _ in self.blocks]

    def forward(
        self, idx: Int[Tensor, "B t"], caches: list[KVCache]
    ) -> Float[Tensor, "B t vocab_size"]:
        """The logits of t new tokens, which follow those that the caches hold: no pair, no loss.

        With L - t tokens stored before, the new ones stand at the positions L - t to L - 1.
        ``caches[i]`` is that of block i. Afterwards all of them hold L tokens.

        The logits have no history for a backward pass: compute under ``torch.no_grad()``.

        Raises:
            ValueError: L is more than ``block_size``, or one of the caches has no room for L
                tokens. No cache was changed then.
        """
        table, start = self.position_embedding.weight, caches[0].length
        end = start + idx.shape[1]
        if end > table.shape[0]:
            raise ValueError(f"{end} tokens, but there are positions for {table.shape[0]} only")
        if any(end > cache.k.shape[2] for cache in caches):
            raise ValueError(f"{end} tokens, but there is not room for them in every cache")
        with torch.no_grad():
            x = self.token_embedding(idx) + table[start:end]
            for block, cache in zip(self.blocks, caches, strict=True):
                x = block.residual1(x, partial(block.attention, cache=cache))
                x = block.residual2(x, block.feed_forward)
            return self.head(self.norm(x))


def generate_cached(
    model: nn.Module,
    idx: Int[Tensor, "B T"],
    max_new_tokens: int,
    caches: list[KVCache] | None = None,
) -> Int[Tensor, "B T+n"]:
    """The texts ``idx``, continued by n = ``max_new_tokens`` tokens, each with the largest logit.

    ``model(new, caches)`` returns the logits of the new tokens: a ``CachedGPT`` does. First the
    whole prompt goes through it, in one call; then every token that was written, alone. The last
    one does not: nothing follows it here. So there are n calls, and in the end T + n - 1 tokens are
    stored. (With n = 0 there is no call, and nothing is stored.)

    ``caches`` may hold the beginning of a text already, and ``idx`` what follows it: so a
    conversation goes on without reading it all again. None: ``model.new_caches(B)``, other ones in
    every call.

    Raises:
        ValueError: the model has no position, or a cache no room, for one of the tokens that go
            through the model, which the last new one does not. What the caches hold then is left
            open. (The page ``sampling`` forgets the beginning of a long text instead. Here that is
            impossible: all that is left would have other positions, and so other keys.)

    Source: Shazeer 2019, section 2.4.

    How many tokens go through your model? torch calls a hook after every call of the model:

    >>> model = CachedGPT(vocab_size=10, block_size=8, n_layer=1, n_head=2, n_embd=4)
    >>> seen = []
    >>> _ = model.register_forward_hook(lambda model, args, out: seen.append(args[0].shape[1]))
    >>> generate_cached(model, torch.tensor([[5, 6, 7]]), 3).shape
    torch.Size([1, 6])
    >>> seen, sum(seen)  # without a cache: [3, 4, 5], and 12
    ([3, 1, 1], 5)
    """
    if caches is None:
        caches = model.new_caches(idx.shape[0])
    new = text = idx
    for _ in range(max_new_tokens):
        new = model(new, caches)[:, -1].argmax(-1, keepdim=True)
        text = torch.cat([text, new], dim=1)
    return text
