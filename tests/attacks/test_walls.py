"""What a submission tries in native code the kernel refuses."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from grader.errors import WorkerDied
from grader.sandbox.syscalls import BY_ARGUMENTS, DENIED

REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOENT, errno.EROFS, errno.EFBIG, errno.ENOSYS}


def ask(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


MACHINE = 0 if os.uname().machine == "x86_64" else 1
NUMBERS = {name: pair[MACHINE] for name, pair in (DENIED | BY_ARGUMENTS).items()}

NATIVE = """
import ctypes, os, struct, torch
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
def f():
    ctypes.set_errno(0)
    result = {expression}
    return result, ctypes.get_errno()
"""

# What a worker that may use a GPU may do besides: CUDA's driver does most of it.
LET_THROUGH = [
    "libc.open(b'/proc/self/environ', os.O_RDONLY)",
    "libc.open(b'/proc/self/task/%d/comm' % os.getpid(), os.O_WRONLY)",
    "libc.socket(1, 1, 0)",
    "libc.setrlimit(9, struct.pack('QQ', 1 << 50, 1 << 50))",
    "libc.memfd_create(b'x', 0)",
    "libc.mlockall(3)",
]


@pytest.mark.parametrize(
    "walls", ["all of them", "all but bubblewrap", "those for a GPU"], indirect=True
)
class TestTheWalls:
    """Native code steps round Python's witness; the kernel refuses it all the same.

    That holds without bubblewrap too, which many machines (Docker's among them) do not let start,
    and but for what is let through, where there is a GPU to be used.
    """

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.open(b'/etc/passwd', os.O_RDONLY)",
            "libc.open(b'{course}/solutions/softmax.py', os.O_RDONLY)",
            "libc.open(b'{course}/grader/suites/softmax/misconceptions.py', os.O_RDONLY)",
            "libc.open(b'{course}/tests/submissions/perfect/softmax.py', os.O_RDONLY)",
            "libc.open(b'{secret}', os.O_RDONLY)",
            "libc.open(b'{secret}', os.O_WRONLY | os.O_TRUNC)",
            "libc.open(b'/proc/1/environ', os.O_RDONLY)",
            "libc.open(b'/proc/self/environ', os.O_RDONLY)",
            "libc.open(b'/proc/self/mem', os.O_RDWR)",
            "libc.open(b'/proc/self/clear_refs', os.O_WRONLY)",
            "libc.open(b'/proc/self/task/%d/comm' % os.getpid(), os.O_WRONLY)",
            "libc.open(b'/proc/%d/mem' % os.getppid(), os.O_RDONLY)",
            "libc.open(b'/proc/{grader}/mem', os.O_RDONLY)",
            "libc.open(b'/proc/{grader}/environ', os.O_RDONLY)",
            "libc.open(b'/proc/{grader}/fd/0', os.O_RDONLY)",
            "libc.open(b'/', os.O_RDONLY | os.O_DIRECTORY)",
            "libc.open(b'/proc', os.O_RDONLY | os.O_DIRECTORY)",
            "libc.open(b'{folder}', os.O_RDONLY | os.O_DIRECTORY)",
            "libc.open(b'/tmp/note', os.O_CREAT | os.O_WRONLY, 0o600)",
            "libc.open(b'note', os.O_CREAT | os.O_WRONLY, 0o600)",
            "libc.open(b'/tmp', os.O_TMPFILE | os.O_RDWR, 0o600)",
            "libc.open(torch.__file__.encode(), os.O_WRONLY)",
            "libc.mkdir(b'{folder}/mine', 0o700)",
            "libc.unlink(b'{secret}')",
            "libc.rename(b'{secret}', b'{folder}/mine')",
            "libc.link(b'{secret}', b'{folder}/mine')",
            "libc.symlink(b'{secret}', b'{folder}/mine')",
            "libc.mkfifo(b'{folder}/mine', 0o600)",
            "libc.truncate(b'{secret}', 0)",
        ],
    )
    def test_keep_files_away(self, load, course, secret, expression):
        """No file but Python's own can be opened, made, moved or removed."""
        self.refuses(load, course, secret, expression)

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.chmod(b'{secret}', 0o777)",
            "libc.fchmodat(-100, b'{secret}', 0o777, 0)",
            "libc.chown(b'{secret}', 1000, 1000)",
            "libc.utimes(b'{secret}', None)",
            "libc.utimensat(-100, b'{secret}', None, 0)",
            "libc.setxattr(b'{secret}', b'user.mine', b'1', 1, 0)",
        ],
    )
    def test_keep_owners_and_rights(self, load, course, secret, expression):
        """Landlock leaves rights, owners and times alone, so the calls for them are refused."""
        self.refuses(load, course, secret, expression)

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.socket(2, 1, 0)",
            "libc.socket(2, 2, 0)",
            "libc.socket(10, 1, 0)",
            "libc.socket(1, 1, 0)",
            "libc.socket(16, 3, 0)",
            "libc.socketpair(1, 1, 0, buffer)",
            "libc.connect(0, buffer, 110)",
            "libc.accept(0, None, None)",
            "libc.accept4(0, None, None, 0)",
            "libc.fork()",
            "libc.vfork()",
            "libc.syscall(56, 17, 0, 0, 0, 0) if os.uname().machine == 'x86_64' else libc.fork()",
            "libc.syscall(435, buffer, 88)",
            "libc.execv(b'/bin/true', (ctypes.c_char_p * 2)(b'true', None))",
            "libc.unshare(0x10000000)",
            "libc.unshare(0x00020000)",
            "libc.setns(0, 0)",
            "libc.ptrace(0, 0, 0, 0)",
            "libc.ptrace(16, {grader}, 0, 0)",
            "libc.process_vm_readv({grader}, buffer, 1, buffer, 1, 0)",
            "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
            "libc.chroot(b'/')",
            "libc.personality(0x0040000)",
            "libc.sethostname(b'mine', 4)",
            "libc.reboot(0)",
        ],
    )
    def test_keep_the_world_away(self, load, course, secret, expression):
        """No network, no further process, no other process's memory, no namespace."""
        self.refuses(load, course, secret, expression)

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.kill({grader}, 0)",
            "libc.kill(os.getppid(), 0)",
            "libc.kill(-1, 0)",
            "libc.kill(0, 0)",
            "libc.kill(1, 0)",
            "libc.killpg({grader}, 0)",
            "libc.tgkill({grader}, {grader}, 0)",
            "libc.syscall(434, {grader}, 0)",
            "libc.sched_setaffinity(0, 8, buffer)",
            "libc.sched_setaffinity({grader}, 8, buffer)",
            "libc.setpriority(0, 0, -5)",
            "libc.prlimit({grader}, 7, None, None)",
            "libc.prlimit(os.getppid(), 7, None, None)",
            "libc.setrlimit(7, struct.pack('QQ', 4096, 4096))",
            "libc.setrlimit(9, struct.pack('QQ', 1 << 50, 1 << 50))",
            "libc.fcntl(0, 8, {grader})",
            "libc.fcntl(0, 10, 9)",
            "libc.ioctl(0, ctypes.c_ulong(0x8901), buffer)",
        ],
    )
    def test_keep_other_processes_alone(self, load, course, secret, expression):
        """No signal, no limit, no priority for anybody, and no larger limits for oneself."""
        self.refuses(load, course, secret, expression)

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.memfd_create(b'x', 0)",
            "libc.syscall(447, 0)",  # memfd_secret
            "libc.mlockall(3)",
            "libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)",
            "libc.msgget(0, 0o1600)",
            "libc.semget(0, 1, 0o1600)",
            "libc.mq_open(b'/mine', os.O_CREAT | os.O_RDWR, 0o600, None)",
        ],
    )
    def test_let_no_memory_outlive_the_worker(self, load, course, secret, expression):
        """Memory that is counted nowhere, or stays behind, cannot be had."""
        self.refuses(load, course, secret, expression)

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.kill(os.getpid(), 9)",
            "libc.kill(os.getpid(), 19)",
            "libc.kill(os.getpid(), 15)",
            "libc.kill(os.getpid(), 14)",
            "libc['raise'](9)",
            "libc['raise'](19)",
            "libc.tgkill(os.getpid(), os.getpid(), 9)",
            "libc.tgkill(os.getpid(), os.getpid(), 19)",
            "libc.syscall({tkill}, os.getpid(), 9)",
            "libc.sigqueue(os.getpid(), 9, None)",
            "libc.prctl(1, 9, 0, 0, 0)",
            "libc.prctl(1, 19, 0, 0, 0)",
            "libc.setrlimit(0, struct.pack('QQ', 0, 0))",
            "libc.prlimit(0, 0, struct.pack('QQ', 1, 1), None)",
            "libc.syscall({prlimit64}, 0, 0, ctypes.c_void_p(1 << 32), None)",
            "libc.setitimer(0, struct.pack('QQQQ', 0, 0, 0, 1000), None)",
            "libc.syscall({timer_create}, 0, None, buffer)",
            "libc.fcntl(0, 1024, 0)",
            "libc.fcntl(0, 1026, 1)",
            "-1 if libc.signal(24, ctypes.c_void_p(1)) == -1 else 0",
        ],
    )
    def test_let_nobody_seem_to_be_killed_from_outside(self, load, course, secret, expression):
        """A worker sends itself no signal but SIGABRT, by no timer, limit or owner's mark: one that
        was killed or stopped was so by another process.
        """
        self.refuses(load, course, secret, expression)

    @pytest.mark.parametrize(
        "expression",
        [
            "libc.syscall({io_setup}, 60000, buffer)",
            "libc.inotify_init1(0)",
            "libc.fanotify_init(0, 0)",
            "libc.eventfd(0, 0)",
            "libc.timerfd_create(0, 0)",
            "libc.signalfd(-1, buffer, 0)",
            "libc.epoll_pwait2(0, buffer, 1, None, None)",
            "libc.syscall(425, 1, buffer)",  # io_uring_setup
            "libc.syscall(444, None, 0, 1)",  # landlock_create_ruleset
            "libc.syscall({seccomp}, 2, 0, None)",
            "libc.syscall({bpf}, 0, buffer, 64)",
            "libc.syscall({keyctl}, 0, -3, 0)",
            "libc.syscall({add_key}, b'user', b'x', b'y', 1, -3)",
            "libc.syscall({userfaultfd}, 0)",
            "libc.syscall({perf_event_open}, buffer, 0, -1, -1, 0)",
            "libc.pthread_create(buffer, None, libc.getpid, None) and -1",
            "libc.setuid(1000)",
            "libc.setgroups(0, None)",
            "libc.setsid()",
            "libc.chdir(b'/')",
            "libc.mincore(buffer, 1, buffer)",
            "libc.process_madvise(0, buffer, 1, 4, 0)",
            "libc.mlock(buffer, 4096)",
            "libc.flock(0, 2)",
            "libc.sync_file_range(0, 0, 0, 0)",
            "libc.statfs(b'/', buffer)",
            "libc.sendmsg(0, buffer, 0)",
            "libc.setsockopt(0, 1, 7, buffer, 4)",
            "libc.ioctl(0, ctypes.c_ulong(0x5412), buffer)",  # TIOCSTI
            "libc.syscall(1000)",
        ],
    )
    def test_refuse_what_is_not_listed(self, load, course, secret, expression, walls):
        """A call that no exercise needs is refused, also one that this kernel may not even have;
        what CUDA's driver needs nobody has listed.
        """
        if walls == "those for a GPU":
            pytest.skip("there what is not denied is allowed")
        self.refuses(load, course, secret, expression)

    def test_tell_nothing_of_places(self, load, course):
        """A worker stands in the root folder, and its interpreter names no folder of the course."""
        session = load(
            "import os, sys\n"
            "def f(): return os.getcwd(), repr([sys.argv, sys.orig_argv, sys.path, "
            "sorted(sys.path_importer_cache), dict(os.environ)])"
        )
        folder, told = ask(session, "f")["value"]
        told += Path(f"/proc/{session.stats._pid}/cmdline").read_text()

        assert folder == "/"
        assert str(course.root) not in told.replace(sys.prefix, "")  # libraries may lie within it

    @pytest.mark.parametrize(
        "place",
        ["{secret}", "{course}/solutions", "{course}/tests/submissions", "/etc/passwd", "/var"],
    )
    def test_tell_nothing_of_what_exists(self, load, sandbox, course, secret, place):
        """Within bubblewrap other paths do not exist; without it their metadata can be seen."""
        if "bubblewrap" not in sandbox.layers:
            pytest.skip("an accepted gap, see grader/sandbox/README.md")
        path = place.format(course=course.root, secret=secret)
        session = load(NATIVE.format(expression=f"libc.access({path!r}.encode(), 0)"))

        assert ask(session, "f")["value"] == (-1, errno.ENOENT)

    @pytest.mark.skipif(os.uname().machine != "x86_64", reason="32-bit calls are x86-64's own")
    def test_hold_for_32_bit_calls_too(self, load):
        """System calls by their old 32-bit numbers end the worker."""
        session = load(
            "import ctypes, mmap\n"
            "def f():\n"
            " code = mmap.mmap(-1, 4096, prot=7)\n"
            " code.write(bytes.fromhex('b814000000cd80c3'))\n"
            " at = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
            " return ctypes.CFUNCTYPE(ctypes.c_int)(at)()"
        )
        with pytest.raises(WorkerDied):
            ask(session, "f")

        assert session.how_it_ended() == ("signal", "SIGSYS")

    @pytest.fixture(autouse=True)
    def _let_through(self, request, walls):
        named = getattr(request.node, "callspec", None)
        if walls == "those for a GPU" and named and named.params.get("expression") in LET_THROUGH:
            pytest.skip("CUDA's driver is let through")

    def refuses(self, load, course, secret, expression):
        expression = expression.format(
            course=course.root, secret=secret, folder=secret.parent, grader=os.getpid(), **NUMBERS
        )
        session = load(NATIVE.format(expression=expression))
        result, code = ask(session, "f")["value"]

        assert result == -1
        assert code in REFUSALS, errno.errorcode.get(code, code)
