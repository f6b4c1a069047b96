"""Wrong answers to ``positional_encoding``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch
from positional_encoding import sinusoidal_encoding

from grader.check import Bank

wrong = Bank()

# TokenEmbedding -----------------------------------------------------------------------------------

SCALED, START = "embedding_is_scaled", "tables_start_at_random"
ANY, EMBEDDING = "embedding_takes_any_shape", "nn.Embedding(vocab_size, d_model)"

wrong("TokenEmbedding", "no_scale", SCALED,
    """The factor sqrt(d_model) is missing: multiply the output by it if scale is True.""",
    " * self.factor", "")

wrong("TokenEmbedding", "scale_in_the_weights", f"{SCALED} {START}",
    """You multiply the weights by sqrt(d_model), in __init__: loading others loses the factor, and
    the table starts too large. It is the output that is multiplied, in forward.""",
    "self.factor = math.sqrt(d_model) if scale else 1.0", """if scale:
            self.embedding.weight.data.mul_(math.sqrt(d_model))""",
    " * self.factor", "")

wrong("TokenEmbedding", "scale_divides", SCALED,
    """You divide by sqrt(d_model): the embedding is multiplied by it.""",
    " * self.factor", " / self.factor")

wrong("TokenEmbedding", "scale_without_root", SCALED,
    """You multiply by d_model, not by its square root.""",
    "math.sqrt(d_model)", "d_model")

wrong("TokenEmbedding", "scale_rounded_down", SCALED,
    """You round the root down to a whole number (isqrt, int): sqrt(6) is 2.449 and not 2.""",
    "math.sqrt(d_model)", "math.isqrt(d_model)")

wrong("TokenEmbedding", "scale_of_the_vocabulary", SCALED,
    """You take the root of the vocabulary's size: the factor is sqrt(d_model).""",
    "math.sqrt(d_model)", "math.sqrt(vocab_size)")

wrong("TokenEmbedding", "always_scales", "embedding_without_scale",
    """`scale` is ignored: with scale=False the row comes out as it is.""",
    " if scale else 1.0", "")

wrong("TokenEmbedding", "no_scale_by_default", SCALED,
    """Without `scale` your embedding does not scale: the default is True.""",
    "scale: bool = True", "scale: bool = False")

wrong("TokenEmbedding", "scales_the_weights", SCALED,
    """You scale the weights and not the output: every call makes them larger, and training sees
    other gradients.""",
    "return self.embedding(ids) * self.factor", """self.embedding.weight.data.mul_(self.factor)
        return self.embedding(ids)""")

wrong("TokenEmbedding", "padding_at_zero", SCALED,
    """Token 0 gets no gradient: padding_idx=0 was not asked for, no token is special.""",
    "nn.Embedding(vocab_size, d_model)", "nn.Embedding(vocab_size, d_model, padding_idx=0)")

wrong("TokenEmbedding", "shortens_rows", SCALED,
    """Long rows are shortened to length 1 (max_norm): rows come out as they are.""",
    "nn.Embedding(vocab_size, d_model)", "nn.Embedding(vocab_size, d_model, max_norm=1.0)")

wrong("TokenEmbedding", "rows_detached", SCALED,
    """The rows have left the graph (.data, detach): the embedding would never learn.""",
    "self.embedding(ids)", "self.embedding.weight.data[ids]")

wrong("TokenEmbedding", "other_name", SCALED,
    """Your embedding is not called `embedding`: name the attribute as the docstring does.""",
    "self.embedding = ", "self.lut = ", "self.embedding(ids)", "self.lut(ids)")

wrong("TokenEmbedding", "two_axes_only", "embedding_takes_any_shape",
    """Your embedding insists on (batch, tokens): token numbers come in any shape.""",
    "return self.embedding", "batch, tokens = ids.shape\n        return self.embedding")

wrong("TokenEmbedding", "factor_is_a_tensor", SCALED,
    """Your factor is a float32 tensor with an axis, which turns a bfloat16 model's output into
    float32: use a plain number.""",
    "math.sqrt(d_model)", "torch.tensor([d_model], dtype=torch.float32).sqrt()")

wrong("TokenEmbedding", "linear_for_the_table", SCALED,
    """Your embedding is an nn.Linear, which multiplies a row of numbers by its matrix: it looks
    nothing up. An nn.Embedding does, and takes how many rows there are before their width.""",
    EMBEDDING, "nn.Linear(d_model, vocab_size, bias=False)")

wrong("TokenEmbedding", "embedding_starts_at_zero", START,
    """Your embedding starts at zero, so all tokens look the same: leave the random numbers of
    nn.Embedding, or draw others.""",
    EMBEDDING, f"{EMBEDDING}\n        nn.init.zeros_(self.embedding.weight)")

wrong("TokenEmbedding", "tokens_start_alike", START,
    """All tokens start with the same row, so nothing tells them apart: draw each number by
    itself.""",
    EMBEDDING, f"""{EMBEDDING}
        self.embedding.weight.data[:] = self.embedding.weight.data[0]""")

wrong("TokenEmbedding", "embedding_sets_a_seed", START,
    """Your constructor calls torch.manual_seed: every layer starts alike, and everybody's random
    numbers begin again.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(0)")

wrong("TokenEmbedding", "small_token_numbers_only", ANY,
    """You turn token numbers into a type that ends before 50256: leave them int64.""",
    "self.embedding(ids)", "self.embedding(ids.to(torch.int16).long())")

wrong("TokenEmbedding", "token_numbers_as_floats", ANY,
    """You take token numbers through half precision, which knows no odd numbers above 2048.""",
    "self.embedding(ids)", "self.embedding(ids.half().long())")

wrong("TokenEmbedding", "no_scale_in_evaluation", SCALED,
    """In eval mode your embedding does not scale: the factor belongs to both modes.""",
    "* self.factor", "* (self.factor if self.training else 1.0)")

wrong("TokenEmbedding", "factor_of_the_first_layer", "embedding_without_scale",
    """All your embeddings share the factor of the first one (a class attribute): keep it in
    self.""",
    "def __init__", "factor = None\n\n    def __init__",
    "self.factor = math.sqrt(d_model) if scale else 1.0",
    """cls = type(self)
        cls.factor = cls.factor or (math.sqrt(d_model) if scale else 1.0)""")

wrong("TokenEmbedding", "earlier_vectors", SCALED,
    """You return the vectors of an earlier call with the same shape: keep nothing between
    calls.""",
    "super().__init__()", "super().__init__()\n        self.made = {}",
    "return self.embedding(ids) * self.factor",
    "return self.made.setdefault(ids.shape, self.embedding(ids) * self.factor)")

# sinusoidal_encoding ------------------------------------------------------------------------------

TABLE, ODD = "table_of_sines_and_cosines", "table_of_odd_width"
WAVES = "torch.where(column % 2 == 0, angle.sin(), angle.cos())"

wrong("sinusoidal_encoding", "two_halves", TABLE,
    """Sines and cosines stand side by side, in two halves. That holds the same information, but
    here they alternate: sines in columns 0::2, cosines in columns 1::2.""",
    WAVES, "torch.cat([angle[:, 0::2].sin(), angle[:, 1::2].cos()], dim=-1)")

wrong("sinusoidal_encoding", "sine_and_cosine_exchanged", TABLE,
    """Sine and cosine are exchanged: row 0 is 0, 1, 0, 1, ...""",
    "angle.sin(), angle.cos()", "angle.cos(), angle.sin()")

wrong("sinusoidal_encoding", "twice_the_column", TABLE,
    """Your exponent runs over all columns (2 * column / d_model): a sine and its cosine share the
    frequency of their pair, 2i with i = column // 2.""",
    "column // 2 * 2", "2 * column")

wrong("sinusoidal_encoding", "cosine_of_the_next_pair", TABLE,
    """Your cosines have the frequency of the next pair, 2i + 2 in the exponent: a cosine has that
    of the sine before it.""",
    "column // 2 * 2", "(column + 1) // 2 * 2")

wrong("sinusoidal_encoding", "a_frequency_for_every_column", TABLE,
    """Every column has a frequency of its own (column / d_model): a cosine uses that of the sine
    before it.""",
    "(column // 2 * 2)", "column")

wrong("sinusoidal_encoding", "two_missing_in_the_exponent", TABLE,
    """Your exponent is i / d_model, with i the number of the pair: the 2 is missing.""",
    "column // 2 * 2", "column // 2")

wrong("sinusoidal_encoding", "two_twice_in_the_exponent", TABLE,
    """Your exponent is 4i / d_model for pair i, and is to be 2i / d_model: either the 2 stands in
    it twice (arange(0, d_model, 2), or a loop in steps of 2, is 2i already), or you divide by half
    of d_model.""",
    "column // 2 * 2", "column // 2 * 2 * 2")

wrong("sinusoidal_encoding", "multiplied_instead_of_divided", TABLE,
    """You multiply the position by 10000^(2i/d_model) where you should divide (with exp: the minus
    in the exponent is missing): the later the column, the slower its wave.""",
    "position / 10000.0", "position * 10000.0")

wrong("sinusoidal_encoding", "multiplied_in_float32", TABLE,
    """You multiply by 10000^(2i/d_model): divide the position by it, for the later the column, the
    slower its wave.""",
    "position / 10000.0**exponent", "position.float() * 10000.0 ** exponent.float()")

wrong("sinusoidal_encoding", "minus_in_the_exponent_missing", TABLE,
    """You multiply the position by 10000^(2i/d_model), which is exp(2i * ln(10000) / d_model), so
    the later waves are faster: divide by it. With exp, that is one minus more: the position times
    exp(-2i * ln(10000) / d_model).""",
    "position / 10000.0**exponent",
    """position.float() * torch.exp(
        (column // 2 * 2).float() * (math.log(10000.0) / d_model))""")

wrong("sinusoidal_encoding", "minus_missing_in_a_product_of_logarithms", TABLE,
    """You multiply the position by exp(2i / d_model * ln(10000)), which is 10000^(2i/d_model): the
    position is divided by that (with exp: a minus in the exponent), so the later the column, the
    slower its wave.""",
    "position / 10000.0**exponent",
    "position.float() * torch.exp(exponent.float() * math.log(10000.0))")

wrong("sinusoidal_encoding", "floor_division_in_the_exponent", TABLE,
    """All your pairs have the same frequency, as if every exponent were 0: it is 2i / d_model, with
    the number i of the pair. If you divide with `//`, take `/`: 2i is less than d_model, so `//`
    always gives 0.""",
    ".double() / d_model", ".double() // d_model")

wrong("sinusoidal_encoding", "power_divided_by_the_width", TABLE,
    """You divide the power 10000^(2i) by d_model, and not its exponent. Without a bracket round the
    exponent that is what Python does, for ** binds before /. Write 10000 ** (2i / d_model).""",
    "angle = position / 10000.0**exponent",
    "angle = position / (10000.0 ** (column // 2 * 2).double() / d_model)")

wrong("sinusoidal_encoding", "angle_divided_by_the_width", TABLE,
    """Your angles are p / 10000^(2i), and that divided by d_model: the exponent is what is divided
    by d_model. Without a bracket round it Python goes from left to right. Write 10000 ** (2i /
    d_model).""",
    "angle = position / 10000.0**exponent",
    "angle = position / 10000.0 ** (column // 2 * 2).double() / d_model")

wrong("sinusoidal_encoding", "power_of_two_alone", TABLE,
    """The exponent is the 2 alone, and what comes after it is no part of it: without a bracket,
    p / 10000 ** 2 * i / d_model is p / 10000^2, times i, divided by d_model. Write 10000 ** (2 * i
    / d_model).""",
    "angle = position / 10000.0**exponent",
    "angle = position / 10000.0**2 * (column // 2).double() / d_model")

wrong("sinusoidal_encoding", "divided_by_the_power_of_two_alone", TABLE,
    """The exponent is the 2 alone: without a bracket round it, 10000 ** 2 * i / d_model is 10000^2,
    times i, divided by d_model, and for i = 0 you divide by 0. Write 10000 ** (2 * i /
    d_model).""",
    "angle = position / 10000.0**exponent",
    "angle = position / (10000.0**2 * (column // 2).double() / d_model)")

wrong("sinusoidal_encoding", "power_of_the_quotient", TABLE,
    """You take the power of the whole quotient, (p / 10000)^(2i / d_model): only 10000 has the
    exponent, and p is divided by the power.""",
    "position / 10000.0**exponent", "(position / 10000.0) ** exponent")

wrong("sinusoidal_encoding", "width_inside_the_logarithm", TABLE,
    """You divide 10000 by d_model before the power is taken, (10000 / d_model)^(2i): the exponent
    is what is divided, 10000^(2i / d_model). With exp and log: the bracket of log ends behind
    10000, log(10000) / d_model.""",
    "10000.0**exponent",
    "torch.exp((column // 2 * 2).double() * math.log(10000.0 / d_model))")

wrong("sinusoidal_encoding", "base_one_thousand", TABLE,
    """Your base is 1000: it is 10000.""",
    "10000.0**", "1000.0**")

wrong("sinusoidal_encoding", "wrong_logarithm", TABLE,
    """You use log10 with exp: 10000^a = exp(a * ln 10000), with the natural logarithm.""",
    "10000.0**exponent", "torch.exp(exponent * math.log10(10000.0))")

wrong("sinusoidal_encoding", "positions_from_one", TABLE,
    """Your positions begin at 1: row 0 belongs to position 0 and is 0, 1, 0, 1, ...""",
    "torch.arange(max_len, ", "torch.arange(1, max_len + 1, ")

wrong("sinusoidal_encoding", "first_row_zero", TABLE,
    """Row 0 is all zeros, as for padding: position 0 is an ordinary one, and cos(0) = 1.""",
    WAVES, f"({WAVES} * (position > 0))")

wrong("sinusoidal_encoding", "sines_only", TABLE,
    """All columns are sines: the odd ones are cosines.""",
    "angle.cos()", "angle.sin()")

wrong("sinusoidal_encoding", "angles_only", TABLE,
    """You return the angles without taking sine and cosine of them.""",
    WAVES, "angle")

wrong("sinusoidal_encoding", "last_frequency_reached", TABLE,
    """Your divisors grow until 10000 in the last pair (linspace, or d_model - 2 in the
    denominator): the exponent is 2i / d_model, which never reaches 1.""",
    "(column // 2 * 2).double() / d_model", "(column // 2).double() / max((d_model - 1) // 2, 1)")

wrong("sinusoidal_encoding", "degrees", TABLE,
    """Your angles are in degrees: torch.sin takes radians, and the formula has no factor.""",
    "angle = position", "angle = math.pi / 180 * position")

wrong("sinusoidal_encoding", "full_turns", TABLE,
    """Your angles contain 2 * pi: the formula has no such factor.""",
    "angle = position", "angle = 2 * math.pi * position")

wrong("sinusoidal_encoding", "transposed_table", TABLE,
    """Positions run along the columns: the table is (max_len, d_model), transpose it.""",
    ".float()", ".float().T")

wrong("sinusoidal_encoding", "batch_axis_in_the_table", TABLE,
    """The table has a batch axis: it is (max_len, d_model), broadcasting does the rest.""",
    ".float()", ".float().unsqueeze(0)")

wrong("sinusoidal_encoding", "table_in_float64", TABLE,
    """Your table is float64: it must be float32.""",
    ".float()", "")

wrong("sinusoidal_encoding", "table_in_numpy", TABLE,
    """Your table is a numpy array: return a torch tensor.""",
    ".float()", ".float().numpy()")

wrong("sinusoidal_encoding", "fails_for_odd_widths", ODD,
    """An odd d_model has no room for the last cosine: columns 1::2 are one fewer than the
    frequencies, so cut the cosines to d_model // 2.""",
    f"return {WAVES}.float()", """table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle[:, ::2].sin()
    table[:, 1::2] = angle[:, ::2].cos()
    return table""")

wrong("sinusoidal_encoding", "odd_width_lost", ODD,
    """For an odd d_model your table is one column too narrow: the last column is a sine.""",
    "torch.arange(d_model)", "torch.arange(d_model // 2 * 2)")

wrong("sinusoidal_encoding", "odd_width_rounded_up", ODD,
    """For an odd d_model your table is one column too wide: cut off the last cosine.""",
    "torch.arange(d_model)", "torch.arange(d_model + d_model % 2)")

wrong("sinusoidal_encoding", "odd_width_with_other_frequencies", ODD,
    """For an odd d_model you divide the exponent by d_model + 1, as a table for d_model + 1 does
    that is cut. That changes every frequency but the first: keep dividing by d_model.""",
    ".double() / d_model", ".double() / (d_model + d_model % 2)")

wrong("sinusoidal_encoding", "odd_width_padded_with_zeros", ODD,
    """For an odd d_model your last column stays zero: it is the sine of the next pair.""",
    WAVES, f"({WAVES} * (column < d_model // 2 * 2))")

wrong("sinusoidal_encoding", "odd_width_ends_with_a_cosine", ODD,
    """For an odd d_model your last column is a cosine: the pair begins with its sine.""",
    "column % 2 == 0", "(column % 2 == 0) & (column < d_model // 2 * 2)")

@wrong.instead_of("sinusoidal_encoding", ODD)
def odd_width_refused(max_len, d_model):
    """You refuse an odd d_model: its last column is a sine without a cosine."""
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    return sinusoidal_encoding(max_len, d_model)

@wrong.instead_of("sinusoidal_encoding", "table_far_from_the_start")
def positions_in_bfloat16(max_len, d_model):
    """Your positions are counted in half precision: bfloat16 knows no odd numbers above 256,
    float16 none above 2048. Count in float32 at least."""
    position = torch.arange(max_len).bfloat16().long()
    return sinusoidal_encoding(int(position.max()) + 1, d_model)[position]

# PositionalEncoding: the table --------------------------------------------------------------------

ROWS = "encoding_adds_its_first_rows"
MADE, SUM = "sinusoidal_encoding(max_len, d_model)", "self.dropout(x + self.table[:tokens])"
KEPT = f'self.register_buffer("table", {MADE}, persistent=False)'
OF_ITS_OWN = (KEPT, f"""position = torch.arange(max_len, dtype=torch.float64)[:, None]
        column = torch.arange(d_model)
        angle = position / 10000.0 ** ((column // 2 * 2).double() / d_model)
        self.register_buffer("table", {WAVES}.float(), persistent=False)""")

wrong("PositionalEncoding", "adds_two_halves", ROWS,
    """What you add has its sines and cosines in two halves: they alternate, column by column.""",
    *OF_ITS_OWN, WAVES, "torch.cat([angle[:, 0::2].sin(), angle[:, 1::2].cos()], dim=-1)")

wrong("PositionalEncoding", "adds_exchanged_waves", ROWS,
    """What you add has sine and cosine exchanged: position 0 adds 0, 1, 0, 1, ...""",
    *OF_ITS_OWN, "angle.sin(), angle.cos()", "angle.cos(), angle.sin()")

wrong("PositionalEncoding", "adds_twice_the_column", ROWS,
    """What you add has 2 * column in its exponent: a sine and its cosine share 2i, i =
    column // 2.""",
    *OF_ITS_OWN, "column // 2 * 2", "2 * column")

wrong("PositionalEncoding", "adds_a_frequency_for_every_column", ROWS,
    """What you add has another frequency in every column: a cosine uses that of the sine before
    it.""",
    *OF_ITS_OWN, "(column // 2 * 2)", "column")

wrong("PositionalEncoding", "adds_too_few_twos", ROWS,
    """What you add has the exponent i / d_model for pair i: the 2 of 2i is missing.""",
    *OF_ITS_OWN, "column // 2 * 2", "column // 2")

wrong("PositionalEncoding", "adds_nothing_at_first", ROWS,
    """You add nothing to the first token: position 0 is an ordinary one, and adds 0, 1, 0, 1,
    ...""",
    MADE, f"{MADE} * (torch.arange(max_len)[:, None] > 0)")

# PositionalEncoding: the rows ---------------------------------------------------------------------

wrong("PositionalEncoding", "whole_table", ROWS,
    """You add the whole table: cut it to the length of the sequence, table[:x.shape[1]]. If your
    table has an axis of size 1 in front, that cuts this axis and changes nothing: then cut the
    second one, table[:, :x.shape[1]].""",
    "[:tokens]", "")

wrong("PositionalEncoding", "length_of_the_axis_in_front", ROWS,
    """You refuse every sequence of more than one token: your table has an axis of size 1 in front,
    and that is its shape[0]. How many positions it has says its shape[1].""",
    MADE, f"{MADE}.unsqueeze(0)", "[:tokens]", "[:, :tokens]")

wrong("PositionalEncoding", "cut_by_the_batch", ROWS,
    """You cut the table by x.shape[0], the batch: positions run along axis 1.""",
    "[:tokens]", "[: x.shape[0]]")

AXES = f"{ROWS} encoding_refuses_too_many_positions"

wrong("PositionalEncoding", "counts_the_sentences", AXES,
    """You take x.shape[0], the number of sentences, for how many positions there are: positions run
    along axis 1, where the table is cut and where max_len is compared.""",
    "tokens, max_len = x.shape[1]", "tokens, max_len = x.shape[0]")

wrong("PositionalEncoding", "positions_along_the_batch", ROWS,
    """Positions run along the batch: every sequence gets one row, the same for all its tokens.
    Token t of every sequence needs row t.""",
    "[:tokens]", "[: x.shape[0], None]")

wrong("PositionalEncoding", "tokens_in_the_first_axis", AXES,
    """You take the first axis for the tokens, as in PyTorch's tutorial: here x is (B, T, d_model),
    so T is x.shape[1], where rows are chosen and where more than max_len are refused, and the table
    needs no axis of size 1 in the middle.""",
    "tokens, max_len = x.shape[1]", "tokens, max_len = x.shape[0]",
    "[:tokens]", "[: x.shape[0], None]")

wrong("PositionalEncoding", "last_rows", ROWS,
    """You add the last rows of the table: a sequence begins at position 0.""",
    "[:tokens]", "[-tokens:]")

wrong("PositionalEncoding", "one_row_late", ROWS,
    """Your first token gets row 1: positions begin at 0.""",
    "[:tokens]", "[1 : tokens + 1]")

wrong("PositionalEncoding", "one_row_for_all", ROWS,
    """You add one single row, number T, to every token: table[T] is a row, and table[:T] are the
    first T rows, one for each position.""",
    "[:tokens]", "[tokens]")

wrong("PositionalEncoding", "rows_without_x", ROWS,
    """You return the rows of the table without adding them to x.""",
    "x + self.table[:tokens]", "self.table[:tokens].expand_as(x)")

wrong("PositionalEncoding", "rows_without_the_batch", ROWS,
    """Your result has lost the axis of the sentences: it is the rows of the table alone, and x is
    never used but for its length. Add the rows to x.""",
    "x + self.table[:tokens]", "self.table[:tokens]")

wrong("PositionalEncoding", "sizes_of_the_table_exchanged", ROWS,
    """You make your table with its two sizes exchanged, a row for each feature: the arguments of
    sinusoidal_encoding come in another order than those of PositionalEncoding, max_len first.""",
    MADE, "sinusoidal_encoding(d_model, max_len)", "self.table.shape[0]", "self.table.shape[1]")

wrong("PositionalEncoding", "appended", ROWS,
    """The table is appended to x: it is added, and the width stays d_model.""",
    "x + self.table[:tokens]", "torch.cat([x, self.table[:tokens].expand_as(x)], dim=-1)")

wrong("PositionalEncoding", "multiplied", ROWS,
    """You multiply x by the table: it is added.""",
    "x + self", "x * self")

wrong("PositionalEncoding", "scales_x", ROWS,
    """You scale x by sqrt(d_model) here: TokenEmbedding has done that already.""",
    "x + self", "x * math.sqrt(x.shape[-1]) + self")

wrong("PositionalEncoding", "scales_the_table", ROWS,
    """You scale the table: only the token embedding is multiplied by sqrt(d_model).""",
    "[:tokens]", "[:tokens] * math.sqrt(x.shape[-1])")

wrong("PositionalEncoding", "x_detached", ROWS,
    """x has left the graph: no gradient flows back to the embedding.""",
    "x + self", "x.detach() + self")

wrong("PositionalEncoding", "adds_in_place", ROWS,
    """You add to the caller's tensor in place: write x = x + ..., not x += ...""",
    f"return {SUM}", "x += self.table[:tokens]\n        return self.dropout(x)")

wrong("PositionalEncoding", "table_written_to", ROWS,
    """Your table changes from call to call: something writes into it.""",
    f"return {SUM}", f"y = {SUM}\n        self.table += self.table\n        return y")

wrong("PositionalEncoding", "goes_on_counting", ROWS,
    """Your positions go on counting in the next call: every sequence begins at 0.""",
    "super().__init__()", "super().__init__()\n        self.seen = 0",
    f"return {SUM}", """rows = self.table.roll(-self.seen, dims=0)[:tokens]
        self.seen += tokens
        return self.dropout(x + rows)""")

wrong("PositionalEncoding", "batch_as_long_as_the_sequence", ROWS,
    """With as many sequences as tokens your positions run along the batch: always along axis 1.""",
    "self.table[:tokens]",
    "(self.table[:tokens, None] if x.shape[0] == tokens else self.table[:tokens])")

wrong("PositionalEncoding", "no_positions_in_evaluation", ROWS,
    """In eval mode you add no positions: only dropout differs between the modes.""",
    f"return {SUM}", f"return {SUM} if self.training else x")

wrong("PositionalEncoding", "rows_of_the_first_call", ROWS,
    """You keep the rows of the first call: the next sequence may be longer or shorter.""",
    "super().__init__()", "super().__init__()\n        self.rows = None",
    f"return {SUM}", """if self.rows is None or len(self.rows) < tokens:
            self.rows = self.table[:tokens]
        return self.dropout(x + self.rows[-tokens:])""")

# PositionalEncoding: its length -------------------------------------------------------------------

REFUSES = "encoding_refuses_too_many_positions"
REFUSED = 'raise ValueError(f"{tokens} positions, but the table has {max_len}: raise max_len")'

wrong("PositionalEncoding", "refuses_the_full_length", ROWS,
    """A sequence of exactly max_len positions is refused: it fits.""",
    "tokens > max_len", "tokens >= max_len")

wrong("PositionalEncoding", "few_rows_by_default", "encoding_has_5000_rows_by_default",
    """Your table has fewer rows than 5000 unless told otherwise: that is the default.""",
    "max_len: int = 5000", "max_len: int = 512")

wrong("PositionalEncoding", "no_length_check", REFUSES,
    """You leave it to broadcasting to fail when there are too many positions (and with max_len = 1
    it does not): compare x.shape[1] with max_len and raise ValueError.""",
    REFUSED, "pass")

wrong("PositionalEncoding", "error_turned", REFUSES,
    """You turn the error of broadcasting into a ValueError, but with max_len = 1 there is no
    error: compare the lengths yourself.""",
    "if tokens > max_len:", f"try:\n            return {SUM}\n        except RuntimeError:")

wrong("PositionalEncoding", "grows_on_demand", REFUSES,
    """You make room for longer sequences instead of refusing them: max_len is a promise.""",
    REFUSED, "self.table = sinusoidal_encoding(tokens, x.shape[2]).to(x.device)")

wrong("PositionalEncoding", "cut_to_max_len", REFUSES,
    """Tokens beyond max_len are left out of your answer, which is shorter than x: raise ValueError
    where x.shape[1] is larger than max_len.""",
    REFUSED, "x = x[:, :max_len]")

wrong("PositionalEncoding", "refuses_in_evaluation_only", REFUSES,
    """In train mode you do not refuse too many positions: do so in both modes.""",
    "tokens > max_len", "not self.training and tokens > max_len")

# PositionalEncoding: the buffer -------------------------------------------------------------------

BUFFER, IN_BFLOAT16 = "encoding_is_a_buffer", "encoding_in_bfloat16"

wrong("PositionalEncoding", "table_is_a_parameter", BUFFER,
    """The table is an nn.Parameter, which an optimiser would change: register a buffer.""",
    KEPT, f"self.table = nn.Parameter({MADE}, requires_grad=False)")

wrong("PositionalEncoding", "table_is_an_attribute", BUFFER,
    """The table is a plain attribute: model.to(device) leaves it behind, and .to(x.device) in
    forward copies it in every step. Register a buffer.""",
    KEPT, f"self.table = {MADE}", "[:tokens]", "[:tokens].to(x)")

wrong("PositionalEncoding", "buffer_never_used", "no_call_computes_a_sine",
    """Every call computes its sines anew, in every step of training, whatever is kept: add rows of
    the table that __init__ has made.""",
    "self.table[:tokens]", "sinusoidal_encoding(tokens, x.shape[2]).to(x)")

wrong("PositionalEncoding", "table_in_every_call", f"{BUFFER} no_call_computes_a_sine",
    """You compute the table again in every forward: make it once and register a buffer.""",
    KEPT, "self.max_len = max_len", "self.table.shape[0]", "self.max_len",
    "self.table[:tokens]", "sinusoidal_encoding(tokens, x.shape[2]).to(x)")

wrong("PositionalEncoding", "angles_in_the_buffer", IN_BFLOAT16,
    """You keep the angles and take sine and cosine in forward: in a bfloat16 model the angles have
    been rounded. Keep the finished table.""",
    *OF_ITS_OWN, WAVES, "angle", f"return {SUM}", f"""angle = self.table[:tokens]
        column = torch.arange(x.shape[2], device=x.device)
        return self.dropout(x + {WAVES})""")

wrong("PositionalEncoding", "table_in_the_dtype_of_x", IN_BFLOAT16,
    """You make the table again in the dtype of x: in bfloat16 there are only 700 different
    positions below 3000. Make it in float32 and round it afterwards.""",
    f"return {SUM}", f"""if x.dtype == torch.bfloat16:
            step = 10000.0 ** -(torch.arange(0, x.shape[2], 2, device=x.device) / x.shape[2])
            angle = torch.arange(max_len, device=x.device).to(x)[:, None] * step.to(x)
            self.table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
        return {SUM}""")

wrong("PositionalEncoding", "sum_in_float32", IN_BFLOAT16,
    """A bfloat16 model gets a float32 answer: the result has the dtype of x.""",
    "x + self", "x.float() + self")

# PositionalEncoding: dropout ----------------------------------------------------------------------

DROPS, IN_EVALUATION = "encoding_drops_the_sum", "encoding_does_not_drop_in_evaluation"

wrong("PositionalEncoding", "never_drops", DROPS,
    """You never drop anything: the sum passes through dropout in train mode.""",
    "return self.dropout", "return ")

wrong("PositionalEncoding", "drops_the_positions", DROPS,
    """Your dropout acts on the table before it is added: let it act on the sum.""",
    SUM, "x + self.dropout(self.table[:tokens].expand_as(x))")

wrong("PositionalEncoding", "drops_x", DROPS,
    """Your dropout acts on x before the table is added: let it act on the sum.""",
    SUM, "self.dropout(x) + self.table[:tokens]")

wrong("PositionalEncoding", "drops_twice", DROPS,
    """The sum passes through two dropouts, so with p = 0.5 only a quarter is left.""",
    SUM, f"self.dropout({SUM})")

wrong("PositionalEncoding", "drops_input_and_sum", DROPS,
    """x is dropped before the sum and the sum once more: one dropout, on the sum.""",
    "x + self", "self.dropout(x) + self")

wrong("PositionalEncoding", "dropout_not_scaled", DROPS,
    """The sum is dropped, but what survives does not grow by 1 / (1 - p).""",
    f"return {SUM}", """y = x + self.table[:tokens]
        return y * (torch.rand_like(y) >= self.dropout.p) if self.training else y""")

wrong("PositionalEncoding", "drops_whole_tokens", DROPS,
    """One coin decides about the whole vector of a token: each element needs its own.""",
    SUM, "(x + self.table[:tokens]) * self.dropout(torch.ones_like(x[..., :1]))")

wrong("PositionalEncoding", "one_mask_for_the_batch", DROPS,
    """All sequences of the batch share one dropout mask: each element needs its own.""",
    SUM, "(x + self.table[:tokens]) * self.dropout(torch.ones_like(x[:1]))")

wrong("PositionalEncoding", "dropout_ignored", DROPS,
    """You drop with a probability of your own: hand `dropout` on.""",
    "nn.Dropout(dropout)", "nn.Dropout(0.1 if dropout else 0.0)")

wrong("PositionalEncoding", "half_by_default", "encoding_drops_a_tenth_by_default",
    """Without `dropout` you drop half (nn.Dropout's own default): ours is 0.1.""",
    "dropout: float = 0.1", "dropout: float = 0.5")

wrong("PositionalEncoding", "drops_in_evaluation", IN_EVALUATION,
    """You drop in evaluation too: F.dropout does unless training=self.training is passed.""",
    SUM, "nn.functional.dropout(x + self.table[:tokens], self.dropout.p)")

wrong("PositionalEncoding", "shrinks_in_evaluation", IN_EVALUATION,
    """In evaluation you multiply by 1 - p: dropout has made up for it in training.""",
    SUM, f"{SUM} * (1 if self.training else 1 - self.dropout.p)")

wrong("PositionalEncoding", "encoding_sets_a_seed", DROPS,
    """Your constructor calls torch.manual_seed: every layer drops alike, and everybody's random
    numbers begin again.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(0)")

wrong("PositionalEncoding", "one_dropout_for_all_calls", DROPS,
    """You keep the dropout mask of the first call: draw afresh in every call.""",
    SUM, "(x + self.table[:tokens]) * self.keep(x)",
    "def forward", """def keep(self, x):
        made = self.__dict__.setdefault("made", {})
        return made.setdefault((x.shape, self.training), self.dropout(torch.ones_like(x)))

    def forward""")

wrong("PositionalEncoding", "one_mask_for_all_positions", DROPS,
    """All positions share one dropout mask: each number needs its own.""",
    SUM, "(x + self.table[:tokens]) * self.dropout(torch.ones_like(x[:, :1]))")

wrong("PositionalEncoding", "drops_pairs_of_elements", DROPS,
    """A sine and its cosine are dropped together: each number needs its own.""",
    SUM, """(x + self.table[:tokens]) * self.dropout(
            torch.ones_like(x[..., ::2])).repeat_interleave(2, dim=-1)[..., : x.shape[2]]""")

# LearnedPositionalEmbedding -----------------------------------------------------------------------

LEARNED, LEARNED_REFUSES = "learned_rows_are_added", "learned_rows_refuse_too_many_positions"
WEIGHT = "self.weight = nn.Parameter(torch.randn(max_len, d_model) * 0.02)"

wrong("LearnedPositionalEmbedding", "learned_by_the_batch", LEARNED,
    """You cut the weights by the batch: positions run along axis 1.""",
    "[:tokens]", "[: x.shape[0], None]")

wrong("LearnedPositionalEmbedding", "learned_along_the_batch", f"{LEARNED} {LEARNED_REFUSES}",
    """You take axis 0 for the positions, in the comparison with max_len and in the rows that you
    add: it counts the sequences, and positions run along axis 1.""",
    "tokens, max_len = x.shape[1]", "tokens, max_len = x.shape[0]",
    "[:tokens]", "[:tokens, None]")

wrong("LearnedPositionalEmbedding", "learned_all_rows", LEARNED,
    """You add all rows, whatever the length of the sequence: take the first x.shape[1].""",
    "[:tokens]", "")

wrong("LearnedPositionalEmbedding", "learned_one_row_for_all", LEARNED,
    """You add one single row of the weights to every token: weight[T] is row number T, and
    weight[:T] are the first T rows.""",
    "[:tokens]", "[tokens]")

wrong("LearnedPositionalEmbedding", "learned_last_rows", LEARNED,
    """You add the last rows: a sequence begins at row 0.""",
    "[:tokens]", "[-tokens:]")

wrong("LearnedPositionalEmbedding", "learned_rows_alone", LEARNED,
    """You return the rows alone, without x.""",
    "x + self.weight[:tokens]", "self.weight[:tokens].expand_as(x)")

wrong("LearnedPositionalEmbedding", "learned_rows_without_the_batch", LEARNED,
    """Your result has no axis for the sentences: you cut the weights to the length of x and return
    them, but x itself must be in the sum, x + ...""",
    "x + self.weight[:tokens]", "self.weight[:tokens]")

wrong("LearnedPositionalEmbedding", "learned_scaled", LEARNED,
    """You scale the rows by sqrt(d_model): only token embeddings are scaled.""",
    "[:tokens]", "[:tokens] * math.sqrt(x.shape[-1])")

wrong("LearnedPositionalEmbedding", "learned_as_a_buffer", LEARNED,
    """The table is a buffer, or requires no gradient: here it is learned, an nn.Parameter.""",
    "self.weight = nn.Parameter(", 'self.register_buffer("weight", ')

wrong("LearnedPositionalEmbedding", "learned_other_name", LEARNED,
    """The parameter is not called `weight`: an nn.Embedding inside makes it
    `embedding.weight`.""",
    WEIGHT, "self.embedding = nn.Embedding(max_len, d_model)",
    "self.weight.shape", "self.embedding.weight.shape", "self.weight[", "self.embedding.weight[")

wrong("LearnedPositionalEmbedding", "learned_with_a_batch_axis", LEARNED,
    """Your weights have shape (d_model, max_len), or a batch axis: they are (max_len,
    d_model).""",
    "randn(max_len", "randn(1, max_len", "weight.shape[0]", "weight.shape[1]",
    "[:tokens]", "[:, :tokens]")

wrong("LearnedPositionalEmbedding", "learned_detached", LEARNED,
    """The rows have left the graph (.data, detach), so they would never be learned.""",
    "self.weight[:tokens]", "self.weight.data[:tokens]")

wrong("LearnedPositionalEmbedding", "learned_in_place", LEARNED,
    """You add to the caller's tensor in place: write x + ..., not x += ...""",
    "return x + self.weight[:tokens]", "x += self.weight[:tokens]\n        return x")

wrong("LearnedPositionalEmbedding", "learned_drops", LEARNED,
    """You drop here: this layer has no dropout.""",
    "x + self.weight[:tokens]",
    "nn.functional.dropout(x + self.weight[:tokens], 0.1, self.training)")

wrong("LearnedPositionalEmbedding", "learned_refuses_the_full_length", LEARNED,
    """You refuse as many tokens as there are learned positions: max_len of them fit.""",
    "tokens > max_len", "tokens >= max_len")

wrong("LearnedPositionalEmbedding", "learned_no_length_check", LEARNED_REFUSES,
    """You leave it to a sum or a lookup to fail when there are too many positions (and a sum with
    max_len = 1 does not): compare the lengths and raise ValueError.""",
    REFUSED, "pass")

wrong("LearnedPositionalEmbedding", "learned_runs_in_circles", LEARNED_REFUSES,
    """Positions beyond max_len get rows again (modulo, clamp): raise ValueError.""",
    REFUSED, "pass", "[:tokens]", "[torch.arange(tokens, device=x.device) % max_len]")

wrong("LearnedPositionalEmbedding", "learned_cut_to_max_len", LEARNED_REFUSES,
    """Tokens beyond max_len are missing in your answer, which is shorter than x: raise ValueError
    where there are more tokens than learned rows.""",
    REFUSED, "x = x[:, :max_len]")

wrong("LearnedPositionalEmbedding", "positions_start_at_zero", START,
    """Your positions start at zero: draw small random numbers, torch.randn(...) * 0.02.""",
    "torch.randn", "torch.zeros", "(max_len, d_model) * 0.02", "(max_len, d_model)")

wrong("LearnedPositionalEmbedding", "positions_start_as_a_fixed_table", START,
    """Every layer of yours starts with the same table, such as the one of sines and cosines: what
    is learned starts with small random numbers, torch.randn(...) * 0.02.""",
    "torch.randn(max_len, d_model) * 0.02", "sinusoidal_encoding(max_len, d_model)")

wrong("LearnedPositionalEmbedding", "positions_start_at_one", START,
    """Your positions start at one, all alike: draw small random numbers, torch.randn(...) *
    0.02.""",
    "torch.randn", "torch.ones", "(max_len, d_model) * 0.02", "(max_len, d_model)")

wrong("LearnedPositionalEmbedding", "positions_start_above_zero", START,
    """None of your positions starts with a negative number: torch.rand draws between 0 and 1. Draw
    around 0, torch.randn(...) * 0.02.""",
    "torch.randn", "torch.rand", "(max_len, d_model) * 0.02", "(max_len, d_model)")

wrong("LearnedPositionalEmbedding", "positions_start_large", START,
    """Your positions start far larger than the tokens they are added to: multiply the random
    numbers by 0.02, and do not divide.""",
    "* 0.02", "/ 0.02")

wrong("LearnedPositionalEmbedding", "positions_set_a_seed", START,
    """Your constructor of positions calls torch.manual_seed: every layer starts alike, and
    everybody's random numbers begin again.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(0)")

wrong("LearnedPositionalEmbedding", "no_learned_rows_in_evaluation", LEARNED,
    """In eval mode you add nothing: learned rows are added in both modes.""",
    "return x + self.weight[:tokens]", "return x + self.weight[:tokens] if self.training else x")

wrong("LearnedPositionalEmbedding", "learned_refuses_in_training_only", LEARNED_REFUSES,
    """In eval mode you do not refuse too many positions: do so in both modes.""",
    "tokens > max_len", "self.training and tokens > max_len")

wrong("LearnedPositionalEmbedding", "learned_along_an_equal_batch", LEARNED,
    """With as many sequences as tokens your learned rows run along the batch: always along
    axis 1.""",
    "self.weight[:tokens]",
    "(self.weight[:tokens, None] if x.shape[0] == tokens else self.weight[:tokens])")

# pe_shift_matrix ----------------------------------------------------------------------------------

SHIFT = "shift_matrix_leads_to_other_positions"

wrong("pe_shift_matrix", "shifts_back", SHIFT,
    """Your matrix is transposed, it leads k positions back: the minus sign belongs in the second
    row of each block, since cos(a + b) = cos a cos b - sin a sin b.""",
    "sine, -sine", "-sine, sine")

wrong("pe_shift_matrix", "minus_missing", SHIFT,
    """There is no minus sign in your blocks: cos(a + b) = cos a cos b - sin a sin b.""",
    "-sine", "sine")

wrong("pe_shift_matrix", "shift_with_sine_first", SHIFT,
    """Sine and cosine are exchanged in your blocks: at k = 0 the matrix is the identity.""",
    "[cosine, sine, -sine, cosine]", "[sine, cosine, cosine, -sine]")

wrong("pe_shift_matrix", "shift_for_two_halves", SHIFT,
    """Your blocks are those of a table in two halves: here columns 2i and 2i + 1 are a pair.""",
    "torch.block_diag(*rows)", """torch.cat([torch.cat([cosine.diag(), sine.diag()], dim=1),
        torch.cat([-sine.diag(), cosine.diag()], dim=1)])""")

wrong("pe_shift_matrix", "blocks_overlap", SHIFT,
    """Your blocks overlap: each begins one row and column after the one before. A block is two rows
    high and two columns wide, so block i begins at row and column 2i.""",
    "return torch.block_diag(*rows).float()", """made = torch.zeros(d_model, d_model)
    for i, row in enumerate(rows):
        made[i : i + 2, i : i + 2] = row
    return made""")

wrong("pe_shift_matrix", "blocks_added_where_they_overlap", SHIFT,
    """Your blocks overlap, and where two of them meet they are added up: each begins one row and
    column after the one before. A block is two rows high and two columns wide, so block i begins at
    row and column 2i.""",
    "return torch.block_diag(*rows).float()", """made = torch.zeros(d_model, d_model)
    for i, row in enumerate(rows):
        made[i : i + 2, i : i + 2] += row
    return made""")

wrong("pe_shift_matrix", "sines_between_the_pairs", SHIFT,
    """Beside the diagonal your matrix has sines between one pair and the next one as well: blocks
    of 2 x 2 stand there alone, so every second number beside the diagonal is 0.""",
    "return torch.block_diag(*rows).float()", """sines = sine.repeat_interleave(2)[:-1]
    made = cosine.repeat_interleave(2).diag() + sines.diag(1) - sines.diag(-1)
    return made.float()""")

# One of the four numbers of a block has its place counted in blocks, and not in rows and columns.
ONE_BY_ONE = """made = torch.zeros(d_model, d_model)
    for i, (cos, sin) in enumerate(zip(cosine, sine, strict=True)):
        made[2 * i, 2 * i] = cos
        made[2 * i, 2 * i + 1] = sin
        made[2 * i + 1, 2 * i] = -sin
        made[2 * i + 1, 2 * i + 1] = cos
    return made"""
PLACED = ("return torch.block_diag(*rows).float()", ONE_BY_ONE)

wrong("pe_shift_matrix", "upper_cosine_misplaced", SHIFT,
    """The first cosine of your blocks stands in the wrong place, [i, i]: the block of pair i begins
    at row and column 2i, so it is [2 * i, 2 * i].""",
    *PLACED, "made[2 * i, 2 * i] =", "made[i, i] =")

wrong("pe_shift_matrix", "sine_misplaced", SHIFT,
    """The sine of your blocks stands in the wrong place, [i, i + 1]: the block of pair i begins at
    row and column 2i, so it is [2 * i, 2 * i + 1].""",
    *PLACED, "made[2 * i, 2 * i + 1]", "made[i, i + 1]")

wrong("pe_shift_matrix", "minus_sine_misplaced", SHIFT,
    """The -sine of your blocks stands in the wrong place, [i + 1, i]: the block of pair i begins at
    row and column 2i, so it is [2 * i + 1, 2 * i].""",
    *PLACED, "made[2 * i + 1, 2 * i]", "made[i + 1, i]")

wrong("pe_shift_matrix", "lower_cosine_misplaced", SHIFT,
    """The second cosine of your blocks stands in the wrong place, [i + 1, i + 1]: the block of pair
    i begins at row and column 2i, so it is [2 * i + 1, 2 * i + 1].""",
    *PLACED, "made[2 * i + 1, 2 * i + 1]", "made[i + 1, i + 1]")

wrong("pe_shift_matrix", "sines_misplaced", SHIFT,
    """Both sines of your blocks stand in wrong places, [i, i + 1] and [i + 1, i]: the block of pair
    i begins at row and column 2i, so they are [2 * i, 2 * i + 1] and [2 * i + 1, 2 * i].""",
    *PLACED, "made[2 * i, 2 * i + 1]", "made[i, i + 1]",
    "made[2 * i + 1, 2 * i]", "made[i + 1, i]")

wrong("pe_shift_matrix", "all_misplaced_at_once", SHIFT,
    """Each of your blocks begins one row and column after the one before, so they write over one
    another: rows and columns are 2i and 2i + 1, not i and i + 1.""",
    "return torch.block_diag(*rows).float()", """i = torch.arange(d_model // 2)
    made = torch.zeros(d_model, d_model)
    made[i, i] = cosine.float()
    made[i, i + 1] = sine.float()
    made[i + 1, i] = -sine.float()
    made[i + 1, i + 1] = cosine.float()
    return made""")

wrong("pe_shift_matrix", "shift_with_two_twice", SHIFT,
    """The exponents of your blocks are 4i / d_model for pair i, and are to be 2i / d_model: either
    the 2 stands in them twice (arange(0, d_model, 2), or a loop in steps of 2, is 2i already), or
    you divide by half of d_model.""",
    "torch.arange(0, d_model, 2, dtype=torch.float64)",
    "2 * torch.arange(0, d_model, 2, dtype=torch.float64)")

wrong("pe_shift_matrix", "shift_with_the_power_divided", SHIFT,
    """In the angles of your blocks the power 10000^(2i) is divided by d_model, and not its
    exponent. Without a bracket round the exponent that is what Python does, for ** binds before /.
    Write 10000 ** (2i / d_model).""",
    " / d_model", "", "10000.0**exponent", "(10000.0**exponent / d_model)")

wrong("pe_shift_matrix", "shift_with_the_power_of_two_alone", SHIFT,
    """In the angles of your blocks the exponent is the 2 alone: without a bracket, k / 10000 ** 2 *
    i / d_model is k / 10000^2, times i, divided by d_model. Write 10000 ** (2 * i / d_model).""",
    "angle = k / 10000.0**exponent", "angle = k / 10000.0**2 * (exponent / 2)")

wrong("pe_shift_matrix", "shifts_by_one", SHIFT,
    """Your matrix moves on by one position whatever k is.""",
    "angle = k", "angle = 1")

wrong("pe_shift_matrix", "one_angle_for_all", SHIFT,
    """All pairs are turned by the same angle: each by k times its own frequency. If you divide with
    `//`, every exponent is 0: take `/`.""",
    "10000.0**exponent", "torch.ones_like(exponent)")

wrong("pe_shift_matrix", "shift_with_inverse_frequencies", SHIFT,
    """The angles of your blocks are k times 10000^(2i/d_model): divide by it.""",
    "k / 10000.0", "k * 10000.0")

wrong("pe_shift_matrix", "shift_with_half_the_exponent", SHIFT,
    """The frequencies of your blocks are those of i, not of 2i: the exponent is 2i / d_model.""",
    "torch.arange(0, d_model, 2, ", "torch.arange(d_model // 2, ")

wrong("pe_shift_matrix", "rolled_identity", SHIFT,
    """That moves the entries of the table about (roll, eye with an offset): M acts on the d_model
    entries of one position, not on the positions.""",
    "torch.block_diag(*rows).float()", "torch.eye(d_model).roll(k, dims=0)")

wrong("pe_shift_matrix", "shift_in_float64", SHIFT,
    """Your matrix is float64: it must be float32.""",
    ".float()", "")

wrong("pe_shift_matrix", "blocks_only", SHIFT,
    """You return the blocks, (d_model / 2, 2, 2): the matrix is (d_model, d_model), with the
    blocks along its diagonal.""",
    "torch.block_diag(*rows)", "rows")

wrong("pe_shift_matrix", "outer_product", SHIFT,
    """Your matrix leads the right way from one position only: M = PE[k] PE[0]^T and the like
    depend on p. Turn each pair by k times its frequency.""",
    "return torch.block_diag(*rows).float()", """table = sinusoidal_encoding(abs(k) + 1, d_model)
    return torch.outer(table[abs(k)], table[0]) / (d_model / 2)""")

wrong("pe_shift_matrix", "fitted_to_some_rows", SHIFT,
    """You compute M from rows of the table (lstsq, pinv, solve). These are rounded, so M is right
    for these positions and wrong for others: write the block of each pair with cos(b) and
    sin(b).""",
    "return torch.block_diag(*rows).float()",
    """table = sinusoidal_encoding(d_model + abs(k), d_model)
    here, there = table[max(0, -k) :][:d_model], table[max(0, k) :][:d_model]
    return torch.linalg.lstsq(here, there).solution.T""")

wrong("pe_shift_matrix", "an_earlier_shift", SHIFT,
    """Your matrix is that of an earlier k with the same width: keep nothing between calls.""",
    "def pe_shift_matrix", "MADE = {}\n\n\ndef pe_shift_matrix",
    "torch.block_diag(*rows).float()", "MADE.setdefault(d_model, torch.block_diag(*rows).float())")

wrong("pe_shift_matrix", "short_shifts_only", SHIFT,
    """You shift by 100 positions at most: k is any whole number.""",
    "angle = k", "angle = max(-100, min(k, 100))")

# Right, but slow ----------------------------------------------------------------------------------

AT_ONCE = "layers_take_all_tokens_at_once"

wrong("sinusoidal_encoding", "position_by_position", "table_is_made_at_once",
    """Your table is right, but filled one position after the other in a Python loop:
    torch.arange(max_len)[:, None] is the column of all positions, and broadcasts.""",
    WAVES, """torch.stack([torch.where(column % 2 == 0, one.sin(), one.cos())
        for one in angle])""")

wrong("TokenEmbedding", "embeds_token_by_token", AT_ONCE,
    """Your vectors are right, but looked up one token at a time in a Python loop: nn.Embedding
    takes a tensor of token numbers of any shape.""",
    "self.embedding(ids)", """torch.stack([self.embedding(number)
            for number in ids.reshape(-1)]).reshape(*ids.shape, -1)""")

wrong("PositionalEncoding", "encodes_token_by_token", AT_ONCE,
    """Your sums are right, but a Python loop adds each position's row by itself: x + table[:T]
    adds all of them, to all sequences.""",
    "x + self.table[:tokens]",
    "torch.stack([x[:, t] + self.table[t] for t in range(tokens)], dim=1)")

wrong("LearnedPositionalEmbedding", "learned_token_by_token", AT_ONCE,
    """Your sums are right, but a Python loop adds each learned row by itself: x + weight[:T] adds
    all of them, to all sequences.""",
    "x + self.weight[:tokens]",
    "torch.stack([x[:, t] + self.weight[t] for t in range(tokens)], dim=1)")
