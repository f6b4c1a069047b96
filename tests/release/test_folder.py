"""The folder that students get, and the proof that nothing else is in it."""

from __future__ import annotations

import lzma
import zipfile
import zlib

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.course.released import FORM, read_facts
from grader.course.suite_text import suite_points
from grader.errors import GraderError
from grader.examiner.collection import collected
from grader.examiner.finding import find
from grader.model import Outcome
from grader.pages import page_html
from grader.pictures import has_scene, look, scene_of
from grader.programs.bank import load_bank
from grader.programs.predictions import drawn
from grader.programs.program import LocalProgram
from grader.programs.sealed_answer import judged
from grader.release.folder import Wanted, archive_of, release, with_needs
from grader.release.plain import write_plain
from grader.release.proof import leaks, secret_lines

SECRET = "return x + x  # a line of the solution"
QUOTED = '        "NotImplementedError",\n        "NoSuchNameOfAPage",\n'
SLIP = "x * x + 0 * x + 0"
SCENE = """
import torch
from grader.pictures.panels import Axis, Panel, PanelKind, Scene

def _row(impl, props):
    return impl.double(torch.arange(3.0)[None])

SCENE = Scene("Twice as much.", (Panel("0, 1, 2", PanelKind.NUMBERS, _row, Axis("x"), Axis("")),))
"""


PREDICTIONS = """
from grader.check import Answer, Predictions

predict = Predictions()

@predict(x=range(20, 60))
def doubled(page, x):
    '''What is double({x})?'''
    return Answer(page.double(x), "Twice is x + x.", {x: "That is x itself, once."})
"""

FIGURE = '"""A toy.\n\n[Figure twice: two bars.]\n"""'
DRAWS = """
from grader.figures import Figure

FIGURES = {"twice": lambda: Figure(20)}
"""


@pytest.fixture(scope="module")
def home(toy_in, tmp_path_factory):
    """A course that extends the toy, and says what a check of it is worth."""
    course = toy_in(tmp_path_factory.mktemp("toy"))
    home = Course(tmp_path_factory.mktemp("home"))
    home.catalog.parent.mkdir()
    home.catalog.write_text(
        f'name = "more"\nversion = "2"\nextends = "{course.root}"\n[toy.points]\ntest_doubles = 3\n'
    )
    page = course.solution("toy")
    page.write_text(page.read_text().replace("return x + x", SECRET))
    bank = course.misconceptions("toy").read_text().replace("x * x", SLIP)
    page.write_text(page.read_text().replace('"""A toy."""', FIGURE))
    course.drawings("toy").parent.mkdir()
    course.drawings("toy").write_text(DRAWS)
    course.scene("toy").write_text(SCENE)
    course.predictions("toy").write_text(PREDICTIONS)
    course.misconceptions("toy").write_text(bank.replace("You square.", f"You compute {SLIP}."))
    return home


@pytest.fixture(scope="module")
def folder(home, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "course"
    wanted = Wanted(list(load_catalog(home).values()), "Toys")
    assert [one.checks for one in release(home, wanted, folder)] == [2]
    return folder


class TestAReleasedFolder:
    def test_is_a_course_without_solutions(self, folder):
        """With the same catalog and its points, and a suite that judges."""
        course = Course(folder)
        suite = collected(course).of(load_catalog(course)["toy"])
        right = find(suite, LocalProgram({"double": lambda x: 2 * x}), 1)
        wrong = find(suite, LocalProgram({"double": lambda x: 3 * x}), 1)

        assert course.is_released
        assert not course.solutions.exists()
        assert suite_points(course, "toy") == 4.0
        assert {f.verdict.outcome for f in right} == {Outcome.PASSED}
        assert {f.verdict.outcome for f in wrong} == {Outcome.FAILED}

    def test_has_the_figures_of_its_pages(self, folder):
        """As files, and in what `grader page` shows; not what draws them."""
        page = page_html(Course(folder), load_catalog(Course(folder))["toy"])

        assert [p.name for p in folder.glob("exercises/figures/*")] == ["toy_twice.svg"]
        assert "<title>two bars.</title>" in page
        assert not list(folder.glob("**/figures/*.py"))

    def test_stands_alone(self, folder):
        """It says whose it is, and needs no course that the one at home extends."""
        about = Course(folder).about

        assert (about.shown, about.extends, about.takes) == ("more 2", "", ())

    def test_says_what_it_is(self, folder):
        """In its README and, for the program, in release.toml."""
        facts = read_facts(folder)

        assert facts.checks == {"toy": 2}
        assert facts.at_home == {"toy": 0}
        assert (folder / "README.md").read_text().startswith("# Toys\n")

    def test_draws_what_the_course_draws(self, home, folder):
        """By the course's own scene, and what is right in it is data."""
        course, exercise = Course(folder), load_catalog(home)["toy"]
        right, wrong = (LocalProgram({"double": lambda x, n=n: n * x}) for n in (2, 3))
        (fine,) = look(course, exercise, scene_of(course, "toy"), right)
        (bad,) = look(course, exercise, scene_of(course, "toy"), wrong)

        assert scene_of(course, "toy").lesson == "Twice as much."
        assert fine.expected.tolist() == [[0.0, 2.0, 4.0]]
        assert (fine.differs, bad.differs) == (False, True)

    def test_asks_before_the_code_without_telling_the_answers(self, home, folder):
        """What belongs to an answer is read with it, and not in the folder."""
        (asked,) = drawn(Course(folder), "toy", 3)
        x = int(asked.question.partition("(")[2].partition(")")[0])
        right, wrong = judged(asked, str(2 * x)), judged(asked, str(x))
        kept = Course(folder).predictions("toy").read_text()

        assert asked == drawn(home, "toy", 3)[0]
        assert (right.right, right.says) == (True, "Twice is x + x.")
        assert (wrong.right, wrong.says) == (False, "That is x itself, once.")
        assert "What is double" in kept
        assert "Twice" not in kept
        assert "itself" not in kept

    def test_has_an_archive_beside_it(self, folder):
        """Of the same files, in a folder of the same name."""
        with zipfile.ZipFile(archive_of(folder)) as archive:
            names = set(archive.namelist())

        assert {"course/release.toml", "course/exercises/toy.py"} <= names
        assert "course/practice/toy.sealed" in names

    def test_is_brought_up_to_date_without_trying_again(self, home, folder):
        """What has not changed is kept, and a page that was worked on as well."""
        page = folder / "exercises" / "toy.py"
        page.write_text("mine")
        wanted = Wanted(list(load_catalog(home).values()), "Toys")
        (again,) = release(home, wanted, folder)

        assert again.practice == b""
        assert page.read_text() == "mine"

    def test_is_made_anew_after_another_version(self, home, folder):
        """Which wrote it in a form that cannot be read."""
        facts = folder / "release.toml"
        facts.write_text(facts.read_text().replace(f"form = {FORM}\n", ""))
        (again,) = release(home, Wanted(list(load_catalog(home).values()), "Toys"), folder)

        assert again.practice != b""
        assert read_facts(folder).checks == {"toy": 2}

    def test_goes_into_no_other_folder(self, home, tmp_path):
        """Files of somebody's stay."""
        (tmp_path / "thesis.txt").write_text("mine")
        wanted = Wanted(list(load_catalog(home).values()), "Toys")

        with pytest.raises(GraderError, match="holds other files"):
            next(release(home, wanted, tmp_path))

    def test_draws_no_more_what_the_course_does_not(self, home, folder):
        """It follows the course's scene, of which its practice is made as well."""
        home.scene("toy").unlink()
        home.extended.predictions("toy").unlink()
        (again,) = release(home, Wanted(list(load_catalog(home).values()), "Toys"), folder)

        assert again.practice != b""
        assert not has_scene(Course(folder), "toy")
        assert drawn(Course(folder), "toy", 3) == []


def test_what_would_leak_is_said_before_anything_is_tried(home, tmp_path):
    """It takes most of an hour to try a course, and nothing is begun."""
    scene, line = home.extended.scene("toy"), f"_LINE = {SECRET!r}\n"
    scene.write_text(line + SCENE)
    before = release(home, Wanted(list(load_catalog(home).values()), "Toys"), tmp_path / "new")
    with pytest.raises(GraderError, match=r"scenes/toy\.py holds"):
        next(before)
    scene.write_text(SCENE)

    assert not (tmp_path / "new").exists()


def test_nothing_that_this_course_gives_away_as_it_stands_holds_a_secret(tmp_path):
    """Pages, figures, scenes, questions and the finale of all exercises."""
    course = find_course()
    banks = [load_bank(course.misconceptions(n), course.solution(n)) for n in load_catalog(course)]
    write_plain(course, list(load_catalog(course)), tmp_path)

    assert leaks(course, tmp_path, [entry.sentence for bank in banks for entry in bank]) == []


class TestTheProof:
    def test_finds_nothing_in_what_is_released(self, home, folder):
        """Neither in pages nor in what is packed: a sentence may say what is wrong in code."""
        assert leaks(home, folder) == []

    @pytest.mark.parametrize("pack", [bytes, zlib.compress, lzma.compress])
    def test_finds_a_line_of_a_solution(self, home, folder, pack):
        """Whatever the file is called, plain or packed."""
        path = folder / "practice" / "notes.bin"
        path.write_bytes(pack(f"x\n    {SECRET}\n".encode()))
        found = leaks(home, folder)
        path.unlink()

        assert [line for line in found if "practice/notes.bin" in line] == found
        assert len(found) == 1

    def test_knows_what_a_page_prints(self, home, folder):
        """Also where a suite has it in quotes, on a line of its own."""
        suite = home.suite("toy")
        before = suite.read_text()
        suite.write_text(f"{before}\n\ndef named():\n    return [\n{QUOTED}    ]\n")
        secret = secret_lines(home, folder)
        suite.write_text(before)

        assert '"NotImplementedError",' not in secret
        assert '"NoSuchNameOfAPage",' in secret


def test_what_an_exercise_needs_comes_with_it(course):
    """Capstones are built on earlier pages."""
    catalog = load_catalog(course)
    names = [e.name for e in with_needs(catalog, [catalog["attention"]])]

    assert {"softmax", "attention"} <= set(names)
    assert names == [name for name in catalog if name in names]
