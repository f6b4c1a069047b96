"""How hard checks are, and how well they tell those who can from those who cannot."""

from __future__ import annotations

import statistics

import pytest

from grader.exports.item_analysis import FEWEST, items
from grader.model import Cause, Outcome

WON, LOST = Outcome.PASSED, Outcome.FAILED


@pytest.fixture
def a_class(report, verdict):
    """``a_class([row, ...])``: a submission for each row, in which it is said what passed; the
    checks are worth 1, 2, 3 ... points.
    """

    def a_class(rows):
        return [
            report(f"s{n}", softmax=[
                verdict(WON if won else LOST, points, f"test_{points}")
                for points, won in enumerate(row, start=1)
            ])
            for n, row in enumerate(rows)
        ]  # fmt: skip

    return a_class


class TestDifficulty:
    def test_is_the_share_that_passes(self, a_class):
        """Check by check."""
        found = items(a_class([(1, 0), (1, 0), (1, 1), (0, 0)]))

        assert [(item.passed, item.asked, item.difficulty) for item in found] == [
            (3, 4, 0.75), (1, 4, 0.25),
        ]  # fmt: skip

    def test_counts_how_it_went(self, report, verdict):
        """A check that most answer with a timeout is another finding than one they fail."""
        kinds = [LOST, Outcome.TIMEOUT, Outcome.TIMEOUT]
        (item,) = items([report(str(n), softmax=[verdict(k)]) for n, k in enumerate(kinds)])

        assert item.outcomes == {"failed": 1, "timeout": 2}

    def test_leaves_out_who_has_no_verdict_and_no_module(self, report, verdict):
        """Neither says anything about the check."""
        absent = verdict(Outcome.ERROR, cause=Cause("absent", {"module": "softmax"}))
        kinds = [verdict(), verdict(Outcome.INTERNAL), verdict(Outcome.SKIPPED), absent]
        (item,) = items([report(str(n), softmax=[kind]) for n, kind in enumerate(kinds)])

        assert (item.passed, item.asked) == (1, 1)


class TestDiscrimination:
    def test_is_the_correlation_with_all_other_checks(self, a_class):
        """By hand: the mean product of deviations, over the product of standard deviations."""
        rows = [(n % 2, n % 3 == 0, n > 4) for n in range(12)]
        (first, *_) = items(a_class(rows))
        x = [float(row[0]) for row in rows]
        rest = [2.0 * row[1] + 3.0 * row[2] for row in rows]
        mx, mr = statistics.fmean(x), statistics.fmean(rest)
        cov = statistics.fmean((a - mx) * (b - mr) for a, b in zip(x, rest, strict=True))

        assert first.discrimination == pytest.approx(
            cov / (statistics.pstdev(x) * statistics.pstdev(rest))
        )

    def test_is_one_where_the_same_pass_both(self, a_class):
        """And minus one where exactly the others do, which is a poor check."""
        same = items(a_class([(n % 2, n % 2) for n in range(FEWEST)]))
        other = items(a_class([(n % 2, 1 - n % 2) for n in range(FEWEST)]))

        assert [item.discrimination for item in same] == pytest.approx([1, 1])
        assert [item.discrimination for item in other] == pytest.approx([-1, -1])
        assert [item.is_poor for item in same + other] == [False, False, True, True]

    def test_does_not_count_the_check_itself(self, a_class):
        """A check that has nothing to do with the other one would agree with a total it is in."""
        rows = [(a, b) for a in (0, 1) for b in (0, 1)] * 3

        assert [item.discrimination for item in items(a_class(rows))] == pytest.approx([0, 0])

    @pytest.mark.parametrize(
        "rows", [[(n % 2, n % 2) for n in range(FEWEST - 1)], [(1, 1)] * 20, [(1, 0)] * 20]
    )
    def test_is_not_said_without_grounds(self, a_class, rows):
        """Of few, and where all did alike."""
        assert {item.discrimination for item in items(a_class(rows))} == {None}


def test_devices_are_items_of_their_own(report, verdict):
    """The same check may be passed on one and not on the other."""
    one, other = verdict(), verdict(LOST)
    object.__setattr__(other.check, "device", "cuda")

    assert [(i.device, i.passed) for i in items([report(softmax=[one, other])])] == [
        ("cpu", 1), ("cuda", 0),
    ]  # fmt: skip
