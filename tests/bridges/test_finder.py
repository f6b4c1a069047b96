"""Notebooks that use one another."""

from __future__ import annotations

import sys

from grader.bridges.exercise_cells import exercise_cells
from grader.bridges.kernel import import_notebooks
from grader.bridges.notebook import notebook_text
from grader.course.catalog import load_catalog
from grader.course.course import find_course

COURSE = find_course()
CATALOG = load_catalog(COURSE)


class TestFinder:
    def test_notebooks_import_one_another(self, tmp_path, monkeypatch):
        """The page's code and the solutions are run, trials and checks are not."""
        text = notebook_text(exercise_cells(COURSE, CATALOG["masks"]))
        (tmp_path / "a_notebook_of_masks.ipynb").write_text(text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
        import_notebooks()
        import_notebooks()
        import a_notebook_of_masks

        assert a_notebook_of_masks.causal_mask(1).tolist() == [[True]]
        del sys.modules["a_notebook_of_masks"]
