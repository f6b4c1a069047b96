"""The lines of a submission that a failure is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.exports.example import MOST_LINES, example_of
from grader.exports.kept import Kept
from grader.model import Cause, Outcome, Place, Submission
from grader.runs.texts import digests_of, write_texts

TEXT = '''\
"""Softmax."""


def softmax(x, dim=-1):
    """Weights."""
    e = x.exp()  # a comment

    return e / e.sum(-1)


class Layer:
    def forward(self, x):
        # nothing
        return x
'''


@pytest.fixture
def lines(tmp_path, report, verdict):
    """``lines(cause, text)``: the numbers of the lines shown, and of those marked."""

    def lines(cause, text=TEXT, module="softmax"):
        submission = Submission("ann", "ann", {"softmax": text})
        write_texts(submission, tmp_path)
        failed = verdict(Outcome.FAILED, cause=cause)
        graded = replace(report("ann", **{module: [failed]}), digests=digests_of(submission))
        found = example_of(graded, graded.verdicts[0], Kept(tmp_path))
        shown = found.lines if found else ()
        return [line.number for line in shown], [line.number for line in shown if line.is_shared]

    return lines


def call(name, of=""):
    return Cause("values", {"call": {"name": name, "of": of, "args": (), "kwargs": {}}})


class TestTheLines:
    def test_are_those_of_the_function_that_was_called(self, lines):
        """Without docstrings, comments and empty lines."""
        assert lines(call("softmax")) == ([4, 6, 8], [])

    def test_of_a_layer_are_those_of_its_forward(self, lines):
        """A layer is called by no name."""
        assert lines(call("", "Layer")) == ([12, 14], [])

    def test_are_around_the_line_that_is_known(self, lines):
        """Which is marked."""
        assert lines(Cause("raised", {}, Place("softmax.py", 8))) == ([4, 6, 8, 11, 12, 14], [8])

    def test_are_few(self, lines):
        """Of a long function the first, of a line the nearest."""
        text = "def softmax(x):\n" + "".join(f"    x = x + {n}\n" for n in range(100))

        assert lines(call("softmax"), text) == (list(range(1, MOST_LINES + 1)), [])
        assert lines(Cause("raised", {}, Place("softmax.py", 50)), text) == (
            list(range(44, 56)),
            [50],
        )

    def test_are_all_of_a_short_module_where_nothing_is_known(self, lines):
        """And none of a long one."""
        assert lines(Cause("said", {}))[0] == [4, 6, 8, 11, 12, 14]
        assert lines(Cause("said", {}), "x = 1\n" * 50) == ([], [])


def test_without_the_text_there_is_none(lines):
    """Nothing is guessed."""
    assert lines(call("softmax"), module="masks") == ([], [])


@pytest.mark.parametrize("text", ["", "def softmax(", "class :\n", "\0", "def softmax(x):"])
def test_hostile_texts_are_read(lines, text):
    """They are not parsed."""
    assert len(lines(call("softmax"), text)[0]) <= 1
