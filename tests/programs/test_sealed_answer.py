"""Answers as they are typed, and texts that only their own answer opens."""

from __future__ import annotations

import pytest

from grader.programs.sealed_answer import (
    DIGITS,
    MAX_LENGTH,
    SHAPE,
    WHOLE,
    YES_OR_NO,
    Asked,
    judged,
    readings,
    sealed,
)

LENGTHS = "larger / smaller / the same"


def asked(form, right, because="Because.", **wrong):
    """A question with one right answer, and what is said to wrong ones."""
    texts = [sealed("salt", readings(form, right)[0], True, because)]
    texts += [
        sealed("salt", readings(form, key[1:])[0], False, said) for key, said in wrong.items()
    ]
    return Asked("What?", form, "salt", dict(texts))


class TestReadings:
    @pytest.mark.parametrize(
        "typed", ["2, 3", "(2, 3)", "[2,3]", "2 3", "2x3", "torch.Size([2, 3])"]
    )
    def test_a_shape_may_be_written_in_many_ways(self, typed):
        """Brackets and commas do not matter."""
        assert readings(SHAPE, typed) == ("2 3",)

    @pytest.mark.parametrize(
        ("typed", "number"),
        [
            ("12", "12"),
            ("12.0", "12"),
            ("1,200", "1200"),
            ("6/2", "3"),
            ("-4", "-4"),
            ("nan", "nan"),
        ],
    )
    def test_a_whole_number(self, typed, number):
        """Whatever its value is written as."""
        assert readings(WHOLE, typed) == (number,)

    @pytest.mark.parametrize("typed", ["0.667", "2/3", "66.7 %", "6.67e-1", ".6667"])
    def test_three_digits_are_enough(self, typed):
        """Among those that are near to it is the number that was meant."""
        assert f"{2 / 3:.2e}" in readings(DIGITS, typed)

    @pytest.mark.parametrize("typed", ["yes", " YES", "y", "true"])
    def test_yes(self, typed):
        """In any case of letters."""
        assert readings(YES_OR_NO, typed) == ("yes",)

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("same", ("the same",)),
            ("The", ("the same",)),
            ("sm", ("smaller",)),
            ("smaller", ("smaller",)),
            ("s", ("smaller",)),
            ("a", ()),
            ("", ()),
        ],
    )
    def test_words_may_be_a_part_that_only_one_of_them_has(self, typed, meant):
        """One of its words, or how it begins."""
        assert readings("larger / smaller / the same", typed) == meant

    @pytest.mark.parametrize(
        ("form", "typed"),
        [
            (SHAPE, "two by three"),
            (SHAPE, "2, -3"),
            (WHOLE, "2.5"),
            (WHOLE, "2 ** 10 ** 10"),
            (WHOLE, "1/0"),
            (WHOLE, "1/2/3"),
            (DIGITS, "__import__('os').remove('x')"),
            (DIGITS, ""),
            (DIGITS, "%"),
            (YES_OR_NO, "perhaps"),
            (LENGTHS, "longer"),
        ],
    )
    def test_what_is_no_answer_is_none(self, form, typed):
        """Nothing of it is run, and nothing raises."""
        assert readings(form, typed) == ()

    @pytest.mark.parametrize("form", [SHAPE, WHOLE, DIGITS, YES_OR_NO, LENGTHS])
    def test_a_long_answer_takes_no_time(self, form):
        """It is cut before it is read."""
        for typed in ("9" * 10**6, "%" * 10**6, "/" * 10**6, "(" * 10**6):
            assert sum(map(len, readings(form, typed))) <= 50 * MAX_LENGTH


class TestJudged:
    def test_the_right_answer_opens_its_reason(self):
        """And is right."""
        question = asked(SHAPE, "2, 3", "Rows, then columns. " * 9)

        found = judged(question, "(2, 3)")

        assert found is not None
        assert (found.right, found.says) == (True, "Rows, then columns. " * 9)

    def test_a_wrong_answer_with_a_reason_is_told_it(self):
        """The sentence that was written for it."""
        found = judged(asked(WHOLE, "6", _1="Every row sums to one."), "1")

        assert found is not None
        assert (found.right, found.says) == (False, "Every row sums to one.")

    def test_any_other_answer_is_wrong(self):
        """With nothing to say."""
        found = judged(asked(WHOLE, "6", _1="Every row sums to one."), "5")

        assert found is not None
        assert (found.right, found.says) == (False, "")

    def test_what_is_no_answer_is_not_judged(self):
        """It is neither right nor wrong."""
        assert judged(asked(WHOLE, "6"), "six") is None

    @pytest.mark.parametrize("typed", ["0.0667", "0.067", "0.06667", "1/15"])
    def test_a_rounded_number_is_right(self, typed):
        """Within one in a hundred."""
        found = judged(asked(DIGITS, str(1 / 15)), typed)

        assert found is not None
        assert found.right

    @pytest.mark.parametrize("typed", ["0.0675", "0.0658", "0.67", "-0.0667"])
    def test_another_number_is_wrong(self, typed):
        """What is further away."""
        found = judged(asked(DIGITS, str(1 / 15)), typed)

        assert found is not None
        assert not found.right

    def test_texts_are_not_to_be_read_without_the_answer(self):
        """Neither the reason nor the answer stands in what is kept."""
        kept = repr(asked(LENGTHS, "smaller", "Shorter it is.", _larger="Longer it is.").said)

        assert not [word for word in ("smaller", "Shorter", "larger", "Longer") if word in kept]
