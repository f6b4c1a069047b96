"""What a test would have to ask for, to notice each of the hidden wrong functions.

Told is what to ask for, and never which function it is of; nor what to assert.
"""

from __future__ import annotations

COPY = "compare the inputs after a call with copies that you made before it"
TURNED = (
    "hand over also a view of three axes or more whose memory does not lie in order, such as "
    "x.transpose(0, 1): two axes are not always enough"
)
HEADS_TURNED = (
    "let q, k and v also be views whose memory does not lie in order, all three of them "
    "x.transpose(1, 2) of four axes: two or three are not enough"
)
DTYPES = "ask also in float64 and in bfloat16, and look at the dtype of what comes back"
BACKWARD = (
    "go backward with a random cotangent, and compare the gradients of all inputs with the true"
)
TRUTH = "compare every number with the truth, not only the shape or a sum"
DROPS = (
    "with training=True and a dropout_p, let the values be torch.eye(n): out shows the weights then"
)
LARGE = (
    "where there is a mask, multiply the queries until scores reach some hundreds (by 100, say): a "
    "forbidden key must often score far above all others"
)

_ASKS = {
    "check_causal_mask": {
        "true_means_forbidden itself_forbidden one_step_into_the_future only_itself": TRUTH,
        "axes_in_front rows_for_all_keys keys_over_the_rows": """take sizes that differ, and look at
            the shape, (q_len, k_len): a comparison broadcasts""",
        """aligned_at_the_top_left shifted_the_wrong_way k_len_ignored
        everything_allowed_with_a_cache""": """ask also for more keys than queries, and not only for
            square masks""",
        "k_len_required": "leave k_len out once",
        "floats_instead_of_bools integers_instead_of_bools": """look at the dtype as well, for
            numbers may be equal to bools""",
        "positions_in_eight_bits": """ask once for some hundred positions (300, say): small masks do
            not show how far somebody can count""",
        "remembered_by_the_queries": "ask for the same q_len twice, with another k_len",
    },
    "check_softmax": {
        "returns_logarithms sign_flipped base_two": TRUTH,
        "epsilon_in_the_denominator rounded": "compare more closely: 2e-5 is wide enough in "
        "float32",
        "ignores_dim first_or_last_axis_only": """take three axes of different sizes, and let dim be
            each of them""",
        "keepdim_forgotten": "let dim be every axis, of a square matrix as well",
        "default_axis_zero": "leave dim out once, with two axes or more",
        "views_the_input": TURNED,
        "one_global_maximum": "take rows that lie far apart, one near -1000 and one near 1000",
        "float64_instead_of_the_maximum clamps_the_scores": """take scores of some hundreds, of both
            signs""",
        "infinities_become_zero": "let one score of a row be -inf",
        "detached half_a_gradient": BACKWARD,
        "always_float32": DTYPES,
        "subtracts_in_place": COPY,
        "maximum_remembered": "call it twice with the same shape and other numbers",
    },
    "check_layer_norm": {
        """unbiased_variance eps_outside_the_root only_centred mean_stays
        root_mean_square_instead""": f"{TRUTH}, and with an eps that is felt, such as 0.1",
        "bias_before_the_weight one_weight_for_all": "let weight and bias be random, and no ones "
        "or zeros",
        "along_the_tokens keepdim_forgotten": TRUTH,
        "axis_by_its_size square_matrices_turned": """let another axis be as long as the last one,
            as in a square matrix""",
        "squeezes_everything": "let an axis before the last one have the size 1",
        "needs_three_axes": "ask with one axis, with two and with four",
        "views_the_input": TURNED,
        "root_before_eps": "take a row of equal numbers, and look at its gradient",
        "a_second_eps": "take rows as small as 1e-4, with an eps as small as 1e-9",
        "large_numbers_cut_off": "take rows of numbers near a million",
        "variance_by_difference": "take rows far from zero: near 1000, with a spread of 1",
        "eps_hard_coded": "ask with several eps, a large one such as 0.1 among them",
        "eps_of_zero_replaced": "ask with an eps of 0 too, and rows of small numbers",
        "bias_must_be_given": "ask with None for the bias",
        "detached_statistics detached_variance": BACKWARD,
        "always_float32": DTYPES,
        "statistics_in_half_precision": """take three rows or more far from zero in bfloat16 too:
            near 150, with a spread of 1. Nearer to zero or further spread, the mistake may be
            smaller than your tolerance; and with a weight of 1 and a bias of 0 2e-2 is wide enough
            for right functions""",
        "dtype_of_the_weight": "let x be bfloat16 while weight and bias are float32",
        "subtracts_in_place": COPY,
    },
    "check_attention": {
        "averages_keys returns_scores distance_as_score": f"{TRUTH}, of out and of the weights",
        "counts_axes_from_the_front softmax_over_axis_two": """ask also with two axes and with
            four""",
        "at_most_four_axes": "ask with five axes",
        "squeezes": "let sizes be 1: one batch, one query, one key",
        "heads_taken_for_tokens": "take four axes, with as many heads as tokens",
        "views_the_inputs": HEADS_TURNED,
        "divides_by_sqrt_of_value_width": "let the values have another width than the keys",
        "divides_by_sqrt_of_key_number": "let the number of keys differ from their width",
        "unstable_softmax": "multiply the queries, so that scores reach some hundreds",
        "one_maximum_for_all": "let the scores of one query be far above those of another",
        "mask_after_softmax mask_and_renormalise fills_with_minus_twenty": LARGE,
        "one_mask_for_all_heads": "take a mask of four axes that differs from head to head",
        "mask_rows_as_sentences": """take four axes, and a mask of two axes whose first size is also
            that of the batch""",
        "additive_mask_as_boolean": "take a mask of floats of any size, not only 0 and -inf",
        "sees_one_ahead": "ask with is_causal, and compare every number",
        "scale_zero_not_given": "ask with a scale of 0.0, without a mask",
        "no_scale_when_causal": "give scale and is_causal in one call",
        "causal_replaces_the_mask": "give is_causal and a mask in one call",
        "no_mask_in_training": "give a mask while training=True, without dropout",
        "dropout_without_rescaling drops_scores": f"{DROPS}; what is not 0 has a size to be "
        f"compared",
        "drops_the_output": f"""{DROPS}; one more column, of ones, shows whether each weight was
            dropped by itself""",
        "returns_dropped_weights": """compare the weights that come back while training with those
            before dropout""",
        "same_dropout_for_all_heads": f"{DROPS}; do two heads, two batches, two queries drop "
        f"alike?",
        "no_dropout_with_a_mask": "turn dropout on together with a mask, and with is_causal",
        "detached": BACKWARD,
        "additive_mask_detached": "let a mask of floats require a gradient, and compare that too",
        "dropped_weights_detached": "go backward through a result of dropout too",
        "always_float32": DTYPES,
        "float32_causal_mask": "ask with is_causal in bfloat16 too",
        "an_earlier_mask": "hand over two different masks of one shape, one after the other",
        "changes_the_mask": "compare the mask with a copy too, after a call with is_causal",
        "one_dropout_for_all_calls": "do two equal calls with dropout drop the same weights?",
    },
    "check_multi_head_attention": {
        "averages_the_keys forgets_w_v values_from_the_keys": f"""{TRUTH}, with a query, a key and a
            value that are three different tensors""",
        "weights_of_the_first_head head_index_fastest": f"{TRUTH}, with two heads or more",
        "flattens_the_inputs": TURNED,
        "width_of_the_query": "let w_q make another width than the query has",
        "values_as_wide_as_keys scaled_by_the_value_width": """let w_v make another width than
            w_k""",
        "squeezes": "let sizes be 1: one sentence, one query",
        "scaled_by_the_model_width": "take two heads or more, so that a head is narrower than all",
        "forbids_and_renormalises subtracts_a_hundred": LARGE,
        "mask_of_the_first_sentence": "take a mask of four axes that differs between sentences",
        "mask_of_the_first_head": "take a mask of four axes that differs between heads",
        "masks_the_queries": "take as many queries as keys, and a mask that is not symmetric",
        "sees_the_next_position": "ask with is_causal, and compare every number",
        "padding_where_sizes_agree": """take a mask of two axes, with as many sentences as
            queries""",
        "all_biases_or_none biases_are_needed": "give no bias at all, and each of the four alone",
        "mask_replaces_causal": "give is_causal and a mask in one call",
        "bias_of_the_keys_from_the_values": """give b_k and b_v where the values have another width
            than the keys""",
        "detached": BACKWARD,
        "always_float32": DTYPES,
        "writes_into_the_mask": "compare the mask with a copy too, after a call with is_causal",
    },
}
ASKS = {
    check: {name: " ".join(says.split()) for names, says in asks.items() for name in names.split()}
    for check, asks in _ASKS.items()
}

# The wrong functions of the page.
PUBLISHED = {
    "mask_of_the_future": "compare every number of the mask with j <= i + k_len - q_len",
    "softmax_over_the_rows": "take a matrix of distinct sizes and let dim be its last axis",
    "softmax_without_maximum": "take scores of some hundreds, where exp overflows, and compare "
    "with torch.softmax so that NaN is rejected too",
    "norm_without_eps": "take an eps that is felt: a large one such as 0.1, or rows as small as it",
    "attention_without_scale": "compare out and weights with those of true_attention, without a "
    "scale of your own, and with keys of a width other than 1",
    "heads_without_a_bias": "hand over all four biases, of random numbers, and compare the result "
    "with that of true_heads",
}

# What a test takes for the truth if it accepts such a function where it rejects the right ones. The
# names are those of the other banks.
TRUTHS = {
    "check_causal_mask": {
        "aligned_at_the_top_left": "in it query i sees the keys 0 to i. The page says j <= i + "
        "k_len - q_len: with fewer queries than keys the last query sees all keys",
        "shifted_the_wrong_way": "in it the diagonal is shifted by q_len - k_len. The page says j "
        "<= i + k_len - q_len",
        "k_len_ignored": "its shape is (q_len, q_len). The page says (q_len, k_len)",
        "true_means_forbidden": "it is True where a query may not attend. On the page True means "
        "that it may",
        "upper_triangle": "it allows the future: True stands above the diagonal. The page says j "
        "<= i + k_len - q_len",
        "itself_forbidden": "in it no token sees itself. The page says j <= i + k_len - q_len, "
        "and <= includes the token itself",
        "one_step_into_the_future": "in it a token sees the next one too. The page says j <= i + "
        "k_len - q_len",
        "floats_instead_of_bools": "it holds floats. The page says a bool tensor",
        "integers_instead_of_bools": "it holds integers. The page says a bool tensor",
    },
    "check_softmax": {
        "returns_logarithms": "it returns the logarithms. The page says exp(x) divided by its sum",
        "ignores_dim": "it takes no notice of dim. The page says the sum along dim",
        "default_axis_zero": "it works along axis 0 where dim is left out. On the page dim is -1 "
        "then",
        "always_float32": "it always returns float32. The page says the dtype of x",
        "detached": "its result has left the graph. The page says that gradients flow back to x",
    },
    "check_layer_norm": {
        "unbiased_variance": "it divides the variance by d - 1, as torch's var and std do unless "
        "they are told otherwise. The page says: by d, not by d - 1",
        "unbiased_and_eps_outside": "it divides the variance by d - 1, and adds eps outside of the "
        "root. The page says: by d, and sqrt(var(x) + eps)",
        "eps_outside_the_root": "it adds eps outside of the root. The page says sqrt(var(x) + eps)",
        "no_eps": "it adds no eps. The page says sqrt(var(x) + eps)",
        "eps_hard_coded": "it has an eps of its own. The page says the eps that is given",
        "root_mean_square_instead": "it does not subtract the mean. The page says x - mean(x)",
        "divides_by_the_variance": "it divides by the variance. The page says by its root",
        "bias_before_the_weight": "it adds the bias first. The page says ... * weight + bias",
        "weight_and_bias_forgotten": "it leaves out weight and bias. The page says ... * weight "
        "+ bias",
        "bias_forgotten": "it leaves out the bias. The page says ... * weight + bias",
        "along_the_tokens": "it works along the tokens. The page says over the last axis",
        "always_float32": "it always returns float32. The page says the dtype of x",
        "dtype_of_the_weight": "its result has the dtype of the weight. The page says that of x",
    },
    "check_attention": {
        "no_scaling": "it does not scale. The page says 1 / sqrt(d_k), unless scale is given",
        "divides_by_sqrt_of_value_width": "it divides by sqrt(d_v). The page says sqrt(d_k)",
        "divides_by_key_width": "it divides by d_k. The page says by its root",
        "divides_by_the_scale": "it divides by scale. The page says scale * q @ k^T",
        "ignores_scale": "it takes no notice of scale. The page says scale * q @ k^T",
        "scale_on_top": "it multiplies by scale and divides by sqrt(d_k). The page says 1 / "
        "sqrt(d_k) unless scale is given",
        "mask_inverted": "it forbids where the mask is True. On the page True means: may attend",
        "ignores_the_mask": "it takes no notice of the mask",
        "adds_the_boolean_mask": "it adds a boolean mask to the scores. The page says: True where "
        "a query may attend",
        "mask_added_before_scaling": "it adds a mask of floats before scaling. The page says: to "
        "the scaled scores",
        "ignores_is_causal": "it takes no notice of is_causal",
        "sees_one_ahead": "with is_causal it sees one key too many. The page says: position i "
        "attends to 0 ... i",
        "hides_itself": "with is_causal no token sees itself. The page says: position i attends "
        "to 0 ... i",
        "causal_replaces_the_mask": "it forgets the mask with is_causal. The page says: the mask "
        "must allow it too",
        "returns_only_out": "it returns out alone. The page says (out, weights)",
        "returns_weights_first": "it returns the weights first. The page says (out, weights)",
        "returns_dropped_weights": "it returns the weights after dropout. The page says: those "
        "before",
        "dropout_without_rescaling": "what is not dropped stays as it was. The page says: divided "
        "by 1 - dropout_p",
        "keeps_a_share_dropout_p": "it keeps the share dropout_p. On the page that is dropped",
        "dropout_always_active": "it drops without training as well. The page says: while training",
        "softmax_over_queries": "its softmax goes over the queries. The page says: over the keys",
        "always_float32": "it always returns float32. The page says the dtype of the inputs",
    },
    "check_multi_head_attention": {
        "no_scale": "it does not scale. The page says 1 / sqrt(d_k), with d_k of one head",
        "scaled_by_the_model_width": "it divides by the root of the whole width. The page says of "
        "one head's keys",
        "scaled_by_the_value_width": "it divides by the root of the values' width. The page says "
        "of one head's keys",
        "view_without_transpose": "it cuts the heads without exchanging axes: they hold parts of "
        "several tokens. Each head has its own columns of each token",
        "head_index_fastest": "its head h has the columns h, h + H, ... On the page each head's "
        "columns stand side by side",
        "projections_transposed": "it multiplies by w, and not by its transpose: F.linear(x, w)",
        "mask_inverted": "it forbids where the mask is True. On the page True means: may attend",
        "mask_ignored": "it takes no notice of the mask",
        "causal_ignored": "it takes no notice of is_causal",
        "mask_replaces_causal": "it forgets is_causal where a mask is given: both must allow",
        "sees_the_next_position": "with is_causal it sees one key too many",
        "hides_itself": "with is_causal no token sees itself",
        "returns_the_weights_too": "it returns the weights as well. The page says the result alone",
        "forgets_b_o": "it leaves out b_o",
        "forgets_w_o": "it leaves out w_o",
        "always_float32": "it always returns float32. The page says the dtype of the inputs",
    },
}

# What right functions return.
RETURNS = {
    "check_causal_mask": "A mask is a bool tensor of shape (q_len, k_len)",
    "check_softmax": "A softmax is one tensor, of the shape and dtype of x",
    "check_layer_norm": "A layer norm is one tensor, of the shape and dtype of x",
    "check_attention": "Attention returns a pair, (out, weights): take it apart, and ask each of "
    "the two",
    "check_multi_head_attention": "Multi-head attention returns one tensor, (B, Tq, d_out)",
}

# How a truth of one's own becomes NaN.
ONE_MAXIMUM = "as a softmax does that takes one maximum for all rows: 0 / 0 in rows far below it"
NOT_A_NUMBER = {
    "check_softmax": ONE_MAXIMUM,
    "check_layer_norm": "as 0 / 0 does, for a row of equal numbers without eps",
    "check_attention": ONE_MAXIMUM,
    "check_multi_head_attention": ONE_MAXIMUM,
}

# How right functions differ from the plainest one, in the order of right.py; the last is the slow
# one.
DIFFERS = {
    "check_causal_mask": [
        "is made of two aranges",
        "is the upper triangle turned round, made of floats first",
        "is a view into a larger tensor, so its memory has gaps",
        "is made from lists",
        "lies in memory column by column",
        "is filled row by row",
    ],
    "check_softmax": [
        "is torch's own",
        "computes in float32 for all dtypes, float64 too: take the tolerance of float32 there",
        "computes in the dtype of x, so in bfloat16 it is off by some percent",
        "is exp(x - logsumexp), which rounds differently",
        "computes powers of two, which round differently",
        "takes one slice after another, and its result is a view in another order",
        "takes one row after another",
    ],
    "check_layer_norm": [
        "is torch's own",
        "computes in float64",
        "computes in float32 for all dtypes, float64 too: take the tolerance of float32 there",
        "adds up by einsum, which rounds differently",
        "joins weight and bias by addcmul, which rounds differently",
        "takes one token after another",
    ],
    "check_attention": [
        "forbids with -1e9, and scales the queries before the product",
        "returns a list of the two, and computes the softmax in float32 also for float64",
        "draws its dropout by torch.rand",
        "multiplies by the scale after it has masked. For a scale of 0.0 with a mask or is_causal, "
        "-inf * 0 is NaN, which is not to be tested",
        "takes one query after another",
    ],
    "check_multi_head_attention": [
        "takes one head after another, and leaves b_k out, so that its gradient is None",
        "forbids with the smallest finite number, and adds up by einsum",
        "forbids with -1e9, and folds the heads into the batch",
        "takes one sentence after another",
    ],
}
