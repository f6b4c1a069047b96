"""On what words a check rests: nothing is demanded that the page does not say.

A check names words of its page, or of exercises/README.md, which holds for all pages; here they are
looked for. Pages are read as students get them: docstrings and comments, and no solution's body.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from grader.course.course import Course
from grader.course.markers import stub_text
from grader.course.suite_text import CheckText, read_suite

_FEWEST_WORDS = 4  # three, like "of the input", would stand on many a page


def unsaid(course: Course, name: str) -> list[str]:
    """What the checks of an exercise demand, but no words do; a sentence each. A suite without any
    such mark has one finding.
    """
    checks = read_suite(course, name)
    if not any(check.rests_on for check in checks):
        return [f"{name}: no check says on which words of the page it rests"]
    texts = [_plain(words_of_page(course, name)), _plain(_house_rules(course))]
    return [f"{name}: {check.name} {fault}" for check in checks for fault in _faults(check, texts)]


def words_of_page(course: Course, name: str) -> str:
    """The prose of a stub: its docstrings and its comments."""
    stub = stub_text(course.solution(name).read_text(encoding="utf-8"), name)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(stub)) if isinstance(node, kinds)]
    return "\n\n".join([*(ast.get_docstring(node) or "" for node in nodes), *_comments(stub)])


def _comments(stub: str) -> Iterator[str]:
    """Those on lines that follow one another are one text, as they are read."""
    for token in tokenize.generate_tokens(io.StringIO(stub).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("# ")


def _house_rules(course: Course) -> str:
    page = course.exercises / "README.md"
    lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return "\n".join(line for line in lines if not line.startswith("|"))


def _faults(check: CheckText, texts: list[str]) -> Iterator[str]:
    if not check.rests_on:
        yield "rests on no words of the page"
    for words in check.rests_on:
        plain = _plain(words)
        if len(plain.split()) < _FEWEST_WORDS:
            yield f"rests on {words!r}: fewer than {_FEWEST_WORDS} words would stand on any page"
        elif plain.rstrip(".") == _plain(check.sentence).rstrip("."):
            yield "rests on its own docstring: quote what the page says where it explains it"
        elif not any(_stands(plain, text) for text in texts):
            yield f"rests on {words!r}, which is neither on the page nor in exercises/README.md"


def _stands(words: str, text: str) -> bool:
    """Whole words; the first letter may be a small one, as in the midst of a sentence."""
    first, rest = words[0], re.escape(words[1:])
    either = f"[{re.escape(first.lower())}{re.escape(first.upper())}]"
    return re.search(rf"(?<!\w){either}{rest}(?!\w)", text) is not None


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())
