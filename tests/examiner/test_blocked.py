"""A capstone assembles the submission's own modules: the first wrong one is named."""

from __future__ import annotations

import sys

import pytest

from grader.course.catalog import load_catalog, select
from grader.examiner.collection import collected
from grader.model import Outcome, Submission
from grader.pipeline import grade_all
from grader.proof import examine_programs
from grader.report.feedback import words_of

ENTRY = """
[tower]
title = "A tower"
source = "nowhere"
needs = ["toy"]
hints = ["Twice twice."]
"""
CAPSTONE = {
    "solutions/tower.py": '''\
"""A tower."""

from toy import double


def quadruple(x):
    """Four times ``x``."""
    # BEGIN SOLUTION
    return double(double(x))
    # END SOLUTION
''',
    "grader/suites/tower/test_tower.py": '''\
import pytest


def test_quadruples(compare, draw):
    """Every number is taken four times."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.quadruple(x), wrt=[x])


@pytest.mark.per_student
def test_says_what_was_drawn(submission, reference, draw):
    """The number drawn is the student's own."""
    x = draw.normal(1)
    wrong = submission.quadruple(x) - reference.quadruple(x)
    assert wrong.abs() < 1e-6, f"drawn {float(x):.6f}"
''',
    "grader/suites/tower/misconceptions.py": """\
from toy import double

from grader.check import Bank
from grader.report.feedback import words_of

wrong = Bank()


@wrong.instead_of("quadruple", "quadruples")
def once(x):
    \"\"\"You double once.\"\"\"
    return double(x)
""",
}
RIGHT_TOY = "def double(x):\n    return x + x\n"
WRONG_TOY = "def double(x):\n    return x * 3\n"
RIGHT_TOWER = "from toy import double\n\n\ndef quadruple(x):\n    return double(double(x))\n"
WRONG_TOWER = "from toy import double\n\n\ndef quadruple(x):\n    return double(x) + 1\n"
ONCE = "import toy\n\n\ndef quadruple(x):\n    return toy.double(x)\n"
STUB = "from toy import double\n\n\ndef quadruple(x):\n    raise NotImplementedError('tower')\n"
WITHOUT = "def quadruple(x):\n    return 5 * x\n"
MORE = '''

def test_{name}(compare, draw):
    """Something else."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.{name}(x))
'''


@pytest.fixture
def course(toy):
    """``toy``, and ``tower`` which is built on it."""
    with toy.catalog.open("a") as catalog:
        catalog.write(ENTRY)
    for name, text in CAPSTONE.items():
        (toy.root / name).parent.mkdir(parents=True, exist_ok=True)
        (toy.root / name).write_text(text)
    return toy


@pytest.fixture
def graded(course, sandbox):
    """``graded({"toy": text, ...}, only)`` gives the verdicts by exercise and check."""

    def graded(files, *only, students=("ada",), seed=7):
        submissions = [Submission(student, student, files) for student in students]
        chosen = select(load_catalog(course), only)
        reports = grade_all(course, chosen, submissions, sandbox, seed=seed)
        found = [{v.check.name: v for e in r.exercises for v in e.verdicts} for r in reports]
        return found if len(found) > 1 else found[0]

    return graded


def one_more(course, exercise, name, value):
    """Give an exercise one more function of x, with a check of its own."""
    for path, text in (
        (course.suite(exercise), MORE.format(name=name)),
        (course.solution(exercise), f"\n\ndef {name}(x):\n    return {value}\n"),
    ):
        path.write_text(path.read_text() + text)


def test_what_does_not_use_the_wrong_module_is_not_blocked_by_it(course, graded):
    """A function of the page that stands by itself has its own mistakes."""
    one_more(course, "tower", "thrice", "3 * x")
    text = f"{RIGHT_TOWER}\n\ndef thrice(x):\n    return 4 * x\n"
    found = graded({"toy": WRONG_TOY, "tower": text}, "tower")

    assert found["test_quadruples"].outcome is Outcome.BLOCKED
    assert found["test_thrice"].outcome is Outcome.FAILED


def test_the_reference_and_its_misconceptions_find_each_other(course):
    """A solution imports its neighbour by bare name, and so does a bank; both leave no trace."""
    before = sys.modules.get("toy")
    suite = collected(course).of(load_catalog(course)["tower"])
    once = suite.misconceptions[0].applied_to(suite.reference)
    verdicts = examine_programs(suite, {"reference": suite.reference, "once": once})

    assert [v.outcome for v in verdicts["reference"]] == [Outcome.PASSED, Outcome.PASSED]
    assert verdicts["once"][0].misconception == "once"
    assert sys.modules.get("toy") is before


def test_own_modules_are_assembled(graded):
    """Right modules, rightly assembled, earn everything."""
    verdicts = graded({"toy": RIGHT_TOY, "tower": RIGHT_TOWER})

    assert {v.outcome for v in verdicts.values()} == {Outcome.PASSED}


@pytest.mark.parametrize("tower", [RIGHT_TOWER, WRONG_TOWER])
@pytest.mark.parametrize("only", [(), ("tower",)])
def test_a_wrong_own_module_blocks_the_assembly(graded, tower, only):
    """Whether or not the module was asked for: it is named, with what to do first."""
    verdicts = graded({"toy": WRONG_TOY, "tower": tower}, *only)

    words = words_of(verdicts["test_quadruples"])
    assert verdicts["test_quadruples"].outcome is Outcome.BLOCKED
    assert "your `toy`, which fails 2 of its 2 checks" in words.rationale
    assert words.help == "Mend toy first."
    assert ("test_doubles" in verdicts) is not only


def test_what_is_not_used_is_not_to_blame(course, graded):
    """That a module is half written is no reason why a function of it, which is right, raises."""
    one_more(course, "toy", "later", "x")
    toy = f"{RIGHT_TOY}\n\ndef later(x):\n    raise NotImplementedError('toy')\n"
    tower = RIGHT_TOWER.replace("double(double(x))", "double(None)")
    found = graded({"toy": toy, "tower": tower}, "tower")["test_quadruples"]

    assert found.outcome is Outcome.ERROR
    assert "hands your `toy` something that it cannot use" in words_of(found).rationale


@pytest.mark.parametrize("line", ["double(x) + [][0]", "double(x) + x[:, :2]"])
def test_an_exception_of_its_own_is_its_own(graded, line):
    """Where the other module is right in its core, what else is wrong with it is no reason."""
    tower = RIGHT_TOWER.replace("double(double(x))", line)
    found = graded({"toy": WRONG_TOY, "tower": tower})

    assert found["test_quadruples"].outcome is Outcome.ERROR


def test_a_wrong_assembly_of_right_modules_fails(graded):
    """Nothing blocks it."""
    verdicts = graded({"toy": RIGHT_TOY, "tower": WRONG_TOWER})

    assert verdicts["test_quadruples"].outcome is Outcome.FAILED


def test_what_lies_in_the_assembly_itself_is_said_so(graded):
    """A recognised misconception and an unwritten stub are its own, however wrong the module."""
    named = graded({"toy": "def double(x):\n    return 2 * x + 0 * x.sum()\n", "tower": ONCE})
    unwritten = graded({"toy": WRONG_TOY, "tower": STUB})

    assert named["test_quadruples"].misconception == "once"
    assert named["test_quadruples"].outcome is Outcome.FAILED
    assert unwritten["test_quadruples"].outcome is Outcome.FAILED
    assert "Not written yet" in words_of(unwritten["test_quadruples"]).rationale


@pytest.mark.parametrize("core", [True, False])
def test_a_module_wrong_in_its_core_may_give_what_a_misconception_gives(course, graded, core):
    """Whose mistake it is cannot be told then: with the module mended, the name comes back. One
    that is wrong in rigour only does not change what was recognised."""
    suite = course.suite("toy")
    mark = "@pytest.mark.core\n" if core else ""
    suite.write_text(f"import pytest\n\n\n{mark}{suite.read_text()}")
    found = graded({"toy": "def double(x):\n    return x * 2**0.5\n", "tower": RIGHT_TOWER})

    verdict = found["test_quadruples"]
    assert verdict.outcome is (Outcome.BLOCKED if core else Outcome.FAILED)
    assert verdict.misconception == (None if core else "once")


def test_what_is_not_written_gives_no_wrong_value(course, graded):
    """A stub that the assembly never calls excuses nobody."""
    one_more(course, "toy", "thrice", "3 * x")
    unwritten = "\n\ndef thrice(x):\n    raise NotImplementedError('thrice')\n"
    found = graded({"toy": RIGHT_TOY + unwritten, "tower": WRONG_TOWER})

    assert found["test_quadruples"].outcome is Outcome.FAILED


def test_an_assembly_that_does_not_use_the_module_is_judged_alone(graded):
    """A wrong neighbour excuses nobody."""
    verdicts = graded({"toy": WRONG_TOY, "tower": WITHOUT})

    assert verdicts["test_quadruples"].outcome is Outcome.FAILED


def test_draws_of_ones_own(graded):
    """A check marked per_student draws something else for everybody, and the same again."""
    files = {"toy": RIGHT_TOY, "tower": WITHOUT}
    ada, bob = graded(files, students=("ada", "bob"))
    again = graded(files)
    said = [words_of(found["test_says_what_was_drawn"]).rationale for found in (ada, bob, again)]

    assert said[0].startswith("drawn")
    assert said[0] != said[1]
    assert said[0] == said[2]
