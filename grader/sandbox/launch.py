"""Starting a sandbox: the zygote where the kernel helps, ordinary processes elsewhere."""

from __future__ import annotations

import sys
from typing import Protocol

from grader.sandbox.session import Session


class Sandbox(Protocol):
    """Hands out one fresh worker after another. ``isolation`` is ``full`` or ``process``."""

    @property
    def isolation(self) -> str: ...

    @property
    def layers(self) -> tuple[str, ...]: ...

    def open(self, owner: str = "") -> Session: ...

    def close(self) -> None: ...


def open_sandbox(isolation: str | None = None, *, fork: bool = False, gpu: bool = False) -> Sandbox:
    """The best sandbox this machine has, or, with ``isolation="process"``, the portable one.

    ``fork`` makes the zygote out of the calling process, which must have imported torch, run one
    thread and know nothing secret yet: it saves importing torch a second time.
    ``gpu`` lets workers use NVIDIA's device nodes.
    """
    if isolation == "process" or sys.platform != "linux":
        from grader.sandbox.process_sandbox import ProcessSandbox

        return ProcessSandbox()
    from grader.sandbox.zygote_sandbox import ZygoteSandbox

    return ZygoteSandbox(fork=fork, gpu=gpu)


def describe_layers(sandbox: Sandbox) -> str:
    """For the terminal: what stands between submissions and this machine."""
    return f"{sandbox.isolation} isolation ({', '.join(sandbox.layers)})"
