"""An exercise is found under names that are a little different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.collect.near import ATTEMPT, COPY, EXACT, LOOSE, SPELLED, Likeness, meant

KNOWN = ("softmax", "attention", "multi_head_attention", "encoder", "decoder")


class TestMeant:
    @pytest.mark.parametrize(
        ("name", "module", "likeness"),
        [
            ("softmax.py", "softmax", Likeness(EXACT)),
            ("Softmax.py", "softmax", Likeness(SPELLED)),
            ("softmax.py.txt", "softmax", Likeness(SPELLED)),
            ("MultiHeadAttention.py", "multi_head_attention", Likeness(SPELLED)),
            ("multi-head-attention.py", "multi_head_attention", Likeness(SPELLED)),
            ("softmax-1.py", "softmax", Likeness(ATTEMPT, 1)),
            ("softmax-12.py", "softmax", Likeness(ATTEMPT, 12)),
            ("softmax (1).py", "softmax", Likeness(COPY, 1)),
            ("softmax_v3.py", "softmax", Likeness(COPY, 3)),
            ("softmax_final.py", "softmax", Likeness(COPY)),
            ("Kopie von softmax.py", "softmax", Likeness(LOOSE)),
            ("softmax - Copy (2).py", "softmax", Likeness(COPY, 2)),
            ("my_softmax.py", "softmax", Likeness(COPY)),
            ("softmax_lee.py", "softmax", Likeness(LOOSE)),
        ],
    )
    def test_is_the_exercise_of_that_name(self, name, module, likeness):
        """However platforms, browsers and people changed it."""
        assert meant(name, KNOWN) == (module, likeness)

    @pytest.mark.parametrize(
        "name",
        ["utils.py", "test_softmax.py", "softmax_old.py", "encoder_decoder.py", "softmax.txt",
         "._softmax.py", "softmaxes.py", "softmax.ipynb", ""],
    )  # fmt: skip
    def test_is_nothing_else(self, name):
        """Tests, helpers and what names two exercises are no exercise."""
        assert meant(name, KNOWN) is None

    @given(st.text(max_size=60))
    def test_is_one_of_the_known_whatever_the_name(self, stem):
        """No name makes it fail."""
        found = meant(f"{stem}.py", KNOWN)

        assert found is None or found[0] in KNOWN
