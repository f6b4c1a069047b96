"""The gradebook as instructors use it: what is taken in, said, shown."""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.cli import screen
from grader.collect import read_roster
from grader.errors import GraderError
from grader.gradebook.book import About, Gradebook
from grader.gradebook.counting import Standing
from grader.gradebook.history import events, standing_remarks
from grader.gradebook.identity import described
from grader.gradebook.models import Entry, Student
from grader.gradebook.tables import (
    Shown,
    in_order,
    standing_form,
    standings_csv,
    total_form,
    totals_csv,
    who,
)
from grader.report.plain import one_line
from grader.report.words import score_words
from grader.runs.reading import read_run

FILE = "gradebook.sqlite"  # `gradebook.db` is nbgrader's, in the same folder
VARIABLE = "GRADER_DATABASE"
UNFINISHED = 3  # the exit status where something is missing, as for `grader grade`


@dataclass(frozen=True)
class Look:
    """In what form something is shown, and as whom students are."""

    csv: bool = False
    json: bool = False
    shown: Shown = Shown.NAMES


def look(csv: bool, as_json: bool, anonymous: bool, pairing: bool) -> Look:
    """Raises ``GraderError`` for two that exclude each other."""
    if csv and as_json:
        raise GraderError("--csv or --json: one of the two.")
    if anonymous and pairing:
        raise GraderError("--anonymous shows no names, and --pairing shows them: one of the two.")
    shown = Shown.DRAWN if anonymous else Shown.BOTH if pairing else Shown.NAMES
    return Look(csv, as_json, shown)


def opened(database: str | None, may_be_new: bool = False) -> Gradebook:
    """What --database says, or GRADER_DATABASE, or the file in this folder."""
    where = database or os.environ.get(VARIABLE) or FILE
    book = Gradebook(where, may_be_new)
    if book.copy is not None:
        _note(f"{book.shown} was brought up to date; what it was before is in {book.copy}.")
    return book


def add(
    run: Path,
    assignment: str | None,
    counts: str | None,
    by: str | None,
    database: str | None,
    roster: Path | None = None,
) -> int:
    """Take in the reports of a run, and who else is on the roster; exit status 3 while a report
    cannot be read.
    """
    found, enrolled = read_run(run), read_roster(roster) if roster is not None else ()
    title = found.assignment.title if found.assignment else ""
    name = assignment or title or run.resolve().name
    author = author_or_login(by)
    book = opened(database, may_be_new=True)
    taken = book.add(found.reports, name, str(run.resolve()), author, counts, enrolled)
    for text in (*found.remarks, *taken.notes):
        screen.note(f"note  {text}")
    for problem in found.problems:
        screen.note(f"not taken in  {problem}")
    absent = f", {taken.absent} who handed in nothing" if taken.absent else ""
    there = f"{taken.new} new, {taken.known} there already{absent}"
    screen.say(f"{name}: {there}. Written: {book.shown}")
    return UNFINISHED if found.problems else 0


def author_or_login(by: str | None) -> str:
    """Who says it; raises ``GraderError`` where nobody is known."""
    try:
        author = one_line((getpass.getuser() if by is None else by).strip())
    except (KeyError, ImportError, OSError):
        author = ""
    if not author:
        raise GraderError("Who says so is kept with it: give a name, with --by.")
    return author


def set_mark(about: About, mark: float, reason: str, by: str | None, database: str | None) -> None:
    """Keep a mark by hand, and say what else is known of it."""
    book = opened(database)
    entry = book.set_mark(about, mark, reason, author_or_login(by))
    now = book.standing(entry)
    _say_entry(now, about, entry, f"{mark:g}")
    if about.exercise and now.manual is not None:
        screen.note(
            f"note  the whole assignment has a manual mark, e{now.manual.id}, which counts until "
            "it is withdrawn"
        )
    worth = next((e.max_score for e in now.exercises if e.name == about.exercise), now.worth)
    if mark > worth:
        screen.note(f"note  that is more than the {worth:g} points it is worth")


def comment(about: About, text: str, by: str | None, database: str | None) -> None:
    """Keep a comment."""
    book = opened(database)
    entry = book.comment(about, text, author_or_login(by))
    _say_entry(book.standing(entry), about, entry, "comment")


def withdraw(numbers: Sequence[str], reason: str, by: str | None, database: str | None) -> None:
    """What has these numbers no longer counts."""
    book, author = opened(database), author_or_login(by)
    for number in numbers:
        entry = book.withdraw(number, reason, author)
        screen.say(f"{number} is withdrawn (e{entry.id}, by {entry.author}).")


def _say_entry(now: Standing, about: About, entry: Entry, what: str) -> None:
    """Who grades by drawn ids must not be told a name."""
    student = now.student.drawn if _is_drawn(about.student, now.student) else described(now.student)
    exercise = f", {about.exercise}" if about.exercise else ""
    kept = f"e{entry.id}, by {entry.author}"
    screen.say(f"{student}, {now.assignment.name}{exercise}: {what} ({kept}).")


def _is_drawn(called: str, student: Student) -> bool:
    return called.strip().casefold() == student.drawn.casefold()


def show(assignment: str | None, look: Look, database: str | None) -> None:
    """Who has which mark, and what it rests on."""
    found = in_order(opened(database).standings(assignment), look.shown)
    if look.csv:
        _write(standings_csv(found, look.shown))
    elif look.json:
        _write_json([standing_form(one, look.shown) for one in found])
    else:
        rows = [_standing_row(one, look) for one in found]
        head = [*_head(look), "assignment", "points", "late", "mark", ""]
        screen.table(head, rows, ["student", "assignment"])


def _standing_row(one: Standing, look: Look) -> list[str]:
    remarks = one_line("; ".join(standing_remarks(one)))
    points = f"{score_words(one.earned)}/{one.worth:g}"
    late = f"-{one.deducted:g}" if one.deducted else ""
    marks = [points, late, score_words(one.mark)]
    return [*_people(one.student, look), one_line(one.assignment.name), *marks, remarks]


def group(
    name: str, assignments: Sequence[str], drop_worst: int | None, database: str | None
) -> None:
    """Keep which assignments are of a kind, and how many of these do not count."""
    found = opened(database).group(name, assignments, drop_worst)
    names = ", ".join(map(one_line, found.assignments)) or "none"
    if not found.name:
        screen.say(f"In no group: {names}.")
        return
    rule = f"Left out of each student's: the worst {found.drop_worst}."
    screen.say(f"{one_line(found.name)}: {names}. {rule if found.drop_worst else ''}".strip())


def totals(look: Look, database: str | None) -> int:
    """What the assignments make together; exit status 3 while one of them has no verdict."""
    found = in_order(opened(database).totals(), look.shown)
    forms = [total_form(one, look.shown) for one in found]
    if look.csv:
        _write(totals_csv(found, look.shown))
    elif look.json:
        _write_json(forms)
    else:
        _totals_table(forms, [_people(one.student, look) for one in found], look)
    without = [(one, form) for one, form in zip(found, forms, strict=True) if form["no_verdict"]]
    for one, form in without:
        name = next(iter(who(one.student, look.shown).values()))
        _note(f"! {name}: no verdict, and so no total: {', '.join(form['no_verdict'])}")
    return UNFINISHED if without else 0


def _totals_table(
    forms: Sequence[dict[str, object]], people: Sequence[list[str]], look: Look
) -> None:
    rows = []
    for form, cells in zip(forms, people, strict=True):
        points, percent = form["points"], form["percent"]
        missing, dropped = form["missing"], form["dropped"]
        assert isinstance(missing, list)
        assert isinstance(dropped, list)
        assert points is None or isinstance(points, float)
        assert percent is None or isinstance(percent, float)
        why = [f"nothing handed in: {', '.join(missing)}"] if missing else []
        why += [f"dropped: {', '.join(dropped)}"] if dropped else []
        share = "–" if percent is None else f"{percent:.1f}"
        rows.append(
            [*cells, score_words(points), f"{form['max']:g}", share, one_line("; ".join(why))]
        )
    screen.table([*_head(look), "points", "max", "%", ""], rows, ["student"])


def history(student: str, look: Look, database: str | None) -> None:
    """All that ever happened to a student's marks, in the order in which it was kept."""
    life = opened(database).history(student)
    shown = Shown.DRAWN if _is_drawn(student, life.student) else look.shown
    found, person = events(life, with_names=shown is not Shown.DRAWN), who(life.student, shown)
    if look.json:
        _write_json({**person, "history": list(map(asdict, found))})
        return
    screen.say(life.student.drawn if shown is Shown.DRAWN else described(life.student))
    for one in found:
        state = f" [{one.state}]" if one.state else ""
        number = f"{one.number}  " if one.number else ""
        screen.note(f"{number}{one.when}  {one.by}  {one.assignment}: {one.what}{state}")


def _head(look: Look) -> list[str]:
    return {
        Shown.NAMES: ["student"],
        Shown.DRAWN: ["drawn id"],
        Shown.BOTH: ["drawn id", "student"],
    }[look.shown]


def _people(student: Student, look: Look) -> list[str]:
    name = one_line(described(student))
    return {
        Shown.NAMES: [name],
        Shown.DRAWN: [student.drawn],
        Shown.BOTH: [student.drawn, name],
    }[look.shown]


def _write(text: str) -> None:
    """UTF-8 wherever it goes, and the line ends of the format."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()


def _write_json(form: object) -> None:
    _write(json.dumps(form, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _note(text: str) -> None:
    print(one_line(text), file=sys.stderr)
