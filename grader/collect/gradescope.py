"""Who handed in what, from the ``submission_metadata.yml`` of a Gradescope export, and who one
submission is from, of the ``submission_metadata.json`` that an autograder finds there.

The first is read line by line in the one form that Gradescope writes, and never as YAML, which can
name Python objects and unfold a few lines into gigabytes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from grader.collect.modules import NotRead
from grader.collect.shapes import Whose
from grader.collect.times import iso
from grader.collect.tree import Read

MAX_BYTES = 4 << 20  # a thousand submissions with all their results
NOBODY = "submission"  # who is not named
_SUBMISSION = re.compile(r"(submission_\d+):\s*")
_SECTION = re.compile(r"  :(\w+):\s*(.*?)\s*")
_FIELD = re.compile(r"  (?:- |  ):(name|sid|email):\s*(.*?)\s*")


def submitters(read: Read) -> dict[str, Whose]:
    """Students by the name of their folder, and when they handed in; several of one submission
    stand together.

    Raises ``NotRead``.
    """
    raw = read(MAX_BYTES)
    if len(raw) > MAX_BYTES:
        raise NotRead("unreadable", said=f"it is larger than {MAX_BYTES >> 20} MiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotRead("unreadable", said="it is not UTF-8 text") from None
    found = {folder: _whose(fields) for folder, fields in _fields(text).items()}
    if not any(whose.student for whose in found.values()):
        raise NotRead("unreadable", said="its names were not read: it is not of the known form")
    return {folder: whose for folder, whose in found.items() if whose.student}


def submitter(raw: bytes) -> Whose:
    """Of one submission: a group stands together. Known by an id of the school's, or else by an
    address: Gradescope's own numbers are known to nobody. What is not said stays empty.

    Source: gradescope-autograders.readthedocs.io, "Submission Metadata".
    """
    try:
        form = json.loads(raw)
    except ValueError:
        form = {}
    form = form if isinstance(form, dict) else {}
    listed = form.get("users")
    users = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    ids = [_told(one, "sid") or _told(one, "email") for one in users]
    fields = {"name": [_told(one, "name") for one in users], "sid": ids}
    fields["created_at"] = [_told(form, "created_at")]
    found = _whose(fields)
    return found if found.student else Whose(NOBODY, found.id, handed_in=found.handed_in)


def _told(form: dict[str, Any], key: str) -> str:
    value = form.get(key)
    return value if isinstance(value, str) else ""


def _fields(text: str) -> dict[str, dict[str, list[str]]]:
    """``{"submission_1": {"name": ["Ann"], "sid": ["7"]}}``, of the submitters alone, and
    when it was created.
    """
    found: dict[str, dict[str, list[str]]] = {}
    fields: dict[str, list[str]] = {}
    within = False
    for line in text.splitlines():
        if begins := _SUBMISSION.fullmatch(line):
            fields = found.setdefault(begins[1], {})
            within = False
        elif section := _SECTION.fullmatch(line):
            within = section[1] == "submitters"
            if section[1] == "created_at":
                fields.setdefault("created_at", []).append(_scalar(section[2]))
        elif within and (field := _FIELD.fullmatch(line)):
            fields.setdefault(field[1], []).append(_scalar(field[2]))
    return found


def _whose(fields: dict[str, list[str]]) -> Whose:
    """Of a group only all ids together are its id: one alone would be taken for its owner's."""
    names, ids = (list(filter(None, fields.get(key, []))) for key in ("name", "sid"))
    whole = " ".join(ids) if len(ids) == len(names) else ""
    return Whose(", ".join(names), whole, handed_in=iso(fields.get("created_at", [""])[0]))


def _scalar(text: str) -> str:
    """A plain or quoted value; what is neither is as good as absent."""
    if text[:1] == "'" == text[-1:] and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == '"':
        return _double_quoted(text)
    return "" if text in ("", "null", "~") or text[0] in "&*!|>[{" else text


def _double_quoted(text: str) -> str:
    """As JSON, which has all of its escapes but ``\\xE9`` and ``\\e``."""
    try:
        value = json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text))
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
