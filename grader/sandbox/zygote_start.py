"""Where a zygote begins. Which walls this kernel has is told before torch is imported, which takes
a second: whoever asks only that need not wait for it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from typing import NamedTuple

from grader.sandbox import landlock, seccomp, temporary


class Walls(NamedTuple):
    """What stands around workers: the kernel's ``layers``, and where workers cannot mount a
    temporary folder of their own, the ``folder`` below which theirs are.
    """

    layers: tuple[str, ...]
    folder: str

    @classmethod
    def found(cls) -> Walls:
        """Those that there are here."""
        folder = "" if temporary.can_mount() else temporary.watched()
        there = {"landlock": landlock.version() > 0, "seccomp": seccomp.available()}
        return cls(tuple(name for name, is_there in there.items() if is_there), folder)

    def tell(self, control: socket.socket) -> None:
        """The first words of a zygote."""
        control.send(json.dumps(self._asdict()).encode())


def main(
    control_fd: int, readable: Sequence[str], memory_mib: int, devices: Sequence[str] = ()
) -> None:
    """Serve on the inherited control socket until the other end closes it."""
    control = socket.socket(fileno=control_fd)
    walls = Walls.found()
    walls.tell(control)
    control.detach()
    from grader.sandbox import zygote

    zygote.main(control_fd, walls, readable, memory_mib, devices)
