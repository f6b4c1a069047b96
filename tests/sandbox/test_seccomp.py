"""Which system calls a worker may make, asked of the program that the kernel is given."""

from __future__ import annotations

import errno
import platform
import re
import struct
from pathlib import Path

import pytest

from grader.sandbox import seccomp
from grader.sandbox.syscalls import ALLOWED, BY_ARGUMENTS, DENIED, MISSING, NEWEST

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, NOT_HERE = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
PID = 4321
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
EVERY = ALLOWED | BY_ARGUMENTS | MISSING | DENIED
HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}


def run(program, data):
    """A classic BPF machine: what ``program`` answers about one `struct seccomp_data`."""
    lines = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, yes, no, operand = lines[at]
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            value = struct.unpack_from("=I", data, operand)[0]
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: value & operand}[code]
            at += yes if holds else no


@pytest.fixture(params=MACHINES)
def ask(request, monkeypatch):
    """``ask(program, call, *arguments)``: its verdict, on either machine; None for a call that the
    machine does not have.
    """
    column, number_of_machine = MACHINES[request.param]
    monkeypatch.setattr(platform, "machine", lambda: request.param)

    def ask(make, call, *arguments, machine=number_of_machine):
        number = EVERY[call][column] if isinstance(call, str) else call
        if number < 0:
            return None
        padded = [*arguments, *[0] * (6 - len(arguments))]
        return run(make(PID), struct.pack("=iIQ6Q", number, machine, 0, *padded))

    return ask


BOTH = pytest.mark.parametrize("program", [seccomp.allow_list, seccomp.deny_list])


class TestBothLists:
    @BOTH
    @pytest.mark.parametrize(
        ("call", "arguments"),
        [
            ("kill", (PID, 9)),
            ("kill", (PID, 19)),
            ("kill", (PID, 0)),
            ("kill", (1, 6)),
            ("kill", (-1 & 2**64 - 1, 6)),
            ("tgkill", (PID, PID, 9)),
            ("tgkill", (1, PID, 6)),
            ("tkill", (PID, 6)),
            ("rt_sigaction", (24,)),
            ("prlimit64", (0, 0, 1 << 12)),
            ("prlimit64", (0, 0, 1 << 32)),
            ("prlimit64", (1, 7, 0)),
            ("prctl", (1, 9)),
            ("prctl", (4, 1)),
            ("prctl", (22, 2)),
            ("fcntl", (0, 8)),
            ("ioctl", (0, 0x8901)),
            ("clone", (17,)),
            ("socket", (2, 1)),
            ("execve", ()),
            ("timer_create", ()),
            ("setitimer", ()),
            ("io_setup", ()),
            ("memfd_secret", ()),
            ("io_uring_setup", ()),
            ("landlock_restrict_self", ()),
            ("keyctl", ()),
            ("mount", ()),
        ],
    )
    def test_refuse_what_reaches_others(self, ask, program, call, arguments):
        """No other process, no death that looks like another's doing, no network, no new wall."""
        assert ask(program, call, *arguments) == REFUSE

    @BOTH
    @pytest.mark.parametrize(
        ("call", "arguments"),
        [
            ("kill", (PID, 6)),
            ("tgkill", (PID, PID, 6)),
            ("rt_sigaction", (11,)),
            ("prlimit64", (0, 7, 0)),
            ("prctl", (15,)),
            ("fcntl", (3, 2, 1)),
            ("ioctl", (3, 0x5421)),
            ("read", ()),
            ("mmap", ()),
            ("exit_group", ()),
        ],
    )
    def test_allow_what_is_ones_own(self, ask, program, call, arguments):
        """A worker may read, compute, abort and end."""
        assert ask(program, call, *arguments) == ALLOW

    @BOTH
    @pytest.mark.parametrize("call", MISSING)
    def test_say_that_a_call_is_missing_where_libc_has_another(self, ask, program, call):
        """An EPERM would be libc's last word."""
        assert ask(program, call) == NOT_HERE

    @BOTH
    def test_know_one_machine_only(self, ask, program):
        """Calls by another machine's numbers (32-bit code, say) end the worker."""
        assert ask(program, "read", machine=0x40000003) == KILL
        assert ask(program, 0x40000000) == REFUSE

    @BOTH
    def test_are_short_enough_for_the_kernel(self, ask, program):
        """4096 instructions, and every jump lands on one."""
        lines = list(struct.iter_unpack("=HBBI", program(PID)))
        jumps = [
            at + 1 + max(yes, no) for at, (code, yes, no, _) in enumerate(lines) if code & 7 == 5
        ]

        assert len(lines) < 4096
        assert max(jumps) < len(lines)


class TestTheAllowList:
    def test_allows_what_is_listed(self, ask):
        """Whatever the arguments."""
        refused = [c for c in ALLOWED if ask(seccomp.allow_list, c, 1, 2, 3) not in (ALLOW, None)]

        assert refused == []

    @pytest.mark.parametrize("call", sorted(DENIED))
    def test_refuses_all_that_the_other_list_denies(self, ask, call):
        """It is the narrower one."""
        assert ask(seccomp.allow_list, call) in (REFUSE, None)

    def test_refuses_threads(self, ask):
        """One thread is clocked, so there is one."""
        assert ask(seccomp.allow_list, "clone", 0x10000) == REFUSE
        assert ask(seccomp.deny_list, "clone", 0x10000) == ALLOW

    def test_lets_nothing_through_that_it_does_not_know(self, ask):
        """Of all numbers there are, those listed; those of kernels to come do not exist."""
        column = MACHINES[platform.machine()][0]
        listed = {pair[column] for pair in (ALLOWED | BY_ARGUMENTS).values()}
        allowed = {n for n in range(NEWEST + 100) if ask(seccomp.allow_list, n, PID, 6) == ALLOW}

        assert allowed <= listed
        assert ask(seccomp.allow_list, NEWEST + 1) == NOT_HERE

    def test_refuses_the_other_owners_of_a_descriptor(self, ask):
        """Commands that are not listed: leases, notices, owners, seals."""
        verdicts = {
            n: ask(seccomp.allow_list, "fcntl", 0, n) for n in (8, 10, 15, 1024, 1026, 1033)
        }

        assert set(verdicts.values()) == {REFUSE}


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_are_the_kernels(machine):
    """As its headers have them, where they are installed; newer calls may be missing there."""
    header = Path(HEADERS[machine])
    if not header.is_file():
        pytest.skip("the kernel's headers are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    known = {name: int(number) for name, number in reversed(found)}
    known.setdefault("newfstatat", known.get("fstatat", -1))
    column = MACHINES[machine][0]
    numbers = {name: pair[column] for name, pair in EVERY.items() if name in known}

    assert len(numbers) > 150
    assert numbers == {name: known[name] for name in numbers}


def test_no_number_is_listed_twice():
    """One call, one verdict."""
    for column in (0, 1):
        allowed = [pair[column] for pair in (ALLOWED | BY_ARGUMENTS | MISSING).values()]
        denied = [pair[column] for pair in (DENIED | BY_ARGUMENTS | MISSING).values()]
        for numbers in (allowed, denied):
            there = [number for number in numbers if number >= 0]

            assert len(there) == len(set(there))
