"""Right answers to ``encoder`` that are written differently."""

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
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.inner_dropout = nn.Dropout(dropout)
        self.num_heads, self.norm_first, self.activation = num_heads, norm_first, activation

    def act(self, h):
        return F.gelu(h) if self.activation == "gelu" else F.relu(h)

    def network(self, x):
        return self.linear2(self.inner_dropout(self.act(self.linear1(x))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.dropout1(self.look(self.norm1(x), mask))
            return x + self.dropout2(self.network(self.norm2(x)))
        x = self.norm1(x + self.dropout1(self.look(x, mask)))
        return self.norm2(x + self.dropout2(self.network(x)))


def for_torch(mask, x, heads):
    """(B * H, T, T), True = may not attend."""
    if mask is None:
        return None
    return ~mask.expand(len(x), heads, x.shape[1], x.shape[1]).reshape(-1, x.shape[1], x.shape[1])


@variant(of="EncoderLayer")
class BlocksAsInTorch(Parts):
    """The branches as torch's layer has them, _sa_block and _ff_block, each with its dropout."""

    def _sa_block(self, x, mask):
        mask = for_torch(mask, x, self.num_heads)
        return self.dropout1(self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0])

    def _ff_block(self, x):
        return self.dropout2(self.linear2(self.inner_dropout(self.act(self.linear1(x)))))

    def forward(self, src, mask=None):
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask))
        return self.norm2(x + self._ff_block(x))


@variant(of="EncoderLayer")
class NetworkUnderTwoNames(BlocksAsInTorch):
    """The feed-forward network's layers in an nn.Sequential as well."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.two_layers = nn.Sequential(self.linear1, nn.ReLU(), self.linear2)


@variant(of="EncoderLayer")
class AdditiveMask(Parts):
    def look(self, x, mask):
        if mask is not None:
            forbidden = for_torch(mask, x, self.num_heads)
            mask = torch.zeros(forbidden.shape, dtype=x.dtype, device=x.device)
            mask = mask.masked_fill(forbidden, float("-inf"))
        return self.self_attn(x, x, x, attn_mask=mask)[0]


@variant(of="EncoderLayer")
class FusedAttention(Parts):
    """scaled_dot_product_attention between the projections."""

    def look(self, x, mask):
        qkv = F.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        q, k, v = qkv.view(*x.shape[:2], 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        p = self.self_attn.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        return self.self_attn.out_proj(y.transpose(1, 2).flatten(2))


@variant(of="EncoderLayer")
class AttentionByHand(Parts):
    """Every step written out, with a large negative number instead of -inf."""

    def look(self, x, mask):
        weight, bias = self.self_attn.in_proj_weight, self.self_attn.in_proj_bias
        q, k, v = (
            (x @ w.T + b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for w, b in zip(weight.chunk(3), bias.chunk(3), strict=True)
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(x.dtype).min)
        shares = F.dropout(scores.softmax(-1), self.self_attn.dropout, self.training)
        return self.self_attn.out_proj((shares @ v).transpose(1, 2).reshape(x.shape))


@variant(of="EncoderLayer")
class FunctionalAttention(Parts):
    """torch's function under nn.MultiheadAttention, which wants the tokens first."""

    def look(self, x, mask):
        own, y = self.self_attn, x.transpose(0, 1)
        found, _ = F.multi_head_attention_forward(
            y,
            y,
            y,
            x.shape[-1],
            self.num_heads,
            own.in_proj_weight,
            own.in_proj_bias,
            None,
            None,
            False,
            own.dropout,
            own.out_proj.weight,
            own.out_proj.bias,
            training=self.training,
            need_weights=False,
            attn_mask=for_torch(mask, x, self.num_heads),
        )
        return found.transpose(0, 1)


@variant(of="EncoderLayer")
class OneSentenceAtATime(Parts):
    def look(self, x, mask):
        answers = []
        for i, sentence in enumerate(x):
            own = mask
            if mask is not None:
                if mask.dim() == 4:
                    own = mask[i if mask.shape[0] > 1 else 0]
                own = ~own.expand(self.num_heads, len(sentence), len(sentence))
            answers.append(self.self_attn(sentence, sentence, sentence, attn_mask=own)[0])
        return torch.stack(answers)


@variant(of="EncoderLayer")
class OneResidualForAll(Parts):
    """One method for both residuals, which is handed the branch and its norm."""

    def look(self, x, mask):
        mask = for_torch(mask, x, self.num_heads)
        return self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0]

    def beside(self, x, norm, dropout, branch):
        before, after = (norm, nn.Identity()) if self.norm_first else (nn.Identity(), norm)
        return after(torch.add(dropout(branch(before(x))), x))

    def forward(self, x, mask=None):
        x = self.beside(x, self.norm1, self.dropout1, lambda h: self.look(h, mask))
        return self.beside(x, self.norm2, self.dropout2, self.network)


@variant(of="EncoderLayer")
class FunctionalNorms(OneResidualForAll):
    """No submodule but attention is called; in place where it is safe."""

    def norm(self, x, norm):
        return F.layer_norm(x, (x.shape[-1],), norm.weight, norm.bias, 1e-5)

    def network(self, x):
        h = F.linear(x, self.linear1.weight, self.linear1.bias)
        h = F.dropout(self.act(h), self.inner_dropout.p, self.training)
        return F.linear(h, self.linear2.weight, self.linear2.bias)

    def forward(self, x, mask=None):
        p = self.dropout1.p
        h = self.norm(x, self.norm1) if self.norm_first else x
        y = F.dropout(self.look(h, mask), p, self.training)
        y += x
        if not self.norm_first:
            y = self.norm(y, self.norm1)
        h = self.norm(y, self.norm2) if self.norm_first else y
        y = y + F.dropout(self.network(h), p, self.training)
        return y if self.norm_first else self.norm(y, self.norm2)


@variant(of="EncoderLayer")
class ChosenOnce(OneResidualForAll):
    """Order and activation are chosen when the layer is made; the word is looked at when it is
    used."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        known = activation if activation in ("relu", "gelu") else "relu"
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, known)
        self.word = activation
        self.activate = nn.GELU() if activation == "gelu" else nn.ReLU(inplace=True)
        if dropout == 0:
            self.inner_dropout = nn.Identity()

    def act(self, h):
        if self.word not in ("relu", "gelu"):
            raise ValueError("activation must be relu or gelu")
        return self.activate(h)


@variant(of="EncoderLayer")
class OwnBlocks(nn.Module):
    """The residual in a class of its own, which registers nothing twice."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError
        self.self_attn = nn.MultiheadAttention(
            embed_dim=d_model, num_heads=num_heads, dropout=dropout, batch_first=False
        )
        self.linear1 = nn.Linear(d_model, d_ff)
        self.act = nn.GELU() if activation == "gelu" else nn.ReLU()
        self.drop = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.pre = norm_first

    def forward(self, x, mask=None):
        x = x.transpose(0, 1)
        length, sentences, _ = x.shape
        if mask is not None:
            mask = mask.expand(sentences, self.self_attn.num_heads, length, length)
            mask = ~mask.reshape(-1, length, length)
        h = self.norm1(x) if self.pre else x
        h, _ = self.self_attn(h, h, h, attn_mask=mask)
        h = x + self.drop(h)
        h = h if self.pre else self.norm1(h)
        branch = self.norm2(h) if self.pre else h
        for step in (self.linear1, self.act, self.drop, self.linear2, self.drop):
            branch = step(branch)
        h = h + branch
        return (h if self.pre else self.norm2(h)).transpose(0, 1)


@variant(of="EncoderLayer")
class LooksAtEverything(OneResidualForAll):
    """Asserts, logs and prints what it is given; its initial weights are drawn by Glorot's rule."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu"):
        assert activation in {"relu", "gelu"}, activation
        assert isinstance(d_model, int) and d_model % num_heads == 0 and 0.0 <= dropout < 1.0
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first, activation)
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def forward(self, x, mask=None):
        assert x.dim() == 3 and x.is_floating_point() and x.dtype == self.linear1.weight.dtype
        if mask is not None:
            assert mask.dtype == torch.bool and mask.dim() in (2, 4)
            if not mask.any(dim=-1).all():
                raise ValueError("a token may attend to nobody")
        logging.getLogger(__name__).debug("%s", tuple(x.shape))
        y = super().forward(x, mask)
        assert y.isfinite().all(), f"not finite: {y}"
        print(f"{x.mean().item():.3f} -> {y.mean().item():.3f}")
        return y


@variant(of="EncoderLayer")
class Checkpointed(OneResidualForAll):
    """Branches are computed again in backward, with the same numbers dropped."""

    def network(self, x):
        return checkpoint(super().network, x, use_reentrant=False)


@variant(of="EncoderLayer")
class EinsumAndChunks(Parts):
    """einsum for the attention, the network in chunks of tokens, dropout as a product."""

    def drop(self, x):
        p = self.inner_dropout.p if self.training else 0.0
        return x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p)

    def look(self, x, mask):
        b, t, d = x.shape
        qkv = F.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        q, k, v = qkv.reshape(b, t, 3, self.num_heads, d // self.num_heads).unbind(2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q * (d // self.num_heads) ** -0.5, k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        scores = scores - scores.amax(-1, keepdim=True).detach()
        shares = self.drop(scores.exp() / scores.exp().sum(-1, keepdim=True))
        return self.self_attn.out_proj(torch.einsum("bhqk,bkhd->bqhd", shares, v).flatten(2))

    def network(self, x):
        return torch.cat([super(EinsumAndChunks, self).network(c) for c in x.split(3, 1)], 1)

    def forward(self, x, mask=None):
        h = x + self.drop(self.look(self.norm1(x) if self.norm_first else x, mask))
        h = h if self.norm_first else self.norm1(h)
        y = h + self.drop(self.network(self.norm2(h) if self.norm_first else h))
        return y if self.norm_first else self.norm2(y)


# The stack ----------------------------------------------------------------------------------------


@variant(of="Encoder")
class ClonesAsInTorch(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if self.norm is not None else x


@variant(of="Encoder")
class AppendedOneByOne(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(copy.deepcopy(layer))
        self.norm = norm or nn.Identity()

    def forward(self, x, mask=None):
        for i in range(self.num_layers):
            x = self.layers[i](x, mask=mask)
        return self.norm(x)


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

    def forward(self, x, mask=None):
        for _, layer in self.layers.named_children():
            x = layer(x, mask)
        return x if not self.norm else self.norm(x)


@variant(of="Encoder")
class Recursive(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList(map(copy.deepcopy, [layer] * num_layers))
        self.norm = norm

    def after(self, x, mask, layers):
        if not layers:
            return x
        return self.after(layers[0](x, mask), mask, layers[1:])

    def forward(self, x, mask=None):
        y = self.after(x, mask, list(self.layers))
        if self.norm is not None:
            y = self.norm(y)
        return y


@variant(of="Encoder")
class CheckpointedStack(nn.Module):
    """Every layer is computed again in backward; the number of layers is asserted."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        assert isinstance(layer, nn.Module) and num_layers >= 1
        self.layers, self.norm = nn.ModuleList(), norm
        self.layers.extend(copy.deepcopy(layer) for _ in range(num_layers))

    def forward(self, x, mask=None):
        for i, layer in enumerate(self.layers):
            if self.training and torch.is_grad_enabled():
                x = checkpoint(layer, x, mask, use_reentrant=False)
            else:
                x = layer(x, mask)
            assert torch.isfinite(x).all(), f"layer {i}"
        return x if self.norm is None else self.norm(x)
