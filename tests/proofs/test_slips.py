"""Whatever one changes in one place of a solution, its suite rejects it, or says why it is right.

A normal run tries a share of the slips of every other exercise, the same every time;
``--all-slips`` tries all of them.
"""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.slip_trial import Trials
from grader.proof_slips import try_slips

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SHARE = 108  # a normal run tries one in so many


@pytest.fixture(scope="module")
def trials():
    """One child process, in which this one's share of the exercises is tried."""
    with Trials(COURSE) as trials:
        yield trials


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", list(reversed(CATALOG)))  # the longest first
def test_every_slip_is_rejected_or_explained(name, trials, request):
    """What no check rejects is marked as equivalent, with the reason; and every mark is true."""
    every = request.config.getoption("--all-slips")
    if name not in list(CATALOG)[1::2] and not every:
        pytest.skip("left to --all-slips")
    share = 1 if every else SHARE
    found = try_slips(COURSE, CATALOG[name], trials, share)

    assert found.findings == []
