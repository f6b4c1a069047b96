"""Examines submissions on the device of straw: ``python examine.py LIBRARY < JOB``.

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

straw.load(Path(sys.argv[1]))

from grader.sandbox import devices, walled  # noqa: E402  (torch knows the device first)

devices.DEVICES.append(f"{straw.DEVICE}:0")
walled.gpu_nodes = lambda: ["/dev/null"]


def main() -> None:
    with contextlib.closing(walled.ZygoteSandbox(fork=True, gpu=True)) as sandbox:
        from grader.course.catalog import load_catalog, select
        from grader.course.house import find_house
        from grader.model import Submission
        from grader.pipeline import grade_all

        job = json.load(sys.stdin)
        house = find_house()
        reports = grade_all(
            house,
            select(load_catalog(house), job["exercises"]),
            [Submission(name, name, files) for name, files in job["submissions"].items()],
            sandbox,
            seed=1,
            devices=(straw.DEVICE,),
        )
    json.dump([report.as_json() for report in reports], sys.stdout)


main()
