"""What the clocks say of a race, of windows made by hand."""

from __future__ import annotations

import pytest

from grader.examiner.timing import (
    Turn,
    Window,
    is_clear,
    is_far_under,
    is_hopeless,
    is_over,
    measured,
)

COMPUTES, CARRIES = 0.004, 0.003  # seconds


def both(seconds):
    """A window in which nothing but work went by."""
    return Window(seconds, seconds)


def turns(mine, theirs=None, transport=None):
    """Ten turns that differ by a per cent or two."""
    theirs = theirs or both(COMPUTES + CARRIES)
    windows = [mine, theirs, transport or both(CARRIES)]
    noise = [1 + 0.002 * step for step in range(10)]
    return [Turn(*(Window(w.wall * n, w.cpu * n) for w in windows)) for n in noise]


class TestTheRatio:
    @pytest.mark.parametrize("carries", [0.0001, 0.003, 0.008])
    @pytest.mark.parametrize("times", [1, 2, 4])
    def test_is_of_the_computation(self, times, carries):
        """However much or little must be carried: k times the work has a ratio of k."""
        mine, theirs = (both(k * COMPUTES + carries) for k in (times, 1))
        found = measured(turns(mine, theirs, both(carries)), 3)

        assert found.ratio == pytest.approx(times)
        assert found.low == pytest.approx(times)
        assert found.high == pytest.approx(times)

    def test_is_never_of_a_remainder_that_is_mostly_noise(self):
        """Where a call is nearly all transport, a per cent of that more is no tenfold work."""
        mine, theirs, transport = both(0.0103), both(0.0101), both(0.0100)

        assert measured(turns(mine, theirs, transport), 3).ratio < 0.5

    def test_of_an_answer_without_work_is_nothing_and_suspicious(self):
        """It may even be carried faster than the reference's."""
        found = measured(turns(both(0.9 * CARRIES)), 3)

        assert found.ratio == 0
        assert found.suspicious

    def test_of_an_equal_is_not_suspicious(self):
        """Nor of a program that is twice as good."""
        assert not measured(turns(both(COMPUTES + CARRIES)), 3).suspicious
        assert not measured(turns(both(COMPUTES / 2 + CARRIES)), 3).suspicious


class TestOverTheLimit:
    def test_is_what_both_clocks_say(self):
        """Twice the work is over a limit of 1.5."""
        found = turns(both(2 * COMPUTES + CARRIES))

        assert is_over(found, 1.5)
        assert not is_over(found, 3)

    def test_is_nobody_who_was_kept_waiting(self):
        """Somebody else's work made the wall clock late; no processor time was used."""
        assert not is_over(turns(Window(0.1, COMPUTES + CARRIES)), 1.5)

    def test_is_not_escaped_by_threads(self):
        """Two cores halve what the wall clock shows, and not the work."""
        work = 4 * COMPUTES + CARRIES

        assert is_over(turns(Window(work / 4, work)), 3)


class TestTheFirstCalls:
    def test_say_it_all_of_a_loop_in_python(self):
        """A hundred times the work needs no further calls."""
        assert is_hopeless(turns(both(100 * COMPUTES + CARRIES))[:2], 3)

    def test_do_not_decide_otherwise(self):
        """A first call that prepares something, or anything near the limit."""
        first, second = both(1.0), both(COMPUTES + CARRIES)

        assert not is_hopeless([turns(first)[0], turns(second)[0]], 3)
        assert not is_hopeless(turns(both(12 * COMPUTES + CARRIES))[:2], 3)


class TestAFewCalls:
    @pytest.mark.parametrize(("times", "enough"), [(1, True), (1.9, True), (2.1, False)])
    def test_are_enough_for_two_thirds_of_the_limit(self, times, enough):
        """Whoever is that far under it needs no more of them."""
        assert is_far_under(turns(both(times * COMPUTES + CARRIES))[:3], 3) is enough

    @pytest.mark.parametrize(("times", "enough"), [(2, True), (2.9, False), (3.1, False)])
    def test_count_together(self, times, enough):
        """One that was disturbed is no reason to make more; one over the limit is, however fast the
        others are.
        """
        slow, equal = (turns(both(times * COMPUTES + CARRIES)) for times in (times, 1.2))

        assert is_far_under([equal[0], slow[1]], 3) is enough
        assert is_far_under([*equal[:8], slow[8]], 3) is (times < 3)

    def test_are_not_for_an_answer_without_work(self):
        """What is suspicious is looked at as long as ever."""
        assert not is_far_under(turns(both(0.9 * CARRIES))[:3], 3)


class TestMoreCalls:
    @pytest.mark.parametrize(("times", "clear"), [(1, True), (2.9, False), (4, False), (40, True)])
    def test_are_made_where_the_first_leave_it_open(self, times, clear):
        """Near the limit they decide; far from it they would change nothing."""
        assert is_clear(turns(both(times * COMPUTES + CARRIES)), 3) is clear
