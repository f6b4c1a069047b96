"""Workers for a GPU are others than those for the CPU, and so is what becomes of them."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import closing

import pytest
import torch

from grader.sandbox import zygote
from grader.sandbox.gpu_sandbox import GpuSandbox
from grader.sandbox.launch import open_sandbox
from grader.sandbox.paths import CODE
from grader.sandbox.protocol import Leaf

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no zygote")


@pytest.fixture(scope="module")
def both():
    with closing(open_sandbox(gpu=True)) as sandbox:
        yield sandbox


def answered_by(sandbox, device, owner="ann"):
    with closing(sandbox.open(owner, device)) as session:
        session.allow_seconds(20.0)
        session.load({"m": "def f(): return 1"}, "m")
        return session.stats._pid


def test_each_side_has_workers_of_its_own(both):
    """One owner's worker for the CPU is kept beside the one that may use a GPU."""
    on_cpu, on_gpu = (answered_by(both, device) for device in ("cpu", "cuda"))

    assert on_cpu != on_gpu
    assert [answered_by(both, device) for device in ("cpu", "cuda")] == [on_cpu, on_gpu]


class Side:
    def __init__(self, isolation, *layers):
        self.isolation, self.layers = isolation, layers


def test_what_is_in_force_is_in_force_on_both_sides():
    """Reports name no wall that one of them lacks."""
    sandbox = GpuSandbox.__new__(GpuSandbox)
    sandbox._on_cpu = Side("full", "process", "landlock", "seccomp", "bubblewrap")
    sandbox._on_gpu = Side("process", "process", "seccomp")

    assert sandbox.layers == ("process", "seccomp")
    assert sandbox.isolation == "process"


def test_nothing_is_loaded_while_the_first_backward_runs():
    """CUDA would start a thread to look for GPUs, and threads do not survive a fork."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with zygote._no_new_files(), pytest.raises(OSError, match="Too many open files"):
        os.open(os.devnull, os.O_RDONLY)

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


@pytest.mark.parametrize("gpu", [False, True])
def test_a_zygote_never_asks_for_a_gpu(gpu):
    """Whoever asks CUDA has its driver, and its threads, in the process that is to be forked."""
    program = (
        f"import sys; sys.path.insert(0, {str(CODE)!r})\n"
        "import torch\n"
        "def asked(*args): raise RuntimeError('asked for a GPU')\n"
        "for name in ('is_available', 'device_count', 'init', 'manual_seed_all'):\n"
        "    setattr(torch.cuda, name, asked)\n"
        "torch.accelerator.is_available = asked\n"
        "from grader.sandbox import zygote\n"
        f"zygote._warm_up(gpu={gpu})\n"
    )
    environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PATH": os.defpath}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]


def test_torch_counts_gpus_where_it_is_told_to_ask_the_driver():
    """The name that is replaced is torch's."""
    assert callable(torch.cuda._raw_device_count_nvml)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_is_used_and_nobody_accused(both):
    """The driver starts behind the walls, and what it does is no act of the submission's."""
    source = (
        "import torch\n"
        "def f(x):\n"
        "    torch.manual_seed(1)\n"
        "    return torch.softmax(x @ x, -1) + 0 * torch.randn(3, 3, device=x.device)\n"
    )
    with closing(both.open(device="cuda")) as session:
        session.allow_seconds(60)
        session.load({"m": source}, "m")
        given = Leaf(0, torch.eye(3, device="cuda"))
        answer = session.perform({"op": "call", "name": "f", "args": [given], "kwargs": {}})

    assert answer["value"].device.type == "cuda"
    assert session.refused == []
