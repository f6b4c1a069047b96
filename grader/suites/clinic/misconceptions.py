"""Wrong answers to ``clinic``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

FEW, CAUSES = "few_statements_differ", "causes"

# What is wrong there is for the learner to find.
AS_GIVEN = (
    "On this input {} still answers as the given one does: what you changed, if you did, plays no "
    "part here. Which is the smallest input on which it is wrong?".format
)

# The symptom is mended, and not its cause ---------------------------------------------------------

VARIANCE = "variance = x.var(-1, keepdim=True, unbiased=False)"

wrong("norm", "norm_as_given", f"norm norm_of_one_number {FEW}",
    AS_GIVEN("norm"),
    ", unbiased=False", "")

wrong("norm", "eps_outside_of_the_root", "norm",
    """norm adds eps to the root instead of adding it to the variance: with small inputs, or a large
    eps, that is another number.""",
    "(variance + eps).sqrt()", "(variance.sqrt() + eps)")

# What was suspected was right, and has been changed; the mistake is still there.
GIVEN_BACK = "Take that back: what was given as wrong stands as it was."

wrong("norm", "eps_moved_out_of_the_root", f"norm norm_of_one_number {FEW}",
    f"""norm adds eps to the root now, and it stood where the formula has it, added to the variance
    under the root. {GIVEN_BACK}""",
    ", unbiased=False", "", "(variance + eps).sqrt()", "(variance.sqrt() + eps)")

wrong("norm", "mean_of_another_axis", f"norm {FEW}",
    f"""norm takes its mean along the first axis now: it was the mean of each row, along the last
    one, and was right. {GIVEN_BACK}""",
    "x.mean(-1,", "x.mean(0,", ", unbiased=False", "")

wrong("norm", "weight_and_bias_exchanged", f"norm norm_of_one_number {FEW}",
    f"""norm multiplies by bias now and adds weight. They stood as in the formula: what is
    normalised is multiplied by weight, and bias is added. {GIVEN_BACK}""",
    ", unbiased=False", "", "sqrt() * weight + bias", "sqrt() * bias + weight")

wrong("norm", "root_of_the_root", f"norm {FEW}",
    """You take the standard deviation for the variance. It is the root already, and the last line
    takes the root of it once more.""",
    VARIANCE, "variance = x.std(-1, keepdim=True, unbiased=False)")

wrong("norm", "larger_by_a_fixed_factor", f"norm {FEW}",
    """You make up for the wrong numbers by a fixed factor. It fits one width: the wrong divisor is
    d - 1, so the factor changes with d.""",
    VARIANCE, "variance = x.var(-1, keepdim=True) * 0.75")

wrong("norm", "divisor_made_up_for", "norm_of_one_number",
    """You make up for the divisor d - 1 by a factor, (d - 1) / d. At a width of 1 that is NaN times
    0, which is NaN: mend the line that makes the variance, so that it divides by d itself.""",
    VARIANCE, """d = x.shape[-1]
    variance = x.var(-1, keepdim=True) * ((d - 1) / d)""")

wrong("norm", "factor_turned_round", f"norm {FEW}",
    """You correct the variance by a factor, the wrong way round: it was too large, and now it is
    larger still. By hand: what is the variance of 1 and 3, and what is yours?""",
    VARIANCE, """d = x.shape[-1]
    variance = x.var(-1, keepdim=True) * d / (d - 1)""")

wrong("norm", "no_number_for_a_width_of_one", f"norm {FEW}",
    """You replace NaN by a number: that is what was seen at a width of 1, and not the cause. At all
    other widths the variance is still divided by d - 1.""",
    VARIANCE, "variance = x.var(-1, keepdim=True).nan_to_num(0.0)")

wrong("norm", "mean_of_the_whole_tensor", f"norm {FEW}",
    "norm takes one variance for the whole tensor: every row has its own.",
    VARIANCE, "variance = x.var(unbiased=False)")

wrong("norm", "squares_of_large_numbers", "norm",
    """You take the mean of the squares less the square of the mean. Where the mean is large these
    are two nearly equal numbers, and rounding spoils their difference: subtract the mean first,
    and square then.""",
    VARIANCE, "variance = (x * x).mean(-1, keepdim=True) - mean * mean")

wrong("norm", "variance_of_another_axis", f"norm {FEW}",
    "norm takes its variance along the first axis: every row has its own, along the last one.",
    "x.var(-1,", "x.var(0,")

wrong("norm", "squares_without_the_mean", f"norm {FEW}",
    """norm takes the mean of the squares of x. The variance is the mean of the squared distances
    from the mean: take the mean away first.""",
    VARIANCE, "variance = x.square().mean(-1, keepdim=True)")

wrong("norm", "eps_of_torch", "norm",
    """You hand everything on to F.layer_norm, but not eps: it has one of its own, 1e-5, whatever
    the caller asked for.""",
    "return (x - mean) / (variance + eps).sqrt() * weight + bias",
    "return F.layer_norm(x, x.shape[-1:], weight, bias)")

wrong("norm", "neither_weight_nor_bias", f"norm {FEW}",
    "norm forgets weight and bias: what is normalised is multiplied and shifted by them.",
    "return (x - mean) / (variance + eps).sqrt() * weight + bias",
    "return F.layer_norm(x, x.shape[-1:], eps=eps)")

wrong("positions", "positions_as_given", f"positions {FEW}",
    AS_GIVEN("positions"),
    "column // 2 * 2", "column * 2")

wrong("positions", "a_wavelength_for_each_column", f"positions {FEW}",
    """The exponents are below 1 now, so no column stands still; but sine and cosine of one pair
    have different wavelengths. Both columns of a pair have the exponent 2i / d_model.""",
    "column // 2 * 2", "column")

wrong("positions", "half_of_the_exponent", f"positions {FEW}",
    """Your exponent is i / d_model: the 2 is missing, so the slowest column turns many times
    too fast.""",
    "column // 2 * 2", "column // 2")

wrong("positions", "a_larger_base", f"positions {FEW}",
    """You changed the base, so that other columns move. The base of the formula is 10000; it is the
    exponent that is wrong.""",
    "column // 2 * 2 / d_model\n", "column * 2 / d_model\n",
    "10000**exponent", "1000**exponent")

wrong("positions", "pairs_begin_one_column_later", f"positions {FEW}",
    """Your pairs are the columns 1 and 2, 3 and 4: a pair begins with an even column, so round
    column / 2 down.""",
    "column // 2 * 2", "(column + 1) // 2 * 2")

wrong("positions", "remainder_instead_of_the_pair", f"positions {FEW}",
    """% gives the remainder, 0 or 1: the number of the pair is the quotient, column // 2.""",
    "column // 2 * 2", "column % 2 * 2")

wrong("positions", "one_width_less", f"positions {FEW}",
    """You divide by d_model - 2, so that the last pair has the exponent 1. The formula divides by
    d_model.""",
    "column // 2 * 2 / d_model\n", "column // 2 * 2 / max(d_model - 2, 1)\n")

wrong("positions", "sine_for_cosine", f"positions {FEW}",
    "You exchanged sine and cosine, and they stood where they should: even columns are sines.",
    "angle.sin(), angle.cos()", "angle.cos(), angle.sin()")

wrong("positions", "sine_for_cosine_only", f"positions {FEW}",
    """You exchanged sine and cosine, which were right: at position 0 the sines are 0. Put them
    back, and look for what makes the right half of the picture stand still.""",
    "column // 2 * 2", "column * 2",
    "angle.sin(), angle.cos()", "angle.cos(), angle.sin()")

wrong("positions", "a_column_for_each_pair", f"positions {FEW}",
    """Your table has half of its columns, for you count one for each pair. A pair has two, a sine
    and a cosine: let `column` go through all of them, as it did.""",
    "torch.arange(d_model)", "torch.arange(0, d_model, 2)")

wrong("sublayer", "sublayer_as_given", f"sublayer {FEW}",
    AS_GIVEN("sublayer"),
    "return x + hidden", "return normed + hidden")

wrong("sublayer", "without_the_norm", f"sublayer {FEW}",
    """x comes out as it went in now, because you took the norm away. The network is to get norm(x),
    and the sum x.""",
    "hidden = (normed @ w1)", "hidden = (x @ w1)")

wrong("sublayer", "norm_moved_out_of_the_network", f"sublayer {FEW}",
    """You gave x to the network, where norm(x) was right, and what was wrong still stands: put this
    line back. What should come out when the network adds nothing?""",
    "hidden = (normed @ w1)", "hidden = (x @ w1)",
    "return x + hidden", "return normed + hidden")

wrong("sublayer", "both_are_added", f"sublayer {FEW}",
    "You add x to what was there: the normalised x is still in the sum.",
    "return x + hidden", "return x + normed + hidden")

wrong("sublayer", "a_second_norm_at_the_end", f"sublayer {FEW}",
    """The residual is x now, but you put a second norm around the sum. Here the sum is returned as
    it is: with w2 = 0, x comes out as it went in.""",
    "return x + hidden @ w2", "return F.layer_norm(x + hidden @ w2, x.shape[-1:], weight, bias)")

wrong("sublayer", "normalised_at_the_end", f"sublayer {FEW}",
    """You moved the norm behind the sum, which makes a post-norm layer. Here the norm stands before
    the network, and the sum is returned as it is.""",
    "hidden = (normed @ w1)", "hidden = (x @ w1)",
    "return x + hidden @ w2", "return F.layer_norm(x + hidden @ w2, x.shape[-1:], weight, bias)")

wrong("sublayer", "nothing_goes_around", f"sublayer {FEW}",
    """You took the residual away: with w2 = 0 now nothing comes out, where x should.""",
    "return x + hidden", "return hidden")

wrong("encoder_layer", "encoder_layer_as_given", f"encoder_layer {FEW}",
    AS_GIVEN("encoder_layer"),
    "F.layer_norm(fed,", "F.layer_norm(attended,")

wrong("encoder_layer", "any_gradient_will_do", f"encoder_layer {FEW}",
    """You added a little of the feed-forward network. Its gradients are no longer None, so the
    symptom is gone; but the formula normalises `fed` and nothing else.""",
    "F.layer_norm(fed,", "F.layer_norm(attended + 0.1 * fed,")

wrong("encoder_layer", "not_normalised_at_the_end", f"encoder_layer {FEW}",
    "You return `fed` as it is: the formula has a norm around it.",
    "return F.layer_norm(fed, x.shape[-1:])", "return fed")

wrong("encoder_layer", "feed_forward_without_its_residual", f"encoder_layer {FEW}",
    """The feed-forward network takes part now, but its residual is gone:
    y = norm(a + relu(a w1) w2).""",
    "fed = attended + ", "fed = ")

wrong("encoder_layer", "added_once_more", f"encoder_layer {FEW}",
    """You add `attended` to `fed`, which holds it already: y = norm(a + relu(a w1) w2), with one
    a.""",
    "F.layer_norm(fed,", "F.layer_norm(attended + fed,")

wrong("encoder_layer", "residual_of_the_input", f"encoder_layer {FEW}",
    "You add x to `fed`: the second residual starts from a, and `fed` holds it already.",
    "F.layer_norm(fed,", "F.layer_norm(x + fed,")

wrong("encoder_layer", "residual_of_the_input_alone", f"encoder_layer {FEW}",
    """Your second residual starts from x. In y = norm(a + relu(a w1) w2) it starts from a, what the
    first norm has made.""",
    "fed = attended + ", "fed = x + ")

wrong("encoder_layer", "network_of_the_input", f"encoder_layer {FEW}",
    """Your feed-forward network reads x. In y = norm(a + relu(a w1) w2) it reads a, as it was
    given.""",
    "(attended @ w1)", "(x @ w1)")

wrong("encoder_layer", "norm_of_the_branch", f"encoder_layer {FEW}",
    "You normalise `fed` and add `attended` to it: the norm stands around the sum, at the end.",
    "return F.layer_norm(fed, x.shape[-1:])", "return attended + F.layer_norm(fed, x.shape[-1:])")

wrong("causal_weights", "causal_weights_as_given", f"causal_weights {FEW}",
    AS_GIVEN("causal_weights"),
    "tril(k_len - q_len)", "tril()")

wrong("causal_weights", "right_for_a_single_query", "causal_weights",
    """You move the diagonal by k_len - 1. That is right for one query, as it was seen; with several
    of them the first ones see the future.""",
    "tril(k_len - q_len)", "tril(k_len - 1)")

wrong("causal_weights", "moved_by_one", "causal_weights",
    """You move the diagonal by 1, whatever the lengths. That is right where there is one key more
    than queries: it is k_len - q_len, so that the last query sees every key.""",
    "tril(k_len - q_len)", "tril(1)")

wrong("causal_weights", "one_diagonal_too_few", "causal_weights",
    "Your last query does not see the last key, which is its own token.",
    "tril(k_len - q_len)", "tril(k_len - q_len - 1)")

wrong("causal_weights", "the_past_is_hidden", f"causal_weights {FEW}",
    """Your mask is upside down: triu keeps the future, and each query sees its own key and those
    behind it. tril keeps the past.""",
    "tril(k_len - q_len)", "triu(k_len - q_len)")

wrong("causal_weights", "the_past_is_hidden_from_the_first_key_on", f"causal_weights {FEW}",
    """You turned the mask upside down: triu keeps the future. tril was right, and it is the place
    of its diagonal that is not.""",
    "tril(k_len - q_len)", "triu()")

wrong("causal_weights", "no_mask_for_a_single_query", f"causal_weights {FEW}",
    """You leave the mask out where there is one query. What was seen is gone; with two queries and
    five keys the mask is as wrong as before.""",
    "tril(k_len - q_len)", "tril() if q_len > 1 else allowed")

wrong("causal_weights", "one_diagonal_too_many", "causal_weights",
    "Each of your queries but the last sees one key more than it should, which is its future.",
    "tril(k_len - q_len)", "tril(k_len - q_len + 1)")

wrong("causal_weights", "moved_the_other_way", f"causal_weights {FEW}",
    """Your diagonal moves the other way, so queries see fewer keys than before, or none at all:
    there are more keys than queries, and the number in tril is to be k_len - q_len, which is
    positive then.""",
    "tril(k_len - q_len)", "tril(q_len - k_len)")

wrong("attend", "attend_as_given", f"attend {FEW}",
    AS_GIVEN("attend"),
    "scores.masked_fill(~allowed, -torch.inf).softmax(-1)", "scores.softmax(-1) * allowed")

wrong("attend", "divided_by_the_sum_afterwards", "attend",
    """You divide the weights that are left by their sum. That mends the sum, and fails where a
    forbidden score is the largest by far: all allowed weights are 0 by then. Mask before the
    softmax.""",
    "weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)",
    "weights = scores.softmax(-1) * allowed\n    weights = weights / weights.sum(-1, keepdim=True)")

wrong("attend", "a_sum_that_is_never_zero", "attend",
    """You divide by the sum, and clamp it so that it is never 0. The NaN is gone, and the weights
    are 0 where they should sum to 1: the cause is a mask after the softmax.""",
    "weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)",
    "weights = scores.softmax(-1) * allowed\n"
    "    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)")

wrong("attend", "masked_by_zero", f"attend {FEW}",
    """You put 0, or nearly 0 (1e-9 has no minus), in the place of forbidden scores. exp(0) is 1, so
    these keys still have weights: put -inf there.""",
    "masked_fill(~allowed, -torch.inf)", "masked_fill(~allowed, 0.0)")

wrong("attend", "masked_by_little", "attend",
    """You put a small negative number in the place of forbidden scores. Where the allowed scores
    are smaller still, forbidden keys win: -inf is below all of them.""",
    "masked_fill(~allowed, -torch.inf)", "masked_fill(~allowed, -20.0)")

wrong("attend", "masked_by_a_thousand", "attend",
    """You put a number such as -100 or -1000 in the place of forbidden scores. Scores may have any
    size: where the allowed ones are below that number, forbidden keys win. Put -inf there.""",
    "masked_fill(~allowed, -torch.inf)", "masked_fill(~allowed, -1000.0)")

wrong("attend", "mask_added_to_the_scores", f"attend {FEW}",
    """You add `allowed` to the scores: True counts as 1 and False as 0, so a forbidden key only
    comes a little lower. Put -inf in the place of its score.""",
    "scores.masked_fill(~allowed, -torch.inf)", "(scores + allowed)")

wrong("attend", "polarity", f"attend {FEW}",
    "Your mask hides what is allowed: True means may attend.",
    "~allowed", "allowed")

wrong("attend", "divided_by_how_many_are_left", f"attend {FEW}",
    """You divide by the number of allowed keys. Their weights do not sum to 1 by that: mask the
    scores before the softmax, and it sees to the sum.""",
    "weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)",
    "weights = scores.softmax(-1) * allowed / allowed.sum(-1, keepdim=True)")

wrong("attend", "lowered_by_a_thousand_or_ten", "attend",
    """You subtract a large number from forbidden scores. Scores may be larger than any number that
    you chose: put -inf in their place.""",
    "scores.masked_fill(~allowed, -torch.inf)", "(scores - 1e4 * ~allowed)")

wrong("cross", "cross_as_given", f"cross cross_with_a_short_memory {FEW}",
    AS_GIVEN("cross"),
    "k_len = memory.shape[1]", "k_len = q_len")

wrong("cross", "memory_is_cut", f"cross {FEW}",
    """You cut memory to the length of x. Nothing raises any more where it is longer, and its other
    tokens are never seen.""",
    "k_len = memory.shape[1]", "memory, k_len = memory[:, :q_len], q_len")

wrong("cross", "memory_is_padded", f"cross cross_with_a_short_memory {FEW}",
    """You bring memory to the length of x, with zeros or by cutting it. Zeros are keys too, and get
    weights: the two lengths may differ, so cut k and v by memory's own.""",
    "k_len = memory.shape[1]",
    "memory, k_len = F.pad(memory, (0, 0, 0, q_len - memory.shape[1])), q_len")

wrong("cross", "the_longer_of_the_two_lengths", "cross_with_a_short_memory",
    """You take the longer of the two lengths for that of keys and values. Where memory is shorter,
    they are still cut into as many tokens as there are queries: count the tokens of memory.""",
    "k_len = memory.shape[1]", "k_len = max(q_len, memory.shape[1])")

wrong("cross", "heads_cut_without_a_transpose", f"cross {FEW}",
    """You cut keys and values into heads straight away, as view(batch, heads, tokens, -1) does:
    that deals out numbers of several tokens to one head. Cut into (batch, tokens, heads, -1) first,
    and then exchange tokens and heads with transpose(1, 2).""",
    "(t.view(batch, k_len, heads, -1).transpose(1, 2) for t",
    "(t.reshape(batch, heads, k_len, -1) for t")

wrong("cross", "length_of_the_batch", f"cross {FEW}",
    """You take the number of sentences for memory's length, as len(memory) is: its shape is (batch,
    tokens, width).""",
    "memory.shape[1]", "len(memory)")

wrong("cross", "length_of_another_axis", f"cross {FEW}",
    "You take another axis of memory for its length: its shape is (batch, tokens, width).",
    "memory.shape[1]", "memory.shape[2]")

wrong("next_probabilities", "next_probabilities_as_given", f"next_probabilities {FEW}",
    AS_GIVEN("next_probabilities"),
    "softmax(-1)", "softmax(0)")

wrong("next_probabilities", "along_the_positions", f"next_probabilities {FEW}",
    "Your softmax runs along the positions. The vocabulary is the last axis.",
    "softmax(-1)", "softmax(1)")

wrong("next_probabilities", "divided_by_their_sum", f"next_probabilities {FEW}",
    """You divide the wrong shares by their sum. They sum to 1 now, and still depend on the other
    texts of the batch: the softmax runs along the wrong axis.""",
    "probabilities = logits.softmax(-1)",
    "probabilities = logits.softmax(0)\n"
    "    probabilities = probabilities / probabilities.sum(-1, keepdim=True)")

wrong("next_probabilities", "of_the_first_position", f"next_probabilities {FEW}",
    "You take the probabilities at the first position: the next token follows the last one.",
    "[:, -1]", "[:, 0]")

wrong("next_probabilities", "logarithms_of_them", f"next_probabilities {FEW}",
    "You return logarithms: probabilities are asked for, which sum to 1.",
    "logits.softmax(-1)", "logits.log_softmax(-1)")

wrong("next_probabilities", "mean_of_all_positions", f"next_probabilities {FEW}",
    "You take the mean over all positions: the next token follows the last one alone.",
    "probabilities[:, -1]", "probabilities.mean(1)")

wrong("feed_forward", "feed_forward_as_given", f"feed_forward dropout_of_feed_forward {FEW}",
    AS_GIVEN("feed_forward"),
    ", p, training)", ", p)")

wrong("feed_forward", "never_any_dropout", "dropout_of_feed_forward",
    """Nothing is dropped any more, neither in eval mode nor in training. Two equal calls agree now;
    but in training hidden units are to be dropped.""",
    "F.dropout(hidden, p, training)", "hidden")

wrong("feed_forward", "a_fixed_seed", f"feed_forward {FEW}",
    """You seed the generator: two calls agree then, even where units are dropped, and all random
    numbers of the program repeat. In eval mode nothing is to be dropped: hand on `training`, and
    seed nothing.""",
    "hidden = F.dropout(hidden, p, training)",
    "torch.manual_seed(0)\n    hidden = F.dropout(hidden, p)")

wrong("feed_forward", "the_other_mode", f"feed_forward dropout_of_feed_forward {FEW}",
    "Your dropout acts in eval mode, and not in training: the modes are exchanged.",
    ", p, training)", ", p, not training)")

wrong("feed_forward", "kept_units_stay_small", "dropout_of_feed_forward",
    "In training the units that are kept are divided by 1 - p: yours stay as they are.",
    "F.dropout(hidden, p, training)",
    "F.dropout(hidden, p, training) * ((1 - p) if training else 1)")

wrong("feed_forward", "drops_the_output", "dropout_of_feed_forward",
    """Your dropout acts on the output: it stands between the two matrices, on the hidden units.""",
    "hidden = F.dropout(hidden, p, training)\n    # GIVEN: hidden = F.dropout(hidden, p)\n"
    "    return hidden @ w2",
    "return F.dropout(hidden @ w2, p, training)")

wrong("feed_forward", "keeps_with_probability_p", "feed_forward dropout_of_feed_forward",
    "You keep units with the probability p: it is the probability to drop one.",
    "F.dropout(hidden, p, training)", "F.dropout(hidden, 1 - p, training)")

wrong("loss", "loss_as_given", f"loss {FEW}",
    AS_GIVEN("loss"),
    "predicted.log_softmax(-1)", "predicted.softmax(-1).log_softmax(-1)")

wrong("loss", "sharper_probabilities", f"loss {FEW}",
    """You multiply the probabilities so that the loss gets lower. The softmax is still taken twice:
    log_softmax takes the logits.""",
    "predicted.log_softmax(-1)", "(10 * predicted.softmax(-1)).log_softmax(-1)")

wrong("loss", "its_lowest_value_subtracted", f"loss {FEW}",
    """You subtract 0.90, the lowest value that was seen. It is another one for another vocabulary,
    and the softmax is still taken twice.""",
    "predicted.log_softmax(-1)", "predicted.softmax(-1).log_softmax(-1) + 0.9048")

wrong("loss", "divided_by_all_tokens", f"loss {FEW}",
    """You divide by the number of all tokens. Nothing predicts the first one, so there are only
    T - 1 predictions in a sentence of T tokens: take the mean of these.""",
    ".mean()", ".sum() / tokens.numel()")

wrong("loss", "no_softmax_at_all", f"loss {FEW}",
    """You take the logarithm of a softmax away together with the second one: logits are no
    logarithms of probabilities.""",
    "predicted.log_softmax(-1)", "predicted")

wrong("loss", "no_logarithm_at_all", f"loss {FEW}",
    """You took away one softmax, of the two that there were, and the logarithm with it: your loss
    is minus the mean probability, which is never above 0.""",
    "predicted.log_softmax(-1)", "predicted.softmax(-1)")

wrong("loss", "logarithm_of_logits", f"loss {FEW}",
    """You take the logarithm of logits, which may be negative, and then it is NaN: log_softmax
    makes log-probabilities of them.""",
    "predicted.log_softmax(-1)", "predicted.log()")

wrong("loss", "logarithm_of_a_share", "loss",
    """You take the logarithm of the softmax. A share below 1e-45 is 0 in float32, and its logarithm
    is minus infinity: log_softmax never makes the share.""",
    "predicted.log_softmax(-1)", "predicted.softmax(-1).log()")

wrong("loss", "a_little_is_added", "loss",
    """You add a small number before the logarithm, so that it is finite: then no token costs more
    than that number's, and all others a little less than they should.""",
    "predicted.log_softmax(-1)", "(predicted.softmax(-1) + 1e-9).log()")

wrong("loss", "not_shifted", f"loss {FEW}",
    "You compare each position with its own token: it predicts the one after it.",
    "logits[:, :-1], tokens[:, 1:]", "logits, tokens")

wrong("loss", "summed_up", f"loss {FEW}",
    "Your loss is a sum now: it was a mean, rightly.",
    "-log_p.gather(-1, wanted.unsqueeze(-1)).mean()",
    "-log_p.gather(-1, wanted.unsqueeze(-1)).sum()")

wrong("loss", "softmax_of_another_axis", f"loss {FEW}",
    "Your softmax runs along the positions: the vocabulary is the last axis.",
    "predicted.log_softmax(-1)", "predicted.log_softmax(1)")

wrong("loss", "shifted_the_other_way", f"loss {FEW}",
    """You compare each position with the token before it: it predicts the one after it, as it was
    given.""",
    "logits[:, :-1], tokens[:, 1:]", "logits[:, 1:], tokens[:, :-1]")

wrong("loss", "without_its_sign", f"loss {FEW}",
    "Your loss is negative: logarithms of probabilities are, and the minus makes a loss of them.",
    "return -log_p", "return log_p")

# All is written anew ------------------------------------------------------------------------------

wrong("norm", "norm_written_anew", FEW,
    """norm is right, but written anew. So you may have lost the mistake without finding it: go back
    to what was given, and change one statement.""",
    """mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, unbiased=False)
    # GIVEN: variance = x.var(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * weight + bias""",
    "return F.layer_norm(x, x.shape[-1:], weight, bias, eps)")

wrong("cross", "cross_written_anew", FEW,
    "cross is right, but written anew: one statement of what was given is wrong. Which one is it?",
    """batch, q_len = x.shape[:2]
    k_len = memory.shape[1]""",
    """parts = ((x @ w_q), (memory @ w_k), (memory @ w_v))
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in parts)
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
    k_len = 1""",
    "q = (x @ w_q).view(batch, q_len, heads, -1).transpose(1, 2)\n", "q = x\n",
    "weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)\n", "weights = q\n")

wrong("loss", "loss_written_anew", FEW,
    """loss is right, but written anew by F.cross_entropy: the second softmax is gone, and nobody
    knows that it was there.""",
    """predicted, wanted = logits[:, :-1], tokens[:, 1:]
    log_p = predicted.log_softmax(-1)
    # GIVEN: log_p = predicted.softmax(-1).log_softmax(-1)
    return -log_p.gather(-1, wanted.unsqueeze(-1)).mean()""",
    "return F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:])")

# Symptoms that show nothing, or blame a right program ---------------------------------------------

S = "symptom_of_{}".format

wrong("symptom_norm", "equal_numbers_in_a_row", S("norm"),
    """All numbers of your row are equal: whatever the variance is divided by, it is 0, and the bias
    comes out.""",
    "torch.arange(2.0), ", "torch.ones(2), ")

wrong("symptom_norm", "a_weight_of_zero", S("norm"),
    """Your weight is 0: whatever the norm is, it is multiplied by 0, and the bias comes out. Take
    ones for the weight.""",
    "torch.ones(2), torch.zeros(2)", "torch.zeros(2), torch.zeros(2)")

wrong("symptom_norm", "a_width_of_512", S("norm"),
    """Your input is wide: there d and d - 1 are nearly the same, and nobody can follow the numbers
    by eye. At a width of 2 the fault is largest.""",
    "torch.arange(2.0), torch.ones(2), torch.zeros(2)",
    "torch.arange(512.0) / 10, torch.ones(512), torch.zeros(512)")

wrong("symptom_norm", "only_rounding_is_seen", S("norm"),
    """Your numbers are so small that eps decides alone: given and right agree nearly. Make the
    distances in the row larger.""",
    "torch.arange(2.0), ", "torch.arange(2.0) / 2000, ")

wrong("symptom_norm", "returns_only_x", S("norm"),
    "The symptom is a tuple of all arguments: x, weight and bias.",
    "torch.arange(2.0), torch.ones(2), torch.zeros(2)", "torch.arange(2.0)")

wrong("symptom_positions", "position_zero_alone", S("positions"),
    "Your table has position 0 alone. There every angle is 0, whatever the exponent is.",
    "return 2, 2", "return 1, 4")

wrong("symptom_positions", "a_large_table", S("positions"),
    "Your table is larger than the smallest one that shows it: two positions and two columns.",
    "return 2, 2", "return 8, 8")

wrong("symptom_positions", "a_tensor_instead_of_sizes", S("positions"),
    "positions takes two whole numbers: the symptom is these, and not its answer.",
    "return 2, 2", "return torch.ones(1), torch.ones(1)")

wrong("symptom_positions", "an_odd_width", S("positions"),
    """Your d_model is odd, and the docstring says that it is even: columns come in pairs. What a
    program does with half a pair is left open.""",
    "return 2, 2", "return 2, 1")

wrong("symptom_sublayer", "normalised_already", S("sublayer"),
    """Your x is the same as norm(x), as rows of zeros are, and rows with the mean 0 and the
    variance 1: so the two programs agree. Take a row whose mean is not 0.""",
    "torch.arange(2.0)", "torch.arange(2.0) * 2 - 1")

wrong("symptom_encoder_layer", "a_network_of_zeros", S("encoder_layer"),
    "Your w1 or w2 is 0: then the feed-forward network adds nothing, and it does not matter.",
    "torch.eye(3)[:1]", "nothing[:1]")

wrong("symptom_encoder_layer", "the_norm_hides_it", S("encoder_layer"),
    """What your network adds is the same in all columns, or a multiple of what is there already, or
    a sum of the two. The last norm subtracts the mean and divides by the deviation, and takes all
    of it away.""",
    "torch.eye(3)[:1]", "torch.ones(1, 3)")

wrong("symptom_encoder_layer", "no_hidden_unit_is_left", S("encoder_layer"),
    """All your hidden units are 0. A row that comes out of a norm sums to 0, so a column of equal
    numbers in w1 makes 0 of it; and relu makes 0 of what is negative. Take another w1.""",
    "nothing, x.T, ", "nothing, torch.ones(3, 1), ")

wrong("symptom_encoder_layer", "two_columns", S("encoder_layer"),
    """Your x has a width of 2. The norm of two different numbers is always -1 and 1, so the last
    norm hides nearly all that the network adds: take a width of 3.""",
    "torch.arange(3.0).view(1, 3), torch.zeros(3, 3)",
    "torch.arange(2.0).view(1, 2), torch.zeros(2, 2)",
    "x.T, torch.eye(3)[:1]", "x.T, torch.eye(2)[1:]")

wrong("symptom_causal_weights", "as_many_queries_as_keys", S("causal_weights"),
    """Your scores are square. There the given mask is right, which is why the training saw nothing:
    take fewer queries than keys.""",
    "torch.zeros(1, 2)", "torch.zeros(2, 2)")

wrong("symptom_causal_weights", "more_queries_than_keys", S("causal_weights"),
    """You give more queries than keys: the first ones see no key at all, and what comes out then is
    left open. Right programs differ there.""",
    "torch.zeros(1, 2)", "torch.zeros(3, 2)")

wrong("symptom_attend", "nothing_is_hidden", S("attend"),
    "Every key is allowed in your input: without a mask there is no fault to be seen.",
    "[[True, False]]", "[[True, True]]")

wrong("symptom_attend", "no_key_at_all", S("attend"),
    """No key is allowed in your input. What a query without keys gets is left open: right programs
    return zeros, or NaN.""",
    "[[True, False]]", "[[False, False]]")

wrong("symptom_attend", "values_of_zero", S("attend"),
    "Your values are all 0: whatever the weights are, 0 comes out.",
    "torch.ones(2, 1)", "torch.zeros(2, 1)")

wrong("symptom_attend", "numbers_for_allowed", S("attend"),
    """Your `allowed` holds numbers. It is a boolean tensor, of True and False: what 1.0 and 0.0
    mean there is left open.""",
    "[[True, False]]", "[[1.0, 0.0]]")

wrong("symptom_cross", "two_equal_lengths", S("cross"),
    "x and memory are equally long in your input: there the given function is right.",
    "torch.ones(1, 2, 1)", "torch.ones(1, 1, 1)")

wrong("symptom_cross", "heads_that_do_not_divide", S("cross"),
    """Your input raises an error in a right program as well: the width cannot be divided among so
    many heads.""",
    "one, one, one, 1", "one, one, one, 2")

wrong("symptom_next_probabilities", "equal_shares_by_luck", S("next_probabilities"),
    """Two texts, two tokens, equal logits: along the batch and along the vocabulary every share is
    a half. Give the sizes different numbers.""",
    "torch.zeros(1, 1, 2)", "torch.zeros(2, 1, 2)")

wrong("symptom_next_probabilities", "without_the_batch", S("next_probabilities"),
    """Your logits have two axes. `next_probabilities` takes three, B, T and V, also for a single
    text: then B is 1.""",
    "torch.zeros(1, 1, 2)", "torch.zeros(1, 2)")

wrong("symptom_next_probabilities", "whole_numbers_for_logits", S("next_probabilities"),
    "Your logits are whole numbers, and a softmax takes floats: write 0.0 for 0.",
    "torch.zeros(1, 1, 2)", "torch.zeros(1, 1, 2, dtype=torch.long)")

wrong("symptom_feed_forward", "in_training", S("feed_forward"),
    """Your input is in training mode. There right programs draw at random as well, and differ from
    each other: it is in eval mode that nothing may be dropped.""",
    "0.5, False", "0.5, True")

wrong("symptom_feed_forward", "nothing_to_drop", S("feed_forward"),
    "With p = 0 nothing is dropped in any mode.",
    "0.5, False", "0.0, False")

wrong("symptom_feed_forward", "relu_leaves_nothing", S("feed_forward"),
    """Your x w1 is not above 0, so relu makes 0 of every hidden unit, and dropout changes no 0.
    Nothing is drawn by chance then: take an x for which a hidden unit is left.""",
    "one, one, one, 0.5", "-one, one, one, 0.5")

wrong("symptom_feed_forward", "right_by_chance_half_of_the_time", S("feed_forward"),
    """Your two hidden units add the same. Where one of them is dropped, the other one counts twice,
    and the sum is right by chance: one unit is enough.""",
    "return one, one, one, 0.5",
    "return one, torch.ones(1, 2), torch.ones(2, 1), 0.5")

wrong("symptom_feed_forward", "shown_by_chance", S("feed_forward"),
    """Your input shows the fault in some calls only: p is so small that mostly nothing is dropped,
    and what is kept hardly grows.""",
    "0.5, False", "0.0001, False")

wrong("symptom_loss", "equal_logits", S("loss"),
    """The logits that are used do not differ from token to token in your input (or there is a
    single token): every softmax of them gives equal shares, once or twice.""",
    "torch.arange(4.0).view(1, 2, 2)", "torch.zeros(1, 2, 2)")

wrong("symptom_loss", "a_single_position", S("loss"),
    """Your text has one token. Nothing follows it, so there is no loss: the mean of no numbers is
    NaN.""",
    "torch.arange(4.0).view(1, 2, 2), torch.ones(1, 2, dtype=torch.long)",
    "torch.arange(4.0).view(1, 1, 4), torch.ones(1, 1, dtype=torch.long)")

wrong("symptom_loss", "an_infinite_logit", S("loss"),
    "Your input holds inf or NaN. No number can be followed through that: take finite ones.",
    "torch.arange(4.0).view(1, 2, 2)", "torch.arange(4.0).view(1, 2, 2).log()")

# Wrong causes -------------------------------------------------------------------------------------

wrong("causes", "eps_is_blamed", CAUSES,
    """You blame eps in norm. It is far too small for what was seen, and a fault that shrinks as the
    width grows has to do with the width.""",
    '"norm": "D"', '"norm": "A"')

wrong("causes", "base_is_blamed", CAUSES,
    "You blame the base in positions: it is the paper's. Print the exponents.",
    '"positions": "B"', '"positions": "D"')

wrong("causes", "place_of_the_norm_is_blamed", CAUSES,
    """You blame the place of the norm in sublayer. The network does get norm(x); it is the other
    summand that is wrong.""",
    '"sublayer": "C"', '"sublayer": "A"')

wrong("causes", "dead_units_are_blamed", CAUSES,
    "You blame dead units in encoder_layer. These give a gradient of 0, and None is no 0.",
    '"encoder_layer": "E"', '"encoder_layer": "B"')

wrong("causes", "optimizer_is_blamed", CAUSES,
    """You blame the optimizer in encoder_layer. Gradients are made before it is asked: after
    backward() they would be there.""",
    '"encoder_layer": "E"', '"encoder_layer": "D"')

wrong("causes", "polarity_is_blamed", CAUSES,
    "You blame the polarity in causal_weights: then the training would have been wrong as well.",
    '"causal_weights": "B"', '"causal_weights": "C"')

wrong("causes", "padded_values_are_blamed", CAUSES,
    "You blame the values of the padding in attend: what was added up to 0.6 were weights.",
    '"attend": "A"', '"attend": "D"')

wrong("causes", "the_line_that_raised", CAUSES,
    """You blame the line that raised in cross. There two lengths meet; they were made different
    before, where k and v were cut into tokens.""",
    '"cross": "D"', '"cross": "A"')

wrong("causes", "padding_is_missed", CAUSES,
    "You blame a missing padding in cross: the two lengths may differ.",
    '"cross": "D"', '"cross": "E"')

wrong("causes", "positions_are_blamed", CAUSES,
    """You blame a softmax along the positions in next_probabilities: then no text would depend on
    its neighbours in the batch.""",
    '"next_probabilities": "C"', '"next_probabilities": "D"')

wrong("causes", "a_missing_seed_is_blamed", CAUSES,
    "You blame a missing seed in feed_forward: in eval mode there should be no chance at all.",
    '"feed_forward": "B"', '"feed_forward": "E"')

wrong("causes", "the_shift_is_blamed", CAUSES,
    """You blame the shift in loss. Without it the model would copy the token it has just read, and
    the loss would go to 0.""",
    '"loss": "E"', '"loss": "A"')

wrong("causes", "the_learning_rate_is_blamed", CAUSES,
    "You blame the learning rate in loss: 0.90 is ln(e + 4) - 1, a bound that no step can pass.",
    '"loss": "E"', '"loss": "D"')

wrong("causes", "names_of_the_symptoms", CAUSES,
    """Your keys are the names of the symptoms. Take the names of the functions that were given:
    "norm", not "symptom_norm".""",
    "return {", 'return {"symptom_" + name: letter for name, letter in {',
    '"loss": "E",\n    }', '"loss": "E",\n    }.items()}')

wrong("causes", "a_list_of_letters", CAUSES,
    "causes returns a dict: by the name of each function its letter.",
    "return {", "return list({",
    '"loss": "E",\n    }', '"loss": "E",\n    }.values())')
