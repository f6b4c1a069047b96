"""seccomp: which system calls a worker may make, as a program that the kernel runs at each of them.

Sources: seccomp(2), prctl(2); ``linux/filter.h`` and ``linux/seccomp.h`` for the numbers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from grader.sandbox.syscalls import ALLOWED, BY_ARGUMENTS, DENIED, MISSING, NEWEST, Numbers

# Loaded before the witness looks. Windows has a libc as well, which is never called.
_LIBC = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None, use_errno=True)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000
_PR_GET_SECCOMP, _PR_SET_SECCOMP, _MODE_FILTER = 21, 22, 2
_CLONE_THREAD = 0x10000
_LINUX_SIGXCPU, _LINUX_SIGABRT = 24, 6
_RLIMIT_CPU = 0
_AF_UNIX = 1
_HERE = -100 & 0xFFFFFFFF  # AT_FDCWD. From a descriptor, folders could lie too deep for any path.

_LOAD, _EQUAL, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_NOT_HERE = 0x00050000 | errno.ENOSYS
_NUMBER_AT, _MACHINE_AT = 0, 4

_Instruction = tuple[int, int, int, int]


class Condition(NamedTuple):
    """What 32 bits of a call's arguments must be. ``at`` is where they lie in `seccomp_data`."""

    at: int
    value: int
    jump: int = _EQUAL
    holds: bool = True


_Rules = dict[str, list[list[Condition]]]


def _argument(index: int, *, high: bool = False) -> int:
    return 16 + 8 * index + 4 * high


def _is(index: int, value: int) -> Condition:
    return Condition(_argument(index), value)


def _is_not(index: int, value: int) -> Condition:
    return Condition(_argument(index), value, holds=False)


def _one_of(index: int, values: Sequence[int]) -> list[list[Condition]]:
    return [[_is(index, value)] for value in values]


_READS_ITS_LIMITS = [_is(0, 0), _is(2, 0), Condition(_argument(2, high=True), 0)]

# Descriptors are duplicated, and marked to be closed or not to wait. Nobody is made their owner,
# whom the kernel would send signals: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK,
# F_DUPFD_CLOEXEC, F_GETPIPE_SZ.
_FCNTL = (0, 1, 2, 3, 4, 5, 1030, 1032)
# Is it a terminal, and how wide (TCGETS, TIOCGPGRP, TIOCGWINSZ, TCGETS2); how much is there to
# read (FIONREAD); whether to wait (FIONBIO); whether to close (FIONCLEX, FIOCLEX).
_IOCTL = (0x5401, 0x540F, 0x5413, 0x802C542A, 0x541B, 0x5421, 0x5450, 0x5451)
# A name for the process; what holds for it; a name for its memory (glibc, Python); vector lengths.
_PRCTL = (3, 15, 16, 21, 23, 39, 41, 42, 51, 64, 0x53564D41, 0x41555856)


def available() -> bool:
    """Whether this machine is one whose system calls we know, under a kernel that filters."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    here = os.path.exists("/proc/sys/kernel/seccomp")
    return here or bool(_LIBC.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) == 0)


def allow_list(own_pid: int) -> bytes:
    """The program for a worker without a GPU: what is not listed is refused with EPERM.

    It makes no process and no thread, no socket, no timer. The one signal it may send is SIGABRT,
    to itself: a SIGKILL or SIGSTOP of a worker always comes from outside. SIGXCPU cannot be
    ignored.
    """
    column, machine = _MACHINES[platform.machine()]
    return _beginning(own_pid, column, machine) + _allowed(column)


def deny_list(own_pid: int) -> bytes:
    """The program for a worker with a GPU: all but what an exercise never needs.

    It may make threads, for its driver does, and set its limits but that of processor time. CUDA's
    driver also listens at a Unix socket, in whose name it tells its process; nobody is let in
    there, and from none of them can anything be reached.
    """
    column, machine = _MACHINES[platform.machine()]
    return _beginning(own_pid, column, machine) + _denied(column)


@cache  # a zygote makes it once, for all its workers
def _allowed(column: int) -> bytes:
    rules = _EVERYBODYS | {
        "prlimit64": [_READS_ITS_LIMITS],
        "prctl": _one_of(0, _PRCTL),
        "fcntl": _one_of(1, _FCNTL),
        "ioctl": _one_of(1, _IOCTL),
    }
    newer: list[_Instruction] = [(_AT_LEAST, 0, 1, NEWEST), (_RETURN, 0, 0, _NOT_HERE)]
    listed = [*_each(MISSING, _NOT_HERE, column), *_each(ALLOWED, _ALLOW, column)]
    return _packed([*_by_arguments(rules, column), *listed, *newer, (_RETURN, 0, 0, _REFUSE)])


@cache
def _denied(column: int) -> bytes:
    rules = _EVERYBODYS | {
        "clone": [[Condition(_argument(0), _CLONE_THREAD, _HAS)]],
        "prlimit64": [_READS_ITS_LIMITS, [_is(0, 0), _is_not(1, _RLIMIT_CPU)]],
        "setrlimit": [[_is_not(0, _RLIMIT_CPU)]],
        "prctl": [[_is_not(0, value) for value in (1, 4, _PR_SET_SECCOMP)]],
        "fcntl": [[_is_not(1, value) for value in (8, 10, 15, 1024, 1026)]],
        "ioctl": [[_is_not(1, value) for value in (0x8901, 0x8902)]],
        "socket": [[_is(0, _AF_UNIX)]],
    }
    listed = [*_each(MISSING, _NOT_HERE, column), *_each(DENIED, _REFUSE, column)]
    return _packed([*_by_arguments(rules, column), *listed, (_RETURN, 0, 0, _ALLOW)])


_EVERYBODYS: _Rules = {
    "mkdirat": [[_is(0, _HERE)]],
    "rt_sigaction": [[_is_not(0, _LINUX_SIGXCPU)]],
}


def _beginning(own_pid: int, column: int, machine: int) -> bytes:
    """Of every program: which machine's calls it knows, and to whom signals may be sent."""
    abort = {
        "kill": [[_is(0, own_pid), _is(1, _LINUX_SIGABRT)]],
        "tgkill": [[_is(0, own_pid), _is(2, _LINUX_SIGABRT)]],
    }
    return _packed([
        (_LOAD, 0, 0, _MACHINE_AT), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT), (_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _REFUSE),
        *_by_arguments(abort, column),
    ])  # fmt: skip


def _by_arguments(rules: _Rules, column: int) -> Iterator[_Instruction]:
    for name, alternatives in rules.items():
        if BY_ARGUMENTS[name][column] >= 0:
            yield from _looked_at(BY_ARGUMENTS[name][column], alternatives)


def _packed(program: Iterable[_Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _each(numbers: Numbers, verdict: int, column: int) -> Iterator[_Instruction]:
    for pair in numbers.values():
        if pair[column] >= 0:
            yield (_EQUAL, 0, 1, pair[column])
            yield (_RETURN, 0, 0, verdict)


def _looked_at(number: int, alternatives: Sequence[Sequence[Condition]]) -> list[_Instruction]:
    """The call is allowed when all conditions of one alternative hold, and refused otherwise."""
    body = [instruction for each in alternatives for instruction in _alternative(each)]
    body.append((_RETURN, 0, 0, _REFUSE))
    return [(_EQUAL, 0, len(body), number), *body]


def _alternative(conditions: Sequence[Condition]) -> Iterator[_Instruction]:
    """Whichever condition does not hold jumps behind the verdict."""
    for index, condition in enumerate(conditions):
        on = 2 * (len(conditions) - 1 - index) + 1
        jumps = (0, on) if condition.holds else (on, 0)
        yield (_LOAD, 0, 0, condition.at)
        yield (condition.jump, *jumps, condition.value)
    yield (_RETURN, 0, 0, _ALLOW)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def apply(program: bytes) -> None:
    """Put the calling process under ``program`` for good; needs no_new_privs to be set.

    Raises ``OSError`` when the kernel does not take it.
    """
    buffer = ctypes.create_string_buffer(program, len(program))
    described = _Program(len(program) // 8, ctypes.addressof(buffer))
    if _LIBC.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(described), 0, 0):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
