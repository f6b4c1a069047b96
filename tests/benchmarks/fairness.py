"""How often does the clock wrong anybody? Run it by hand: ``python tests/benchmarks/fairness.py``.

The reference races against itself, which no limit may reject, and against itself done twice, which
a limit of 1.5 must reject; on an otherwise idle machine, or with ``--busy`` beside as many endless
loops as there are cores.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import statistics
from collections.abc import Iterator
from typing import Any

import torch

from grader.backends.cores import core_for
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError
from grader.examiner.race import Race
from grader.model import Measured, Submission
from grader.programs.draw import Draw
from grader.programs.program import Opening, SubmissionProgram
from grader.sandbox.launch import Sandbox, open_sandbox

NAME, LIMIT = "multi_head_attention", 1.5
LENGTH = 512  # long enough that the work is most of what a call takes, and not its transport
TWICE = """


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, *args, **kwargs):
        super().forward(*args, **kwargs)
        return super().forward(*args, **kwargs)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=1000, help="of the reference against itself")
    parser.add_argument("--slow", type=int, default=100, help="of the reference done twice")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--busy", action="store_true", help="keep every core busy meanwhile")
    options = parser.parse_args()
    gpu = options.device != "cpu"
    with contextlib.closing(open_sandbox(gpu=gpu)) as sandbox, burners(options.busy):
        for name, extra, races in (("itself", "", options.races), ("twice", TWICE, options.slow)):
            report(name, [race(sandbox, extra, seed, options.device) for seed in range(races)])


def race(sandbox: Sandbox, extra: str, seed: int, device: str) -> tuple[bool, Measured]:
    """Whether the reference, with ``extra`` code after it, is let through; and its ratio."""
    course = find_course()
    texts = course.solution_texts
    slow = Submission("slow", "slow", texts | {NAME: texts[NAME] + extra})
    sides = [
        SubmissionProgram(s, sandbox, core_for())
        for s in (slow, Submission("reference", "", texts))
    ]
    draw = Draw(seed, device)
    opening = Opening(load_catalog(course)[NAME], 30.0, seed, device)
    contest = Race(sides[0], sides[1], opening)

    def layer(impl: Any) -> Any:
        made = impl.MultiHeadAttention(128, 8)
        made.load({name: torch.full_like(p, 0.01) for name, p in made.parameters().items()})
        return made

    try:
        contest.faster_than(
            LIMIT,
            lambda layer, x: layer(x),
            lambda: [draw.normal(1, LENGTH, 128)],
            setup=layer,
        )
        passed = True
    except GraderError:
        passed = False
    finally:
        sides[0].close()
    assert contest.measured is not None
    return passed, contest.measured


def report(name: str, found: list[tuple[bool, Measured]]) -> None:
    ratios = sorted(measured.ratio for _, measured in found)
    rejected = sum(not passed for passed, _ in found)
    print(
        f"{name}: {rejected} of {len(found)} rejected; ratio {ratios[0]:.3f} to {ratios[-1]:.3f}, "
        f"median {statistics.median(ratios):.3f}"
    )


@contextlib.contextmanager
def burners(busy: bool) -> Iterator[None]:
    """As many endless loops as there are cores."""
    processes = [multiprocessing.Process(target=_burn) for _ in range(os.cpu_count() or 1)]
    for process in processes if busy else []:
        process.start()
    try:
        yield
    finally:
        for process in processes if busy else []:
            process.kill()


def _burn() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
