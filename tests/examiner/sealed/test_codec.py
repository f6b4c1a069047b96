"""Recorded checks survive their file, and a file makes nothing else."""

from __future__ import annotations

import json
import lzma

import numpy as np
import pytest
import torch

from grader.errors import SuiteError
from grader.examiner.sealed.codec import read, written
from grader.examiner.sealed.drawn import Law, numbers_of
from grader.examiner.sealed.numbers import computed
from grader.examiner.sealed.playing import function_of
from grader.examiner.sealed.script import Given, Script, Step

X = torch.arange(24.0).view(2, 3, 4)


def again(value):
    return read(written(value))


class TestAValue:
    @pytest.mark.parametrize(
        "value",
        [
            None,
            True,
            3,
            0.1,
            "é",
            b"\0\xff",
            [1, (2, [])],
            {"a": (1,), ("b", 2): None},
            {(b"c",): 1},
            frozenset({"x"}),
        ],
    )
    def test_comes_back(self, value):
        """Plain ones, with lists and tuples apart."""
        assert again(value) == value

    def test_of_records_comes_back(self):
        """A script holds steps, and these what they are given."""
        script = Script(
            (1.5,), (Step(0, "call", "f", (Given(0, ("a", 1)),), {"dim": -1}),), Given(0)
        )

        assert again(script) == script

    def test_of_slices_and_dots_comes_back(self):
        """As what is computed with answers needs them."""
        assert again((slice(None, -1, 2), ...)) == (slice(None, -1, 2), ...)


class TestATensor:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
    def test_comes_back_with_its_dtype(self, dtype):
        """Bit for bit."""
        assert again(X.to(dtype)).equal(X.to(dtype))
        assert again(X.to(dtype)).dtype is dtype

    @pytest.mark.parametrize("view", [X.mT, X.permute(2, 0, 1), X[:1].expand(5, 3, 4), X[:, ::2]])
    def test_comes_back_as_a_view_of_its_kind(self, view):
        """Transposed axes stay transposed, and expanded ones take no room."""
        found = again(view)

        assert found.equal(view)
        assert found.is_contiguous() == (view.stride() == X[:, ::2].stride())

    def test_on_the_meta_device_has_no_numbers(self):
        """Only its form comes back."""
        found = again(X.to("meta"))

        assert (found.shape, found.device.type) == (X.shape, "meta")

    def test_that_wants_a_gradient_still_does(self):
        """So are inputs drawn with grad=True."""
        assert again(X.clone().requires_grad_()).requires_grad

    def test_twice_is_written_once(self):
        """Most answers are the same in several ways of asking."""
        one, noise = torch.randn(1000), torch.randn(1000)

        assert len(written([one, one.clone()])) < 1.1 * len(written([one]))
        assert len(written([one, noise])) > 1.9 * len(written([one]))

    def test_that_was_drawn_takes_no_room(self):
        """Nor does a part of it, or the same in float64: its reader draws it again."""
        law = Law("normal", 0.5)
        numbers = torch.from_numpy(numbers_of(law, 5000)).view(50, 100)
        value = [numbers, numbers[3:20].mT, numbers.double().requires_grad_()]
        raw = written(value, {law: 5000})

        assert len(raw) < 300
        assert all(map(torch.equal, read(raw), value))
        assert [one.dtype for one in read(raw)] == [one.dtype for one in value]
        assert read(raw)[2].requires_grad

    def test_of_float64_is_not_rounded(self):
        """Where float32 does not hold it."""
        fine = torch.tensor([1 / 3, 1e300], dtype=torch.float64)

        assert again(fine).equal(fine)

    def test_of_numpy_comes_back(self):
        """With its dtype."""
        array = np.arange(6, dtype=np.float64).reshape(2, 3)

        assert np.array_equal(again(array), array)


class TestAFileFromElsewhere:
    def test_makes_no_other_record(self):
        """Only records of the list are made."""
        tree = json.dumps(["Popen", "true"]).encode()
        raw = lzma.compress(len(tree).to_bytes(8, "big") + tree)

        with pytest.raises(SuiteError, match="damaged"):
            read(raw)

    def test_that_is_cut_off_is_damaged(self):
        """And nothing else happens."""
        with pytest.raises(SuiteError, match="damaged"):
            read(written([1, 2, 3])[:-5])

    def test_calls_no_function_but_of_tensors(self):
        """A step computes with tensors: it opens no file, and changes no setting."""
        for name in ("torch.load", "torch.from_file", "torch.hub.load", "os.system", "torch.no"):
            with pytest.raises((LookupError, AttributeError)):
                function_of(name)

    def test_calls_no_function_but_of_numbers_and_words(self):
        """Nor one that takes long: Python would fill the memory with a power of a power."""
        for name, *args in (("eval", "1"), ("__import__", "os"), ("pow", 9, 9**9)):
            with pytest.raises(LookupError):
                computed(name, *args)

    def test_unknown_things_are_not_written(self):
        """Better no file than half of one."""
        with pytest.raises(TypeError, match="no form"):
            written([object()])
