"""A page whose bodies are given: what its students get of nbgrader."""

from __future__ import annotations

import json
from pathlib import Path

from grader.course.course import find_course
from grader.course.markers import stub_text, without_markers
from grader.programs.given import statements_apart
from grader.programs.page import load_by_path

room = load_by_path(Path(__file__).with_name("classroom.py"))


def test_holds_bodies_as_the_stub_does(tmp_path, nbgrader):
    """Where one is given, no line above it raises; the others are emptied as ever."""
    room.build(tmp_path, "clinic")
    nbgrader(tmp_path, "generate_assignment", "ps1")
    released = tmp_path / "release" / "ps1" / "clinic.ipynb"
    cells = json.loads(released.read_text(encoding="utf-8"))["cells"]
    code = "\n".join(
        "".join(cell["source"])
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("solution")
        or room.grade_id(cell).startswith("given-")
    )
    solution = find_course().solution("clinic").read_text(encoding="utf-8")
    stub = stub_text(solution, "clinic").replace("clinic: replace", "replace")

    assert statements_apart(stub, code) == 0
    assert statements_apart(without_markers(solution), code) > 20
    assert "GIVEN" not in code
    assert "SOLUTION" not in code
