"""The reference of ``write_the_tests`` against five whole banks: what is rejected, and accepted?"""

from __future__ import annotations

import contextlib
import io

import pytest

from grader.course.course import find_course
from grader.programs.bank import load_bank
from grader.programs.page import Page, load_by_path
from grader.programs.under_test import UnderTest
from grader.sandbox.engine import Engine
from grader.sandbox.protocol import Asked

COURSE = find_course()
SLOW = "its values are right: how many operations it takes is not seen through a call"
DEVICE = "it is wrong on another device only, and tests have tensors on the CPU"
LONG = "it is wrong for longer inputs only than a test may send"
MIXED = "it is wrong in float16 or under autocast only, of which the page says nothing"
MODULE = "it is a slip in a module, and the function stays right"

TESTS = {  # of a test: exercise, function, and what else of the page is within it
    "check_causal_mask": ("masks", "causal_mask", ()),
    "check_softmax": ("softmax", "softmax", ()),
    "check_layer_norm": ("layer_norm", "layer_norm", ()),
    "check_attention": ("attention", "scaled_dot_product_attention", ()),
    "check_multi_head_attention": (
        "multi_head_attention",
        "multi_head_attention",
        ("_attention_weights",),
    ),
}
UNSEEN = {
    "check_causal_mask": {
        DEVICE: """device_ignored half_on_the_device device_or_the_cpu
            remembered_whatever_the_device""",
        LONG: """table_of_fixed_size positions_in_half_precision table_of_512 table_of_1024
            table_of_4096 table_of_512_on_the_cpu table_of_1024_on_the_cpu table_of_2048_on_the_cpu
            table_of_4096_on_the_cpu""",
        SLOW: "causal_row_by_row causal_number_by_number",
    },
    "check_softmax": {SLOW: "one_row_at_a_time"},
    "check_layer_norm": {
        DEVICE: "makes_its_tensors_on_the_cpu",
        SLOW: "layer_norm_token_by_token",
    },
    "check_attention": {
        DEVICE: "causal_mask_on_the_cpu dropout_on_the_cpu",
        LONG: "positions_in_eight_bits causal_table_of_1024 a_thousand_keys_at_most",
        SLOW: """one_query_at_a_time one_score_at_a_time one_key_at_a_time causal_mask_row_by_row
            mask_applied_row_by_row scores_by_broadcasting average_by_broadcasting""",
    },
    "check_multi_head_attention": {
        DEVICE: "causal_mask_on_the_cpu",
        LONG: "causal_mask_of_a_fixed_size",
        MIXED: """a_number_float16_does_not_know layer_forbids_in_the_dtype_of_the_query
            layer_mask_in_float32""",
        MODULE: "layer_drops_the_scores wrapper_drops_the_scores",
        SLOW: """one_sentence_at_a_time one_query_at_a_time one_token_at_a_time
            causal_mask_row_by_row average_by_broadcasting""",
    },
}
LEAST = 0.95  # of what can be seen


@pytest.fixture(scope="module")
def names():
    return vars(load_by_path(COURSE.solution("write_the_tests")))


def rejects(names, test, function):
    asked = Asked(0, UnderTest(function).answer)
    request = {"op": "call", "name": test, "args": [asked], "kwargs": {}}
    with contextlib.redirect_stdout(io.StringIO()):  # some variants print
        reply = Engine(names).perform(request)
    raised = reply.get("raised", {}).get("type_name", "")
    assert raised in ("", "AssertionError")
    return bool(raised)


@pytest.mark.parametrize("test", TESTS)
def test_nearly_all_that_can_be_seen_is_rejected(names, test):
    exercise, function, within = TESTS[test]
    bank = load_bank(COURSE.misconceptions(exercise), COURSE.solution(exercise))
    entries = [entry for entry in bank if entry.of in (function, *within)]
    unseen = {name for told in UNSEEN[test].values() for name in told.split()}
    assert unseen <= {entry.name for entry in entries}
    seen = [entry for entry in entries if entry.name not in unseen]

    found = [rejects(names, test, entry.applied_to({})[function]) for entry in seen]

    assert sum(found) >= LEAST * len(found)


@pytest.mark.parametrize("test", TESTS)
def test_every_right_variant_is_accepted(names, test):
    exercise, function, _ = TESTS[test]
    page = Page(COURSE.solution(exercise))
    right = page.program(page.text)
    for entry in load_bank(COURSE.variants(exercise), page.path):
        if entry.of == function:
            accepted = not rejects(names, test, entry.applied_to(right)[function])

            assert accepted, entry.name


@pytest.mark.parametrize("test", TESTS)
def test_all_that_is_published_is_rejected(names, test):
    for function in names["WRONG"][test]:
        assert rejects(names, test, function), function.__name__
