"""The proofs that what is asked before the code can be asked, of every learner."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.programs.predictions import drawn, prove_predictions

COURSE = find_course()
CATALOG = load_catalog(COURSE)


@pytest.mark.parametrize("name", CATALOG)
def test_every_page_asks_before_it_is_written(name):
    """Three to five questions, which end with a question mark or say how to answer."""
    questions = [asked.question for asked in drawn(COURSE, name, 1)]

    assert 3 <= len(questions) <= 5
    assert len(set(questions)) == len(questions)
    assert all("?" in question for question in questions)
    assert prove_predictions(COURSE, name, numbers=5) == []
