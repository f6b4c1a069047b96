"""A mistake on a page that is written step by step, of which what comes later is not written yet.

Where one function takes several steps, whoever has written the first of them returns something for
the checks of the others too: an option is ignored. Then a misconception of the whole page fails
otherwise, wherever two options meet; so it does beside what makes a page robust, which is written
last. So the misconceptions are made anew at each stage that the bank speaks of, and asked again;
they must explain what is seen as well as any other.

One is named only where the step at hand fails, or where what is written is not robust, and never
where a page that is right as far as it is written would fail so. What fails because it is not
written is no slip, so nothing of it may be carried.

What such a page fails just so, whatever else it is asked, waits for the steps that are left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from grader.examiner.case import Case, shows
from grader.examiner.diagnosis import recognise
from grader.examiner.suite import Suite
from grader.model import function_of
from grader.programs.bank import Entry, Slip, Stage, Unfinished


def recognised_on_the_way(
    suite: Suite, cases: Sequence[Case], bank: Sequence[Entry], named: Sequence[Entry | None]
) -> list[Entry | None]:
    """What was ``named``, and for the first step that is wrong, if it has no name and is not only
    unwritten, the misconception that gives the same with all left out that comes later.
    """
    steps = {n: case.step for n, case in enumerate(cases) if case.evidence and case.step}
    first = min(steps.values(), default=0)
    here = [n for n, step in steps.items() if step == first]
    known = list(named)
    if here and not any(named[n] for n in here):
        stages = [*_stages_at(suite, first - 1), *_stages_at(suite, first)]
        pages = [bare(suite, stage) for stage in stages]
        if not any(all(shows(page, cases[n]) for n in here) for page in pages):
            known = _at_hand(suite, cases, bank, named, here)
    return _beside_the_steps(suite, cases, bank, known, first - 1)


def _at_hand(
    suite: Suite,
    cases: Sequence[Case],
    bank: Sequence[Entry],
    named: Sequence[Entry | None],
    here: Sequence[int],
) -> list[Entry | None]:
    own = {cases[n].check for n in here}
    likely = [entry for entry in bank if own.intersection(entry.caught_by)]
    steps, still_open = suite.exercise.steps, _still_open(cases)
    for at, stage in _from(suite, cases[here[0]].step, cases):
        found = recognise(cases, stage.unfinished(likely), suite.rests_on)
        if any(found[n] for n in here):
            alone = here if _goes_on(steps, at, still_open) else range(len(named))
            return [(n in alone and found[n]) or entry for n, entry in enumerate(named)]
    return list(named)


def _beside_the_steps(
    suite: Suite,
    cases: Sequence[Case],
    bank: Sequence[Entry],
    named: Sequence[Entry | None],
    last: int,
) -> list[Entry | None]:
    """With a misconception for those checks of no step that fail otherwise than for what is not
    written, where the page is written up to the ``last`` step.
    """
    beside = [n for n, case in enumerate(cases) if case.evidence and not (case.step or named[n])]
    for stage in _stages_at(suite, last) if beside else ():
        page = bare(suite, stage)
        here = [n for n in beside if not shows(page, cases[n])]
        own = {cases[n].check for n in here}
        likely = [entry for entry in bank if own.intersection(entry.caught_by)]
        found = recognise(cases, stage.unfinished(likely), suite.rests_on)
        if any(found[n] for n in here):
            return [found[n] if n in here else entry for n, entry in enumerate(named)]
    return list(named)


def as_far_as_written(
    suite: Suite, cases: Sequence[Case], named: Sequence[Entry | None]
) -> list[str | None]:
    """For each failed case the step up to which its function is written, if the page that is right
    up to there, and no further, would fail it just so, or one that is right but for what was named
    on the way; empty where neither would; None where there is no such page.
    """
    still_open = _still_open(cases)
    steps = suite.exercise.steps
    stages = [
        stage
        for at in range(max(min(still_open, default=len(steps) + 1) - 1, 1), len(steps) + 1)
        for stage in _fewest_left_out(suite, at, cases)
        if _goes_on(steps, at, still_open) and _is_no_further(suite, stage, at, cases)
    ]
    pages = [(bare(suite, stage), stage.step) for stage in stages]
    on_the_way = {entry.key: entry for entry in named if isinstance(entry, Unfinished)}
    pages += [(entry, entry.stage.step) for entry in on_the_way.values()]
    return [
        next((step for page, step in pages if _is_another(page, entry) and shows(page, case)), "")
        if case.evidence and pages
        else None
        for case, entry in zip(cases, named, strict=True)
    ]


def _still_open(cases: Sequence[Case]) -> set[int]:
    """The steps that are not right, by their numbers."""
    return {case.step for case in cases if case.step and not case.passed}


def _is_another(page: Entry, entry: Entry | None) -> bool:
    """What was named in its own place is said of it already."""
    return entry is None or page.key != entry.key


def _goes_on(steps: Sequence[str], written: int, still_open: Collection[int]) -> bool:
    """Whether a later step of the same function is open."""
    of = function_of(steps[written - 1])
    return any(n > written and function_of(steps[n - 1]) == of for n in still_open)


def _is_no_further(suite: Suite, stage: Stage, written: int, cases: Sequence[Case]) -> bool:
    """Whether what is asked of the later steps of the same function fails as it does for want of
    them, where all is right up to here: else they are written, and wrong.
    """
    of = function_of(suite.exercise.steps[written - 1])
    steps = [case for case in cases if case.step and function_of(case.of) == of]
    if not all(case.passed for case in steps if case.step <= written):
        return True
    page = bare(suite, stage)
    return all(shows(page, case) for case in steps if case.step > written and case.evidence)


def _fewest_left_out(suite: Suite, written: int, cases: Sequence[Case]) -> list[Stage]:
    """The stages that leave out no more than another one does, but for a later step: else it is a
    slip, and not for later.
    """
    stages = _stages_at(suite, written)
    later = [case for case in cases if case.step > written and not case.passed]

    def is_later(stage: Stage, other: Stage) -> bool:
        more, less = bare(suite, stage), bare(suite, other)
        return any(case.answer_of(more) and not case.answer_of(less) for case in later)

    return [
        stage
        for stage in stages
        if all(is_later(stage, other) for other in stages if {*other.slips} < {*stage.slips})
    ]


def bare(suite: Suite, stage: Stage) -> Entry:
    """The page at a stage, right as far as it is written."""
    return stage.bare(next(one for one in suite.misconceptions if isinstance(one, Slip)).page)


def _from(suite: Suite, first: int, cases: Sequence[Case]) -> list[tuple[int, Stage]]:
    """The stages at which the first step that is wrong is written, with their numbers; those that
    leave out a step of the same function that is right come last.
    """
    steps, right = suite.exercise.steps, {case.step for case in cases if case.passed}
    stages = [(at, stage) for at in range(first, len(steps) + 1) for stage in _stages_at(suite, at)]
    return sorted(stages, key=lambda one: _goes_on(steps, one[0], right))


def _stages_at(suite: Suite, number: int) -> list[Stage]:
    """Those at which the page is written up to the step of this ``number``, from 1."""
    steps = suite.exercise.steps
    return [stage for stage in suite.stages if steps.index(stage.step) + 1 == number]
