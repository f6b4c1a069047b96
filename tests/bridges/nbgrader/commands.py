"""nbgrader's own commands, each in a fork of this process, which has imported what they need.

Reads lines from standard input, each a JSON list: the folder to run in, the file for what is said
and the arguments. Answers each with the exit status.
"""

from __future__ import annotations

import json
import os
import sys

from nbgrader.apps.nbgraderapp import main

import grader.bridges.nbgrader  # noqa: F401  (and torch with it, which takes longest)


def run(folder: str, said: str, *arguments: str) -> None:
    """In the child: what ``python -m nbgrader`` does."""
    os.chdir(folder)
    with open(said, "w") as file, open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    sys.argv = ["nbgrader", *arguments]
    main()
    sys.exit()


for line in sys.stdin:
    child = os.fork()
    if not child:
        run(*json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
