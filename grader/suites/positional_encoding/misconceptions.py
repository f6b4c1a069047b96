"""Wrong answers to ``positional_encoding``, and what their authors are told."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

TABLE = ("test_table_of_sines_and_cosines",)
ODD = ("test_table_of_odd_width",)
ROWS = ("test_encoding_adds_its_first_rows",)
DROPS = ("test_encoding_drops_the_sum",)
LEARNED = ("test_learned_rows_are_added",)
SHIFT = ("test_shift_matrix_leads_to_other_positions",)


def _angles(max_len, d_model, base=10000.0, first=0):
    position = torch.arange(first, first + max_len, dtype=torch.float64)[:, None]
    column = torch.arange(d_model)
    return position / base ** ((column // 2 * 2).double() / d_model)


def _waves(angle):
    even = torch.arange(angle.shape[-1]) % 2 == 0
    return torch.where(even, angle.sin(), angle.cos()).float()


def _table(max_len, d_model):
    return _waves(_angles(max_len, d_model))


class _Embedding(nn.Module):
    """A right embedding in parts, so that each wrong one differs in one of them."""

    def __init__(self, vocab_size, d_model, scale=True):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.d_model, self.scale = d_model, scale

    def factor(self):
        return math.sqrt(self.d_model)

    def forward(self, ids):
        rows = self.embedding(ids)
        return rows * self.factor() if self.scale else rows


@misconception(
    of="TokenEmbedding",
    sentence="The factor sqrt(d_model) is missing, or was multiplied into the weights in __init__, "
    "where loading others loses it: multiply the output by it if scale is True.",
    caught_by=("test_embedding_is_scaled",),
)
class NoScale(_Embedding):
    def factor(self):
        return 1.0


@misconception(
    of="TokenEmbedding",
    sentence="You divide by sqrt(d_model): the embedding is multiplied by it.",
    caught_by=("test_embedding_is_scaled",),
)
class ScaleDivides(_Embedding):
    def factor(self):
        return self.d_model**-0.5


@misconception(
    of="TokenEmbedding",
    sentence="You multiply by d_model, not by its square root.",
    caught_by=("test_embedding_is_scaled",),
)
class ScaleWithoutRoot(_Embedding):
    def factor(self):
        return float(self.d_model)


@misconception(
    of="TokenEmbedding",
    sentence="You take the root of the vocabulary's size: the factor is sqrt(d_model).",
    caught_by=("test_embedding_is_scaled",),
)
class ScaleOfTheVocabulary(_Embedding):
    def factor(self):
        return math.sqrt(self.embedding.num_embeddings)


@misconception(
    of="TokenEmbedding",
    sentence="`scale` is ignored: with scale=False the row comes out as it is.",
    caught_by=("test_embedding_without_scale",),
)
class AlwaysScales(_Embedding):
    def forward(self, ids):
        return self.embedding(ids) * self.factor()


@misconception(
    of="TokenEmbedding",
    sentence="Without `scale` your embedding does not scale: the default is True.",
    caught_by=("test_embedding_is_scaled",),
)
class NoScaleByDefault(_Embedding):
    def __init__(self, vocab_size, d_model, scale=False):
        super().__init__(vocab_size, d_model, scale)


@misconception(
    of="TokenEmbedding",
    sentence="You scale the weights and not the output: every call makes them larger, and training "
    "sees other gradients.",
    caught_by=("test_embedding_is_scaled",),
)
class ScalesTheWeights(_Embedding):
    def forward(self, ids):
        if self.scale:
            self.embedding.weight.data.mul_(self.factor())
        return self.embedding(ids)


@misconception(
    of="TokenEmbedding",
    sentence="Token 0 gets no gradient: padding_idx=0 was not asked for, no token is special.",
    caught_by=("test_embedding_is_scaled",),
)
class PaddingAtZero(_Embedding):
    def __init__(self, vocab_size, d_model, scale=True):
        super().__init__(vocab_size, d_model, scale)
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)


@misconception(
    of="TokenEmbedding",
    sentence="Long rows are shortened to length 1 (max_norm): rows come out as they are.",
    caught_by=("test_embedding_is_scaled",),
)
class ShortensRows(_Embedding):
    def forward(self, ids):
        rows = F.normalize(self.embedding(ids), dim=-1)
        return rows * self.factor() if self.scale else rows


@misconception(
    of="TokenEmbedding",
    sentence="The rows have left the graph (.data, detach): the embedding would never learn.",
    caught_by=("test_embedding_is_scaled",),
)
class RowsDetached(_Embedding):
    def forward(self, ids):
        rows = self.embedding.weight.data[ids]
        return rows * self.factor() if self.scale else rows


@misconception(
    of="TokenEmbedding",
    sentence="Your embedding is not called `embedding`: name the attribute as the docstring does.",
    caught_by=("test_embedding_is_scaled",),
)
class OtherName(nn.Module):
    def __init__(self, vocab_size, d_model, scale=True):
        super().__init__()
        self.lut = nn.Embedding(vocab_size, d_model)
        self.factor = math.sqrt(d_model) if scale else 1.0

    def forward(self, ids):
        return self.lut(ids) * self.factor


@misconception(
    of="TokenEmbedding",
    sentence="Your embedding insists on (batch, tokens): token numbers come in any shape.",
    caught_by=("test_embedding_takes_any_shape",),
)
class TwoAxesOnly(_Embedding):
    def forward(self, ids):
        batch, tokens = ids.shape
        return super().forward(ids)


@misconception(
    of="TokenEmbedding",
    sentence="Your factor is a float32 tensor with an axis, which turns a bfloat16 model's output "
    "into float32: use a plain number.",
    caught_by=("test_embedding_in_bfloat16",),
)
class FactorIsATensor(_Embedding):
    def factor(self):
        return torch.tensor([self.d_model], dtype=torch.float32).sqrt()


@misconception(
    of="sinusoidal_encoding",
    sentence="Sines and cosines stand side by side, in two halves. That holds the same "
    "information, but here they alternate: sines in columns 0::2, cosines in columns 1::2.",
    caught_by=TABLE,
)
def two_halves(max_len, d_model):
    angle = _angles(max_len, d_model)[:, ::2]
    return torch.cat([angle.sin(), angle.cos()], dim=-1)[:, :d_model].float()


@misconception(
    of="sinusoidal_encoding",
    sentence="Sine and cosine are exchanged: row 0 is 0, 1, 0, 1, ...",
    caught_by=TABLE,
)
def sine_and_cosine_exchanged(max_len, d_model):
    angle = _angles(max_len, d_model)
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angle.cos(), angle.sin()).float()


@misconception(
    of="sinusoidal_encoding",
    sentence="Your exponent runs over all columns (2 * column / d_model): a sine and its cosine "
    "share the frequency of their pair, 2i with i = column // 2.",
    caught_by=TABLE,
)
def twice_the_column(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    return _waves(position / 10000.0 ** (2 * torch.arange(d_model).double() / d_model))


@misconception(
    of="sinusoidal_encoding",
    sentence="Every column has a frequency of its own (column / d_model): a cosine uses that of "
    "the sine before it.",
    caught_by=TABLE,
)
def a_frequency_for_every_column(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    return _waves(position / 10000.0 ** (torch.arange(d_model).double() / d_model))


@misconception(
    of="sinusoidal_encoding",
    sentence="The exponent is i / d_model, with i the number of the pair: the 2 is missing.",
    caught_by=TABLE,
)
def two_missing_in_the_exponent(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    return _waves(position / 10000.0 ** ((torch.arange(d_model) // 2).double() / d_model))


@misconception(
    of="sinusoidal_encoding",
    sentence="The 2 stands in the exponent twice: arange(0, d_model, 2) is 2i already.",
    caught_by=TABLE,
)
def two_twice_in_the_exponent(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    pair = (torch.arange(d_model) // 2).double()
    return _waves(position / 10000.0 ** (4 * pair / d_model))


@misconception(
    of="sinusoidal_encoding",
    sentence="You multiply the position by 10000^(2i/d_model) where you should divide: the later "
    "the column, the slower its wave.",
    caught_by=TABLE,
)
def multiplied_instead_of_divided(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    column = torch.arange(d_model)
    return _waves(position * 10000.0 ** ((column // 2 * 2).double() / d_model))


@misconception(
    of="sinusoidal_encoding",
    sentence="Your base is 1000: it is 10000.",
    caught_by=TABLE,
)
def base_one_thousand(max_len, d_model):
    return _waves(_angles(max_len, d_model, base=1000.0))


@misconception(
    of="sinusoidal_encoding",
    sentence="You use log10 with exp: 10000^a = exp(a * ln 10000), with the natural logarithm.",
    caught_by=TABLE,
)
def wrong_logarithm(max_len, d_model):
    return _waves(_angles(max_len, d_model, base=math.exp(4.0)))


@misconception(
    of="sinusoidal_encoding",
    sentence="Your positions begin at 1: row 0 belongs to position 0 and is 0, 1, 0, 1, ...",
    caught_by=TABLE,
)
def positions_from_one(max_len, d_model):
    return _waves(_angles(max_len, d_model, first=1))


@misconception(
    of="sinusoidal_encoding",
    sentence="Row 0 is all zeros, as for padding: position 0 is an ordinary one, and cos(0) = 1.",
    caught_by=TABLE,
)
def first_row_zero(max_len, d_model):
    table = _table(max_len, d_model)
    table[0] = 0.0
    return table


@misconception(
    of="sinusoidal_encoding",
    sentence="All columns are sines: the odd ones are cosines.",
    caught_by=TABLE,
)
def sines_only(max_len, d_model):
    return _angles(max_len, d_model).sin().float()


@misconception(
    of="sinusoidal_encoding",
    sentence="You return the angles without taking sine and cosine of them.",
    caught_by=TABLE,
)
def angles_only(max_len, d_model):
    return _angles(max_len, d_model).float()


@misconception(
    of="sinusoidal_encoding",
    sentence="The frequencies fall until 10000 in the last pair (linspace, or d_model - 2 in the "
    "denominator): the exponent is 2i / d_model, which never reaches 1.",
    caught_by=TABLE,
)
def last_frequency_reached(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    pair = (torch.arange(d_model) // 2).double()
    last = max((d_model + 1) // 2 - 1, 1)
    return _waves(position / 10000.0 ** (pair / last))


@misconception(
    of="sinusoidal_encoding",
    sentence="Your angles are in degrees: torch.sin takes radians, and the formula has no factor.",
    caught_by=TABLE,
)
def degrees(max_len, d_model):
    return _waves(torch.deg2rad(_angles(max_len, d_model)))


@misconception(
    of="sinusoidal_encoding",
    sentence="Your angles contain 2 * pi: the formula has no such factor.",
    caught_by=TABLE,
)
def full_turns(max_len, d_model):
    return _waves(2 * math.pi * _angles(max_len, d_model))


@misconception(
    of="sinusoidal_encoding",
    sentence="Positions run along the columns: the table is (max_len, d_model), transpose it.",
    caught_by=TABLE,
)
def transposed_table(max_len, d_model):
    return _table(max_len, d_model).T


@misconception(
    of="sinusoidal_encoding",
    sentence="The table has a batch axis: it is (max_len, d_model), broadcasting does the rest.",
    caught_by=TABLE,
)
def batch_axis_in_the_table(max_len, d_model):
    return _table(max_len, d_model).unsqueeze(0)


@misconception(
    of="sinusoidal_encoding",
    sentence="Your table is float64: it must be float32.",
    caught_by=TABLE,
)
def table_in_float64(max_len, d_model):
    return _table(max_len, d_model).double()


@misconception(
    of="sinusoidal_encoding",
    sentence="Your table is a numpy array: return a torch tensor.",
    caught_by=TABLE,
)
def table_in_numpy(max_len, d_model):
    return _table(max_len, d_model).numpy()


@misconception(
    of="sinusoidal_encoding",
    sentence="An odd d_model has no room for the last cosine: columns 1::2 are one fewer than the "
    "frequencies, so cut the cosines to d_model // 2.",
    caught_by=ODD,
)
def fails_for_odd_widths(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    angle = _angles(max_len, d_model)[:, ::2]
    table[:, 0::2] = angle.sin().float()
    table[:, 1::2] = angle.cos().float()
    return table


@misconception(
    of="sinusoidal_encoding",
    sentence="For an odd d_model your table is one column too narrow: the last column is a sine.",
    caught_by=ODD,
)
def odd_width_lost(max_len, d_model):
    return _table(max_len, d_model)[:, : d_model // 2 * 2]


@misconception(
    of="sinusoidal_encoding",
    sentence="For an odd d_model your table is one column too wide: cut off the last cosine.",
    caught_by=ODD,
)
def odd_width_rounded_up(max_len, d_model):
    angle = _angles(max_len, d_model)[:, ::2]
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()


@misconception(
    of="sinusoidal_encoding",
    sentence="For an odd d_model you compute the table for d_model + 1 and cut it, which changes "
    "every frequency: keep dividing the exponent by d_model.",
    caught_by=ODD,
)
def odd_width_with_other_frequencies(max_len, d_model):
    return _table(max_len, d_model + d_model % 2)[:, :d_model]


@misconception(
    of="sinusoidal_encoding",
    sentence="For an odd d_model your last column stays zero: it is the sine of the next pair.",
    caught_by=ODD,
)
def odd_width_padded_with_zeros(max_len, d_model):
    table = _table(max_len, d_model)
    if d_model % 2:
        table[:, -1] = 0.0
    return table


@misconception(
    of="sinusoidal_encoding",
    sentence="For an odd d_model your last column is a cosine: the pair begins with its sine.",
    caught_by=ODD,
)
def odd_width_ends_with_a_cosine(max_len, d_model):
    table = _table(max_len, d_model)
    if d_model % 2:
        table[:, -1] = _angles(max_len, d_model)[:, -1].cos().float()
    return table


@misconception(
    of="sinusoidal_encoding",
    sentence="You refuse an odd d_model: its last column is a sine without a cosine.",
    caught_by=ODD,
)
def odd_width_refused(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    return _table(max_len, d_model)


@misconception(
    of="sinusoidal_encoding",
    sentence="Your positions are counted in half precision: bfloat16 knows no odd numbers above "
    "256, float16 none above 2048. Count in float32 at least.",
    caught_by=("test_table_far_from_the_start",),
)
def positions_in_bfloat16(max_len, d_model):
    position = torch.arange(max_len).bfloat16().double()[:, None]
    column = torch.arange(d_model)
    return _waves(position / 10000.0 ** ((column // 2 * 2).double() / d_model))


class _Positions(nn.Module):
    """A right encoding in parts."""

    table = staticmethod(_table)

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.p = dropout
        self.keep(self.table(max_len, d_model))

    def keep(self, table):
        self.register_buffer("pe", table)

    def rows(self, x):
        if x.shape[1] > len(self.pe):
            raise ValueError("too many positions")
        return self.pe[: x.shape[1]]

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def forward(self, x):
        return self.drop(x + self.rows(x))


@misconception(
    of="PositionalEncoding",
    sentence="What you add has its sines and cosines in two halves: they alternate, column by "
    "column.",
    caught_by=ROWS,
)
class AddsTwoHalves(_Positions):
    table = staticmethod(two_halves)


@misconception(
    of="PositionalEncoding",
    sentence="What you add has sine and cosine exchanged: position 0 adds 0, 1, 0, 1, ...",
    caught_by=ROWS,
)
class AddsExchangedWaves(_Positions):
    table = staticmethod(sine_and_cosine_exchanged)


@misconception(
    of="PositionalEncoding",
    sentence="What you add has 2 * column in its exponent: a sine and its cosine share 2i, i = "
    "column // 2.",
    caught_by=ROWS,
)
class AddsTwiceTheColumn(_Positions):
    table = staticmethod(twice_the_column)


@misconception(
    of="PositionalEncoding",
    sentence="What you add has another frequency in every column: a cosine uses that of the sine "
    "before it.",
    caught_by=ROWS,
)
class AddsAFrequencyForEveryColumn(_Positions):
    table = staticmethod(a_frequency_for_every_column)


@misconception(
    of="PositionalEncoding",
    sentence="What you add has the exponent i / d_model for pair i: the 2 of 2i is missing.",
    caught_by=ROWS,
)
class AddsTooFewTwos(_Positions):
    table = staticmethod(two_missing_in_the_exponent)


@misconception(
    of="PositionalEncoding",
    sentence="You add nothing to the first token: position 0 is an ordinary one, and adds 0, 1, "
    "0, 1, ...",
    caught_by=ROWS,
)
class AddsNothingAtFirst(_Positions):
    table = staticmethod(first_row_zero)


@misconception(
    of="PositionalEncoding",
    sentence="You cut the table by x.shape[0], the batch: positions run along axis 1.",
    caught_by=ROWS,
)
class CutByTheBatch(_Positions):
    def rows(self, x):
        super().rows(x)
        return self.pe[: x.shape[0]]


@misconception(
    of="PositionalEncoding",
    sentence="Positions run along the batch: every sequence gets one row, the same for all its "
    "tokens. Token t of every sequence needs row t.",
    caught_by=ROWS,
)
class PositionsAlongTheBatch(_Positions):
    def rows(self, x):
        super().rows(x)
        return self.pe[: x.shape[0], None]


@misconception(
    of="PositionalEncoding",
    sentence="You add the whole table: cut it to the length of the sequence, [:x.shape[1]].",
    caught_by=ROWS,
)
class WholeTable(_Positions):
    def rows(self, x):
        super().rows(x)
        return self.pe


@misconception(
    of="PositionalEncoding",
    sentence="You add the last rows of the table: a sequence begins at position 0.",
    caught_by=ROWS,
)
class LastRows(_Positions):
    def rows(self, x):
        super().rows(x)
        return self.pe[-x.shape[1] :]


@misconception(
    of="PositionalEncoding",
    sentence="Your first token gets row 1: positions begin at 0.",
    caught_by=ROWS,
)
class OneRowLate(_Positions):
    def rows(self, x):
        return super().rows(x).roll(-1, dims=0)


@misconception(
    of="PositionalEncoding",
    sentence="You return the rows of the table without adding them to x.",
    caught_by=ROWS,
)
class RowsWithoutX(_Positions):
    def forward(self, x):
        return self.drop(self.rows(x).expand_as(x) + 0 * x)


@misconception(
    of="PositionalEncoding",
    sentence="The table is appended to x: it is added, and the width stays d_model.",
    caught_by=ROWS,
)
class Appended(_Positions):
    def forward(self, x):
        return self.drop(torch.cat([x, self.rows(x).expand_as(x)], dim=-1))


@misconception(
    of="PositionalEncoding",
    sentence="You multiply x by the table: it is added.",
    caught_by=ROWS,
)
class Multiplied(_Positions):
    def forward(self, x):
        return self.drop(x * self.rows(x))


@misconception(
    of="PositionalEncoding",
    sentence="You scale x by sqrt(d_model) here: TokenEmbedding has done that already.",
    caught_by=ROWS,
)
class ScalesX(_Positions):
    def forward(self, x):
        return super().forward(x * math.sqrt(x.shape[-1]))


@misconception(
    of="PositionalEncoding",
    sentence="You scale the table: only the token embedding is multiplied by sqrt(d_model).",
    caught_by=ROWS,
)
class ScalesTheTable(_Positions):
    def rows(self, x):
        return super().rows(x) * math.sqrt(x.shape[-1])


@misconception(
    of="PositionalEncoding",
    sentence="x has left the graph: no gradient flows back to the embedding.",
    caught_by=ROWS,
)
class XDetached(_Positions):
    def forward(self, x):
        return super().forward(x.detach())


@misconception(
    of="PositionalEncoding",
    sentence="You add to the caller's tensor in place: write x = x + ..., not x += ...",
    caught_by=ROWS,
)
class AddsInPlace(_Positions):
    def forward(self, x):
        x += self.rows(x)
        return self.drop(x)


@misconception(
    of="PositionalEncoding",
    sentence="Your table changes from call to call: something writes into it.",
    caught_by=ROWS,
)
class TableWrittenTo(_Positions):
    def forward(self, x):
        rows = self.rows(x)
        y = self.drop(x + rows)
        rows += rows
        return y


@misconception(
    of="PositionalEncoding",
    sentence="Your positions go on counting in the next call: every sequence begins at 0.",
    caught_by=ROWS,
)
class GoesOnCounting(_Positions):
    seen = 0

    def rows(self, x):
        super().rows(x)
        rows = self.pe.roll(-self.seen, dims=0)[: x.shape[1]]
        self.seen += x.shape[1]
        return rows


@misconception(
    of="PositionalEncoding",
    sentence="A sequence of exactly max_len positions is refused: it fits.",
    caught_by=ROWS,
)
class RefusesTheFullLength(_Positions):
    def rows(self, x):
        if x.shape[1] >= len(self.pe) > 1:
            raise ValueError("too many positions")
        return super().rows(x)


@misconception(
    of="PositionalEncoding",
    sentence="Your table has fewer rows than 5000 unless told otherwise: that is the default.",
    caught_by=("test_encoding_has_5000_rows_by_default",),
)
class FewRowsByDefault(_Positions):
    def __init__(self, d_model, dropout=0.1, max_len=512):
        super().__init__(d_model, dropout, max_len)


@misconception(
    of="PositionalEncoding",
    sentence="You leave it to broadcasting to fail when there are too many positions (and with "
    "max_len = 1 it does not): compare x.shape[1] with max_len and raise ValueError.",
    caught_by=("test_encoding_refuses_too_many_positions",),
)
class NoLengthCheck(_Positions):
    def rows(self, x):
        return self.pe[: x.shape[1]]


@misconception(
    of="PositionalEncoding",
    sentence="You turn the error of broadcasting into a ValueError, but with max_len = 1 there is "
    "no error: compare the lengths yourself.",
    caught_by=("test_encoding_refuses_too_many_positions",),
)
class ErrorTurned(_Positions):
    def forward(self, x):
        try:
            return self.drop(x + self.pe[: x.shape[1]])
        except RuntimeError as error:
            raise ValueError("too many positions") from error


@misconception(
    of="PositionalEncoding",
    sentence="You make room for longer sequences instead of refusing them: max_len is a promise.",
    caught_by=("test_encoding_refuses_too_many_positions",),
)
class GrowsOnDemand(_Positions):
    def rows(self, x):
        if x.shape[1] > len(self.pe):
            self.pe = _table(x.shape[1], x.shape[2]).to(x.device)
        return self.pe[: x.shape[1]]


@misconception(
    of="PositionalEncoding",
    sentence="The table is an nn.Parameter, which an optimiser would change: register a buffer.",
    caught_by=("test_encoding_is_a_buffer",),
)
class TableIsAParameter(_Positions):
    def keep(self, table):
        self.pe = nn.Parameter(table, requires_grad=False)


@misconception(
    of="PositionalEncoding",
    sentence="The table is a plain attribute: model.to(device) leaves it behind, and .to(x.device) "
    "in forward copies it in every step. Register a buffer.",
    caught_by=("test_encoding_is_a_buffer",),
)
class TableIsAnAttribute(_Positions):
    def keep(self, table):
        self.pe = table

    def rows(self, x):
        return super().rows(x).to(x)


@misconception(
    of="PositionalEncoding",
    sentence="Every call computes its sines anew, in every step of training, whatever is kept: add "
    "rows of the table that __init__ has made.",
    caught_by=("test_no_call_computes_a_sine",),
)
class BufferNeverUsed(_Positions):
    def rows(self, x):
        return _table(len(super().rows(x)), x.shape[2]).to(x)


@misconception(
    of="PositionalEncoding",
    sentence="You compute the table again in every forward: make it once and register a buffer.",
    caught_by=("test_encoding_is_a_buffer", "test_no_call_computes_a_sine"),
)
class TableInEveryCall(_Positions):
    def keep(self, table):
        self.max_len = len(table)

    def rows(self, x):
        if x.shape[1] > self.max_len:
            raise ValueError("too many positions")
        return _table(x.shape[1], x.shape[2]).to(x)


@misconception(
    of="PositionalEncoding",
    sentence="You keep the angles and take sine and cosine in forward: in a bfloat16 model the "
    "angles have been rounded. Keep the finished table.",
    caught_by=("test_encoding_in_bfloat16",),
)
class AnglesInTheBuffer(_Positions):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__(d_model, dropout, max_len)
        self.pe = _angles(max_len, d_model).float()

    def rows(self, x):
        return _waves(super().rows(x)).to(x)


@misconception(
    of="PositionalEncoding",
    sentence="You make the table again in the dtype of x: in bfloat16 there are only 700 different "
    "positions below 3000. Make it in float32 and round it afterwards.",
    caught_by=("test_encoding_in_bfloat16",),
)
class TableInTheDtypeOfX(_Positions):
    def rows(self, x):
        if x.dtype in (torch.bfloat16, torch.float16):
            position = torch.arange(len(self.pe)).to(x.dtype)[:, None]
            step = _angles(2, x.shape[2])[1].to(x.dtype)
            self.pe = _waves(position * step).to(x)
        return super().rows(x)


@misconception(
    of="PositionalEncoding",
    sentence="A bfloat16 model gets a float32 answer: the result has the dtype of x.",
    caught_by=("test_encoding_in_bfloat16",),
)
class SumInFloat32(_Positions):
    def forward(self, x):
        if x.dtype == torch.bfloat16:
            x = x.float()
        return self.drop(x + self.rows(x))


@misconception(
    of="PositionalEncoding",
    sentence="You never drop anything: the sum passes through dropout in train mode.",
    caught_by=DROPS,
)
class NeverDrops(_Positions):
    def drop(self, x):
        return x


@misconception(
    of="PositionalEncoding",
    sentence="Your dropout acts on the table before it is added: it acts on the sum.",
    caught_by=DROPS,
)
class DropsThePositions(_Positions):
    def forward(self, x):
        return x + self.drop(self.rows(x).expand_as(x))


@misconception(
    of="PositionalEncoding",
    sentence="Your dropout acts on x before the table is added: it acts on the sum.",
    caught_by=DROPS,
)
class DropsX(_Positions):
    def forward(self, x):
        return self.drop(x) + self.rows(x)


@misconception(
    of="PositionalEncoding",
    sentence="The sum passes through two dropouts, so with p = 0.5 only a quarter is left.",
    caught_by=DROPS,
)
class DropsTwice(_Positions):
    def forward(self, x):
        return self.drop(super().forward(x))


@misconception(
    of="PositionalEncoding",
    sentence="x is dropped before the sum and the sum once more: one dropout, on the sum.",
    caught_by=DROPS,
)
class DropsInputAndSum(_Positions):
    def forward(self, x):
        return self.drop(self.drop(x) + self.rows(x))


@misconception(
    of="PositionalEncoding",
    sentence="The sum is dropped, but what survives does not grow by 1 / (1 - p).",
    caught_by=DROPS,
)
class DropoutNotScaled(_Positions):
    def drop(self, x):
        return x * (torch.rand_like(x) >= self.p) if self.training else x


@misconception(
    of="PositionalEncoding",
    sentence="One coin decides about the whole vector of a token: each element needs its own.",
    caught_by=DROPS,
)
class DropsWholeTokens(_Positions):
    def drop(self, x):
        return x * super().drop(torch.ones_like(x[..., :1]))


@misconception(
    of="PositionalEncoding",
    sentence="All sequences of the batch share one dropout mask: each element needs its own.",
    caught_by=DROPS,
)
class OneMaskForTheBatch(_Positions):
    def drop(self, x):
        return x * super().drop(torch.ones_like(x[:1]))


@misconception(
    of="PositionalEncoding",
    sentence="You drop with a probability of your own: hand `dropout` on.",
    caught_by=DROPS,
)
class DropoutIgnored(_Positions):
    def drop(self, x):
        return F.dropout(x, 0.1 if self.p else 0.0, self.training)


@misconception(
    of="PositionalEncoding",
    sentence="Without `dropout` you drop half (nn.Dropout's own default): ours is 0.1.",
    caught_by=("test_encoding_drops_a_tenth_by_default",),
)
class HalfByDefault(_Positions):
    def __init__(self, d_model, dropout=0.5, max_len=5000):
        super().__init__(d_model, dropout, max_len)


@misconception(
    of="PositionalEncoding",
    sentence="You drop in evaluation too: F.dropout does unless training=self.training is passed.",
    caught_by=("test_encoding_does_not_drop_in_evaluation",),
)
class DropsInEvaluation(_Positions):
    def drop(self, x):
        return F.dropout(x, self.p)


@misconception(
    of="PositionalEncoding",
    sentence="In evaluation you multiply by 1 - p: dropout has made up for it in training.",
    caught_by=("test_encoding_does_not_drop_in_evaluation",),
)
class ShrinksInEvaluation(_Positions):
    def drop(self, x):
        return super().drop(x) if self.training else x * (1 - self.p)


class _Learned(nn.Module):
    """A right learned table in parts."""

    def __init__(self, max_len, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_len, d_model))

    def rows(self, x):
        if x.shape[1] > len(self.weight):
            raise ValueError("too many positions")
        return self.weight[: x.shape[1]]

    def forward(self, x):
        return x + self.rows(x)


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You cut the weights by the batch: positions run along axis 1.",
    caught_by=LEARNED,
)
class LearnedByTheBatch(_Learned):
    def rows(self, x):
        super().rows(x)
        return self.weight[: x.shape[0], None]


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You add all rows, whatever the length of the sequence: take the first x.shape[1].",
    caught_by=LEARNED,
)
class LearnedAllRows(_Learned):
    def rows(self, x):
        super().rows(x)
        return self.weight


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You add the last rows: a sequence begins at row 0.",
    caught_by=LEARNED,
)
class LearnedLastRows(_Learned):
    def rows(self, x):
        super().rows(x)
        return self.weight[-x.shape[1] :]


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You return the rows alone, without x.",
    caught_by=LEARNED,
)
class LearnedRowsAlone(_Learned):
    def forward(self, x):
        return self.rows(x).expand_as(x)


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You scale the rows by sqrt(d_model): only token embeddings are scaled.",
    caught_by=LEARNED,
)
class LearnedScaled(_Learned):
    def rows(self, x):
        return super().rows(x) * math.sqrt(x.shape[-1])


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="The table is a buffer, or requires no gradient: here it is learned, an nn.Parameter.",
    caught_by=LEARNED,
)
class LearnedAsABuffer(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.register_buffer("weight", torch.randn(max_len, d_model))

    def forward(self, x):
        if x.shape[1] > len(self.weight):
            raise ValueError("too many positions")
        return x + self.weight[: x.shape[1]]


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="The parameter is not called `weight`: an nn.Embedding inside makes it "
    "`embedding.weight`.",
    caught_by=LEARNED,
)
class LearnedOtherName(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        if x.shape[1] > self.embedding.num_embeddings:
            raise ValueError("too many positions")
        return x + self.embedding(torch.arange(x.shape[1], device=x.device))


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="Your weights have shape (d_model, max_len), or a batch axis: they are "
    "(max_len, d_model).",
    caught_by=LEARNED,
)
class LearnedWithABatchAxis(_Learned):
    def __init__(self, max_len, d_model):
        super().__init__(max_len, d_model)
        self.weight = nn.Parameter(torch.randn(1, max_len, d_model))

    def rows(self, x):
        if x.shape[1] > self.weight.shape[1]:
            raise ValueError("too many positions")
        return self.weight[:, : x.shape[1]]


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="The rows have left the graph (.data, detach), so they would never be learned.",
    caught_by=LEARNED,
)
class LearnedDetached(_Learned):
    def rows(self, x):
        return super().rows(x).detach()


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You add to the caller's tensor in place: write x + ..., not x += ...",
    caught_by=LEARNED,
)
class LearnedInPlace(_Learned):
    def forward(self, x):
        if x.requires_grad:
            return super().forward(x)
        x += self.rows(x)
        return x


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You drop here: this layer has no dropout.",
    caught_by=LEARNED,
)
class LearnedDrops(_Learned):
    def forward(self, x):
        return F.dropout(super().forward(x), 0.1, self.training)


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You refuse as many tokens as there are learned positions: max_len of them fit.",
    caught_by=LEARNED,
)
class LearnedRefusesTheFullLength(_Learned):
    def rows(self, x):
        if x.shape[1] >= len(self.weight) > 1:
            raise ValueError("too many positions")
        return super().rows(x)


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="You leave it to broadcasting to fail when there are too many positions (and with "
    "max_len = 1 it does not): compare the lengths and raise ValueError.",
    caught_by=("test_learned_rows_refuse_too_many_positions",),
)
class LearnedNoLengthCheck(_Learned):
    def rows(self, x):
        return self.weight[: x.shape[1]]


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="Too many positions end in the IndexError of an embedding: raise ValueError.",
    caught_by=("test_learned_rows_refuse_too_many_positions",),
)
class LearnedIndexError(_Learned):
    def rows(self, x):
        return F.embedding(torch.arange(x.shape[1], device=x.device), self.weight)


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="Positions beyond max_len get rows again (modulo, clamp): raise ValueError.",
    caught_by=("test_learned_rows_refuse_too_many_positions",),
)
class LearnedRunsInCircles(_Learned):
    def rows(self, x):
        return self.weight[torch.arange(x.shape[1], device=x.device) % len(self.weight)]


def _turns(k, d_model):
    angle = k / 10000.0 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    return angle.sin(), angle.cos()


def _blocks(*entries):
    return torch.block_diag(*torch.stack(entries, dim=-1).view(-1, 2, 2)).float()


@misconception(
    of="pe_shift_matrix",
    sentence="Your matrix is transposed, it leads k positions back: the minus sign belongs in the "
    "second row of each block, since cos(a + b) = cos a cos b - sin a sin b.",
    caught_by=SHIFT,
)
def shifts_back(k, d_model):
    sine, cosine = _turns(k, d_model)
    return _blocks(cosine, -sine, sine, cosine)


@misconception(
    of="pe_shift_matrix",
    sentence="There is no minus sign in your blocks: cos(a + b) = cos a cos b - sin a sin b.",
    caught_by=SHIFT,
)
def minus_missing(k, d_model):
    sine, cosine = _turns(k, d_model)
    return _blocks(cosine, sine, sine, cosine)


@misconception(
    of="pe_shift_matrix",
    sentence="Sine and cosine are exchanged in your blocks: at k = 0 the matrix is the identity.",
    caught_by=SHIFT,
)
def shift_with_sine_first(k, d_model):
    sine, cosine = _turns(k, d_model)
    return _blocks(sine, cosine, cosine, -sine)


@misconception(
    of="pe_shift_matrix",
    sentence="Your blocks are those of a table in two halves: here columns 2i and 2i + 1 are a "
    "pair.",
    caught_by=SHIFT,
)
def shift_for_two_halves(k, d_model):
    sine, cosine = (part.diag() for part in _turns(k, d_model))
    return torch.cat([torch.cat([cosine, sine], 1), torch.cat([-sine, cosine], 1)]).float()


@misconception(
    of="pe_shift_matrix",
    sentence="Your matrix moves on by one position whatever k is.",
    caught_by=SHIFT,
)
def shifts_by_one(k, d_model):
    sine, cosine = _turns(1, d_model)
    return _blocks(cosine, sine, -sine, cosine)


@misconception(
    of="pe_shift_matrix",
    sentence="All pairs are turned by the same angle: each by k times its own frequency.",
    caught_by=SHIFT,
)
def one_angle_for_all(k, d_model):
    sine, cosine = _turns(k, d_model)
    sine, cosine = sine[:1].expand_as(sine), cosine[:1].expand_as(cosine)
    return _blocks(cosine, sine, -sine, cosine)


@misconception(
    of="pe_shift_matrix",
    sentence="The angles of your blocks are k times 10000^(2i/d_model): divide by it.",
    caught_by=SHIFT,
)
def shift_with_inverse_frequencies(k, d_model):
    angle = k * 10000.0 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    return _blocks(angle.cos(), angle.sin(), -angle.sin(), angle.cos())


@misconception(
    of="pe_shift_matrix",
    sentence="The frequencies of your blocks are those of i, not of 2i: the exponent is "
    "2i / d_model.",
    caught_by=SHIFT,
)
def shift_with_half_the_exponent(k, d_model):
    angle = k / 10000.0 ** (torch.arange(d_model // 2, dtype=torch.float64) / d_model)
    return _blocks(angle.cos(), angle.sin(), -angle.sin(), angle.cos())


@misconception(
    of="pe_shift_matrix",
    sentence="That moves the entries of the table about (roll, eye with an offset): M acts on the "
    "d_model entries of one position, not on the positions.",
    caught_by=SHIFT,
)
def rolled_identity(k, d_model):
    return torch.eye(d_model).roll(k, dims=0)


@misconception(
    of="pe_shift_matrix",
    sentence="Your matrix is float64: it must be float32.",
    caught_by=SHIFT,
)
def shift_in_float64(k, d_model):
    sine, cosine = _turns(k, d_model)
    return _blocks(cosine, sine, -sine, cosine).double()


@misconception(
    of="pe_shift_matrix",
    sentence="You return the blocks, (d_model / 2, 2, 2): the matrix is (d_model, d_model), with "
    "the blocks along its diagonal.",
    caught_by=SHIFT,
)
def blocks_only(k, d_model):
    sine, cosine = _turns(k, d_model)
    return torch.stack([cosine, sine, -sine, cosine], dim=-1).view(-1, 2, 2).float()


@misconception(
    of="pe_shift_matrix",
    sentence="Your matrix leads the right way from one position only: M = PE[k] PE[0]^T and the "
    "like depend on p. Turn each pair by k times its frequency.",
    caught_by=SHIFT,
)
def outer_product(k, d_model):
    table = _table(abs(k) + 1, d_model)
    return torch.outer(table[abs(k)], table[0]) / (d_model / 2)


# Right, but slow ----------------------------------------------------------------------------------


@misconception(
    of="sinusoidal_encoding",
    sentence="Your table is right, but filled one position after the other in a Python loop: "
    "torch.arange(max_len)[:, None] is the column of all positions, and broadcasts.",
    caught_by=("test_table_is_made_at_once",),
)
def position_by_position(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    frequency = 10000.0 ** -(torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    for p in range(max_len):
        table[p, 0::2] = torch.sin(p * frequency).float()
        table[p, 1::2] = torch.cos(p * frequency)[: d_model // 2].float()
    return table


@misconception(
    of="TokenEmbedding",
    sentence="Your vectors are right, but looked up one token at a time in a Python loop: "
    "nn.Embedding takes a tensor of token numbers of any shape.",
    caught_by=("test_layers_take_all_tokens_at_once",),
)
class EmbedsTokenByToken(_Embedding):
    def forward(self, ids):
        rows = [super(EmbedsTokenByToken, self).forward(number) for number in ids.reshape(-1)]
        return torch.stack(rows).reshape(*ids.shape, -1)


@misconception(
    of="PositionalEncoding",
    sentence="Your sums are right, but a Python loop adds each position's row by itself: "
    "x + table[:T] adds all of them, to all sequences.",
    caught_by=("test_layers_take_all_tokens_at_once",),
)
class EncodesTokenByToken(_Positions):
    def forward(self, x):
        rows = zip(x.unbind(1), self.rows(x), strict=True)
        return self.drop(torch.stack([token + row for token, row in rows], dim=1))


@misconception(
    of="LearnedPositionalEmbedding",
    sentence="Your sums are right, but a Python loop adds each learned row by itself: "
    "x + weight[:T] adds all of them, to all sequences.",
    caught_by=("test_layers_take_all_tokens_at_once",),
)
class LearnedTokenByToken(_Learned):
    def forward(self, x):
        rows = zip(x.unbind(1), self.rows(x), strict=True)
        return torch.stack([token + row for token, row in rows], dim=1)
