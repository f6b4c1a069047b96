"""Hidden checks of ``positional_encoding``.

Right float32 tables lie up to 3e-6 apart at position 50, 4e-5 at 500 and 4e-4 at 5000, since an
angle near 5000 is itself known to 2.4e-4 only. So the formula is checked up to position 50, and
far positions where the frequencies are low enough for 3e-4 to be fair.
"""

from __future__ import annotations

import math

import pytest
import torch

from grader.check import SubmissionRaised, finding, refuses, usable, work_of

VOCABULARY, D_MODEL = 11, 6
MOST_SPREAD = 1.6  # of 160 sums or more: 1 +- 0.12 if each falls alone, 2 if two fall together


def table_of(max_len, d_model):
    """The table in float64."""
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    column = torch.arange(d_model)
    angle = position / 10000.0 ** ((column // 2 * 2).double() / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def near(one, other, room=1e-3):
    return (one - other).abs() <= room


def embedded(impl, weights, ids, *args, **options):
    layer = impl.TokenEmbedding(*weights.shape, *args, **options)
    layer.load({"embedding.weight": weights})
    return layer(ids)


def learned(impl, weights, x, *, training=True):
    layer = impl.LearnedPositionalEmbedding(*weights.shape)
    layer.load({"weight": weights})
    if not training:
        layer.eval()
    return layer(x)


def positioned(impl, x, *args, **options):
    """``x`` with positions, in evaluation."""
    layer = impl.PositionalEncoding(x.shape[-1], *args, **options)
    layer.eval()
    return layer(x)


def look_at_dropout(layer, x, p):
    """Asserts that ``layer(x)`` is dropout(x + table), and says what it is instead."""
    y = usable(layer, layer(x), x.shape)
    table, factor = table_of(*x.shape[1:]).to(x), 1 / (1 - p)
    right = x + table
    clear = (right.abs() > 0.05) & (x.abs() > 0.05) & (table.abs() > 0.05).expand_as(x)
    zero = near(y, 0 * y) & clear
    kept = clear & ~zero

    def shows(*choices):
        return bool(torch.stack([near(y, values)[kept] for values in choices]).any(0).all())

    if not shows(right * factor):
        assert not shows(x, x + table * factor), "You drop the positions alone, not the sum."
        assert not shows(0 * x + table, x * factor + table), "You drop x alone, before the sum."
        assert not shows(table.expand_as(x) * factor), "x is missing from the sum."
        assert zero.any() or not shows(right), "Nothing is dropped in train mode."
        assert not shows(right), "What survives dropout does not grow by 1 / (1 - p)."
        assert not shows(right * factor**2), "The sum passes through two dropouts."
        early = shows(right * factor, (x * factor + table) * factor, table * factor)
        assert not early, "Dropout acts on x before the sum and on the sum."
        known = shows(right / 0.9) or shows(right * 2.0)
        assert not known, "The probability of dropout is not the one asked for."
        raise AssertionError("What survives dropout is not (x + PE) / (1 - p).")
    share = zero.sum().item() / clear.sum().item()
    room = 6 * math.sqrt(p * (1 - p) / clear.sum().item())
    mixed = (zero.any(dim=-1) & kept.any(dim=-1)).any()
    assert mixed, "All elements of a token are dropped or kept together."
    both = clear[0] & clear[1]
    assert not torch.equal(zero[0][both], zero[1][both]), "The whole batch shares one mask."
    for axis, name in enumerate(("sequences", "tokens", "elements")):
        together = spread(y == 0, axis) > MOST_SPREAD
        assert not together, f"Dropout falls on several {name} together: each number has its own."
    assert abs(share - p) <= room, "Another share of the elements is dropped than p."


def spread(dropped, axis):
    """How far the numbers of dropped elements along an axis differ, beside those of lone ones."""
    sums, p = dropped.double().sum(axis), dropped.double().mean()
    return (sums.var() / (dropped.shape[axis] * p * (1 - p))).item()


@pytest.mark.core("sinusoidal_encoding")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("sines in the even columns, cosines in the odd ones")
def test_example(compare):
    """Row 0 of the table is 0, 1, 0, 1; rows 1 and 2 come out as printed."""
    compare.sinusoidal_encoding(3, 4)


@pytest.mark.core("sinusoidal_encoding")
@pytest.mark.points(3)
@pytest.mark.kept("the rule itself; other checks only brush it")
@pytest.mark.rests_on("Columns 2i and 2i + 1 are a pair with one frequency")
def test_table_of_sines_and_cosines(compare):
    """Sines in even columns, cosines in odd ones, and both of a pair share a frequency."""
    for max_len, d_model in ((12, 6), (7, 16), (50, 10), (40, 128), (6, 6), (1, 2), (7, 2)):
        compare.sinusoidal_encoding(max_len=max_len, d_model=d_model)


@pytest.mark.rests_on("If d_model is odd, the last column is the sine of a pair without its cosine")
def test_table_of_odd_width(compare, draw):
    """With an odd d_model the last column is a sine, and no frequency changes."""
    for max_len, d_model in ((12, 7), (9, 3), (30, 33)):
        compare.sinusoidal_encoding(max_len, d_model)
    x = draw.normal(2, 5, 7)
    compare(lambda impl: positioned(impl, x, 0.0, 9), wrt=[x])


@pytest.mark.rests_on("its angles are computed in float32 or better")
def test_table_far_from_the_start(submission):
    """Positions up to 5000 are told apart: angles are computed in float32 or better."""
    table = usable(submission, submission.sinusoidal_encoding(5000, 8), (5000, 8))
    some = [*range(50), *range(50, 5000, 33), 4999]
    wrong = ~near(table.double()[some], table_of(5000, 8).to(table.device)[some], 3e-4)
    assert not wrong[:50].any(), "The first positions of the table are wrong."
    assert not wrong.any(), "The first positions are right and later ones are not."


@pytest.mark.core("PositionalEncoding")
@pytest.mark.points(2)
@pytest.mark.rests_on("Adds row t of sinusoidal_encoding to the token at position t")
def test_encoding_adds_its_first_rows(compare, draw):
    """Row t is added to the token at position t of every sequence in the batch."""
    x = draw.normal(3, 5, D_MODEL)

    def twice(impl):
        layer = impl.PositionalEncoding(D_MODEL, dropout=0.0, max_len=9)
        return layer(x), layer(x[:, :3]), layer(x)

    compare(lambda impl: positioned(impl, x, dropout=0.0, max_len=9))
    compare(twice)
    for shape in ((3, 5, 6), (1, 7, 6), (4, 1, 6), (3, 9, 6), (6, 6, 6)):
        x = draw.normal(*shape)
        compare(lambda impl: positioned(impl, x, 0.0, 9), wrt=[x])


@pytest.mark.rests_on("x has more than max_len positions, in train mode or in eval mode")
def test_encoding_has_5000_rows_by_default(compare, submission, draw):
    """Without `max_len` a sequence may have 5000 positions, and no more."""
    x = draw.normal(1, 5000, 2)
    try:
        submission.PositionalEncoding(2)(x)
    except SubmissionRaised as error:
        said = "Without max_len, PositionalEncoding raises ValueError for 5000 positions."
        assert error.raised.type_name not in ("ValueError", "AssertionError"), said
        raise
    compare(lambda impl: positioned(impl, x, dropout=0.0))
    longer = draw.normal(1, 5001, 2)
    said = "5001 positions, PositionalEncoding without max_len"
    refuses(lambda: positioned(submission, longer), said)


@pytest.mark.rests_on("x has more than max_len positions, in train mode or in eval mode")
def test_encoding_refuses_too_many_positions(submission, draw):
    """A sequence longer than max_len raises ValueError, also where max_len is 1."""
    for max_len, tokens in ((4, 6), (1, 3)):
        x = draw.normal(2, tokens, D_MODEL)
        refuses(
            lambda: positioned(submission, x, dropout=0.0, max_len=max_len),
            f"{tokens} positions, PositionalEncoding with max_len = {max_len}",
            lambda: submission.PositionalEncoding(D_MODEL, 0.0, max_len)(x),
            f"{tokens} positions, PositionalEncoding with max_len = {max_len} in train mode",
        )


@pytest.mark.points(2)
@pytest.mark.rests_on("it is made once and kept as a buffer")
def test_encoding_is_a_buffer(submission):
    """The table is a buffer: not a parameter, and not a plain attribute that stays behind."""
    layer = submission.PositionalEncoding(D_MODEL, max_len=9)
    names = list(layer.parameters())
    assert not names, f"The table is a parameter ({', '.join(names)}), and these are for learning."
    held = sum(table.numel() for table in layer.buffers().values())
    if held < 9 * D_MODEL:
        plain = layer.loose_tensors()
        assert not plain, "The table is a plain attribute: it would not move with the model."
        raise AssertionError("No buffer holds the table: make it once, in __init__.")


@pytest.mark.points(2)
@pytest.mark.kept("positions that bfloat16 does not know; repeated probes have a few rows only")
@pytest.mark.rests_on("A model turned into bfloat16 answers bfloat16 with bfloat16")
def test_encoding_in_bfloat16(compare, draw, device):
    """A model turned into bfloat16 still tells 700 positions apart, and answers in bfloat16."""
    x = draw.normal(2, 700, D_MODEL, scale=0.5, dtype=torch.bfloat16)

    def turned(impl):
        layer = impl.PositionalEncoding(D_MODEL, dropout=0.0, max_len=700)
        layer.to(device, torch.bfloat16)
        layer.eval()
        return layer(x)

    compare(turned)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "in train mode only, and drops each number by itself, afresh in every call",
    "making one resets nobody's random numbers",
)
def test_encoding_drops_the_sum(submission, draw):
    """In train mode x + PE passes through dropout once, with the probability asked for; every
    number, call and layer has its own luck."""
    for p in (0.6, 0.25):
        x = draw.normal(1, 30, 8).repeat(20, 1, 1)
        look_at_dropout(submission.PositionalEncoding(8, dropout=p, max_len=40), x, p)
    layer = submission.PositionalEncoding(8, dropout=0.5, max_len=40)
    first, second = layer(x), layer(x)
    other = submission.PositionalEncoding(8, dropout=0.5, max_len=40)(x)
    for y in (first, second, other):
        usable(submission, y, x.shape)
    assert not torch.equal(first == 0, second == 0), "Every call drops the same elements."
    for y in (first, second):
        seeded = torch.equal(y == 0, other == 0)
        assert not seeded, "A second layer drops as the first one did: its constructor sets a seed."


@pytest.mark.rests_on("Dropout acts on the sum, in train mode only")
def test_encoding_drops_a_tenth_by_default(submission, draw):
    """Without `dropout` one element in ten is dropped."""
    x = draw.normal(1, 30, 8).repeat(20, 1, 1)
    look_at_dropout(submission.PositionalEncoding(8, max_len=40), x, 0.1)


@pytest.mark.rests_on("Dropout acts on the sum, in train mode only")
def test_encoding_does_not_drop_in_evaluation(compare, submission, draw):
    """After eval() nothing is dropped and nothing is scaled."""
    x = draw.normal(3, 5, D_MODEL)

    def twice(impl):
        layer = impl.PositionalEncoding(D_MODEL, dropout=0.6, max_len=9)
        layer.eval()
        return layer(x), layer(x)

    first, second = twice(submission)
    for y in (first, second):
        usable(submission, y, x.shape)
        drops = (y[:, 1:] == 0).double().mean() > 0.2
        assert not drops, "PositionalEncoding drops after eval() as well."
    compare(twice)


@pytest.mark.core("TokenEmbedding")
@pytest.mark.points(2)
@pytest.mark.kept("the rule itself; other checks only brush it")
@pytest.mark.rests_on("One learned vector per token number, times sqrt(d_model) if scale is True")
def test_embedding_is_scaled(compare, draw):
    """The output is the token's row times sqrt(d_model); gradients reach every row used."""
    weights = draw.normal(VOCABULARY, D_MODEL)
    ids = draw.permutation(VOCABULARY).repeat(2)[: VOCABULARY + 4].view(3, 5)

    def twice(impl, *args):
        layer = impl.TokenEmbedding(VOCABULARY, D_MODEL, *args)
        layer.load({"embedding.weight": weights})
        return layer(ids), layer(ids)

    compare(lambda impl: twice(impl, True))
    compare(twice)


@pytest.mark.rests_on("One learned vector per token number, times sqrt(d_model) if scale is True")
def test_embedding_without_scale(compare, draw):
    """With scale=False the output is the token's row as it is, with scale=True it is multiplied."""
    weights, ids = draw.normal(VOCABULARY, D_MODEL), draw.permutation(VOCABULARY)[None]
    compare(lambda impl: embedded(impl, weights, ids, scale=False))
    compare(lambda impl: embedded(impl, weights, ids, False))
    compare(lambda impl: [embedded(impl, weights, ids, scale) for scale in (False, True)])


@pytest.mark.rests_on("in a tensor of any shape, and none of them is special")
def test_embedding_takes_any_shape(compare, draw):
    """A row of tokens, or three axes of them, up to 50256: the output has one axis more."""
    weights = draw.normal(VOCABULARY, D_MODEL)
    for shape in ((7,), (2, 3, 4)):
        ids = draw.integers(0, VOCABULARY, shape)
        compare(lambda impl: embedded(impl, weights, ids, scale=True))
    weights, ids = draw.normal(50257, 2), torch.tensor([[50256, 50001, 49997], [40001, 300, 0]])
    compare(lambda impl: embedded(impl, weights, ids.to(weights.device)))


@pytest.mark.rests_on(
    "What is learned starts at random: no two rows of a table are alike",
    "Two layers that are made one after the other start differently",
)
def test_tables_start_at_random(submission):
    """Rows that are learned start at random, not alike, around 0 and neither tiny nor large."""
    for name, weight in (
        ("TokenEmbedding", "embedding.weight"),
        ("LearnedPositionalEmbedding", "weight"),
    ):
        make = getattr(submission, name)
        first, second = (_parameter(make(60, 16), name, weight) for _ in range(2))
        constant = near(first, first[0, 0], 1e-6).all()
        assert not constant, f"{name}: the table starts with {first[0, 0]:.4g} throughout."
        alike = near(first[:1], first[1:], 1e-6).all(-1).any()
        assert not alike, f"{name}: rows of the table start alike."
        size, middle = first.double().std().item(), first.double().mean().abs().item()
        known = 0.005 <= size <= 1.5
        assert known, f"{name} starts with a standard deviation of {size:.2g}."
        assert not torch.equal(first, second), f"{name}: every layer starts with the same numbers."
        assert middle < 0.3 * size, f"{name} starts around {middle:.2g}: around 0 is asked for."


def _parameter(layer, name, wanted):
    found = layer.parameters().get(wanted)
    assert found is not None, f"{name} has no parameter {wanted}."
    assert found.shape == (60, 16), f"{name} has a table of shape {tuple(found.shape)}."
    return found.detach()


@pytest.mark.core("LearnedPositionalEmbedding")
@pytest.mark.points(2)
@pytest.mark.rests_on("Adds row t of a learned table to the token at position t, without dropout")
def test_learned_rows_are_added(compare, submission, draw):
    """Row t of the weights is added to position t; rows beyond the sequence get no gradient."""
    weights, x = draw.normal(9, D_MODEL), draw.normal(20, 9, D_MODEL)
    y = learned(submission, weights, x)
    drops = (usable(submission, y, x.shape) == 0).double().mean() > 0.03
    assert not drops, "LearnedPositionalEmbedding drops: it has no dropout."
    for shape in ((3, 5, D_MODEL), (1, 9, D_MODEL), (4, 1, D_MODEL), (6, 6, 6)):
        x = draw.normal(*shape)
        compare(lambda impl: learned(impl, weights, x), wrt=[x])
    compare(lambda impl: learned(impl, weights, x))


@pytest.mark.rests_on("x has more than max_len positions, in train mode or in eval mode")
def test_learned_rows_refuse_too_many_positions(submission, draw):
    """A sequence longer than max_len raises ValueError, also where max_len is 1."""
    for max_len, tokens in ((4, 6), (1, 3)):
        weights, x = draw.normal(max_len, D_MODEL), draw.normal(2, tokens, D_MODEL)
        refuses(
            lambda: learned(submission, weights, x),
            f"{tokens} positions, LearnedPositionalEmbedding with max_len = {max_len}",
            lambda: learned(submission, weights, x, training=False),
            f"{tokens} positions, LearnedPositionalEmbedding with max_len = {max_len} in eval mode",
        )


def fits_the_first(matrix, k):
    """Does it lead from the first positions where it should, and from later ones far away?"""
    d_model = len(matrix)
    table = table_of(300 + k, d_model).to(matrix.device)
    off = (table[:300] @ matrix.double().mT - table[k:]).abs()
    return off[:d_model].max() < 1e-3 and off[50:].max() > 0.02


@pytest.mark.core("pe_shift_matrix")
@pytest.mark.points(2)
@pytest.mark.rests_on("The matrix that leads from any position to the one k further on")
def test_shift_matrix_leads_to_other_positions(compare, submission):
    """M @ PE[p] = PE[p + k] for every p: k = 3, -4, 1, 0, -5, 40, 200, 7, in several widths."""
    # A width for each k: a wrong matrix of one k is no wrong matrix of another. The last width was
    # asked for before, of those that remember.
    for k, d_model in ((3, 6), (-4, 10), (1, 4), (0, 2), (-5, 8), (40, 16), (200, 12), (7, 6)):
        matrix = submission.pe_shift_matrix(k, d_model)
        usable(submission, matrix, (d_model, d_model))
        table = table_of(600, d_model).to(matrix.device)
        here, there = table[50:300], table[50 + k : 300 + k]
        if not near(here @ matrix.double().mT, there, 1e-5 * max(1, abs(k))).all():
            back = near(here @ matrix.double(), there).all()
            assert not back, f"With k = {k} the matrix is transposed: it leads k positions back."
            if k > 0 and fits_the_first(matrix, k):
                raise finding(
                    f"With k = {k} the matrix leads from the first positions to the right ones, "
                    "and from position 50 on to wrong ones.",
                    help="It is not to be computed from rows of the table, which are rounded: "
                    "write the block of each pair with cos(b) and sin(b).",
                )
            compare.pe_shift_matrix(k, d_model)
            raise AssertionError("M @ PE[p] is not PE[p + k].")


# Work ---------------------------------------------------------------------------------------------

WAVES = ("sin", "cos", "exp", "exp2", "pow", "polar")


@pytest.mark.rests_on("No Python loop runs over tokens or positions")
def test_table_is_made_at_once(compare, submission):
    """sinusoidal_encoding has no Python loop over positions: one column of positions times one row
    of frequencies gives all angles, of 64 positions in as many operations as of 16."""
    compare.sinusoidal_encoding(9, 6)  # right first
    few, many = (
        work_of(submission, lambda impl: usable(impl, impl.sinusoidal_encoding(n, 6), (n, 6)))
        for n in (16, 64)
    )
    grown = many.operations - few.operations
    assert grown < 48, "sinusoidal_encoding: a torch operation or more for every position"


@pytest.mark.rests_on("No Python loop runs over tokens or positions")
def test_layers_take_all_tokens_at_once(compare, submission, draw):
    """No layer has a Python loop over tokens: 32 rows are looked up, or added, in as many torch
    operations as 8."""
    table, ids, x = draw.normal(9, 6), draw.integers(0, 9, (2, 5)), draw.normal(2, 5, 6)
    compare(lambda impl: (embedded(impl, table, ids), learned(impl, table, x)))  # right first
    compare(lambda impl: impl.PositionalEncoding(6, 0.0, 40)(x))
    for name, probe, inputs in (
        ("TokenEmbedding", lambda impl, ids: impl.TokenEmbedding(9, 6)(ids), _ids),
        ("PositionalEncoding", lambda impl, x: impl.PositionalEncoding(6, 0.0, 40)(x), _tokens),
        (
            "LearnedPositionalEmbedding",
            lambda impl, x: impl.LearnedPositionalEmbedding(40, 6)(x),
            _tokens,
        ),
    ):
        few, many = (
            work_of(submission, lambda impl: usable(impl, probe(impl, x), (*x.shape[:2], 6)))
            for x in (inputs(draw, 8), inputs(draw, 32))
        )
        grown = many.operations - few.operations
        assert grown < 24, f"{name}: a torch operation or more for every token"


@pytest.mark.rests_on("no call computes a sine again")
def test_no_call_computes_a_sine(compare, submission, draw):
    """The table of PositionalEncoding is made once: a call adds its rows, and no sine is computed
    again, in every step of training, to come out the same."""
    x = draw.normal(2, 8, 6)
    compare(lambda impl: impl.PositionalEncoding(6, 0.0, 40)(x))  # right first

    def calls(number):
        def probe(impl):
            layer = impl.PositionalEncoding(6, 0.0, 40)
            for _ in range(number):
                layer(x)

        return work_of(submission, probe).by_name

    once, twice = calls(1), calls(2)
    waves = [name for name in WAVES if twice.get(name, 0) > once.get(name, 0)]
    assert not waves, f"PositionalEncoding: every call computes {' and '.join(waves)} again"


def _ids(draw, length):
    return draw.integers(0, 9, (2, length))


def _tokens(draw, length):
    return draw.normal(2, length, 6)
