"""What a second examiner finds, and what becomes of it: ``python second.py``, as JSON.

A process of its own, for whoever forks must have one thread.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import time
from contextlib import closing
from pathlib import Path

import grader.pipeline  # noqa: F401  (before the zygotes, which are forked from what is imported)
from grader.sandbox.launch import open_sandbox

gc.disable()
FOREVER = "\n\ndef softmax(x, dim=-1):\n    while True:\n        pass\n"


class Counted:
    """A second examiner, and how many passes it told of."""

    def __init__(self, second):
        self.second, self.count = second, 0
        self.begin, self.leaves, self.leave_off = second.begin, second.leaves, second.leave_off
        self.advise, self.advice = second.advise, second.advice

    def passes(self, is_enough):
        found = self.second.passes(is_enough)
        self.count += len(found)
        return found


def main() -> None:
    with closing(open_sandbox(fork=True)) as sandbox, closing(open_sandbox(fork=True)) as other:
        print(json.dumps(found_with(sandbox, other)))


def found_with(sandbox, other):
    from grader.course.catalog import load_catalog
    from grader.course.course import find_course
    from grader.examiner.assembled import Examination
    from grader.examiner.collection import collected
    from grader.learner.second_examiner import SecondExaminer
    from grader.model import Submission
    from grader.programs.program import SubmissionProgram

    course = find_course()
    exercise = load_catalog(course)["softmax"]
    samples = course.root / "tests" / "submissions"
    right, wrong, untouched = (
        (samples / name / "softmax.py").read_text(encoding="utf-8")
        for name in ("perfect", "wrong_axis", "untouched")
    )
    suites = collected(course, [exercise])
    second = SecondExaminer(suites, 7, other)
    counted = Counted(second)

    def told(text, number, helper):
        submission = Submission(f"revision {number}", "ann", {"softmax": text})
        program = SubmissionProgram(submission, sandbox)
        examination = Examination(suites, program, 7, second=helper)
        report = examination.report_on(exercise)
        program.close()
        return [
            [v.check.name, v.outcome, v.misconception, v.advice and v.advice.kind]
            for v in report.verdicts
        ]

    texts = {"right": right, "wrong": wrong, "untouched": untouched}
    alone = {name: told(text, f"{name} alone", None) for name, text in texts.items()}
    both = {name: told(text, f"{name} both", counted) for name, text in texts.items()}
    helped = counted.count

    names = [one.check.name for one in suites.of(exercise).checks if not one.measures]

    def begin(text):
        submission = Submission("revision", "ann", {"softmax": text})
        second.begin(suites.of(exercise), SubmissionProgram(submission, sandbox), names)

    begin(right + FOREVER)
    time.sleep(0.5)
    second.leave_off()
    began = time.monotonic()
    begin(right)
    passes = second.passes(lambda: False)  # all of them are left to it
    after = {"seconds": time.monotonic() - began, "all": sorted(passes) == [*range(len(names))]}

    os.kill(second.pid, signal.SIGKILL)
    gone = {name: told(text, f"{name} without", counted) for name, text in texts.items()}
    second.close()
    return {
        "alone": alone,
        "both": both,
        "helped": helped,
        "after": after,
        "gone": gone,
        "is_there": Path(f"/proc/{second.pid}").exists(),
    }


main()
