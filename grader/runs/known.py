"""Who of a download is whom in a run: a student handed in alone may be called otherwise than within
the class, and must neither be there twice nor take another's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.collect.names import clean_name, folded
from grader.model import Report, Submission

_SEVERAL = 2  # of one name and another id: a namesake is rare, two at once are not to be expected


def known_as(submissions: Sequence[Submission], reports: Sequence[Report]) -> Iterator[Submission]:
    """The submissions, in order, under the names that their students have in this run."""
    names = _names(submissions, reports)
    taken = {folded(name) for name in names.values()} | {folded(one.submission) for one in reports}
    for submission in submissions:
        name = names.get(submission.name) or _free(submission, taken)
        taken.add(folded(name))
        yield replace(submission, name=name)


def _names(submissions: Sequence[Submission], reports: Sequence[Report]) -> dict[str, str]:
    """Whoever has the platform's id of a report is its student; then, whoever has its name."""
    by_id = {report.student_id: report for report in reports if report.student_id}
    found = {one.name: by_id[one.student_id] for one in submissions if one.student_id in by_id}
    owned = {report.submission for report in found.values()}
    left = [one for one in submissions if one.name not in found]
    by_name = {folded(one.submission): one for one in reports if one.submission not in owned}
    found |= _by_name(left, by_name)
    return {name: report.submission for name, report in found.items()}


def _by_name(submissions: Sequence[Submission], reports: Mapping[str, Report]) -> dict[str, Report]:
    """Not who has another id, unless all have: then the ids are another platform's or a roster's,
    and say nothing.
    """
    pairs = [(one, reports[folded(one.name)]) for one in submissions if folded(one.name) in reports]
    others = [(one, found) for one, found in pairs if _differ(one.student_id, found.student_id)]
    strangers = [] if len(pairs) == len(others) >= _SEVERAL else [one.name for one, _ in others]
    return {one.name: found for one, found in pairs if one.name not in strangers}


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other


def _free(submission: Submission, taken: set[str]) -> str:
    name, number = submission.name, 1
    if folded(name) in taken and submission.student_id:
        name = f"{name} {clean_name(submission.student_id)}"
    first = name
    while folded(name) in taken:
        number += 1
        name = f"{first} {number}"
    return name
