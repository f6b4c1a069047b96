"""The core of an exercise alone is judged as the core of the whole of it is."""

from __future__ import annotations

from functools import partial

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.core_alone import has_the_core_alone
from grader.examiner.examination import examine
from grader.model import ExerciseReport
from grader.programs.program import LocalProgram
from grader.report.parts import has_the_core

SEED = 7
COURSE = find_course()


@pytest.fixture(scope="module")
def suites():
    """By name, all that there are."""
    return collected(COURSE)


@pytest.mark.parametrize("name", ["softmax"])
def test_says_what_the_whole_says(suites, name):
    """Of some misconceptions, of which some leave the core as it is, and of the reference."""
    suite = suites.of(load_catalog(COURSE)[name])
    programs = [suite.reference]
    programs += [partial(entry.applied_to, suite.reference) for entry in suite.misconceptions[::3]]
    whole, alone = [], []
    for names in programs:
        found = examine(suite, LocalProgram(names), SEED, diagnosed=False, advised=False)
        whole.append(has_the_core(ExerciseReport(name, tuple(found))))
        alone.append(has_the_core_alone(suite, LocalProgram(names), SEED))

    assert alone == whole
    assert alone[0]
    assert 2 <= sum(alone) < len(alone)
