"""Wrong answers to ``parameter_counts``, and what their authors are told."""

from __future__ import annotations

from grader.programs.bank import misconception

# The right counts, from which most wrong ones below differ by one slip --------------------------


def _linear(d_in, d_out, bias):
    return d_in * d_out + bias * d_out


def _norm(d_model, bias):
    return (1 + bias) * d_model


def _mha(d_model, num_heads, bias=True, *, out_bias=None, d_inner=None, num_kv_heads=None):
    inner, heads = d_inner or d_model, num_kv_heads or num_heads
    out_bias = bias if out_bias is None else out_bias
    narrow = 2 * _linear(d_model, heads * (inner // num_heads), bias)
    return _linear(d_model, inner, bias) + narrow + _linear(inner, d_model, out_bias)


def _ff(d_model, d_ff, bias=True, *, gated=False):
    return (1 + gated) * _linear(d_model, d_ff, bias) + _linear(d_ff, d_model, bias)


def _layer(d, heads, d_ff, bias=True, *, cross_attention=False, gated=False, shared_norm=False,
           attention=_mha, norm=_norm, norms=None, **widths):  # fmt: skip
    attentions = 1 + cross_attention
    norms = (2 if shared_norm else attentions + 1) if norms is None else norms
    total = attentions * attention(d, heads, bias, **widths) + _ff(d, d_ff, bias, gated=gated)
    return total + norms * norm(d, bias)


def _model(vocab, d, heads, d_ff, layers, bias=True, *, num_encoder_layers=0, src_vocab_size=None,
           learned_positions=0, tie_weights=False, logit_bias=False, final_norm=False,
           norm=_norm, cross=None, **options):  # fmt: skip
    encoder = num_encoder_layers > 0
    cross = encoder if cross is None else cross
    words = (1 if tie_weights else 2) * vocab + (src_vocab_size or 0) * encoder
    stacks = num_encoder_layers * _layer(d, heads, d_ff, bias, **options)
    stacks += layers * _layer(d, heads, d_ff, bias, cross_attention=cross, **options)
    ends = (1 + encoder) * (learned_positions * d + final_norm * norm(d, bias))
    return words * d + stacks + ends + logit_bias * vocab


# count_mha_params ------------------------------------------------------------------------------


@misconception(
    of="count_mha_params",
    sentence="You never look at out_bias: many models leave the biases out of q, k and v and keep "
    "the one of the output projection. Count that one apart.",
    caught_by=("test_output_bias_is_a_fact_of_its_own",),
)
def out_bias_ignored(d_model, num_heads, bias=True, *, out_bias=None, **options):
    return _mha(d_model, num_heads, bias, **options)


@misconception(
    of="count_mha_params",
    sentence="You take out_bias=False for 'not given' (`out_bias or bias`): None means not given, "
    "False means no bias. Ask `is None`.",
    caught_by=("test_output_bias_is_a_fact_of_its_own",),
)
def false_taken_for_none(d_model, num_heads, bias=True, *, out_bias=None, **options):
    return _mha(d_model, num_heads, bias, out_bias=out_bias or bias, **options)


@misconception(
    of="count_mha_params",
    sentence="out_bias decides about all four maps in your count: it is about the output alone.",
    caught_by=("test_output_bias_is_a_fact_of_its_own",),
)
def out_bias_for_all(d_model, num_heads, bias=True, *, out_bias=None, **options):
    return _mha(d_model, num_heads, bias if out_bias is None else out_bias, **options)


@misconception(
    of="count_mha_params",
    sentence="You multiply by the number of heads, but the heads only cut the width into pieces: "
    "each has d_model / num_heads columns of the same four maps. Take the factor out.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def multiplied_by_heads(d_model, num_heads, bias=True, **options):
    return num_heads * _mha(d_model, num_heads, bias, **options)


@misconception(
    of="count_mha_params",
    sentence="Each of your heads projects to the full width, and the output map reads all of them: "
    "heads have d_model / num_heads columns each, so that together they are d_model wide.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def heads_of_full_width(d_model, num_heads, bias=True, **options):
    return _mha(d_model, num_heads, bias, d_inner=num_heads * d_model)


@misconception(
    of="count_mha_params",
    sentence="Your maps have no biases even with bias=True: add one number per output of each map.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def biases_forgotten(d_model, num_heads, bias=True, **options):
    return _mha(d_model, num_heads, False, **options)


@misconception(
    of="count_mha_params",
    sentence="Your maps have biases even with bias=False: look at the argument first.",
    caught_by=("test_attention_is_four_projections",),
)
def biases_always(d_model, num_heads, bias=True, **options):
    return _mha(d_model, num_heads, True, **options)


@misconception(
    of="count_mha_params",
    sentence="Without an argument you count no biases: on this page bias=True is the default.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def no_biases_by_default(d_model, num_heads, bias=False, **options):
    return _mha(d_model, num_heads, bias, **options)


@misconception(
    of="count_mha_params",
    sentence="You count three maps: after queries, keys and values comes the output projection, "
    "which mixes what the heads have found.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def output_projection_forgotten(d_model, num_heads, bias=True, **options):
    return 3 * _linear(d_model, d_model, bias)


@misconception(
    of="count_mha_params",
    sentence="You add a single row of biases: each of the four maps has biases of its own.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def one_row_of_biases(d_model, num_heads, bias=True, **options):
    return _mha(d_model, num_heads, False, **options) + bias * d_model


@misconception(
    of="count_mha_params",
    sentence="Your output projection never has a bias: with out_bias=None it has one if the others "
    "have.",
    caught_by=("test_examples_of_parameters", "test_attention_is_four_projections"),
)
def output_bias_only_on_request(d_model, num_heads, bias=True, *, out_bias=False, **options):
    return _mha(d_model, num_heads, bias, out_bias=out_bias, **options)


@misconception(
    of="count_mha_params",
    sentence="Your output projection always has a bias: with out_bias=None it follows `bias`.",
    caught_by=("test_attention_is_four_projections",),
)
def output_bias_by_default(d_model, num_heads, bias=True, *, out_bias=True, **options):
    return _mha(d_model, num_heads, bias, out_bias=out_bias, **options)


@misconception(
    of="count_mha_params",
    sentence="You never look at d_inner: the heads together may be wider or narrower than the "
    "tokens, and all four maps then change.",
    caught_by=("test_heads_of_another_width",),
)
def inner_width_ignored(d_model, num_heads, bias=True, *, d_inner=None, **options):
    return _mha(d_model, num_heads, bias, **options)


@misconception(
    of="count_mha_params",
    sentence="Your maps lead from d_inner to d_inner: tokens come in, and go out, d_model wide.",
    caught_by=("test_heads_of_another_width",),
)
def inner_width_on_both_sides(d_model, num_heads, bias=True, *, d_inner=None, **options):
    return _mha(d_inner or d_model, num_heads, bias, **options)


@misconception(
    of="count_mha_params",
    sentence="Your output projection stays at the inner width: it leads back to d_model, so that "
    "its result can be added to the tokens.",
    caught_by=("test_heads_of_another_width",),
)
def output_stays_inside(d_model, num_heads, bias=True, *, d_inner=None, **options):
    inner = d_inner or d_model
    return _mha(d_model, num_heads, bias, d_inner=inner, **options) + (inner - d_model) * (
        inner + bias
    )


@misconception(
    of="count_mha_params",
    sentence="The biases of your shared keys and values are as long as without sharing: a bias has "
    "one number per output of its map, num_kv_heads * d_head.",
    caught_by=("test_grouped_queries",),
)
def biases_not_shared(d_model, num_heads, bias=True, **options):
    inner = options.get("d_inner") or d_model
    kept = inner // num_heads * (options.get("num_kv_heads") or num_heads)
    return _mha(d_model, num_heads, bias, **options) + 2 * bias * (inner - kept)


@misconception(
    of="count_mha_params",
    sentence="All your biases are d_model long: a bias has one number per output of its map, and "
    "queries, keys and values have d_inner outputs.",
    caught_by=("test_heads_of_another_width",),
)
def biases_of_the_tokens_width(d_model, num_heads, bias=True, **options):
    options.pop("out_bias", None)
    return _mha(d_model, num_heads, False, **options) + bias * 4 * d_model


@misconception(
    of="count_mha_params",
    sentence="All your biases are d_inner long: the output projection has d_model outputs, and as "
    "many biases.",
    caught_by=("test_heads_of_another_width",),
)
def biases_of_the_inner_width(d_model, num_heads, bias=True, *, d_inner=None, **options):
    more = bias * ((d_inner or d_model) - d_model)
    return _mha(d_model, num_heads, bias, d_inner=d_inner, **options) + more


@misconception(
    of="count_mha_params",
    sentence="Only queries and keys have the inner width in your count: values belong to the same "
    "heads, and the output projection reads all of them.",
    caught_by=("test_heads_of_another_width",),
)
def values_of_the_tokens_width(d_model, num_heads, bias=True, *, d_inner=None, **options):
    inner = d_inner or d_model
    return 2 * _linear(d_model, inner, bias) + 2 * _linear(d_model, d_model, bias)


@misconception(
    of="count_mha_params",
    sentence="You never look at num_kv_heads: with grouped queries several heads share a key and a "
    "value, so these two maps are narrower.",
    caught_by=("test_grouped_queries",),
)
def grouping_ignored(d_model, num_heads, bias=True, *, num_kv_heads=None, **options):
    return _mha(d_model, num_heads, bias, **options)


@misconception(
    of="count_mha_params",
    sentence="You take num_kv_heads for the size of a group: it is the number of heads of keys and "
    "values, so their width is num_kv_heads * d_head.",
    caught_by=("test_grouped_queries",),
)
def group_size_for_groups(d_model, num_heads, bias=True, *, num_kv_heads=None, **options):
    group = num_heads // (num_kv_heads or 1)
    return _mha(d_model, num_heads, bias, num_kv_heads=group, **options)


@misconception(
    of="count_mha_params",
    sentence="Keys and values have one head in your count whenever queries are grouped: that is "
    "multi-query attention, num_kv_heads=1. Here there are num_kv_heads of them.",
    caught_by=("test_grouped_queries",),
)
def one_shared_head(d_model, num_heads, bias=True, *, num_kv_heads=None, **options):
    return _mha(d_model, num_heads, bias, num_kv_heads=num_kv_heads and 1, **options)


@misconception(
    of="count_mha_params",
    sentence="Only the keys are shared in your count: with grouped queries values are shared in "
    "the same way, and their map is as narrow.",
    caught_by=("test_grouped_queries",),
)
def only_keys_are_shared(d_model, num_heads, bias=True, **options):
    whole = dict(options, num_kv_heads=None)
    both = _mha(d_model, num_heads, bias, **options) + _mha(d_model, num_heads, bias, **whole)
    return both // 2


@misconception(
    of="count_mha_params",
    sentence="Your queries become narrower too: only keys and values are shared, and every head "
    "still asks a question of its own.",
    caught_by=("test_grouped_queries",),
)
def queries_are_grouped_too(d_model, num_heads, bias=True, **options):
    inner = options.get("d_inner") or d_model
    kept = inner // num_heads * (options.get("num_kv_heads") or num_heads)
    return _mha(d_model, num_heads, bias, **options) - (inner - kept) * (d_model + bias)


@misconception(
    of="count_mha_params",
    sentence="Your shared heads are d_model / num_heads wide even with d_inner: all heads are "
    "d_inner / num_heads wide.",
    caught_by=("test_heads_of_another_width",),
)
def shared_heads_of_the_tokens_width(
    d_model, num_heads, bias=True, *, d_inner=None, num_kv_heads=None, **options
):
    total = _mha(d_model, num_heads, bias, d_inner=d_inner, num_kv_heads=num_kv_heads, **options)
    if d_inner is None or num_kv_heads is None:
        return total
    return total - 2 * num_kv_heads * (d_inner - d_model) // num_heads * (d_model + bias)


# count_feed_forward_params ---------------------------------------------------------------------


@misconception(
    of="count_feed_forward_params",
    sentence="You count the way up only: a second map leads from d_ff back to d_model.",
    caught_by=("test_examples_of_parameters", "test_feed_forward"),
)
def one_map_only(d_model, d_ff, bias=True, *, gated=False):
    return (1 + gated) * _linear(d_model, d_ff, bias)


@misconception(
    of="count_feed_forward_params",
    sentence="Your feed-forward network has no biases: there are d_ff on the way up and d_model on "
    "the way down.",
    caught_by=("test_examples_of_parameters", "test_feed_forward"),
)
def network_without_biases(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, d_ff, False, gated=gated)


@misconception(
    of="count_feed_forward_params",
    sentence="Your feed-forward network has biases whatever `bias` says: bias=False leaves weights "
    "alone.",
    caught_by=("test_feed_forward",),
)
def network_with_biases(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, d_ff, True, gated=gated)


@misconception(
    of="count_feed_forward_params",
    sentence="You add d_model biases for each map: the first has d_ff outputs, and as many biases.",
    caught_by=("test_examples_of_parameters", "test_feed_forward"),
)
def biases_of_inputs(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, d_ff, False, gated=gated) + bias * (2 + gated) * d_model


@misconception(
    of="count_feed_forward_params",
    sentence="You add d_ff biases for each map: the second has d_model outputs, and as many "
    "biases.",
    caught_by=("test_examples_of_parameters", "test_feed_forward"),
)
def biases_of_hidden_units_twice(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, d_ff, False, gated=gated) + bias * (2 + gated) * d_ff


@misconception(
    of="count_feed_forward_params",
    sentence="Your hidden layer is always four times as wide as the tokens: that is a habit, and "
    "d_ff is the number to use.",
    caught_by=("test_feed_forward",),
)
def four_times_the_width(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, 4 * d_model, bias, gated=gated)


@misconception(
    of="count_feed_forward_params",
    sentence="You never look at `gated`: the gate is a third map, from d_model to d_ff.",
    caught_by=("test_feed_forward",),
)
def gate_forgotten(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, d_ff, bias)


@misconception(
    of="count_feed_forward_params",
    sentence="A gate doubles your whole network: there are two maps up and only one down.",
    caught_by=("test_feed_forward",),
)
def gate_doubles_everything(d_model, d_ff, bias=True, *, gated=False):
    return (1 + gated) * _ff(d_model, d_ff, bias)


@misconception(
    of="count_feed_forward_params",
    sentence="Your gate has no biases: with bias=True all three maps have them.",
    caught_by=("test_feed_forward",),
)
def gate_without_biases(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, d_ff, bias) + gated * d_model * d_ff


@misconception(
    of="count_feed_forward_params",
    sentence="You make a gated network two thirds as wide, as papers do to keep the count: here "
    "d_ff is already the width it has.",
    caught_by=("test_feed_forward",),
)
def gated_and_narrowed(d_model, d_ff, bias=True, *, gated=False):
    return _ff(d_model, 2 * d_ff // 3 if gated else d_ff, bias, gated=gated)


# count_layer_params ----------------------------------------------------------------------------


@misconception(
    of="count_layer_params",
    sentence="With bias=False your norms have no parameters at all: their gains remain, d_model "
    "each.",
    caught_by=("test_layer_without_biases",),
)
def norms_vanish_without_biases(*sizes, **options):
    return _layer(*sizes, **options, norm=lambda d, bias: 2 * d * bias)


@misconception(
    of="count_layer_params",
    sentence="You forget the norms: one after each sub-layer, with d_model gains and d_model "
    "biases each.",
    caught_by=("test_examples_of_parameters", "test_encoder_layer", "test_decoder_layer"),
)
def norms_forgotten(*sizes, **options):
    return _layer(*sizes, **options, norms=0)


@misconception(
    of="count_layer_params",
    sentence="You count one norm for the whole layer: every sub-layer comes with its own.",
    caught_by=("test_examples_of_parameters", "test_encoder_layer"),
)
def a_single_norm(*sizes, **options):
    return _layer(*sizes, **options, norms=1)


@misconception(
    of="count_layer_params",
    sentence="Your norms have gains only: with bias=True each has d_model biases as well.",
    caught_by=("test_examples_of_parameters", "test_encoder_layer"),
)
def norms_without_biases(*sizes, **options):
    return _layer(*sizes, **options, norm=lambda d, bias: d)


@misconception(
    of="count_layer_params",
    sentence="Your norms keep their biases with bias=False: on this page that means no bias "
    "anywhere in the layer.",
    caught_by=("test_layer_without_biases",),
)
def norms_keep_biases(*sizes, **options):
    return _layer(*sizes, **options, norm=lambda d, bias: 2 * d)


@misconception(
    of="count_layer_params",
    sentence="You forget the feed-forward network, which holds most of a layer's parameters.",
    caught_by=("test_examples_of_parameters", "test_encoder_layer"),
)
def feed_forward_forgotten(d_model, num_heads, d_ff, bias=True, **options):
    total = _layer(d_model, num_heads, d_ff, bias, **options)
    return total - _ff(d_model, d_ff, bias, gated=options.get("gated", False))


@misconception(
    of="count_layer_params",
    sentence="You never look at cross_attention: a decoder layer has a second attention, over the "
    "encoder's tokens, and a norm for it.",
    caught_by=("test_decoder_layer",),
)
def cross_attention_forgotten(*sizes, cross_attention=False, **options):
    return _layer(*sizes, **options)


@misconception(
    of="count_layer_params",
    sentence="You count the cross-attention but not its norm: a decoder layer has three sub-layers "
    "and three norms.",
    caught_by=("test_decoder_layer",),
)
def third_norm_forgotten(*sizes, **options):
    return _layer(*sizes, **options, norms=2)


@misconception(
    of="count_layer_params",
    sentence="You count a third norm but no second attention: cross-attention has four maps of its "
    "own.",
    caught_by=("test_decoder_layer",),
)
def only_the_third_norm(*sizes, cross_attention=False, shared_norm=False, **options):
    return _layer(*sizes, **options, norms=2 + (cross_attention and not shared_norm))


@misconception(
    of="count_layer_params",
    sentence="Your cross-attention has only two maps, for queries and output: keys and values of "
    "the encoder's tokens are projected here too, in every layer anew.",
    caught_by=("test_decoder_layer",),
)
def cross_attention_without_keys(d_model, num_heads, d_ff, bias=True, **options):
    total = _layer(d_model, num_heads, d_ff, bias, **options)
    return total - 2 * options.get("cross_attention", False) * _linear(d_model, d_model, bias)


@misconception(
    of="count_layer_params",
    sentence="You never look at shared_norm: one norm used twice is counted once.",
    caught_by=("test_decoder_layer",),
)
def shared_norm_ignored(*sizes, shared_norm=False, **options):
    return _layer(*sizes, **options)


@misconception(
    of="count_layer_params",
    sentence="You take one norm away for shared_norm even where there is only one attention: then "
    "nobody shares anything.",
    caught_by=("test_encoder_layer",),
)
def one_norm_less(*sizes, cross_attention=False, shared_norm=False, **options):
    norms = 2 + cross_attention - shared_norm
    return _layer(*sizes, cross_attention=cross_attention, norms=norms, **options)


@misconception(
    of="count_layer_params",
    sentence="A shared norm serves the whole layer in your count: only the attentions share one, "
    "and the feed-forward network keeps its own.",
    caught_by=("test_encoder_layer", "test_decoder_layer"),
)
def shared_by_the_whole_layer(*sizes, shared_norm=False, **options):
    return _layer(*sizes, **options, norms=1 if shared_norm else None)


@misconception(
    of="count_layer_params",
    sentence="`bias` does not reach your attention: bias=False means no bias in any map.",
    caught_by=("test_layer_without_biases",),
)
def attention_always_with_biases(*sizes, **options):
    return _layer(
        *sizes, **options, attention=lambda d, heads, bias, **widths: _mha(d, heads, **widths)
    )


@misconception(
    of="count_layer_params",
    sentence="`bias` does not reach your feed-forward network: bias=False means no bias in any "
    "map.",
    caught_by=("test_layer_without_biases",),
)
def feed_forward_always_with_biases(d_model, num_heads, d_ff, bias=True, **options):
    missing = (not bias) * ((1 + options.get("gated", False)) * d_ff + d_model)
    return _layer(d_model, num_heads, d_ff, bias, **options) + missing


@misconception(
    of="count_layer_params",
    sentence="d_inner does not reach your attentions: hand it on to count_mha_params.",
    caught_by=("test_options_reach_every_part_of_a_layer",),
)
def layer_drops_the_inner_width(*sizes, d_inner=None, **options):
    return _layer(*sizes, **options)


@misconception(
    of="count_layer_params",
    sentence="num_kv_heads does not reach your attentions: hand it on to count_mha_params.",
    caught_by=("test_options_reach_every_part_of_a_layer",),
)
def layer_drops_the_grouping(*sizes, num_kv_heads=None, **options):
    return _layer(*sizes, **options)


@misconception(
    of="count_layer_params",
    sentence="`gated` does not reach your feed-forward network: hand it on.",
    caught_by=("test_options_reach_every_part_of_a_layer",),
)
def layer_drops_the_gate(*sizes, gated=False, **options):
    return _layer(*sizes, **options)


@misconception(
    of="count_layer_params",
    sentence="Your cross-attention does not get num_kv_heads and d_inner: both attentions of a "
    "layer are alike.",
    caught_by=("test_options_reach_every_part_of_a_layer",),
)
def plain_cross_attention(d, heads, d_ff, bias=True, *, cross_attention=False, **options):
    total = _layer(d, heads, d_ff, bias, cross_attention=cross_attention, **options)
    widths = {k: v for k, v in options.items() if k in ("d_inner", "num_kv_heads")}
    gap = _mha(d, heads, bias) - _mha(d, heads, bias, **widths)
    return total + cross_attention * gap


# count_model_params ----------------------------------------------------------------------------


@misconception(
    of="count_model_params",
    sentence="You count one layer per stack: every layer has parameters of its own, so multiply by "
    "their number.",
    caught_by=("test_examples_of_parameters", "test_decoder_only_model"),
)
def layers_forgotten(vocab, d, heads, d_ff, layers, bias=True, **options):
    options["num_encoder_layers"] = min(1, options.get("num_encoder_layers", 0))
    return _model(vocab, d, heads, d_ff, 1, bias, **options)


@misconception(
    of="count_model_params",
    sentence="You forget the embedding: vocab_size rows of d_model numbers before the first layer.",
    caught_by=("test_examples_of_parameters", "test_decoder_only_model"),
)
def embedding_forgotten(vocab, d, *sizes, **options):
    return _model(vocab, d, *sizes, **options) - vocab * d


@misconception(
    of="count_model_params",
    sentence="You forget the output layer: unless it is tied, d_model * vocab_size weights lead to "
    "the logits.",
    caught_by=("test_examples_of_parameters", "test_decoder_only_model"),
)
def output_layer_forgotten(*sizes, **options):
    return _model(*sizes, **options | {"tie_weights": True})


@misconception(
    of="count_model_params",
    sentence="Your decoder-only model has cross-attention: there is no encoder to attend to.",
    caught_by=("test_examples_of_parameters", "test_decoder_only_model"),
)
def cross_attention_to_nothing(*sizes, **options):
    return _model(*sizes, **options, cross=True)


@misconception(
    of="count_model_params",
    sentence="You count tied weights twice: embedding and output layer are then one matrix.",
    caught_by=("test_output_layer",),
)
def tied_counted_twice(*sizes, tie_weights=False, **options):
    return _model(*sizes, **options)


@misconception(
    of="count_model_params",
    sentence="Tied weights drop out of your count altogether: one matrix remains, used twice.",
    caught_by=("test_output_layer",),
)
def tied_counted_never(vocab, d, *sizes, tie_weights=False, **options):
    total = _model(vocab, d, *sizes, tie_weights=tie_weights, **options)
    return total - tie_weights * vocab * d


@misconception(
    of="count_model_params",
    sentence="Your logits lose their bias with bias=False: that is about maps and norms of the "
    "layers; the output layer has logit_bias.",
    caught_by=("test_options_reach_every_part_of_a_model",),
)
def logit_bias_needs_bias(vocab, d, heads, d_ff, layers, bias=True, **options):
    wanted = options.pop("logit_bias", False) and bias
    return _model(vocab, d, heads, d_ff, layers, bias, logit_bias=wanted, **options)


@misconception(
    of="count_model_params",
    sentence="You forget the bias of the logits: with logit_bias one number per word.",
    caught_by=("test_output_layer",),
)
def logit_bias_forgotten(*sizes, logit_bias=False, **options):
    return _model(*sizes, **options)


@misconception(
    of="count_model_params",
    sentence="Your bias of the logits is d_model long: it has one number per output, and the "
    "outputs are words.",
    caught_by=("test_output_layer",),
)
def logit_bias_of_the_width(vocab, d, *sizes, logit_bias=False, **options):
    return _model(vocab, d, *sizes, **options) + logit_bias * d


@misconception(
    of="count_model_params",
    sentence="Tying takes your logits' bias away: only the weights are shared, a bias remains.",
    caught_by=("test_output_layer",),
)
def tying_drops_the_bias(*sizes, tie_weights=False, logit_bias=False, **options):
    logit_bias = logit_bias and not tie_weights
    return _model(*sizes, tie_weights=tie_weights, logit_bias=logit_bias, **options)


@misconception(
    of="count_model_params",
    sentence="Your logits have a bias whenever the layers have: it is a fact of its own, "
    "logit_bias.",
    caught_by=("test_examples_of_parameters", "test_decoder_only_model"),
)
def logit_bias_follows_bias(vocab, d, heads, d_ff, layers, bias=True, **options):
    return _model(vocab, d, heads, d_ff, layers, bias, **options | {"logit_bias": bias})


@misconception(
    of="count_model_params",
    sentence="You forget the encoder's layers.",
    caught_by=("test_encoder_and_decoder",),
)
def encoder_forgotten(*sizes, **options):
    widths = ("d_inner", "num_kv_heads", "gated", "shared_norm")
    layer = {k: v for k, v in options.items() if k in widths}
    layers = options.get("num_encoder_layers", 0) * _layer(*sizes[1:4], **layer)
    return _model(*sizes, **options) - layers


@misconception(
    of="count_model_params",
    sentence="Your encoder's layers have cross-attention too: an encoder sees its own tokens only.",
    caught_by=("test_encoder_and_decoder",),
)
def encoder_with_cross_attention(vocab, d, heads, *sizes, **options):
    total = _model(vocab, d, heads, *sizes, **options)
    extra = _mha(d, heads) + _norm(d, True)
    return total + options.get("num_encoder_layers", 0) * extra


@misconception(
    of="count_model_params",
    sentence="Your decoder has no cross-attention: without it the encoder would be of no use.",
    caught_by=("test_encoder_and_decoder",),
)
def decoder_without_cross_attention(*sizes, **options):
    return _model(*sizes, **options, cross=False)


@misconception(
    of="count_model_params",
    sentence="Your encoder has as many layers as the decoder: it has num_encoder_layers.",
    caught_by=("test_encoder_and_decoder",),
)
def as_many_layers_as_the_decoder(vocab, d, heads, d_ff, layers, bias=True, **options):
    if options.get("num_encoder_layers"):
        options["num_encoder_layers"] = layers
    return _model(vocab, d, heads, d_ff, layers, bias, **options)


@misconception(
    of="count_model_params",
    sentence="You forget the encoder's own words: with src_vocab_size there is a second embedding.",
    caught_by=("test_encoder_and_decoder",),
)
def source_words_forgotten(*sizes, src_vocab_size=None, **options):
    return _model(*sizes, **options)


@misconception(
    of="count_model_params",
    sentence="You count words of an encoder where there is none: with num_encoder_layers=0 nothing "
    "of an encoder is counted, whatever src_vocab_size says.",
    caught_by=("test_decoder_only_model",),
)
def source_words_without_encoder(vocab, d, *sizes, src_vocab_size=None, **options):
    return _model(vocab, d, *sizes, **options) + (src_vocab_size or 0) * d


@misconception(
    of="count_model_params",
    sentence="You give the encoder an embedding of its own in any case: without src_vocab_size it "
    "uses the decoder's.",
    caught_by=("test_encoder_and_decoder",),
)
def always_two_embeddings(vocab, *sizes, src_vocab_size=None, **options):
    return _model(vocab, *sizes, src_vocab_size=src_vocab_size or vocab, **options)


@misconception(
    of="count_model_params",
    sentence="You let two vocabularies of the same size share a matrix: equal sizes are no "
    "sharing. Only src_vocab_size=None says that they share.",
    caught_by=("test_encoder_and_decoder",),
)
def equal_sizes_taken_for_sharing(vocab, *sizes, src_vocab_size=None, **options):
    source = None if src_vocab_size == vocab else src_vocab_size
    return _model(vocab, *sizes, src_vocab_size=source, **options)


@misconception(
    of="count_model_params",
    sentence="Tying swallows the encoder's own embedding: only the output layer and the decoder's "
    "embedding are one.",
    caught_by=("test_encoder_and_decoder",),
)
def tying_drops_the_source(*sizes, tie_weights=False, src_vocab_size=None, **options):
    source = None if tie_weights else src_vocab_size
    return _model(*sizes, tie_weights=tie_weights, src_vocab_size=source, **options)


@misconception(
    of="count_model_params",
    sentence="Your output layer speaks the encoder's words: the logits are over vocab_size words.",
    caught_by=("test_encoder_and_decoder",),
)
def logits_of_the_source(vocab, d, *sizes, src_vocab_size=None, tie_weights=False, **options):
    total = _model(
        vocab, d, *sizes, src_vocab_size=src_vocab_size, tie_weights=tie_weights, **options
    )
    return total + (not tie_weights and bool(src_vocab_size)) * ((src_vocab_size or 0) - vocab) * d


@misconception(
    of="count_model_params",
    sentence="You forget the learned positions: a table of learned_positions rows, d_model wide.",
    caught_by=("test_positions_and_final_norms",),
)
def positions_forgotten(*sizes, learned_positions=0, **options):
    return _model(*sizes, **options)


@misconception(
    of="count_model_params",
    sentence="You count one table of positions for two stacks: encoder and decoder have one each.",
    caught_by=("test_positions_and_final_norms",),
)
def one_table_of_positions(vocab, d, *sizes, learned_positions=0, **options):
    return _model(vocab, d, *sizes, **options) + learned_positions * d


@misconception(
    of="count_model_params",
    sentence="You add one number per position: a row of the table is d_model wide.",
    caught_by=("test_positions_and_final_norms",),
)
def one_number_per_position(*sizes, learned_positions=0, **options):
    stacks = 1 + (options.get("num_encoder_layers", 0) > 0)
    return _model(*sizes, **options) + stacks * learned_positions


@misconception(
    of="count_model_params",
    sentence="You forget the final norm: with final_norm one more norm follows the last layer.",
    caught_by=("test_positions_and_final_norms",),
)
def final_norm_forgotten(*sizes, final_norm=False, **options):
    return _model(*sizes, **options)


@misconception(
    of="count_model_params",
    sentence="You count one final norm for two stacks: encoder and decoder have one each.",
    caught_by=("test_positions_and_final_norms",),
)
def one_final_norm(vocab, d, heads, d_ff, layers, bias=True, *, final_norm=False, **options):
    total = _model(vocab, d, heads, d_ff, layers, bias, **options)
    return total + final_norm * _norm(d, bias)


@misconception(
    of="count_model_params",
    sentence="You count a final norm in every layer: it follows the last layer of a stack alone.",
    caught_by=("test_positions_and_final_norms",),
)
def a_final_norm_per_layer(vocab, d, heads, d_ff, layers, bias=True, **options):
    final = options.pop("final_norm", False)
    count = layers + options.get("num_encoder_layers", 0)
    return _model(vocab, d, heads, d_ff, layers, bias, **options) + final * count * _norm(d, bias)


@misconception(
    of="count_model_params",
    sentence="Your final norm has gains only: with bias=True it has d_model biases as well.",
    caught_by=("test_positions_and_final_norms",),
)
def final_norm_without_biases(*sizes, **options):
    return _model(*sizes, **options, norm=lambda d, bias: d)


@misconception(
    of="count_model_params",
    sentence="Your final norm keeps its biases with bias=False: it is a norm like the others.",
    caught_by=("test_options_reach_every_part_of_a_model",),
)
def final_norm_keeps_biases(*sizes, **options):
    return _model(*sizes, **options, norm=lambda d, bias: 2 * d)


@misconception(
    of="count_model_params",
    sentence="`bias` does not reach your layers: hand it on to count_layer_params.",
    caught_by=("test_options_reach_every_part_of_a_model",),
)
def model_always_with_biases(vocab, d, heads, d_ff, layers, bias=True, **options):
    return _model(vocab, d, heads, d_ff, layers, True, **options)


def _deaf_to(name):
    def count(*sizes, **options):
        options.pop(name, None)
        return _model(*sizes, **options)

    count.__name__ = f"model_deaf_to_{name}"
    return count


for _name in ("d_inner", "num_kv_heads", "gated", "shared_norm"):
    globals()[f"model_deaf_to_{_name}"] = misconception(
        of="count_model_params",
        sentence=f"{_name} does not reach your layers: a model hands it on to all of them.",
        caught_by=("test_options_reach_every_part_of_a_model",),
    )(_deaf_to(_name))


@misconception(
    of="count_model_params",
    sentence="The options reach the decoder of your model only: encoder layers have the same "
    "d_inner, num_kv_heads and gate.",
    caught_by=("test_options_reach_every_part_of_a_model",),
)
def options_for_the_decoder_only(vocab, d, heads, d_ff, layers, bias=True, **options):
    widths = ("d_inner", "num_kv_heads", "gated", "shared_norm")
    own = {k: v for k, v in options.items() if k in widths}
    gap = _layer(d, heads, d_ff, bias) - _layer(d, heads, d_ff, bias, **own)
    total = _model(vocab, d, heads, d_ff, layers, bias, **options)
    return total + options.get("num_encoder_layers", 0) * gap


# attention_flops -------------------------------------------------------------------------------


def _flops(batch, tokens, d, heads, num_kv_heads=None, *, maps=4, products=2, pairs=None):
    shared = (num_kv_heads or heads) * (d // heads)
    projected = (maps - 2) * d + 2 * shared
    pairs = tokens * tokens if pairs is None else pairs
    return 2 * batch * (tokens * d * projected + products * pairs * d)


@misconception(
    of="attention_flops",
    sentence="You count multiply-adds: each is two operations, a multiplication and an addition.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def multiply_adds(*sizes, **options):
    return _flops(*sizes, **options) // 2


@misconception(
    of="attention_flops",
    sentence="You forget the projections: four products of the tokens with d_model x d_model maps.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def projections_forgotten(batch, tokens, d, heads, num_kv_heads=None):
    return 4 * batch * tokens * tokens * d


@misconception(
    of="attention_flops",
    sentence="You forget the output projection: there are four, not three.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def three_projections(*sizes, **options):
    return _flops(*sizes, **options, maps=3)


@misconception(
    of="attention_flops",
    sentence="You count projections only: scores and weighted sums are products as well, and the "
    "ones that grow with the square of the length.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def only_projections(*sizes, **options):
    return _flops(*sizes, **options, products=0)


@misconception(
    of="attention_flops",
    sentence="You count the scores but not the weighted sum of the values, which takes as much.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def weighted_sum_forgotten(*sizes, **options):
    return _flops(*sizes, **options, products=1)


@misconception(
    of="attention_flops",
    sentence="Your scores grow with the length, not with its square: every token meets every "
    "token.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def linear_in_the_length(batch, tokens, d, heads, num_kv_heads=None):
    return _flops(batch, tokens, d, heads, num_kv_heads, pairs=tokens)


@misconception(
    of="attention_flops",
    sentence="You multiply scores and sums by the number of heads: each head is only d_model / "
    "num_heads wide, and together they take what one wide head takes.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def flops_times_heads(batch, tokens, d, heads, num_kv_heads=None):
    return _flops(batch, tokens, d, heads, num_kv_heads, pairs=tokens * tokens * heads)


@misconception(
    of="attention_flops",
    sentence="You count scores and sums of a single head: there are num_heads of them.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def flops_of_one_head(batch, tokens, d, heads, num_kv_heads=None):
    pairs = tokens * tokens * (d // heads)
    return _flops(batch, tokens, d, heads, num_kv_heads, pairs=0) + 4 * batch * pairs


@misconception(
    of="attention_flops",
    sentence="You forget the batch: every sequence takes its own work.",
    caught_by=("test_flops_of_attention",),
)
def flops_of_one_sequence(batch, *sizes, **options):
    return _flops(1, *sizes, **options)


@misconception(
    of="attention_flops",
    sentence="Your tokens attend across the batch: pairs are counted within a sequence, so the "
    "batch is a factor, not a longer text.",
    caught_by=("test_flops_of_attention",),
)
def batch_as_a_longer_text(batch, tokens, *sizes, **options):
    return _flops(1, batch * tokens, *sizes, **options)


@misconception(
    of="attention_flops",
    sentence="You count only pairs that a causal mask allows: the products compute all of them, "
    "and the mask comes later.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def half_of_the_pairs(batch, tokens, d, heads, num_kv_heads=None):
    return _flops(batch, tokens, d, heads, num_kv_heads, pairs=tokens * (tokens + 1) // 2)


@misconception(
    of="attention_flops",
    sentence="You never look at num_kv_heads: shared keys and values are projected once, so these "
    "two projections are cheaper.",
    caught_by=("test_flops_of_attention",),
)
def flops_without_grouping(batch, tokens, d, heads, num_kv_heads=None):
    return _flops(batch, tokens, d, heads)


@misconception(
    of="attention_flops",
    sentence="Grouping makes your scores cheaper: every head of queries still meets every key, "
    "only the projections are saved.",
    caught_by=("test_flops_of_attention",),
)
def grouped_scores(batch, tokens, d, heads, num_kv_heads=None):
    shared = (num_kv_heads or heads) * (d // heads)
    return 2 * batch * tokens * (d * (2 * d + 2 * shared) + 2 * tokens * shared)


@misconception(
    of="attention_flops",
    sentence="You add the backward pass: asked for is one forward pass, a third of that.",
    caught_by=("test_examples_of_work_and_memory", "test_flops_of_attention"),
)
def with_the_backward_pass(*sizes, **options):
    return 3 * _flops(*sizes, **options)


# kv_cache_bytes --------------------------------------------------------------------------------


def _cache(batch, tokens, d, heads, layers, bytes_per_element=4, *, num_kv_heads=None, kinds=2):
    width = (num_kv_heads or heads) * (d // heads)
    return kinds * layers * batch * tokens * width * bytes_per_element


@misconception(
    of="kv_cache_bytes",
    sentence="You keep one vector per token: there are two, a key and a value.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_keys_and_values"),
)
def keys_only(*sizes, **options):
    return _cache(*sizes, **options, kinds=1)


@misconception(
    of="kv_cache_bytes",
    sentence="You keep queries as well: a query is asked once and never needed again.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_keys_and_values"),
)
def queries_kept(*sizes, **options):
    return _cache(*sizes, **options, kinds=3)


@misconception(
    of="kv_cache_bytes",
    sentence="You count the cache of one layer: every layer has keys and values of its own.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_keys_and_values"),
)
def cache_of_one_layer(batch, tokens, d, heads, layers, *rest, **options):
    return _cache(batch, tokens, d, heads, 1, *rest, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You forget the batch: every sequence has its own keys and values.",
    caught_by=("test_memory_of_keys_and_values",),
)
def cache_of_one_sequence(batch, *rest, **options):
    return _cache(1, *rest, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You count one token: the cache holds all tokens so far.",
    caught_by=("test_memory_of_keys_and_values",),
)
def cache_of_one_token(batch, tokens, *rest, **options):
    return _cache(batch, 1, *rest, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You count elements: multiply by the bytes of each.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_keys_and_values"),
)
def cache_in_elements(batch, tokens, d, heads, layers, bytes_per_element=4, **options):
    return _cache(batch, tokens, d, heads, layers, 1, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You take two bytes per element for granted: the default is 4, float32.",
    caught_by=("test_memory_of_keys_and_values",),
)
def cache_in_half_precision(batch, tokens, d, heads, layers, bytes_per_element=2, **options):
    return _cache(batch, tokens, d, heads, layers, bytes_per_element, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You never look at num_kv_heads: a shared head is kept once, which is what grouped "
    "queries are for.",
    caught_by=("test_memory_of_keys_and_values",),
)
def cache_without_grouping(*sizes, num_kv_heads=None, **options):
    return _cache(*sizes, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You take num_kv_heads for the size of a group: it is the number of heads kept.",
    caught_by=("test_memory_of_keys_and_values",),
)
def cache_by_group_size(batch, tokens, d, heads, *rest, num_kv_heads=None, **options):
    group = heads // (num_kv_heads or 1)
    return _cache(batch, tokens, d, heads, *rest, num_kv_heads=group, **options)


@misconception(
    of="kv_cache_bytes",
    sentence="You keep the full width for every head: a head is d_model / num_heads wide.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_keys_and_values"),
)
def cache_of_full_width_heads(batch, tokens, d, heads, *rest, **options):
    return (options.get("num_kv_heads") or heads) * _cache(batch, tokens, d, heads, *rest)


# activation_bytes ------------------------------------------------------------------------------


def _weights(batch, tokens, heads, num_layers=1, bytes_per_element=4):
    return num_layers * batch * heads * tokens * tokens * bytes_per_element


@misconception(
    of="activation_bytes",
    sentence="You count a weight per token: there is one for every pair of tokens.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_attention_weights"),
)
def a_weight_per_token(batch, tokens, *rest, **options):
    return _weights(batch, tokens, *rest, **options) // tokens


@misconception(
    of="activation_bytes",
    sentence="You count the weights of one head: every head has its own, whatever its width.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_attention_weights"),
)
def weights_of_one_head(batch, tokens, heads, *rest, **options):
    return _weights(batch, tokens, 1, *rest, **options)


@misconception(
    of="activation_bytes",
    sentence="You count the weights of one sequence: the batch has as many times more.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_attention_weights"),
)
def weights_of_one_sequence(batch, *rest, **options):
    return _weights(1, *rest, **options)


@misconception(
    of="activation_bytes",
    sentence="You let tokens of different sequences attend to one another: the batch is a factor, "
    "not squared.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_attention_weights"),
)
def weights_across_the_batch(batch, *rest, **options):
    return batch * _weights(batch, *rest, **options)


@misconception(
    of="activation_bytes",
    sentence="You count the weights of one layer: the backward pass needs those of all.",
    caught_by=("test_memory_of_attention_weights",),
)
def weights_of_one_layer(batch, tokens, heads, num_layers=1, bytes_per_element=4):
    return _weights(batch, tokens, heads, 1, bytes_per_element)


@misconception(
    of="activation_bytes",
    sentence="You count the weights, not their bytes: multiply by bytes_per_element.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_attention_weights"),
)
def weights_in_elements(batch, tokens, heads, num_layers=1, bytes_per_element=4):
    return _weights(batch, tokens, heads, num_layers, 1)


@misconception(
    of="activation_bytes",
    sentence="Four bytes per weight are fixed in your count: bytes_per_element says how many.",
    caught_by=("test_memory_of_attention_weights",),
)
def weights_always_float32(batch, tokens, heads, num_layers=1, bytes_per_element=4):
    return _weights(batch, tokens, heads, num_layers)


@misconception(
    of="activation_bytes",
    sentence="You leave out pairs that a causal mask forbids: their weights are zero, and stored.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_attention_weights"),
)
def weights_of_a_triangle(batch, tokens, *rest, **options):
    return _weights(batch, tokens, *rest, **options) // (2 * tokens) * (tokens + 1)


# mask_buffer_bytes -----------------------------------------------------------------------------


@misconception(
    of="mask_buffer_bytes",
    sentence="Your mask has one number per token: it says for every pair of tokens whether one may "
    "see the other, so it is a square.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_a_mask"),
)
def a_row_for_a_square(context_length, bytes_per_element=4, num_layers=1):
    return num_layers * context_length * bytes_per_element


@misconception(
    of="mask_buffer_bytes",
    sentence="You store a triangle: a buffer is a full square, also where nothing is allowed.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_a_mask"),
)
def only_the_triangle(context_length, bytes_per_element=4, num_layers=1):
    return num_layers * context_length * (context_length + 1) // 2 * bytes_per_element


@misconception(
    of="mask_buffer_bytes",
    sentence="You count elements: a float32 mask takes four bytes for each.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_a_mask"),
)
def mask_in_elements(context_length, bytes_per_element=4, num_layers=1):
    return num_layers * context_length**2


@misconception(
    of="mask_buffer_bytes",
    sentence="You take a bool mask for granted: the default is float32, four bytes per element.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_a_mask"),
)
def bool_by_default(context_length, bytes_per_element=1, num_layers=1):
    return num_layers * context_length**2 * bytes_per_element


@misconception(
    of="mask_buffer_bytes",
    sentence="You count one mask: a buffer registered in every layer is stored in every layer.",
    caught_by=("test_memory_of_a_mask",),
)
def one_mask_for_all_layers(context_length, bytes_per_element=4, num_layers=1):
    return context_length**2 * bytes_per_element


@misconception(
    of="mask_buffer_bytes",
    sentence="You return MiB: asked for are bytes, 2**20 times as many.",
    caught_by=("test_examples_of_work_and_memory", "test_memory_of_a_mask"),
)
def mask_in_mebibytes(context_length, bytes_per_element=4, num_layers=1):
    return num_layers * context_length**2 * bytes_per_element / 2**20
