"""Wrong answers to ``multi_head_attention``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

# Where a slip is sought, who catches it, and what the page says there -----------------------------

F = "multi_head_attention"
MAKING, LAYER = "MultiHeadAttention.__init__", "MultiHeadAttention.forward"
SHARED, WRAPPER = "_attention_weights", "MultiHeadAttentionWrapper"

HEADS, CROSS = "heads_side_by_side", "queries_from_one_sentence_keys_from_another"
DOMINATED, BOTH = "forbidden_keys_that_dominate", "options_in_pairs"
WIDTHS, SOURCES = "layer_with_widths_for_keys_and_values", "layer_with_keys_and_values"
OWN, SHARING = "layer_with_widths_of_its_own", "layer_whose_heads_share_the_inner_width"
REFUSES = "layer_refuses_heads_that_cannot_share"
AT_THE_END = "layer_with_a_bias_at_the_end_alone"
SHOWN, IN_PLACES = "layer_shows_the_weights_of_every_head", "layer_in_other_places"
CAUSAL_HEADS = "wrapper_puts_causal_heads_side_by_side"
BESIDE, START = "layers_side_by_side", "layers_start_at_random"
HALF, MIXED = "masks_in_half_precision", "layer_under_autocast"

ROOT = "math.sqrt(q.shape[-1])"
SPLIT = ".unflatten(-1, (num_heads, -1)).transpose(1, 2)"
MERGED = "heads.transpose(1, 2).flatten(2)"
LAYER_SPLIT = "y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)"
LAYER_FASTEST = "y.unflatten(-1, (-1, self.num_heads)).movedim(-1, 1)"
LAYER_MERGED = "out = self.w_o(heads.transpose(1, 2)"
SHARES = "_attention_weights(q, k, mask, is_causal)"
FORBID_PAST = "scores.masked_fill(~past, -torch.inf)"
FORBID_MASK = "scores.masked_fill(~mask, -torch.inf)"

WRITTEN = """def _own_weights(q, k, mask, is_causal):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if is_causal:
        past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~past, -torch.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1)
"""


def of_one_alone(old, new, before="def _attention_weights(", more=()):
    """Weights that the function, or the class, computes by itself: the other one is right."""
    own = WRITTEN
    for here, instead in ((old, new), *more):
        assert here in own
        own = own.replace(here, instead)
    return SHARES, SHARES.replace("_attention", "_own"), before, f"{own}\n\n{before}"


def of_the_layer_alone(old, new, *more):
    return of_one_alone(old, new, "class MultiHeadAttentionWrapper(", more)


# The wrapper's heads compute by themselves, and right: it is written first, often with the heads of
# another page, so a slip of the function and the class is mostly none of the wrapper.
HEADS_APART = (
    "class _CausalHead(", f"{WRITTEN}\n\nclass _CausalHead(",
    "_attention_weights(self", "_own_weights(self",
)
for step in ("MultiHeadAttention", f"{F}: the heads", f"{F}: masks"):
    wrong.up_to(step, WRAPPER, *HEADS_APART)
wrong.up_to(f"{F}: the heads", F, SHARES, "_attention_weights(q, k, None, False)")


def of_the_wrapper_alone(old, new, *more):
    _, _, before, own = of_one_alone(old, new, "class _CausalHead(", more)
    return before, own, "_attention_weights(self", "_own_weights(self"


# The scale ----------------------------------------------------------------------------------------

wrong(F, "no_scale", f"{HEADS} causal",
    """Your output equals multi-head attention without the division by sqrt(d): the softmax
    saturates.""",
    f" / {ROOT}", "")

wrong(F, "scaled_by_the_model_width", HEADS,
    """You divide by sqrt(d_model), the width of all heads together: a score sums over the
    d = d_model / H columns of one head only, so divide by sqrt(d).""",
    ROOT, "math.sqrt(q.shape[-1] * q.shape[1])")

wrong(F, "scaled_by_the_query_as_it_comes", "all_widths_may_differ",
    """Your function takes the width of a head from the query as it comes, its last axis divided by
    num_heads: a score sums over the columns that w_q makes, so ask what came out of the split.""",
    SHARES, f"_attention_weights(q * {ROOT} / math.sqrt(query.shape[-1] / num_heads), k, mask, "
    "is_causal)")

wrong(F, "scaled_by_the_query_rounded_down", "all_widths_may_differ",
    """Your function takes the width of a head from query or key as they come, with shape[-1] //
    num_heads: a score sums over the columns that w_q makes, so ask what came out of the split.""",
    SHARES, f"_attention_weights(q * {ROOT} / math.sqrt(query.shape[-1] // num_heads), k, mask, "
    "is_causal)")

wrong(F, "divides_by_d", HEADS,
    "You divide by d instead of its square root.",
    ROOT, "q.shape[-1]")

wrong(F, "divides_by_half_of_d", HEADS,
    """You divide by d / 2, for d ** 1 / 2 means (d ** 1) / 2: write d ** 0.5, or math.sqrt(d).""",
    ROOT, "(q.shape[-1] ** 1 / 2)")

wrong(F, "scaled_by_the_value_width", "all_widths_may_differ",
    """You divide by the square root of the width of a head's values: scores are products of queries
    and keys, their width counts.""",
    "_attention_weights(q", f"_attention_weights(q * {ROOT} / math.sqrt(v.shape[-1])")

wrong(F, "scaled_by_the_input_width", f"{HEADS} all_widths_may_differ",
    """You divide by the square root of what comes in, query.shape[-1]: what counts is the width of
    a head after the projection.""",
    "_attention_weights(q", f"_attention_weights(q * {ROOT} / math.sqrt(query.shape[-1])")

wrong(F, "tokens_divided_before_the_projection", "biases all_widths_may_differ",
    """You divide the queries' tokens before w_q: b_q, which is added after it, is not divided with
    them. Divide the scores, or what comes out of the projection.""",
    "(query, w_q, b_q)", "(query / math.sqrt(len(w_q) // num_heads), w_q, b_q)",
    "_attention_weights(q, k", f"_attention_weights(q * {ROOT}, k")

# Split and merge ----------------------------------------------------------------------------------

wrong(F, "view_without_transpose", HEADS,
    """You view (B, T, H*d) as (B, H, T, d) without a transpose: that cuts the tokens' axis, and
    head 0 gets the first tokens. View as (B, T, H, d) first, then swap.""",
    SPLIT, ".reshape(len(x), num_heads, x.shape[1], -1)")

wrong(F, "values_viewed_without_transpose", HEADS,
    """Queries and keys are cut rightly, but the values are viewed as (B, H, T, d) without a
    transpose: head 0 gets those of the first tokens. View as (B, T, H, d) first, then swap.""",
    "(q, k, mask, is_causal) @ v\n", "(q, k, mask, is_causal) @ (\n"
    "        v.transpose(1, 2).reshape(v.shape))\n")

wrong(F, "head_index_fastest", HEADS,
    """Your head h works on the columns h, h + H, h + 2H ...: cut the projected width into (H, d),
    not into (d, H).""",
    SPLIT, ".unflatten(-1, (-1, num_heads)).movedim(-1, 1)")

wrong(F, "head_index_fastest_in_the_values", HEADS,
    """Of the values your head h takes the columns h, h + H, h + 2H ..., while queries and keys are
    cut rightly: cut all three into (H, d), not into (d, H).""",
    "(q, k, mask, is_causal) @ v\n", "(q, k, mask, is_causal) @ (\n"
    "        v.transpose(1, 2).flatten(2).unflatten(-1, (-1, num_heads)).movedim(-1, 1))\n")

wrong(F, "head_index_fastest_both_ways", HEADS,
    """Your head h works on the columns h, h + H, h + 2H ..., and its answers are put back there.
    Cut the projected width into (H, d), not into (d, H): a head's d columns lie side by side.""",
    SPLIT, ".unflatten(-1, (-1, num_heads)).movedim(-1, 1)",
    MERGED, "heads.permute(0, 2, 3, 1).flatten(2)")

wrong(F, "merged_with_the_head_index_fastest", HEADS,
    """Your split is right, but you merge column by column, and not head by head: before w_o the d
    numbers of one head stand side by side. Swap heads and tokens, then flatten the last two
    axes.""",
    MERGED, "heads.permute(0, 2, 3, 1).flatten(2)")

wrong(F, "merges_without_transposing_back", HEADS,
    """You merge without transposing back: a row of the result must hold one token's answers from
    all heads. Swap heads and tokens before you flatten.""",
    MERGED, "heads.reshape(len(heads), heads.shape[2], -1)")

wrong(F, "flattens_the_inputs", HEADS,
    """You flatten the inputs with view before projecting, which transposed ones do not allow:
    x @ w.T works on the last axis as it is.""",
    "linear(x, w, b)", "linear(x.view(-1, x.shape[-1]), w, b).view(*x.shape[:2], -1)")

wrong(F, "view_after_transpose", HEADS,
    """After a transpose the memory is no longer in order, and view refuses: write
    .contiguous().view(...) or .reshape(...).""",
    MERGED, "heads.transpose(1, 2).view(*query.shape[:2], -1)")

wrong(F, "keys_with_the_query_length", CROSS,
    """You give keys or values the query's length: between two sentences they have a length of their
    own, key.shape[1].""",
    SPLIT, ".view(*query.shape[:2], num_heads, len(w) // num_heads).transpose(1, 2)")

wrong(F, "width_of_the_query", f"all_widths_may_differ {BOTH}",
    """You take a head's width from the query, query.shape[-1] // H: the heads share what the
    projection makes, so take it from w_q.""",
    SPLIT, ".view(*x.shape[:2], num_heads, query.shape[-1] // num_heads).transpose(1, 2)")

wrong(F, "width_of_the_query_and_any_length", f"all_widths_may_differ {BOTH}",
    """You take the width of a head from the query as it comes in, query.shape[-1] // num_heads. The
    heads share the columns that w_q makes: its rows, divided by num_heads. For the values it is
    w_v.""",
    SPLIT, ".view(len(x), -1, num_heads, query.shape[-1] // num_heads).transpose(1, 2)")

wrong(F, "values_as_wide_as_keys", "all_widths_may_differ",
    """You view the values with the width of a head's keys: w_v may be wider or narrower than w_k,
    so each is cut by its own width.""",
    SPLIT, ".view(*x.shape[:2], num_heads, len(w_k) // num_heads).transpose(1, 2)")

wrong(F, "heads_and_batch_mixed", HEADS,
    """You fold heads into the batch in one order and unfold them in the other: one sentence gets
    another's answers.""",
    "heads.transpose(1, 2)", "heads.flatten(0, 1).unflatten(0, (num_heads, -1)).movedim(0, 2)")

wrong(F, "squeezes", "axes_of_size_one",
    """Axes that happen to have size 1 are missing in your result, as squeeze takes them away, like
    a batch of one or a single query: name the axis, or leave squeeze out.""",
    "w_o, b_o)", "w_o, b_o).squeeze()")

# Heads --------------------------------------------------------------------------------------------

wrong(F, "one_wide_head", HEADS,
    "You never split: your output equals one head of the full width, whatever num_heads says.",
    "(num_heads, -1)", "(1, -1)")

wrong(F, "weights_of_the_first_head", HEADS,
    "All heads use the weights of head 0: each head has scores of its own.",
    SHARES, f"{SHARES}[:, :1]")

wrong(F, "weights_averaged_over_heads", HEADS,
    """You average the weights over the heads before you use them: then all heads look at the same
    place.""",
    SHARES, f"{SHARES}.mean(1, keepdim=True)")

wrong(F, "heads_in_reverse", HEADS,
    """You put the heads' answers side by side in reverse: head 0 comes first, for the columns of
    w_o belong to the heads in their order.""",
    MERGED, f"heads.flip(1){MERGED[5:]}")

wrong(F, "averages_the_heads", HEADS,
    """You average the heads' answers: multi-head attention puts them side by side, and w_o mixes
    them.""",
    MERGED, "heads.mean(1).repeat(1, 1, num_heads)")

wrong(F, "averages_the_projections", HEADS,
    """You divide the sum of the heads' projections by the number of heads: concatenating and
    projecting is their sum.""",
    MERGED, f"{MERGED} / num_heads")

wrong(F, "softmax_over_queries", HEADS,
    """Your softmax runs over the queries: each query shares its weight out among the keys, so rows
    sum to one.""",
    "softmax(dim=-1)", "softmax(dim=-2)")

wrong(F, "softmax_over_heads", HEADS,
    """Your softmax runs over the heads, which then compete: it runs over the keys, in each head by
    itself.""",
    "softmax(dim=-1)", "softmax(dim=1)")

wrong(F, "scores_transposed", HEADS,
    "Your weights are transposed: row i must hold what query i gives to each key.",
    "scores.softmax", "scores.mT.softmax")

# Who is projected by what -------------------------------------------------------------------------

wrong(F, "forgets_w_o", HEADS,
    "Your output is the heads side by side, not yet mixed: the projection by w_o is missing.",
    f"linear({MERGED}, w_o, b_o)", MERGED)

wrong(F, "w_o_transposed", HEADS,
    "You use w_o the wrong way round: it is laid out as (d_out, H*d_v), so y = x @ w_o.T.",
    "w_o, b_o)", "w_o.T, b_o)")

wrong(F, "projections_transposed", HEADS,
    """You multiply by w_q, w_k and w_v without transposing them: their rows belong to the result,
    so y = x @ w.T.""",
    "linear(x, w, b)", "linear(x, w.T, b)")

for of, is_right in (("q", "queries"), ("k", "keys"), ("v", "values")):
    source = {"q": "query", "k": "key", "v": "value"}[of]
    wrong(F, f"w_{of}_alone_transposed", HEADS,
        f"""You multiply the {is_right} by w_{of} as it lies, the other two by their transpose: the
        rows of all three belong to the result, so here too it is y = x @ w.T.""",
        f"({source}, w_{of}, b_{of})", f"({source}, w_{of}.T, b_{of})")

wrong(F, "keys_from_the_query_in_einsum", f"example {CROSS}",
    """Your keys are projected from the query, which ignores the other sentence: w_k belongs to
    `key`. (An einsum goes through even where there is one query and several values.)""",
    "(key, w_k", "(query, w_k", f"{SHARES} @ v",
    f'torch.einsum("bhqk,bhkd->bhqd", {SHARES}, v)')

wrong(F, "keys_from_the_query", CROSS,
    """You compute the keys from the query: between two sentences that ignores the other one. Keys
    come from `key`.""",
    "(key, w_k", "(query, w_k")

wrong(F, "values_from_the_keys", CROSS,
    "You compute the values from `key`: `value` is an input of its own.",
    "(value, w_v", "(key, w_v")

wrong(F, "always_self_attention", CROSS,
    "You attend from the query to the query: key and value are never looked at.",
    "(key, w_k", "(query, w_k", "(value, w_v", "(query, w_v")

wrong(F, "key_comes_first", CROSS,
    "You take your arguments in the order key, query, value: here the query comes first.",
    "    key:", "    query:", "    query:", "    key:")

wrong(F, "averages_the_keys", HEADS,
    """The keys are averaged where the values should be: w_k decides the weights, w_v makes what
    they average.""",
    "(value, w_v, b_v)", "(key, w_k, b_k)")

wrong(F, "forgets_w_v", HEADS,
    "You average the values as they came in: project them with w_v first.",
    "heads =", f"v = value{SPLIT}\n    heads =")

wrong(F, "adds_the_query", HEADS,
    "You add the query to the result: a residual connection is not part of attention.",
    "return linear", "return query + linear")

# Biases -------------------------------------------------------------------------------------------

wrong(F, "forgets_b_o", "biases",
    "You never add b_o: the last projection has a bias as well.",
    "w_o, b_o)", "w_o)")

wrong(F, "forgets_b_q", "biases",
    "You never add b_q: it shifts the queries, and by that the scores.",
    "w_q, b_q)", "w_q, None)")

wrong(F, "forgets_b_v", "biases",
    "You never add b_v: it shifts the values.",
    "w_v, b_v)", "w_v, None)")

wrong(F, "b_k_and_b_v_exchanged", "biases all_widths_may_differ",
    """Your values get b_k where b_v belongs, or the two are exchanged: each projection adds the
    bias of its own name.""",
    "w_k, b_k)", "w_k, b_v)", "w_v, b_v)", "w_v, b_k)")

wrong(F, "b_v_only_with_b_k", "biases",
    """You look at one bias and use another by it: each is added by its own projection, whether the
    others are there or not.""",
    "q, k, v = (", """b_v = None if b_k is None else b_v
    q, k, v = (""")

wrong(F, "b_o_for_every_head", "biases",
    "You add b_o once for every head: project the heads together, or add it at the end.",
    "w_o, b_o)", "w_o, None if b_o is None else num_heads * b_o)")

wrong(F, "all_biases_or_none", "biases",
    "You use the biases all or none: each may be given without the others.",
    "q, k, v = (", """if any(b is None for b in (b_q, b_k, b_v, b_o)):
        b_q = b_k = b_v = b_o = None
    q, k, v = (""")

wrong(F, "biases_are_needed", f"example {HEADS}",
    "You add the biases without asking whether there are any: they may be None.",
    "linear(x, w, b)", "(x @ w.T + b)")

# Masks --------------------------------------------------------------------------------------------

wrong(F, "mask_inverted", "masks",
    """Your mask works the other way round: True = may attend here, as opposed to
    torch.nn.MultiheadAttention.""",
    "~mask", "mask")

wrong(F, "causal_replaces_the_mask", BOTH,
    "With is_causal your mask is forgotten: the causal one replaces it, where both must allow.",
    "if mask is", "elif mask is")

wrong(F, "mask_replaces_causal", BOTH,
    """Given a mask you forget is_causal, as if ... elif ... does, which handles one of them only:
    both must allow.""",
    "if is_causal", "if is_causal and mask is None")

wrong(F, "mask_ignored", "masks",
    "Your output equals attention without the mask.",
    SHARES, "_attention_weights(q, k, None, is_causal)")

wrong(F, "zero_is_not_forbidden", "masks causal",
    """You set forbidden scores to 0, and e^0 is 1: they still get weight. Set them to -inf before
    the softmax.""",
    "-torch.inf", "0.0", "-torch.inf", "0.0")

wrong(F, "mask_added", "masks",
    """You add the mask itself to the scores: True counts as 1 there and False as 0, so nothing is
    forbidden. Where the mask is False, the score must become -inf.""",
    FORBID_MASK, "scores + mask")

wrong(F, "mask_multiplied", "masks",
    """You multiply the scores by the mask, or fill in 0 where it forbids: a score of 0 has a share
    in the softmax like any other, e^0 is 1. Where the mask is False, the score must be -inf.""",
    FORBID_MASK, "scores * mask")

AFTER_SOFTMAX = (
    f"q @ k.mT / {ROOT}", f"(q @ k.mT / {ROOT}).softmax(dim=-1)",
    "-torch.inf", "0.0", "-torch.inf", "0.0",
)

wrong(F, "forbids_after_softmax", "masks causal",
    """You take forbidden weights away after the softmax: what is left no longer sums to one. Forbid
    before it.""",
    *AFTER_SOFTMAX, "scores.softmax(dim=-1)", "scores")

wrong(F, "mask_after_softmax", "masks",
    """You take away what the mask forbids after the softmax: what is left no longer sums to one.
    is_causal you forbid before it, and there the mask belongs, too.""",
    FORBID_MASK, "scores.masked_fill(~mask, 0.0)", "return scores.softmax(dim=-1)", "return scores",
    "if mask is", "scores = scores.softmax(dim=-1)\n    if mask is")

wrong(F, "forbids_and_renormalises", DOMINATED,
    """You forbid too late, after the softmax or after its maximum was taken, and divide by what is
    left: right on paper, but next to a forbidden key that dominates nothing is left, 0 / 0.""",
    *AFTER_SOFTMAX, "scores.softmax(dim=-1)", "scores / scores.sum(dim=-1, keepdim=True)",
    *HEADS_APART)

wrong(F, "subtracts_a_hundred", DOMINATED,
    """You take a fixed number such as 100 off forbidden scores, which a large score outweighs: fill
    in -inf, or torch.finfo(scores.dtype).min.""",
    FORBID_PAST, "scores - 100.0 * ~past", FORBID_MASK, "scores - 100.0 * ~mask", *HEADS_APART)

wrong(F, "exponentials_overflow", DOMINATED,
    """You take the exponentials of the scores as they are: from 89 on they overflow. softmax
    subtracts the maximum first.""",
    "scores.softmax(dim=-1)", "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)",
    *HEADS_APART)

wrong(F, "zero_times_infinity", "masks",
    "You multiply -inf by the mask's zeros, and 0 * inf is NaN: use masked_fill or where.",
    FORBID_PAST, "scores + ~past * -torch.inf", FORBID_MASK, "scores + ~mask * -torch.inf")

wrong(F, "mask_of_the_first_sentence", "masks",
    "You use the first sentence's mask for the whole batch: every sentence has its own padding.",
    "heads =", """if mask is not None and mask.ndim == 4:
        mask = mask[:1]
    heads =""")

wrong(F, "mask_of_the_first_head", "masks",
    "You use head 0's mask for all heads: a mask with four axes may differ from head to head.",
    "heads =", """if mask is not None and mask.ndim == 4:
        mask = mask[:, :1]
    heads =""")

wrong(F, "two_axes_are_padding", "masks",
    """You take a mask with two axes for one of padding, (B, Tk): two axes are (Tq, Tk) here, the
    same for all sentences.""",
    "heads =", """if mask is not None and mask.ndim == 2:
        mask = mask[:, None, None, :]
    heads =""")

wrong(F, "masks_the_queries", "masks",
    "You forbid padding to ask, not to be asked: the mask's last axis belongs to the keys.",
    "~mask", "~mask.mT")

wrong(F, "causal_ignored", "causal",
    "Your output equals attention without is_causal: every position sees its future.",
    SHARES, "_attention_weights(q, k, mask, False)")

wrong(F, "mask_and_causal_ignored", "masks causal",
    """Your function's output is that without mask and is_causal, whatever they are: what they
    forbid is still to be written.""",
    SHARES, "_attention_weights(q, k, None, False)")

wrong(F, "sees_the_next_position", "causal",
    """Position i also sees position i + 1, the very token it is to predict: tril() has no offset
    here.""",
    ".tril()", ".tril(1)")

wrong(F, "causal_fills_where_allowed", "causal",
    """With is_causal you forbid the past and the position itself, and the last one is left nothing.
    Where tril() is True, attention is allowed: fill in -inf where it is not, ~past.""",
    "~past", "past")

wrong(F, "hides_itself", "causal",
    """Your causal mask hides every position from itself, so the first one sees nothing and gets
    NaN: the diagonal is allowed.""",
    ".tril()", ".tril(-1)")

wrong(F, "sees_only_the_future", "causal",
    "Your causal mask is upside down: positions see their future and not their past.",
    ".tril()", ".triu()")

wrong(F, "either_allows", BOTH,
    """With a mask and is_causal one permission is enough in your function: both must allow. Join
    what is allowed with &, or what is forbidden with |.""",
    "if mask is", "elif mask is", "~past", "~(past if mask is None else past | mask)")

wrong(F, "writes_into_the_mask", BOTH,
    "You write into the caller's own mask, as &= does: make a new one, mask & past.",
    "heads =", """if is_causal and mask is not None:
        mask &= mask.new_ones(q.shape[2], k.shape[2]).tril()
    heads =""")

wrong(F, "padding_where_sizes_agree", BOTH,
    """You take a mask with two axes for one of padding, (B, Tk), where there are as many sentences
    as queries: it is (Tq, Tk), whatever the sizes are.""",
    "heads =", """if mask is not None and mask.ndim == 2 and len(mask) == len(query):
        mask = mask[:, None, None, :]
    heads =""")

wrong(F, "mask_remembered_by_its_shape", "masks",
    """You keep what you made of a mask and find it again by its shape: another mask of the same
    shape is another mask.""",
    "heads =", """if mask is not None:
        mask = globals().setdefault("_MASKS", {}).setdefault(mask.shape, mask)
    heads =""")

wrong(F, "causal_mask_of_a_fixed_size", "causal",
    """Your causal mask has a fixed size, and longer sentences do not fit: make it as large as the
    scores.""",
    "heads =", """if is_causal:
        past = torch.ones(128, 128, dtype=torch.bool, device=q.device).tril()
        past = past[: q.shape[2], : k.shape[2]]
        mask = past if mask is None else mask & past
    heads =""")

wrong(F, "no_bias_where_masked", BOTH,
    """Given a mask you forget b_o, as where a mask has a branch of its own: the last projection
    adds it with and without a mask.""",
    "w_o, b_o)", "w_o, b_o if mask is None else None)")

wrong(F, "bias_of_the_keys_from_the_values", "all_widths_may_differ",
    """You add b_v to the keys. It changes nothing where it fits, for all scores of a query move
    together; but the values may have another width.""",
    "w_k, b_k)", "w_k, b_v)")

LOWEST = (
    "~past, -torch.inf", "~past, -1e9", "~mask, -torch.inf", "~mask, -1e9",
)

wrong(SHARED, "a_number_float16_does_not_know", f"{HALF} {MIXED}",
    """You forbid with a number such as -1e9, which does not exist in float16 (it ends at 65504),
    neither for float16 inputs nor under torch.autocast: take -torch.inf, or
    torch.finfo(scores.dtype).min.""",
    *LOWEST)

# Kind, dtype, device ------------------------------------------------------------------------------

wrong(F, "returns_the_weights_too", f"example {HEADS}",
    "Your function returns (out, weights): here only the result is asked for.",
    f"heads = {SHARES}", f"weights = {SHARES}\n    heads = weights",
    "w_o, b_o)", "w_o, b_o), weights")

wrong(F, "detached", HEADS,
    """Your result has left the graph: without detach, .data, no_grad or torch.tensor, gradients
    flow back to inputs and weights.""",
    "w_o, b_o)", "w_o, b_o).detach()")

wrong(F, "always_float32", HEADS,
    """Your result is float32 whatever comes in: the dtype out must be the dtype in, also of scores
    and masks.""",
    "linear(x, w, b)", "linear(x, w, b).float()", "w_o, b_o)", "w_o.float(), b_o)")

wrong(F, "softmax_stays_in_float32", HEADS,
    """You upcast the scores for the softmax and do not come back: cast the weights to the dtype of
    the values before you average.""",
    "scores.softmax", "scores.float().softmax")

wrong(F, "causal_mask_on_the_cpu", "works_where_its_inputs_are",
    """Your causal mask is made on the CPU whatever device the query is on: give torch.ones
    device=query.device.""",
    "heads =", """if is_causal:
        past = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril()
        mask = past if mask is None else mask & past
    heads =""")

# Slips of the function alone: the class computes its weights by itself ----------------------------

wrong(F, "function_without_scale", f"{HEADS} causal",
    """Your function's scores are not divided by sqrt(d), d being the width of one head: the softmax
    saturates.""",
    *of_one_alone(f" / {ROOT}", ""))

wrong(F, "function_scaled_by_the_model_width", HEADS,
    """Your function divides by sqrt(d_model), the width of all heads together: a score sums over
    the d = d_model / H columns of one head.""",
    *of_one_alone(ROOT, "math.sqrt(q.shape[-1] * q.shape[1])"))

wrong(F, "softmax_over_heads_in_the_function", HEADS,
    """In your function the softmax runs over the heads, which then compete: it runs over the keys,
    the last axis, in each head by itself.""",
    *of_one_alone("dim=-1", "dim=1"))

wrong(F, "softmax_over_queries_in_the_function", HEADS,
    """In your function the softmax runs over the queries: it runs over the keys, the last axis, so
    that the weights of each query sum to one.""",
    *of_one_alone("dim=-1", "dim=-2"))

wrong(F, "function_exponentials_overflow", DOMINATED,
    """Your function takes the exponentials of its scores as they are: from 89 on they overflow.
    softmax subtracts the row's maximum first.""",
    *of_one_alone("scores.softmax(dim=-1)", "scores.exp() / scores.exp().sum(-1, True)"))

wrong(F, "function_inverts_the_mask", "masks",
    """Your function's mask works the other way round: True = may attend here, as opposed to
    torch.nn.MultiheadAttention.""",
    *of_one_alone("~mask", "mask"))

wrong(F, "function_multiplies_by_the_mask", "masks",
    """Where the mask forbids, your function makes the scores 0, as a product with the mask does:
    e^0 is 1, so these keys still get weight. Their scores must become -inf.""",
    *of_one_alone("~mask, -torch.inf", "~mask, 0.0"))

wrong(F, "function_scores_of_zero", "masks causal",
    """In your function forbidden scores are 0, with a mask and with is_causal: e^0 is 1, so these
    keys still get weight. Their scores must become -inf.""",
    *of_one_alone("-torch.inf", "0.0"))

wrong(F, "function_adds_the_mask", "masks",
    """Your function adds the mask itself to the scores: True counts as 1 there and False as 0, so
    nothing is forbidden. Where the mask is False, the score must become -inf.""",
    *of_one_alone(FORBID_MASK, "scores + mask"))

wrong(F, "function_mask_with_one_axis_more", "masks",
    """Your function gives the mask one axis more. The scores are (B, H, Tq, Tk), and a mask of two
    axes or of four broadcasts to that as it is.""",
    *of_one_alone("~mask", "(~mask.unsqueeze(1) if mask.ndim == 2 else ~mask)"))

wrong(F, "function_mask_after_softmax", "masks",
    """Your function takes away what the mask forbids after the softmax: what is left no longer sums
    to one. These scores must be -inf before it.""",
    SHARES, "_attention_weights(q, k, None, is_causal)", "heads =",
    """shares = _attention_weights(q, k, None, is_causal)
    shares = shares if mask is None else shares.masked_fill(~mask, 0.0)
    heads =""", "heads = _attention_weights(q, k, None, is_causal)", "heads = shares")

wrong(F, "function_fills_with_minus_hundred", DOMINATED,
    """Your function gives forbidden keys a score such as -100: where the allowed ones are far below
    0, it is the largest of all. Fill in -inf, or torch.finfo(scores.dtype).min.""",
    *of_one_alone("~mask, -torch.inf", "~mask, -100.0"))

wrong(F, "function_hides_itself", "causal",
    """With is_causal your function hides every position from itself, so the first one sees nothing
    and gets NaN: the diagonal is allowed.""",
    *of_one_alone(".tril()", ".tril(-1)"))

wrong(F, "function_sees_the_next", "causal",
    """With is_causal position i of your function also sees position i + 1, the very token it is to
    predict: tril() has no offset here.""",
    *of_one_alone(".tril()", ".tril(1)"))

wrong(F, "function_sees_the_future_only", "causal",
    """With is_causal your function looks at the future and not at the past: the mask is upside
    down.""",
    *of_one_alone(".tril()", ".triu()"))

# The layer: its scale, heads and projections ------------------------------------------------------

wrong(LAYER, "layer_scaled_by_the_model_width", "layer",
    "Your layer divides by sqrt(d_model): its heads are d_model / num_heads wide.",
    "_attention_weights(q", "_attention_weights(q / math.sqrt(self.num_heads)")

wrong(SHARED, "layer_forbids_in_the_dtype_of_the_query", "layer_under_autocast",
    """You forbid with a number such as the lowest one of the query's dtype. Under torch.autocast
    the scores are bfloat16, where that number does not exist: ask torch.finfo(scores.dtype), or
    take -torch.inf.""",
    "is_causal: bool", "is_causal: bool, lowest: float = -torch.inf",
    "~past, -torch.inf", "~past, lowest", "~mask, -torch.inf", "~mask, lowest",
    SHARES, "_attention_weights(q, k, mask, is_causal, torch.finfo(query.dtype).min)")

wrong(LAYER, "layer_collects_in_the_dtype_of_the_query", "layer_under_autocast",
    """You insert each head's answer into a tensor of the query's dtype. Under torch.autocast the
    answers are bfloat16: make it from them, with torch.cat or transpose.""",
    "out =", """together = torch.zeros_like(query)
        columns = torch.arange(query.shape[2], device=query.device).chunk(self.num_heads)
        for head, own in zip(heads.unbind(1), columns):
            together.index_copy_(2, own, head)
        out =""", MERGED, "together")

wrong(LAYER, "layer_scaled_as_if_d_model_were_shared",
    "layer_with_widths_of_its_own layer_whose_heads_share_the_inner_width",
    """Your layer divides by sqrt(d_model / num_heads): its heads share d_inner, so each is
    d_inner / num_heads wide, as wide as the last axis of its q.""",
    "_attention_weights(q", f"""_attention_weights(
            q * {ROOT} / math.sqrt(query.shape[-1] // self.num_heads)""")

wrong(LAYER, "layer_without_scale", "layer",
    "Your layer's scores are not scaled.",
    "_attention_weights(q", f"_attention_weights(q * {ROOT}")

wrong(LAYER, "layer_divides_tokens_before_the_projection", "layer",
    """Your layer divides the query before w_q: w_q.bias, which is added after it, is not divided
    with it. Divide the scores, or what comes out of w_q.""",
    "self.w_q(query)",
    "self.w_q(query / math.sqrt(self.w_q.out_features // self.num_heads))",
    "_attention_weights(q, k", f"_attention_weights(q * {ROOT}, k")

wrong(LAYER, "layer_views_without_transpose", "layer",
    """Your layer cuts the tokens' axis into heads: view its projections as (B, T, H, d) and
    transpose.""",
    LAYER_SPLIT, "y.reshape(len(y), self.num_heads, y.shape[1], -1)")

wrong(LAYER, "layer_views_its_values_without_transpose", "layer",
    """Your layer views its values as (B, H, T, d) without a transpose, while queries and keys are
    cut rightly: view them as (B, T, H, d) first, then swap the two axes in the middle.""",
    "self.dropout(weights) @ v", "self.dropout(weights) @ v.transpose(1, 2).reshape(v.shape)")

wrong(LAYER, "layer_head_index_fastest", "layer",
    """Head h of your layer works on the columns h, h + H, h + 2H ...: cut its projections into
    (H, d), not into (d, H).""",
    LAYER_SPLIT, LAYER_FASTEST)

wrong(LAYER, "layer_head_index_fastest_both_ways", "layer",
    """Head h of your layer works on the columns h, h + H, h + 2H ..., and its answers are put back
    there. Cut its projections into (H, d), not into (d, H): a head's d columns lie side by
    side.""",
    LAYER_SPLIT, LAYER_FASTEST,
    LAYER_MERGED, "out = self.w_o(heads.permute(0, 2, 3, 1)")

wrong(LAYER, "layer_merged_with_the_head_index_fastest", "layer",
    """Your layer's split is right, but it merges column by column, and not head by head: before w_o
    the d numbers of one head stand side by side. Swap heads and tokens, then flatten the last two
    axes.""",
    LAYER_MERGED, "out = self.w_o(heads.permute(0, 2, 3, 1)")

wrong(LAYER, "layer_divides_by_half", "layer",
    """Your layer divides by d / 2, for d ** 1 / 2 means (d ** 1) / 2: write d ** 0.5, or
    math.sqrt(d).""",
    *of_the_layer_alone(ROOT, "(q.shape[-1] ** 1 / 2)"))

wrong(LAYER, "layer_softmax_over_heads", "layer",
    """In your layer the softmax runs over the heads, which then compete: it runs over the keys, the
    last axis, in each head by itself.""",
    *of_the_layer_alone("dim=-1", "dim=1"))

wrong(LAYER, "layer_softmax_over_queries", "layer",
    """In your layer the softmax runs over the queries: it runs over the keys, the last axis, so
    that the weights of each query sum to one.""",
    *of_the_layer_alone("dim=-1", "dim=-2"))

wrong(LAYER, "layer_merges_without_transposing_back", "layer",
    """Your layer merges its heads without transposing back: a row of the result must hold one
    token's answers from all heads. Swap heads and tokens before you flatten.""",
    MERGED, "heads.reshape(len(heads), heads.shape[2], -1)")

wrong(MAKING, "layer_shares_queries_and_keys", "layer number_of_parameters",
    """Your layer has one nn.Linear for queries and keys: then a token would give the same score to
    another as the other to it. w_q and w_k are two.""",
    "nn.Linear(kdim or d_model, inner, bias)", "self.w_q")

wrong(LAYER, "layer_forgets_wo", "layer",
    "Your layer makes w_o but never calls it.",
    f"self.w_o({MERGED})", MERGED)

wrong(LAYER, "layer_detaches_its_weights", "layer",
    "Your layer works with weight.data or detached weights: they would never learn.",
    f"self.w_o({MERGED})", f"linear({MERGED}, self.w_o.weight.data, self.w_o.bias)")

wrong(MAKING, "layer_ignores_its_widths", WIDTHS,
    "You ignore kdim and vdim: w_k takes in rows of width kdim, w_v of width vdim.",
    "kdim or ", "", "vdim or ", "")

wrong(MAKING, "layer_shares_one_projection", "layer number_of_parameters",
    "You make one nn.Linear and use it for queries, keys and values: each needs its own.",
    "nn.Linear(kdim or d_model, inner, bias)", "self.w_q",
    "nn.Linear(vdim or d_model, inner, bias)", "self.w_q")

wrong(MAKING, "layer_in_aplain_list", "layer number_of_parameters",
    """Your projections are in a plain list or dict, where nn.Module does not see them: 0
    parameters. Make them attributes.""",
    "super().__init__()", "super().__init__()\n        self.all = {}",
    *2 * ("self.w_q", "self.all['q']", "self.w_k", "self.all['k']"),
    *2 * ("self.w_v", "self.all['v']", "self.w_o", "self.all['o']"))

wrong(MAKING, "layer_with_wide_heads", "layer number_of_parameters",
    """Each of your heads is d_model wide, so the number of parameters grows with the heads: they
    share d_model, d = d_model / num_heads each.""",
    "self.w_q = ", "inner *= num_heads\n        self.w_q = ")

LAST_BIAS = "bias if out_bias is None else out_bias"

wrong(MAKING, "layer_without_bias_at_the_end", "layer number_of_parameters",
    "Your w_o never has a bias: without out_bias, `bias` is for all four projections.",
    LAST_BIAS, "bool(out_bias)")

wrong(MAKING, "layer_with_bias_at_the_end", "layer_without_biases",
    """Your w_o has a bias even with bias=False: without out_bias, the flag is for all four
    projections.""",
    LAST_BIAS, "out_bias is not False")

wrong(MAKING, "layer_always_with_biases", "layer_without_biases number_of_parameters",
    "Your layer has biases whatever `bias` says: hand the flag on to nn.Linear.",
    *3 * (", inner, bias)", ", inner)"), LAST_BIAS, "True")

wrong(LAYER, "layer_adds_its_biases_by_hand", "layer_without_biases",
    """Your layer adds its biases by hand, but with bias=False they are None: call the nn.Linear
    itself.""",
    f"self.w_o({MERGED})", f"{MERGED} @ self.w_o.weight.T + self.w_o.bias")

wrong(MAKING, "layer_never_with_biases", "layer number_of_parameters",
    "Your layer never has biases: they are there unless bias=False.",
    *3 * (", inner, bias)", ", inner, False)"), LAST_BIAS, "False")

wrong(MAKING, "layer_ignores_out_bias", AT_THE_END,
    "You ignore out_bias: where it is given, w_o has a bias or not, whatever the others have.",
    LAST_BIAS, "bias")

wrong(MAKING, "layer_takes_false_for_nothing_said", AT_THE_END,
    """You treat out_bias=False as if nothing were said, as `out_bias or bias` does: only None means
    that w_o does as the others do.""",
    LAST_BIAS, "out_bias or bias")

wrong(MAKING, "layer_heeds_out_bias_everywhere", AT_THE_END,
    "You hand out_bias on to all four projections: it is about w_o alone.",
    LAST_BIAS, "bias", "self.num_heads =",
    "bias = bias if out_bias is None else out_bias\n        self.num_heads =")

wrong(MAKING, "layer_exchanges_its_widths", WIDTHS,
    "You have exchanged kdim and vdim.",
    "Linear(kdim", "Linear(vdim", "w_v = nn.Linear(vdim", "w_v = nn.Linear(kdim")

# The layer: widths of its own ---------------------------------------------------------------------

SCALED_SHARES, OWN_WIDTH = f"_attention_weights(q * {ROOT} / ", "self.w_q.in_features"

wrong(LAYER, "layer_scaled_by_the_whole_width_of_tokens", f"layer {OWN}",
    """Your layer divides by sqrt(d_model), query.shape[-1]: a score sums over the columns of one
    head, d_inner / num_heads of them.""",
    "_attention_weights(q", f"{SCALED_SHARES}math.sqrt({OWN_WIDTH})")

wrong(LAYER, "layer_scaled_by_the_width_of_tokens", OWN,
    """Your layer divides by sqrt(d_model / num_heads): a head is d_inner / num_heads wide, and that
    is what a score sums over.""",
    "_attention_weights(q", f"{SCALED_SHARES}math.sqrt({OWN_WIDTH} / self.num_heads)")

wrong(LAYER, "layer_cuts_by_the_width_of_tokens", f"{OWN} {SHARING}",
    """Your layer cuts its projections into pieces of d_model // num_heads: the heads share d_inner
    numbers.""",
    "y.unflatten(-1, (self.num_heads, -1))",
    f"y.view(*y.shape[:2], self.num_heads, {OWN_WIDTH} // self.num_heads)")

wrong(LAYER, "layer_with_more_heads_where_wider", OWN,
    """Where d_inner is larger than d_model your layer has more heads, as wide as before: num_heads
    is the number of heads, and they become wider.""",
    "y.unflatten(-1, (self.num_heads, -1))",
    f"y.unflatten(-1, (-1, max({OWN_WIDTH} // self.num_heads, 1)))")

wrong(LAYER, "layer_merges_to_the_width_of_tokens", OWN,
    """Your layer merges the heads into rows of d_model numbers: side by side they are d_inner wide,
    and w_o makes of them what comes out.""",
    MERGED, f"heads.transpose(1, 2).reshape(*query.shape[:2], {OWN_WIDTH})")

wrong(MAKING, "layer_ignores_its_inner_width", OWN,
    "You ignore d_inner: w_q, w_k and w_v lead to d_inner numbers, and w_o comes from there.",
    "d_inner or d_model", "d_model")

wrong(MAKING, "layer_ignores_its_output_width", OWN,
    "You ignore d_out: w_o leads to d_out numbers.",
    "d_out or d_model", "d_model")

wrong(MAKING, "layer_result_as_wide_as_its_heads", OWN,
    """Your result is d_inner wide unless d_out is given: it is d_model wide then, so w_o leads from
    d_inner back to d_model.""",
    "d_out or d_model", "d_out or inner")

wrong(MAKING, "layer_heads_as_wide_as_its_result", OWN,
    """d_out makes your heads wider or narrower as well: what they share is d_inner, and without it
    d_model.""",
    "d_inner or d_model", "d_inner or d_out or d_model")

wrong(MAKING, "layer_output_from_the_width_of_tokens", OWN,
    """Your w_o takes in d_model numbers: what it is given are the heads side by side, d_inner
    wide.""",
    "nn.Linear(inner, d_out", "nn.Linear(d_model, d_out")

wrong(MAKING, "layer_keys_as_wide_as_its_heads", OWN,
    """Your w_k and w_v take in rows of width d_inner: without kdim and vdim, keys and values come
    in as wide as the queries, d_model.""",
    "kdim or d_model", "kdim or inner", "vdim or d_model", "vdim or inner")

wrong(MAKING, "layer_values_as_wide_as_its_result", OWN,
    """Your values are as wide as the result: heads of values are d_inner / num_heads wide, like
    those of queries and keys, and w_o alone leads to d_out.""",
    "Linear(vdim or d_model, inner", "Linear(vdim or d_model, d_out or d_model",
    "self.w_o = nn.Linear(inner", "self.w_o = nn.Linear(d_out or d_model")

wrong(MAKING, "layer_with_an_inner_width_for_each_head", f"{OWN} number_of_parameters",
    """Each of your heads is d_inner wide: d_inner is the width of all heads together.""",
    "self.w_q = ", "inner = d_inner * num_heads if d_inner else inner\n        self.w_q = ")

wrong(MAKING, "layer_divides_the_width_of_tokens", f"{SHARING} {REFUSES}",
    """You ask whether num_heads divides d_model: what the heads share is d_inner.""",
    "if inner % num_heads", "if d_model % num_heads")

wrong(MAKING, "layer_divides_both_widths", SHARING,
    """You ask whether num_heads divides d_model as well as d_inner: only d_inner is cut into
    heads.""",
    "if inner % num_heads", "if inner % num_heads or d_model % num_heads")

# The layer: what is hidden ------------------------------------------------------------------------

ASKS = "weights = _attention_weights(q, k, mask, is_causal)"

wrong(LAYER, "layer_causal_after_softmax", "layer_with_masks layer_where_forbidden_keys_dominate",
    """With is_causal your layer takes weights away after the softmax, so a row no longer sums to 1:
    the scores of later keys are -inf before it.""",
    ASKS, "weights = _attention_weights(q, k, mask, False)\n"
    "        weights = weights.tril() if is_causal else weights")

wrong(LAYER, "layer_mask_after_softmax", "layer_with_masks layer_where_forbidden_keys_dominate",
    """Your layer takes forbidden weights away after the softmax, so a row no longer sums to 1:
    their scores are -inf before it.""",
    ASKS, "weights = _attention_weights(q, k, None, is_causal)\n"
    "        weights = weights if mask is None else weights.masked_fill(~mask, 0.0)")

wrong(LAYER, "layer_multiplies_by_the_mask",
    "layer_with_masks layer_where_forbidden_keys_dominate",
    """Where the mask forbids, your layer makes the scores 0, as a product with the mask does: e^0
    is 1, so these keys still get weight. Their scores must become -inf.""",
    *of_the_layer_alone("~mask, -torch.inf", "~mask, 0.0"))

wrong(LAYER, "layer_adds_the_mask", "layer_with_masks layer_where_forbidden_keys_dominate",
    """Your layer adds the mask itself to the scores: True counts as 1 there and False as 0, so
    nothing is forbidden. Where the mask is False, the score must become -inf.""",
    *of_the_layer_alone(FORBID_MASK, "scores + mask"))

wrong(LAYER, "layer_causal_scores_of_zero", "layer_with_masks layer_where_forbidden_keys_dominate",
    """With is_causal your layer gives later keys the score 0, of which the softmax makes a weight:
    their score is -inf.""",
    ASKS, """scores = q @ k.mT / math.sqrt(q.shape[-1])
        scores = scores.tril() if is_causal else scores
        scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1)""")

# The layer: whom it asks --------------------------------------------------------------------------

wrong(LAYER, "layer_values_from_the_query", SOURCES,
    "Without `value` your layer averages the query: values default to the keys.",
    "value = key if", "value = query if")

wrong(LAYER, "layer_ignores_the_key", SOURCES,
    "Your layer attends to the query's own sentence even when a key is given.",
    "key = query if key is None else key", "key = value = query")

wrong(LAYER, "layer_defaults_both_at_once", SOURCES,
    """Without a key your layer drops the value as well: if only the value is given, the keys are
    the query and the value is the value.""",
    "key = query if key is None else key", "if key is None:\n            key = value = query")

wrong(LAYER, "layer_views_the_query_as_values", SOURCES,
    """Where no value is given, your layer takes the query for it, which is as long as the query and
    not as the keys, so view finds too few or too many numbers. A missing value is the key.""",
    "value = key if", "value = query if",
    "y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)",
    "y.view(len(y), key.shape[1] if n else query.shape[1], self.num_heads, -1).transpose(1, 2)",
    "for y in (self.w_q(query), self.w_k(key), self.w_v(value))",
    "for n, y in enumerate((self.w_q(query), self.w_k(key), self.w_v(value)))")

wrong(LAYER, "layer_ignores_the_value", SOURCES,
    "Your layer averages the keys and ignores the value it is given.",
    "value = key if value is None else value", "value = key")

wrong(LAYER, "layer_keys_with_the_query_length", SOURCES,
    "Your layer views keys or values with the query's length: they have their own, key.shape[1].",
    "y.unflatten(-1, (self.num_heads, -1))",
    "y.view(*query.shape[:2], self.num_heads, y.shape[-1] // self.num_heads)")

wrong(LAYER, "layer_needs_key_and_value", "layer",
    "Your forward asks for key and value: both have the default None.",
    'kdim"] | None = None', 'kdim"]', 'vdim"] | None = None', 'vdim"]')

# The layer: masks ---------------------------------------------------------------------------------

wrong(LAYER, "layer_hides_itself", "layer_with_masks",
    """With is_causal your layer hides every position from itself, so the first one sees nothing and
    gets NaN: the diagonal is allowed.""",
    *of_the_layer_alone(".tril()", ".tril(-1)"))

wrong(LAYER, "layer_sees_the_next", "layer_with_masks",
    """With is_causal position i of your layer also sees position i + 1, the very token it is to
    predict: tril() has no offset here.""",
    *of_the_layer_alone(".tril()", ".tril(1)"))

wrong(LAYER, "layer_sees_the_future_only", "layer_with_masks",
    """With is_causal your layer looks at the future and not at the past: the mask is upside
    down.""",
    *of_the_layer_alone(".tril()", ".triu()"))

wrong(LAYER, "layer_mask_with_one_axis_more", "layer_with_masks",
    """Your layer gives the mask one axis more. The scores are (B, H, Tq, Tk), and a mask of two
    axes or of four broadcasts to that as it is.""",
    *of_the_layer_alone("~mask", "~mask.unsqueeze(1)"))

wrong(LAYER, "layer_mask_with_one_axis_more_and_permute", "layer_with_masks",
    """Your layer gives the mask an axis more, so the scores get one too, and permute finds five
    axes later. A mask of two axes or of four broadcasts to (B, H, Tq, Tk) as it is.""",
    *of_the_layer_alone("~mask", "~mask[:, None]"),
    LAYER_MERGED, "out = self.w_o(heads.permute(0, 2, 1, 3)")

wrong(LAYER, "layer_views_its_mask", "layer_with_masks",
    """You cut the mask to sizes of your own, with view or reshape: an axis of it may have size 1
    and then stands for all, so let it broadcast to the scores as it is.""",
    "weights =", """if mask is not None and mask.ndim == 2:
            mask = mask.view(1, 1, q.shape[2], k.shape[2])
        weights =""")

wrong(LAYER, "layer_exponentials_overflow", "layer_where_forbidden_keys_dominate",
    """Your layer takes the exponentials of its scores as they are: from 89 on they overflow.
    softmax subtracts the row's maximum first.""",
    *of_the_layer_alone("scores.softmax(dim=-1)", "scores.exp() / scores.exp().sum(-1, True)"))

RENORMALISED = (
    f"q @ k.mT / {ROOT}", f"(q @ k.mT / {ROOT}).softmax(dim=-1)",
    ("-torch.inf", "0.0"), ("scores.softmax(dim=-1)", "scores / scores.sum(-1, keepdim=True)"),
)

wrong(LAYER, "layer_forbids_and_renormalises", "layer_where_forbidden_keys_dominate",
    """Your layer forbids after the softmax and divides by what is left: right on paper, but next to
    a forbidden key that dominates nothing is left, 0 / 0.""",
    *of_the_layer_alone(*RENORMALISED))

wrong(LAYER, "layer_fills_with_minus_fifty", "layer_where_forbidden_keys_dominate",
    """Your layer gives forbidden keys a score such as -50: where the allowed ones are far below 0,
    it is the largest of all. Fill in -inf, or torch.finfo(scores.dtype).min.""",
    *of_the_layer_alone("-torch.inf", "-50.0"))

wrong(LAYER, "layer_ignores_the_mask", "layer_with_masks",
    "Your layer ignores its mask.",
    SHARES, "_attention_weights(q, k, None, is_causal)")

wrong(LAYER, "layer_ignores_causal", "layer_with_masks",
    "Your layer ignores is_causal.",
    SHARES, "_attention_weights(q, k, mask, False)")

wrong(LAYER, "layer_inverts_the_mask", "layer_with_masks",
    "Your layer forbids where the mask is True: True = may attend.",
    SHARES, "_attention_weights(q, k, None if mask is None else ~mask, is_causal)")

wrong(LAYER, "layer_heeds_one_mask", "layer_with_masks",
    "Your layer heeds the mask or is_causal, but not both.",
    SHARES, "_attention_weights(q, k, mask, is_causal and mask is None)")

wrong(LAYER, "layer_of_fixed_length", "layer_takes_any_length",
    """Your layer has a causal mask of a fixed size: sentences may be longer, so make it as large as
    the scores.""",
    "weights =", """if is_causal:
            past = torch.ones(64, 64, dtype=torch.bool, device=q.device).tril()
            past = past[: q.shape[2], : k.shape[2]]
            mask = past if mask is None else mask & past
        weights =""")

wrong(LAYER, "layer_forbids_with_1e9", MIXED,
    """Under torch.autocast with float16 the scores are float16, which ends at 65504: a layer that
    forbids with a larger number, such as -1e9, fails there. Take -torch.inf, or
    torch.finfo(scores.dtype).min.""",
    SHARES, "_attention_weights(q, k, None, False)", "weights = _attention",
    """allowed = q.new_ones(q.shape[2], k.shape[2], dtype=torch.bool)
        allowed = allowed.tril() if is_causal else allowed
        allowed = allowed if mask is None else allowed & mask
        weights = _attention""",
    "_attention_weights(q, k, None, False)",
    f"(q @ k.mT / {ROOT}).masked_fill(~allowed, -1e9).softmax(-1)")

wrong(LAYER, "layer_causal_in_training_only", "layer_with_masks",
    """In eval mode your layer forgets is_causal: eval() ends dropout and changes nothing else.""",
    SHARES, "_attention_weights(q, k, mask, is_causal and self.training)")

wrong(LAYER, "layer_masks_in_training_only", "layer_with_masks",
    """In eval mode your layer forgets its mask: padding is padding in both modes.""",
    SHARES, "_attention_weights(q, k, mask if self.training else None, is_causal)")

wrong(LAYER, "layer_evaluates_one_mask", "layer_drops_nothing_in_eval",
    """In eval mode your layer heeds the mask or is_causal, but not both: the fast way for eval
    mode has to do all that the other one does.""",
    SHARES, "_attention_weights(q, k, mask, is_causal and (self.training or mask is None))")

wrong(LAYER, "layer_keeps_its_first_mask", "layer_with_masks",
    """You keep the mask of the first call, and use it as long as the sizes fit: every call has a
    mask of its own.""",
    "weights =", """if mask is not None:
            if getattr(self, "kept", None) is None or self.kept.shape != mask.shape:
                self.kept = mask
            mask = self.kept
        weights =""")

wrong(MAKING, "layer_heads_of_all_layers", BESIDE,
    """You keep the number of heads in the class, where the layer made last decides for all: write
    self.num_heads.""",
    "self.num_heads =", "type(self).num_heads =")

wrong(LAYER, "layer_keeps_its_first_weights", BESIDE,
    """You keep a copy of w_o at the first call: after an optimiser's step, or after loading other
    weights, the old ones are still used.""",
    "key = query if", """if not hasattr(self, "mixing"):
            self.mixing = self.w_o.weight.clone()
        key = query if""",
    f"self.w_o({MERGED})", f"linear({MERGED}, self.mixing, self.w_o.bias)")

wrong(LAYER, "layer_keeps_its_weights_in_eval", BESIDE,
    """In eval mode you keep a copy of w_o for later calls: where other weights are loaded, the
    layer still answers with the old ones. Take self.w_o in every call.""",
    "key = query if", """if not self.training and not hasattr(self, "mixing"):
            self.mixing = self.w_o.weight.clone()
        key = query if""",
    f"self.w_o({MERGED})",
    f"linear({MERGED}, self.w_o.weight if self.training else self.mixing, self.w_o.bias)")

wrong(LAYER, "layer_takes_is_causal_first", "layer_with_masks",
    """Your forward takes is_causal before the mask: after query, key and value comes the mask, then
    is_causal, then need_weights.""",
    'mask: Bool[Tensor, "Tq Tk"] | Bool[Tensor, "B H Tq Tk"] | None = None', "HERE: bool = False",
    "is_causal: bool = False", "mask: Tensor | None = None", "HERE", "is_causal")

# The layer: how it starts -------------------------------------------------------------------------

MADE = "self.dropout = nn.Dropout(dropout)"

wrong(MAKING, "layer_starts_at_zeros", START,
    """w_o starts at zeros: then nothing before it gets a gradient. Keep the start of nn.Linear.""",
    MADE, f"{MADE}\n        nn.init.zeros_(self.w_o.weight)")

wrong(MAKING, "layer_heads_start_alike", START,
    """All heads start with the same numbers: they get the same gradients, and stay one head for
    ever. Draw the whole matrix.""",
    MADE, f"""{MADE}
        for layer in (self.w_q, self.w_k, self.w_v):
            first = layer.weight.data[: d_model // num_heads]
            layer.weight.data = first.repeat(num_heads, 1)""")

wrong(MAKING, "layer_queries_start_as_keys", START,
    "Projections start as copies of one another, w_k of w_q for one: draw each of them on its own.",
    MADE, f"""{MADE}
        if self.w_k.weight.shape == self.w_q.weight.shape:
            self.w_k.load_state_dict(self.w_q.state_dict())""")

wrong(MAKING, "layer_starts_too_large", START,
    """Your matrices start at N(0, 1): scores are then d_model times too large, and the softmax
    picks one key. Keep the start of nn.Linear.""",
    MADE, f"{MADE}\n        nn.init.normal_(self.w_q.weight)")

wrong(MAKING, "layer_sets_a_seed", START,
    """You set torch's seed when a layer is made: all layers start the same, and whatever is drawn
    afterwards in the whole program is no longer random.""",
    "self.num_heads = num_heads", "self.num_heads = num_heads\n        torch.manual_seed(123)")

# The layer: the weights it shows ------------------------------------------------------------------

wrong(LAYER, "layer_always_shows_weights", "layer",
    "Your layer always returns (out, weights): without need_weights it returns out alone.",
    "(out, weights) if need_weights else out", "out, weights")

wrong(LAYER, "layer_never_shows_weights", SHOWN,
    "Your layer ignores need_weights: then (out, weights) is asked for.",
    "(out, weights) if need_weights else out", "out")

wrong(LAYER, "layer_averages_the_weights", SHOWN,
    """You average the weights over the heads before you return them: every head's own are asked
    for, (B, H, Tq, Tk).""",
    "(out, weights)", "(out, weights.mean(1))")

wrong(LAYER, "layer_detaches_the_weights", SHOWN,
    "The weights you return have left the graph: gradients flow back through them too.",
    "(out, weights)", "(out, weights.detach())")

wrong(LAYER, "layer_shows_weights_first", SHOWN,
    "You return (weights, out): the result comes first.",
    "(out, weights)", "(weights, out)")

wrong(LAYER, "layer_keys_default_to_the_value", SOURCES,
    """Given a value and no key, your layer takes the value for the keys: without a key, the keys
    are the query.""",
    "key = query if key is None else key",
    "key = (query if value is None else value) if key is None else key")

wrong(LAYER, "layer_squeezes_its_weights", SHOWN,
    """You squeeze the weights that you return: with one head or one sentence they have four axes as
    well, (B, H, Tq, Tk).""",
    "(out, weights)", "(out, weights.squeeze())")

wrong(LAYER, "layer_shows_scores", SHOWN,
    "You return the scores: the weights are what the softmax makes of them.",
    "(out, weights)", f"(out, q @ k.mT / {ROOT})")

wrong(LAYER, "layer_shows_weights_without_masks", "layer_with_masks",
    """The weights that your layer returns are those without mask and is_causal; its result is made
    with others.""",
    "(out, weights)", "(out, _attention_weights(q, k, None, False))")

# The layer: refusals, dtypes and places -----------------------------------------------------------

REFUSAL = """if inner % num_heads:
            raise ValueError(f"{num_heads} heads cannot share a width of {inner} equally")"""

wrong(MAKING, "layer_rounds_down", REFUSES,
    """Your layer is made though num_heads does not divide the width of all heads, as d_model //
    num_heads rounds down: raise ValueError there.""",
    REFUSAL, "inner = inner // num_heads * num_heads")

wrong(MAKING, "layer_refuses_too_late", REFUSES,
    """That num_heads does not divide the width is noticed in forward only: look when the layer is
    made, and raise ValueError.""",
    REFUSAL, "", "unflatten(-1, (self.num_heads, -1))", "view(*y.shape[:2], self.num_heads, -1)")

wrong(LAYER, "layer_mask_on_the_cpu", IN_PLACES,
    "Your layer's causal mask stays on the CPU: make it on the device of the scores.",
    "weights =", """if is_causal:
            past = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril()
            mask = past if mask is None else mask & past
        weights =""")

wrong(SHARED, "layer_mask_in_float32", "layer_with_masks",
    """Your layer adds a mask of float32 zeros and -inf to scores of any dtype: then weights and
    values differ in dtype. Use masked_fill, or make it like the scores.""",
    "is_causal: bool", "is_causal: bool, future: Tensor | float = 0.0", ROOT, f"{ROOT} + future",
    f"weights = {SHARES}",
    """future = torch.full((q.shape[2], k.shape[2]), -torch.inf, device=q.device).triu(1)
        weights = _attention_weights(q, k, mask, False, future if is_causal else 0.0)""")

# The layer: dropout -------------------------------------------------------------------------------

DROPPED = "self.dropout(weights)"
IN_THE_SCORES = (
    "is_causal: bool", "is_causal: bool, dropout: nn.Module = nn.Identity()",
    f"q @ k.mT / {ROOT}", f"dropout(q @ k.mT / {ROOT})",
)

wrong(LAYER, "layer_drops_in_eval", "layer_drops_nothing_in_eval",
    """Your layer drops in eval mode too. An nn.Dropout that is made in __init__ ends with eval();
    functional dropout needs training=self.training.""",
    DROPPED, "nn.functional.dropout(weights, self.dropout.p)")

wrong(LAYER, "layer_never_drops", "layer_drops_weights",
    "Your layer takes `dropout` and does nothing with it.",
    DROPPED, "weights")

wrong(LAYER, "layer_drops_the_result", "layer_drops_weights",
    """Your layer's dropout falls on the result or the heads' answers: it belongs on the weights,
    between softmax and values.""",
    f"{DROPPED} @ v", "self.dropout(weights @ v)")

wrong(LAYER, "layer_drops_the_values", "layer_drops_weights",
    """Your layer's dropout falls on the values: then a number is gone for all queries at once. Drop
    the weights.""",
    f"{DROPPED} @ v", "weights @ self.dropout(v)")

wrong(SHARED, "layer_drops_the_scores", "layer_drops_weights",
    """Your layer's dropout falls on the scores: a score of 0 is not forbidden and still gets
    weight. Drop after the softmax.""",
    *IN_THE_SCORES, SHARES, "_attention_weights(q, k, mask, is_causal, self.dropout)",
    DROPPED, "weights")

wrong(LAYER, "layer_drops_twice", "layer_drops_weights",
    "Your layer drops weights and then numbers of the result as well: the weights are enough.",
    f"self.w_o({MERGED})", f"self.dropout(self.w_o({MERGED}))")

wrong(MAKING, "layer_keeps_with_its_dropout", "layer_drops_weights",
    "Your layer keeps weights with probability `dropout`: it is the chance to be dropped.",
    "nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")

wrong(MAKING, "layer_drops_half_at_most", "layer_drops_weights",
    """With a `dropout` above one half your layer drops another share: it may be any number below 1,
    so pass it on as it is.""",
    "nn.Dropout(dropout)", "nn.Dropout(min(dropout, 0.5))")

wrong(LAYER, "layer_drops_on_the_cpu", IN_PLACES,
    """Your layer draws dropout's random numbers on the CPU wherever the weights are:
    torch.rand_like draws them there, and nn.Dropout does it by itself.""",
    DROPPED, """(weights if not self.training or self.dropout.p == 0 else
            weights * self.dropout(torch.ones(weights.shape, dtype=weights.dtype)))""")

wrong(LAYER, "layer_drops_float32_ones", IN_PLACES,
    """Your layer lets dropout fall on float32 ones, so in train mode the weights become float32
    whatever comes in: drop the weights, or make torch.ones_like(weights).""",
    DROPPED, """(weights if not self.training or self.dropout.p == 0 else
            weights * self.dropout(torch.ones(weights.shape, device=weights.device)))""")

wrong(LAYER, "layer_does_not_rescale", "layer_drops_weights",
    "Weights that your layer keeps do not grow: divide them by 1 - dropout.",
    "heads =", """kept = torch.rand_like(weights) >= self.dropout.p
        heads =""", DROPPED, "(weights * kept if self.training else weights)")

wrong(LAYER, "layer_renormalises_after_dropout", "layer_drops_weights",
    """Your layer normalises the rows again after dropout: what is left need not sum to one, for
    dividing by 1 - dropout keeps the mean.""",
    "heads =", f"""left = {DROPPED}
        left = left / left.sum(-1, keepdim=True).clamp_min(1e-9) if self.training else left
        heads =""", f"{DROPPED} @ v", "left @ v")

wrong(LAYER, "layer_drops_alike_in_all_heads", "layer_drops_weights",
    "Heads of your layer lose the same weights to dropout: every weight has luck of its own.",
    DROPPED, "(weights * self.dropout(torch.ones_like(weights[:, :1])))")

ALIKE = "(weights * self.dropout(torch.ones_like({})))"

wrong(LAYER, "layer_drops_alike_for_all_queries", "layer_drops_weights",
    "Queries of a head lose the same keys: every query draws for itself.",
    DROPPED, ALIKE.format("weights[:, :, :1]"))

wrong(LAYER, "layer_drops_alike_in_all_sentences", "layer_drops_weights",
    """Sentences of a batch lose the same weights: draw for each sentence, random numbers of the
    shape (B, H, Tq, Tk).""",
    DROPPED, ALIKE.format("weights[:1]"))

wrong(LAYER, "layer_drops_alike_in_every_call", "layer_drops_weights",
    """Every call drops the same weights: a seed set in forward, or a dropout mask that is kept.""",
    "weights =", "torch.manual_seed(0)\n        weights =")

wrong(MAKING, "layers_draw_alike", "layer_drops_weights",
    """Your layers drop the same weights, as where each has a generator that starts from the same
    seed: take torch's own generator, and set no seed.""",
    "nn.Dropout(dropout)", """(lambda luck: lambda w: w if not self.training else
            w * (torch.rand(w.shape, generator=luck) >= dropout) / (1 - dropout))(
            torch.Generator().manual_seed(0))""")

wrong(LAYER, "layer_drops_only_without_masks", "layer_drops_weights",
    """Given a mask, or is_causal, your layer drops nothing: masked attention has dropout as
    well.""",
    DROPPED, f"({DROPPED} if mask is None and not is_causal else weights)")

wrong(LAYER, "layer_shows_dropped_weights", "layer_shows_weights_before_dropout",
    """The weights you return have been through dropout: return the ones before it, which sum to
    one.""",
    f"heads = {DROPPED}", f"weights = {DROPPED}\n        heads = weights")

wrong(LAYER, "layer_drops_only_unseen", "layer_shows_weights_before_dropout",
    """With need_weights your layer takes another path, one without dropout: in train mode both
    drop.""",
    DROPPED, f"(weights if need_weights else {DROPPED})")

# The wrapper --------------------------------------------------------------------------------------

KEPT_LENGTH = "self.context_length = context_length"
PAST = "torch.ones(context_length, context_length).tril()"
KEPT_MASK = KEPT_LENGTH, f"{KEPT_LENGTH}\n        self.register_buffer('mask', {PAST} > 0)"
NO_MASK, OWN_MASK = "None, is_causal=True", "self.mask[: x.shape[1], : x.shape[1]], False"
TOO_LONG = """if x.shape[1] > self.context_length:
            raise ValueError(f"{x.shape[1]} tokens are more than {self.context_length}")"""
AVERAGE = f"{DROPPED} @ self.W_value(x)"

wrong(WRAPPER, "heads_in_apython_list", CAUSAL_HEADS,
    """Your heads are in a Python list, where nn.Module does not find their parameters: use
    nn.ModuleList.""",
    "nn.ModuleList(\n", "list(\n")

wrong(WRAPPER, "one_shared_head", CAUSAL_HEADS,
    """All your heads are one and the same module, as [head] * num_heads makes them: make a new one
    for each, inside of the loop.""",
    "_CausalHead(d_in, d_out, context_length, dropout) for _ in range(num_heads)",
    "[_CausalHead(d_in, d_out, context_length, dropout)] * num_heads")

wrong(WRAPPER, "wrapper_averages", CAUSAL_HEADS,
    "You average the heads' results: put them side by side.",
    "torch.cat(", "torch.stack(", ", dim=-1)", ").mean(0)")

wrong(WRAPPER, "wrapper_sums", CAUSAL_HEADS,
    """You add the heads' results: put them side by side, torch.cat(..., dim=-1), num_heads * d_out
    wide.""",
    "torch.cat(", "sum(", ", dim=-1)", ")")

wrong(WRAPPER, "wrapper_in_reverse", CAUSAL_HEADS,
    """You put the heads' results side by side in reverse: head 0 comes first.""",
    "for head in self.heads]", "for head in reversed(self.heads)]")

wrong(WRAPPER, "wrapper_mixes_the_heads_columns", CAUSAL_HEADS,
    """In your result the heads take turns, one column of each: all columns of head 0 are to come
    first, then those of head 1, which is torch.cat along the last axis.""",
    "torch.cat([head(x) for head in self.heads], dim=-1)",
    "torch.stack([head(x) for head in self.heads], dim=-1).flatten(2)")

wrong(WRAPPER, "wrapper_stacks", CAUSAL_HEADS,
    """You stack the heads on an axis of their own: torch.cat along the last axis makes one row per
    token.""",
    "torch.cat(", "torch.stack(", "dim=-1", "dim=1")

wrong(WRAPPER, "wrapper_concatenates_tokens", CAUSAL_HEADS,
    """You put the heads' results one after another along the tokens: concatenate along the last
    axis, dim=-1.""",
    "dim=-1", "dim=1")

wrong(WRAPPER, "wrapper_shares_its_width", CAUSAL_HEADS,
    "Your heads share d_out: here each is d_out wide, and the result num_heads * d_out.",
    "_CausalHead(d_in, d_out", "_CausalHead(d_in, d_out // num_heads")

wrong(WRAPPER, "wrapper_projects_its_result", CAUSAL_HEADS,
    "Your wrapper has an output projection: it leaves the heads as they are.",
    "self.heads =", """self.out_proj = nn.Linear(d_out * num_heads, d_out * num_heads)
        self.heads =""", "torch.cat(", "self.out_proj(torch.cat(", "dim=-1)", "dim=-1))")

wrong(WRAPPER, "wrapper_with_biases", CAUSAL_HEADS,
    "Your heads' projections have biases: bias=False.",
    *3 * ("bias=False", "bias=True"))

wrong(WRAPPER, "wrapper_not_causal", CAUSAL_HEADS,
    "Your heads see the future: the wrapper's heads are causal.",
    "is_causal=True", "is_causal=False")

wrong(WRAPPER, "wrapper_hides_itself", CAUSAL_HEADS,
    """Your heads hide every token from itself: the mask is to forbid only what lies above the
    diagonal, as triu(diagonal=1) has it.""",
    *KEPT_MASK, ".tril()", ".tril(-1)", NO_MASK, OWN_MASK)

wrong(WRAPPER, "wrapper_hides_scores_of_zero", CAUSAL_HEADS,
    """Your heads hide every score that is 0 after tril: a score may be 0 by itself, as that of a
    token of zeros is. Make the mask from places, not from values.""",
    *of_the_wrapper_alone(
        "scores.masked_fill(~past, -torch.inf)",
        "scores.tril().masked_fill(scores.tril() == 0, -torch.inf)"))

wrong(WRAPPER, "wrapper_masks_after_softmax", CAUSAL_HEADS,
    "Your heads mask after the softmax without renormalising: put -inf before it.",
    "is_causal=True)", "is_causal=False).tril()")

wrong(WRAPPER, "wrapper_without_scale", CAUSAL_HEADS,
    "Your heads' scores are not divided by sqrt(d_out).",
    "self.W_query(x)", "self.W_query(x) * math.sqrt(self.W_query.out_features)")

wrong(WRAPPER, "wrapper_scaled_by_the_input", CAUSAL_HEADS,
    "Your heads divide by sqrt(d_in): what is compared is d_out wide.",
    "self.W_query(x)", "self.W_query(x) * math.sqrt(self.W_query.out_features / x.shape[-1])")

wrong(WRAPPER, "wrapper_never_cuts_its_mask", "wrapper_takes_shorter_sentences",
    "Your heads apply the whole mask whatever the length: cut it, mask[:T, :T].",
    *KEPT_MASK, NO_MASK, "self.mask, False")

wrong(WRAPPER, "wrapper_squeezes", "wrapper_takes_shorter_sentences",
    """Your wrapper squeezes its result, which takes away the axis of a single sentence: leave it
    out.""",
    "dim=-1)", "dim=-1).squeeze(0)")

LATER_DOMINATE = "wrapper_where_later_tokens_dominate"

wrong(WRAPPER, "wrapper_exponentials_overflow", LATER_DOMINATE,
    """Your heads take the exponentials of their scores as they are: from 89 on they overflow.
    softmax subtracts the row's maximum first.""",
    *of_the_wrapper_alone("scores.softmax(dim=-1)", "scores.exp() / scores.exp().sum(-1, True)"))

wrong(WRAPPER, "wrapper_forbids_and_renormalises", LATER_DOMINATE,
    """Your heads cut the future out after the softmax and divide by what is left: where a later
    token dominates, that is 0 / 0. Forbid before the softmax.""",
    *of_the_wrapper_alone(*RENORMALISED))

wrong(WRAPPER, "wrapper_fills_with_minus_fifty", LATER_DOMINATE,
    """Your heads give the future a score such as -50: where the scores of the past are far below 0,
    it is the largest of all. Fill in -inf, or torch.finfo(scores.dtype).min.""",
    *of_the_wrapper_alone("-torch.inf", "-50.0"))

wrong(WRAPPER, "wrapper_forbids_with_1e9", LATER_DOMINATE,
    """Your heads forbid with a number such as -1e9, which float16 does not know, for it ends at
    65504: fill in -inf, or torch.finfo(scores.dtype).min.""",
    *of_the_wrapper_alone("-torch.inf", "-1e9"))

wrong(WRAPPER, "wrapper_of_any_length", "wrapper_refuses_longer_sentences",
    "A sentence longer than context_length is accepted: look at its length and raise ValueError.",
    TOO_LONG, "")

wrong(WRAPPER, "wrapper_refuses_by_luck", "wrapper_refuses_longer_sentences",
    """A sentence that is too long ends in torch's words about sizes of a mask: say it yourself,
    ValueError with both lengths.""",
    *KEPT_MASK, NO_MASK, OWN_MASK, TOO_LONG, "")

wrong(WRAPPER, "wrapper_cuts_sentences", "wrapper_refuses_longer_sentences",
    "You cut long sentences to context_length without a word: raise ValueError.",
    TOO_LONG, "x = x[:, : self.context_length]")

wrong(WRAPPER, "wrapper_with_aloose_mask", "wrapper_in_other_places",
    """Your heads' mask is a plain attribute and stays behind on the CPU: register_buffer makes it
    follow .to(...).""",
    KEPT_LENGTH, f"{KEPT_LENGTH}\n        self.mask = {PAST} > 0", NO_MASK, OWN_MASK)

wrong(WRAPPER, "wrapper_with_amask_to_learn", CAUSAL_HEADS,
    """Your heads' mask is an nn.Parameter, which an optimiser would change: register it as a
    buffer.""",
    KEPT_LENGTH, f"{KEPT_LENGTH}\n        self.mask = nn.Parameter({PAST})",
    NO_MASK, "self.mask[: x.shape[1], : x.shape[1]] > 0, False")

wrong(WRAPPER, "wrapper_causal_in_training_only", CAUSAL_HEADS,
    """In eval mode your heads see the future: eval() ends dropout and changes nothing else.""",
    "is_causal=True", "is_causal=self.training")

wrong(WRAPPER, "wrapper_counts_in_training_only", "wrapper_refuses_longer_sentences",
    """In eval mode your wrapper takes sentences of any length: context_length holds in both
    modes.""",
    "if x.shape[1] >", "if self.training and x.shape[1] >")

wrong(WRAPPER, "wrapper_context_of_all_wrappers", BESIDE,
    """You keep context_length in the class, where the wrapper made last decides for all.""",
    KEPT_LENGTH, "type(self).context_length = context_length")

wrong(WRAPPER, "wrapper_heads_drop_alike", "wrapper_drops_weights",
    "Heads of your wrapper drop the same weights: each draws for itself.",
    "self.dropout(weights)", "(torch.manual_seed(torch.initial_seed()) and self.dropout(weights))")

wrong(WRAPPER, "wrapper_heads_start_alike", START,
    """Your heads start as copies of one head: they get the same gradients, and stay one head for
    ever. Make each anew.""",
    "# END SOLUTION", """for head in self.heads:
            head.load_state_dict(self.heads[0].state_dict())""")

wrong(WRAPPER, "wrapper_drops_in_eval", "wrapper_drops_nothing_in_eval",
    "Your wrapper drops in eval mode too.",
    DROPPED, "nn.functional.dropout(weights, self.dropout.p)")

wrong(WRAPPER, "wrapper_never_drops", "wrapper_drops_weights",
    "Your wrapper takes `dropout` and never uses it: hand it on to every head.",
    DROPPED, "weights")

wrong(WRAPPER, "wrapper_drops_half_at_most", "wrapper_drops_weights",
    """With a `dropout` above one half your heads drop another share: it may be any number below 1.
    Pass it on to every head as it is.""",
    "nn.Dropout(dropout)", "nn.Dropout(min(dropout, 0.5))")

wrong(WRAPPER, "wrapper_renormalises_after_dropout", "wrapper_drops_weights",
    """What your heads keep of their weights is not the weight over 1 - dropout, as where a row is
    divided by its sum once more: drop after the softmax, and divide by 1 - dropout alone.""",
    "return self.dropout(weights)", """left = self.dropout(weights)
        left = left / left.sum(-1, keepdim=True).clamp_min(1e-20)
        return left""")

wrong(WRAPPER, "wrapper_keeps_its_weights_in_eval", BESIDE,
    """In eval mode your heads keep a copy of their weights for later calls: where others are loaded
    they still answer with the old ones. Call the nn.Linear in every call.""",
    "weights = _attention", """if not self.training and not hasattr(self, "kept"):
            self.kept = self.W_value.weight.clone()
        own = self.W_value.weight if self.training else self.kept
        weights = _attention""",
    AVERAGE, f"{DROPPED} @ (x @ own.T)")

wrong(WRAPPER, "wrapper_drops_the_result", "wrapper_drops_weights",
    """Your wrapper's dropout falls on numbers of the result: drop weights, in every head, before
    they meet the values.""",
    AVERAGE, "self.dropout(weights @ self.W_value(x))")

wrong(SHARED, "wrapper_drops_the_scores", "wrapper_drops_weights",
    "Your heads drop scores, and a dropped score of 0 still gets weight: drop after the softmax.",
    *IN_THE_SCORES, NO_MASK, "None, True, self.dropout", AVERAGE, "weights @ self.W_value(x)")

# Right, but slow or wasteful ----------------------------------------------------------------------

ALL_AT_ONCE = "function_takes_all_tokens_at_once"
NO_LARGE_TENSOR = "no_tensor_for_every_query_key_and_feature"

wrong(F, "one_sentence_at_a_time", ALL_AT_ONCE,
    """Your result is right, but a Python loop runs over the sentences: `@` treats all axes but the
    last two as a batch, so all sentences go through at once.""",
    f"{SHARES} @ v", f"torch.stack([one @ own for one, own in zip({SHARES}, v)])")

wrong(F, "one_query_at_a_time", ALL_AT_ONCE,
    """Your result is right, but a Python loop runs over the queries: one softmax along the last
    axis, or one `@`, serves all rows of scores.""",
    "scores.softmax(dim=-1)",
    "torch.stack([row.softmax(dim=-1) for row in scores.unbind(-2)], dim=-2)")

wrong(F, "one_token_at_a_time", ALL_AT_ONCE,
    """Your result is right, but a Python loop runs over the tokens: x @ w.T projects a whole
    sentence, and one reshape splits it.""",
    f"linear(x, w, b){SPLIT}",
    "torch.stack([linear(t, w, b).unflatten(-1, (num_heads, -1)) for t in x.unbind(1)], dim=2)")

wrong(F, "causal_mask_row_by_row", ALL_AT_ONCE,
    """Your result is right, but with is_causal a Python loop runs over the tokens, as where the
    mask is filled row by row: torch.ones(T, T).tril() makes all rows at once.""",
    ".tril()", "\n        for i in range(len(past)):\n            past[i, i + 1 :] = False")

wrong(F, "average_by_broadcasting", NO_LARGE_TENSOR,
    """Your result is right, but products of all queries, keys and features are stored before they
    are summed, in scores or average: q @ k.mT and weights @ v need no tensor with five axes.""",
    f"{SHARES} @ v", f"({SHARES}.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)")

wrong(LAYER, "layer_sentence_by_sentence", "layer_takes_all_tokens_at_once",
    """Your layer is right, but a Python loop runs over the sentences: `@` takes all sentences and
    heads at once.""",
    f"{DROPPED} @ v", f"torch.stack([one @ own for one, own in zip({DROPPED}, v)])")

wrong(LAYER, "layer_query_by_query", "layer_takes_all_tokens_at_once",
    """Your layer is right, but a Python loop runs over the queries: q @ k.mT and weights @ v answer
    all of them at once.""",
    f"{DROPPED} @ v", f"torch.cat([row @ v for row in {DROPPED}.split(1, dim=-2)], dim=-2)")

wrong(LAYER, "layer_averages_by_broadcasting", NO_LARGE_TENSOR,
    """Your layer is right, but stores every product before it sums them, in scores or average, d
    times the memory of the weights: `@` sums as it goes.""",
    f"{DROPPED} @ v", f"({DROPPED}.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)")

wrong(WRAPPER, "wrapper_token_by_token", "wrapper_takes_all_tokens_at_once",
    """Your wrapper is right, but a Python loop runs over the tokens: each head's weights @ values
    answers all tokens in one product.""",
    AVERAGE, f"torch.cat([row @ self.W_value(x) for row in {DROPPED}.split(1, dim=1)], dim=1)")

wrong(WRAPPER, "wrapper_sentence_by_sentence", "wrapper_takes_all_tokens_at_once",
    "Your wrapper is right, but a Python loop runs over the sentences: heads take the whole batch.",
    "torch.cat([head(x)", "torch.cat([torch.cat([head(one)",
    "dim=-1)", "dim=-1) for one in x.split(1)])")
