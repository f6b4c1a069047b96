"""Whether this is a container, and what whoever started it leaves to the grader.

Sources: proc_pid_status(5), proc_pid_mountinfo(5), capabilities(7).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

_ROOT = Path("/")
_FILES = {".dockerenv": "Docker", "run/.containerenv": "Podman"}
_KUBERNETES = "KUBERNETES_SERVICE_HOST"
_TOLD = "container"  # systemd-nspawn, Podman and others say their name in it
_FILTERS = "2"  # the seccomp mode in which somebody's program decides over every system call
_SYS_ADMIN = 21


def kind(root: Path = _ROOT, environment: Mapping[str, str] = os.environ) -> str:
    """What made the container that this is, or ``unknown``; empty where it looks like a machine."""
    for name, maker in _FILES.items():
        if (root / name).exists():
            return maker
    if environment.get(_TOLD):
        return environment[_TOLD]
    if _KUBERNETES in environment:
        return "Kubernetes"
    return "unknown" if _root_is_layered(root) else ""


def filters_calls(root: Path = _ROOT) -> bool:
    """Whether this process was started under a filter of system calls."""
    return _status(root).get("Seccomp") == _FILTERS


def may_administer(root: Path = _ROOT) -> bool:
    """Whether this process has CAP_SYS_ADMIN, and with it mounts and namespaces."""
    with contextlib.suppress(ValueError):
        return bool(int(_status(root).get("CapEff", "0"), 16) >> _SYS_ADMIN & 1)
    return False


def _root_is_layered(root: Path) -> bool:
    """An image's layers lie over one another in an overlay; a machine has a disk of its own."""
    for line in _lines(root / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        if before.split()[4:5] == ["/"] and after.split()[:1] == ["overlay"]:
            return True
    return False


def _status(root: Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in _lines(root / "proc/self/status"))
    return {name: value.strip() for name, _, value in pairs}


def _lines(file: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return file.read_text(errors="replace").splitlines()
    return []
