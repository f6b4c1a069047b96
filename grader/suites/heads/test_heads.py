"""Hidden checks of ``heads``."""

from __future__ import annotations

import pytest
import torch

from grader.check import SubmissionRaised, refuses, work_of


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_example(compare, device):
    """Two tokens of width 4: head 0 gets their columns 0 and 1, head 1 their columns 2 and 3."""
    x = torch.arange(1.0, 9.0, device=device).reshape(2, 4)
    compare.split_heads(x, num_heads=2)


@pytest.mark.points(2)
def test_every_head_gets_its_own_columns(compare, draw):
    """Head h holds columns h*d to (h+1)*d - 1 of every token, and the heads come before tokens."""
    x = draw.normal(2, 5, 12)
    for heads in (3, 4, 1, 12):
        compare.split_heads(x, heads, wrt=[x])


def test_split_any_number_of_axes(compare, draw):
    """One sentence, a batch of them, and batches of batches are split alike."""
    for x in (draw.normal(5, 12), draw.normal(2, 7, 5, 12)):
        compare.split_heads(x, 3, wrt=[x])


def test_split_any_layout(compare, draw):
    """Transposed, sliced and expanded inputs are split like contiguous ones."""
    for x in (
        draw.normal(5, 2, 12).transpose(0, 1),
        draw.normal(2, 12, 5).mT,
        draw.normal(2, 5, 24)[..., ::2],
        draw.normal(1, 5, 12).expand(2, 5, 12),
    ):
        compare.split_heads(x, 3, wrt=[x])


def test_refuses_a_width_that_cannot_be_split(submission, draw):
    """A width of 6 cannot be split into 4 heads, nor 10 into 3: that raises ValueError."""
    for shape, heads in (((2, 4, 6), 4), ((2, 4, 10), 3)):
        x = draw.normal(*shape)
        refuses(
            lambda: submission.split_heads(x, heads), f"a width of {shape[-1]} in {heads} heads"
        )


@pytest.mark.points(2)
def test_merge_puts_heads_side_by_side(compare, draw):
    """merge_heads is the reverse: head h becomes columns h*d to (h+1)*d - 1 of every token."""
    for shape in ((2, 3, 5, 4), (2, 1, 5, 4), (2, 3, 1, 4), (2, 3, 5, 1)):
        x = draw.normal(*shape)
        compare.merge_heads(x, wrt=[x])


def test_merge_any_number_of_axes(compare, draw):
    """One sentence, and batches of batches, are merged like a batch."""
    for x in (draw.normal(3, 5, 4), draw.normal(2, 7, 3, 5, 4)):
        compare.merge_heads(x, wrt=[x])


def test_merge_any_layout(compare, draw):
    """Transposed, sliced and expanded inputs are merged like contiguous ones."""
    for x in (
        draw.normal(2, 5, 3, 4).transpose(1, 2),
        draw.normal(2, 3, 4, 5).mT,
        draw.normal(2, 3, 5, 8)[..., ::2],
        draw.normal(2, 1, 5, 4).expand(2, 3, 5, 4),
    ):
        compare.merge_heads(x, wrt=[x])


@pytest.mark.public
@pytest.mark.kept("the numbers of the book, for a first answer")
def test_book_example(compare, device):
    """The book's example of two heads gives 1.3208 and 0.4391 as the first scores."""
    a = [
        [[0.2745, 0.6584, 0.2775, 0.8573], [0.8993, 0.0390, 0.9268, 0.7388]],
        [[0.0772, 0.3565, 0.1479, 0.5331], [0.4066, 0.2318, 0.4545, 0.9737]],
    ]
    a[0].append([0.7179, 0.7058, 0.9156, 0.4340])
    a[1].append([0.4606, 0.5159, 0.4220, 0.5786])
    a = torch.tensor([a], device=device)
    compare.head_scores(a)


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
def test_scores_within_each_head(compare, draw):
    """head_scores holds the dot product of every two tokens of a head, as it is."""
    for shape in ((2, 3, 5, 4), (2, 4, 4, 4)):
        a = draw.normal(*shape)
        compare.head_scores(a, wrt=[a])


def test_scores_any_number_of_axes(compare, draw):
    """head_scores works without a batch axis, and with two of them."""
    for a in (draw.normal(3, 5, 4), draw.normal(2, 7, 3, 5, 4)):
        compare.head_scores(a, wrt=[a])


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
def test_values_within_each_head(compare, draw):
    """head_values sums a head's values under that head's weights, whatever these sum to."""
    for queries, keys in ((6, 6), (5, 6), (6, 5)):
        weights, v = draw.normal(2, 3, queries, keys), draw.normal(2, 3, keys, 4)
        compare.head_values(weights, v, wrt=[weights, v])


def test_values_any_number_of_axes(compare, draw):
    """head_values works without a batch axis, and with two of them."""
    for leading in ((), (2, 7)):
        weights, v = draw.normal(*leading, 3, 5, 6), draw.normal(*leading, 3, 6, 4)
        compare.head_values(weights, v, wrt=[weights, v])


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
def test_relative_shift(compare, draw):
    """Row i of the result is row i of x from column T - 1 - i on: x[i, j - i + T - 1]."""
    for length in (5, 2, 1):
        x = draw.normal(3, length, 2 * length - 1)
        compare.relative_shift(x, wrt=[x])


def test_relative_shift_any_number_of_axes(compare, draw):
    """relative_shift works on a single matrix, and on one per head of a batch."""
    for x in (draw.normal(4, 7), draw.normal(2, 3, 4, 7)):
        compare.relative_shift(x, wrt=[x])


def test_relative_shift_any_layout(compare, draw):
    """Transposed, sliced and expanded inputs are shifted like contiguous ones."""
    for x in (
        draw.normal(3, 7, 4).mT,
        draw.normal(3, 4, 14)[..., ::2],
        draw.normal(3, 1, 7).expand(3, 4, 7),
    ):
        compare.relative_shift(x, wrt=[x])


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; the check of its speed asks for it as well")
def test_attention_stays_inside_blocks(compare, draw):
    """A position attends to the positions of its own block, all of them, and to no other."""
    q, k, v = draw.normal(2, 12, 5), draw.normal(2, 12, 5), draw.normal(2, 12, 7)
    for block in (3, 4, 2, 1, 12):
        compare.block_diag_attention(q, k, v, block, wrt=[q, k, v])


def test_blocks_any_number_of_axes(compare, draw):
    """block_diag_attention works on one sentence, and on one per head of a batch."""
    for leading in ((), (2, 3)):
        q, k = draw.normal(*leading, 4, 6), draw.normal(*leading, 4, 6)
        v = draw.normal(*leading, 4, 5)
        compare.block_diag_attention(q, k, v, 2, wrt=[q, k, v])


def test_other_blocks_that_dominate(compare, draw):
    """However large the score with a position outside, it gets no weight."""
    q, k, v = draw.normal(2, 4, 6), draw.normal(2, 4, 6), draw.normal(2, 4, 5)
    q[..., 0] = 2.0
    k[..., 0] = torch.tensor([-300.0, -300.0, 300.0, 300.0], device=k.device)
    compare.block_diag_attention(q, k, v, 2, wrt=[q, k, v])


def test_blocks_any_layout(compare, draw):
    """Transposed, sliced and expanded q, k and v work like contiguous ones."""
    q = draw.normal(4, 2, 6).transpose(0, 1)
    k = draw.normal(2, 6, 4).mT
    v = draw.normal(1, 4, 10)[..., ::2].expand(2, 4, 5)
    compare.block_diag_attention(q, k, v, 2, wrt=[q, k, v])


def test_keeps_the_dtype(compare, draw):
    """float64 and bfloat16 in give the same out, in every function."""
    for dtype in (torch.float64, torch.bfloat16):
        x, a = draw.normal(2, 5, 12, dtype=dtype), draw.normal(2, 3, 6, 4, dtype=dtype)
        weights, far = draw.normal(2, 3, 5, 6, dtype=dtype), draw.normal(2, 4, 7, dtype=dtype)
        q, v = draw.normal(2, 4, 6, dtype=dtype), draw.normal(2, 4, 5, dtype=dtype)
        compare.split_heads(x, 3)
        compare.merge_heads(a)
        compare.head_scores(a)
        compare.head_values(weights, a)
        compare.relative_shift(far)
        compare.block_diag_attention(q, q, v, 2)


def test_works_where_its_inputs_are(compare, draw):
    """Masks, indices and results that you make yourself are made on the device of the inputs."""
    far, q = draw.normal(3, 4, 7).to("meta"), draw.normal(2, 4, 6).to("meta")
    for name, args in (("relative_shift", (far,)), ("block_diag_attention", (q, q, q, 2))):
        try:
            getattr(compare, name)(*args)
        except SubmissionRaised as error:
            if "meta" not in error.raised.message:
                raise
            raise AssertionError(
                f"{name} makes a tensor on the CPU although its input is on another device: "
                f"{error.raised.message.splitlines()[0]}"
            ) from None


# Work ---------------------------------------------------------------------------------------------

ONE_EACH, ONE_A_PAIR = 24, 900  # operations, for 32 tokens instead of 8


def test_tokens_move_all_at_once(compare, submission, draw):
    """split_heads, merge_heads and relative_shift have no Python loop over tokens: reshaping and
    indexing move 32 of them in as many operations as 8."""
    _demand_no_growth(
        compare,
        submission,
        ("split_heads", lambda n: (draw.normal(2, n, 12), 3)),
        ("merge_heads", lambda n: (draw.normal(2, 3, n, 4),)),
        ("relative_shift", lambda n: (draw.normal(2, n, 2 * n - 1),)),
    )


def test_products_of_all_tokens_at_once(compare, submission, draw):
    """head_scores, head_values and block_diag_attention have no Python loop over tokens: `@` does
    all of their dot products in one operation."""

    def blocks(n):
        return draw.normal(2, n, 5), draw.normal(2, n, 5), draw.normal(2, n, 3), n // 4

    _demand_no_growth(
        compare,
        submission,
        ("head_scores", lambda n: (draw.normal(2, 3, n, 4),)),
        ("head_values", lambda n: (draw.normal(2, 3, n, 8), draw.normal(2, 3, 8, 4))),
        ("head_values", lambda n: (draw.normal(2, 3, 8, n), draw.normal(2, 3, n, 4))),
        ("block_diag_attention", blocks),
    )


def _demand_no_growth(compare, submission, *calls):
    for name, inputs in calls:
        small, large = inputs(8), inputs(32)
        for args in (small, large):
            getattr(compare, name)(*args)  # right first, then fast
        few, many = (
            work_of(submission, lambda impl: getattr(impl, name)(*args)) for args in (small, large)
        )
        grown = many.operations - few.operations
        assert grown < ONE_A_PAIR, f"{name}: a torch operation or more for every pair of tokens"
        assert grown < ONE_EACH, f"{name}: a torch operation or more for every token"
