"""Checks of one toy suite, and how they become data."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.examiner.check_run import case_of
from grader.examiner.collection import undisturbed
from grader.release.explored import recorded
from grader.release.trial import tried

SEED = 5


@pytest.fixture
def recording_of(suite_of):
    """``recording_of(check)``: what the only check of a suite asks, as data."""

    def recording_of(checks, page=None, others=()):
        suite = suite_of(checks, page)
        with undisturbed():
            case = case_of(suite, suite.checks[0], SEED, "cpu", "")
            return recorded(case, suite.reference, others)

    return recording_of


@pytest.fixture
def trial_of(toy):
    """``trial_of()``: the toy's suite, tried with its bank and these right programs."""

    def trial_of(variants=(), **options):
        return tried(toy, load_catalog(toy)["toy"], variants, SEED, **options)

    return trial_of
