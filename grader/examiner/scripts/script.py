"""A transcript -> a script of plain torch, which asks a submission the same without this package.

Saved beside what was handed in and run with plain Python, it fails where the check failed and is
silent about a right answer. It holds what is right, so it is for instructors alone.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.examiner.check_run import CheckCase
from grader.examiner.scripts import parts
from grader.examiner.scripts.assertions import Tolerated
from grader.examiner.scripts.statements import Statements
from grader.examiner.scripts.transcript import Transcript, transcript_of
from grader.model import Verdict

_PARTS = ("packed", "close", "form", "check", "refused", "load", "gradients", "Recorder")
_NEEDS = {"check": ("close", "form")}
_NOT_SHOWN = {
    "slow": "time", "large": "memory", "budget": "time", "forbidden": "a forbidden operation",
    "killed_for_memory": "memory", "memory": "memory",
    "wrong_when_timed": "an answer while clocked",
}  # fmt: skip


@dataclass(frozen=True)
class Script:
    """Its ``text``; how near what it asks must come to the reference; and whether it is
    ``of_one_comparison`` or of a whole check.
    """

    text: str
    tolerances: tuple[Tolerated, ...]
    of_one_comparison: bool


def script_of(case: CheckCase, verdict: Verdict, about: Sequence[str] = ()) -> Script:
    """The script for what ``verdict`` found; ``about`` are remarks at its top."""
    transcript = transcript_of(case, verdict.cause)
    statements = Statements(case, verdict, transcript)
    body, module = statements.written(), case.suite.exercise.name
    notes = [*about, "", *_what_it_shows(case, verdict, transcript)]
    called, copied = ", ".join(sorted(statements.called)), _parts(statements.out.used, body)
    pieces = [
        *(f"# {line}".rstrip() for note in notes for line in _wrapped(note)),
        *_imports(body + "".join(copied)),
        "",
        f"torch.manual_seed({transcript.seed})  # as the worker's random numbers began",
        f"from {module} import {called}" if called else f"import {module}",
        *copied,
        "",
        body,
        "",
        f'print("{_END}")',
    ]
    text = "\n".join(pieces) + "\n"
    return Script(text, tuple(statements.held.tolerances), transcript.of_one_comparison)


_END = "Nothing differs."
_ONE = (
    "This is the comparison in which it failed. Save it beside {module}.py and run it with Python: "
    "it stops where the answer differs."
)
_WHOLE = (
    "The check asserts a property, so all that it asks is asked here, and every answer that is not "
    "left to chance is held against the reference's. The check itself says:"
)
_UNSEEN = "What failed is {what}, and a script cannot show that: it asks the same calls."


def _what_it_shows(case: CheckCase, verdict: Verdict, transcript: Transcript) -> Iterator[str]:
    module, kind = case.suite.exercise.name, verdict.cause.kind if verdict.cause else ""
    if transcript.of_one_comparison:
        yield _ONE.format(module=module)
    else:
        yield _WHOLE
        yield ""
        yield from inspect.getsource(case.collected.function).rstrip().splitlines()
    if kind in _NOT_SHOWN:
        yield ""
        yield _UNSEEN.format(what=_NOT_SHOWN[kind])


def _wrapped(note: str) -> list[str]:
    """A remark in lines; code as it stands."""
    is_code = note.startswith((" ", "def ", "@")) or not note
    return [note] if is_code else textwrap.wrap(note, 96, break_long_words=False)


def _parts(used: Collection[str], body: str) -> list[str]:
    """The source of what a script needs."""
    names = {*used, *(need for one in used for need in _NEEDS.get(one, ()))}
    names |= {"packed"} if "packed(" in body else set()
    return [f"\n\n{inspect.getsource(getattr(parts, n)).rstrip()}" for n in _PARTS if n in names]


def _imports(text: str) -> list[str]:
    """What of the standard library the text speaks of, and torch."""
    lines = ["from __future__ import annotations", ""]
    modules = ("base64", "copy", "faulthandler", "zlib")
    lines += [f"import {name}" for name in modules if f"{name}." in text]
    types = [n for n in ("Callable", "Mapping") if f"{n}[" in text]
    lines += [f"from collections.abc import {', '.join(types)}"] if types else []
    names = [name for name in ("inf", "nan") if re.search(rf"\b{name}\b", text)]
    lines += [f"from math import {', '.join(names)}"] if names else []
    lines += ["from typing import Any"] if "Any" in text else []
    return [*lines, "", "import torch"]
