"""A run that was really graded."""

from __future__ import annotations

import shutil

import pytest

from grader.cli import instructor
from grader.cli.files import Extras
from grader.course.course import find_course

SEED = 987654321
SAMPLES = "perfect wrong_axis reads_the_solutions writes_a_file untouched syntax_error".split()


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """The folder of a real run over some samples, and of what was handed in."""
    folder = tmp_path_factory.mktemp("class") / "autumn"
    out = tmp_path_factory.mktemp("out") / "run"
    for name in SAMPLES:
        shutil.copytree(find_course().root / "tests" / "submissions" / name, folder / name)
    extras = Extras()
    instructor.grade(folder, out, ["softmax"], SEED, "process", "cpu", extras)
    return out, folder
