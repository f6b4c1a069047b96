"""bubblewrap: namespaces around the zygote, in which other files and the network do not exist.

Source: bwrap(1).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from grader.sandbox.paths import LARGE_PAGES_FOLDER


def starts() -> bool:
    """Whether ``bwrap`` is here and may make its namespaces (Docker and old Ubuntus refuse)."""
    return not why_not()


def why_not() -> str:
    """What stands against it, in a few words; empty where it starts."""
    program = shutil.which("bwrap")
    if program is None:
        return "is not installed"
    command = [program, "--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    said = done.stderr.decode(errors="replace").strip()[-200:]
    return f"does not start: {said}" if done.returncode else ""


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
        # Not as root: who is nobody in here may have namespaces, and so mounts, of its own.
        "--uid", "65534", "--gid", "65534",
        "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", *nodes, *binds,
        "--ro-bind-try", LARGE_PAGES_FOLDER, LARGE_PAGES_FOLDER,
        "--remount-ro", "/", "--chdir", "/", "--", *program,
    ]  # fmt: skip
