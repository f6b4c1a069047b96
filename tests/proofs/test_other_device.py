"""The suites on another device than the CPU.

On CUDA where there is one, and everywhere on a device that is compiled for the purpose, looks to
torch like a GPU and computes on the CPU (``fake_gpu/``). That one shows whether modules,
inputs, generators and expected values follow the device, and whether what is left on the CPU is
found; it shows nothing about CUDA's own numbers, driver and memory.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.programs.bank import load_bank
from grader.programs.page import load_by_path

FOLDER = Path(__file__).parents[1] / "fake_gpu"
COURSE = find_course()
CATALOG = load_catalog(COURSE)
DEVICE = re.compile(r",\s*device=[\w.]+")
fake = load_by_path(FOLDER / "device.py")

# Where a solution says on which device something is made.
MADE_THERE = ["masks", "attention", "dropout", "multi_head_attention"]
# Where a variant may make something elsewhere.
VARIED = [*MADE_THERE, "positional_encoding", "loss", "sampling", "kv_cache"]
BEYOND = "vocabulary_along_axis_one"  # what it does in loss
PROCESSES = 8  # at most, that hold the GPU at once: each half a gigabyte of it
ASKED = [*MADE_THERE, "positional_encoding", "loss", "questions"]  # on the fake GPU


@pytest.fixture(scope="module", params=["fake", "cuda"])
def device(request):
    """The name of a device that this machine has, or can have."""
    if request.param == "fake" and fake.compiler() is None:
        pytest.skip("there is no C++ compiler")
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return request.param


@pytest.fixture(scope="module")
def ask(device, tmp_path_factory):
    """``ask(script, told)``: what the script answers, on the device."""
    library = fake.build(tmp_path_factory.mktemp("fake")) if device == "fake" else ""

    def ask(script, told=""):
        command = [sys.executable, str(FOLDER / script), device, str(library)]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, input=told, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    return ask


@pytest.fixture(scope="module")
def exercises(device, request):
    """Those that are asked there; all of them on a GPU."""
    some = device == "fake" and not request.config.getoption("--all-variants")
    return [name for name in CATALOG if name in ASKED or not some]


@pytest.fixture(scope="module")
def reports(ask, exercises):
    """The reference as a submission, after one whose indices go beyond what they index, and before
    one with everything made on the CPU.
    """
    texts = COURSE.solution_texts
    left_behind = {name: DEVICE.sub("", text) for name, text in texts.items()}
    bank = load_bank(COURSE.misconceptions("loss"), COURSE.solution("loss"))
    (beyond,) = [entry.text for entry in bank if entry.name == BEYOND]
    job = {
        "beyond": {"files": {**texts, "loss": beyond}, "exercises": ["loss"]},
        "perfect": {"files": texts, "exercises": exercises},
        "left_behind": {"files": left_behind, "exercises": MADE_THERE},
    }
    found = ask("examine.py", json.dumps(job))
    return {report["submission"]: report for report in found}


def test_a_perfect_submission_earns_every_point_there(device, reports, exercises):
    """In workers, on the device."""
    report = reports["perfect"]
    checks = [check for exercise in report["exercises"] for check in exercise["checks"]]

    stopped = {c["name"]: c["cause"]["kind"] for c in checks if c["outcome"] != "passed"}
    assert set(stopped.values()) == {"no_clock"}, stopped  # speed is judged on the CPU
    assert report["refused"] == []
    assert report["score"] == report["max_score"]
    assert {c["device"] for c in checks} == {device}
    assert [exercise["name"] for exercise in report["exercises"]] == exercises


@pytest.mark.parametrize("name", MADE_THERE)
def test_what_is_made_on_the_cpu_fails_there(device, reports, name):
    """Leaving out the device costs points."""
    (exercise,) = (e for e in reports["left_behind"]["exercises"] if e["name"] == name)
    causes = [c["cause"]["rationale"] for c in exercise["checks"] if c["outcome"] != "passed"]

    assert exercise["score"] < exercise["max_score"]
    assert any(f"{device}:0" in cause and "cpu" in cause for cause in causes), causes


def test_an_index_too_far_is_told_as_on_the_cpu(reports):
    """It ends a GPU's work for a whole process, and costs the checks that show it, no others."""
    (exercise,) = reports["beyond"]["exercises"]
    failed = [check for check in exercise["checks"] if check["outcome"] != "passed"]

    raised = [check for check in failed if check["outcome"] == "error"]
    assert raised
    assert {check["outcome"] for check in failed} <= {"error", "carried"}
    assert all("is out of bounds for dimension" in check["cause"]["rationale"] for check in raised)
    assert {check["misconception"] for check in raised} == {BEYOND}
    assert 0 < exercise["score"] < exercise["max_score"]


@pytest.fixture(scope="module")
def findings(ask, device, request):
    """What speaks against the variants; on the fake GPU they are left to --all-variants."""
    if device == "fake" and not request.config.getoption("--all-variants"):
        pytest.skip("left to --all-variants")
    jobs = [json.dumps({"share": 1, "exercises": [name]}) for name in CATALOG]
    with ThreadPoolExecutor(min(os.cpu_count(), PROCESSES)) as pool:
        return {
            name: found
            for found_there in pool.map(lambda job: ask("prove.py", job), jobs)
            for name, found in found_there.items()
        }


def test_right_variants_are_right_there(findings):
    """Another way of writing the right answer is right on any device."""
    assert {name: found for name, found in findings.items() if found} == {}
    assert findings.keys() >= set(VARIED)
