"""In which one place a wrong function would have to be changed: found by trying.

A failure that no known mistake explains may still be a slip in one place of the learner's own
function. So its text is changed in one place after another, and each changed page is asked, in a
worker, what the submission answered wrongly. One that answers rightly, and fails nothing that the
submission passed, shows the place. Nothing is guessed: what is told was tried.

It takes a second or so, and is done for who waits for advice, never for marks.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from grader.errors import GraderError
from grader.examiner.bench import Answer, Bench
from grader.examiner.collection import undisturbed
from grader.examiner.finding import Finding
from grader.examiner.functions_in import Function, functions_in
from grader.examiner.unexplained import of_function, unexplained
from grader.model import Fact, Verdict
from grader.programs.mends.made import Mend, Stretch, mends_of
from grader.programs.program import Program

MEND_SECONDS = 0.5  # that a changed page has for a check
_MOST_TRIED, _MOST_SECONDS = 400, 2.5
_MOST_LOST = 3  # workers, to changes that never end or take all memory
_MOST_RIGHT = 6  # of those that answer the first question rightly are asked all others
_MOST_FUNCTIONS = 2
_LAYER = re.compile(r"self\.(\w+)[ \t]*=[ \t]*(?:\w+\.)*[A-Z]\w*\(")
_MOST_LAYERS = 8
_OTHER_SEEDS = 4


def mended(
    bench: Bench, text: str, found: Sequence[Finding], verdicts: Sequence[Verdict]
) -> list[Verdict]:
    """The verdicts, of which those that nobody has explained say where one change of the page's
    ``text`` is enough, if one is. Where something else is known to be wrong in the same function,
    that comes first: what is left may follow from it.
    """
    told = list(verdicts)
    functions = unexplained(found, told)
    until = time.monotonic() + _MOST_SECONDS
    with undisturbed():
        for of, wrong in list(functions.items())[:_MOST_FUNCTIONS]:
            mend = _sought(bench, text, [found[n] for n in wrong], _right(found, of), until)
            if mend is not None:
                for n in wrong:
                    told[n] = _with(told[n], bench.suite.exercise.name, mend)
    return told


def _right(found: Sequence[Finding], of: str) -> list[Finding]:
    """What passes, of the function itself and then of those that may use it, the quickest first."""
    passed = [f for f in found if f.case and f.case.contradicts]
    return sorted(passed, key=lambda finding: (of_function(finding) != of, _seconds(finding)))


def _with(verdict: Verdict, name: str, mend: Mend) -> Verdict:
    assert verdict.cause is not None
    where: dict[str, Fact] = {"file": f"{name}.py", "line": mend.line, "more": mend.more}
    where |= {} if mend.before is None else {"before": mend.before}
    told: Fact = {"kind": mend.kind, "name": mend.name, **where}
    cause = replace(verdict.cause, facts={**verdict.cause.facts, "mend": told})
    return replace(verdict, cause=cause)


def _sought(
    bench: Bench, text: str, wrong: Sequence[Finding], right: Sequence[Finding], until: float
) -> Mend | None:
    """The first mend that makes all that is ``wrong`` right, as far as the page is written, and
    leaves right what is.
    """
    first = min(wrong, key=lambda finding: (not finding.verdict.check.core, _seconds(finding)))
    for mend in _answering(bench, text, first, until):
        with suppress(GraderError):
            program = bench.changed(mend.text)
            right_now = _makes_right(bench, program, (first, *wrong), right)
            if right_now and _is_no_luck(bench, program, first):
                return mend
    return None


def _is_no_luck(bench: Bench, program: Program, first: Finding) -> bool:
    """Whether it passes with other numbers as well: where chance has a share in what is answered, a
    change may have been lucky.
    """
    others = (replace(bench, seed=bench.seed + n) for n in range(1, 1 + _OTHER_SEEDS))
    return all(other.asked(first, program, again=True) is not Answer.FAILS for other in others)


def _again(finding: Finding) -> bool:
    return finding.verdict.cause is not None and "asked_again" in finding.verdict.cause.facts


def _makes_right(
    bench: Bench, program: Program, wrong: Sequence[Finding], right: Sequence[Finding]
) -> bool:
    """Whether it passes some of what is ``wrong`` and fails nothing, but for what is not written
    yet: a change that only leads to that shows nothing.
    """
    passes = False
    for finding in wrong:
        answer = bench.asked(finding, program, again=True)
        if answer is Answer.FAILS:
            return False
        passes |= answer is Answer.PASSES
    return passes and not any(
        bench.asked(finding, program, again=True) is Answer.FAILS for finding in right
    )


def _answering(bench: Bench, text: str, first: Finding, until: float) -> Iterator[Mend]:
    """Those with which the first failure is none when it is asked once; a few."""
    cause = first.verdict.cause
    assert cause is not None
    lines = [cause.place.line] if cause.place else []
    again = _again(first)
    lost = count = 0
    for mend in mends_of(text, list(_stretches(text, of_function(first))), lines)[:_MOST_TRIED]:
        if bench.stop() or time.monotonic() > until or lost == _MOST_LOST or count == _MOST_RIGHT:
            return
        try:
            answer = bench.asked(first, bench.changed(mend.text), again=again)
        except GraderError:
            lost += 1
            continue
        if answer is not Answer.FAILS:
            count += 1
            yield mend


def _stretches(text: str, of: str) -> Iterator[Stretch]:
    """The function or class of a page that is called so, and what of the page it calls."""
    functions = functions_in(text)
    waiting, seen = [of], set[str]()
    while waiting:
        name = waiting.pop(0)
        own = [f for f in functions if f.name == name or f.name.startswith(f"{name}.")]
        seen.add(name)
        for function in own:
            layers = () if function.name.endswith("__init__") else _layers(own)
            yield Stretch(function.lines[0].number, function.lines[-1].number, layers)
        waiting += _called_by(own, functions, seen)


def _layers(own: Sequence[Function]) -> tuple[str, ...]:
    """What a class makes in the functions that are its ``own``."""
    lines = [line.text for function in own for line in function.body]
    found = [match[1] for line in lines if (match := _LAYER.match(line))]
    return tuple(dict.fromkeys(found))[:_MOST_LAYERS]


def _called_by(own: Sequence[Function], functions: Sequence[Function], seen: set[str]) -> list[str]:
    words = frozenset[str]().union(*(function.words for function in own))
    tops = dict.fromkeys(function.name.partition(".")[0] for function in functions)
    return [name for name in tops if name in words and name not in seen]


def _seconds(finding: Finding) -> float:
    return finding.case.seconds if finding.case else 0.0
