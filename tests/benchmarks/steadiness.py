"""Does the grader grow? A class of tiny submissions, a tenth of them hostile; run it by hand.

    python tests/benchmarks/steadiness.py [--submissions 1000]

Prints, a line at a time, the resident memory of the grader, how many processes and files it holds,
and in the end how much it has grown since the first tenth. Submissions that hang are left out: they
cost time, which has a benchmark of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.model import Submission
from grader.pipeline import grade_all
from grader.sandbox.launch import open_sandbox

EXERCISE = "softmax"
FRAMES = """
import json, struct, sys, torch
def send(tree, payload=b'', spaces=0):
    raw = json.dumps(tree).encode() + b' ' * spaces
    head = struct.pack('!4sIQ', b'GRD1', len(raw), len(payload))
    sys.stdout.channel.socket.sendall(head + raw + payload)
"""
FORM = "{'dtype': 'uint8', 'shape': [1 << 23], 'device': 'cpu', 'offset': 0}"
HOSTILE = {
    "too large": "def softmax(x, dim=-1): return torch.zeros(50 << 20)",
    "large": "def softmax(x, dim=-1): return torch.zeros(2 << 20)",
    "many": "def softmax(x, dim=-1): return [torch.zeros(9)] * 9000",
    "text": "def softmax(x, dim=-1): return 'x' * 900_000",
    "named again": "def softmax(x, dim=-1):\n"
    f" send({{'number': 0, 'value': ['list', [['tensor', {FORM}]] * 400]}}, bytes(1 << 23))",
    "frames": "def softmax(x, dim=-1):\n while True: send({'printed': ''}, spaces=1_000_000)",
    "prints": "def softmax(x, dim=-1):\n while True: print('again and again')",
    "message": "def softmax(x, dim=-1): raise ValueError('x\\n' * 10**6)",
    "notes": "def softmax(x, dim=-1):\n"
    " for i in range(99): send({'refused': f'{i}' * 999})\n return x",
    "ends": "def softmax(x, dim=-1): import os; os._exit(3)",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=1000)
    count = parser.parse_args().submissions
    course = find_course()
    right = (course.root / "tests" / "submissions" / "perfect" / f"{EXERCISE}.py").read_text()
    started, outcomes, sizes = time.monotonic(), Counter[str](), list[int]()
    with contextlib.closing(open_sandbox()) as sandbox:
        exercises = [load_catalog(course)[EXERCISE]]
        graded = grade_all(course, exercises, submissions(count, right), sandbox, seed=1)
        for number, report in enumerate(graded, start=1):
            outcomes.update(str(verdict.outcome) for verdict in report.verdicts)
            sizes.append(resident_mib())
            if number % max(count // 20, 1) == 0:
                seconds = time.monotonic() - started
                print(f"{number:6} graded  {seconds:6.0f} s  {sizes[-1]:5} MiB  {held()}")
    print(f"when the sandbox is closed: {held()}")
    print(f"outcomes: {dict(outcomes)}")
    early = max(sizes[: max(count // 10, 1)])
    print(
        f"most in the first tenth {early} MiB, later {max(sizes)} MiB, at the end {sizes[-1]} MiB"
    )


def submissions(count: int, right: str) -> Iterator[Submission]:
    """Right ones, and every tenth one of the hostile kinds in turn."""
    hostile = list(HOSTILE.items())
    for number in range(count):
        text = right
        if number % 10 == 5:
            text = FRAMES + hostile[number // 10 % len(hostile)][1]
        name = f"student{number}"
        yield Submission(name, name, {EXERCISE: text})


def resident_mib() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def held() -> str:
    """What this process holds of the system's."""
    files, children = len(os.listdir("/proc/self/fd")), 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                children += int(parent) == os.getpid()
    return f"{files} open files, {children} child processes"


if __name__ == "__main__":
    main()
