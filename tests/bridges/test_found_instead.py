"""A notebook under another name is named, and only where its own is missing."""

from __future__ import annotations

import pytest

from grader.bridges.found_instead import found_instead
from grader.bridges.handed_in import submission_of
from grader.report.words import told

NAMES = ("softmax", "attention")


@pytest.fixture
def folder(tmp_path):
    """``folder(*names)`` holds files of these names."""

    def folder(*names):
        for name in names:
            (tmp_path / name).write_text("{}")
        return tmp_path

    return folder


class TestAnotherName:
    @pytest.mark.parametrize(
        "name",
        ["attention (1).ipynb", "Attention.ipynb", "attention_final.ipynb", "ps1-attention.IPYNB"],
    )
    def test_is_found(self, folder, name):
        """As browsers and people make them."""
        assert found_instead(folder("softmax.ipynb", name), NAMES) == {"attention": name}

    @pytest.mark.parametrize("name", ["notes.ipynb", "attention (1).py", "attention_plots.ipynb"])
    def test_may_be_of_something_else(self, folder, name):
        """Then nothing is said of it."""
        assert found_instead(folder(name), NAMES) == {}

    def test_is_nothing_beside_the_right_one(self, folder):
        """An older copy may lie there."""
        assert found_instead(folder("attention.ipynb", "attention (1).ipynb"), NAMES) == {}

    def test_is_told_in_the_report(self, folder):
        """What is missing, what is there, and what to do."""
        submission, handed_in, _ = submission_of(
            dict.fromkeys(NAMES, ()), folder("attention (1).ipynb"), "ann"
        )
        said = told(submission.problems["attention"])

        assert said.rationale == (
            "attention.ipynb is not in the submission, but attention (1).ipynb is, "
            "which was not graded."
        )
        assert "rename it" in said.help
        assert (list(submission.problems), handed_in) == (["attention"], {})
