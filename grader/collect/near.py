"""A file's name -> the exercise it stands for, also where it is spelled a little differently.

Browsers, platforms and people change names: ``softmax (1).py``, ``Softmax.py``, ``softmax-1.py``,
``softmax_final.py``, ``softmax.py.txt``. Nothing is opened here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

PATIENT = "clinic_"  # how modules begin that `grader clinic` writes
SUFFIX, NOTEBOOK = ".py", ".ipynb"
_PYTHON = re.compile(r"(\.py)+(\.txt)*$", re.IGNORECASE)
_NOTEBOOK = re.compile(r"\.ipynb(\.(txt|json))*$", re.IGNORECASE)  # as browsers save it
_BETWEEN = re.compile(r"[\s_\-().,\[\]]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ATTEMPT = re.compile(r"-(\d{1,2})$")  # Canvas' mark; longer numbers are ids of students
_COUNTED = re.compile(r"(?:v|ver|version|attempt|try|copy)?(\d{1,2})|(?:hw|ps|week|lab)\d*")
# What people and programs put beside a name without making another thing of it.
_SAME = frozenset(
    "final copy kopie copia copie of new neu fixed done solution solved submission submitted "
    "answer answers attempt version v latest last complete completed updated corrected my the "
    "homework assignment exercise".split()
)
# What makes another thing of it.
_OTHER = frozenset(
    "test tests util utils utility helper helpers plot plots demo example examples main run stub "
    "old backup bak original template notes check debug train draft".split()
)
# What a folder is called that is nobody's, beside these.
_NOBODYS = frozenset(
    "drafts solutions backups archive archives build site cache private ignore ignored templates "
    "config data images figures resources assets src lib code work modules notebook "
    "notebooks doc docs".split()
)
_PARTS = re.compile(
    r"[a-z]|\d{1,2}|(week|part|task|day|unit|lab|hw|ps|ex|exercise|assignment|try|v)s?\d*"
)


@dataclass(frozen=True, order=True)
class Likeness:
    """How near a name is to the exercise's own: the largest counts. ``number`` is that of an
    attempt, or of a copy.
    """

    kind: int
    number: int = 0


ATTEMPT, EXACT, SPELLED, COPY, LOOSE = 4, 3, 2, 1, 0


def is_python(name: str) -> bool:
    """Also as Windows and old archives spell it, ``SOFTMAX.PY``, and as some mail programs do."""
    return _PYTHON.search(name) is not None


def is_notebook(name: str) -> bool:
    """``softmax.ipynb``, also as some browsers save it."""
    return _NOTEBOOK.search(name) is not None


def is_source(name: str) -> bool:
    """Whether a module may be made of it."""
    return is_python(name) or is_notebook(name)


def stem_of(name: str) -> str:
    """``softmax.py.txt`` and ``softmax.ipynb`` are ``softmax``."""
    return _NOTEBOOK.sub("", _PYTHON.sub("", name))


def patient_of(module: str, known: Collection[str]) -> str:
    """The exercise whose program, with a mistake in it, ``grader clinic`` wrote under this name;
    empty if it is none.
    """
    exercise = module.removeprefix(PATIENT)
    return exercise if exercise in known and exercise != module and module not in known else ""


def meant(name: str, known: Collection[str]) -> tuple[str, Likeness] | None:
    """The exercise that a file of this name stands for, and how near its name is: a notebook goes
    after the Python file of the same name.
    """
    if not is_source(name) or name.startswith((".", "_")):
        return None
    stem = stem_of(name)
    if stem in known:
        return stem, Likeness(EXACT if name == stem + SUFFIX else SPELLED)
    attempt = _ATTEMPT.search(stem)
    if attempt and stem[: attempt.start()].casefold() in known:
        return stem[: attempt.start()].casefold(), Likeness(ATTEMPT, int(attempt[1]))
    if patient_of(stem, known):
        return None  # mended it is the right program, and nobody's own
    return _loosely(stem, known)


def says_nothing(name: str, known: Collection[str] = ()) -> bool:
    """Whether a folder of this name may be anybody's: ``week 1``, ``old``, ``softmax``."""
    tokens = _tokens(name)
    nobodys = _SAME | _OTHER | _NOBODYS
    if all(token in nobodys or _PARTS.fullmatch(token) for token in tokens):
        return True
    return meant(name.strip("_. ") + SUFFIX, known) is not None


def _loosely(stem: str, known: Collection[str]) -> tuple[str, Likeness] | None:
    found: dict[str, list[str]] = {}
    for tokens in (_tokens(stem), _tokens(_HUMPS.sub(" ", stem))):
        for module, rest in _within(tokens, known):
            found[module] = min(rest, found.get(module, rest), key=len)
    longest = max(map(len, found), default=0)
    modules = [module for module in found if len(module) == longest]
    if len(modules) != 1 or _another(modules[0], found):
        return None
    rest = found[modules[0]]
    if any(token in _OTHER for token in rest):
        return None
    numbers = [_COUNTED.fullmatch(token) for token in rest]
    if all(match or token in _SAME for match, token in zip(numbers, rest, strict=True)):
        counted = [int(match[1]) for match in numbers if match and match[1]]
        return modules[0], Likeness(COPY if rest else SPELLED, max(counted, default=0))
    return modules[0], Likeness(LOOSE)


def _another(module: str, found: Collection[str]) -> bool:
    """``encoder_decoder`` is neither."""
    return any(other not in module for other in found)


def _tokens(stem: str) -> list[str]:
    plain = unicodedata.normalize("NFC", stem).casefold()
    return [token for token in _BETWEEN.split(plain) if token]


def _within(tokens: Sequence[str], known: Collection[str]) -> list[tuple[str, list[str]]]:
    """Exercises whose words stand in ``tokens``, each with the other words."""
    whole = {name.replace("_", ""): name for name in known}
    tokens = tokens[:12]  # nobody's name for an exercise is longer
    found = []
    for begin in range(len(tokens)):
        for end in range(begin + 1, len(tokens) + 1):
            name = whole.get("".join(tokens[begin:end]))
            if name is not None:
                # A number in front is an id, or an exercise's, and counts no copies.
                before = [f"#{token}" if token.isdigit() else token for token in tokens[:begin]]
                found.append((name, [*before, *tokens[end:]]))
    return found
