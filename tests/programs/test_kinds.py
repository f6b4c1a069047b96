"""Values and calls are described as plain data, in words that a student would use."""

from __future__ import annotations

import numpy as np
import torch

from grader.programs.kinds import call_of, kind_name, without_sizes


class TestWords:
    def test_name_kinds_as_a_student_would(self):
        """Nobody needs to know what a NoneType is."""
        values = (None, torch.ones(1), np.ones(1), (1, 2), 0.5)
        names = [kind_name(value) for value in values]

        assert names == [
            "None (is a `return` missing?)",
            "a tensor",
            "a numpy array",
            "a tuple of 2 values",
            "a value of type float",
        ]


class TestKindsOfCalls:
    def test_do_not_depend_on_sizes(self):
        """Nor on numbers; but on which arguments there are."""
        calls = [call_of("f", (torch.ones(2), n), {"dropout": 0.5}) for n in (1, 2)]
        other = call_of("f", (torch.ones(3),), {"dropout": 0.5})

        assert without_sizes(calls[0]) == without_sizes(calls[1])
        assert without_sizes(calls[0]) != without_sizes(other)

    def test_depend_on_the_class_of_the_object(self):
        """A stack that is given a mask is not asked again because a layer was."""
        call = call_of("", (torch.ones(2),), {})

        assert without_sizes(call | {"of": "Layer"}) != without_sizes(call | {"of": "Stack"})


class TestCalls:
    def test_are_of_one_kind_whatever_the_sizes(self):
        """A probe is repeated once for each kind."""
        few, many = (without_sizes(call_of("f", [torch.ones(n)], {})) for n in (2, 3))

        assert few == many

    def test_with_arrays_are_of_another_kind(self):
        """What is asked of a tensor again is not asked of an array."""
        array, tensor = (
            without_sizes(call_of("f", [value], {})) for value in (np.ones(2), torch.ones(2))
        )

        assert array != tensor
