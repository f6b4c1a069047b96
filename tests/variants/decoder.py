"""Right answers to ``decoder`` that are written differently."""

from __future__ import annotations

import copy
import logging
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


class Parts(nn.Module):
    """The documented modules, for the variants that differ in what they do with them."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(activation)
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.dropout3, self.inner_dropout = nn.Dropout(dropout), nn.Dropout(dropout)
        self.num_heads, self.norm_first, self.activation = num_heads, norm_first, activation

    def act(self, h):
        return F.gelu(h) if self.activation == "gelu" else F.relu(h)

    def network(self, x):
        return self.linear2(self.inner_dropout(self.act(self.linear1(x))))

    def look(self, attention, query, source, mask):
        mask = for_torch(mask, query, source, self.num_heads)
        return attention(query, source, source, attn_mask=mask, need_weights=False)[0]

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        if self.norm_first:
            h = self.norm1(tgt)
            x = tgt + self.dropout1(self.look(self.self_attn, h, h, tgt_mask))
            h = self.norm2(x)
            x = x + self.dropout2(self.look(self.multihead_attn, h, memory, memory_mask))
            return x + self.dropout3(self.network(self.norm3(x)))
        x = self.norm1(tgt + self.dropout1(self.look(self.self_attn, tgt, tgt, tgt_mask)))
        found = self.look(self.multihead_attn, x, memory, memory_mask)
        x = self.norm2(x + self.dropout2(found))
        return self.norm3(x + self.dropout3(self.network(x)))


def for_torch(mask, query, source, heads):
    """(B * H, T, S), True = may not attend."""
    if mask is None:
        return None
    size = query.shape[1], source.shape[1]
    return ~mask.expand(len(query), heads, *size).reshape(-1, *size)


@variant(of="DecoderLayer")
class BlocksAsInTorch(Parts):
    """The branches as torch's layer has them: _sa_block, _mha_block and _ff_block."""

    def _sa_block(self, x, mask):
        return self.dropout1(self._found(self.self_attn, x, x, mask))

    def _mha_block(self, x, memory, mask):
        return self.dropout2(self._found(self.multihead_attn, x, memory, mask))

    def _found(self, attention, x, source, mask):
        mask = for_torch(mask, x, source, self.num_heads)
        return attention(x, source, source, attn_mask=mask, need_weights=False)[0]

    def _ff_block(self, x):
        return self.dropout3(self.linear2(self.inner_dropout(self.act(self.linear1(x)))))

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), tgt_mask)
            x = x + self._mha_block(self.norm2(x), memory, memory_mask)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, tgt_mask))
        x = self.norm2(x + self._mha_block(x, memory, memory_mask))
        return self.norm3(x + self._ff_block(x))


@variant(of="DecoderLayer")
class NetworkUnderTwoNames(BlocksAsInTorch):
    """The feed-forward network's layers in an nn.Sequential as well."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.two_layers = nn.Sequential(self.linear1, nn.ReLU(), self.linear2)


@variant(of="DecoderLayer")
class AdditiveMask(Parts):
    def look(self, attention, query, source, mask):
        if mask is not None:
            forbidden = for_torch(mask, query, source, self.num_heads)
            mask = query.new_zeros(forbidden.shape).masked_fill(forbidden, float("-inf"))
        return attention(query, source, source, attn_mask=mask)[0]


@variant(of="DecoderLayer")
class FusedAttention(Parts):
    """scaled_dot_product_attention between the projections."""

    def look(self, attention, query, source, mask):
        (w_q, w_k, w_v), (b_q, b_k, b_v) = (
            attention.in_proj_weight.chunk(3),
            attention.in_proj_bias.chunk(3),
        )
        q, k, v = F.linear(query, w_q, b_q), F.linear(source, w_k, b_k), F.linear(source, w_v, b_v)
        q, k, v = (y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for y in (q, k, v))
        p = attention.dropout * self.training
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        return attention.out_proj(y.transpose(1, 2).flatten(2))


@variant(of="DecoderLayer")
class AttentionByHand(Parts):
    """Every step written out, with a large negative number instead of -inf."""

    def look(self, attention, query, source, mask):
        d = query.shape[-1] // self.num_heads
        weights, biases = attention.in_proj_weight.split(d), attention.in_proj_bias.split(d)
        heads = []
        for h in range(self.num_heads):
            places = h, self.num_heads + h, 2 * self.num_heads + h
            q, k, v = (
                F.linear(x, weights[i], biases[i])
                for x, i in zip((query, source, source), places, strict=True)
            )
            scores = torch.einsum("bqd,bkd->bqk", q, k) / math.sqrt(d)
            if mask is not None:
                full = mask.expand(len(query), self.num_heads, q.shape[1], k.shape[1])[:, h]
                scores = scores.masked_fill(~full, torch.finfo(scores.dtype).min)
            shares = F.dropout(scores.softmax(-1), attention.dropout, self.training)
            heads.append(shares @ v)
        return attention.out_proj(torch.cat(heads, dim=-1))


@variant(of="DecoderLayer")
class FunctionalAttention(Parts):
    """torch's function under nn.MultiheadAttention, which wants the tokens first."""

    def look(self, attention, query, source, mask):
        mask = for_torch(mask, query, source, self.num_heads)
        y, z = query.transpose(0, 1), source.transpose(0, 1)
        found, _ = F.multi_head_attention_forward(
            y,
            z,
            z,
            y.shape[-1],
            self.num_heads,
            attention.in_proj_weight,
            attention.in_proj_bias,
            None,
            None,
            False,
            attention.dropout,
            attention.out_proj.weight,
            attention.out_proj.bias,
            training=self.training,
            need_weights=False,
            attn_mask=mask,
        )
        return found.transpose(0, 1)


@variant(of="DecoderLayer")
class OneSentenceAtATime(Parts):
    def look(self, attention, query, source, mask):
        answers = []
        for i in range(query.shape[0]):
            own = mask
            if mask is not None:
                if mask.dim() == 4:
                    own = mask[i % mask.shape[0]]
                own = ~own.expand(self.num_heads, query.shape[1], source.shape[1])
            answers.append(attention(query[i], source[i], source[i], attn_mask=own)[0])
        return torch.stack(answers, dim=0)


@variant(of="DecoderLayer")
class OneResidualForAll(Parts):
    """One method for all residuals, which is handed the branch and its norm."""

    def beside(self, x, number, branch):
        norm, drop = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return torch.add(drop(branch(norm(x))), x)
        return norm(torch.add(drop(branch(x)), x))

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        def read(h):
            return self.look(self.multihead_attn, h, memory, memory_mask)

        x = self.beside(tgt, 1, lambda h: self.look(self.self_attn, h, h, tgt_mask))
        return self.beside(self.beside(x, 2, read), 3, self.network)


@variant(of="DecoderLayer")
class FunctionalNorms(Parts):
    """No submodule but attention is called; in place where it is safe."""

    def norm(self, x, number):
        norm = getattr(self, f"norm{number}")
        return F.layer_norm(x, (x.shape[-1],), norm.weight, norm.bias, 1e-5)

    def network(self, x):
        h = F.linear(x, self.linear1.weight, self.linear1.bias)
        h = F.dropout(self.act(h), self.inner_dropout.p, self.training)
        return F.linear(h, self.linear2.weight, self.linear2.bias)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        branches = (
            lambda h: self.look(self.self_attn, h, h, tgt_mask),
            lambda h: self.look(self.multihead_attn, h, memory, memory_mask),
            self.network,
        )
        x = tgt
        for number, branch in enumerate(branches, start=1):
            y = branch(self.norm(x, number) if self.norm_first else x)
            y = F.dropout(y, self.dropout1.p, self.training)
            y += x
            x = y if self.norm_first else self.norm(y, number)
        return x


@variant(of="DecoderLayer")
class ChosenOnce(Parts):
    """Order and activation are chosen when the layer is made; the word is looked at when it is
    used."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        known = activation if activation in ("relu", "gelu") else "relu"
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, known)
        self.word = activation
        self.activate = nn.GELU() if activation == "gelu" else nn.ReLU(inplace=True)
        self.before, self.after = (1, 0) if norm_first else (0, 1)

    def act(self, h):
        if self.word not in ("relu", "gelu"):
            raise ValueError("activation must be relu or gelu")
        return self.activate(h)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        def norm(x, which, number):
            return getattr(self, f"norm{number}")(x) if which else x

        h = norm(tgt, self.before, 1)
        h = tgt + self.dropout1(self.look(self.self_attn, h, h, tgt_mask))
        x = norm(h, self.after, 1)
        h = norm(x, self.before, 2)
        h = x + self.dropout2(self.look(self.multihead_attn, h, memory, memory_mask))
        x = norm(h, self.after, 2)
        h = x + self.dropout3(self.network(norm(x, self.before, 3)))
        return norm(h, self.after, 3)


@variant(of="DecoderLayer")
class TokensFirst(nn.Module):
    """Attention that has the tokens on axis 0, as torch's has without batch_first."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, dropout=dropout)
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout=dropout)
        self.norm3, self.norm2, self.norm1 = (nn.LayerNorm(d_model) for _ in range(3))
        self.linear2, self.linear1 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)
        self.act = nn.GELU() if activation == "gelu" else nn.ReLU()
        self.drop, self.pre, self.heads = nn.Dropout(dropout), norm_first, num_heads

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        own = for_torch(tgt_mask, tgt, tgt, self.heads)
        across = for_torch(memory_mask, tgt, memory, self.heads)
        x, memory = tgt.transpose(0, 1), memory.transpose(0, 1)
        h = self.norm1(x) if self.pre else x
        x = x + self.drop(self.self_attn(h, h, h, attn_mask=own)[0])
        x = x if self.pre else self.norm1(x)
        h = self.norm2(x) if self.pre else x
        x = x + self.drop(self.multihead_attn(h, memory, memory, attn_mask=across)[0])
        x = x if self.pre else self.norm2(x)
        h = self.norm3(x) if self.pre else x
        for step in (self.linear1, self.act, self.drop, self.linear2, self.drop):
            h = step(h)
        x = x + h
        return (x if self.pre else self.norm3(x)).transpose(0, 1)


@variant(of="DecoderLayer")
class LooksAtEverything(Parts):
    """Asserts, logs and prints what it is given; its initial weights are drawn by Glorot's rule."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        assert activation in {"relu", "gelu"}, activation
        assert isinstance(d_model, int) and d_model % num_heads == 0 and 0.0 <= dropout < 1.0
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        assert tgt.dim() == memory.dim() == 3 and tgt.dtype == memory.dtype
        for mask in (tgt_mask, memory_mask):
            if mask is not None and not mask.any(dim=-1).all():
                raise ValueError("a token may attend to nobody")
        logging.getLogger(__name__).debug("%s", tuple(tgt.shape))
        y = super().forward(tgt, memory, tgt_mask, memory_mask)
        assert y.isfinite().all(), f"not finite: {y}"
        print(f"{tgt.mean().item():.3f} -> {y.mean().item():.3f}")
        return y


@variant(of="DecoderLayer")
class Checkpointed(Parts):
    """Branches are computed again in backward, with the same numbers dropped."""

    def look(self, *given):
        return checkpoint(super().look, *given, use_reentrant=False)

    def network(self, x):
        return checkpoint(super().network, x, use_reentrant=False)


@variant(of="DecoderLayer")
class EinsumAndChunks(Parts):
    """einsum for the attentions, the network in chunks of tokens, dropout as a product."""

    def drop(self, x):
        p = self.inner_dropout.p if self.training else 0.0
        return x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p)

    def look(self, attention, query, source, mask):
        h = self.num_heads
        w_q, w_k, w_v = attention.in_proj_weight.view(3, h, -1, query.shape[-1])
        b_q, b_k, b_v = attention.in_proj_bias.view(3, h, 1, -1)
        q = torch.einsum("btd,hed->bhte", query, w_q) + b_q
        k = torch.einsum("bsd,hed->bhse", source, w_k) + b_k
        v = torch.einsum("bsd,hed->bhse", source, w_v) + b_v
        scores = torch.einsum("bhte,bhse->bhts", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        found = torch.einsum("bhts,bhse->bthe", self.drop(scores.softmax(-1)), v)
        return attention.out_proj(found.flatten(2))

    def network(self, x):
        return torch.cat([super(EinsumAndChunks, self).network(c) for c in x.split(3, 1)], 1)


# The stack ----------------------------------------------------------------------------------------


@variant(of="Decoder")
class ClonesAsInTorch(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
        return self.norm(tgt) if self.norm is not None else tgt


@variant(of="Decoder")
class AppendedOneByOne(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(copy.deepcopy(layer))
        self.norm = norm or nn.Identity()

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        x = tgt.clone()
        for i in range(self.num_layers):
            x = self.layers[i](x, memory, memory_mask=memory_mask, tgt_mask=tgt_mask)
        return self.norm(x)


@variant(of="Decoder")
class CopiesWithFreshParameters(nn.Module):
    """deepcopy, then parameters of its own filled with the layer's values."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        copies = [copy.deepcopy(layer) for _ in range(num_layers)]
        for twin in copies:
            for parameter in twin.parameters():
                nn.init.zeros_(parameter)
            twin.load_state_dict(layer.state_dict())
        self.layers = nn.ModuleList(copies)
        self.register_module("norm", norm)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        x, fixed = tgt, (memory, tgt_mask, memory_mask)
        for _, layer in self.layers.named_children():
            x = layer(x, *fixed)
        return x if not self.norm else self.norm(x)


@variant(of="Decoder")
class CheckpointedStack(nn.Module):
    """Every layer is computed again in backward; the number of layers is asserted."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        assert isinstance(layer, nn.Module) and num_layers >= 1
        self.layers, self.norm = nn.ModuleList(), norm
        self.layers.extend(copy.deepcopy(layer) for _ in range(num_layers))

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
        for i, layer in enumerate(self.layers):
            given = tgt, memory, tgt_mask, memory_mask
            tgt = checkpoint(layer, *given, use_reentrant=False) if self.training else layer(*given)
            assert torch.isfinite(tgt).all(), f"layer {i}"
        return tgt if self.norm is None else self.norm(tgt)
