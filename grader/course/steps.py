"""The steps that lead through the core of a page: a function, class or method, or what of it.

A step is written ``NAME``, or ``NAME: words`` where one takes several; ``Class.method`` names a
method, and words may name another that is written with it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

_WIDTH = 100
_FIRST, _MORE, _GOES_ON = "# TODO: ", "#       ", "#         "
ONLY = "your code here"
AFTER = "after the core, steps 1 to {total}"
NUMBERED = "step {number} of {total}"
NAMED = "step {number} of {total}, {words}"


def step_of(step: str) -> str:
    """The function, class or method that it is about."""
    return step.partition(":")[0]


def step_words(step: str) -> str:
    """What a learner reads: of ``f: with a mask`` the words, else the name."""
    return step.partition(": ")[2] or step


def todo_lines(steps: Sequence[str], of: str, method: str = "", indent: str = "") -> list[str]:
    """The comment where the code of the function or class ``of``, or of a ``method`` of it, is to
    be written: which steps of the page these are, or that it may wait until these are right.
    """
    lines = _steps_at(steps, of, method) or [AFTER.format(total=len(steps)) if steps else ONLY]
    return [
        indent + part
        for place, line in enumerate(lines)
        for part in textwrap.wrap(
            line,
            _WIDTH - len(indent),
            initial_indent=_MORE if place else _FIRST,
            subsequent_indent=_GOES_ON,
        )
    ]


def _steps_at(steps: Sequence[str], of: str, method: str) -> list[str]:
    """In words. How an object is made belongs to the first step of its class, and a method of it to
    whichever names it in its words.
    """
    numbered = list(enumerate(steps, start=1))
    own = [(number, step) for number, step in numbered if _is_at(step, of, method)]
    if own:
        return [_said(number, step, len(steps)) for number, step in own]
    first = next((n for n, step in numbered if step_of(step).partition(".")[0] == of), 0)
    made = method == "__init__" and first
    return [NUMBERED.format(number=first, total=len(steps))] if made else []


def _is_at(step: str, of: str, method: str) -> bool:
    named = step_of(step).partition(".")[0] == of and method in step_words(step).split()
    return named or step_of(step) in (of, f"{of}.{method}")


def _said(number: int, step: str, total: int) -> str:
    template = NUMBERED if step_of(step) == step else NAMED
    return template.format(number=number, total=total, words=step_words(step))
