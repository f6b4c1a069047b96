"""How often does the clock wrong anybody? Run it by hand: ``python tests/benchmarks/fairness.py``.

For every clocked check the reference races against itself, which may never fail, and against itself
done more often than the limit allows, which must; on an otherwise idle machine, or beside endless
loops that keep some cores ``--busy``.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import statistics
from collections.abc import Iterator
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.examiner.check_run import CheckRun, case_of
from grader.examiner.collection import collected, undisturbed
from grader.examiner.suite import CollectedCheck, Suite
from grader.model import Measured, Submission
from grader.programs.program import SubmissionProgram
from grader.sandbox.launch import Sandbox, open_sandbox

REPEATED = Path(__file__).parents[1] / "proofs" / "repeated.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=1000, help="of the reference against itself")
    parser.add_argument("--slow", type=int, default=100, help="of the reference done several times")
    parser.add_argument("--busy", type=int, default=0, help="keep so many cores busy meanwhile")
    options = parser.parse_args()
    course = find_course()
    catalog = load_catalog(course)
    suites = collected(course, catalog.values())
    with contextlib.closing(open_sandbox()) as sandbox, burners(options.busy):
        for suite in map(suites.of, catalog.values()):
            for check in suite.checks:
                if check.clocked:
                    races = Races(course, suite, check, sandbox)
                    report(races, options.races, options.slow)


class Races:
    """Races of one check, of the reference against itself done several times."""

    def __init__(
        self, course: Course, suite: Suite, check: CollectedCheck, sandbox: Sandbox
    ) -> None:
        self.name = f"{suite.exercise.name}: {check.check.name}"
        self._course, self._suite, self._check = course, suite, check
        self._sandbox = sandbox

    def race(self, times: int, seed: int) -> tuple[bool, Measured]:
        """Whether the work done so many times is let through; and its ratio."""
        name, texts = self._suite.exercise.name, self._course.solution_texts
        page = f"{texts[name]}\n\n{REPEATED.read_text()}\n\n_repeat(globals(), {times})\n"
        submission = Submission(name, name, texts | {name: page})
        program = SubmissionProgram(submission, self._sandbox)
        run = CheckRun(case_of(self._suite, self._check, seed, "cpu", "ann"), program)
        with undisturbed():
            error = run.run()
        program.close()
        if run.measured is None:
            raise RuntimeError(f"{self.name} did not come to its race") from error
        return error is None, run.measured


def report(races: Races, once: int, slow: int) -> None:
    """What becomes of equals, and of those that are just over the limit."""
    found = [races.race(1, seed) for seed in range(once)]
    times = math.floor(found[0][1].limit) + 1
    tell(races.name, 1, found)
    for several in {2, times}:
        tell(races.name, several, [races.race(several, seed) for seed in range(slow)])


def tell(name: str, times: int, found: list[tuple[bool, Measured]]) -> None:
    ratios = sorted(measured.ratio for _, measured in found)
    rejected = sum(not passed for passed, _ in found)
    print(
        f"{name}, the work done {times} times: {rejected} of {len(found)} rejected; ratio "
        f"{ratios[0]:.3f} to {ratios[-1]:.3f}, median {statistics.median(ratios):.3f}",
        flush=True,
    )


@contextlib.contextmanager
def burners(cores: int) -> Iterator[None]:
    """As many endless loops as cores shall be busy."""
    processes = [multiprocessing.Process(target=_burn) for _ in range(cores)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()


def _burn() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
