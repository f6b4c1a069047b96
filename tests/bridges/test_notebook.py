"""Cells become notebooks, and notebooks a course."""

from __future__ import annotations

import json

import pytest

from grader.bridges.exercise_cells import exercise_cells
from grader.bridges.notebook import build_course, notebook_text, terms_path
from grader.course.assignment import Assignment
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError

COURSE = find_course()
CATALOG = load_catalog(COURSE)


class TestANotebook:
    def test_is_written_the_same_every_time(self):
        """The same bytes from the same solution."""
        first, second = (notebook_text(exercise_cells(COURSE, CATALOG["masks"])) for _ in range(2))

        assert first == second


class TestACourse:
    def test_holds_what_an_exercise_is_assembled_from(self, tmp_path):
        """Who asks for gpt gets the notebooks it imports."""
        build_course(COURSE, tmp_path, "ps1", ["gpt"])
        names = {path.stem for path in (tmp_path / "source" / "ps1").iterdir()}

        assert names == {"gpt", "feed_forward", "layer_norm", "multi_head_attention", "residual"}

    def test_has_the_checks_and_points_of_its_assignment(self, tmp_path):
        """What an exercise is assembled from, and nobody asked for, is worth nothing."""
        dropped = frozenset({"gpt.test_example"})
        terms = Assignment("One", ("gpt",), {"gpt": 7.5}, dropped, text="title = 1")
        build_course(COURSE, tmp_path, "ps1", [], terms)
        found = {
            path.stem: {
                cell["metadata"]["nbgrader"]["grade_id"]: cell["metadata"]["nbgrader"]["points"]
                for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
                if cell["metadata"].get("nbgrader", {}).get("grade")
            }
            for path in (tmp_path / "source" / "ps1").glob("*.ipynb")
        }

        assert sum(found["gpt"].values()) == pytest.approx(7.5)
        assert "test_example" not in found["gpt"]
        assert len(found) == 5
        assert {p for name in found if name != "gpt" for p in found[name].values()} == {0}
        assert terms_path(tmp_path, "ps1").read_text() == "title = 1"

    def test_is_not_mixed_with_another(self, tmp_path):
        """A configuration that would run submissions in a kernel is not built upon."""
        (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")

        with pytest.raises(GraderError, match="would run in a kernel"):
            build_course(COURSE, tmp_path, "ps1", ["softmax"])

    def test_is_not_mixed_with_one_that_gives_no_bodies(self, tmp_path):
        """It would leave nothing to be mended; of pages without such bodies it may stay."""
        config = tmp_path / "nbgrader_config.py"
        config.write_text("# grader.bridges.nbgrader.GradeInWorker\n")
        build_course(COURSE, tmp_path, "ps1", ["softmax"])

        with pytest.raises(GraderError, match="Move it away"):
            build_course(COURSE, tmp_path, "ps2", ["clinic"])
