"""Wrong answers to ``heads``, and what their authors are told."""

from __future__ import annotations

import math

import torch

from grader.programs.bank import misconception


def _refuse(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("the width is not a multiple of num_heads")
    return x.shape[-1] // num_heads


def _inside(q, block):
    part = torch.arange(q.shape[-2], device=q.device) // block
    return part[:, None] == part


def _scores(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


# Right, but slow ----------------------------------------------------------------------------------

MOVED, MULTIPLIED = ("test_tokens_move_all_at_once",), ("test_products_of_all_tokens_at_once",)


@misconception(
    of="split_heads",
    sentence="Your heads are right, but a Python loop moves one token at a time: cut the last axis "
    "with one reshape and swap two axes, which moves nothing at all.",
    caught_by=MOVED,
)
def split_token_by_token(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("the heads must divide the width")
    out = x.new_zeros(*x.shape[:-2], num_heads, x.shape[-2], x.shape[-1] // num_heads)
    for t in range(x.shape[-2]):
        out[..., t, :] = x[..., t, :].unflatten(-1, (num_heads, -1))
    return out


@misconception(
    of="merge_heads",
    sentence="Your rows are right, but a Python loop merges one token at a time: swap heads and "
    "tokens, and flatten the two last axes of all of them.",
    caught_by=MOVED,
)
def merged_token_by_token(x):
    return torch.stack([token.flatten(-2) for token in x.unbind(-2)], dim=-2)


@misconception(
    of="relative_shift",
    sentence="Your numbers are right, but two nested Python loops fetch one at a time: an index "
    "tensor for the rows and one for the columns fetch all of them in one operation.",
    caught_by=MOVED,
)
def shifted_number_by_number(x):
    length = x.shape[-2]
    out = x.new_zeros(*x.shape[:-1], length)
    for i in range(length):
        for j in range(length):
            out[..., i, j] = x[..., i, j - i + length - 1]
    return out


@misconception(
    of="relative_shift",
    sentence="Your numbers are right, but copied row by row in a Python loop: one index tensor for "
    "the rows and one for the columns fetch all rows in one operation.",
    caught_by=MOVED,
)
def shifted_row_by_row(x):
    length = x.shape[-2]
    out = x.new_zeros(*x.shape[:-1], length)
    for i in range(length):
        out[..., i, :] = x[..., i, length - 1 - i : 2 * length - 1 - i]
    return out


@misconception(
    of="head_scores",
    sentence="Your scores are right, but the loops of the page are run in Python, one dot product "
    "at a time: a @ a.mT is all of them.",
    caught_by=MULTIPLIED,
)
def scored_pair_by_pair(a):
    rows = [
        torch.stack([(one * other).sum(-1) for other in a.unbind(-2)], dim=-1)
        for one in a.unbind(-2)
    ]
    return torch.stack(rows, dim=-2)


@misconception(
    of="head_values",
    sentence="Your sums are right, but a Python loop adds one key's value after the other: "
    "weights @ v is that sum, for all keys and queries.",
    caught_by=MULTIPLIED,
)
def added_key_by_key(weights, v):
    out = v.new_zeros(*weights.shape[:-1], v.shape[-1])
    for j in range(v.shape[-2]):
        out = out + weights[..., j, None] * v[..., j, None, :]
    return out


@misconception(
    of="block_diag_attention",
    sentence="Your answers are right, but a Python loop asks one position at a time: cut the "
    "tokens' axis into (T / block, block), and the blocks are one more axis for `@`.",
    caught_by=MULTIPLIED,
)
def one_position_at_a_time(q, k, v, block):
    rows = []
    for i in range(q.shape[-2]):
        own = slice(i - i % block, i - i % block + block)
        scores = q[..., i : i + 1, :] @ k[..., own, :].mT / math.sqrt(q.shape[-1])
        rows.append(scores.softmax(-1) @ v[..., own, :])
    return torch.cat(rows, dim=-2)


# split_heads --------------------------------------------------------------------------------------


@misconception(
    of="split_heads",
    sentence="You cut the tokens' axis: your head 0 got the first tokens, not the first columns. "
    "Reshape to (..., T, H, d), then swap T and H.",
    caught_by=("test_example", "test_every_head_gets_its_own_columns"),
)
def view_without_transpose(x, num_heads):
    d = _refuse(x, num_heads)
    return x.reshape(*x.shape[:-2], num_heads, x.shape[-2], d)


@misconception(
    of="split_heads",
    sentence="The heads' axis must come before the tokens': after the reshape swap the axes -3 "
    "and -2.",
    caught_by=("test_example", "test_every_head_gets_its_own_columns"),
)
def heads_after_tokens(x, num_heads):
    return x.reshape(*x.shape[:-1], num_heads, _refuse(x, num_heads))


@misconception(
    of="split_heads",
    sentence="Your head h holds the columns h, h + H, h + 2H ...: cut the last axis into (H, d), "
    "not into (d, H).",
    caught_by=("test_example", "test_every_head_gets_its_own_columns"),
)
def head_index_fastest(x, num_heads):
    d = _refuse(x, num_heads)
    return x.reshape(*x.shape[:-1], d, num_heads).movedim(-1, -3)


@misconception(
    of="split_heads",
    sentence="You make num_heads the width of a head: it is the number of heads.",
    caught_by=("test_every_head_gets_its_own_columns",),
)
def number_taken_for_width(x, num_heads):
    d = _refuse(x, num_heads)
    return x.reshape(*x.shape[:-1], d, num_heads).transpose(-3, -2)


@misconception(
    of="split_heads",
    sentence="Your tokens and columns have changed places inside the heads: (..., H, d, T) where "
    "(..., H, T, d) is wanted.",
    caught_by=("test_every_head_gets_its_own_columns",),
)
def features_before_tokens(x, num_heads):
    return x.mT.unflatten(-2, (num_heads, _refuse(x, num_heads)))


@misconception(
    of="split_heads",
    sentence="You put the heads in front of everything: they belong right before the tokens, "
    "behind the batch.",
    caught_by=("test_every_head_gets_its_own_columns",),
)
def heads_before_the_batch(x, num_heads):
    return torch.stack(x.split(_refuse(x, num_heads), dim=-1))


@misconception(
    of="split_heads",
    sentence="You count axes from the left, which is right for (B, T, width) only: count from the "
    "right, -3 and -2.",
    caught_by=("test_split_any_number_of_axes",),
)
def splits_three_axes_only(x, num_heads):
    return x.unflatten(-1, (num_heads, _refuse(x, num_heads))).transpose(1, 2)


@misconception(
    of="split_heads",
    sentence="You treat two axes and three, but there may be more: *leading, length, width = "
    "x.shape takes any number.",
    caught_by=("test_split_any_number_of_axes",),
)
def two_or_three_axes_only(x, num_heads):
    d = _refuse(x, num_heads)
    if x.ndim == 2:
        return x.reshape(len(x), num_heads, d).transpose(0, 1)
    batch, length, _ = x.shape
    return x.reshape(batch, length, num_heads, d).transpose(1, 2)


@misconception(
    of="split_heads",
    sentence="Your squeeze removes the heads' axis when there is one head, and the columns' when d "
    "is 1: the result has one axis more than x, always.",
    caught_by=("test_every_head_gets_its_own_columns",),
)
def split_squeezes(x, num_heads):
    d = _refuse(x, num_heads)
    return x.unflatten(-1, (num_heads, d)).transpose(-3, -2).squeeze(-3).squeeze(-1)


@misconception(
    of="split_heads",
    sentence="Your function flattens x with view, which a transposed input does not allow: "
    "reshape the last axis only.",
    caught_by=("test_split_any_layout",),
)
def flattens_with_view(x, num_heads):
    rows = x.view(-1, num_heads, _refuse(x, num_heads))
    return rows.view(*x.shape[:-1], num_heads, -1).transpose(-3, -2)


@misconception(
    of="split_heads",
    sentence="You address memory by hand with as_strided as if x were contiguous: reshape asks "
    "the tensor itself.",
    caught_by=("test_split_any_layout",),
)
def strides_by_hand(x, num_heads):
    d, (*leading, length, width) = _refuse(x, num_heads), x.shape
    strides = [math.prod(x.shape[i + 1 :]) for i in range(len(leading))]
    return x.as_strided((*leading, num_heads, length, d), (*strides, d, width, 1))


@misconception(
    of="split_heads",
    sentence="Columns that are left over are dropped without a word: raise ValueError when the "
    "width is not a multiple of num_heads.",
    caught_by=("test_refuses_a_width_that_cannot_be_split",),
)
def drops_what_is_left_over(x, num_heads):
    d = x.shape[-1] // num_heads
    x = x[..., : num_heads * d]
    return x.reshape(*x.shape[:-1], num_heads, d).transpose(-3, -2)


@misconception(
    of="split_heads",
    sentence="With -1 for the number of tokens reshape makes up tokens until the numbers fit: "
    "write the length there, and refuse a width that does not divide.",
    caught_by=("test_refuses_a_width_that_cannot_be_split",),
)
def makes_up_tokens(x, num_heads):
    d = x.shape[-1] // num_heads
    return x.reshape(*x.shape[:-2], -1, num_heads, d).transpose(-3, -2)


@misconception(
    of="split_heads",
    sentence="chunk returns fewer or uneven pieces when the width does not divide: check the "
    "width before you cut.",
    caught_by=("test_refuses_a_width_that_cannot_be_split",),
)
def trusts_chunk(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=-3)


@misconception(
    of="split_heads",
    sentence="That a width does not divide is noticed by torch's reshape only, in words about "
    "sizes: say it yourself with ValueError.",
    caught_by=("test_refuses_a_width_that_cannot_be_split",),
)
def leaves_refusing_to_reshape(x, num_heads):
    return x.reshape(*x.shape[:-1], num_heads, x.shape[-1] // num_heads).transpose(-3, -2)


@misconception(
    of="split_heads",
    sentence="Your heads have left the graph: without detach, .data or torch.tensor, gradients "
    "flow back to x.",
    caught_by=("test_every_head_gets_its_own_columns",),
)
def split_is_detached(x, num_heads):
    d = _refuse(x, num_heads)
    return x.detach().unflatten(-1, (num_heads, d)).transpose(-3, -2)


@misconception(
    of="split_heads",
    sentence="You fill a new float32 tensor, so the dtype of x is lost: reshape keeps it.",
    caught_by=("test_keeps_the_dtype",),
)
def split_into_float32(x, num_heads):
    d = _refuse(x, num_heads)
    out = torch.zeros(*x.shape[:-2], num_heads, x.shape[-2], d, device=x.device)
    for h in range(num_heads):
        out[..., h, :, :] = x[..., h * d : (h + 1) * d]
    return out


# merge_heads --------------------------------------------------------------------------------------


@misconception(
    of="merge_heads",
    sentence="You merge without transposing back: heads and tokens get mixed up. Swap the axes -3 "
    "and -2 first, then flatten the last two.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def merges_without_transposing_back(x):
    heads, length, d = x.shape[-3:]
    return x.reshape(*x.shape[:-3], length, heads * d)


@misconception(
    of="merge_heads",
    sentence="A transposed tensor has no contiguous memory for view: write reshape or flatten, or "
    "contiguous() before view.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def view_after_transpose(x):
    heads, length, d = x.shape[-3:]
    return x.transpose(-3, -2).view(*x.shape[:-3], length, heads * d)


@misconception(
    of="merge_heads",
    sentence="Your columns take turns between the heads: all d columns of head 0 come first, then "
    "those of head 1.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def merges_head_fastest(x):
    return x.movedim(-3, -1).flatten(-2)


@misconception(
    of="merge_heads",
    sentence="You put the heads back behind the tokens, but their columns are still on two axes: "
    "flatten the last two into one of width H*d.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def flatten_forgotten(x):
    return x.transpose(-3, -2)


@misconception(
    of="merge_heads",
    sentence="You average the heads; merging keeps every number and puts the heads side by side.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def averages_the_heads(x):
    return x.mean(dim=-3)


@misconception(
    of="merge_heads",
    sentence="You put the heads one after another along the tokens' axis: they belong side by side "
    "along the last one.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def heads_one_after_another(x):
    return torch.cat(x.unbind(-3), dim=-2)


@misconception(
    of="merge_heads",
    sentence="Your squeeze also removes axes of size 1 that are no heads: name the axes you merge.",
    caught_by=("test_merge_puts_heads_side_by_side",),
)
def merge_squeezes(x):
    return torch.cat(x.split(1, dim=-3), dim=-1).squeeze()


@misconception(
    of="merge_heads",
    sentence="You merge the axes 1 and 2 from the left, which is right for (B, H, T, d) only: "
    "count from the right.",
    caught_by=("test_merge_any_number_of_axes",),
)
def merges_four_axes_only(x):
    return x.transpose(1, 2).flatten(2)


@misconception(
    of="merge_heads",
    sentence="You read the heads out of memory with as_strided as if x were contiguous, but it may "
    "be a view: transpose and reshape know its strides.",
    caught_by=("test_merge_any_layout",),
)
def merge_strides_by_hand(x):
    (*leading, heads, length, d) = x.shape
    strides = [math.prod(x.shape[i + 1 :]) for i in range(len(leading))]
    whole = x.as_strided((*leading, length, heads, d), (*strides, d, length * d, 1))
    return whole.flatten(-2)


# head_scores --------------------------------------------------------------------------------------


@misconception(
    of="head_scores",
    sentence="You divide by sqrt(d): these are the plain dot products.",
    caught_by=("test_book_example", "test_scores_within_each_head"),
)
def scores_are_scaled(a):
    return _scores(a, a)


@misconception(
    of="head_scores",
    sentence="You have gone on to the softmax: the scores themselves are wanted.",
    caught_by=("test_book_example", "test_scores_within_each_head"),
)
def scores_are_weights(a):
    return (a @ a.mT).softmax(-1)


@misconception(
    of="head_scores",
    sentence="You sum over the tokens instead of the columns: a.mT @ a is (d, d), a @ a.mT is "
    "(T, T).",
    caught_by=("test_book_example", "test_scores_within_each_head"),
)
def columns_with_columns(a):
    return a.mT @ a


@misconception(
    of="head_scores",
    sentence="You multiply a by its neighbour element by element and keep (T, d): a dot product "
    "also sums over d.",
    caught_by=("test_book_example", "test_scores_within_each_head"),
)
def products_without_a_sum(a):
    return a * a


@misconception(
    of="head_scores",
    sentence="Your scores are added up over the heads: the head's letter must stay in einsum's "
    "output.",
    caught_by=("test_book_example", "test_scores_within_each_head"),
)
def scores_summed_over_heads(a):
    return torch.einsum("...hid,...hjd->...ij", a, a)


@misconception(
    of="head_scores",
    sentence="You swap heads and tokens before multiplying: then every token compares its own "
    "heads. Swap the last two axes.",
    caught_by=("test_scores_within_each_head",),
)
def compares_the_heads(a):
    return (a.transpose(-3, -2) @ a.transpose(-3, -2).mT).transpose(-3, -2)


@misconception(
    of="head_scores",
    sentence="You multiply by a with heads and tokens swapped, as a 3-axis keys.transpose(1, 2) "
    "would: with four axes that is not the last pair.",
    caught_by=("test_book_example", "test_scores_within_each_head"),
)
def transposes_axes_one_and_two(a):
    return a @ a.transpose(-3, -2)


@misconception(
    of="head_scores",
    sentence="You number the axes 2 and 3 from the left: without a batch there is no axis 3. Say "
    "-2 and -1, or mT.",
    caught_by=("test_scores_any_number_of_axes",),
)
def scores_of_four_axes_only(a):
    return a @ a.transpose(2, 3)


@misconception(
    of="head_scores",
    sentence="Your scores pass through a fixed dtype: a dot product of float64 is float64.",
    caught_by=("test_keeps_the_dtype",),
)
def scores_in_float32(a):
    return a.float() @ a.float().mT


# head_values --------------------------------------------------------------------------------------


@misconception(
    of="head_values",
    sentence="You transpose the weights: row i holds the weights of query i, and they meet the "
    "values along its keys.",
    caught_by=("test_values_within_each_head",),
)
def weights_transposed(weights, v):
    return weights.mT @ v


@misconception(
    of="head_values",
    sentence="You make the weights sum to one once more: use them as they are.",
    caught_by=("test_values_within_each_head",),
)
def softmax_once_more(weights, v):
    return weights.softmax(-1) @ v


@misconception(
    of="head_values",
    sentence="You divide by the sum of the weights: the weighted sum is wanted, not a mean.",
    caught_by=("test_values_within_each_head",),
)
def divides_by_the_sum(weights, v):
    return weights @ v / weights.sum(-1, keepdim=True)


@misconception(
    of="head_values",
    sentence="All your heads use the weights of head 0: each head has weights of its own.",
    caught_by=("test_values_within_each_head",),
)
def weights_of_the_first_head(weights, v):
    return weights[..., :1, :, :] @ v


@misconception(
    of="head_values",
    sentence="Your result is summed over the heads: they stay apart until they are merged.",
    caught_by=("test_values_within_each_head",),
)
def values_summed_over_heads(weights, v):
    return torch.einsum("...hij,...hjd->...id", weights, v)


@misconception(
    of="head_values",
    sentence="You sum the weights and the values each for themselves: in einsum the keys need the "
    "same letter in both inputs, so that each weight meets its own value.",
    caught_by=("test_values_within_each_head",),
)
def keys_summed_apart(weights, v):
    return torch.einsum("...hij,...hkd->...hid", weights, v)


@misconception(
    of="head_values",
    sentence="Your einsum names exactly four axes: write ... for the leading ones, or use @.",
    caught_by=("test_values_any_number_of_axes",),
)
def values_of_four_axes_only(weights, v):
    return torch.einsum("bhij,bhjd->bhid", weights, v)


# relative_shift -----------------------------------------------------------------------------------


@misconception(
    of="relative_shift",
    sentence="Your distances have the wrong sign: column T - 1 + j - i, not T - 1 + i - j. Keys "
    "ahead of the query are further right.",
    caught_by=("test_relative_shift",),
)
def mirrored(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x[..., i[:, None], i[:, None] - i + len(i) - 1]


@misconception(
    of="relative_shift",
    sentence="You start further right with every row: row i begins at column T - 1 - i, one step "
    "further left each time.",
    caught_by=("test_relative_shift",),
)
def shifts_the_other_way(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x[..., i[:, None], i[:, None] + i]


@misconception(
    of="relative_shift",
    sentence="You are one column off: distance 0 is column T - 1, counted from 0.",
    caught_by=("test_relative_shift",),
)
def one_column_off(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x[..., i[:, None], (i - i[:, None] + len(i)) % x.shape[-1]]


@misconception(
    of="relative_shift",
    sentence="You cut the same columns out of every row: the window moves with the row.",
    caught_by=("test_relative_shift",),
)
def the_same_window_for_all(x):
    return x[..., x.shape[-2] - 1 :]


@misconception(
    of="relative_shift",
    sentence="Your result is transposed: i is the row, the query, and also the row of x.",
    caught_by=("test_relative_shift",),
)
def shift_is_transposed(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x[..., i[:, None], i - i[:, None] + len(i) - 1].mT


@misconception(
    of="relative_shift",
    sentence="Your row index is the key's: query i looks its own row of x up, x[i, ...].",
    caught_by=("test_relative_shift",),
)
def row_of_the_key(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x[..., i, i - i[:, None] + len(i) - 1]


@misconception(
    of="relative_shift",
    sentence="Keys ahead of the query come out as 0: their distances have columns as well, the "
    "last T - 1 ones.",
    caught_by=("test_relative_shift",),
)
def shift_is_causal(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x[..., i[:, None], i - i[:, None] + len(i) - 1].tril()


@misconception(
    of="relative_shift",
    sentence="Your result is built number by number with .item() or from a list: it has left the "
    "graph. Index x with tensors.",
    caught_by=("test_relative_shift",),
)
def shift_is_detached(x):
    i = torch.arange(x.shape[-2], device=x.device)
    return x.detach()[..., i[:, None], i - i[:, None] + len(i) - 1]


@misconception(
    of="relative_shift",
    sentence="Your gather needs an index with as many axes as x: expand it to x's leading axes, or "
    "index with x[..., i, j].",
    caught_by=("test_relative_shift_any_number_of_axes",),
)
def gathers_three_axes_only(x):
    i = torch.arange(x.shape[-2], device=x.device)
    index = (i - i[:, None] + len(i) - 1).expand(x.shape[0], -1, -1)
    return x.gather(-1, index)


@misconception(
    of="relative_shift",
    sentence="Your as_strided slides over memory as if the rows of x lay one behind the other: an "
    "input may have other strides. Call contiguous() first, or index.",
    caught_by=("test_relative_shift_any_layout",),
)
def shift_strides_by_hand(x):
    (*leading, length, width) = x.shape
    strides = [math.prod(x.shape[i + 1 :]) for i in range(len(leading))]
    shape = (*leading, length, length)
    return x.as_strided(shape, (*strides, width - 1, 1), x.storage_offset() + length - 1)


@misconception(
    of="relative_shift",
    sentence="You write the answer into a tensor that torch.zeros made with its own dtype: make it "
    "with x.new_zeros.",
    caught_by=("test_keeps_the_dtype",),
)
def shift_into_float32(x):
    length = x.shape[-2]
    out = torch.zeros(*x.shape[:-1], length, device=x.device)
    for i in range(length):
        out[..., i, :] = x[..., i, length - 1 - i : 2 * length - 1 - i]
    return out


@misconception(
    of="relative_shift",
    sentence="You write the answer into a tensor on the CPU: make it on the device of x.",
    caught_by=("test_works_where_its_inputs_are",),
)
def shift_on_the_cpu(x):
    length = x.shape[-2]
    out = torch.zeros(*x.shape[:-1], length, dtype=x.dtype)
    for i in range(length):
        out[..., i, :] = x[..., i, length - 1 - i : 2 * length - 1 - i]
    return out


@misconception(
    of="relative_shift",
    sentence="You roll the rows of the caller's own x: work on a copy.",
    caught_by=("test_keeps_the_dtype",),
)
def rolls_in_place(x):
    length = x.shape[-2]
    for i in range(length):
        x[..., i, :] = x[..., i, :].roll(i, dims=-1)
    return x[..., length - 1 :]


# block_diag_attention -----------------------------------------------------------------------------


@misconception(
    of="block_diag_attention",
    sentence="Your output equals attention without blocks: every position sees all others.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def no_blocks(q, k, v, block):
    return _scores(q, k).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You set the scores outside the block to 0, and e^0 is 1: they still get weight. "
    "Nothing outside may take part in the softmax.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def zero_is_not_forbidden(q, k, v, block):
    return (_scores(q, k) * _inside(q, block)).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You take weights away after the softmax, so the rows no longer sum to one: run the "
    "softmax over the block alone.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def cuts_after_softmax(q, k, v, block):
    return (_scores(q, k).softmax(-1) * _inside(q, block)) @ v


@misconception(
    of="block_diag_attention",
    sentence="You run the softmax over everything, cut and divide by what is left: where a "
    "position outside dominates, nothing is left. Cut before the softmax.",
    caught_by=("test_other_blocks_that_dominate",),
)
def cuts_and_renormalises(q, k, v, block):
    weights = _scores(q, k).softmax(-1) * _inside(q, block)
    return weights / weights.sum(-1, keepdim=True) @ v


@misconception(
    of="block_diag_attention",
    sentence="You subtract a fixed number from the scores outside the block, which a large score "
    "outweighs: replace them by -inf, or never compute them.",
    caught_by=("test_other_blocks_that_dominate",),
)
def subtracts_fifty(q, k, v, block):
    return (_scores(q, k) - 50.0 * ~_inside(q, block)).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You take the exponentials of the scores as they are: from 89 on they overflow. "
    "softmax subtracts the maximum first.",
    caught_by=("test_other_blocks_that_dominate",),
)
def exponentials_overflow(q, k, v, block):
    q, k, v = (x.unflatten(-2, (-1, block)) for x in (q, k, v))
    e = _scores(q, k).exp()
    return (e / e.sum(-1, keepdim=True) @ v).flatten(-3, -2)


@misconception(
    of="block_diag_attention",
    sentence="You let a position see everything less than `block` steps away: blocks have fixed "
    "borders, i // block == j // block.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def sliding_window(q, k, v, block):
    i = torch.arange(q.shape[-2], device=q.device)
    near = (i[:, None] - i).abs() < block
    return _scores(q, k).masked_fill(~near, -torch.inf).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You put every `block`-th position together: a block is a run of neighbours, so "
    "compare i // block, not i % block.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def every_so_many_positions(q, k, v, block):
    i = torch.arange(q.shape[-2], device=q.device) % block
    return _scores(q, k).masked_fill(i[:, None] != i, -torch.inf).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You make `block` blocks: it is the size of a block, and there are T / block of them.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def number_of_blocks(q, k, v, block):
    q, k, v = (x.unflatten(-2, (block, -1)) for x in (q, k, v))
    return (_scores(q, k).softmax(-1) @ v).flatten(-3, -2)


@misconception(
    of="block_diag_attention",
    sentence="Within a block your positions do not see what comes after them: this attention is "
    "not causal.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def blocks_are_causal(q, k, v, block):
    allowed = _inside(q, block).tril()
    return _scores(q, k).masked_fill(~allowed, -torch.inf).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="A position sees the blocks before its own too: it attends to its own block only.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def earlier_blocks_too(q, k, v, block):
    part = torch.arange(q.shape[-2], device=q.device) // block
    allowed = part[:, None] >= part
    return _scores(q, k).masked_fill(~allowed, -torch.inf).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="Your scores are not divided by sqrt(d).",
    caught_by=("test_attention_stays_inside_blocks",),
)
def blocks_without_scale(q, k, v, block):
    scores = (q @ k.mT).masked_fill(~_inside(q, block), -torch.inf)
    return scores.softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You divide by the square root of the block's size: d is the width of q and k.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def scaled_by_the_block(q, k, v, block):
    scores = (q @ k.mT / math.sqrt(block)).masked_fill(~_inside(q, block), -torch.inf)
    return scores.softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You divide by the square root of v's width: d is the width of q and k.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def scaled_by_the_values(q, k, v, block):
    scores = (q @ k.mT / math.sqrt(v.shape[-1])).masked_fill(~_inside(q, block), -torch.inf)
    return scores.softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="Your softmax runs over the queries: each query shares its weight among keys, the "
    "last axis.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def softmax_over_queries(q, k, v, block):
    scores = _scores(q, k).masked_fill(~_inside(q, block), -torch.inf)
    return scores.softmax(-2) @ v


@misconception(
    of="block_diag_attention",
    sentence="You average the keys: the weights come from q and k, what they average is v.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def averages_the_keys(q, k, v, block):
    scores = _scores(q, k).masked_fill(~_inside(q, block), -torch.inf)
    return scores.softmax(-1) @ k


@misconception(
    of="block_diag_attention",
    sentence="Only your first block is computed block by block: the loop returns too early, or "
    "writes to the same place.",
    caught_by=("test_attention_stays_inside_blocks",),
)
def first_block_for_all(q, k, v, block):
    own = _scores(q[..., :block, :], k[..., :block, :]).softmax(-1) @ v[..., :block, :]
    return torch.cat([own] * (q.shape[-2] // block), dim=-2)


@misconception(
    of="block_diag_attention",
    sentence="You read the sizes B, T and d off a tensor of three axes: leave the leading ones "
    "alone and cut the axis -2.",
    caught_by=("test_blocks_any_number_of_axes",),
)
def blocks_of_three_axes_only(q, k, v, block):
    batch, length, _ = q.shape
    q, k, v = (x.reshape(batch, length // block, block, -1) for x in (q, k, v))
    return (_scores(q, k).softmax(-1) @ v).reshape(batch, length, -1)


@misconception(
    of="block_diag_attention",
    sentence="You fold batch and blocks into one axis with view, which a transposed q does not "
    "allow: use reshape or unflatten.",
    caught_by=("test_blocks_any_layout",),
)
def blocks_with_view(q, k, v, block):
    shape = v.shape
    q, k, v = (x.view(-1, block, x.shape[-1]) for x in (q, k, v))
    return (_scores(q, k).softmax(-1) @ v).view(shape)


@misconception(
    of="block_diag_attention",
    sentence="Your mask of blocks is made on the CPU whatever device q is on: give arange or ones "
    "device=q.device.",
    caught_by=("test_works_where_its_inputs_are",),
)
def blocks_on_the_cpu(q, k, v, block):
    part = torch.arange(q.shape[-2]) // block
    allowed = part[:, None] == part
    return _scores(q, k).masked_fill(~allowed, -torch.inf).softmax(-1) @ v


@misconception(
    of="block_diag_attention",
    sentence="You scale the caller's q in place: q / sqrt(d) makes a new tensor, q /= sqrt(d) "
    "does not.",
    caught_by=("test_keeps_the_dtype",),
)
def scales_in_place(q, k, v, block):
    with torch.no_grad():
        q /= math.sqrt(q.shape[-1])
    q, k, v = (x.unflatten(-2, (-1, block)) for x in (q, k, v))
    return ((q @ k.mT).softmax(-1) @ v).flatten(-3, -2)
