"""Whether a known mistake that fails a check just so goes on just so.

A check mostly compares several calls, and ends with the first that differs. Two mistakes may well
give the same there, and differ in the next: what the one is told would be false of the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from grader.examiner.case import Behind, Case, Seen
from grader.examiner.evidence import same_evidence
from grader.programs.bank import Entry
from grader.programs.failure import Evidence

_MOST = 3  # checks that are gone on with, for a known mistake, or to tell several apart


def outdone(cases: Iterable[tuple[Case, Sequence[Entry]]]) -> set[str]:
    """The keys of those that show the failure in a case beside others, and behind it do not go on
    as the submission, while one of the others does.
    """
    found, tried = set[str](), 0
    for case, entries in cases:
        if len(entries) < 2 or case.behind is None or tried == _MOST:
            continue
        if not (seen := case.behind.seen()):
            continue
        tried += 1
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
    """The keys of those that are ``named`` in a case, and behind the failure fail what is right
    there, or pass what is wrong and fails with none of all that are named. Where both fail, each in
    its own way, one mistake may have been written in two.
    """
    entries = {entry.key: entry for entry in named if entry}
    return {
        key
        for key, entry in entries.items()
        if _is_refuted(entry, _behind(cases, named, key), entries.values())
    }


def _behind(
    cases: Sequence[Case], named: Sequence[Entry | None], key: str
) -> list[tuple[Seen, Behind]]:
    """What comes behind the failures of one that is named: of the first that go on at all."""
    found: list[tuple[Seen, Behind]] = []
    for case, entry in zip(cases, named, strict=True):
        if entry and entry.key == key and case.behind and len(found) < _MOST:
            seen = case.behind.seen()
            found += [(seen, case.behind)] if seen else []
    return found


def _is_refuted(
    entry: Entry, found: Sequence[tuple[Seen, Behind]], named: Collection[Entry]
) -> bool:
    for seen, behind in found:
        its = behind.of(entry)
        for step in sorted(seen.keys() & its.keys()):
            if seen[step] is None and its[step] is not None:
                return True
            if seen[step] is not None and not any(behind.of(one).get(step) for one in named):
                return True
    return False
