"""Wrong answers to ``sampling``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

DIVIDES, GREEDY = "temperature_divides", "temperature_zero_is_greedy"
TOP_K, K_ENDS = "top_k", "top_k_at_its_ends"
TOP_P, P_ENDS, EQUAL = "top_p", "top_p_at_its_ends", "top_p_with_equal_probabilities"
REMOVED, REFUSES = "removed_tokens_stay_removed", "refuses_what_is_no_option"
SHARES, ORDER = "draws_by_the_probabilities", "options_in_their_order"
ROWS, GENERATOR = "rows_draw_independently", "the_generator_decides"
LOOP, CONTEXT, ENDS = "continues_a_text", "sees_the_last_tokens", "ends_where_the_text_ends"
OPTIONS, NEW, MODE = "hands_the_options_on", "every_token_is_a_new_draw", "writes_in_eval_mode"

NEGATIVE = """if temperature < 0:
        raise ValueError(f"a temperature is 0 or larger, not {temperature}")
"""
NO_TOKEN = """if k < 1:
        raise ValueError(f"at least one token must stay, not {k}")
"""
NO_SHARE = """if not 0 < p <= 1:
        raise ValueError(f"a share is larger than 0 and at most 1, not {p}")
"""
HEAT = "logits = apply_temperature(logits, temperature)\n"
CUT_K = "if top_k is not None:\n        logits = top_k_filter(logits, top_k)\n"
CUT_P = "if top_p is not None:\n        logits = top_p_filter(logits, top_p)\n"
DRAWN = "torch.multinomial(p, 1, generator=generator)"
CONTEXTS = "idx if block_size is None else idx[:, -block_size:]"
LAST = "sample(logits[:, -1], **how)"
NONE_ENDED = "ended = torch.zeros(idx.shape[0], dtype=torch.bool, device=idx.device)"
DRAWN_ENDS = "ended = ended | (token == eos_id)"
END_ID = "(-1 if eos_id is None else eos_id)"
ALL_ENDED = "if ended.all():\n            break\n"

# How far it may be written ------------------------------------------------------------------------

BELOW, FEW = ("if temperature < 0:", "if False:"), ("if k < 1:", "if False:")
ANY_SHARE, AT_ONE = ("if not 0 < p <= 1:", "if False:"), ("if p == 1:", "if False:")
NO_LIMIT = ("min(k, logits.shape[-1])", "k")
IN_A_LOOP = ("model.eval()", "pass", "model.train(was_training)", "pass")
NO_EOS = ("if eos_id is not None:", "if False:", "if ended.all():", "if False:")

wrong.up_to("apply_temperature", "apply_temperature", *BELOW)
wrong.up_to("apply_temperature", "apply_temperature", *BELOW, "if temperature > 0:", "if True:")
wrong.up_to("top_k_filter", "top_k_filter", *FEW, *NO_LIMIT)
wrong.up_to("top_k_filter", "top_k_filter", *FEW)
wrong.up_to("top_p_filter", "top_p_filter", *ANY_SHARE, *AT_ONE)
wrong.up_to("top_p_filter", "top_p_filter", *ANY_SHARE, *AT_ONE, ", stable=True", "")
wrong.up_to("generate: the loop", "generate", *IN_A_LOOP, *NO_EOS,
    "block_size is None", "True")
wrong.up_to("generate: block_size", "generate", *IN_A_LOOP, *NO_EOS)
wrong.up_to("generate: block_size", "generate", *NO_EOS)

# Temperature --------------------------------------------------------------------------------------

wrong("apply_temperature", "multiplies_by_the_temperature", DIVIDES,
    """You multiply by the temperature, so a high one makes the model surer: divide by it.""",
    "logits / temperature", "logits * temperature")

wrong("apply_temperature", "temperature_of_probabilities", DIVIDES,
    "You divide the probabilities by the temperature: it divides the logits, before the softmax.",
    "logits / temperature", "logits.softmax(-1) / temperature")

wrong("apply_temperature", "returns_probabilities", DIVIDES,
    "You return probabilities: wanted are logits still, for what comes after.",
    "logits / temperature", "(logits / temperature).softmax(-1)")

wrong("apply_temperature", "divides_by_the_root", DIVIDES,
    "You divide by the square root of the temperature: divide by the temperature itself.",
    "logits / temperature", "logits / temperature ** 0.5")

wrong("apply_temperature", "divides_by_zero", f"{GREEDY} {REMOVED}",
    """At temperature 0 you divide by 0, which gives inf and NaN: treat 0 by itself, as the choice
    of the largest logit.""",
    "if temperature > 0:", "if temperature >= 0:")

wrong("apply_temperature", "a_tiny_temperature_for_zero", GREEDY,
    """At temperature 0 you divide by a very small number: equal logits stay equal, and large ones
    overflow. Mark the place of the largest logit instead.""",
    "if temperature > 0:", "temperature = max(temperature, 1e-6)\n    if temperature > 0:")

wrong("apply_temperature", "all_of_the_largest", GREEDY,
    """At temperature 0 you keep every logit that equals the largest: where several do, it is the
    first one alone.""",
    "first = logits.argmax(-1, keepdim=True)", "first = logits.amax(-1, keepdim=True)",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, first, True)", "logits == first")

wrong("apply_temperature", "the_last_of_the_largest", GREEDY,
    "At temperature 0 you keep the last of several largest logits: it is the first one.",
    "first = logits.argmax(-1, keepdim=True)",
    "first = logits.shape[-1] - 1 - logits.flip(-1).argmax(-1, keepdim=True)")

wrong("apply_temperature", "the_largest_of_all_rows", GREEDY,
    "At temperature 0 you look for the largest logit of the whole tensor: every row has its own.",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, first, True)",
    "logits == logits.max()")

wrong("apply_temperature", "one_token_of_all_rows", GREEDY,
    """At temperature 0 one logit of the whole tensor stays, and all other rows are left nothing:
    every row has its own largest logit, argmax(-1).""",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, first, True)",
    "(torch.arange(logits.numel(), device=logits.device) == logits.argmax())"
    ".view(logits.shape)")

wrong("apply_temperature", "returns_the_token", GREEDY,
    """At temperature 0 you return the number of the best token, without the axis of the vocabulary:
    logits are wanted here too. The best one stays as it is, and all others become -inf.""",
    "return logits.masked_fill(~stays, -torch.inf)", "return first.squeeze(-1)")

wrong("apply_temperature", "greedy_with_zeros", f"{GREEDY} {REMOVED}",
    """At temperature 0 you put 0 in the place of the other logits: exp(0) is 1, so they can still
    be drawn. Removed tokens have the logit -inf.""",
    "masked_fill(~stays, -torch.inf)", "masked_fill(~stays, 0.0)")

wrong("apply_temperature", "infinities_made_finite", REMOVED,
    """You turn -inf into a large negative number: a token that was removed already stays removed,
    and -inf divided by the temperature is -inf by itself.""",
    "logits / temperature", "logits.clamp(min=-1e4) / temperature")

wrong("apply_temperature", "nearly_zero", GREEDY,
    """In the place of 0 you divide by a tiny number, which makes logits of many millions, and two
    of the largest stay two: at temperature 0 the first of the largest stays as it is, and all
    others become -inf.""",
    "if temperature > 0:\n        return logits / temperature",
    "if True:\n        return logits / max(temperature, 1e-8)")

wrong("apply_temperature", "ones_and_zeros", GREEDY,
    """At temperature 0 you return a 1 for the best token and 0 for all others, or -inf beside a 0:
    these are logits still. The best one stays as it is, and all others become -inf.""",
    "return logits.masked_fill(~stays, -torch.inf)", "return stays.to(logits.dtype)")

wrong("apply_temperature", "zero_for_the_best", GREEDY,
    """At temperature 0 your best token gets the logit 0: it stays as it is, and all others become
    -inf.""",
    "return logits.masked_fill(~stays, -torch.inf)",
    "return torch.zeros_like(logits).masked_fill(~stays, -torch.inf)")

wrong("apply_temperature", "takes_any_temperature", REFUSES,
    "You accept a negative temperature, which turns the order of all tokens round: refuse it.",
    NEGATIVE, "temperature = abs(temperature)\n")

# Top-k --------------------------------------------------------------------------------------------

wrong("top_k_filter", "zeros_for_what_is_removed", TOP_K,
    """You put 0 in the place of removed logits: exp(0) is 1, so they are drawn, more often than
    many that stay. Their logit becomes -inf.""",
    "-torch.inf)", "0.0)")

wrong("top_k_filter", "k_logits_among_zeros", TOP_K,
    """You begin with zeros and put the k largest logits into them. exp(0) is 1, so what was removed
    is still drawn: everything else must be -inf. (And of equal logits more than k may stay.)""",
    "return logits.masked_fill(logits < smallest, -torch.inf)",
    """values, places = logits.topk(min(k, logits.shape[-1]), dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, values)""")

wrong("top_k_filter", "a_large_negative_number", TOP_K,
    """You put a large negative number in the place of removed logits: wanted is -inf, which no
    temperature and no shift brings back.""",
    "-torch.inf)", "-1e9)")

wrong("top_k_filter", "keeps_the_smallest", TOP_K,
    "You keep the smallest logits: the most probable tokens are those with the largest.",
    "logits.topk(min(k, logits.shape[-1]), dim=-1)",
    "logits.topk(min(k, logits.shape[-1]), dim=-1, largest=False)",
    "logits < smallest", "logits > smallest")

wrong("top_k_filter", "sorted_upwards", TOP_K,
    """Your threshold is the k-th smallest logit, as kthvalue gives it, or place k - 1 of a row that
    is sorted upwards: the k-th largest is wanted. Sort with descending=True, or count from the
    end.""",
    "logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]",
    "logits.sort(dim=-1).values[..., min(k, logits.shape[-1]) - 1, None]")

wrong("top_k_filter", "not_sorted_at_all", TOP_K,
    """Your threshold is the logit at place k - 1 of the vocabulary, whatever its size is. Only in a
    sorted row, the largest first, does the k-th largest stand there.""",
    "logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]",
    "logits[..., min(k, logits.shape[-1]) - 1, None]")

wrong("top_k_filter", "keeps_as_many_as_the_largest", TOP_K,
    """Your threshold is the largest logit, so that it alone stays: topk gives the k largest in
    descending order, and the threshold is the last of them.""",
    "[..., -1:]", "[..., :1]")

wrong("top_k_filter", "removes_the_largest", TOP_K,
    """You remove what is larger than the threshold: the k largest stay, and what is smaller becomes
    -inf.""",
    "logits < smallest", "logits > smallest")

wrong("top_k_filter", "one_too_few", TOP_K,
    "You remove the k-th largest logit as well: what equals the threshold stays.",
    "logits < smallest", "logits <= smallest")

wrong("top_k_filter", "one_too_many", TOP_K,
    "You keep k + 1 tokens: the threshold is the last of the k largest.",
    "min(k, logits.shape[-1])", "min(k + 1, logits.shape[-1])")

wrong("top_k_filter", "threshold_of_all_rows", TOP_K,
    """You take one threshold for all rows: every row has its own k-th largest, which keeps its axis
    to line up with it.""",
    ".values[..., -1:]", ".values[..., -1:].max()")

wrong("top_k_filter", "places_taken_for_ranks", TOP_K,
    """You compare k with what argsort gives, and that is no rank: it says where the largest logit
    stands, then the second, and so on. Compare the logits themselves with the k-th largest.""",
    "logits < smallest", "logits.argsort(-1, descending=True) >= k")

wrong("top_k_filter", "threshold_along_axis_one", TOP_K,
    """You take the threshold along axis 1, as [:, -1:] does, which is the vocabulary only in a
    matrix of logits: there may be more axes before it, or none. Count from the end, [..., -1:].""",
    ".values[..., -1:]", ".values[:, -1:]")

wrong("top_k_filter", "more_than_there_are", K_ENDS,
    "torch.topk fails if k is larger than the vocabulary: then all tokens stay.",
    "min(k, logits.shape[-1])", "k")

wrong("top_k_filter", "exactly_k", K_ENDS,
    """You keep exactly k logits. Of several that equal the k-th largest, only some stay then:
    keep all of them.""",
    "return logits.masked_fill(logits < smallest, -torch.inf)",
    """chosen = logits.topk(min(k, logits.shape[-1]), dim=-1).indices
    stays = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, chosen, True)
    return logits.masked_fill(~stays, -torch.inf)""")

wrong("top_k_filter", "k_different_values", K_ENDS,
    """You count equal logits as one (unique), and k different values stay: the k-th largest is that
    at place k of the sorted row, where equal ones count one by one.""",
    "smallest = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]",
    """rows = logits.reshape(-1, logits.shape[-1])
    least = torch.stack([row.unique().flip(0)[:k].min() for row in rows])
    smallest = least.reshape(*logits.shape[:-1], 1)""")

wrong("top_k_filter", "only_the_largest_k_returned", TOP_K,
    """You return the k largest logits alone, sorted, so nobody knows whose they are: the result has
    a place for every token.""",
    "return logits.masked_fill(logits < smallest, -torch.inf)",
    "return logits.topk(min(k, logits.shape[-1]), dim=-1).values")

wrong("top_k_filter", "top_k_returns_probabilities", TOP_K,
    "You return probabilities: what stays, stays as it is, a logit.",
    "return logits.masked_fill(logits < smallest, -torch.inf)",
    "return logits.masked_fill(logits < smallest, -torch.inf).softmax(-1)")

wrong("top_k_filter", "writes_into_the_callers_logits", TOP_K,
    """You change the caller's logits, as masked_fill_ does, or logits[...] = with something on the
    right: make a new tensor, with masked_fill or torch.where.""",
    "logits.masked_fill(logits < smallest", "logits.masked_fill_(logits < smallest")

wrong("top_k_filter", "no_token_is_accepted", REFUSES,
    "You accept k = 0, which leaves no token to draw: refuse it.",
    NO_TOKEN, "k = max(k, 1)\n")

# Top-p --------------------------------------------------------------------------------------------

wrong("top_p_filter", "crossing_token_left_out", TOP_P,
    """You leave out the token with which the sum reaches p. If the first one is that token, nothing
    is left: a token stays as long as the sum of those BEFORE it is less than p.""",
    "before = shares.cumsum(-1) - shares", "before = shares.cumsum(-1)")

wrong("top_p_filter", "crossing_token_left_out_but_one", TOP_P,
    """You leave out the token with which the sum reaches p, and only save the first one: a token
    stays as long as the sum of those BEFORE it is less than p.""",
    "before = shares.cumsum(-1) - shares",
    "before = shares.cumsum(-1)\n    before[..., 0] = 0.0")

wrong("top_p_filter", "crossing_token_left_out_unless_equal", TOP_P,
    """You leave out the token with which the sum passes p, and only save the first one: a token
    stays as long as the sum of those BEFORE it is less than p.""",
    "before = shares.cumsum(-1) - shares", "before = shares.cumsum(-1)\n    before[..., 0] = 0.0",
    "before < p", "before <= p")

wrong("top_p_filter", "marks_moved_onto_themselves", f"{TOP_P} {P_ENDS}",
    """You move the marks with x[..., 1:] = x[..., :-1], where source and target overlap: each place
    may overwrite the next one before that was read. Take the source from a copy,
    x[..., :-1].clone().""",
    "before < p", "~remove",
    "stays = torch", """remove = shares.cumsum(-1) > p
    remove[..., 1:] = remove[..., :-1]
    remove[..., 0] = False
    stays = torch""")

wrong("top_p_filter", "removes_nothing", TOP_P,
    """Your top-p removes nothing: what comes after the token with which the sum reaches p gets
    -inf. (Does x[..., 1:] = x[..., :-1] stand there? Source and target overlap: take
    x[..., :-1].clone().)""",
    "before < p", "before < 2.0")

wrong("top_p_filter", "equal_is_not_enough", EQUAL,
    """Where a sum equals p, you keep one token more: the sum has reached p then, and the token with
    which it does is the last.""",
    "before < p", "before <= p")

wrong("top_p_filter", "one_more_than_needed", TOP_P,
    "You keep one token after the one with which the sum reaches p: that one is the last.",
    "before = shares.cumsum(-1) - shares",
    "before = shares.cumsum(-1) - shares - shares.roll(1, -1)\n    before[..., 0] = 0.0")

wrong("top_p_filter", "sorted_logits_returned", TOP_P,
    """You return the logits in sorted order: a token is known by its place, so bring everything
    back there, with the second result of sort.""",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)", "before < p",
    "return logits.masked_fill", "return ordered.masked_fill")

wrong("top_p_filter", "sorted_logits_gathered", TOP_P,
    """You bring the logits back with gather, which sorts them once more: scatter is its reverse.
    order says where each sorted one came from, scatter(-1, order, ...) puts it there.""",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)", "before < p",
    "return logits.masked_fill(~stays, -torch.inf)",
    "return ordered.masked_fill(~stays, -torch.inf).gather(-1, order)")

wrong("top_p_filter", "not_sorted", TOP_P,
    """You add up the probabilities in the order of the vocabulary: sort them first, from the
    largest to the smallest.""",
    "ordered, order = logits.sort(dim=-1, descending=True, stable=True)",
    "ordered, order = logits, torch.arange(logits.shape[-1], device=logits.device)"
    ".expand(logits.shape)")

wrong("top_p_filter", "smallest_first", TOP_P,
    "You sort from the smallest to the largest, so the improbable tokens stay.",
    "descending=True", "descending=False")

wrong("top_p_filter", "sorting_not_undone", TOP_P,
    """You remove tokens by their place in sorted order: bring the marks back to the tokens' own
    places, with the second result of sort.""",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)", "before < p")

wrong("top_p_filter", "sorting_undone_the_wrong_way", TOP_P,
    """You gather the marks by the order: that sorts them once more. scatter brings them back (or
    gather, with the argsort of the order).""",
    "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)",
    "(before < p).gather(-1, order)")

wrong("top_p_filter", "sums_of_logits", TOP_P,
    "You add up logits: take their softmax first, for p is a share of the probability.",
    "shares = ordered.softmax(-1)", "shares = ordered")

wrong("top_p_filter", "everything_above_p", TOP_P,
    """You keep the tokens by their own probability: it is the sum of the probabilities that is
    compared with p.""",
    "before < p", "shares > 1 - p")

wrong("top_p_filter", "share_of_the_largest", TOP_P,
    """You compare every probability with p times the largest one, which is min-p: top-p adds them
    up, from the largest to the smallest, and compares the sum with p.""",
    "before < p", "shares >= p * shares[..., :1]")

wrong("top_p_filter", "share_of_the_largest_from_above", TOP_P,
    """You compare every probability with 1 - p times the largest one: top-p adds them up, from the
    largest to the smallest, and compares the sum with p.""",
    "before < p", "shares >= (1 - p) * shares[..., :1]")

wrong("top_p_filter", "as_many_as_in_another_row", TOP_P,
    """You count how many tokens some row needs, and keep as many in every row: each row has a
    number of its own.""",
    "before < p", "torch.zeros_like(order).add((before < p).sum(-1).max()) "
    "> torch.arange(logits.shape[-1], device=logits.device)")

wrong("top_p_filter", "order_of_the_first_row", TOP_P,
    "You sort all rows as the first one is sorted: each row has an order of its own.",
    "shares = ordered",
    "order = order.reshape(-1, order.shape[-1])[0].expand(order.shape)\n    shares = ordered")

wrong("top_p_filter", "top_p_with_zeros", TOP_P,
    """You put 0 in the place of what is removed by top-p: exp(0) is 1, so it is drawn. Its logit
    becomes -inf.""",
    "masked_fill(~stays, -torch.inf)", "masked_fill(~stays, 0.0)")

wrong("top_p_filter", "top_p_returns_probabilities", TOP_P,
    "Your top_p_filter returns probabilities: what stays, stays as it is, a logit.",
    "logits.masked_fill(~stays, -torch.inf)", "logits.masked_fill(~stays, -torch.inf).softmax(-1)")

wrong("top_p_filter", "rounding_decides_at_one", P_ENDS,
    """With p = 1 you remove tokens of very small probability, because the sum of the others rounds
    to 1: all tokens stay then.""",
    "if p == 1:\n        return logits\n", "pass\n")

wrong("top_p_filter", "order_left_to_torch", EQUAL,
    """torch.sort leaves the order of equally probable tokens open, where there are many: say
    stable=True.""",
    ", stable=True", "")

wrong("top_p_filter", "equal_ones_in_any_order", EQUAL,
    """Of equally probable tokens the last ones stay, or any. Sort with descending=True and
    stable=True, and add up from the largest: then the first ones stay.""",
    "stable=True)", "stable=True)\n    order = order.flip(-1)",
    "ordered, order = logits.sort", "ordered, order = logits.flip(-1).sort",
    "order.flip(-1)", "logits.shape[-1] - 1 - order")

wrong("top_p_filter", "equal_ones_stay_together", EQUAL,
    """You keep every token that is as probable as the last one that stays: of equal ones only as
    many stay as are needed, the first ones.""",
    "return logits.masked_fill(~stays",
    """last = logits.masked_fill(~stays, torch.inf).amin(-1, keepdim=True)
    stays = logits >= last
    return logits.masked_fill(~stays""")

wrong("top_p_filter", "summed_upwards", EQUAL,
    """You sort from the smallest to the largest and remove what adds up to 1 - p: of equally
    probable tokens the last ones stay then, or any. Sort with descending=True and stable=True.""",
    "return logits.masked_fill(~stays", """ordered, order = logits.sort(dim=-1, descending=False)
    removed = ordered.softmax(-1).cumsum(-1) <= 1 - p
    removed[..., -1:] = False
    stays = ~removed.scatter(-1, order, removed)
    return logits.masked_fill(~stays""")

wrong("top_p_filter", "any_share_is_accepted", REFUSES,
    "You accept a p that is no share: refuse what is not larger than 0, and what is more than 1.",
    NO_SHARE, "p = min(max(p, 1e-9), 1)\n")

# Drawing ------------------------------------------------------------------------------------------

wrong("sample", "always_the_best", SHARES,
    "You always take the most probable token: draw one, with torch.multinomial.",
    DRAWN, "p.argmax(-1)")

wrong("sample", "all_tokens_alike", SHARES,
    "You draw all tokens equally often: hand the probabilities to torch.multinomial.",
    DRAWN, "torch.multinomial((p > 0).to(p.dtype), 1, generator=generator)")

wrong("sample", "temperature_not_used", SHARES,
    "You do not use the temperature.",
    HEAT, "logits = logits if temperature > 0 else apply_temperature(logits, 0)\n")

wrong("sample", "softmax_of_probabilities", SHARES,
    """You take the softmax of probabilities, which makes all tokens nearly alike: once is
    enough.""",
    "logits.softmax(-1).reshape", "logits.softmax(-1).softmax(-1).reshape")

wrong("sample", "top_k_not_used", ORDER,
    "You do not use top_k.",
    CUT_K, "top_k = None if temperature or top_k != 1 else 1\n")

wrong("sample", "top_p_not_used", ORDER,
    "You do not use top_p.",
    CUT_P, "pass\n")

wrong("sample", "top_p_before_top_k", ORDER,
    """Your top-p counts the shares of all tokens. Top-k comes first, and top-p counts the shares of
    what that has left, which are larger.""",
    CUT_K, "pass\n", CUT_P, CUT_P + "    " + CUT_K)

wrong("sample", "options_in_reverse", ORDER,
    """Your order is top-p, top-k, temperature, the reverse of the page's: the temperature comes
    first, then top-k, then top-p on what is left.""",
    HEAT, "pass\n", CUT_K, "pass\n", CUT_P, CUT_P + "    " + CUT_K + "    " + HEAT)

wrong("sample", "top_p_of_probabilities", ORDER,
    """You hand probabilities to top_p_filter: it takes logits, and applies the softmax itself.""",
    CUT_P, CUT_P.replace("filter(logits, top_p)", "filter(logits.softmax(-1), top_p).log()"))

wrong("sample", "top_k_or_top_p", ORDER,
    """Where top_k is given you do not use top_p: both may be given, so write an if for each, with
    no elif and no return between them.""",
    "    if top_p is not None", "    elif top_p is not None")

wrong("sample", "temperature_last", ORDER,
    """You apply the temperature after top-p, which has chosen by other probabilities than are drawn
    from: the temperature comes first.""",
    HEAT, "pass\n", CUT_P, CUT_P + "    " + HEAT)

wrong("sample", "one_draw_for_all_rows", f"{SHARES} {ROWS}",
    "You draw once for all rows: every row draws for itself.",
    "return torch", "p = p[:1].expand(p.shape)\n    return torch",
    DRAWN, DRAWN + "[:1].expand(len(p), 1)")

wrong("sample", "same_random_number_for_all_rows", f"{SHARES} {ROWS}",
    """All rows share what you draw at random: then rows that are alike get the same token. Draw
    for every row by itself.""",
    DRAWN,
    "(p.cumsum(-1) < torch.rand((), generator=generator, device=p.device, dtype=p.dtype)).sum(-1)"
    ".clamp(max=p.shape[-1] - 1)")

wrong("sample", "matrices_only", "example removed_tokens_stay_removed",
    "You take matrices of logits only: any number of axes may stand before the vocabulary.",
    "p = logits.softmax(-1).reshape(-1, logits.shape[-1])",
    "B, T, _ = logits.shape\n    p = logits.softmax(-1).flatten(0, 1)")

wrong("sample", "more_axes_than_multinomial_takes", ROWS,
    """You hand torch.multinomial probabilities of three axes, and it takes two at most: make them
    (rows, V) before, and give the draws the shape of the logits without the vocabulary.""",
    "p = logits.softmax(-1).reshape(-1, logits.shape[-1])", "p = logits.softmax(-1)",
    ".reshape(logits.shape[:-1])", ".squeeze(-1)")

wrong("sample", "axis_of_size_one_left", "example",
    """You leave the axis of size 1 that torch.multinomial makes: the result has the shape of the
    logits, without the vocabulary.""",
    ".reshape(logits.shape[:-1])", ".reshape(*logits.shape[:-1], 1)")

wrong("sample", "every_axis_of_size_one_removed", LOOP,
    """Your sample loses the axis of a single row, as by squeeze() without a number, which removes
    every axis of size 1: the tokens have the shape of the logits without the vocabulary, (1,) for
    one row. squeeze(-1) removes the last axis alone.""",
    ".reshape(logits.shape[:-1])", ".reshape(logits.shape[:-1]).squeeze()")

wrong("sample", "generator_not_used", GENERATOR,
    "You do not hand the generator on: with one, the draws come from it alone.",
    "generator=generator)", "generator=None)")

wrong("sample", "generator_starts_again", GENERATOR,
    """You start the generator again in every call, so every call draws the same: use it as it
    comes.""",
    "p = logits.softmax",
    "generator = generator and generator.manual_seed(generator.initial_seed())\n"
    "    p = logits.softmax")

wrong("sample", "a_seed_of_its_own", ROWS,
    "You draw from a generator with a fixed seed, so every call gives the same tokens.",
    "p = logits.softmax",
    "generator = generator or torch.Generator(logits.device).manual_seed(1)\n"
    "    p = logits.softmax")

wrong("sample", "no_option_for_zero", REFUSES,
    """You ask whether top_k is true, so top_k = 0 leaves it out: only None does. 0 is a mistake of
    whoever calls, and refused: compare with None, and so for top_p.""",
    CUT_K, CUT_K.replace(" is not None", ""), CUT_P, CUT_P.replace(" is not None", ""))

wrong("sample", "no_share_for_zero", REFUSES,
    """You ask whether top_p is true, so top_p = 0 leaves it out, where it must be refused: compare
    with None.""",
    CUT_P, CUT_P.replace(" is not None", ""))

# Writing ------------------------------------------------------------------------------------------

wrong("generate", "first_position", LOOP,
    """You sample from the logits of the first position, which say what follows the first token: the
    next token is that of the last position.""",
    "logits[:, -1]", "logits[:, 0]")

wrong("generate", "position_before_the_last", LOOP,
    "You sample from the logits before the last: logits[:, -1] belong to the last token.",
    "logits[:, -1]", "logits[:, -2]")

wrong("generate", "token_never_appended", LOOP,
    """What torch.cat returns is lost, so the text never grows: write idx = torch.cat(...).""",
    "idx = torch.cat(", "_ = torch.cat(")

wrong("generate", "only_the_last_token_kept", LOOP,
    """You replace the text by the new token: append it, torch.cat([idx, ...], dim=-1).""",
    "idx = torch.cat([idx, token.unsqueeze(-1)], dim=-1)", "idx = token.unsqueeze(-1)")

wrong("generate", "all_positions_at_once", LOOP,
    """You sample at every position: the next token follows from the last one alone,
    logits[:, -1].""",
    "logits[:, -1]", "logits")

wrong("generate", "last_row_for_the_last_position", LOOP,
    """logits[-1] is the last sentence of the batch: the last position of every sentence is
    logits[:, -1].""",
    "logits[:, -1]", "logits[-1]")

wrong("generate", "appended_below", LOOP,
    """You append along the first axis, which adds sentences: the text of each grows along the last
    one, dim=-1.""",
    "dim=-1)", "dim=0)")

wrong("generate", "text_cut_for_good", CONTEXT,
    """You cut the text itself down to block_size tokens, and return what is left: cut what the
    model is given, and keep the whole text.""",
    f"context = {CONTEXTS}", f"idx = context = {CONTEXTS}")

wrong("generate", "new_tokens_only", LOOP,
    "You return the new tokens alone: the result begins with the prompt.",
    "return idx", "return idx[:, was_length:]",
    "was_training = model.training", "was_training, was_length = model.training, idx.shape[1]")

wrong("generate", "one_token_only", LOOP,
    "You write one token and stop: the loop goes on until there are max_new_tokens.",
    "range(max_new_tokens)", "range(min(1, max_new_tokens))")

wrong("generate", "one_token_too_many", LOOP,
    "You write max_new_tokens + 1 tokens.",
    "range(max_new_tokens)", "range(max_new_tokens + 1)")

wrong("generate", "up_to_max_new_tokens", LOOP,
    """You write until the whole text has max_new_tokens tokens: the prompt does not count, they are
    added to it.""",
    "range(max_new_tokens)", "range(max(0, max_new_tokens - idx.shape[1]))")

wrong("generate", "model_never_sees_its_own_tokens", LOOP,
    """You always hand the prompt to the model, so it gives the same logits in every round: it must
    see what was written as well.""",
    "context = idx if", "context = idx[:, : idx.shape[1] - _]\n        context = context if",
    "else idx[:, -block_size:]", "else context[:, -block_size:]")

wrong("generate", "put_in_front", LOOP,
    "You put new tokens in front of the text: they come after it.",
    "torch.cat([idx, token.unsqueeze(-1)]", "torch.cat([token.unsqueeze(-1), idx]")

wrong("generate", "only_the_last_token", LOOP,
    """You show the model the last token alone, so it takes every token for the first one of a text:
    it sees as much of the text as fits.""",
    CONTEXTS, "idx[:, -1:]")

wrong("generate", "first_tokens_of_the_text", CONTEXT,
    """You keep the first block_size tokens of the text, and the model sees none that stands behind
    them: of the text as it grows keep the last ones, [:, -block_size:].""",
    "idx[:, -block_size:]", "idx[:, :block_size]")

wrong("generate", "context_without_a_colon", CONTEXT,
    """You take one token of each row, that at place -block_size, and not all from there on:
    idx[:, -block_size:], with a colon.""",
    "idx[:, -block_size:]", "idx[:, max(-block_size, -idx.shape[1])].unsqueeze(-1)")

wrong("generate", "last_token_cut_off", CONTEXT,
    "You cut the last token off: idx[:, -block_size:] goes to the end.",
    "idx[:, -block_size:]", "(idx[:, -block_size:-1] if idx.shape[1] > block_size else idx)")

wrong("generate", "whole_text", CONTEXT,
    "You hand the whole text to the model, also where it is longer than block_size.",
    CONTEXTS, "idx")

wrong("generate", "context_filled_up", CONTEXT,
    """You fill up a short text in front until it has block_size tokens: the model reads them as
    text. It sees the last block_size tokens at most, and a short text as it is.""",
    "with torch.no_grad():", """if block_size is not None:
            short = max(block_size - context.shape[1], 0)
            context = nn.functional.pad(context, (short, 0))
        with torch.no_grad():""")

wrong("generate", "context_in_blocks", CONTEXT,
    """You cut the text into blocks of block_size tokens and show the last block alone, however few
    tokens it has: show the last block_size tokens, wherever they begin.""",
    "idx[:, -block_size:]", "idx[:, (idx.shape[1] - 1) // block_size * block_size :]")

wrong("generate", "one_token_less_of_context", CONTEXT,
    "Your context has block_size - 1 tokens: the model can take block_size.",
    "-block_size:", "1 - block_size:")

wrong("generate", "one_token_less_of_a_longer_text", CONTEXT,
    """Where the text is longer than block_size, your context has a token too few: the model can
    take the last block_size ones.""",
    "idx[:, -block_size:]", "idx if idx.shape[1] <= block_size else idx[:, 1 - block_size :]")

wrong("generate", "ends_at_the_first_row_that_ends", ENDS,
    """You stop as soon as one row has ended: the others still write. Only when all rows have ended
    is the text complete.""",
    "ended.all()", "ended.any()")

wrong("generate", "end_of_a_single_text", ENDS,
    """You make one number of the drawn tokens, as .item() does, to compare it with eos_id: there is
    a token for each row. Compare them all, token == eos_id, remember which rows have ended, and
    stop when all have.""",
    "if ended.all():", "if eos_id is not None and token.item() == eos_id:")

wrong("generate", "never_ends", ENDS,
    "You write on when all rows have ended: then the loop stops.",
    ALL_ENDED, "pass\n")

wrong("generate", "writes_on_after_the_end", ENDS,
    """A row goes on with other tokens after its eos_id: all that follows in it is eos_id, until the
    other rows have ended too.""",
    "token = token.masked_fill(ended, eos_id)", "pass")

wrong("generate", "zeros_after_the_end", ENDS,
    "You fill an ended row with 0: all that follows in it is eos_id.",
    "masked_fill(ended, eos_id)", "masked_fill(ended, 0)")

wrong("generate", "end_token_left_out", ENDS,
    "You leave out the eos_id with which the last row ends: it belongs to the text.",
    ALL_ENDED, "if ended.all():\n            idx = idx[:, :-1]\n            break\n")

wrong("generate", "end_in_the_prompt", ENDS,
    """You take a row whose prompt holds eos_id for ended: only what is drawn ends a row.""",
    NONE_ENDED, f"ended = (idx == {END_ID}).any(-1)")

wrong("generate", "end_as_the_last_of_the_prompt", ENDS,
    """You take a row whose prompt ends with eos_id for ended: only what is drawn ends a row.""",
    NONE_ENDED, f"ended = idx[:, -1] == {END_ID}")

wrong("generate", "end_in_the_whole_text", ENDS,
    """You look for eos_id in the whole text, the prompt included, where it ends nothing. Ask what
    was drawn only: ended | (token == eos_id).""",
    DRAWN_ENDS, "ended = (idx == eos_id).any(dim=1) | (token == eos_id)")

wrong("generate", "end_where_all_is_the_end", ENDS,
    """You take a row for ended as soon as its whole text is eos_id, so a prompt of this one token
    ends it. In the prompt it ends nothing: ask what was drawn only.""",
    DRAWN_ENDS, "ended = (idx == eos_id).all(dim=1) | (token == eos_id)")

wrong("generate", "end_of_a_prompt_of_ends", ENDS,
    """You take a row whose prompt is nothing but eos_id for ended before anything is drawn: only
    what is drawn ends a row.""",
    NONE_ENDED, f"ended = (idx == {END_ID}).all(-1)")

wrong("generate", "end_before_the_new_token", ENDS,
    """You ask about the last token of the text as well as about the new one. In the first round
    that is the end of the prompt, where eos_id ends nothing.""",
    DRAWN_ENDS, "ended = (idx[:, -1] == eos_id) | (token == eos_id)")

wrong("generate", "end_at_the_beginning", ENDS,
    """You take a row that begins with eos_id for ended, once a token is written. Many texts begin
    with this token, which ended the text before: only what is drawn ends a row.""",
    DRAWN_ENDS, "ended = ended | (idx[:, 0] == eos_id) | (token == eos_id)")

wrong("generate", "end_of_a_prompt_that_begins_with_it", ENDS,
    """You take a row whose prompt begins with eos_id for ended: only what is drawn ends a row.""",
    NONE_ENDED, f"ended = idx[:, 0] == {END_ID}")

wrong("generate", "stops_where_every_text_has_an_end", ENDS,
    """You stop as soon as every text has an eos_id somewhere, the prompts included, where it ends
    nothing: stop when all rows have drawn it.""",
    "if ended.all():", f"if (idx == {END_ID}).any(-1).all():")

wrong("generate", "stops_by_the_number_of_ends", ENDS,
    """You count the eos_id of all texts together to know when to stop. One row that has ended
    holds many of them, and a prompt may hold some: stop when every row has drawn one.""",
    "if ended.all():", f"if (idx == {END_ID}).sum() >= len(idx):")

wrong("generate", "stops_where_every_text_ends_with_it", ENDS,
    """You stop before you draw, where every text ends with eos_id: in the first round that is the
    prompt, where it ends nothing. Stop when all rows have drawn it.""",
    "context = ", f"if (idx[:, -1] == {END_ID}).all():\n            break\n        context = ")

wrong("generate", "end_that_is_token_zero", ENDS,
    """You ask whether eos_id is true, and 0 is not: a text may end with token 0. Compare with
    None.""",
    "if eos_id is not None:", "if eos_id:")

wrong("generate", "options_not_handed_on", OPTIONS,
    "You do not hand temperature, top_k and top_p on to sample.",
    LAST, "sample(logits[:, -1], **({} if how.get('temperature') != 0.0 else how))")

wrong("generate", "always_greedy", OPTIONS,
    "You always take the best token: sample draws, and its options say how.",
    LAST, "logits[:, -1].argmax(-1)")

wrong("generate", "seeded_in_every_step", NEW,
    """You start the generator again in every step, so every step draws with the same random
    numbers: use it as it comes.""",
    "token = sample(",
    """generator = how.get("generator")
        if generator is not None:
            generator.manual_seed(generator.initial_seed())
        token = sample(""")

wrong("generate", "writes_in_train_mode", MODE,
    "You leave the model in train mode, so dropout acts while it writes: call model.eval().",
    "model.eval()", "pass")

wrong("generate", "stays_in_eval_mode", MODE,
    """You leave the model in eval mode: a training that goes on after this would have no dropout.
    Bring it back to the mode in which it came.""",
    "model.train(was_training)", "pass")

wrong("generate", "always_back_to_train_mode", MODE,
    """You bring the model to train mode at the end, also one that came in eval mode: what
    model.training was at the beginning is to be handed to model.train(...).""",
    "model.train(was_training)", "model.train()")
