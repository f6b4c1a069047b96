"""What is a program told that makes two mistakes at once?

    python tests/benchmarks/two_at_once.py                     # five of each exercise: some minutes
    python tests/benchmarks/two_at_once.py softmax --pairs 50

Two misconceptions of a bank, in different places of the page, are examined with both of their
entries in the bank, with either and with none. A name that is not one of these two is false, and
printed.
"""

from __future__ import annotations

import argparse
import sys

import torch

from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.proof_names import Tally, two_at_once


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--pairs", type=int, default=5, help="of each exercise")
    options = parser.parse_args()
    torch.set_num_threads(1)
    course, told = find_course(), Tally()
    for exercise in select(load_catalog(course), options.exercises):
        two_at_once(course, exercise, options.pairs, told)
        print(f"{exercise.name}: {told.rejected} tellings so far", file=sys.stderr, flush=True)
    print(told)
    for who, other in told.named.items():
        print(f"{who} is told {other}")
    return 1 if told.named else 0


if __name__ == "__main__":
    sys.exit(main())
