"""Toy suites, what a program fails there, and scripts run by a Python that does not know us."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from grader.examiner.check_run import case_of
from grader.examiner.finding import find
from grader.programs.program import LocalProgram

SEED = 11

# Each script in a fork of its own, beside the file that it asks.
RUNNER = """
import contextlib, io, json, os, runpy, sys, warnings
import torch

def result(path, folder):
    sys.path[:] = [folder, *(p for p in sys.path if p)]
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            runpy.run_path(path)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "grader" if "grader" in sys.modules else ""

for path, folder in json.load(sys.stdin):
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, result(path, folder).encode()[:4000])
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8", errors="replace") as answer:
        print(json.dumps(answer.read()))
    os.wait()
"""


@pytest.fixture(scope="session")
def run_plainly():
    """``run_plainly([(script, folder), ...])``: what each raised; empty if nothing."""

    def run_plainly(jobs):
        jobs = [[str(script), str(folder)] for script, folder in jobs]
        done = subprocess.run(
            [sys.executable, "-I", "-W", "ignore", "-c", RUNNER],
            input=json.dumps(jobs), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run_plainly


@pytest.fixture(scope="session")
def failures_of():
    """``failures_of(suite, names, ...)``: each check that this program fails, with its verdict."""

    def failures_of(suite, names, only=None, seed=SEED):
        unclocked = [c.check.name for c in suite.checks if not c.clocked]
        chosen = [name for name in unclocked if only is None or name in only]
        found = find(suite, LocalProgram(names), seed, only=chosen)
        by_name = {collected.check.name: collected for collected in suite.checks}
        return [
            (case_of(suite, by_name[one.verdict.check.name], seed, "cpu", ""), one.verdict)
            for one in found
            if one.shown is not None
        ]

    return failures_of
