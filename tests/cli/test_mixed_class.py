"""A mixed class in one command: every name and every mark.

``tests/benchmarks/mixed_class.py`` does it to 200 students in the shape of every platform.
"""

from __future__ import annotations

from pathlib import Path

from grader.cli import instructor
from grader.cli.files import Extras
from grader.runs.reading import read_raw
from tests.collect.downloads import download
from tests.collect.platforms import PLATFORMS, table
from tests.collect.students import BROKEN, SLIP, STUB, VARIANT, Cell, Work, a_class

CANVAS = PLATFORMS["Canvas"]
TEXTS = {
    VARIANT: "def double(x):\n    return 2 * x",
    SLIP: "def double(x):\n    return x * x",
    STUB: "def double(x):\n    raise NotImplementedError('double: replace this line')",
    BROKEN: "def double(",
}
WORKS = [Work("toy", kind, "", (Cell("double", text, True),)) for kind, text in TEXTS.items()]


def test_a_class_of_a_dozen(toy, tmp_path: Path, monkeypatch):
    """Whoever is right has both points, whichever attempt that was, and nobody else has any."""
    monkeypatch.setattr(instructor, "find_course", lambda: toy)
    students = a_class(12, WORKS, 3)
    roster, out = tmp_path / "roster.csv", tmp_path / "run"
    roster.write_text(table(CANVAS.roster(students)), encoding="utf-8")
    there = download(tmp_path, CANVAS.packing, CANVAS.files(students))
    instructor.grade(there, out, [], 5, None, None, Extras(), roster)
    right = {
        number: (one.name, one.late, 2.0 * (one.student.kind_of("toy") == VARIANT))
        for number, one in CANVAS.expected(students).items()
    }
    found = {one.student_id: (one.student, one.late, one.score) for one in read_raw(out).reports}

    assert found == right
    assert {points for _, _, points in found.values()} == {0.0, 2.0}
