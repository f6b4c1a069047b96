"""A text in Python -> its statements, each a list of words.

Nothing is parsed, which a hostile text can crash. The scanner is one expression: Python's own takes
several times as long, stops at errors, and reads f-strings otherwise from version to version.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from grader.sandbox.own_text import own_lines

MOST = 20_000  # words that are kept; the longest solution has a tenth of these
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
# After every repetition comes what always matches, so that no text makes it go back. (Possessive
# ones are wrong in Python 3.11.2.) An open string ends with its line, one in three quotes with the
# text.
_SCAN = re.compile(
    r"""[ \t\f]* (?:
      (?P<layout> \\\n | \#[^\n]* | \Z )
    | (?P<end>    [\n;] )
    | (?P<string> (?:[a-zA-Z]{1,2}(?=["']))? (?:
          \"{3} [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* (?: \"{3} | \\?\Z )
        | '{3}  [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* (?: '{3}  | \\?\Z )
        | "     [^"\\\n]* (?: \\. [^"\\\n]* )* "?
        | '     [^'\\\n]* (?: \\. [^'\\\n]* )* '? ) )
    | (?P<name>   [^\W\d]\w* )
    | (?P<number> \.?\d (?: [eE][+-](?=\d) | [\w.] )* )
    | (?P<sign>   \*\*=? | //=? | <<=? | >>=? | -> | := | \.{3} | [-+*/%&|^@=!<>]= | . ) )
    """,
    re.VERBOSE | re.DOTALL,
)


class Word(NamedTuple):
    """A name, number, string or sign; it stands in the lines ``first`` to ``last``, from 1 on."""

    kind: str
    text: str
    first: int
    last: int


def statements(text: str) -> Iterator[list[Word]]:
    """One logical line after another; between brackets a line end is layout."""
    statement: list[Word] = []
    line, depth = 1, 0
    for match in itertools.islice(_SCAN.finditer("\n".join(own_lines(text))), 2 * MOST):
        kind = match.lastgroup or ""
        word = match[kind]
        if kind == "end" and depth == 0:
            yield statement
            statement = []
        elif kind not in ("layout", "end"):
            last = line + word.count("\n") if kind == "string" else line
            statement.append(Word(kind, word, line, last))
            depth = max(depth + (word in OPENING) - (word in CLOSING), 0)
        if kind not in ("name", "number", "sign"):
            line += word.count("\n")
    yield statement
