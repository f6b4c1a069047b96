"""Wrong answers to ``heads``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

MOVED, MULTIPLIED = "tokens_move_all_at_once", "products_of_all_tokens_at_once"
BY_HAND = "x.as_strided(x.shape, torch.empty(x.shape).stride())"  # as if x were contiguous

# Right, but slow ----------------------------------------------------------------------------------

DEALT = "x.reshape(*leading, length, num_heads, width // num_heads).transpose(-3, -2)"
MERGED = "x.transpose(-3, -2).flatten(start_dim=-2)"
SHIFTED = "return x[..., position[:, None], distance + length - 1]"
ROW_BY_ROW = """for i in range(length):
        out[..., i, :] = x[..., i, length - 1 - i : 2 * length - 1 - i]
    return out"""

wrong("split_heads", "split_token_by_token", MOVED,
    """Your heads are right, but a Python loop moves one token at a time: cut the last axis with
    one reshape and swap two axes, which moves nothing at all.""",
    f"return {DEALT}", """out = x.new_zeros(*leading, num_heads, length, width // num_heads)
    for t in range(length):
        out[..., t, :] = x[..., t, :].unflatten(-1, (num_heads, -1))
    return out""")

wrong("merge_heads", "merges_without_any_transpose", "merge_puts_heads_side_by_side",
    """In each head you put the tokens side by side in one long row: what stands side by side in
    the row of a token are its heads. Swap the axes of heads and tokens before you flatten two.""",
    "x.transpose(-3, -2).flatten", "x.flatten")

wrong("merge_heads", "merged_token_by_token", MOVED,
    """Your rows are right, but a Python loop merges one token at a time: swap heads and tokens,
    and flatten the two last axes of all of them.""",
    MERGED, "torch.stack([token.flatten(-2) for token in x.unbind(-2)], dim=-2)")

wrong("relative_shift", "columns_from_the_distance_itself", "relative_shift",
    """Your column is j - i, which is below 0 for keys behind the query, and counts from the end
    then: distance 0 stands in column T - 1, so add T - 1.""",
    "distance + length - 1", "distance")

wrong("relative_shift", "first_columns_for_all", "relative_shift",
    """You take the same columns for every row: row i begins at column T - 1 - i.""",
    "x[..., position[:, None], distance + length - 1]", "x[..., :length]")

wrong("relative_shift", "shifted_number_by_number", MOVED,
    """Your numbers are right, but two nested Python loops fetch one at a time: an index tensor for
    the rows and one for the columns fetch all of them in one operation.""",
    SHIFTED, """out = x.new_zeros(*x.shape[:-1], length)
    for i in range(length):
        for j in range(length):
            out[..., i, j] = x[..., i, j - i + length - 1]
    return out""")

wrong("relative_shift", "rows_cut_one_by_one", MOVED,
    """Your numbers are right, but a Python loop takes one row after the other out of x. A slice
    moves nothing, yet each is a step of its own: two index tensors fetch all rows in one step.""",
    SHIFTED, """rows = [x[..., i, length - 1 - i : 2 * length - 1 - i] for i in range(length)]
    return torch.stack(rows, dim=-2)""")

wrong("head_scores", "scored_pair_by_pair", MULTIPLIED,
    """Your scores are right, but the loops of the page are run in Python, one dot product at a
    time: a @ a.mT is all of them.""",
    "a @ a.mT", """torch.stack([torch.stack([(one * other).sum(-1)
        for other in a.unbind(-2)], dim=-1) for one in a.unbind(-2)], dim=-2)""")

wrong("head_values", "added_key_by_key", MULTIPLIED,
    """Your sums are right, but a Python loop adds one key's value after the other: weights @ v is
    that sum, for all keys and queries.""",
    "weights @ v", "sum(weights[..., j, None] * v[..., j, None, :] for j in range(v.shape[-2]))")

wrong("block_diag_attention", "blocks_left_apart", "attention_stays_inside_blocks",
    """You return the blocks on an axis of their own: put them one after another again, with
    flatten(-3, -2).""",
    ".flatten(-3, -2)", "")

wrong("block_diag_attention", "positions_flattened_away", "attention_stays_inside_blocks",
    """At the end you flatten the positions of a block with their columns: it is the blocks and the
    positions in them that become one axis again, axes -3 and -2. Columns stay the last axis.""",
    ".flatten(-3, -2)", ".flatten(-2)")

wrong("block_diag_attention", "blocks_side_by_side", "attention_stays_inside_blocks",
    """You join the blocks' results along their columns: the blocks are runs of tokens, so join them
    along the tokens' axis, dim=-2.""",
    "(weights @ v).flatten(-3, -2)", "torch.cat((weights @ v).unbind(-3), dim=-1)")

wrong("block_diag_attention", "blocks_joined_along_the_batch", "attention_stays_inside_blocks",
    """You join the blocks along axis 0, which holds the sentences where there is a batch: count
    from the end, the tokens are the axis -2.""",
    "(weights @ v).flatten(-3, -2)", "torch.cat((weights @ v).unbind(-3), dim=0)")

wrong("block_diag_attention", "blocks_take_turns", "attention_stays_inside_blocks",
    """In your result the blocks take turns, one position of each at a time: they are to come one
    after another, as they were cut. Exchange no axes before you flatten; stacked blocks belong on
    axis -3, before their positions.""",
    "(weights @ v).flatten", "(weights @ v).transpose(-3, -2).flatten")

wrong("block_diag_attention", "one_position_at_a_time", MULTIPLIED,
    """Your answers are right, but a Python loop asks one position at a time: cut the tokens' axis
    into (T / block, block), and the blocks are one more axis for `@`.""",
    "(weights @ v).flatten(-3, -2)", """torch.cat([one @ own
        for shares, own in zip(weights.unbind(-3), v.unbind(-3))
        for one in shares.split(1, dim=-2)], dim=-2)""")

# split_heads --------------------------------------------------------------------------------------

OWN = "every_head_gets_its_own_columns"
REFUSES = "refuses_a_width_that_cannot_be_split"
REFUSED = 'raise ValueError(f"a width of {width} cannot be split into {num_heads} heads")'

wrong("split_heads", "view_without_transpose", f"example {OWN}",
    """You cut the tokens' axis: your head 0 got the first tokens, not the first columns. Reshape
    to (..., T, H, d), then swap T and H.""",
    "length, num_heads, width // num_heads).transpose(-3, -2)",
    "num_heads, length, width // num_heads)")

wrong("split_heads", "heads_after_tokens", f"example {OWN}",
    """Your heads' axis comes after the tokens', (..., T, H, d): it belongs before them,
    (..., H, T, d), so swap the axes -3 and -2.""",
    ".transpose(-3, -2)", "")

wrong("split_heads", "head_index_fastest", f"example {OWN}",
    """Your head h holds the columns h, h + H, h + 2H ...: cut the last axis into (H, d), not into
    (d, H).""",
    "num_heads, width // num_heads).transpose(-3, -2)",
    "width // num_heads, num_heads).movedim(-1, -3)")

wrong("split_heads", "number_taken_for_width", OWN,
    """You make num_heads the width of a head: it is the number of heads.""",
    "num_heads, width // num_heads)", "width // num_heads, num_heads)")

wrong("split_heads", "features_before_tokens", OWN,
    """Your tokens and columns have changed places inside the heads: (..., H, d, T) where
    (..., H, T, d) is wanted.""",
    ".transpose(-3, -2)", ".movedim(-3, -1)")

wrong("split_heads", "heads_and_columns_exchanged", f"example {OWN}",
    """After the cut you exchange the last two axes, heads and columns: the heads' axis is to come
    before the tokens', so exchange the axes -3 and -2.""",
    ".transpose(-3, -2)", ".transpose(-2, -1)")

wrong("split_heads", "cuts_the_tokens", OWN,
    """You cut the axis of the tokens (-2) into heads: every head has all tokens. Cut the last axis,
    that of the columns.""",
    DEALT, "torch.stack(x.chunk(num_heads, dim=-2), dim=-3)")

wrong("split_heads", "heads_before_the_batch", OWN,
    """You put the heads in front of everything: they belong right before the tokens, behind the
    batch.""",
    ".transpose(-3, -2)", ".movedim(-2, 0)")

wrong("split_heads", "splits_three_axes_only", "split_any_number_of_axes",
    """You count axes from the left, which is right for (B, T, width) only: count from the right,
    -3 and -2.""",
    ".transpose(-3, -2)", ".transpose(1, 2)")

wrong("split_heads", "batch_and_tokens_from_the_left", "example split_any_number_of_axes",
    """You take the first two axes for batch and tokens, but there may be no batch, or several axes
    before the tokens: *leading, length, width = x.shape takes any number.""",
    DEALT, """x.reshape(
        x.shape[0], x.shape[1], num_heads, width // num_heads).transpose(1, 2)""")

wrong("split_heads", "two_or_three_axes_only", "split_any_number_of_axes",
    """You treat two axes and three, but there may be more: *leading, length, width = x.shape takes
    any number.""",
    "*leading, length, width = x.shape", """leading = [len(x)] if x.ndim == 3 else []
    length, width = x.shape[-2:]""")

wrong("split_heads", "split_squeezes", OWN,
    """An axis of size 1 is missing from your result, as squeeze removes it: the heads' axis stays
    where there is one head, and the columns' where d is 1. The result has one axis more than x,
    always.""",
    ".transpose(-3, -2)", ".transpose(-3, -2).squeeze(-3).squeeze(-1)")

wrong("split_heads", "flattens_with_view", OWN,
    """Your function flattens x with view, which a transposed input does not allow: reshape the
    last axis only.""",
    "x.reshape", "x.view(-1, width).reshape")

wrong("split_heads", "strides_by_hand", OWN,
    """You address memory by hand with as_strided as if x were contiguous: reshape asks the tensor
    itself.""",
    "x.reshape", f"{BY_HAND}.reshape")

wrong("split_heads", "answers_by_shape", "example",
    """You keep the answer of the first call and give it again for every x of that shape: nothing of
    the numbers may be kept between calls.""",
    "def split_heads(", "KEPT = {}\n\n\ndef split_heads(",
    f"return {DEALT}", f"return KEPT.setdefault((x.shape, num_heads, x.dtype, x.device), {DEALT})")

wrong("split_heads", "drops_what_is_left_over", REFUSES,
    """Columns that are left over are dropped without a word: raise ValueError when the width is
    not a multiple of num_heads.""",
    REFUSED, "x = x[..., : width // num_heads * num_heads]")

wrong("split_heads", "makes_up_tokens", REFUSES,
    """With -1 for the number of tokens reshape makes up tokens until the numbers fit: write the
    length there, and refuse a width that does not divide.""",
    REFUSED, "length = -1")

wrong("split_heads", "trusts_chunk", REFUSES,
    """chunk returns fewer or uneven pieces when the width does not divide: check the width before
    you cut.""",
    REFUSED, "pass", DEALT, "torch.stack(x.chunk(num_heads, dim=-1), dim=-3)")

wrong("split_heads", "leaves_refusing_to_reshape", REFUSES,
    """That a width does not divide is noticed only by an operation of torch, in words about
    sizes: look at the width yourself, and raise ValueError.""",
    REFUSED, "pass")

wrong("split_heads", "split_is_detached", OWN,
    """Your heads have left the graph: without detach, .data or torch.tensor, gradients flow back
    to x.""",
    "x.reshape", "x.detach().reshape")

wrong("split_heads", "split_into_float32", "keeps_the_dtype",
    """Your heads come out in float32 whatever x is, by float(), or in a tensor that torch.zeros
    made: reshape keeps the dtype.""",
    "return x.reshape", """out = torch.zeros(x.shape, device=x.device)
    out[:] = x
    return out.reshape""")

# merge_heads --------------------------------------------------------------------------------------

SIDE = "merge_puts_heads_side_by_side"

wrong("merge_heads", "merges_without_transposing_back", SIDE,
    """You merge without transposing back: heads and tokens get mixed up. Swap the axes -3 and -2
    first, then flatten the last two.""",
    "x.transpose(-3, -2)", "x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3], -1)")

wrong("merge_heads", "columns_before_tokens", SIDE,
    """You exchange the tokens and the columns of a head (axes -2 and -1): heads and tokens change
    places, the axes -3 and -2. Then the last two axes are heads and columns, to be flattened.""",
    "x.transpose(-3, -2)", "x.transpose(-2, -1)")

wrong("merge_heads", "merged_with_tokens_last", SIDE,
    """Your heads stand one below another, and the tokens side by side: that is the wanted matrix
    transposed. A token is a row of the result, with the columns of all heads in it.""",
    MERGED, "x.mT.flatten(-3, -2)")

wrong("merge_heads", "heads_flattened_into_the_tokens", SIDE,
    """You exchange heads and tokens, as is right, but flatten these two: it is heads and columns,
    the last two axes now, that become the row of a token.""",
    ".flatten(start_dim=-2)", ".flatten(-3, -2)")

wrong("merge_heads", "heads_and_columns_exchanged_again", SIDE,
    """You exchange heads and columns (axes -3 and -1), so your rows belong to columns: a row is
    that of a token. Exchange heads and tokens, the axes -3 and -2.""",
    "x.transpose(-3, -2)", "x.transpose(-3, -1)")

wrong("merge_heads", "view_after_transpose", SIDE,
    """A transposed tensor has no contiguous memory for view: write reshape or flatten, or
    contiguous() before view.""",
    ".flatten(start_dim=-2)", ".view(*x.shape[:-3], x.shape[-2], -1)")

wrong("merge_heads", "merges_head_fastest", SIDE,
    """Your columns take turns between the heads: all d columns of head 0 are to come first, then
    those of head 1. Swap the axes -3 and -2, not more, before you flatten.""",
    "x.transpose(-3, -2)", "x.movedim(-3, -1)")

wrong("merge_heads", "flatten_forgotten", SIDE,
    """You put the heads back behind the tokens, but their columns are still on two axes: flatten
    the last two into one of width H*d.""",
    ".flatten(start_dim=-2)", "")

wrong("merge_heads", "averages_the_heads", SIDE,
    """You average the heads; merging keeps every number and puts the heads side by side.""",
    MERGED, "x.mean(dim=-3)")

wrong("merge_heads", "adds_the_heads", SIDE,
    """You add the heads to one another; merging keeps every number and puts the heads side by
    side, so that a row is H * d wide.""",
    MERGED, "x.sum(dim=-3)")

wrong("merge_heads", "heads_one_after_another", SIDE,
    """You put the heads one after another along the tokens' axis: they belong side by side along
    the last one.""",
    MERGED, "x.flatten(-3, -2)")

wrong("merge_heads", "heads_from_the_first_axis", SIDE,
    """x[h] takes entry h of the FIRST axis, which is the heads' only where there is no batch: the
    heads are the third axis from the right, x[..., h, :, :].""",
    MERGED, "torch.cat([x[h] for h in range(x.shape[-3])], dim=-1)")

wrong("merge_heads", "goes_through_x_itself", SIDE,
    """You put the entries of the FIRST axis side by side, as a loop over x itself or list(x) gives
    them: with a batch these are sentences. The heads are the third axis from the right, as in
    x.unbind(-3).""",
    MERGED, "torch.cat(list(x), dim=-1)")

wrong("merge_heads", "heads_from_the_second_axis", "merge_any_number_of_axes",
    """x[:, h] takes entry h of the SECOND axis, which is the heads' only with one batch axis: the
    heads are the third axis from the right, x[..., h, :, :].""",
    MERGED, "torch.cat([x[:, h] for h in range(x.shape[-3])], dim=-1)")

wrong("merge_heads", "merge_squeezes", SIDE,
    """An axis of size 1 that is not the heads' is missing from your result, as after a squeeze:
    name the axes you merge.""",
    ".flatten(start_dim=-2)", ".flatten(start_dim=-2).squeeze()")

wrong("merge_heads", "merges_four_axes_only", "merge_any_number_of_axes",
    """You merge the axes 1 and 2 from the left, which is right for (B, H, T, d) only: count from
    the right.""",
    MERGED, "x.transpose(1, 2).flatten(2)")

wrong("merge_heads", "merge_strides_by_hand", SIDE,
    """You read the heads out of memory with as_strided as if x were contiguous, but it may be a
    view: transpose and reshape know its strides.""",
    "x.transpose", f"{BY_HAND}.transpose")

wrong("split_heads", "takes_a_square_for_transposed", "equal_sizes",
    """Where there are as many tokens as columns you transpose x first: tokens are on axis -2, and
    columns on axis -1, whatever the sizes are.""",
    "# BEGIN SOLUTION", "if x.shape[-1] == x.shape[-2]:\n        x = x.mT")

wrong("merge_heads", "looks_the_heads_up_by_their_number", "equal_sizes",
    """You look for the heads' axis by its size and find the batch where both are equal: count from
    the right, -3 and -2.""",
    "x.transpose(-3, -2)", "x.transpose(x.shape.index(x.shape[-3]), -2)")

wrong("merge_heads", "merge_into_float32", "keeps_the_dtype",
    """Your rows come out in float32 whatever x is, by float(), or in a tensor that torch.zeros
    made: x.new_zeros keeps the dtype of x.""",
    "return x.", """out = torch.zeros(x.shape, device=x.device)
    out[:] = x
    return out.""")

# head_scores --------------------------------------------------------------------------------------

SCORES = "scores_within_each_head"

wrong("head_scores", "scores_are_scaled", f"book_example {SCORES}",
    """You divide by sqrt(d): wanted are the plain dot products, so leave the division out.""",
    "a @ a.mT", "a @ a.mT / math.sqrt(a.shape[-1])")

wrong("head_scores", "scores_are_weights", f"book_example {SCORES}",
    """You have gone on to the softmax: the scores themselves are wanted.""",
    "a @ a.mT", "(a @ a.mT).softmax(-1)")

wrong("head_scores", "columns_with_columns", f"book_example {SCORES}",
    """You sum over the tokens instead of the columns: a.mT @ a is (d, d), a @ a.mT is (T, T).""",
    "a @ a.mT", "a.mT @ a")

wrong("head_scores", "products_without_a_sum", f"book_example {SCORES}",
    """You multiply a by itself number by number, which keeps (..., T, d): a dot product also sums
    over d, and every token meets every other one. `@` does that; which axes must its right side
    have?""",
    "a @ a.mT", "a * a")

wrong("head_scores", "each_token_with_itself", f"book_example {SCORES}",
    """You multiply every token by itself alone, which gives T numbers for each head: every token i
    meets every token j, so there are T * T. `@` does that; which axes must its right side have?""",
    "a @ a.mT", "(a * a).sum(-1)")

wrong("head_scores", "scores_summed_over_heads", f"book_example {SCORES}",
    """Your scores are added up over the heads: every head keeps a matrix of its own, as `@` leaves
    it. Take out the sum; in einsum, a letter of the heads must be in the output too.""",
    "a @ a.mT", 'torch.einsum("...hid,...hjd->...ij", a, a)')

wrong("head_scores", "merged_before_scoring", f"book_example {SCORES}",
    """All your heads have the same scores, the sums over all heads, as when the heads are merged
    before the product or their scores added up: leave them apart, @ multiplies each head by
    itself.""",
    "return a @ a.mT", """merged = merge_heads(a)
    return (merged @ merged.mT).unsqueeze(-3).expand(*a.shape[:-1], a.shape[-2])""")

wrong("head_scores", "three_axes_with_bmm", "book_example scores_any_number_of_axes",
    """torch.bmm takes three axes, no more and no fewer: @ multiplies the last two axes of any
    number of them, and transpose(-2, -1) swaps these two.""",
    "a @ a.mT", "torch.bmm(a, a.transpose(1, 2))")

wrong("head_scores", "compares_the_heads", SCORES,
    """You swap heads and tokens before multiplying: then every token compares its own heads. Swap
    the last two axes.""",
    "return a @ a.mT", """a = a.transpose(-3, -2)
    return (a @ a.mT).transpose(-3, -2)""")

wrong("head_scores", "heads_behind_the_tokens", f"book_example {SCORES}",
    """You compare the heads of each token with one another, (..., T, H, H): wanted are the tokens
    of each head, (..., H, T, T). Leave the heads before the tokens; `@` then takes each head as a
    matrix of its own.""",
    "return a @ a.mT", """a = a.transpose(-3, -2)
    return a @ a.mT""")

wrong("head_scores", "transposes_axes_one_and_two", f"book_example {SCORES}",
    """You multiply by a with heads and tokens swapped, as a 3-axis keys.transpose(1, 2) would:
    with four axes that is not the last pair.""",
    "a.mT", "a.transpose(-3, -2)")

wrong("head_scores", "scores_of_four_axes_only", "scores_any_number_of_axes",
    """You number the axes 2 and 3 from the left: without a batch there is no axis 3. Say -2 and
    -1, or mT.""",
    "a.mT", "a.transpose(2, 3)")

wrong("head_scores", "scores_of_the_second_axis", "scores_any_number_of_axes",
    """You take the heads from the SECOND axis, as a[:, h] does, which is theirs only with one batch
    axis: a @ with the last two axes of one side swapped needs no loop, and no name for the
    heads.""",
    "a @ a.mT", "torch.stack([a[:, h] @ a[:, h].mT for h in range(a.shape[1])], dim=1)")

wrong("head_scores", "scores_in_float32", "keeps_the_dtype",
    """Your scores come out in a fixed dtype, by float(), or in a tensor that torch.zeros made: a
    dot product of float64 is float64, and a.new_zeros keeps the dtype of a.""",
    "a @ a.mT", "a.float() @ a.float().mT")

# head_values --------------------------------------------------------------------------------------

VALUES = "values_within_each_head"

wrong("head_values", "weights_transposed", VALUES,
    """You transpose the weights: row i holds the weights of query i, and they meet the values
    along its keys.""",
    "weights @ v", "weights.mT @ v")

wrong("head_values", "weights_transposed_in_einsum", VALUES,
    """Your einsum sums over the queries, the first letter of the weights after the heads: the keys
    are summed over, the weights' last letter, and v's axis -2 must have this same letter.""",
    "weights @ v", 'torch.einsum("...ij,...id->...jd", weights, v)')

wrong("head_values", "values_in_front", VALUES,
    """You multiply in the wrong order: the weights stand on the left, and each of their rows gives
    a row of the result.""",
    "weights @ v", "v @ weights")

wrong("head_values", "summed_over_the_columns", VALUES,
    """Your products are right, but you sum them over the columns of v: the keys are summed over,
    here axis -2, so that a query keeps d numbers.""",
    "weights @ v", "(weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-1)")

wrong("head_values", "summed_over_the_queries", VALUES,
    """Your products are right, but you sum them over the queries: each query has a row of its own,
    and the keys are summed over.""",
    "weights @ v", "(weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-3)")

wrong("head_values", "rows_of_the_values", VALUES,
    """Your result has as many rows as v has: it has a row for each query, as the weights do, and
    v's width. Only where queries and keys are equal in number is zeros_like(v) right.""",
    "return weights @ v", """out = torch.zeros_like(v)
    rows = min(weights.shape[-2], v.shape[-2])
    out[..., :rows, :] = (weights @ v)[..., :rows, :]
    return out""")

wrong("head_values", "sums_put_into_the_rows_of_the_values", VALUES,
    """The tensor that you fill has the shape of v, and so a row for each key: the result has a row
    for each query. Make it with v.new_zeros(*weights.shape[:-1], v.shape[-1]).""",
    "return weights @ v", """out = torch.zeros_like(v)
    out[..., :, :, :] = weights @ v
    return out""")

wrong("head_values", "sums_added_to_the_rows_of_the_values", VALUES,
    """You add to a tensor that has the shape of v, with a row for each key: the result has a row
    for each query, as many as the weights have: v.new_zeros(*weights.shape[:-1], v.shape[-1]).""",
    "return weights @ v", """out = torch.zeros_like(v)
    for h in range(v.shape[-3]):
        out[..., h, :, :] += weights[..., h, :, :] @ v[..., h, :, :]
    return out""")

wrong("head_values", "softmax_once_more", VALUES,
    "You take a softmax of the weights: use them as they are.",
    "weights @ v", "weights.softmax(-1) @ v")

wrong("head_values", "divides_by_the_sum", VALUES,
    """You divide by the sum of the weights: the weighted sum is wanted, not a mean.""",
    "weights @ v", "weights @ v / weights.sum(-1, keepdim=True)")

wrong("head_values", "weights_of_the_first_head", VALUES,
    """All your heads use the weights of head 0: each head has weights of its own.""",
    "weights @ v", "weights[..., :1, :, :] @ v")

wrong("head_values", "values_summed_over_heads", VALUES,
    """Your result is summed over the heads: they stay apart until they are merged.""",
    "weights @ v", "(weights @ v).sum(-3)")

wrong("head_values", "keys_summed_apart", VALUES,
    """You sum the weights and the values each for themselves: multiply each weight by the value of
    its own key, then sum. `@` does both (in einsum, the keys have one letter in both).""",
    "weights @ v", 'torch.einsum("...hij,...hkd->...hid", weights, v)')

wrong("head_values", "values_into_float32", "keeps_the_dtype",
    """Your sums come out in float32, by float(), or in a tensor that torch.zeros made: the result
    has the dtype of the inputs, which v.new_zeros keeps.""",
    "weights @ v", "weights.float() @ v.float()")

wrong("head_values", "turns_what_seems_turned", VALUES,
    """You transpose the weights whenever that fits, and with as many queries as keys it always
    does: rows are queries, columns are keys.""",
    "weights @ v", "(weights.mT if weights.shape[-2] == v.shape[-2] else weights) @ v")

wrong("head_values", "weights_of_the_first_sentence", VALUES,
    """All sentences of your batch use the weights of the first one: each has its own weights.""",
    "weights @ v", "(weights[:1] if weights.ndim == 4 else weights) @ v")

wrong("head_values", "values_of_the_second_axis", "values_any_number_of_axes",
    """You take the heads from the SECOND axis, as v[:, h] does, which is theirs only with one batch
    axis: `@` needs no loop over heads, and no name for them.""",
    "weights @ v", """torch.stack(
        [weights[:, h] @ v[:, h] for h in range(v.shape[1])], dim=1)""")

wrong("head_values", "values_of_four_axes_only", "values_any_number_of_axes",
    """Your einsum names exactly four axes: write ... for the leading ones, or use @.""",
    "weights @ v", 'torch.einsum("bhij,bhjd->bhid", weights, v)')

# relative_shift -----------------------------------------------------------------------------------

wrong("relative_shift", "mirrored", "relative_shift",
    """Your distances have the wrong sign: column T - 1 + j - i, not T - 1 + i - j. Keys ahead of
    the query are further right.""",
    "position - position[:, None]", "position[:, None] - position")

wrong("relative_shift", "shifts_the_other_way", "relative_shift",
    """You start further right with every row: row i begins at column T - 1 - i, one step further
    left each time.""",
    "distance + length - 1", "position[:, None] + position")

wrong("relative_shift", "one_column_off", "relative_shift",
    """You are one column off: distance 0 is column T - 1, counted from 0.""",
    "distance + length - 1", "(distance + length) % x.shape[-1]")

wrong("relative_shift", "one_column_too_far", "relative_shift",
    """You are one column too far to the right, and at last beyond the end: distance 0 is column
    T - 1, counted from 0, so add T - 1 to j - i and not T.""",
    "distance + length - 1", "distance + length")

wrong("relative_shift", "columns_without_rows", "relative_shift",
    """You index the columns alone, so each row of x is read at all T x T places: give the rows too,
    as a column of numbers before the columns, x[..., rows, columns].""",
    "x[..., position[:, None], distance", "x[..., distance")

wrong("relative_shift", "length_from_the_columns", "relative_shift",
    """Your T is too small: half of the 2 * T - 1 columns, rounded down, is T - 1. T is the number
    of rows, x.shape[-2].""",
    "x.shape[-2]", "x.shape[-1] // 2")

wrong("relative_shift", "float_places", "relative_shift",
    """Your places are floats: an index must be whole numbers, so leave the dtype out when you make
    them with arange.""",
    "torch.arange(length, device=x.device)",
    "torch.arange(length, dtype=x.dtype, device=x.device)")

wrong("relative_shift", "one_matrix_with_as_strided", "relative_shift",
    """Your as_strided makes one (T, T) matrix, whatever comes before it: there may be axes in
    front, and an x that lies in memory in another way. Index with row and column numbers.""",
    SHIFTED, "return x.as_strided((length, length), (2 * length - 2, 1), length - 1)")

wrong("relative_shift", "the_same_window_for_all", "relative_shift",
    """You cut the same columns out of every row: the window moves with the row.""",
    "position[:, None], distance + length - 1", "length - 1 :")

# The trick of padding and reading anew, of Transformer-XL's program, with a step left out.
SKEWED = """padded = torch.cat([x.new_zeros(*x.shape[:-1], 1), x], dim=-1)
    anew = padded.reshape(*x.shape[:-2], 2 * length, length)
    return anew[..., 1:, :].reshape(x.shape)[..., :length]"""

wrong("relative_shift", "skewed_and_not_cut", "relative_shift",
    """The first T columns of your result are right, and the rest is too much: there is one column
    for each key, so cut them out with [..., :T].""",
    SHIFTED, SKEWED, "[..., :length]", "")

wrong("relative_shift", "skewed_and_cut_at_the_end", "relative_shift",
    """What you have padded and read anew has T columns that are right: not the last ones, which
    you keep, but the first ones, [..., :T].""",
    SHIFTED, SKEWED, "[..., :length]", "[..., -length:]")

wrong("relative_shift", "skewed_without_its_last_row", "relative_shift",
    """When you have padded x and read it anew in rows of T numbers, the first of these rows goes,
    [..., 1:, :]; yours drops the last one, so nothing has moved on by a row.""",
    SHIFTED, SKEWED, "[..., 1:, :]", "[..., :-1, :]")

wrong("relative_shift", "skewed_with_zeros_at_the_end", "relative_shift",
    """You pad x with a column of zeros at its end: it belongs in front, cat([zeros, x], dim=-1), so
    that reading anew moves row i by i columns and not by i + 1.""",
    SHIFTED, SKEWED, "[x.new_zeros(*x.shape[:-1], 1), x]", "[x, x.new_zeros(*x.shape[:-1], 1)]")

wrong("relative_shift", "shift_is_transposed", "relative_shift",
    """Your result is transposed: i is the row, the query, and also the row of x.""",
    "distance + length - 1]", "distance + length - 1].mT")

wrong("relative_shift", "row_of_the_key", "relative_shift",
    """Your row index is the key's: query i looks its own row of x up, x[i, ...].""",
    "x[..., position[:, None]", "x[..., position")

wrong("relative_shift", "shift_is_causal", "relative_shift",
    """Keys ahead of the query come out as 0: their distances have columns as well, the last T - 1
    ones.""",
    "distance + length - 1]", "distance + length - 1].tril()")

wrong("relative_shift", "shift_is_detached", "relative_shift",
    """Your result has left the graph, as it does through detach(), .item() or a list of numbers:
    index x itself with tensors.""",
    "return x[", "return x.detach()[")

wrong("relative_shift", "gathers_three_axes_only", "relative_shift_any_number_of_axes",
    """Your gather needs an index with as many axes as x: expand it to x's leading axes, or index
    with x[..., i, j].""",
    "x[..., position[:, None], distance + length - 1]",
    "x.gather(-1, (distance + length - 1).expand(len(x), -1, -1))")

wrong("relative_shift", "shift_strides_by_hand", "relative_shift",
    """Your as_strided slides over memory as if the rows of x lay one behind the other: an input
    may have other strides. Call contiguous() first, or index.""",
    "return x[", f"return {BY_HAND}[")

wrong("relative_shift", "shift_with_int8", "many_tokens",
    """Your index is int8, which ends at 127: with more tokens it counts on from -128. Leave arange
    as it is, int64.""",
    "torch.arange(length, device=x.device)", "torch.arange(length, device=x.device).to(torch.int8)",
    "x[..., position[:, None], distance + length - 1]",
    "x[..., position[:, None].long(), (distance + (length - 1)).long() % x.shape[-1]]")

wrong("relative_shift", "shift_squeezes", "relative_shift",
    """Where T is 1 your result lacks an axis, as after a squeeze: it is (..., T, T), also for a
    single token.""",
    "distance + length - 1]", "distance + length - 1].squeeze(-1)")

wrong("relative_shift", "shift_into_float32", "keeps_the_dtype",
    """Your answer comes out in float32 whatever x is, by float(), or in a tensor that torch.zeros
    made with its own dtype: make it with x.new_zeros.""",
    SHIFTED, f"out = torch.zeros(*x.shape[:-1], length, device=x.device)\n    {ROW_BY_ROW}")

wrong("relative_shift", "shift_on_the_cpu", "works_where_its_inputs_are",
    """Your answer lies on the CPU wherever x is, as a tensor does that is made without a device:
    make it on the device of x.""",
    SHIFTED, f"out = torch.zeros(*x.shape[:-1], length, dtype=x.dtype)\n    {ROW_BY_ROW}")

wrong("relative_shift", "rolls_in_place", "keeps_the_dtype",
    """You change the caller's own x, as rolling its rows in place does: work on a copy.""",
    SHIFTED, """for i in range(length):
        x[..., i, :] = x[..., i, :].roll(i, dims=-1)
    return x[..., length - 1 :]""")

# block_diag_attention -----------------------------------------------------------------------------

BLOCKS, DOMINATE = "attention_stays_inside_blocks", "other_blocks_that_dominate"
CUT, ROOT = "q, k, v = (x.unflatten(-2, (-1, block))", "math.sqrt(q.shape[-1])"


def masked(own, softmax=".masked_fill(~own, -torch.inf).softmax(dim=-1)"):
    """The page with a mask of scores in the place of blocks, as three slips."""
    made = f"i = torch.arange(q.shape[-2], device=q.device)\n    own = {own}"
    cut = f"{CUT} for x in (q, k, v))"
    return cut, made, ".softmax(dim=-1)", softmax, ".flatten(-3, -2)", ""


SAME = "i[:, None] // block == i // block"

wrong("block_diag_attention", "no_blocks", BLOCKS,
    """Your output equals attention without blocks: every position sees all others.""",
    "(-1, block)", "(1, -1)")

wrong("block_diag_attention", "own_block_forbidden", BLOCKS,
    """You forbid the scores inside the block and keep those outside, the wrong way round: what is
    True in masked_fill(mask, ...) is filled, so it must be True outside the block.""",
    *masked(SAME, ".masked_fill(own, -torch.inf).softmax(dim=-1)"))

wrong("block_diag_attention", "zero_is_not_forbidden", BLOCKS,
    """You set the scores outside the block to 0, and e^0 is 1: they still get weight. Nothing
    outside may take part in the softmax.""",
    *masked(SAME, ".masked_fill(~own, 0.0).softmax(dim=-1)"))

wrong("block_diag_attention", "cuts_after_softmax", BLOCKS,
    """You take weights away after the softmax, so the rows no longer sum to one: run the softmax
    over the block alone.""",
    *masked(SAME, ".softmax(dim=-1) * own"))

wrong("block_diag_attention", "cuts_and_renormalises", DOMINATE,
    """You run the softmax over everything, cut and divide by what is left: where a position
    outside dominates, nothing is left. Cut before the softmax.""",
    *masked(SAME, """.softmax(dim=-1) * own
    weights = weights / weights.sum(-1, keepdim=True)"""))

wrong("block_diag_attention", "subtracts_fifty", DOMINATE,
    """You subtract a fixed number from the scores outside the block, which a large score
    outweighs: replace them by -inf, or never compute them.""",
    *masked(SAME, ".sub(50.0 * (~own).to(q.dtype)).softmax(dim=-1)"))

wrong("block_diag_attention", "filled_with_minus_hundred", DOMINATE,
    """You give the scores outside the block a fixed number, as -100 or -1e3. Scores inside may be
    lower still, and then those outside get the weight: fill with -inf, or never compute them.""",
    *masked(SAME, ".masked_fill(~own, -100.0).softmax(dim=-1)"))

wrong("block_diag_attention", "exponentials_overflow", DOMINATE,
    """You take the exponentials of the scores as they are: from 89 on they overflow. softmax
    subtracts the maximum first.""",
    ".softmax(dim=-1)", """.exp()
    weights = weights / weights.sum(-1, keepdim=True)""")

wrong("block_diag_attention", "mask_times_infinity", BLOCKS,
    """All is NaN, as when a mask spoils the scores inside the block as well. 0 times -inf is NaN,
    as in (1 - mask) * -inf: scores.masked_fill(outside, -torch.inf) multiplies nothing.""",
    *masked(SAME, ".add(~own * -torch.inf).softmax(dim=-1)"))

wrong("block_diag_attention", "sliding_window", BLOCKS,
    """You let a position see everything less than `block` steps away: blocks have fixed borders,
    i // block == j // block.""",
    *masked("(i[:, None] - i).abs() < block"))

wrong("block_diag_attention", "every_so_many_positions", BLOCKS,
    """You put every `block`-th position together: a block is a run of neighbours. In a mask compare
    i // block, not i % block; cut into (T / block, block), leave these two axes in their order.""",
    *masked("i[:, None] % block == i % block"))

BLOCK_BY_BLOCK = """out = v.new_zeros(v.shape)
    for start in range(q.shape[-2] // block):
        own = slice(start, start + block)
        scores = q[..., own, :] @ k[..., own, :].mT / math.sqrt(q.shape[-1])
        found = scores.softmax(dim=-1) @ v[..., own, :]
        out[..., own, :] = found
    return out"""
WHOLE = '''q, k, v = (x.unflatten(-2, (-1, block)) for x in (q, k, v))
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return (weights @ v).flatten(-3, -2)'''

wrong("block_diag_attention", "blocks_begin_one_apart", BLOCKS,
    """Your loop counts blocks, 0, 1, 2 ..., and takes this number for the position where a block
    begins, so blocks overlap: block number n begins at n * block. The last positions stay 0.""",
    WHOLE, BLOCK_BY_BLOCK)

wrong("block_diag_attention", "blocks_begin_one_apart_and_are_joined", BLOCKS,
    """Block number n of yours begins at position n, so blocks overlap: it begins at n * block.
    (range(0, T, block) counts the beginnings themselves.)""",
    WHOLE, BLOCK_BY_BLOCK,
    "out = v.new_zeros(v.shape)", "out = []", "out[..., own, :] = found", "out.append(found)",
    "return out", "return torch.cat(out, dim=-2)")

BLOCKS_FROM_0 = BLOCK_BY_BLOCK.replace("range(q.shape[-2] // block)", "range(block)")

wrong("block_diag_attention", "begins_at_every_number_below_block", BLOCKS,
    """Your blocks begin at 0, 1, 2 ... and stop after `block` of them: they begin at 0, block,
    2 * block ... and go on up to T, which range(0, T, block) counts.""",
    WHOLE, BLOCKS_FROM_0)

wrong("block_diag_attention", "keys_are_not_cut", BLOCKS,
    """You cut the queries and the values into blocks, but not the keys, so there are scores for all
    T keys and values for `block` of them: cut k in the same way.""",
    WHOLE, BLOCK_BY_BLOCK.replace("k[..., own, :]", "k").replace(
        "range(q.shape[-2] // block)", "range(0, q.shape[-2], block)"))

wrong("block_diag_attention", "number_of_blocks", BLOCKS,
    """You make `block` blocks: it is the size of a block, and there are T / block of them.""",
    "(-1, block)", "(block, -1)")

wrong("block_diag_attention", "blocks_far_apart", BLOCKS,
    """Your blocks are no runs of neighbours: each holds every (T / block)-th position. Either cut T
    into (T / block, block), in this order, and leave the two axes where they are; or compare
    i // block in a mask.""",
    "x.unflatten(-2, (-1, block))", "x.unflatten(-2, (block, -1)).transpose(-3, -2)",
    "(weights @ v).flatten", "(weights @ v).transpose(-3, -2).flatten")

wrong("block_diag_attention", "blocks_are_causal", BLOCKS,
    """Within a block your positions do not see what comes after them: this attention is not
    causal.""",
    *masked(f"({SAME}).tril()"))

wrong("block_diag_attention", "earlier_blocks_too", BLOCKS,
    """A position sees the blocks before its own too: it attends to its own block only.""",
    *masked("i[:, None] // block >= i // block"))

wrong("block_diag_attention", "blocks_without_scale", BLOCKS,
    """Your scores are not divided by sqrt(d).""",
    f" / {ROOT}", "")

wrong("block_diag_attention", "scaled_by_the_block", BLOCKS,
    """You divide by the square root of the block's size: d is the width of q and k.""",
    ROOT, "math.sqrt(block)")

wrong("block_diag_attention", "scaled_by_the_values", BLOCKS,
    """You divide by the square root of v's width: d is the width of q and k.""",
    ROOT, "math.sqrt(v.shape[-1])")

wrong("block_diag_attention", "softmax_over_queries", BLOCKS,
    """Your softmax runs over the queries: each query shares its weight among keys, the last
    axis.""",
    "dim=-1", "dim=-2")

wrong("block_diag_attention", "softmax_over_axis_one", BLOCKS,
    """Your softmax runs over axis 1, which holds blocks where there is a batch: count from the end,
    the keys of a block are the last axis, dim=-1.""",
    "dim=-1", "dim=1")

wrong("block_diag_attention", "softmax_over_axis_zero", BLOCKS,
    """Your softmax runs over axis 0, the first of all, so sentences or blocks share a weight: it
    belongs over the keys of a block, the last axis.""",
    "dim=-1", "dim=0")

wrong("block_diag_attention", "averages_the_keys", BLOCKS,
    """You average the keys: the weights come from q and k, what they average is v.""",
    "weights @ v", "weights @ k")

wrong("block_diag_attention", "first_block_for_all", BLOCKS,
    """All your blocks hold the results of the first one: each has its own queries, keys and
    values.""",
    "(weights @ v)", "(weights @ v)[..., [0] * q.shape[-3], :, :]")

wrong("block_diag_attention", "blocks_of_three_axes_only", "blocks_any_number_of_axes",
    """You read the sizes B, T and d off a tensor of three axes: leave the leading ones alone and
    cut the axis -2.""",
    CUT, """batch, length, _ = q.shape
    q, k, v = (x.reshape(batch, length // block, block, -1)""")

wrong("block_diag_attention", "blocks_with_view", BLOCKS,
    """You fold batch and blocks into one axis with view, which a transposed q does not allow: use
    reshape or unflatten.""",
    CUT, "shape = v.shape\n    q, k, v = (x.view(-1, block, x.shape[-1])",
    ".flatten(-3, -2)", ".view(shape)")

wrong("block_diag_attention", "blocks_kept_for_their_length", BLOCKS,
    """You keep the mask for the length of the sequence and use it again with blocks of another
    size: it depends on both.""",
    "def block_diag_attention(", "KEPT = {}\n\n\ndef block_diag_attention(",
    *masked(f"KEPT.setdefault(q.shape[-2], {SAME}).to(q.device)"))

wrong("block_diag_attention", "blocks_with_int8", "many_tokens",
    """Your positions are int8, which ends at 127: later ones are negative and fall into blocks of
    others. Leave arange as it is, int64.""",
    *masked(SAME), "torch.arange(q.shape[-2], device=q.device)",
    "torch.arange(q.shape[-2], device=q.device).to(torch.int8).long()")

wrong("block_diag_attention", "blocks_through_a_float32_mask", "keeps_the_dtype",
    """bfloat16 inputs come out as float32, as when a float32 mask is added to their scores: give it
    the dtype of the scores, or use a boolean one.""",
    *masked(SAME, ".add(torch.zeros(own.shape, device=q.device).masked_fill(~own, -torch.inf))\n"
    "    weights = weights.softmax(dim=-1)"), "weights @ v", "weights @ v.to(weights.dtype)")

wrong("block_diag_attention", "blocks_into_float32", "keeps_the_dtype",
    """Your result is float32 whatever the inputs are, as torch.zeros makes it: v.new_zeros has the
    dtype and the device of v.""",
    "return (weights @ v).flatten(-3, -2)", """out = torch.zeros(v.shape, device=v.device)
    out[:] = weights @ v
    return out.flatten(-3, -2)""")

wrong("block_diag_attention", "blocks_into_float32_on_the_cpu",
    "keeps_the_dtype works_where_its_inputs_are",
    """You fill a tensor that is float32 and on the CPU whatever the inputs are, as torch.zeros
    makes it: v.new_zeros has the dtype and the device of v.""",
    "return (weights @ v).flatten(-3, -2)", """out = torch.zeros(v.shape)
    out[:] = weights @ v
    return out.flatten(-3, -2)""")

wrong("block_diag_attention", "keys_are_detached", BLOCKS,
    """Your keys have left the graph: no detach, .data or no_grad.""",
    "k.mT", "k.detach().mT")

wrong("block_diag_attention", "blocks_on_the_cpu", "works_where_its_inputs_are",
    """What you make yourself, mask or result, is made on the CPU whatever device q is on: give
    arange, ones or zeros device=q.device.""",
    *masked(SAME), ", device=q.device", "")

wrong("block_diag_attention", "scales_in_place", "keeps_the_dtype",
    """You scale the caller's q in place: q / sqrt(d) makes a new tensor, q /= sqrt(d) does not.""",
    f" / {ROOT}", "", CUT, f"with torch.no_grad():\n        q /= {ROOT}\n    {CUT}")
