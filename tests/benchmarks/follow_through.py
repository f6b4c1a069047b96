"""What do known mistakes cost, alone and two at once?

    python tests/benchmarks/follow_through.py                       # thirty pairs of each exercise
    python tests/benchmarks/follow_through.py softmax --pairs 100 --table /tmp/costs.csv

Of every exercise: what its misconceptions cost, strictly and with follow-through; of how many pages
with two of them, in different places, both are found; and how often such a page costs at least as
much as the dearer of the two, and at most what both cost and a tenth of the exercise. Every
other pair is printed. The table has a line for each mistake and each pair.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from grader.course.catalog import load_catalog, select
from grader.course.charging import LEAST, MOST
from grader.course.course import find_course
from grader.proof_costs import Cost, Pair, costs, costs_of_pairs, said

_HEADER = ("exercise", "what", "strict", "followed", "told", "one", "other")
_HALF = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--pairs", type=int, default=30, help="of each exercise")
    parser.add_argument("--table", type=Path, help="a file for all costs, as CSV")
    options = parser.parse_args()
    torch.set_num_threads(1)
    course = find_course()
    alone: list[Cost] = []
    pairs: list[Pair] = []
    for exercise in select(load_catalog(course), options.exercises):
        found = costs(course, exercise)
        together = list(costs_of_pairs(course, exercise, options.pairs, found))
        print(f"{exercise.name}: {said(found)}{_apart(found)}\n  {_pairs(together)}", flush=True)
        for pair in (one for one in together if not (one.is_enough and one.is_fair)):
            print(f"    {_odd(pair)}", flush=True)
        alone, pairs = [*alone, *found], [*pairs, *together]
        if options.table:
            _append(options.table, exercise.name, found, together)
    print(f"all: {said(alone)}{_apart(alone)}\n  {_pairs(pairs)}")


def _apart(found: Sequence[Cost]) -> str:
    """How many are outside of what one mistake may cost, before and after."""
    half, dear = sum(c.strict > _HALF for c in found), sum(c.strict > MOST for c in found)
    left, cheap = sum(c.is_dear for c in found), sum(not c.is_fair and not c.is_dear for c in found)
    return (
        f"; more than half {half}, more than {MOST:.0%} {dear} strictly; with follow-through "
        f"{left}, and {cheap} less than {LEAST:.0%} though they lose it strictly"
    )


def _pairs(pairs: Sequence[Pair]) -> str:
    both, one = (sum(pair.found == count for pair in pairs) for count in (2, 1))
    enough, fair = sum(p.is_enough for p in pairs), sum(p.is_fair for p in pairs)
    return (
        f"{len(pairs)} pairs: both found {both}, one of them {one}; at least the dearer {enough}, "
        f"at most both and a tenth {fair}"
    )


def _odd(pair: Pair) -> str:
    told = ", ".join(sorted(pair.together.told)) or "nothing"
    return (
        f"{pair.together.name}: {pair.together.followed:.0%} (strictly {pair.together.strict:.0%}) "
        f"beside {pair.one.followed:.0%} and {pair.other.followed:.0%}; told {told}"
    )


def _append(table: Path, exercise: str, found: Sequence[Cost], together: Sequence[Pair]) -> None:
    fresh = not table.exists()
    with table.open("a", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        if fresh:
            rows.writerow(_HEADER)
        rows.writerows([exercise, *_row(cost)] for cost in found)
        rows.writerows(
            [exercise, *_row(pair.together), pair.one.followed, pair.other.followed]
            for pair in together
        )


def _row(cost: Cost) -> Iterator[object]:
    yield from (cost.name, cost.strict, cost.followed, " ".join(sorted(cost.told)))


if __name__ == "__main__":
    main()
