"""Reports and their texts -> which submissions are nearly the same: evidence, never a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.exports.kept import Kept
from grader.model import Report
from grader.similarity.compared import PUBLISHED, Compared, Group, Pair, compared
from grader.similarity.side_by_side import Line, side

MOST_SHOWN = 30  # pairs whose lines stand on the page; a person reads no more of them


@dataclass(frozen=True)
class Near:
    """A pair in a module. ``lines`` are those of either side that hold what is shared; of our own
    solution nothing is ever shown.
    """

    module: str
    pair: Pair
    lines: tuple[tuple[Line, ...], tuple[Line, ...]] = ((), ())


@dataclass(frozen=True)
class Together:
    """A group, and in which modules it is the same one."""

    group: Group
    modules: tuple[str, ...]


@dataclass(frozen=True)
class Similar:
    """``too_small`` counts, by module, who has too little of their own to be compared. Of ``cut``
    only the beginning of a module is compared, and the text of ``unread`` is not there.
    """

    near: tuple[Near, ...] = ()
    left_out: int = 0
    groups: tuple[Together, ...] = ()
    too_small: dict[str, int] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    with_solutions: bool = True


def similar(reports: Sequence[Report], kept: Kept) -> Similar | None:
    """None where the run kept no texts."""
    if not kept.is_there:
        return None
    unread: dict[str, None] = {}
    found = {
        module: compared(_texts(reports, module, kept, unread), kept.given(module))
        for module in _modules(reports)
    }
    near = [Near(module, pair) for module, one in found.items() for pair in one.pairs]
    near.sort(key=lambda one: one.pair.nearness, reverse=True)
    by_name = {report.submission: report for report in reports}
    shown = [_with_lines(one, by_name, kept) for one in near[:MOST_SHOWN]]
    return Similar(
        (*shown, *near[MOST_SHOWN:]),
        sum(one.left_out for one in found.values()),
        tuple(_together(found)),
        {module: one.too_small for module, one in found.items() if one.too_small},
        tuple(f"{name}: {module}" for module, one in found.items() for name in one.cut),
        tuple(unread),
        kept.course is not None,
    )


def _modules(reports: Sequence[Report]) -> list[str]:
    """The exercises in their order, and what else was handed in."""
    exercises = [exercise.name for report in reports for exercise in report.exercises]
    handed_in = dict.fromkeys(module for report in reports for module in report.digests)
    names = dict.fromkeys([*exercises, *handed_in])
    return [name for name in names if name in handed_in]


def _texts(
    reports: Sequence[Report], module: str, kept: Kept, unread: dict[str, None]
) -> Iterator[tuple[str, str]]:
    """One at a time; whose is not there is noted in ``unread``."""
    for report in reports:
        text = kept.text(report, module)
        if text is not None:
            yield report.submission, text
        elif module in report.digests:
            unread[report.submission] = None


def _with_lines(near: Near, by_name: dict[str, Report], kept: Kept) -> Near:
    given, pair = kept.given(near.module), near.pair
    left = kept.text(by_name[pair.left], near.module) or ""
    if pair.right == PUBLISHED:
        return Near(near.module, pair, (side(left, given.published, given.stub), ()))
    right = kept.text(by_name[pair.right], near.module) or ""
    sides = side(left, right, given.stub), side(right, left, given.stub)
    return Near(near.module, pair, sides)


def _together(found: dict[str, Compared]) -> list[Together]:
    """Those in most modules first, then the largest."""
    modules: dict[Group, list[str]] = {}
    for module, one in found.items():
        for group in one.groups:
            modules.setdefault(group, []).append(module)
    groups = [Together(group, tuple(names)) for group, names in modules.items()]
    return sorted(groups, key=lambda one: (-len(one.modules), -len(one.group.submissions)))
