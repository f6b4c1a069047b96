"""Does a right submission ever lose a point by its seed? Run it by hand, beside a busy core.

    python tests/benchmarks/lost_points.py NAME ... [--seeds 200] [--first 0]

Grades the perfect submission of these exercises once for each seed, prints every lost point and,
in the end, how many gradings lost none.
"""

from __future__ import annotations

import argparse
import contextlib

from grader.collect import collect_one
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.pipeline import grade_all
from grader.sandbox.launch import open_sandbox


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    course = find_course()
    catalog = load_catalog(course)
    exercises = select(catalog, asked.names)
    perfect = collect_one(course.root / "tests" / "submissions" / "perfect", catalog)
    whole = 0
    with contextlib.closing(open_sandbox()) as sandbox:
        for seed in range(asked.first, asked.first + asked.seeds):
            (report,) = grade_all(course, exercises, [perfect], sandbox, seed=seed)
            lost = [v for v in report.verdicts if v.points != v.max_points]
            whole += not lost
            for v in lost:
                print(f"seed {seed}: {v.check.exercise}: {v.check.name}: {v.outcome}: {v.cause}")
            print(f"{whole} of {seed - asked.first + 1} lost no point", end="\r", flush=True)
    print()


if __name__ == "__main__":
    main()
