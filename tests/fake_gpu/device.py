"""Builds, loads and dresses the fake GPU, see ``device.cpp``."""

from __future__ import annotations

import os
import shutil
import subprocess
import types
from pathlib import Path

import torch

SOURCE = Path(__file__).with_name("device.cpp")
DEVICE = "fake"


def compiler() -> str | None:
    """A C++ compiler, if there is one."""
    return shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")


def build(folder: Path) -> Path:
    """Compile the device; returns the library."""
    library = folder / "fake.so"
    include = Path(torch.__file__).parent / "include"
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"
    found = [f"-I{include}", f"-I{include / 'torch/csrc/api/include'}", abi]
    options = ["-O1", "-w", "-shared", "-fPIC", "-std=c++20", *found]
    torch_libraries = [f"-L{include.with_name('lib')}", "-ltorch_cpu", "-lc10"]
    command = [str(compiler()), *options, str(SOURCE), "-o", str(library), *torch_libraries]
    subprocess.run(command, check=True)
    return library


def load(library: Path) -> None:
    """Give torch the device, and the module ``torch.fake`` that it expects of one."""
    torch.ops.load_library(str(library))
    torch.utils.rename_privateuse1_backend(DEVICE)
    module = types.ModuleType(f"torch.{DEVICE}")
    vars(module).update(
        is_available=lambda: True,
        is_initialized=lambda: True,
        device_count=lambda: 1,
        current_device=lambda: 0,
        manual_seed_all=lambda seed: None,
        get_amp_supported_dtype=lambda: [torch.bfloat16, torch.float16],
        _is_in_bad_fork=lambda: False,
        _lazy_init=lambda: None,
    )
    torch._register_device_module(DEVICE, module)
    torch.nn.Module._apply = _keeping_ties(torch.nn.Module._apply)
    torch.Tensor.__deepcopy__ = _staying_there(torch.Tensor.__deepcopy__)


def _keeping_ties(apply):
    """Moving a module to a real GPU leaves tied parameters tied; torch does not know how to do that
    for a device from outside, and makes two of one.
    """

    def kept(module, function, recurse=True):
        before = _places(module)
        result = apply(module, function, recurse)
        for places in before:
            owner, name = places[0]
            for other, alias in places[1:]:
                other._parameters[alias] = owner._parameters[name]
        return result

    return kept


def _staying_there(deepcopy):
    """The copy of a buffer stays on its device, as on a real GPU."""

    def kept(tensor, memo):
        if tensor.device.type != DEVICE or id(tensor) in memo:
            return deepcopy(tensor, memo)
        memo[id(tensor)] = tensor.detach().clone()
        return memo[id(tensor)]

    return kept


def _places(module):
    """Where each parameter lies that lies in several places."""
    found = {}
    for owner in module.modules():
        for name, parameter in owner._parameters.items():
            if parameter is not None:
                found.setdefault(id(parameter), []).append((owner, name))
    return [places for places in found.values() if len(places) > 1]
