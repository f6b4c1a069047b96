"""Wrong answers to ``questions``, and what their authors are told.

First the slips in numeric questions, then one misconception for every statement of every choice
question: it takes just this statement the wrong way round. ``truth.py`` says which way is right.
"""

from __future__ import annotations

import math
from pathlib import Path

from grader.check import load_by_path
from grader.programs.bank import misconception

TRUTH = vars(load_by_path(Path(__file__).with_name("truth.py")))

# Numeric questions --------------------------------------------------------------------------------


@misconception(
    of="score_standard_deviation",
    sentence="You return the variance. The standard deviation is its root, and that is what the "
    "division by sqrt(d_k) is made for.",
    caught_by=("test_examples_of_scores", "test_score_standard_deviation"),
)
def variance_instead_of_deviation(d_k, sigma, scaled):
    return sigma**4 if scaled else d_k * sigma**4


@misconception(
    of="score_standard_deviation",
    sentence="You let standard deviations add up. For independent summands it is the variances "
    "that add, so the deviation of d_k products grows with sqrt(d_k) only.",
    caught_by=("test_examples_of_scores", "test_score_standard_deviation"),
)
def deviations_add(d_k, sigma, scaled):
    return sigma**2 * d_k / (math.sqrt(d_k) if scaled else 1)


@misconception(
    of="score_standard_deviation",
    sentence="You count sigma once. Both q and k bring a factor: a product of two independent "
    "numbers of mean 0 has the standard deviation sigma * sigma.",
    caught_by=("test_score_standard_deviation",),
)
def sigma_counted_once(d_k, sigma, scaled):
    return sigma if scaled else sigma * math.sqrt(d_k)


@misconception(
    of="score_standard_deviation",
    sentence="You divide by d_k. Attention divides by its root, just enough to undo the growth of "
    "the standard deviation; d_k would make wide heads nearly indifferent.",
    caught_by=("test_examples_of_scores", "test_score_standard_deviation"),
)
def divided_by_d_k(d_k, sigma, scaled):
    return sigma**2 * math.sqrt(d_k) / (d_k if scaled else 1)


@misconception(
    of="score_standard_deviation",
    sentence="Your scaled scores always have the standard deviation 1. That holds for sigma = 1 "
    "only: the division takes out d_k, not the size of q and k.",
    caught_by=("test_score_standard_deviation",),
)
def scaled_is_always_one(d_k, sigma, scaled):
    return 1.0 if scaled else sigma**2 * math.sqrt(d_k)


@misconception(
    of="score_standard_deviation",
    sentence="You give the same answer with and without the scaling: look at `scaled`.",
    caught_by=("test_examples_of_scores", "test_score_standard_deviation"),
)
def scaling_ignored(d_k, sigma, scaled):
    return sigma**2 * math.sqrt(d_k)


@misconception(
    of="largest_weight",
    sentence="You count the outstanding score among the others as well: next to it there are "
    "tokens - 1 of them, not tokens.",
    caught_by=("test_examples_of_scores", "test_largest_weight"),
)
def one_token_too_many(tokens, gap):
    return math.exp(gap) / (math.exp(gap) + tokens)


@misconception(
    of="largest_weight",
    sentence="You take the gap itself as a share. Scores are not weights: softmax takes their "
    "exponentials first.",
    caught_by=("test_examples_of_scores", "test_largest_weight"),
)
def gap_as_a_share(tokens, gap):
    return gap / (gap + tokens - 1)


@misconception(
    of="largest_weight",
    sentence="Your weight does not depend on the number of tokens: each of them takes its share, "
    "so the same gap is worth less in a longer context.",
    caught_by=("test_examples_of_scores", "test_largest_weight"),
)
def length_does_not_matter(tokens, gap):
    return 1 / (1 + math.exp(-gap))


@misconception(
    of="largest_weight",
    sentence="You use powers of 2: softmax uses the base e.",
    caught_by=("test_examples_of_scores", "test_largest_weight"),
)
def weight_from_powers_of_two(tokens, gap):
    return 2**gap / (2**gap + tokens - 1)


@misconception(
    of="largest_weight",
    sentence="You return how many times more the outstanding token gets than each other one. Its "
    "weight is its share of the sum over all tokens.",
    caught_by=("test_examples_of_scores", "test_largest_weight"),
)
def ratio_instead_of_share(tokens, gap):
    return math.exp(gap)


@misconception(
    of="largest_weight",
    sentence="You round the weight to two decimals. In a long context weights are small, and "
    "rounding leaves nothing of them: return them as they are.",
    caught_by=("test_largest_weight",),
)
def weight_rounded(tokens, gap):
    return round(math.exp(gap) / (math.exp(gap) + tokens - 1), 2)


@misconception(
    of="gap_for_weight",
    sentence="You cut negative gaps off at 0. A token with less than its equal share, 1 / tokens, "
    "has a score below the others.",
    caught_by=("test_gap_for_weight",),
)
def no_negative_gap(tokens, weight):
    return max(0.0, math.log(weight * (tokens - 1) / (1 - weight)))


@misconception(
    of="gap_for_weight",
    sentence="You compare with `tokens` others; beside the outstanding one there are tokens - 1.",
    caught_by=("test_examples_of_scores", "test_gap_for_weight"),
)
def gap_over_all_tokens(tokens, weight):
    return math.log(weight * tokens / (1 - weight))


@misconception(
    of="gap_for_weight",
    sentence="Your gap is the one for a weight of one half, whichever is asked for: the odds "
    "weight / (1 - weight) are missing inside the logarithm.",
    caught_by=("test_examples_of_scores", "test_gap_for_weight"),
)
def always_half(tokens, weight):
    return math.log(tokens - 1)


@misconception(
    of="gap_for_weight",
    sentence="You leave out how many others there are. To keep its weight, a score must stand "
    "log(tokens - 1) higher: that is what a long context costs.",
    caught_by=("test_examples_of_scores", "test_gap_for_weight"),
)
def gap_without_length(tokens, weight):
    return math.log(weight / (1 - weight))


@misconception(
    of="gap_for_weight",
    sentence="You return the exponential of the gap. Scores live in the exponent: take the "
    "logarithm.",
    caught_by=("test_examples_of_scores", "test_gap_for_weight"),
)
def gap_without_logarithm(tokens, weight):
    return weight * (tokens - 1) / (1 - weight)


@misconception(
    of="gap_for_weight",
    sentence="Your odds are upside down: a larger weight needs a larger gap.",
    caught_by=("test_examples_of_scores", "test_gap_for_weight"),
)
def odds_upside_down(tokens, weight):
    return math.log((1 - weight) * (tokens - 1) / weight)


@misconception(
    of="gap_for_weight",
    sentence="You use the logarithm to base 2: softmax has e for its base, so log is the natural "
    "one.",
    caught_by=("test_examples_of_scores", "test_gap_for_weight"),
)
def gap_in_powers_of_two(tokens, weight):
    return math.log2(weight * (tokens - 1) / (1 - weight))


def _entropy(*weights, log=math.log):
    return -sum(w * log(w) for w in weights if w > 0)


@misconception(
    of="entropy_of_weights",
    sentence="You measure in bits, with the logarithm to base 2. The question asks for nats: the "
    "natural logarithm.",
    caught_by=("test_examples_of_scores", "test_entropy_of_weights"),
)
def entropy_in_bits(tokens, largest):
    rest = (1 - largest) / (tokens - 1)
    return _entropy(largest, log=math.log2) + (tokens - 1) * _entropy(rest, log=math.log2)


@misconception(
    of="entropy_of_weights",
    sentence="Your entropy is the sum of w log w, which is negative: the minus sign is missing.",
    caught_by=("test_examples_of_scores", "test_entropy_of_weights"),
)
def sign_of_entropy(tokens, largest):
    return -_entropy(largest) - (tokens - 1) * _entropy((1 - largest) / (tokens - 1))


@misconception(
    of="entropy_of_weights",
    sentence="You treat all the other tokens as one. The rest is shared by tokens - 1 of them, "
    "and how many they are is what makes a long context uncertain.",
    caught_by=("test_examples_of_scores", "test_entropy_of_weights"),
)
def rest_in_one_piece(tokens, largest):
    return _entropy(largest, 1 - largest)


@misconception(
    of="entropy_of_weights",
    sentence="You count one of the other tokens only: there are tokens - 1 equal terms.",
    caught_by=("test_examples_of_scores", "test_entropy_of_weights"),
)
def one_other_token(tokens, largest):
    return _entropy(largest, (1 - largest) / (tokens - 1))


@misconception(
    of="entropy_of_weights",
    sentence="You return log(tokens), the entropy of equal weights. It is the upper limit; the "
    "more one token stands out, the less it is.",
    caught_by=("test_examples_of_scores", "test_entropy_of_weights"),
)
def always_equal_weights(tokens, largest):
    return math.log(tokens)


@misconception(
    of="entropy_of_weights",
    sentence="A weight of 0 stops your function: log(0) is not defined, but 0 log 0 counts as 0, "
    "for that is its limit.",
    caught_by=("test_entropy_of_weights",),
)
def logarithm_of_zero(tokens, largest):
    rest = (1 - largest) / (tokens - 1)
    return -largest * math.log(largest) - (tokens - 1) * rest * math.log(rest)


@misconception(
    of="sequential_steps",
    sentence="Your Transformer generates all target tokens in one pass. Only in training are they "
    "known beforehand; in generation each must be chosen before the next can be computed.",
    caught_by=("test_sequential_steps",),
)
def decoder_generates_in_parallel(model, phase, source, target):
    return 2 if model == "transformer" else source + target


@misconception(
    of="sequential_steps",
    sentence="Your Transformer is trained token by token. The right target tokens are fed in all "
    "at once (teacher forcing) and the mask hides the later ones: one pass.",
    caught_by=("test_sequential_steps",),
)
def training_token_by_token(model, phase, source, target):
    return 1 + target if model == "transformer" else source + target


@misconception(
    of="sequential_steps",
    sentence="Your encoder reads token by token. The whole source is known in both phases, so a "
    "Transformer's encoder takes it in one pass.",
    caught_by=("test_sequential_steps",),
)
def encoder_token_by_token(model, phase, source, target):
    one_pass = model == "transformer" and phase == "training"
    return 2 if one_pass else source + target


@misconception(
    of="sequential_steps",
    sentence="You run the encoder again for every target token. The source does not change: its "
    "memory is computed once and kept.",
    caught_by=("test_sequential_steps",),
)
def encoder_for_every_token(model, phase, source, target):
    if model == "recurrent":
        return source + target
    return 2 if phase == "training" else 2 * target


@misconception(
    of="sequential_steps",
    sentence="You train an RNN in parallel. Knowing the right tokens does not help it: each of "
    "its states needs the one before.",
    caught_by=("test_sequential_steps",),
)
def recurrent_training_in_parallel(model, phase, source, target):
    if phase == "training":
        return 2
    return source + target if model == "recurrent" else 1 + target


@misconception(
    of="sequential_steps",
    sentence="You leave out the encoder's pass: the decoder cannot begin without its memory.",
    caught_by=("test_sequential_steps",),
)
def encoder_left_out(model, phase, source, target):
    if model == "recurrent":
        return source + target
    return 1 if phase == "training" else target


@misconception(
    of="path_length",
    sentence="You let each convolution reach `kernel` positions further. It covers that many, but "
    "one of them is its own: it gets kernel - 1 further.",
    caught_by=("test_examples_of_counting", "test_path_length"),
)
def kernel_reaches_too_far(layer, distance, kernel):
    reach = {"recurrent": 1, "convolution": kernel, "self-attention": distance}[layer]
    return math.ceil(distance / reach)


@misconception(
    of="path_length",
    sentence="You round the number of convolutions down: then the last stretch is missing.",
    caught_by=("test_examples_of_counting", "test_path_length"),
)
def last_hop_missing(layer, distance, kernel):
    reach = {"recurrent": 1, "convolution": kernel - 1, "self-attention": distance}[layer]
    return distance // reach


@misconception(
    of="path_length",
    sentence="You add one hop even where a whole number of convolutions reaches exactly.",
    caught_by=("test_path_length",),
)
def one_hop_too_many(layer, distance, kernel):
    if layer == "convolution":
        return distance // (kernel - 1) + 1
    return distance if layer == "recurrent" else 1


@misconception(
    of="path_length",
    sentence="Your path through self-attention grows with the distance. Every token meets every "
    "other one directly: it is 1, and that is attention's answer to long-range dependence.",
    caught_by=("test_path_length",),
)
def attention_walks(layer, distance, kernel):
    reach = {"recurrent": 1, "convolution": kernel - 1, "self-attention": 1}[layer]
    return math.ceil(distance / reach)


@misconception(
    of="path_length",
    sentence="Your recurrent layer is one hop off: from position i to i + distance the state is "
    "handed on `distance` times.",
    caught_by=("test_path_length",),
)
def recurrent_off_by_one(layer, distance, kernel):
    reach = {"recurrent": 1, "convolution": kernel - 1, "self-attention": distance}[layer]
    return math.ceil(distance / reach) - (layer == "recurrent")


@misconception(
    of="path_length",
    sentence="Your RNN connects distant tokens in one hop, as if its state held them all. What "
    "the state knows of a token has passed through every step since.",
    caught_by=("test_path_length",),
)
def recurrent_in_one_hop(layer, distance, kernel):
    return math.ceil(distance / (kernel - 1)) if layer == "convolution" else 1


@misconception(
    of="operations_per_layer",
    sentence="You exchange self-attention and recurrence. Attention compares all pairs of tokens, "
    "n^2 d; recurrence multiplies every token by a d x d matrix, n d^2.",
    caught_by=("test_operations_per_layer",),
)
def attention_and_recurrence_exchanged(layer, tokens, width, kernel):
    if layer == "recurrent":
        return tokens**2 * width
    return tokens * width**2 * (kernel if layer == "convolution" else 1)


@misconception(
    of="operations_per_layer",
    sentence="Your self-attention is linear in the number of tokens, n d: but each of the n "
    "queries meets each of the n keys, and each meeting takes d multiplications.",
    caught_by=("test_operations_per_layer",),
)
def linear_attention(layer, tokens, width, kernel):
    if layer == "self-attention":
        return tokens * width
    return tokens * width**2 * (kernel if layer == "convolution" else 1)


@misconception(
    of="operations_per_layer",
    sentence="You leave the width out of self-attention: n^2 is the number of scores, and each is "
    "a dot product of d numbers.",
    caught_by=("test_operations_per_layer",),
)
def scores_without_width(layer, tokens, width, kernel):
    if layer == "self-attention":
        return tokens**2
    return tokens * width**2 * (kernel if layer == "convolution" else 1)


@misconception(
    of="operations_per_layer",
    sentence="Your convolution costs as much as a recurrent layer: it multiplies each of its "
    "`kernel` neighbours by a matrix of its own, k n d^2.",
    caught_by=("test_examples_of_counting", "test_operations_per_layer"),
)
def kernel_left_out(layer, tokens, width, kernel):
    return tokens**2 * width if layer == "self-attention" else tokens * width**2


@misconception(
    of="operations_per_layer",
    sentence="Your recurrent layer takes n d operations. From one state to the next it multiplies "
    "by a whole d x d matrix: n d^2.",
    caught_by=("test_operations_per_layer",),
)
def recurrence_without_matrix(layer, tokens, width, kernel):
    if layer == "self-attention":
        return tokens**2 * width
    return kernel * tokens * width**2 if layer == "convolution" else tokens * width


# The form of an answer ----------------------------------------------------------------------------


def _true_letters(question, *case):
    return [letter for letter, holds in TRUTH[question](*case).items() if holds]


@misconception(
    of="scaling_statements",
    sentence="You return a list. One string is asked for: `letters` makes it, or ''.join(...).",
    caught_by=("test_scaling_statements",),
)
def list_of_letters(d_k):
    return _true_letters("scaling_statements", d_k)


@misconception(
    of="cost_statements",
    sentence="You put something between the letters, as in 'A, C'. Join them with nothing: 'AC'.",
    caught_by=("test_cost_statements",),
)
def letters_with_commas(tokens, width):
    return ", ".join(_true_letters("cost_statements", tokens, width))


@misconception(
    of="order_statements",
    sentence="You name a letter twice, perhaps because two cases both add it. Add it once.",
    caught_by=("test_order_statements",),
)
def letters_twice(positions, causal):
    return "".join(2 * letter for letter in _true_letters("order_statements", positions, causal))


@misconception(
    of="heads_statements",
    sentence="You return a set, which has no order and is not text. ''.join(...) makes a string.",
    caught_by=("test_heads_statements",),
)
def set_of_letters(d_model, num_heads):
    return set(_true_letters("heads_statements", d_model, num_heads))


@misconception(
    of="order_statements",
    sentence='You return a word where no statement holds. No letters at all is "", the empty '
    "string.",
    caught_by=("test_order_statements",),
)
def none_in_words(positions, causal):
    return "".join(_true_letters("order_statements", positions, causal)) or "none"


@misconception(
    of="mask_statements",
    sentence="Your function returns nothing: `return` is missing before the string.",
    caught_by=("test_mask_statements",),
)
def return_forgotten(tokens, position):
    "".join(_true_letters("mask_statements", tokens, position))


@misconception(
    of="similarity_statements",
    sentence="You return one truth value for each statement. The letters of the true ones are "
    "asked for, as one string.",
    caught_by=("test_similarity_statements",),
)
def truth_values(x_length, y_length, cosine):
    return tuple(TRUTH["similarity_statements"](x_length, y_length, cosine).values())


# Choice questions: every statement the wrong way round --------------------------------------------

STATEMENTS = {
    "scaling_statements": {
        "A": (
            "variance_of_a_score_is_one",
            "A is true. Each product q_i * k_i has the variance 1 * 1, the d_k products are "
            "independent, and variances of independent numbers add: q . k has the variance d_k.",
        ),
        "B": (
            "product_of_normals_is_normal",
            "B is a popular mistake. A product of two independent normal numbers is not normal: "
            "its kurtosis is 9 instead of 3. The argument for sqrt(d_k) needs its variance only.",
        ),
        "C": (
            "divide_by_d_k",
            "C: the score's standard deviation is sqrt(d_k). Divided by d_k, 1 / sqrt(d_k) is "
            "left, less than 0.1 as soon as d_k is more than 100: the softmax is nearly flat then.",
        ),
        "D": (
            "difference_of_two_scores",
            "D: q . k_1 - q . k_2 = q . (k_1 - k_2), where k_1 - k_2 has the variance 2 in every "
            "place. So the difference has the standard deviation sqrt(2 d_k), more than 20 for "
            "d_k above 200.",
        ),
        "E": (
            "decided_softmax_learns_most",
            "E is false. The gradient that reaches the score carries the factor w * (1 - w): 0.24 "
            "at w = 0.6, but 0.0099 at w = 0.99. Large scores make softmax stop learning, which "
            "is why they are scaled.",
        ),
    },
    "similarity_statements": {
        "A": (
            "scores_are_not_symmetric",
            "A is true here. Queries and keys are the same vectors and x . y = y . x, so the "
            "scores form a symmetric matrix; only separate projections break that.",
        ),
        "B": (
            "each_token_gives_itself_the_highest_score",
            "B: it is widely believed that each token gives itself the highest score. x . x = "
            "|x|^2 beats x . y = |x| |y| cos only if |x| > |y| cos: a long neighbour in nearly "
            "the same direction gets more.",
        ),
        "C": (
            "scores_are_the_weights",
            "C is false. Scores are any numbers, also negative ones, and sum to anything; the "
            "softmax makes weights of them, which are positive and sum to one.",
        ),
        "D": (
            "weights_are_symmetric",
            "D is false. Symmetric scores do not give symmetric weights: every row is divided by "
            "its own sum, and |x|^2 and |y|^2 in these sums differ.",
        ),
        "E": (
            "y_prefers_itself",
            "E: y . y = |y|^2 against y . x = |y| |x| cos. Divide by |y|: y prefers itself if "
            "|y| > |x| cos. That both tokens prefer themselves is common, but not certain.",
        ),
    },
    "long_context_statements": {
        "A": (
            "weights_sum_to_more_than_one",
            "A is false. A softmax divides by the sum of all exponentials, so the weights sum to "
            "one in a context of any length. What happens is that each becomes smaller.",
        ),
        "B": (
            "majority_of_attention",
            "B: the weight is e^gap / (e^gap + tokens - 1). It is more than one half if e^gap is "
            "more than tokens - 1, that is, if the gap is more than log(tokens - 1).",
        ),
        "C": (
            "ten_times_as_many_tokens",
            "C: compare e / (e + n - 1) with e / (e + 10 n - 1), where e = e^gap. The second is "
            "less than half of the first if e < 8 n + 1: a score that towers over all others "
            "hardly notices a longer context, any other is diluted.",
        ),
        "D": (
            "entropy_grows_with_length",
            "D is false. n equal weights have the entropy log n, so twice as many tokens add "
            "log 2 and do not double it (but for n = 2).",
        ),
        "E": (
            "scale_does_not_matter",
            "E is true. Softmax ignores a constant added to all scores, but not a factor: doubled "
            "scores have the doubled gap, and the largest weight grows.",
        ),
    },
    "parallel_statements": {
        "A": (
            "decoder_generates_all_tokens_at_once",
            "A: one pass suffices where all tokens are known: in the encoder always, in the "
            "decoder during training. A generating decoder needs a pass for every token, as the "
            "next one depends on the token just chosen.",
        ),
        "B": (
            "layers_run_in_parallel",
            "B is false. Each layer reads the output of the one below. What a Transformer does in "
            "parallel is the positions within a layer.",
        ),
        "C": (
            "what_the_mask_hides",
            "C: only the decoder in training is fed the right target tokens all at once, and there "
            "the causal mask hides those that follow. The encoder may see everything, and in "
            "generation nothing follows yet.",
        ),
        "D": (
            "who_chose_the_input",
            "D: only the decoder in generation reads its own choices. In training it reads the "
            "right tokens even after a mistake (teacher forcing), and the encoder reads the "
            "source.",
        ),
        "E": (
            "who_reads_whom",
            "E: the decoder has the cross-attention, in both phases: queries of its own, keys and "
            "values from the encoder. The encoder reads nothing from the decoder.",
        ),
    },
    "distance_statements": {
        "A": (
            "attention_needs_many_layers",
            "A is true. Every query meets every key, so one layer connects any two tokens, near or "
            "far. That is attention's answer to long-range dependence.",
        ),
        "B": (
            "gradients_do_not_fade",
            "B: 0.9^n is what is left after n steps, and 0.9^44 is the first power below 0.01. "
            "Fading grows exponentially with the distance.",
        ),
        "C": (
            "reach_of_stacked_convolutions",
            "C: each causal convolution reaches kernel - 1 positions further, so four of them "
            "reach 4 * (kernel - 1). The distance may be that, and no more.",
        ),
        "D": (
            "lstm_jumps",
            "D is false. The gates of an LSTM keep information and gradients from fading, but the "
            "state is still handed on step by step, once for every token in between.",
        ),
        "E": (
            "scores_fall_with_distance",
            "E is false. Without positions, a key is made from its word alone: equal words have "
            "equal keys and get equal scores, wherever they stand.",
        ),
    },
    "cost_statements": {
        "A": (
            "attention_is_always_dearer",
            "A: n^2 d against n d^2. Self-attention takes fewer operations as long as the sentence "
            "is shorter than the width, n < d, as it was for most sentences in 2017.",
        ),
        "B": (
            "twice_the_tokens_twice_the_cost",
            "B is true. n^2 d with 2 n in place of n is 4 n^2 d: this is the main drawback of "
            "attention for long texts.",
        ),
        "C": (
            "the_mask_makes_it_quadratic",
            "C is false. All queries meet all keys with or without a mask, which is n^2 scores. "
            "The mask discards nearly half of them; it could only make attention cheaper.",
        ),
        "D": (
            "memory_of_the_scores",
            "D: n^2 scores of 4 bytes each are more than 2^20 bytes if n^2 > 2^18, that is, for "
            "more than 512 tokens, whatever the width.",
        ),
        "E": (
            "projections_are_free",
            "E: 4 n d^2 > 2 n^2 d comes down to n < 2 d. For sentences shorter than twice the "
            "width, the projections are the larger part of an attention layer.",
        ),
    },
    "heads_statements": {
        "A": (
            "parameters_depend_on_the_heads",
            "A is true. All heads together make d_model columns of W^Q, of W^K and of W^V, and W^O "
            "is d_model x d_model as well: 4 d_model^2, for any number of heads.",
        ),
        "B": (
            "more_heads_more_parameters",
            "B is a popular mistake. Twice as many heads are each half as wide: the same columns, "
            "cut up more finely. The number of parameters stays.",
        ),
        "C": (
            "scaled_by_the_model_width",
            "C: scores are divided by the root of a head's width, d_k = d_model / num_heads, not "
            "of d_model. That is 8 if d_k = 64.",
        ),
        "D": (
            "weights_are_parameters",
            "D: attention weights are not parameters. There are num_heads * 100 * 100 of them, "
            "more with every head and every token, against d_model^2 numbers in W^Q.",
        ),
        "E": (
            "a_head_sees_a_slice",
            "E is true. It is the projected queries, keys and values that are cut into heads, not "
            "the embeddings: every column of W^Q reads all d_model numbers.",
        ),
    },
    "block_statements": {
        "A": (
            "attention_holds_most_parameters",
            "A: 2 * d_model * d_ff against 4 * d_model^2. The feed-forward network is the larger "
            "one if d_ff > 2 * d_model; with the usual d_ff = 4 * d_model it is twice as large.",
        ),
        "B": (
            "layer_norm_needs_a_bias",
            "B is false. Without the bias a layer norm still normalises and scales; PyTorch has "
            "torch.nn.LayerNorm(d, bias=False), and many models use it.",
        ),
        "C": (
            "feed_forward_mixes_tokens",
            "C is false. The feed-forward network is applied to each position separately, with "
            "the same weights. Only attention moves information between tokens.",
        ),
        "D": (
            "both_grow_alike",
            "D is true. d_model is one side of the feed-forward matrices, so they double; it is "
            "both sides of the attention matrices, so those grow fourfold.",
        ),
        "E": (
            "layer_norms_are_large",
            "E: two layer norms have 2 * 2 * d_model numbers, attention 4 * d_model^2: the share "
            "is 1 / d_model, less than 1 % for d_model above 100.",
        ),
    },
    "order_statements": {
        "A": (
            "shuffled_words_shuffled_outputs",
            "A: without positions and mask, attention treats its tokens as a set, and outputs move "
            "with their words. Positions, or a mask, tie an output to its place.",
        ),
        "B": (
            "rows_stand_in_order",
            "B is false. Shuffle the rows of x, and every score, weight and output moves along "
            "unchanged: which row a token stands in enters no formula. That is why positions "
            "must be added.",
        ),
        "C": (
            "last_word_sees_a_set",
            "C: the last word may attend to all others, with and without the mask. Its weighted "
            "sum does not know in which order it is taken; only positional encodings tell.",
        ),
        "D": (
            "first_word_sees_the_future",
            "D: with the causal mask the first word attends to itself alone, so nothing after it "
            "matters. Without the mask it mixes in all of them, positions or not.",
        ),
        "E": (
            "equal_words_equal_keys",
            "E: a key is a projection of a token's row. Equal words have equal rows until "
            "positions are added; the mask does not touch the keys.",
        ),
    },
    "mask_statements": {
        "A": (
            "forbidden_half",
            "A: position p (from 0) may attend to p + 1 keys, itself included, so tokens - 1 - p "
            "are forbidden. Compare that with half of the tokens.",
        ),
        "B": (
            "equal_share_of_the_allowed",
            "B: only the p + 1 allowed keys share the attention, each 1 / (p + 1), whatever the "
            "length of the sentence. That is more than 0.1 for p below 9.",
        ),
        "C": (
            "mask_after_the_softmax",
            "C is false. Forbidden keys have then taken their part of the sum already, and what is "
            "left of a row sums to less than one. -inf before the softmax shares out everything.",
        ),
        "D": (
            "training_needs_no_mask",
            "D is true. In training the whole right sentence is the input, and the answer at a "
            "position is the next token of it. Without the mask the model need only copy.",
        ),
        "E": (
            "newest_token_needs_a_mask",
            "E is true. The causal mask forbids what comes later, and nothing comes after the "
            "newest token: its row is all allowed.",
        ),
    },
    "window_statements": {
        "A": (
            "one_projection_for_queries_and_keys",
            "A is false, which is why queries and keys need weights of their own. With equal ones "
            "the score counts how many places two windows share, and a window shares most with "
            "itself: the token would prefer itself to those before it.",
        ),
        "B": (
            "window_at_the_beginning",
            "B: near the beginning there are fewer than `window` tokens to look back to. Position "
            "p sees min(window, p + 1) of them.",
        ),
        "C": (
            "leak_out_of_the_window",
            "C: m keys have the score `score` and 8 - m the score 0, so (8 - m) / (m e^score + 8 - "
            "m) leaks out. Softmax forbids nothing by itself; the score must be large enough.",
        ),
        "D": (
            "by_hand_a_mask_is_needed",
            "D is false. Here the query asks for places at or before its own, so later keys have "
            "the score 0 and lose anyway. This head needs no mask.",
        ),
        "E": (
            "larger_scores_break_the_tie",
            "E is true. Scores in the window are equal, and equal they stay when doubled. The "
            "factor only widens the gap to the keys outside.",
        ),
    },
    "residual_statements": {
        "A": (
            "residual_always_harms",
            'A is true. After "ba" the last token is a and so is the next: residual and branch '
            "both vote for a, 1 + scale against 0.",
        ),
        "B": (
            "residual_dominates",
            'B: after "aa" the residual votes 1 for a and the branch `scale` for b. The residual '
            "dominates until the scale is more than 1.",
        ),
        "C": (
            "scale_must_be_huge",
            "C is false. The logits compare 1 with `scale`, so every scale above 1 gets all three "
            "right, 2 for example. 1024 only makes the softmax certain.",
        ),
        "D": (
            "branch_needs_the_residual",
            "D is true. The branch alone holds `scale` > 0 for the right token and 0 for the "
            "other: any positive scale would do.",
        ),
        "E": (
            "right_is_not_certain",
            'E: after "ab" the logits are `scale` and 1, and the softmax gives the right token '
            "1 / (1 + e^(1 - scale)). More than 99 % takes a scale above 1 + log 99 = 5.6.",
        ),
    },
}


def _wrong_way_round(question, letter):
    truth = TRUTH[question]

    def program(*args, **kwargs):
        right = truth(*args, **kwargs).items()
        return "".join(name for name, holds in right if holds is not (name == letter))

    return program


for _question, _table in STATEMENTS.items():
    for _letter, (_name, _sentence) in _table.items():
        _program = _wrong_way_round(_question, _letter)
        _program.__name__ = _name
        _marked = misconception(of=_question, sentence=_sentence, caught_by=(f"test_{_question}",))
        globals()[_name] = _marked(_program)
del _program
