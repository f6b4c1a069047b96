"""A class whose notebooks nbgrader's own commands grade, and what each student did to theirs."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grader.cli.app import app
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.model import Submission
from grader.pipeline import grade_all
from grader.report.record import to_json
from grader.sandbox.launch import open_sandbox

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
EXERCISES = ("softmax", "attention")
BIN = Path(sys.executable).parent
LOUD = 50 << 20

MODULES = (
    "perfect", "untouched", "no_scaling", "wrong_axis", "uses_a_broken_softmax", "syntax_error",
    "missing_function", "reads_the_solutions", "exits_zero", "patches_torch", "forks",
)  # fmt: skip

Notebook = dict[str, Any]


# A class ------------------------------------------------------------------------------------------


def sample(name: str) -> dict[str, str]:
    """The modules of a sample submission."""
    paths = [SAMPLES / name / f"{exercise}.py" for exercise in EXERCISES]
    return {path.stem: path.read_text(encoding="utf-8") for path in paths if path.exists()}


def hand_in(course: Path, assignment: str, student: str, modules: dict[str, str]) -> Path:
    """The released notebooks, with the modules' texts in their solution cells."""
    folder = course / "submitted" / student / assignment
    shutil.copytree(course / "release" / assignment, folder)
    for path in sorted(folder.glob("*.ipynb")):
        if path.stem in modules:
            edit(path, lambda notebook, text=modules[path.stem]: typed_in(notebook, text))
        else:
            path.unlink()
    return folder


def edit(path: Path, change: Callable[[Notebook], object]) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def cell(notebook: Notebook, name: str) -> dict[str, Any]:
    (found,) = [c for c in notebook["cells"] if grade_id(c) == name]
    return found


def grade_id(one: dict[str, Any]) -> str:
    return one["metadata"].get("nbgrader", {}).get("grade_id", "")


def typed_in(notebook: Notebook, module: str) -> None:
    """Every definition goes to the cell of its name; what else there is, above the next one."""
    solutions = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
    names = [grade_id(c) for c in solutions]
    given = {grade_id(c): "".join(c["source"]) for c in notebook["cells"]}
    texts = dict.fromkeys(names, "")
    for name, text in _pieces(module, names):
        if not any(text and text in other for key, other in given.items() if "given" in key):
            texts[name] += f"{text}\n"
    for one, name in zip(solutions, names, strict=True):
        one["source"] = texts[name].strip("\n")


def _pieces(module: str, names: list[str]) -> list[tuple[str, str]]:
    """(cell, text) for every top-level statement; all in the first cell if it is no Python."""
    try:
        nodes = ast.parse(module).body
    except SyntaxError:
        return [(names[0], module)]
    lines = module.split("\n")
    ends = [node.end_lineno or node.lineno for node in nodes]
    texts = ["\n".join(lines[a:b]).strip("\n") for a, b in zip([0, *ends], ends, strict=False)]
    own = [getattr(node, "name", "") for node in nodes]
    places = []
    for index in range(len(nodes)):
        later = [name for name in own[index:] if name in names]
        places.append(later[0] if later else names[-1])
    return list(zip(places, texts, strict=True))


SOFTMAX = {"softmax": sample("perfect")["softmax"]}


def remove(*names: str) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        notebook["cells"] = [c for c in notebook["cells"] if grade_id(c) not in names]

    return change


def raise_its_points(notebook: Notebook) -> None:
    """A grade cell that gives itself a hundred points, and says nothing."""
    own = cell(notebook, "test_example")
    own["source"] = "100.0"
    own["metadata"]["nbgrader"] |= {"points": 100.0, "solution": True, "locked": False}


def add_magics(notebook: Notebook) -> None:
    own = cell(notebook, "softmax")
    source = "".join(own["source"])
    own["source"] = f"%%time\n%matplotlib inline\n!pip list\nfiles = !ls\ntorch.exp?\n{source}"
    cell(notebook, "logsumexp")["source"] = [
        "from __future__ import annotations\n",
        "".join(cell(notebook, "logsumexp")["source"]),
    ]


def print_without_end(notebook: Notebook) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "x" * LOUD}
    cell(notebook, "softmax")["outputs"] = [output]


def odd_metadata(notebook: Notebook) -> None:
    """What makes nbgrader itself give up on the whole class."""
    cell(notebook, "softmax")["metadata"]["nbgrader"]["schema_version"] = 99
    cell(notebook, "test_example")["metadata"]["nbgrader"] = "no"
    notebook["metadata"] = {"kernelspec": {"name": "no such kernel", "language": "klingon"}}
    notebook["nbformat_minor"] = 99


def split_a_cell(notebook: Notebook) -> None:
    own = cell(notebook, "softmax")
    index = notebook["cells"].index(own)
    notebook["cells"].insert(index + 1, own | {"source": "leftover = 1"})


def rename(notebook: Notebook) -> None:
    own = cell(notebook, "softmax")
    own["source"] = "".join(own["source"]).replace("def softmax(", "def my_softmax(")


HELPER = """\
def _stable(x, dim):
    return x - x.amax(dim, keepdim=True)
"""


def add_a_helper(notebook: Notebook) -> None:
    """One solution uses what stands in a cell of the student's own, another what was added to a
    cell that is restored.
    """
    softmax = cell(notebook, "softmax")
    softmax["source"] = """\
def softmax(x, dim=-1):
    e = _stable(x, dim).exp()
    return e / e.sum(dim, keepdim=True)
"""
    cell(notebook, "log_softmax")["source"] = """\
def log_softmax(x, dim=-1):
    return log(softmax(x, dim))
"""
    given = cell(notebook, "given-1")
    given["source"] = ["".join(given["source"]), "\nfrom torch import log"]
    added = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": HELPER}
    notebook["cells"].insert(notebook["cells"].index(softmax), added | {"execution_count": None})


# Every one is a perfect softmax to which one thing was done; and what is to be said about it.
ODD: dict[str, tuple[Callable[[Notebook], None], str]] = {
    "grade_cell_deleted": (remove("test_example", "given-1"), "was missing from the notebook"),
    "grade_cell_altered": (raise_its_points, "had been changed; it has been restored"),
    "magics": (add_magics, "is a command to the notebook: it was not run"),
    "fifty_megabytes": (print_without_end, "was 50 MiB large"),
    "odd_metadata": (odd_metadata, "Its kernel was 'no such kernel'"),
    "split": (split_a_cell, ""),
}

# One notebook of each is not graded.
UNREAD = ("no_json", "other_name")

# These lose points, by name.
BROKEN: dict[str, tuple[Callable[[Notebook], None], str]] = {
    "renamed": (rename, "defines no `softmax`"),
    "solution_deleted": (remove("softmax"), "so nothing of it could be graded"),
    "own_helper": (add_a_helper, "_stable is defined in a cell that is not graded"),
}


@contextlib.contextmanager
def commands() -> Iterator[Callable[..., str]]:
    """``nbgrader(course, "autograde", "ps1")`` is what the command said; it must succeed. What
    commands import is imported once for all of them, which takes seconds.
    """
    settings = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "OPENBLAS_NUM_THREADS": "1"}
    script = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("commands.py"))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(script, env=os.environ | settings, **pipes) as process:

        def nbgrader(course: Path, *arguments: str) -> str:
            said = course / "said.txt"
            print(json.dumps([str(course), str(said), *arguments]), file=process.stdin, flush=True)
            status, text = process.stdout.readline().strip(), said.read_text(encoding="utf-8")
            assert status == "0", f"{status}: {text[-6000:]}"
            return text

        yield nbgrader


def build(course: Path, names: str, *options: str) -> None:
    command = ["nbgrader", "build", str(course), "--assignment", "ps1", "--exercises", names]
    done = CliRunner().invoke(app, [*command, *options])
    assert done.exit_code == 0, done.output


def grade_as_modules() -> dict[str, Any]:
    catalog = load_catalog(COURSE)
    submissions = [Submission(name, name, sample(name)) for name in MODULES]
    with contextlib.closing(open_sandbox()) as sandbox:
        if sandbox.isolation != "full":
            pytest.skip("this machine offers no full isolation")
        reports = grade_all(COURSE, select(catalog, EXERCISES), submissions, sandbox, seed=7)
        return {report.student: to_json(report) for report in reports}


def read_gradebook(course):
    """nbgrader's gradebook: (student, exercise, check) -> (score, max_score, needs a person)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of nbgrader's and what it needs
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
            return {
                (own.student.id, own.name, grade.name): (
                    grade.auto_score,
                    grade.max_score,
                    grade.needs_manual_grade,
                )
                for submission in book.assignment_submissions("ps1")
                for own in submission.notebooks
                for grade in own.grades
            }


def points(report):
    return {
        (exercise["name"], check["name"]): (check["points"], check["max_points"])
        for exercise in report["exercises"]
        for check in exercise["checks"]
    }


def in_gradebook(gradebook, student):
    return {key[1:]: row[:2] for key, row in gradebook.items() if key[0] == student}


def softmax_of(marks):
    return {key: value for key, value in marks.items() if key[0] == "softmax"}


def told(course, student):
    """All that the student reads in the feedback on softmax; code between backticks."""
    page = course / "feedback" / student / "ps1" / "softmax.html"
    return re.sub("</?code>", "`", page.read_text(encoding="utf-8"))
