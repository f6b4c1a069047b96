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
from grader.course.fault import Fault
from grader.course.markers import stub_text
from grader.course.suite_text import CheckText, read_suite

_FEWEST_WORDS = 4  # three, like "of the input", would stand on many a page

_QUOTE = (
    'Quote four or more words that demand it: @pytest.mark.rests_on("words of the page"). If there '
    "are none, say on the page what the check asks for, or ask for less."
)


def unsaid(course: Course, name: str) -> list[Fault]:
    """What the checks of an exercise demand, but no words do; a sentence each. A suite without any
    such mark has one finding.
    """
    checks = read_suite(course, name)
    if not any(check.rests_on for check in checks):
        return [Fault("no check says on which words of the page it rests", _QUOTE).of(name)]
    texts = [_plain(words_of_page(course, name)), _plain(_house_rules(course.home(name)))]
    return [fault.of(name) for check in checks for fault in _faults(check, texts)]


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


def _faults(check: CheckText, texts: list[str]) -> Iterator[Fault]:
    name = check.name
    if not check.rests_on:
        yield Fault(f"{name} rests on no words of the page", _QUOTE)
    for words in check.rests_on:
        plain, rests = _plain(words), f"{name} rests on {words!r}"
        if len(plain.split()) < _FEWEST_WORDS:
            few = f"{rests}: fewer than {_FEWEST_WORDS} words would stand on any page"
            yield Fault(few, "Quote more of the sentence.")
        elif plain.rstrip(".") == _plain(check.sentence).rstrip("."):
            yield Fault(
                f"{name} rests on its own docstring: quote what the page says where it explains it",
                "If it says it nowhere else, explain it there.",
            )
        elif not any(_stands(plain, text) for text in texts):
            yield Fault(
                f"{rests}, which is neither on the page nor in exercises/README.md",
                "Write it as it stands there, outside of the solution's body; or, if the page does "
                "not demand it yet, say it there.",
            )


def _stands(words: str, text: str) -> bool:
    """Whole words; the first letter may be a small one, as in the midst of a sentence."""
    first, rest = words[0], re.escape(words[1:])
    either = f"[{re.escape(first.lower())}{re.escape(first.upper())}]"
    return re.search(rf"(?<!\w){either}{rest}(?!\w)", text) is not None


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())
