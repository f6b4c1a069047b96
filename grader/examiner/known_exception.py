"""How an exception is known: by words that its message has had since torch 2.6 and Python 3.11."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.errors import Raised

RUNTIME, TYPE, VALUE = "RuntimeError", "TypeError", "ValueError"
ATTRIBUTE, INDEX = "AttributeError", "IndexError"
ANY = ""

FUNCTION = r"(?P<got>function|method|builtin_function_or_method|type)"
OPERAND = r"unsupported operand type\(s\) for [^:]+: "

# What a message speaks of that has no line: a function that is called, an object of a class.
CALLED = re.compile(r"([\w.]+)\(\) ")
OWNER = re.compile(r"'(\w+)' object has no attribute")
TAKES_NOTHING = re.compile(r"takes 1 positional argument but|got an unexpected keyword argument")
WRONG_KEYWORD = re.compile(
    r"unexpected keyword argument '(\w+)'|invalid combination of arguments|missing \d+ required"
)


@dataclass(frozen=True)
class Known:
    """One sort of exception: ``types`` by name, separated by spaces; without any, every one."""

    kind: str
    types: str
    pattern: re.Pattern[str]

    def match(self, raised: Raised) -> re.Match[str] | None:
        if self.types and raised.type_name not in self.types.split():
            return None
        return self.pattern.search(raised.message)


def known(kind: str, types: str, *patterns: str) -> Known:
    """That sort of exception whose message holds one of the patterns."""
    return Known(kind, types, re.compile("|".join(patterns)))
