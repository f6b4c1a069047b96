"""At which value a wrong function leaves the way of the reference: its own intermediate values are
followed back from what it returned until all that one is made from is right.

A value is right if the reference has the same on its way. Somebody may go another way and be right
as well; so only what lies between the last right values and the wrong result is looked at. The
function's text is made to return each value in a worker, and nothing of ours goes there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from grader.errors import GraderError
from grader.examiner.bench import Bench
from grader.examiner.collection import undisturbed
from grader.examiner.finding import Finding
from grader.examiner.functions_in import functions_in
from grader.examiner.listening import Noting, answer_to
from grader.examiner.loose_ends import is_given
from grader.examiner.surroundings import Surroundings
from grader.examiner.unexplained import of_function, unexplained
from grader.examiner.way_back import WayBack, are_same, is_same
from grader.model import Fact, Verdict
from grader.programs.intermediates import Intermediate, intermediates
from grader.programs.mends.made import Stretch
from grader.programs.program import StandIn
from grader.report.parts import DONE

_LEAST = 4  # numbers: fewer may be the same by accident
_MOST_LOST, _MOST_ASKED = 3, 3  # workers, comparisons of a function
_MOST_SECONDS = 2.5
_KINDS = ("numbers", "nan", "shape")


def followed_back(
    bench: Bench, text: str, found: Sequence[Finding], verdicts: Sequence[Verdict]
) -> list[Verdict]:
    """The verdicts, of which the first of each function that nobody has explained says at which
    value of the page's ``text`` it goes wrong, if that can be told of it or of another.
    """
    told = list(verdicts)
    until = time.monotonic() + _MOST_SECONDS
    with undisturbed():
        for wrong in unexplained(found, told).values():
            read_first = min(wrong, key=lambda n: not told[n].check.core)
            for n in [n for n in wrong if _is_of_values(told[n])][:_MOST_ASKED]:
                fact = _first_wrong(bench, text, found[n], until)
                if fact and not _leads_elsewhere(found, found[n], fact):
                    elsewhere: dict[str, Fact] = {} if n == read_first else {"elsewhere": True}
                    told[read_first] = _with(told[read_first], fact | elsewhere)
                    break
    return told


def _is_of_values(verdict: Verdict) -> bool:
    """Whether a comparison found other values when it was asked first."""
    cause = verdict.cause
    return cause is not None and cause.kind in _KINDS and "asked_again" not in cause.facts


def _leads_elsewhere(found: Sequence[Finding], finding: Finding, fact: Mapping[str, Fact]) -> bool:
    """Whether the value comes from another function of the page of which something is wrong: that
    is told there, and what calls it may be right.
    """
    wrong = {of_function(one) for one in found if one.verdict.outcome not in DONE}
    return bool(set(re.findall(r"\w+", str(fact["name"]))) & wrong - {of_function(finding)})


def _with(verdict: Verdict, fact: Mapping[str, Fact]) -> Verdict:
    assert verdict.cause is not None
    cause = replace(verdict.cause, facts={**verdict.cause.facts, "first_wrong": fact})
    return replace(verdict, cause=cause)


def _first_wrong(bench: Bench, text: str, finding: Finding, until: float) -> dict[str, Fact]:
    """The first value that no right one is known to have, what it was made from, and how it comes
    from a right one; or that what is returned is one on the way. Nothing where that cannot be told
    of one value.
    """
    assert finding.case is not None and finding.case.evidence is not None
    step, name = finding.case.evidence.step, _called(finding)
    own = [function for function in functions_in(text) if function.name == name]
    page = bench.suite.exercise.name
    around = Surroundings(bench.suite.course, {page: text}).of_exercise(page)
    if not own or not isinstance(step, int) or is_given(own[-1], around):
        return {}
    way = intermediates(text, Stretch(own[-1].lines[0].number, own[-1].lines[-1].number))
    case, noting = bench.case_of(finding, again=False), Noting(_LEAST)
    with noting:
        right = answer_to(case, step, StandIn(bench.suite.reference))
    whole = answer_to(case, step, bench.changed(text))
    if not right or not whole or are_same(whole, right):
        return {}
    answers, lost = list[list[torch.Tensor] | None](), 0
    for one in way:
        if bench.stop() or time.monotonic() > until or lost == _MOST_LOST:
            return {}
        answer = None
        if one.text:
            try:
                answer = answer_to(case, step, bench.changed(one.text))
            except GraderError:
                lost += 1
        answers.append(answer)
    both = any(answer is not None and len(answer) == 2 * len(whole) for answer in answers)
    at = next(
        (n for n, pair in enumerate(zip(whole, right, strict=False)) if not is_same(*pair)), 0
    )
    values = [
        _value(answer, whole, one, at, both=both) for answer, one in zip(answers, way, strict=True)
    ]
    told = WayBack(way, values, noting.noted).told()
    several = len(right) > 1 or right[0].dtype == torch.bool  # which of them is on whose way?
    if told.get("kind") == "goes_on" and several:
        return {}
    return {**told, "file": f"{page}.py"} if told else {}


def _called(finding: Finding) -> str:
    """The function of the page that was called: ``function`` or ``Class.method``."""
    cause = finding.verdict.cause
    call: Any = cause.facts.get("call") if cause is not None else None
    if not call:
        return ""
    owner, name = call["of"], call["name"].strip(".")
    return name if owner == name else f"{owner}.{name or 'forward'}"


def _value(
    answer: list[torch.Tensor] | None,
    whole: list[torch.Tensor],
    one: Intermediate,
    at: int,
    *,
    both: bool,
) -> torch.Tensor | None:
    """What was returned in the function's place, if that was come to: of two, both are it; a check
    may take one of them, if it does not take ``both``. Of several calls it is that whose answer,
    in the place ``at``, is the first wrong one.
    """
    if not answer or answer[0].numel() < _LEAST:
        return None
    if len(answer) == 1:
        is_it = one.is_returned and not both
        return answer[0] if is_it or not are_same(answer, whole) else None
    if len(answer) == 2 and is_same(answer[0], answer[1]):
        return answer[0]
    each = len(answer) // len(whole)
    if len(answer) != each * len(whole) or answer[at * each].numel() < _LEAST:
        return None
    value, is_it = answer[at * each], one.is_returned and (each > 1 or not both)
    return value if is_it or not is_same(value, whole[at]) else None
