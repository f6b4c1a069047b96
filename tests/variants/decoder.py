"""Right answers to ``decoder`` that are written differently."""

from __future__ import annotations

import copy
import logging
import math
from functools import partial

import torch
import torch.nn.functional as F
from feed_forward import PositionwiseFeedForward
from multi_head_attention import MultiHeadAttention
from residual import SublayerConnection
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


class Parts(nn.Module):
    """The documented modules, for the variants that differ in what they do with them."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.multihead_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout, activation)
        self.residual1 = SublayerConnection(d_model, dropout, norm_first)
        self.residual2 = SublayerConnection(d_model, dropout, norm_first)
        self.residual3 = SublayerConnection(d_model, dropout, norm_first)
        self.num_heads, self.norm_first, self.p = num_heads, norm_first, dropout

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def look(self, attention, query, source, mask):
        return attention(query, source, mask=mask, need_weights=True)

    def network(self, x):
        return self.feed_forward(x)


@variant(of="DecoderLayer")
class TwoWays(Parts):
    """Weights are asked for only where they are wanted; without them lambdas do."""

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        shown = {}

        def asked(name, *given, mask):
            y, shown[name] = getattr(self, name)(*given, mask=mask, need_weights=True)
            return y

        if need_weights:
            look = partial(asked, "self_attn", mask=tgt_mask)
            x = self.residual1(tgt, look)
            x = self.residual2(x, lambda y: asked("multihead_attn", y, memory, mask=memory_mask))
            return self.residual3(x, self.feed_forward), *shown.values()
        x = self.residual1(tgt, lambda y: self.self_attn(y, y, y, tgt_mask))
        x = self.residual2(x, lambda y: self.multihead_attn(y, memory, memory, memory_mask))
        return self.residual3(x, self.feed_forward)


@variant(of="DecoderLayer")
class PartsUnderTwoNames(TwoWays):
    """The connections in a list as well."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.connections = nn.ModuleList([self.residual1, self.residual2, self.residual3])


class Own(Parts):
    """The connections hold the norms; what they do is written out."""

    def beside(self, x, connection, branch):
        kept = []

        def found(y):
            y = branch(y)
            y, *rest = y if isinstance(y, tuple) else (y,)
            kept.extend(rest)
            return self.drop(y)

        if self.norm_first:
            return x + found(connection.norm(x)), *kept
        return connection.norm(x + found(x)), *kept

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        x, own = self.beside(
            tgt, self.residual1, lambda y: self.look(self.self_attn, y, y, tgt_mask)
        )
        x, cross = self.beside(
            x, self.residual2, lambda y: self.look(self.multihead_attn, y, memory, memory_mask)
        )
        (x,) = self.beside(x, self.residual3, self.network)
        return (x, own, cross) if need_weights else x


@variant(of="DecoderLayer")
class ConnectionsWrittenOut(Own):
    pass


@variant(of="DecoderLayer")
class LineByLine(Parts):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        norm1, norm2, norm3 = self.residual1.norm, self.residual2.norm, self.residual3.norm
        if self.norm_first:
            h = norm1(tgt)
            found, own = self.look(self.self_attn, h, h, tgt_mask)
            x = tgt + self.drop(found)
            found, cross = self.look(self.multihead_attn, norm2(x), memory, memory_mask)
            x = x + self.drop(found)
            x = x + self.drop(self.network(norm3(x)))
        else:
            found, own = self.look(self.self_attn, tgt, tgt, tgt_mask)
            x = norm1(tgt + self.drop(found))
            found, cross = self.look(self.multihead_attn, x, memory, memory_mask)
            x = norm2(x + self.drop(found))
            x = norm3(x + self.drop(self.network(x)))
        return (x, own, cross) if need_weights else x


@variant(of="DecoderLayer")
class FunctionalNorms(Parts):
    """No submodule but attention is called; in place where it is safe."""

    def norm(self, x, connection):
        return F.layer_norm(x, (x.shape[-1],), connection.norm.weight, connection.norm.bias, 1e-5)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        maps = []

        def shown(pair):
            maps.append(pair[1])
            return pair[0]

        branches = (
            lambda h: shown(self.look(self.self_attn, h, h, tgt_mask)),
            lambda h: shown(self.look(self.multihead_attn, h, memory, memory_mask)),
            self.network,
        )
        connections = self.residual1, self.residual2, self.residual3
        x = tgt
        for connection, branch in zip(connections, branches, strict=True):
            y = branch(self.norm(x, connection) if self.norm_first else x)
            y = self.drop(y)
            y += x
            x = y if self.norm_first else self.norm(y, connection)
        return (x, *maps) if need_weights else x


@variant(of="DecoderLayer")
class AttentionByHand(Own):
    """Every step written out, head after head, with a large negative number instead of -inf."""

    def look(self, attention, query, source, mask):
        d = query.shape[-1] // self.num_heads
        projected = attention.w_q(query), attention.w_k(source), attention.w_v(source)
        heads, maps = [], []
        for h in range(self.num_heads):
            q, k, v = (y[..., h * d : (h + 1) * d] for y in projected)
            scores = torch.einsum("bqd,bkd->bqk", q, k) / math.sqrt(d)
            if mask is not None:
                full = mask.expand(len(query), self.num_heads, q.shape[1], k.shape[1])[:, h]
                scores = scores.masked_fill(~full, torch.finfo(scores.dtype).min)
            maps.append(scores.softmax(-1))
            heads.append(self.drop(maps[-1]) @ v)
        return attention.w_o(torch.cat(heads, dim=-1)), torch.stack(maps, 1)


@variant(of="DecoderLayer")
class OneSentenceAtATime(Own):
    def look(self, attention, query, source, mask):
        answers, maps = [], []
        for i in range(query.shape[0]):
            own = mask
            if mask is not None and mask.dim() == 4:
                own = mask[i % mask.shape[0]][None]
            one = slice(i, i + 1)
            answer, weights = attention(query[one], source[one], mask=own, need_weights=True)
            answers.append(answer)
            maps.append(weights)
        return torch.cat(answers), torch.cat(maps)


@variant(of="DecoderLayer")
class LooksAtEverything(Own):
    """Asserts, logs and prints what it is given; its initial weights are drawn by Glorot's rule."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        assert activation in {"relu", "gelu"}, activation
        assert isinstance(d_model, int) and d_model % num_heads == 0 and 0.0 <= dropout < 1.0
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        assert tgt.dim() == memory.dim() == 3 and tgt.dtype == memory.dtype
        for mask in (tgt_mask, memory_mask):
            if mask is not None and not mask.any(dim=-1).all():
                raise ValueError("a token may attend to nobody")
        logging.getLogger(__name__).debug("%s", tuple(tgt.shape))
        y, *maps = super().forward(tgt, memory, tgt_mask, memory_mask, True)
        assert y.isfinite().all(), f"not finite: {y}"
        print(f"{tgt.mean().item():.3f} -> {y.mean().item():.3f}")
        return (y, *maps) if need_weights else y


@variant(of="DecoderLayer")
class Checkpointed(Own):
    """Branches are computed again in backward, with the same numbers dropped."""

    def look(self, *given):
        return checkpoint(super().look, *given, use_reentrant=False)

    def network(self, x):
        return checkpoint(self.feed_forward, x, use_reentrant=False)


@variant(of="DecoderLayer")
class InChunks(Own):
    """The network in chunks of tokens, dropout as a product."""

    def drop(self, x):
        p = self.p if self.training else 0.0
        return x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p)

    def network(self, x):
        return torch.cat([self.feed_forward(chunk) for chunk in x.split(3, 1)], 1)


# The stack ----------------------------------------------------------------------------------------


@variant(of="Decoder")
class ClonesAsInTorch(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        masks, maps = {"tgt_mask": tgt_mask, "memory_mask": memory_mask}, ([], [])
        for layer in self.layers:
            if not need_weights:
                tgt = layer(tgt, memory, **masks)
                continue
            tgt, own, cross = layer(tgt, memory, **masks, need_weights=True)
            maps[0].append(own)
            maps[1].append(cross)
        tgt = self.norm(tgt) if self.norm is not None else tgt
        return (tgt, *maps) if need_weights else tgt


@variant(of="Decoder")
class AppendedOneByOne(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(copy.deepcopy(layer))
        self.norm = norm or nn.Identity()

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        x, maps = tgt.clone(), [None] * self.num_layers
        for i in range(self.num_layers):
            x, *maps[i] = self.layers[i](x, memory, tgt_mask, memory_mask, True)
        x = self.norm(x)
        return (x, *map(list, zip(*maps, strict=True))) if need_weights else x


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

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        x, fixed, shown = tgt, (memory, tgt_mask, memory_mask), []
        for _, layer in self.layers.named_children():
            x, *weights = layer(x, *fixed, need_weights=True)
            shown.append(weights)
        x = x if not self.norm else self.norm(x)
        return (x, [w[0] for w in shown], [w[1] for w in shown]) if need_weights else x


@variant(of="Decoder")
class CheckpointedStack(nn.Module):
    """Every layer is computed again in backward; the number of layers is asserted."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        assert isinstance(layer, nn.Module) and num_layers >= 1
        self.layers, self.norm = nn.ModuleList(), norm
        self.layers.extend(copy.deepcopy(layer) for _ in range(num_layers))

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        own, cross = [], []
        for i, layer in enumerate(self.layers):
            given = tgt, memory, tgt_mask, memory_mask, True
            found = (
                checkpoint(layer, *given, use_reentrant=False) if self.training else layer(*given)
            )
            tgt = found[0]
            own, cross = [*own, found[1]], [*cross, found[2]]
            assert torch.isfinite(tgt).all(), f"layer {i}"
        tgt = tgt if self.norm is None else self.norm(tgt)
        return (tgt, own, cross) if need_weights else tgt
