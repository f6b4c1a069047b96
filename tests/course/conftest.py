"""Assignments as somebody would write them."""

from __future__ import annotations

import pytest

from grader.course.assignment import read_assignment

START = 'title = "Problem set 1"\nexercises = ["softmax", "masks"]\n'


@pytest.fixture
def assignment(tmp_path):
    """``assignment('due = ...')``: the file that begins with a title and two exercises, read."""

    def assignment(*lines, start=START):
        path = tmp_path / "assignment.toml"
        path.write_text(start + "\n".join(lines), encoding="utf-8")
        return read_assignment(path)

    return assignment
