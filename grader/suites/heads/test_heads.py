"""Hidden checks of ``heads``."""

from __future__ import annotations

import pytest
import torch

from grader.check import on_one_device, refuses, work_of


@pytest.mark.core("split_heads")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> split_heads(torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), num_heads=2)"
)
def test_example(compare, device):
    """Two tokens of width 4: head 0 gets their columns 0 and 1, head 1 their columns 2 and 3."""
    x = torch.arange(1.0, 9.0, device=device).reshape(2, 4)
    compare.split_heads(x, num_heads=2)


@pytest.mark.core("split_heads")
@pytest.mark.points(2)
@pytest.mark.rests_on("Head h holds the columns h*d to (h+1)*d - 1 of all tokens")
def test_every_head_gets_its_own_columns(compare, draw):
    """Head h holds columns h*d to (h+1)*d - 1 of every token, and the heads come before tokens."""
    x = draw.normal(2, 5, 12)
    for heads in (3, 4, 1, 12):
        compare.split_heads(x, heads, wrt=[x])


@pytest.mark.rests_on("... stands for any number of leading axes, none included")
def test_split_any_number_of_axes(compare, draw):
    """One sentence, a batch of them, and batches of batches are split alike."""
    for x in (draw.normal(5, 12), draw.normal(2, 7, 5, 12)):
        compare.split_heads(x, 3, wrt=[x])


@pytest.mark.rests_on("ValueError: the width of x is not a multiple of num_heads")
def test_refuses_a_width_that_cannot_be_split(submission, draw):
    """A width of 6 cannot be split into 4 heads, nor 10 into 3, nor 4 into 8: that raises
    ValueError."""
    for width, heads in ((6, 4), (10, 3), (4, 8)):
        x = draw.normal(2, 4, width)
        refuses(lambda: submission.split_heads(x, heads), f"a width of {width} in {heads} heads")


@pytest.mark.core("merge_heads")
@pytest.mark.points(2)
@pytest.mark.rests_on("The heads of every token side by side again: the reverse of split_heads")
@pytest.mark.kept("the definition of the function")
def test_merge_puts_heads_side_by_side(compare, draw):
    """merge_heads is the reverse: head h becomes columns h*d to (h+1)*d - 1 of every token."""
    for shape in ((2, 3, 5, 4), (2, 1, 5, 4), (2, 3, 1, 4), (2, 3, 5, 1)):
        x = draw.normal(*shape)
        compare.merge_heads(x, wrt=[x])


@pytest.mark.rests_on("... stands for any number of leading axes, none included")
def test_merge_any_number_of_axes(compare, draw):
    """One sentence, and batches of batches, are merged like a batch."""
    for x in (draw.normal(3, 5, 4), draw.normal(2, 7, 3, 5, 4)):
        compare.merge_heads(x, wrt=[x])


@pytest.mark.core("head_scores")
@pytest.mark.public
@pytest.mark.kept("the numbers of the book, for a first answer")
@pytest.mark.rests_on(">>> head_scores(a) tensor([[[[1.3208, 1.1631, 1.2879],")
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


@pytest.mark.core("head_scores")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
@pytest.mark.rests_on("All dot products between the tokens of each head, unscaled")
def test_scores_within_each_head(compare, draw):
    """head_scores holds the dot product of every two tokens of a head, as it is."""
    for shape in ((2, 3, 5, 4), (2, 4, 4, 4)):
        a = draw.normal(*shape)
        compare.head_scores(a, wrt=[a])


@pytest.mark.rests_on("... stands for any number of leading axes, none included")
def test_scores_any_number_of_axes(compare, draw):
    """head_scores works without a batch axis, and with two of them."""
    for a in (draw.normal(3, 5, 4), draw.normal(2, 7, 3, 5, 4)):
        compare.head_scores(a, wrt=[a])


@pytest.mark.core("head_values")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
@pytest.mark.rests_on("the weights are used as they are, whatever they sum to")
def test_values_within_each_head(compare, draw):
    """head_values sums a head's values under that head's weights, whatever these sum to."""
    for queries, keys in ((5, 6), (6, 5), (6, 6)):
        weights, v = draw.normal(2, 3, queries, keys), draw.normal(2, 3, keys, 4)
        compare.head_values(weights, v, wrt=[weights, v])


@pytest.mark.rests_on("... stands for any number of leading axes, none included")
def test_values_any_number_of_axes(compare, draw):
    """head_values works without a batch axis, and with two of them."""
    for leading in ((), (2, 7)):
        weights, v = draw.normal(*leading, 3, 5, 6), draw.normal(*leading, 3, 6, 4)
        compare.head_values(weights, v, wrt=[weights, v])


@pytest.mark.core("relative_shift")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself, for points of its own")
@pytest.mark.rests_on("out[..., i, j] = x[..., i, j - i + T - 1]")
def test_relative_shift(compare, draw):
    """Row i of the result is row i of x from column T - 1 - i on: x[i, j - i + T - 1]."""
    for length in (5, 2, 1):
        x = draw.normal(3, length, 2 * length - 1)
        compare.relative_shift(x, wrt=[x])


@pytest.mark.rests_on("... stands for any number of leading axes, none included")
def test_relative_shift_any_number_of_axes(compare, draw):
    """relative_shift works on a single matrix, and on one per head of a batch."""
    for x in (draw.normal(4, 7), draw.normal(2, 3, 4, 7)):
        compare.relative_shift(x, wrt=[x])


@pytest.mark.core("block_diag_attention")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; the check of its speed asks for it as well")
@pytest.mark.rests_on("attends to all of its own block and to nothing else")
def test_attention_stays_inside_blocks(compare, draw):
    """A position attends to the positions of its own block, all of them, and to no other."""
    q, k, v = draw.normal(2, 12, 5), draw.normal(2, 12, 5), draw.normal(2, 12, 7)
    for block in (3, 4, 2, 1, 12):
        compare.block_diag_attention(q, k, v, block, wrt=[q, k, v])


@pytest.mark.rests_on("... stands for any number of leading axes, none included")
def test_blocks_any_number_of_axes(compare, draw):
    """block_diag_attention works on one sentence, and on one per head of a batch."""
    for leading in ((), (2, 3)):
        q, k = draw.normal(*leading, 4, 6), draw.normal(*leading, 4, 6)
        v = draw.normal(*leading, 4, 5)
        compare.block_diag_attention(q, k, v, 2, wrt=[q, k, v])


@pytest.mark.rests_on("and to nothing else, however large its score with a position outside")
def test_other_blocks_that_dominate(compare, draw):
    """However large the score with a position outside, it gets no weight."""
    q, k, v = draw.normal(2, 4, 6), draw.normal(2, 4, 6), draw.normal(2, 4, 5)
    q[..., 0] = 2.0
    k[..., 0] = torch.tensor([-1500.0, -1500.0, 1500.0, 1500.0], device=k.device)
    compare.block_diag_attention(q, k, v, 2, wrt=[q, k, v])


@pytest.mark.kept("every function in every dtype; a probe asked again takes one of them")
@pytest.mark.rests_on("every function keeps the dtype and the device of its inputs")
def test_keeps_the_dtype(compare, draw):
    """float64, bfloat16 and float16 in give the same out, in every function."""
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        x, a = draw.normal(2, 5, 12, dtype=dtype), draw.normal(2, 3, 6, 4, dtype=dtype)
        weights, far = draw.normal(2, 3, 5, 6, dtype=dtype), draw.normal(2, 4, 7, dtype=dtype)
        q, v = draw.normal(2, 4, 6, dtype=dtype), draw.normal(2, 4, 5, dtype=dtype)
        compare.split_heads(x, 3)
        compare.merge_heads(a)
        compare.head_scores(a)
        compare.head_values(weights, a)
        compare.relative_shift(far)
        compare.block_diag_attention(q, q, v, 2)


@pytest.mark.kept("elsewhere sizes are distinct")
@pytest.mark.rests_on("sizes may coincide, and there may be hundreds of tokens")
def test_equal_sizes(compare, draw):
    """As many sentences as heads, as tokens, as columns, and as many tokens as numbers in each:
    everything goes where it always goes."""
    a = draw.normal(3, 3, 3, 3)
    weights = draw.normal(3, 3, 3, 3)
    compare.merge_heads(a, wrt=[a])
    compare.head_scores(a, wrt=[a])
    compare.head_values(weights, a, wrt=[weights, a])
    x, far = draw.normal(3, 3, 9), draw.normal(4, 4, 7)
    compare.split_heads(x, 3, wrt=[x])
    square, narrow = draw.normal(2, 6, 6), draw.normal(2, 3, 6, 2)
    compare.split_heads(square, 3, wrt=[square])
    compare.merge_heads(narrow, wrt=[narrow])
    compare.relative_shift(far, wrt=[far])
    q, k, v = draw.normal(4, 4, 4), draw.normal(4, 4, 4), draw.normal(4, 4, 4)
    for block in (2, 4):
        compare.block_diag_attention(q, k, v, block, wrt=[q, k, v])


@pytest.mark.rests_on("sizes may coincide, and there may be hundreds of tokens")
def test_many_tokens(compare, draw):
    """300 tokens, and distances up to 199, take the same ways as five."""
    compare.relative_shift(draw.normal(1, 200, 399))
    q, v = draw.normal(1, 300, 2), draw.normal(1, 300, 3)
    compare.block_diag_attention(q, q, v, 150)
    x = draw.normal(1, 300, 6)
    compare.split_heads(x, 2)
    compare.merge_heads(draw.normal(1, 2, 300, 3))


@pytest.mark.rests_on("every function keeps the dtype and the device of its inputs")
def test_works_where_its_inputs_are(compare, draw):
    """Masks, indices and results that you make yourself are made on the device of the inputs."""
    far, q = draw.normal(3, 4, 7).to("meta"), draw.normal(2, 4, 6).to("meta")
    for name, args in (("relative_shift", (far,)), ("block_diag_attention", (q, q, q, 2))):
        with on_one_device(name):
            getattr(compare, name)(*args)


# Work ---------------------------------------------------------------------------------------------

ONE_EACH, ONE_A_PAIR = 24, 900  # operations, for 32 tokens instead of 8


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "no Python loop over tokens: the number of torch operations does not depend on T"
)
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


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "no Python loop over tokens: the number of torch operations does not depend on T"
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
        grown = many.steps - few.steps
        assert grown < ONE_A_PAIR, f"{name}: a torch operation or more for every pair of tokens"
        assert grown < ONE_EACH, f"{name}: a torch operation or more for every token"
