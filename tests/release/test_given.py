"""A check that asks what the stub gives stays at home."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.check_run import case_of
from grader.examiner.collection import collected
from grader.release.explored import recorded
from grader.release.recorder import Unrecordable

COURSE = find_course()


def test_it_is_not_recorded():
    """How much was changed, and whether an input shows a fault, cannot be told by numbers."""
    suite = collected(COURSE).of(load_catalog(COURSE)["clinic"])
    asking = [one for one in suite.checks if "given" in one.asks_for]

    assert len(asking) == 11
    for one in asking:
        with pytest.raises(Unrecordable, match="what the stub gives"):
            recorded(case_of(suite, one, 1, "cpu", ""), suite.reference)
