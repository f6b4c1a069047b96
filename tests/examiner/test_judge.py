"""Every way in which an answer can differ from the right one is found, named and placed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.examiner.expected import Readings
from grader.examiner.judge import wrong_elements
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed


def double(x):
    return x * 2


class TestKinds:
    @pytest.mark.parametrize(
        ("reference", "answer", "said"),
        [
            (double, lambda x: None, "returned None (is a `return` missing?) where a tensor was"),
            (double, lambda x: (x * 2, x), "returned a tuple of 2 values where a tensor was"),
            (double, lambda x: (x * 2).tolist(), "returned a list of 4 values where a tensor was"),
            (double, lambda x: (x * 2).numpy(), "returned a numpy array where a tensor was"),
            (double, lambda x: 3, "returned a value of type int where a tensor was"),
            (lambda x: (x, x), double, "a tensor where a tuple or list of 2 values was"),
            (lambda x: (x, x), lambda x: (x, x, x), "a tuple of 3 values where a tuple or"),
            (lambda x: (x, x), lambda x: (x, None), "(is a `return` missing?) where a tensor was"),
            (lambda x: {"a": x}, lambda x: [x], "where a dict with the keys ['a'] was"),
            (lambda x: 0.5, lambda x: "0.5", "returned a value of type str where a number was"),
            (lambda x: 0.5, lambda x: x, "returned a tensor where a number was expected"),
            (lambda x: 3, lambda x: torch.tensor([3]), "where a value of type int was expected"),
            (lambda x: 3, lambda x: None, "(is a `return` missing?) where a value of type int"),
            (lambda x: 3, lambda x: "3", "a value of type str where a value of type int was"),
            (lambda x: 3, lambda x: (3, 4), "a tuple of 2 values where a value of type int was"),
            (lambda x: 3, lambda x: np.empty(0), "where a value of type int was expected"),
            (lambda x: None, lambda x: np.empty(0), "where a value of type NoneType was expected"),
            (lambda x: np.ones(2), lambda x: torch.ones(2), "where a numpy array was expected"),
        ],
    )
    def test_are_told_apart(self, x, reference, answer, said, cause_of):
        """A value of another kind is named for what it is, and for what was expected."""
        kind, cause = cause_of(reference, answer, x)

        assert kind == "kind"
        assert said in cause.rationale
        assert cause.expected
        assert cause.actual in cause.rationale

    def test_keys_that_are_missing_or_too_many_are_named(self, x, cause_of):
        """Of two dicts only the difference is told, and what differs in a letter is seen."""
        kind, cause = cause_of(
            lambda x: {"head 0.0": x, "head 0.1": x, "bias": x},
            lambda x: {"head 0-0": x, "bias": x},
            x,
        )

        assert kind == "keys"
        assert "'head 0.0', 'head 0.1' are missing; 'head 0-0' is not asked for" in cause.rationale
        assert (cause.expected, cause.actual) == ("3 keys", "2 keys")

    @pytest.mark.parametrize(
        ("reference", "answer"),
        [
            (lambda x: (x, x), lambda x: [x, x]),
            (lambda x: 0.5, lambda x: torch.tensor(0.5)),
            (lambda x: 0.5, lambda x: np.float64(0.5)),
            (lambda x: 3, lambda x: torch.tensor(3)),
            (lambda x: 2.0, lambda x: 2),
            (lambda x: None, lambda x: None),
            (lambda x: torch.float32, lambda x: torch.float32),
            (lambda x: {"a": [x, 1]}, lambda x: {"a": (x, 1)}),
            (lambda x: {"a": 1, (b"b", 2): x}, lambda x: {(b"b", 2): x, "a": 1}),
            (lambda x: [b"a", (1, "b")], lambda x: (b"a", [1, "b"])),
        ],
    )
    def test_may_differ_where_nobody_minds(self, x, reference, answer, cause_of):
        """A list for a tuple, a tensor without axes for a number: right is right."""
        assert cause_of(reference, answer, x) is None

    @pytest.mark.parametrize(
        ("reference", "answer"),
        [
            (lambda x: 3, lambda x: 4),
            (lambda x: "a", lambda x: "b"),
            (lambda x: True, lambda x: 0),
            (lambda x: [97, 98], lambda x: [256]),
            (lambda x: {(b"a", b"b"): 2}, lambda x: {}),
        ],
    )
    def test_of_plain_values_are_compared_exactly(self, x, reference, answer, cause_of):
        """A whole number or a word is right or wrong."""
        kind, cause = cause_of(reference, answer, x)

        assert (kind, cause.expected) == ("value", repr(reference(x)))

    @pytest.mark.parametrize("wrong", [4, np.int32(4), torch.tensor(4)])
    def test_a_wrong_count_is_the_same_one_in_any_form(self, x, wrong, compare_with, opened):
        """So that a known mistake is recognised in numpy's numbers as well."""
        compare = compare_with(lambda x: 3, opened(lambda x: wrong))
        with pytest.raises(CheckFailed) as failure:
            compare(lambda impl: impl.f(x))

        assert failure.value.cause.facts["got"] == "4"
        assert type(failure.value.evidence.actual) is int

    @pytest.mark.parametrize(("right", "wrong"), [(b"a", "a"), ("a", b"a")])
    def test_bytes_are_no_text(self, x, right, wrong, cause_of):
        """They look alike when they are shown."""
        kind, cause = cause_of(lambda x: [right], lambda x: [wrong], x)

        assert (kind, type(wrong).__name__ in cause.actual) == ("kind", True)

    def test_are_told_where_they_are(self, x, cause_of):
        """In a nested answer the place of the difference is said."""
        right, wrong = (lambda x: {"a": (x, [x])}), (lambda x: {"a": (x, [x + 1])})
        _, cause = cause_of(right, wrong, x)

        assert "returned other values in item 0 of item 1 of key 'a': all 24" in cause.rationale

    @pytest.mark.parametrize(
        "answer",
        [
            lambda x: {"sum": (x * x).sum(), "twice": 2 * x},
            lambda x: {"twice": 2 * x, "sum": (x * x).sum().item()},
        ],
    )
    def test_gradients_are_asked_of_what_should_have_some(self, x, answer, cause_of):
        """A tensor in the place of a number takes no part in it, nor does the order of keys."""
        x.requires_grad_()

        def right(x):
            return {"sum": (x * x).sum().item(), "twice": 2 * x}

        assert cause_of(right, answer, x) is None

    def test_are_told_of_the_call_that_gave_them(self, x, compare_with, opened):
        """Not of a later one, which may be right."""
        compare = compare_with(double, opened(lambda x: x * 3 if x.ndim == 2 else x * 2))
        with pytest.raises(CheckFailed) as failure:
            compare(lambda impl: (impl.f(x), impl.f(x[0])))

        assert failure.value.cause.facts["call"]["args"] == (("tensor", (4, 6)),)


class TestTensors:
    @pytest.mark.parametrize(
        ("answer", "kind", "said", "expected", "actual"),
        [
            (lambda x: x.T * 2, "shape", "shape (6, 4), not (4, 6)", "(4, 6)", "(6, 4)"),
            (lambda x: x[None] * 2, "shape", "shape (1, 4, 6)", "(4, 6)", "(1, 4, 6)"),
            (lambda x: x.sum() * 2, "shape", "shape (), not", "(4, 6)", "()"),
            (lambda x: x.double() * 2, "dtype", "dtype float64, not", "float32", "float64"),
            (lambda x: x.to(torch.bfloat16), "dtype", "dtype bfloat16", "float32", "bfloat16"),
            (lambda x: x.int(), "dtype", "dtype int32, not float32", "float32", "int32"),
            (lambda x: x.to("meta"), "device", "on meta, not on cpu", "cpu", "meta"),
        ],
    )
    def test_differ_in_form(self, x, answer, kind, said, expected, actual, cause_of):
        """Shape, dtype and device are compared before values, in this order."""
        found, cause = cause_of(double, answer, x)

        assert found == kind
        assert said in cause.rationale
        assert (cause.expected, cause.actual) == (expected, actual)

    def test_differ_in_values(self, x, cause_of):
        """How many, where, and the first few of them."""

        def answer(x):
            y = x * 2
            y[1, 2] = 77.0
            return y

        kind, cause = cause_of(double, answer, x)

        assert kind == "numbers"
        assert cause.rationale == (
            "f(tensor (4, 6)) returned other values: 1 of 24 values differ, "
            "only at 1 along axis 0 and 2 along the last axis; first at [1, 2]."
        )
        assert cause.actual.startswith("[1]: ")
        assert cause.actual.split()[3] == "77"

    @pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
    def test_differ_where_they_are_not_finite(self, x, bad, cause_of):
        """One NaN or infinity is enough, and NaN is called by its name."""

        def answer(x):
            y = x * 2
            y[3, 5] = bad
            return y

        kind, cause = cause_of(double, answer, x)

        assert kind == ("nan" if bad != bad else "numbers")
        assert "1 of 24 values" in cause.rationale

    @pytest.mark.parametrize(
        ("given", "accepted"),
        [
            (torch.inf, True),
            (-torch.inf, False),
            (torch.nan, False),
            (3e38, False),
        ],
    )
    def test_may_be_infinite_where_the_reference_is(self, given, accepted, cause_of):
        """An infinity is right where it is expected, and nothing else is."""
        wanted = torch.tensor([1.0, torch.inf])
        answer = torch.tensor([1.0, given])
        cause = cause_of(lambda: wanted.clone(), lambda: answer.clone())

        assert (cause is None) is accepted

    @pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
    def test_of_whole_numbers_are_compared_exactly(self, dtype, cause_of):
        """There is no tolerance where there is no rounding."""
        wanted = torch.tensor([0, 1, 1]).to(dtype)
        right = cause_of(lambda: wanted.clone(), lambda: wanted.clone())
        kind, cause = cause_of(lambda: wanted.clone(), lambda: wanted.flip(0))

        assert right is None
        assert (kind, "2 of 3 values" in cause.rationale) == ("numbers", True)

    def test_without_numbers_are_compared_by_form(self, cause_of):
        """A meta tensor is right when its shape and dtype are."""
        x = torch.empty(2, 3, device="meta")

        assert cause_of(double, double, x) is None
        assert cause_of(double, lambda x: x.T * 2, x)[0] == "shape"

    @pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 3)])
    def test_of_any_shape_are_compared(self, shape, cause_of):
        """No axis, empty axes and axes of size one are nothing special."""
        x = Draw(1).normal(*shape)

        assert cause_of(double, double, x, wrt=[x]) is None
        assert (cause_of(double, lambda x: x * 3, x) is None) == (x.numel() == 0)

    def test_of_numpy_are_compared_too(self, cause_of):
        """Arrays are held to shape, dtype and values like tensors."""
        x = Draw(1).array(3, 2)

        assert cause_of(double, double, x) is None
        assert cause_of(double, lambda x: x.T * 2, x)[0] == "shape"
        assert cause_of(double, lambda x: (x * 2).astype(np.float32), x)[0] == "dtype"
        assert cause_of(double, lambda x: x * 3, x)[0] == "numbers"


class TestTolerance:
    DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_has_room_for_rounding(self, dtype, cause_of):
        """The same sum in another order, or by way of float32, is the same answer."""
        x = Draw(5).normal(8, 50, dtype=dtype)

        def backwards(x):
            total = x[:, -1:].clone()
            for column in range(2, 51):
                total = total + x[:, -column : 51 - column]
            return total[:, 0]

        def through_float32(x):
            return x.float().sum(1).to(x.dtype)

        assert cause_of(lambda x: x.sum(1), backwards, x) is None
        assert cause_of(lambda x: x.sum(1), through_float32, x, wrt=[x]) is None

    @pytest.mark.parametrize(
        ("dtype", "slip"), [*zip(DTYPES, (1e-3, 1e-3, 1e-2, 0.1), strict=True)]
    )
    def test_has_no_room_for_mistakes(self, dtype, slip, cause_of):
        """An answer that is off by far more than rounding is wrong."""
        x = Draw(5).normal(8, 50, dtype=dtype)
        kind, _ = cause_of(lambda x: x.sigmoid(), lambda x: x.sigmoid() * (1 + slip), x)

        assert kind == "numbers"

    def test_grows_where_nobody_can_do_better(self, cause_of):
        """Where one rounding error of the input moves the answer far, so far may an answer lie."""
        x = 1e4 + Draw(5).normal(20)
        one, other = (lambda x: (x * 1000).sin()), (lambda x: (x * 999 + x).sin())

        assert (one(x) - other(x)).abs().max() > 0.1
        assert cause_of(one, other, x) is None
        assert cause_of(one, other, x / 1e4) is None

    def test_is_the_same_for_tiny_and_middling_numbers(self):
        """Below 1 the floor is absolute: 1e-5 for float32."""
        exact = torch.zeros(3, dtype=torch.float64)
        readings = Readings(exact, exact.float(), (exact,))
        wrong = wrong_elements(readings, torch.tensor([0.9e-5, -0.9e-5, 1.1e-5]))

        assert wrong.tolist() == [False, False, True]

    def test_is_never_less_than_the_reference_needs_itself(self):
        """What it answers in the inputs' own dtype is right, however far from the exact answer."""
        exact = torch.tensor([1.0, torch.inf], dtype=torch.float64)
        readings = Readings(exact, torch.tensor([1.5, 3e38]))

        assert wrong_elements(readings, torch.tensor([1.5, 3e38])) is None
        assert wrong_elements(readings, torch.tensor([1.5, 2e38])) is not None
        assert wrong_elements(readings, torch.tensor([1.5, 3e38]).double()) is not None
