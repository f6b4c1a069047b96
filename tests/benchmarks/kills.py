"""`kill -9` at random moments of a run over copies of the samples; run it by hand.

    python tests/benchmarks/kills.py [--submissions 200] [--kills 10]

Grades a class undisturbed; then once more, killed again and again until it is through. Prints after
each kill how far it came, and in the end whether reports (but for times), kept texts and marks are
the same, how much was graded twice, and how long a command takes that has nothing to do.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from grader.course.course import find_course
from grader.runs.journal import Journal

EXERCISE = "softmax"
SEED = 20261122
# What hangs costs time, which has a benchmark of its own.
LEFT_OUT = {"loops_forever", "slow_import", "prints_forever", "eats_memory"}
TIMES = {"seconds": 0, "measured": None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    chance = random.Random(options.kills)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        hand_in(root / "class", options.submissions)
        undisturbed, out = root / "undisturbed", root / "killed"
        seconds = timed(command(root / "class", undisturbed))
        print(f"undisturbed: {options.submissions} submissions in {seconds:.1f} s")
        for number in range(options.kills):
            process = start(command(root / "class", out))
            if number % 2:  # every other kill comes while submissions are graded, for sure
                wait_for_one(process, out)
            time.sleep(chance.uniform(0, seconds / options.kills))
            through = process.poll() is not None
            process.kill()
            process.wait()
            print(f"kill {number + 1}: {len(graded(out))} graded{' (it was through)' * through}")
        print(f"the rest in {timed(command(root / 'class', out)):.1f} s")
        compare(out, undisturbed)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = timed(command(root / "class", out))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"once more, with nothing to do: {seconds:.1f} s, {cpu:.1f} s of CPU")


def hand_in(folder: Path, count: int) -> None:
    samples = find_course().root / "tests" / "submissions"
    names = sorted(path.parent.name for path in samples.glob(f"*/{EXERCISE}.py"))
    names = [name for name in names if name not in LEFT_OUT]
    for number in range(count):
        name = names[number % len(names)]
        (folder / f"{name} {number}").mkdir(parents=True)
        shutil.copy(samples / name / f"{EXERCISE}.py", folder / f"{name} {number}")


def command(folder: Path, out: Path) -> list[str]:
    grade = [sys.executable, "-m", "grader", "grade", str(folder), "--out", str(out)]
    return [*grade, "--exercises", EXERCISE, "--seed", str(SEED)]


def start(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL)


def wait_for_one(process: subprocess.Popen[bytes], out: Path) -> None:
    before = graded(out).total()
    while process.poll() is None and graded(out).total() == before:
        time.sleep(0.005)


def timed(arguments: list[str]) -> float:
    """How long it takes, in seconds; it must succeed."""
    started = time.monotonic()
    if start(arguments).wait() != 0:
        raise SystemExit(f"this failed: {' '.join(arguments)}")
    return time.monotonic() - started


def graded(out: Path) -> Counter[str]:
    """How often each submission was graded, as the journal says."""
    entries = [entry for entry in Journal(out).entries() if entry["event"] == "written"]
    return Counter(entry["submission"] for entry in entries)


def compare(out: Path, undisturbed: Path) -> None:
    counts = graded(out)
    reports = reports_of(out) == reports_of(undisturbed)
    marks, texts = (
        files(out, pattern) == files(undisturbed, pattern)
        for pattern in ("grades.csv", "submissions/**/*.py")
    )
    print(f"the same reports: {reports}; marks: {marks}; texts: {texts}")
    print(f"known as graded and graded again: {sum(counts.values()) - len(counts)}")
    left = list(out.rglob(".*.part"))
    print(f"left half written: {len(left)}; earlier attempts: {len(list(out.glob('earlier/*')))}")
    if not (reports and marks and texts) or left:
        raise SystemExit("something was lost")


def reports_of(out: Path) -> dict[str, object]:
    """All reports without times, and without what was measured."""
    return {path.name: untimed(path) for path in (out / "reports").iterdir()}


def untimed(path: Path) -> object:
    report = json.loads(path.read_text(encoding="utf-8"))
    for exercise in report["exercises"]:
        exercise["checks"] = [check | TIMES for check in exercise["checks"]]
    return report | {"graded_at": ""}


def files(out: Path, pattern: str) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.glob(pattern)}


if __name__ == "__main__":
    main()
