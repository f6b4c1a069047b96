"""What is right is asked of the reference, several times over, and remembered."""

from __future__ import annotations

import pytest
import torch

from grader.errors import SuiteError
from grader.examiner.compare import Compare
from grader.examiner.expected import Readings, tensors_of
from grader.programs.failure import CheckFailed


def double(x):
    return x * 2


class TestReferences:
    @pytest.mark.parametrize(
        "reference",
        [lambda x: x.nope, lambda x: x * torch.nan, lambda x: 1 / 0, lambda x: set()],
        ids=["raises", "nan", "divides", "refused"],
    )
    def test_that_cannot_answer_are_our_failure(self, x, reference, cause_of):
        """A reference that raises or answers NaN is a fault of the suite."""
        with pytest.raises(SuiteError, match="the reference"):
            cause_of(reference, double, x)

    def test_are_asked_once(self, x, opened):
        """What is expected is remembered from one submission to the next; the nudged reference is
        asked only when an answer would otherwise be rejected, and the others not again."""
        calls = []

        def reference(x):
            calls.append(x.dtype)
            return x * 2

        exact, native, nudged = (
            opened(reference, dtype) for dtype in (torch.float64, None, torch.float64)
        )
        readings = Readings(exact, native, (nudged,))
        known = {}
        for _ in range(3):
            Compare(opened(double), readings, 1, known)(lambda impl: impl.f(x))

        assert calls == [torch.float64, torch.float32]

        for _ in range(2):
            with pytest.raises(CheckFailed):
                Compare(opened(lambda x: x * 3), readings, 1, known)(lambda impl: impl.f(x))

        assert calls == [torch.float64, torch.float32, torch.float64]


class TestTensors:
    def test_are_found_wherever_they_are(self):
        """Tensors are found through tuples, lists and dicts, in order."""
        a, b, c = (torch.tensor(n) for n in range(3))
        found = tensors_of([a, {"x": (b, "text"), "y": None}, [[c]]])

        assert [t.item() for t in found] == [0, 1, 2]
