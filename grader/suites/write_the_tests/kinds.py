"""The hidden wrong functions, by what kind of mistake is in them.

They are pages of other exercises with a slip; each name is one of that exercise's bank. Left out
are slips that no call with small tensors on the CPU can show: those of devices, of autocast, of
very long texts, and right answers that only take too long.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch

from grader.check import load_bank

SUITES = Path(__file__).parents[1]
PAGES = next(p / "solutions" for p in SUITES.parents if (p / "solutions" / "softmax.py").exists())

# A mark depends on these banks: what is said here is part of the suite's digest.
READS_BANKS_OF = ("masks", "softmax", "layer_norm", "attention", "multi_head_attention")

EXERCISES = {  # of a check: whose bank, and which function of the page is tested
    "check_causal_mask": ("masks", "causal_mask"),
    "check_softmax": ("softmax", "softmax"),
    "check_layer_norm": ("layer_norm", "layer_norm"),
    "check_attention": ("attention", "scaled_dot_product_attention"),
    "check_multi_head_attention": ("multi_head_attention", "multi_head_attention"),
}

KINDS = {
    "check_causal_mask": {
        "values": "true_means_forbidden itself_forbidden one_step_into_the_future only_itself",
        "axes": "axes_in_front rows_for_all_keys keys_over_the_rows",
        "options": """aligned_at_the_top_left shifted_the_wrong_way k_len_ignored k_len_required
            everything_allowed_with_a_cache""",
        "dtype": "floats_instead_of_bools integers_instead_of_bools",
        "extremes": "positions_in_eight_bits",
        "calls": "remembered_by_the_queries",
    },
    "check_softmax": {
        "values": "returns_logarithms sign_flipped base_two epsilon_in_the_denominator rounded",
        "axes": """ignores_dim keepdim_forgotten first_or_last_axis_only default_axis_zero
            views_the_input""",
        "extremes": """one_global_maximum float64_instead_of_the_maximum clamps_the_scores
            infinities_become_zero""",
        "gradient": "detached half_a_gradient",
        "dtype": "always_float32",
        "calls": "subtracts_in_place maximum_remembered",
    },
    "check_layer_norm": {
        "values": """unbiased_variance eps_outside_the_root only_centred mean_stays
            root_mean_square_instead bias_before_the_weight one_weight_for_all""",
        "axes": """along_the_tokens axis_by_its_size square_matrices_turned squeezes_everything
            keepdim_forgotten needs_three_axes views_the_input""",
        "extremes": "root_before_eps a_second_eps large_numbers_cut_off variance_by_difference",
        "options": "eps_hard_coded eps_of_zero_replaced bias_must_be_given",
        "gradient": "detached_statistics detached_variance",
        "dtype": "always_float32 statistics_in_half_precision dtype_of_the_weight",
        "calls": "subtracts_in_place",
    },
    "check_attention": {
        "values": "averages_keys returns_scores distance_as_score",
        "axes": """counts_axes_from_the_front at_most_four_axes squeezes softmax_over_axis_two
            heads_taken_for_tokens views_the_inputs""",
        "scale": "divides_by_sqrt_of_value_width divides_by_sqrt_of_key_number",
        "extremes": "unstable_softmax one_maximum_for_all",
        "masks": """mask_after_softmax mask_and_renormalise fills_with_minus_twenty
            one_mask_for_all_heads mask_rows_as_sentences additive_mask_as_boolean
            sees_one_ahead""",
        "options": """scale_zero_not_given no_scale_when_causal causal_replaces_the_mask
            no_mask_in_training""",
        "dropout": """dropout_without_rescaling drops_scores drops_the_output
            returns_dropped_weights same_dropout_for_all_heads no_dropout_with_a_mask""",
        "gradient": "detached additive_mask_detached dropped_weights_detached",
        "dtype": "always_float32 float32_causal_mask",
        "calls": "an_earlier_mask changes_the_mask one_dropout_for_all_calls",
    },
    "check_multi_head_attention": {
        "values": "averages_the_keys forgets_w_v values_from_the_keys weights_of_the_first_head",
        "axes": """head_index_fastest flattens_the_inputs width_of_the_query
            values_as_wide_as_keys squeezes""",
        "scale": "scaled_by_the_model_width scaled_by_the_value_width",
        "extremes": "forbids_and_renormalises subtracts_a_hundred",
        "masks": """mask_of_the_first_sentence mask_of_the_first_head masks_the_queries
            sees_the_next_position padding_where_sizes_agree""",
        "options": """all_biases_or_none biases_are_needed mask_replaces_causal
            bias_of_the_keys_from_the_values""",
        "gradient": "detached",
        "dtype": "always_float32",
        "calls": "writes_into_the_mask",
    },
}

SLOW = {  # right answers that only take too long: a test of values must accept them
    "check_causal_mask": "causal_row_by_row",
    "check_softmax": "one_row_at_a_time",
    "check_layer_norm": "layer_norm_token_by_token",
    "check_attention": "one_query_at_a_time",
    "check_multi_head_attention": "one_sentence_at_a_time",
}


def half_a_gradient(x, dim=-1):
    """Right values; but half of x is a constant to the gradient."""
    return torch.softmax(x / 2 + x.detach() / 2, dim)


OWN = {"half_a_gradient": half_a_gradient}  # which no bank has


@cache
def bank(exercise):
    """The entries of another exercise's bank, by name."""
    path = SUITES / exercise / "misconceptions.py"
    return {entry.name: entry for entry in load_bank(path, PAGES / f"{exercise}.py")}


def hidden(check):
    """Pairs of a kind and a name, of all the wrong functions that a check meets."""
    return [(kind, name) for kind, names in KINDS[check].items() for name in names.split()]


def wrong_function(check, name):
    """One of them; afresh, if it may remember its calls."""
    if name in OWN:
        return OWN[name]
    made = _made.__wrapped__ if name in KINDS[check]["calls"].split() else _made
    return made(*EXERCISES[check], name)


@cache
def _made(exercise, function, name):
    return bank(exercise)[name].applied_to({})[function]
