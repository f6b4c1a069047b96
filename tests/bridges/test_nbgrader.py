"""nbgrader's own commands, driven over a class: its gradebook must equal our Reports.

Skipped where the extra `nbgrader` is not installed.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.model import Submission
from grader.pipeline import grade_all
from grader.report.record import to_json
from grader.sandbox.launch import open_sandbox

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nbgrader") is None, reason="the extra nbgrader is not installed"
)

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


# Every one is a perfect softmax to which one thing was done; and what is to be said about it.
ODD: dict[str, tuple[Callable[[Notebook], None], str]] = {
    "grade_cell_deleted": (remove("test_example", "given-1"), "was missing from the notebook"),
    "grade_cell_altered": (raise_its_points, "had been changed; it has been restored"),
    "magics": (add_magics, "is a command to the notebook: it was not run"),
    "fifty_megabytes": (print_without_end, "was 50 MiB large"),
    "odd_metadata": (odd_metadata, "Its kernel was 'no such kernel'"),
    "split": (split_a_cell, ""),
}

# These lose points, by name.
BROKEN: dict[str, tuple[Callable[[Notebook], None], str]] = {
    "renamed": (rename, "defines no `softmax`"),
    "solution_deleted": (remove("softmax"), "so nothing of it could be graded"),
}


def nbgrader(course: Path, *arguments: str) -> str:
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


def build(course: Path, names: str) -> None:
    command = [sys.executable, "-m", "grader", "nbgrader", "build", str(course)]
    command += ["--assignment", "ps1", "--exercises", names]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def grade_as_modules() -> dict[str, Any]:
    catalog = load_catalog(COURSE)
    submissions = [Submission(name, name, sample(name)) for name in MODULES]
    with contextlib.closing(open_sandbox()) as sandbox:
        if sandbox.isolation != "full":
            pytest.skip("this machine offers no full isolation")
        reports = grade_all(COURSE, select(catalog, EXERCISES), submissions, sandbox, seed=7)
        return {report.student: to_json(report) for report in reports}


@pytest.fixture(scope="module")
def modules():
    """The class graded as modules: a report by student."""
    return grade_as_modules()


@pytest.fixture(scope="module")
def course(tmp_path_factory, modules):
    """The class graded by nbgrader, feedback and export included."""
    course = tmp_path_factory.mktemp("course")
    build(course, ",".join(EXERCISES))
    nbgrader(course, "generate_assignment", "ps1")
    for name in MODULES:
        hand_in(course, "ps1", name, sample(name))
    for name, (change, _) in {**ODD, **BROKEN}.items():
        edit(hand_in(course, "ps1", name, SOFTMAX) / "softmax.ipynb", change)
    (hand_in(course, "ps1", "no_json", SOFTMAX) / "softmax.ipynb").write_text("{]")
    nbgrader(course, "autograde", "ps1")
    nbgrader(course, "generate_feedback", "ps1")
    nbgrader(course, "export", "--to", "grades.csv")
    return course


GRADEBOOK = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps([
        [n.student.id, n.name, g.name, g.auto_score, g.max_score, g.needs_manual_grade]
        for s in book.assignment_submissions("ps1") for n in s.notebooks for g in n.grades
    ]))
"""


def read_gradebook(course):
    """nbgrader's gradebook: (student, exercise, check) -> (score, max_score, needs a person)."""
    command = [sys.executable, "-W", "ignore", "-c", GRADEBOOK]
    done = subprocess.run(command, cwd=course, check=True, capture_output=True, text=True)
    return {tuple(row[:3]): tuple(row[3:]) for row in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def gradebook(course):
    return read_gradebook(course)


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
    """All that the student reads in the feedback on softmax."""
    return (course / "feedback" / student / "ps1" / "softmax.html").read_text(encoding="utf-8")


class TestTheGradebook:
    @pytest.mark.parametrize("student", [*MODULES, *ODD, *BROKEN, "no_json"])
    def test_equals_our_report_check_by_check(self, course, gradebook, student):
        """Every check is a grade cell with the check's exact score, and there are no others."""
        path = course / "reports" / "ps1" / "reports" / f"{student}.json"

        assert points(json.loads(path.read_text())) == in_gradebook(gradebook, student)

    @pytest.mark.parametrize("student", MODULES)
    def test_is_what_the_modules_got(self, gradebook, modules, student):
        """The same class graded as modules and as notebooks gets the same marks."""
        assert points(modules[student]) == in_gradebook(gradebook, student)

    @pytest.mark.parametrize("student", ODD)
    def test_oddities_cost_nothing(self, gradebook, modules, student):
        """What does not touch the solutions does not touch the marks, up or down."""
        assert softmax_of(points(modules["perfect"])) == softmax_of(
            in_gradebook(gradebook, student)
        )

    def test_a_deleted_solution_costs_what_needs_it(self, gradebook, modules):
        """The checks of other functions keep their points."""
        full = sum(p for p, _ in softmax_of(points(modules["perfect"])).values())
        for student in BROKEN:
            score = sum(p for p, _ in in_gradebook(gradebook, student).values())

            assert 0 < score < full

    def test_nobody_waits_for_a_person(self, gradebook):
        """Every check of the class has a verdict."""
        assert [key for key, row in gradebook.items() if row[2]] == []

    def test_is_exported(self, course, modules):
        """nbgrader's own table holds the same totals."""
        with (course / "grades.csv").open() as file:
            rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}

        assert {name: rows[name] for name in MODULES} == {
            name: report["score"] for name, report in modules.items()
        }


class TestTheFeedback:
    def test_names_the_misconception(self, course):
        """The recognised misconception, in its own words, stands under the check's sentence."""
        text = told(course, "wrong_axis")

        assert "misconception: ignores_dim" in text
        assert "the caller chose `dim`" in text

    @pytest.mark.parametrize("student", [*ODD, *BROKEN])
    def test_names_what_became_of_the_notebook(self, course, student):
        """Each oddity is told."""
        assert {**ODD, **BROKEN}[student][1] in told(course, student).replace("&#39;", "'")

    def test_names_a_file_that_is_no_notebook(self, course):
        """No JSON: said in every check of that exercise."""
        assert "softmax.ipynb is not a notebook: no JSON" in told(course, "no_json")

    def test_points_into_cells(self, course):
        """Who wrote a notebook knows nothing of the lines of a module."""
        text = told(course, "syntax_error")

        assert "cell softmax, line" in text
        assert "softmax.py, line" not in text

    def test_holds_no_hidden_check(self, course):
        """No line of a suite and no marker of a solution is in what students get."""
        suite = COURSE.suite("softmax").read_text(encoding="utf-8")
        secret = [line.strip() for line in suite.split("\n") if "impl." in line]
        folders = [course / name for name in ("release", "autograded", "feedback")]
        texts = [p.read_text(encoding="utf-8") for f in folders for p in f.rglob("softmax.*")]

        assert len(texts) > 20
        assert [line for line in secret if any(line in text for text in texts)] == []
        assert not any("BEGIN SOLUTION" in text for text in texts)


RUDE = """\
def softmax(x, dim=-1):
    raise ValueError('"><script>alert(1)</script>' + "'" * 3)
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory, modules):
    """A class whose course asks for pictures; feedback included."""
    pytest.importorskip("matplotlib")
    course = tmp_path_factory.mktemp("drawn")
    build(course, "softmax,questions")
    config = course / "nbgrader_config.py"
    option = "c.GradeInWorker.pictures = True"
    text = config.read_text(encoding="utf-8")
    assert f"# {option}" in text
    config.write_text(text.replace(f"# {option}", option), encoding="utf-8")
    nbgrader(course, "generate_assignment", "ps1")
    for name in ("perfect", "wrong_axis", "untouched"):
        hand_in(course, "ps1", name, SOFTMAX | sample(name))
    hand_in(course, "ps1", "rude", {"softmax": RUDE})
    nbgrader(course, "autograde", "ps1")
    nbgrader(course, "generate_feedback", "ps1")
    return course


class TestPictures:
    def test_are_in_the_feedback(self, drawn):
        """Where points were lost, once, with the same in words; where none were, nothing."""
        wrong, right = told(drawn, "wrong_axis"), told(drawn, "perfect")

        assert wrong.count('src="data:image/png;base64,') == 1
        assert 'alt="Yours, expected and the difference. ' in wrong
        assert "Differs by up to 0.99, most at row 0, column 3." in wrong
        assert "data:image/png" not in right

    def test_stand_under_the_check_of_everything(self, drawn):
        """Where the student has the same cell, and no mark can be read from it."""
        path = drawn / "autograded" / "wrong_axis" / "ps1" / "softmax.ipynb"
        notebook = json.loads(path.read_text(encoding="utf-8"))
        outputs = cell(notebook, "check-all")["outputs"]
        elsewhere = [c for c in notebook["cells"] if "image/png" in json.dumps(c)]

        assert [output["output_type"] for output in outputs] == ["display_data", "stream"]
        assert [grade_id(c) for c in elsewhere] == ["check-all"]

    def test_speak_of_cells(self, drawn):
        """In its words too, lines are lines of cells."""
        path = drawn / "autograded" / "untouched" / "ps1" / "softmax.ipynb"
        (picture, words) = cell(json.loads(path.read_text("utf-8")), "check-all")["outputs"]

        assert "cell softmax, line" in "".join(words["text"])
        assert "softmax.py, line" not in json.dumps([picture["metadata"], words])

    def test_carry_no_markup_of_a_submission(self, drawn):
        """What it raised is quoted in the words, as text."""
        text = told(drawn, "rude")

        assert "data:image/png" in text
        assert "alert(1)" in text
        assert "<script>alert" not in text

    def test_change_no_mark(self, drawn):
        """The gradebook holds what our reports hold."""
        book = read_gradebook(drawn)
        for student in ("perfect", "wrong_axis", "untouched", "rude"):
            path = drawn / "reports" / "ps1" / "reports" / f"{student}.json"
            assert points(json.loads(path.read_text())) == in_gradebook(book, student)


class TestWithoutUs:
    def test_a_kernel_gives_no_points(self, course, tmp_path):
        """Were the notebooks run by nbgrader itself, a check would earn 0 and not full marks."""
        script = """
import sys, nbformat
from nbgrader.utils import determine_grade
from nbformat.v4 import new_output
notebook = nbformat.read(sys.argv[1], 4)
for cell in notebook.cells:
    if cell.metadata.get("nbgrader", {}).get("grade"):
        import contextlib, io
        with contextlib.redirect_stderr(io.StringIO()) as said:
            exec(cell.source, {})
        cell.outputs = [new_output("stream", name="stderr", text=said.getvalue())]
        assert said.getvalue() and determine_grade(cell)[0] == 0
"""
        path = course / "source" / "ps1" / "softmax.ipynb"
        command = [sys.executable, "-W", "ignore", "-c", script, str(path)]

        assert subprocess.run(command, check=False).returncode == 0


KERNEL = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=300, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(notebook, sys.argv[1])
"""


class TestInAKernel:
    def test_the_picture_is_shown(self, tmp_path):
        """The released notebook, filled in and run from top to bottom as a student does."""
        pytest.importorskip("matplotlib")
        build(tmp_path, "softmax")
        path = tmp_path / "source" / "ps1" / "softmax.ipynb"
        edit(path, lambda notebook: typed_in(notebook, sample("wrong_axis")["softmax"]))
        environment = os.environ | {"PYTHONPATH": str(COURSE.root)}
        command = [sys.executable, "-W", "ignore", "-c", KERNEL, str(path), str(tmp_path)]
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=300)
        image, words = cell(json.loads(path.read_text("utf-8")), "show-picture")["outputs"]

        assert image["data"]["image/png"].startswith("iVBOR")
        assert "Differs by up to 0.99" in image["metadata"]["image/png"]["alt"]
        assert "    Differs by up to 0.99, most at row 0, column 3.\n" in "".join(words["text"])


class TestAVerdictThatIsMissing:
    def test_is_no_mark_at_all(self, tmp_path, modules):
        """A cell no check of ours answers for, or that is worth what the check is not, waits for a
        person: no full marks, no zero. The checks around it keep theirs.
        """

        def add_a_cell(notebook):
            own = json.loads(json.dumps(cell(notebook, "test_example")))
            own["metadata"]["nbgrader"] |= {"grade_id": "nobody", "points": 5.0}
            notebook["cells"].append(own | {"id": "nobody", "source": "pass"})
            cell(notebook, "test_keeps_the_dtype")["metadata"]["nbgrader"]["points"] = 0.5

        build(tmp_path, "softmax")
        edit(tmp_path / "source" / "ps1" / "softmax.ipynb", add_a_cell)
        nbgrader(tmp_path, "generate_assignment", "ps1")
        hand_in(tmp_path, "ps1", "perfect", SOFTMAX)
        nbgrader(tmp_path, "autograde", "ps1")
        book = read_gradebook(tmp_path)

        assert book.pop(("perfect", "softmax", "nobody")) == (None, 5.0, True)
        assert book.pop(("perfect", "softmax", "test_keeps_the_dtype")) == (None, 0.5, True)
        assert {row[0] == row[1] and not row[2] for row in book.values()} == {True}
