"""Wrong answers to ``beam_search``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

PENALTY, GREEDY, ENDS = "length_penalty", "greedy_search", "greedy_search_ends"
ROUNDS, FINISHED = "keeps_the_best_of_all", "finished_ones_compete"
STATE, ALPHA, N_BEST = "the_state_follows_its_hypothesis", "alpha_changes_the_winner", "n_best"
ONE, ALL = "width_one_is_greedy", "wide_beams_try_out_all"
LONG, EQUAL, HOLES = "two_hundred_tokens", "equal_ones", "what_cannot_come"
TWICE, AT_ONCE = "never_the_same_text_twice", "ends_at_once"
CALLS, SOON = "calls_of_the_model", "ends_as_soon_as_it_may"
TOO_SOON = "does_not_end_too_soon"

LP = "((5 + length) / 6) ** alpha"
SUM = "total += float(log_probs[0, last])"
END = "if last == eos:\n            break\n"
ASKED = "log_probs, state = step(torch.tensor(last), state)"
GROWN = "([*tokens, token], total + log_p, parent)"
POSSIBLE = "\n            if log_p > -torch.inf"
SORTED = "continuations.sort(key=lambda one: (-one[1], one[0]))"
KEPT = "in continuations[:beam_size]:"
IS_FINISHED = "if tokens[-1] == eos or length == max_len:"
SCORED = "finished.append((tokens, total / length_penalty(length, alpha)))"
OPEN = """else:
                beam.append((tokens, total))
                parents.append(parent)
"""
BEST = """finished.sort(key=lambda one: (-one[1], one[0]))
        finished = finished[:n_best]
"""
BOUND = "bound = beam[0][1] / length_penalty(max_len, alpha)"
MAY_END = "if len(finished) == n_best and finished[-1][1] > bound:"
PICKED = "state = state[parents]"
IN_ORDER = (  # all that were finished, as they came
    "finished: list[Hypothesis] = []", "finished: list[Hypothesis] = []\n    in_order = []",
    SCORED, f"{SCORED}\n                in_order.append(finished[-1])",
)
SHARED = """
        continuations = [
            one
            for row in range(len(beam))
            for one in [own for own in continuations if own[2] == row][:share]
        ]
        continuations.sort(key=lambda one: (-one[1], one[0]))"""
EMPTY = "if not beam:\n            break\n"

# The page as it stands when later steps are not written.
NO_STATE = PICKED, "state = None"
NO_ALPHA = SCORED, "finished.append((tokens, total))", MAY_END, "if False:"
wrong.up_to("beam_search: the rounds, without a state", "beam_search", *NO_STATE, *NO_ALPHA,
    IS_FINISHED, "if length == max_len:")
wrong.up_to("beam_search: the n_best finished ones", "beam_search", *NO_STATE, *NO_ALPHA)
wrong.up_to("beam_search: the state", "beam_search", *NO_ALPHA)
wrong.up_to("beam_search: alpha", "beam_search", MAY_END, "if False:")

wrong("beam_search", "open_ones_sorted_behind_the_state", STATE,
    """Your open hypotheses are put in another order after the rows of the state were: row i belongs
    to hypothesis i, so sort first, and take the rows in that order.""",
    PICKED, f"{PICKED}\n        beam.sort()")

wrong("beam_search", "no_penalty_for_those_cut_off", f"{N_BEST} {ALL}",
    """Texts that are cut off at max_len keep their plain sum: these too are divided by the penalty
    of their length.""",
    SCORED, "finished.append((tokens, total / (length_penalty(length, alpha) if tokens[-1] == eos "
    "else 1)))")

# The penalty --------------------------------------------------------------------------------------

wrong("length_penalty", "the_length_itself", PENALTY,
    "You divide by length ** alpha: the page's formula is gentler, ((5 + n) / 6) ** alpha.",
    LP, "float(length**alpha)")

wrong("length_penalty", "only_the_six_to_the_power", PENALTY,
    "You raise the 6 alone to the power: ** comes before /. The quotient, in brackets, is raised.",
    LP, "(5 + length) / 6**alpha")

wrong("length_penalty", "power_of_the_length_alone", PENALTY,
    "You raise the length alone to the power: the sum and the division come first.",
    LP, "(5 + length**alpha) / 6")

wrong("length_penalty", "power_before_the_division", PENALTY,
    """Only 5 + n is raised to the power, and then divided by 6: divide first, so that 6 is raised
    to the power too.""",
    LP, "(5 + length) ** alpha / 6")

wrong("length_penalty", "six_plus_the_length", PENALTY,
    "You add 6 to the length: 5 is added, and 6 divides, so that one token gives 1.",
    LP, "((6 + length) / 6) ** alpha")

wrong("length_penalty", "divided_by_five", PENALTY,
    "You divide by 5: 5 is added, and 6 divides, so that one token gives 1.",
    LP, "((5 + length) / 5) ** alpha")

wrong("length_penalty", "times_alpha", PENALTY,
    "You multiply by alpha: it is an exponent.",
    LP, "((5 + length) / 6) * alpha")

wrong("length_penalty", "five_plus_a_sixth", PENALTY,
    "You divide the length alone by 6: the sum 5 + n is divided.",
    LP, "(5 + length / 6) ** alpha")

wrong("length_penalty", "whole_numbers_only", PENALTY,
    """You cut off what is behind the point, as // and int(...) do: divide with /, and keep all of
    it.""",
    LP, "float(((5 + length) // 6) ** alpha)")

# Greedy search ------------------------------------------------------------------------------------

wrong("greedy_search", "least_probable_token", GREEDY,
    "You take the least probable token: greedy search takes the most probable one.",
    "log_probs[0].argmax()", "log_probs[0].argmin()")

wrong("greedy_search", "argmax_over_the_hypotheses", GREEDY,
    """Your argmax runs along axis 0, which goes over the hypotheses. Here there is one, so its
    place is 0 for every token. The vocabulary is the last axis: log_probs[0].argmax().""",
    "log_probs[0].argmax()", "log_probs.argmax(0)[0]")

wrong("greedy_search", "draws_a_token", GREEDY,
    "You draw tokens by their probabilities, as in sampling: greedy search takes the best one.",
    "log_probs[0].argmax()", "torch.multinomial(log_probs[0].exp(), 1)")

wrong("greedy_search", "last_log_probability_only", GREEDY,
    "Your score is the log-probability of the last token: it is the sum over all tokens.",
    SUM, "total = float(log_probs[0, last])")

wrong("greedy_search", "sum_of_probabilities", GREEDY,
    "You add up probabilities: they are multiplied, so it is their logarithms that are added.",
    SUM, "total += float(log_probs[0, last].exp())")

wrong("greedy_search", "mean_of_the_tokens", GREEDY,
    "Your score is the mean over the tokens: for greedy search it is the sum.",
    "return tokens, total", "return tokens, total / len(tokens)")

wrong("greedy_search", "probability_of_the_text", GREEDY,
    "Your score is the probability of the text: it is its logarithm.",
    "return tokens, total", "return tokens, float(torch.tensor(total).exp())")

wrong("greedy_search", "bos_among_the_tokens", GREEDY,
    "You return bos as the first token: the tokens are those after it.",
    "return tokens, total", "return [bos, *tokens], total")

wrong("greedy_search", "bos_asked_again_and_again", GREEDY,
    "You hand bos to the model in every round: after the first one it is the token just chosen.",
    "step(torch.tensor([last]), state)", "step(torch.tensor([bos]), state)")

wrong("greedy_search", "greedy_without_a_state", GREEDY,
    """You hand None to the model as its state in every round, so it forgets all but the last token:
    hand it what it returned.""",
    "step(torch.tensor([last]), state)", "step(torch.tensor([last]), None)")

wrong("greedy_search", "greedy_with_the_first_state", GREEDY,
    "You always hand on the state of the first call: every call returns a new one.",
    "log_probs, state = step(torch.tensor([last]), state)",
    "log_probs, new = step(torch.tensor([last]), state)\n        state = new if state is None else"
    " state")

wrong("greedy_search", "tensors_for_numbers", GREEDY,
    """You return tensors: a hypothesis is a list of Python's ints and a float. int(...) and
    float(...) make plain numbers of tensors without axes.""",
    "last = int(log_probs[0].argmax())", "last = log_probs[0].argmax()",
    SUM, "total += log_probs[0, last]")

wrong("greedy_search", "score_left_as_a_tensor", GREEDY,
    """Your score is a tensor: a hypothesis has a float there. float(...) makes one of a tensor of
    one number.""",
    SUM, "total += log_probs[0, last]")

wrong("greedy_search", "token_without_an_axis", GREEDY,
    """You hand the model a token without an axis: last has the shape (N,), and for one row that is
    (1,), a list of one token made a tensor.""",
    "step(torch.tensor([last]), state)", "step(torch.tensor(last), state)")

wrong("greedy_search", "writes_on_after_the_end", ENDS,
    "You write on after eos: the text ends with it.",
    END, "pass\n")

wrong("greedy_search", "greedy_without_its_end", ENDS,
    "You leave out eos: where the text ended it is one of its tokens.",
    "return tokens, total", "return [token for token in tokens if token != eos], total")

wrong("greedy_search", "ends_before_its_end", ENDS,
    """Where eos is the most probable, you end without it: it is a token of the text, and its
    log-probability belongs to the sum.""",
    f"{SUM}\n        tokens.append(last)\n        {END}",
    f"{END}        {SUM}\n        tokens.append(last)\n")

wrong("greedy_search", "end_costs_nothing", ENDS,
    "You leave out the log-probability of eos: that a text ends here is a part of its probability.",
    SUM, "total += float(log_probs[0, last]) if last != eos else 0.0")

wrong("greedy_search", "greedy_one_too_few", GREEDY,
    "Your text has max_len - 1 tokens at most: bos does not count.",
    "range(max_len)", "range(max(1, max_len - 1))")

wrong("greedy_search", "greedy_begins_with_bos", GREEDY,
    """Your tokens begin with bos, which stays in what you return and is counted as one of the
    max_len, so there is one round too few. The tokens are those after bos: begin with an empty
    list.""",
    "range(max_len)", "range(max_len - 1)",
    "return tokens, total", "return [bos, *tokens], total")

wrong("greedy_search", "bos_counts_in_the_greedy_text", GREEDY,
    """You count bos as one of the max_len tokens, so your loop makes one round too few: it makes
    max_len of them, and every round adds one token.""",
    "range(max_len)", "range(max_len - 1)")

wrong("greedy_search", "greedy_one_too_many", GREEDY,
    """Your text has max_len + 1 tokens: it has max_len of them at most, so count before you ask for
    one more.""",
    "range(max_len)", "range(max_len + 1)")

wrong("greedy_search", "product_in_greedy_search", LONG,
    """You multiply probabilities and take the logarithm at the end: after some hundred tokens the
    product is 0. Add up logarithms.""",
    "total, last, state = 0.0, bos, None", "import math\n    total, last, state = 1.0, bos, None",
    SUM, "total *= math.exp(float(log_probs[0, last]))",
    "return tokens, total", "return tokens, math.log(total) if total > 0 else -math.inf")

wrong("greedy_search", "greedy_takes_the_last_of_equal", EQUAL,
    "Of equally probable tokens you take the largest: it is the smallest.",
    "log_probs[0].argmax()", "log_probs.shape[1] - 1 - log_probs[0].flip(0).argmax()")

wrong("greedy_search", "bos_ends_the_greedy_text", GREEDY,
    "Where bos and eos are the same number, you take bos for the end: it ends nothing.",
    "for _ in range(max_len):", "for _ in range(0 if bos == eos else max_len):")

# The rounds ---------------------------------------------------------------------------------------

wrong("beam_search", "best_child_of_each", ROUNDS,
    """You keep the best continuations of each hypothesis by itself: those of all hypotheses compete
    together, and one may have several that are kept and another none.""",
    KEPT, "in ([one for one in continuations if not any(o is not one and o[2] == one[2] and "
    "(-o[1], o[0]) < (-one[1], one[0]) for o in continuations)]"
    " if length > 1 else continuations)[:beam_size]:")

wrong("beam_search", "beam_size_of_each", ROUNDS,
    """You keep beam_size continuations of every hypothesis, so there are more and more of them. All
    continuations of all hypotheses are sorted together, and beam_size of all are kept.""",
    SORTED, SORTED + """
        seen, mine = [0] * len(beam), []
        for one in continuations:
            seen[one[2]] += 1
            if seen[one[2]] <= beam_size:
                mine.append(one)""",
    KEPT, "in mine:")

wrong("beam_search", "filled_from_the_first_hypothesis", ROUNDS,
    """You sort the continuations of each hypothesis by themselves, one group behind the other, so
    the beam is filled from the first hypothesis. Compare all of them in one list, by their
    sums.""",
    SORTED, "continuations.sort(key=lambda one: (one[2], -one[1], one[0]))")

wrong("beam_search", "first_ones_kept_unsorted", ROUNDS,
    """You keep the continuations that come first by their tokens, which is also the order in which
    they are made: their sums decide, so sort by these, the largest in front.""",
    SORTED, "pass")

wrong("beam_search", "no_more_than_the_vocabulary", f"{ALL} {TWICE}",
    """You keep no more continuations than there are tokens, V. N open hypotheses have N * V
    continuations together, so beam_size of them can be kept also where it is larger than V.""",
    KEPT, "in continuations[: min(beam_size, log_probs.shape[-1])]:")

wrong("beam_search", "more_asked_for_than_there_are", f"{ALL} {TWICE}",
    """You ask topk for beam_size continuations where there are fewer: N hypotheses have N * V of
    them, in the first round only V. Ask for the smaller of the two numbers, beam_size and N * V
    (and not V alone).""",
    SORTED, """totals = torch.tensor([one[1] for one in beam]).to(log_probs)[:, None] + log_probs
        places = totals.flatten().topk(beam_size).indices.tolist()
        rows, V = totals.tolist(), totals.shape[1]
        continuations = [
            ([*beam[n // V][0], n % V], rows[n // V][n % V], n // V)
            for n in places
            if rows[n // V][n % V] > -torch.inf
        ]""")

wrong("beam_search", "one_child_of_each", ROUNDS,
    """You keep only the best continuation of each hypothesis. All continuations of all hypotheses
    compete together: one may have several that are kept and another none.""",
    KEPT, "in [one for one in continuations if not any(o[2] == one[2] and "
    "(-o[1], o[0]) < (-one[1], one[0]) for o in continuations)][:beam_size]:")

wrong("beam_search", "equal_shares_of_the_beam", ROUNDS,
    """You give every hypothesis the same share of the beam, beam_size divided by how many are
    open. The best of all continuations together are kept, also if all of them come from one
    hypothesis.""",
    SORTED, f"{SORTED}\n        share = beam_size // len(beam)" + SHARED)

wrong("beam_search", "equal_shares_rounded_up", ROUNDS,
    """You keep no more continuations of a hypothesis than its share of the beam, rounded up. No
    hypothesis has a share: sort all continuations together, and keep the beam_size best, wherever
    they come from.""",
    SORTED, f"{SORTED}\n        share = -(-beam_size // len(beam))" + SHARED)

wrong("beam_search", "one_of_each_at_least", ROUNDS,
    """You keep at least one continuation of every open hypothesis, and fill the other places with
    the best. A hypothesis may have none that is kept: only the sums decide.""",
    SORTED, f"""{SORTED}
        first = {{one[2]: one for one in reversed(continuations)}}.values()
        others = [one for one in continuations if not any(one is own for own in first)]
        continuations = [*first, *others][:beam_size]
        {SORTED}""")

wrong("beam_search", "filled_up_with_open_ones", FINISHED,
    """You fill the beam up until beam_size open hypotheses stand in it, from the beam_size best
    continuations of each. One that is finished takes one of the beam_size places of its round:
    beam_size continuations are kept in all, those with eos among them.""",
    "enumerate(log_probs[parent].tolist())", "sorted(enumerate(log_probs[parent].tolist()), "
    "key=lambda one: (-one[1], one[0]))[:beam_size]",
    KEPT, "in continuations:\n            if len(beam) == beam_size:\n                break")

wrong("beam_search", "own_sum_forgotten", ROUNDS,
    """You compare the log-probabilities of the next tokens alone: to each belongs the sum of the
    hypothesis that it continues.""",
    GROWN, "([*tokens, token], log_p, parent)")

wrong("beam_search", "chosen_by_the_next_token", ROUNDS,
    """You choose what to keep by the next token alone, and add the sum of the hypothesis
    afterwards: it is the sum that is compared.""",
    SORTED, "continuations.sort(key=lambda one: (beam[one[2]][1] - one[1], one[0]))")

wrong("beam_search", "sum_added_twice", ROUNDS,
    """You add the log-probability of the hypothesis twice: each token counts once. A continuation
    has the sum of its hypothesis plus the log-probability of the new token.""",
    GROWN, "([*tokens, token], total + total + log_p, parent)")

wrong("beam_search", "token_added_twice", ROUNDS,
    """You add the log-probability of the new token twice, when the continuation is made and when it
    is kept: each token counts once.""",
    GROWN, "([*tokens, token], total + log_p + log_p, parent)")

wrong("beam_search", "logarithms_multiplied", ROUNDS,
    """You multiply log-probabilities. It is probabilities that are multiplied; their logarithms are
    added, beginning with 0.""",
    "[([], 0.0)]", "[([], 1.0)]",
    GROWN, "([*tokens, token], total * log_p, parent)",
    POSSIBLE, "\n            if total * log_p > -torch.inf")

wrong("beam_search", "one_list_for_all_continuations", ROUNDS,
    """You append to the list of the hypothesis itself, so all its continuations are one and the
    same list, with all tokens in it: each needs a new list, with one token more.""",
    GROWN, "(tokens.append(token) or tokens, total + log_p, parent)",
    IS_FINISHED, "if tokens[-1] == eos or len(tokens) == max_len:",
    SCORED, SCORED.replace("length, ", "len(tokens), "))

wrong("beam_search", "one_round_too_few", ROUNDS,
    """Your last round is missing, or nothing comes of it: every round adds one token, and a text
    may have max_len of them. bos is not counted.""",
    "range(1, max_len + 1)", "range(1, max_len)")

wrong("beam_search", "place_divided_by_the_beam_size", ROUNDS,
    """You divide a place in the flattened scores by beam_size. It is parent * V + token, for each
    hypothesis has V places in a row: divide by V, the size of the vocabulary.""",
    SORTED, """totals = torch.tensor([one[1] for one in beam]).to(log_probs)[:, None] + log_probs
        best = totals.flatten().topk(min(beam_size, totals.numel()))
        continuations = []
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, token = place // beam_size, place % beam_size
            if total > -torch.inf:
                continuations.append(([*beam[parent][0], token], total, parent))""")

wrong("beam_search", "sum_of_the_best_hypothesis", ROUNDS,
    "You add the sum of the best hypothesis to every continuation: each has its own parent.",
    GROWN, "([*tokens, token], beam[0][1] + log_p, parent)")

wrong("beam_search", "probabilities_added", ROUNDS,
    "Your sums are of probabilities: these are multiplied, so add up their logarithms.",
    ASKED, ASKED + "\n        log_probs = log_probs.exp()")

wrong("beam_search", "normalised_within_the_beam", ROUNDS,
    """You divide the probabilities of the kept ones by their sum, in every round: then they are
    shares of the beam, and no probabilities of texts.""",
    EMPTY, EMPTY + """        whole = float(torch.tensor([one[1] for one in beam]).logsumexp(0))
        beam = [(tokens, total - whole) for tokens, total in beam]
""")

wrong("beam_search", "smallest_kept", ROUNDS,
    "You keep the least probable continuations: sort the other way round.",
    SORTED, "continuations.sort(key=lambda one: (one[1], one[0]))")

wrong("beam_search", "one_kept_too_few", ROUNDS,
    "You keep beam_size - 1 continuations: beam_size of them are kept.",
    "[:beam_size]", "[: max(1, beam_size - 1)]")

wrong("beam_search", "one_kept_too_many", ROUNDS,
    "You keep beam_size + 1 continuations: beam_size of them are kept.",
    "[:beam_size]", "[: beam_size + 1]")

wrong("beam_search", "beam_is_greedy", ROUNDS,
    "You go on with the best hypothesis alone, which is greedy search: all that are kept go on.",
    EMPTY, EMPTY + "        beam, parents = beam[:1], parents[:1]\n")

wrong("beam_search", "first_token_decides", ROUNDS,
    """You keep the best beam_size first tokens, and continue each greedily: in every round the
    continuations of all compete.""",
    SORTED, """if length > 1:
            continuations = [
                max((one for one in continuations if one[2] == row), key=lambda one: one[1])
                for row in range(len(beam))
            ]
        """ + SORTED)

wrong("beam_search", "one_token_short", ROUNDS,
    "Your texts have max_len - 1 tokens at most: bos does not count.",
    "for length in range(1, max_len + 1):",
    "max_len = max(1, max_len - 1)\n    for length in range(1, max_len + 1):")

wrong("beam_search", "one_token_long", ROUNDS,
    "Your texts may have max_len + 1 tokens: one that has max_len of them is finished.",
    "for length in range(1, max_len + 1):",
    "max_len += 1\n    for length in range(1, max_len + 1):")

wrong("beam_search", "bos_in_every_hypothesis", ROUNDS,
    "Each of your hypotheses begins with bos: its tokens are those after it.",
    "return finished", "return [([bos, *tokens], score) for tokens, score in finished]")

wrong("beam_search", "begins_with_bos", ROUNDS,
    """Your empty hypothesis begins as [bos], so bos stays in what you return and counts as one of
    the max_len tokens: a hypothesis holds only the tokens after bos.""",
    "[([], 0.0)]", "[([bos], 0.0)]",
    IS_FINISHED, "if tokens[-1] == eos or len(tokens) == max_len:",
    SCORED, SCORED.replace("length, ", "len(tokens), "),
    EMPTY, "if not beam or length == max_len - 1:\n            break\n")

wrong("beam_search", "bos_handed_on_for_ever", ROUNDS,
    """You hand bos to the model in every round: only the empty hypothesis has no token of its
    own.""",
    "tokens[-1] if tokens else bos for tokens, _ in beam", "bos for _ in beam")

wrong("beam_search", "scores_as_probabilities", ROUNDS,
    "You return probabilities: a score is a log-probability, divided by the penalty.",
    "return finished",
    "return [(tokens, float(torch.tensor(s).exp())) for tokens, s in finished]")

wrong("beam_search", "texts_without_scores", ROUNDS,
    "You return the tokens alone: a hypothesis is a pair, its tokens and its score.",
    "return finished", "return [tokens for tokens, _ in finished]")

wrong("beam_search", "best_one_alone", ROUNDS,
    "You return the best hypothesis by itself: with n_best=1 as well it stands in a list.",
    "return finished", "return finished[0] if n_best == 1 else finished")

wrong("beam_search", "one_pair_for_the_list", f"{ROUNDS} {N_BEST}",
    """You return one hypothesis, a pair, whatever n_best is: return the list of the n_best
    hypotheses, also if it holds one pair alone.""",
    "return finished", "return finished[0]")

# Finished ones ------------------------------------------------------------------------------------

wrong("beam_search", "never_finished", FINISHED,
    "You do not look for eos, and write on behind it: a text that has eos is finished.",
    IS_FINISHED, "if length == max_len:")

wrong("beam_search", "finished_ones_forgotten", FINISHED,
    """You return what is in the beam at the end: hypotheses that were finished earlier have left it
    and are forgotten, though theirs may be the best scores.""",
    SCORED,
    "finished = [one for one in finished if len(one[0]) == length]\n                " + SCORED)

wrong("beam_search", "stops_at_the_first_end", FINISHED,
    """You stop as soon as one hypothesis is finished: an open one may still become better. Only the
    bound says that none can.""",
    MAY_END, "if finished:")

wrong("beam_search", "stops_when_the_beam_is_full_of_ends", TOO_SOON,
    """You stop when beam_size hypotheses are finished, whatever their scores are: an open one may
    still be better.""",
    BEST, "finished.sort(key=lambda one: (-one[1], one[0]))\n",
    "if len(finished) == n_best and finished[-1][1] > bound:", "if len(finished) >= beam_size:",
    "return finished", "return finished[:n_best]")

wrong("beam_search", "enough_is_enough", FINISHED,
    """You end as soon as n_best hypotheses are finished: an open one may still become better than
    the last of them. Compare that one with the bound.""",
    MAY_END, "if len(finished) == n_best:")

wrong("beam_search", "finished_ones_keep_their_places", FINISHED,
    """Your finished hypotheses keep their places, so the beam becomes narrower with each of them:
    they leave it, and beam_size others are kept in the next round.""",
    KEPT, "in continuations[: max(0, beam_size - ended)]:",
    SCORED, SCORED + "\n                ended += 1",
    "finished: list[Hypothesis] = []", "finished: list[Hypothesis] = []\n    ended = 0")

wrong("beam_search", "places_of_the_best_finished_ones", FINISHED,
    """You take the number of finished hypotheses off beam_size, so later rounds keep fewer: a
    finished one takes a place in its own round only, and the next one keeps beam_size again.""",
    KEPT, "in continuations[: max(0, beam_size - len(finished))]:")

wrong("beam_search", "finished_ones_push_others_out", FINISHED,
    """You let finished hypotheses compete with the open ones for places in the beam: they have left
    it, and only at the end are all of them compared.""",
    KEPT, """in [
            one for one in continuations[:beam_size]
            if one[1] >= sorted([o[1] for o in continuations] + past, reverse=True)[
                min(beam_size, len(continuations) + len(past)) - 1]
        ]:""",
    SCORED, SCORED + "\n                past.append(total)",
    "finished: list[Hypothesis] = []", "finished, past = [], []")

wrong("beam_search", "beam_filled_up", FINISHED,
    """For each kept hypothesis that ends you keep one open one more, as some programs do: on this
    page the beam_size best are kept, and those that end are among them.""",
    KEPT, """in [
            one for place, one in enumerate(continuations)
            if place < beam_size or (one[0][-1] != eos and length < max_len and sum(
                o[0][-1] != eos for o in continuations[:place]) < beam_size)
        ]:""")

wrong("beam_search", "goes_on_until_the_beam_is_full", FINISHED,
    """You keep beam_size open ones besides the finished ones: a finished one takes one of the
    beam_size places of its round. Cut the sorted continuations to beam_size first, and look then
    which of them are finished.""",
    KEPT, "in continuations:\n            if len(beam) == beam_size:\n                break")

wrong("beam_search", "every_end_is_taken", FINISHED,
    """You take every continuation that ends with eos for finished: only those that are kept are,
    the others are given up like any other.""",
    KEPT, """in [
            one for place, one in enumerate(continuations)
            if place < beam_size or one[0][-1] == eos
        ]:""")

wrong("beam_search", "cut_off_ones_left_out", ROUNDS,
    """You return only what ended with eos: a hypothesis that has max_len tokens is finished as
    well.""",
    IS_FINISHED, "if length == max_len and tokens[-1] != eos:\n                continue\n"
    "            if tokens[-1] == eos:")

wrong("beam_search", "cut_off_only_if_nothing_ended", FINISHED,
    """You take those that are cut off at max_len only if nothing ended: they compete with the
    others.""",
    IS_FINISHED, "if length == max_len and tokens[-1] != eos and finished:\n"
    "                continue\n            " + IS_FINISHED)

wrong("beam_search", "without_its_end", FINISHED,
    "Your finished hypotheses lack eos: where a text ended it is one of its tokens.",
    "return finished", "return [([t for t in tokens if t != eos], s) for tokens, s in finished]")

wrong("beam_search", "end_not_kept_with_the_text", FINISHED,
    """You take eos off a hypothesis when it is finished: it is a token of the text, and is returned
    with the others.""",
    SCORED, "finished.append((tokens[:-1] if tokens[-1] == eos else tokens, "
    "total / length_penalty(length, alpha)))")

wrong("beam_search", "end_is_free", FINISHED,
    "Your sums lack the log-probability of eos: that a text ends is a part of its probability.",
    GROWN, "([*tokens, token], total + (log_p if token != eos else 0.0), parent)")

wrong("beam_search", "end_never_chosen", FINISHED,
    "You never let eos come: a text may end before max_len.",
    POSSIBLE, "\n            if log_p > -torch.inf and token != eos")

# The state ----------------------------------------------------------------------------------------

wrong("beam_search", "state_not_reordered", STATE,
    """You hand the state on as it is: its row i belongs to the old hypothesis i. Pick the rows of
    the parents, state[parents].""",
    PICKED, "state = state[[row % len(state) for row in range(len(beam))]]")

wrong("beam_search", "state_only_cut", STATE,
    """You hand the state on as it came, or cut it to as many rows as there are open hypotheses: its
    rows are those of the round before. Pick for each open one the row of its parent, which several
    may share.""",
    PICKED, "state = state[: len(beam)]")

wrong("beam_search", "state_of_the_best_for_all", STATE,
    "You give every hypothesis the state of the best one: each goes on with that of its parent.",
    PICKED, "state = state[[parents[0]] * len(parents)]")

wrong("beam_search", "parents_of_the_finished_too", STATE,
    """You pick rows of the state for finished hypotheses as well, so the others get rows that are
    not theirs: pick those of the open ones.""",
    "parents.append(parent)", "pass",
    PICKED, "parents = [one[2] for one in continuations[:beam_size]]\n"
    "        state = state[parents[: len(beam)]]")

wrong("beam_search", "rows_of_all_kept_ones", STATE,
    """You hand on more rows of the state than tokens, as with a row for each kept hypothesis: a
    finished one leaves the rows of the state too, so note the parents of the open ones only.""",
    PICKED, "state = state[[parent for _, _, parent in continuations[:beam_size]]]")

wrong("beam_search", "state_picked_by_place", STATE,
    "You pick rows by the place in the new beam: it is the place of the parent that counts.",
    "parents.append(parent)", "parents.append(min(len(parents), len(state) - 1))")

wrong("beam_search", "state_picked_only_when_shorter", STATE,
    """You pick rows of the state only where their number changes: as many hypotheses as before may
    have other parents, or one of them twice. Pick in every round.""",
    PICKED, "if len(parents) != len(state):\n            state = state[parents]")

wrong("beam_search", "parents_by_the_place_among_the_kept", STATE,
    """Your parents hold the places of the new hypotheses among the kept ones. They must say which
    old hypothesis each of them continues: its place in the beam before this round, which is its row
    of log_probs.""",
    "for tokens, total, parent in continuations[:beam_size]:",
    "for place, (tokens, total, _) in enumerate(continuations[:beam_size]):",
    "parents.append(parent)", "parents.append(place)")

wrong("beam_search", "parents_by_the_place_among_the_kept_or_the_last", STATE,
    """Your parents hold places among the hypotheses that are kept, cut off at the last row: such a
    place is no row of the old state. Note for each open one which old hypothesis it continues.""",
    "for tokens, total, parent in continuations[:beam_size]:",
    "for place, (tokens, total, _) in enumerate(continuations[:beam_size]):",
    "parents.append(parent)", "parents.append(min(place, len(state) - 1))")

wrong("beam_search", "parents_by_the_place_in_the_new_beam", STATE,
    """Your parents count the open hypotheses of the new beam, 0, 1, 2: these are no rows of the old
    state. Note for each the place that its parent has in the old beam.""",
    "parents.append(parent)", "parents.append(len(parents))")

wrong("beam_search", "tokens_for_parents", STATE,
    """Your parents hold tokens: they must hold the place in the old beam of the hypothesis that is
    continued, for that is its row of the state.""",
    "parents.append(parent)", "parents.append(tokens[-1])")

wrong("beam_search", "parents_sorted", STATE,
    "You sort the parents: row i of the state belongs to hypothesis i, in the order of the beam.",
    PICKED, "state = state[sorted(parents)]")

wrong("beam_search", "parents_once_each", STATE,
    """You pick the row of each parent once: a hypothesis with two continuations gives its state to
    both.""",
    PICKED, "rows = sorted(set(parents))\n"
    "        state = state[(rows * len(parents))[: len(parents)]]")

wrong("beam_search", "beam_without_a_state", STATE,
    """You hand None to the model as its state in every round, so it forgets all but the last
    token.""",
    ASKED, "log_probs, state = step(torch.tensor(last), None)")

wrong("beam_search", "state_with_the_last_axis", STATE,
    "You turn the rows of the state round: row i belongs to hypothesis i.",
    PICKED, "state = state[parents[::-1]]")

# Alpha --------------------------------------------------------------------------------------------

wrong("beam_search", "alpha_not_used", ALPHA,
    "You do not use alpha: the score is the sum divided by the penalty.",
    SCORED, "finished.append((tokens, total))", BOUND, "bound = beam[0][1]")

wrong("beam_search", "multiplied_by_the_penalty", ALPHA,
    """You multiply by the penalty. Log-probabilities are negative, so long texts lose even more:
    divide by it.""",
    SCORED, "finished.append((tokens, total * length_penalty(length, alpha)))",
    MAY_END, "if False and bound:")

wrong("beam_search", "penalty_subtracted", ALPHA,
    "You subtract the penalty from the sum: it divides the sum, as in log p(y) / lp(n).",
    SCORED, "finished.append((tokens, total - length_penalty(length, alpha)))")

wrong("beam_search", "penalty_counts_bos", ALPHA,
    "You count bos in the length: the penalty is that of the tokens after it.",
    SCORED, SCORED.replace("length, ", "length + 1, "))

wrong("beam_search", "penalty_does_not_count_eos", ALPHA,
    "You do not count eos in the length: it is a token like any other.",
    SCORED, SCORED.replace("length, ", "length - (tokens[-1] == eos), "))

wrong("beam_search", "penalty_of_the_hypothesis_before", ALPHA,
    """You take the penalty of one token fewer than the text has, for all texts, as if the last
    token were not there yet: the length is that of the finished text.""",
    SCORED, SCORED.replace("length, ", "length - 1, "))

wrong("beam_search", "penalty_of_max_len", ALPHA,
    "You divide every sum by the penalty of max_len: each text has its own length.",
    SCORED, SCORED.replace("length, ", "max_len, "))

wrong("beam_search", "mean_over_the_tokens", ALPHA,
    "You divide by the number of tokens: the score is divided by length_penalty.",
    SCORED, "finished.append((tokens, total / length))", MAY_END, "if False and bound:")

wrong("beam_search", "power_of_the_length", ALPHA,
    """You divide by length ** alpha, whatever length_penalty says: the score is the sum divided by
    length_penalty, ((5 + n) / 6) ** alpha.""",
    SCORED, "finished.append((tokens, total / length**alpha))")

wrong("beam_search", "penalty_only_in_the_order", ALPHA,
    "You choose by the penalised scores and return the plain sums: the score is the penalised one.",
    "return finished",
    "return [(tokens, s * length_penalty(len(tokens), alpha)) for tokens, s in finished]")

wrong("beam_search", "penalty_only_in_the_result", ALPHA,
    """You choose by the plain sums, and divide by the penalty only what you return: finished
    hypotheses are compared by their scores.""",
    SCORED, "finished.append((tokens, total))",
    BOUND, "bound = beam[0][1]",
    "return finished",
    "return [(tokens, s / length_penalty(len(tokens), alpha)) for tokens, s in finished]")

wrong("beam_search", "penalised_in_every_round", ALPHA,
    """You divide by the penalty in every round, so the divisions add up: the sum stays a plain sum
    until the hypothesis is finished.""",
    "beam.append((tokens, total))",
    "beam.append((tokens, total / length_penalty(length, alpha)))")

# The best ones ------------------------------------------------------------------------------------

wrong("beam_search", "in_the_order_of_their_ends", N_BEST,
    "You return hypotheses in the order in which they were finished: the largest score is first.",
    "return finished", "return sorted(finished, key=lambda one: len(one[0]))")

wrong("beam_search", "result_not_sorted", f"{FINISHED} {N_BEST}",
    """You return the first n_best of the finished hypotheses as they stand in your list, in the
    order in which they were finished: sort them by their scores, the largest first, before you
    cut.""",
    *IN_ORDER, "return finished", "return in_order[:n_best]")

wrong("beam_search", "result_sorted_by_its_tokens", f"{FINISHED} {N_BEST}",
    """You sort the pairs themselves, and Python compares their first parts first, the tokens: it is
    the score that decides, so name it in the key.""",
    *IN_ORDER, "return finished", "return sorted(in_order, reverse=True)[:n_best]")

wrong("beam_search", "worst_of_the_best_first", N_BEST,
    "You return the smallest score first: the largest comes first.",
    "return finished", "return finished[::-1]")

wrong("beam_search", "result_sorted_upwards", N_BEST,
    """You sort the result by its scores upwards, so the worst hypothesis stands first: the scores
    are negative, and the largest is the one nearest to 0.""",
    "return finished", "return sorted(finished, key=lambda one: one[1])")

wrong("beam_search", "always_beam_size_results", N_BEST,
    "You return beam_size hypotheses: it is n_best that says how many.",
    "finished = finished[:n_best]", "finished = finished[:beam_size]",
    "len(finished) == n_best", "len(finished) == beam_size")

wrong("beam_search", "only_the_best", N_BEST,
    "You return the best hypothesis alone, whatever n_best is.",
    "return finished", "return finished[:1]")

wrong("beam_search", "all_that_were_found", "keeps_the_best_of_all",
    "You return all finished hypotheses: n_best says how many, and it is 1 if nobody says.",
    "finished = finished[:n_best]", "pass",
    MAY_END, "if len(finished) >= n_best and finished[n_best - 1][1] > bound:")

wrong("beam_search", "the_same_one_n_times", N_BEST,
    "You fill the result up with copies of the best one: where there are fewer, return fewer.",
    "return finished", "return finished + finished[:1] * (n_best - len(finished))")

wrong("beam_search", "no_more_than_the_beam", N_BEST,
    """You return at most beam_size hypotheses: more may have been finished, one after another, and
    n_best may be larger.""",
    "finished = finished[:n_best]", "finished = finished[: min(n_best, beam_size)]")

wrong("beam_search", "first_ends_kept", N_BEST,
    "You keep the n_best that were finished first: later ones may be better and take their places.",
    SCORED, f"if len(finished) < n_best:\n                    {SCORED}")

# Where programs go wrong --------------------------------------------------------------------------

wrong("beam_search", "all_beams_start_alike", TWICE,
    """The same text is found more than once, as when the search begins with beam_size copies of the
    empty hypothesis: in the beginning there is one.""",
    "[([], 0.0)]", "[([], 0.0)] * beam_size")

wrong("beam_search", "products_of_probabilities", LONG,
    """Your hypotheses multiply probabilities: after some hundred tokens the product is 0. Add up
    their logarithms.""",
    "[([], 0.0)]", "[([], 1.0)]",
    GROWN, "([*tokens, token], total * float(torch.tensor(log_p, dtype=torch.float64).exp()),"
    " parent)",
    SCORED, "finished.append((tokens, float(torch.tensor(total, dtype=torch.float64).log())"
    " / length_penalty(length, alpha)))",
    BOUND, "bound = float(torch.tensor(beam[0][1], dtype=torch.float64).log())"
    " / length_penalty(max_len, alpha)")

wrong("beam_search", "equal_ones_by_larger_tokens", EQUAL,
    """Of equal sums you keep the lexicographically larger tokens, as topk may do as well: sort by
    the sum and then by the tokens, so that the smaller ones come first.""",
    SORTED, "continuations.sort(key=lambda one: (one[1], one[0]), reverse=True)")

wrong("beam_search", "equal_ones_by_the_last_token", EQUAL,
    """Of equal sums you look at the last token first: tokens are compared from the first one on,
    as Python compares lists.""",
    SORTED, "continuations.sort(key=lambda one: (-one[1], one[0][::-1]))")

wrong("beam_search", "equal_ones_in_the_order_of_the_beam", EQUAL,
    """Of equal sums you keep those whose parents come first in the beam: the beam is sorted by
    sums, and it is the tokens that decide.""",
    SORTED, "continuations.sort(key=lambda one: -one[1])")

wrong("beam_search", "equal_ones_of_the_last_parent", EQUAL,
    """Of equal sums you take those of the last parent first: the place of a parent decides nothing.
    Compare the tokens, all from the first one on.""",
    SORTED, "continuations.sort(key=lambda one: (-one[1], -one[2]))")

wrong("beam_search", "equal_results_by_their_end", EQUAL,
    """Of equal scores you return those first that ended first: the lexicographically smaller tokens
    come first.""",
    BEST, BEST.replace("(-one[1], one[0])", "-one[1]"))

wrong("beam_search", "equal_ones_as_they_came", EQUAL,
    """Of equal sums, and of equal scores, you leave those first that came first: sort by the tokens
    as well, key=(-score, tokens).""",
    SORTED, "continuations.sort(key=lambda one: -one[1])",
    BEST, BEST.replace("(-one[1], one[0])", "-one[1]"))

wrong("beam_search", "ends_at_a_draw", EQUAL,
    """You end when the bound is equal to the last score: an open hypothesis may still reach it with
    smaller tokens. End when the score is larger than the bound.""",
    "finished[-1][1] > bound", "finished[-1][1] >= bound")

wrong("beam_search", "equal_results_in_any_order", EQUAL,
    "Of equal scores you return the lexicographically larger tokens first: the smaller come first.",
    BEST, BEST.replace("(-one[1], one[0]))", "(one[1], one[0]), reverse=True)"))

wrong("beam_search", "impossible_ones_kept", HOLES,
    """You keep continuations with the log-probability -inf where there are places left: such a text
    cannot come.""",
    POSSIBLE, "")

wrong("beam_search", "bos_ends_the_search", AT_ONCE,
    "Where bos and eos are the same number, your search ends before it begins: bos ends nothing.",
    "return finished", "return [([], 0.0)] if bos == eos else finished")

wrong("beam_search", "no_end_at_once", AT_ONCE,
    "You do not let a text end with its first token: a text that is eos alone is a text.",
    POSSIBLE, "\n            if log_p > -torch.inf and (token != eos or length > 1)")

# What it costs ------------------------------------------------------------------------------------

wrong("beam_search", "one_call_for_each_hypothesis", CALLS,
    """You call the model once for each hypothesis: it takes all open ones in one call, which is
    what makes a beam cheap.""",
    ASKED, """answers = [
            step(torch.tensor([one]), None if state is None else state[[row]])
            for row, one in enumerate(last)
        ]
        log_probs = torch.cat([answer[0] for answer in answers])
        state = torch.cat([answer[1] for answer in answers])""")

wrong("beam_search", "finished_ones_asked_about", CALLS,
    """You call the model for rows that nobody needs: ask it about the open hypotheses only.""",
    ASKED, """rows = [*range(len(last)), *[0] * beam_size]
        log_probs, state = step(
            torch.tensor([last[row] for row in rows]), None if state is None else state[rows]
        )
        log_probs, state = log_probs[: len(last)], state[: len(last)]""")

wrong("beam_search", "reads_the_text_again", CALLS,
    """You call the model more than once in a round, as when it reads the whole text anew: its state
    holds what it has read, so a round is one call.""",
    ASKED, """state = None
        for place in range(-1, length - 1):
            reads = [bos if place < 0 else tokens[place] for tokens, _ in beam]
            log_probs, state = step(torch.tensor(reads), state)""",
    PICKED, "pass")

wrong("beam_search", "never_ends_early", SOON,
    """You go on to max_len though no open hypothesis can come among the n_best any more: compare
    the best finished scores with the bound.""",
    MAY_END, "if False and bound:")

wrong("beam_search", "bound_of_the_present_length", TOO_SOON,
    """Your bound divides by the penalty of the present length: an open hypothesis may become longer
    and is divided by more then. Take that of max_len.""",
    BOUND, BOUND.replace("max_len", "length"))

wrong("beam_search", "bound_without_a_penalty", TOO_SOON,
    """Your bound is the plain sum: the open hypothesis will be divided by a penalty when it is
    finished, which makes its score larger.""",
    BOUND, "bound = beam[0][1]")

wrong("beam_search", "bound_of_the_best", TOO_SOON,
    """You end when the best finished one cannot be beaten: an open one has to beat only the last
    of the n_best.""",
    "finished[-1][1] > bound", "finished[0][1] > bound")

wrong("beam_search", "bound_of_the_worst_open_one", TOO_SOON,
    """Your bound is that of the worst open hypothesis: the best one may still come among the
    n_best.""",
    "beam[0][1] /", "beam[-1][1] /")

wrong("beam_search", "bound_waits_for_the_beam", SOON,
    "You wait until beam_size hypotheses are finished: n_best good ones are enough.",
    "finished = finished[:n_best]", "finished = finished[: max(n_best, beam_size)]",
    "len(finished) == n_best and finished[-1][1]",
    "len(finished) >= max(n_best, beam_size) and finished[n_best - 1][1]",
    "return finished", "return finished[:n_best]")
