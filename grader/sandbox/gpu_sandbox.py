"""Workers that may use a GPU and, for all that is asked on the CPU, others that may not."""

from __future__ import annotations

from collections.abc import Sequence

from grader.sandbox.session import DEFAULT_MEMORY_MIB, Session
from grader.sandbox.zygote_sandbox import ZygoteSandbox


class GpuSandbox:
    """Two zygotes: the walls that let CUDA's driver through are lower (threads, memory without
    limit, a peak that a worker can forget), and no check on the CPU is to need them so.
    """

    def __init__(self, memory_mib: int = DEFAULT_MEMORY_MIB) -> None:
        self._on_cpu = ZygoteSandbox(memory_mib)
        self._on_gpu = ZygoteSandbox(memory_mib, gpu=True)

    @property
    def layers(self) -> tuple[str, ...]:
        """What is in force on either side."""
        there = self._on_gpu.layers
        return tuple(layer for layer in self._on_cpu.layers if layer in there)

    @property
    def isolation(self) -> str:
        """``full`` where both are."""
        both = {self._on_cpu.isolation, self._on_gpu.isolation}
        return "full" if both == {"full"} else "process"

    def open(self, owner: str = "", device: str = "cpu", forbids: Sequence[str] = ()) -> Session:
        """A worker that has loaded nothing yet, or that ``owner`` alone has used."""
        side = self._on_cpu if device == "cpu" else self._on_gpu
        return side.open(owner, device, forbids)

    def wait(self) -> None:
        """For both."""
        self._on_cpu.wait()
        self._on_gpu.wait()

    def rest(self) -> None:
        """Let both rest."""
        self._on_cpu.rest()
        self._on_gpu.rest()

    def close(self) -> None:
        """End both, their workers with them."""
        self._on_cpu.close()
        self._on_gpu.close()
