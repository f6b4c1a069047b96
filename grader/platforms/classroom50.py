"""Classroom 50: a folder for its repository that grades every push in GitHub Actions.

Whatever its runner fetches, students can fetch as well: it runs in their own repositories. So it
is made of a course that was given away, and of a whole one only on demand.

Source: the wiki of foundation50/classroom50, "Advanced Autograding".
"""

from __future__ import annotations

import json

from grader.errors import GraderError
from grader.exports.formats import as_json
from grader.platforms.engine import WHEEL, torch_version, wheel
from grader.platforms.packed import Files, rendered, zipped

MAX_BYTES = 10 << 20  # the runner fetches no larger bundle
RUNTIME = {"runs-on": "ubuntu-24.04", "python": "3.12"}  # Landlock, and a Python with torch


def folder(files: Files, isolation: str | None) -> dict[str, bytes]:
    """What is put into ``CLASSROOM/autograders/ASSIGNMENT``; raises ``GraderError`` where it would
    not be fetched.
    """
    options = ["--isolation", isolation] if isolation else []
    facts = {"wheel": WHEEL, "torch": torch_version(), "options": json.dumps(options)}
    whole = {
        "autograder.py": rendered("autograder.py", **facts),
        "runtime.json": (as_json(dict(RUNTIME)) or "").encode(),
        WHEEL: wheel(),
        **files,
    }
    size = len(zipped(whole))
    if size > MAX_BYTES:
        raise GraderError(
            f"The bundle would be {size >> 20} MiB, and Classroom 50 fetches {MAX_BYTES >> 20} MiB "
            "at most. Choose fewer exercises, or release fewer."
        )
    return whole
