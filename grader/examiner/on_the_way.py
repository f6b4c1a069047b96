"""A mistake on a page that is written step by step, of which what comes later is not written yet.

Where one function takes several steps, whoever has written the first of them returns something for
the checks of the others too: an option is ignored. Then a misconception of the whole page fails
otherwise, wherever two options meet; so it does beside what makes a page robust, which is written
last. So the misconceptions are made anew at each stage that the bank
speaks of, and asked again; they must explain what is seen as well as any other.

One is named only where the step at hand fails. What fails because it is not written is no slip, so
nothing of it may be carried.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.examiner.diagnosis import Case, recognise
from grader.examiner.suite import Suite
from grader.programs.bank import Entry, Stage


def recognised_on_the_way(
    suite: Suite, cases: Sequence[Case], bank: Sequence[Entry], named: Sequence[Entry | None]
) -> list[Entry | None]:
    """What was ``named``, and for the first step that is wrong, if it has no name, the
    misconception that gives the same with all left out that comes later.
    """
    steps = {n: case.step for n, case in enumerate(cases) if case.evidence and case.step}
    first = min(steps.values(), default=0)
    here = [n for n, step in steps.items() if step == first]
    if any(named[n] for n in here):
        return list(named)
    own = {cases[n].check for n in here}
    likely = [entry for entry in bank if own.intersection(entry.caught_by)]
    for stage in _from(suite, first):
        found = recognise(cases, stage.unfinished(likely), suite.rests_on)
        if any(found[n] for n in here):
            return [found[n] if n in here else entry for n, entry in enumerate(named)]
    return list(named)


def _from(suite: Suite, first: int) -> list[Stage]:
    """The stages at which the first step that is wrong is written."""
    steps = list(suite.exercise.steps)
    return [stage for stage in suite.stages if steps.index(stage.step) + 1 >= first]
