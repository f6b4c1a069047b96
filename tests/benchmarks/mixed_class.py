"""A mixed class in the shape of every platform, one command each: is every name and mark right? By
hand.

    python tests/benchmarks/mixed_class.py [--students 200] [--shapes Canvas Moodle] [--jobs 2]

The class is drawn: right and wrong answers, stubs, what is broken and what hangs, nothing, earlier
attempts, late ones. What each is worth is found out in this process, whose everything is stands in
the maker's own table. Prints for each shape how many names and marks `grader grade` gets right, and
what is wrong, also in what `grader collect` shows and in the platform's own table.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.model import Report
from grader.runs.reading import read_raw, read_run

COURSE = find_course()
sys.path.insert(0, str(COURSE.root))

from tests.benchmarks.mixed_faults import (  # noqa: E402
    PERCENT_PER_DAY,
    Judged,
    absent,
    early,
    mark_faults,
    name_faults,
    strangers,
)
from tests.benchmarks.works import marks_of, works_for  # noqa: E402
from tests.collect.downloads import download  # noqa: E402
from tests.collect.packed import COLUMN, DUE  # noqa: E402
from tests.collect.platforms import PLATFORMS, Expected, Platform, table  # noqa: E402
from tests.collect.students import Student, a_class  # noqa: E402

SEED = 20261122


@dataclass(frozen=True)
class Said:
    """How many names and marks are right of how many, in how many seconds; and what is wrong."""

    students: int
    names: int
    marks: int
    seconds: float
    faults: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--shapes", nargs="*", default=list(PLATFORMS))
    parser.add_argument("--exercises", nargs="*", default=["softmax", "masks", "questions"])
    parser.add_argument("--each", type=int, default=12, help="variants and slips of an exercise")
    parser.add_argument("--seed", type=int, default=1, help="draws the class")
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    exercises = [load_catalog(COURSE)[name] for name in chosen.exercises]
    works = [w for one in exercises for w in works_for(COURSE, one, chance, chosen.each)]
    students = a_class(chosen.students, works, chosen.seed)
    judged = judge(students, chosen.exercises)
    wrong = 0
    print(f"{'shape':22} {'students':>8} {'names':>6} {'marks':>6} {'seconds':>8}", flush=True)
    for name in chosen.shapes:
        with tempfile.TemporaryDirectory() as place:
            platform, there = PLATFORMS[name], Path(place)
            said = tried(platform, students, judged, chosen.exercises, there, chosen.jobs)
        print(f"{name:22} {said.students:8} {said.names:6} {said.marks:6} {said.seconds:8.1f}")
        print("".join(f"  {fault}\n" for fault in said.faults), end="", flush=True)
        wrong += len(said.faults)
    print(f"{wrong} faults")
    raise SystemExit(1 if wrong else 0)


def judge(students: Sequence[Student], names: Sequence[str]) -> Judged:
    """What everything that anybody wrote is worth."""
    suites = collected(COURSE, [load_catalog(COURSE)[name] for name in names])
    wrote = {w for s in students for works in (s.works, s.earlier) for w in works.values()}
    started = time.monotonic()
    found = {w: marks_of(suites.of(suites.catalog[w.exercise]), w, SEED) for w in wrote}
    kinds = Counter(work.kind for student in students for work in student.works.values())
    print(f"{len(found)} texts judged in {time.monotonic() - started:.0f} s; handed in: {kinds}")
    return found


def tried(
    platform: Platform,
    students: Sequence[Student],
    judged: Judged,
    names: Sequence[str],
    place: Path,
    jobs: int,
) -> Said:
    """One download, collected, graded and exported."""
    there = download(place, platform.packing, platform.files(students))
    roster, assignment, out = place / "roster.csv", place / "assignment.toml", place / "run"
    roster.write_text(table(platform.roster(students)), encoding="utf-8")
    assignment.write_text(
        f'title = "PS 1"\nexercises = {json.dumps(list(names))}\nseed = {SEED}\n'
        f"due = {DUE.isoformat()}\n[late]\npercent_per_day = {PERCENT_PER_DAY}\n"
    )
    shown = grader("collect", there, "--exercises", ",".join(names), "--roster", roster)
    started = time.monotonic()
    printed = grader(
        "grade", there, "--roster", roster, "--assignment", assignment, "--out", out, "--jobs", jobs
    )
    seconds = time.monotonic() - started
    expected = platform.expected(students)
    raw = {one.submission: one for one in read_raw(out).reports}
    reports = {one.student_id: one for one in read_run(out).reports}
    faults = list(strangers(expected, list(read_run(out).reports)))
    faults += absent(platform, students, shown) + absent(platform, students, printed)
    faults += early(expected, shown)
    right, marked = 0, 0
    for number, one in expected.items():
        if number in reports:
            wrong = list(name_faults(one, reports[number], out))
            report = reports[number]
            lost = list(mark_faults(one, report, raw[report.submission], judged, names))
            right, marked = right + (not wrong), marked + (not lost)
            faults += [f"{one.name} ({number}): {fault}" for fault in wrong + lost]
    if platform.export:
        faults += exported(platform, expected, reports, roster, out)
    faults += in_csv(reports, names, out)
    return Said(len(expected), right, marked, seconds, faults)


def grader(*arguments: object) -> str:
    """What the command prints; it must succeed."""
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    settings = {"COLUMNS": "300", "NO_COLOR": "1", "PYTHONPATH": str(COURSE.root)}
    done = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


# What platforms get -------------------------------------------------------------------------------


def exported(
    platform: Platform,
    expected: Mapping[str, Expected],
    reports: Mapping[str, Report],
    roster: Path,
    out: Path,
) -> list[str]:
    """The platform's own table: a mark in the row of each id, and in no other."""
    column = COLUMN if platform.export == "canvas" else "Grade"
    given = ["--roster", roster, "--assignment", column]
    rows = list(csv.DictReader(io.StringIO(grader("export", platform.export, out, *given))))
    key = "ID" if platform.export == "canvas" else "Identifier"
    found = {row[key].removeprefix("Participant "): row[column] for row in rows if row[key]}
    marks = {number: score(reports.get(number)) for number in found if number in expected}
    wrong = [n for n, cell in found.items() if cell != marks.get(n, "")]
    return [f"the table of {platform.export} has {found[n]!r} for {n}" for n in wrong]


def in_csv(reports: Mapping[str, Report], names: Sequence[str], out: Path) -> list[str]:
    """`grades.csv`, and the export of it."""
    kept = list(csv.DictReader((out / "grades.csv").open(encoding="utf-8", newline="")))
    rows = list(csv.DictReader(io.StringIO(grader("export", "csv", out))))
    found = {row["student_id"]: [row[name] for name in (*names, "score")] for row in kept}
    totals = {row["submission"]: row["total"] for row in rows}
    faults = []
    for number, report in reports.items():
        wanted = [f"{one.score:g}" for one in report.exercises] + [score(report)]
        if found.get(number) != wanted or totals.get(report.submission) != score(report):
            faults.append(f"grades.csv has {found.get(number)} for {number}, not {wanted}")
    return faults


def score(report: Report | None) -> str:
    return "" if report is None else f"{report.score:g}"


if __name__ == "__main__":
    main()
