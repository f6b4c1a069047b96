"""Numbers of system calls, on x86-64 and on arm64 (-1: the machine has no such call).

Source: ``asm/unistd_64.h`` and ``asm-generic/unistd.h`` of Linux. What workers without a GPU need
was found with strace: the sample submissions, every module of torch and numpy that exercises use,
and what libc, Python and torch need with other kernels and glibc versions, which is said beside it.
"""

from __future__ import annotations

from typing import Final

Numbers = dict[str, tuple[int, int]]

NEWEST: Final = 470  # a call with a larger number does not exist yet, and is said not to

# All that a worker without a GPU may call, whatever the arguments.
ALLOWED: Final[Numbers] = {
    # Reading: Landlock says which files. glibc before 2.33 asks `stat`, `lstat` and `open`.
    "read": (0, 63), "readv": (19, 65), "pread64": (17, 67), "preadv": (295, 69),
    "preadv2": (327, 286), "lseek": (8, 62), "open": (2, -1), "openat": (257, 56),
    "close": (3, 57), "close_range": (436, 436), "stat": (4, -1), "lstat": (6, -1),
    "fstat": (5, 80), "newfstatat": (262, 79), "statx": (332, 291), "fstatfs": (138, 44),
    "readlink": (89, -1), "readlinkat": (267, 78), "access": (21, -1), "faccessat": (269, 48),
    "faccessat2": (439, 439), "getdents64": (217, 61), "getcwd": (79, 17),
    # Descriptors it has: no file grows beyond RLIMIT_FSIZE, and 64 are open at most.
    "write": (1, 64), "writev": (20, 66), "pwrite64": (18, 68), "pwritev": (296, 70),
    "pwritev2": (328, 287), "dup": (32, 23), "dup2": (33, -1), "dup3": (292, 24),
    "pipe": (22, -1), "pipe2": (293, 59), "umask": (95, 166),
    "poll": (7, -1), "ppoll": (271, 73), "select": (23, -1), "pselect6": (270, 72),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, -1),
    "epoll_pwait": (281, 22), "pause": (34, -1),
    # Its temporary folder: Landlock says where. Renamed is in place; `truncate` by a path, which
    # Landlock looks at from version 3 on only, is not listed, nor is any call that makes links.
    "mkdir": (83, -1), "rmdir": (84, -1), "unlink": (87, -1), "unlinkat": (263, 35),
    "rename": (82, -1), "renameat": (264, 38), "renameat2": (316, 276), "ftruncate": (77, 46),
    "fsync": (74, 82), "fdatasync": (75, 83),
    # The channel to the grader, which is there already.
    "recvfrom": (45, 207), "sendto": (44, 206), "shutdown": (48, 210), "getsockname": (51, 204),
    "getpeername": (52, 205), "getsockopt": (55, 209),
    # Memory of its own, which RLIMIT_AS counts. glibc seals what it has loaded from 2.41 on.
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216),
    "mprotect": (10, 226), "madvise": (28, 233), "mseal": (462, 462), "get_mempolicy": (239, 236),
    "membarrier": (324, 283),
    # Clocks, where the vDSO does not answer.
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, -1), "times": (100, 153),
    "getrusage": (98, 165),
    # Locks. The last four are for newer libraries.
    "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
    "futex_waitv": (449, 449), "futex_wake": (454, 454), "futex_wait": (455, 455),
    "futex_requeue": (456, 456),
    # What it is, and where it runs. oneDNN asks for AMX registers with `arch_prctl`.
    "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getpgrp": (111, -1),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getresuid": (118, 148), "getresgid": (120, 150), "getgroups": (115, 158),
    "capget": (125, 90), "getrlimit": (97, 163), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126), "getcpu": (309, 168), "getrandom": (318, 278),
    "uname": (63, 160), "sysinfo": (99, 179), "arch_prctl": (158, -1),
    "set_tid_address": (218, 96), "exit": (60, 93), "exit_group": (231, 94),
    "restart_syscall": (219, 128),
    # Signals that the kernel sends for a mistake, and their handlers.
    "rt_sigprocmask": (14, 135), "rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
}  # fmt: skip

# Allowed or refused by their arguments.
BY_ARGUMENTS: Final[Numbers] = {
    "kill": (62, 129), "tgkill": (234, 131), "prctl": (157, 167), "fcntl": (72, 25),
    "ioctl": (16, 29), "prlimit64": (302, 261), "setrlimit": (160, 164),
    "rt_sigaction": (13, 134), "clone": (56, 220), "mkdirat": (258, 34), "socket": (41, 198),
}  # fmt: skip

# Said not to exist: libc then does the same with older calls, which are looked at.
MISSING: Final[Numbers] = {"clone3": (435, 435), "openat2": (437, 437)}

# What a worker with a GPU may not call. Its driver calls what it likes, which nobody has listed:
# all else is allowed.
DENIED: Final[Numbers] = {
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
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "socketpair": (53, 199), "accept": (43, 202), "accept4": (288, 242), "connect": (42, 203),
    "kexec_load": (246, 104),
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
    # In place it leaves a second name for a file to be made, too.
    "link": (86, -1), "linkat": (265, 37),
    # System V and POSIX queues and memory outlive their process, and no limit counts them.
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186),
    "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # What the whole machine has only so many of, and memory that no limit counts.
    "io_setup": (206, 0), "io_submit": (209, 2), "inotify_init": (253, -1),
    "inotify_init1": (294, 26), "fanotify_init": (300, 262), "memfd_secret": (447, 447),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    # Signals to oneself, by a timer.
    "alarm": (37, -1), "setitimer": (38, 103), "timer_create": (222, 107),
}  # fmt: skip
