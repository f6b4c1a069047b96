"""The texts of one module in a class -> which are nearly the same, and as what is published.

The stub never counts, nor what more than half of a large class writes: both are no work of one's
own. Where little is left, nothing is claimed, for short programs look alike by necessity.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.sandbox.own_text import own_lines
from grader.similarity.tokens import is_cut, tokens
from grader.similarity.winnowing import grams, winnowed

FEWEST = 15  # fingerprints in common: about 40 tokens, five lines
# Of our right variants that share so many, independent ones have at most 0.63 of the smaller in
# common; a copy that was renamed and has a line changed has 0.69 and more. Tests repeat it.
SHARE = 0.65
SAME_WORK = 0.8  # links a group: with less, chains of pairs would link half of a class
LARGE = 10  # different texts: of fewer, more than half may be one group of friends
FEWEST_LINES = 5  # of one's own, in a text that is the same to the letter
MOST_PAIRS = 200  # of one module; groups are complete
PUBLISHED = ""  # stands for our solution, where a submission's name stands otherwise


@dataclass(frozen=True)
class Given:
    """What everybody has: the stub of a module, and its published solution."""

    stub: str = ""
    published: str = ""


@dataclass(frozen=True)
class Pair:
    """Two texts: how many fingerprints they share, and which share of each these are. ``right`` is
    ``PUBLISHED`` for our solution; ``same`` texts are equal to the letter.
    """

    left: str
    right: str
    shared: int
    left_share: float
    right_share: float
    same: bool

    @property
    def nearness(self) -> tuple[bool, float, int]:
        """The nearest last, when sorted."""
        return self.same, max(self.left_share, self.right_share), self.shared


@dataclass(frozen=True)
class Group:
    """Who handed in nearly the same: each is linked to another one, or to our solution."""

    submissions: tuple[str, ...]
    like_published: bool
    same: bool


@dataclass(frozen=True)
class Compared:
    """The nearest first. ``too_small`` are those with too little of their own to be compared, and
    of ``cut`` only the beginning was.
    """

    pairs: tuple[Pair, ...]
    left_out: int
    groups: tuple[Group, ...]
    too_small: int
    cut: tuple[str, ...]


@dataclass(frozen=True)
class _Text:
    digest: bytes
    prints: frozenset[int]
    own_lines: int
    is_cut: bool


def compared(texts: Iterable[tuple[str, str]], given: Given) -> Compared:
    """``texts`` come with the names of their submissions, one at a time: only fingerprints stay."""
    stub = _Stub(given.stub)
    by_digest: dict[bytes, _Text] = {}
    class_: dict[str, _Text] = {}
    for name, text in texts:
        digest = _digest(text)
        if digest not in by_digest:
            by_digest[digest] = stub.without(text)
        class_[name] = by_digest[digest]
    pairs = list(_near_published(class_, stub, given.published))
    copies = {pair.left for pair in pairs}
    pairs += _near_each_other(class_, copies)
    pairs.sort(key=lambda pair: pair.nearness, reverse=True)
    return Compared(
        tuple(pairs[:MOST_PAIRS]),
        max(len(pairs) - MOST_PAIRS, 0),
        tuple(_groups(pairs, class_)),
        sum(0 < len(text.prints) < FEWEST for text in class_.values()),
        tuple(name for name, text in class_.items() if text.is_cut),
    )


class _Stub:
    """What was given out: none of its runs of tokens counts, nor any of its lines."""

    def __init__(self, text: str) -> None:
        self._grams = frozenset(grams(tokens(text)))
        self._lines = frozenset(line.strip() for line in own_lines(text))

    def without(self, text: str) -> _Text:
        found = tokens(text)
        prints = winnowed(grams(found)) - self._grams
        lines = [line.strip() for line in own_lines(text)]
        own = sum(bool(line) and line not in self._lines for line in lines)
        return _Text(_digest(text), prints, own, is_cut(found))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _near_published(class_: Mapping[str, _Text], stub: _Stub, published: str) -> Iterator[Pair]:
    """What more than half of the class writes counts here: they might all have copied it."""
    ours = stub.without(published)
    for name, text in class_.items():
        pair = _pair(name, PUBLISHED, text, ours)
        if pair is not None:
            yield pair


def _near_each_other(class_: Mapping[str, _Text], copies: Collection[str]) -> Iterator[Pair]:
    """Two copies of our solution are like each other as well: that is said already."""
    common = _common({text.prints for text in class_.values()})
    rest = [(name, replace(text, prints=text.prints - common)) for name, text in class_.items()]
    for (left, one), (right, other) in itertools.combinations(rest, 2):
        if not (left in copies and right in copies):
            pair = _pair(left, right, one, other)
            if pair is not None:
                yield pair


def _common(different: Collection[frozenset[int]]) -> frozenset[int]:
    """What stands in more than half of the different texts: copies count once."""
    if len(different) < LARGE:
        return frozenset()
    counts = Counter(itertools.chain.from_iterable(different))
    return frozenset(one for one, count in counts.items() if count > len(different) / 2)


def _pair(left: str, right: str, one: _Text, other: _Text) -> Pair | None:
    same = one.digest == other.digest and one.own_lines >= FEWEST_LINES
    shared = len(one.prints & other.prints)
    left_share, right_share = (shared / max(len(text.prints), 1) for text in (one, other))
    if same or (shared >= FEWEST and max(left_share, right_share) >= SHARE):
        return Pair(left, right, shared, left_share, right_share, same)
    return None


def _groups(pairs: Sequence[Pair], class_: Mapping[str, _Text]) -> Iterator[Group]:
    """The largest first."""
    leader = {name: name for name in (PUBLISHED, *class_)}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    links = [pair for pair in pairs if pair.nearness >= (False, SAME_WORK)]
    for pair in links:
        leader[find(pair.right)] = find(pair.left)
    linked = {name for pair in links for name in (pair.left, pair.right)}
    groups: dict[str, list[str]] = {}
    for name in class_:
        if name in linked:
            groups.setdefault(find(name), []).append(name)
    for key, names in sorted(groups.items(), key=lambda item: -len(item[1])):
        same = len(names) > 1 and len({class_[name].digest for name in names}) == 1
        yield Group(tuple(names), key == find(PUBLISHED), same)
