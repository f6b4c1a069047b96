"""On which devices tensors may lie, how chance begins there, and that float32 is exact."""

from __future__ import annotations

import torch

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
