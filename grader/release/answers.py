"""What is right, worked out at home for every way in which a recorded check will be asked."""

from __future__ import annotations

from collections.abc import Sequence

from grader.errors import SuiteError
from grader.examiner.check_run import CheckCase, CheckRun
from grader.examiner.question import Known, Question
from grader.examiner.rounds import alone_in
from grader.examiner.sealed.drawn import COTANGENTS
from grader.examiner.sealed.playing import probe_of
from grader.examiner.sealed.script import Script
from grader.programs.again import FIRST, How
from grader.programs.draw import Draw
from grader.programs.program import LocalProgram
from grader.release.practice_draw import PracticeDraw


def settled(case: CheckCase, comparisons: Sequence[Script]) -> dict[int, Known]:
    """What is right, by the number of the comparison. What is compared after a wrong decision alone
    is not asked again in other ways.
    """
    rounds = _rounds_of(case)
    return {
        number: _in_all_ways(case, script, number, rounds[number] if number < len(rounds) else [])
        for number, script in enumerate(comparisons)
    }


def _rounds_of(case: CheckCase) -> list[list[How]]:
    """In which rounds each comparison of the check is repeated, in their order."""
    error = CheckRun(case, LocalProgram(case.suite.reference)).run()
    if error is not None:
        raise SuiteError(f"the reference does not pass: {error}")
    known = case.shared.known
    return [known[step].rounds or [] for step in sorted(known)]


class _Practised(Question):
    def draw(self) -> Draw:
        return PracticeDraw(self._seed, stream=COTANGENTS)


def _question(case: CheckCase, script: Script, number: int, known: Known) -> Question:
    references = case.suite.references_on(case.device)
    return _Practised(references, probe_of(script), script.wanted, number, case.seed, known)


def _in_all_ways(case: CheckCase, script: Script, number: int, rounds: list[How]) -> Known:
    known = Known(rounds=list(rounds))
    question = _question(case, script, number, known)
    hows = [FIRST, *rounds]
    known.right = question.with_room(question.expected(hows), hows)
    for way in dict.fromkeys(way for how in rounds for way in alone_in(how)):
        try:
            right = {way: question.expected([FIRST, way])[way]}
            known.alone |= question.with_room(right, [FIRST, way])
        except SuiteError:
            known.unanswered.add(way)
    return known
