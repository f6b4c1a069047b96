"""A submission's way through several exercises, of which some are built on others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from grader.course.imports import ALL, names_behind
from grader.examiner.bench import Bench
from grader.examiner.blocked import (
    asks_for_others,
    blamed,
    is_its_own_doing,
    is_wrong_in_core,
    mend_first,
)
from grader.examiner.collection import Suites, undisturbed
from grader.examiner.examination import diagnosed_by
from grader.examiner.finding import Finding, Stop, find, never
from grader.examiner.first_wrong import followed_back
from grader.examiner.follow_through import explaining, followed
from grader.examiner.inheritance import inherited, is_inherited
from grader.examiner.mending import MEND_SECONDS, mended
from grader.examiner.second import Second
from grader.examiner.unexplained import without_hints
from grader.model import Exercise, ExerciseReport, Verdict
from grader.programs.bank import Entry
from grader.programs.program import SubmissionProgram
from grader.report.parts import DONE


class Examination:
    """A submission's way through its exercises: each is examined once, when it is asked for. Its
    modules that are known to be ``right`` are not examined for what is built on them. A ``second``
    examiner helps.
    """

    def __init__(
        self,
        suites: Suites,
        program: SubmissionProgram,
        seed: int,
        devices: Sequence[str] = ("cpu",),
        stop: Stop = never,
        right: Collection[str] = (),
        second: Second | None = None,
    ) -> None:
        self._suites, self._program = suites, program
        self._seed, self._devices, self._stop = seed, devices, stop
        self._right, self._second = right, second
        self._found: dict[str, tuple[list[Finding], list[Verdict]]] = {}
        self._followed: dict[str, list[Verdict]] = {}

    def report_on(self, exercise: Exercise) -> ExerciseReport:
        """Its verdicts. If a check fails for a reason that may lie in the submission's other
        modules, these are examined as well, and what they break is ``blocked`` by them. What
        follows from a known mistake, here or in these, is carried, if every check was taken.
        """
        return ExerciseReport(exercise.name, tuple(self._told(exercise)))

    def with_mends(
        self, report: ExerciseReport, stop: Callable[[], bool] = lambda: False
    ) -> ExerciseReport:
        """A report of this examination's, whose unexplained failures say where one change is
        enough, or else at which value a function goes wrong, if trying finds that before there is
        reason to ``stop``. It changes no mark.
        """
        exercise, text = self._suites.catalog[report.name], self._program.submission.files
        found, _ = self._found[report.name]
        if report.name not in text or len(found) != len(report.verdicts):
            return report
        bench = Bench(
            self._suites.of(exercise),
            self._seed,
            self._program.student,
            partial(self._program.with_text, report.name, seconds=MEND_SECONDS),
            stop,
        )
        verdicts = mended(bench, text[report.name], found, report.verdicts)
        verdicts = followed_back(bench, text[report.name], found, verdicts)
        return replace(report, verdicts=tuple(without_hints(found, verdicts)))

    def _told(self, exercise: Exercise) -> list[Verdict]:
        if exercise.name not in self._followed:
            self._followed[exercise.name] = self._judged(exercise)
        return self._followed[exercise.name]

    def _judged(self, exercise: Exercise) -> list[Verdict]:
        verdicts = self._examined(exercise)
        if any(map(asks_for_others, verdicts)):
            asked = [finding.asked for finding in self._found[exercise.name][0]]
            raised_in = {blamed(verdict) for verdict in verdicts}
            used = self._used(exercise.name, frozenset().union(*asked) - {""}, raised_in)
            own = self._exercises(used)
            if all(map(is_its_own_doing, verdicts)) and all(
                self._has_the_idea(other, used[other.name]) for other in own
            ):
                own = self._exercises(raised_in)
            if (carried := self._inherited(exercise, own, used)) is not None:
                return carried
            verdicts = [
                self._mend_first(verdict, own, names)
                for verdict, names in zip(verdicts, asked, strict=True)
            ]
        if self._is_whole(exercise):
            verdicts = followed(verdicts, self._suites.of(exercise).misconceptions)
        return verdicts

    def _exercises(self, names: Collection[str]) -> list[Exercise]:
        return [exercise for name, exercise in self._suites.catalog.items() if name in names]

    def _has_the_idea(self, other: Exercise, used: frozenset[str]) -> bool:
        """Whether its core is right, of the names that are ``used``. Where it was not examined,
        only that part is: it takes a fraction of the time.
        """
        if other.name in self._found or other.name in self._right:
            return not any(map(is_wrong_in_core, self._of_use(other, used)))
        suite = self._suites.of(other)
        core = [collected.check.name for collected in suite.checks if collected.check.core]
        found = find(suite, self._program, self._seed, self._devices, core, self._stop)
        whole = len(found) == len(core) * len(self._devices)
        return whole and not any(map(is_wrong_in_core, _of_use(found, used)))

    def _mend_first(
        self, verdict: Verdict, below: Sequence[Exercise], asked: frozenset[str]
    ) -> Verdict:
        """What was asked can only be broken by what it uses of other modules."""
        used = self._used(verdict.check.exercise, asked - {""}, {blamed(verdict)})
        found = {o.name: self._of_use(o, used[o.name]) for o in below if o.name in used}
        (told,) = mend_first([verdict], found)
        return told

    def _used(
        self, name: str, asked: Collection[str], blamed: Collection[str]
    ) -> dict[str, frozenset[str]]:
        """Which names of which modules are used where these are ``asked``; of one that is blamed,
        all where it cannot be told.
        """
        files = self._program.submission.files
        return dict.fromkeys(blamed, frozenset([ALL])) | names_behind(files, name, asked)

    def _of_use(self, other: Exercise, used: frozenset[str]) -> list[Verdict]:
        """The verdicts on another exercise that say something of the names that are ``used``; of
        one that is known to be right, and was not examined, there need be none.
        """
        if other.name in self._right and other.name not in self._found:
            return []
        verdicts = self._examined(other)
        return _of_use(self._found[other.name][0], used, verdicts)

    def _inherited(
        self, exercise: Exercise, own: Sequence[Exercise], used: Mapping[str, frozenset[str]]
    ) -> list[Verdict] | None:
        below = self._known_below(own, used)
        if not (below and self._is_whole(exercise)):
            return None
        findings, verdicts = self._found[exercise.name]
        cases = [finding.case for finding in findings]
        suite = self._suites.of(exercise)
        found = list(zip(verdicts, cases, strict=True))
        with undisturbed():
            return inherited(suite.course, exercise.name, found, below)

    def _known_below(
        self, own: Sequence[Exercise], used: Mapping[str, frozenset[str]]
    ) -> list[tuple[str, Sequence[Entry]]]:
        """The known mistakes of each module that is wrong in what is ``used`` of it; none where one
        is wrong in another way.
        """
        known: list[tuple[str, Sequence[Entry]]] = []
        for other in own:
            if all(v.outcome in DONE for v in self._of_use(other, used[other.name])):
                continue
            if not is_inherited(self._told(other)):
                bank = self._suites.of(other).misconceptions
                entries = explaining(self._examined(other), bank)
                if not (entries and self._is_whole(other)):
                    return []
                known.append((other.name, entries))
        return known

    def _is_whole(self, exercise: Exercise) -> bool:
        """Whether every check was taken."""
        checks = self._suites.of(exercise).checks
        return len(self._examined(exercise)) == len(checks) * len(self._devices)

    def _examined(self, exercise: Exercise) -> list[Verdict]:
        if exercise.name not in self._found:
            suite = self._suites.of(exercise)
            found = find(
                suite,
                self._program,
                self._seed,
                self._devices,
                stop=self._stop,
                advised=True,
                second=self._second,
            )
            self._found[exercise.name] = (
                found,
                diagnosed_by(suite, self._program, found, self._devices),
            )
        return self._found[exercise.name][1]


def _of_use(
    found: Sequence[Finding], used: frozenset[str], verdicts: Sequence[Verdict] | None = None
) -> list[Verdict]:
    """The verdicts on findings that say something of the names that are ``used``: what failed in
    another function has nothing to do with these.
    """
    told = verdicts or [finding.verdict for finding in found]
    return [
        verdict
        for finding, verdict in zip(found, told, strict=True)
        if finding.passed
        or finding.case is None
        or not finding.case.of
        or ALL in used
        or finding.case.of in used
    ]
