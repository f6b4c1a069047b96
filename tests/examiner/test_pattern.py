"""What the failures of one function have in common is said in words, if it is true of all."""

from __future__ import annotations

import math

import pytest
import torch

from grader.examiner.difference import Tensors, where_they_differ
from grader.examiner.pattern import patterns
from grader.model import Cause, Check, Outcome, Verdict
from grader.report.patterns import pattern_words

X = torch.arange(1.0, 25.0).reshape(2, 3, 4).sqrt()
SQUARE = X[0, :3, :3]
CHANCE = {"left_to_chance": True}
HALF = torch.tensor([[0.2, 0.8, 0.0], [0.0, 0.0, 0.0]])


def verdict(kind, expected=None, actual=None, **facts):
    if expected is not None:
        wrong = (expected - actual).abs() > 1e-5
        facts["difference"] = where_they_differ(Tensors(expected, actual, wrong | actual.isnan()))
    outcome = Outcome.PASSED if kind == "passed" else Outcome.FAILED
    return Verdict(Check("page", "test_f", "It is."), outcome, cause=Cause(kind, facts))


def said(*verdicts):
    """What is said of the failures of one function."""
    return [pattern_words(pattern) for pattern in patterns([("f", v) for v in verdicts])]


def first_right(x):
    return torch.cat([x[:1], x[1:].roll(1, -1) * 1.1])


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (X, 3 * X, "times 3. Which factor"),
        (X, -X, "with the other sign"),
        (X, X + 2, "by the same amount, 2."),
        (X, X.round(decimals=4), "rounded to 4 decimals"),
        (X, X.round(), ""),
        (X, 0 * X, "In the end every number is 0."),
        (X, 0 * X + 7, "the same one"),
        (SQUARE, SQUARE.T, "it is the transpose"),
        (X, X.flip(2), "stand in other places"),
        (X.tril(), torch.ones(3, 4).triu(1).expand(2, 3, 4), "the sense of a mask turned round"),
        (
            HALF,
            HALF.masked_fill(HALF.sum(-1, keepdim=True) == 0, torch.nan),
            "division makes 0 / 0",
        ),
        (X, torch.nan * X, "NaN is made by 0 * inf"),
        (X.roll(3), first_right(X.roll(3)), "Along axis 0 the first one is right"),
    ],
)
def test_what_is_true_of_the_numbers_is_said(expected, actual, words):
    """One mistake leaves one trace."""
    kind = "nan" if actual.isnan().any() else "numbers"
    (found,) = said(verdict(kind, expected, actual))

    assert words in found


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        (("tensor",), ("sequence", "list", 3), "torch.stack makes one"),
        (("array",), ("sequence", "list", 3), "np.array makes one"),
        (("tensor",), ("sequence", "tuple", 2), "Return the one thing"),
        (("tensor",), ("array",), "A numpy array has no graph"),
        (("array",), ("tensor",), "wants an array back"),
        (("tensor",), ("plain", "float"), "A number has no graph"),
        (("dict", ("'a'",)), ("sequence", "tuple", 2), "A dict has a name for each value: {name"),
        (("plain", "int"), ("plain", "str"), "quotation marks"),
        (("plain", "bytes"), ("plain", "str"), "text.encode"),
        (("plain", "str"), ("plain", "bytes"), ""),
        (("tensor",), ("plain", "Linear"), ""),
    ],
)
def test_one_kind_in_the_place_of_another_is_told_how_it_comes_about(wanted, got, words):
    """What a learner would ask next, where it can be said."""
    (found,) = said(verdict("kind", wanted_kind=wanted, got_kind=got))

    assert words in found
    assert bool(words) == bool(found)


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        ((5, 8), (5, 4, 2), "on one axis more"),
        ((3, 2), (6,), "torch.cat joins rows end to end"),
        ((3, 5, 5), (3, 5), "they make a table"),
        ((3, 5, 4), (3, 5), "The axis of size 4 is gone."),
    ],
)
def test_axes_that_were_joined_or_not_are_told(wanted, got, words):
    """All numbers are there."""
    assert words in said(verdict("shape", wanted=str(wanted), got=str(got)))[0]


def test_float32_in_the_place_of_another_dtype_is_told_where_it_comes_from():
    """Whether it was asked so at first or again."""
    again = verdict("dtype", wanted="bfloat16", got="float32", asked_again=("bfloat16",))
    other = verdict("dtype", wanted="float32", got="float64", asked_again=("layout",))

    assert "dtype=x.dtype" in said(again)[0]
    assert said(other) == [""]


def test_what_is_right_for_some_values_only_is_asked_for_what_is_fixed():
    """Of the ways of asking again only those with other values say so."""
    others = verdict("numbers", X, 3 * X, asked_again=("others",))
    layout = verdict("numbers", X, 3 * X, asked_again=("layout",))

    assert "that should follow the arguments" in said(others)[0]
    assert said(layout) == [""]


def test_it_must_be_true_of_all():
    """Of two offsets, or of a failure without a form, nothing is said."""
    assert said(verdict("numbers", X, 3 + X), verdict("numbers", X, 2 + X)) == ["", ""]
    assert said(verdict("numbers", X, 3 * X), verdict("shape")) == ["", ""]


def test_of_a_few_numbers_no_form_of_others_is_said():
    """Nobody has looked whether it is theirs: a factor may be 0.5 here and 0.7 there."""
    few = X.flatten()[:3]
    many, short = said(verdict("numbers", X, 0.7 * X), verdict("numbers", few, 0.5 * few))

    assert "times 0.7" in many
    assert short == ""


def test_values_are_right_where_only_gradients_are_wrong():
    """They are compared first."""
    first = verdict("gradient", X, X.roll(1) ** 2, leaf=("input", 2))
    other = verdict("gradient", X, X.roll(2) ** 2, leaf=("parameter", "weight"))

    (found, again) = said(first, other)

    assert "but not the gradient for input 2 and parameter weight" in found
    assert found == again
    assert said(first, verdict("numbers", X, X**2)) == ["", ""]


def test_a_gradient_that_is_gone_is_said_to_be():
    """Detached, or 0 throughout for one of the inputs."""
    gone = verdict("gradient", X, 0 * X, leaf=("input", 1))

    assert "no gradient flows back" in said(verdict("detached"))[0]
    assert "no gradient arrives at input 1" in said(gone)[0]


def test_a_dtype_is_only_said_to_differ_where_another_passed():
    """Values are not compared any more where the dtype is wrong."""
    assert "only the dtype" in said(verdict("dtype"), verdict("passed"))[0]
    assert said(verdict("dtype"))[0] == ""


def test_inputs_that_are_too_large_for_exp_are_told():
    """With their size, and from where on it is infinite in this dtype."""
    beyond = {"largest": 2446.01, "limit": 88.7228, "dtype": "float32"}
    some = torch.arange(24).reshape(X.shape) % 5 == 0
    (found,) = said(verdict("numbers", X, X.masked_fill(some, torch.inf), beyond=beyond))

    assert found.startswith("An input is as far from 0 as 2446 here.")
    assert "In float32 exp(x) is infinite from x = 88.7 on" in found


def test_what_was_right_when_it_was_asked_first_has_no_other_pattern():
    """In which way it was asked again says more."""
    assert said(verdict("numbers", X, 3 * X, asked_again=("eval",))) == [""]


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        ((4, 5), (1, 4, 5), "An axis of size 1 is too many"),
        ((3, 4, 1), (3, 4), "An axis of size 1 is missing"),
        ((3, 4, 5), (3, 5), "The axis of size 4 is gone"),
        ((3, 5), (3, 4, 5), "An axis of size 4 is left over"),
        ((2, 5, 3), (2, 3, 5), "in another order"),
        ((3,), (3, 3), "An axis of size 3 is left over"),
        ((4, 1, 2), (2, 3), ""),
    ],
)
def test_what_can_be_read_off_a_shape_is_said(wanted, got, words):
    """Also where other failures of the function are of another kind."""
    found = said(verdict("shape", wanted=str(wanted), got=str(got)), verdict("numbers", X, X**2))

    assert words in found[0]
    assert bool(words) == bool(found[0])
    assert found[1] == ""


def test_of_a_mask_is_said_what_it_is_made_of():
    """Where True and False are wanted."""
    assert "True and False" in said(verdict("dtype", wanted="bool", got="float32"))[0]
    assert said(verdict("dtype", wanted="float32", got="float64"))[0] == ""


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("12", "24"), ("7", "14")], "It is the right number times 2. Is a factor"),
        ([("6144", "6")], "It is the right number divided by 1,024. Is a factor"),
        ([("12", "24"), ("7", "21")], ""),
        ([("12", "18")], ""),
        ([("12", "4")], ""),  # places, of which one is by chance a third of another
        ([("12", "0")], ""),
        ([("12", "'24'")], ""),
    ],
)
def test_a_factor_between_whole_numbers_is_said(pairs, words):
    """One and the same, every time, and exactly."""
    found = said(*(verdict("value", wanted=wanted, got=got) for wanted, got in pairs))

    assert {text[: len(words)] for text in found} == {words}
    assert words or not any(found)


def test_a_factor_that_is_nearly_one_is_not_told():
    """What is hardly off has no factor missing: it is nearly right."""
    assert said(verdict("numbers", X, 1.0005 * X))[0].startswith("Your numbers are nearly")


def test_a_factor_that_follows_what_is_asked_for_is_told_without_a_number():
    """As where a sum is divided by another count than is meant."""
    words = said(verdict("numbers", X, 3 * X), verdict("numbers", X, 5 * X))
    assert all(text.startswith("Every number is the right one times a factor,") for text in words)
    assert "times 3" in said(verdict("numbers", X, 3 * X))[0]


def test_what_chance_has_made_is_told_as_that_and_nothing_is_read_off_its_numbers():
    """Numbers that are others every time come in no pattern."""
    by_chance, plain = (verdict("numbers", X, 3 * X, **facts) for facts in (CHANCE, {}))

    assert all("gives two answers" in words for words in said(by_chance, plain))


CALL = {
    "name": "f",
    "of": "f",
    "args": (("tensor", (3, 2)), ("array", (5, 4))),
    "kwargs": {"mask": ("bool", (7,))},
}


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        ("(2,)", "(3,)", "the axis of size 3 should go, and the one of size 2 went"),
        ("(5, 2)", "(5, 4)", "This is the shape of one of the inputs"),
        ("(5, 4)", "(3, 2)", ""),  # as it should have been
        ("(6,)", "(8,)", ""),
    ],
)
def test_of_a_shape_is_said_which_input_it_comes_from(wanted, got, words):
    """Where no order and no axis of its own explains it."""
    found = said(verdict("shape", wanted=wanted, got=got, call=CALL))

    assert words in found[0]
    assert bool(words) == bool(found[0])


def test_another_logarithm_is_known_by_its_factor():
    """Of one number as of many."""
    assert "log10" in said(verdict("numbers", wanted="-1.812", got="-0.7871"))[0]
    assert "log2" in said(verdict("numbers", X, X / math.log(2)))[0]
    assert said(verdict("numbers", wanted="-1.812", got="-0.6871"))[0] == ""


def test_nan_is_told_with_masks_only_where_there_are_any():
    """And in a gradient with what is not chosen."""
    assert "-inf before the softmax" in said(verdict("nan", masked=True))[0]
    assert "mask" not in said(verdict("nan"))[0]
    assert "torch.where" in said(verdict("gradient", got="[0]: nan nan"))[0]
    assert said(verdict("not_finite", got="nan"))[0].startswith("NaN is made by")


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        (("tensor",), ("sequence", "list", 1), "return that one itself"),
        (("tensor",), ("sequence", "list", 2), "torch.stack makes one"),
        (("values", 3), ("tensor",), "each by itself"),
        (("number",), ("array",), "is a sum missing"),
    ],
)
def test_of_a_kind_is_said_how_it_comes_about(wanted, got, words):
    """Most such mistakes are made in one way."""
    assert words in said(verdict("kind", wanted_kind=wanted, got_kind=got))[0]


def test_a_module_that_keeps_float32_is_told_of_buffers():
    """It was turned into another dtype; a function was only given one."""
    facts = {"wanted": "bfloat16", "got": "float32", "asked_again": ("bfloat16",)}
    module, function = {**CALL, "name": "", "of": "Layer"}, CALL

    assert "register_buffer" in said(verdict("dtype", call=module, **facts))[0]
    assert "register_buffer" not in said(verdict("dtype", call=function, **facts))[0]
