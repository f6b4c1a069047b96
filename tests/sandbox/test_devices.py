"""Float32 stays float32 on a GPU, and devices are known by name."""

from __future__ import annotations

import contextlib

import pytest
import torch

from grader.sandbox.devices import is_here
from grader.sandbox.launch import open_sandbox
from grader.sandbox.protocol import Leaf, Result

FASTER = [
    "torch.backends.cuda.matmul.allow_tf32 = True",
    "torch.set_float32_matmul_precision('high')",
    "torch.set_float32_matmul_precision('medium')",
    pytest.param(
        "torch.backends.fp32_precision = 'tf32'",
        marks=pytest.mark.skipif(
            not hasattr(torch.backends, "fp32_precision"), reason="this torch has no such setting"
        ),
    ),
]


@pytest.mark.parametrize("line", FASTER)
def test_a_submission_cannot_choose_tf32(sandbox, line):
    """Whatever its module sets while it is imported is taken back."""
    session = sandbox.open()
    session.allow_seconds(20)
    asks = "def f(): return torch.backends.cuda.matmul.allow_tf32"
    session.load({"m": f"import torch\n{line}\n{asks}"}, "m")
    answer = session.perform({"op": "call", "name": "f", "args": [], "kwargs": {}})
    session.close()

    assert answer["value"] is False


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_the_cpu_is_always_here(device):
    """With or without an index."""
    assert is_here(device)


def test_a_gpu_is_here_if_torch_says_so():
    """By kind and by number."""
    assert is_here("cuda") == is_here("cuda:0") == torch.cuda.is_available()


def test_workers_for_a_gpu_accuse_nobody():
    """Their wall is built before the witness looks, also on a machine without a GPU."""
    source = "import torch\ndef f(x): return torch.softmax(x * 2, -1)"
    leaf = Leaf(0, torch.ones(3), requires_grad=True)
    with contextlib.closing(open_sandbox(gpu=True)) as sandbox:
        session = sandbox.open(device="cuda")
        session.allow_seconds(60)
        session.load({"m": source}, "m")
        session.perform({"op": "call", "name": "f", "args": [leaf], "kwargs": {}})
        asked = {"outputs": [Result(0)], "cotangents": [torch.ones(3)], "wrt": [Leaf(0)]}
        answer = session.perform({"op": "differentiate"} | asked)
        session.close()

    assert answer["attached"] == [True]
    assert session.refused == []
