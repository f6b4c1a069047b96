"""Proves that right variants are right on a device: ``prove.py cuda``, or ``straw LIBRARY``.

Prints the findings by exercise, as JSON; none means proved.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import straw

DEVICE = sys.argv[1]
if DEVICE == straw.DEVICE:
    straw.load(Path(sys.argv[2]))

from grader.course.catalog import load_catalog  # noqa: E402  (torch knows the device first)
from grader.course.house import find_house  # noqa: E402
from grader.proof import prove_variants  # noqa: E402

VARIANTS = Path(__file__).parents[1] / "variants"


def main() -> None:
    house = find_house()
    findings = {
        name: prove_variants(house, exercise, VARIANTS / f"{name}.py", device=DEVICE)
        for name, exercise in load_catalog(house).items()
    }
    json.dump(findings, sys.stdout)


main()
