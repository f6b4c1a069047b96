"""Wrong answers to ``questions``: its page with a slip, and what the author is told.

First the slips in numeric questions, then one misconception for every statement of every choice
question: it takes just this statement the wrong way round.
"""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

# Numeric questions --------------------------------------------------------------------------------

DEVIATION = "examples_of_scores score_standard_deviation"
WEIGHT = "examples_of_scores largest_weight"
GAP = "examples_of_scores gap_for_weight"
ENTROPY = "examples_of_scores entropy_of_weights"

wrong("score_standard_deviation", "variance_instead_of_deviation", DEVIATION,
    """You return the variance. The standard deviation is its root, and that is what the division by
    sqrt(d_k) is made for.""",
    "math.sqrt", "")

wrong("score_standard_deviation", "deviations_add", DEVIATION,
    """You let standard deviations add up. For independent summands it is the variances that add, so
    the deviation of d_k products grows with sqrt(d_k) only.""",
    "d_k * sigma**4", "(d_k * sigma**2) ** 2")

wrong("score_standard_deviation", "sigma_counted_once", "score_standard_deviation",
    """You count sigma once. Both q and k bring a factor: a product of two independent numbers of
    mean 0 has the standard deviation sigma * sigma.""",
    "sigma**4", "sigma**2")

wrong("score_standard_deviation", "divided_by_d_k", DEVIATION,
    """You divide by d_k. Attention divides by its root, just enough to undo the growth of the
    standard deviation; d_k would make wide heads nearly indifferent.""",
    "variance / d_k", "variance / d_k**2")

wrong("score_standard_deviation", "scaled_is_always_one", "score_standard_deviation",
    """Your scaled scores always have the standard deviation 1. That holds for sigma = 1 only: the
    division takes out d_k, not the size of q and k.""",
    "variance / d_k", "1")

wrong("score_standard_deviation", "scaling_ignored", DEVIATION,
    "You give the same answer with and without the scaling: look at `scaled`.",
    "variance / d_k if scaled else variance", "variance")

wrong("largest_weight", "one_token_too_many", WEIGHT,
    """You count the outstanding score among the others as well: next to it there are tokens - 1 of
    them, not tokens.""",
    "+ tokens - 1", "+ tokens")

wrong("largest_weight", "gap_as_a_share", WEIGHT,
    """You take the gap itself as a share. Scores are not weights: softmax takes their exponentials
    first.""",
    "math.exp(gap)", "gap", "math.exp(gap)", "gap")

wrong("largest_weight", "length_does_not_matter", WEIGHT,
    """Your weight does not depend on the number of tokens: each of them takes its share, so the
    same gap is worth less in a longer context.""",
    "+ tokens - 1", "+ 1")

wrong("largest_weight", "weight_from_powers_of_two", WEIGHT,
    "You use powers of 2: softmax uses the base e.",
    "math.exp(gap)", "2**gap", "math.exp(gap)", "2**gap")

wrong("largest_weight", "ratio_instead_of_share", WEIGHT,
    """You return how many times more the outstanding token gets than each other one. Its weight is
    its share of the sum over all tokens.""",
    " / (math.exp(gap) + tokens - 1)", "")

wrong("largest_weight", "weight_rounded", "largest_weight",
    """You round the weight to two decimals. In a long context weights are small, and rounding
    leaves nothing of them: return them as they are.""",
    "return ", "return round(", "tokens - 1)", "tokens - 1), 2)")

wrong("largest_weight", "weight_in_percent", WEIGHT,
    "You return a percentage: a weight is a share of 1, so leave the factor 100 out.",
    "return ", "return 100 * ")

wrong("gap_for_weight", "no_negative_gap", "gap_for_weight",
    """You cut negative gaps off at 0. A token with less than its equal share, 1 / tokens, has a
    score below the others.""",
    "return ", "return max(0.0, ", "(1 - weight))", "(1 - weight)))")

wrong("gap_for_weight", "gap_over_all_tokens", GAP,
    "You compare with `tokens` others; beside the outstanding one there are tokens - 1.",
    "(tokens - 1)", "tokens")

wrong("gap_for_weight", "always_half", GAP,
    """Your gap is the one for a weight of one half, whichever is asked for: the odds weight / (1 -
    weight) are missing inside the logarithm.""",
    "weight * (tokens - 1) / (1 - weight)", "tokens - 1")

wrong("gap_for_weight", "gap_without_length", GAP,
    """You leave out how many others there are. To keep its weight, a score must stand log(tokens -
    1) higher: that is what a long context costs.""",
    " * (tokens - 1)", "")

wrong("gap_for_weight", "gap_shrinks_with_length", GAP,
    """Your gap gets smaller where there are more others: you divide the odds weight / (1 - weight)
    by their number, tokens - 1. The more there are, the higher a score must stand: multiply.""",
    " * (tokens - 1)", " / (tokens - 1)")

wrong("gap_for_weight", "gap_without_logarithm", GAP,
    "You return the exponential of the gap. Scores live in the exponent: take the logarithm.",
    "math.log", "")

wrong("gap_for_weight", "odds_upside_down", GAP,
    "Your odds are upside down: a larger weight needs a larger gap.",
    "weight * (tokens - 1) / (1 - weight)", "(1 - weight) * (tokens - 1) / weight")

wrong("gap_for_weight", "gap_in_powers_of_two", GAP,
    "You use the logarithm to base 2: softmax has e for its base, so log is the natural one.",
    "math.log", "math.log2")

wrong("entropy_of_weights", "entropy_in_bits", ENTROPY,
    """You measure in bits, with the logarithm to base 2. The question asks for nats: the natural
    logarithm.""",
    "math.log(", "math.log2(", "math.log(", "math.log2(")

wrong("entropy_of_weights", "sign_of_entropy", ENTROPY,
    "Your entropy is the sum of w log w, which is negative: the minus sign is missing.",
    "own = -", "own = ", "own - ", "own + ")

wrong("entropy_of_weights", "rest_in_one_piece", ENTROPY,
    """You treat all the other tokens as one. The rest is shared by tokens - 1 of them, and how many
    they are is what makes a long context uncertain.""",
    " / (tokens - 1)", "", "(tokens - 1) * ", "")

wrong("entropy_of_weights", "one_other_token", ENTROPY,
    "You count one of the other tokens only: there are tokens - 1 equal terms.",
    "(tokens - 1) * ", "")

wrong("entropy_of_weights", "always_equal_weights", ENTROPY,
    """You return log(tokens), the entropy of equal weights. It is the upper limit; the more one
    token stands out, the less it is.""",
    "return own - (tokens - 1) * rest * math.log(rest) if rest > 0 else own",
    "return math.log(tokens)")

wrong("entropy_of_weights", "logarithm_of_zero", "entropy_of_weights",
    """A weight of 0 stops your function: log(0) is not defined, but 0 log 0 counts as 0, for that
    is its limit.""",
    " if rest > 0 else own", "")

wrong("sequential_steps", "decoder_generates_in_parallel", "sequential_steps",
    """Your Transformer generates all target tokens in one pass. Only in training are they known
    beforehand; in generation each must be chosen before the next can be computed.""",
    '(1 if phase == "training" else target)', "1")

wrong("sequential_steps", "encoder_forgotten_in_generation", "sequential_steps",
    """You count the encoder's pass in training, and not in generation: there it reads the source
    once as well, before the first target token is chosen.""",
    '1 + (1 if phase == "training" else target)', '2 if phase == "training" else target')

wrong("sequential_steps", "training_token_by_token", "sequential_steps",
    """Your Transformer is trained token by token. The right target tokens are fed in all at once
    (teacher forcing) and the mask hides the later ones: one pass.""",
    '(1 if phase == "training" else target)', "target")

wrong("sequential_steps", "encoder_token_by_token", "sequential_steps",
    """Your encoder reads token by token. The whole source is known in both phases, so a
    Transformer's encoder takes it in one pass.""",
    "1 + (1 if", "(2 if", "else target", "else source + target")

wrong("sequential_steps", "encoder_for_every_token", "sequential_steps",
    """You run the encoder again for every target token. The source does not change: its memory is
    computed once and kept.""",
    "1 + (1 if", "2 * (1 if")

wrong("sequential_steps", "recurrent_training_in_parallel", "sequential_steps",
    """You train an RNN in parallel. Knowing the right tokens does not help it: each of its states
    needs the one before.""",
    'model == "recurrent"', 'model == "recurrent" and phase != "training"')

wrong("sequential_steps", "recurrent_decoder_trained_in_one_step", "sequential_steps",
    """Your recurrent decoder is trained in one step. The right tokens are known there, but each of
    its states still needs the state before it, so it takes one step for each target token.""",
    "source + target", 'source + (target if phase == "generation" else 1)')

wrong("sequential_steps", "recurrent_halves_at_the_same_time",
    "examples_of_counting sequential_steps",
    """You take the larger of the two lengths for an RNN, as if encoder and decoder worked at the
    same time. The decoder begins with the encoder's last state, so its steps come after: add
    them.""",
    "source + target", "max(source, target)")

wrong("sequential_steps", "recurrent_counted_as_a_transformer",
    "examples_of_counting sequential_steps",
    """Your recurrent model takes as few steps as a Transformer. Compare `model` with "recurrent",
    the word of the docstring: with another one, what stands below answers.""",
    'model == "recurrent"', 'model == "rnn"')

wrong("sequential_steps", "encoder_left_out", "sequential_steps",
    "You leave out the encoder's pass: the decoder cannot begin without its memory.",
    "1 + (1 if", "(1 if")

wrong("path_length", "kernel_reaches_too_far", "examples_of_counting path_length",
    """You let each convolution reach `kernel` positions further. It covers that many, but one of
    them is its own: it gets kernel - 1 further.""",
    '"convolution": kernel - 1', '"convolution": kernel')

wrong("path_length", "last_hop_missing", "examples_of_counting path_length",
    "You round the number of convolutions down: then the last stretch is missing.",
    "math.ceil(distance / reach)", "distance // reach")

wrong("path_length", "part_of_a_hop", "examples_of_counting path_length",
    """You count a part of a hop: hops are whole, and the last one is needed even where it is not
    used to its end. Round the quotient up.""",
    "math.ceil(distance / reach)", "distance / reach")

wrong("path_length", "hops_to_the_nearest_whole", "path_length",
    """You round the number of hops to the nearest whole number. What is left over, however short,
    takes one hop more: round up.""",
    "math.ceil(distance / reach)", "round(distance / reach)")

wrong("path_length", "one_hop_too_many", "path_length",
    "You add one hop even where a whole number of convolutions reaches exactly.",
    "math.ceil(distance / reach)", 'distance // reach + (layer == "convolution")')

wrong("path_length", "attention_walks", "path_length",
    """Your path through self-attention grows with the distance. Every token meets every other one
    directly: it is 1, and that is attention's answer to long-range dependence.""",
    '"self-attention": distance', '"self-attention": 1')

wrong("path_length", "attention_hops_like_a_convolution", "path_length",
    """Your path through self-attention is that of a convolution. Compare `layer` with
    "self-attention", the word of the docstring; there, one hop gets to any later position.""",
    '"self-attention": distance', '"self-attention": kernel - 1')

wrong("path_length", "recurrent_off_by_one", "path_length",
    """Your recurrent layer is one hop off: from position i to i + distance the state is handed on
    `distance` times.""",
    "(distance / reach)", '(distance / reach) - (layer == "recurrent")')

wrong("path_length", "recurrent_in_one_hop", "path_length",
    """Your RNN connects distant tokens in one hop, as if its state held them all. What the state
    knows of a token has passed through every step since.""",
    '"recurrent": 1', '"recurrent": distance')

wrong("operations_per_layer", "attention_and_recurrence_exchanged", "operations_per_layer",
    """Your self-attention takes the operations of recurrence, n d^2: one d x d matrix for every
    token. Attention compares all pairs of tokens, n^2 d. Compare `layer` with "self-attention", as
    the docstring spells it, and see which line answers.""",
    'layer == "self-attention"', 'layer == "recurrent"')

wrong("operations_per_layer", "attention_like_a_convolution", "operations_per_layer",
    """Your self-attention takes the operations of a convolution, k n d^2. Compare `layer` with
    "self-attention", as the docstring spells it: otherwise its branch is never reached. Attention
    has no kernel; it compares all pairs of tokens.""",
    'layer == "self-attention"', 'layer == "attention"',
    'kernel if layer == "convolution" else 1', 'kernel if layer != "recurrent" else 1')

wrong("operations_per_layer", "recurrence_like_a_convolution", "operations_per_layer",
    """Your recurrent layer takes the operations of a convolution, k n d^2. It has no kernel: leave
    that factor out, and compare `layer` with "recurrent", as the docstring spells it.""",
    'kernel if layer == "convolution" else 1', "kernel")

wrong("operations_per_layer", "linear_attention", "operations_per_layer",
    """Your self-attention is linear in the number of tokens, n d: but each of the n queries meets
    each of the n keys, and each meeting takes d multiplications.""",
    "tokens**2 * width", "tokens * width")

wrong("operations_per_layer", "scores_without_width", "operations_per_layer",
    """You leave the width out of self-attention: n^2 is the number of scores, and each is a dot
    product of d numbers.""",
    "tokens**2 * width", "tokens**2")

wrong("operations_per_layer", "scores_and_sums", "operations_per_layer",
    """You count 2 n^2 d for self-attention, as the scores and the weighted sums together take.
    Table 1 leaves constant factors out: n^2 d.""",
    "tokens**2 * width", "2 * tokens**2 * width")

wrong("operations_per_layer", "convolution_without_matrices",
    "examples_of_counting operations_per_layer",
    """Your convolution takes k n d operations. Each of its `kernel` neighbours is multiplied by a
    whole d x d matrix: k n d^2.""",
    "return tokens * width**2 *",
    "return tokens * width * kernel if layer == 'convolution' else tokens * width**2 *")

wrong("operations_per_layer", "kernel_left_out", "examples_of_counting operations_per_layer",
    """Your convolution costs as much as a recurrent layer: it multiplies each of its `kernel`
    neighbours by a matrix of its own, k n d^2.""",
    ' * (kernel if layer == "convolution" else 1)', "")

wrong("operations_per_layer", "recurrence_without_matrix", "operations_per_layer",
    """Your recurrent layer takes n d operations. From one state to the next it multiplies by a
    whole d x d matrix: n d^2.""",
    "width**2 * (kernel if", "width * (kernel * width if")

PERPLEXITY = "examples_of_models perplexity"
BYTES = "examples_of_models training_bytes"
WRAPPER = "examples_of_models wrapper_d_out"

wrong("perplexity", "loss_instead_of_perplexity", PERPLEXITY,
    "You return the loss. The perplexity is e^loss.",
    "math.exp(loss)", "loss")

wrong("perplexity", "perplexity_to_base_two", PERPLEXITY,
    """You take 2 to the power of a loss in natural logarithms. The base must be that of the
    logarithm: e here.""",
    "math.exp(loss)", "2**loss")

wrong("perplexity", "sum_over_the_places", PERPLEXITY,
    """You add the losses of all places. The loss is their mean: otherwise a longer text would
    always be harder.""",
    " / (tokens + 1)", "")

wrong("perplexity", "mean_of_inverse_probabilities", PERPLEXITY,
    """You average 1 / probability over the places. The mean is taken of the logarithms, so one
    token that surprises does not decide everything.""",
    "tokens * -math.log(likely) + math.log(vocabulary)",
    "tokens / likely + vocabulary", "math.exp(loss)", "loss")

wrong("perplexity", "mean_of_probabilities", PERPLEXITY,
    """You average the probabilities, and take 1 / that mean. The loss is the mean of their
    logarithms: there one token that was thought impossible costs much more.""",
    "(tokens * -math.log(likely) + math.log(vocabulary)) / (tokens + 1)",
    "-math.log((tokens * likely + 1 / vocabulary) / (tokens + 1))")

wrong("perplexity", "the_guess_is_not_counted", PERPLEXITY,
    """You divide by `tokens`. The text has one token more, at which the model guessed: tokens +
    1.""",
    "(tokens + 1)", "tokens")

wrong("perplexity", "mean_of_two_places", PERPLEXITY,
    """You take the mean of two losses, whatever `tokens` is. The first of them counts `tokens`
    times, for there are so many such places: the mean is over tokens + 1 losses.""",
    "tokens * -math.log(likely)", "-math.log(likely)", "(tokens + 1)", "2")

wrong("perplexity", "the_guess_costs_nothing", PERPLEXITY,
    """You leave out the place at which the model guessed. There, the token that came had the
    probability 1 / vocabulary, which costs log(vocabulary).""",
    " + math.log(vocabulary)", "")

wrong("perplexity", "perplexity_rounded", "perplexity",
    """You round the perplexity. It is a mean, and need not be whole: return it as it is.""",
    "math.exp(loss)", "float(round(math.exp(loss)))")

wrong("wrapper_d_out", "heads_of_the_example", "wrapper_d_out",
    "You divide by 3, the number of heads in the example. Divide by `num_heads`.",
    "// num_heads", "// 3")

wrong("training_bytes", "always_sixteen_bytes", "training_bytes",
    """You count 16 bytes for each parameter, whichever the optimizer is. That is Adam's number:
    others remember less.""",
    "4 * kept", "8")

wrong("wrapper_d_out", "d_out_of_all_heads", WRAPPER,
    """You return the width of the contexts. In `MultiHeadAttention`, d_model is the width of all
    heads together; in the wrapper, d_out is that of a single one, and heads are put side by
    side.""",
    " // num_heads", "")

wrong("wrapper_d_out", "heads_multiply", WRAPPER,
    """You multiply by the number of heads: so wide the contexts become if each head has `width`
    numbers. Here the width of the contexts is given.""",
    "//", "*")

wrong("wrapper_d_out", "always_one", WRAPPER,
    """You return 1, the answer to the book's own exercise, where two heads make two numbers. Divide
    the width that is asked for by the number of heads.""",
    "width // num_heads", "1")

wrong("training_bytes", "weights_alone", BYTES,
    """You count the weights alone. Training keeps a gradient for each of them as well, and whatever
    the optimizer remembers.""",
    "2 + 2 + 4 if mixed else 4 + 4", "2 if mixed else 4", " + 4 * kept", "")

wrong("training_bytes", "gradients_forgotten", BYTES,
    "You forget the gradients: there is one for each weight, of the same size.",
    "2 + 2 + 4 if mixed else 4 + 4", "2 + 4 if mixed else 4")

wrong("training_bytes", "no_copy_in_float32", BYTES,
    """In mixed precision you leave out the float32 copy of the weights. Steps are much smaller than
    the weights: added in 16 bits, most would be rounded away.""",
    "2 + 2 + 4 if mixed", "2 + 2 if mixed")

wrong("training_bytes", "no_gradients_in_float32", "training_bytes",
    """Without mixed precision you leave the gradients out: there is one for each weight, in float32
    as well.""",
    "else 4 + 4", "else 4")

wrong("training_bytes", "nothing_in_sixteen_bits", BYTES,
    """In mixed precision you count 4 bytes for each weight and gradient, and 4 for the copy.
    Weights and gradients are kept in 16 bits there, 2 bytes each, and the copy alone in
    float32.""",
    "2 + 2 + 4 if mixed", "4 + 4 + 4 if mixed")

wrong("training_bytes", "copy_for_adam_alone", "training_bytes",
    """You count the float32 copy of the weights for Adam alone. It belongs to mixed precision: the
    steps of every optimizer are too small to be added in 16 bits.""",
    "2 + 2 + 4 if mixed", "(8 if optimizer == 'adam' else 4) if mixed")

wrong("training_bytes", "optimizer_in_half_precision", BYTES,
    """In mixed precision you keep the optimizer's numbers in 16 bits. They are kept in float32, 4
    bytes each.""",
    "4 * kept", "(2 if mixed else 4) * kept")

wrong("training_bytes", "adam_keeps_one_number", BYTES,
    """You count one number for Adam. It keeps two for each parameter: a mean of the gradients and
    one of their squares.""",
    '"adam": 2', '"adam": 1')

wrong("training_bytes", "bits_instead_of_bytes", BYTES,
    "You count in bits: a number in float32 takes 32 bits, which are 4 bytes.",
    "return parameters", "return 8 * parameters")

OPERATIONS = "examples_of_models training_operations"

wrong("training_operations", "multiply_adds_counted_once", OPERATIONS,
    """You count a multiplication and the addition that follows it as one. Here each of them counts:
    two for each number and token.""",
    "2 * products", "products")

wrong("training_operations", "backward_like_forward", OPERATIONS,
    """You let the backward part cost what the forward part costs. For each matrix it has two
    products: one for the gradient of its numbers, one for that of its input.""",
    '"backward": 2, "both": 3', '"backward": 1, "both": 2')

wrong("training_operations", "forward_part_alone", OPERATIONS,
    "You leave the forward part out of `both`: it is one product, and the backward part two more.",
    '"both": 3', '"both": 2')

wrong("training_operations", "backward_three_times", OPERATIONS,
    """You let the backward part cost three products for each matrix. It takes two, and the three
    are those of both parts together.""",
    '"backward": 2, "both": 3', '"backward": 3, "both": 4')

wrong("training_operations", "one_token_only", OPERATIONS,
    "You count the operations of a single token: each token goes through all matrices.",
    " * tokens", "")

wrong("training_operations", "always_both_parts", "training_operations",
    "You give the same answer for every `part`: forward, backward and both differ.",
    "[part]", '["both"]')

# The form of an answer ----------------------------------------------------------------------------

# A choice question's answer begins and ends with these.
LETTERS, END = "return letters(", "\n    )"

wrong("scaling_statements", "list_of_letters", "scaling_statements",
    "You return a list. One string is asked for: `letters` makes it, or ''.join(...).",
    LETTERS, "return list(letters(", END, f"{END})")

wrong("cost_statements", "letters_with_commas", "cost_statements",
    "You put something between the letters, as in 'A, C'. Join them with nothing: 'AC'.",
    LETTERS, 'return ", ".join(letters(', END, f"{END})")

wrong("order_statements", "letters_twice", "order_statements",
    "You name a letter twice, perhaps because two cases both add it. Add it once.",
    LETTERS, "return 2 * letters(")

wrong("heads_statements", "set_of_letters", "heads_statements",
    "You return a set, which has no order and is not text. ''.join(...) makes a string.",
    LETTERS, "return set(letters(", END, f"{END})")

wrong("order_statements", "none_in_words", "order_statements",
    """You return a word where no statement holds. No letters at all is "", the empty string.""",
    END, f'{END} or "none"')

wrong("mask_statements", "return_forgotten", "mask_statements",
    "Your function returns nothing: `return` is missing before the string.",
    LETTERS, "letters(")

wrong("similarity_statements", "truth_values", "similarity_statements",
    """You return one truth value for each statement. The letters of the true ones are asked for, as
    one string.""",
    LETTERS, "return tuple(dict(", END, f"{END}.values())")

# Choice questions: every statement the wrong way round --------------------------------------------

# Each sentence begins with the letter of its statement: a wrong answer has it where the right one
# has not, and has it not where the right one has.
STATEMENTS = {
    "scaling_statements": {
        "variance_of_a_score_is_one":
            """A is true. Each product q_i * k_i has the variance 1 * 1, the d_k products are
            independent, and variances of independent numbers add: q . k has the variance d_k.""",
        "product_of_normals_is_normal":
            """B is a popular mistake. A product of two independent normal numbers is not normal:
            its kurtosis is 9 instead of 3. The argument for sqrt(d_k) needs its variance only.""",
        "divide_by_d_k":
            """C: the score's standard deviation is sqrt(d_k). Divided by d_k, 1 / sqrt(d_k) is
            left, less than 0.1 as soon as d_k is more than 100: the softmax is nearly flat
            then.""",
        "difference_of_two_scores":
            """D: q . k_1 - q . k_2 = q . (k_1 - k_2), where k_1 - k_2 has the variance 2 in every
            place. So the difference has the standard deviation sqrt(2 d_k), more than 20 for d_k
            above 200.""",
        "decided_softmax_learns_most":
            """E is false. The gradient that reaches the score carries the factor w * (1 - w): 0.24
            at w = 0.6, but 0.0099 at w = 0.99. Large scores make softmax stop learning, which is
            why they are scaled.""",
    },
    "similarity_statements": {
        "scores_are_not_symmetric":
            """A is true here. Queries and keys are the same vectors and x . y = y . x, so the
            scores form a symmetric matrix; only separate projections break that.""",
        "each_token_gives_itself_the_highest_score":
            """B: it is widely believed that each token gives itself the highest score. x . x =
            |x|^2 beats x . y = |x| |y| cos only if |x| > |y| cos: a long neighbour in nearly the
            same direction gets more.""",
        "scores_are_the_weights":
            """C is false. Scores are any numbers, also negative ones, and sum to anything; the
            softmax makes weights of them, which are positive and sum to one.""",
        "weights_are_symmetric":
            """D is false. Symmetric scores do not give symmetric weights: every row is divided by
            its own sum, and |x|^2 and |y|^2 in these sums differ.""",
        "y_prefers_itself":
            """E: y . y = |y|^2 against y . x = |y| |x| cos. Divide by |y|: y prefers itself if |y|
            > |x| cos. That both tokens prefer themselves is common, but not certain.""",
    },
    "long_context_statements": {
        "weights_sum_to_more_than_one":
            """A is false. A softmax divides by the sum of all exponentials, so the weights sum to
            one in a context of any length. What happens is that each becomes smaller.""",
        "majority_of_attention":
            """B: the weight is e^gap / (e^gap + tokens - 1). It is more than one half if e^gap is
            more than tokens - 1, that is, if the gap is more than log(tokens - 1).""",
        "ten_times_as_many_tokens":
            """C: compare e / (e + n - 1) with e / (e + 10 n - 1), where e = e^gap. The second is
            less than half of the first if e < 8 n + 1: a score that towers over all others hardly
            notices a longer context, any other is diluted.""",
        "entropy_grows_with_length":
            """D is false. n equal weights have the entropy log n, so twice as many tokens add log 2
            and do not double it (but for n = 2).""",
        "scale_does_not_matter":
            """E is true. Softmax ignores a constant added to all scores, but not a factor: doubled
            scores have the doubled gap, and the largest weight grows.""",
    },
    "temperature_statements": {
        "temperature_turns_the_order_round":
            """A is true. Both logits are divided by the same positive number, which leaves the
            larger one the larger.""",
        "temperature_and_nine_tenths":
            """B: the probability is 1 / (1 + e^(-2 / temperature)). It is more than 0.9 if
            2 / temperature is more than log 9 = 2.2, so if the temperature is below 0.91.""",
        "high_temperature_sharpens":
            """C: a temperature above 1 makes the gap between the logits smaller, and so the
            probabilities come closer to one another. One below 1 does the opposite.""",
        "cold_is_uniform":
            """D is false: it is the other way round. Near 0 the gap 2 / temperature grows without
            end, and the token with the larger logit gets nearly all.""",
        "softmax_feels_a_shift":
            """E is false. A constant that is added to all logits cancels in the softmax, before a
            division and after it: only differences count.""",
    },
    "divergence_statements": {
        "differences_do_not_cancel":
            """A is true. Both rows of probabilities sum to one, so what one token has too much the
            other has too little. To subtract two distributions is no loss.""",
        "cross_entropy_and_log_two":
            """B: work the sum out, -right log model - (1 - right) log(1 - model). It is log 2 for a
            model that says 1/2, less for a model that is surer and mostly right, more for one that
            is sure and mostly wrong.""",
        "best_model_costs_nothing":
            """C is false. With model = right the cross-entropy is the entropy of what is right. It
            is 0 only where the next token is certain. It is the divergence that becomes 0.""",
        "divergence_may_be_zero":
            """D is true. The divergence is never negative, and 0 only for equal distributions.
            These two differ.""",
        "more_is_always_better":
            """E: the derivative of the cross-entropy for model is (model - right) / (model (1 -
            model)). So more helps as long as the model is below what is right, and harms above.""",
    },
    "prefix_statements": {
        "prefix_needs_cross_attention":
            """A is false. Both texts are one text for the model, so self-attention leads from what
            is written to the prefix. Cross-attention is for two stacks.""",
        "three_quarters_allowed":
            """B: count what is forbidden. Each of the `given` tokens must not see the `written`
            ones, and of the written ones each must not see those after it. More than a quarter of
            tokens^2?""",
        "prefix_like_a_causal_mask":
            """C: what differs is the prefix, where tokens see those after them. That makes
            given (given - 1) / 2 pairs more than a causal mask has: none for a single token. (Every
            written token sees itself in both.)""",
        "prefix_sees_what_is_written":
            """D is false. The prefix is read before anything is written, and what was computed for
            it is kept. In training it must not see the answer either.""",
        "prefix_is_causal":
            """E is true. The prefix is known as a whole, so nothing in it needs to be hidden: that
            part of the mask is that of an encoder.""",
    },
    "sliding_window_statements": {
        "each_token_costs_more":
            """A is true. The new token has `window` keys in reach, whatever stands before them. So
            the cost grows with the number of tokens, and no more with its square.""",
        "windows_reach_no_further":
            """B: in one layer a token learns of window - 1 earlier ones, and these have learned of
            earlier ones in the layer below. So all layers reach layers * (window - 1) back, and
            the first token stands tokens - 1 before the last one.""",
        "whole_cache_is_needed":
            """C is false. The next token looks at itself and at window - 1 tokens before it, in
            every layer: keys and values that are older may be thrown away.""",
        "share_of_the_scores":
            """D: the first `window` tokens make a triangle, window (window + 1) / 2, all later ones
            `window` each. A causal head without a window has tokens (tokens + 1) / 2.""",
        "weights_outside_the_window":
            """E is false. The softmax is taken over the allowed keys alone, so their weights sum to
            one.""",
    },
    "family_statements": {
        "who_has_a_causal_mask":
            """A: what writes has a causal mask, so that no token sees what it is to predict. That
            is every decoder; an encoder alone only reads.""",
        "who_has_cross_attention":
            """B: cross-attention leads from a decoder to an encoder. T5 has both, as the first
            Transformer has; a model with one stack has nothing to look across at.""",
        "what_bert_is":
            """C: BERT is an encoder alone. It reads whole sentences, in both directions, and was
            trained to guess words that were hidden.""",
        "what_gpt_is":
            """D: GPT-2 and Llama are decoders alone. They continue a text, and there is no second
            text that an encoder could read.""",
        "who_sees_later_tokens":
            """E: encoders have no causal mask, so their tokens see in both directions. Where there
            is a decoder only, no token sees a later one.""",
    },
    "output_projection_statements": {
        "heads_are_added_up":
            """A is true. The heads are put side by side, and num_heads times d_model / num_heads
            is d_model. W^O changes no width, so a model can do without it.""",
        "columns_of_one_head":
            """B: without W^O the first head fills its own columns of the result and no others:
            d_model / num_heads of them. Compare that with 100.""",
        "output_projection_keeps_heads_apart":
            """C is true. Each number of a result is a sum over all d_model columns of what the
            heads have found: this is the place where heads are mixed.""",
        "one_matrix_for_each_head":
            """D: each head would have a matrix of d_model x d_model, num_heads * d_model^2 numbers
            in all, where W^V and W^O together have 2 * d_model^2. With more than two heads, two
            narrow matrices are cheaper than their product.""",
        "output_projection_is_larger":
            """E is false. Both are d_model x d_model, however many heads there are.""",
    },
    "norm_place_statements": {
        "zeros_and_the_norm":
            """A: x + 0 is x where the norm stands inside the branch, that is, in pre-norm. In
            post-norm the sum is normalised, so x is changed even if nothing was added.""",
        "what_leaves_a_layer_is_normalised":
            """B: in post-norm a layer ends with a norm. In pre-norm it ends with a sum, which
            grows from layer to layer; that is why a pre-norm stack has one more norm at its
            end.""",
        "who_has_a_free_way":
            """C: x goes from sum to sum in pre-norm. In post-norm the way leads through every norm,
            and gradients are rescaled by each: such stacks need a warm-up.""",
        "layer_norm_sees_the_batch":
            """D is false, wherever the norm stands: a layer norm takes the mean and variance of one
            token's own numbers.""",
        "where_the_first_paper_had_it":
            """E: section 3.1 of the paper has LayerNorm(x + Sublayer(x)), which is post-norm. GPT-2
            moved the norms inside.""",
    },
    "batch_norm_statements": {
        "how_many_means":
            """A: a layer norm has a mean for every token, sentences * tokens of them, a batch norm
            one for every column, 512.""",
        "layer_norm_mixes_tokens":
            """B is false. A layer norm looks at the numbers of one token, so nothing else in the
            batch matters to it.""",
        "batch_norm_does_not_mix":
            """C is true. The means and variances are taken over the batch: with other sentences
            beside it, the same token gets another result.""",
        "over_how_many_numbers":
            """D: in each column, the batch norm's mean is taken over all tokens of the batch:
            sentences * tokens numbers.""",
        "layer_norm_keeps_means":
            """E is false. That is the batch norm, which keeps running means for the time after
            training. A layer norm does the same at all times.""",
    },
    "dropout_statements": {
        "dropped_weights_sum_to_one":
            """A: in training some weights are zero and the others are divided by 1 - p, so their
            sum is one on average only. In evaluation nothing is dropped.""",
        "dropout_after_the_sum":
            """B is true, in both phases: the dropout stands between the sub-layer and the sum (in
            evaluation it lets everything pass).""",
        "straight_way_is_dropped":
            """C is false. x goes past the sub-layer undropped: what was dropped there would be lost
            for all later layers.""",
        "factor_of_the_survivors":
            """D: in training survivors are divided by 1 - p, and 1 / (1 - p) is more than 1.5 for p
            above 1/3. In evaluation they stay as they are.""",
        "dropped_weight_is_shared_out":
            """E is false. The softmax is over by then. The others grow by the fixed factor 1 / (1 -
            p), whichever were dropped.""",
    },
    "parallel_statements": {
        "decoder_generates_all_tokens_at_once":
            """A: one pass suffices where all tokens are known: in the encoder always, in the
            decoder during training. A generating decoder needs a pass for every token, as the next
            one depends on the token just chosen.""",
        "layers_run_in_parallel":
            """B is false. Each layer reads the output of the one below. What a Transformer does in
            parallel is the positions within a layer.""",
        "what_the_mask_hides":
            """C: only the decoder in training is fed the correct target tokens all at once, and
            there the causal mask hides those that follow. The encoder may see everything, and in
            generation nothing follows yet.""",
        "who_chose_the_input":
            """D: only the decoder in generation reads its own choices. In training it reads the
            right tokens even after a mistake (teacher forcing), and the encoder reads the
            source.""",
        "who_reads_whom":
            """E: the decoder has the cross-attention, in both phases: queries of its own, keys and
            values from the encoder. The encoder reads nothing from the decoder.""",
    },
    "distance_statements": {
        "attention_needs_many_layers":
            """A is true. Every query meets every key, so one layer connects any two tokens, near or
            far. That is attention's answer to long-range dependence.""",
        "gradients_do_not_fade":
            """B: 0.9^n is what is left after n steps, and 0.9^44 is the first power below 0.01.
            Fading grows exponentially with the distance.""",
        "reach_of_stacked_convolutions":
            """C: each causal convolution reaches kernel - 1 positions further, so four of them
            reach 4 * (kernel - 1). The distance may be that, and no more.""",
        "lstm_jumps":
            """D is false. The gates of an LSTM keep information and gradients from fading, but the
            state is still handed on step by step, once for every token in between.""",
        "scores_fall_with_distance":
            """E is false. Without positions, a key is made from its word alone: equal words have
            equal keys and get equal scores, wherever they stand.""",
    },
    "cost_statements": {
        "attention_is_always_dearer":
            """A: n^2 d against n d^2. Self-attention takes fewer operations as long as the sentence
            is shorter than the width, n < d, as it was for most sentences in 2017.""",
        "twice_the_tokens_twice_the_cost":
            """B is true. n^2 d with 2 n in place of n is 4 n^2 d: this is the main drawback of
            attention for long texts.""",
        "the_mask_makes_it_quadratic":
            """C is false. All queries meet all keys with or without a mask, which is n^2 scores.
            The mask discards nearly half of them; it could only make attention cheaper.""",
        "memory_of_the_scores":
            """D: n^2 scores of 4 bytes each are more than 2^20 bytes if n^2 > 2^18, that is, for
            more than 512 tokens, whatever the width.""",
        "projections_are_free":
            """E: 4 n d^2 > 2 n^2 d comes down to n < 2 d. For sentences shorter than twice the
            width, the projections are the larger part of an attention layer.""",
    },
    "heads_statements": {
        "parameters_depend_on_the_heads":
            """A is true. All heads together make d_model columns of W^Q, of W^K and of W^V, and W^O
            is d_model x d_model as well: 4 d_model^2, for any number of heads.""",
        "more_heads_more_parameters":
            """B is a popular mistake. Twice as many heads are each half as wide: the same columns,
            cut up more finely. The number of parameters stays.""",
        "scaled_by_the_model_width":
            """C: scores are divided by the root of a head's width, d_k = d_model / num_heads, not
            of d_model. That is 8 if d_k = 64.""",
        "weights_are_parameters":
            """D: attention weights are not parameters. There are num_heads * 100 * 100 of them,
            more with every head and every token, against d_model^2 numbers in W^Q.""",
        "a_head_sees_a_slice":
            """E is true. It is the projected queries, keys and values that are cut into heads, not
            the embeddings: every column of W^Q reads all d_model numbers.""",
    },
    "block_statements": {
        "attention_holds_most_parameters":
            """A: 2 * d_model * d_ff against 4 * d_model^2. The feed-forward network is the larger
            one if d_ff > 2 * d_model; with the usual d_ff = 4 * d_model it is twice as large.""",
        "layer_norm_over_the_batch":
            """B is false: that is batch normalisation. A layer norm takes one mean and one variance
            for each token, over its d_model numbers, so that no token depends on another.""",
        "feed_forward_mixes_tokens":
            """C is false. The feed-forward network is applied to each position separately, with the
            same weights. Only attention moves information between tokens.""",
        "both_grow_alike":
            """D is true. d_model is one side of the feed-forward matrices, so they double; it is
            both sides of the attention matrices, so those grow fourfold.""",
        "layer_norms_are_large":
            """E: two layer norms have 2 * 2 * d_model numbers, attention 4 * d_model^2: the share
            is 1 / d_model, less than 1 % for d_model above 100.""",
    },
    "order_statements": {
        "shuffled_words_shuffled_outputs":
            """A: without positions and mask, attention treats its tokens as a set, and outputs move
            with their words. Positions, or a mask, tie an output to its place.""",
        "rows_stand_in_order":
            """B is false. Shuffle the rows of x, and every score, weight and output moves along
            unchanged: which row a token stands in enters no formula. That is why positions must be
            added.""",
        "last_word_sees_a_set":
            """C: the last word may attend to all others, with and without the mask. Its weighted
            sum does not know in which order it is taken; only positional encodings tell.""",
        "first_word_sees_the_future":
            """D: with the causal mask the first word attends to itself alone, so nothing after it
            matters. Without the mask it mixes in all of them, positions or not.""",
        "equal_words_equal_keys":
            """E: a key is a projection of a token's row. Equal words have equal rows until
            positions are added; the mask does not touch the keys.""",
    },
    "position_statements": {
        "learned_table_fits":
            """A: a table of max_len rows serves max_len positions. A text with one token more has
            no row for its last token.""",
        "sines_have_an_end":
            """B is true. The formula takes any position. (Programs keep a table of it, which can be
            made longer; whether a model that never saw such positions reads them well is another
            question.)""",
        "which_table_is_larger":
            """C: both have rows of the same width, so compare their numbers: max_len places, and
            `vocabulary` tokens.""",
        "positions_by_the_vocabulary":
            """D is false. The rows of this table are places in a text, not words: only max_len says
            how long a text may be.""",
        "one_kind_was_much_better":
            """E is false. The paper tried both, and calls the results nearly identical. It took
            sines and cosines in the hope that they serve longer texts.""",
    },
    "mask_statements": {
        "forbidden_half":
            """A: position p (from 0) may attend to p + 1 keys, itself included, so tokens - 1 - p
            are forbidden. Compare that with half of the tokens.""",
        "equal_share_of_the_allowed":
            """B: only the p + 1 allowed keys share the attention, each 1 / (p + 1), whatever the
            length of the sentence. That is more than 0.1 for p below 9.""",
        "mask_after_the_softmax":
            """C is false. Forbidden keys have then taken their part of the sum already, and what is
            left of a row sums to less than one. -inf before the softmax shares out everything.""",
        "training_needs_no_mask":
            """D is true. In training the whole right sentence is the input, and the answer at a
            position is the next token of it. Without the mask the model need only copy.""",
        "newest_token_needs_a_mask":
            """E is true. The causal mask forbids what comes later, and nothing comes after the
            newest token: its row is all allowed.""",
    },
    "window_statements": {
        "one_projection_for_queries_and_keys":
            """A is false, which is why queries and keys need weights of their own. With equal ones
            the score counts how many places two windows share, and a window shares most with
            itself: the token would prefer itself to those before it.""",
        "window_at_the_beginning":
            """B: near the beginning there are fewer than `window` tokens to look back to. Position
            p sees min(window, p + 1) of them.""",
        "leak_out_of_the_window":
            """C: m keys have the score `score` and 8 - m the score 0, so (8 - m) / (m e^score + 8 -
            m) leaks out. m is as in B, so it is less than `window` near the beginning.""",
        "by_hand_a_mask_is_needed":
            """D is false. Here the query asks for places at or before its own, so later keys have
            the score 0 and lose anyway. This head needs no mask.""",
        "larger_scores_break_the_tie":
            """E is true. Scores in the window are equal, and equal they stay when doubled. The
            factor only widens the gap to the keys outside.""",
    },
    "residual_statements": {
        "residual_always_harms":
            """A is true. After "ba" the last token is a and so is the next: residual and branch
            both vote for a, 1 + scale against 0.""",
        "residual_dominates":
            """B: after "aa" the residual votes 1 for a and the branch `scale` for b. The residual
            dominates until the scale is more than 1.""",
        "scale_must_be_huge":
            """C is false. The logits compare 1 with `scale`, so every scale above 1 gets all three
            right, 2 for example. 1024 only makes the softmax certain.""",
        "branch_needs_the_residual":
            """D is true. The branch alone holds `scale` > 0 for the right token and 0 for the
            other: any positive scale would do.""",
        "right_is_not_certain":
            """E: after "ab" the logits are `scale` and 1, and the softmax gives the right token 1 /
            (1 + e^(1 - scale)). More than 99 % takes a scale above 1 + log 99 = 5.6.""",
    },
}

for question, sentences in STATEMENTS.items():
    for name, sentence in sentences.items():
        turned = f'return "".join(set("{sentence[0]}") ^ set(letters('
        wrong(question, name, question, sentence, LETTERS, turned, END, f"{END}))")
