"""Wrong answers to ``parameter_counts``: its page with a slip, and what the author is told.

A slip in a part is one in all that is built of it: what is to be wrong alone stands in for it.
"""

from __future__ import annotations

from parameter_counts import count_feed_forward_params, count_layer_params, count_mha_params

from grader.check import Bank

wrong = Bank()

EXAMPLES, WORK = "examples_of_parameters", "examples_of_work_and_memory"
BODY = "# BEGIN SOLUTION"
KEPT_HEADS = "num_heads if num_kv_heads is None else num_kv_heads"

# count_mha_params ---------------------------------------------------------------------------------

MHA = "count_mha_params"
FOUR, OUT_BIAS = "attention_is_four_projections", "output_bias_is_a_fact_of_its_own"
GROUPED, INNER = "grouped_queries", "heads_of_another_width"
wrong.up_to(MHA, MHA, "d_model if d_inner is None else d_inner", "d_model", KEPT_HEADS, "num_heads",
    "bias if out_bias is None else out_bias", "bias")
QUERIES, KEYS = "_linear(d_model, inner, bias)", "_linear(d_model, shared, bias)"
OUTPUT = "_linear(inner, d_model, out_bias)"

wrong(MHA, "out_bias_ignored", OUT_BIAS,
    """Your output projection has no bias where out_bias alone asks for one: many models leave the
    biases out of q, k and v and keep the one of the output projection. Count that one apart.""",
    "bias if out_bias is None else out_bias", "bias")

wrong(MHA, "none_taken_for_false", f"{EXAMPLES} {FOUR}",
    """You take out_bias=None for False, so your output projection has no bias unless one is asked
    for. None means that nobody said it: then it has one if the others have.""",
    "bias if out_bias is None else out_bias", "bool(out_bias)")

wrong(MHA, "false_taken_for_none", OUT_BIAS,
    """You take out_bias=False for 'not given', and let `bias` decide: None means not given, False
    means no bias. Ask `is None`.""",
    "bias if out_bias is None else out_bias", "out_bias or bias")

wrong(MHA, "out_bias_for_all", OUT_BIAS,
    """out_bias decides about all four maps in your count: it is about the output alone.""",
    "out_bias = bias if", "bias = out_bias = bias if")

wrong(MHA, "multiplied_by_heads", f"{EXAMPLES} {FOUR}",
    """You multiply by the number of heads, but the heads only cut the width into pieces: each has
    d_model / num_heads columns of the same four maps. Take the factor out.""",
    "return queries", "return num_heads * (queries", OUTPUT, f"{OUTPUT})")

wrong(MHA, "three_maps_multiplied_by_heads", f"{EXAMPLES} {FOUR}",
    """You multiply the maps of queries, keys and values by the number of heads, but the heads only
    cut the width into pieces: all of them together make one such map. Take the factor out.""",
    "return queries + keys_and_values", "return num_heads * (queries + keys_and_values)")

wrong(MHA, "heads_of_full_width", f"{EXAMPLES} {FOUR}",
    """Each of your heads projects to the full width, and the output map reads all of them: heads
    have d_model / num_heads columns each, so that together they are d_model wide.""",
    "d_model if d_inner is None else d_inner", "num_heads * d_model")

wrong(MHA, "biases_forgotten", f"{EXAMPLES} {FOUR}",
    """Your maps have no biases even with bias=True: add one number per output of each map.""",
    BODY, "bias = False")

wrong(MHA, "biases_always", FOUR,
    """Your maps have biases even with bias=False: look at the argument first.""",
    BODY, "bias = True")

wrong(MHA, "no_biases_by_default", f"{EXAMPLES} {FOUR}",
    """Without an argument you count no biases: on this page bias=True is the default.""",
    "bias: bool = True", "bias: bool = False")

wrong(MHA, "output_projection_forgotten", f"{EXAMPLES} {FOUR}",
    """You count three maps, and there are four: queries, keys, values, and the output projection,
    which mixes what the heads have found.""",
    f" + {OUTPUT}", "")

wrong(MHA, "keys_without_biases", f"{EXAMPLES} {FOUR} {OUT_BIAS} {GROUPED}",
    """One of keys and values has no biases in your count: some models have it so, but here `bias`
    holds for queries, keys and values alike.""",
    f"2 * {KEYS}", f"{KEYS} + d_model * shared")

wrong(MHA, "one_row_of_biases", f"{EXAMPLES} {FOUR}",
    """You add a single row of biases: each of the four maps has biases of its own.""",
    KEYS, "d_model * shared", OUTPUT, "inner * d_model")

wrong(MHA, "output_bias_only_on_request", f"{EXAMPLES} {FOUR}",
    """Without out_bias your output projection has no bias: the default is None, and then it has one
    if the others have.""",
    "out_bias: bool | None = None", "out_bias: bool = False")

wrong(MHA, "output_without_any_bias", f"{EXAMPLES} {FOUR} {OUT_BIAS}",
    """Your output projection has no bias, by default and with out_bias=True: out_bias says whether
    it has one, and None that it has if the others have.""",
    OUTPUT, "inner * d_model")

wrong(MHA, "output_with_a_bias_always", f"{FOUR} {OUT_BIAS}",
    """Your output projection has a bias with bias=False, and with out_bias=False as well: out_bias
    says whether it has one, and None that it follows `bias`.""",
    OUTPUT, "_linear(inner, d_model, True)")

@wrong.instead_of(MHA, FOUR)
def output_bias_by_default(*sizes, out_bias=True, **options):
    """Without out_bias your output projection has a bias with bias=False as well: the default is
    None, and then it follows `bias`."""
    return count_mha_params(*sizes, out_bias=out_bias, **options)

@wrong.instead_of(MHA, INNER)
def inner_width_ignored(*sizes, d_inner=None, **options):
    """You count as if d_inner were not given: the heads together may be wider or narrower than the
    tokens, and all four maps then change."""
    return count_mha_params(*sizes, **options)

wrong(MHA, "inner_width_on_both_sides", INNER,
    """Your maps lead from d_inner to d_inner: tokens come in, and go out, d_model wide.""",
    "inner = d_model if", "d_model = inner = d_model if")

wrong(MHA, "output_stays_inside", INNER,
    """Your output projection stays at the inner width: it leads back to d_model, so that its result
    can be added to the tokens.""",
    OUTPUT, "_linear(inner, inner, out_bias)")

wrong(MHA, "biases_not_shared", GROUPED,
    """The biases of your shared keys and values are as long as without sharing: a bias has one
    number per output of its map, num_kv_heads * d_head.""",
    KEYS, "(d_model * shared + bias * inner)")

wrong(MHA, "biases_of_the_tokens_width", INNER,
    """All your biases are d_model long: a bias has one number per output of its map, and queries,
    keys and values have d_inner outputs.""",
    QUERIES, "d_model * inner + bias * d_model", KEYS, "(d_model * shared + bias * d_model)")

wrong(MHA, "biases_of_the_inputs", INNER,
    """Each of your biases is as long as the input of its map: it has one number per output. That
    is d_inner of the queries, and d_model of the output projection.""",
    QUERIES, "d_model * inner + bias * d_model", KEYS, "(d_model * shared + bias * d_model)",
    OUTPUT, "inner * d_model + out_bias * inner")

wrong(MHA, "biases_of_the_inner_width", INNER,
    """The bias of your output projection is d_inner long: it has d_model outputs, and as many
    biases.""",
    OUTPUT, "inner * d_model + out_bias * inner")

wrong(MHA, "values_of_the_tokens_width", INNER,
    """With d_inner one of keys and values is d_model wide in your count, and the output projection
    reads d_model numbers: keys and values are both d_inner wide, and the output projection reads
    d_inner numbers.""",
    f"2 * {KEYS}", f"{KEYS} + _linear(d_model, d_model, bias)",
    OUTPUT, "_linear(d_model, d_model, out_bias)")

wrong(MHA, "grouping_ignored", GROUPED,
    """num_kv_heads changes nothing in your count: with grouped queries several heads share a key
    and a value, so these two maps are narrower.""",
    KEPT_HEADS, "num_heads")

wrong(MHA, "group_size_for_groups", GROUPED,
    """Your keys and values are as wide as num_heads / num_kv_heads heads: num_kv_heads is the
    number of their heads, and no divisor, so their width is num_kv_heads * d_head.""",
    "else num_kv_heads", "else num_heads // num_kv_heads")

wrong(MHA, "one_shared_head", GROUPED,
    """Keys and values are one head wide in your count whenever queries are grouped: that is
    multi-query attention, num_kv_heads=1. Their width is num_kv_heads times that of a head.""",
    "else num_kv_heads", "else 1")

wrong(MHA, "only_keys_are_shared", GROUPED,
    """Only one of keys and values becomes narrower with num_kv_heads in your count: both are shared
    in the same way, and the maps of both are as narrow.""",
    f"2 * {KEYS}", f"{KEYS} + {QUERIES}")

wrong(MHA, "queries_are_grouped_too", GROUPED,
    """Your queries become narrower too: only keys and values are shared, and every head still asks
    a question of its own.""",
    QUERIES, KEYS)

wrong(MHA, "shared_heads_of_the_tokens_width", INNER,
    """Your shared heads are d_model / num_heads wide even with d_inner: all heads are d_inner /
    num_heads wide.""",
    "heads * (inner // num_heads)",
    "inner if num_kv_heads is None else num_kv_heads * (d_model // num_heads)")

wrong(MHA, "heads_for_their_width", GROUPED,
    """Your shared keys and values are num_kv_heads numbers wide: there are num_kv_heads heads of
    them, and each is as wide as a head of the queries.""",
    "heads * (inner // num_heads)", "inner if num_kv_heads is None else num_kv_heads")

wrong(MHA, "one_map_for_keys_and_values", f"{EXAMPLES} {FOUR}",
    """You count one map for keys and values together: each has a map of its own, so there are
    four.""",
    f"2 * {KEYS}", KEYS)

wrong(MHA, "one_number_of_bias_for_each_map", f"{EXAMPLES} {FOUR}",
    """You add a single number for the bias of a map: a bias has one number for each output of its
    map.""",
    QUERIES, "d_model * inner + bias", KEYS, "(d_model * shared + bias)",
    OUTPUT, "inner * d_model + out_bias")

wrong(MHA, "one_number_of_bias_always", f"{EXAMPLES} {FOUR}",
    """You add a single number for the bias of a map, also where there is none: a bias has one
    number for each output of its map, and with bias=False there is none.""",
    QUERIES, "d_model * inner + 1", KEYS, "(d_model * shared + 1)", OUTPUT, "inner * d_model + 1")

@wrong.instead_of(MHA, f"{OUT_BIAS} {GROUPED} {INNER}")
def none_of_the_options(d_model, num_heads, bias=True, **options):
    """None of out_bias, d_inner and num_kv_heads changes your count: the plain case is right, and
    each of these changes some of the four maps. Write down for each map what goes in and what comes
    out."""
    return count_mha_params(d_model, num_heads, bias)

wrong(MHA, "biased_output_whatever_bias_says", FOUR,
    """Without out_bias your output projection has a bias, also with bias=False: None means that it
    follows `bias`.""",
    "bias if out_bias is None", "True if out_bias is None")

wrong(MHA, "width_cut_by_shared_heads", f"{EXAMPLES} {FOUR}",
    """You divide the width by the number of heads of keys and values: each of them is as wide as a
    head of the queries, and num_kv_heads of them stand side by side.""",
    "heads * (inner // num_heads)", "inner // heads")

wrong(MHA, "full_width_for_every_key", f"{EXAMPLES} {FOUR}",
    """Every head of keys and values is as wide as all heads together in your count: a head has one
    share of the width, as a head of the queries has.""",
    "heads * (inner // num_heads)", "heads * inner")

wrong(MHA, "keys_of_the_tokens_width", INNER,
    """Keys and values keep the tokens' width in your count where d_inner is given: their heads are
    d_inner / num_heads wide, like those of the queries.""",
    "heads * (inner // num_heads)", "heads * (d_model // num_heads)")

wrong(MHA, "output_from_the_tokens_width", INNER,
    """Your output projection reads d_model numbers: the heads hand it d_inner of them.""",
    OUTPUT, "_linear(d_model, d_model, out_bias)")

# count_feed_forward_params ------------------------------------------------------------------------

FEED_FORWARD = "count_feed_forward_params"
UP, DOWN = "_linear(d_model, d_ff, bias)", "_linear(d_ff, d_model, bias)"

wrong(FEED_FORWARD, "one_map_only", f"{EXAMPLES} feed_forward",
    """You count the way up only: a second map leads from d_ff back to d_model.""",
    f" + {DOWN}", "")

wrong(FEED_FORWARD, "network_without_biases", f"{EXAMPLES} feed_forward",
    """Your feed-forward network has no biases: there are d_ff on the way up and d_model on the way
    down.""",
    BODY, "bias = False")

wrong(FEED_FORWARD, "network_with_biases", "feed_forward",
    """Your feed-forward network has biases whatever `bias` says: bias=False leaves weights
    alone.""",
    BODY, "bias = True")

wrong(FEED_FORWARD, "biases_of_inputs", f"{EXAMPLES} feed_forward",
    """You add d_model biases for each map: the first has d_ff outputs, and as many biases.""",
    UP, "d_model * d_ff + bias * d_model")

wrong(FEED_FORWARD, "biases_of_hidden_units_twice", f"{EXAMPLES} feed_forward",
    """You add d_ff biases for each map: the second has d_model outputs, and as many biases.""",
    DOWN, "d_ff * d_model + bias * d_ff")

wrong(FEED_FORWARD, "four_times_the_width", "feed_forward",
    """Your hidden layer is always four times as wide as the tokens: that is a habit, and d_ff is
    the number to use.""",
    BODY, "d_ff = 4 * d_model")

@wrong.instead_of(FEED_FORWARD, "feed_forward")
def gate_forgotten(*sizes, gated=False, **options):
    """You count no gate where `gated` asks for one: the gate is a third map, from d_model to
    d_ff."""
    return count_feed_forward_params(*sizes, **options)

wrong(FEED_FORWARD, "gated_and_back_from_twice_the_width", "feed_forward",
    """With a gate your map down reads 2 d_ff numbers: the two maps up are multiplied, number by
    number, so one map leads back from d_ff.""",
    BODY, "d_ff = 2 * d_ff if gated else d_ff", "2 if gated else 1", "1")

wrong(FEED_FORWARD, "gate_doubles_everything", "feed_forward",
    """With a gate your way down is twice as large: it is one map, and it takes d_ff numbers, for
    the two maps up are multiplied, number by number.""",
    f"up + {DOWN}", f"(up + {DOWN})")

wrong(FEED_FORWARD, "gate_without_biases", "feed_forward",
    """Your gate has no biases: with bias=True all three maps have them.""",
    "(2 if gated else 1) * up", "up + gated * d_model * d_ff")

wrong(FEED_FORWARD, "gated_and_narrowed", "feed_forward",
    """You make a gated network two thirds as wide, as papers do to keep the count: here d_ff is
    already the width it has.""",
    BODY, "d_ff = 2 * d_ff // 3 if gated else d_ff")

wrong(FEED_FORWARD, "three_maps_up", "feed_forward",
    """Your gated network has three maps up and one down: two up, and with the one down they are
    three.""",
    "2 if gated", "3 if gated")

wrong(FEED_FORWARD, "half_of_it_comes_back", "feed_forward",
    """You halve d_ff on the way back: each of the two maps up has d_ff outputs, and their product
    is d_ff wide.""",
    DOWN, "_linear(d_ff // 2 if gated else d_ff, d_model, bias)")

wrong(FEED_FORWARD, "the_way_down_always_with_biases", "feed_forward",
    "`bias` does not reach your map down: bias=False means that no map has biases.",
    DOWN, "_linear(d_ff, d_model, True)")

wrong(FEED_FORWARD, "the_way_up_always_with_biases", "feed_forward",
    "`bias` does not reach your map up: bias=False means that no map has biases.",
    UP, "_linear(d_model, d_ff, True)")

@wrong.instead_of(FEED_FORWARD, "feed_forward")
def neither_bias_nor_gate(d_model, d_ff, bias=True, *, gated=False):
    """Neither `bias` nor `gated` changes your count: without biases only weights are counted, and a
    gate is a third map, from d_model to d_ff."""
    return count_feed_forward_params(d_model, d_ff)

wrong(FEED_FORWARD, "two_maps_down", "feed_forward",
    """The gate is a second map down in your count, or each bias is as long as the input of its map:
    it stands beside the map up, from d_model to d_ff, and each bias has one number per output.""",
    f"(2 if gated else 1) * up + {DOWN}", f"up + (2 if gated else 1) * {DOWN}")

wrong(FEED_FORWARD, "gated_without_any_bias", "feed_forward",
    """A gated network never has biases in your count. Many models leave them out there, but here
    `bias` says so.""",
    BODY, "bias = bias and not gated")

# count_layer_params -------------------------------------------------------------------------------

LAYER, PLAIN = "count_layer_params", "layer_without_biases"
ENCODER, DECODER = "encoder_layer", "decoder_layer"
LAYER_OPTIONS = "options_reach_every_part_of_a_layer"
NORMS = "2 if shared_norm else attentions + 1"
ATTENTIONS = "attentions * attention"

wrong(LAYER, "norms_vanish_without_biases", PLAIN,
    """With bias=False your norms have no parameters at all: their gains remain, d_model each.""",
    "_norm(d_model, bias)", "2 * d_model * bias")

wrong(LAYER, "norms_forgotten", f"{EXAMPLES} {ENCODER} {DECODER}",
    """You forget the norms: one after each sub-layer, with d_model gains and d_model biases
    each.""",
    " + norms * _norm(d_model, bias)", "")

wrong(LAYER, "a_single_norm", f"{EXAMPLES} {ENCODER}",
    """You count one norm for the whole layer: every sub-layer comes with its own.""",
    NORMS, "1")

wrong(LAYER, "network_without_its_norm", f"{EXAMPLES} {ENCODER} {DECODER}",
    """You count one norm less than there are: each attention comes with one, and the feed-forward
    network with one of its own.""",
    NORMS, "1 if shared_norm else attentions")

wrong(LAYER, "norms_without_biases", f"{EXAMPLES} {ENCODER}",
    """Your norms have gains only: with bias=True each has d_model biases as well.""",
    "_norm(d_model, bias)", "d_model")

wrong(LAYER, "norms_keep_biases", PLAIN,
    """Your norms keep their biases with bias=False: on this page that means no bias anywhere in the
    layer.""",
    "_norm(d_model, bias)", "2 * d_model")

wrong(LAYER, "feed_forward_forgotten", f"{EXAMPLES} {ENCODER}",
    """You forget the feed-forward network, which holds most of a layer's parameters.""",
    " + feed_forward", "")

wrong(LAYER, "cross_attention_forgotten", DECODER,
    """cross_attention changes nothing in your count: a decoder layer has a second attention, over
    the encoder's tokens, and a norm for it.""",
    "2 if cross_attention else 1", "1")

wrong(LAYER, "third_norm_forgotten", DECODER,
    """You count the cross-attention but not its norm: a decoder layer has three sub-layers and
    three norms.""",
    NORMS, "2")

wrong(LAYER, "only_the_third_norm", DECODER,
    """You count a third norm but no second attention: cross-attention has four maps of its own.""",
    ATTENTIONS, "attention")

wrong(LAYER, "cross_attention_without_keys", DECODER,
    """Your cross-attention has only two maps, and it has four: queries, output, and the keys and
    values of the encoder's tokens, which every layer projects anew.""",
    ATTENTIONS, "attention + (attentions - 1) * 2 * _linear(d_model, d_model, bias)")

@wrong.instead_of(LAYER, DECODER)
def shared_norm_ignored(*sizes, shared_norm=False, **options):
    """shared_norm changes nothing in your count: one norm used twice is counted once."""
    return count_layer_params(*sizes, **options)

@wrong.instead_of(LAYER, ENCODER)
def one_norm_less(d_model, num_heads, d_ff, bias=True, *, shared_norm=False, **options):
    """You take one norm away for shared_norm even where there is only one attention: then nobody
    shares anything."""
    less = shared_norm * (2 if bias else 1) * d_model
    return count_layer_params(d_model, num_heads, d_ff, bias, **options) - less

wrong(LAYER, "shared_by_the_whole_layer", f"{ENCODER} {DECODER}",
    """With shared_norm you count one norm in every layer, whatever attentions it has: two
    attentions share one, a single one keeps its own, and so does the feed-forward network.""",
    "2 if shared_norm", "1 if shared_norm")

wrong(LAYER, "attention_always_with_biases", PLAIN,
    """`bias` does not reach your attention: bias=False means no bias in any map.""",
    "bias, d_inner=d_inner", "d_inner=d_inner")

@wrong.instead_of(LAYER, PLAIN)
def feed_forward_always_with_biases(d_model, num_heads, d_ff, bias=True, *, gated=False, **options):
    """`bias` does not reach your feed-forward network: bias=False means no bias in any map."""
    added = 0 if bias else (2 if gated else 1) * d_ff + d_model
    return count_layer_params(d_model, num_heads, d_ff, bias, gated=gated, **options) + added

wrong(LAYER, "layer_drops_the_inner_width", LAYER_OPTIONS,
    """d_inner does not reach your attentions: hand it on to count_mha_params.""",
    "d_inner=d_inner, ", "")

wrong(LAYER, "layer_drops_the_grouping", LAYER_OPTIONS,
    """num_kv_heads does not reach your attentions: hand it on to count_mha_params.""",
    ", num_kv_heads=num_kv_heads", "")

@wrong.instead_of(LAYER, LAYER_OPTIONS)
def layer_drops_the_gate(*sizes, gated=False, **options):
    """`gated` does not reach your feed-forward network: hand it on."""
    return count_layer_params(*sizes, **options)

wrong(LAYER, "plain_cross_attention", LAYER_OPTIONS,
    """Your cross-attention does not get num_kv_heads and d_inner: both attentions of a layer are
    alike.""",
    ATTENTIONS, "attention + (attentions - 1) * count_mha_params(d_model, num_heads, bias)")

wrong(LAYER, "a_second_network", DECODER,
    """Your cross-attention brings a feed-forward network with it: a layer has one, whatever
    attentions it has.""",
    f"{ATTENTIONS} + feed_forward", "attentions * (attention + feed_forward)")

wrong(LAYER, "norms_of_the_inner_width", LAYER_OPTIONS,
    """Your norms are d_inner wide: they act on the tokens, which are d_model wide.""",
    "_norm(d_model, bias)", "_norm(d_inner or d_model, bias)")

wrong(LAYER, "one_norm_for_all_of_a_decoder_layer", DECODER,
    """With shared_norm your decoder layer has one norm: only its two attentions share one, and the
    feed-forward network keeps its own.""",
    NORMS, "1 if shared_norm and cross_attention else attentions + 1")

wrong(LAYER, "cross_attention_without_grouping", LAYER_OPTIONS,
    """num_kv_heads does not reach your cross-attention: both attentions of a layer are alike.""",
    ATTENTIONS, "attention + (attentions - 1) * count_mha_params(d_model, num_heads, bias, "
    "d_inner=d_inner)")

# count_model_params -------------------------------------------------------------------------------

MODEL, STACKS = "count_model_params", "encoder_and_decoder"
DECODER_ONLY, LOGITS, ENDS = "decoder_only_model", "output_layer", "positions_and_final_norms"
MODEL_OPTIONS = "options_reach_every_part_of_a_model"
LAYERS = "num_encoder_layers * encoder_layer + num_layers * decoder_layer"
MATRICES = "1 if tie_weights else 2"

wrong(MODEL, "layers_forgotten", f"{EXAMPLES} {DECODER_ONLY}",
    """You count one layer per stack: every layer has parameters of its own, so multiply by their
    number.""",
    LAYERS, "has_encoder * encoder_layer + decoder_layer")

wrong(MODEL, "layers_of_both_stacks_together", STACKS,
    """You take num_layers for the layers of both stacks: it is the decoder's own number, and those
    of the encoder come in addition.""",
    "num_layers * decoder_layer", "(num_layers - num_encoder_layers) * decoder_layer")

wrong(MODEL, "positions_shared_as_words_are", ENDS,
    """You count the learned positions with the matrices of words: each stack has positions of its
    own, also where both stacks share the words' matrix.""",
    "stacks * learned_positions",
    "(2 if src_vocab_size is not None else 1) * learned_positions")

wrong(MODEL, "embedding_forgotten", f"{EXAMPLES} {DECODER_ONLY}",
    """You forget the embedding: vocab_size rows of d_model numbers before the first layer.""",
    MATRICES, "0 if tie_weights else 1")

wrong(MODEL, "output_layer_forgotten", f"{EXAMPLES} {DECODER_ONLY}",
    """You forget the output layer: unless it is tied, d_model * vocab_size weights lead to the
    logits.""",
    MATRICES, "1")

wrong(MODEL, "cross_attention_to_nothing", f"{EXAMPLES} {DECODER_ONLY}",
    """Your decoder-only model has cross-attention: there is no encoder to attend to.""",
    "cross_attention=has_encoder", "cross_attention=True")

wrong(MODEL, "tied_counted_twice", LOGITS,
    """You count tied weights twice: embedding and output layer are then one matrix.""",
    MATRICES, "2")

wrong(MODEL, "tied_counted_never", LOGITS,
    """Tied weights drop out of your count altogether: one matrix remains, used twice.""",
    MATRICES, "0 if tie_weights else 2")

wrong(MODEL, "tied_for_untied", f"{EXAMPLES} {DECODER_ONLY}",
    """You count the output layer where the weights are tied, and leave it out where they are not:
    it is the other way round.""",
    MATRICES, "2 if tie_weights else 1")

wrong(MODEL, "done_when_tied", LOGITS,
    """With tied weights you count nothing more than embeddings and layers: does a `return` come too
    early? A bias of the logits, positions and final norms are there tied or not.""",
    "return (words", "if tie_weights:\n        return words * d_model + layers\n    return (words")

wrong(MODEL, "logit_bias_needs_bias", MODEL_OPTIONS,
    """Your logits lose their bias with bias=False: that is about maps and norms of the layers; the
    output layer has logit_bias.""",
    "if logit_bias", "if logit_bias and bias")

wrong(MODEL, "logit_bias_forgotten", LOGITS,
    """You forget the bias of the logits: with logit_bias one number per word.""",
    " + output_bias", "")

wrong(MODEL, "logit_bias_of_the_source", MODEL_OPTIONS,
    """Where the encoder has words of its own, your bias of the logits has one number for each of
    them: logits are for the decoder's words, vocab_size many.""",
    "vocab_size if logit_bias", "(has_encoder and src_vocab_size or vocab_size) if logit_bias")

wrong(MODEL, "logit_bias_of_the_width", LOGITS,
    """Your bias of the logits is d_model long: it has one number per output, and the outputs are
    words.""",
    "vocab_size if logit_bias", "d_model if logit_bias")

wrong(MODEL, "tying_drops_the_bias", LOGITS,
    """Tying takes your logits' bias away: only the weights are shared, a bias remains.""",
    "if logit_bias", "if logit_bias and not tie_weights")

wrong(MODEL, "logit_bias_follows_bias", f"{EXAMPLES} {DECODER_ONLY}",
    """Your logits have a bias where none was asked for, as where it follows `bias`, or logit_bias
    is read the wrong way round: they have one if logit_bias is True, and at no other time.""",
    "if logit_bias", "if bias")

wrong(MODEL, "encoder_forgotten", STACKS,
    """You forget the encoder's layers.""",
    LAYERS, "num_layers * decoder_layer")

wrong(MODEL, "encoder_with_cross_attention", STACKS,
    """Your encoder's layers have cross-attention too: an encoder sees its own tokens only.""",
    "bias, **layer", "bias, cross_attention=True, **layer")

wrong(MODEL, "decoder_without_cross_attention", STACKS,
    """Your decoder has no cross-attention: without it the encoder would be of no use.""",
    "cross_attention=has_encoder, ", "")

wrong(MODEL, "as_many_layers_as_the_decoder", STACKS,
    """Your encoder has as many layers as the decoder: it has num_encoder_layers.""",
    LAYERS, "num_layers * (has_encoder * encoder_layer + decoder_layer)")

wrong(MODEL, "source_words_forgotten", STACKS,
    """You forget the encoder's own words: with src_vocab_size there is a second embedding.""",
    "words += src_vocab_size", "pass")

wrong(MODEL, "source_words_without_encoder", DECODER_ONLY,
    """You count words of an encoder where there is none: with num_encoder_layers=0 nothing of an
    encoder is counted, whatever src_vocab_size says.""",
    "has_encoder and ", "")

wrong(MODEL, "always_two_embeddings", STACKS,
    """You give the encoder an embedding of its own in any case: without src_vocab_size it uses the
    decoder's.""",
    " and src_vocab_size is not None", "", "+= src_vocab_size", "+= src_vocab_size or vocab_size")

wrong(MODEL, "equal_sizes_taken_for_sharing", STACKS,
    """You let two vocabularies of the same size share a matrix: equal sizes are no sharing. Only
    src_vocab_size=None says that they share.""",
    "src_vocab_size is not None", "src_vocab_size not in (None, vocab_size)")

wrong(MODEL, "tying_drops_the_source", STACKS,
    """Tying swallows the encoder's own embedding: only the output layer and the decoder's embedding
    are one.""",
    "has_encoder and", "has_encoder and not tie_weights and")

wrong(MODEL, "logits_of_the_source", STACKS,
    """Your output layer speaks the encoder's words: the logits are over vocab_size words.""",
    "matrices * vocab_size", "vocab_size + (matrices - 1) * (src_vocab_size or vocab_size)")

wrong(MODEL, "positions_forgotten", ENDS,
    """You forget the learned positions: a table of learned_positions rows, d_model wide.""",
    " + stacks * learned_positions", "")

wrong(MODEL, "one_table_of_positions", ENDS,
    """You count one table of positions for two stacks: encoder and decoder have one each.""",
    "stacks * learned_positions", "learned_positions")

wrong(MODEL, "one_number_per_position", ENDS,
    """You add one number per position: a row of the table is d_model wide.""",
    "(words + stacks * learned_positions) * d_model",
    "words * d_model + stacks * learned_positions")

wrong(MODEL, "final_norm_forgotten", ENDS,
    """You forget the final norm: with final_norm one more norm follows the last layer.""",
    " + norms", "")

wrong(MODEL, "one_final_norm", ENDS,
    """You count one final norm for two stacks: encoder and decoder have one each.""",
    "stacks * _norm", "_norm")

wrong(MODEL, "ends_of_one_stack", ENDS,
    """You count one table of positions and one final norm for two stacks: encoder and decoder have
    one of each.""",
    "stacks = 2 if has_encoder else 1", "stacks = 1")

wrong(MODEL, "a_final_norm_per_layer", ENDS,
    """You count a final norm in every layer: it follows the last layer of a stack alone.""",
    "stacks * _norm", "(num_encoder_layers + num_layers) * _norm")

wrong(MODEL, "final_norm_without_biases", ENDS,
    """Your final norm has gains only: with bias=True it has d_model biases as well.""",
    "_norm(d_model, bias)", "d_model")

wrong(MODEL, "final_norm_keeps_biases", MODEL_OPTIONS,
    """Your final norm keeps its biases with bias=False: it is a norm like the others.""",
    "_norm(d_model, bias)", "2 * d_model")

wrong(MODEL, "model_always_with_biases", MODEL_OPTIONS,
    """`bias` does not reach your layers: hand it on to count_layer_params.""",
    "bias, **layer", "**layer", "bias, cross_attention", "cross_attention")

for option in ("d_inner", "num_kv_heads", "gated", "shared_norm"):
    wrong(MODEL, f"model_deaf_to_{option}", MODEL_OPTIONS,
        f"{option} does not reach your layers: a model hands it on to all of them.",
        f'"{option}": {option},', "")

wrong(MODEL, "options_for_the_decoder_only", MODEL_OPTIONS,
    """d_inner does not reach your encoder's layers, and maybe no other option does: they have the
    same d_inner, num_kv_heads and gate as the decoder's.""",
    "bias, **layer", "bias")

for option, nothing in ("num_kv_heads", None), ("gated", False):
    wrong(MODEL, f"encoder_deaf_to_{option}", MODEL_OPTIONS,
        f"{option} does not reach your encoder's layers: it holds for the layers of both stacks.",
        "bias, **layer", f'bias, **{{**layer, "{option}": {nothing}}}')

wrong(MODEL, "encoder_always_with_biases", MODEL_OPTIONS,
    """`bias` does not reach your encoder's layers: it holds for both stacks.""",
    "bias, **layer", "**layer")

wrong(MODEL, "deep_as_the_deeper_one", STACKS,
    """Your decoder grows with the encoder: it has num_layers layers, and only the encoder has
    num_encoder_layers.""",
    "+ num_layers * decoder", "+ max(num_layers, num_encoder_layers) * decoder")

wrong(MODEL, "source_words_in_place_of_others", f"{DECODER_ONLY} {STACKS}",
    """You count the encoder's words in place of the decoder's: with src_vocab_size there are two
    tables, and a model without an encoder has no use for it.""",
    "words = matrices * vocab_size",
    "words = (src_vocab_size or vocab_size) + (matrices - 1) * vocab_size",
    "words += src_vocab_size", "pass")

wrong(MODEL, "untied_by_a_second_vocabulary", STACKS,
    """Where the encoder has words of its own you no longer tie: the output layer still shares the
    decoder's embedding.""",
    MATRICES, "1 if tie_weights and src_vocab_size is None else 2")

wrong(MODEL, "a_position_for_each_word", ENDS,
    """Your tables of positions have vocab_size rows: they have learned_positions of them.""",
    "stacks * learned_positions", "stacks * (learned_positions > 0) * vocab_size")

wrong(MODEL, "two_stacks_end_with_norms", f"{STACKS} {ENDS}",
    """You count final norms in every model with an encoder: they are there with final_norm
    only.""",
    "if final_norm", "if final_norm or has_encoder")

wrong(MODEL, "model_in_32_bits", "published_counts",
    """Your count runs over beyond 32 bits, as numpy's int32 does: use Python's int, which holds any
    number.""",
    BODY, "to_32_bits = lambda n: (n + 2**31) % 2**32 - 2**31", "return (words", "return "
    "to_32_bits((words", "norms + output_bias", "norms + output_bias)")

wrong(MODEL, "model_in_float32", "published_counts",
    """Your count was rounded to float32, which holds 24 bits: the last digits are lost. Use
    Python's int.""",
    BODY, "import numpy as np", "return (words", "return float(np.float32((words",
    "norms + output_bias", "norms + output_bias))")

# attention_flops ----------------------------------------------------------------------------------

FLOPS, FLOPS_COUNTED = "attention_flops", "flops_of_attention"
ANY_FLOPS = f"{WORK} {FLOPS_COUNTED}"
SUM = "projections + scores_and_sums"
PAIRS = "tokens * tokens * d_model"

wrong(FLOPS, "multiply_adds", ANY_FLOPS,
    """You count multiply-adds: each is two operations, a multiplication and an addition.""",
    SUM, f"({SUM}) // 2")

wrong(FLOPS, "projections_forgotten", ANY_FLOPS,
    """You forget the projections: four products of the tokens with d_model x d_model maps.""",
    SUM, "scores_and_sums")

wrong(FLOPS, "three_projections", ANY_FLOPS,
    """You count three projections: queries, keys, values and output are four.""",
    "(d_model + shared + shared + d_model)", "(d_model + shared + shared)")

wrong(FLOPS, "only_projections", ANY_FLOPS,
    """You count projections only: scores and weighted sums are products as well, and the ones that
    grow with the square of the length.""",
    SUM, "projections")

wrong(FLOPS, "weighted_sum_forgotten", ANY_FLOPS,
    """You count half of what scores and sums take. There are two products, q k^T and the weighted
    sum of the values, which take as much; each multiply-add is two operations; and a causal mask
    saves nothing of either.""",
    "2 * (2 *", "(2 *")

wrong(FLOPS, "linear_in_the_length", ANY_FLOPS,
    """Your scores grow with the length, not with its square: every token meets every token.""",
    PAIRS, "tokens * d_model")

wrong(FLOPS, "flops_times_heads", ANY_FLOPS,
    """You multiply scores and sums by the number of heads: each head is only d_model / num_heads
    wide, and together they take what one wide head takes.""",
    PAIRS, f"{PAIRS} * num_heads")

wrong(FLOPS, "flops_of_one_head", ANY_FLOPS,
    """You count scores and sums of a single head: there are num_heads of them.""",
    PAIRS, "tokens * tokens * (d_model // num_heads)")

wrong(FLOPS, "flops_of_one_sequence", FLOPS_COUNTED,
    """You forget the batch: every sequence takes its own work.""",
    BODY, "batch = 1")

wrong(FLOPS, "batch_as_a_longer_text", FLOPS_COUNTED,
    """Your tokens attend across the batch: pairs are counted within a sequence, so the batch is a
    factor, not a longer text.""",
    BODY, "batch, tokens = 1, batch * tokens")

wrong(FLOPS, "half_of_the_pairs", ANY_FLOPS,
    """You count only pairs that a causal mask allows: the products compute all of them, and the
    mask comes later.""",
    PAIRS, "(tokens * (tokens + 1) // 2) * d_model")

wrong(FLOPS, "flops_without_grouping", FLOPS_COUNTED,
    """num_kv_heads changes nothing in your count: shared keys and values are projected once, so
    these two projections are cheaper.""",
    KEPT_HEADS, "num_heads")

wrong(FLOPS, "grouped_scores", FLOPS_COUNTED,
    """Grouping makes your scores cheaper: every head of queries still meets every key, only the
    projections are saved.""",
    PAIRS, "tokens * tokens * shared")

wrong(FLOPS, "with_the_backward_pass", ANY_FLOPS,
    """You add the backward pass: asked for is one forward pass, a third of that.""",
    SUM, f"3 * ({SUM})")

wrong(FLOPS, "projections_of_one_token", ANY_FLOPS,
    """Your projections do not grow with the number of tokens: each token goes through all four.""",
    "2 * batch * tokens * d_model * (", "2 * batch * d_model * (")

wrong(FLOPS, "projections_of_one_sequence", FLOPS_COUNTED,
    """The batch is missing in your projections: the tokens of every sequence are projected.""",
    "2 * batch * tokens * d_model * (", "2 * tokens * d_model * (")

wrong(FLOPS, "pairs_of_one_sequence", FLOPS_COUNTED,
    """The batch is missing in your scores and sums: every sequence has its own pairs.""",
    "(2 * batch * ", "(2 * ")

wrong(FLOPS, "scaling_counted", ANY_FLOPS,
    """You count one operation more for each score, such as its scaling: only the matrix products
    are counted.""",
    SUM, f"{SUM} + batch * num_heads * tokens * tokens")

wrong(FLOPS, "additions_without_the_first", ANY_FLOPS,
    """You count one addition less than multiplications: the page counts a product of k numbers as k
    multiply-adds, 2 k operations.""",
    "2 * batch * tokens * d_model * (", "batch * tokens * (2 * d_model - 1) * (")

wrong(FLOPS, "one_addition_less_everywhere", ANY_FLOPS,
    """You count one addition less than multiplications, in maps and scores alike: the page counts a
    product of k numbers as k multiply-adds, 2 k operations.""",
    "2 * batch * tokens * d_model * (", "batch * tokens * (2 * d_model - 1) * (",
    "2 * (2 * batch * tokens * tokens * d_model)", "batch * num_heads * tokens * tokens * "
    "(2 * d_model // num_heads - 1) + batch * tokens * d_model * (2 * tokens - 1)")

wrong(FLOPS, "two_operations_for_each_parameter", ANY_FLOPS,
    """You take the parameters of the maps with their biases: biases are left out, so count weights
    alone.""",
    SUM, f"{SUM} + 2 * batch * tokens * (2 * d_model + 2 * shared)")

wrong(FLOPS, "length_xor_2", ANY_FLOPS,
    "^ is no power in Python (it is the exclusive or of bits): write tokens**2.",
    "batch * tokens * tokens", "batch * (tokens ^ 2)")

wrong(FLOPS, "sum_xor_2", ANY_FLOPS,
    """^ is no power in Python (it is the exclusive or of bits, and comes after + and *): write
    tokens**2.""",
    SUM, "(projections + 4 * batch * tokens) ^ (2 * d_model)")

wrong(FLOPS, "scores_in_multiply_adds", ANY_FLOPS,
    """One of your two products of pairs is counted in multiply-adds, and the other in operations:
    each multiply-add is two.""",
    "2 * (2 *", "3 * (")

wrong(FLOPS, "one_product_times_heads", ANY_FLOPS,
    """You multiply one of the two products of pairs by the number of heads: each head is only
    d_model / num_heads wide, and together they take what one wide head takes.""",
    "2 * (2 * batch", "(1 + num_heads) * (2 * batch")

wrong(FLOPS, "grouped_scores_alone", FLOPS_COUNTED,
    """Grouping makes your scores, or your sums, cheaper: every head of queries still meets every
    key, and only the projections are saved.""",
    f"2 * (2 * batch * {PAIRS})", "2 * batch * tokens * tokens * (d_model + shared)")

wrong(FLOPS, "one_product_of_one_sequence", FLOPS_COUNTED,
    """The batch is missing in one of the two products of pairs: every sequence has its own.""",
    f"2 * (2 * batch * {PAIRS})", "2 * (batch + 1) * tokens * tokens * d_model")

wrong(FLOPS, "biases_are_added", ANY_FLOPS,
    """You count the additions of biases as well: only the matrix products are counted.""",
    SUM, f"{SUM} + batch * tokens * (2 * d_model + 2 * shared)")

# kv_cache_bytes -----------------------------------------------------------------------------------

CACHE, CACHE_COUNTED = "kv_cache_bytes", "memory_of_keys_and_values"
ANY_CACHE = f"{WORK} {CACHE_COUNTED}"

wrong(CACHE, "keys_only", ANY_CACHE,
    """You keep one vector per token: there are two, a key and a value.""",
    "return 2 * ", "return ")

wrong(CACHE, "queries_kept", ANY_CACHE,
    """You keep queries as well: a query is asked once and never needed again.""",
    "return 2", "return 3")

wrong(CACHE, "cache_of_one_layer", ANY_CACHE,
    """You count the cache of one layer: every layer has keys and values of its own.""",
    " * num_layers", "")

wrong(CACHE, "cache_of_one_sequence", CACHE_COUNTED,
    """You forget the batch: every sequence has its own keys and values.""",
    " * batch", "")

wrong(CACHE, "cache_of_one_token", CACHE_COUNTED,
    """You count one token: the cache holds all tokens so far.""",
    " * tokens", "")

wrong(CACHE, "cache_in_elements", ANY_CACHE,
    """You count elements: multiply by the bytes of each.""",
    " * bytes_per_element", "")

wrong(CACHE, "cache_in_half_precision", CACHE_COUNTED,
    """You take two bytes per element for granted: the default is 4, float32.""",
    "bytes_per_element: int = 4", "bytes_per_element: int = 2")

wrong(CACHE, "cache_without_grouping", CACHE_COUNTED,
    """num_kv_heads changes nothing in your count: a shared head is kept once, which is what grouped
    queries are for, and its width is that of any head.""",
    KEPT_HEADS, "num_heads")

wrong(CACHE, "cache_by_group_size", CACHE_COUNTED,
    """You keep as much as num_heads / num_kv_heads heads have: num_kv_heads is the number of heads
    kept, and no divisor.""",
    "else num_kv_heads", "else num_heads // num_kv_heads")

wrong(CACHE, "cache_of_full_width_heads", ANY_CACHE,
    """You keep the full width for every head: a head is d_model / num_heads wide.""",
    "(d_model // num_heads)", "d_model")

wrong(CACHE, "kept_heads_without_their_width", CACHE_COUNTED,
    """Your shared keys and values are num_kv_heads numbers wide: each of these heads is d_model /
    num_heads wide.""",
    "heads * (d_model // num_heads)", "d_model if num_kv_heads is None else num_kv_heads")

wrong(CACHE, "kept_heads_share_the_width", ANY_CACHE,
    """What you keep is d_model / num_kv_heads numbers wide: num_kv_heads heads are kept, and each
    is d_model / num_heads wide, however few they are.""",
    "heads * (d_model // num_heads)", "d_model // heads")

wrong(CACHE, "one_head_by_default", ANY_CACHE,
    "Without num_kv_heads you keep one head: None means as many as num_heads.",
    KEPT_HEADS, "num_kv_heads or 1")

wrong(CACHE, "cache_in_32_bits", CACHE_COUNTED,
    """Your bytes run over beyond 32 bits, as numpy's int32 does: use Python's int, which holds any
    number.""",
    "return 2 * num_layers * batch * tokens * width * bytes_per_element",
    "size = 2 * num_layers * batch * tokens * width * bytes_per_element\n    "
    "return (size + 2**31) % 2**32 - 2**31")

wrong(CACHE, "always_4_bytes", ANY_CACHE,
    """bytes_per_element changes nothing in your count: 4 is its default, and a model in 16 bits
    takes 2.""",
    " * bytes_per_element", " * 4")

# activation_bytes ---------------------------------------------------------------------------------

WEIGHTS, WEIGHTS_COUNTED = "activation_bytes", "memory_of_attention_weights"
ANY_WEIGHTS = f"{WORK} {WEIGHTS_COUNTED}"

wrong(WEIGHTS, "a_weight_per_token", ANY_WEIGHTS,
    """You count a weight per token: there is one for every pair of tokens.""",
    "tokens * tokens", "tokens")

wrong(WEIGHTS, "a_weight_for_two_different_tokens", ANY_WEIGHTS,
    """You count each two different tokens once, as one does in combinatorics. The first token's
    weight for the second is another number than the second's for the first, and each token has one
    for itself: T * T in all.""",
    "tokens * tokens", "(tokens * (tokens - 1) // 2)")

wrong(WEIGHTS, "no_weight_for_itself", ANY_WEIGHTS,
    """You leave out each token's weight for itself: it attends to itself as well, so it is T * T
    in all.""",
    "tokens * tokens", "(tokens * (tokens - 1))")

wrong(WEIGHTS, "weights_of_one_head", ANY_WEIGHTS,
    """You count the weights of one head: every head has its own, whatever its width.""",
    " * num_heads", "")

wrong(WEIGHTS, "weights_of_one_sequence", ANY_WEIGHTS,
    """You count the weights of one sequence: the batch has as many times more.""",
    " * batch", "")

wrong(WEIGHTS, "weights_across_the_batch", ANY_WEIGHTS,
    """You let tokens of different sequences attend to one another: the batch is a factor, not
    squared.""",
    " * batch", " * batch * batch")

wrong(WEIGHTS, "weights_of_one_layer", WEIGHTS_COUNTED,
    """You count the weights of one layer: the backward pass needs those of all.""",
    "return num_layers * ", "return ")

wrong(WEIGHTS, "weights_in_elements", ANY_WEIGHTS,
    """You count the weights, not their bytes: multiply by bytes_per_element.""",
    " * bytes_per_element", "")

wrong(WEIGHTS, "weights_always_float32", WEIGHTS_COUNTED,
    """Four bytes per weight are fixed in your count: bytes_per_element says how many.""",
    " * bytes_per_element", " * 4")

wrong(WEIGHTS, "weights_of_a_triangle", ANY_WEIGHTS,
    """You leave out pairs that a causal mask forbids: their weights are zero, and stored.""",
    "tokens * tokens", "(tokens * (tokens + 1) // 2)")

wrong(WEIGHTS, "scores_and_weights", ANY_WEIGHTS,
    """You count two numbers for each pair, as if its score were kept beside its weight: asked for
    are the weights alone.""",
    "return num_layers", "return 2 * num_layers")

wrong(WEIGHTS, "pairs_by_xor", ANY_WEIGHTS,
    "^ is the exclusive or of bits in Python, and no power: write tokens * tokens.",
    "tokens * tokens", "(tokens ^ 2)")

# mask_buffer_bytes --------------------------------------------------------------------------------

MASK, MASK_COUNTED = "mask_buffer_bytes", "memory_of_a_mask"
ANY_MASK = f"{WORK} {MASK_COUNTED}"
SQUARE = "context_length * context_length"

wrong(MASK, "a_row_for_a_square", ANY_MASK,
    """Your mask has one number per token: it says for every pair of tokens whether one may see the
    other, so it is a square.""",
    SQUARE, "context_length")

wrong(MASK, "only_the_triangle", ANY_MASK,
    """You store a triangle: a buffer is a full square, also where nothing is allowed.""",
    SQUARE, "context_length * (context_length + 1) // 2")

wrong(MASK, "mask_in_elements", ANY_MASK,
    """You count elements: a float32 mask takes four bytes for each.""",
    " * bytes_per_element", "")

wrong(MASK, "bool_by_default", ANY_MASK,
    """You take a bool mask for granted: the default is float32, four bytes per element.""",
    "bytes_per_element: int = 4", "bytes_per_element: int = 1")

wrong(MASK, "one_mask_for_all_layers", MASK_COUNTED,
    """You count one mask: a buffer registered in every layer is stored in every layer.""",
    "return num_layers * ", "return ")

wrong(MASK, "mask_in_mebibytes", ANY_MASK,
    """You return MiB: asked for are bytes, 2**20 times as many.""",
    " * bytes_per_element", " * bytes_per_element / 2**20")

wrong(MASK, "mask_in_whole_mebibytes", ANY_MASK,
    """You return whole MiB: asked for are bytes, 2**20 times as many, and nothing is rounded.""",
    " * bytes_per_element", " * bytes_per_element // 2**20")

wrong(MASK, "mask_in_bits", ANY_MASK,
    """You take a bit for an element: a True takes a whole byte, and bytes_per_element says how many
    bytes there are.""",
    " * bytes_per_element", " * bytes_per_element // 8")

wrong(MASK, "square_by_xor", ANY_MASK,
    "^ is no power in Python (it is the exclusive or of bits): write context_length**2.",
    SQUARE, "(context_length ^ 2)")

# Two options at once, and large numbers -----------------------------------------------------------

wrong(MHA, "output_bias_lost_with_groups", OUT_BIAS,
    "With num_kv_heads you forget out_bias: the output projection is the same however many share.",
    "if out_bias is None", "if out_bias is None or num_kv_heads is not None")

wrong(MHA, "plain_maps_of_the_tokens_width", OUT_BIAS,
    "Without biases your queries are d_model wide: they are d_inner wide with and without biases.",
    "queries = _linear(d_model, inner, bias)",
    "queries = _linear(d_model, inner if bias else d_model, bias)")

wrong(LAYER, "shared_norm_needs_biases", LAYER_OPTIONS,
    "Without biases you count a shared norm twice: to share it is a fact of its own.",
    "if shared_norm", "if shared_norm and bias")

wrong(MODEL, "source_words_lost_with_final_norms", MODEL_OPTIONS,
    "With final norms you forget the encoder's own words: count both.",
    "src_vocab_size is not None", "src_vocab_size is not None and not final_norm")

wrong(MODEL, "logit_bias_lost_when_tied_to_an_encoder", MODEL_OPTIONS,
    """With an encoder and tied weights you forget the bias of the logits: it is there whenever
    logit_bias is.""",
    "if logit_bias", "if logit_bias and not (tie_weights and has_encoder)")

wrong(MODEL, "inner_width_lost_when_tied", MODEL_OPTIONS,
    "With tied weights you forget d_inner: what the layers hold does not depend on the embedding.",
    '"d_inner": d_inner', '"d_inner": None if tie_weights else d_inner')

wrong(MODEL, "two_layers_at_least", MODEL_OPTIONS,
    "You count two layers where there is one.",
    "layers = num_encoder", "num_layers = max(2, num_layers)\n    layers = num_encoder")

wrong(FLOPS, "flops_in_32_bits", FLOPS_COUNTED,
    """Your flops start again from 0 beyond 32 bits, as numpy's int32 does: use Python's int, which
    holds any number.""",
    "return projections + scores_and_sums", "return (projections + scores_and_sums) % 2**32")

wrong(MASK, "mask_in_32_bits", MASK_COUNTED,
    "Your bytes start again from 0 beyond 32 bits, as numpy's int32 does: use Python's int.",
    "return num_layers * context_length * context_length * bytes_per_element",
    "return num_layers * context_length**2 * bytes_per_element % 2**32")
