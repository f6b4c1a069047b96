"""Stacks and models as somebody writes them who has the idea and nothing else.

No dropout, no other activation, no other start, no device, nothing tied and nothing refused.
"""

from __future__ import annotations

import copy
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.w_q, self.w_k = nn.Linear(width, width), nn.Linear(width, width)
        self.w_v, self.w_o = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, query, source, mask=None):
        q, k, v = (
            y.reshape(len(y), y.shape[1], self.heads, -1).transpose(1, 2)
            for y in (self.w_q(query), self.w_k(source), self.w_v(source))
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1)
        return self.w_o((weights @ v).transpose(1, 2).flatten(2)), weights


class Network(nn.Module):
    def __init__(self, width, inner, activation=torch.relu):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.activation = activation

    def forward(self, x):
        return self.w_2(self.activation(self.w_1(x)))


class Residual(nn.Module):
    def __init__(self, width, norm_first):
        super().__init__()
        self.norm, self.norm_first = nn.LayerNorm(width), norm_first

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x)) if self.norm_first else self.norm(x + sublayer(x))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn, self.feed_forward = Attention(width, heads), Network(width, inner)
        self.residual1, self.residual2 = Residual(width, norm_first), Residual(width, norm_first)

    def forward(self, x, mask=None, need_weights=False):
        def look(y):
            y, self.weights = self.self_attn(y, y, mask)
            return y

        x = self.residual2(self.residual1(x, look), self.feed_forward)
        return (x, self.weights) if need_weights else x


class Encoder(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.norm = norm

    def forward(self, x, mask=None, need_weights=False):
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask, True)
            maps.append(weights)
        if self.norm:
            x = self.norm(x)
        return (x, maps) if need_weights else x


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, inner, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn, self.multihead_attn = Attention(width, heads), Attention(width, heads)
        self.feed_forward = Network(width, inner)
        self.residual1, self.residual2 = Residual(width, norm_first), Residual(width, norm_first)
        self.residual3 = Residual(width, norm_first)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        def look(y):
            y, self.own = self.self_attn(y, y, tgt_mask)
            return y

        def read(y):
            y, self.cross = self.multihead_attn(y, memory, memory_mask)
            return y

        x = self.residual2(self.residual1(tgt, look), read)
        x = self.residual3(x, self.feed_forward)
        return (x, self.own, self.cross) if need_weights else x


class Decoder(nn.Module):
    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.norm = norm

    def forward(self, x, memory, tgt_mask=None, memory_mask=None, need_weights=False):
        own, cross = [], []
        for layer in self.layers:
            x, *weights = layer(x, memory, tgt_mask, memory_mask, True)
            own.append(weights[0])
            cross.append(weights[1])
        if self.norm:
            x = self.norm(x)
        return (x, own, cross) if need_weights else x


class Table(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)

    def forward(self, ids):
        x = self.embedding(ids)
        place = torch.arange(x.shape[1])[:, None]
        angles = place / 10000 ** (torch.arange(0, x.shape[2], 2) / x.shape[2])
        places = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        return x * math.sqrt(x.shape[2]) + places


class Transformer(nn.Module):
    def __init__(
        self, src_vocab, tgt_vocab, width, heads, encoders, decoders, inner, dropout=0.1,
        max_len=5000, pad_id=0, tie_weights=False, norm_first=False,
    ):  # fmt: skip
        super().__init__()
        self.pad_id = pad_id
        self.src_embedding, self.tgt_embedding = Table(src_vocab, width), Table(tgt_vocab, width)
        self.encoder = Encoder(EncoderLayer(width, heads, inner), encoders)
        self.decoder = Decoder(DecoderLayer(width, heads, inner), decoders)
        self.generator = nn.Linear(width, tgt_vocab)

    def encode(self, src, src_mask=None):
        return self.encoder(self.src_embedding(src), src_mask)

    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        return self.decoder(self.tgt_embedding(tgt), memory, tgt_mask, src_mask)

    def forward(self, src, tgt):
        src_mask = (src != self.pad_id)[:, None, None]
        past = torch.ones(tgt.shape[1], tgt.shape[1]).tril().bool()
        tgt_mask = (tgt != self.pad_id)[:, None, None] & past
        return self.generator(self.decode(tgt, self.encode(src, src_mask), src_mask, tgt_mask))


class Block(nn.Module):
    def __init__(self, width, num_heads, d_ff, dropout=0.0, bias=True):
        super().__init__()
        self.attention = Attention(width, num_heads)
        self.feed_forward = Network(width, d_ff, nn.functional.gelu)
        self.residual1, self.residual2 = Residual(width, True), Residual(width, True)

    def forward(self, x):
        past = torch.ones(x.shape[1], x.shape[1]).tril().bool()
        x = self.residual1(x, lambda y: self.attention(y, y, past)[0])
        return self.residual2(x, self.feed_forward)


class GPT(nn.Module):
    def __init__(
        self, vocab_size, block_size, n_layer, n_head, n_embd, dropout=0.0, bias=True,
        tie_weights=True,
    ):  # fmt: skip
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList(Block(n_embd, n_head, 4 * n_embd) for _ in range(n_layer))
        self.norm, self.head = nn.LayerNorm(n_embd), nn.Linear(n_embd, vocab_size, bias=False)
        if tie_weights:
            self.head.weight = self.token_embedding.weight

    def forward(self, idx, targets=None):
        x = self.token_embedding(idx) + self.position_embedding.weight[: idx.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def get_num_params(self, non_embedding=False):
        total = sum(weights.numel() for weights in self.parameters())
        return total - self.position_embedding.weight.numel() * non_embedding
