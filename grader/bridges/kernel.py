"""What the cells of a student's notebook call. Needs neither nbgrader nor a checkout."""

from __future__ import annotations

import contextlib
import doctest
import importlib.abc
import importlib.machinery
import importlib.util
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.model import Cause, Check, Outcome, Verdict
from grader.report.feedback import exercise_lines, verdict_lines

# Examples ------------------------------------------------------------------------------------


def examples(name: str, text: str) -> None:
    """Run the examples in ``text`` on what the notebook defines, and say what came out."""
    globs = dict(vars(sys.modules["__main__"]))
    test = doctest.DocTestParser().get_doctest(text, globs, name, None, None)
    runner = _Runner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=lambda text: None)
    check = Check(name, name, f"{name} gives what its examples say.", public=True)
    outcome = Outcome.PASSED if runner.cause is None else Outcome.FAILED
    for line in verdict_lines(Verdict(check, outcome, cause=runner.cause)):
        print(line)


class _Runner(doctest.DocTestRunner):
    """Keeps the first thing that went wrong, in our words."""

    cause: Cause | None = None

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        pass

    def report_success(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        pass

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        rationale = f"{example.source.strip()} gave something else."
        self._keep(Cause(rationale, example.want.strip(), got.strip() or "nothing"))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        error = exc_info[1]
        if isinstance(error, NotImplementedError):
            self._keep(Cause(f"Not written yet: {test.name}."))
        else:
            said = f"{type(error).__name__}: {error}"
            self._keep(Cause(f"{example.source.strip()} raised an error.", actual=said))

    def _keep(self, cause: Cause) -> None:
        self.cause = self.cause or cause


# What grader check says ----------------------------------------------------------------------


def check(exercise: str) -> None:
    """In a checkout of the course, what ``grader check`` says of the cells run so far."""
    from grader.course.house import find_house
    from grader.errors import CourseNotFound

    try:
        house = find_house()
    except CourseNotFound:
        print("The examples above are what can be checked here; the rest, after you hand in.")
        return
    for line in _report_lines(house, exercise):
        print(line)


def _report_lines(house: Any, exercise: str) -> list[str]:
    from grader.bridges.handed_in import HandedIn, module_of, submission_of
    from grader.bridges.page import page
    from grader.course.catalog import load_catalog
    from grader.model import Submission
    from grader.pipeline import grade_all
    from grader.sandbox.launch import start

    catalog = load_catalog(house)
    others = [name for name in catalog if name != exercise and Path(f"{name}.ipynb").exists()]
    saved, _, _ = submission_of(
        {name: page(house, catalog[name]) for name in others}, Path.cwd(), "notebook"
    )
    mine = module_of(page(house, catalog[exercise]), HandedIn(_cells_run(catalog[exercise].names)))
    files = {**saved.files, exercise: mine.text}
    with contextlib.closing(start()) as sandbox:
        submission = Submission("notebook", "notebook", files, saved.problems)
        (report,) = grade_all(house, [catalog[exercise]], [submission], sandbox)
    notes = [f"! {name}: {note}" for name, told in mine.notes.items() for note in told]
    return notes + [mine.in_cells(text, exercise) for text in exercise_lines(report.exercises[0])]


def _cells_run(names: Sequence[str]) -> dict[str, str]:
    """The latest cell of this session that defines each name, as it was typed."""
    typed = _typed()
    found = {}
    for name in names:
        defines = re.compile(rf"^(def|class) {name}\b", re.M)
        for text in typed:
            if defines.search(text):
                found[name] = text
    return found


def _typed() -> list[str]:
    names = vars(sys.modules["__main__"])
    if "get_ipython" in names:
        return [str(text) for text in names["get_ipython"]().history_manager.input_hist_raw]
    return []


# Notebooks that use one another --------------------------------------------------------------


def import_notebooks() -> None:
    """Let ``import masks`` find ``masks.ipynb`` in this folder, as it was last saved."""
    if not any(isinstance(finder, _NotebookFinder) for finder in sys.meta_path):
        sys.meta_path.append(_NotebookFinder())


class _NotebookFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(
        self, name: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        place = Path(f"{name}.ipynb")
        return importlib.util.spec_from_loader(name, self) if place.exists() else None

    def exec_module(self, module: ModuleType) -> None:
        place = Path(f"{module.__name__}.ipynb")
        cells = json.loads(place.read_text(encoding="utf-8"))["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if _is_code_of_page(cell))
        exec(compile(text, str(place), "exec"), vars(module))


def _is_code_of_page(cell: dict[str, Any]) -> bool:
    marks = cell["metadata"].get("nbgrader", {})
    return bool(marks.get("solution")) or marks.get("grade_id", "").startswith("given-")
