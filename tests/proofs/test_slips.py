"""Whatever one changes in one place of a solution, its suite rejects it, or says why it is right.

A normal run tries a share of the slips, the same every time; ``--all-slips`` tries all of them.
"""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.slip_trial import Trials
from grader.proof_slips import try_slips

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SHARE = 162  # a normal run tries one in so many


@pytest.fixture(scope="module")
def trials():
    """One child process, in which this one's share of the exercises is tried."""
    with Trials(COURSE) as trials:
        yield trials


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", list(reversed(CATALOG)))  # the longest first
def test_every_slip_is_rejected_or_explained(name, trials, request):
    """What no check rejects is marked as equivalent, with the reason; and every mark is true."""
    share = 1 if request.config.getoption("--all-slips") else SHARE
    found = try_slips(COURSE, CATALOG[name], trials, share)

    assert found.findings == []
