"""Two runs on one class: whose marks moved, and because of which checks."""

from __future__ import annotations

from dataclasses import replace

from grader.exports.moves import moves
from grader.model import Outcome


class TestMarks:
    def test_that_moved_stand_with_their_checks(self, report, verdict):
        """Before, now, and what every check said; who stayed is counted alone."""
        before = [
            report("ann", softmax=[verdict(), verdict(Outcome.FAILED, 2.0, "test_b")]),
            report("ben", softmax=[verdict(), verdict(name="test_b")]),
        ]
        after = [report("ann", softmax=[verdict(), verdict(points=2.0, name="test_b")]), before[1]]
        found = moves(before, after)
        (mark,) = found.marks
        (check,) = mark.checks

        assert found.compared == 2
        assert (mark.submission, mark.before, mark.after, mark.after_max) == ("ann", 1, 3, 3)
        assert (check.name, check.before, check.after) == ("test_b", "failed", "passed")
        assert check.worth == (2.0, 2.0)

    def test_that_are_not_there_are_no_zero(self, report, verdict):
        """And a check that is new is told as that."""
        before = [report("ann", softmax=[verdict()])]
        after = [report("ann", softmax=[verdict(Outcome.INTERNAL), verdict(name="test_new")])]
        (mark,) = moves(before, after).marks

        assert (mark.before, mark.after) == (1, None)
        assert [(one.before, one.after) for one in mark.checks] == [
            ("passed", "no verdict"), ("not there", "passed"),
        ]  # fmt: skip


def test_checks_are_counted(report, verdict):
    """The one that moved most marks comes first."""
    names = ("ann", "ben", "eve")
    before = [report(n, softmax=[verdict(), verdict(name="test_b")]) for n in names]
    lost = [verdict(Outcome.FAILED), verdict(name="test_b")]
    both = [verdict(Outcome.FAILED), verdict(Outcome.FAILED, name="test_b")]
    after = [report(n, softmax=lost if n == "ann" else both) for n in names]

    assert [(check.name, count) for check, count in moves(before, after).checks] == [
        ("test_it", 3), ("test_b", 2),
    ]  # fmt: skip


class TestWhoIsWhom:
    def test_is_told_by_the_platforms_id(self, report, verdict):
        """A name that was mended is no other student."""
        before = [replace(report("Jose", softmax=[verdict()]), student_id="7")]
        after = [replace(report("José", softmax=[verdict(Outcome.FAILED)]), student_id="7")]
        found = moves(before, after)

        assert [mark.submission for mark in found.marks] == ["José"]
        assert (found.only_before, found.only_after) == ((), ())

    def test_namesakes_with_other_ids_are_others(self, report, verdict):
        """And who is in one run alone is named."""
        before = [replace(report("Wei", softmax=[verdict()]), student_id="7"), report("old")]
        after = [replace(report("Wei", softmax=[verdict()]), student_id="8"), report("new")]
        found = moves(before, after)

        assert found.compared == 0
        assert (found.only_before, found.only_after) == (("Wei", "old"), ("Wei", "new"))
