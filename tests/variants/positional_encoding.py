"""Right answers to ``positional_encoding`` that are written differently."""

from __future__ import annotations

import logging
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from grader.check import variant

log = logging.getLogger(__name__)


@variant(of="TokenEmbedding")
class AsInTheAnnotatedTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, scale=True):
        super().__init__()
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.d_model = d_model
        self.scale = scale

    def forward(self, x):
        out = self.embedding(x)
        if self.scale:
            out = out * math.sqrt(self.d_model)
        return out


@variant(of="TokenEmbedding")
class IndexesTheWeights(AsInTheAnnotatedTransformer):
    def forward(self, ids):
        rows = self.embedding.weight[ids]
        return rows * self.d_model**0.5 if self.scale else rows


@variant(of="TokenEmbedding")
class OneHotProduct(AsInTheAnnotatedTransformer):
    def forward(self, ids):
        weight = self.embedding.weight
        rows = F.one_hot(ids, weight.shape[0]).to(weight.dtype) @ weight
        return rows.mul(np.sqrt(self.d_model).item()) if self.scale else rows


@variant(of="TokenEmbedding")
class FactorAsAScalarTensor(AsInTheAnnotatedTransformer):
    def forward(self, ids):
        factor = torch.sqrt(torch.tensor(float(self.d_model))) if self.scale else 1
        return F.embedding(ids, self.embedding.weight) * factor


@variant(of="sinusoidal_encoding")
def exponential_of_a_logarithm(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len).unsqueeze(1).float()
    div = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    table[:, 0::2] = torch.sin(position * div)
    table[:, 1::2] = torch.cos(position * div)[:, : d_model // 2]
    return table


@variant(of="sinusoidal_encoding")
def powers_in_float32(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32).view(-1, 1)
    frequency = 1.0 / torch.pow(10000.0, torch.arange(0, d_model, 2) / d_model)
    angle = torch.einsum("pi,j->pj", position, frequency)
    return torch.stack((angle.sin(), angle.cos()), dim=2).reshape(max_len, -1)[:, :d_model]


@variant(of="sinusoidal_encoding")
def column_by_column(max_len, d_model):
    table = torch.empty(max_len, d_model)
    position = torch.arange(max_len, dtype=torch.float64)
    for column in range(0, d_model, 2):
        angle = position / 10000 ** (column / d_model)
        table[:, column] = torch.sin(angle)
        if column + 1 < d_model:
            table[:, column + 1] = torch.cos(angle)
    return table


@variant(of="sinusoidal_encoding")
def by_numpy(max_len, d_model):
    position = np.arange(max_len)[:, np.newaxis]
    column = np.arange(d_model)[np.newaxis]
    angle = position / np.power(10000, 2 * (column // 2) / d_model)
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return torch.from_numpy(angle).to(torch.float32)


@variant(of="sinusoidal_encoding")
def cosine_as_a_shifted_sine(max_len, d_model):
    column = torch.arange(d_model)
    position = torch.arange(max_len, dtype=torch.float64)
    angle = torch.outer(position, 10000.0 ** -((column - column % 2).double() / d_model))
    return torch.sin(angle + (column % 2) * math.pi / 2).to(torch.float32)


@variant(of="sinusoidal_encoding")
def complex_numbers(max_len, d_model):
    pairs = (d_model + 1) // 2
    frequency = torch.exp(torch.arange(pairs).double() * (-2 * math.log(1e4) / d_model))
    angle = torch.arange(max_len).double()[:, None] * frequency
    wave = torch.view_as_real(torch.polar(torch.ones_like(angle), angle)).flip(-1)
    return wave.flatten(1)[:, :d_model].float()


def _table(max_len, d_model):
    return exponential_of_a_logarithm(max_len, d_model)


@variant(of="PositionalEncoding")
class BatchAxisInTheBuffer(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = _table(max_len, d_model).unsqueeze(0)
        self.register_buffer("pe", pe)

    def forward(self, x):
        if x.size(1) > self.pe.size(1):
            raise ValueError("sequence too long")
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return self.dropout(x)


@variant(of="PositionalEncoding")
class FloatTableKept(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.p = dropout
        self.register_buffer("pe", _table(max_len, d_model), persistent=False)
        self.table_dtype = torch.float32

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        if self.pe.dtype in (torch.bfloat16, torch.float16):
            self.pe = _table(*self.pe.shape).to(self.pe.device)
        return self

    def forward(self, x):
        b, t, d = x.shape
        assert t <= self.pe.shape[0], "too long"
        y = (x.to(torch.promote_types(x.dtype, torch.float32)) + self.pe[:t]).to(x.dtype)
        return F.dropout(y, p=self.p, training=self.training)


@variant(of="PositionalEncoding")
class SlicesOfAColumnOfRows(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.max_len = max_len
        self.register_buffer("pe", _table(max_len, d_model).unsqueeze(1))
        self.drop = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, x):
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(f"sequence of {length}, but max_len is {self.max_len}")
        return self.drop(x.transpose(0, 1).add(self.pe[:length].to(x.dtype)).transpose(0, 1))


@variant(of="PositionalEncoding")
class FirstPartOfASplit(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", _table(max_len, d_model))

    def forward(self, x):
        rows = self.pe.split(x.shape[1])[0]
        if len(rows) < x.shape[1]:
            raise ValueError("more tokens than positions")
        return self.dropout(torch.add(x, rows.expand(x.shape[0], -1, -1)))


@variant(of="PositionalEncoding")
class LooksRowsUp(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", by_numpy(max_len, d_model))

    def forward(self, x):
        if not x.shape[1] <= self.table.shape[0]:
            raise ValueError
        positions = torch.arange(x.shape[1], device=x.device)
        return self.dropout(x + F.embedding(positions, self.table))


@variant(of="LearnedPositionalEmbedding")
class IsAnEmbedding(nn.Embedding):
    def forward(self, x):
        if x.shape[1] > self.num_embeddings:
            raise ValueError("too long")
        return x + super().forward(torch.arange(x.shape[1], device=x.device))


@variant(of="LearnedPositionalEmbedding")
class ZeroAtFirst(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_len, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        assert x.size(1) <= self.weight.size(0)
        return x + self.weight.narrow(0, 0, x.size(1)).unsqueeze(0).expand_as(x)


@variant(of="pe_shift_matrix")
def filled_in_a_loop(k, d_model):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = k / 10000 ** (i / d_model)
        matrix[i, i] = matrix[i + 1, i + 1] = math.cos(angle)
        matrix[i, i + 1], matrix[i + 1, i] = math.sin(angle), -math.sin(angle)
    return matrix


@variant(of="pe_shift_matrix")
def written_into_diagonals(k, d_model):
    angle = k * torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    matrix = torch.diag(angle.cos().repeat_interleave(2))
    even = torch.arange(0, d_model, 2)
    matrix[even, even + 1] = angle.sin()
    matrix[even + 1, even] = -angle.sin()
    return matrix


@variant(of="pe_shift_matrix")
def matrix_exponential(k, d_model):
    frequency = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.matrix_exp(k * torch.kron(frequency.diag(), turn)).float()


@variant(of="pe_shift_matrix")
def least_squares(k, d_model):
    position = torch.arange(3000, dtype=torch.float64)[:, None]
    column = torch.arange(d_model)

    def rows(position):
        angle = position / 10000.0 ** ((column // 2 * 2).double() / d_model)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    return torch.linalg.lstsq(rows(position), rows(position + k)).solution.mT.float()


@variant(of="TokenEmbedding")
class StartsLikeGPT2(nn.Module):
    def __init__(self, vocab_size, d_model, scale=True):
        super().__init__()
        if vocab_size < 1 or d_model < 1:
            raise ValueError("sizes are positive")
        self.scale = scale
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, ids):
        assert ids.dtype == torch.int64, ids.dtype
        assert int(ids.min()) >= 0 and int(ids.max()) < self.embedding.num_embeddings
        out = self.embedding(ids)
        log.debug("tokens of shape %s", tuple(ids.shape))
        if self.scale:
            out = out * math.sqrt(out.shape[-1])
        assert out.isfinite().all()
        return out


@variant(of="TokenEmbedding")
class StartsWithXavier(AsInTheAnnotatedTransformer):
    def __init__(self, vocab_size, d_model, scale=True):
        super().__init__(vocab_size, d_model, scale)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)


@variant(of="PositionalEncoding")
class AsInTheTutorialOfTorch(nn.Module):
    """Batch first, with a look at what comes in and out."""

    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term[: d_model // 2])
        self.register_buffer("pe", pe)

    def forward(self, x):
        assert x.dim() == 3 and x.shape[-1] == self.pe.shape[-1]
        assert x.isfinite().all(), "x is finite"
        if x.size(1) > self.pe.size(1):
            print("too long:", x.size(1))
            raise ValueError("too long")
        x = x + self.pe[:, : x.size(1)]
        return self.dropout(x)


@variant(of="LearnedPositionalEmbedding")
class TruncatedNormal(nn.Module):
    """As vision transformers have it."""

    def __init__(self, max_len, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(max_len, d_model))
        nn.init.trunc_normal_(self.weight, std=0.02)
        self.register_buffer("positions", torch.arange(max_len), persistent=False)

    def forward(self, x):
        batch, tokens, width = x.shape
        if tokens > len(self.positions):
            raise ValueError(f"{tokens} > {len(self.positions)}")
        rows = F.embedding(self.positions[:tokens], self.weight)
        return torch.einsum("btd,td->btd", torch.ones_like(x), rows) + x


@variant(of="pe_shift_matrix")
def turns_by_complex_numbers(k, d_model):
    assert d_model % 2 == 0
    angle = k * 10000.0 ** (-torch.arange(0, d_model, 2).double() / d_model)
    turn = torch.polar(torch.ones_like(angle), angle)
    return torch.block_diag(
        *(
            torch.stack([torch.stack([z.real, z.imag]), torch.stack([-z.imag, z.real])])
            for z in turn
        )
    ).to(torch.float32)
