"""What is read back as a report may be anything."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ReportError
from grader.model import Check, Conditions, ExerciseReport, Outcome, Report, Verdict
from grader.report.record import from_json, to_json

VERDICT = Verdict(Check("softmax", "test_it", "It is."), Outcome.PASSED)
REPORT = Report(
    "ann",
    "ann",
    "now",
    Conditions(7, "full", (), ("cpu",), {}),
    (ExerciseReport("softmax", (VERDICT,)),),
)
FORM = to_json(REPORT)

words = st.text(max_size=10)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


def test_whole_it_is_read():
    """Otherwise the rest would show nothing."""
    assert from_json(FORM) == REPORT


@given(st.sampled_from(sorted(FORM)), anything)
def test_with_anything_in_a_field_it_is_read_or_is_no_report(key, value):
    """There is no third way."""
    with contextlib.suppress(ReportError):
        from_json(FORM | {key: value})
