"""Examines submissions on a device: ``python examine.py cuda < JOB``, or ``straw LIBRARY``.

The job and the answer are JSON: ``{"submissions": {name: {module: text}}, "exercises": [...]}``
and a list of reports. A process of its own, because torch gets such a device once and keeps it,
and because workers are forked from the process that has it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

import straw

DEVICE = sys.argv[1]
if DEVICE == straw.DEVICE:
    straw.load(Path(sys.argv[2]))

from grader.sandbox import devices, launch, walled  # noqa: E402  (torch knows the device first)


def open_sandbox():
    """Workers that can use the device: no device of straw outlives an exec."""
    if DEVICE != straw.DEVICE:
        return launch.start(gpu=True)
    devices.DEVICES.append(f"{straw.DEVICE}:0")
    walled.gpu_nodes = lambda: ["/dev/null"]
    return walled.ZygoteSandbox(fork=True, gpu=True)


def main() -> None:
    with contextlib.closing(open_sandbox()) as sandbox:
        from grader.course.catalog import load_catalog, select
        from grader.course.house import find_house
        from grader.model import Submission
        from grader.pipeline import grade_all

        job = json.load(sys.stdin)
        house = find_house()
        reports = list(
            grade_all(
                house,
                select(load_catalog(house), job["exercises"]),
                [Submission(name, name, files) for name, files in job["submissions"].items()],
                sandbox,
                seed=1,
                devices=(DEVICE,),
            )
        )
    json.dump([report.as_json() for report in reports], sys.stdout)


main()
