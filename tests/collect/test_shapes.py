"""What platforms call files -> whose they are."""

from __future__ import annotations

import pytest

from grader.collect.shapes import Whose, canvas, moodle, named_after_exercise, of_platform

KNOWN = ("softmax", "attention", "multi_head_attention")


class TestCanvas:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("leeann_12345_67890_softmax.py", Whose("leeann", "12345", file="softmax.py")),
            (
                "leeann_LATE_12345_67890_softmax-1.py",
                Whose("leeann", "12345", late=True, file="softmax-1.py"),
            ),
            ("张伟_1_2_hand_in.zip", Whose("张伟", "1", file="hand_in.zip")),
            ("lee_1_2_3_4_x.py", Whose("lee", "1", file="3_4_x.py")),
            ("lee_LATE_1_text.html", Whose("lee", "1", True, "text.html", text=True)),
            ("anon_aB3dE_67890_softmax.py", Whose("anon_aB3dE", "aB3dE", file="softmax.py")),
        ],
    )
    def test_says_who_and_what(self, name, expected):
        """The student, the id, whether it is late, and the file's own name."""
        assert canvas(name) == expected

    @pytest.mark.parametrize("name", ["softmax.py", "ann_softmax.py", "lee_1_softmax.py", "_1_2_"])
    def test_is_recognised_by_both_numbers(self, name):
        """What has none was not named by Canvas."""
        assert canvas(name) is None


class TestMoodle:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("Ann Lee_12345_assignsubmission_file_", Whose("Ann Lee", "12345")),
            ("Ann Lee_12345_assignsubmission_file", Whose("Ann Lee", "12345")),
            ("Ann_7_9_assignsubmission_file_", Whose("Ann_7", "9")),
            (
                "Seán O'Brien_7_assignsubmission_file_softmax.py",
                Whose("Seán O'Brien", "7", file="softmax.py"),
            ),
            ("Ann_7_assignsubmission_onlinetext_", Whose("Ann", "7", text=True)),
        ],
    )
    def test_says_who_and_what(self, name, expected):
        """With a folder for each student or without; an online text is no file."""
        assert moodle(name) == of_platform(name) == expected


class TestTheExerciseInAName:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("ann_softmax.py", Whose("ann", file="softmax.py")),
            ("Wei-Chen-attention.py", Whose("Wei-Chen", file="attention.py")),
            ("ann_multi_head_attention.py", Whose("ann", file="multi_head_attention.py")),
            ("softmax_ann.py", None),
            ("ann.py", None),
        ],
    )
    def test_comes_last(self, name, expected):
        """One exercise for each file, where its name says so."""
        assert named_after_exercise(name, KNOWN) == expected
