"""Does grading side by side wrong anybody? Right programs are clocked, on a busy machine; by hand.

    python tests/benchmarks/races.py [--races 1000] [--jobs 2] [--busy 2]

Every clocked check of the course is put, in turn, to the course's own solution in a worker, by so
many processes side by side, while others keep the cores busy. Prints how many were rejected, which
must be none, and between which ratios of time they lay; and for how long two held one core at once,
which must be never.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.backends.cores import Cores
from grader.backends.in_flight import as_done
from grader.backends.processes import processes
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import Suites, collected
from grader.examiner.examination import examine
from grader.model import Outcome, Submission
from grader.programs.program import SubmissionProgram
from grader.sandbox.launch import Sandbox, open_sandbox

COURSE = find_course()


@dataclass(frozen=True)
class Raced:
    """One race: whose check it was, how it ended, and which core it was lent from when to when."""

    check: str
    outcome: str
    ratio: float
    leases: tuple[tuple[int, float, float], ...]


class Noting(Cores):
    """Lends cores, and remembers which, from when to when."""

    def __init__(self) -> None:
        super().__init__()
        self.leases: list[tuple[int, float, float]] = []

    @contextlib.contextmanager
    def leased(self) -> Iterator[int | None]:
        with super().leased() as core:
            begun = time.monotonic()  # the same clock in all processes of a machine
            yield core
            self.leases.append((core if core is not None else -1, begun, time.monotonic()))


@functools.cache
def _ready() -> tuple[Sandbox, Suites]:
    return open_sandbox(), collected(COURSE)


def race(job: tuple[int, str, str]) -> Raced:
    """One clocked check of one exercise; run in a process of its own."""
    seed, name, check = job
    sandbox, suites = _ready()
    cores = Noting()
    program = SubmissionProgram(Submission(name, name, COURSE.solution_texts), sandbox, cores)
    (verdict,) = examine(suites.of(suites.catalog[name]), program, seed, only={check})
    ratio = verdict.measured.ratio if verdict.measured else float("nan")
    return Raced(f"{name}.{check}", str(verdict.outcome), ratio, tuple(cores.leases))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--busy", type=int, default=2, help="so many other processes that compute")
    chosen = parser.parse_args()
    catalog = load_catalog(COURSE)
    clocked = [name for name in catalog if "faster_than" in COURSE.suite(name).read_text()]
    suites = collected(COURSE, [catalog[name] for name in clocked])
    checks = [
        (name, one.check.name)
        for name in clocked
        for one in suites.of(catalog[name]).checks
        if one.clocked
    ]
    jobs = [(n, *check) for n, check in zip(range(chosen.races), itertools.cycle(checks))]
    found: list[Raced] = []
    started = time.monotonic()
    with busy(chosen.busy), processes(chosen.jobs, preload=("grader.pipeline",)) as place:
        for _, future in as_done(place, race, jobs):
            found.append(future.result())
            if len(found) % max(len(jobs) // 20, 1) == 0 or found[-1].outcome != Outcome.PASSED:
                seconds, (load, *_) = time.monotonic() - started, os.getloadavg()
                print(f"{len(found):6} raced  {seconds:6.0f} s  load {load:4.1f}  {told(found)}")
    for check in sorted({one.check for one in found}):
        ratios = sorted(one.ratio for one in found if one.check == check)
        middle = statistics.median(ratios)
        print(f"{check}: {len(ratios)} times {ratios[0]:.2f} {middle:.2f} {ratios[-1]:.2f}")
    print(f"{overlapping(found):.3f} s in which two held one core; {told(found)}")


def told(found: Sequence[Raced]) -> str:
    outcomes = [one.outcome for one in found]
    return ", ".join(f"{outcomes.count(one)} {one}" for one in sorted(set(outcomes)))


def overlapping(found: Sequence[Raced]) -> float:
    """Seconds in which two races were on one core."""
    leases = sorted(lease for one in found for lease in one.leases)
    pairs = itertools.pairwise(leases)
    return sum(max(0.0, a[2] - b[1]) for a, b in pairs if a[0] == b[0])


@contextlib.contextmanager
def busy(number: int) -> Iterator[None]:
    """Others compute meanwhile, wherever the kernel lets them."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


if __name__ == "__main__":
    main()
