"""Examines submissions on a device: ``python examine.py cuda < JOB``, or ``fake LIBRARY``.

The job is JSON, ``{name: {"files": {module: text}, "exercises": [...]}}``, where no exercise
stands for all, and so is the answer, a list of reports. A process of its own, because torch gets
such a device once and keeps it, and because workers are forked from the process that has it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

import device as fake

DEVICE = sys.argv[1]
if DEVICE == fake.DEVICE:
    fake.load(Path(sys.argv[2]))

from grader.sandbox import devices, launch, zygote_sandbox  # noqa: E402  (torch knows the device first)


def open_sandbox():
    """Workers that can use the device: no fake GPU outlives an exec."""
    if DEVICE != fake.DEVICE:
        return launch.open_sandbox(gpu=True)
    devices.DEVICES.append(f"{fake.DEVICE}:0")
    zygote_sandbox.gpu_nodes = lambda: ["/dev/null"]
    return zygote_sandbox.ZygoteSandbox(fork=True, gpu=True)


def main() -> None:
    with contextlib.closing(open_sandbox()) as sandbox:
        from grader.course.catalog import load_catalog, select
        from grader.course.course import find_course
        from grader.model import Submission
        from grader.pipeline import grade_all
        from grader.report.record import to_json

        job = json.load(sys.stdin)
        course = find_course()
        catalog = load_catalog(course)
        reports = [
            report
            for name, asked in job.items()
            for report in grade_all(
                course,
                select(catalog, asked["exercises"]),
                [Submission(name, name, asked["files"])],
                sandbox,
                seed=1,
                devices=(DEVICE,),
            )
        ]
    json.dump([to_json(report) for report in reports], sys.stdout)


main()
