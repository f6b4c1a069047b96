"""bubblewrap: namespaces around the zygote, in which other files and the network do not exist.

Source: bwrap(1).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Sequence


def starts() -> bool:
    """Whether ``bwrap`` is here and may make its namespaces (Docker and old Ubuntus refuse)."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    command = [program, "--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/", "true"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)
        return done.returncode == 0
    return False


def command(
    readable: Sequence[str], program: Sequence[str], devices: Sequence[str] = ()
) -> list[str]:
    """``program`` in namespaces of its own that hold ``readable``, read-only, the ``devices`` that
    lie in /dev, and no network.
    """
    binds: list[str] = []
    for path in readable:
        if os.path.islink(path):
            binds += ["--symlink", os.readlink(path), path]
        else:
            binds += ["--ro-bind-try", path, path]
    nodes: list[str] = []
    for path in devices:
        if path.startswith("/dev/"):
            nodes += ["--dev-bind-try", path, path]
        elif not path.startswith("/proc/"):
            nodes += ["--ro-bind-try", path, path]
    return [
        "bwrap", "--unshare-user", "--unshare-all", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", *nodes, *binds,
        "--remount-ro", "/", "--chdir", "/", "--", *program,
    ]  # fmt: skip
