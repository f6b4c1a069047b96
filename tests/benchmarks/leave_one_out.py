"""What is a wrong program told that nobody has described?

    python tests/benchmarks/leave_one_out.py              # all exercises: some minutes
    python tests/benchmarks/leave_one_out.py softmax masks

Every misconception is examined without its own entry in the bank. A name that it is given then is
another's: false, and printed. With ``--all`` it is also printed what is told nothing but what the
check found.
"""

from __future__ import annotations

import argparse
import sys

import torch

from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.proof_names import Tally, leave_one_out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    course, told = find_course(), Tally()
    for exercise in select(load_catalog(course), options.exercises):
        leave_one_out(course, exercise, told)
        print(f"{exercise.name}: {told.rejected} rejected so far", file=sys.stderr, flush=True)
    print(told)
    for who, other in told.named.items():
        print(f"{who} is told {other}")
    for who in told.nothing if options.all else ():
        print(f"{who} is told what the check found, and no more")
    return 1 if told.named else 0


if __name__ == "__main__":
    sys.exit(main())
