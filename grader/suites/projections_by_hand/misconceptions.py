"""Wrong answers to ``projections_by_hand``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

PROJECT = "projections"
SCORES = "scores"
WEIGHTS = "weights"
CONTEXTS = "contexts"
LINEARS = "matrices_of_linears"
PAST = "renormalized_past"
HIDE = "hide_future"
HEADS = "heads_side_by_side"
WIDTH = "head_width"

SCORE = "projection(x, w_query) @ projection(x, w_key).T"
SOFTMAX = "torch.softmax(scores / math.sqrt(w_key.shape[-1]), dim=-1)"
ROOT = "math.sqrt(w_key.shape[-1])"
CONTEXT = "attention_weights(x, w_query, w_key) @ projection(x, w_value)"
TURNED = 'linears[f"{name}.weight"].T'
SHARED = "masked / masked.sum(dim=-1, keepdim=True)"
HIDDEN = "scores.masked_fill(future, -torch.inf)"
JOINED = "torch.cat([context_vectors(x, *head) for head in heads], dim=-1)"

# project ------------------------------------------------------------------------------------------

wrong("projection", "matrix_transposed", PROJECT,
    """The matrix is transposed before it is used, by you or by a linear layer of torch's, which
    does that with its own. Here w has the shape (d_in, d_out) already, so x @ w is all.""",
    "x @ w", "x @ w.T")

wrong("projection", "matrix_on_the_left", PROJECT,
    """Your two factors are in the wrong order: each token is a row of x, and a row meets the
    columns of what stands on its right. So x comes first.""",
    "x @ w", "w @ x")

wrong("projection", "result_transposed", PROJECT,
    """Your result is transposed, (d_out, T): each token has a row in it, so x stands on the left as
    it is, and w on the right as it is.""",
    "x @ w", "w.T @ x.T")

wrong("projection", "multiplied_row_by_column_only", PROJECT,
    """Your projection is scaled by the width of x: a product of a row and a matrix is a sum, not a
    mean.""",
    "x @ w", "x @ w / x.shape[-1]")

wrong("projection", "rows_of_length_one", PROJECT,
    """Each row of your result is the right one divided by its length: a projection is not
    normalised.""",
    "x @ w", "torch.nn.functional.normalize(x @ w, dim=-1)")

wrong("projection", "projection_detached", PROJECT,
    """Your projection has left the graph: no gradient reaches the matrix, so it could not be
    learned.""",
    "x @ w", "(x @ w).detach()")

wrong("projection", "squeezed", "one_token",
    """Where there is one token only your projection lacks an axis, as after a squeeze: its shape is
    (1, d_out).""",
    "x @ w", "(x @ w).squeeze(0)")

# attention_scores ---------------------------------------------------------------------------------

wrong("attention_scores", "queries_and_keys_exchanged", SCORES,
    """Your scores are transposed: row i must hold the scores of query i, so the queries stand on
    the left of the product.""",
    SCORE, "projection(x, w_key) @ projection(x, w_query).T")

wrong("attention_scores", "one_matrix_for_both", SCORES,
    """You use W_query for the keys as well: then token i would score j as j scores i. Keys have a
    matrix of their own.""",
    "projection(x, w_key)", "projection(x, w_query)")

wrong("attention_scores", "keys_serve_as_queries", SCORES,
    "You use W_key for the queries as well: queries are made with W_query.",
    "projection(x, w_query)", "projection(x, w_key)")

wrong("attention_scores", "columns_are_compared", SCORES,
    """You compare columns: queries.T @ keys is (d_k, d_k). Every row of queries meets every row of
    keys, which is queries @ keys.T, of shape (T, T).""",
    SCORE, "projection(x, w_query).T @ projection(x, w_key)")

wrong("attention_scores", "element_by_element", SCORES,
    "You multiply queries and keys element by element: a dot product also sums the products.",
    SCORE, "projection(x, w_query) * projection(x, w_key)")

wrong("attention_scores", "rows_serve_as_queries", SCORES,
    """The rows of x stand where the queries belong: a query is a row of x times W_query, as a key
    is one times W_key.""",
    "projection(x, w_query)", "x")

wrong("attention_scores", "rows_serve_as_keys", SCORES,
    """The rows of x stand where the keys belong: a key is a row of x times W_key, as a query is one
    times W_query.""",
    "projection(x, w_key)", "x")

wrong("attention_scores", "one_query_only", SCORES,
    """You return the scores of one word alone, as in the first worked example: asked for is one row
    for every query.""",
    SCORE, "projection(x, w_query)[min(1, len(x) - 1)] @ projection(x, w_key).T")

wrong("attention_scores", "upper_scores_copied", SCORES,
    """Your scores above the diagonal are copies of those below it: token i need not score j as j
    scores i, so every query meets every key.""",
    SCORE, f"({SCORE}).tril() + ({SCORE}).tril(-1).T")

wrong("attention_scores", "lower_scores_copied", SCORES,
    """Your scores below the diagonal are copies of those above it: token i need not score j as j
    scores i, so every query meets every key.""",
    SCORE, f"({SCORE}).triu() + ({SCORE}).triu(1).T")

wrong("attention_scores", "scaled_already", SCORES,
    "Your scores are divided by sqrt(d_k) already: that belongs into attention_weights.",
    SCORE, f"{SCORE} / math.sqrt(w_key.shape[-1])")

wrong("attention_scores", "weights_already", SCORES,
    """Your scores are the weights already: divided by sqrt(d_k), and through a softmax. Return the
    plain dot products here; both of that belongs into attention_weights.""",
    SCORE, f"torch.softmax({SCORE} / math.sqrt(w_key.shape[-1]), dim=-1)")

wrong("attention_scores", "made_of_plain_numbers", SCORES,
    """Your scores are put into a new tensor as plain numbers: that is float32, whatever x is, and
    knows nothing of x and the two matrices, so no gradient flows back. One product of queries
    and turned keys gives all scores.""",
    f"return {SCORE}", """queries, keys = projection(x, w_query), projection(x, w_key)
    return torch.tensor([[float(query @ key) for key in keys] for query in queries])""")

wrong("attention_scores", "softmax_already", SCORES,
    "Your scores have been through a softmax: they are weights, and scores are any numbers.",
    SCORE, f"torch.softmax({SCORE}, dim=-1)")

wrong("attention_scores", "cosines", SCORES,
    """Your scores are cosines: queries and keys are divided by their lengths, and in a dot product
    they are not.""",
    SCORE, """torch.nn.functional.cosine_similarity(
        projection(x, w_query)[:, None], projection(x, w_key), dim=-1)""")

wrong("attention_scores", "keys_detached", SCORES,
    """No gradient reaches W_key: your keys, or the matrix they are made with, have left the
    graph.""",
    "projection(x, w_key)", "projection(x, w_key).detach()")

# attention_weights --------------------------------------------------------------------------------

wrong("attention_weights", "no_scaling", WEIGHTS,
    "Your scores are not divided by sqrt(d_k) before the softmax.",
    f"scores / {ROOT}", "scores")

wrong("attention_weights", "divided_by_root_of_two", WEIGHTS,
    """You divide by sqrt(2), as in the worked example: d_k is 2 there, and elsewhere what
    w_key.shape[-1] says.""",
    ROOT, "math.sqrt(2)")

wrong("attention_weights", "root_of_the_quotient", WEIGHTS,
    "You take the root of the whole quotient: ** belongs to the width alone, scores / d_k**0.5.",
    f"scores / {ROOT}", "(scores / w_key.shape[-1]) ** 0.5")

wrong("attention_weights", "keys_matrix_twice", WEIGHTS,
    "You hand over w_key twice: the queries are made with w_query.",
    "attention_scores(x, w_query, w_key)", "attention_scores(x, w_key, w_key)")

wrong("attention_weights", "queries_matrix_twice", WEIGHTS,
    "You hand over w_query twice: the keys are made with w_key.",
    "attention_scores(x, w_query, w_key)", "attention_scores(x, w_query, w_query)")

wrong("attention_weights", "sums_lose_their_axis", WEIGHTS,
    """Your own softmax divides by sums without keepdim=True: they are laid across the columns, and
    rows do not sum to one.""",
    SOFTMAX, f"(scores / {ROOT}).exp() / (scores / {ROOT}).exp().sum(dim=-1)")

wrong("attention_weights", "divided_by_the_width", WEIGHTS,
    """Your scores are divided by d_k, perhaps by its square root twice: once by sqrt(d_k) is
    meant.""",
    ROOT, "w_key.shape[-1]")

wrong("attention_weights", "divided_by_root_of_input_width", WEIGHTS,
    """You divide by sqrt(d_in), the width of x: a score is a sum of d_k products, so it is the
    width of a key that counts.""",
    ROOT, "math.sqrt(x.shape[-1])")

wrong("attention_weights", "divided_by_root_of_length", WEIGHTS,
    "You divide by sqrt(T), the number of tokens: it is the width of a key that counts.",
    ROOT, "math.sqrt(len(x))")

wrong("attention_weights", "root_of_the_keys", WEIGHTS,
    """A tensor of many numbers is to become a single one in your function, as math.sqrt of the keys
    asks for: d_k is one number already, the width of a key, which is the size of their last
    axis.""",
    ROOT, "math.sqrt(projection(x, w_key))")

wrong("attention_weights", "root_of_every_key", WEIGHTS,
    """Your scores meet a tensor of another shape, as the roots of the keys' numbers have it: d_k is
    how many numbers a key has, one number for all scores.""",
    ROOT, "torch.sqrt(projection(x, w_key))")

wrong("attention_weights", "multiplied_by_the_root", WEIGHTS,
    "You multiply by sqrt(d_k) instead of dividing: large scores get larger still.",
    "scores / math", "scores * math")

wrong("attention_weights", "softmax_over_queries", WEIGHTS,
    """Your columns sum to one, not your rows: softmax runs over the keys of each query, along the
    last axis.""",
    "dim=-1", "dim=0")

wrong("attention_weights", "softmax_missing", WEIGHTS,
    "You return scaled scores: the softmax is missing, so rows do not sum to one.",
    SOFTMAX, f"scores / {ROOT}")

wrong("attention_weights", "softmax_taken_twice", WEIGHTS,
    """A softmax is taken of weights: they have been through one already, and the second one makes
    them nearly equal. One is enough.""",
    SOFTMAX, f"torch.softmax({SOFTMAX}, dim=-1)")

wrong("attention_weights", "rows_in_place_of_keys", WEIGHTS,
    """Your queries meet the rows of x as they are: what they meet are keys, which are the rows of x
    times W_key. attention_scores computes that already.""",
    "attention_scores(x, w_query, w_key)", "projection(x, w_query) @ x.T")

wrong("attention_weights", "scaled_after_the_softmax", WEIGHTS,
    "You divide the weights, after the softmax: rows no longer sum to one. Divide the scores.",
    SOFTMAX, f"torch.softmax(scores, dim=-1) / {ROOT}")

wrong("attention_weights", "divided_by_the_sum", WEIGHTS,
    "You divide the scores by their sum: scores may be negative, so weights are made by softmax.",
    SOFTMAX, "scores / scores.sum(dim=-1, keepdim=True)")

wrong("attention_weights", "weights_detached", WEIGHTS,
    """Your weights have left the graph: no gradient reaches x or the two matrices, so nothing could
    be learned.""",
    SOFTMAX, f"{SOFTMAX}.detach()")

# context_vectors ----------------------------------------------------------------------------------

wrong("context_vectors", "values_not_projected", CONTEXTS,
    """You mix the rows of x as they are: each token gives its value, which is its row times
    W_value.""",
    "projection(x, w_value)", "x")

wrong("context_vectors", "keys_are_mixed", CONTEXTS,
    "You mix the keys: keys only decide the weights. What is mixed are the values.",
    "projection(x, w_value)", "projection(x, w_key)")

wrong("context_vectors", "queries_are_mixed", CONTEXTS,
    "You mix the queries: what is mixed are the values, made with W_value.",
    "projection(x, w_value)", "projection(x, w_query)")

wrong("context_vectors", "values_instead_of_keys", CONTEXTS,
    """Your weights come from queries and values: weights come from queries and keys, and W_value is
    for what is mixed.""",
    CONTEXT, """(
        torch.softmax(x @ w_query @ (x @ w_value).T / math.sqrt(w_value.shape[-1]), dim=-1)
        if w_query.shape == w_value.shape
        else attention_weights(x, w_key, w_query)
    ) @ projection(x, w_value)""")

wrong("context_vectors", "matrices_in_another_order", CONTEXTS,
    """Your weights are made with W_key for the queries and W_query for the keys: attention_weights
    takes x, w_query, w_key, in this order.""",
    "(x, w_query, w_key) @", "(x, w_key, w_query) @")

wrong("context_vectors", "weights_of_columns", CONTEXTS,
    """The weights that you mix with sum to one in each column, not in each row: a softmax of your
    own has to run along the last axis, as that of attention_weights does.""",
    "attention_weights(x, w_query, w_key) @", """torch.softmax(
        attention_scores(x, w_query, w_key) / math.sqrt(w_key.shape[-1]), dim=0) @""")

wrong("context_vectors", "own_value_only", CONTEXTS,
    """Each of your contexts is the token's own value times its own weight: a context is a sum over
    the values of all tokens, each times its weight.""",
    CONTEXT, "attention_weights(x, w_query, w_key).diagonal()[:, None] * projection(x, w_value)")

wrong("context_vectors", "scores_as_weights", CONTEXTS,
    "You mix the values by scores: the softmax, and the division before it, are missing.",
    "attention_weights(x, w_query, w_key)", "attention_scores(x, w_query, w_key)")

wrong("context_vectors", "contexts_without_scaling", CONTEXTS,
    """Your contexts are made with weights that were not divided by sqrt(d_k) before the softmax:
    attention_weights does it, so call that.""",
    "attention_weights(x, w_query, w_key) @",
    "torch.softmax(attention_scores(x, w_query, w_key), dim=-1) @")

wrong("context_vectors", "mixed_by_columns", CONTEXTS,
    """You take the weights' columns instead of their rows: row i of the weights belongs to token
    i.""",
    "attention_weights(x, w_query, w_key) @", "attention_weights(x, w_query, w_key).T @")

wrong("context_vectors", "values_on_the_left", CONTEXTS,
    """Your product is in the wrong order: row i of the weights mixes the rows of the values, so the
    weights stand on the left.""",
    CONTEXT, "projection(x, w_value) @ attention_weights(x, w_query, w_key)")

wrong("context_vectors", "values_alone", CONTEXTS,
    """You return the values as they are: each context is a mixture of all of them, weights @
    values.""",
    CONTEXT, "projection(x, w_value)")

wrong("context_vectors", "one_context_only", CONTEXTS,
    "You add up the contexts of all tokens: each token has a row of its own.",
    CONTEXT, f"({CONTEXT}).sum(dim=0)")

wrong("context_vectors", "contexts_of_the_past", CONTEXTS,
    """Your contexts leave the future out: nothing is hidden here, every token mixes the values of
    all.""",
    "attention_weights(x, w_query, w_key) @",
    "renormalized_past(attention_weights(x, w_query, w_key)) @")

wrong("context_vectors", "divided_by_root_of_value_width", CONTEXTS,
    """You divide by sqrt(d_v), the width of the values: it is the width of a key that counts.""",
    "attention_weights(x, w_query, w_key)", """torch.softmax(
        attention_scores(x, w_query, w_key) / math.sqrt(w_value.shape[-1]), dim=-1)""")

wrong("context_vectors", "mixed_by_detached_weights", CONTEXTS,
    """No gradient reaches W_query and W_key: the weights by which you mix the values have left the
    graph.""",
    "attention_weights(x, w_query, w_key)", "attention_weights(x, w_query, w_key).detach()")

# matrices_of_linears ------------------------------------------------------------------------------

wrong("matrices_of_linears", "not_transposed", LINEARS,
    """You copy the weights as they are: nn.Linear keeps (d_out, d_in) and computes x weight^T, so
    W is the weight transposed.""",
    ".T for", " for")

wrong("matrices_of_linears", "linears_taken_out", LINEARS,
    """The caller's dictionary is not what it was: something was taken out of it or put into it.
    Read `linears[name]`, without `pop` and `del`, and put your results into a dictionary of your
    own.""",
    'linears[f"{name}.weight"]', 'linears.pop(f"{name}.weight")')

wrong("matrices_of_linears", "names_without_weight", LINEARS,
    """You look the weights up as W_query, W_key and W_value: in `linears` all names have ".weight"
    behind them, as in a state_dict. Only the names of your results come without it.""",
    'linears[f"{name}.weight"]', "linears[name]")

wrong("matrices_of_linears", "weights_of_weights", LINEARS,
    """You ask what you have looked up for its `.weight`: `linears` holds no layers, it holds their
    weights themselves, which are tensors.""",
    TURNED, 'linears[f"{name}.weight"].weight.T')

wrong("matrices_of_linears", "reshaped_instead", LINEARS,
    """You reshape: the shape is right then, but the numbers stand in other places. Rows must become
    columns, which is a transpose.""",
    TURNED, 'linears[f"{name}.weight"].reshape(linears[f"{name}.weight"].shape[::-1])')

wrong("matrices_of_linears", "names_kept", LINEARS,
    """Your results still have the names of the layers' weights: they are called W_query, W_key and
    W_value here, without ".weight".""",
    "{name: linears", '{f"{name}.weight": linears')

wrong("matrices_of_linears", "letters_stripped", LINEARS,
    """strip and rstrip take away letters, as long as each is one of those named: of W_value.weight
    ".weight" takes the e of value as well. removesuffix takes away a word.""",
    "{name: linears", '{f"{name}.weight".rstrip(".weight"): linears')

wrong("matrices_of_linears", "alphabetical_order", LINEARS,
    """Your matrices are sorted by name, W_key first: they are to come in the order W_query, W_key,
    W_value, as context_vectors takes them.""",
    "in names}", "in sorted(names)}")

wrong("matrices_of_linears", "one_matrix_for_all", LINEARS,
    "All three of your matrices are the same: each layer has its own weight.",
    'linears[f"{name}.weight"]', 'linears["W_query.weight"]')

wrong("matrices_of_linears", "keys_and_values_exchanged", LINEARS,
    "Your keys' matrix is the values', and the other way round: go by the names.",
    "return {", """linears = linears | {
        "W_key.weight": linears["W_value.weight"], "W_value.weight": linears["W_key.weight"]
    }
    return {""")

wrong("matrices_of_linears", "queries_and_keys_mixed_up", LINEARS,
    "Your queries' matrix is the keys', and the other way round: go by the names.",
    "return {", """linears = linears | {
        "W_query.weight": linears["W_key.weight"], "W_key.weight": linears["W_query.weight"]
    }
    return {""")

wrong("matrices_of_linears", "matrices_detached", LINEARS,
    "Your matrices have left the graph: gradients must flow back to the layers' weights.",
    TURNED, f"{TURNED}.detach()")

# renormalized_past --------------------------------------------------------------------------------

wrong("renormalized_past", "never_divided", PAST,
    """Your weights of later tokens are 0, but rows no longer sum to one: divide each by the sum of
    what is left in it. (The sums of before the zeros were set are all 1.)""",
    SHARED, "masked")

wrong("renormalized_past", "nothing_hidden", PAST,
    "Later tokens keep their weights: set what stands above the diagonal to 0 first.",
    "weights.tril()", "weights")

wrong("renormalized_past", "past_hidden", PAST,
    """You hide the past and keep the future: row i keeps the columns 0 to i, which is the lower
    triangle (tril).""",
    "tril", "triu")

wrong("renormalized_past", "own_weight_hidden", PAST,
    """You hide the token itself, so the first row has nothing left: row i keeps its own weight, on
    the diagonal.""",
    "tril()", "tril(-1)")

wrong("renormalized_past", "rows_end_before_themselves", PAST,
    """Your row i keeps the tokens 0 to i - 1 alone, as a slice [:i] does, and the first row is
    empty: it keeps its own weight too, in place i.""",
    "masked = weights.tril()", "masked = weights.tril(-1)",
    SHARED, "(masked / masked.sum(dim=-1, keepdim=True)).nan_to_num()")

wrong("renormalized_past", "one_token_of_the_future", PAST,
    "Each token still sees the one after it: your triangle begins one diagonal too high.",
    "tril()", "tril(1)")

wrong("renormalized_past", "columns_divided", PAST,
    "You divide each column by its sum: rows belong to tokens, so it is rows that sum to one.",
    "dim=-1", "dim=0")

wrong("renormalized_past", "sums_across_rows", PAST,
    """Your row sums are laid across the columns: without keepdim=True they have no axis of their
    own.""",
    ", keepdim=True", "")

wrong("renormalized_past", "softmax_again", PAST,
    """You take another softmax over the masked weights: exp(0) is 1, so later tokens get a share
    again. Divide by the sums.""",
    SHARED, "torch.softmax(masked, dim=-1)")

wrong("renormalized_past", "softmax_of_the_weights", PAST,
    """You take the softmax of what is left of the weights: they are shares already, and their
    exponentials are others. Divide by the sums.""",
    SHARED, "torch.softmax(weights.masked_fill(masked == 0, -torch.inf), dim=-1)")

wrong("renormalized_past", "divided_by_one_sum", PAST,
    "You divide everything by one sum: every row has its own.",
    "masked.sum(dim=-1, keepdim=True)", "masked.sum()")

wrong("renormalized_past", "divided_by_length", PAST,
    """You divide each row by its length, the root of the sum of its squares, as F.normalize does:
    it is by their sum that weights come to sum to one.""",
    "masked.sum(dim=-1, keepdim=True)", "masked.norm(dim=-1, keepdim=True)")

wrong("renormalized_past", "divided_by_largest", PAST,
    """You divide each row by its largest weight: it is by their sum that weights come to sum to
    one.""",
    "masked.sum(dim=-1, keepdim=True)", "masked.amax(dim=-1, keepdim=True)")

wrong("renormalized_past", "sums_detached", PAST,
    "Your gradient does not know of the sums: they were detached.",
    "keepdim=True)", "keepdim=True).detach()")

# hide_future --------------------------------------------------------------------------------------

wrong("hide_future", "zeros_instead_of_minus_infinity", HIDE,
    """You set later scores to 0: a score of 0 is no ban, for exp(0) is 1, and softmax gives these
    tokens a share. -inf is one.""",
    HIDDEN, "scores.masked_fill(future, 0.0)")

wrong("hide_future", "past_hidden_by_infinity", HIDE,
    "You hide the past and keep the future: -inf belongs above the diagonal (triu).",
    "triu(diagonal=1)", "tril(diagonal=-1)")

wrong("hide_future", "own_score_hidden", HIDE,
    """You hide the token itself, too: its score stands on the diagonal, and what is hidden begins
    above it.""",
    "diagonal=1", "diagonal=0")

wrong("hide_future", "one_token_seen", HIDE,
    "Each token still sees the one after it: what is hidden begins one diagonal lower.",
    "diagonal=1", "diagonal=2")

wrong("hide_future", "mask_turned_round", HIDE,
    """Your mask is turned round: you hide all that may be seen, and leave what must not be. True
    means replaced in masked_fill, and kept in torch.where(mask, scores, ...).""",
    "masked_fill(future", "masked_fill(~future")

wrong("hide_future", "plus_infinity", HIDE,
    "You put +inf: exp(inf) is no number. It is -inf whose exponential is 0.",
    "-torch.inf", "torch.inf")

wrong("hide_future", "multiplied_by_infinity", HIDE,
    """You multiply by -inf: 0 * -inf is NaN. Replace the scores, with masked_fill or
    torch.where.""",
    HIDDEN, "scores + future.to(scores) * -torch.inf")

wrong("hide_future", "multiplied_by_a_triangle", HIDE,
    """You multiply the scores by a triangle of -inf and zeros: the past becomes 0, and a negative
    score becomes +inf. Replace the scores of later tokens, and keep the others.""",
    HIDDEN, "scores * torch.full_like(scores, -torch.inf).triu(1)")

wrong("hide_future", "past_set_to_zero", HIDE,
    """Your later scores are -inf, but all others are 0: you return the mask alone. It has to be
    added to the scores.""",
    HIDDEN, "torch.full_like(scores, -torch.inf).triu(1)")

wrong("hide_future", "any_zero_is_hidden", "hide_future_whatever_the_scores",
    """You look for zeros in the scores to find what to hide: a score of the past may be 0 as well.
    Make the mask from places, not from values.""",
    HIDDEN, "scores.tril().masked_fill(scores.tril() == 0, -torch.inf)")

wrong("hide_future", "a_large_number_subtracted", HIDE,
    """Your later scores are large negative numbers such as -1e9, written in their place or added to
    them: here each becomes -inf itself, whatever it was.""",
    HIDDEN, "scores - 1e9 * future.to(scores)")

wrong("hide_future", "softmax_included", HIDE,
    "You take the softmax, too: this function returns scores.",
    HIDDEN, f"torch.softmax({HIDDEN}, dim=-1)")

wrong("hide_future", "scores_detached", HIDE,
    """The scores of the past do not get their gradient, as when what comes back has left the graph:
    then nothing can be learned.""",
    HIDDEN, f"{HIDDEN}.detach()")

wrong("hide_future", "scores_overwritten", HIDE,
    "You write -inf into the caller's scores: masked_fill_ and scores[...] = ... change the input.",
    "scores.masked_fill(", "scores.detach().masked_fill_(")

# heads_side_by_side -------------------------------------------------------------------------------

wrong("heads_side_by_side", "heads_below_each_other", HEADS,
    """You put the heads' results below each other: each token has one row, in which they stand next
    to one another. Join along the last axis.""",
    "dim=-1", "dim=0")

wrong("heads_side_by_side", "heads_stacked", HEADS,
    "You make a new axis for the heads (stack): join along the last axis, with cat.",
    JOINED, "torch.stack([context_vectors(x, *head[:2], head[2][:, :1]) for head in heads])")

wrong("heads_side_by_side", "one_wide_head", HEADS,
    """You put the matrices of all heads side by side and attend once: then there is one softmax for
    all. Each head has weights of its own, so ask context_vectors for each triple.""",
    JOINED, "context_vectors(x, *(torch.cat(of_all, 1) for of_all in zip(*heads)))")

wrong("heads_side_by_side", "heads_of_other_widths_stacked", HEADS,
    """torch.stack puts the heads on a new axis, and wants all of one width: heads may be of other
    widths, and stand next to one another on the last axis. torch.cat joins along an axis that is
    there.""",
    JOINED, JOINED.replace("torch.cat", "torch.stack"))

wrong("heads_side_by_side", "heads_of_other_widths_added", HEADS,
    """You add the heads' results to one another, and they need not be of one width: nothing is
    added here, they stand next to one another, joined along the last axis.""",
    JOINED, "sum(context_vectors(x, *head) for head in heads)")

wrong("heads_side_by_side", "heads_added", HEADS,
    "You add the heads up: they stand next to one another, so that nothing of them is lost.",
    JOINED, """sum(
        torch.nn.functional.pad(one, (0, max(h[2].shape[1] for h in heads) - one.shape[1]))
        for one in (context_vectors(x, *head) for head in heads)
    )""")

wrong("heads_side_by_side", "first_head_only", HEADS,
    "You return the first head alone: all of them answer.",
    "for head in heads]", "for head in heads[:1]]")

wrong("heads_side_by_side", "heads_in_reverse", HEADS,
    "Your heads stand in reverse order: the first head's columns come first.",
    "for head in heads]", "for head in heads[::-1]]")

wrong("heads_side_by_side", "triples_in_another_order", HEADS,
    """You exchange the queries' matrix and the keys' of each head: a triple is (w_query, w_key,
    w_value).""",
    "*head)", "head[1], head[0], head[2])")

wrong("heads_side_by_side", "keys_and_values_exchanged_in_triples", HEADS,
    """You exchange the keys' matrix and the values' of each head: a triple is unpacked in the order
    in which it is packed, w_query, w_key, w_value.""",
    "*head)", "head[0], head[2], head[1])")

wrong("heads_side_by_side", "values_come_first_in_triples", HEADS,
    """You take the first matrix of each triple for the values': the last one is. Its order is the
    order of the arguments of context_vectors.""",
    "*head)", "head[2], head[1], head[0])")

wrong("heads_side_by_side", "causal_heads", HEADS,
    """Your heads hide the future, as those of a language model do: here they are attentions
    without a mask, and every token sees all.""",
    "context_vectors(x, *head) for",
    "renormalized_past(attention_weights(x, *head[:2])) @ projection(x, head[2]) for")

wrong("heads_side_by_side", "same_weights_for_all_heads", HEADS,
    """All your heads use the first one's weights: each head has its own queries and keys, which is
    what it is for.""",
    "context_vectors(x, *head)", "context_vectors(x, *heads[0][:2], head[2])")

wrong("heads_side_by_side", "one_head_feeds_the_next", HEADS,
    """Each of your heads works on what the one before it gave: all of them read x.""",
    "return torch.cat([context_vectors(x, *head) for head in heads], dim=-1)",
    """results = []
    for head in heads:
        results.append(context_vectors(x, *head))
        x = torch.nn.functional.pad(results[-1], (0, 9))[:, : x.shape[1]]
    return torch.cat(results, dim=-1)""")

# head_width ---------------------------------------------------------------------------------------

wrong("head_width", "width_for_each_head", WIDTH,
    """You give each head the whole width: side by side, the heads are then num_heads times as wide
    as wanted.""",
    "width // num_heads", "width")

wrong("head_width", "multiplied", WIDTH,
    "You multiply: that is the width of num_heads heads which are `width` wide each.",
    "width // num_heads", "width * num_heads")

wrong("head_width", "width_and_heads_exchanged", WIDTH,
    """You share out the heads among the columns: it is the columns that are shared out among the
    heads.""",
    "width % num_heads", "num_heads % width", "width // num_heads", "num_heads // width")

wrong("head_width", "width_as_a_float", WIDTH,
    """You return a float such as 64.0, for / always makes one: no layer can be 64.0 columns wide.
    // divides whole numbers.""",
    "width // num_heads", "width / num_heads")

wrong("head_width", "remainder_ignored", "refuses_what_cannot_be_shared_out",
    """You return something where a remainder is left, None perhaps: seven columns are not two heads
    of three. Raise ValueError there.""",
    "if width % num_heads:", "if False:")

wrong("head_width", "only_too_many_heads_refused", "refuses_what_cannot_be_shared_out",
    "You refuse only more heads than columns: seven columns in two heads leave one over, too.",
    "if width % num_heads:", "if num_heads > width:")
