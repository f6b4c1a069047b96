"""Which checks can be let out: those whose data say of every known program what the check says.

A recorded check is tried with the reference, every right variant and every misconception. What it
rejects and the check does not, or the other way round, keeps it at home.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial

from grader.course.course import Course
from grader.errors import GraderError
from grader.examiner.check_run import case_of
from grader.examiner.collection import collected, undisturbed
from grader.examiner.finding import Finding, find
from grader.examiner.question import Known
from grader.examiner.sealed.codec import written
from grader.examiner.sealed.practice import drawn_for
from grader.examiner.sealed.replay import replaying
from grader.examiner.sealed.right import sealed_known
from grader.examiner.sealed.script import Recording
from grader.examiner.sealed.suite import SealedSuite
from grader.examiner.suite import Shared, Suite
from grader.examiner.telling import diagnose
from grader.model import Check, Exercise, Outcome
from grader.programs.bank import Entry
from grader.programs.program import Names, StandIn
from grader.release import words
from grader.release.answers import settled
from grader.release.explored import recorded
from grader.release.idle import without_forms
from grader.release.practice_draw import PracticeDraw
from grader.release.recorder import Unrecordable

LARGEST_BYTES = 160 << 10  # of a check, packed: a course of thirty exercises shall fit into 5 MB


class Which(StrEnum):
    """Which checks shall be let out: examples are those that a suite calls public."""

    ALL = "all"
    CORE = "core"
    EXAMPLES = "examples"

    def lets_out(self, check: Check) -> bool:
        """Whether this is one of them."""
        return self is Which.ALL or check.public or (self is Which.CORE and check.core)

    @property
    def why(self) -> str:
        """Why another one stays at home."""
        return words.CORE_ONLY if self is Which.CORE else words.EXAMPLES_ONLY


@dataclass
class Trial:
    """An exercise's checks as data: ``recordings`` by name; in ``suite``, what is known of them.

    ``at_home`` is why others stay there; ``full`` and ``sealed`` are what the whole suite and this
    one found, by misconception.
    """

    whole: Suite
    suite: SealedSuite
    recordings: dict[str, Recording]
    at_home: dict[str, str]
    full: dict[str, list[Finding]] = field(default_factory=dict)
    sealed: dict[str, list[Finding]] = field(default_factory=dict)


def tried(
    course: Course,
    exercise: Exercise,
    variants: Sequence[Entry],
    seed: int,
    which: Which = Which.ALL,
) -> Trial:
    """Record the checks of an exercise that shall be let out, and try them; ``variants`` are right
    programs beside the reference.
    """
    suite = replace(collected(course, [exercise]).of(exercise), drawing=PracticeDraw)
    trial = _recorded(suite, variants, seed, which)
    right: dict[str, Names] = {words.THE_REFERENCE: suite.reference}
    right |= {entry.name: partial(entry.applied_to, suite.reference) for entry in variants}
    _try(trial, right, seed)
    loosened = _loosened(trial)
    if loosened:
        _try(trial, right, seed, loosened)
    _leave_out(trial)
    _forget_false_names(trial)
    return trial


def _try(
    trial: Trial, right: Mapping[str, Names], seed: int, only: Collection[str] | None = None
) -> None:
    """All known programs, in all checks or in some once more.

    The whole suite draws as its recordings do: what a misconception that is about something else
    happens to show on some inputs and not on others says nothing of a recording. Checks that are
    to catch it must, on any.
    """
    for name, names in right.items():
        _keep_home(trial, name, find(trial.suite, StandIn(names), seed, only=only), {})
    for entry in trial.whole.misconceptions:
        name = entry.name
        program = StandIn(partial(entry.applied_to, trial.whole.reference))
        if name not in trial.full:
            trial.full[name] = find(trial.whole, program, seed, entry=entry)
        sealed = find(trial.suite, program, seed, only=only, entry=entry)
        found = {f.verdict.check.name: f for f in (*trial.sealed.get(name, []), *sealed)}
        trial.sealed[name] = [found[one.check.name] for one in trial.suite.checks]
        _keep_home(trial, name, sealed, _passed(trial.full[name]) | _caught(entry))


def _loosened(trial: Trial) -> set[str]:
    """The checks whose recording rejects too much because it demands the form of answers: without
    that they are tried again.
    """
    rejects = words.REJECTS.partition("{")[0]
    strict = [name for name, why in trial.at_home.items() if why.startswith(rejects)]
    found = {}
    for name in strict:
        one = trial.recordings[name]
        loose = replace(one, path=without_forms(one.path))
        if loose.path is not one.path:
            found[name] = trial.recordings[name] = loose
            del trial.at_home[name]
    trial.suite.checks = tuple(
        replace(c, function=replaying(found[c.check.name])) if c.check.name in found else c
        for c in trial.suite.checks
    )
    return set(found)


def _recorded(suite: Suite, variants: Sequence[Entry], seed: int, which: Which) -> Trial:
    at_home: dict[str, str] = {}
    recordings: dict[str, Recording] = {}
    for one in suite.checks:
        if not which.lets_out(one.check):
            at_home[one.check.name] = which.why
            continue
        try:
            with undisturbed():
                case = case_of(suite, one, seed, "cpu", "")
                others = [entry.applied_to(suite.reference) for entry in variants]
                recordings[one.check.name] = recorded(case, suite.reference, others)
        except Unrecordable as error:
            at_home[one.check.name] = str(error)
    part = replace(
        suite,
        checks=tuple(c for c in suite.checks if c.check.name in recordings),
        repeated={},
        _readings={},
        _shared={},
    )
    shared: dict[str, Shared] = {}
    for one in part.checks:
        name = one.check.name
        try:
            with undisturbed():
                case = case_of(part, one, seed, "cpu", "")
                known = settled(case, recordings[name].comparisons)
                _require_small(recordings[name], known)
            shared[name] = Shared(known)
        except GraderError as error:
            at_home[name] = str(error)
            del recordings[name]
    return Trial(suite, _sealed(part, recordings, shared), recordings, at_home)


def _require_small(recording: Recording, known: Mapping[int, Known]) -> None:
    """Raises ``Unrecordable`` for a check that would take too much of the archive."""
    drawn = drawn_for([recording], known.values())
    kept = [replace(recording, drawn={}), *map(sealed_known, known.values())]
    size = len(written(kept, drawn))
    if size > LARGEST_BYTES:
        raise Unrecordable(words.TOO_LARGE.format(kib=size >> 10))


def _sealed(
    suite: Suite, recordings: Mapping[str, Recording], shared: dict[str, Shared]
) -> SealedSuite:
    checks = tuple(
        replace(c, function=replaying(recordings[c.check.name]), parameters={}, per_student=False)
        for c in suite.checks
        if c.check.name in recordings
    )
    return SealedSuite(
        suite.course,
        suite.exercise,
        suite.known,
        checks,
        entries=_entries(suite, recordings),
        settled=shared,
        resting=_nameless(suite.rests_on),
    )


def _nameless(rests_on: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Which functions share a private one matters, and what that is called is the solution's."""
    private = {name for used in rests_on.values() for name in used if name.startswith("_")}
    names = {name: f"_{number}" for number, name in enumerate(sorted(private))}
    return {
        names.get(name, name): frozenset(names.get(one, one) for one in used)
        for name, used in rests_on.items()
    }


def _entries(suite: Suite, recordings: Mapping[str, Recording]) -> list[Entry]:
    """The bank without its programs; of the checks that catch each, those that are let out."""
    return [
        Entry(
            name=entry.name,
            sentence=entry.sentence,
            caught_by=tuple(check for check in entry.caught_by if check in recordings),
        )
        for entry in suite.misconceptions
    ]


def _passed(found: Sequence[Finding]) -> dict[str, bool]:
    return {f.verdict.check.name: f.verdict.outcome is Outcome.PASSED for f in found}


def _caught(entry: Entry) -> dict[str, bool]:
    return dict.fromkeys(entry.caught_by, False)


def _keep_home(
    trial: Trial, name: str, sealed: Sequence[Finding], full: Mapping[str, bool]
) -> None:
    """What says something else of the program called ``name`` than the check does."""
    for check, passed in _passed(sealed).items():
        if passed != full.get(check, True):
            said = words.ACCEPTS if passed else words.REJECTS
            trial.at_home.setdefault(check, said.format(name=name))
    for one in sealed:
        if one.verdict.outcome is Outcome.INTERNAL:
            trial.at_home.setdefault(one.verdict.check.name, words.FAILS.format(name=name))


def _leave_out(trial: Trial) -> None:
    """The checks that stay at home, and the misconceptions that none of the others catches."""
    for name in trial.at_home:
        trial.recordings.pop(name, None)
        trial.suite.settled.pop(name, None)
    kept = trial.suite.settled
    trial.suite.checks = tuple(c for c in trial.suite.checks if c.check.name in kept)
    trial.suite.entries = [
        replace(entry, caught_by=caught)
        for entry in trial.suite.entries
        if (caught := tuple(check for check in entry.caught_by if check in kept))
    ]
    for name, found in trial.sealed.items():
        trial.sealed[name] = [f for f in found if f.verdict.check.name in kept]


def _forget_false_names(trial: Trial) -> None:
    """Where the checks are at home that tell two misconceptions apart, one would be told by the
    other's name: then its name stays at home as well, for a false name is worse than none.
    """
    told = {name: _told(trial.whole, found) for name, found in trial.full.items()}
    while True:
        false = {
            other
            for name, found in trial.sealed.items()
            for other in _told(trial.suite, found) - told[name] - {name}
        }
        if not false:
            return
        trial.suite.entries = [one for one in trial.suite.entries if one.name not in false]


def _told(suite: Suite, found: Sequence[Finding]) -> set[str]:
    return {v.misconception for v in diagnose(suite, found) if v.misconception}
