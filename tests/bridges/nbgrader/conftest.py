"""nbgrader's own commands, driven over a class: its gradebook must equal our Reports.

Skipped where the extra `nbgrader` is not installed.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from grader.programs.page import load_by_path

room = load_by_path(Path(__file__).with_name("classroom.py"))

RUDE = """\
def softmax(x, dim=-1):
    raise ValueError('"><script>alert(1)</script>' + "'" * 3)
"""


@pytest.fixture(scope="session", autouse=True)
def _needs_nbgrader():
    if importlib.util.find_spec("nbgrader") is None:
        pytest.skip("the extra nbgrader is not installed")


@pytest.fixture(scope="session")
def modules():
    """The class graded as modules: a report by student."""
    return room.grade_as_modules()


@pytest.fixture(scope="session")
def course(tmp_path_factory, modules):
    """The class graded by nbgrader, feedback and export included."""
    course = tmp_path_factory.mktemp("course")
    room.build(course, ",".join(room.EXERCISES))
    room.nbgrader(course, "generate_assignment", "ps1")
    for name in room.MODULES:
        room.hand_in(course, "ps1", name, room.sample(name))
    for name, (change, _) in {**room.ODD, **room.BROKEN}.items():
        room.edit(room.hand_in(course, "ps1", name, room.SOFTMAX) / "softmax.ipynb", change)
    (room.hand_in(course, "ps1", "no_json", room.SOFTMAX) / "softmax.ipynb").write_text("{]")
    renamed = room.hand_in(course, "ps1", "other_name", room.sample("perfect"))
    (renamed / "attention.ipynb").rename(renamed / "attention (1).ipynb")
    (course / "autograde.log").write_text(room.nbgrader(course, "autograde", "ps1"))
    room.nbgrader(course, "generate_feedback", "ps1")
    room.nbgrader(course, "export", "--to", "grades.csv")
    return course


@pytest.fixture(scope="session")
def gradebook(course):
    return room.read_gradebook(course)


@pytest.fixture(scope="session")
def drawn(tmp_path_factory, modules):
    """A class whose course asks for pictures; feedback included."""
    pytest.importorskip("matplotlib")
    course = tmp_path_factory.mktemp("drawn")
    room.build(course, "softmax,questions")
    config = course / "nbgrader_config.py"
    option = "c.GradeInWorker.pictures = True"
    text = config.read_text(encoding="utf-8")
    assert f"# {option}" in text
    config.write_text(text.replace(f"# {option}", option), encoding="utf-8")
    room.nbgrader(course, "generate_assignment", "ps1")
    for name in ("perfect", "wrong_axis", "untouched"):
        room.hand_in(course, "ps1", name, room.SOFTMAX | room.sample(name))
    room.hand_in(course, "ps1", "rude", {"softmax": RUDE})
    room.nbgrader(course, "autograde", "ps1")
    room.nbgrader(course, "generate_feedback", "ps1")
    return course
