"""When something was handed in, as platforms write it -> ISO 8601 in UTC.

Only what a platform says is believed. A file's own time is that of a copy, and the time in a commit
is the author's word.
"""

from __future__ import annotations

import datetime
import re

TIMESTAMP = "timestamp.txt"  # nbgrader's, in the folder that it collects into
MAX_BYTES = 1000

# 2026-01-31 23:59:00.123456 UTC, of nbgrader; ...00.000000000 Z or -07:00, of Gradescope.
_TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)(\.\d+)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?"
)


def iso(text: str) -> str:
    """``2026-01-31T23:59:00Z``, to the second that had begun; empty for what is no such time.

    Without a zone it is taken for UTC, as nbgrader takes it.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return ""
    zone = found["zone"] or "Z"
    offset = zone if zone[0] in "+-" else "+00:00"
    try:
        time = datetime.datetime.fromisoformat(f"{found['day']}T{found['time']}{offset}")
        return f"{time.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError):
        return ""
