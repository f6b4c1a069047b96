"""Two slips of one page that hide one another: is the page with both what the submission is?

Where a mask is turned round and nothing is divided by sqrt(d), what is wrong with a mask shows
neither slip as it would be alone. But a page can be made with both, and asked the same: if it fails
every check that failed with the same answer, and none that passed, both are found, and nothing else
is wrong.

Where something of them is to be seen alone, a failure that one of them is said to be caught by or
numbers that nothing else is likely to give, the other is sought: first among those that show by
themselves the first failure that it leaves unexplained, or are said to be caught by one of them,
and each tried first where the check takes least time. Few are tried, and which ones depends on no
clock. Unless one of them is known by itself, both must give tensors of numbers that nothing else is
likely to give, in the right shape or not, or many single ones.

Where none does, because all evidence is weak, as sentences and exceptions are, each of the two must
have a part in it: one shows something that it is about, and so does the other in what that leaves,
or it shows or is about all of this. No single one in the bank may show all failures, and no second
pair do so: for where two pairs would explain the same, neither is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, product, zip_longest
from typing import Any

import numpy as np
import torch

from grader.errors import SuiteError
from grader.examiner.case import Case, shows
from grader.examiner.diagnosis import RestsOn
from grader.examiner.evidence import is_anybodys, is_like_none, numbers_of
from grader.programs.bank import Entry, Slip

_FIRST, _GLANCES, _TRIES = 3, 3, 60
_MANY = 6  # single numbers, which two mistakes together do not give by chance


@dataclass(frozen=True, kw_only=True)
class Both(Entry):
    """The page with two slips."""

    one: Slip
    other: Slip

    def applied_to(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        """Raises ``SuiteError`` also where the two are no program together."""
        text = self._text
        try:
            return self.one.page.program(text)
        except Exception as error:  # whatever an import may raise
            raise SuiteError(f"{self.name}: {error}") from error

    def behind(self, case: Case) -> Entry:
        """Which of the two a failure is told as: what shows it alone, or else is said to; before
        the one that was seen first the other, of which there may be no sign but this.
        """
        alone = [entry for entry in (self.one, self.other) if shows(entry, case)]
        about = [entry for entry in (self.other, self.one) if case.check in entry.caught_by]
        return (*alone, *about, self.other)[0]

    @property
    def is_possible(self) -> bool:
        """Whether they are in different places."""
        with suppress(SuiteError):
            return bool(self._text)
        return False

    @cached_property
    def _text(self) -> str:
        """Raises ``SuiteError`` if they are in one place."""
        return self.one.together_with(self.other)


def two_at_once(
    cases: Sequence[Case], bank: Sequence[Entry], calls: RestsOn, *, one_is_known: bool = True
) -> Both | None:
    """The two slips that together explain every failure, and fail nothing else. ``one_is_known``
    says whether part of it is explained by one alone. ``calls`` are the other functions that each
    one of the submission calls.
    """
    failed = [case for case in cases if case.evidence is not None]
    if any(case.evidence and is_like_none(case.evidence) for case in failed):
        return None
    right = sorted((c for c in cases if c.contradicts), key=lambda case: case.seconds)
    strong = [case for case in failed if case.is_strong]
    telling = [case for case in failed if _is_telling(case)]
    if len(strong) >= _MANY:
        telling = telling or strong
    if one_is_known or telling:
        for both in islice(_candidates(failed, bank, telling), _TRIES):
            if _shows_all(both, failed) and _is_free(both, right):
                return both
    if any(case.evidence and is_anybodys(case.evidence) for case in failed):
        return None
    weak = list(islice(_weak_candidates(failed, bank), _TRIES + 1))
    if len(weak) > _TRIES:
        return None
    weak = [both for both in weak if not _is_of_a_caller(both, calls)]
    found = [both for both in weak if _shows_all(both, failed) and _is_free(both, right)]
    return found[0] if len(found) == 1 else None


def _is_of_a_caller(both: Both, calls: RestsOn) -> bool:
    """Whether one is about a function that calls the other's: that is wrong with it, whatever it is
    like itself.
    """
    one, other = both.one.of, both.other.of
    return other in calls.get(one, ()) or one in calls.get(other, ())


def _is_telling(case: Case) -> bool:
    """Whether it is more than one number, which two mistakes together may well give by chance; of a
    wrong shape, whether there are many numbers in it.
    """
    kind, actual = (case.evidence.kind, case.evidence.actual) if case.evidence else ("", None)
    if isinstance(actual, (torch.Tensor, np.ndarray)):
        if kind == "shape":
            return not getattr(actual, "is_meta", False) and _distinct(actual) >= _MANY
        return case.is_strong and math.prod(actual.shape) != 1
    return case.is_strong and isinstance(actual, (tuple, list, dict))


def _distinct(numbers: torch.Tensor | np.ndarray[Any, Any]) -> int:
    """How many different numbers there are, without those that are none."""
    found = torch.as_tensor(numbers).double()
    return len(set(found[found.isfinite()].tolist()))


def _shows_all(both: Both, failed: Sequence[Case]) -> bool:
    """Whether the page with both gives every wrong answer; what one does not explain goes first,
    and is more than infinities, which many second mistakes would give.
    """
    with suppress(SuiteError):
        hidden = _unexplained(both.one, failed)
        if hidden and all(map(_is_of_no_number, hidden)):
            return False
        return all(shows(both, case) for case in (*hidden, *failed))
    return False


def _is_of_no_number(case: Case) -> bool:
    """Whether nothing is finite in an answer of numbers."""
    numbers = numbers_of(case.evidence.actual) if case.evidence else None
    of_numbers = case.evidence is not None and case.evidence.kind in ("numbers", "nan")
    return of_numbers and numbers is not None and not bool(numbers.isfinite().any())


def _is_free(both: Both, right: Sequence[Case]) -> bool:
    return all(case.answer_of(both) is None for case in right)


def _weak_candidates(failed: Sequence[Case], bank: Sequence[Entry]) -> Iterator[Both]:
    """Pairs of which one shows something that it is about, and so does the other of what is left,
    or it shows or is about all of that; none where a single one shows all.
    """
    slips, told = _caught(failed, bank), set()
    left = {slip: _unexplained(slip, failed) for slip in slips if _shows_its_own(slip, failed)}
    if not all(left.values()):
        return
    for one, other in product(left, slips):
        names = frozenset((one.name, other.name))
        if one is not other and names not in told and _may_explain(other, left[one]):
            told.add(names)
            yield Both(name=f"{one.name} and {other.name}", one=one, other=other)


def _shows_its_own(slip: Slip, failed: Sequence[Case]) -> bool:
    return any(case.check in slip.caught_by and shows(slip, case) for case in failed)


def _may_explain(slip: Slip, left: Sequence[Case]) -> bool:
    is_about = all(case.check in slip.caught_by for case in left)
    return is_about or _shows_its_own(slip, left) or all(shows(slip, case) for case in left)


def _caught(failed: Sequence[Case], bank: Sequence[Entry]) -> list[Slip]:
    """Those that fail nothing that they are about and the submission passes."""
    checks = {case.check for case in failed}
    return [e for e in bank if isinstance(e, Slip) and checks.issuperset(e.caught_by)]


def _candidates(
    failed: Sequence[Case], bank: Sequence[Entry], telling: Sequence[Case]
) -> Iterator[Both]:
    """Those of which most is to be seen alone, each with every other, in turn."""
    slips = _caught(failed, bank)
    seen: dict[Slip, int] = {}
    for start in range(min(_GLANCES, len(telling)) or 1):
        seen = {slip: _seen_alone(slip, failed, telling[start : start + 1]) for slip in slips}
        if any(seen.values()):
            break
    most = max(seen.values(), default=0)
    first = [slip for slip in slips if 2 * seen[slip] > most]
    first = sorted(first, key=lambda slip: -seen[slip])[:_FIRST]
    turns = zip_longest(*(_with_others(one, failed, slips) for one in first))
    yield from (both for both in chain.from_iterable(turns) if both is not None)


def _with_others(one: Slip, failed: Sequence[Case], slips: Sequence[Slip]) -> Iterator[Both]:
    left = [case for case in failed if not shows(one, case)]
    checks, first = {case.check for case in left}, next((c for c in left if not c.clocked), None)

    def likely_first(slip: Slip) -> tuple[bool, bool]:
        shown = first is not None and shows(slip, first)
        return not shown, checks.isdisjoint(slip.caught_by)

    for other in sorted((slip for slip in slips if slip is not one), key=likely_first):
        both = Both(name=f"{one.name} and {other.name}", one=one, other=other)
        if both.is_possible:
            yield both


def _seen_alone(slip: Slip, failed: Sequence[Case], telling: Sequence[Case]) -> int:
    """How many failures it shows of those that it is about, and of those that tell most. Where none
    does, it must show one that it is about and that is strong.
    """
    own = [case for case in failed if case.check in slip.caught_by]
    asked = {case.check: case for case in (*own, *telling)}
    shown = [case for case in asked.values() if shows(slip, case)]
    return len(shown) if telling or any(case.is_strong for case in shown) else 0


def _unexplained(slip: Slip, failed: Sequence[Case]) -> list[Case]:
    """What it does not show, the quickest first."""
    return sorted((c for c in failed if not shows(slip, c)), key=lambda case: case.seconds)
