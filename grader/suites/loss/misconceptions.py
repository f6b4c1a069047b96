"""Wrong answers to ``loss``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch

from grader.check import Bank

wrong = Bank()

MEAN, AXIS = "the_mean_loss", "the_vocabulary_is_the_last_axis"
LARGE, IGNORED = "large_logits", "what_is_ignored_does_not_count"
ANY, NOTHING = "any_number_may_be_ignored", "nothing_to_learn"
HUGE, GONE = "logits_that_are_ignored", "a_token_that_cannot_come"
ROWS, SMOOTH, BOTH = "smoothed_targets", "label_smoothing", "smoothing_of_what_counts"
KL, ZEROS, PERPLEXITY = "kl_divergence", "tokens_without_probability", "perplexity"
BACKWARD, LEAN = "the_gradient_by_hand", "all_rows_at_once"

TOTAL = "total = logits.logsumexp(-1)"
PICKED = "logits.gather(-1, known).squeeze(-1)"
LOSSES = f"losses = total - {PICKED}"
DIVIDED = " / counts.sum().clamp(min=1)"
RETURNED = f"return losses.masked_fill(~counts, 0.0).sum(){DIVIDED}"
COUNTS = "counts = targets != ignore_index"
OF_ALL_SHARES = (
    LOSSES, """log_p = torch.softmax(logits, -1).log()
    losses = -log_p.gather(-1, known).squeeze(-1)""",
    "total - logits.mean(-1)", "-log_p.mean(-1)",
)
MIXED = "(1 - label_smoothing) * losses + label_smoothing * of_all"
KL_SUM = "(p * ratio).sum(-1)"
SAFE_P, SAFE_Q = "p.masked_fill(~happens, 1.0).log()", "log_q.masked_fill(~happens, 0.0)"
BY_MODEL = "return cross_entropy(logits, targets, ignore_index).exp()"
ROW = "return is_target.float() * (1 - epsilon) + epsilon / vocab_size"

# How far it may be written ------------------------------------------------------------------------

ALL_COUNT = (f".masked_fill(~counts, 0.0).sum(){DIVIDED}", ".mean()")
PLAIN = ("targets.masked_fill(~counts, 0).unsqueeze", "targets.unsqueeze")
UNSMOOTHED = ("if label_smoothing > 0:", "if False:")

wrong.up_to("cross_entropy: every target counts", "cross_entropy", *PLAIN, *UNSMOOTHED, *ALL_COUNT)
wrong.up_to("cross_entropy: every target counts", "cross_entropy", *PLAIN, *UNSMOOTHED)
wrong.up_to("cross_entropy: every target counts", "cross_entropy", *PLAIN, *UNSMOOTHED,
    ALL_COUNT[0], "")
wrong.up_to("cross_entropy: ignore_index", "cross_entropy", *UNSMOOTHED)
wrong.up_to("cross_entropy: ignore_index", "cross_entropy", *UNSMOOTHED, ".clamp(min=1)", "")

wrong.up_to("kl_divergence", "kl_divergence", SAFE_P, "p.log()", SAFE_Q, "log_q")

wrong("cross_entropy", "smoothed_by_nothing", "a_token_that_cannot_come",
    """You multiply log-probabilities by a row of targets where label_smoothing is 0 as well: beside
    the target that row is 0, and 0 * -inf is NaN. Take the target's score alone, unless
    label_smoothing is more than 0.""",
    "if label_smoothing > 0:", """q = smoothed_targets(targets.masked_fill(~counts, 0),
        logits.shape[-1], label_smoothing)
    losses = -(q * torch.log_softmax(logits, -1)).sum(-1)
    if False:""")

# One target ---------------------------------------------------------------------------------------

wrong("cross_entropy", "softmax_twice", f"{MEAN} {IGNORED}",
    """You take the softmax of the logits first, and logsumexp takes it once more: the loss can then
    never come near 0. Cross-entropy takes the logits as they are.""",
    "counts =", "logits = torch.softmax(logits, -1)\n    counts =")

wrong("cross_entropy", "axis_of_gather_kept", MEAN,
    """One of the two parts of your loss has an axis of size 1 more than the other, as gather and
    keepdim=True leave one: taken together, every position meets every other. squeeze(-1) takes that
    axis away.""",
    PICKED, "logits.gather(-1, known)", "losses.masked_fill(~counts, 0.0)", "losses")

wrong("cross_entropy", "softmax_over_the_first_axis", f"{MEAN} {IGNORED}",
    """Your softmax runs along the first axis, across the positions: each position has a
    distribution of its own, over the vocabulary, the last axis.""",
    LOSSES, "losses = -torch.log_softmax(logits, 0).gather(-1, known).squeeze(-1)")

wrong("cross_entropy", "softmax_over_axis_one", f"{MEAN} {IGNORED}",
    """Your softmax runs along axis 1: of logits of the shape (B, T, V) these are the positions.
    The vocabulary is the last axis, -1.""",
    LOSSES, """axis = min(1, logits.ndim - 1)
    losses = -torch.log_softmax(logits, axis).gather(-1, known).squeeze(-1)""")

wrong("cross_entropy", "mean_over_the_vocabulary", f"example {MEAN}",
    """You take the mean of minus the logarithms over all tokens of the vocabulary: the loss of a
    position is that of its target alone, which gather picks.""",
    LOSSES, "losses = total - logits.mean(-1)")

wrong("cross_entropy", "counts_what_is_ignored", f"{MEAN} {IGNORED}",
    """You have turned the comparison round: what counts are the targets that are not ignore_index,
    and you count only those that are.""",
    COUNTS, "counts = targets == ignore_index",
    "targets.masked_fill(~counts, 0)", "targets.clamp(min=0)")

wrong("cross_entropy", "logarithm_of_a_softmax", LARGE,
    """You take the logarithm of a softmax: where the probability rounds to 0, that is log(0), and
    the loss is infinite. logsumexp(z) - z_y needs no probability.""",
    LOSSES, "losses = -torch.softmax(logits, -1).gather(-1, known).squeeze(-1).log()")

wrong("cross_entropy", "logarithms_of_all_shares", f"{LARGE} {GONE}",
    """You take the logarithm of a whole softmax: a share that rounds to 0 becomes -inf, and on the
    way back NaN. log_softmax does both in one, and so does z - logsumexp(z).""",
    *OF_ALL_SHARES)

wrong("cross_entropy", "logarithms_of_the_shares_that_count", f"{LARGE} {GONE}",
    """What is ignored does no harm in your loss, but the logarithm of a softmax does: a share that
    rounds to 0 becomes -inf, and on the way back NaN. log_softmax does both in one, and so does
    z - logsumexp(z).""",
    TOTAL, f"logits = logits.masked_fill(~counts.unsqueeze(-1), 0.0)\n    {TOTAL}",
    *OF_ALL_SHARES)

wrong("cross_entropy", "logarithm_with_a_small_number", f"{MEAN} {LARGE}",
    """Your loss stops growing where the target is improbable. A small number that is added inside
    the logarithm does that, as does a bound for the probability, the logits or the loss: leave it
    out, for logsumexp(z) - z_y is finite by itself.""",
    LOSSES, "losses = -(torch.softmax(logits, -1).gather(-1, known).squeeze(-1) + 1e-9).log()")

wrong("cross_entropy", "exponentials_overflow", LARGE,
    """You add up plain exponentials, which overflow from 89 on in float32: torch.logsumexp takes
    the maximum out of the sum first.""",
    TOTAL, "total = logits.exp().sum(-1).log()")

wrong("cross_entropy", "sign_forgotten", f"example {MEAN}",
    """Your loss is the logarithm of the probability, without the minus: it is never above 0, and to
    make it smaller would make the target less likely.""",
    LOSSES, f"losses = {PICKED} - total")

wrong("cross_entropy", "probability_instead_of_its_logarithm", f"example {MEAN}",
    "Your loss is minus the probability of the target: the logarithm is missing.",
    LOSSES, f"losses = -({PICKED} - total).exp()")

wrong("cross_entropy", "base_two", f"example {MEAN}",
    """You take the logarithm to the base 2, so your loss is 1.44 times as large: log is the natural
    logarithm here.""",
    RETURNED, RETURNED + " / 0.6931471805599453")

wrong("cross_entropy", "only_the_logit", f"example {MEAN}",
    """Your loss is minus the logit of the target, so it falls for ever as all logits grow together:
    logsumexp of all logits belongs to it.""",
    LOSSES, f"losses = 0 * total - {PICKED}")

wrong("cross_entropy", "maximum_instead_of_logsumexp", f"example {MEAN}",
    """You subtract the logit of the target from the largest logit: that is 0 wherever the model is
    right, however unsure it is. The first part is logsumexp of all logits.""",
    TOTAL, "total = logits.amax(-1)")

wrong("cross_entropy", "logits_of_all_targets", MEAN,
    """logits[..., targets] gives every position the logits of the targets of all positions. Each
    needs the one of its own target: gather along the last axis picks one number in each row.""",
    LOSSES, "losses = total - logits[..., known.squeeze(-1)]")

wrong("cross_entropy", "squared_error", f"example {MEAN}",
    """Your loss is the squared distance between softmax and target. Cross-entropy is minus the
    logarithm of the target's probability.""",
    LOSSES, """one_hot = torch.zeros_like(logits).scatter(-1, known, 1.0)
    losses = (torch.softmax(logits, -1) - one_hot).square().sum(-1)""")

wrong("cross_entropy", "vocabulary_along_axis_one", f"{MEAN} {AXIS}",
    """You take axis 1 for the vocabulary, as torch's own function does. Here it is the last axis,
    and where both are equally long no error tells you.""",
    "counts =", "logits = logits.transpose(1, -1) if logits.ndim > 2 else logits\n    counts =")

wrong("cross_entropy", "needs_a_batch", AXIS,
    """Your function wants at least one axis before that of the vocabulary: `...` means any number,
    also none.""",
    "counts =", "B, *_, V = logits.shape\n    counts =")

wrong("cross_entropy", "views_the_logits", MEAN,
    """You call view on logits that may be a transposed or expanded view: use reshape, or flatten,
    or no reshaping at all.""",
    "counts =", "logits = logits.view(-1).view(logits.shape)\n    counts =")

wrong("cross_entropy", "squeezes_everything", AXIS,
    """Your squeeze removes every axis of size 1, not only the one that gather has left: in a batch
    of sentences of one token the two parts of the loss no longer line up.""",
    "squeeze(-1)", "squeeze()")

wrong("cross_entropy", "detached", MEAN,
    """Your loss has left the graph: without detach, .data, .item(), torch.tensor or no_grad,
    gradients flow back to the logits.""",
    RETURNED, RETURNED.replace("losses.", "losses.detach()."))

wrong("cross_entropy", "always_float32", MEAN,
    "Your loss is always float32: it has the dtype of the logits.",
    "counts =", "logits = logits.float()\n    counts =")

wrong("cross_entropy", "zero_times_an_infinite_logarithm", GONE,
    """With a logit of -inf you multiply 0 by an infinite number, which is NaN. Is it a row of zeros
    and a one, times all logarithms? Pick the one that is wanted, with gather. Or is it a
    label_smoothing of 0, times the smoothed part? Leave that part out.""",
    LOSSES, """one_hot = torch.zeros_like(logits).scatter(-1, known, 1.0)
    losses = -(one_hot * (logits - total.unsqueeze(-1))).sum(-1)""")

wrong("cross_entropy", "logits_are_limited", LARGE,
    """You limit the logits to a fixed range so that nothing overflows, which changes the loss:
    logsumexp takes the maximum out instead.""",
    TOTAL, "logits = logits.clamp(-50, 50)\n    total = logits.logsumexp(-1)")

# The mean -----------------------------------------------------------------------------------------

wrong("cross_entropy", "sum_instead_of_mean", f"example {MEAN}",
    """You return the sum of all losses: it grows with the batch, and so would every step of the
    training. Divide by the number of targets that count.""",
    RETURNED, RETURNED.replace(DIVIDED, ""))

wrong("cross_entropy", "mean_over_all_places", IGNORED,
    """You divide by the number of all places, the ignored ones included: a batch with much padding
    then seems easy. Only targets that count have a share in the mean.""",
    DIVIDED, " / max(1, counts.numel())")

wrong("cross_entropy", "divided_by_the_first_size", f"{MEAN} {IGNORED}",
    """You divide by the first size of the targets alone: of the shape (B, T) there are B * T of
    them, less those that do not count.""",
    DIVIDED, " / len(targets)")

wrong("cross_entropy", "mean_of_the_means_of_rows", IGNORED,
    """You take a mean in every row of the batch, and the mean of these. Where rows have different
    numbers of targets that count, a target in a short row then weighs more than others: divide the
    sum of all by the number of all.""",
    RETURNED, """rows = losses.masked_fill(~counts, 0.0)
    if rows.ndim < 2:
        return rows.sum() / counts.sum().clamp(min=1)
    means = rows.sum(-1) / counts.sum(-1).clamp(min=1)
    return means.sum() / counts.any(-1).sum().clamp(min=1)""")

wrong("cross_entropy", "one_loss_for_each_position", f"example {MEAN}",
    """You return a number for each position: wanted is one number in all, the mean of their
    losses.""",
    RETURNED, "return losses.masked_fill(~counts, 0.0)")

wrong("cross_entropy", "every_target_counts", f"{IGNORED} {ANY}",
    """You do not look at ignore_index: a target of that number does not count, neither in the sum
    nor in the mean.""",
    RETURNED, "return losses.mean()")

wrong("cross_entropy", "ignores_minus_hundred_only", ANY,
    "You leave out targets of -100, whatever ignore_index is: compare with ignore_index.",
    COUNTS, "counts = targets != -100",
    "masked_fill(~counts, 0)", "clamp(min=0)")

wrong("cross_entropy", "minus_hundred_for_ignore_index", ANY,
    """You compare the targets with the number -100 where ignore_index is meant: any other number to
    be ignored, such as -1, is then taken for a place in the row.""",
    COUNTS, "counts = targets != -100")

wrong("cross_entropy", "only_what_is_negative_is_replaced", ANY,
    """Where ignore_index is larger than any token, as 50 is, you still take it for a place in the
    row. First put 0 in the place of every target that equals ignore_index, whatever the number is:
    masked_fill(~counts, 0).""",
    "targets.masked_fill(~counts, 0)", "targets.clamp(min=0)")

wrong("cross_entropy", "divided_by_what_is_not_negative", ANY,
    """Your sum is right, but you divide it by the number of targets that are not below 0: divide by
    how many differ from ignore_index, which may be a token, such as 0.""",
    "counts.sum().clamp", "(targets >= 0).sum().clamp")

wrong("cross_entropy", "divided_by_what_is_not_minus_hundred", ANY,
    """Your sum is right, but you divide it by the number of targets that are not -100: divide by
    how many differ from ignore_index, whatever that is.""",
    "counts.sum().clamp", "(targets != -100).sum().clamp")

wrong("cross_entropy", "ignores_all_that_is_negative", ANY,
    """You leave out the targets below 0. ignore_index may be a token of the vocabulary, such as the
    0 of a padding: compare with it.""",
    COUNTS, "counts = targets >= 0")

wrong("cross_entropy", "ignored_token_taken_out_of_the_vocabulary", ANY,
    """You take the ignored token out of the softmax. It is the targets of that number that do not
    count; the token itself keeps its probability.""",
    TOTAL, """columns = torch.arange(logits.shape[-1], device=logits.device)
    logits = logits.masked_fill(columns == ignore_index, -1e4)
    total = logits.logsumexp(-1)""")

wrong("cross_entropy", "nothing_divided_by_nothing", NOTHING,
    """If no target counts, you divide 0 by 0, and one such batch makes every weight of the model
    NaN: divide by at least 1.""",
    ".clamp(min=1)", "")

wrong("cross_entropy", "always_one_too_many", f"example {MEAN}",
    """You add something to the number you divide by, so that it is never 0, and change every mean:
    clamp(min=1) changes it only where it is 0.""",
    ".clamp(min=1)", ".add(1)")

wrong("cross_entropy", "a_zero_of_its_own", NOTHING,
    """If no target counts, you return a new 0 that does not come from the logits, so backward()
    fails: a sum of nothing is 0 and keeps its graph.""",
    TOTAL, """if not counts.any():
        return logits.new_zeros(())
    total = logits.logsumexp(-1)""")

wrong("cross_entropy", "a_zero_in_float32", NOTHING,
    """If no target counts, your loss is 0 in float32, whatever the logits are: it has their
    dtype.""",
    TOTAL, """if not counts.any():
        return logits.float().masked_fill(~counts.unsqueeze(-1), 0.0).sum()
    total = logits.logsumexp(-1)""")

wrong("cross_entropy", "minus_infinity_is_a_number", GONE,
    """You put a finite number in the place of -inf: where all other logits are below it, the token
    that cannot come becomes the likeliest. Leave -inf as it is: its exponential is 0.""",
    TOTAL, "logits = logits.clamp(min=-1e4)\n    total = logits.logsumexp(-1)")

wrong("cross_entropy", "ignored_losses_times_zero", HUGE,
    """You multiply by 0 what does not count: where it is infinite that is NaN. Put a 0 in the place
    of these losses, with masked_fill or torch.where.""",
    "losses.masked_fill(~counts, 0.0)", "(losses * counts)")

wrong("cross_entropy", "smoothed_always_and_ignored_times_zero", f"{GONE} {HUGE}",
    """0 times what is infinite is NaN, and you multiply by 0 twice: the smoothed part by a
    label_smoothing of 0, where a logit is -inf, and the losses that do not count. Take the smoothed
    part only where label_smoothing is above 0, and put a 0 in the place of those losses, with
    masked_fill or torch.where.""",
    "if label_smoothing > 0:", "if True:",
    "losses.masked_fill(~counts, 0.0)", "(losses * counts)")

wrong("cross_entropy", "smoothed_always_and_nothing_divided", f"{GONE} {NOTHING}",
    """Two things make NaN. A logit of -inf does: you multiply the smoothed part by a
    label_smoothing of 0, so take it only where that is above 0. And if no target counts, the mean
    of nothing is 0 / 0: divide the sum by at least 1.""",
    "if label_smoothing > 0:", "if True:", ".clamp(min=1)", "")

wrong("cross_entropy", "multiplied_and_only_negative_replaced", f"{ANY} {HUGE}",
    """You multiply by 0 what does not count, which is NaN where it is infinite: put a 0 in its
    place, with masked_fill or torch.where. And you take an ignore_index that is larger than any
    token, as 50 is, for a place in the row: put 0 in the place of such targets first.""",
    "targets.masked_fill(~counts, 0)", "targets.clamp(min=0)",
    "losses.masked_fill(~counts, 0.0)", "(losses * counts)")

wrong("cross_entropy", "ignored_losses_subtracted_again", HUGE,
    """You add up all losses and subtract those that do not count: where these are huge, the
    others are lost in rounding. Put a 0 in their place before the sum: masked_fill does it.""",
    "losses.masked_fill(~counts, 0.0).sum()",
    "(losses.sum() - losses.masked_fill(counts, 0.0).sum())")

# Smoothing ----------------------------------------------------------------------------------------

wrong("cross_entropy", "smoothing_ignored", SMOOTH,
    "You do not use label_smoothing.",
    "label_smoothing > 0", "label_smoothing > 1")

wrong("cross_entropy", "sum_of_the_row_for_its_mean", SMOOTH,
    """You subtract the sum of the row where its mean belongs: the loss of all tokens alike is
    logsumexp(z) minus the mean of the logits.""",
    "logits.mean(-1)", "logits.sum(-1)")

wrong("cross_entropy", "smoothing_by_bare_scores", SMOOTH,
    """Of the loss of all tokens you take minus the mean of the logits alone: its logsumexp is
    missing. It is logsumexp(z) minus the mean of the row, weighed with epsilon.""",
    "of_all = total - logits.mean(-1)", "of_all = -logits.mean(-1)")

wrong("cross_entropy", "epsilon_added_to_the_loss", SMOOTH,
    """You add epsilon itself to the loss: what is weighed with it is a loss too, the mean of
    logsumexp(z) - z_j over all tokens j.""",
    MIXED, "(1 - label_smoothing) * losses + label_smoothing")

wrong("cross_entropy", "shares_reversed_at_all_times", f"example {MEAN} {SMOOTH}",
    """You weigh the target with epsilon and all tokens with 1 - epsilon: it is the other way round.
    Without smoothing, where epsilon is 0, the target has everything.""",
    "if label_smoothing > 0:", "if True:",
    MIXED, "label_smoothing * losses + (1 - label_smoothing) * of_all")

wrong("cross_entropy", "smoothing_among_the_others", SMOOTH,
    """You share epsilon among the V - 1 other tokens, as some programs do. Here all V tokens have
    a part of it, the target too.""",
    "of_all = total - logits.mean(-1)",
    "of_all = (total * logits.shape[-1] - logits.sum(-1) - losses) / (logits.shape[-1] - 1)")

wrong("cross_entropy", "smoothing_takes_only", SMOOTH,
    """You take epsilon away from the target and give it to nobody: the rest of the loss, epsilon
    times the mean over all tokens, is missing.""",
    MIXED, "(1 - label_smoothing) * losses")

wrong("cross_entropy", "smoothing_gives_only", SMOOTH,
    """You add epsilon times the loss of all tokens, but the target keeps its full weight: it has
    1 - epsilon.""",
    MIXED, "losses + label_smoothing * of_all")

wrong("cross_entropy", "smoothing_by_a_sum", SMOOTH,
    """You add up the losses of all tokens and weigh them with epsilon: epsilon is shared by V
    tokens, so take their mean.""",
    "total - logits.mean(-1)", "total * logits.shape[-1] - logits.sum(-1)")

wrong("cross_entropy", "shares_reversed", SMOOTH,
    "You exchanged the two weights: the target has 1 - epsilon, all tokens together have epsilon.",
    MIXED, "label_smoothing * losses + (1 - label_smoothing) * of_all")

wrong("cross_entropy", "smoothing_counts_everything", BOTH,
    """The smoothed part of your loss is taken over ignored places as well: what does not count has
    no part in either.""",
    MIXED, "(1 - label_smoothing) * losses",
    "losses.masked_fill(~counts, 0.0).sum()",
    "(losses.masked_fill(~counts, 0.0).sum() + (label_smoothing * of_all).sum()"
    " if label_smoothing > 0 else losses.masked_fill(~counts, 0.0).sum())")

wrong("cross_entropy", "smoothing_averaged_over_everything", BOTH,
    """The smoothed part of your loss is a mean over all places, the ignored ones too: what does not
    count has no part in either mean, nor in what either is divided by.""",
    MIXED, "(1 - label_smoothing) * losses",
    "counts.sum().clamp(min=1)",
    "counts.sum().clamp(min=1) + (label_smoothing * of_all.mean() if label_smoothing > 0 else 0)")

wrong("cross_entropy", "smoothing_of_zeros", BOTH,
    """The smoothed part of your loss is a mean over all places, and an ignored one costs log(V) in
    it, as logits of 0 do: what is ignored must be left out of the sum and of the count.""",
    MIXED, "(1 - label_smoothing) * losses",
    "counts.sum().clamp(min=1)",
    """counts.sum().clamp(min=1) + (
        label_smoothing * of_all.where(counts, torch.tensor(logits.shape[-1]).log()).mean()
        if label_smoothing > 0
        else 0
    )""")

wrong("smoothed_targets", "nothing_for_the_others", ROWS,
    """You take epsilon away from the target and give it to nobody, so a row sums to 1 - epsilon:
    every token, the target too, has epsilon / V.""",
    " + epsilon / vocab_size", "")

wrong("smoothed_targets", "target_keeps_everything", ROWS,
    """You add epsilon / V to every token and take nothing away from the target, so a row sums to
    more than 1: its 1 becomes 1 - epsilon first.""",
    " * (1 - epsilon)", "")

wrong("smoothed_targets", "rows_divided_by_one_fewer", ROWS,
    """Your rows sum to more than one: every token, the target too, gets epsilon / (V - 1). V tokens
    share epsilon here, so each gets epsilon / V.""",
    "epsilon / vocab_size", "epsilon / (vocab_size - 1)")

wrong("smoothed_targets", "rows_among_the_others", ROWS,
    """You share epsilon among the V - 1 other tokens, as some programs do. Here the target has its
    part of epsilon as well: epsilon / V.""",
    ROW, """others = epsilon / (vocab_size - 1)
    return is_target.float() * (1 - epsilon - others) + others""")

wrong("smoothed_targets", "rows_sum_to_less_than_one", ROWS,
    """Your target has 1 - epsilon and the others epsilon / V, so a row sums to less than 1: the
    target has epsilon / V on top.""",
    ROW, "return torch.where(is_target, 1 - epsilon, epsilon / vocab_size)")

wrong("smoothed_targets", "rows_without_epsilon", ROWS,
    "Your rows are not smoothed: they are 1 at the target and 0 elsewhere.",
    ROW, "return is_target.float()")

wrong("smoothed_targets", "epsilon_for_each", ROWS,
    "You give epsilon to every token: they share it, so each has epsilon / V.",
    "epsilon / vocab_size", "epsilon")

wrong("smoothed_targets", "rows_of_the_largest_target", ROWS,
    """Your rows are as long as the largest target demands, not vocab_size: a batch need not hold
    the last token.""",
    "torch.arange(vocab_size, device=targets.device)",
    "torch.arange(int(targets.max()) + 1, device=targets.device)")

wrong("smoothed_targets", "vocabulary_comes_first", ROWS,
    "You put the axis of the vocabulary first: it is the last one.",
    ROW, ROW.replace("return ", "return (") + ").movedim(-1, 0)")

wrong("smoothed_targets", "each_row_for_all_targets", ROWS,
    """Each row is large at the targets of all rows: rows[..., targets] = ... writes these columns
    in every row. Row i has a target of its own: scatter(-1, targets.unsqueeze(-1), value).""",
    "targets.unsqueeze(-1) == torch.arange(vocab_size, device=targets.device)",
    "torch.isin(torch.arange(vocab_size, device=targets.device), targets).expand(\n"
    "        *targets.shape, vocab_size)")

wrong("smoothed_targets", "whole_numbers", ROWS,
    "Your rows are not float32, but probabilities are: call float().",
    ROW, ROW.replace("return ", "return (") + ").double()")

# Divergence and perplexity ------------------------------------------------------------------------

wrong("kl_divergence", "logarithm_of_log_q", KL,
    """You take a logarithm of log_q, or of a fraction with it: it holds logarithms already, which
    are below 0, and the logarithm of what is below 0 is NaN.""",
    SAFE_Q, "log_q.log()")

wrong("kl_divergence", "cross_entropy_instead", KL,
    """You return the cross-entropy, -sum p log q: the divergence subtracts the entropy of p, so
    that it is 0 where both are equal.""",
    f"{SAFE_P} - ", "-")

wrong("kl_divergence", "the_other_way_round", KL,
    "You return KL(q, p). The weights are those of p: the two are not the same.",
    KL_SUM, "(-ratio * log_q.exp()).sum(-1)")

wrong("kl_divergence", "the_other_way_round_with_log_p_as_it_is", f"{KL} {ZEROS}",
    """You return KL(q, p): the two are not the same. The weights are those of p, and log p is
    needed only where p is above 0.""",
    KL_SUM, "(log_q.exp() * (log_q - p.log())).sum(-1)")

wrong("kl_divergence", "sign_of_the_divergence", KL,
    "Your divergence has the wrong sign: log p - log q, which is never below 0 in the sum.",
    KL_SUM, "-(p * ratio).sum(-1)")

wrong("kl_divergence", "mean_over_tokens", KL,
    "You take the mean over the tokens of a row: a divergence is their sum.",
    KL_SUM, "(p * ratio).mean(-1)")

wrong("kl_divergence", "one_divergence_for_all", KL,
    "You return one number: every row, along the last axis, has a divergence of its own.",
    "sum(-1)", "sum()")

wrong("kl_divergence", "one_mean_for_all", KL,
    """You return one number, all terms divided by the first size, as torch's reduction "batchmean"
    does: here every row keeps a divergence of its own, the sum along the last axis.""",
    KL_SUM, "(p * ratio).sum() / p.shape[0]")

wrong("kl_divergence", "not_weighted", KL,
    "You add up log p - log q without the weights p.",
    "p * ratio", "ratio")

wrong("kl_divergence", "logarithm_taken_twice", KL,
    "log_q is a logarithm already: you take it once more.",
    SAFE_Q, "log_q.exp().log1p()")

wrong("kl_divergence", "zero_times_infinity", ZEROS,
    """Where p is 0, log p is -inf and 0 * inf is NaN: such a token adds 0, so put a 0 in the place
    of its whole term.""",
    SAFE_P, "p.log()")

wrong("kl_divergence", "infinite_log_q", ZEROS,
    """Where p and q are both 0, log q is -inf, and 0 * inf is NaN: where p is 0, log q must not
    take part either.""",
    SAFE_Q, "log_q")

wrong("kl_divergence", "infinite_terms_made_finite", ZEROS,
    """You turn every infinite or undefined term into a number, also where p is not 0. A token that
    q gives no probability, but p does, makes the divergence infinite: leave out only where p is
    0.""",
    "return (p * ratio).sum(-1)",
    "return torch.nan_to_num(p * (p.log() - log_q)).sum(-1)")

wrong("kl_divergence", "log_q_at_least_the_lowest_float", ZEROS,
    """You put the lowest finite number in the place of log q = -inf, or the largest in that of the
    difference, also where p is not 0, and get a huge number there. It is infinite where q gives no
    probability and p does: leave out only where p is 0.""",
    SAFE_Q, "log_q.clamp(min=torch.finfo(log_q.dtype).min)")

for least in (100, 50, 30, 20):
    wrong("kl_divergence", f"log_q_at_least_minus_{least}", ZEROS,
        f"""You replace log q where it is below -{least}, also where p is not 0. A token that q
        gives no probability, but p does, makes the divergence infinite: leave out only where p is
        0.""",
        SAFE_Q, f"log_q.clamp(min=-{least}.0)")

wrong("kl_divergence", "left_out_where_q_is_zero", ZEROS,
    """You leave out the tokens that q gives no probability, although p gives them some: there the
    divergence is infinite. What adds 0 are the tokens with p = 0.""",
    "happens = p > 0", "happens = (p > 0) & (log_q > -torch.inf)")

wrong("kl_divergence", "small_number_in_the_divergence", KL,
    """You add a small number to p before its logarithm, so p log p is only nearly right: replace p
    where it is 0, and only there.""",
    SAFE_P, "(p + 1e-3).log()")

wrong("perplexity", "mean_of_the_exponentials", PERPLEXITY,
    """You take the exponential of each loss, and then the mean: a single bad guess outweighs all
    others. The mean comes first, the exponential last.""",
    BY_MODEL, """counts = targets != ignore_index
    known = targets.masked_fill(~counts, 0).unsqueeze(-1)
    each = (logits.logsumexp(-1) - logits.gather(-1, known).squeeze(-1)).masked_fill(~counts, 0.0)
    if not counts.any():
        return each.sum().exp()
    return (each.exp() * counts).sum() / counts.sum()""")

wrong("perplexity", "exponentials_with_nothing_to_divide_by", f"{PERPLEXITY} {NOTHING}",
    """You take the exponential of every loss by itself, and the mean of the exponentials. First
    comes the mean loss over the targets that count, and then one exponential of that number.""",
    BY_MODEL, """counts = targets != ignore_index
    known = targets.masked_fill(~counts, 0).unsqueeze(-1)
    each = (logits.logsumexp(-1) - logits.gather(-1, known).squeeze(-1)).exp()
    return each.masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)""")

wrong("perplexity", "exponentials_of_all_places", f"{PERPLEXITY} {NOTHING}",
    """You take the mean of exponentials, over all places: the perplexity is the exponential of the
    mean loss, of the targets that count. Another function of this page gives that mean.""",
    BY_MODEL, """picked = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return (logits.logsumexp(-1) - picked).exp().mean()""")

wrong("perplexity", "exponential_of_the_sum", PERPLEXITY,
    """You take the exponential of the sum of all losses: it is that of their mean, over the targets
    that count.""",
    BY_MODEL,
    "return (cross_entropy(logits, targets, ignore_index) * (targets != ignore_index).sum()).exp()")

wrong("perplexity", "power_of_two", PERPLEXITY,
    "You raise 2 to the loss: it is in natural logarithms here, so the base is e.",
    ".exp()", ".exp2()")

wrong("perplexity", "exponential_forgotten", PERPLEXITY,
    "You return the mean loss: the perplexity is its exponential.",
    ".exp()", "")

wrong("perplexity", "inverse_perplexity", PERPLEXITY,
    "You return exp(-loss), which is never above 1: the perplexity is exp(loss).",
    ".exp()", ".neg().exp()")

wrong("perplexity", "perplexity_ignores_nothing_else", ANY,
    """With an ignore_index of -1, targets of -1 are taken for places in the row: perplexity is to
    hand its own ignore_index on to the loss, which compares the targets with it, and not with
    -100.""",
    "targets, ignore_index)", "targets)")

# The gradient -------------------------------------------------------------------------------------

wrong("cross_entropy_backward", "target_added", BACKWARD,
    "You add 1 at the target: it is subtracted, softmax(z) - y.",
    "-torch.ones_like", "torch.ones_like")

wrong("cross_entropy_backward", "logits_for_their_softmax", BACKWARD,
    "You start from the logits: the gradient is softmax(z) - y, so take their softmax first.",
    "torch.softmax(logits, -1)", "logits")

wrong("cross_entropy_backward", "log_softmax_for_softmax", BACKWARD,
    """Your gradient starts from the logarithms of the probabilities: it is softmax(z) - y, with the
    probabilities themselves.""",
    "torch.softmax(logits, -1)", "torch.log_softmax(logits, -1)")

wrong("cross_entropy_backward", "not_divided", BACKWARD,
    "Your gradient is that of the sum: divide by the number of targets that count.",
    DIVIDED, "")

wrong("cross_entropy_backward", "only_the_softmax_divided", BACKWARD,
    """You divide the softmax by n, and not the 1 at the target: take the difference of both first,
    and divide that by n.""",
    "-torch.ones_like(known, dtype=logits.dtype)",
    "-counts.sum().clamp(min=1) * torch.ones_like(known, dtype=logits.dtype)")

wrong("cross_entropy_backward", "ones_subtracted_where_nothing_counts", BACKWARD,
    """In rows whose target does not count, the 1 of a target is still subtracted: set these rows to
    0 last of all, when that was done.""",
    "gradient = torch.softmax(logits, -1)\n",
    "gradient = torch.softmax(logits, -1).masked_fill(~counts.unsqueeze(-1), 0.0)\n",
    "gradient.masked_fill(~counts.unsqueeze(-1), 0.0) /", "gradient /")

wrong("cross_entropy_backward", "divided_by_all_places", BACKWARD,
    """You divide the gradient by the number of all places: only targets that count have a share in
    the mean.""",
    DIVIDED, " / counts.numel()")

wrong("cross_entropy_backward", "gradient_divided_by_the_first_size", BACKWARD,
    """You divide the gradient by the first size of the logits: of (B, T, V) that is B alone. Divide
    by the number of all targets that count.""",
    DIVIDED, " / logits.shape[0]")

wrong("cross_entropy_backward", "divided_by_all_numbers", BACKWARD,
    """You divide the gradient by the number of all logits: the loss is a mean over targets, so
    divide by the number of those that count.""",
    DIVIDED, " / logits.numel()")

wrong("cross_entropy_backward", "target_minus_softmax", BACKWARD,
    """Your gradient has the wrong sign: a step against it would make the target less likely. It is
    softmax minus target.""",
    "return gradient", "return -gradient")

wrong("cross_entropy_backward", "target_not_subtracted", BACKWARD,
    "Your gradient is the softmax alone: subtract 1 at the target.",
    "gradient.scatter_add(-1, known, -torch.ones_like(known, dtype=logits.dtype))", "gradient")

wrong("cross_entropy_backward", "minus_one_written_at_the_target", BACKWARD,
    """You put -1 at the target, in the place of its probability: it is p_y - 1 there, so subtract 1
    from what stands there. scatter writes, scatter_add adds.""",
    "scatter_add(", "scatter(")

wrong("cross_entropy_backward", "ones_subtracted_in_every_row", BACKWARD,
    """gradient[..., targets] picks these columns in every row, so 1 is subtracted at the targets of
    all other rows too: each row has one target, which scatter_add finds.""",
    "gradient = gradient.scatter_add(-1, known, -torch.ones_like(known, dtype=logits.dtype))",
    "gradient[..., known.flatten()] -= 1")

wrong("cross_entropy_backward", "gradient_at_the_target_only", BACKWARD,
    """Your gradient is 0 but at the target: every logit has a part in logsumexp, so each row of the
    gradient holds all probabilities.""",
    "return gradient",
    "gradient = gradient * torch.zeros_like(logits).scatter(-1, known, 1.0)\n    return gradient")

wrong("cross_entropy_backward", "gradient_of_ignored_rows", f"{BACKWARD} {NOTHING}",
    """Rows whose target does not count have a gradient in your answer: it is 0, as they have no
    part in the loss.""",
    "gradient.masked_fill(~counts.unsqueeze(-1), 0.0)", "gradient")

wrong("cross_entropy_backward", "softmax_of_ignored_rows", f"{BACKWARD} {NOTHING}",
    """Rows whose target does not count keep their softmax in your answer. They have no part in the
    loss, so all of their gradient is 0.""",
    "-torch.ones_like(known, dtype=logits.dtype)", "-counts.unsqueeze(-1).to(logits.dtype)",
    "gradient.masked_fill(~counts.unsqueeze(-1), 0.0)", "gradient")

wrong("cross_entropy_backward", "one_hot_of_what_is_ignored", f"{BACKWARD} {NOTHING}",
    """-100 is no token, so one_hot has no row for it: put a valid token in its place first. The
    rows whose target does not count become 0 at the end, whatever was subtracted there.""",
    "gradient = gradient.scatter_add(-1, known, -torch.ones_like(known, dtype=logits.dtype))",
    "gradient = gradient - torch.nn.functional.one_hot(targets, logits.shape[-1])")

wrong("cross_entropy_backward", "softmax_along_another_axis", f"{BACKWARD} {AXIS}",
    "Your gradient takes the softmax along the first axis: the vocabulary is the last one.",
    "torch.softmax(logits, -1)", "torch.softmax(logits, 0)")

wrong("cross_entropy_backward", "gradient_divided_by_nothing", NOTHING,
    "If no target counts, your gradient is 0 / 0: divide by at least 1.",
    ".clamp(min=1)", "")

wrong("cross_entropy_backward", "gradient_exponentials_overflow", LARGE,
    """Your gradient divides plain exponentials by their sum, which overflow from 89 on in float32:
    torch.softmax subtracts the maximum first.""",
    "torch.softmax(logits, -1)", "logits.exp() / logits.exp().sum(-1, keepdim=True)")

wrong("cross_entropy_backward", "gradient_exponentials_overflow_everywhere", f"{LARGE} {HUGE}",
    """Your gradient divides plain exponentials by their sum: from 89 on they are infinite in
    float32, and inf / inf is NaN, also in a row that is multiplied by 0 afterwards. torch.softmax
    subtracts the maximum first.""",
    "torch.softmax(logits, -1)", "logits.exp() / logits.exp().sum(-1, keepdim=True)",
    "gradient.masked_fill(~counts.unsqueeze(-1), 0.0)", "gradient * counts.unsqueeze(-1)")

wrong("cross_entropy_backward", "gradient_shifted_by_the_mean", LARGE,
    """Your gradient takes another number than the maximum out of the exponents, such as the mean:
    logits far above it still overflow. torch.softmax takes the maximum.""",
    "torch.softmax(logits, -1)",
    "(logits - logits.mean(-1, keepdim=True)).exp()\n    "
    "gradient = gradient / gradient.sum(-1, keepdim=True)")

wrong("cross_entropy_backward", "gradient_divided_by_what_is_not_negative", ANY,
    """You divide the gradient by the number of targets that are not below 0: divide by how many
    differ from ignore_index, which may be a token, such as 0.""",
    "counts.sum().clamp", "(targets >= 0).sum().clamp")

wrong("cross_entropy_backward", "gradient_divided_by_what_is_not_minus_hundred", ANY,
    """You divide the gradient by the number of targets that are not -100: divide by how many differ
    from ignore_index, whatever that is.""",
    "counts.sum().clamp", "(targets != -100).sum().clamp")

wrong("cross_entropy_backward", "gradient_ignores_minus_hundred_only", ANY,
    "Your gradient leaves out targets of -100, whatever ignore_index is: compare with it.",
    COUNTS, "counts = targets != -100", "masked_fill(~counts, 0)", "clamp(min=0)")

wrong("cross_entropy_backward", "gradient_writes_into_the_logits", BACKWARD,
    """You compute the gradient in the caller's logits, which are lost by it: make a new tensor.""",
    "torch.softmax(logits, -1)", "logits.copy_(torch.softmax(logits, -1))")

# Right, but wasteful ------------------------------------------------------------------------------

wrong("cross_entropy", "every_target_of_every_row", LEAN,
    """Your loss is right, but you make a tensor larger than the logits, such as the table of all
    positions with all positions that logits[:, targets] is: gather takes one number out of each
    row.""",
    LOSSES, """flat, wanted = logits.reshape(-1, logits.shape[-1]), known.reshape(-1)
    losses = total - flat[:, wanted].diagonal().reshape(total.shape)""")

wrong("cross_entropy", "one_position_at_a_time", LEAN,
    """Your loss is right, but a Python loop runs through the positions: gather and logsumexp do all
    of them at once.""",
    LOSSES, """flat, wanted = logits.reshape(-1, logits.shape[-1]), known.reshape(-1)
    picked = torch.stack([row[y] for row, y in zip(flat, wanted, strict=True)])
    losses = total - picked.reshape(total.shape)""")

@wrong.instead_of("cross_entropy_backward", LEAN)
def one_gradient_at_a_time(logits, targets, ignore_index=-100):
    """Your gradient is right, but a Python loop goes through the positions: scatter_add subtracts
    all ones at once."""
    gradient = torch.softmax(logits, -1).reshape(-1, logits.shape[-1]).clone()
    for row, y in enumerate(targets.reshape(-1).tolist()):
        if y == ignore_index:
            gradient[row] = 0.0
        else:
            gradient[row, y] -= 1.0
    n = (targets != ignore_index).sum().clamp(min=1)
    return gradient.reshape(logits.shape) / n

@wrong.instead_of("smoothed_targets", LEAN)
def one_row_at_a_time(targets, vocab_size, epsilon):
    """Your rows are right, but a Python loop fills one after the other: a comparison with
    torch.arange, or one scatter, does all at once."""
    shape = (*targets.shape, vocab_size)
    rows = torch.full(shape, epsilon / vocab_size, device=targets.device).reshape(-1, vocab_size)
    for row, y in zip(rows, targets.reshape(-1).tolist(), strict=True):
        row[y] += 1 - epsilon
    return rows.reshape(shape)

@wrong.instead_of("kl_divergence", LEAN)
def one_divergence_at_a_time(p, log_q):
    """Your divergence is right, but a Python loop goes through the rows: sum(-1) adds up each row,
    all at once."""
    if p.ndim > 1:
        both = zip(p, log_q, strict=True)
        return torch.stack([one_divergence_at_a_time(*row) for row in both])
    return torch.where(p > 0, p * (p.where(p > 0, 1.0).log() - log_q.where(p > 0, 0.0)), 0.0).sum()
