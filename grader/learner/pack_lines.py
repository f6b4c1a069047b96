"""What a learner reads of a pack: what is found in it where it is collected, and what is missed."""

from __future__ import annotations

import ast
import datetime
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence

from grader.collect import Collected
from grader.collect.near import PATIENT
from grader.course.markers import left_to_write
from grader.learner import words
from grader.learner.lines import Line, hung
from grader.learner.packing import Pack
from grader.model import Exercise
from grader.report.words import told

_MISSED = ("✗", "!")


def pack_lines(
    pack: Pack, found: Collected, catalog: Mapping[str, Exercise], width: int
) -> list[Line]:
    """One line for every exercise in it, then what is not in it; ``found`` is what was collected
    of the archive.
    """
    texts = [*_found(pack, found, catalog), *_not_packed(pack), *_not_read(found)]
    return [line for text in texts for line in hung(text, width)]


def is_missed(lines: Iterable[Line]) -> bool:
    """Whether any of it needs the learner's eye."""
    return any(line.text.lstrip().startswith(_MISSED) for line in lines)


def due_words(due: str, now: datetime.datetime) -> str:
    """Until when it can be handed in, where the folder knows; nothing where it does not."""
    try:
        when = datetime.datetime.fromisoformat(due)
    except ValueError:
        return ""
    if when.tzinfo is None:
        return ""
    shown = when.strftime("%Y-%m-%d %H:%M %z")
    return (words.DUE if now <= when else words.WAS_DUE).format(due=shown)


def _found(pack: Pack, found: Collected, catalog: Mapping[str, Exercise]) -> Iterator[str]:
    """What was packed, as it is read by who collects it."""
    names = [name for name in catalog if name in pack.modules]
    names += [name for name in pack.modules if name not in catalog]
    if len(found) != 1:
        yield words.TAKEN_APART.format(count=len(found))
        return
    for name in names:
        if name in found[0].problems:
            yield words.CANNOT_BE_READ.format(why=told(found[0].problems[name]).rationale)
        elif name not in found[0].files:
            yield words.NOT_FOUND_IN_IT.format(name=name)
        else:
            yield _read_as(name, found[0].files[name], is_exercise=name in catalog)


def _read_as(name: str, text: str, *, is_exercise: bool) -> str:
    error = _syntax_error(text)
    if error:
        return words.NOT_PYTHON.format(name=name, said=error)
    if name.startswith(PATIENT) and not is_exercise:
        return words.PATIENT_IN_IT.format(name=name)
    if not is_exercise:
        return words.OWN_MODULE.format(name=name)
    count = left_to_write(text)
    return (words.LEFT_TO_WRITE if count else words.IS_IN_IT).format(name=name, count=count)


def _syntax_error(text: str) -> str:
    """What Python says to a text that it cannot read; it is one's own."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text)
    except SyntaxError as error:
        line = (error.text or "").strip()
        return words.IN_LINE.format(line=error.lineno, said=error.msg, text=line[:60])
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__
    return ""


def _not_packed(pack: Pack) -> Iterator[str]:
    for why in pack.unread.values():
        yield words.CANNOT_BE_READ.format(why=why)
    for sentence, names in ((words.AS_GIVEN, pack.as_given), (words.ABSENT, pack.absent)):
        if names:
            yield sentence.format(names=_listed(names), count=len(names))
    for name, reason in pack.left_out.items():
        yield words.LEFT_OUT_OF_PACK.format(name=name, reason=reason)


def _not_read(found: Collected) -> Iterator[str]:
    """What the archive holds, and who collects it does not grade, or under another name."""
    around = f"{found[0].path}/" if len(found) == 1 else ""
    for one in found.ignored:
        name = one.path.removeprefix(around)
        yield words.PACKED_FOR_NOTHING.format(name=name, reason=one.reason)
    for note in found.notes:
        yield words.PACKED_AND_TOLD.format(name=note.path.removeprefix(around), says=note.says)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
