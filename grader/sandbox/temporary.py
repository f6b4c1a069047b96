"""A worker's temporary folder: private, empty, bounded, and gone when the worker is.

Where the kernel lets a process have mounts of its own, a worker mounts a file system of its own
(tmpfs) before its walls are up: the kernel counts bytes and files, nobody else sees them, and they
end with the worker, however it ends. Elsewhere the folder is an ordinary one that is watched:
whoever puts too much into it is ended, and the one who made it removes it.

Sources: user_namespaces(7), mount_namespaces(7), tmpfs(5).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

MAX_BYTES = 64 << 20
MAX_FILES = 1000  # folders are files as well
OVERFULL = 73  # the exit status of a worker that put more into a folder that is watched
WATCH_SECONDS = 0.05
# Of one file in a folder that is watched. What is deleted and still open is not seen there: with 64
# descriptors that is 64 MiB at most.
MAX_WATCHED_FILE_BYTES = 1 << 20

# A folder that every Linux has, bubblewrap's too, and in which no library lies.
MOUNT_POINT = "/dev/shm"

_LIBC = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None, use_errno=True)
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_NO_SUID, _NO_DEVICES, _NO_EXEC = 2, 4, 8


def mount_own() -> None:
    """Give the calling, single-threaded process an empty ``MOUNT_POINT`` of its own.

    Raises ``OSError`` where the kernel or its guards do not let it (an AppArmor profile, Docker).
    """
    uid, gid = os.getuid(), os.getgid()
    _checked(_LIBC.unshare(_NEW_USER | _NEW_MOUNTS))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
    limits = f"size={MAX_BYTES},nr_inodes={MAX_FILES + 1},mode=700".encode()
    flags = ctypes.c_ulong(_NO_SUID | _NO_DEVICES | _NO_EXEC)
    _checked(_LIBC.mount(b"tmpfs", MOUNT_POINT.encode(), b"tmpfs", flags, limits))


def _checked(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def can_mount() -> bool:
    """Whether ``mount_own`` works here: a child tries."""
    child = os.fork()
    if child == 0:
        try:
            mount_own()
            with open(f"{MOUNT_POINT}/tried", "x"):
                os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def surroundings(folder: str) -> dict[str, str]:
    """The environment that leads whoever wants to write somewhere into ``folder``."""
    places = "HOME TMPDIR TEMP TMP XDG_CACHE_HOME MPLCONFIGDIR TORCHINDUCTOR_CACHE_DIR".split()
    return dict.fromkeys(places, folder) | {"MPLBACKEND": "Agg"}  # it draws without a screen


def settle(folder: str) -> None:
    """Lead this process there."""
    os.environ.update(surroundings(folder))
    tempfile.tempdir = folder
    # By paths and not by descriptors, whose place the witness cannot see.
    vars(shutil)["_use_fd_functions"] = False


def watched() -> str:
    """A new folder for workers that cannot mount, in memory where that can be: what is left there
    after a power cut, or after everybody was killed at once, is gone with the next start.
    """
    with contextlib.suppress(OSError):
        return tempfile.mkdtemp(prefix="grader-", dir=MOUNT_POINT)
    return tempfile.mkdtemp(prefix="grader-")


def is_overfull(folder: str) -> bool:
    """Whether there is more in ``folder`` than may be."""
    size = files = 0
    for _, _, entries in _walked(folder):
        files += len(entries)
        if files > MAX_FILES:
            return True
        for entry in entries:
            with contextlib.suppress(OSError):  # it is gone already
                size += entry.stat(follow_symlinks=False).st_size
    return size > MAX_BYTES


def remove(folder: str) -> None:
    """Remove ``folder`` with all that is in it, however deep; it may be gone already."""
    if sys.platform == "win32":
        shutil.rmtree(folder, ignore_errors=True)
        return
    folders = []
    for path, handle, entries in _walked(folder):
        folders.append(path)
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    os.unlink(entry.name, dir_fd=handle)
    for path in reversed(folders):
        with contextlib.suppress(OSError):
            os.rmdir(path)


def _walked(folder: str) -> Iterator[tuple[str, int, list[os.DirEntry[str]]]]:
    """Every folder: its path, a descriptor of it (with a file's name the path may be too long for
    the kernel), and what is in it. Follows no link.
    """
    waiting = [folder]
    while waiting:
        path, handle = waiting.pop(), -1
        try:
            if sys.platform != "win32":
                handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            with os.scandir(path if handle < 0 else handle) as found:
                entries: list[os.DirEntry[str]] = list(found)
            yield path, handle, entries
            waiting += [f"{path}/{e.name}" for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue  # it is gone already
        finally:
            if handle >= 0:
                os.close(handle)
