"""What to do about a failure: the one piece of advice that fits best."""

from __future__ import annotations

from typing import Any

from grader.model import Cause, Verdict
from grader.report.first_wrong import first_wrong_words
from grader.report.follow_through import FOLLOWS
from grader.report.loose_ends import CERTAIN, UNUSED, loose_words
from grader.report.mends import mend_words
from grader.report.patterns import pattern_words
from grader.report.sentences import SENTENCES
from grader.report.words import Spot

HINT = "A general hint: {hint}"
OFTEN = (
    "No mistake that is known here gives these very answers. Others who failed nothing but this "
    'were told: "{sentences}" Yours may be that in another form, or lie near it.'
)
OFTEN_ONE_OF = (
    "No mistake that is known here gives these very answers. Others who failed nothing but this "
    'were told one of these: "{sentences}" Yours may be one of them in another form, or lie near.'
)
NEAR = (
    "A known mistake gives just this here, though not all that comes next in the same check: yours "
    'may be that in another form, or only near it. Of that one is said: "{sentence}"'
)
STEPS_LEFT = (
    'A page that is written up to the step "{step}", and no further, gives just this: what is '
    "left to do may be all that is missing here."
)
OUT_OF_PLACE = SENTENCES["input_changed"].help


def what_to_do(verdict: Verdict, own: str, spot: Spot) -> str:
    """What to do: what a misconception is told, or what the cause says, or the pattern that the
    failure belongs to, or a hint. Before it what in the code leads nowhere, or better which one
    change is enough; then no hint is needed.
    """
    ends: Any = verdict.cause.facts.get("loose_ends") if verdict.cause else ()
    if verdict.cause is not None and verdict.cause.facts.get("also_changed"):
        return f"{verdict.lesson if verdict.misconception else ''} {OUT_OF_PLACE}".strip()
    if verdict.misconception:
        certain = loose_words(ends, spot, CERTAIN, verdict.lesson)
        return " ".join(filter(None, (certain, verdict.lesson, loose_words(ends, spot, UNUSED))))
    if verdict.cause is not None and (step := verdict.cause.facts.get("written_up_to")):
        return f"{own} {STEPS_LEFT.format(step=step)}".strip()
    if verdict.cause is not None and verdict.cause.kind == FOLLOWS:
        return f"{own} {verdict.lesson}"
    pattern = pattern_words(verdict.cause.facts.get("pattern")) if verdict.cause else ""
    hint = HINT.format(hint=verdict.lesson) if verdict.lesson else ""
    if verdict.cause is not None and (mend := verdict.cause.facts.get("mend")):
        return f"{mend_words(mend, spot)} {own if _is_there(mend, verdict.cause) else ''}".strip()
    certain, loose = loose_words(ends, spot, CERTAIN), loose_words(ends, spot)
    found: Any = verdict.cause.facts.get("first_wrong") if verdict.cause else None
    if found and not certain:
        is_said = found["kind"] == "nan_begins" or "form" in found  # what a pattern would say
        rest = "" if is_said else own or pattern
        return " ".join(filter(None, (loose, first_wrong_words(found, spot), rest)))
    if loose:
        return f"{loose} {own or ('' if certain else pattern)}".strip()
    return own or pattern or _near_words(verdict.cause) or hint or _often_words(verdict.cause)


def _near_words(cause: Cause | None) -> str:
    sentence = cause.facts.get("near") if cause else None
    return NEAR.format(sentence=sentence) if sentence else ""


def _often_words(cause: Cause | None) -> str:
    sentences: Any = cause.facts.get("often", ()) if cause else ()
    said = OFTEN if len(sentences) == 1 else OFTEN_ONE_OF
    return said.format(sentences=" ".join(sentences)) if sentences else ""


def _is_there(mend: Any, cause: Cause) -> bool:
    """Whether what the cause advises is for the line that is to be changed, as far as one knows,
    and is no guess: what may be wrong with a product is settled by the change.
    """
    if cause.kind.startswith("matmul"):
        return False
    return cause.place is None or (mend["file"], mend["line"]) == (
        cause.place.file,
        cause.place.line,
    )
