"""A mistake costs what it is worth, and what follows from it is marked as if it had not been made.

Examiners call that *error carried forward* or *follow-through marks*. It takes somebody who knows
what a wrong answer equals: where misconceptions, at most two, give the same answers in every check
that failed, and would pass what passed (``diagnosis.py``), nothing else is wrong with the exercise.

A misconception is *about* the checks that its entry says catch it, which the proofs hold it to. It
costs their points, at least a twentieth of what the exercise is worth and at most a quarter, and
never more than the failed checks are worth. What else it makes fail is *carried*.

Nothing is carried where one failed check is left unexplained; after a crash, a hang or too much
memory, after anything refused, and beside what is suspiciously fast; nor where nothing passes, or
what comes back is mostly one number throughout: then the idea is missing, and that is no slip.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from grader.course.charging import charged
from grader.model import Outcome, Verdict
from grader.programs.bank import Entry
from grader.report.parts import DONE, SLIPS, TOGETHER

_CONSTANT = "one_number"
TIMED = "wrong_when_timed"  # of a wrong answer nobody need know how long it took


def followed(verdicts: Sequence[Verdict], bank: Sequence[Entry]) -> list[Verdict]:
    """The verdicts on all checks of an exercise, with what is carried.

    Strict points never change. What the mistakes are about has failed, and all else that fails is
    carried; ``charged`` says which points are given back.
    """
    entries = explaining(verdicts, bank)
    if not entries:
        return list(verdicts)
    about = {check for entry in entries for check in entry.caught_by}
    return charged([_carried(verdict, about) for verdict in verdicts])


def explaining(verdicts: Sequence[Verdict], bank: Sequence[Entry]) -> list[Entry]:
    """The misconceptions that explain all that failed, as long as these are slips; none where
    anything is left over.
    """
    entries = {entry.name: entry for entry in bank}
    failed = [verdict for verdict in verdicts if verdict.outcome not in DONE]
    names = dict.fromkeys(verdict.misconception for verdict in failed if verdict.misconception)
    if not (names and len(names) <= TOGETHER and entries.keys() >= names.keys()):
        return []
    slips = all(map(_is_slip, failed)) and _has_an_idea(failed) and is_honest(verdicts)
    return [entries[name] for name in names] if slips else []


def _carried(verdict: Verdict, about: Collection[str]) -> Verdict:
    """What fails, and is not what the mistakes are about."""
    if verdict.outcome in DONE or verdict.check.name in about:
        return verdict
    return replace(verdict, outcome=Outcome.CARRIED)


def _is_slip(verdict: Verdict) -> bool:
    """Whether a failed check is explained."""
    kind = verdict.cause.kind if verdict.cause is not None else ""
    known = verdict.misconception is not None or kind == TIMED
    return known and verdict.outcome in SLIPS


def is_honest(verdicts: Sequence[Verdict]) -> bool:
    """Whether something is right, and nothing is suspicious."""
    suspicious = any(v.measured is not None and v.measured.suspicious for v in verdicts)
    refused = any(verdict.refused for verdict in verdicts)
    return any(v.outcome is Outcome.PASSED for v in verdicts) and not (suspicious or refused)


def _has_an_idea(failed: Sequence[Verdict]) -> bool:
    """Whether what comes back is mostly more than one number throughout."""
    constant = sum(v.cause is not None and v.cause.kind == _CONSTANT for v in failed)
    return 2 * constant < len(failed)
