"""nbgrader's own commands, driven over a class: its gradebook must equal our Reports.

Skipped where the extra `nbgrader` is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
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
def nbgrader():
    """``nbgrader(course, "autograde", "ps1")``: what the command said."""
    with room.commands() as nbgrader:
        yield nbgrader


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """``made_once(name, make)``: the folder that ``make(folder)`` has filled. pytest's processes
    have it together: whoever needs it first makes it, and the others wait.
    """
    fcntl = pytest.importorskip("fcntl")
    own = tmp_path_factory.getbasetemp()
    together = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def made_once(name, make):
        folder, made = together / name, together / f"{name} is made"
        with (together / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(folder, ignore_errors=True)  # which somebody failed to make
                folder.mkdir()
                make(folder)
                made.touch()
        return folder

    return made_once


@pytest.fixture(scope="session")
def modules(made_once):
    """The class graded as modules: a report by student."""

    def make(folder):
        (folder / "reports.json").write_text(json.dumps(room.grade_as_modules()))

    return json.loads((made_once("modules", make) / "reports.json").read_text())


@pytest.fixture(scope="session")
def course(made_once, nbgrader, modules):
    """The class graded by nbgrader, feedback and export included."""

    def make(course):
        room.build(course, ",".join(room.EXERCISES))
        nbgrader(course, "generate_assignment", "ps1")
        for name in room.MODULES:
            room.hand_in(course, "ps1", name, room.sample(name))
        for name, (change, _) in {**room.ODD, **room.BROKEN}.items():
            room.edit(room.hand_in(course, "ps1", name, room.SOFTMAX) / "softmax.ipynb", change)
        (room.hand_in(course, "ps1", "no_json", room.SOFTMAX) / "softmax.ipynb").write_text("{]")
        renamed = room.hand_in(course, "ps1", "other_name", room.sample("perfect"))
        (renamed / "attention.ipynb").rename(renamed / "attention (1).ipynb")
        (course / "autograde.log").write_text(nbgrader(course, "autograde", "ps1"))
        nbgrader(course, "generate_feedback", "ps1")
        nbgrader(course, "export", "--to", "grades.csv")

    return made_once("course", make)


@pytest.fixture(scope="session")
def gradebook(course):
    return room.read_gradebook(course)


@pytest.fixture(scope="session")
def drawn(made_once, nbgrader, modules):
    """A class whose course asks for pictures; feedback included."""
    pytest.importorskip("matplotlib")

    def make(course):
        room.build(course, "softmax,questions")
        config = course / "nbgrader_config.py"
        option = "c.GradeInWorker.pictures = True"
        text = config.read_text(encoding="utf-8")
        assert f"# {option}" in text
        config.write_text(text.replace(f"# {option}", option), encoding="utf-8")
        nbgrader(course, "generate_assignment", "ps1")
        for name in ("perfect", "wrong_axis", "untouched"):
            room.hand_in(course, "ps1", name, room.SOFTMAX | room.sample(name))
        room.hand_in(course, "ps1", "rude", {"softmax": RUDE})
        nbgrader(course, "autograde", "ps1")
        nbgrader(course, "generate_feedback", "ps1")

    return made_once("drawn", make)
