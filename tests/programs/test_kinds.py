"""Values and calls are described as plain data, in words that a student would use."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.programs.client import Client
from grader.programs.kinds import call_of, kind_name, kinds_in
from grader.programs.proxy import ModuleProxy
from grader.report.calls import call_words

MODEL = ModuleProxy(Client(lambda request: {}, "page", ["f"]), 0, "TinyModel")


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

        assert kinds_in(calls[0]) == kinds_in(calls[1])
        assert kinds_in(calls[0]) != kinds_in(other)

    def test_are_those_of_each_argument(self):
        """A call that brings two options together has nothing that is not in one or the other."""
        one = call_of("f", (), {"mask": True, "scale": None})
        other = call_of("f", (), {"mask": None, "scale": 1.5})
        both = call_of("f", (), {"mask": True, "scale": 1.5})

        assert kinds_in(both) <= kinds_in(one) | kinds_in(other)

    def test_depend_on_the_class_of_the_object(self):
        """A stack that is given a mask is not asked again because a layer was."""
        call = call_of("", (torch.ones(2),), {})

        assert kinds_in(call | {"of": "Layer"}) != kinds_in(call | {"of": "Stack"})


class TestCalls:
    def test_speak_of_a_module_by_its_class(self):
        """Whoever hands a model to a function reads its name, and nothing of ours."""
        assert call_of("f", [MODEL], {})["args"] == (("module", "TinyModel"),)

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ([torch.ones(2), torch.ones(3)], "a list of tensors"),
            ((torch.ones(2), 1), "a tuple of values"),
            ([(torch.ones(2), 1), (torch.ones(2), 2)], "a list of tuples"),
            ([MODEL, MODEL], "a list of TinyModels"),
            ([torch.ones(2) > 0], "a list of bool tensors"),
            ([1, 2], "[1, 2]"),
            ([], "[]"),
            ([[1] * 9], "a list of lists"),
        ],
    )
    def test_speak_of_several_by_what_they_are(self, value, said):
        """No numbers of tensors, and no address of a proxy."""
        assert call_words(call_of("f", [value], {})) == f"f({said})"

    def test_are_of_one_kind_whatever_the_sizes(self):
        """A probe is repeated once for each kind."""
        few, many = (kinds_in(call_of("f", [torch.ones(n)], {})) for n in (2, 3))

        assert few == many

    def test_with_arrays_are_of_another_kind(self):
        """What is asked of a tensor again is not asked of an array."""
        array, tensor = (
            kinds_in(call_of("f", [value], {})) for value in (np.ones(2), torch.ones(2))
        )

        assert array != tensor
