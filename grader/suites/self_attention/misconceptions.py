"""Wrong answers to ``self_attention``: its page with a slip, and what the author is told."""

from __future__ import annotations

from self_attention import SelfAttention_v2

from grader.check import Bank

wrong = Bank()

V1, V2, CAUSAL = "SelfAttention_v1", "SelfAttention_v2", "CausalAttention"
SLOW, CAUSAL_SLOW = "v1_and_v2_take_all_tokens_at_once", "causal_takes_all_tokens_at_once"
V1_ONE, V2_ONE = "v1_on_one_sequence", "v2_on_one_sequence"
DOMINATES, SHORTER = "causal_future_that_dominates", "causal_shorter_sequences"
REFUSES, DROPS = "causal_refuses_longer_sequences", "causal_dropout_acts_on_the_weights"
MOVES, STARTS = "layers_move_to_other_devices", "v2_and_causal_start_random"
FOLLOW, EQUAL = "layers_follow_their_parameters", "equal_sizes"
EACH_ALONE = "causal_dropout_falls_on_each_weight_alone"

MATRIX = "nn.Parameter(torch.rand(d_in, d_out))"
V1_PARTS = "x @ self.W_query, x @ self.W_key, x @ self.W_value"
PARTS = "self.W_query(x), self.W_key(x), self.W_value(x)"
WIDTH, ROOT = "keys.shape[-1]", " / math.sqrt(keys.shape[-1])"
FIT, SWAPPED = "queries @ keys.mT", "keys @ queries.mT"
REVERSED = "keys.permute(*range(keys.ndim)[::-1])"
SOFTMAX = "scores.softmax(dim=-1)"
EXPONENTIALS = "scores.exp() / scores.exp().sum(-1, keepdim=True)"
BUFFER = 'self.register_buffer("mask", past, persistent=False)'
TOO_LONG = 'raise ValueError(f"{length} tokens do not fit into a context of {context_length}")'
PAST = "self.mask[:length, :length]"
FILL = f".masked_fill(~{PAST}, -torch.inf)"
HIDDEN = f"scores = scores{FILL}"
DROPPED = f"self.dropout({SOFTMAX})"

# Each of the three classes: its name, how names of its slips begin, what the author calls it, the
# check of its formula, and how a matrix is used.
CLASSES = (
    (V1, "v1", "Your v1", V1_ONE, "x @ self.W_{}"),
    (V2, "v2", "Your v2", V2_ONE, "self.W_{}(x)"),
    (CAUSAL, "causal", "Your causal attention", "causal", "self.W_{}(x)"),
)

# Right, but slow ----------------------------------------------------------------------------------

wrong(V1, "v1_token_by_token", SLOW,
    """Your answers are right, but v1 goes through the tokens in a Python loop: x @ W_query is all
    queries, and queries @ keys.mT all of their scores.""",
    "x @ self.W_query", "[token @ self.W_query for token in x.unbind(-2)]",
    FIT, "torch.stack([(keys @ q[..., None])[..., 0] for q in queries], -2)")

wrong(V1, "v1_score_by_score", SLOW,
    """Your answers are right, but v1 goes through all pairs of tokens in Python, as if by hand:
    queries @ keys.mT is all of their scores.""",
    FIT, """torch.stack([
            torch.stack([(query * key).sum(-1) for key in keys.unbind(-2)], -1)
            for query in queries.unbind(-2)
        ], -2)""")

wrong(V2, "v2_token_by_token", SLOW,
    """Your answers are right, but v2 goes through the tokens in a Python loop: nn.Linear works on
    the last axis of all tokens at once, and queries @ keys.mT is all scores.""",
    PARTS, """(
            torch.stack([layer(token) for token in x.unbind(-2)], -2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )""")

wrong(CAUSAL, "causal_row_by_row", CAUSAL_SLOW,
    """Your answers are right, but in every call a Python loop goes through the tokens: the linear
    layers and @ take all of them at once, and one masked_fill with the triangle hides the future in
    all rows.""",
    HIDDEN, """for i in range(length):
            scores[..., i, i + 1 :] = -torch.inf""")

wrong(CAUSAL, "causal_number_by_number", CAUSAL_SLOW,
    """Your answers are right, but in every call Python goes through all pairs of tokens:
    masked_fill takes the whole triangle, torch.ones(T, T).triu(1).""",
    HIDDEN, """for i in range(length):
            for j in range(i + 1, length):
                scores[..., i, j] = -torch.inf""")

# SelfAttention_v1 ---------------------------------------------------------------------------------

wrong(V1, "v1_no_scaling", V1_ONE,
    """Your v1 equals self-attention without the division by sqrt(d_out): divide the scores before
    the softmax.""",
    ROOT, "")

wrong(V1, "v1_divides_by_width", V1_ONE,
    """Your v1 divides the scores by d_out, at once or twice by its square root: once by the
    square root is meant.""",
    "math.sqrt(keys.shape[-1])", "keys.shape[-1]")

wrong(V1, "v1_root_of_input_width", V1_ONE,
    "Your v1 divides by sqrt(d_in), the width of x: queries and keys have the width d_out.",
    WIDTH, "x.shape[-1]")

wrong(V1, "v1_root_of_length", V1_ONE,
    "Your v1 divides by the root of the number of tokens: d_out is the last axis of the keys.",
    WIDTH, "keys.shape[-2]")

wrong(V1, "v1_transposes_every_axis", "v1_on_batches",
    """Your v1 turns the wrong axes around where a batch stands in front, as keys.T does, which
    turns all of them: swap the last two only, keys.transpose(-2, -1).""",
    "keys.mT", REVERSED)

wrong(V1, "v1_two_or_three_axes_only", "v1_on_batches",
    """Your v1 takes a sequence and a batch of them, but there may be more leading axes: @ takes any
    number, while bmm takes three axes and no more.""",
    FIT, f"({FIT} if x.ndim == 2 else torch.bmm(queries, keys.mT))")

wrong(V1, "v1_query_by_query_of_the_first_axis", "v1_on_batches",
    """Your v1 takes one query after the other in a Python loop, and a loop goes through the first
    axis: with a batch these are the sequences. Hand all queries to one product,
    queries @ keys.transpose(-2, -1), whatever axes come before.""",
    f"return {SOFTMAX} @ values",
    """root = math.sqrt(keys.shape[-1])
        answers = [(keys @ query / root).softmax(-1) @ values for query in queries]
        return torch.stack(answers)""")

wrong(V1, "v1_scale_on_the_cpu", MOVES,
    """Your v1 makes a tensor on the CPU wherever x is: math.sqrt needs none, or pass
    device=x.device.""",
    "math.sqrt(keys.shape[-1])", "torch.full((1,), keys.shape[-1]).sqrt().to(x.dtype)")

wrong(V1, "v1_softmax_over_axis_one", "v1_on_batches",
    """Your v1 normalises over axis 1, which holds the keys only as long as there is no batch:
    softmax takes dim=-1.""",
    "dim=-1", "dim=1")

wrong(V1, "v1_softmax_over_queries", V1_ONE,
    """Your v1 normalises over the queries: each token shares its weight among the keys, so softmax
    takes dim=-1.""",
    "dim=-1", "dim=-2")

wrong(V1, "v1_softmax_over_axis_zero", V1_ONE,
    """Your v1 normalises over axis 0, which counts the queries, or sentences if there is a batch:
    the weights of one query sum to 1, along the last axis of the scores.""",
    "dim=-1", "dim=0")

wrong(V1, "v1_keys_ask_queries", V1_ONE,
    "Your v1 has queries and keys swapped: row i must hold the scores of query i.",
    FIT, SWAPPED)

wrong(V1, "v1_returns_weights_only", V1_ONE,
    "Your v1 returns the weights or the scores, of shape (T, T): the answers are weights @ values.",
    f"{SOFTMAX} @ values", SOFTMAX)

wrong(V1, "v1_averages_keys", V1_ONE,
    """Your v1 averages the keys, or makes the values with W_key, which is the same: W_value is
    never used. Keys only decide the weights, and values are x @ W_value.""",
    "@ values", "@ keys")

wrong(V1, "v1_averages_tokens", V1_ONE,
    "Your v1 averages the tokens themselves: average their values, x @ W_value.",
    "@ values", "@ x")

wrong(V1, "v1_scores_tokens", V1_ONE,
    """Your v1 scores the tokens with each other, not their queries with their keys: W_query and
    W_key are never used.""",
    "x @ self.W_query, x @ self.W_key", "x, x")

wrong(V1, "v1_keys_made_of_queries", f"example_v1 {V1_ONE}",
    """Your v1 makes keys of the queries, or values of queries or keys: all three are products of x
    itself, each with a matrix of its own.""",
    V1_PARTS, "x @ self.W_query, x @ self.W_query @ self.W_key, x @ self.W_value")

wrong(V1, "v1_no_softmax", V1_ONE,
    "Your v1 averages with the raw scores: softmax must turn them into weights first.",
    ".softmax(dim=-1)", "")

wrong(V1, "v1_plain_sum", V1_ONE,
    """Your v1 divides the scores by their sum: scores may be negative, weights must not be. Use
    softmax.""",
    SOFTMAX, "scores / scores.sum(-1, keepdim=True)")

wrong(V1, "v1_scales_after_softmax", V1_ONE,
    "Your v1 scales after the softmax, so the weights no longer sum to one: scale the scores.",
    ROOT, "", SOFTMAX, f"{SOFTMAX}{ROOT}")

wrong(V1, "v1_unstable_softmax", "v1_large_scores",
    """Your v1 takes exponentials of large numbers, as the scores are, and they overflow from 89 on:
    use torch.softmax, which subtracts the row's maximum.""",
    SOFTMAX, EXPONENTIALS)

wrong(V1, "v1_one_maximum_for_all", "v1_large_scores",
    """Your v1 does not subtract the maximum of each row, but another number (one maximum for all
    rows, say): a row far below it underflows to 0 / 0. Every query needs the maximum of its own
    row.""",
    SOFTMAX, "((scores - scores.max()).exp() / (scores - scores.max()).exp().sum(-1, True))")

wrong(V1, "v1_causal", V1_ONE,
    "Your v1 hides later tokens: only CausalAttention does, here everybody sees everybody.",
    "return scores", """later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        return scores.masked_fill(later, -torch.inf)""")

wrong(V1, "v1_matrices_transposed", V1_ONE,
    """Your v1 keeps its matrices as (d_out, d_in): bare matrices are (d_in, d_out) here, and q = x
    @ W_query. Only nn.Linear keeps them the other way round.""",
    "super().__init__()", "super().__init__()\n        d_in, d_out = d_out, d_in",
    V1_PARTS, "x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T")

wrong(V1, "v1_plain_tensors", V1_ONE,
    """Your v1 holds its matrices as plain tensors, which no optimiser will ever see: wrap them in
    nn.Parameter.""",
    *(MATRIX, "torch.rand(d_in, d_out)") * 3)

wrong(V1, "v1_frozen", V1_ONE,
    """The matrices of your v1 get no gradient (requires_grad=False, .data or detach), so they never
    learn: leave that out.""",
    *(MATRIX, "nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)") * 3)


@wrong.instead_of(V1, V1_ONE)
class V1IsV2(SelfAttention_v2):
    """Your v1 uses nn.Linear: that is v2. Here W_query, W_key and W_value are bare parameters."""


wrong(V1, "v1_one_matrix", V1_ONE,
    "Your v1 has one matrix under three names: queries, keys and values need one each.",
    f"W_key = {MATRIX}", "W_key = self.W_query", f"W_value = {MATRIX}", "W_value = self.W_query")

wrong(V1, "v1_starts_at_zero", "v1_starts_random",
    """A matrix of your v1 does not start with random numbers, but with zeros, with equal numbers or
    the like, or with memory that nobody has filled (torch.empty, torch.Tensor): nothing good can be
    learned from there. Draw the numbers of each of the three, for instance by torch.rand.""",
    *("torch.rand", "torch.zeros") * 3)

wrong(V1, "v1_starts_with_copies", "v1_starts_random",
    "Two matrices of your v1 start with the same numbers: draw each of the three on its own.",
    f"W_key = {MATRIX}", "W_key = nn.Parameter(self.W_query.detach().clone())",
    f"W_value = {MATRIX}", "W_value = nn.Parameter(self.W_query.detach().clone())")

wrong(V1, "v1_starts_with_multiples", "v1_starts_random",
    "A matrix of your v1 starts as a multiple of another: draw each of the three on its own.",
    f"W_value = {MATRIX}", "W_value = nn.Parameter(2 * self.W_query.detach())")

wrong(V1, "v1_seeds", "v1_starts_random",
    """Every v1 that is made starts out with the same numbers, as where its __init__ seeds the
    random numbers: leave the seed to the caller.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(123)")

wrong(V1, "v1_detached", V1_ONE,
    "Your v1 leaves the graph, so its matrices never learn: no detach, .data or no_grad.",
    f"{SOFTMAX} @ values", f"({SOFTMAX} @ values).detach()")

wrong(V1, "v1_always_float32", "example_v1",
    "Your v1 answers in float32 where x has another dtype: the dtype out must be the dtype in.",
    V1_PARTS, "(x @ self.W_query).float(), (x @ self.W_key).float(), (x @ self.W_value).float()")

wrong(V1, "v1_returns_weights_too", V1_ONE,
    "Your v1 returns more than the answers, as the weights: return the answers alone.",
    "@ values", f"@ values, {SOFTMAX}")

# SelfAttention_v2 ---------------------------------------------------------------------------------

wrong(V2, "v2_no_scaling", V2_ONE,
    """Your v2 equals self-attention without the division by sqrt(d_out): divide the scores before
    the softmax.""",
    ROOT, "")

wrong(V2, "v2_divides_by_width", V2_ONE,
    """Your v2 divides the scores by d_out, at once or twice by its square root: once by the
    square root is meant.""",
    "math.sqrt(keys.shape[-1])", "keys.shape[-1]")

wrong(V2, "v2_root_of_length", V2_ONE,
    "Your v2 divides by the root of the number of tokens: d_out is the last axis of the keys.",
    WIDTH, "keys.shape[-2]")

wrong(V2, "v2_root_of_input_width", V2_ONE,
    "Your v2 divides by sqrt(d_in), the width of x: queries and keys have the width d_out.",
    WIDTH, "x.shape[-1]")

wrong(V2, "v2_transposes_every_axis", "v2_on_batches",
    """Your v2 turns the wrong axes around where a batch stands in front, as keys.T does, which
    turns all of them: swap the last two only, keys.transpose(-2, -1).""",
    "keys.mT", REVERSED)

wrong(V2, "v2_two_or_three_axes_only", "v2_on_batches",
    """Your v2 takes a sequence and a batch of them, but there may be more leading axes: @ takes any
    number, while bmm takes three axes and no more.""",
    FIT, f"({FIT} if x.ndim == 2 else torch.bmm(queries, keys.mT))")

wrong(V2, "v2_looks_an_axis_up_by_its_size", EQUAL,
    """Your v2 looks for the tokens' axis by its length, and finds the batch where both are equal:
    count axes from the right, -2 and -1.""",
    "keys.mT", "keys.transpose(keys.shape.index(x.shape[-2]), -1)")

wrong(V2, "v2_keeps_its_product", FOLLOW,
    """Your v2 keeps its weights from an earlier call (joined into one, say): after a step of the
    optimiser it still answers with the old ones. Take them afresh in every call.""",
    f"queries, keys, values = {PARTS}", """layers = (self.W_query, self.W_key, self.W_value)
        if x.ndim == 3 and layers[0].bias is None:
            if not hasattr(self, "joined"):
                self.joined = torch.cat([layer.weight.detach() for layer in layers])
            queries, keys, values = (x @ self.joined.to(x).mT).chunk(3, dim=-1)
        else:
            queries, keys, values = (layer(x) for layer in layers)""")

wrong(V2, "v2_seeds", STARTS,
    """Every v2 that is made starts out with the same numbers, as where its __init__ seeds the
    random numbers: leave the seed to whoever runs the training.""",
    "super().__init__()", "super().__init__()\n        torch.manual_seed(123)")

wrong(V2, "v2_starts_at_zero", STARTS,
    """A matrix of your v2 does not start with random numbers, but with zeros, with equal numbers or
    the like: nn.Linear starts random by itself.""",
    "W_value = nn.Linear(d_in, d_out, bias=qkv_bias)", """W_value = nn.Linear(d_in, d_out, qkv_bias)
        for weight in self.parameters():
            nn.init.zeros_(weight)""")

wrong(V2, "v2_unstable_in_eval", "v2_large_scores",
    """After eval() your v2 takes exponentials of the scores as they are, and they overflow from 89
    on: use torch.softmax in both modes.""",
    SOFTMAX, f"({SOFTMAX} if self.training else {EXPONENTIALS})")

wrong(V2, "v2_softmax_over_axis_one", "v2_on_batches",
    """Your v2 normalises over axis 1, which holds the keys only as long as there is no batch:
    softmax takes dim=-1.""",
    "dim=-1", "dim=1")

wrong(V2, "v2_softmax_over_queries", V2_ONE,
    """Your v2 normalises over the queries: each token shares its weight among the keys, so softmax
    takes dim=-1.""",
    "dim=-1", "dim=-2")

wrong(V2, "v2_softmax_over_axis_zero", V2_ONE,
    """Your v2 normalises over axis 0: of one sentence these are the queries, of several the
    sentences. The weights of one query sum to 1, along the last axis of the scores.""",
    "dim=-1", "dim=0")

wrong(V2, "v2_keys_made_of_queries", V2_ONE,
    """Your v2 hands a layer what another layer has made, as W_key the queries: all three layers
    take x, so that queries, keys and values are all made of the tokens.""",
    PARTS, "self.W_query(x), self.W_key(self.W_query(x)), self.W_value(x)")

wrong(V2, "v2_averages_keys", V2_ONE,
    """Your v2 averages the keys, or makes the values with W_key, which is the same: W_value is
    never used. Keys only decide the weights, and values are self.W_value(x).""",
    "@ values", "@ keys")

wrong(V2, "v2_keys_ask_queries", V2_ONE,
    "Your v2 has queries and keys swapped: row i must hold the scores of query i.",
    FIT, SWAPPED)

wrong(V2, "v2_unstable_softmax", "v2_large_scores",
    """Your v2 takes exponentials of large numbers, as the scores are, and they overflow from 89 on:
    use torch.softmax, which subtracts the row's maximum.""",
    SOFTMAX, EXPONENTIALS)

wrong(V2, "v2_one_maximum_for_all", "v2_large_scores",
    """Your v2 does not subtract the maximum of each row, but another number (one maximum for all
    rows, say): a row far below it underflows to 0 / 0. Every query needs the maximum of its own
    row.""",
    SOFTMAX, "((scores - scores.max()).exp() / (scores - scores.max()).exp().sum(-1, True))")

wrong(V2, "v2_never_biased", "v2_biases",
    "Your v2 has no biases even with qkv_bias=True: pass it on, bias=qkv_bias.",
    *("bias=qkv_bias", "bias=False") * 3)

wrong(V2, "v2_always_biased", V2_ONE,
    "Your v2 always has biases: nn.Linear has one unless told otherwise. Pass bias=qkv_bias.",
    *(", bias=qkv_bias", "") * 3)

wrong(V2, "v2_biases_unused", "v2_biases",
    """Your v2 multiplies by the weights alone and forgets the biases: call the layers,
    self.W_query(x).""",
    PARTS, "x @ self.W_query.weight.T, x @ self.W_key.weight.T, x @ self.W_value.weight.T")

wrong(V2, "v2_with_output_projection", V2_ONE,
    "Your v2 has an output projection: that comes with several heads, not here.",
    "super().__init__()", "super().__init__()\n        self.out_proj = nn.Linear(d_out, d_out)",
    f"{SOFTMAX} @ values", f"self.out_proj({SOFTMAX} @ values)")

# CausalAttention: the mask ------------------------------------------------------------------------

wrong(CAUSAL, "causal_sees_everything", "causal",
    "Your causal attention hides nothing: token i must not see the tokens after i.",
    FILL, "")

wrong(CAUSAL, "causal_sees_the_future", "causal",
    """Your causal mask is upside down: every token sees itself and the future. What must be hidden
    is above the diagonal.""",
    "tril()", "triu()")

wrong(CAUSAL, "causal_fills_where_allowed", "causal",
    """Your causal mask is read the wrong way round: -inf falls on the tokens 0..i, which token i
    may attend to, and those after it are left. The last token is left nothing. Give -inf to what is
    above the diagonal.""",
    f"~{PAST}", PAST)

wrong(CAUSAL, "causal_hides_itself", "causal",
    """Your causal mask hides every token from itself, and leaves the first one nothing: what is
    hidden begins one above the diagonal, as in triu(diagonal=1).""",
    "tril()", "tril(-1)")

wrong(CAUSAL, "causal_hides_itself_with_a_number", "causal",
    """Your causal mask hides every token from itself, too, and the first one, left with nothing to
    see, averages all: what is hidden begins one above the diagonal, as in triu(diagonal=1).""",
    "tril()", "tril(-1)", "-torch.inf", "-1e9")

wrong(CAUSAL, "causal_fills_with_a_number_where_allowed", "causal",
    """Your causal mask is read the wrong way round: the low score falls on the tokens 0..i, which
    token i may attend to, and those after it are left. The last token averages all. Give the low
    score to what is above the diagonal.""",
    f"~{PAST}", PAST, "-torch.inf", "-1e9")

wrong(CAUSAL, "causal_sees_one_ahead", "causal",
    """Your causal mask is one too generous: token i also sees token i + 1, the one it is to
    predict.""",
    "tril()", "tril(1)")

wrong(CAUSAL, "causal_zero_scores", "causal",
    """You give the future the score 0, or nearly 0 (a product with the triangle, 1e-9 for -1e9):
    that does not hide it, since e^0 = 1. It must have the score -inf.""",
    FILL, f" * {PAST}")

wrong(CAUSAL, "causal_hides_scores_of_zero", "causal",
    """You hide every score that is 0 once the future is: a score may be 0 by itself, as those of a
    token of zeros are. Make the mask from places, not from values.""",
    FILL, f" * {PAST}\n        scores = scores.masked_fill(scores == 0, -torch.inf)")

wrong(CAUSAL, "causal_mask_after_softmax", "causal",
    """You mask after the softmax, so the rows no longer sum to one: hide the future before the
    softmax, with -inf.""",
    FILL, "", SOFTMAX, f"{SOFTMAX} * {PAST}")

wrong(CAUSAL, "causal_renormalised", DOMINATES,
    """You let the hidden tokens into the softmax (or into its maximum), and normalise again without
    them: right on paper, but where a later token dominates, the visible weights have already
    underflowed to 0. Mask before the softmax.""",
    SOFTMAX, "scores / scores.sum(-1, keepdim=True)", FILL, f".softmax(dim=-1) * {PAST}")

wrong(CAUSAL, "causal_minus_twenty", DOMINATES,
    """You give the future a score that is low, but not low enough (-20 or -100, say): a score far
    below it elsewhere still loses. Use -inf.""",
    "-torch.inf", "-20.0")

wrong(CAUSAL, "causal_minus_hundred", DOMINATES,
    """You hide the future with a score like -100, which scores of several hundred below 0 still
    lose to: fill with -inf.""",
    "-torch.inf", "-100.0")

wrong(CAUSAL, "causal_unstable_softmax", DOMINATES,
    """Your causal attention takes exponentials of the scores as they are, and they overflow from 89
    on: use torch.softmax.""",
    FILL, f".exp() * {PAST}", SOFTMAX, "scores / scores.sum(-1, keepdim=True)")

wrong(CAUSAL, "causal_mask_not_cut", SHORTER,
    """Your mask has another size than a sequence that is shorter than the context: cut both of its
    axes, mask[:T, :T], or make it for T.""",
    PAST, "self.mask")

wrong(CAUSAL, "causal_mask_cut_from_the_end", SHORTER,
    """For a shorter sequence you take the last rows of the mask, which allow too much: take the
    first rows and columns, mask[:T, :T].""",
    PAST, "self.mask[-length:, :length]")

wrong(CAUSAL, "causal_mask_shrinks", SHORTER,
    """Your layer keeps what it made for a short sequence (the mask that it cut, say), and a longer
    one no longer fits: cut the mask into a variable, not into self.mask.""",
    HIDDEN, f"""self.mask = {PAST}
        scores = scores.masked_fill(~self.mask, -torch.inf)""")

wrong(CAUSAL, "causal_any_length", REFUSES,
    """You never compare the length of the sequence with context_length: one that is longer must
    raise ValueError.""",
    TOO_LONG, "pass", f"~{PAST}", "torch.ones(length, length, device=x.device).triu(1).bool()")

wrong(CAUSAL, "causal_length_unchecked", REFUSES,
    """A sequence that is too long fails, but not with a ValueError, as where the mask does not fit
    it: compare the length with context_length and raise ValueError.""",
    TOO_LONG, "pass")

wrong(CAUSAL, "causal_cuts_sequences", REFUSES,
    "You cut longer sequences off without a word: raise ValueError.",
    TOO_LONG, "x, length = x[:, :context_length], context_length")

wrong(CAUSAL, "causal_refuses_the_full_length", "causal",
    "You refuse a sequence exactly as long as the context: it still fits. Use > instead of >=.",
    "length > context_length", "length >= context_length")

wrong(CAUSAL, "causal_refuses_shorter_ones", SHORTER,
    """You refuse sequences that are shorter than the context: only longer ones do not fit. Ask
    whether the length is > context_length.""",
    "length > context_length", "length != context_length")

wrong(CAUSAL, "causal_answers_for_the_last_token", "causal",
    """You return a single answer for each sequence, as that of the last token: each token of each
    sequence has one, (B, T, d_out).""",
    f"{DROPPED} @ values", f"({DROPPED} @ values)[:, -1:]")

wrong(CAUSAL, "causal_mask_is_parameter", "causal",
    """Your mask is an nn.Parameter, which optimisers and parameter counts will see: use
    register_buffer.""",
    BUFFER, "self.mask = nn.Parameter(past, requires_grad=False)")

wrong(CAUSAL, "causal_mask_is_attribute", MOVES,
    """A tensor (the mask, say) is a plain attribute of your layer, which stays behind when the
    layer moves to a GPU: use register_buffer.""",
    BUFFER, "self.mask = past")

wrong(CAUSAL, "causal_mask_on_the_cpu", MOVES,
    """A tensor (the mask, say) is made on the CPU in every call of your causal attention: pass
    device=x.device.""",
    PAST, 'torch.ones(length, length, dtype=torch.bool, device="cpu").tril()')

wrong(CAUSAL, "causal_float32_mask", "causal_biases",
    """You mix float32 with the dtype of x, as where a float32 triangle of -inf is added, which
    turns bfloat16 scores into float32: give it the dtype of the scores, or use a boolean mask.""",
    FILL, " + torch.full((length, length), -torch.inf, device=x.device).triu(1)")

wrong(CAUSAL, "causal_always_float32", "example_causal",
    """Your causal attention answers in float32 where x has another dtype: the dtype out must be the
    dtype in.""",
    PARTS, "self.W_query(x).float(), self.W_key(x).float(), self.W_value(x).float()")

wrong(CAUSAL, "causal_in_training_only", "example_causal",
    """After eval() your causal attention hides nothing: dropout is for training only, the mask is
    for both modes.""",
    HIDDEN, f"scores = scores{FILL} if self.training else scores")

wrong(CAUSAL, "causal_without_dropout_only", EACH_ALONE,
    """In training with dropout, tokens of your causal attention hear what comes after them: the
    mask comes first, then the softmax, then dropout.""",
    HIDDEN, f"""if not (self.training and self.dropout.p):
            scores = scores{FILL}""")

wrong(CAUSAL, "causal_mask_of_the_first_layer", SHORTER,
    """A layer with a longer context gets a mask that is too small, as where the mask stands on the
    class and all layers share the first one's: make it for context_length, and keep it on the
    layer.""",
    BUFFER, """self.context_length, kind = context_length, type(self)
        kind.shared = getattr(kind, "shared", past)
        self.register_buffer("mask", kind.shared, persistent=False)""",
    "x.shape[-2], self.mask.shape[-1]", "x.shape[-2], self.context_length")

wrong(CAUSAL, "causal_small_positions", SHORTER,
    """Your positions are int8, which ends at 127: longer sequences count on from -128, and their
    tokens see the future. Use torch.arange as it is.""",
    HIDDEN, """at = torch.arange(length, device=x.device).to(torch.int8)
        scores = scores.masked_fill(at[:, None] < at, -torch.inf)""")

wrong(CAUSAL, "causal_refuses_in_training_only", REFUSES,
    """After eval() you take longer sequences: the context ends in both modes, so look at the length
    in both.""",
    "if length > context_length", "if self.training and length > context_length",
    f"~{PAST}", "torch.ones(length, length, device=x.device).triu(1).bool()")

wrong(CAUSAL, "causal_keeps_its_weights_after_eval", FOLLOW,
    """After eval() your layer keeps a copy of its weights for later calls: when other weights are
    loaded it still answers with the old ones. Keep nothing.""",
    f"queries, keys, values = {PARTS}", """layers = (self.W_query, self.W_key, self.W_value)
        queries, keys, values = (layer(x) for layer in layers)
        if not self.training and layers[0].bias is None:
            if not hasattr(self, "joined"):
                self.joined = torch.cat([layer.weight for layer in layers])
            queries, keys, values = (x @ self.joined.to(x).mT).chunk(3, dim=-1)""")

wrong(CAUSAL, "causal_starts_with_copies", STARTS,
    """Two matrices of your causal attention start with the same numbers: make each of the three
    with nn.Linear, not with a copy.""",
    "self.dropout =", """for layer in (self.W_key, self.W_value):
            layer.load_state_dict(self.W_query.state_dict())
        self.dropout =""")

wrong(CAUSAL, "causal_unbiased_in_eval", "causal_biases",
    """After eval() your causal attention forgets its biases: call the layers in both modes.""",
    PARTS, """(
            layer(x) if self.training else x @ layer.weight.mT
            for layer in (self.W_query, self.W_key, self.W_value)
        )""")

# CausalAttention: the rest ------------------------------------------------------------------------

wrong(CAUSAL, "causal_no_scaling", "causal",
    """Your causal attention lacks the division by sqrt(d_out): divide the scores before the
    softmax.""",
    ROOT, "")

wrong(CAUSAL, "causal_root_of_input_width", "causal",
    "Your causal attention divides by sqrt(d_in): queries and keys have the width d_out.",
    WIDTH, "x.shape[-1]")

wrong(CAUSAL, "causal_divides_by_width", "causal",
    """Your causal attention divides the scores by d_out, at once or twice by its square root: once
    by the square root is meant.""",
    "math.sqrt(keys.shape[-1])", "keys.shape[-1]")

wrong(CAUSAL, "causal_root_of_length", "causal",
    """Your causal attention divides by the root of the number of tokens, T: it is d_out, the last
    axis of the keys.""",
    WIDTH, "keys.shape[-2]")

wrong(CAUSAL, "causal_averages_keys", "causal",
    """Your causal attention averages the keys, or makes the values with W_key, which is the same:
    W_value is never used. Keys only decide the weights, and values are self.W_value(x).""",
    "@ values", "@ keys")

wrong(CAUSAL, "causal_root_of_context", "causal",
    "Your causal attention divides by the root of the context length: d_out is what counts.",
    WIDTH, "context_length")

wrong(CAUSAL, "causal_transposes_every_axis", "causal",
    """Your causal attention turns the wrong axes of the keys around, as keys.T does, which turns
    the batch around as well: use keys.transpose(1, 2).""",
    "keys.mT", REVERSED)

wrong(CAUSAL, "causal_softmax_over_queries", "causal",
    """Your causal attention normalises over the queries: dim=1 of (B, T, T). The keys are the last
    axis, dim=-1.""",
    "dim=-1", "dim=1")

wrong(CAUSAL, "causal_softmax_over_the_batch", "causal",
    """Your causal attention normalises across the batch: sequences must not know of each other. Use
    dim=-1.""",
    "-torch.inf", "-1e9", "dim=-1", "dim=0")

wrong(CAUSAL, "causal_keys_ask_queries", "causal",
    "Your causal attention has queries and keys swapped: row i must hold the scores of query i.",
    FIT, SWAPPED)

wrong(CAUSAL, "causal_never_biased", "causal_biases",
    "Your causal attention has no biases even with qkv_bias=True: pass bias=qkv_bias.",
    *("bias=qkv_bias", "bias=False") * 3)

wrong(CAUSAL, "causal_always_biased", "causal",
    "Your causal attention always has biases: only if qkv_bias is True.",
    *(", bias=qkv_bias", "") * 3)

wrong(CAUSAL, "causal_squeezes", "causal_each_sequence_on_its_own",
    """The axis of a batch of one is missing in your answer, as squeeze() takes it away: leave that
    out.""",
    f"{DROPPED} @ values", f"({DROPPED} @ values).squeeze(0)")

wrong(CAUSAL, "causal_dropped_detached", "causal_gradients_pass_the_dropped_weights",
    """Your causal attention leaves the graph in training, behind the dropped weights: drop without
    detach or no_grad.""",
    f"return {DROPPED}", f"""if self.training and self.dropout.p > 0:
            scores = scores.detach()
        return {DROPPED}""")

wrong(CAUSAL, "causal_detached", "causal",
    "Your causal attention leaves the graph: no detach, .data or no_grad.",
    f"{DROPPED} @ values", f"({DROPPED} @ values).detach()")

# CausalAttention: dropout -------------------------------------------------------------------------

wrong(CAUSAL, "causal_ignores_dropout", DROPS,
    """Your causal attention drops nothing: pass the weights through nn.Dropout(dropout), in every
    call, and multiply the values by what comes back. The weights handed over stay as they were.
    nn.Dropout knows by itself whether it is in training.""",
    DROPPED, SOFTMAX)

wrong(CAUSAL, "causal_drops_in_eval", "causal_no_dropout_in_eval",
    """Your dropout acts after eval() too: F.dropout has training=True unless told otherwise. Pass
    training=self.training, or use nn.Dropout.""",
    DROPPED, f"nn.functional.dropout({SOFTMAX}, self.dropout.p)")

wrong(CAUSAL, "causal_dropout_not_rescaled", DROPS,
    """You do not rescale what dropout keeps: divide it by 1 - dropout, so that the mean stays the
    same.""",
    DROPPED, f"{SOFTMAX} * (torch.rand_like(scores) >= self.dropout.p * self.training)")

wrong(CAUSAL, "causal_divides_once_more_after_dropout", DROPS,
    """You divide what dropout left by its sum, so that it sums to one again: dropout has divided it
    by 1 - dropout already. In training a row need not sum to one.""",
    f"return {DROPPED}", f"""kept = {DROPPED}
        return kept / kept.sum(-1, keepdim=True).clamp(min=1e-6)""")

wrong(CAUSAL, "causal_shrinks_in_eval", "causal_no_dropout_in_eval",
    """You multiply by 1 - dropout after eval(): the rescaling belongs into training, then nothing
    is left to do.""",
    f"return {DROPPED}", f"""kept = torch.rand_like(scores) >= self.dropout.p
        return {SOFTMAX} * (kept if self.training else 1 - self.dropout.p)""")

wrong(CAUSAL, "causal_keeps_a_share_dropout", DROPS,
    "You keep a share `dropout` of the weights: that is the share to drop.",
    "nn.Dropout(dropout)", "nn.Dropout(1 - dropout if dropout else 0.0)")

wrong(CAUSAL, "causal_drops_all_without_dropout", "example_causal",
    """With dropout=0.0 your causal attention drops everything, as where nn.Dropout is given the
    share that is kept. It takes the share to drop, nn.Dropout(dropout).""",
    "nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")

wrong(CAUSAL, "causal_drops_by_default", "example_causal",
    """Your dropout is not told how much to drop, and then nn.Dropout takes its own default, a half,
    even where dropout=0.0: write nn.Dropout(dropout).""",
    "nn.Dropout(dropout)", "nn.Dropout()")

wrong(CAUSAL, "causal_always_drops_half", DROPS,
    """You drop half of the weights where a quarter is asked for: pass `dropout` on as it is,
    nn.Dropout(dropout).""",
    "nn.Dropout(dropout)", "nn.Dropout(0.5 if dropout else 0.0)")

wrong(CAUSAL, "causal_drops_half_at_most", EACH_ALONE,
    """Where `dropout` is above a half, your causal attention drops another share, as where it never
    drops more than half: `dropout` may be any number below 1. Pass it on as it is.""",
    "nn.Dropout(dropout)", "nn.Dropout(min(dropout, 0.5))")

wrong(CAUSAL, "causal_drops_the_same_in_two_sequences", EACH_ALONE,
    """Your weights are not dropped independently, as where every two sequences of the batch share
    one mask: draw one number for every weight.""",
    DROPPED, f"{SOFTMAX} * self.dropout(torch.ones_like(scores[::2])).repeat(2, 1, 1)[: len(x)]")

wrong(CAUSAL, "causal_drops_twice", DROPS,
    """The share that you drop is not `dropout`, as where dropout acts twice on the weights, and too
    much is gone: it acts once, and with `dropout` as it is.""",
    DROPPED, f"self.dropout({DROPPED})")

wrong(CAUSAL, "causal_renormalises_after_dropout", DROPS,
    """Your weights are normalised after dropout (by their sum, or by a softmax that comes later),
    and a row that lost them all becomes 0 / 0: dividing by 1 - dropout is enough.""",
    f"return {DROPPED}", f"""weights = {DROPPED}
        return weights / weights.sum(-1, keepdim=True)""")

wrong(CAUSAL, "causal_drops_the_output", DROPS,
    """You drop numbers of the output: dropout acts on the attention weights, before the values are
    averaged.""",
    f"{DROPPED} @ values", f"self.dropout({SOFTMAX} @ values)")

wrong(CAUSAL, "causal_drops_the_output_as_well", DROPS,
    """You drop twice: first the weights, and then numbers of the output or of the values as well.
    Here dropout acts on the attention weights alone.""",
    f"{DROPPED} @ values", f"self.dropout({DROPPED} @ values)")

wrong(CAUSAL, "causal_drops_the_values", EACH_ALONE,
    """You drop numbers of the values: dropout acts on the attention weights, of which every query
    has its own.""",
    f"{DROPPED} @ values", f"{SOFTMAX} @ self.dropout(values)")

wrong(CAUSAL, "causal_drops_scores", EACH_ALONE,
    """You drop scores, or queries or keys that they are made of, before the softmax: a score of 0
    still gets weight. Drop the weights.""",
    f"{FIT}{ROOT}", f"self.dropout({FIT}{ROOT})", DROPPED, SOFTMAX)

wrong(CAUSAL, "causal_drops_hidden_scores", DROPS,
    """Your dropout meets the scores, where the future is -inf: -inf times 0 is NaN. Dropout comes
    after the softmax, on the weights.""",
    HIDDEN, f"scores = self.dropout(scores{FILL})", DROPPED, SOFTMAX)

wrong(CAUSAL, "causal_drops_the_input", DROPS,
    "You drop numbers of x: dropout acts on the attention weights.",
    "queries, keys", "x = self.dropout(x)\n        queries, keys", DROPPED, SOFTMAX)

wrong(CAUSAL, "causal_drops_whole_queries", EACH_ALONE,
    """You drop whole rows of weights, so that a token hears nothing at all: every weight is dropped
    on its own (nn.Dropout, not nn.Dropout1d).""",
    "nn.Dropout(", "nn.Dropout1d(")

wrong(CAUSAL, "causal_same_dropout_for_the_batch", EACH_ALONE,
    "All sequences of a batch share one dropout mask: draw one number for every weight.",
    DROPPED, f"{SOFTMAX} * self.dropout(torch.ones_like(scores[0]))")

wrong(CAUSAL, "causal_drops_on_the_cpu", MOVES,
    """In training with dropout a tensor is made on the CPU wherever x is (the random numbers, say):
    torch.rand_like draws where the weights are, and nn.Dropout does it by itself.""",
    DROPPED, f"{SOFTMAX} * self.dropout(torch.ones(scores.shape, dtype=x.dtype))")

wrong(CAUSAL, "causal_drops_float32_ones", MOVES,
    """In training with dropout your weights become float32 whatever x is, as where dropout falls on
    float32 ones: drop the weights, or make torch.ones_like(weights).""",
    DROPPED, f"""({DROPPED} if not self.training or self.dropout.p == 0 else
            {SOFTMAX} * self.dropout(torch.ones(scores.shape, device=x.device)))""")

wrong(CAUSAL, "causal_drops_whole_keys", EACH_ALONE,
    """All queries of a sequence lose the same keys: draw one number for every weight, of shape
    (B, T, T).""",
    DROPPED, f"{SOFTMAX} * self.dropout(torch.ones_like(scores[:, :1]))")

wrong(CAUSAL, "causal_keeps_what_it_drops", DROPS,
    """You drop the same weights in every call, as where what is dropped is drawn once and kept:
    draw afresh in every call.""",
    f"return {DROPPED}", f"""if not self.training or self.dropout.p == 0:
            return {SOFTMAX} @ values
        if getattr(self, "kept", None) is None or self.kept.shape != scores.shape:
            self.kept = self.dropout(torch.ones_like(scores))
        return {SOFTMAX} * self.kept""")

wrong(CAUSAL, "causal_seeds_every_call", DROPS,
    "You seed the random numbers in forward, so the same weights are dropped in every call.",
    f"return {DROPPED}", f"torch.manual_seed(0)\n        return {DROPPED}")

# All three classes: which matrix makes what -------------------------------------------------------

for kind, short, yours, caught, use in CLASSES:
    queries, keys, values = (use.format(name) for name in ("query", "key", "value"))

    wrong(kind, f"{short}_weights_transposed", caught,
        f"""{yours} takes the weights of result i from column i: they stand in row i, as the scores
        of query i do. Write weights @ values, or in an einsum sum over the keys.""",
        " @ values", ".mT @ values")

    wrong(kind, f"{short}_lengths_taken_away", caught,
        f"""{yours} brings queries and keys to length 1 before the scores (normalize, cosine): here
        they stay as they are, for their lengths count as well.""",
        "scores = queries", """queries = nn.functional.normalize(queries, dim=-1)
        keys = nn.functional.normalize(keys, dim=-1)
        scores = queries""")

    wrong(kind, f"{short}_queries_from_w_key", caught,
        f"""{yours} makes the queries with W_key, as the keys, and W_query is never used: then a
        token would score another as the other scores it. Queries are {queries}.""",
        queries, keys)

    wrong(kind, f"{short}_keys_from_w_query", caught,
        f"""{yours} makes the keys with W_query, as the queries, and W_key is never used: then a
        token would score another as the other scores it. Keys are {keys}.""",
        keys, queries)

    wrong(kind, f"{short}_queries_from_w_value", caught,
        f"""{yours} makes the queries with W_value, as the values, and W_query is never used:
        queries are {queries}.""",
        queries, values)

    wrong(kind, f"{short}_keys_from_w_value", caught,
        f"""{yours} makes the keys with W_value, as the values, and W_key is never used: keys are
        {keys}.""",
        keys, values)

    wrong(kind, f"{short}_values_from_w_query", caught,
        f"""{yours} averages the queries, or makes the values with W_query, which is the same:
        W_value is never used. Values are {values}.""",
        values, queries)

    wrong(kind, f"{short}_all_from_w_query", caught,
        f"""{yours} makes queries, keys and values all with W_query: W_key and W_value are never
        used. Keys are {keys}, values are {values}.""",
        keys, queries, values, queries)

    for first, second, third in (
        ("query", "value", "key"),
        ("value", "key", "query"),
        ("key", "value", "query"),
        ("value", "query", "key"),
    ):
        wrong(kind, f"{short}_made_with_{first}_{second}_{third}", caught,
            f"""{yours} makes queries with W_{first}, keys with W_{second} and values with
            W_{third}: each of them is made with the matrix of its own name. Look at the order in
            which they are made, and at the names that they are given.""",
            f"{queries}, {keys}, {values}", ", ".join(map(use.format, (first, second, third))))

    wrong(kind, f"{short}_keeps_its_queries", FOLLOW,
        f"""{yours} keeps its queries on the layer, and uses them again where the next x has the
        same shape: that x holds other tokens. Make them in every call, and keep nothing.""",
        f"queries, keys, values = {queries}",
        f"""if not (hasattr(self, "kept") and self.kept.shape[:3] == x.shape[:3]):
            self.kept = {queries}
        queries, keys, values = self.kept""")

    wrong(kind, f"{short}_keeps_its_queries_for_a_shape", FOLLOW,
        f"""{yours} makes queries once for each shape of x, keeps them on the layer, and answers
        later tokens with them: make them in every call.""",
        f"queries, keys, values = {queries}",
        f"""if not (hasattr(self, "kept") and self.kept.shape[:-1] == x.shape[:-1]):
            self.kept = {queries}
        queries, keys, values = self.kept""")

# The biases of a single one of the linear layers --------------------------------------------------

LAYERS = {
    name: (f"W_{name} = nn.Linear(d_in, d_out, bias=qkv_bias)", f"W_{name} = nn.Linear(d_in, d_out")
    for name in ("query", "key", "value")
}

for kind, short, yours, caught, _ in CLASSES[1:]:
    for name, (layer, begun) in LAYERS.items():
        wrong(kind, f"{short}_{name}_always_biased", caught,
            f"""{yours} always gives W_{name} a bias: nn.Linear has one unless told otherwise. Pass
            bias=qkv_bias to each of the three layers.""",
            layer, f"{begun})")

        others = [other for other in LAYERS if other != name]
        wrong(kind, f"{short}_only_{name}_follows_qkv_bias", caught,
            f"""{yours} always gives W_{others[0]} and W_{others[1]} a bias: nn.Linear has one
            unless told otherwise. Pass bias=qkv_bias to them as well.""",
            *(text for other in others for text in (LAYERS[other][0], f"{LAYERS[other][1]})")))

        wrong(kind, f"{short}_{name}_unbiased", f"{short}_biases",
            f"""With qkv_bias=True W_{name} of {yours.lower()} has no bias: each of the three layers
            has one. Pass bias=qkv_bias.""",
            layer, f"{begun}, bias=False)")

    for name in ("query", "value"):  # a bias of the keys moves all scores of a query alike
        wrong(kind, f"{short}_{name}_bias_unused", f"{short}_biases",
            f"""{yours} multiplies by W_{name}.weight alone and forgets the bias of W_{name}: call
            the layer, self.W_{name}(x).""",
            f"self.W_{name}(x)", f"x @ self.W_{name}.weight.T")

wrong(CAUSAL, "causal_biases_unused", "causal_biases",
    """Your causal attention multiplies by the weights alone and forgets the biases: call the
    layers, self.W_query(x).""",
    PARTS, "x @ self.W_query.weight.T, x @ self.W_key.weight.T, x @ self.W_value.weight.T")
