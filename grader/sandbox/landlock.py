"""Landlock: which files a worker may read, and that it writes, connects and signals nowhere.

Sources: landlock(7) and ``linux/landlock.h`` for the numbers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Sequence

# Loaded before the witness looks. Windows has a libc as well, which is never called.
_LIBC = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None, use_errno=True)
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same on every machine
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_IOCTL_DEVICE = 1 << 15
# Files and folders are made, removed, cut and renamed in place; no link, pipe, socket or device is
# made, nothing is run, and nothing moves from one folder to another (which is a right of its own).
_REMOVE_FOLDER, _REMOVE_FILE, _MAKE_FOLDER, _MAKE_FILE, _CUT = (1 << n for n in (4, 5, 7, 8, 14))
_OWN = _WRITE_FILE | _READ_FILE | _READ_DIR
_OWN |= _REMOVE_FOLDER | _REMOVE_FILE | _MAKE_FOLDER | _MAKE_FILE | _CUT
OWN_THREADS = "/proc/self/task"  # where CUDA's driver gives its threads names
_ACCESS_BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_ACCESS_BITS = 16


def _syscall(number: int, *args: int | ctypes.c_char_p) -> int:
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result: int = _LIBC.syscall(ctypes.c_long(number), *converted)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def version() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    try:
        return _syscall(_LANDLOCK_CREATE, 0, 0, 1)
    except OSError:
        return 0


def why_not() -> str:
    """What stands against it, in a few words; empty where it works.

    Source: landlock(7), "ERRORS" of landlock_create_ruleset(2).
    """
    try:
        _syscall(_LANDLOCK_CREATE, 0, 0, 1)
    except OSError as error:
        return _REASONS.get(error.errno or 0, f"the kernel says: {error.strerror}")
    return ""


_REASONS = {
    errno.ENOSYS: "this kernel has none",
    errno.EOPNOTSUPP: "it was not switched on when this kernel started",
    errno.EPERM: "somebody's filter of system calls refuses it",
}


def ruleset(readable: Sequence[str], devices: Sequence[str] = (), folder: str = "") -> int | None:
    """A ruleset descriptor: read below ``readable``, write /dev/null, use ``devices``, make files
    and folders below ``folder``, nothing else anywhere.

    From ABI 4 no TCP either; from ABI 6 no signals and no abstract sockets to the outside.
    """
    abi = version()
    if not abi:
        return None
    handled = (1 << _ACCESS_BITS_BY_ABI.get(abi, _ALL_ACCESS_BITS)) - 1
    network, scoped = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
    attributes = struct.pack("=QQQ", handled, network, scoped)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    handle = _syscall(_LANDLOCK_CREATE, ctypes.c_char_p(attributes), size, 0)
    for path in readable:
        _allow(handle, path, _READ_FILE | _READ_DIR | _EXECUTE)
    _allow(handle, os.devnull, _READ_FILE | _WRITE_FILE)
    for path in devices:
        writing = (_WRITE_FILE | _IOCTL_DEVICE) if path.startswith("/dev/") else 0
        writing |= (_WRITE_FILE | _CUT) if path == OWN_THREADS else 0
        _allow(handle, path, (_READ_FILE | _READ_DIR | writing) & handled)
    if folder:
        _allow(handle, folder, _OWN & handled)
    return handle


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= ~_READ_DIR
    rule = struct.pack("=Qi", access, handle)
    _syscall(_LANDLOCK_ADD, ruleset, 1, ctypes.c_char_p(rule), 0)
    os.close(handle)


def restrict_to(ruleset: int) -> None:
    """Put the calling, single-threaded process under ``ruleset`` for good."""
    _syscall(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)
