"""pytest finds the checks of a suite, once; what their marks say is on record from then on."""

from __future__ import annotations

import os
import sys
import warnings

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import SuiteError
from grader.examiner.collection import DEFAULT_SECONDS, collected, undisturbed

MARKED = '''
import pytest


@pytest.mark.points(2.5)
@pytest.mark.public
@pytest.mark.timeout(30)
@pytest.mark.per_student
@pytest.mark.kept("it is the rule itself")
def test_marked(compare):
    """The first
    rule.
    """


def test_plain(submission, draw, reference, device):
    """The second rule."""


def test_raced(faster_than):
    """The third rule."""


def helper():
    return 1
'''


@pytest.fixture
def checks(toy):
    """``checks(text)``: those of a suite with this text."""

    def checks(text):
        toy.suite("toy").write_text(text)
        return collected(toy).of(load_catalog(toy)["toy"]).checks

    return checks


class TestMarks:
    def test_become_fields(self, checks):
        """Points, publicity, deadline, whose inputs they are, and why the check is kept."""
        marked, _, _ = checks(MARKED)

        assert (marked.check.max_points, marked.check.public) == (2.5, True)
        assert (marked.seconds, marked.per_student) == (30.0, True)
        assert marked.kept == "it is the rule itself"

    def test_are_not_needed(self, checks):
        """A plain check is worth a point, has the usual deadline, and the same inputs for all."""
        _, plain, _ = checks(MARKED)

        assert (plain.check.max_points, plain.check.public) == (1.0, False)
        assert (plain.seconds, plain.per_student, plain.kept) == (DEFAULT_SECONDS, False, "")

    def test_need_not_say_that_a_check_is_clocked(self, checks):
        """It asks for the race."""
        assert [found.clocked for found in checks(MARKED)] == [False, False, True]

    def test_of_a_whole_suite_hold_for_each_check(self, checks):
        """As everywhere in pytest, what is nearer wins."""
        first, second = checks(
            "import pytest\npytestmark = [pytest.mark.timeout(7), pytest.mark.points(3)]\n\n\n"
            'def test_first(draw):\n    "One."\n\n\n'
            '@pytest.mark.points(1)\ndef test_second(draw):\n    "Two."\n'
        )

        assert [(c.seconds, c.check.max_points) for c in (first, second)] == [(7, 3), (7, 1)]


class TestChecks:
    def test_are_in_the_order_of_the_suite(self, checks):
        """By name, of their exercise, for the CPU; helpers are none."""
        found = [c.check for c in checks(MARKED)]

        assert [c.name for c in found] == ["test_marked", "test_plain", "test_raced"]
        assert {(c.exercise, c.device) for c in found} == {("toy", "cpu")}

    def test_say_their_rule_on_one_line(self, checks):
        """The docstring is the sentence, however it is broken."""
        assert checks(MARKED)[0].check.sentence == "The first rule."

    def test_may_be_parametrized(self, checks):
        """Each is a check of its own, with its parameters and its own marks."""
        one, other = checks(
            "import pytest\n\n\n"
            '@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.points(4))])\n'
            'def test_counts(draw, n):\n    "It counts."\n    assert n == 1, f"{n}"\n'
        )

        assert [c.check.name for c in (one, other)] == ["test_counts[1]", "test_counts[2]"]
        assert [c.check.max_points for c in (one, other)] == [1.0, 4.0]
        assert (one.parameters, other.parameters) == ({"n": 1}, {"n": 2})

    def test_may_be_none(self, checks):
        """An empty suite is a suite."""
        assert checks("import torch\n") == ()


class TestBrokenSuites:
    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (
                'def test_it(compare, tmp_path):\n    "It is."\n',
                r"toy/test_toy\.py::test_it asks for the unknown fixture 'tmp_path'",
            ),
            (
                "def test_it(compare):\n    pass\n",
                r"toy/test_toy\.py::test_it has no docstring: a check must say its rule",
            ),
            ("def test_it(:\n", r"(?s)could not be collected: .*test_toy\.py.*SyntaxError"),
            ("import nothing_like_it\n", r"(?s)could not be collected: .*No module named"),
            ("1 / 0\n", r"(?s)could not be collected: .*ZeroDivisionError"),
        ],
    )
    def test_say_what_is_wrong(self, checks, text, complaint):
        """Which suite, which check, and what it lacks."""
        with pytest.raises(SuiteError, match=complaint):
            checks(text)

    def test_leave_the_others_alone(self, toy, checks):
        """A suite that was put right is collected like any other."""
        with pytest.raises(SuiteError):
            checks("def test_it(:\n")

        assert len(checks(MARKED)) == 3


class TestCollecting:
    def test_is_done_once(self, toy):
        """What was collected is kept, whatever becomes of the file."""
        exercise, suites = load_catalog(toy)["toy"], collected(toy)
        first = suites.of(exercise)
        toy.suite("toy").write_text(MARKED)

        assert suites.of(exercise) is first

    def test_is_done_anew_when_asked_anew(self, toy):
        """An author who edits a suite sees the checks that are there now."""
        exercise = load_catalog(toy)["toy"]
        before = [c.check.name for c in collected(toy, [exercise]).of(exercise).checks]
        toy.suite("toy").write_text(MARKED)
        after = [c.check.name for c in collected(toy, [exercise]).of(exercise).checks]

        assert before == ["test_doubles", "test_leaves_its_input_alone"]
        assert after == ["test_marked", "test_plain", "test_raced"]

    def test_runs_no_check(self, checks, tmp_path):
        """It only finds them."""
        trace = tmp_path / "trace"
        checks(f'def test_it(draw):\n    "It is."\n    open({str(trace)!r}, "w")\n')

        assert not trace.exists()

    def test_reads_no_conftest(self, toy, checks):
        """What serves pytest by hand is not for the house."""
        (toy.suites / "conftest.py").write_text("1 / 0\n")
        (toy.suites / "toy" / "conftest.py").write_text("1 / 0\n")

        assert len(checks(MARKED)) == 3

    def test_heeds_no_options_from_outside(self, checks, monkeypatch):
        """A shell's settings for pytest are not ours; they are there again afterwards."""
        monkeypatch.setenv("PYTEST_ADDOPTS", "-k nothing_at_all")
        monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)

        assert len(checks(MARKED)) == 3
        assert os.environ["PYTEST_ADDOPTS"] == "-k nothing_at_all"
        assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ


SETTINGS = {
    "threads": lambda: torch.get_num_threads(),
    "random numbers": lambda: torch.get_rng_state().tolist(),
    "warnings": lambda: list(warnings.filters),
    "environment": lambda: dict(os.environ),
    "import path": lambda: list(sys.path),
    "folder": lambda: os.getcwd(),
}


class TestUndisturbed:
    @pytest.mark.parametrize("setting", SETTINGS)
    def test_is_whoever_collects(self, checks, setting):
        """Suites seed, warn and set what they like; the caller finds all as it was."""
        threads = torch.get_num_threads()
        torch.set_num_threads(2)
        try:
            before = SETTINGS[setting]()
            checks(f"import torch, warnings\ntorch.manual_seed(1)\ntorch.rand(3)\n{MARKED}")

            assert SETTINGS[setting]() == before
        finally:
            torch.set_num_threads(threads)

    def test_is_whoever_examines(self):
        """Within, there is one thread, and a warning is no error."""
        threads, state = torch.get_num_threads(), torch.get_rng_state()
        torch.set_num_threads(2)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with undisturbed():
                    warnings.warn("odd", stacklevel=1)
                    inside = torch.get_num_threads()
                    torch.rand(3)
                with pytest.raises(UserWarning, match="odd"):
                    warnings.warn("odd", stacklevel=1)

            assert (inside, torch.get_num_threads()) == (1, 2)
            assert torch.get_rng_state().equal(state)
        finally:
            torch.set_num_threads(threads)

    def test_is_whoever_meets_an_error(self):
        """Also then everything is put back."""

        def stumbles():
            with undisturbed():
                return torch.rand(3) / {}

        before = torch.get_rng_state()
        with pytest.raises(TypeError):
            stumbles()

        assert torch.get_rng_state().equal(before)


def test_ends_as_the_program_is_told_to(monkeypatch, capfd):
    """Whoever ends it while pytest collects sees no traceback of pytest's."""

    def ended(*arguments, **named):
        raise SystemExit(130)

    monkeypatch.setattr(pytest.Session, "perform_collect", ended)
    course = find_course()
    with pytest.raises(SystemExit):
        collected(course, [load_catalog(course)["softmax"]])

    assert "Traceback" not in capfd.readouterr().err
