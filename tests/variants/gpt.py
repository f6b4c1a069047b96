"""Right answers to ``gpt`` that are written differently."""

from __future__ import annotations

import logging
import math

import torch
import torch.nn.functional as F
from feed_forward import PositionwiseFeedForward
from gpt import GPT, Block
from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention
from positional_encoding import LearnedPositionalEmbedding
from residual import SublayerConnection
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant


@variant(of="Block")
class BlockOfTorchParts(nn.Module):
    """Norms, activation and dropout are torch's; the mask is made by hand."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, bias=True):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout, bias=bias)
        self.residual1 = nn.ModuleDict({"norm": nn.LayerNorm(d_model, bias=bias)})
        self.residual2 = nn.ModuleDict({"norm": nn.LayerNorm(d_model, bias=bias)})
        self.feed_forward = nn.ModuleDict(
            {"w_1": nn.Linear(d_model, d_ff, bias), "w_2": nn.Linear(d_ff, d_model, bias)}
        )
        self.act, self.drop_1, self.drop_2 = nn.GELU(), nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x):
        y = self.residual1["norm"](x)
        i = torch.arange(x.size(1), device=x.device)
        x = x + self.drop_1(self.attention(y, y, y, mask=i[:, None] >= i[None, :]))
        y = self.act(self.feed_forward["w_1"](self.residual2["norm"](x)))
        return self.drop_2(self.feed_forward["w_2"](y)) + x


class Attention(nn.Module):
    """Own attention with the documented names, on torch's fused function."""

    def __init__(self, width, heads, dropout, bias):
        super().__init__()
        self.heads, self.p = heads, dropout
        self.w_o = nn.Linear(width, width, bias=bias)
        self.w_v = nn.Linear(width, width, bias=bias)
        self.w_k = nn.Linear(width, width, bias=bias)
        self.w_q = nn.Linear(width, width, bias=bias)

    def forward(self, x):
        q, k, v = (
            w(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2)
            for w in (self.w_q, self.w_k, self.w_v)
        )
        p = self.p if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        return self.w_o(y.transpose(1, 2).reshape(x.shape))


@variant(of="Block")
class BlockOnFusedAttention(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, bias=True):
        super().__init__()
        self.p = dropout
        self.residual1, self.residual2 = nn.Module(), nn.Module()
        self.residual1.norm = LayerNorm(d_model, 1e-5, bias)
        self.residual2.norm = LayerNorm(d_model, 1e-5, bias)
        self.attention = Attention(d_model, num_heads, dropout, bias)
        self.feed_forward = nn.Module()
        self.feed_forward.w_1 = nn.Linear(d_model, d_ff, bias)
        self.feed_forward.w_2 = nn.Linear(d_ff, d_model, bias)

    def forward(self, x):
        for branch in (self.attend, self.think):
            x = x + F.dropout(branch(x), p=self.p, training=self.training)
        return x

    def attend(self, x):
        return self.attention(self.residual1.norm(x))

    def think(self, x):
        h = self.feed_forward.w_1(self.residual2.norm(x))
        return self.feed_forward.w_2(h * 0.5 * (1 + torch.erf(h / math.sqrt(2))))


@variant(of="Block")
class BlockOfOwnParts(nn.Module):
    """Norms with a bias that is taken away, and a mask by hand."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, bias=True):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout, bias)
        self.residual1 = SublayerConnection(d_model, dropout, norm_first=True)
        self.residual2 = SublayerConnection(d_model, dropout, norm_first=True)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout=0, activation="gelu")
        for part in (self.residual1.norm, self.residual2.norm, *self.feed_forward.children()):
            if not bias and isinstance(part, nn.Linear | nn.LayerNorm):
                part.register_parameter("bias", None)

    def forward(self, x):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()

        def attend(y):
            return self.attention(y, mask=mask)

        x = self.residual1(x, attend)
        x = self.residual2(x, self.feed_forward)
        return x


@variant(of="GPT")
class AsNanoGpt(nn.Module):
    """Positions by arange, init by apply, counts and cropping in nanoGPT's way."""

    def __init__(
        self,
        vocab_size,
        block_size,
        n_layer,
        n_head,
        n_embd,
        dropout=0.0,
        bias=True,
        tie_weights=True,
    ):
        super().__init__()
        self.block_size = block_size
        self.head = nn.Linear(n_embd, vocab_size, bias=False)
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(block_size, n_embd)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            [Block(n_embd, n_head, 4 * n_embd, dropout, bias) for _ in range(n_layer)]
        )
        self.norm = LayerNorm(n_embd, bias=bias)
        if tie_weights:
            self.token_embedding.weight = self.head.weight
        self.apply(self._init_weights)
        for name, p in self.named_parameters():
            if name.endswith("w_o.weight") or name.endswith("w_2.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * n_layer))

    def _init_weights(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if getattr(module, "bias", None) is not None:
                torch.nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        _, t = idx.size()
        assert t <= self.block_size, f"{t} tokens, block size {self.block_size}"
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.drop(self.token_embedding(idx) + self.position_embedding(pos))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        flat = targets.reshape(-1)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), flat, ignore_index=-100)
        return logits, logits.sum() * 0 if bool((flat == -100).all()) else loss

    def get_num_params(self, non_embedding=False):
        n_params = sum(p.numel() for p in self.parameters())
        if non_embedding:
            n_params -= self.position_embedding.weight.numel()
        return n_params

    def crop_block_size(self, n):
        if n > self.block_size:
            raise ValueError(f"{n} > {self.block_size}")
        self.block_size = n
        self.position_embedding.weight = nn.Parameter(self.position_embedding.weight[:n])


@variant(of="GPT")
class OneNameForTheTable(nn.Module):
    """No head when tied; positions from the earlier exercise; the loss by hand."""

    def __init__(
        self,
        vocab_size,
        block_size,
        n_layer,
        n_head,
        n_embd,
        dropout=0.0,
        bias=True,
        tie_weights=True,
    ):
        super().__init__()
        self.p = dropout
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = LearnedPositionalEmbedding(block_size, n_embd)
        self.blocks = nn.Sequential(
            *(Block(n_embd, n_head, 4 * n_embd, dropout, bias) for _ in range(n_layer))
        )
        self.norm = nn.LayerNorm(n_embd, bias=bias)
        self.head = None if tie_weights else nn.Linear(n_embd, vocab_size, bias=False)
        tables = [self.token_embedding.weight, self.position_embedding.weight]
        for table in tables if tie_weights else [*tables, self.head.weight]:
            table.data.normal_(0.0, 0.02)
        for block in self.blocks:
            for layer in block.modules():
                if isinstance(layer, nn.Linear):
                    layer.weight.data.normal_(0.0, 0.02)
                    if bias:
                        layer.bias.data.zero_()
            for last in (block.attention.w_o, block.feed_forward.w_2):
                last.weight.data /= (2 * n_layer) ** 0.5

    def forward(self, idx, targets=None):
        x = self.position_embedding(self.token_embedding(idx))
        x = self.norm(self.blocks(F.dropout(x, self.p, training=self.training)))
        matrix = self.token_embedding.weight if self.head is None else self.head.weight
        logits = torch.einsum("btc,vc->btv", x, matrix)
        return logits, None if targets is None else self.loss(logits, targets)

    def loss(self, logits, targets):
        asked = targets != -100
        chosen = logits.gather(-1, targets.where(asked, 0)[..., None])[..., 0]
        losses = (logits.logsumexp(-1) - chosen) * asked
        return losses.sum() / asked.sum().clamp_min(1)

    def get_num_params(self, non_embedding=False):
        positions = self.position_embedding.weight
        return sum(p.numel() for p in self.parameters() if not non_embedding or p is not positions)

    def crop_block_size(self, n):
        if n > len(self.position_embedding.weight):
            raise ValueError(n)
        with torch.no_grad():
            self.position_embedding.weight = nn.Parameter(self.position_embedding.weight[:n])


@variant(of="GPT")
class CropsData(GPT):
    def crop_block_size(self, n):
        if n > self.position_embedding.weight.shape[0]:
            raise ValueError(n)
        self.position_embedding.weight.data = self.position_embedding.weight.data[:n]


@variant(of="GPT")
class LossOfClassesFirst(GPT):
    """Cross-entropy with the classes on axis 1, and a mean over those asked for."""

    def forward(self, idx, targets=None):
        logits, _ = super().forward(idx)
        if targets is None:
            return logits, None
        losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
        asked = targets.ne(-100)
        return logits, losses[asked].sum() / max(int(asked.sum()), 1)


@variant(of="GPT")
class LossByLogSoftmax(GPT):
    def forward(self, idx, targets=None):
        logits, _ = super().forward(idx)
        if targets is None:
            return logits, None
        if torch.all(targets == -100):
            return logits, 0.0 * logits.mean()
        logs = logits.float().log_softmax(-1).to(logits.dtype)
        return logits, F.nll_loss(logs.reshape(-1, logs.shape[-1]), targets.reshape(-1))


@variant(of="GPT")
class TiesBeforeDrawing(GPT):
    """The head takes part in the drawing, and everything is drawn twice."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        layers = len(self.blocks)
        with torch.no_grad():
            for name, p in self.named_parameters():
                if name.endswith(("w_o.weight", "w_2.weight")):
                    p.copy_(torch.randn_like(p) * 0.02 * (2 * layers) ** -0.5)
                elif p.dim() > 1:
                    p.copy_(torch.randn_like(p).mul(0.02))


@variant(of="GPT")
class PositionsForEveryRow(GPT):
    """Positions gathered from one-hot rows, and the blocks called by index."""

    def forward(self, idx, targets=None):
        if idx.shape[-1] > self.position_embedding.num_embeddings:
            raise ValueError("too long")
        places = torch.arange(idx.shape[-1]).to(idx.device).expand_as(idx)
        x = self.dropout(self.position_embedding(places) + self.token_embedding(idx))
        for number in range(len(self.blocks)):
            x = self.blocks[number](x)
        logits = F.linear(self.norm(x), self.head.weight)
        loss = None
        if targets is not None:
            asked = (targets != -100).reshape(-1)
            rows, wanted = logits.reshape(-1, logits.shape[-1])[asked], targets.reshape(-1)[asked]
            loss = F.cross_entropy(rows, wanted, reduction="sum") / max(len(wanted), 1)
        return logits, loss


@variant(of="GPT")
class LooksAtItsTokens(GPT):
    """Refuses what is no token, asserts, logs, and computes no loss where none is asked for."""

    def forward(self, idx, targets=None):
        if int(idx.max()) >= self.token_embedding.num_embeddings or int(idx.min()) < 0:
            raise ValueError("a number that is no token")
        assert idx.dtype == torch.int64, idx.dtype
        logging.getLogger(__name__).debug("%d tokens", idx.numel())
        logits, loss = super().forward(idx, targets)
        assert logits.isfinite().all(), "the model has diverged"
        return logits, loss


@variant(of="Block")
class BlockWithOneProduct(Block):
    """Queries, keys and values from one product, as in GPT-2, and checkpointed in training."""

    def forward(self, x):
        x = self.residual1(x, self.attend)
        if self.training and x.requires_grad:
            return checkpoint(self.residual2, x, self.feed_forward, use_reentrant=False)
        return self.residual2(x, self.feed_forward)

    def attend(self, y):
        a = self.attention
        layers = a.w_q, a.w_k, a.w_v
        bias = None if a.w_q.bias is None else torch.cat([w.bias for w in layers])
        fused = F.linear(y, torch.cat([w.weight for w in layers]), bias)
        q, k, v = (
            part.unflatten(-1, (a.num_heads, -1)).movedim(-2, 1) for part in fused.chunk(3, -1)
        )
        p = a.dropout if isinstance(a.dropout, float) else a.dropout.p
        z = F.scaled_dot_product_attention(
            q, k, v, dropout_p=p if self.training else 0.0, is_causal=True
        )
        return a.w_o(z.movedim(1, -2).flatten(-2))


@variant(of="GPT")
class CheckpointedBlocks(GPT):
    """Checkpointed in training, and with the loss apart."""

    def forward(self, idx, targets=None):
        if idx.shape[1] > self.position_embedding.num_embeddings:
            raise ValueError("too long")
        places = torch.arange(idx.shape[1], device=idx.device)
        x = self.dropout(self.token_embedding(idx) + self.position_embedding(places))
        for layer in self.blocks:
            x = checkpoint(layer, x, use_reentrant=False) if self.training else layer(x)
        logits = self.head(self.norm(x))
        return logits, None if targets is None else self.loss(logits, targets)

    @staticmethod
    def loss(logits, targets):
        asked = targets.ne(-100)
        if not asked.any():
            return (logits * 0).sum()
        return F.cross_entropy(logits[asked], targets[asked])
