"""Lines of a report, as a notebook shows them: HTML that wraps under its own beginning, and beside
it the same as plain text, for whatever shows no HTML. A submission may have written what is in a
line, so all of it is escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from markupsafe import Markup, escape

from grader.report.feedback import SIGNS
from grader.report.feedback_page import with_code

# Mid-tones: they can be read on a white page and on a black one.
_COLOURS = {"✓": "#2a9d4a", "✗": "#d9534f", "!": "#b06fd6", "→": "#2f8fbd", "·": "#888888"}
_WIDTH_EM = 60  # about 100 characters: longer lines are hard to follow
_HANG_EM = 1.4  # what comes after a sign goes on under the words, not under the sign
_VERBATIM = ("expected  ", "got       ", "| ")  # values, and what was printed: columns line up
_WHOLE = '<div style="max-width: {width}em; line-height: 1.45">{lines}</div>'
_LINE = (
    '<div style="margin-left: {left:g}em; padding-left: {hang}em; text-indent: -{hang}em; '
    'white-space: pre-wrap{more}">{text}</div>'
)


def show_lines(lines: Sequence[str]) -> None:
    """Below the cell that is running; without a notebook they are printed."""
    if "get_ipython" not in vars(sys.modules["__main__"]):
        print("\n".join(lines))
        return
    from IPython.display import display

    display(bundle(lines), raw=True)


def bundle(lines: Sequence[str]) -> dict[str, str]:
    """Both forms, by their MIME types."""
    return {"text/html": html(lines), "text/plain": "\n".join(lines)}


def html(lines: Sequence[str]) -> str:
    """A block for each line, as far in as it was; headings are bold, signs have their colours."""
    pairs = zip_longest(lines, lines[1:], fillvalue="")
    shown = Markup("\n").join(_line(line, _is_head(line, after)) for line, after in pairs)
    return str(Markup(_WHOLE).format(width=_WIDTH_EM, lines=shown))


def _line(line: str, is_head: bool) -> Markup:
    text = line.lstrip(" ")
    more = "; font-weight: bold" if is_head else ""
    more += "; font-family: monospace" if text.startswith(_VERBATIM) else ""
    left = (len(line) - len(text)) / 2
    shown = Markup("").join(_parts(text))
    return Markup(_LINE).format(left=left, hang=_HANG_EM, more=more, text=shown)


def _parts(text: str) -> Iterator[Markup]:
    """The sign, if there is one, and the words."""
    colour = _COLOURS.get(text[:1]) if text[1:2] == " " else None
    if colour is not None:
        yield Markup('<span style="color: {}; font-weight: bold">{}</span>').format(colour, text[0])
        text = text[1:]
    yield escape(text) if text.startswith(_VERBATIM) else with_code(text)


def _is_head(line: str, after: str) -> bool:
    """A heading has no sign, and below it stands what is deeper, or a check with its sign."""
    text, below = line.lstrip(" "), after.lstrip(" ")
    deeper = (len(after) - len(below)) - (len(line) - len(text))
    is_check = below[:1] in SIGNS.values() and below[1:2] == " "
    return text[1:2] != " " and deeper >= 0 and (deeper > 0 or is_check) and bool(below)
