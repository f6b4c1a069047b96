"""Proves that right variants are right on a device: ``prove.py cuda``, or ``fake LIBRARY``; one in
so many as standard input says.

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

from grader.course.catalog import load_catalog  # noqa: E402  (torch knows the device first)
from grader.course.course import find_course  # noqa: E402
from grader.proof import prove_variants  # noqa: E402

VARIANTS = Path(__file__).parents[1] / "variants"


def main() -> None:
    course, share = find_course(), int(sys.stdin.read())
    findings = {
        name: prove_variants(course, exercise, VARIANTS / f"{name}.py", device=DEVICE, share=share)
        for name, exercise in load_catalog(course).items()
    }
    json.dump(findings, sys.stdout)


main()
