"""Whether a known mistake that fails a check just so goes on just so.

A check mostly compares several calls, and ends with the first that differs. Two mistakes may well
give the same there, and differ in the next: what the one is told would be false of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.examiner.case import Case
from grader.programs.bank import Entry


def refuted_behind(cases: Sequence[Case], named: Sequence[Entry | None]) -> set[str]:
    """The keys of those that are ``named`` in a case, and behind the failure fail what is right
    there, or pass what is wrong and fails with none of all that are named. Where both fail, each in
    its own way, one mistake may have been written in two.
    """
    entries = list({entry.key: entry for entry in named if entry}.values())
    return {
        entry.key
        for case, entry in zip(cases, named, strict=True)
        if entry and case.behind and _is_refuted(case, entry, entries)
    }


def _is_refuted(case: Case, entry: Entry, named: Sequence[Entry]) -> bool:
    assert case.behind is not None
    its = case.behind.of(entry)
    for step in case.behind.seen.keys() & its.keys():
        is_wrong = case.behind.seen[step] is not None
        if not is_wrong and its[step] is not None:
            return True
        if is_wrong and not any(case.behind.of(one).get(step) for one in named):
            return True
    return False
