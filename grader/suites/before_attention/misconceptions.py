"""Wrong answers to ``before_attention``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch

from grader.check import Bank

wrong = Bank()

STATES = "states_of_any_sentence"
FORGET = "steps_until_less_than_a_share_is_left"
CONVOLUTION = "convolution_of_any_sentence"
FIELD = "the_receptive_field"
STEPS = "sequential_operations"
PATH = "the_longest_path"
COST = "operations"
LOOKUP = "lookup_among_any_keys"

CELL = "torch.tanh(token @ w_in + states[-1] @ w_state)"
ROWS = "torch.stack(states[1:])"
PART = "padded[reach - j : reach - j + tokens] @ kernel[j]"
SCORES = "torch.softmax(keys @ query, dim=0)"
COUNT = """steps, left = 1, factor
    while left >= share:
        steps, left = steps + 1, left * factor
    return steps"""
QUOTIENT = "math.log(share) / math.log(factor)"
LESS = f"math.floor({QUOTIENT}) + 1"
ANSWER = "weights @ values"
FIELD_IS = "layers * (kernel_size - 1) + 1"

# recurrent_states ---------------------------------------------------------------------------------

wrong("recurrent_states", "no_memory", STATES,
    """Your states know only their own token: the state before, times W_state, belongs into every
    new one. Without it, or if it is always the zeros of the beginning, nothing is remembered.""",
    " + states[-1] @ w_state", "")

wrong("recurrent_states", "only_the_last_state", STATES,
    """You return the last state alone. It is all that a translator of this kind had, but asked for
    are the states after every token, one row each.""",
    ROWS, "states[-1]")

wrong("recurrent_states", "states_before_the_token", STATES,
    """Your rows are one too early: they begin with the zeros before the first token, and the state
    after the last one is missing.""",
    "states[1:]", "states[:-1]")

wrong("recurrent_states", "start_is_returned_too", STATES,
    """You return one row too many: the zeros before the first token are no state after a token.""",
    "states[1:]", "states")

wrong("recurrent_states", "first_token_skipped", STATES,
    """You begin with the second token: each token has a state, and that of the first comes from its
    own row and the zeros before it.""",
    "for token in x:", "for token in x[1:]:")

wrong("recurrent_states", "tanh_missing", STATES,
    """Your states are plain sums: the tanh around them is missing. Without it they can grow without
    end.""",
    CELL, CELL.removeprefix("torch.tanh"))

wrong("recurrent_states", "first_state_without_tanh", STATES,
    """Your first state has not gone through tanh, but all others have: it is made as they are, from
    the first token and a state of zeros. Begin with these zeros before the loop, and let the loop
    begin with the first token.""",
    CELL, f"({CELL} if len(states) > 1 else token @ w_in)")

wrong("recurrent_states", "first_token_read_twice", STATES,
    """Your first token is read twice: it has made the state that you begin with, and is the first
    in your loop again. Begin with zeros.""",
    "x.new_zeros(w_state.shape[0])", "torch.tanh(x[0] @ w_in)")

wrong("recurrent_states", "last_token_for_the_last_state", STATES,
    """What you multiply by W_state is the part of the token before, x_{t-1} W_in: it is the last
    state, which has gone through tanh and holds what was before that token.""",
    "states[-1] @ w_state", "last @ w_state",
    "    return", "        last = token @ w_in\n    return",
    "for token", "last = states[0]\n    for token")

wrong("recurrent_states", "all_rows_are_the_last_state", STATES,
    """All your rows are the last state: one tensor was changed in place, and stands in your list
    many times. Make a new tensor for each state.""",
    ROWS, "torch.stack(states[-1:] * len(x))")

wrong("recurrent_states", "one_token_back_only", STATES,
    """Your states know their own token and the one before it, and none further back: what goes into
    a state is not the tanh of one token's part, but the whole last state. So they are made one
    after another.""",
    "states[-1] @ w_state", "last @ w_state",
    "    return", "        last = torch.tanh(token @ w_in)\n    return",
    "for token", "last = states[0]\n    for token")

wrong("recurrent_states", "tanh_of_the_token_only", STATES,
    """You take the tanh of the token's part alone and add the last state afterwards: tanh goes
    around the sum of both.""",
    CELL, "torch.tanh(token @ w_in) + states[-1] @ w_state")

wrong("recurrent_states", "tanh_of_each_part", STATES,
    "You take the tanh of both parts and add: add first, then take one tanh of the sum.",
    CELL, "torch.tanh(token @ w_in) + torch.tanh(states[-1] @ w_state)")

wrong("recurrent_states", "carries_the_sum", STATES,
    """What goes on to the next token is the sum, and only what you return has gone through tanh:
    the state is tanh of the sum, and the next sum is made from it.""",
    CELL, "token @ w_in + states[-1] @ w_state", "torch.stack(states[1:])",
    "torch.stack(states[1:]).tanh()")

wrong("recurrent_states", "sigmoid_instead_of_tanh", STATES,
    "You squeeze with a sigmoid, between 0 and 1: here it is tanh, between -1 and 1.",
    "torch.tanh", "torch.sigmoid")

wrong("recurrent_states", "w_state_transposed", STATES,
    """You multiply by the transpose of W_state, as w_state @ state does too: a state is a row, and
    stands on the left of W_state as it is.""",
    "states[-1] @ w_state", "w_state @ states[-1]")

wrong("recurrent_states", "starts_with_ones", STATES,
    "Your first state remembers something before the text: the state begins as zeros.",
    "new_zeros", "new_ones")

wrong("recurrent_states", "first_state_as_wide_as_a_token", STATES,
    """Your first state is as wide as a token: a state is h numbers wide, as many as W_state has
    rows, and d and h may differ.""",
    "x.new_zeros(w_state.shape[0])", "torch.zeros_like(x[0])")

wrong("recurrent_states", "first_state_as_long_as_the_text", STATES,
    """Your first state has a number for each token: len(x) and x.shape[0] are T. A state is h
    numbers wide, however many tokens there are.""",
    "w_state.shape[0]", "x.shape[0]")

wrong("recurrent_states", "first_state_is_a_matrix", STATES,
    """Your states are matrices, as W_state is: a state is a row of h numbers, so begin with as many
    zeros as W_state has rows.""",
    "x.new_zeros(w_state.shape[0])", "torch.zeros_like(w_state)")

wrong("recurrent_states", "read_backwards", STATES,
    "You read the text from its end: token 0 comes first.",
    "for token in x", "for token in x.flip(0)")

wrong("recurrent_states", "earlier_states_detached", STATES,
    """Your gradient ends at the last token: the state was detached in every step, so nothing can be
    learned about earlier tokens.""",
    "states[-1] @", "states[-1].detach() @")

wrong("recurrent_states", "states_added_up", STATES,
    """You add the old state to the new one: the new state is the tanh alone, and the old one comes
    in through W_state only.""",
    CELL, f"states[-1] + {CELL}")

@wrong.instead_of("recurrent_states", STATES)
def rows_written_into_one_tensor(x, w_in, w_state):
    """You write new states in place, into a tensor from which earlier states have been read: for
    the gradient it must stay as it was. Collect new tensors in a list, then use torch.stack."""
    states = x.new_zeros(len(x), w_state.shape[0])
    for t in range(len(x)):
        last = states[t - 1] if t else x.new_zeros(w_state.shape[0])
        states[t] = torch.tanh(x[t] @ w_in + last @ w_state)
    return states

wrong("recurrent_states", "squeezed", "the_state_after_one_token",
    "Where there is one token only you take an axis away, as squeeze does: its states are (1, h).",
    ROWS, f"{ROWS}.squeeze()")

wrong("recurrent_states", "states_always_float32", STATES,
    "Your states are float32 whatever comes in: they must have the dtype of x.",
    ROWS, f"{ROWS}.float()")

# steps_to_forget ----------------------------------------------------------------------------------

wrong("steps_to_forget", "one_step_too_many", FORGET,
    "You count one step too many: n is the first number of steps after which less is left.",
    "return steps", "return steps + 1")

wrong("steps_to_forget", "one_step_too_few", FORGET,
    "You count the last step after which enough is left: asked for is the one after it.",
    "return steps", "return steps - 1")

wrong("steps_to_forget", "as_little_as_the_share", "steps_at_the_edges",
    """You stop where exactly `share` is left: less than `share` has to be left, so one more step is
    needed there.""",
    "left >= share", "left > share")

wrong("steps_to_forget", "rounded_to_the_nearest", FORGET,
    """You round to the nearest whole number, which may be the one before: there, enough is still
    left.""",
    COUNT, f"return round({QUOTIENT})")

wrong("steps_to_forget", "share_that_is_lost", FORGET,
    """You stop while more than `share` is left: count until less is left than that. `share` is what
    is left, not what is lost.""",
    "left >= share", "left >= 1 - share")

wrong("steps_to_forget", "loses_factor_in_each_step", FORGET,
    "You take factor for what is lost in each step: it is what is kept.",
    "steps, left", "factor = 1 - factor\n    steps, left")

wrong("steps_to_forget", "loses_the_same_in_each_step", FORGET,
    """You subtract the same amount in every step: each step keeps a share of what was left, so what
    is left is factor to the power of n.""",
    COUNT, "return math.floor((1 - share) / (1 - factor)) + 1")

wrong("steps_to_forget", "logarithms_exchanged", FORGET,
    "You have the logarithms exchanged: factor^n = share gives n = log(share) / log(factor).",
    COUNT, "return math.floor(math.log(factor) / math.log(share)) + 1")

wrong("steps_to_forget", "a_single_step_forgotten", "steps_at_the_edges",
    "Where one step is enough you return 2: look after the first step, too.",
    "steps, left = 1, factor", "steps, left = 2, factor * factor")

wrong("steps_to_forget", "not_a_whole_number", FORGET,
    """You return the solution of factor^n = share, which is no whole number: count steps, until
    less is left.""",
    COUNT, f"return {QUOTIENT}")

wrong("steps_to_forget", "steps_as_a_float", FORGET,
    """Your number of steps is a float such as 44.0: steps are counted, so the answer is an int.
    numpy's floor and ceil leave a float, those of math make an int.""",
    "return steps", "return float(steps)")

wrong("steps_to_forget", "quotient_of_logarithms", "steps_at_the_edges",
    """Where exactly `share` is left you stop one step too soon: rounding puts a quotient of
    logarithms, or a rounded power, a hair below what it should be, as 1.9999999999999998 for 0.81
    and 0.9. Count with a loop: multiply by factor until less than `share` is left, and round
    nothing.""",
    COUNT, f"return {LESS}")

wrong("steps_to_forget", "quotient_of_logarithms_to_base_ten", "steps_at_the_edges",
    """Where exactly `share` is left rounding takes one step off your answer, as it does in a
    quotient of logarithms to base 10: count with a loop instead, multiplying by factor until less
    than `share` is left.""",
    COUNT, f"return {LESS.replace('log(', 'log10(')}")

wrong("steps_to_forget", "rounded_powers", "steps_at_the_edges",
    """Rounded, what is left may look smaller than `share` where it is exactly that: you stop one
    step too soon there. Compare what is left as it is.""",
    "while left >= share", "while round(left, 4) >= share")

# causal_convolution -------------------------------------------------------------------------------

wrong("causal_convolution", "kernel_turned_round", CONVOLUTION,
    """Your kernel is turned round: kernel[0] belongs to the token itself, and kernel[j] to the one
    j places back. (torch's conv1d has it the other way.)""",
    "@ kernel[j]", "@ kernel[reach - j]")

wrong("causal_convolution", "sees_the_future", CONVOLUTION,
    """Your convolution looks at the tokens that follow: causal means that no token sees a later
    one, so the zeros belong before the first token.""",
    f"sum({PART}", "sum(torch.cat([x, padded[:reach]])[j : j + tokens] @ kernel[j]")

wrong("causal_convolution", "last_rows_of_a_full_convolution",
    f"{CONVOLUTION} a_kernel_longer_than_the_text",
    """Your row t is the one of token t + k - 1, so it sees later tokens. The k - 1 zeros stand
    before the text. (With zeros on both sides a convolution has T + k - 1 rows: take the first T
    of them, not the last.)""",
    "torch.cat([x.new_zeros(reach, x.shape[1]), x])",
    "torch.cat([x, x.new_zeros(reach, x.shape[1])])")

wrong("causal_convolution", "ends_below_zero", "a_kernel_longer_than_the_text",
    """For a kernel longer than the text you take x[: T - j] with an end below 0, which counts from
    the back: that is not empty. Only the first T matrices of the kernel meet a token.""",
    "sum(padded[reach - j : reach - j + tokens] @ kernel[j] for j in range(reach + 1))",
    "x @ kernel[0] + sum(torch.cat([x.new_zeros(j, x.shape[1]), x[: tokens - j]]) @ kernel[j]\n"
    "        for j in range(1, reach + 1))")

wrong("causal_convolution", "centred", CONVOLUTION,
    """Your zeros stand on both sides of the text, so each token sees one half of its neighbours
    after it: all of them belong in front.""",
    "x.new_zeros(reach, x.shape[1]), x]",
    "x.new_zeros(reach - reach // 2, x.shape[1]), x, x.new_zeros(reach // 2, x.shape[1])]")

wrong("causal_convolution", "ends_left_out", CONVOLUTION,
    """You leave out the tokens that have fewer than k - 1 tokens before them: they have rows, too,
    in which the missing tokens count as zeros.""",
    "return sum(", "return 1 * sum(", "range(reach + 1))", "range(reach + 1))[reach:]")

wrong("causal_convolution", "begins_with_a_full_window", CONVOLUTION,
    """Your first row is that of the first token with k - 1 tokens before it: the ones before that
    have rows as well, and what is missing there counts as zeros.""",
    "return sum(padded[reach - j : reach - j + tokens] @ kernel[j] for j in range(reach + 1))",
    """whole = [[x[t - j] @ kernel[j] for j in range(reach + 1)] for t in range(reach, tokens)]
    return torch.stack([sum(window) for window in whole])""")

wrong("causal_convolution", "the_token_itself_forgotten", CONVOLUTION,
    "Your rows are made of earlier tokens only: each token also sees itself, with kernel[0].",
    PART, "padded[max(reach - j - 1, 0) : max(reach - j - 1, 0) + tokens] @ kernel[j]")

wrong("causal_convolution", "first_matrix_left_out", CONVOLUTION,
    "You leave kernel[0] out: j begins at 0, which is the token itself.",
    "range(reach + 1)", "range(1, reach + 1)")

wrong("causal_convolution", "first_token_unseen", CONVOLUTION,
    """The first token takes part in none of your rows: x[t - j] is there as soon as t - j is 0, so
    ask for t - j >= 0.""",
    "torch.cat([x.new_zeros(reach, x.shape[1]), x])",
    "torch.cat([x.new_zeros(len(kernel), x.shape[1]), x[1:]])")

wrong("causal_convolution", "length_from_the_wrong_axis", CONVOLUTION,
    """You take the second size of the kernel for its length: it is (k, d, c), so k is the first,
    len(kernel).""",
    "len(kernel) - 1", "kernel.shape[1] - 1")

wrong("causal_convolution", "one_matrix_for_all", CONVOLUTION,
    "You use one matrix for all places: every place of the kernel has its own.",
    "@ kernel[j]", "@ kernel[0]")

wrong("causal_convolution", "a_mean", CONVOLUTION,
    "You divide by the length of the kernel: the parts are added, nothing is averaged.",
    "return sum", "return 1 / len(kernel) * sum")

wrong("causal_convolution", "columns_padded", CONVOLUTION,
    """Your zeros make the rows wider, not the text longer: they are rows of their own, in front of
    the first token. (In F.pad the last axis comes first: its rows are the third and the fourth
    number.)""",
    "torch.cat([x.new_zeros(reach, x.shape[1]), x])",
    "torch.cat([x.new_zeros(len(x), reach), x], dim=1)")

wrong("causal_convolution", "first_token_repeated", CONVOLUTION,
    """Where a token is missing before the text, your first token stands for it, as one repeated in
    front of it, or looked up as x[max(t - j, 0)]: what would stand there counts as zeros.""",
    "x.new_zeros(reach, x.shape[1])", "x[:1].expand(reach, -1)")

@wrong.instead_of("causal_convolution", f"{CONVOLUTION} a_kernel_longer_than_the_text")
def goes_round(x, kernel):
    """The first tokens of yours see the last ones: x[t - j] with t - j below 0 counts from the end.
    What stands before the text counts as zeros."""
    rows = range(len(x))
    return torch.stack([sum(x[t - j] @ matrix for j, matrix in enumerate(kernel)) for t in rows])

@wrong.instead_of("causal_convolution", f"{CONVOLUTION} a_kernel_longer_than_the_text")
def rolled(x, kernel):
    """Your text goes round: its last tokens come in front of its first ones, as when it is rolled
    or t - j is taken modulo its length. What stands before the text counts as zeros."""
    return sum(torch.roll(x, j, 0) @ matrix for j, matrix in enumerate(kernel))

wrong("causal_convolution", "rows_always_float32", CONVOLUTION,
    """Your rows are float32 whatever comes in: they must have the dtype of x. torch.zeros makes
    float32 unless it is told dtype=x.dtype (and device=x.device).""",
    "for j in range(reach + 1))",
    "for j in range(reach + 1)).float()")

wrong("causal_convolution", "kernel_cut_to_the_text", "a_kernel_longer_than_the_text",
    "You use the last T places of a kernel that is longer than the text: the first ones count.",
    "tokens, reach", "kernel = kernel[-len(x):]\n    tokens, reach")

@wrong.instead_of("causal_convolution", "a_kernel_longer_than_the_text")
def what_is_cut_counts_from_the_end(x, kernel):
    """Where your kernel is a good deal longer than the text, what you add has another number of
    rows than the text: x[:T - j] with j above T counts from the end. Nothing is added there.
    """
    rows = x @ kernel[0]
    for j, matrix in enumerate(kernel[1:], 1):
        rows = rows + torch.cat([x.new_zeros(min(j, len(x)), x.shape[1]), x[: len(x) - j]]) @ matrix
    return rows

@wrong.instead_of("causal_convolution", "a_kernel_longer_than_the_text")
def tokens_that_are_not_there(x, kernel):
    """Where your kernel is longer than the text, tokens take part for which there is no place: x[:T
    - j] with j above T counts from the end, and is not always empty. What stands before the text
    counts as zeros.
    """
    rows = x @ kernel[0]
    for j, matrix in enumerate(kernel[1:], 1):
        part = x[: len(x) - j] @ matrix
        rows = rows + torch.cat([part.new_zeros(len(x) - len(part), part.shape[1]), part])
    return rows

# Counting -----------------------------------------------------------------------------------------

wrong("receptive_field", "layers_times_kernel", FIELD,
    """You count kernel_size tokens for each layer: begin with the one token that looks, and add
    kernel_size - 1 for each layer, for one of its places is counted already.""",
    FIELD_IS, "layers * kernel_size")

wrong("receptive_field", "itself_counted_again", FIELD,
    """With a kernel of 2 and one layer you count 3 tokens, and they are 2: a token and the one
    before it. The token from which a layer looks back is one of its kernel_size places, and none
    looks at later tokens, so each layer adds kernel_size - 1.""",
    FIELD_IS, "layers * kernel_size + 1")

wrong("receptive_field", "grows_like_a_power", FIELD,
    """Your field grows more with every layer, as it does for dilated convolutions. Those here look
    at neighbours, so that each layer adds the same number, kernel_size - 1.""",
    FIELD_IS, "kernel_size**layers")

wrong("receptive_field", "itself_forgotten", FIELD,
    "With one layer you count a token too few: the token itself takes part in its own output.",
    " + 1", "")

wrong("receptive_field", "one_layer_only", FIELD,
    "You return what one layer sees: each further layer adds kernel_size - 1 tokens.",
    FIELD_IS, "kernel_size")

wrong("receptive_field", "no_layer_sees_a_kernel", FIELD,
    """Without any layer you count a whole kernel: begin with the token alone, 1, and add
    kernel_size - 1 for every layer, also for the first.""",
    FIELD_IS, "kernel_size + max(layers - 1, 0) * (kernel_size - 1)")

wrong("receptive_field", "one_more_for_each_layer", FIELD,
    """Your field is the number of layers plus one, whatever the kernel is: each layer adds
    kernel_size - 1 tokens.""",
    FIELD_IS, "layers + 1")

wrong("receptive_field", "one_token_for_each_layer", FIELD,
    "Each further layer of yours adds one token: it adds kernel_size - 1 of them.",
    FIELD_IS, "kernel_size + layers - 1")

wrong("receptive_field", "field_as_a_float", FIELD,
    """Your receptive field is a float such as 5.0: tokens are whole, so the answer is an int. `/`
    makes floats, even where nothing is left over.""",
    FIELD_IS, "float(layers * (kernel_size - 1) + 1)")

wrong("sequential_operations", "convolution_in_steps", STEPS,
    """You let a convolution go through the text step by step. Each of its outputs needs only the
    input, so all are computed at once.""",
    '== "recurrent"', '!= "self-attention"')

wrong("sequential_operations", "attention_in_steps", STEPS,
    """You let attention go through the text token by token. All tokens are known, so all queries
    are answered at once; one after another is the recurrent layer.""",
    "if layer ==", "if layer !=")

wrong("sequential_operations", "recurrent_at_once", STEPS,
    """Your recurrent layer takes one step in all: each state needs the one before it, so it takes
    one for each token. Or its name is not found: it is "recurrent", in small letters.""",
    'tokens if layer == "recurrent" else 1', "1")

wrong("sequential_operations", "attention_in_parts", STEPS,
    """Your self-attention takes three steps. However many parts it has, as scores, softmax and sum,
    their number does not grow with the tokens: table 1 counts them as one.""",
    "else 1", 'else 3 if layer == "self-attention" else 1')

wrong("sequential_operations", "attention_in_two_parts", STEPS,
    """Your self-attention takes two steps: what it does is counted as one step together, for the
    number of its parts does not grow with the tokens.""",
    "else 1", 'else 2 if layer == "self-attention" else 1')

wrong("sequential_operations", "attention_for_each_pair", STEPS,
    """You count pairs of tokens: they are many operations, but they do not wait for each other.""",
    "else 1", 'else tokens**2 if layer == "self-attention" else 1')

wrong("sequential_operations", "between_the_tokens", STEPS,
    "You count the ways between tokens: each token is a step of its own, the first one, too.",
    "return tokens if", "return tokens - 1 if")

wrong("longest_path", "path_as_a_float", PATH,
    """Your path is a float such as 2.0: steps are whole, so the answer is an int. numpy's ceil and
    torch.ceil leave a float, math.ceil makes an int.""",
    "math.ceil((tokens - 1) / reach)", "float(math.ceil((tokens - 1) / reach))")

wrong("longest_path", "rounded_down", PATH,
    """Your convolution needs a step too few where the last one is not needed in full: a step that
    is begun is a step all the same, so round up.""",
    "math.ceil((tokens - 1) / reach)", "max((tokens - 1) // reach, 1)")

wrong("longest_path", "rounded_down_to_nothing", PATH,
    """Your convolution needs a step too few where the last one is not needed in full, and none for
    a text within one kernel: a step that is begun is a step all the same, so round up.""",
    "math.ceil((tokens - 1) / reach)",
    '(tokens - 1) // reach if layer == "convolution" else math.ceil((tokens - 1) / reach)')

wrong("longest_path", "parts_of_a_step", PATH,
    "You return a part of a step: a step that is begun is a step, so round up with math.ceil.",
    "math.ceil((tokens - 1) / reach)", "(tokens - 1) / reach")

wrong("longest_path", "one_more_than_rounded_down", PATH,
    """Where the places can be divided evenly among the layers of a convolution you count one layer
    too many: of n tokens the first is n - 1 places from the last, and (n - 1) / (kernel_size - 1)
    is rounded up with math.ceil.""",
    "math.ceil((tokens - 1) / reach)", '(tokens - 1) // reach + (layer != "recurrent")')

wrong("longest_path", "tokens_instead_of_places", PATH,
    "You count the tokens: from the first to the last of n tokens it is n - 1 places.",
    "(tokens - 1) / reach", "tokens / reach")

wrong("longest_path", "kernels_laid_end_to_end", PATH,
    """You count how many kernels cover the text. In each step a convolution comes kernel_size - 1
    places further, and of n tokens the first is n - 1 places from the last.""",
    "math.ceil((tokens - 1) / reach)",
    'math.ceil(tokens / kernel_size if layer == "convolution" else (tokens - 1) / reach)')

wrong("longest_path", "a_kernel_further_each_step", PATH,
    """Your convolution arrives in too few steps: in each it comes kernel_size - 1 places further,
    for so far back stands the furthest token of its kernel. And of n tokens the first is n - 1
    places from the last.""",
    '"convolution": kernel_size - 1', '"convolution": kernel_size')

wrong("longest_path", "convolution_step_by_step", PATH,
    """Your convolution goes from token to token, as a recurrent layer does: one step brings
    information kernel_size - 1 places further.""",
    '"convolution": kernel_size - 1', '"convolution": 1')

wrong("longest_path", "convolution_in_one_step", PATH,
    """Your convolution arrives in one step: all its outputs are computed at once, but each of them
    sees kernel_size - 1 places back only. For more it takes further layers.""",
    '"convolution": kernel_size - 1', '"convolution": tokens')

wrong("longest_path", "a_convolution_doubles", PATH,
    """Your convolution takes far too few steps, as one that is dilated would, which reaches a
    multiple in each layer: those here look at neighbours, so each layer adds kernel_size - 1
    places.""",
    "return math",
    '''if layer == "convolution":
        return math.ceil(math.log(tokens) / math.log(max(kernel_size, 2)))
    return math''')

wrong("longest_path", "attention_step_by_step", PATH,
    """Your attention goes from token to token: every token looks at every other one directly, which
    is one step.""",
    '"self-attention": tokens', '"self-attention": 1')

wrong("longest_path", "attention_by_no_step", PATH,
    "Your path of self-attention is 0: looking something up is one step.",
    "return math", 'if layer == "self-attention":\n        return 0\n    return math')

wrong("longest_path", "recurrent_in_one_step", PATH,
    """Your recurrent layer needs one step only: what it knows of the first token goes through every
    state in between.""",
    '"recurrent": 1', '"recurrent": tokens')

wrong("operations_per_layer", "squares_exchanged", COST,
    """Your recurrent layer takes n^2 d: that is self-attention, where every token meets every
    token. In the other two each token meets a matrix, which is n d^2.""",
    "tokens**2 * width", "tokens * width**2", "return tokens * width**2 *",
    "return tokens**2 * width *")

wrong("operations_per_layer", "bits_instead_of_powers", COST,
    "You write ^, which compares bits in Python: a power is written **.",
    "tokens**2 * width", "tokens ^ 2 * width", "tokens * width**2", "tokens * width ^ 2")

wrong("operations_per_layer", "convolution_with_pairs", COST,
    """Your convolution takes k n^2 d: each token meets k tokens, not all n of them, and each of
    these by a matrix of d rows and d columns. So it is k n d^2.""",
    "return tokens * width**2", """if layer == "convolution":
        return kernel_size * tokens**2 * width
    return tokens * width**2""")

wrong("operations_per_layer", "projections_counted", COST,
    "You count the projections of self-attention as well: table 1 leaves them out.",
    "tokens**2 * width", "tokens**2 * width + 3 * tokens * width**2")

wrong("operations_per_layer", "all_four_projections_counted", COST,
    """To n^2 d you add 4 n d^2, the projections of queries, keys, values and of the result: table 1
    counts the lookup alone, n^2 d.""",
    "tokens**2 * width", "tokens**2 * width + 4 * tokens * width**2")

wrong("operations_per_layer", "kernel_for_the_recurrent_layer", COST,
    """Your recurrent layer has the factor k, and it has no kernel: it is n d^2. Only a convolution
    takes k times that.""",
    'kernel_size if layer == "convolution" else 1', "kernel_size")

wrong("operations_per_layer", "pairs_of_the_causal_half", COST,
    """In self-attention you count the pairs of a token with itself and with earlier tokens, n (n +
    1) / 2. The table has no causal mask and no factors such as 1/2: it is n^2 d.""",
    "tokens**2 * width", "tokens * (tokens + 1) // 2 * width")

wrong("operations_per_layer", "attention_halved", COST,
    """Your self-attention takes half of n^2 d: constant factors are left out, and a pair counts
    twice, once for each of its tokens.""",
    "tokens**2 * width", "tokens**2 * width // 2")

wrong("operations_per_layer", "scores_and_sum_counted", COST,
    """Your self-attention takes 2 n^2 d. Constant factors are left out, so scores and weighted sum
    together are n^2 d, and a product with its addition is one operation.""",
    "tokens**2 * width", "2 * tokens**2 * width")

wrong("operations_per_layer", "both_matrices_of_a_step", COST,
    """Your recurrent layer takes 2 n d^2. Constant factors are left out, so W_in and W_state
    together are n d^2, and a product with its addition is one operation.""",
    'if layer == "convolution" else 1', 'if layer == "convolution" else 2')

wrong("operations_per_layer", "attention_without_width", COST,
    "You count the pairs of tokens only: each pair is a dot product of d numbers.",
    "tokens**2 * width", "tokens**2")

wrong("operations_per_layer", "attention_with_both_squares", COST,
    """You square both n and d: in self-attention each pair of tokens is one dot product of d
    numbers, so it is n^2 d.""",
    "tokens**2 * width", "tokens**2 * width**2")

wrong("operations_per_layer", "attention_like_the_others", COST,
    """Your self-attention grows in proportion to the tokens: every token is compared with every
    other one, so it is n^2 d.""",
    "tokens**2 * width", "tokens * width**2")

wrong("operations_per_layer", "kernel_forgotten", COST,
    "Your convolution costs what a recurrent layer does: each token meets k matrices, not one.",
    'kernel_size if layer == "convolution" else 1', "1")

wrong("operations_per_layer", "kernel_squared", COST,
    "You count the kernel twice: each token meets kernel_size matrices, once each.",
    "(kernel_size if", "(kernel_size**2 if")

wrong("operations_per_layer", "convolution_without_a_square", COST,
    """Your convolution takes k n d: each token meets k matrices of d rows and d columns, which is
    k d^2 products for each.""",
    "return tokens * width**2", """if layer == "convolution":
        return kernel_size * tokens * width
    return tokens * width**2""")

wrong("operations_per_layer", "matrices_without_a_square", COST,
    "You count n d: a row of d numbers times a matrix of d rows and d columns takes d^2 products.",
    "return tokens * width**2", "return tokens * width")

# soft_lookup --------------------------------------------------------------------------------------

wrong("soft_lookup", "hard_lookup", LOOKUP,
    """You take the value of the best key alone. A soft lookup mixes all values by their weights;
    only so can its gradient say which key should have fitted better.""",
    "weights = torch.softmax(keys @ query, dim=0)",
    "weights = torch.zeros_like(keys @ query)\n    weights[(keys @ query).argmax()] = 1.0")

wrong("soft_lookup", "softmax_missing", LOOKUP,
    "Your weights are the scores: softmax is missing, so they do not sum to one.",
    SCORES, "keys @ query")

wrong("soft_lookup", "scores_by_their_sum", LOOKUP,
    "You divide the scores by their sum: scores may be negative, so softmax makes the weights.",
    SCORES, "keys @ query / (keys @ query).sum()")

wrong("soft_lookup", "keys_are_averaged", LOOKUP,
    "You average the keys: keys only decide the weights, what is averaged are the values.",
    ANSWER, "weights @ keys")

wrong("soft_lookup", "values_are_compared", LOOKUP,
    "You compare the query with the values: it is compared with the keys.",
    "keys @ query", "values @ query")

wrong("soft_lookup", "keys_and_values_exchanged", LOOKUP,
    """You have keys and values exchanged: the query is compared with the keys, and what is averaged
    are the values.""",
    "keys @ query", "values @ query", ANSWER, "weights @ keys")

wrong("soft_lookup", "softmax_of_the_values", LOOKUP,
    """You take the softmax of the values: it belongs around the scores and makes them weights. The
    values are mixed as they are.""",
    SCORES, "keys @ query", ANSWER, "weights @ torch.softmax(values, dim=0)")

wrong("soft_lookup", "softmax_of_both", LOOKUP,
    "You take a softmax of the values as well: only the scores need one.",
    ANSWER, "weights @ torch.softmax(values, dim=0)")

wrong("soft_lookup", "scores_not_summed", LOOKUP,
    """Each of your keys has several scores: keys * query is a table of products, and a score is the
    sum of one row of it. keys @ query multiplies and sums.""",
    "keys @ query", "keys * query")

wrong("soft_lookup", "query_on_the_left", LOOKUP,
    """Your product lets the query meet columns: each row is a key, so keys stand on the left and
    the query on the right.""",
    "keys @ query", "query @ keys")

wrong("soft_lookup", "mean_of_the_weighted", LOOKUP,
    "You divide by the number of values: the weights sum to one already, so the parts are added.",
    ANSWER, f"{ANSWER} / len(values)")

wrong("soft_lookup", "weighted_but_not_added", LOOKUP,
    "You weight the values but do not add them up: the answer is one row of c numbers.",
    ANSWER, "weights[:, None] * values")

wrong("soft_lookup", "columns_are_added", LOOKUP,
    """You add up the numbers of each value, so the answer has one number for each key: weight the
    values and add up the rows, over the keys, axis 0. One row of c numbers is left.""",
    ANSWER, "(weights[:, None] * values).sum(1)")

wrong("soft_lookup", "weights_laid_along_the_columns", LOOKUP,
    """weights * values lays the weights along the columns of values, and each weight belongs to a
    row. A vector times a matrix, with @, gives each row its weight and adds all rows up.""",
    ANSWER, "weights * values")

wrong("soft_lookup", "scores_are_scaled", LOOKUP,
    "Your scores are divided by sqrt(d): this lookup takes them as they are.",
    "keys @ query", "keys @ query / math.sqrt(len(query))")

wrong("soft_lookup", "distances", LOOKUP,
    """Your scores are distances between keys and query: the key that fits worst would get most.
    Take dot products.""",
    "keys @ query", "(keys - query).norm(dim=-1)")

wrong("soft_lookup", "negative_squared_distances", LOOKUP,
    """Your scores are squared distances between keys and query, with a minus. Here a score is the
    dot product of a key and the query.""",
    "keys @ query", "-(keys - query).square().sum(-1)")

wrong("soft_lookup", "softmax_of_the_keys", LOOKUP,
    """You take the softmax of the keys, before the query has met them: first the scores,
    keys @ query, then their softmax.""",
    SCORES, "torch.softmax(keys, dim=0) @ query")

wrong("soft_lookup", "cosines", LOOKUP,
    "Your scores are cosines: the lengths of keys and query count, so do not divide by them.",
    "keys @ query", "keys @ query / (keys.norm(dim=-1) * query.norm())")

wrong("soft_lookup", "a_plain_mean", LOOKUP,
    """Your answer is the plain mean of the values: the weights are the softmax of the scores, taken
    over the keys.""",
    SCORES, "torch.softmax((keys @ query)[:, None], dim=-1)[:, 0] / len(keys)")

wrong("soft_lookup", "a_plain_sum", LOOKUP,
    """Your answer is the plain sum of the values, as if all weights were 1. A softmax over an axis
    of size one makes such weights: take it over the keys.""",
    SCORES, "torch.softmax((keys @ query)[:, None], dim=-1)[:, 0]")

wrong("soft_lookup", "naive_exponentials", "lookup_with_large_scores",
    """Your exponentials overflow, which exp does from 89 on in float32: take the largest score off
    all of them first, as torch.softmax does.""",
    SCORES, "torch.exp(keys @ query) / torch.exp(keys @ query).sum()")

wrong("soft_lookup", "scores_limited", "lookup_with_large_scores",
    "You limit the scores so that exp cannot overflow, which changes the weights.",
    "keys @ query", "(keys @ query).clamp(-80, 80)")

wrong("soft_lookup", "weights_detached", LOOKUP,
    """Your query, or all of your weights, have left the graph: without that gradient nobody can
    learn what to look for. Detach nothing.""",
    SCORES, f"{SCORES}.detach()")
