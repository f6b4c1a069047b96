"""The commands as a person types them, in processes of their own."""

from __future__ import annotations

import os
import shutil

import pytest

from grader.course.course import find_course

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"


@pytest.fixture(scope="session")
def grader(python_m):
    """``grader("check", "softmax", cwd=folder)``: what the command printed, and its exit status."""

    def grader(*arguments, cwd=COURSE.root, course=COURSE.root):
        settings = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONPATH": str(course)}
        return python_m("grader", *map(str, arguments), cwd=cwd, env=os.environ | settings)

    return grader


@pytest.fixture(scope="session")
def started(grader, tmp_path_factory):
    """A folder that the command has started, to be copied."""
    folder = tmp_path_factory.mktemp("started") / "mein Heft λ"
    done = grader("start", folder, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def own(started, tmp_path):
    """A folder just started."""
    return shutil.copytree(started, tmp_path / started.name)


@pytest.fixture
def hand_in():
    """``hand_in(sample, folder)`` puts a sample's softmax there."""
    return lambda sample, folder: shutil.copy(SAMPLES / sample / "softmax.py", folder)
