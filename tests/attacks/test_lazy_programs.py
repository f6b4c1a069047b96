"""A function that does not do its work earns nothing by it.

Every function of every page, and every public method of its classes, is replaced by each of the
``TRICKS`` in turn; all else stays right. Then no check passes that asked the replaced function for
something and was given something else, but for the few below. Clocked checks are left out: they
compare answers while they measure, and have tests of their own.

There are some ten thousand runs. A normal run takes a share of them: of every other exercise, and
there of two functions one or the other tries a trick, in one check; ``--all-lazy`` tries each trick
in each check.
"""

from __future__ import annotations

import inspect
from fnmatch import fnmatch
from pathlib import Path

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.model import Outcome
from grader.programs.page import load_by_path

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SEED = 7
A_SHARE = set(sorted(CATALOG)[::2]) - {"write_the_tests", "circuits"}  # these take longest
CLOCKED = {"faster_than", "leaner_than"}
lazy = load_by_path(Path(__file__).with_name("lazy.py"))

# (exercise, check, tricks): why a check passes all the same. A star stands for any.
RIGHT_ALL_THE_SAME = {
    ("dropout", "test_p_one_drops_everything", "zeros, detached"): "zeros are the right answer, "
    "and a tensor without a graph has the gradient 0 that is asked for",
    ("dropout", "test_the_number_of_dropped_elements_varies", "stale, the first"): "that a mask "
    "comes again is another check's subject, and costs its point there",
    ("dropout", "test_a_generator_leaves_the_global_one_alone", "the first"): "that a mask comes "
    "again is another check's subject, and costs its point there",
    ("multi_head_attention", "test_layer_under_autocast", "float64"): "in which dtype an "
    "answer comes under autocast is left open",
    (
        "multi_head_attention",
        "test_wrapper_in_other_places",
        "random",
    ): "whether it works in another dtype is asked there, and what it computes in others",
    ("optimizer", "test_goes_on_from_a_state", "float64"): "in which dtype a state holds what it "
    "holds is left open",
    ("optimizer", "test_goes_on_with_the_options", "float64, float16"): "the same",
    ("optimizer", "test_state_of_some", "float64"): "the same",
    ("training", "test_learns_to_copy", "zeros, ones, random, stale, the first"): "what the model "
    "writes is judged, and never a loss; that train_step returns a wrong one costs its points in "
    "other checks",
    ("clinic", "test_symptom_of_*", "ones, random, float64, float16"): "any input that shows the "
    "fault is right, in whatever dtype it comes",
    ("hand_weights", "*", "float16"): "weights are judged by what the model does with them: the "
    "same numbers in fewer bits are as good",
}


@pytest.fixture(autouse=True)
def _the_next_worker_is_healthy():
    """These programs are ours and run here: no worker takes part."""


@pytest.fixture(scope="module")
def suite_of():
    """The suite of an exercise, collected once."""
    suites = collected(COURSE)
    return lambda name: suites.of(CATALOG[name])


@pytest.mark.parametrize("name", sorted(CATALOG))
class TestALazyProgram:
    """The reference with one function that answers without doing its work."""

    def test_earns_nothing_by_it(self, suite_of, name, pytestconfig):
        """Whoever is given something else than asked for notices; and it is no failure of ours."""
        every = pytestconfig.getoption("--all-lazy")
        if name not in A_SHARE and not every:
            pytest.skip("left to --all-lazy")
        runs = list(lazy_runs(suite_of(name), every=every))
        earned = [run for run, outcome, idle in runs if idle and outcome is Outcome.PASSED]
        internal = [run for run, outcome, _ in runs if outcome is Outcome.INTERNAL]

        assert len(runs) >= len(lazy.TRICKS) // 2
        assert [run for run in earned if not is_excused(name, *run)] == []
        assert internal == []


def lazy_runs(suite, *, every):
    """(target, check, trick), the outcome, and whether the check was given something else than it
    had asked for. But for ``every``, the checks that ask a function share the tricks among them,
    and two functions after one another share them: each trick is tried in one check.
    """
    for number, (target, checks) in enumerate(asking(suite).items()):
        step = 1 if every else 2 * min(len(checks), len(lazy.TRICKS))
        for row, check in enumerate(checks):
            for trick in list(lazy.TRICKS)[(2 * row + number) % step :: step]:
                program = lazy.LazyProgram(suite.reference, target, lazy.TRICKS[trick])
                outcome = verdict_on(suite, program, check).outcome
                yield (target, check, trick), outcome, program.seen.lazy


def asking(suite):
    """Of every target the checks that ask it for something; all of them pass when it does its work.
    The targets are looked at together, so that each check is made once.
    """
    found = {target: [] for target in lazy.targets_of(suite.reference, suite.exercise.names)}
    looked_at = lazy.LookedAt(suite.reference, found)
    for collected_check in suite.checks:
        if CLOCKED & inspect.signature(collected_check.function).parameters.keys():
            continue
        name = collected_check.check.name
        assert verdict_on(suite, looked_at, name).outcome is Outcome.PASSED, name
        for target in looked_at.asked:
            found[target].append(name)
    return found


def verdict_on(suite, program, check):
    (verdict,) = examine(suite, program, SEED, only=[check], diagnosed=False, advised=False)
    return verdict


def is_excused(exercise, target, check, trick):
    return any(
        exercise == where and fnmatch(check, which) and trick in tricks.split(", ")
        for where, which, tricks in RIGHT_ALL_THE_SAME
    )


def test_every_excuse_is_needed(suite_of, pytestconfig):
    """A check that no longer passes a lazy answer needs no exception."""
    if not pytestconfig.getoption("--all-lazy"):
        pytest.skip("left to --all-lazy")
    unneeded = [key for key in RIGHT_ALL_THE_SAME if not all(passes(suite_of, *key))]

    assert unneeded == []


def passes(suite_of, exercise, pattern, tricks):
    """For each trick, whether some check and function of the exercise lets it pass."""
    suite = suite_of(exercise)
    targets = list(lazy.targets_of(suite.reference, CATALOG[exercise].names))
    names = [c.check.name for c in suite.checks if fnmatch(c.check.name, pattern)]
    for trick in tricks.split(", "):
        programs = [lazy.LazyProgram(suite.reference, t, lazy.TRICKS[trick]) for t in targets]
        yield any(
            verdict_on(suite, program, check).outcome is Outcome.PASSED and program.seen.lazy
            for program in programs
            for check in names
        )
