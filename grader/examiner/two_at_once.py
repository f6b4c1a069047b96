"""Two slips of one page that hide one another: is the page with both what the submission is?

Where a mask is turned round and nothing is divided by sqrt(d), what is wrong with a mask shows
neither slip as it would be alone. But a page can be made with both, and asked the same: if it fails
every check that failed with the same answer, and none that passed, both are found, and nothing else
is wrong.

Where one of them is known by itself, with numbers that nothing else is likely to give, the other is
sought, first among those that are said to be caught by what the first leaves unexplained; each is
tried first where the check takes least time, and few are tried.

Where none is, because all evidence is weak, as sentences, shapes and exceptions are, or where the
one that is known finds no second, each failure must be shown by one of the two alone, no single one
in the bank may show all of them, and no second pair do so: for where two pairs would explain the
same, neither is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import Any

from grader.errors import SuiteError
from grader.examiner.diagnosis import Case, shows
from grader.examiner.evidence import is_like_none
from grader.programs.bank import Entry, Slip

_FIRST, _TRIES = 2, 48


@dataclass(frozen=True, kw_only=True)
class Both(Entry):
    """The page with two slips."""

    one: Slip
    other: Slip

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        return self.one.page.program(self._text)

    def behind(self, case: Case) -> Entry:
        """Which of the two a failure is told as: what shows it alone, or else is said to."""
        pair = (self.one, self.other)
        alone = [entry for entry in pair if shows(entry, case)]
        about = [entry for entry in pair if case.check in entry.caught_by]
        return (*alone, *about, self.one)[0]

    @cached_property
    def _text(self) -> str:
        """Raises ``SuiteError`` if they are in one place."""
        return self.one.together_with(self.other)


def two_at_once(
    cases: Sequence[Case], bank: Sequence[Entry], *, one_is_known: bool = True
) -> Both | None:
    """The two slips that together explain every failure, and fail nothing else. ``one_is_known``
    says whether part of it is explained by one alone.
    """
    failed = [case for case in cases if case.evidence is not None]
    if any(case.evidence and is_like_none(case.evidence) for case in failed):
        return None
    right = sorted((c for c in cases if c.contradicts), key=lambda case: case.seconds)
    for both in _candidates(failed, bank) if one_is_known else ():
        if _shows_all(both, failed):
            return both if _is_free(both, right) else None
    weak = list(islice(_weak_candidates(failed, bank), _TRIES + 1))
    if len(weak) > _TRIES:
        return None
    found = [both for both in weak if _shows_all(both, failed) and _is_free(both, right)]
    return found[0] if len(found) == 1 else None


def _shows_all(both: Both, failed: Sequence[Case]) -> bool:
    """Whether the page with both gives every wrong answer; what one does not explain goes first."""
    with suppress(SuiteError):
        hidden = _unexplained(both.one, failed)
        return all(shows(both, case) for case in (*hidden, *failed))
    return False


def _is_free(both: Both, right: Sequence[Case]) -> bool:
    return all(case.answer_of(both) is None for case in right)


def _weak_candidates(failed: Sequence[Case], bank: Sequence[Entry]) -> Iterator[Both]:
    """Pairs of which one or the other shows each failure; none where a single one shows all."""
    seen = {slip: _shown_alone(slip, failed) for slip in _caught(failed, bank)}
    if any(len(shown) == len(failed) for shown in seen.values()):
        return
    for one, other in combinations(seen, 2):
        if len(seen[one] | seen[other]) == len(failed):
            yield Both(name=f"{one.name} and {other.name}", one=one, other=other)


def _shown_alone(slip: Slip, failed: Sequence[Case]) -> frozenset[int]:
    """The failures that it shows, if it shows one that it is about."""
    if not any(case.check in slip.caught_by and shows(slip, case) for case in failed):
        return frozenset()
    return frozenset(n for n, case in enumerate(failed) if shows(slip, case))


def _caught(failed: Sequence[Case], bank: Sequence[Entry]) -> list[Slip]:
    """Those that fail nothing that they are about and the submission passes."""
    checks = {case.check for case in failed}
    return [e for e in bank if isinstance(e, Slip) and checks.issuperset(e.caught_by)]


def _candidates(failed: Sequence[Case], bank: Sequence[Entry]) -> Iterator[Both]:
    slips = _caught(failed, bank)
    shown = {slip.name: _shown(slip, failed) for slip in slips}
    seen = sorted((s for s in slips if shown[s.name]), key=lambda s: -shown[s.name])[:_FIRST]
    left = {one: {case.check for case in _unexplained(one, failed)} for one in seen}
    pairs = [(one, other) for one in seen for other in slips if other is not one]
    pairs.sort(key=lambda pair: left[pair[0]].isdisjoint(pair[1].caught_by))
    for one, other in pairs[:_TRIES]:
        yield Both(name=f"{one.name} and {other.name}", one=one, other=other)


def _shown(slip: Slip, failed: Sequence[Case]) -> int:
    """How many of the failures it is about it shows, if one of them is strong."""
    own = [case for case in failed if case.check in slip.caught_by and shows(slip, case)]
    return len(own) if any(case.is_strong for case in own) else 0


def _unexplained(slip: Slip, failed: Sequence[Case]) -> list[Case]:
    """What it does not show, the quickest first."""
    return sorted((c for c in failed if not shows(slip, c)), key=lambda case: case.seconds)
