"""Which misconception gives this very answer?

When a check fails, it is run again with misconceptions of the exercise in the submission's place,
on the same inputs. One that fails in the same comparison with the same numbers, or with the same
words, shows the failure too. It is named if it explains in both directions:

- of the functions that it shows failures of, it shows all failures, and so it does of those they
  are made from or given objects of, or share a private function with; and it fails no check
  otherwise than the submission does;
- it fails no check that the submission passed. Clocked checks, and those without a comparable
  outcome, contradict nothing.

A check ends with the first thing that differs. Of several that show the same failure, and hardly
another, those are left out that do not go on as the submission does in what the check compares
next, if another one does.

Some of its evidence must be strong: numbers that no other mistake is likely to give. NaN, zeros,
one number, a shape, an exception or a sentence are weak, for many mistakes give them: then it must
be the only one in the bank that explains the same, and no failure of what is made from these
functions may be left over. An exception that says nothing of what it is about explains nothing.

Two are named together, each where it shows the failure, if both have strong evidence, never of the
same failure, and where neither shows one both would fail. Of different functions one may show what
the other would fail otherwise: a check of both ends with the first wrong answer.

Whoever is still on the way has more than one thing wrong with a function, of which one may be
unknown. So one with strong evidence is named in part, where it shows the failure, beside *gaps*:
failures that it would not show, and that are no wrong numbers but an exception, a shape, a dtype,
or right when they were asked first. It shows more failures than there are gaps, and than it fails
otherwise; and other numbers than its own are only explained by a gap. Of gaps in what its functions
are made from only those count that say nothing of numbers.

What a check says in words of numbers drawn by chance may differ in what it counts up, and numbers
computed in 16 bits in how they were rounded: for who has strong evidence it is enough that both
begin alike, or, of few failures, that the numbers are nearly the same.

A slip in what several functions share may be made in one of them alone. So where no other is known,
one is named that shows all that is wrong with its functions, with strong evidence, and against
which only other functions speak.

Where a page is written step by step, what is wrong in the first step that is wrong may be named by
itself, while a later step is wrong as well, or a few other checks fail otherwise. One must show all
of it, with strong evidence, and more than any other does; fail more than four fifths of all wrong
numbers, in whichever way: a narrow mistake is not named in the place of a wide one; and nothing
that the submission passed.

Whoever calls a function that is wrong is wrong as well, in numbers that no page of ours need give:
ours calls another. So one may be named in part whose failures are all there are but for those of
functions that call, in what the submission wrote, the ones it is about; of two that it is about and
of which one calls the other, that is the other.

There may be two hundred, so not every one is tried in every check: first those that would fail all
the checks that are said to catch them, and most of them just as the submission does; and of these
first those that show what is shown soonest. One that explains everything needs no other beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from grader.examiner.behind import FEW, outdone
from grader.examiner.case import OF_NUMBERS, Case, shows
from grader.examiner.evidence import is_anybodys, is_like_none, nearly_same, said_alike
from grader.programs.bank import Entry

_MUCH_LONGER = 3  # times as long as a weak failure a strong one may take, and is asked first; and
# as one that is only known at the end of its check, one that is sooner known
_MANY, _MOST = 8, 6  # failures that are no accident, and times as many are shown as are not
_FEW = 4  # times as many failures are shown as are shown nearly

RestsOn = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Suspect:
    """A misconception, and which failures it shows, would fail otherwise, and would not fail."""

    entry: Entry
    shown: tuple[int, ...]
    otherwise: frozenset[int]
    is_strong: bool

    @property
    def fails(self) -> frozenset[int]:
        """Which of the failed checks it would fail, in whichever way."""
        return self.otherwise | set(self.shown)


def recognise(
    cases: Sequence[Case],
    entries: Iterable[Entry],
    rests_on: RestsOn | None = None,
    calls: RestsOn | None = None,
) -> list[Entry | None]:
    """The misconception behind each check of an exercise, where one is known.

    ``rests_on`` says of a function which others of its page it is made from; ``calls`` the same of
    the submission's.
    """
    court = _Court(cases, rests_on or {}, calls or {})
    named: dict[int, Entry] = {}
    suspects = court.suspects(list(entries))
    suspects.sort(key=lambda suspect: -len(suspect.shown))
    for suspect in court.alone(suspects):
        for index in suspect.shown:
            named.setdefault(index, suspect.entry)
    for pair in court.together([s for s in suspects if named.keys().isdisjoint(s.shown)]):
        for suspect in pair:
            named |= dict.fromkeys(suspect.shown, suspect.entry)
    for suspect in court.in_part(suspects):
        if named.keys().isdisjoint(suspect.shown):
            named |= dict.fromkeys(suspect.shown, suspect.entry)
    if (one := court.at_hand(suspects)) and named.keys().isdisjoint(one.shown):
        named |= dict.fromkeys(one.shown, one.entry)
    for suspect in (*court.of_its_functions(suspects), *court.but_for_callers(suspects)):
        if named.keys().isdisjoint(suspect.shown):
            named |= dict.fromkeys(suspect.shown, suspect.entry)
    return [named.get(index) for index in range(len(cases))]


@dataclass
class _Court:
    """What is asked of suspects, each once."""

    cases: Sequence[Case]
    rests_on: RestsOn
    calls: RestsOn
    _contradicted: dict[tuple[str, frozenset[str]], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.failed = {n: case for n, case in enumerate(self.cases) if case.evidence is not None}
        self.caught = {case.check for case in self.cases if not case.passed}
        witnesses = [case for case in self.cases if case.contradicts]
        self.witnesses = sorted(witnesses, key=lambda case: case.seconds)

    def suspects(self, entries: Sequence[Entry]) -> list[Suspect]:
        """Those to be taken seriously, in the bank's order; or only the one that explains all."""
        found: dict[int, Suspect] = {}
        for place in self._likely_first(entries):
            suspect = self.suspect(entries[place])
            if suspect is None:
                continue
            everything = suspect.is_strong and len(suspect.shown) == len(self.failed)
            if everything and self._is_free(suspect):
                return [suspect]
            found[place] = suspect
        in_order = [found[place] for place in sorted(found)]
        doubtful = [suspect for suspect in in_order if len(suspect.shown) <= FEW]
        out = outdone(
            (case, [one.entry for one in doubtful if n in one.shown])
            for n, case in self.failed.items()
        )
        return [suspect for suspect in in_order if suspect.entry.key not in out]

    def _likely_first(self, entries: Sequence[Entry]) -> Iterator[int]:
        """The places of those that may be suspects; first of those that show what takes least."""
        may_be = [n for n, one in enumerate(entries) if self.caught.issuperset(one.caught_by)]
        cases = self.failed.items()
        asked = [n for n, c in cases if c.evidence and not (c.clocked or is_like_none(c.evidence))]
        if not asked:
            yield from may_be
            return
        quickest, others = min(asked, key=self._telling_and_quick), []
        for place in may_be:
            if self._shows(entries[place], quickest):
                yield place
            else:
                others.append(place)
        yield from others

    def _telling_and_quick(self, index: int) -> tuple[bool, float]:
        case = self.failed[index]
        doubts = (not case.is_strong) + (case.sooner_known is None)  # whoever passes goes on
        return case.clocked, case.seconds * _MUCH_LONGER**doubts

    def suspect(self, entry: Entry) -> Suspect | None:
        """With what it shows, if it is to be taken seriously at all."""
        if not self._shows_most_of_its_own(entry):
            return None
        shown = [n for n in self.failed if self._shows(entry, n)]
        is_strong = any(self.failed[n].is_strong for n in shown)
        if is_strong:
            shown += [n for n in self.failed if n not in shown and self._says(entry, n)]
            nearly = [n for n in self.failed if n not in shown and self._nearly_shows(entry, n)]
            shown += nearly if _FEW * len(nearly) <= len(shown) else []
        others = [n for n in self.failed if n not in shown]
        otherwise = frozenset(n for n in others if self.failed[n].answer_of(entry) is not None)
        return Suspect(entry, tuple(sorted(shown)), otherwise, is_strong)

    def _shows_most_of_its_own(self, entry: Entry) -> bool:
        """Of the checks that are said to catch it; the quickest go first, and no more are made than
        that needs.
        """
        own = [n for n, case in self.failed.items() if case.check in entry.caught_by]
        own.sort(key=self._telling_and_quick)
        missing, spare = len(own) // 2 + 1, (len(own) - 1) // 2
        for index in own:
            shown = self._shows(entry, index)
            missing, spare = missing - shown, spare - (not shown)
            if missing == 0 or spare < 0:
                break
        return missing == 0

    def alone(self, suspects: Sequence[Suspect]) -> Iterator[Suspect]:
        """Those that need no other beside them."""
        whole = [s for s in suspects if not s.otherwise and self._covers(s.shown)]
        for suspect in whole:
            if suspect.is_strong and self._is_free(suspect):
                yield suspect
        weak = [s for s in whole if not s.is_strong and self._covers_all_kin(s.shown)]
        weak = weak or [s for s in suspects if self._is_weak_and_nearly_whole(s)]
        weak = [s for s in weak if not all(self._is_anybodys(n) for n in s.shown)]
        for suspect in weak:
            rivals = [s for s in weak if self._of_functions(s) & self._of_functions(suspect)]
            if [s for s in rivals if self._is_free(s)] == [suspect]:
                yield suspect

    def _is_weak_and_nearly_whole(self, suspect: Suspect) -> bool:
        """Whether it shows nearly all of many failures, and the others otherwise: what comes after
        a mistake may depend on how the rest is written.
        """
        shown, otherwise = suspect.shown, suspect.otherwise
        many = len(shown) >= max(_MANY, _MOST * len(otherwise)) and bool(otherwise)
        return many and not suspect.is_strong and self._covers_all_kin((*shown, *otherwise))

    def together(self, suspects: Sequence[Suspect]) -> Iterator[tuple[Suspect, Suspect]]:
        """The first pair that explains what neither does alone."""
        strong = [s for s in suspects if s.is_strong]
        for one, other in combinations(strong, 2):
            apart = not set(one.shown) & set(other.shown)
            both = one.otherwise & other.otherwise
            of_one = one.otherwise ^ other.otherwise
            if self._functions(one).isdisjoint(self._functions(other)):
                of_one -= {*one.shown, *other.shown}
            if apart and not of_one:
                explained = (*one.shown, *other.shown, *both)
                if self._covers(explained) and self._is_free(one) and self._is_free(other):
                    yield one, other
                    return

    def in_part(self, suspects: Sequence[Suspect]) -> Iterator[Suspect]:
        """Those beside which something else is wrong with the same functions."""
        for suspect in suspects:
            if suspect.is_strong and self._outweighs(suspect) and self._is_free(suspect):
                yield suspect

    def at_hand(self, suspects: Sequence[Suspect]) -> Suspect | None:
        """The one that shows all that is wrong in the first step that is, while something else is
        not right either: a later step, which it does not show, or a few checks that it fails
        otherwise.
        """
        steps = {n: case.step for n, case in self.failed.items() if case.step}
        first = min(steps.values(), default=0)
        here = {n for n, step in steps.items() if step == first}
        later = steps.keys() - here
        all_of_it = [
            s
            for s in suspects
            if here <= set(s.shown) and (later - set(s.shown) or self._is_nearly_all(s))
        ]
        strong = [s for s in all_of_it if any(self.failed[n].is_strong for n in here)]
        free = [s for s in strong if self._is_wide(s) and self._is_free(s)]
        most = max((len(suspect.shown) for suspect in free), default=0)
        best = [suspect for suspect in free if len(suspect.shown) == most]
        return best[0] if len(best) == 1 else None

    def of_its_functions(self, suspects: Sequence[Suspect]) -> Iterator[Suspect]:
        """Those that need no other beside them, if only other functions speak against them."""
        for suspect in suspects:
            scope = self._functions(suspect)
            whole = not suspect.otherwise and self._covers(suspect.shown)
            if whole and suspect.is_strong and "" not in scope and self._is_free(suspect, scope):
                yield suspect

    def but_for_callers(self, suspects: Sequence[Suspect]) -> Iterator[Suspect]:
        """Those that need no other beside them, if what calls their functions does not count, nor
        what other functions have passed.
        """
        for suspect in suspects:
            scope = self._called_last(self._functions(suspect) - {""})
            callers = {n for n, case in self.failed.items() if self._calls(case.of, scope)}
            shown = [n for n in suspect.shown if n not in callers]
            is_strong = any(self.failed[n].is_strong for n in shown)
            whole = callers >= suspect.otherwise and self._covers((*suspect.shown, *callers))
            if callers and is_strong and whole and self._is_free(suspect, scope):
                yield suspect

    def _called_last(self, functions: Collection[str]) -> set[str]:
        """Those that call none of the others."""
        return {one for one in functions if not self._calls(one, {*functions} - {one})}

    def _calls(self, caller: str, scope: Collection[str]) -> bool:
        """Whether a function calls one of others, or calls what does."""
        reached, waiting = set[str](), [caller]
        while waiting:
            here = self.calls.get(waiting.pop(), frozenset()) - reached
            reached |= here
            waiting += here
        return caller not in scope and not reached.isdisjoint(scope)

    def _functions(self, suspect: Suspect) -> set[str]:
        return {self.failed[n].of for n in suspect.shown}

    def _of_functions(self, suspect: Suspect) -> set[int]:
        """What it shows, but for failures that are of no function more than of others: these tell
        nobody from anybody.
        """
        return {n for n in suspect.shown if self.failed[n].of} or set(suspect.shown)

    def _outweighs(self, suspect: Suspect) -> bool:
        """Whether it shows more than it leaves, which are gaps, and fails otherwise beside them."""
        here, elsewhere = self._gaps_beside(suspect)
        if len(suspect.shown) <= max(len(suspect.otherwise), len(here)):
            return False
        if not (here or elsewhere or all(self.failed[n].is_gap for n in suspect.otherwise)):
            return False
        return self._covers((*suspect.shown, *suspect.otherwise, *here, *elsewhere))

    def _is_wide(self, suspect: Suspect) -> bool:
        """Whether it would fail nearly all of the wrong numbers, in whichever way."""
        failed = self.failed.items()
        numbers = {n for n, case in failed if case.evidence and case.evidence.kind in OF_NUMBERS}
        return 5 * len(numbers & suspect.fails) > 4 * len(numbers)

    def _is_nearly_all(self, suspect: Suspect) -> bool:
        """Whether it shows nearly all that it would fail, in tensors: two mistakes may well count
        the same in one step, and hardly compute the same.
        """
        found = [self.failed[n].evidence for n in suspect.shown]
        computed = all(one is not None and one.kind != "value" for one in found)
        return computed and len(suspect.shown) >= _FEW * len(suspect.otherwise) > 0

    def _gaps_beside(self, suspect: Suspect) -> tuple[list[int], list[int]]:
        """Those of its functions, and those of others."""
        scope = self._functions(suspect)
        rest = self.failed.keys() - set(suspect.shown) - suspect.otherwise
        gaps = [n for n in sorted(rest) if self.failed[n].is_gap]
        here = [n for n in gaps if self.failed[n].of in scope]
        return here, [n for n in gaps if n not in here and self.failed[n].is_beside_numbers]

    def _is_anybodys(self, index: int) -> bool:
        evidence = self.failed[index].evidence
        return evidence is not None and is_anybodys(evidence)

    def _shows(self, entry: Entry, index: int) -> bool:
        return shows(entry, self.failed[index])

    def _nearly_shows(self, entry: Entry, index: int) -> bool:
        """Whether its wrong numbers are those of the submission but for rounding in 16 bits."""
        return shows(entry, self.failed[index], nearly_same)

    def _says(self, entry: Entry, index: int) -> bool:
        """Whether a check counts up what it found by chance, of it as of the submission."""
        return shows(entry, self.failed[index], said_alike)

    def _covers(self, explained: Iterable[int]) -> bool:
        """Whether nothing else is wrong with these functions, nor with what they are made from."""
        explained = set(explained)
        scope = {self.failed[n].of for n in explained}
        given = {name for n in explained for name in self.failed[n].beside}
        others = {case.of for n, case in self.failed.items() if n not in explained}
        within = any(self._is_within(other, one) for one in scope for other in others)
        return not within and others.isdisjoint(given)

    def _is_within(self, other: str, one: str) -> bool:
        """Whether it is, is used in, or shares a private function with it."""
        mine, theirs = self.rests_on.get(one, frozenset()), self.rests_on.get(other, frozenset())
        shared = any(name.startswith("_") for name in mine & theirs)
        return other == one or other in mine or shared

    def _covers_all_kin(self, explained: Iterable[int]) -> bool:
        """Nor with what is made from them."""
        explained = set(explained)
        scope = {self.failed[n].of for n in explained}
        others = {case.of for n, case in self.failed.items() if n not in explained}
        return not any(self._is_within(one, other) for one in scope for other in others)

    def _is_free(self, suspect: Suspect, scope: Collection[str] = ()) -> bool:
        """Whether no check that the submission passed speaks against it, or none of those of the
        functions in ``scope``; the quickest go first.
        """
        entry, key = suspect.entry, (suspect.entry.name, frozenset(scope))
        if key not in self._contradicted:
            asked = (case for case in self.witnesses if not scope or case.of in scope)
            self._contradicted[key] = any(case.answer_of(entry) is not None for case in asked)
        return not self._contradicted[key]
