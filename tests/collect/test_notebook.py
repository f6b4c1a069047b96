"""Notebooks among what was handed in: their solution cells become the modules."""

from __future__ import annotations

import json

import pytest

from grader.collect import collect, collect_one
from grader.report.words import told
from tests.collect.downloads import KNOWN, download, every_packing, modules, notes, reasons

PAGES = {
    "softmax": [("given-1", "import torch"), ("logsumexp", None), ("softmax", None)],
    "attention": [("given-1", "import math"), ("attend", None)],
}


def cell(text, name="", kind="code"):
    marks = {"nbgrader": {"grade_id": name, "solution": True}} if name else {}
    return {"cell_type": kind, "source": text.splitlines(keepends=True), "metadata": marks}


def notebook(*cells):
    """The text of a notebook with these cells."""
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


SOFTMAX = notebook(
    cell("# Softmax", kind="markdown"), cell("import os", "given-1"),
    cell("def softmax(): ...", "softmax"), cell("print(1)", "check-all"),
    cell("%time 1\ndef logsumexp(): ...", "logsumexp"),
)  # fmt: skip
ATTENTION = notebook(cell("def attend(): ...", "attend"))
AS_SOFTMAX = "import torch\n\n\npass  # %time 1\ndef logsumexp(): ...\n\n\ndef softmax(): ...\n"
AS_ATTENTION = "import math\n\n\ndef attend(): ...\n"


def collected(place):
    return collect(place, KNOWN, pages=PAGES.__getitem__)


class TestSolutionCells:
    @every_packing
    @pytest.mark.parametrize(
        "names",
        [
            ("ann/softmax.ipynb", "ann/attention.ipynb", "ben/softmax.py"),
            ("ann/hw/softmax (1).ipynb", "ann/hw/attention.ipynb.json", "ben/softmax.py"),
            ("ann_softmax.ipynb", "ann_attention.ipynb", "ben_softmax.py"),
            ("ann_1_7_softmax-1.ipynb", "ann_1_8_attention.ipynb", "ben_2_9_softmax.py"),
            ("submitted/ann/ps/softmax.ipynb", "submitted/ann/ps/attention.ipynb",
             "submitted/ben/ps/softmax.py"),
        ],
    )  # fmt: skip
    def test_become_the_modules(self, tmp_path, names, packing):
        """In the order of the course's page, which gives all else; in every shape."""
        files = dict(zip(names, (SOFTMAX, ATTENTION, "b"), strict=True))
        found = collected(download(tmp_path, packing, files))

        assert modules(found) == {
            "ann": {"softmax": AS_SOFTMAX, "attention": AS_ATTENTION},
            "ben": {"softmax": "b"},
        }

    @pytest.mark.parametrize("name", ["ann.ipynb", "ann_1_2_homework 3.ipynb"])
    def test_say_which_exercise_it_is(self, tmp_path, name):
        """Where the name does not."""
        files = {name: SOFTMAX, "ben_2_3_softmax.py": "b"}
        found = collected(download(tmp_path, "folder", files))

        assert modules(found)["ann"] == {"softmax": AS_SOFTMAX}

    @every_packing
    def test_say_so_also_of_many(self, tmp_path, packing):
        """Whatever a student called them; of two for one exercise nobody knows which counts."""
        files = {
            "ann_1_2_a.ipynb": SOFTMAX, "ann_1_3_b.ipynb": ATTENTION, "ann_1_4_c.ipynb": "{]",
            "ben_2_5_a.ipynb": SOFTMAX, "ben_2_6_b.ipynb": SOFTMAX, "ben_2_7_c.ipynb": SOFTMAX,
        }  # fmt: skip
        found = collected(download(tmp_path, packing, files))

        assert modules(found) == {
            "ann": {"softmax": AS_SOFTMAX, "attention": AS_ATTENTION},
            "ben": {},
        }
        assert "more than once: a.ipynb, b.ipynb" in told(found[1].problems["softmax"]).rationale
        assert reasons(found)["c.ipynb"] == "it is no notebook that can be read"

    def test_may_be_all_there_is(self, tmp_path):
        """One notebook that an instructor names."""
        (tmp_path / "ann.ipynb").write_text(ATTENTION)

        assert modules(collected(tmp_path / "ann.ipynb")) == {"ann": {"attention": AS_ATTENTION}}

    def test_may_lack_some(self, tmp_path):
        """The checks say what is missing; cells of the student's own are told to a person."""
        text = notebook(cell("def softmax(): ...", "softmax"), cell("def mine(): ..."))
        found = collected(download(tmp_path, "folder", {"ann/softmax.ipynb": text}))

        assert found[0].files["softmax"] == "import torch\n\n\n\n\n\ndef softmax(): ...\n"
        assert notes(found) == {
            "softmax.ipynb": "1 cells with code that were added to it are not graded"
        }


class TestBesideModules:
    @every_packing
    @pytest.mark.parametrize("place", ["", "src/"])
    def test_the_python_file_counts(self, tmp_path, place, packing):
        """It is the module itself, wherever the notebook lies."""
        files = {"ann/softmax.ipynb": SOFTMAX, f"ann/{place}softmax.py": "a", "ben/softmax.py": ""}
        found = collected(download(tmp_path, packing, files))

        assert modules(found)["ann"] == {"softmax": "a"}
        assert "softmax.ipynb" in reasons(found)

    def test_others_are_not_taken_for_modules(self, tmp_path):
        """Whoever tried something in a notebook handed in the modules."""
        files = {"ann/softmax.py": "a", "ann/plots.ipynb": SOFTMAX, "ben/softmax.py": ""}
        found = collected(download(tmp_path, "folder", files))

        assert found[0].files == {"softmax": "a"}
        assert reasons(found) == {
            "plots.ipynb": "it is a notebook, and another file stands for its exercise"
        }

    def test_none_is_read_in_ones_own_folder(self, tmp_path):
        """There the notebook has a check of its own."""
        files = {"softmax.ipynb": SOFTMAX, "src/softmax.py": "a"}

        assert collect_one(download(tmp_path, "folder", files), KNOWN).files == {"softmax": "a"}


class TestWhatIsNone:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("{]", "no JSON"),
            ("[]", "no cells"),
            (notebook(cell("def softmax(): ...")), "none of the cells in which solutions"),
            (notebook(cell("#" * (1 << 20), "softmax")), "larger than 1 MiB"),
        ],
    )
    @pytest.mark.parametrize("name", ["ben/softmax.ipynb", "ben.ipynb"])
    def test_is_a_row_with_the_reason(self, tmp_path, name, text, says):
        """And the class goes on."""
        files = {"ann/softmax.py": "a", name: text}
        ann, ben = collected(download(tmp_path, "folder", files))

        assert (ann.files, ben.files) == ({"softmax": "a"}, {})
        assert says in told(ben.problems["softmax"]).rationale

    def test_is_read_up_to_a_limit(self, tmp_path, monkeypatch):
        """All notebooks of one submission together."""
        monkeypatch.setattr("grader.collect.taking.MAX_NOTEBOOKS_BYTES", len(ATTENTION) + 5)
        files = {"ann/softmax.ipynb": SOFTMAX, "ann/attention.ipynb": ATTENTION}
        (ann,) = collected(download(tmp_path, "folder", files))

        assert ann.files == {"attention": AS_ATTENTION}
        assert "clear its outputs" in told(ann.problems["softmax"]).rationale
