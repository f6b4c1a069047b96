"""Values and calls are described as plain data, in words that a student would use."""

from __future__ import annotations

import numpy as np
import torch

from grader.programs.kinds import kind_name


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
