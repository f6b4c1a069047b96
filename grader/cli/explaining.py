"""Why a check failed, for whoever must answer the student that asks."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import torch

from grader import __version__
from grader.cli import screen
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.course.suite_digests import suite_digests
from grader.errors import GraderError, ReportError
from grader.examiner.check_run import CheckCase, case_of
from grader.examiner.collection import Suites, collected
from grader.examiner.examination import examine
from grader.examiner.scripts.script import Script, script_of
from grader.examiner.surroundings import Surroundings
from grader.model import Outcome, Report, Submission, Verdict
from grader.pipeline import require_full
from grader.programs.budget import limits_from
from grader.programs.program import SubmissionProgram
from grader.report.feedback import words_of
from grader.report.files import write_whole
from grader.report.numbers import numbered
from grader.report.parts import part_in
from grader.report.words import score_words, told
from grader.runs.finding import check_of, failed_among, report_of, title_of
from grader.runs.reading import read_run
from grader.runs.store import Store
from grader.runs.texts import submission_of
from grader.sandbox.launch import open_sandbox

UNFINISHED = 3  # the exit status where something is missing
_LONGEST = 120  # lines of a script on a terminal
_AROUND = 3  # lines before and after the one in question
_MOST_TOLERANCES = 6
_NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Wishes:
    """What is done beyond explaining: write the ``script``, run the check again (``rerun``)."""

    script: Path | None = None
    rerun: bool = False
    isolation: str | None = None


def explain(run: Path, student: str, check: str | None, wishes: Wishes) -> int:
    """Say all there is to know about one check of one student; without ``check``, what failed.

    Returns the exit status: 3 where the inputs cannot be made again. Raises ``GraderError`` where
    there is no such student or check.
    """
    report = report_of(read_run(run).reports, student)
    if check is None:
        _list(report)
        return 0
    number, verdict = check_of(report, check)
    asked = Asked(find_course(), run, report, verdict)
    reason = asked.why_not_again
    if reason:
        screen.note(f"! The inputs cannot be made again: {reason} What the report holds follows.")
    if wishes.script is None:
        _tell(asked, number)
    if not reason:
        _deliver(asked, wishes.script)
    if wishes.rerun:
        _rerun(asked, wishes.isolation)
    return UNFINISHED if reason else 0


@dataclass(frozen=True)
class Asked:
    """The verdict that is asked about, and what is needed to explain it."""

    course: Course
    run: Path
    report: Report
    verdict: Verdict

    @cached_property
    def suites(self) -> Suites:
        exercise = load_catalog(self.course).get(self.verdict.check.exercise)
        return collected(self.course, [exercise] if exercise else [])

    @cached_property
    def case(self) -> CheckCase | None:
        """The check as it was put to the student, if there still is one of this name."""
        check, report = self.verdict.check, self.report
        exercise = self.suites.catalog.get(check.exercise)
        suite = self.suites.of(exercise) if exercise else None
        for found in suite.checks if suite else ():
            if suite and found.check.name == check.name:
                return case_of(suite, found, report.conditions.seed, check.device, report.drawn_for)
        return None

    @property
    def why_not_again(self) -> str:
        """Why what was drawn cannot be drawn again, in a sentence; empty if it can."""
        then, name = self.report.conditions, self.verdict.check.exercise
        suite = suite_digests(self.course).get(name, _NOT_KNOWN)
        for what, before, here in (
            ("grader", then.versions.get("grader", _NOT_KNOWN), __version__),
            ("torch", then.versions.get("torch", _NOT_KNOWN), torch.__version__),
            (f"the suite of {name}", then.suites.get(name, _NOT_KNOWN), suite),
        ):
            if before != here or here == _NOT_KNOWN:
                return f"{what} was {before} at the time, and is {here} here."
        return "" if self.case else f"there is no check {title_of(self.verdict)} here."

    @cached_property
    def script(self) -> Script:
        """The calls that were made, as a script."""
        assert self.case is not None
        who, seed = self.report.student, self.report.conditions.seed
        about = f"Why {title_of(self.verdict)} failed for {who}, with seed {seed}:"
        return script_of(self.case, self.verdict, [about, self.verdict.check.sentence])

    @cached_property
    def submission(self) -> Submission | None:
        """What was graded, letter by letter; None where it is not there any more."""
        report, run = self.report, self.run
        with contextlib.suppress(ReportError):
            return submission_of(report, Store(run).problems_of(report), run)
        return None


# What is said -------------------------------------------------------------------------------------


def _list(report: Report) -> None:
    """The checks that a student may ask about, with their numbers."""
    failed = failed_among(list(numbered(report)))
    total = f"{score_words(report.score)} of {report.max_score:g} points"
    screen.say(f"{report.student} ({report.submission}): {total}")
    if not failed:
        screen.say("Every check passed.")
        return
    there = [(number, one) for number, one in failed if not _is_absent(one)]
    rows = [[number, _result(one), part_in(report, one), title_of(one)] for number, one in there]
    if rows:
        screen.table(["check", "result", "part", "name"], rows)
    for exercise in dict.fromkeys(one.check.exercise for _, one in failed if _is_absent(one)):
        screen.say(f"{exercise}.py is not in the submission.")


def _is_absent(verdict: Verdict) -> bool:
    return verdict.cause is not None and verdict.cause.kind == "absent"


def _result(verdict: Verdict) -> str:
    unknown = verdict.outcome is Outcome.INTERNAL
    points = score_words(None if unknown else verdict.points)
    return f"{verdict.outcome.value} {points}/{verdict.max_points:g}"


def _tell(asked: Asked, number: str) -> None:
    """What the report holds, and the lines that it speaks of."""
    report, verdict = asked.report, asked.verdict
    words, conditions = words_of(_as_it_failed(verdict)), report.conditions
    suite = conditions.suites.get(verdict.check.exercise, _NOT_KNOWN)
    versions = ", ".join(
        f"{name} {v}" for name, v in {**conditions.versions, "its suite": suite}.items()
    )
    screen.fields({
        "student": f"{report.student} ({report.submission})",
        "check": f"{number} {title_of(verdict)}",
        "part": ", ".join(filter(None, (part_in(report, verdict), verdict.check.step))),
        "sentence": verdict.check.sentence,
        "result": f"{_result(verdict)} points, graded {report.graded_at}",
        "what happened": words.rationale,
        "expected": words.expected,
        "actual": words.actual,
        "what to do": words.help,
        "misconception": verdict.misconception or "",
        "it answers": _answer(verdict, "misconception"),
        "as they do": _answer(verdict, "submission"),
        "behind it": _behind(verdict),
        "it printed": " ⏎ ".join(words.printed),
        "seed": str(conditions.seed),
        "versions": versions,
        "isolation": f"{conditions.isolation} ({', '.join(conditions.layers)})",
        "text graded": report.digests.get(verdict.check.exercise, "none"),
    })  # fmt: skip
    _tell_lines(asked)


def _as_it_failed(verdict: Verdict) -> Verdict:
    """Of what is carried, too, an instructor reads what happened."""
    carried = verdict.outcome is Outcome.CARRIED
    return replace(verdict, outcome=Outcome.FAILED) if carried else verdict


def _answer(verdict: Verdict, whose: str) -> str:
    """The beginning of an answer, where a misconception gives the same."""
    answers = verdict.cause.facts.get("answers") if verdict.cause else None
    return str(answers[whose]) if isinstance(answers, Mapping) else ""


def _behind(verdict: Verdict) -> str:
    reason = verdict.cause.because if verdict.cause else None
    return told(reason).rationale if reason else ""


def _tell_lines(asked: Asked) -> None:
    """The lines of the submission's that the cause speaks of, or the function that was called."""
    if asked.submission is None:
        screen.say("their lines: what was graded is not there any more, or was changed since.")
        return
    file, line, last = _place(asked, asked.submission)
    lines = asked.submission.files.get(file.removesuffix(".py"), "").splitlines()
    if not line or not lines:
        return
    screen.say(f"their lines, in {file}:")
    for number in range(max(1, line - _AROUND), min(len(lines), last + _AROUND) + 1):
        mark = ">" if line <= number <= last else " "
        screen.code(f"  {mark} {number:4d}  {lines[number - 1]}")


def _place(asked: Asked, submission: Submission) -> tuple[str, int, int]:
    """A file of the submission's, and the first and last line in question; 0 for none."""
    cause, exercise = asked.verdict.cause, asked.verdict.check.exercise
    while cause is not None and cause.place is None and cause.because is not None:
        cause = cause.because
    if cause is None:
        return "", 0, 0
    if cause.place is not None:
        return cause.place.file, cause.place.line, cause.place.line
    call = cause.facts.get("call")
    if not isinstance(call, dict):
        return "", 0, 0
    around = Surroundings(asked.course, submission.files, exercise)
    found = around.line_of(around.own_name(call))
    return found.file, found.line, around.end_of(found)


def _deliver(asked: Asked, path: Path | None) -> None:
    """The check itself, how near an answer must come, and the script; or the script into a file."""
    script = asked.script
    if path is not None:
        try:
            write_whole(path, script.text)
        except OSError as error:
            raise GraderError(f"{path} cannot be written ({error.strerror}).") from error
        screen.say(f"Written: {path}. Save it beside {asked.verdict.check.exercise}.py and run it.")
        return
    assert asked.case is not None
    screen.say("the check:")
    for line in inspect.getsource(asked.case.collected.function).rstrip().splitlines():
        screen.code(f"    {line}")
    for what, relative, absolute in script.tolerances[:_MOST_TOLERANCES]:
        screen.say(f"tolerance of {what}: {relative:.3g} * max(1, |expected|) + {absolute:.3g}")
    count = script.text.count("\n")
    if count > _LONGEST:
        screen.say(f"the script has {count} lines: write it into a file, with --script FILE.")
        return
    screen.say("the calls, as a script:")
    print(script.text)


def _rerun(asked: Asked, isolation: str | None) -> None:
    """Exactly this check again, as grading does it; says whether the verdict is the same."""
    verdict, report = asked.verdict, asked.report
    if asked.submission is None or asked.case is None:
        raise ReportError("It cannot be run again: what was graded, or the check, is not there.")
    device, limits = verdict.check.device, limits_from(report.conditions.limits)
    gpu, memory_mib = device == "cuda", limits.memory_mib
    with contextlib.closing(open_sandbox(isolation, gpu=gpu, memory_mib=memory_mib)) as sandbox:
        if isolation != "process":
            require_full(sandbox)
        program = SubmissionProgram(asked.submission, sandbox, limits=limits)
        seed, name = report.conditions.seed, verdict.check.name
        (again,) = examine(asked.case.suite, program, seed, devices=[device], only=[name])
    same = "the same as in the report" if is_same(verdict, again) else "NOT that of the report"
    screen.say(f"run again: {again.outcome.value}, which is {same}.")
    if again.cause is not None:
        screen.note(f"  {words_of(again).rationale}")


def is_same(before: Verdict, again: Verdict) -> bool:
    """Whether one check alone finds what it found among others; there, what failed for the sake of
    another module is ``blocked``.
    """
    if before.outcome is Outcome.BLOCKED and before.cause is not None:
        reason = before.cause.because
        return again.outcome is not Outcome.PASSED and (
            reason is None or _kind(again) == reason.kind
        )
    return (before.outcome, _kind(before)) == (again.outcome, _kind(again))


def _kind(verdict: Verdict) -> str:
    return verdict.cause.kind if verdict.cause is not None else ""
