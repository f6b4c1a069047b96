"""What packs claim, for instructors: `grader verify`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader import __version__
from grader.cli import screen
from grader.cli.collecting import found_in
from grader.course.assignment import read_assignment
from grader.course.catalog import load_catalog
from grader.course.claims import Claims, read_claims
from grader.course.course import find_course
from grader.model import Submission
from grader.release import words
from grader.release.verifying import Given, Verifier, given
from grader.report.plain import one_line

_MOST_CHARACTERS = 40  # of a claim in the table


def verify(place: Path, release: Path | None, assignment: Path | None, roster: Path | None) -> int:
    """Print what each pack in ``place`` claims, and what of it is not as the instructor has it;
    returns the exit status, 1 unless all is.
    """
    course = find_course()
    mine = given(release, read_assignment(assignment).title if assignment else "")
    verifier = Verifier(course, mine)
    found = found_in(place, load_catalog(course), roster=roster)
    rows, differs = [], []
    for one in found:
        text = found.claims.get(one.path, "")
        claims = read_claims(text)
        told = [] if claims is None else verifier.differences(claims, one)
        rows.append(_row(one, text, claims, told))
        differs += [words.DIFFERENCE.format(submission=one.name, says=says) for says in told]
    screen.say(_yours(course.about.shown, mine))
    screen.table(words.CLAIMS_HEAD, rows, words.CLAIMS_HEAD[:3])
    for line in differs:
        screen.note(line)
    screen.say(words.CLAIMED)
    if mine.folder is None and any(row[3] for row in rows):
        screen.say(words.TO_COMPARE)
    return 0 if all(row[-1] == words.AS_YOURS for row in rows) else 1


def _row(
    submission: Submission, text: str, claims: Claims | None, told: Sequence[str]
) -> list[str]:
    if claims is None:
        verdict = words.NOT_UNDERSTOOD if text else words.NO_PACK
        return [_short(submission.name), "", "", "", "", verdict]
    shown = (
        submission.name,
        claims.assignment or words.WHOLE_COURSE,
        f"{claims.course} {claims.version}",
        claims.released_by,
        claims.grader,
        words.DIFFERS if told else words.AS_YOURS,
    )
    return list(map(_short, shown))


def _yours(course: str, mine: Given) -> str:
    if mine.folder:
        told = words.GIVEN.format(title=mine.title, folder=mine.folder.root)
    else:
        told = words.GIVEN_TITLE.format(title=mine.title) if mine.title else ""
    return words.YOURS.format(course=course, grader=__version__, given=told)


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _MOST_CHARACTERS else line[: _MOST_CHARACTERS - 1] + "…"
