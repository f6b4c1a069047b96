"""What a check draws until it fits is found with every seed: nobody loses points by a draw."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.model import Outcome
from grader.programs.program import LocalProgram

COURSE = find_course()
RAREST = "test_does_not_end_too_soon"  # one table in 110 fits one of its rules


@pytest.mark.parametrize("seed", [19, 78])
def test_a_rare_table_is_found(seed):
    """With 500 tables to choose from, none was as it must be with these seeds."""
    suite = collected(COURSE).of(load_catalog(COURSE)["beam_search"])
    (verdict,) = examine(suite, LocalProgram(suite.reference), seed, only=[RAREST])

    assert verdict.outcome is Outcome.PASSED
