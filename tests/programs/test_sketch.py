"""What is kept of a large answer is small, and is like the same of an answer that is alike."""

from __future__ import annotations

import math
import weakref

import numpy as np
import pytest
import torch

from grader.examiner.evidence import alike
from grader.programs.failure import Evidence
from grader.programs.sketch import MAX_NUMBERS, MAX_PARTS, MAX_WHOLE, Sketch, sketched

LARGE = 40 * MAX_WHOLE + 7


def drawn(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).mul(9).to(dtype)


def like(one, other):
    return alike(sketched(one), sketched(other)) and alike(sketched(other), sketched(one))


class TestLikeness:
    def test_is_equality_of_bytes_and_of_pairs(self):
        """Dicts whose keys are tuples are kept as such."""
        one = {(b"a", b"b"): 2, (b"b", b"a"): 1}

        assert like(one, dict(reversed(one.items())))
        assert not like(one, one | {(b"b", b"a"): 2})
        assert not like([b"a"], [b"b"])

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
    def test_survives_rounding(self, dtype):
        """Whatever is alike number by number stays alike, up to the last of the tolerance."""
        one = drawn(LARGE, dtype=dtype)
        step = 1.5e-2 if dtype in (torch.bfloat16, torch.float16) else 0.9e-4
        other = (one.double() * (1 + step)).to(dtype)

        assert alike(one, other)
        assert like(one, other)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308])
    def test_survives_special_numbers(self, value):
        """NaN, infinities and numbers whose sum is none are equal to themselves."""
        one = drawn(LARGE, dtype=torch.float64)
        one[5:5000] = value

        assert like(one, one.clone())

    @pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
    def test_of_whole_numbers_is_equality(self, dtype):
        """One other number in a million is another answer."""
        one = drawn(LARGE).abs().to(dtype)
        other = one.clone()
        other[-1] = 1 - other[-1].to(torch.uint8)

        assert like(one, one.clone())
        assert not like(one, other)

    @pytest.mark.parametrize(
        "change",
        [
            lambda x: x * 1.01,
            lambda x: x.T,
            lambda x: x.flip(0),
            lambda x: x.double(),
            lambda x: x.numpy(),
            lambda x: x.to("meta"),
            lambda x: x.reshape(-1),
            lambda x: torch.where(torch.arange(len(x))[:, None] == 3, 0.0, x),
            lambda x: torch.where(torch.arange(len(x))[:, None] == 3, math.nan, x),
        ],
        ids="scaled transposed flipped dtype array meta flat one_row one_nan".split(),
    )
    def test_ends_where_another_method_begins(self, change):
        """Other numbers, another form, or one row among many that is wrong."""
        one = drawn(400, 400)

        assert not like(one, change(one))

    def test_of_small_answers_is_that_of_the_answers(self):
        """What is small is kept as it is, in a copy."""
        one = [drawn(3), {"a": np.ones(4)}, "text", 1.5, None]
        kept = sketched(one)
        one[0] += 1

        assert alike(kept, [drawn(3), {"a": np.ones(4)}, "text", 1.5, None])

    def test_of_modules_is_their_type(self):
        """What cannot be compared is told apart by what it is, and not kept."""
        assert like(torch.nn.ReLU(), torch.nn.ReLU())
        assert not like(torch.nn.ReLU(), torch.nn.GELU())


class TestSize:
    @pytest.mark.parametrize(
        "value",
        [
            [0] * (MAX_PARTS + 1),
            {str(n): n for n in range(MAX_PARTS)},
            [torch.zeros(MAX_WHOLE)] * (MAX_NUMBERS // MAX_WHOLE + 1),
            [torch.zeros(MAX_WHOLE + 1)] * (MAX_NUMBERS // MAX_WHOLE + 1),
        ],
        ids="parts pairs numbers sketches".split(),
    )
    def test_of_many_parts_is_none(self, value):
        """What has too many parts is not kept, and like nothing, itself included."""
        assert not like(value, value)

    def test_of_text_is_bounded(self):
        """Endless text is cut."""
        assert len(Evidence("said", 0, "x" * 10**6).actual) <= 2000

    def test_of_a_large_tensor_is_small(self):
        """Its memory goes with the answer."""
        answer = torch.zeros(1 << 22)
        known = weakref.ref(answer)
        evidence = Evidence("numbers", 0, [answer])
        del answer

        assert isinstance(evidence.actual[0], Sketch)
        assert known() is None
