"""Programs that write to a gradebook, for tests with several processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

TAKE_IN = """
run, where, assignment = sys.argv[1:]
book = Gradebook(where, may_be_new=True)
say()
for number in range(1000 if assignment == "all" else 1):
    name = f"ps{number}" if assignment == "all" else assignment
    book.add(read_run(Path(run)).reports, name, run, "writer")
    say(number)
"""
SAY = """
where, student, author, times = sys.argv[1:]
book = Gradebook(where)
say()
for number in range(int(times)):
    book.set_mark(About(student, "ps1"), number, "because", author)
"""
_HEAD = """
import sys
from pathlib import Path
from grader.gradebook.book import About, Gradebook
from grader.runs.reading import read_run

def say(what="ready"):
    print(what, flush=True)
"""


def started(program, *arguments):
    """The process, which says that it is ready before it writes."""
    command = [sys.executable, "-c", _HEAD + program, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(*processes):
    """What they said to standard error, all of them together; and that all went well."""
    said = [process.communicate(timeout=120)[1] for process in processes]
    return "".join(said), [process.returncode for process in processes]
