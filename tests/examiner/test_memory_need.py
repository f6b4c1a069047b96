"""How much memory a call needs, of processes whose accounts are made by hand."""

from __future__ import annotations

import time

import pytest

from grader.examiner.memory_need import Need, need_of_gpu, need_of_process, ratios

MIB = 1 << 20


class Process:
    """A process with 100 MiB of its own that once held ``old_peak``; ``forgets`` says whether the
    kernel lets us forget that.
    """

    def __init__(self, *, forgets, old_peak=100 * MIB):
        self.forgets, self.now, self.peak = forgets, 100 * MIB, old_peak

    def forget_peak(self):
        if self.forgets:
            self.peak = self.now
        return self.forgets

    def resident_bytes(self):
        return self.now

    def held_bytes(self):
        return self.now - 30 * MIB  # of libraries

    def peak_bytes(self):
        return self.peak

    def takes(self, size):
        """A call that needs ``size`` and gives it back."""

        def call():
            self.now += size
            self.peak = max(self.peak, self.now)
            time.sleep(0.05)
            self.now -= size

        return call


class TestOfAProcess:
    @pytest.mark.parametrize("old_peak", [100 * MIB, 500 * MIB])
    def test_is_by_how_much_the_peak_rises(self, old_peak):
        """Whatever was needed before the call."""
        process = Process(forgets=True, old_peak=old_peak)
        need = need_of_process(process, process.takes(40 * MIB))

        assert need == Need(40 * MIB, 40 * MIB, held=70 * MIB)

    def test_is_exact_when_an_old_peak_is_passed(self):
        """Then it does not matter that the kernel would not forget it."""
        process = Process(forgets=False, old_peak=110 * MIB)
        need = need_of_process(process, process.takes(40 * MIB))

        assert (need.least, need.most) == (40 * MIB, 40 * MIB)

    def test_is_between_what_was_seen_and_an_old_peak(self):
        """A call that stays below it cannot be told from one that just reaches it."""
        process = Process(forgets=False, old_peak=500 * MIB)
        need = need_of_process(process, process.takes(40 * MIB))

        assert (need.least, need.most) == (40 * MIB, 400 * MIB)


class TestOfAGpu:
    def test_is_what_the_call_takes_and_what_was_held_before_it(self):
        """Of 1000 MiB a worker of 300 leaves 700, and its call 640 of these."""
        free = 700 * MIB

        def call():
            nonlocal free
            free -= 60 * MIB

        assert need_of_gpu(lambda: free, 1000 * MIB, call) == Need(
            60 * MIB, 60 * MIB, 300 * MIB, uncertain=32 * MIB
        )


class TestTheRatio:
    def test_of_equals_is_one(self):
        """They hold the same and need the same."""
        assert ratios(Need(*[40 * MIB] * 3), Need(*[40 * MIB] * 3)) == (1, 1)

    def test_counts_what_is_held_ahead(self):
        """200 MiB held for later are needed as much as 200 MiB taken, less 64 for libraries."""
        mine, theirs = Need(0, 0, 340 * MIB), Need(40 * MIB, 40 * MIB, 140 * MIB)

        assert ratios(mine, theirs) == (136 / 40, 136 / 40)

    def test_forgives_imported_libraries(self):
        """Whoever imports a plotting library needs no more memory for the call."""
        mine, theirs = (Need(40 * MIB, 40 * MIB, held) for held in (200 * MIB, 140 * MIB))

        assert ratios(mine, theirs) == (1, 1)

    def test_is_known_as_far_as_the_need_is(self):
        """At least and at most; the reference is given the benefit of the doubt."""
        mine, theirs = Need(20 * MIB, 80 * MIB, 0), Need(10 * MIB, 40 * MIB, 0)

        assert ratios(mine, theirs) == (0.5, 2)

    def test_is_not_of_less_than_the_accounts_can_tell(self):
        """Nothing at all, of both: neither needs more than the other."""
        assert ratios(Need(0, 0, 0), Need(0, 0, 0)) == (1, 1)

    def test_is_not_of_blocks_that_an_allocator_takes(self):
        """A GPU's: 8 MiB were taken on an H200 for what needs less than the reference's 2."""
        mine, theirs = (Need(n * MIB, n * MIB, 0, uncertain=32 * MIB) for n in (8, 2))

        assert ratios(mine, theirs) == (1, 1)

    def test_is_of_what_is_more_than_blocks(self):
        """All scores of 900 tokens at once with their features, against the scores."""
        mine, theirs = (Need(n * MIB, n * MIB, 0, uncertain=32 * MIB) for n in (207, 8))

        assert min(ratios(mine, theirs)) > 6
