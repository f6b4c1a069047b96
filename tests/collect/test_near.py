"""An exercise is found under names that are a little different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.collect import collect, collect_one
from grader.collect.near import ATTEMPT, COPY, EXACT, LOOSE, SPELLED, Likeness, meant
from tests.collect import downloads
from tests.collect.downloads import TWO, download, modules, notes

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
         "._softmax.py", "softmaxes.py", ""],
    )  # fmt: skip
    def test_is_nothing_else(self, name):
        """Tests, helpers and what names two exercises are no exercise."""
        assert meant(name, KNOWN) is None

    @given(st.text(max_size=60))
    def test_is_one_of_the_known_whatever_the_name(self, stem):
        """No name makes it fail."""
        found = meant(f"{stem}.py", KNOWN)

        assert found is None or found[0] in KNOWN


class TestAFolderOfOnesOwn:
    """What somebody works in is one submission, whatever lies beside the modules."""

    @pytest.mark.parametrize(
        "drafts",
        [["softmax-2.py"], ["softmax (1).py"], ["a/softmax.py", "b/softmax.py"], ["a.zip", "b.zip"],
         ["softmax_1.py", "softmax_2.py", "softmax_3.py"], ["old/softmax.py", "exercises.txt"]],
    )  # fmt: skip
    def test_is_no_class(self, tmp_path, drafts):
        """And no draft counts in place of the module."""
        files = dict.fromkeys(drafts, "draft") | {"softmax.py": "mine"}
        found = collect_one(download(tmp_path, "folder", files), downloads.KNOWN)

        assert (found.name, found.files["softmax"]) == ("class", "mine")


class TestNearNames:
    @pytest.mark.parametrize(
        "name",
        ["softmax (1).py", "Softmax.py", "softmax-1.py", "softmax_final.py", "softmax.py.txt",
         "softmax_lee.py"],
    )  # fmt: skip
    @pytest.mark.parametrize("packing", ["folder", "zip"])
    def test_are_found_and_told(self, tmp_path, packing, name):
        """What was meant is graded, and said to be."""
        files = {f"ann/{name}": "a", "ann/attention.py": "aa", "ben/softmax.py": "b"}
        found = collect(download(tmp_path, packing, files), downloads.KNOWN)

        assert found[0].files["softmax"] == "a"
        assert notes(found) == {name: "graded as softmax.py"}

    @pytest.mark.parametrize("packing", ["folder", "zip"])
    def test_may_lie_one_folder_too_deep(self, tmp_path, packing):
        """But nothing is taken out of a folder with solutions or older work."""
        files = {
            "ann/softmax.py": "a", "ann/part2/attention.py": "aa",
            "ben/softmax.py": "b", "ben/solutions/attention.py": "no",
        }  # fmt: skip
        found = collect(download(tmp_path, packing, files), downloads.KNOWN)

        assert modules(found) == TWO
        assert notes(found) == {"attention.py": "graded as attention.py"}
