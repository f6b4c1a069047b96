"""Proves that right variants are right on a device: ``prove.py cuda``, or ``fake LIBRARY``; those
of the exercises that standard input names, one in so many as it says.

Prints the findings by exercise, as JSON; none means proved.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import device as fake

DEVICE = sys.argv[1]
if DEVICE == fake.DEVICE:
    fake.load(Path(sys.argv[2]))

from grader.course.catalog import load_catalog, select  # noqa: E402  (torch knows the device first)
from grader.course.course import find_course  # noqa: E402
from grader.proof import prove_variants  # noqa: E402

VARIANTS = Path(__file__).parents[1] / "variants"


def main() -> None:
    course, job = find_course(), json.load(sys.stdin)
    findings = {
        one.name: prove_variants(
            course, one, VARIANTS / f"{one.name}.py", device=DEVICE, share=job["share"]
        )
        for one in select(load_catalog(course), job["exercises"])
    }
    json.dump(findings, sys.stdout)


main()
