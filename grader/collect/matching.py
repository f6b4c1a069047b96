"""Whose something is: names and ids, as platforms and people spell them, against a roster.

A mark that goes to the wrong student is worse than none. So all that is known of a submission must
fit one student; clues that contradict one another fit nobody, and a person is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.collect.roster import Enrolled, as_id
from grader.collect.table import letters
from grader.spelling import folded


@dataclass(frozen=True)
class Match:
    """The places of the ``owners`` in the roster: one, or those who handed in together. Without
    any, ``rivals`` are all whom it might be.
    """

    owners: tuple[int, ...] = ()
    rivals: tuple[int, ...] = ()


class Matcher:
    """A roster by ids and by spellings."""

    def __init__(self, people: Sequence[Enrolled]) -> None:
        self._by_id: dict[str, set[int]] = {}
        self._by_name: dict[str, set[int]] = {}
        for place, who in enumerate(people):
            for one in who.ids:
                for key in _keys(one):
                    self._by_id.setdefault(key, set()).add(place)
            for spelling in who.spellings:
                self._by_name.setdefault(spelling, set()).add(place)

    def whose(self, names: Iterable[str], ids: Iterable[str], *, clones: bool = False) -> Match:
        """``names`` are what the student is called, the surest first; a name may also be an id, or
        those of a group, with commas between them. With ``clones`` it may end with an id.
        """
        names = tuple(names)
        called = next(filter(None, map(self._called, names)), set())
        found = _agreed([*map(self._with_id, ids), called])
        if not found and clones:
            found = next(filter(None, map(self._user, names)), set())
        together = next(filter(None, map(self._together, names)), ())
        if together and found <= set(together):
            return Match(owners=together)
        if len(found) == 1:
            return Match(owners=tuple(found))
        return Match(rivals=tuple(sorted(found)))

    def _with_id(self, text: str) -> set[int]:
        return self._by_id.get(folded(as_id(text)), set())

    def _called(self, name: str) -> set[int]:
        return _agreed([self._with_id(name), self._by_name.get(letters(name), set())])

    def _user(self, name: str) -> set[int]:
        """A clone of GitHub Classroom is called ASSIGNMENT-USER, and both may hold a ``-``; a file
        ID_REPORT. A begin without any digit may be the first name of somebody else.
        """
        words, parts = name.split("-"), name.split("_")
        users = ["-".join(words[at:]) for at in range(1, len(words))]
        begins = ["_".join(parts[:at]) for at in reversed(range(1, len(parts)))]
        users += [begin for begin in begins if any(map(str.isdigit, begin))]
        return next(filter(None, map(self._with_id, users)), set())

    def _together(self, name: str) -> tuple[int, ...]:
        """Those whom Gradescope lists as a group, if each of them is one of the roster; but
        ``Lee, Ann`` is more likely one than two.
        """
        found = [self._by_name.get(letters(member), set()) for member in name.split(", ")]
        alone = all(len(one) == 1 for one in found) and " " in name.replace(", ", ",")
        return tuple(place for one in found for place in one) if alone else ()


def _agreed(clues: Sequence[set[int]]) -> set[int]:
    """Whom all clues fit that fit anybody; if there is no such student, everybody whom one fits."""
    telling = [clue for clue in clues if clue]
    both = set.intersection(*telling) if telling else set()
    return both or set().union(*telling)


def _keys(text: str) -> Iterator[str]:
    """An id, and of an address also the user in it."""
    whole = folded(text)
    yield whole
    user, at, _ = whole.partition("@")
    if at and user:
        yield user
