"""Whether a known mistake that fails a check just so goes on just so.

A check mostly compares several calls, and ends with the first that differs. Two mistakes may well
give the same there, and differ in the next: what the one is told would be false of the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from grader.examiner.case import Behind, Case, Seen
from grader.examiner.evidence import same_evidence
from grader.programs.bank import Entry
from grader.programs.failure import Evidence

FEW = 2  # failures: who shows more of them just so is hardly alike by accident


def outdone(cases: Iterable[tuple[Case, Sequence[Entry]]]) -> set[str]:
    """The keys of those that show the failure in a case beside others, and behind it do not go on
    as the submission, while one of the others does.
    """
    found = set[str]()
    for case, entries in cases:
        if len(entries) < 2 or case.behind is None or not (seen := case.behind.seen()):
            continue
        others = {entry.key for entry in entries if not _goes_on(seen, case.behind.of(entry))}
        found |= others if len(others) < len(entries) else set()
    return found


def _goes_on(seen: Seen, its: Seen) -> bool:
    return seen.keys() == its.keys() and all(map(_are_like, seen.values(), its.values()))


def _are_like(one: Evidence | None, other: Evidence | None) -> bool:
    if one is None or other is None:
        return one is other
    return same_evidence(one, other)


def refuted_behind(cases: Sequence[Case], named: Sequence[Entry | None]) -> set[str]:
    """The keys of those that are ``named`` in few cases, and behind the failure fail what is right
    there, or pass what is wrong and fails with none of all that are named. Where both fail, each in
    its own way, one mistake may have been written in two.
    """
    entries = {entry.key: entry for entry in named if entry}
    times = Counter(entry.key for entry in named if entry)
    return {
        entry.key
        for case, entry in zip(cases, named, strict=True)
        if entry and case.behind and times[entry.key] <= FEW
        if _is_refuted(entry, case.behind, entries.values())
    }


def _is_refuted(entry: Entry, behind: Behind, named: Collection[Entry]) -> bool:
    seen = behind.seen()
    its = behind.of(entry) if seen else {}
    for step in sorted(seen.keys() & its.keys()):
        if seen[step] is None and its[step] is not None:
            return True
        if seen[step] is not None and not any(behind.of(one).get(step) for one in named):
            return True
    return False
