"""One mixed class graded with one job, with two, and by two workers of a Dask scheduler: what does
it gain, and is it the same? By hand, on two idle cores.

    python tests/benchmarks/side_by_side.py [--students 200] [--rounds 1]

Prints how long each way takes, start and end counted, and how many times as fast as one job it is;
and whether all reports are the same but for times. The scheduler's workers are warm: they have
graded a few submissions before.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import find_course

COURSE = find_course()
sys.path.insert(0, str(COURSE.root))

from tests.benchmarks.kills import reports_of, timed  # noqa: E402
from tests.benchmarks.works import works_for  # noqa: E402
from tests.collect.downloads import download  # noqa: E402
from tests.collect.platforms import PLATFORMS  # noqa: E402
from tests.collect.students import a_class  # noqa: E402

SEED = 20261122
ENVIRONMENT = os.environ | {"PYTHONPATH": str(COURSE.root), "OMP_NUM_THREADS": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--exercises", nargs="*", default=["softmax", "masks", "questions"])
    parser.add_argument("--each", type=int, default=12, help="variants and slips of an exercise")
    parser.add_argument("--seed", type=int, default=1, help="draws the class")
    chosen = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as folder, cluster() as address:
        place = Path(folder)
        there = class_of(place / "all", chosen, chosen.students)
        grade = [sys.executable, "-m", "grader", "grade", str(there), "--seed", str(SEED)]
        grade += ["--exercises", ",".join(chosen.exercises), "--out"]
        few = [*grade[:4], str(class_of(place / "few", chosen, 8)), *grade[5:]]
        timed([*few, str(place / "warm"), "--scheduler", address])
        ways = {
            "one job": ["--jobs", "1"],
            "two jobs": ["--jobs", "2"],
            "two workers": ["--scheduler", address],
        }
        alike = True
        for number in range(chosen.rounds):
            out = {way: place / f"{way} {number}" for way in ways}
            took = {way: timed([*grade, str(out[way]), *ways[way]]) for way in ways}
            for way, seconds in took.items():
                same = reports_of(out[way]) == reports_of(out["one job"])
                alike = alike and same
                gain = took["one job"] / seconds
                said = "the same reports" if same else "OTHER REPORTS"
                print(f"{way:12} {seconds:6.1f} s  {gain:5.2f} times  {said}", flush=True)
    raise SystemExit(0 if alike else 1)


def class_of(folder: Path, chosen: argparse.Namespace, number: int) -> Path:
    """A download of a class of so many students, in a new folder."""
    chance = random.Random(chosen.seed)
    exercises = [load_catalog(COURSE)[name] for name in chosen.exercises]
    works = [w for one in exercises for w in works_for(COURSE, one, chance, chosen.each)]
    students = a_class(number, works, chosen.seed)
    platform = next(iter(PLATFORMS.values()))
    folder.mkdir()
    return download(folder, platform.packing, platform.files(students))


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())

        def started(said: str, *arguments: str) -> str:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", *arguments],
                    stderr=subprocess.PIPE,
                    text=True,
                    cwd=folder,
                )
            )
            stack.callback(process.kill)
            assert process.stderr is not None
            return next(line for line in process.stderr if said in line).partition(said)[2].strip()

        server = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        address = started("Scheduler at:", *server, "--no-dashboard")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", folder)
        for _ in range(2):
            started("Registered to:", "distributed.cli.dask_worker", address, *options)
        yield address


if __name__ == "__main__":
    main()
