"""Exercises that assemble the submission's own earlier modules: is one of those at fault?

A capstone built on a wrong module gives wrong answers however well it is wired. Its failed checks
are then ``blocked`` by the module to mend first, instead of being a cascade of failures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from grader.examiner.plugin import Stop, Turn, never
from grader.examiner.subject import SubmissionSubject
from grader.model import Cause, Exercise, Outcome, Verdict

_DOUBTFUL = (Outcome.FAILED, Outcome.ERROR, Outcome.TIMEOUT, Outcome.MEMORY)
_RIGHT = (Outcome.PASSED, Outcome.SKIPPED)

# Read with a pattern and not with Python's parser, which a hostile file can crash.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[ \t]+import\b|import[ \t]+([^#\n]+))", re.M)


class Examination:
    """One submission's way through its exercises; ``found`` holds the verdicts so far."""

    def __init__(
        self,
        subject: SubmissionSubject,
        catalog: Mapping[str, Exercise],
        on_verdict: Callable[[Verdict], None],
        stop: Stop = never,
    ) -> None:
        self.found: dict[str, list[Verdict]] = {}
        self._subject, self._catalog, self._on_verdict = subject, catalog, on_verdict
        self._stop = stop

    def turns(self, exercise: Exercise) -> Iterator[Turn]:
        """The turns it takes to know the exercise's verdicts. If a check fails for a reason that
        may lie in own modules, these are examined as well, unless they have been.
        """
        name = exercise.name
        yield from self._first_time(exercise)
        if any(_is_doubtful(verdict) for verdict in self.found[name]):
            used = own_modules(self._subject.submission.files, name)
            own = [other for other in self._catalog if other in used]
            for other in own:
                yield from self._first_time(self._catalog[other])
            self.found[name] = mend_first(self.found[name], {o: self.found[o] for o in own})

    def _first_time(self, exercise: Exercise) -> Iterator[Turn]:
        if exercise.name not in self.found:
            verdicts = self.found[exercise.name] = []

            def take(verdict: Verdict) -> None:
                verdicts.append(verdict)
                self._on_verdict(verdict)

            yield Turn(self._subject, exercise, take, stop=self._stop)


def own_modules(files: Mapping[str, str], name: str) -> set[str]:
    """The submission's modules that ``name`` imports, directly or through one another.

    ``files`` maps module names to their text.
    """
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for imported in _imports(files.get(waiting.pop(), "")) & files.keys() - found - {name}:
            found.add(imported)
            waiting.append(imported)
    return found


def mend_first(verdicts: Sequence[Verdict], own: Mapping[str, Sequence[Verdict]]) -> list[Verdict]:
    """The verdicts of an exercise, given those of the own modules it uses, in teaching order.

    A failed check is blocked by the first of these that does not pass its own suite.
    """
    for name, found in own.items():
        failing = sum(verdict.outcome not in _RIGHT for verdict in found)
        if failing:
            said = f"fails {failing} of its {len(found)} checks"
            return [_blocked(v, name, said) if _is_doubtful(v) else v for v in verdicts]
    return list(verdicts)


def _imports(text: str) -> set[str]:
    names: set[str] = set()
    for source, several in _IMPORT.findall(text):
        names |= {source} if source else {part.strip().split(" ")[0] for part in several.split(",")}
    return names


def _is_doubtful(verdict: Verdict) -> bool:
    """Whether a check failed for a reason that need not lie in the exercise's own module."""
    return verdict.outcome in _DOUBTFUL and not verdict.settled


def _blocked(verdict: Verdict, name: str, said: str) -> Verdict:
    exercise, cause = verdict.check.exercise, verdict.cause or Cause("")
    cause = Cause(
        f"{exercise}.py uses your `{name}`, which {said}: the mistake may not be in {exercise}.",
        cause.expected,
        cause.rationale,
        f"Mend {name} first.",
    )
    return replace(verdict, outcome=Outcome.BLOCKED, cause=cause)
