"""Resource limits of one worker, set in the worker's own process before the submission loads."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_PR_CAPBSET_DROP = 24
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
_MIB = 1 << 20


def apply(
    memory_mib: int | None,
    cpu_seconds: int,
    open_files: int,
    file_bytes: int,
    *,
    opaque: bool = True,
) -> None:
    """Cap memory, processor time, files and core dumps; die with the zygote; drop capabilities.

    A worker that has used ``cpu_seconds`` ends by SIGXCPU.

    ``memory_mib`` is granted on top of the address space that Python and torch already occupy;
    None leaves it unlimited. No file grows beyond ``file_bytes``. What the kernel tells in
    /proc of an ``opaque`` process is root's, and no other process may look into it.
    """
    if memory_mib is not None:
        address_space = _address_space_bytes() + memory_mib * _MIB
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    # The soft limit alone: the kernel sends SIGXCPU then, and no SIGKILL that would look like one
    # from outside. Who blocks it is ended by the deadline of the request at hand.
    hardest = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (_smaller(cpu_seconds, hardest), hardest))
    for kind, value in (
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, open_files),
    ):
        resource.setrlimit(kind, (value, value))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if opaque:
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _drop_capabilities(libc)


def _smaller(limit: int, hardest: int) -> int:
    return limit if hardest == resource.RLIM_INFINITY else min(limit, hardest)


def _address_space_bytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """A root grader's worker is to be nobody in particular."""
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", _LINUX_CAPABILITY_VERSION_3, 0)
    libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))
