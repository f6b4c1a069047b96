"""Marks of equivalent slips are read as they are printed."""

from __future__ import annotations

import tomllib

import pytest

from grader.errors import SuiteError
from grader.programs.slips.automatic import AutomaticSlip
from grader.programs.slips.equivalent import Mark, as_table, load_marks


@pytest.fixture
def marks(tmp_path):
    """``marks(text)`` are those of a file with this text."""

    def marks(text):
        path = tmp_path / "equivalent.toml"
        path.write_text(text)
        return load_marks(path)

    return marks


class TestMarks:
    @pytest.mark.parametrize(
        ("before", "after"),
        [("return x", "return y"), ('x == "relu"', "x == \\'"), ("", "@torch.no_grad()")],
    )
    @pytest.mark.parametrize("place", [1, 2])
    def test_are_what_was_printed(self, marks, before, after, place):
        """A survivor's table, pasted, marks just that survivor."""
        slip = AutomaticSlip("f", before, after, place, 7, "")

        assert marks(as_table(slip)) == [Mark(slip.key, "")]

    def test_of_one_reason_may_be_several(self, marks):
        """``after`` is a list then."""
        text = '[[equivalent]]\nfunction="f"\nbefore="a"\nafter=["b", "c"]\nwhy="It  is."'

        assert marks(text) == [
            Mark(("f", "a", "b", 1), "It is."),
            Mark(("f", "a", "c", 1), "It is."),
        ]

    def test_need_not_be(self, tmp_path):
        """Not every suite has some."""
        assert load_marks(tmp_path / "equivalent.toml") == []

    @pytest.mark.parametrize(
        "text",
        [
            "[[equivalent]",
            '[[equivalent]]\nfunction = "f"\nbefore = "a"',
            '[[equivalent]]\nfunction = "f"\nbefore = "a"\nafter = "b"\nwhy = 1',
            '[[equivalent]]\nfunction = "f"\nbefore = "a"\nafter = "b"\nreason = "it is"',
        ],
    )
    def test_that_cannot_be_read_are_said(self, marks, text):
        """With the file's name."""
        with pytest.raises(SuiteError, match=r"equivalent\.toml"):
            marks(text)


def test_a_table_has_a_reason_to_be_written():
    """An empty one, which is a finding until it is."""
    table = as_table(AutomaticSlip("f", "a", "b", 1, 7, ""))

    assert tomllib.loads(table)["equivalent"][0]["why"] == ""
