"""Where two tensors differ is said in few words and numbers."""

from __future__ import annotations

import pytest
import torch

from grader.examiner.difference import Tensors, describe_values, where_they_differ
from grader.model import Cause
from grader.report.words import told


class TestWords:
    @pytest.mark.parametrize(
        ("shape", "places", "said"),
        [
            ((), [()], "the value differs"),
            ((3,), [(0,), (1,), (2,)], "all 3 values differ; first at [0]"),
            ((6,), [(1,), (2,), (3,)], "3 of 6 values differ, only at 1 to 3 along axis 0"),
            ((2, 9), [(0, 1), (1, 3)], "only at 1, 3 along the last axis; first at [0, 1]"),
            ((20,), [(n,) for n in range(0, 20, 2)], "0, 2, 4, 6, 8, 10 ... along axis 0"),
            ((3, 2), [(1, 0), (1, 1)], "2 of 6 values differ, only at 1 along axis 0; first at"),
        ],
    )
    def test_say_where(self, shape, places, said):
        """The rows and columns that differ are listed, or their range."""
        wrong = torch.zeros(shape, dtype=torch.bool)
        for place in places:
            wrong[place] = True
        zeros = torch.zeros(shape)

        found = where_they_differ(Tensors(zeros, zeros, wrong))
        facts = {"call": None, "at": (), "difference": found, "wanted": "", "got": ""}

        assert said in told(Cause("numbers", facts)).rationale

    def test_show_the_numbers_around_the_first_difference(self):
        """At most six numbers of one row, with dots where there are more."""
        expected, wrong = torch.arange(20.0).reshape(1, 20), torch.zeros(1, 20, dtype=torch.bool)
        wrong[0, 10] = True
        told = describe_values(Tensors(expected, expected + 1, wrong))

        assert told == ("[0]: ... 5 6 7 8 9 10 ...", "[0]: ... 6 7 8 9 10 11 ...")
