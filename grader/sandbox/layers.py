"""The kernel's walls: Landlock, seccomp and bubblewrap, without any library but libc.

Landlock (files, TCP, signals) and seccomp (system calls) are applied in the forked worker before
the submission's first line; bubblewrap is put around the zygote where it starts. Each is probed,
and what was found is printed and kept in every report.

Sources: the Landlock and seccomp(2) manual pages; Linux UAPI headers for the numbers.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence

# Landlock -------------------------------------------------------------------------------------

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same on every machine
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_IOCTL_DEVICE = 1 << 15
_ACCESS_BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_ACCESS_BITS = 16
_LIBC = ctypes.CDLL(None, use_errno=True)


def _syscall(number: int, *args: int | ctypes.c_char_p) -> int:
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result: int = _LIBC.syscall(ctypes.c_long(number), *converted)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def landlock_abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    try:
        return _syscall(_LANDLOCK_CREATE, 0, 0, 1)
    except OSError:
        return 0


def landlock_ruleset(readable: Sequence[str], devices: Sequence[str] = ()) -> int | None:
    """A ruleset descriptor: read below ``readable``, write /dev/null and use ``devices``, nothing
    else anywhere.

    From ABI 4 no TCP either; from ABI 6 no signals and no abstract sockets to the outside.
    """
    abi = landlock_abi()
    if not abi:
        return None
    handled = (1 << _ACCESS_BITS_BY_ABI.get(abi, _ALL_ACCESS_BITS)) - 1
    network, scoped = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
    attributes = struct.pack("=QQQ", handled, network, scoped)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _syscall(_LANDLOCK_CREATE, ctypes.c_char_p(attributes), size, 0)
    for path in readable:
        _allow(ruleset, path, _READ_FILE | _READ_DIR | _EXECUTE)
    _allow(ruleset, os.devnull, _READ_FILE | _WRITE_FILE)
    for path in devices:
        writing = (_WRITE_FILE | _IOCTL_DEVICE) if path.startswith("/dev/") else 0
        _allow(ruleset, path, (_READ_FILE | _READ_DIR | writing) & handled)
    return ruleset


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


# seccomp --------------------------------------------------------------------------------------

# Calls a tensor function never needs: x86-64 number, arm64 number (-1: does not exist there).
_DENIED = {
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "mount_setattr": (442, 442),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "socket": (41, 198),
    "socketpair": (53, 199), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242), "connect": (42, 203), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "swapon": (167, 224), "swapoff": (168, 225),
    "reboot": (169, 142), "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274), "sched_setparam": (142, 118), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "migrate_pages": (256, 238), "move_pages": (279, 239),
    "set_mempolicy": (238, 237), "mbind": (237, 235), "personality": (135, 92),
    "iopl": (172, -1), "ioperm": (173, -1), "modify_ldt": (154, -1), "seccomp": (317, 277),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "sethostname": (170, 161), "setdomainname": (171, 162),
    # Landlock leaves a file's rights, owner and times alone: the user's own files are at stake.
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1), "fchownat": (260, 54),
    "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463),
    "removexattrat": (466, 466), "file_setattr": (469, 469),
    # System V and POSIX queues and memory outlive their process, and no limit counts them.
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186),
    "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}  # fmt: skip
_SPECIAL = {"clone": (56, 220), "clone3": (435, 435), "prctl": (157, 167), "kill": (62, 129),
            "tgkill": (234, 131), "prlimit64": (302, 261)}  # fmt: skip
# Refused for these second arguments: who owns a descriptor is sent signals by the kernel.
_OWNING = {"fcntl": ((72, 25), (8, 10, 15)), "ioctl": ((16, 29), (0x8901, 0x8902))}
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000
_CLONE_THREAD = 0x10000
_PR_SET_SECCOMP = 22

_LOAD, _JUMP_EQ, _JUMP_GE, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24


def seccomp_available() -> bool:
    """Whether this machine is one whose system calls we know, under a kernel that filters."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    return os.path.exists("/proc/sys/kernel/seccomp") or _LIBC.prctl(21, 0, 0, 0, 0) == 0


def seccomp_filter(own_pid: int) -> bytes:
    """A classic BPF program for one worker: default allow, minus new processes, sockets, other
    processes, namespaces, modules and clocks. Signals may go to ``own_pid`` alone, limits may be
    set for oneself (0) alone; ``clone`` may make threads only, and ``clone3`` does not exist
    (libc then falls back to ``clone``).
    """
    column, machine = _MACHINES[platform.machine()]
    refuse, missing = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    program = [
        (_LOAD, 0, 0, _MACHINE_AT), (_JUMP_EQ, 1, 0, machine), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT), (_JUMP_GE, 0, 1, _X32_BIT), (_RETURN, 0, 0, refuse),
    ]  # fmt: skip
    for number in sorted(pair[column] for pair in _DENIED.values() if pair[column] >= 0):
        program += [(_JUMP_EQ, 0, 1, number), (_RETURN, 0, 0, refuse)]
    program += [(_JUMP_EQ, 0, 1, _SPECIAL["clone3"][column]), (_RETURN, 0, 0, missing)]
    for name, jump, operand, verdicts in (
        ("clone", _JUMP_SET, _CLONE_THREAD, (_ALLOW, refuse)),
        ("prctl", _JUMP_EQ, _PR_SET_SECCOMP, (refuse, _ALLOW)),
        ("kill", _JUMP_EQ, own_pid, (_ALLOW, refuse)),
        ("tgkill", _JUMP_EQ, own_pid, (_ALLOW, refuse)),
        ("prlimit64", _JUMP_EQ, 0, (_ALLOW, refuse)),
    ):
        program += [
            (_JUMP_EQ, 0, 4, _SPECIAL[name][column]),
            (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
            (jump, 0, 1, operand),
            (_RETURN, 0, 0, verdicts[0]),
            (_RETURN, 0, 0, verdicts[1]),
        ]
    for numbers, refused in _OWNING.values():
        program += [(_JUMP_EQ, 0, 2 * len(refused) + 2, numbers[column])]
        program += [(_LOAD, 0, 0, _SECOND_ARGUMENT_AT)]
        for value in refused:
            program += [(_JUMP_EQ, 0, 1, value), (_RETURN, 0, 0, refuse)]
        program += [(_RETURN, 0, 0, _ALLOW)]
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def apply_seccomp(program: bytes) -> None:
    """Put the calling process under ``program`` for good; needs no_new_privs to be set."""
    buffer = ctypes.create_string_buffer(program, len(program))
    described = _Program(len(program) // 8, ctypes.addressof(buffer))
    if _LIBC.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(described), 0, 0):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


# bubblewrap -----------------------------------------------------------------------------------


def bubblewrap_starts() -> bool:
    """Whether ``bwrap`` is here and may make its namespaces (Docker and old Ubuntus refuse)."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    command = [program, "--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/", "true"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)
        return done.returncode == 0
    return False


def bubblewrap_command(
    readable: Sequence[str], command: Sequence[str], devices: Sequence[str] = ()
) -> list[str]:
    """``command`` in namespaces of its own that hold ``readable``, read-only, the ``devices`` that
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
        "--remount-ro", "/", "--chdir", "/", "--", *command,
    ]  # fmt: skip
