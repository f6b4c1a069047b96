"""What an assignment says nothing about is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grader.course.assignment import Amount, Assignment, LateRule
from grader.runs.remarks import remarks_on

DUE = datetime(2026, 11, 20, 22, 59, tzinfo=UTC)
LATE = LateRule(Amount(10, is_percent=True))


@pytest.fixture
def ann(report, verdict):
    one = report("ann", student="Ann Lee", softmax=[verdict()])
    return replace(one, student_id="4711", handed_in="2026-11-20T00:00:00Z")


def said(*reports, **fields):
    return list(remarks_on(reports, Assignment("One", ("softmax",), due=DUE, **fields)))


class TestTimes:
    def test_that_are_not_known_are_counted(self, ann):
        """Where they would cost something; who is said to be late is told by name elsewhere."""
        unknown = replace(ann, handed_in="")
        late = replace(unknown, late=True)

        assert [line[:48] for line in said(ann, unknown, late, late=LATE)] == [
            "the late rule says nothing about 1 of 3 submissi"
        ]
        assert said(ann, late=LATE) == said(unknown) == []


class TestExtensions:
    @pytest.mark.parametrize("name", ["4711", "Ann  lee", "ANN"])
    def test_of_somebody_are_as_they_should_be(self, ann, name):
        """By id, by name, or by the submission's."""
        assert said(ann, extensions={name: DUE}) == []

    def test_of_nobody_are_told(self, ann):
        """Perhaps it is a slip, and costs somebody marks."""
        assert "'An Lee' is nobody's here" in said(ann, extensions={"An Lee": DUE})[0]

    def test_of_several_are_told(self, ann):
        """An id would be one's alone."""
        other = replace(ann, submission="ann 2", student_id="4712")
        (line,) = said(ann, other, extensions={"Ann Lee": DUE})

        assert "is that of ann and ann 2" in line
