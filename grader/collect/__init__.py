"""Untrusted bytes -> Submissions. Nothing here runs or parses what was handed in.

``place.py`` finds submissions; ``folder.py`` and ``archive.py`` read them, within the limits of
``modules.py``; ``layout.py`` says which of their files are meant, ``names.py`` what they are
called.

Links are never followed (one could point at a solution), pipes and devices never opened (they
would hold up the class). What cannot be read is a problem of that submission alone, and what is
not graded is named with its reason.
"""

from grader.collect.modules import (
    MAX_MODULES,
    MAX_SOURCE_BYTES,
    MAX_SUBMISSION_BYTES,
    Ignored,
)
from grader.collect.place import Collected, collect
from grader.collect.regular import read_at_most

__all__ = [
    "MAX_MODULES",
    "MAX_SOURCE_BYTES",
    "MAX_SUBMISSION_BYTES",
    "Collected",
    "Ignored",
    "collect",
    "read_at_most",
]
