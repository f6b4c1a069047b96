"""What a student reads in a notebook, beside the words of the report."""

from __future__ import annotations

IN_CELL = "cell {cell}, line {line}"
MISCONCEPTION = "misconception: {name}"

# What was odd about a notebook that was handed in.
LOUD = "The notebook was {mib} MiB large; its outputs were dropped."
OTHER_KERNEL = "Its kernel was {kernel!r}; the checks run in Python all the same."
OWN_CELLS = "Code cells of your own were left out ({count}): only the given ones count."
DEFINED_ELSEWHERE = (
    "{name} is defined in a cell that is not graded: one that was added, or one that is restored. "
    "Move it into the cell of the function that uses it."
)
SOLVED_ELSEWHERE = (
    "{name} is written in a cell that is not graded: one that was added, or one that is restored. "
    "Move it into the cell that was given for it."
)
CELL_WAS_MISSING = "This cell was missing from the notebook; it has been restored."
CELL_WAS_CHANGED = "This cell had been changed; it has been restored."
SOLUTION_IS_MISSING = "This cell was missing from the notebook, so nothing of it could be graded."
NO_PYTHON = "{line!r} makes this cell something else than Python: it was not run."
NOTEBOOK_COMMAND = "Line {number}: {line!r} is a command to the notebook: it was not run."

# In a student's own notebook.
ONLY_EXAMPLES = "The examples above are what can be checked here; the rest, after you hand in."
NO_COURSE = (
    "Pictures are drawn where the course is, or what was released of it, and here is neither: ask "
    "your instructor."
)
NO_HINTS_HERE = (
    "Hints come with the course, or with what was released of it, and here is neither: ask your "
    "instructor."
)
NO_TRAINING = (
    "Models are trained where the course is, or what was released of it, and here is neither: ask "
    "your instructor."
)
HINTS_THERE_ARE = 'Stuck? Run this again for a hint, or hint("{exercise}", "{function}") anywhere.'
HINTS_OF = "  {of}: {count}"
HINT = "→ Hint {number} of {count} ({of}): {says}"
NO_MORE_HINTS = "Those are all on {of}. Read its formula again beside your own line."
NO_SUCH_FUNCTION = "{exercise} has no function {function!r}.{near}"
STOPPED = "Stopped: nothing was decided."
AT_HOME = "Checked when you have handed in: {count} more."
OTHER_VERSION = (
    "What was released is for grader {wanted}, and this is {found}: it may say something else."
)
CHECKS_DECIDE = "It shows some cases; the checks decide."
NO_PACKAGE = (
    "The package grader is not installed here: no cell is checked, but all can be handed in."
)
NOT_WRITTEN = "Not written yet: {name}."
NOT_DEFINED = "There is no {name} here: its cell was not run, or it failed."
EXAMPLES_COME_OUT = "{name} gives what its examples say."

# Where there is no mark.
NO_SUCH_CHECK = "the suite has no such check."
NO_MARK = "No mark yet, a person must look at this: {why}"
