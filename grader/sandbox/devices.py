"""On which devices tensors may lie, how chance begins there, and that float32 is exact."""

from __future__ import annotations

from collections.abc import Callable

import torch

# Bound before a submission can rebind them.
_gpu_has_started: Callable[[], bool] = torch.cuda.is_initialized
_wait_for_gpu: Callable[[], None] = torch.cuda.synchronize

DEVICES = ["cpu", "meta", "cuda:0"]


def is_here(device: str) -> bool:
    """Whether this machine has ``device``: "cpu", "cuda", "cuda:0" ..."""
    kind = device.partition(":")[0]
    return kind == "cpu" or bool(torch.get_device_module(kind).is_available())


def gave_up(message: str) -> bool:
    """Whether an exception says that a GPU gave up, and with it the process: it computes nothing
    more there.
    """
    return message.startswith("CUDA error: ") and "out of memory" not in message[:60]


def given_up_over() -> RuntimeError | None:
    """What the GPU of this process has given up over, if it has: it says so only to who waits for
    it, and what is raised meanwhile tells of something else.
    """
    try:
        if _gpu_has_started():
            _wait_for_gpu()
    except RuntimeError as error:
        return error
    return None


def seed_all(seed: int) -> None:
    """``torch.manual_seed``, which without a GPU spends a hundred times as long on those that are
    not there.
    """
    if torch.accelerator.is_available():
        torch.manual_seed(seed)
    else:
        torch.default_generator.manual_seed(seed)


def keep_exact() -> None:
    """Multiply float32 matrices in float32: TF32 would keep 10 bits of what a GPU is given."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
