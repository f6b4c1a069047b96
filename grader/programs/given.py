"""How far a function is from the body that its learner was given.

Texts are read here, and never run: that of a submission as it was handed in, those of our own
programs where Python found them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from grader.programs.client import client_of
from grader.programs.page import TEXT
from grader.programs.proxy import Implementation
from grader.sandbox.own_text import own_lines
from grader.sandbox.statements import Word, statements

MOST_STATEMENTS = 400  # of a function: comparing takes the square of it
_MOST_OF_A_TEXT = 2000
_COST_NOTHING = ("assert", "print", "logging", "import", "from", "pass")


def statements_changed(impl: Implementation, given: Implementation, name: str) -> int | None:
    """How many statements of the function ``name`` are others than those given, or are gone; None
    if the text does not define it.

    Layout, comments, docstrings, annotations of the signature, assertions and prints do not count.
    """
    ours, theirs = (_body(client_of(one).text_of(name), name) for one in (given, impl))
    return _apart(ours, theirs) if theirs else None


def statements_apart(given: str, text: str) -> int:
    """The same of two whole texts, of which at most some thousand statements are compared."""
    ours, theirs = (
        [said for statement in statements(one) if (said := _said(statement))][:_MOST_OF_A_TEXT]
        for one in (given, text)
    )
    return _apart(ours, theirs)


def _apart(ours: Sequence[str], theirs: Sequence[str]) -> int:
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return sum(max(end - begin, till - since) for _, begin, end, since, till in changes)


def text_in(names: Mapping[str, Any], name: str) -> str:
    """The text that a function of one of our programs was made of; empty where none is known."""
    function = inspect.unwrap(names[name])
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # made of a text that is in no file
        return str(names.get(TEXT, ""))


def _body(text: str, name: str) -> list[str]:
    """The statements of the last function called so, or else of the only one that is there."""
    functions = list(_functions(text))
    named = [body for own, body in functions if own == name]
    return named[-1] if named else functions[0][1] if len(functions) == 1 else []


def _functions(text: str) -> Iterator[tuple[str, list[str]]]:
    """The functions at the top of a text, each with its body."""
    lines = own_lines(text)
    name, body = "", list[str]()
    for statement in statements(text):
        if not statement:
            continue
        if not lines[statement[0].first - 1][:1].isspace():
            if name:
                yield name, body
            name, body = _defined(statement), _after_signature(statement)
        elif name and len(body) < MOST_STATEMENTS and (said := _said(statement)):
            body.append(said)
    if name:
        yield name, body


def _defined(statement: Sequence[Word]) -> str:
    words = [word.text for word in statement[:3] if word.text != "async"]
    return words[1] if len(words) > 1 and words[0] == "def" else ""


def _after_signature(statement: Sequence[Word]) -> list[str]:
    """What follows on the same line, as in ``def f(x): return x``."""
    depth = 0
    for place, word in enumerate(statement):
        depth += (word.text in "([{") - (word.text in ")]}")
        if depth == 0 and word.text == ":":
            said = _said(statement[place + 1 :])
            return [said] if said else []
    return []


def _said(statement: Sequence[Word]) -> str:
    """A statement as it is compared; empty if it costs nothing, or does nothing."""
    if not statement or statement[0].text in _COST_NOTHING:
        return ""
    if all(word.kind == "string" for word in statement):
        return ""
    return " ".join(word.text for word in statement)
