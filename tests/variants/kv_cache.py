"""Right answers to ``kv_cache`` that are written differently."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from gpt import GPT
from heads import merge_heads, split_heads
from kv_cache import CachedAttention, KVCache
from torch import nn

from grader.check import variant


@variant(of="KVCache")
class one_buffer_for_both(nn.Module):
    """Keys and values side by side in one tensor, narrowed and copied into."""

    def __init__(self, batch, num_heads, max_len, head_dim, *, dtype=None, device=None):
        super().__init__()
        store = torch.empty(2, batch, num_heads, max_len, head_dim, dtype=dtype, device=device)
        self.register_buffer("store", store)
        self.length = 0

    def append(self, k, v):
        t, room = k.size(2), self.store.size(3)
        assert self.length + t <= room, "the cache is full"
        with torch.no_grad():
            for number, new in enumerate((k, v)):
                self.store[number].narrow(2, self.length, t).copy_(new)
        self.length += t
        keys, values = self.store[..., : self.length, :].unbind(0)
        return keys, values

    def reset(self):
        self.length = 0
        self.store.zero_()

    def reorder(self, rows):
        self.store = torch.index_select(self.store, 1, rows)


@variant(of="KVCache")
class written_by_numbers(nn.Module):
    """index_copy_ at numbered places; the length is kept in a list, behind a property."""

    def __init__(self, batch, num_heads, max_len, head_dim, *, dtype=None, device=None):
        super().__init__()
        for name in "kv":
            room = torch.full(
                (batch, num_heads, max_len, head_dim), 7.0, dtype=dtype, device=device
            )
            self.register_buffer(name, room)
        self._lengths = [0]

    @property
    def length(self):
        return self._lengths[-1]

    def append(self, k, v):
        places = torch.arange(self.length, self.length + k.shape[-2], device=k.device)
        if self.length + k.shape[-2] > self.k.shape[-2]:
            raise ValueError(f"no room for {k.shape[-2]} more")
        self.k.index_copy_(2, places, k.data)
        self.v.index_copy_(2, places, v.data)
        self._lengths.append(self.length + k.shape[-2])
        return [room[..., : self.length, :] for room in (self.k, self.v)]

    def reset(self):
        self._lengths = [0]

    def reorder(self, rows):
        self.k, self.v = (
            room.take_along_dim(rows.view(-1, 1, 1, 1), 0) for room in (self.k, self.v)
        )


@variant(of="KVCache")
class written_row_by_row(nn.Module):
    """A loop over rows where they are reordered, and a copy of the room before it."""

    def __init__(self, batch, num_heads, max_len, head_dim, *, dtype=None, device=None):
        super().__init__()
        self.max_len, self.filled = max_len, 0
        how = {"dtype": dtype or torch.get_default_dtype(), "device": device}
        self.keys = nn.Buffer(torch.zeros((batch, num_heads, max_len, head_dim), **how))
        self.values = nn.Buffer(torch.zeros((batch, num_heads, max_len, head_dim), **how))

    length = property(lambda self: self.filled)

    def append(self, k, v):
        if self.max_len - self.filled < k.shape[2]:
            raise ValueError("the cache is full")
        new = slice(self.filled, self.filled + k.shape[2])
        self.keys[..., new, :], self.values[..., new, :] = k.detach(), v.detach()
        self.filled = new.stop
        return self.keys[:, :, : new.stop], self.values[:, :, : new.stop]

    def reset(self):
        self.filled = 0

    def reorder(self, rows):
        old = self.keys.clone(), self.values.clone()
        shape = (len(rows), *self.keys.shape[1:])
        self.keys, self.values = old[0].new_zeros(shape), old[1].new_zeros(shape)
        for b in range(len(rows)):
            self.keys[b], self.values[b] = old[0][rows[b]], old[1][rows[b]]


class _Projections(nn.Module):
    """The four projections, which the layers below have in common."""

    def __init__(self, d_model, num_heads, bias=True):
        super().__init__()
        assert d_model % num_heads == 0, "the heads share the width equally"
        self.heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)


@variant(of="CachedAttention")
class with_torchs_attention(_Projections):
    """torch's own function, with a mask by comparing places; one token needs none."""

    def forward(self, x, cache=None):
        q = self.w_q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k = self.w_k(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        v = self.w_v(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        if cache is None:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            k, v = cache.append(k, v)
            t, total = q.shape[2], k.shape[2]
            places = torch.arange(total, device=x.device)
            mask = None if t == 1 else places <= places[-t:, None]
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.w_o(y.transpose(1, 2).flatten(2))


@variant(of="CachedAttention")
class head_after_head(_Projections):
    """A loop over heads; the mask is added, and its rows begin where the new tokens do."""

    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.heads) for w in (self.w_q, self.w_k, self.w_v))
        start = 0 if cache is None else cache.length
        if cache is not None:
            k, v = cache.append(k, v)
        t, total = q.shape[2], k.shape[2]
        hidden = torch.full((t, total), float("-inf"), dtype=x.dtype, device=x.device)
        hidden = hidden.triu(start + 1)
        found = []
        for head in range(self.heads):
            scores = q[:, head] @ k[:, head].mT / math.sqrt(q.shape[-1])
            found.append((scores + hidden).softmax(-1) @ v[:, head])
        return self.w_o(torch.cat(found, dim=-1))


@variant(of="CachedAttention")
class with_einsum(_Projections):
    """einsum, scaled queries, and a cache of its own where none is given."""

    def forward(self, x, cache=None):
        B, t, width = x.shape
        shape = B, t, self.heads, width // self.heads
        q, k, v = (w(x).reshape(shape).permute(0, 2, 1, 3) for w in (self.w_q, self.w_k, self.w_v))
        k, v = (k, v) if cache is None else cache.append(k, v)
        scores = torch.einsum("bhid,bhjd->bhij", q * shape[-1] ** -0.5, k)
        i = torch.arange(k.shape[2] - t, k.shape[2], device=x.device)[:, None]
        j = torch.arange(k.shape[2], device=x.device)[None]
        weights = torch.where(j > i, torch.finfo(x.dtype).min, scores).softmax(-1)
        return self.w_o(merge_heads(torch.einsum("bhij,bhjd->bhid", weights, v)))


@variant(of="CachedGPT")
class with_hooks_of_its_own(GPT):
    """Blocks written out, positions by numbers, no_grad as a decorator."""

    def __init__(
        self, vocab_size, block_size, n_layer, n_head, n_embd, *, bias=True, tie_weights=True
    ):
        super().__init__(
            vocab_size, block_size, n_layer, n_head, n_embd, bias=bias, tie_weights=tie_weights
        )
        self.sizes = block_size, n_layer, n_head, n_embd // n_head
        for number in range(n_layer):
            self.blocks[number].attention = CachedAttention(n_embd, n_head, bias)

    def new_caches(self, batch, max_len=None):
        block_size, layers, heads, width = self.sizes
        room = max_len or block_size
        caches = []
        for _ in range(layers):
            cache = KVCache(batch, heads, room, width)
            caches.append(cache.to(self.norm.weight.device, self.norm.weight.dtype))
        return caches

    @torch.no_grad()
    def forward(self, idx, caches):
        stored, new = caches[-1].length, idx.shape[1]
        positions = torch.arange(stored, stored + new, device=idx.device)
        assert stored + new <= self.sizes[0], "no position for so many tokens"
        assert all(stored + new <= cache.k.shape[-2] for cache in caches), "no room in every cache"
        x = self.token_embedding(idx) + self.position_embedding(positions)
        for block, cache in zip(self.blocks, caches, strict=True):
            x = x + block.attention(block.residual1.norm(x), cache)
            x = x + block.feed_forward(block.residual2.norm(x))
        return self.head(self.norm(x))


@variant(of="CachedGPT")
class through_the_blocks_of_gpt(GPT):
    """Each block's attention is told its cache, and the blocks run as they are."""

    class Told(CachedAttention):
        cache = None

        def forward(self, x, is_causal=True):
            return super().forward(x, self.cache)

    def __init__(
        self, vocab_size, block_size, n_layer, n_head, n_embd, *, bias=True, tie_weights=True
    ):
        super().__init__(vocab_size, block_size, n_layer, n_head, n_embd, 0.0, bias, tie_weights)
        self.heads = n_head
        for block in self.blocks:
            block.attention = self.Told(n_embd, n_head, bias)

    def new_caches(self, batch, max_len=None):
        like = self.token_embedding.weight
        room = len(self.position_embedding.weight) if max_len is None else max_len
        shape = batch, self.heads, room, like.shape[1] // self.heads
        return [KVCache(*shape, dtype=like.dtype, device=like.device) for _ in self.blocks]

    def forward(self, idx, caches):
        start = caches[0].length
        places = self.position_embedding.weight.detach()[start:]
        if len(places) < idx.shape[1]:
            raise ValueError("the text is longer than there are positions")
        if start + idx.shape[1] > min(cache.k.shape[2] for cache in caches):
            raise ValueError("one of the caches has less room")
        with torch.no_grad():
            x = self.token_embedding(idx).add(places[: idx.shape[1]])
            for block, cache in zip(self.blocks, caches, strict=True):
                object.__setattr__(block.attention, "cache", cache)
                x = block(x)
                object.__setattr__(block.attention, "cache", None)
            return self.head(self.norm(x)).detach()


@variant(of="generate_cached")
def prompt_first(model, idx, max_new_tokens, caches=None):
    """The prompt by itself, then a loop; the text is written into a tensor of full size."""
    B, T = idx.shape
    text = torch.empty(B, T + max_new_tokens, dtype=idx.dtype, device=idx.device)
    text[:, :T] = idx
    caches = model.new_caches(B) if caches is None else caches
    new = idx
    for t in range(T, T + max_new_tokens):
        logits = model(new, caches)
        text[:, t] = logits[:, -1, :].argmax(dim=-1)
        new = text[:, t : t + 1]
    return text


@variant(of="generate_cached")
def pieces_put_together_at_the_end(model, idx, max_new_tokens, caches=None):
    """A list of tokens, and one torch.cat at the end; topk finds the largest."""
    if caches is None:
        caches = model.new_caches(batch=len(idx))
    pieces = [idx]
    with torch.no_grad():
        while len(pieces) <= max_new_tokens:
            logits = model(pieces[-1], caches)[:, -1:]
            pieces.append(logits.topk(1).indices[..., 0])
    return torch.cat(pieces, 1)


@variant(of="generate_cached")
def one_step_after_the_other(model, idx, max_new_tokens, caches=None):
    """Written as a function that calls itself."""
    caches = model.new_caches(idx.size(0)) if caches is None else caches

    def rest(new, left):
        if left == 0:
            return []
        token = torch.max(torch.softmax(model(new, caches)[:, -1], -1), -1).indices.unsqueeze(1)
        return [token, *rest(token, left - 1)]

    return torch.cat([idx, *rest(idx, max_new_tokens)], dim=-1)
