"""Right answers to ``encoder`` that are written differently."""

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
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout, activation)
        self.residual1 = SublayerConnection(d_model, dropout, norm_first)
        self.residual2 = SublayerConnection(d_model, dropout, norm_first)
        self.num_heads, self.norm_first, self.p = num_heads, norm_first, dropout

    def look(self, x, mask):
        return self.self_attn(x, mask=mask, need_weights=True)

    def forward(self, x, mask=None, need_weights=False):
        shown = {}

        def branch(y):
            found, shown["weights"] = self.look(y, mask)
            return found

        y = self.residual2(self.residual1(x, branch), self.feed_forward)
        return (y, shown["weights"]) if need_weights else y


@variant(of="EncoderLayer")
class TwoWays(Parts):
    """Weights are asked for only where they are wanted; without them a lambda does."""

    def forward(self, x, mask=None, need_weights=False):
        if not need_weights:
            x = self.residual1(x, lambda y: self.self_attn(y, y, y, mask))
            return self.residual2(x, self.feed_forward)
        weights = None

        def attention(y):
            nonlocal weights
            y, weights = self.self_attn(y, y, y, mask, need_weights=True)
            return y

        return self.residual2(self.residual1(x, attention), self.feed_forward), weights


@variant(of="EncoderLayer")
class WithPartial(Parts):
    def keep(self, shown, mask, y):
        y, weights = self.self_attn(query=y, key=y, mask=mask, need_weights=True)
        shown.append(weights)
        return y

    def forward(self, x, mask=None, need_weights=False):
        shown = []
        x = self.residual1(x, partial(self.keep, shown, mask))
        x = self.residual2(x, sublayer=self.feed_forward.forward)
        return [x, (x, *shown)][need_weights]


@variant(of="EncoderLayer")
class PartsUnderTwoNames(Parts):
    """The connections in a list as well."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.connections = nn.ModuleList([self.residual1, self.residual2])


class Own(Parts):
    """The connections hold the norms; what they do is written out."""

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def forward(self, x, mask=None, need_weights=False):
        norm1, norm2 = self.residual1.norm, self.residual2.norm
        if self.norm_first:
            found, weights = self.look(norm1(x), mask)
            x = x + self.drop(found)
            x = x + self.drop(self.network(norm2(x)))
        else:
            found, weights = self.look(x, mask)
            x = norm1(x + self.drop(found))
            x = norm2(x + self.drop(self.network(x)))
        return (x, weights) if need_weights else x

    def network(self, x):
        return self.feed_forward(x)


@variant(of="EncoderLayer")
class ConnectionsWrittenOut(Own):
    pass


@variant(of="EncoderLayer")
class FunctionalNorms(Own):
    """No submodule but attention is called; in place where it is safe."""

    def norm(self, x, residual):
        return F.layer_norm(x, (x.shape[-1],), residual.norm.weight, residual.norm.bias, 1e-5)

    def forward(self, x, mask=None, need_weights=False):
        h = self.norm(x, self.residual1) if self.norm_first else x
        found, weights = self.look(h, mask)
        y = self.drop(found)
        y += x
        if not self.norm_first:
            y = self.norm(y, self.residual1)
        h = self.norm(y, self.residual2) if self.norm_first else y
        y = y + self.drop(self.network(h))
        y = y if self.norm_first else self.norm(y, self.residual2)
        return (y, weights) if need_weights else y


@variant(of="EncoderLayer")
class AttentionByHand(Own):
    """Every step written out, with a large negative number instead of -inf."""

    def look(self, x, mask):
        own = self.self_attn
        q, k, v = (
            (x @ w.weight.T + w.bias).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for w in (own.w_q, own.w_k, own.w_v)
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(x.dtype).min)
        weights = scores.softmax(-1)
        return own.w_o((self.drop(weights) @ v).transpose(1, 2).reshape(x.shape)), weights


@variant(of="EncoderLayer")
class OneSentenceAtATime(Own):
    def look(self, x, mask):
        answers, maps = [], []
        for i, sentence in enumerate(x):
            own = mask
            if mask is not None and mask.dim() == 4:
                own = mask[i if mask.shape[0] > 1 else 0][None]
            answer, weights = self.self_attn(sentence[None], mask=own, need_weights=True)
            answers.append(answer)
            maps.append(weights)
        return torch.cat(answers), torch.cat(maps)


@variant(of="EncoderLayer")
class OwnBlocks(nn.Module):
    """Modules of its own that have the documented names, from torch's linear layers and norms."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError
        names = "w_q", "w_k", "w_v", "w_o"
        self.self_attn = nn.ModuleDict({name: nn.Linear(d_model, d_model) for name in names})
        self.feed_forward = nn.ModuleDict(
            {"w_1": nn.Linear(d_model, d_ff), "w_2": nn.Linear(d_ff, d_model)}
        )
        self.residual1 = nn.ModuleDict({"norm": nn.LayerNorm(d_model)})
        self.residual2 = nn.ModuleDict({"norm": nn.LayerNorm(d_model)})
        self.act = nn.GELU() if activation == "gelu" else nn.ReLU()
        self.drop, self.pre, self.heads = nn.Dropout(dropout), norm_first, num_heads

    def attend(self, x, mask):
        own, size = self.self_attn, (self.heads, x.shape[-1] // self.heads)
        q, k, v = (own[name](x).unflatten(-1, size) for name in ("w_q", "w_k", "w_v"))
        scores = torch.einsum("bqhd,bkhd->bhqk", q * size[1] ** -0.5, k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        found = torch.einsum("bhqk,bkhd->bqhd", self.drop(weights), v)
        return own["w_o"](found.flatten(2)), weights

    def forward(self, x, mask=None, need_weights=False):
        before = self.residual1["norm"](x) if self.pre else x
        h, weights = self.attend(before, mask)
        h = x + self.drop(h)
        h = h if self.pre else self.residual1["norm"](h)
        branch = self.residual2["norm"](h) if self.pre else h
        for step in (
            self.feed_forward["w_1"],
            self.act,
            self.drop,
            self.feed_forward["w_2"],
            self.drop,
        ):
            branch = step(branch)
        y = h + branch
        y = y if self.pre else self.residual2["norm"](y)
        return (y, weights) if need_weights else y


@variant(of="EncoderLayer")
class LooksAtEverything(Parts):
    """Asserts, logs and prints what it is given; its initial weights are drawn by Glorot's rule."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        assert activation in {"relu", "gelu"}, activation
        assert isinstance(d_model, int) and d_model % num_heads == 0 and 0.0 <= dropout < 1.0
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def forward(self, x, mask=None, need_weights=False):
        assert x.dim() == 3 and x.is_floating_point()
        if mask is not None:
            assert mask.dtype == torch.bool and mask.dim() in (2, 4)
            if not mask.any(dim=-1).all():
                raise ValueError("a token may attend to nobody")
        logging.getLogger(__name__).debug("%s", tuple(x.shape))
        y, weights = super().forward(x, mask, True)
        assert y.isfinite().all(), f"not finite: {y}"
        print(f"{x.mean().item():.3f} -> {y.mean().item():.3f}")
        return (y, weights) if need_weights else y


@variant(of="EncoderLayer")
class Checkpointed(Own):
    """Branches are computed again in backward, with the same numbers dropped."""

    def look(self, x, mask):
        return checkpoint(super().look, x, mask, use_reentrant=False)

    def network(self, x):
        return checkpoint(self.feed_forward, x, use_reentrant=False)


@variant(of="EncoderLayer")
class InChunks(Own):
    """The network in chunks of tokens, dropout as a product."""

    def drop(self, x):
        p = self.p if self.training else 0.0
        return x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p)

    def network(self, x):
        return torch.cat([self.feed_forward(chunk) for chunk in x.split(3, 1)], 1)


# The stack ----------------------------------------------------------------------------------------


@variant(of="Encoder")
class ClonesAsInTorch(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, x, mask=None, need_weights=False):
        maps = []
        for layer in self.layers:
            if need_weights:
                x, weights = layer(x, mask, True)
                maps.append(weights)
            else:
                x = layer(x, mask)
        x = self.norm(x) if self.norm is not None else x
        if need_weights:
            return x, maps
        return x


@variant(of="Encoder")
class AppendedOneByOne(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(copy.deepcopy(layer))
        self.norm = norm or nn.Identity()

    def forward(self, x, mask=None, need_weights=False):
        maps = [None] * self.num_layers
        for i in range(self.num_layers):
            x, maps[i] = self.layers[i](x, mask=mask, need_weights=True)
        return (self.norm(x), maps) if need_weights else self.norm(x)


@variant(of="Encoder")
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

    def forward(self, x, mask=None, need_weights=False):
        shown = {}
        for name, layer in self.layers.named_children():
            x, shown[name] = layer(x, mask, need_weights=True)
        x = x if not self.norm else self.norm(x)
        return (x, list(shown.values())) if need_weights else x


@variant(of="Encoder")
class Recursive(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList(map(copy.deepcopy, [layer] * num_layers))
        self.norm = norm

    def after(self, x, mask, layers):
        if not layers:
            return x, []
        x, weights = layers[0](x, mask, need_weights=True)
        y, maps = self.after(x, mask, layers[1:])
        return y, [weights, *maps]

    def forward(self, x, mask=None, need_weights=False):
        y, maps = self.after(x, mask, list(self.layers))
        if self.norm is not None:
            y = self.norm(y)
        return (y, maps) if need_weights else y


@variant(of="Encoder")
class CheckpointedStack(nn.Module):
    """Every layer is computed again in backward; the number of layers is asserted."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        assert isinstance(layer, nn.Module) and num_layers >= 1
        self.layers, self.norm = nn.ModuleList(), norm
        self.layers.extend(copy.deepcopy(layer) for _ in range(num_layers))

    def forward(self, x, mask=None, need_weights=False):
        maps = []
        for i, layer in enumerate(self.layers):
            if self.training and torch.is_grad_enabled():
                x, weights = checkpoint(layer, x, mask, True, use_reentrant=False)
            else:
                x, weights = layer(x, mask, True)
            maps.append(weights)
            assert torch.isfinite(x).all(), f"layer {i}"
        x = x if self.norm is None else self.norm(x)
        return (x, maps) if need_weights else x
