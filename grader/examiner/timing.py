"""What the clocks say of a race: how many times the reference's time a submission takes.

Inputs and answers must be brought across, and that takes as long for a good program as for a bad
one. So every turn has a third window: the reference's worker receives the same inputs and answers
what it has answered before, and computes nothing. It is subtracted from both sides, and what is
compared is the computation. A submission can cheapen its own transport by no more than all of it;
where that is less than the computation, k times the work is still over a limit of k - 1.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.model import Cause, Measured
from grader.programs.failure import CheckFailed, Evidence

_CLEARLY_UNDER, _CLEARLY_OVER = 0.8, 3.0  # of the limit: so far no noise reaches
_FAR_UNDER = 2 / 3  # of the limit, by a few turns together
_HOPELESS = 10.0
_WALL_SHARE = 0.75
_SUSPICIOUS = 0.2  # of the reference's time: less than a better program explains
_LEAST_SHARE = 0.25  # of a window: a remainder smaller than that is mostly noise


@dataclass(frozen=True)
class Window:
    """What calls took, in seconds: by the wall clock, and of the processor's time."""

    wall: float
    cpu: float

    @property
    def in_a_row(self) -> float:
        """What they would have taken one after another: threads side by side save nothing."""
        return max(self.wall, self.cpu)


@dataclass(frozen=True)
class Turn:
    """The same inputs three times: the submission's calls, the reference's, and the transport."""

    mine: Window
    theirs: Window
    transport: Window

    @property
    def computing_share(self) -> float:
        """How much of the reference's window is computation."""
        return 1 - self.transport.cpu / self.theirs.cpu


Clock = Callable[[Window], float]
Typical = Callable[[Sequence[float]], float]


def measured(turns: Sequence[Turn], limit: float) -> Measured:
    """The ratio by the processor's time, and between which ratios half of the turns lie."""
    ratio = _cpu_ratio(turns)
    low, _, high = _quartiles(
        [_net_ratio(t.mine.cpu, t.theirs.cpu, t.transport.cpu) for t in turns]
    )
    surely = max(ratio, _cpu_ratio(turns, quartile=0))
    return Measured("time", ratio, low, high, limit, suspicious=surely < _SUSPICIOUS)


def is_over(turns: Sequence[Turn], limit: float) -> bool:
    """Both clocks must say so; the wall clock, which others' work disturbs, need not say it all."""
    return _cpu_ratio(turns) > limit and _wall_ratio(turns) > _WALL_SHARE * limit


def is_far_over(turns: Sequence[Turn], limit: float) -> bool:
    """Whether no repeat could find anything else."""
    return is_over(turns, _CLEARLY_OVER * limit)


def is_hopeless(turns: Sequence[Turn], limit: float) -> bool:
    """Whether already the first calls say it all, every one, by the clocks that favour it most: a
    Python loop over all pairs of tokens may take seconds, and ten such calls the check's time.
    """
    least = min(_net_ratio(t.mine.cpu, t.theirs.wall, t.transport.cpu) for t in turns)
    return least > _HOPELESS * limit


def is_far_under(turns: Sequence[Turn], limit: float) -> bool:
    """Whether turns say together that it is fast enough by far, every single one that it is fast
    enough, and none that it is suspiciously fast.
    """
    single = [_net_ratio(t.mine.cpu, t.theirs.cpu, t.transport.cpu) for t in turns]
    together = _ratio(turns, lambda window: window.cpu, sum)
    known = min(single) >= _SUSPICIOUS and max(single) < limit
    return known and together < _FAR_UNDER * limit


def is_clear(turns: Sequence[Turn], limit: float) -> bool:
    """Whether more calls would change nothing: the ratios of medians and of quartiles agree."""
    under = max(_cpu_ratio(turns), _cpu_ratio(turns, quartile=0)) < _CLEARLY_UNDER * limit
    return under or is_far_over(turns, limit)


def over(measured: Measured, kind: str, evidence: Evidence | None = None) -> CheckFailed:
    """What is raised of a submission that is over the limit."""
    ratio, limit = measured.ratio, measured.limit
    facts = {"about": ratio, "ratio": ratio, "limit": limit}
    facts |= {"low": measured.low, "high": measured.high}
    return CheckFailed(Cause(kind, facts), evidence)


def _cpu_ratio(turns: Sequence[Turn], quartile: int = 1) -> float:
    """Of the medians: what else runs hardly disturbs the kernel's account, rarely it is late."""
    return _ratio(turns, lambda window: window.cpu, lambda times: _quartiles(times)[quartile])


def _wall_ratio(turns: Sequence[Turn]) -> float:
    """Of the second shortest: whatever else runs can only lengthen a call."""
    return _ratio(turns, lambda window: window.in_a_row, lambda times: sorted(times)[1])


def _ratio(turns: Sequence[Turn], clock: Clock, typical: Typical) -> float:
    sides = zip(*((clock(t.mine), clock(t.theirs), clock(t.transport)) for t in turns), strict=True)
    return _net_ratio(*map(typical, sides))


def _net_ratio(mine: float, theirs: float, transport: float) -> float:
    return max(mine - transport, 0.0) / max(theirs - transport, _LEAST_SHARE * theirs)


def _quartiles(values: Sequence[float]) -> list[float]:
    return statistics.quantiles(values, n=4)
