"""A misconception is named in a worker as it is here: one that draws at random draws the same, and
one that has a single thing under many names keeps the same of what it is given.
"""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.model import Submission
from grader.programs.program import SubmissionProgram
from grader.proof import SEED
from grader.proof_names import unclocked

COURSE = find_course()
CATALOG = load_catalog(COURSE)
DRAWN = {
    "drops_in_evaluation": "dropout",
    "one_coin_for_everything": "dropout",
    "evaluates_in_train_mode": "training",
    "writes_in_train_mode": "sampling",
    "same_random_number_for_all_rows": "sampling",
    "a_tenth_always": "encoder",
    "fresh_weights": "encoder",
    "one_layer_many_times": "encoder",
}


@pytest.mark.parametrize("name", DRAWN)
def test_is_named_in_a_worker(name, sandbox):
    """Its numbers are other ones with every run, and the same in both."""
    exercise = DRAWN[name]
    suite = collected(COURSE, [CATALOG[exercise]]).of(CATALOG[exercise])
    (entry,) = (entry for entry in suite.misconceptions if entry.name == name)
    texts = dict(COURSE.solution_texts) | {exercise: entry.text}
    program = SubmissionProgram(Submission(name, name, texts), sandbox)
    found = examine(suite, program, SEED, only=unclocked(suite), advised=False)
    program.close()

    assert {verdict.misconception for verdict in found} - {None} == {name}
