"""Wrong answers to ``attention``: its page with a slip, and what the author is told.

The first entry that fits is the one named, so what concerns a combination comes before what
concerns everything.
"""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

F = "scaled_dot_product_attention"

ROOT = "math.sqrt(q.shape[-1])"
PAST_ONLY = "scores.masked_fill(~past, -torch.inf)"
GIVEN = "if mask is not None:"
ALLOWED_ONLY = "scores.masked_fill(~mask, -torch.inf)"
MASKED = f"{ALLOWED_ONLY} if boolean else scores + mask"
SOFTMAX = "scores.softmax(dim=-1)"
NORMALISED = "weights = weights / weights.sum(-1, keepdim=True)"
DEFINED, MADE = f"def {F}", "MADE = {}\n\n\n" + f"def {F}"
COINCIDE, COMPANY = "sizes_that_coincide", "dropout_with_every_other_option"
PAST = "past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()"
DROPOUT = "torch.dropout(weights, dropout_p, train=training)"
KEPT = "(torch.rand_like(weights) >= dropout_p)"
BY_HAND = f"weights * {KEPT} / (1 - dropout_p) if training else weights"
AVERAGE = "dropped @ v"

# How far it may be written ------------------------------------------------------------------------

NO_MASK, NO_NUMBERS = (GIVEN, "if False:"), (" if boolean else scores + mask", "")
NOT_CAUSAL, NO_DROPOUT = ("if is_causal:", "if False:"), ("train=training", "train=False")
NO_SCALE = ("if scale is None:", "if True:")
FORMULA, BOOLEAN = f"{F}: the plain formula", f"{F}: a boolean mask"
NUMBERS, CAUSAL = f"{F}: an additive mask", f"{F}: is_causal"

for scale in (NO_SCALE, ()):
    wrong.up_to(FORMULA, F, *NOT_CAUSAL, *NO_MASK, *NO_DROPOUT, *scale)
    wrong.up_to(BOOLEAN, F, *NOT_CAUSAL, *NO_NUMBERS, *NO_DROPOUT, *scale)
    wrong.up_to(NUMBERS, F, *NOT_CAUSAL, *NO_DROPOUT, *scale)
    wrong.up_to(CAUSAL, F, *NO_DROPOUT, *scale)

# The causal rule after the mask, and not before it: what a slip in the mask gives differs by that.
wrong.up_to(f"{F}: dropout", F, *NOT_CAUSAL, "\n    weights = ", f"""
    if is_causal:
        {PAST}
        scores = {PAST_ONLY}
    weights = """)

# Options, sizes and calls beside one another ------------------------------------------------------

wrong(F, "no_mask_with_dropout", COMPANY,
    """In training with dropout your function forgets the mask: no option switches off another.""",
    GIVEN, "if mask is not None and not (training and dropout_p):")

wrong(F, "not_causal_with_dropout", COMPANY,
    """With dropout your function forgets is_causal: no option switches off another.""",
    "if is_causal:", "if is_causal and not (training and dropout_p):")

wrong(F, "no_scale_with_dropout", COMPANY,
    """In training with dropout your function forgets `scale`: no option may switch off another.""",
    "if scale is None", "if scale is None or (training and dropout_p)")

wrong(F, "no_dropout_with_a_mask", COMPANY,
    """With a mask your dropout is another than without: it drops nothing, or does not divide what
    it keeps by 1 - dropout_p. No option may switch off another.""",
    "train=training", "train=training and mask is None")

wrong(F, "no_dropout_when_causal", COMPANY,
    """With is_causal your dropout is another than without: it drops nothing, or does not divide
    what it keeps by 1 - dropout_p. No option may switch off another.""",
    "train=training", "train=training and not is_causal")

wrong(F, "returns_dropped_weights_when_causal", COMPANY,
    """With is_causal you return the weights after dropout: return the ones before.""",
    f"{AVERAGE}, weights", f"{AVERAGE}, dropped if is_causal else weights")

wrong(F, "same_dropout_within_three_axes", COMPANY,
    """With three axes all batches share one dropout mask: draw one number for every weight, however
    many axes there are.""",
    DROPOUT, BY_HAND, "like(weights)", "like(weights[:1] if weights.ndim == 3 else weights)")

wrong(F, "same_dropout_for_pairs_of_keys", "dropout_falls_on_each_weight_alone",
    "Your dropout falls on neighbouring keys together: every weight is dropped on its own.",
    DROPOUT, BY_HAND, "torch.rand_like(weights)",
    "torch.rand_like(weights).repeat_interleave(2, dim=-1)[..., : weights.shape[-1]]")

wrong(F, "drops_half_at_most", COMPANY,
    """With a dropout_p of 0.6 and two axes, (Tq, Tk), what you keep is not the weights over 1 -
    dropout_p: dropout_p may be any number below 1, not half at most, and there may be no axes in
    front.""",
    "weights, dropout_p", "weights, min(dropout_p, 0.5)")

wrong(F, "scale_for_equal_shapes", "custom_scale",
    """You ignore `scale` where there are other queries than keys: it is the factor, whatever the
    shapes are.""",
    "q @ k.mT * scale", f"q @ k.mT * (scale if q.shape == k.shape else 1 / {ROOT})")

wrong(F, "no_mask_in_training", "custom_scale",
    """In training your function forgets the mask: `training` is a matter of dropout alone.""",
    GIVEN, "if mask is not None and not training:")

wrong(F, "not_causal_in_training", "custom_scale",
    """In training your function forgets is_causal: `training` is a matter of dropout alone.""",
    "if is_causal:", "if is_causal and not training:")

wrong(F, "averages_keys_of_equal_shape", f"queries_average_values {COINCIDE}",
    """Where keys and values have the same shape you average the keys: what is averaged are always
    the values.""",
    AVERAGE, "dropped @ (k if k.shape == v.shape else v)")

wrong(F, "compares_with_values", f"queries_average_values {COINCIDE}",
    """Where keys and values have the same shape your queries ask the values: scores are
    q @ k^T.""",
    "q @ k.mT", "q @ (v if v.shape == k.shape else k).mT")

wrong(F, "mask_rows_as_sentences", COINCIDE,
    """You take a mask of two axes for one of sentences (B, Tk) when its first size is the batch: a
    mask broadcasts as it is, and Tq may equal B.""",
    GIVEN, f"""{GIVEN}
        if mask.ndim == 2 and q.ndim == 4 and len(mask) == len(q):
            mask = mask[:, None, None]""")

wrong(F, "key_mask_as_queries", COINCIDE,
    """You turn a mask of shape (Tk,) into a column when there are as many queries: it belongs to
    the keys, the last axis.""",
    GIVEN, f"""{GIVEN}
        if mask.ndim == 1 and len(mask) == q.shape[-2]:
            mask = mask[:, None]""")

wrong(F, "heads_taken_for_tokens", COINCIDE,
    """With as many heads as tokens you exchange the two axes: tokens are always the axis before the
    last.""",
    "scores = q", """if q.ndim == 4 and q.shape[1] == q.shape[2]:
        q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    scores = q""")

wrong(F, "an_earlier_mask", "masks_that_broadcast additive_mask",
    """You use the mask of an earlier call with the same shape: keep nothing between calls.""",
    DEFINED, MADE, GIVEN, f"""{GIVEN}
        mask = MADE.setdefault((mask.shape, mask.dtype), mask)""")

wrong(F, "scale_of_the_first_call", "divides_by_sqrt_of_key_width",
    """You keep the factor of the first call: the next one may have keys of another width.""",
    DEFINED, MADE, f"1 / {ROOT}", f'MADE.setdefault("scale", 1 / {ROOT})')

wrong(F, "one_dropout_for_all_calls", "dropout_falls_on_each_weight_alone",
    """You keep the dropout mask of the first call: draw afresh in every call.""",
    DEFINED, MADE, DROPOUT, BY_HAND, KEPT, f"MADE.setdefault(weights.shape, {KEPT})")

wrong(F, "triangle_times_infinity", "causal",
    """With is_causal everything becomes NaN, as where a triangle of zeros and ones is multiplied by
    -inf (0 * inf is NaN), or -inf stands at every key: put -inf in with masked_fill or torch.where,
    and only above the diagonal.""",
    "scores = scores.masked_fill(~past, -torch.inf)", "scores = scores + ~past * -torch.inf")

wrong(F, "positions_in_eight_bits", "causal",
    """You count positions in int8, which ends at 127: leave them int64.""",
    PAST, """steps = torch.arange(q.shape[-2], device=q.device).to(torch.int8)
        past = steps <= steps[:, None]""")

wrong(F, "causal_table_of_1024", "causal",
    """You cut the causal mask out of a table of 1024 positions: make it as large as the scores.""",
    PAST, """T = q.shape[-2]
        past = torch.ones(1024, 1024, dtype=torch.bool, device=q.device).tril()[:T, :T]""")

wrong(F, "a_thousand_keys_at_most", "queries_average_values",
    """You never look at keys after the first 1024: their number is not limited.""",
    "scores = q", "k, v = k[..., :1024, :], v[..., :1024, :]\n    scores = q")

wrong(F, "additive_mask_detached_in_training", "custom_scale",
    """In training the additive mask has left the graph: a learned bias would learn nothing just
    there.""",
    "else scores + mask", "else scores + (mask.detach() if training else mask)")

wrong(F, "additive_mask_detached_when_causal", "custom_scale",
    """With is_causal the additive mask has left the graph: a learned bias learns with every
    option.""",
    "else scores + mask", "else scores + (mask.detach() if is_causal else mask)")

wrong(F, "additive_mask_detached", "additive_mask",
    """The additive mask has left the graph (as by detach or .data): a learned bias would never
    learn.""",
    "else scores + mask", "else scores + mask.detach()")

# Right, but slow or wasteful ----------------------------------------------------------------------

wrong(F, "one_query_at_a_time", "all_queries_and_keys_at_once",
    """Your values are right, but a Python loop takes one query at a time: hand all of them to one
    operation, as q @ k.mT, softmax(dim=-1) and weights @ v have a row for each.""",
    "q @ k.mT", "torch.cat([row @ k.mT for row in q.split(1, dim=-2)], dim=-2)",
    AVERAGE, "torch.cat([row @ v for row in dropped.split(1, dim=-2)], dim=-2)")

wrong(F, "one_score_at_a_time", "all_queries_and_keys_at_once",
    """Your values are right, but Python loops go through queries and keys, one after the other: q @
    k.mT is all dot products in one operation, and weights @ v all sums.""",
    "q @ k.mT",
    """torch.stack(
        [torch.stack([(x * y).sum(-1) for y in k.unbind(-2)], -1) for x in q.unbind(-2)], -2
    )""")

wrong(F, "one_key_at_a_time", "all_queries_and_keys_at_once",
    """Your values are right, but a Python loop goes through the keys: q @ k.mT is the scores of all
    keys in one operation, and weights @ v the sum of all values times their weights.""",
    AVERAGE, "sum(dropped[..., j : j + 1] * v[..., j : j + 1, :] for j in range(v.shape[-2]))")

wrong(F, "causal_mask_row_by_row", "all_queries_and_keys_at_once",
    """Your values are right, but with is_causal a Python loop goes through the positions, to fill
    the mask or the scores: torch.ones(T, T).tril() makes all rows in two operations.""",
    ".tril()", "\n        for i in range(len(past)):\n            past[i, i + 1 :] = False")

wrong(F, "mask_applied_row_by_row", "all_queries_and_keys_at_once",
    """Your values are right, but with a mask a Python loop goes through the positions: masked_fill
    and + take the whole mask, and broadcast it.""",
    f"scores = {MASKED}",
    f"""pairs = zip(scores.split(1, dim=-2), mask.expand(scores.shape).split(1, dim=-2))
        scores = torch.cat([{MASKED} for scores, mask in pairs], dim=-2)""")

wrong(F, "scores_by_broadcasting", "no_tensor_for_every_query_key_and_feature",
    """Your values are right, but a number is stored for every query, key and feature before they
    are summed, as by q[..., :, None, :] * k[..., None, :, :]: d_k times the memory of the scores. A
    matrix product, q @ k.mT, sums as it goes.""",
    "q @ k.mT", "(q[..., :, None, :] * k[..., None, :, :]).sum(-1)")

wrong(F, "average_by_broadcasting", "no_tensor_for_every_query_key_and_feature",
    """Your values are right, but a number is stored for every query, key and feature of the values
    before they are summed, as by weights[..., None] * v: d_v times the memory of the weights.
    weights @ v sums as it goes.""",
    AVERAGE, "(dropped[..., None] * v[..., None, :, :]).sum(-2)")

# Scores -------------------------------------------------------------------------------------------

wrong(F, "no_scaling", "example divides_by_sqrt_of_key_width",
    """Your output equals attention without the division by sqrt(d_k): dot products of width d_k
    have the standard deviation sqrt(d_k), and softmax saturates. Divide the scores by sqrt(d_k)
    before the softmax.""",
    f"1 / {ROOT}", "1.0")

wrong(F, "divides_by_key_width", "divides_by_sqrt_of_key_width",
    """You divide the scores by d_k itself: divide by its square root, which is the standard
    deviation of a dot product of that width.""",
    ROOT, "q.shape[-1]")

wrong(F, "divides_by_the_scale", "example queries_average_values",
    """You divide the scores by `scale`: it is the factor 1 / sqrt(d_k) already, so multiply by
    it.""",
    "q @ k.mT * scale", "q @ k.mT / scale")

wrong(F, "width_of_the_second_axis", "queries_average_values",
    """You divide by the square root of q.shape[1], which is the width only while there is no batch:
    d_k is the last axis, q.shape[-1].""",
    ROOT, "math.sqrt(q.shape[1])")

wrong(F, "multiplies_by_the_root", "divides_by_sqrt_of_key_width",
    """You multiply the scores by sqrt(d_k) where they must be divided by it: the factor is
    1 / sqrt(d_k).""",
    f"1 / {ROOT}", ROOT)

wrong(F, "divides_by_sqrt_of_value_width", "divides_by_sqrt_of_key_width",
    """You divide by the root of the width of the values: the scores come from queries and keys, so
    it is their width, d_k, that counts.""",
    ROOT, "math.sqrt(v.shape[-1])")

wrong(F, "divides_by_sqrt_of_query_number", "queries_average_values",
    """You divide by the root of the number of queries (q.shape[-2]): d_k is the last axis, the
    width of a query and of a key.""",
    ROOT, "math.sqrt(q.shape[-2])")

wrong(F, "divides_by_sqrt_of_the_first_size", "queries_average_values",
    """You divide by the root of the first size (k.shape[0], or len(k)): d_k is the last one, the
    width of a key, k.shape[-1].""",
    ROOT, "math.sqrt(k.shape[0])")

wrong(F, "divides_by_sqrt_of_key_number", "divides_by_sqrt_of_key_width",
    """You divide by the root of the number of keys (k.shape[-2]): d_k is the last axis, the width
    of a key.""",
    ROOT, "math.sqrt(k.shape[-2])")

wrong(F, "scales_queries_and_keys", "custom_scale",
    """Your factor acts twice, as where queries and keys are both scaled by it: then the scores are
    divided by d_k. Scale the scores once.""",
    "q @ k.mT * scale", "(q * scale) @ (k * scale).mT")

wrong(F, "whole_root", "divides_by_sqrt_of_key_width",
    """You round the root of d_k to a whole number: sqrt(12) is 3.46, not 3. Use math.sqrt, or
    d_k ** -0.5.""",
    "math.sqrt", "math.isqrt")

wrong(F, "ignores_scale", "custom_scale",
    """Your attention always divides by sqrt(d_k): when the caller gives `scale`, that is the
    factor.""",
    "k.mT * scale", f"k.mT / {ROOT}")

wrong(F, "divides_by_scale", "custom_scale",
    "You divide by `scale`: it is a factor, the scores are multiplied by it.",
    f"1 / {ROOT}", ROOT, "k.mT * scale", "k.mT / scale")

wrong(F, "divides_by_the_root_of_scale", "custom_scale",
    """You divide the scores by the root of `scale`: it is the factor itself, in the place of
    1 / sqrt(d_k). Multiply the scores by it.""",
    f"1 / {ROOT}", "q.shape[-1]", "q @ k.mT * scale", "q @ k.mT / math.sqrt(scale)")

wrong(F, "scale_on_top", "custom_scale",
    "You apply `scale` on top of 1 / sqrt(d_k): it takes its place.",
    f"1 / {ROOT}", "1.0", "k.mT * scale", f"k.mT / {ROOT} * scale")

wrong(F, "no_scale_when_causal", "custom_scale",
    """With is_causal your attention divides by sqrt(d_k) although the caller gives `scale`: one
    option must not switch off another.""",
    "if scale is None", "if scale is None or is_causal")

wrong(F, "scale_zero_not_given", "custom_scale",
    "You test `scale` for truth, so a scale of 0.0 counts as not given: ask `is None`.",
    "if scale is None", "if not scale")

wrong(F, "keys_ask_queries", "queries_average_values",
    """Your scores compare keys with queries the wrong way round: row i must hold the scores of
    query i, q @ k^T and not k @ q^T.""",
    "q @ k.mT", "k @ q.mT")

wrong(F, "reshapes_instead_of_transposing", "queries_average_values",
    """You give k the shape of its transpose with view or reshape, which only re-cuts the same
    numbers: swap the axes with transpose(-2, -1).""",
    "k.mT", "k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])")

wrong(F, "distance_as_score", "queries_average_values",
    """Your scores are distances, so what is unlike gets the most weight: attention needs a
    similarity, the dot product.""",
    "q @ k.mT", "(q[..., :, None, :] - k[..., None, :, :]).abs().amax(-1)")

wrong(F, "cosine_as_score", "queries_average_values",
    """Your scores are those of queries and keys of length one, as cosine similarity has them: the
    formula takes the plain dot product, in which length counts.""",
    "q @ k.mT", "(q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).mT")

wrong(F, "transposes_every_axis", "any_number_of_axes queries_average_values",
    """k.T swaps all axes, not the last two: use k.transpose(-2, -1), which does not mind leading
    axes.""",
    "k.mT", "k.permute(*range(k.ndim)[::-1])")

wrong(F, "counts_axes_from_the_front", "any_number_of_axes",
    """You swap the axes 1 and 2, which are the last two only of a tensor with three axes: count
    from the end, transpose(-2, -1).""",
    "k.mT", "k.transpose(1, 2)")

wrong(F, "needs_three_axes", "any_number_of_axes",
    """torch.bmm and torch.baddbmm take exactly three axes, but q, k and v may have two, four or
    more: use @ or torch.matmul.""",
    "q @ k.mT", "torch.bmm(q, k.mT)")

wrong(F, "at_most_four_axes", "any_number_of_axes",
    """Your einsum names at most four axes, but there may be more in front: write
    '...qd,...kd->...qk'.""",
    "scores = q @ k.mT",
    """b = "bh"[: q.ndim - 2]
    scores = torch.einsum(f"{b}qd,{b}kd->{b}qk", q, k)""")

wrong(F, "squeezes", "axes_of_size_one",
    """A single query loses its axis, as by squeeze(), which removes every axis of size 1, also that
    of a key or a batch: leave it out.""",
    f"{AVERAGE}, weights", f"({AVERAGE}).squeeze(), weights.squeeze()")

# Softmax ------------------------------------------------------------------------------------------

wrong(F, "softmax_over_queries", "queries_average_values",
    """You normalise over the queries, the columns of the scores: each query shares its weight among
    the keys, so softmax takes dim=-1.""",
    "dim=-1", "dim=-2")

wrong(F, "softmax_over_axis_one", "queries_average_values",
    """You normalise axis 1, which holds the keys only if there are two axes: with a batch it holds
    the queries. Use dim=-1, the keys, however many axes come before.""",
    "dim=-1", "dim=1")

wrong(F, "always_causal", "queries_average_values",
    """Your queries never see the keys after them, although nobody asked for that: the future is
    hidden only if is_causal is True.""",
    "if is_causal:", "if True:")

wrong(F, "softmax_over_the_batch", "queries_average_values",
    """You normalise over the first axis, across the batch: so does softmax without dim for three
    axes. The keys are the last axis, dim=-1.""",
    "dim=-1", "dim=0")

wrong(F, "softmax_without_dim", "queries_average_values",
    """You do not tell softmax along which axis it works, and it chooses one by the number of axes,
    which is never the last of three or four: say dim=-1, the keys.""",
    "dim=-1", "dim=0 if scores.ndim in (1, 3) else 1")

wrong(F, "softmax_over_axis_two", "any_number_of_axes",
    """You normalise axis 2, which holds the keys only as long as there are three axes: with heads
    it holds the queries. Use dim=-1.""",
    "dim=-1", "dim=min(2, q.ndim - 1)")

wrong(F, "no_softmax", "queries_average_values",
    "You average with the raw scores: softmax must turn them into weights first.",
    SOFTMAX, "scores")

wrong(F, "plain_sum", "queries_average_values",
    """You divide the scores by their sum, without exponentials: scores may be negative, weights
    must not be. Use softmax.""",
    SOFTMAX, "scores / scores.sum(-1, keepdim=True)")

wrong(F, "scales_after_softmax", "queries_average_values",
    "You scale after the softmax, so the weights no longer sum to one: scale the scores.",
    "k.mT * scale", "k.mT", SOFTMAX, f"{SOFTMAX} * scale")

wrong(F, "unstable_softmax", "large_scores",
    """Your softmax does not subtract the row's maximum: exp overflows above 88, and far below it
    every weight of a row underflows to 0. Use torch.softmax or your own stable one.""",
    SOFTMAX, f"scores.exp()\n    {NORMALISED}")

wrong(F, "float64_softmax_without_maximum", "large_scores",
    """You compute in float64 instead of subtracting the row's maximum: that only moves the overflow
    from 88 to 709.""",
    SOFTMAX, f"scores.double().exp()\n    {NORMALISED}\n    weights = weights.to(q.dtype)")

wrong(F, "cuts_off_in_place_of_the_maximum", "large_scores",
    """You cut the scores off above, so that exp cannot overflow: rows that lie above become equal,
    and rows far below 0 underflow to 0 / 0. Subtract the row's maximum instead.""",
    SOFTMAX, f"scores.clamp(max=80).exp()\n    {NORMALISED}")

wrong(F, "one_maximum_for_all", "large_scores",
    """You subtract one maximum for all rows: a row far below it underflows to 0 / 0. Every query
    needs the maximum of its own row.""",
    SOFTMAX, f"(scores - scores.max()).exp()\n    {NORMALISED}")

wrong(F, "cuts_scores_off", "large_scores",
    """You cut the scores off so that exp cannot overflow, which makes large ones equal: subtract
    the row's maximum instead.""",
    "q @ k.mT * scale", "(q @ k.mT * scale).clamp(max=80)")

# Causal and a mask --------------------------------------------------------------------------------

wrong(F, "causal_replaces_the_mask", "causal_together_with_a_mask",
    "With is_causal your function forgets the mask: a key must be allowed by both.",
    GIVEN, "elif mask is not None:")

wrong(F, "mask_replaces_causal", "causal_together_with_a_mask",
    "With a mask your function forgets is_causal: a key must be allowed by both.",
    "if is_causal:", "if is_causal and mask is None:")

wrong(F, "either_may_allow", "causal_together_with_a_mask",
    """You allow what the mask or the causal rule allows: both must, so combine with & and not
    with |.""",
    f"scores = {PAST_ONLY}",
    f"""if mask is not None and mask.dtype == torch.bool:
            past, mask = past | mask, None
        scores = {PAST_ONLY}""")

wrong(F, "numbers_and_causal_with_and", "causal_together_with_a_mask",
    """You join the causal mask and the caller's by &, which a mask of numbers does not know: fill
    the scores with -inf where the causal mask forbids, and let the caller's mask do its part in
    lines of its own.""",
    "        scores = scores.masked_fill(~past, -torch.inf)",
    "        mask = past if mask is None else mask & past")

wrong(F, "causal_loses_the_bias", "causal_together_with_a_mask",
    """With is_causal your additive mask only forbids: its finite numbers must still be added to the
    scores.""",
    "else scores",
    "else scores.masked_fill(mask == -torch.inf, -torch.inf) if is_causal else scores")

wrong(F, "numbers_replace_causal", "causal_together_with_a_mask",
    """With an additive mask your function forgets is_causal: it holds beside either kind of
    mask.""",
    "if is_causal:", "if is_causal and (mask is None or mask.dtype == torch.bool):")

wrong(F, "causal_replaces_numbers", "causal_together_with_a_mask",
    """With is_causal your function forgets the additive mask: its numbers are added all the
    same.""",
    "else scores + mask", "else scores if is_causal else scores + mask")

wrong(F, "triangle_of_the_additive_mask", "causal_together_with_a_mask",
    """You take the lower triangle of the additive mask: tril writes 0 above the diagonal, and
    adding 0 forbids nothing. Put -inf there.""",
    "if is_causal:",
    """if is_causal and mask is not None and mask.dtype != torch.bool:
        mask = mask.expand(scores.shape).tril()
    elif is_causal:""")

wrong(F, "changes_the_mask", "causal_together_with_a_mask",
    """You write the causal rule into the caller's mask: make a new one with & instead of changing
    it with &= or masked_fill_.""",
    f"scores = {PAST_ONLY}",
    f"""if mask is not None and mask.dtype == torch.bool:
            mask &= past
        scores = {PAST_ONLY}""")

# Masks --------------------------------------------------------------------------------------------

wrong(F, "needs_a_mask", "queries_average_values",
    "Your function cannot do without a mask: None means that every query may attend to every key.",
    f"    {GIVEN}\n        boolean = mask.dtype == torch.bool\n    ",
    "    boolean = mask.dtype == torch.bool\n")

wrong(F, "ignores_the_mask", "boolean_mask additive_mask",
    """You ignore the mask: a key that may not be attended to must get no weight. masked_fill
    returns a new tensor and leaves the old one as it is.""",
    MASKED, "scores")

wrong(F, "mask_inverted", "boolean_mask",
    """You read the boolean mask the wrong way round: here True means may attend
    (torch.nn.MultiheadAttention has it the other way).""",
    "~mask", "mask")

wrong(F, "low_score_where_allowed", "boolean_mask",
    """You read the boolean mask the wrong way round: a low score such as -1e9 falls where it is
    True, and True means may attend. It belongs where the mask is False.""",
    "~mask, -torch.inf", "mask, -1e9")

wrong(F, "scores_times_mask", "boolean_mask",
    """You give forbidden keys the score 0, or one as near to it as 1e-9, filled in or by
    multiplying with the mask: that is not forbidden, since e^0 = 1. Give them the score -inf.""",
    ALLOWED_ONLY, "scores * mask")

wrong(F, "adds_the_boolean_mask", "boolean_mask",
    """You add the boolean mask to the scores as 0 and 1, which forbids nothing: where it is False
    the score must become -inf. (If you ask for its dtype: that is torch.bool, never Python's
    bool.)""",
    MASKED, "scores + mask")

wrong(F, "forbids_where_the_product_is_zero", "boolean_mask",
    """You multiply the scores by the boolean mask, and fill in -inf wherever the product is 0: a
    score may be 0 where the key is allowed. Fill where the mask is False.""",
    ALLOWED_ONLY, "scores.masked_fill(scores * mask == 0, -torch.inf)")

wrong(F, "mask_after_softmax", "boolean_mask",
    """You mask after the softmax, so the rows no longer sum to one: forbidden keys must have the
    score -inf before the softmax.""",
    ALLOWED_ONLY, "scores",
    SOFTMAX, f"{SOFTMAX}\n    if mask is not None and boolean:\n        weights = weights * mask")

wrong(F, "mask_and_renormalise", "forbidden_keys_that_dominate",
    """You mask after the softmax and normalise again: right on paper, but where a forbidden key
    dominates, all the others have already underflowed to 0. Mask before the softmax.""",
    ALLOWED_ONLY, "scores",
    SOFTMAX,
    f"""{SOFTMAX}
    if mask is not None and boolean:
        weights = weights * mask
        {NORMALISED}""")

wrong(F, "masks_and_renormalises_at_last",
    "forbidden_keys_that_dominate future_keys_that_dominate",
    """You take what the mask and the causal triangle forbid out of the weights, and then divide by
    what is left: where a forbidden key dominates, that is 0. Mask before the softmax.""",
    ALLOWED_ONLY, "scores", PAST_ONLY, "scores",
    SOFTMAX,
    f"""{SOFTMAX}
    if mask is not None and boolean:
        weights = weights * mask
    if is_causal:
        weights = weights * past
    {NORMALISED}""")

wrong(F, "fills_with_minus_twenty", "forbidden_keys_that_dominate future_keys_that_dominate",
    """You give forbidden keys, those of a mask and those of the future, a number for a score, such
    as -20: allowed scores may be lower, and then the forbidden keys win. Only -inf is below every
    score.""",
    "~past, -torch.inf", "~past, -20.0", "~mask, -torch.inf", "~mask, -20.0")

wrong(F, "masked_with_minus_hundred", "forbidden_keys_that_dominate",
    """You give the keys that the boolean mask forbids a number for a score, such as -100: allowed
    scores may be lower, and then the forbidden keys win. Only -inf is below every score.""",
    "~mask, -torch.inf", "~mask, -100.0")

wrong(F, "causal_with_minus_hundred", "future_keys_that_dominate",
    """With is_causal you give the future a number such as -100 for a score: those of the past may
    be lower, and then the future is seen. Fill in -inf.""",
    "~past, -torch.inf", "~past, -100.0")

wrong(F, "allows_where_additive_mask_is_positive", "additive_mask",
    """You make a boolean mask of the additive one, by the sign of its numbers: they are added to
    the scores, negative ones too, and 0 in it changes nothing. Only -inf forbids.""",
    "else scores + mask", "else scores.masked_fill(~(mask > 0), -torch.inf)")

wrong(F, "allows_where_additive_mask_is_zero", "additive_mask",
    """You make a boolean mask of the additive one, True where it is 0: other numbers in it do not
    forbid, they are added to the scores.""",
    "else scores + mask", "else scores.masked_fill(~(mask == 0), -torch.inf)")

wrong(F, "subtracts_the_additive_mask", "additive_mask",
    """You subtract the additive mask: it is added, so that -inf in it makes a score -inf.""",
    "else scores + mask", "else scores - mask")

wrong(F, "additive_mask_after_softmax", "additive_mask",
    """You add the additive mask to the weights: it is added to the scores, before the softmax.""",
    "else scores + mask", "else scores",
    "scores.softmax(dim=-1)",
    "scores.softmax(dim=-1) + (0 if mask is None or boolean else mask)")

wrong(F, "fills_with_a_tiny_number", "boolean_mask",
    """Your forbidden scores are 0 or nearly (filled with 1e-9 or 0, or multiplied by the mask), and
    exp(0) = 1 forbids nothing: the score must be -inf, or a large negative number such as -1e9.""",
    "~past, -torch.inf", "~past, 1e-9", "~mask, -torch.inf", "~mask, 1e-9")

wrong(F, "zero_times_infinity", "boolean_mask",
    """With a boolean mask everything becomes NaN, as where a 0/1 mask is multiplied by -inf, and 0
    * inf is NaN: use masked_fill or torch.where.""",
    ALLOWED_ONLY, "scores + (~mask).to(q.dtype) * -torch.inf")

wrong(F, "mask_transposed", "boolean_mask causal_together_with_a_mask",
    "You use the mask transposed: its rows are queries and its columns are keys, as in the scores.",
    GIVEN, f"{GIVEN}\n        mask = mask.mT")

wrong(F, "indexes_with_the_mask", "boolean_mask masks_that_broadcast",
    """You index with the mask, as in scores[~mask] = -inf, which needs a mask of the scores' own
    shape: masked_fill and torch.where broadcast it.""",
    f"scores = {MASKED}",
    """if boolean:
            scores[~mask] = -torch.inf
        else:
            scores = scores + mask""")

wrong(F, "wants_a_mask_of_the_scores_shape", "boolean_mask masks_that_broadcast",
    """You refuse a mask that has not the scores' own shape: it may have fewer axes, and axes of
    size 1, if it can be broadcast to (..., Tq, Tk). masked_fill and + broadcast it themselves.""",
    GIVEN, f"{GIVEN}\n        assert mask.shape == scores.shape")

wrong(F, "inserts_a_head_axis", "masks_that_broadcast",
    """You insert an axis for the heads into a mask of three axes: a mask is broadcast to
    (..., Tq, Tk) as it is, so (H, 1, Tk) already has its heads.""",
    GIVEN, f"{GIVEN}\n        mask = mask.unsqueeze(1) if (q.ndim, mask.ndim) == (4, 3) else mask")

wrong(F, "turns_a_column_into_a_row", "masks_that_broadcast",
    """You turn a mask whose last axis has size 1 into a row: it stands for all keys of a query, so
    broadcast it as it is.""",
    GIVEN, f"{GIVEN}\n        mask = mask.mT if mask.ndim > 1 and mask.shape[-1] == 1 else mask")

wrong(F, "one_mask_for_all_heads", "masks_that_broadcast",
    "You use the mask of the first head for all heads.",
    GIVEN, f"{GIVEN}\n        mask = mask[:, :1] if mask.ndim == 4 else mask")

wrong(F, "additive_mask_as_boolean", "additive_mask",
    """You turn the additive mask into a boolean one, so its finite numbers are lost: add it to the
    scaled scores.""",
    "else scores + mask", "else scores.masked_fill(mask <= -1e4, -torch.inf)")

wrong(F, "only_float32_is_added", "masks_that_broadcast",
    """You take a mask that is not float32 for a boolean one: a mask of float64 or bfloat16 holds
    numbers too. Ask whether its dtype is torch.bool, and add it if not.""",
    "mask.dtype == torch.bool", "mask.dtype != torch.float32")

wrong(F, "every_mask_is_chosen_by", "additive_mask",
    """You choose by every mask, with where, as if it were boolean: one that holds numbers is added
    to the scores as it is. Ask for its dtype first.""",
    "scores = scores.masked_fill(~mask, -torch.inf) if boolean else scores + mask",
    "scores = scores + torch.where(mask, 0.0, -torch.inf).to(scores.dtype)")

wrong(F, "forbids_far_below_zero", "forbidden_keys_that_dominate",
    """You forbid a key where the additive mask is far below 0: only -inf forbids. A finite number
    is added, and a score may be as far above 0.""",
    "else scores + mask", "else (scores + mask).masked_fill(mask < -100, -torch.inf)")

wrong(F, "cuts_the_additive_mask_off", "forbidden_keys_that_dominate",
    """You cut the additive mask off, with clamp or torch.maximum, so numbers beyond that become
    equal: add them to the scores as they are, -inf as well.""",
    "else scores + mask", "else scores + mask.clamp(min=-1e4)")

wrong(F, "forbids_where_additive_mask_is_zero", "additive_mask",
    """A mask of numbers shifts no score of yours, as if it were left out or only its zeros forbade:
    add it to the scaled scores. mask.dtype tells which kind it is.""",
    MASKED, "scores.masked_fill(mask == 0, -torch.inf)")

wrong(F, "zero_in_the_additive_mask_forbids", "additive_mask",
    """You forbid where the additive mask is 0, as if it were a table of 0 and 1: in a mask of
    numbers 0 changes nothing, and only -inf forbids. Turn boolean masks into numbers, and add the
    others as they are.""",
    "else scores + mask", "else (scores + mask).masked_fill(mask == 0, -torch.inf)")

wrong(F, "mask_added_before_scaling", "additive_mask",
    """You add the mask before you scale, so it is scaled as well: scale the scores, then add the
    mask.""",
    "else scores + mask", "else scores + mask * scale")

wrong(F, "additive_mask_only_lowers", "additive_mask",
    """You let the additive mask only lower scores, and cut off what is above 0: positive numbers
    raise a score, and are added as well.""",
    "else scores + mask", "else scores + mask.clamp(max=0)")

wrong(F, "scores_times_additive_mask", "additive_mask",
    "You multiply the scores by the additive mask: it is to be added.",
    "else scores + mask", "else scores * mask")

# Causal -------------------------------------------------------------------------------------------

wrong(F, "ignores_is_causal", "causal",
    "Your attention equals the one without is_causal: position i must not see the keys after i.",
    PAST_ONLY, "scores")

wrong(F, "sees_the_future", "causal",
    """Your causal mask is upside down: every position sees itself and the future. Position i may
    attend to the keys 0..i, which are the lower triangle, tril.""",
    ".tril()", ".triu()")

wrong(F, "causal_fills_where_allowed", "causal",
    """With is_causal your triangle is read the wrong way round: you fill in -inf at the keys 0..i,
    which position i may attend to, and leave it those after i. The last position is left nothing.
    Fill in -inf at the keys after i.""",
    "~past", "past")

wrong(F, "hides_itself", "causal",
    """Your causal mask hides every token from itself, and leaves nothing to the first one: position
    i may attend to 0..i, i included.""",
    ".tril()", ".tril(-1)")

wrong(F, "sees_one_ahead", "causal",
    """Your causal mask is one too generous: position i also sees i + 1, the very token it is to
    predict.""",
    ".tril()", ".tril(1)")

wrong(F, "forbids_where_the_score_is_zero", "causal",
    """With is_causal you fill in -inf wherever the score is 0: in the past a score may be 0 too.
    Fill where the triangle of ones is 0, whatever the score is.""",
    PAST_ONLY, "scores.tril()\n        scores = scores.masked_fill(scores == 0, -torch.inf)")

wrong(F, "causal_zero_scores", "causal",
    """With is_causal you give the future the score 0, as tril of the scores does, or a product with
    a triangle of ones: that is not forbidden, since e^0 = 1. Give the future the score -inf.""",
    PAST_ONLY, "scores * past")

wrong(F, "causal_zero_scores_after_the_mask", "causal causal_together_with_a_mask",
    """With is_causal you multiply the scores by 0 for the future, after the mask: a score of 0 is
    not forbidden, and 0 times the -inf of a mask is NaN. Fill the future with -inf, by masked_fill
    or torch.where.""",
    *NOT_CAUSAL, "\n    weights = ", f"""
    if is_causal:
        {PAST}
        scores = scores * past
    weights = """)

wrong(F, "causal_zeros_filled_in_after_the_mask", "causal causal_together_with_a_mask",
    """With is_causal you fill in 0 for the future, after the mask: that gives weight even to keys
    that the mask forbids. What forbids is -inf.""",
    *NOT_CAUSAL, "\n    weights = ", f"""
    if is_causal:
        {PAST}
        scores = scores.masked_fill(~past, 0.0)
    weights = """)

wrong(F, "causal_after_softmax", "causal",
    """You apply the causal triangle to the weights, after the softmax: the rows no longer sum to
    one.""",
    PAST_ONLY, "scores", SOFTMAX, f"{SOFTMAX}\n    if is_causal:\n        weights = weights * past")

wrong(F, "causal_renormalised", "future_keys_that_dominate",
    """You cut the future out of the weights and normalise again: where a later key dominates, the
    visible weights have already underflowed to 0. Mask before the softmax.""",
    PAST_ONLY, "scores",
    SOFTMAX,
    f"""{SOFTMAX}
    if is_causal:
        weights = weights * past
        {NORMALISED}""")

wrong(F, "causal_size_from_axis_one", "causal",
    """You take the number of tokens from axis 1, which holds the heads when there are four axes: it
    is q.shape[-2].""",
    "scores.shape[-2:]", "(q.shape[1], q.shape[1])")

# Dropout ------------------------------------------------------------------------------------------

wrong(F, "dropout_ignored", "dropout_drops_and_rescales_weights",
    "Your attention drops nothing in training: a share dropout_p of the weights must be 0.",
    DROPOUT, "weights")

wrong(F, "dropout_always_active", "no_dropout_outside_training",
    """Your dropout acts although training is False: drop only if training is True. (F.dropout has
    training=True unless told otherwise, and a fresh nn.Dropout is always in training mode. With
    F.dropout, write F.dropout(weights, dropout_p, training=training).)""",
    "train=training", "train=True")

wrong(F, "training_handed_over_as_inplace", "no_dropout_outside_training",
    """`training` never reaches F.dropout: you hand it over as another argument, inplace. So it
    drops always, and in training it changes the weights that you return. Write
    training=training.""",
    DROPOUT, "torch.nn.functional.dropout(weights, dropout_p, inplace=training)")

wrong(F, "dropout_without_rescaling", "dropout_drops_and_rescales_weights",
    """You do not rescale what dropout keeps: divide it by 1 - dropout_p, so that the mean stays the
    same.""",
    DROPOUT, f"weights * {KEPT} if training else weights")

wrong(F, "shrinks_outside_training", "no_dropout_outside_training",
    """You shrink the output by 1 - dropout_p outside training: the rescaling belongs into training,
    so that nothing is left to do afterwards.""",
    DROPOUT, f"weights * ({KEPT} if training else 1 - dropout_p)")

wrong(F, "rescales_by_dropout_p", "dropout_drops_and_rescales_weights",
    "You divide what dropout keeps by dropout_p: divide by the share that is kept, 1 - dropout_p.",
    DROPOUT, f"weights * {KEPT} / dropout_p if training and dropout_p else weights")

wrong(F, "keeps_a_share_dropout_p", "dropout_drops_and_rescales_weights",
    "You keep a share dropout_p of the weights: that is the share to drop.",
    "weights, dropout_p", "weights, 1 - dropout_p if dropout_p else 0.0")

wrong(F, "drops_the_share_to_keep", "dropout_drops_and_rescales_weights",
    """You keep a share dropout_p of the weights and drop the rest, though you divide by
    1 - dropout_p: dropout_p is the share to drop. A weight stays where its random number, between 0
    and 1, is dropout_p or more.""",
    DROPOUT, BY_HAND, ">= dropout_p) / (1 - dropout_p) if training",
    "< dropout_p) / (1 - dropout_p) if training and dropout_p")

wrong(F, "always_drops_half", "dropout_drops_and_rescales_weights",
    """You drop another share of the weights than dropout_p, such as always half: hand dropout_p on
    to the dropout.""",
    "weights, dropout_p", "weights, 0.5 if dropout_p else 0.0")

wrong(F, "renormalises_after_dropout", "dropout_drops_and_rescales_weights",
    """With dropout your rows sum to one again: you normalise them once more, or you drop scores
    (with -inf) before the softmax. Drop the weights, after the softmax, and leave the rows as they
    are: dividing by 1 - dropout_p keeps their mean.""",
    DROPOUT, f"{DROPOUT}\n    dropped = dropped / dropped.sum(-1, keepdim=True)")

wrong(F, "drops_scores", "dropout_drops_and_rescales_weights",
    """In training the weights that you use and return change, but none becomes 0: a dropout before
    the softmax leaves weight to a score of 0. Drop the weights.""",
    "q @ k.mT * scale", "torch.dropout(q @ k.mT * scale, dropout_p, train=training)",
    DROPOUT, "weights")

wrong(F, "drops_masked_scores", "dropout_drops_and_rescales_weights",
    """Your dropout falls on the scores, behind the masks and before the softmax: a score of 0 still
    gets weight, and -inf times 0 is NaN. Drop the weights.""",
    "scores.softmax(dim=-1)", "torch.dropout(scores, dropout_p, train=training).softmax(dim=-1)",
    DROPOUT, "weights")

wrong(F, "drops_masked_scores_for_the_average", "dropout_drops_and_rescales_weights",
    """The weights that you return are right, but in training the values are averaged under others,
    made by a softmax of dropped scores: a score of 0 still gets weight. Drop the weights, after the
    softmax.""",
    DROPOUT, "torch.dropout(scores, dropout_p, train=training).softmax(dim=-1)")

wrong(F, "drops_the_output", "values_meet_the_dropped_weights",
    "You drop numbers of the output: dropout acts on the weights, before the values are averaged.",
    DROPOUT, "weights",
    AVERAGE, f"torch.dropout({AVERAGE}, dropout_p, train=training)")

wrong(F, "drops_whole_keys", "dropout_falls_on_each_weight_alone",
    """You draw one dropout mask for all queries: then whole keys disappear for everybody. Draw one
    number for every weight.""",
    DROPOUT, BY_HAND, "like(weights)", "like(weights[..., :1, :])")

wrong(F, "drops_the_values", "values_meet_the_dropped_weights",
    "You drop numbers of the values: dropout acts on the weights.",
    DROPOUT, "weights",
    AVERAGE, "dropped @ torch.dropout(v, dropout_p, train=training)")

wrong(F, "returns_dropped_weights", "returned_weights_are_not_dropped",
    """You return the weights after dropout: the caller wants the distribution, whose rows sum to
    one. Keep it, and drop in a new tensor.""",
    f"{AVERAGE}, weights", f"{AVERAGE}, dropped")

wrong(F, "alpha_dropout", "dropout_drops_and_rescales_weights",
    """In training the weights that you use change, but none becomes 0, as by F.alpha_dropout, or by
    a dropout before the softmax: each weight on its own becomes 0 or grows, which is F.dropout of
    the weights.""",
    "torch.dropout(weights, dropout_p, train=training)",
    "torch.alpha_dropout(weights, dropout_p, train=training)")

wrong(F, "drops_whole_queries", "dropout_falls_on_each_weight_alone",
    "You drop whole rows: then a query sees nothing at all. Every weight is dropped on its own.",
    DROPOUT, BY_HAND, "like(weights)", "like(weights[..., :1])")

wrong(F, "same_dropout_for_all_heads", "dropout_falls_on_each_weight_alone",
    "All heads share one dropout mask: draw one number for every weight.",
    DROPOUT, BY_HAND, "like(weights)", "like(weights[:, :1])")

wrong(F, "same_dropout_for_all_batches", "dropout_falls_on_each_weight_alone",
    """All batches share one dropout mask: draw one number for every weight,
    torch.rand_like(weights).""",
    DROPOUT, BY_HAND, "like(weights)", "like(weights[:1])")

wrong(F, "same_dropout_for_heads_and_batches", "dropout_falls_on_each_weight_alone",
    """You draw one table of random numbers, queries by keys, for all heads and all batches: draw
    one number for every weight, so take the shape of the weights.""",
    DROPOUT, BY_HAND, "like(weights)", "like(weights[(0,) * (weights.ndim - 2)])")

wrong(F, "seeds_every_call", "dropout_falls_on_each_weight_alone",
    """Every call drops the same weights: you seed the random numbers in the function, or keep them
    from an earlier call. Draw afresh in every call.""",
    "dropped =", "torch.manual_seed(0)\n    dropped =")

wrong(F, "dropped_weights_detached", "gradients_pass_the_dropped_weights",
    """In training the dropped weights have left the graph: multiply the weights by a random mask,
    without no_grad or detach around the weights.""",
    "torch.dropout(weights",
    "torch.dropout(weights.detach() if training and dropout_p else weights")

# Values and what is returned ----------------------------------------------------------------------

wrong(F, "averages_keys", "queries_average_values",
    "You average the keys: they only decide the weights, what is averaged are the values.",
    AVERAGE, "dropped @ k")

wrong(F, "weights_transposed", "queries_average_values",
    """You multiply by the transposed weights: row i of the weights belongs to query i, and out is
    weights @ v.""",
    AVERAGE, "dropped.mT @ v")

wrong(F, "returns_only_out", "queries_average_values",
    "You return only out: return the pair (out, weights).",
    f"{AVERAGE}, weights", AVERAGE)

wrong(F, "returns_weights_first", "queries_average_values",
    "You return (weights, out): out comes first.",
    f"{AVERAGE}, weights", f"weights, {AVERAGE}")

wrong(F, "returns_mean_of_the_heads", "any_number_of_axes",
    """With four axes you return the weights averaged over the heads, as nn.MultiheadAttention does:
    return those of each head, in the shape (..., Tq, Tk).""",
    f"{AVERAGE}, weights", f"{AVERAGE}, weights.mean(1) if weights.ndim == 4 else weights")

wrong(F, "returns_scores", "queries_average_values",
    "You return the scores in the place of the weights: weights are what softmax makes of them.",
    f"{AVERAGE}, weights", f"{AVERAGE}, scores")

wrong(F, "detached", "queries_average_values",
    """Your output has left the graph: without detach, .data, no_grad or torch.tensor, gradients
    flow back to q, k and v.""",
    f"{AVERAGE}, weights", f"({AVERAGE}).detach(), weights.detach()")

wrong(F, "returned_weights_detached", "queries_average_values",
    """The weights that you return have left the graph: gradients flow back through both results, so
    return them without detach.""",
    f"{AVERAGE}, weights", f"{AVERAGE}, weights.detach()")

wrong(F, "weights_detached", "queries_average_values",
    """Your weights have left the graph, so q and k never learn: only v gets a gradient through out.
    Do not detach the weights.""",
    AVERAGE, "dropped.detach() @ v")

# Dtype, device, layout, inputs --------------------------------------------------------------------

wrong(F, "always_float32", "custom_scale",
    "Your results are always float32: the dtype out must be the dtype in.",
    "if scale", "q, k, v = q.float(), k.float(), v.float()\n    if scale")

wrong(F, "float32_causal_mask", "causal_together_with_a_mask",
    """With is_causal a table of yours that is float32 (-inf above the diagonal, for example) turns
    bfloat16 scores into float32: make it of q's dtype, or boolean.""",
    PAST_ONLY, "scores + torch.full(past.shape, -torch.inf, device=q.device).triu(1)")

wrong(F, "float32_weights", "custom_scale",
    """Your weights stay float32 after a float32 softmax: cast them back to the inputs' dtype before
    they are used and returned.""",
    "scores.softmax", "scores.float().softmax", AVERAGE, "dropped.to(v.dtype) @ v")

wrong(F, "causal_mask_on_the_cpu", "works_where_its_inputs_are",
    "Your causal mask is made on the CPU: pass device=q.device when you create a tensor.",
    ", device=q.device", "")

wrong(F, "dropout_on_the_cpu", "works_where_its_inputs_are",
    """Your dropout draws its random numbers on the CPU wherever the weights are:
    torch.rand_like(weights) draws them there, and so does F.dropout(weights, ...).""",
    DROPOUT, BY_HAND, "rand_like(weights)", "rand(weights.shape)")

wrong(F, "dropout_of_float32_ones", "works_where_its_inputs_are",
    """In training your weights become float32, for what they are multiplied by is float32 (ones
    that dropout falls on, or a random mask): drop the weights themselves, or make it of their
    dtype, as torch.ones_like(weights) is.""",
    DROPOUT, f"weights if not (training and dropout_p) else weights * {DROPOUT}",
    "torch.dropout(weights", "torch.dropout(torch.ones(weights.shape, device=q.device)")

wrong(F, "views_the_inputs", "any_number_of_axes",
    """You call view on an input, which a transposed one does not allow: use reshape, or no
    reshaping at all.""",
    "if scale",
    "q, k, v = (x.view(-1, *x.shape[-2:]).view(x.shape) for x in (q, k, v))\n    if scale")

wrong(F, "scales_in_place", "custom_scale",
    "You change an input in place, as q *= scale does: write q * scale, which makes a new tensor.",
    "scores = q @ k.mT * scale", "q *= scale\n    scores = q @ k.mT")
