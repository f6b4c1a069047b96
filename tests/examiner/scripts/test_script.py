"""A script fails beside what was handed in and passes beside the solution, without this package."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.course.catalog import load_catalog
from grader.examiner.collection import collected
from grader.examiner.scripts.script import script_of
from grader.model import Cause, Outcome
from grader.programs.page import load_by_path

SAMPLES = {
    "no_scaling": ("attention", "test_divides_by_sqrt_of_key_width test_boolean_mask"),
    "wrong_axis": ("softmax", "test_normalises_the_axis_asked_for"),
    "wrong_types": ("softmax", "test_example"),
    "missing_function": ("softmax", "test_logsumexp_along_any_axis"),
    "mask_after_softmax": ("masks", "test_weights_of_allowed_keys"),
}
SLIPS = ("softmax", "attention_by_hand", "layer_norm", "multi_head_attention", "optimizer")
MOST = 5  # slips of an exercise


@pytest.fixture(scope="module")
def suites(course):
    names = {*(exercise for exercise, _ in SAMPLES.values()), *SLIPS}
    return collected(course, [one for name, one in load_catalog(course).items() if name in names])


def written(failures, folder, pages):
    """Their scripts, in a folder with what was handed in."""
    folder.mkdir()
    for name, text in pages.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    paths = []
    for case, verdict in failures:
        paths.append(folder / f"explain_{len(paths)}.py")
        paths[-1].write_text(script_of(case, verdict).text, encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def programs(course, suites):
    """Wrong programs: a suite, the text, its names, and checks that it fails."""
    catalog, found = suites.catalog, []
    for name, (exercise, checks) in SAMPLES.items():
        path = course.root / "tests" / "submissions" / name / f"{exercise}.py"
        names = vars(load_by_path(path))
        found.append((suites.of(catalog[exercise]), path.read_text(), names, checks.split()))
    for exercise in SLIPS:
        suite = suites.of(catalog[exercise])
        slips = [entry for entry in suite.misconceptions if hasattr(entry, "text")]
        for slip in slips[:: max(1, len(slips) // MOST)][:MOST]:
            names, checks = slip.applied_to(suite.reference), slip.caught_by[:1]
            found.append((suite, slip.text, names, checks))
    return found


def test_fails_beside_a_wrong_program_alone(programs, course, failures_of, run_plainly, tmp_path):
    """Whatever of functions, layers, gradients and repeated calls was wrong: what was handed in
    stops it, and the solution does not.
    """
    jobs, kinds = [], set()
    for number, (suite, text, names, checks) in enumerate(programs):
        failures = [one for one in failures_of(suite, names, checks) if "step" in facts(one)]
        kinds |= {verdict.cause.kind for _, verdict in failures}
        pages = {**course.solution_texts, suite.exercise.name: text}
        for path in written(failures, tmp_path / str(number), pages):
            jobs += [(path, path.parent), (path, course.solutions)]
    results = run_plainly(jobs)
    silent = [path for (path, _), said in zip(jobs[::2], results[::2], strict=True) if not said]

    assert silent == []
    assert set(results[1::2]) == {""}
    assert len(jobs) > 30
    assert {"numbers", "kind", "undefined"} <= kinds


def facts(failure):
    return failure[1].cause.facts


TOY_CHECKS = '''
from grader.check import refuses

def test_doubles(compare, draw):
    """Every number is doubled."""
    x = draw.normal(70)
    compare(lambda impl: impl.double(x), wrt=[x])

def test_asserts(submission, draw):
    """It is twice as much."""
    x = draw.normal(3)
    assert submission.double(x).equal(2 * x), "not twice as much"

def test_refuses(submission):
    """A text is refused."""
    refuses(lambda: submission.double("a"), "a text")
'''
TOY_PAGE = '''
def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    if isinstance(x, str):
        raise TypeError("a number is needed")
    return x + x
    # END SOLUTION
'''


@pytest.fixture
def toy_script(suite_of, failures_of, run_plainly, tmp_path):
    """``toy_script(text)``: the script for the one check that this program fails, and what comes of
    it beside the program and beside the solution.
    """
    suite = suite_of(TOY_CHECKS, TOY_PAGE, "from grader.check import Bank\n")

    def toy_script(text):
        names = {}
        exec(text, names)
        ((case, verdict),) = failures_of(suite, names)
        (path,) = written([(case, verdict)], tmp_path / "handed_in", {"toy": text})
        beside = suite.course.solutions
        return path.read_text(), *run_plainly([(path, path.parent), (path, beside)])

    return toy_script


RIGHT = "    if isinstance(x, str):\n        raise TypeError('a number')\n"


class TestWhatItIs:
    def test_one_comparison(self, toy_script):
        """With its tolerance; large inputs are packed, and small enough to be sent in a mail."""
        many = "def double(x):\n" + RIGHT + "    return x + x if len(x) < 9 else x\n"
        text, wrong, right = toy_script(many)

        assert "This is the comparison in which it failed" in text
        assert "packed(torch.float32, (70,)," in text
        assert len(text) < 6000
        assert "70 of 70 values differ" in wrong
        assert right == ""

    def test_a_gradient(self, toy_script):
        """Under the cotangent that was drawn, of the input it was asked for."""
        free = "def double(x):\n" + RIGHT + "    return x + x.detach() if len(x) > 9 else x + x\n"
        text, wrong, right = toy_script(free)

        assert "the gradient for x" in wrong
        assert ".requires_grad_()" in text
        assert right == ""

    def test_a_property(self, toy_script):
        """The check's own words stand above its calls, which are held against the reference's."""
        few = "def double(x):\n" + RIGHT + "    return x + x if len(x) > 9 else x\n"
        text, wrong, right = toy_script(few)

        assert "# \n" not in text
        assert '#     assert submission.double(x).equal(2 * x), "not twice as much"' in text
        assert "3 of 3 values differ" in wrong
        assert right == ""

    def test_a_refusal(self, toy_script):
        """What must be refused and is not."""
        text, wrong, right = toy_script("def double(x):\n    return x + x\n")

        assert "accepted, with the answer 'aa'" in wrong
        assert right == ""

    def test_what_hangs(self, suite_of, failures_of):
        """Is stopped after the check's own time, with the line that it is at."""
        suite = suite_of(TOY_CHECKS, TOY_PAGE, "from grader.check import Bank\n")
        (case, verdict), *_ = failures_of(suite, {"double": lambda x: x})
        text = script_of(case, replace(verdict, outcome=Outcome.TIMEOUT)).text

        assert "faulthandler.dump_traceback_later(5, exit=True)" in text

    def test_what_no_script_can_show(self, suite_of, failures_of):
        """Time and memory: that is said at its top."""
        suite = suite_of(TOY_CHECKS, TOY_PAGE, "from grader.check import Bank\n")
        (case, verdict), *_ = failures_of(suite, {"double": lambda x: x})
        text = script_of(case, replace(verdict, cause=Cause("slow"))).text

        assert "# What failed is time, and a script cannot show that" in text
