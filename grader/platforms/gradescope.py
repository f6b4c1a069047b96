"""Gradescope: an archive that grades each submission in a container there.

Source: gradescope-autograders.readthedocs.io, "Autograder Specifications".
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.exports.formats import as_json
from grader.platforms import words
from grader.platforms.engine import WHEEL, torch_version, wheel
from grader.platforms.packed import Files, rendered, zipped

ROOT = Path("/autograder")
RESULTS, SUBMISSION, METADATA = (
    "results/results.json",
    "submission",
    "submission_metadata.json",
)
PROGRAMS = ("setup.sh", "run_autograder")
_NO_MARK: Mapping[str, Any] = {
    "output": words.NO_MARK,
    "output_format": "text",
    "visibility": "visible",
    "stdout_visibility": "hidden",
    "tests": [],
}


def no_mark() -> str:
    """``results.json`` where nothing was graded. It holds no score, so that Gradescope has none."""
    return as_json(dict(_NO_MARK)) or ""


def archive(files: Files, hidden: str, isolation: str | None) -> bytes:
    """The zip; ``files`` are course and assignment. ``hidden`` says how much students see of hidden
    checks, ``isolation`` under which marks are given.
    """
    options = f"--hidden {shlex.quote(hidden)}"
    options += f" --isolation {shlex.quote(isolation)}" if isolation else ""
    facts = {"root": ROOT, "wheel": WHEEL, "torch": torch_version(), "options": options}
    whole = {name: rendered(name, **facts) for name in PROGRAMS}
    whole |= {"no_mark.json": no_mark().encode(), WHEEL: wheel(), **files}
    return zipped(whole, PROGRAMS)
