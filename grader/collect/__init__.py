"""Untrusted bytes -> Submissions. Nothing here runs or parses what was handed in.

``place.py`` finds submissions: ``classes.py`` says whose the parts of a download are, by the names
that platforms give (``shapes.py``, ``gradescope.py``) and by how folders look (``looks.py``), and
``students.py`` makes a submission of each student's. ``folder.py`` and ``archive.py``, with
``zips.py`` and ``tars.py``, show what lies there as a ``tree.py``, within the limits of
``modules.py``; ``layout.py`` says which files are meant, ``near.py`` also under slightly other
names, ``names.py`` what submissions are called. ``notebook.py`` makes a module of a notebook's
solution cells, ``packs.py`` knows what `grader pack` made, and ``taking.py`` takes them all.
``table.py`` and ``roster.py`` read who is in the class, and ``matching.py`` knows whose something
is.

Links are never followed (one could point at a solution), pipes and devices never opened (they
would hold up the class). What cannot be read is a problem of that submission alone, and what is
not graded is named with its reason.
"""

from grader.collect.found import Collected
from grader.collect.modules import (
    MAX_MODULES,
    MAX_SOURCE_BYTES,
    MAX_SUBMISSION_BYTES,
    Ignored,
    Note,
)
from grader.collect.place import collect, collect_one, own_work
from grader.collect.regular import read_at_most
from grader.collect.roster import read_roster
from grader.collect.tied import tied

__all__ = [
    "MAX_MODULES",
    "MAX_SOURCE_BYTES",
    "MAX_SUBMISSION_BYTES",
    "Collected",
    "Ignored",
    "Note",
    "collect",
    "collect_one",
    "own_work",
    "read_at_most",
    "read_roster",
    "tied",
]
