"""What stands between submissions and this machine: each layer, what is missing, what to do."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

import torch

from grader.cli import screen
from grader.cli.versions import versions
from grader.sandbox import bubblewrap, cgroup, container, landlock
from grader.sandbox.launch import Sandbox, open_sandbox

# In the order in which an attacker meets them, from the inside.
STOPS: Final = {
    "process": "reaching suites, references, seeds and marks: they are in another process",
    "limits": "endless memory, processor time and open files",
    "cgroup": "memory that no limit of a process counts; more processes or cores than given",
    "landlock": "reading any file but Python's own libraries, writing any, TCP",
    "seccomp": "new processes and threads, sockets, timers, signals, and every call not listed",
    "bubblewrap": "knowing which files and processes there are, and the network as a whole",
}

_PROBES = 5


def doctor() -> int:
    """Print what holds here; 0 under full isolation, 1 otherwise."""
    with contextlib.closing(open_sandbox()) as sandbox:
        there, milliseconds = sandbox.layers, worker_milliseconds(sandbox)
        isolation = sandbox.isolation
    rows = [(name, "yes" if name in there else "no", text) for name, text in STOPS.items()]
    screen.table(["layer", "here", "stops"], rows)
    screen.say("")
    for line in advice(there):
        screen.say(line)
    for line in machine():
        screen.say(line)
    screen.say(f"A fresh worker answers in {milliseconds:.1f} ms (the fastest of {_PROBES}).")
    screen.say(_VERDICTS[isolation])
    return 0 if isolation == "full" else 1


_VERDICTS = {
    "full": "Full isolation: marks may be given here.",
    "process": "No full isolation (it needs Landlock and seccomp): `grader grade` gives marks only "
    "with --isolation process, on your own responsibility.",
}


def worker_milliseconds(sandbox: Sandbox) -> float:
    """From asking for a worker to its first answer; the fastest of a few, for others are busy."""
    return min(_answer_milliseconds(sandbox) for _ in range(_PROBES))


def _answer_milliseconds(sandbox: Sandbox) -> float:
    start = time.perf_counter()
    session = sandbox.open()
    with contextlib.closing(session):
        session.allow_seconds(60)
        session.load({"probe": "def f(): return 1"}, "probe")
        session.perform({"op": "call", "name": "f", "args": [], "kwargs": {}})
        return (time.perf_counter() - start) * 1000


def advice(there: Sequence[str]) -> Iterator[str]:
    """For each layer that is missing: why, and what to do."""
    if sys.platform != "linux":
        yield f"The kernel's layers are Linux's: on {platform.system()} use a virtual machine."
        return
    if "landlock" not in there:
        yield f"landlock: {landlock.why_not() or 'it was not used'}. {_kernel_or_maker()}"
    elif (version := landlock.version()) < _LANDLOCK_WITH_SIGNALS:
        yield (
            f"landlock: this kernel has version {version}. From Linux 6.12 on (version 6) it also "
            "keeps signals away by itself; seccomp does it until then."
        )
    if "seccomp" not in there:
        yield "seccomp: it needs x86-64 or arm64, and a kernel with CONFIG_SECCOMP_FILTER."
    if "bubblewrap" not in there:
        why = bubblewrap.why_not()
        yield f"bubblewrap: it {why or 'was not started'}. {_namespaces_or_package(why)}"
    if "cgroup" not in there:
        how = _OF_THE_CONTAINER if container.kind() else _DELEGATION
        yield f"cgroup: {cgroup.why_not() or 'a group could not be made'}. {how}"


_LANDLOCK_WITH_SIGNALS = 6
_DELEGATION = (
    "Where version 2 is mounted, run `systemd-run --user --scope -p Delegate=yes grader grade ...`."
)
_OF_THE_CONTAINER = (
    "In a container, limits of whoever started it (`docker run --memory`) hold for all together."
)


def _kernel_or_maker() -> str:
    """What makes Landlock work."""
    kernel = (
        "Use Linux 5.13 or newer, with `landlock` among the modules that the kernel parameter lsm= "
        "names."
    )
    if not container.kind():
        return kernel
    return (
        "A container has its host's kernel, and a filter of whoever started it: Docker's lets "
        f"Landlock through from 20.10.18 on. {kernel}"
    )


def _namespaces_or_package(why: str) -> str:
    if container.kind() and not container.may_administer():
        return (
            "In a container it needs CAP_SYS_ADMIN and no filter of system calls, which take away "
            "more than it adds: Landlock and seccomp hold without it."
        )
    if why == "is not installed":
        return "Install the package bubblewrap (apt, dnf, pacman)."
    return (
        "It needs user namespaces: user.max_user_namespaces above 0, on Debian "
        "kernel.unprivileged_userns_clone=1, on Ubuntu 24.04 "
        "kernel.apparmor_restrict_unprivileged_userns=0 (all with `sysctl -w`)."
    )


def machine() -> Iterator[str]:
    """What runs here: the grader, its course, programs, cores, GPUs."""
    yield from (f"{line}." for line in versions())
    system = f"{platform.system()} {platform.release()} ({platform.machine()})"
    yield f"Python {platform.python_version()}, torch {torch.__version__}, {system}."
    if maker := container.kind():
        yield f"In a container ({maker}), on its host's kernel. {_left_to_us()}"
    yield f"Cores: {_cores()}. GPU: {', '.join(_gpus()) or 'none that torch can use'}."


def _left_to_us() -> str:
    calls = "are filtered" if container.filters_calls() else "are not filtered"
    powers = "it has" if container.may_administer() else "it lacks"
    return f"System calls {calls} by whoever started it; {powers} CAP_SYS_ADMIN."


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _gpus() -> list[str]:
    if not torch.cuda.is_available():
        return []
    return [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
