"""Starting a sandbox: the zygote where the kernel helps, ordinary processes elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol

from grader.sandbox.session import DEFAULT_MEMORY_MIB, Session


class Sandbox(Protocol):
    """Hands out one fresh worker after another. ``isolation`` is ``full`` or ``process``. Whoever
    asks for many can ``wait`` until there will be any, which raises ``SandboxError`` if there will
    be none; who will not ask for one for a while can let it ``rest``.
    """

    @property
    def isolation(self) -> str: ...

    @property
    def layers(self) -> tuple[str, ...]: ...

    def open(
        self, owner: str = "", device: str = "cpu", forbids: Sequence[str] = ()
    ) -> Session: ...

    def wait(self) -> None: ...

    def rest(self) -> None: ...

    def close(self) -> None: ...


def open_sandbox(
    isolation: str | None = None,
    *,
    fork: bool = False,
    gpu: bool = False,
    memory_mib: int = DEFAULT_MEMORY_MIB,
) -> Sandbox:
    """The best sandbox this machine has, or, with ``isolation="process"``, the portable one.

    ``fork`` makes the zygote out of the calling process, which must have imported torch, run one
    thread and know nothing secret yet: it saves importing torch a second time.
    ``gpu`` lets workers that are opened for one use NVIDIA's device nodes. ``memory_mib`` is what a
    worker may take on top of Python and torch: not in the portable sandbox, nor one that may use a
    GPU, for CUDA reserves addresses.
    """
    if isolation == "process" or sys.platform != "linux":
        from grader.sandbox.process_sandbox import ProcessSandbox

        return ProcessSandbox()
    from grader.sandbox.gpu_sandbox import GpuSandbox
    from grader.sandbox.zygote_sandbox import ZygoteSandbox

    return GpuSandbox(memory_mib) if gpu else ZygoteSandbox(memory_mib, fork=fork)


def describe_layers(sandbox: Sandbox) -> str:
    """For the terminal: what stands between submissions and this machine."""
    return f"{sandbox.isolation} isolation ({', '.join(sandbox.layers)})"
