"""Figures, not assertions: run with ``pytest tests/benchmarks --benchmark-enable``.

They need a quiet machine. The last one compares a cold ``grader check`` with a bare import of
torch; the ratio of the two medians is what matters.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest
import torch

from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.pipeline import grade_all
from grader.sandbox.launch import open_sandbox
from grader.sandbox.protocol import Leaf

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SOURCES = {"softmax": COURSE.solution("softmax").read_text(encoding="utf-8")}


@pytest.fixture(scope="module")
def warm_sandbox():
    with contextlib.closing(open_sandbox()) as sandbox:
        yield sandbox


def test_worker_to_first_answered_call(benchmark, warm_sandbox):
    """From asking for a worker to its first answer, all layers on."""
    x = torch.randn(4, 8)
    request = {"op": "call", "name": "softmax", "args": [Leaf(0, x)], "kwargs": {}}

    def first_answer():
        session = warm_sandbox.open()
        session.allow_seconds(10)
        session.load(SOURCES, "softmax")
        reply = session.perform(request)
        session.close()
        return reply

    reply = benchmark.pedantic(first_answer, rounds=50, warmup_rounds=3)

    assert torch.allclose(reply["value"], x.softmax(-1))


@pytest.mark.parametrize("exercises", ["the first six", "all"])
def test_grading_the_perfect_submission(benchmark, warm_sandbox, exercises):
    """Every check of a right submission, after start-up; of all exercises where time is taken."""
    if exercises == "all" and benchmark.disabled:
        pytest.skip("the samples have the same submission graded")
    chosen = list(CATALOG.values())[: 6 if exercises == "the first six" else None]
    (submission,) = collect(COURSE.root / "tests" / "submissions" / "perfect", CATALOG)

    def graded():
        return list(grade_all(COURSE, chosen, [submission], warm_sandbox))

    (report,) = benchmark.pedantic(graded, rounds=5, warmup_rounds=1)

    assert report.score == report.max_score


@pytest.mark.parametrize("command", ["import torch", "grader check softmax"])
def test_cold_shell(benchmark, command):
    """A self-check from a cold shell, beside the import it cannot avoid."""
    folder = COURSE.root / "tests" / "submissions" / "perfect"
    programs = {
        "import torch": [sys.executable, "-c", "import torch"],
        "grader check softmax": [sys.executable, "-m", "grader", "check", "softmax"],
    }

    def cold():
        return subprocess.run(programs[command], cwd=folder, capture_output=True, check=False)

    done = benchmark.pedantic(cold, rounds=5, warmup_rounds=1)

    assert done.returncode == 0
