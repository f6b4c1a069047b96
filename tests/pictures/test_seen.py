"""What both sides computed is compared, and said in a sentence for every panel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.model import Submission
from grader.pictures import look, scene_of
from grader.programs.bank import load_bank
from grader.programs.page import load_by_path
from grader.programs.program import LocalProgram

COURSE = find_course()
CATALOG = load_catalog(COURSE)


def with_misconception(exercise, name):
    """What there is to see of a known misconception, which is ours and runs here."""
    bank = {
        e.name: e for e in load_bank(COURSE.misconceptions(exercise), COURSE.solution(exercise))
    }
    reference = dict(vars(load_by_path(COURSE.solution(exercise))))
    program = LocalProgram(bank[name].applied_to(reference))
    return look(COURSE, CATALOG[exercise], scene_of(COURSE, exercise), program)


class TestDifferences:
    @pytest.mark.parametrize(
        ("exercise", "misconception"),
        [
            ("softmax", "no_maximum"),
            ("layer_norm", "only_centred"),
            ("masks", "itself_forbidden"),
            ("attention", "no_scaling"),
            ("encoder", "mask_not_handed_on"),
            ("gpt", "not_causal"),
        ],
    )
    def test_a_misconception_is_seen(self, exercise, misconception):
        """Some panel of its exercise differs."""
        assert any(one.differs for one in with_misconception(exercise, misconception))

    def test_scaling_forgotten(self, sample, seen_of):
        """Weights that are too sharp: the difference is large, and the verdict names its place."""
        weights, *_, out = seen_of("attention", sample("no_scaling"))

        assert weights.difference is not None
        assert np.abs(weights.difference).max() > 0.2
        assert np.allclose(weights.difference.sum(axis=-1), 0, atol=1e-5)
        assert "Differs by up to 0.29, most at query “man”, key “the”." in weights.verdict
        assert out.differs

    def test_what_the_mask_leaves_over(self, sample, seen_of):
        """Masked after the softmax, rows no longer sum to one; the masks themselves are right."""
        *masks, weights = seen_of("masks", sample("mask_after_softmax"))

        assert not any(one.differs for one in masks)
        assert weights.differs

    def test_dropout_is_told_by_what_does_not_depend_on_chance(self, sample, seen_of):
        """Survivors that have not grown are seen; which ones survive is not compared."""
        mask, becomes, evaluation = seen_of("dropout", sample("dropout_not_scaled"))

        assert mask.difference is None
        assert not mask.differs
        assert becomes.differs
        assert not evaluation.differs

    def test_the_right_numbers_in_another_form(self, sample, seen_of):
        """Ones and zeros are no mask, though they look like one."""
        text = sample("perfect").files["masks"] + (
            "\n\nright = causal_mask\n\n\n"
            "def causal_mask(*args, **kwargs):\n    return right(*args, **kwargs).long()\n"
        )
        first, *_ = seen_of("masks", Submission("m", "m", {"masks": text}))

        assert first.differs
        assert first.verdict == (
            "The right numbers, but as a tensor of int64 and not as a tensor of bool."
        )

    def test_too_small_to_matter(self):
        """Rounding is no difference."""
        (seen, *_) = with_misconception("attention", "no_scaling")
        rounded = replace(seen, yours=seen.expected * (1 + 1e-6), your_form=seen.form)

        assert not rounded.differs
        assert rounded.verdict == "As expected."


class TestMishaps:
    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ("return None", "is None (is a `return` missing?), and not a tensor of shape (81,)."),
            ("return x[:3]", "has the shape (3,), and not (81,)"),
            ("return x / 0 * 0", "NaN or infinity in 81 of 81 places."),
            ("raise ValueError('oh')", "feed_forward.py, line 2: ValueError: oh."),
            ("return x['oh']", "feed_forward.py, line 2"),
            ("while True: pass", "No answer within"),
            ("import os; os._exit(3)", "ended its own process"),
        ],
    )
    def test_is_told_in_words(self, body, said, monkeypatch, seen_of):
        """And costs only its own panel; a picture is drawn all the same."""
        monkeypatch.setattr("grader.pictures.seen.SECONDS", 1.0)
        text = f"def silu(x):\n    {body}\n"
        seen = seen_of("feed_forward", Submission("m", "m", {"feed_forward": text}))

        assert said in seen[1].verdict
        assert "defines no `gelu`" in seen[0].verdict

    def test_weights_that_are_none(self, seen_of):
        """What is given a model must be a dict."""
        text = "def previous_token_head():\n    return [1.0]\n"
        seen = seen_of("hand_weights", Submission("m", "m", {"hand_weights": text}))

        assert "A dict of arrays is expected, not a list of 1 value." in [s.verdict for s in seen]

    def test_a_file_that_is_not_there(self, seen_of):
        """Is spoken of as everywhere."""
        seen = seen_of("softmax", Submission("m", "m", {}))

        assert seen[0].verdict.startswith("softmax.py is not in the submission.")
