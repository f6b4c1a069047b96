"""Submissions that attack the grader gain nothing, and the next worker is as good as new."""

from __future__ import annotations

import errno
import os
from contextlib import closing

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.errors import DeadlinePassed, OutputFlood, ProtocolViolation, WorkerDied
from grader.model import Outcome, Submission
from grader.pipeline import grade_all
from grader.report.feedback import words_of
from grader.report.record import write_report
from grader.sandbox import layers
from grader.sandbox.launch import open_sandbox
from grader.sandbox.protocol import Leaf, Refused

REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOENT, errno.EROFS, errno.EFBIG, errno.ENOSYS}


@pytest.fixture(scope="module")
def walls(request):
    return getattr(request, "param", "all of them")


@pytest.fixture(scope="module")
def sandbox(sandbox, walls):
    """The sandbox that all tests share, or one that bubblewrap does not enclose."""
    if walls == "all of them":
        yield sandbox
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(layers, "bubblewrap_starts", lambda: False)
            unwrapped = open_sandbox()
        with closing(unwrapped):
            yield unwrapped


@pytest.fixture(autouse=True)
def _the_next_worker_is_healthy(sandbox, load):
    if sandbox.isolation != "full":
        pytest.skip("this kernel has no Landlock or no seccomp")
    yield
    session = load("import torch\ndef f(x): return x.softmax(-1)")
    actual = ask(session, "f", Leaf(0, torch.zeros(4)))["value"]

    assert actual.tolist() == [0.25] * 4
    assert session.refused == []


@pytest.fixture
def secret(tmp_path):
    """A file of the grader's, which must neither be read nor touched."""
    path = tmp_path / "secret.txt"
    path.write_text("the expected values")
    path.chmod(0o640)
    yield path

    assert path.read_text() == "the expected values"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [path] == list(tmp_path.iterdir())


def ask(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


class TestTheWitness:
    """What a submission tries in plain Python is refused, and named in the report."""

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ("open('/etc/passwd').read()", "open('/etc/passwd')"),
            ("open('{course}/solutions/softmax.py').read()", "open("),
            ("open('{course}/grader/suites/softmax/test_softmax.py').read()", "open("),
            ("open('{course}/tests/submissions/perfect/softmax.py').read()", "open("),
            ("open('{secret}').read()", "open("),
            ("import pathlib; pathlib.Path('{secret}').read_bytes()", "open("),
            ("os.open('{secret}', os.O_RDONLY)", "open("),
            ("__import__('io').FileIO('{secret}')", "open("),
            ("open('/proc/1/environ').read()", "open('/proc/1/environ')"),
            ("open('/proc/self/environ').read()", "open('/proc/self/environ')"),
            ("open('/proc/self/mem', 'rb')", "open('/proc/self/mem')"),
            ("open(f'/proc/{{os.getppid()}}/mem', 'rb')", "open("),
            ("os.listdir('/')", "os.listdir('/')"),
            ("os.listdir()", "os.listdir("),
            ("list(os.scandir('{course}'))", "os.scandir("),
            ("os.chdir('{course}')", "os.chdir("),
            ("open('/tmp/note', 'w')", "open('/tmp/note')"),
            ("open('note', 'w')", "open('note')"),
            ("open(os.path.join(os.path.dirname(torch.__file__), 'x.py'), 'w')", "open("),
            ("os.mkdir('/tmp/folder')", "os.mkdir("),
            ("os.remove('{secret}')", "os.remove("),
            ("os.rename('{secret}', '/tmp/mine')", "os.rename("),
            ("os.symlink('{secret}', 'mine')", "os.symlink("),
            ("os.chmod('{secret}', 0o777)", "os.chmod("),
            ("os.truncate('{secret}', 0)", "os.truncate("),
            ("import socket; socket.socket()", "socket.__new__"),
            ("import socket; socket.socket(socket.AF_UNIX)", "socket.__new__"),
            ("import socket; socket.create_connection(('127.0.0.1', 80))", "socket."),
            ("import socket; socket.socket(fileno=3)", "socket.__new__"),
            ("import urllib.request as u; u.urlopen('http://127.0.0.1/')", ""),
            ("os.fork()", "os.fork("),
            ("os.system('true')", "os.system("),
            ("import subprocess; subprocess.run(['true'])", "subprocess.Popen("),
            ("os.posix_spawn('/bin/true', ['true'], {{}})", "os.posix_spawn("),
            ("os.execv('/bin/true', ['true'])", "os.exec("),
            ("import multiprocessing as m; m.Process(target=print).start()", ""),
            ("os.kill(os.getppid(), 0)", "os.kill("),
            ("os.kill(-1, 0)", "os.kill("),
            ("os.kill(0, 0)", "os.kill("),
            ("os.kill({grader}, 0)", "os.kill("),
            ("os.killpg(0, 0)", "os.killpg("),
        ],
    )
    def test_names_what_was_refused(self, load, course, secret, body, named):
        """The attempt raises where it was made, and the grader hears of it."""
        body = body.format(course=course.root, secret=secret, grader=os.getpid())
        session = load(f"import os, torch\ndef f():\n {body}\n return 'done'")
        reply = ask(session, "f")

        assert "raised" in reply
        assert any(text.startswith(named) for text in session.refused)

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ("import ctypes; ctypes.CDLL(None)", "ctypes.dlopen("),
            ("import gc; gc.get_objects()", "gc.get_objects("),
            ("import sys; sys.settrace(None)", "sys.settrace("),
        ],
    )
    def test_notes_what_is_merely_odd(self, load, body, named):
        """What has honest uses is allowed, and noted."""
        session = load(f"def f():\n {body}\n return 'done'")
        reply = ask(session, "f")

        assert reply["value"] == "done"
        assert any(text.startswith(named) for text in session.refused)

    def test_is_not_flooded(self, load):
        """A thousand attempts leave a few notes, not a thousand."""
        session = load(
            "def f():\n for i in range(1000):\n"
            "  try: open(f'/etc/{i}')\n  except PermissionError: pass\n return i"
        )
        reply = ask(session, "f")

        assert reply["value"] == 999
        assert len(session.refused) == 20

    def test_speaks_safely(self, load):
        """What a submission chose as a file's name does no harm when it is shown."""
        session = load("def f(): open('/\\x1b[2J' + 'x' * 5000)")
        ask(session, "f")

        assert "\x1b" not in session.refused[0]
        assert len(session.refused[0]) <= 200


NATIVE = """
import ctypes, os, struct, torch
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
def f():
    ctypes.set_errno(0)
    result = {expression}
    return result, ctypes.get_errno()
"""


@pytest.mark.parametrize("walls", ["all of them", "all but bubblewrap"], indirect=True)
class TestTheWalls:
    """Native code steps round Python's witness; the kernel refuses it all the same.

    That holds without bubblewrap too, which many machines (Docker's among them) do not let start.
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
            "libc.open(b'/dev/shm/note', os.O_CREAT | os.O_RDWR, 0o600)",
            "libc.open(torch.__file__.encode(), os.O_WRONLY)",
            "libc.shm_open(b'/note', os.O_CREAT | os.O_RDWR, 0o600)",
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
            "libc.write(libc.memfd_create(b'x', 0), buffer, 4096)",
            "libc.ftruncate(libc.memfd_create(b'x', 0), ctypes.c_long(1 << 30))",
            "libc.fallocate(libc.memfd_create(b'x', 0), 0, *map(ctypes.c_long, (0, 1 << 30)))",
            "libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)",
            "libc.msgget(0, 0o1600)",
            "libc.semget(0, 1, 0o1600)",
            "libc.mq_open(b'/mine', os.O_CREAT | os.O_RDWR, 0o600, None)",
        ],
    )
    def test_let_no_memory_outlive_the_worker(self, load, course, secret, expression):
        """Memory that is counted nowhere, or stays behind, cannot be had."""
        self.refuses(load, course, secret, expression)

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

    def refuses(self, load, course, secret, expression):
        expression = expression.format(
            course=course.root, secret=secret, folder=secret.parent, grader=os.getpid()
        )
        session = load(NATIVE.format(expression=expression))
        result, code = ask(session, "f")["value"]

        assert result == -1
        assert code in REFUSALS, errno.errorcode.get(code, code)


MISCHIEF = """
import ctypes, os, signal, sys, threading, time, torch
libc = ctypes.CDLL(None, use_errno=True)
def fd_is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
def f():
"""


class TestMischief:
    """What a submission does to its own process stays there."""

    @pytest.mark.parametrize(
        "body",
        [
            "os._exit(0)",
            "os.abort()",
            "ctypes.string_at(0)",
            "[os.close(fd) for fd in range(64) if fd_is_open(fd)]",
            "libc.kill(os.getpid(), 9)",
            "libc.kill(os.getpid(), 15)",
        ],
    )
    def test_ending_oneself_is_a_death(self, load, body):
        """Exit status 0 is no verdict."""
        session = load(MISCHIEF + f" {body}")
        with pytest.raises(WorkerDied):
            ask(session, "f")

    @pytest.mark.parametrize(
        "body",
        [
            "while True: pass",
            "time.sleep(1000)",
            "while True: torch.ones(10**6).sort()",
            "libc.kill(os.getpid(), 19)",
            "[signal.signal(n, signal.SIG_IGN) for n in (2, 15)]\n while True: pass",
            "threading.Thread(target=f).start()\n while True: pass",
            "libc.prctl(1, 0)\n while True: pass",
            "while True: os.write(1, b'x' * 4096)",
        ],
        ids="spin sleep torch stop ignore thread orphan write".split(),
    )
    def test_not_answering_is_a_timeout(self, load, body):
        """Whoever does not answer is killed, also one that ignores signals or is stopped."""
        session = load(MISCHIEF + f" {body}")
        session.allow_seconds(0.2)
        with pytest.raises(DeadlinePassed):
            ask(session, "f")

    def test_threads_are_bounded(self, load):
        """A bomb of threads runs out of room by itself."""
        session = load(
            MISCHIEF
            + " while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
        )
        reply = ask(session, "f")

        assert "can't start new thread" in reply["raised"]["message"]

    @pytest.mark.parametrize("code", ["sys.exit(0)", "raise SystemExit", "raise GeneratorExit"])
    def test_leaving_is_an_exception(self, load, code):
        """sys.exit is an exception like any other."""
        session = load(f"import sys\ndef f(): {code}")
        reply = ask(session, "f")

        assert "raised" in reply


class TestForgery:
    """A worker has no way to say "passed": whatever it sends is read as an answer."""

    FRAMES = (
        "import json, os, struct, torch\n"
        "def send(tree, payload=b''):\n"
        " raw = tree if isinstance(tree, bytes) else json.dumps(tree).encode()\n"
        " everywhere(struct.pack('!4sIQ', b'GRD1', len(raw), len(payload)) + raw + payload)\n"
        "def everywhere(raw):\n"
        " for fd in range(3, 64):\n"
        "  try: os.write(fd, raw)\n"
        "  except OSError: pass\n"
    )

    @pytest.mark.parametrize(
        "statement",
        [
            "send({'number': 0, 'value': ['tensor', {}]})",
            "send({'number': 0, 'value': ['tensor', {'dtype': 'float32', 'shape': [9], "
            "'device': 'cpu', 'offset': 0}]}, bytes(16))",
            "send({'value': ['leaf', {'number': 0, 'requires_grad': True}]})",
            "send(b'[' * 9000)",
            "everywhere(bytes(1000))",
            "everywhere(b'GRD1' + bytes([255] * 100))",
            "send({'refused': 7})",
            "send({'printed': ['x']})",
            "[send({'refused': str(i)}) for i in range(100)]",
            "[send({'printed': 'x' * 9000}) for i in range(200)]",
        ],
    )
    def test_that_breaks_the_rules_ends_the_worker(self, load, statement):
        """Bytes that are no answer are the submission's failure, and nothing else."""
        session = load(self.FRAMES + f"def f():\n {statement}\n return 1")
        with pytest.raises((ProtocolViolation, OutputFlood)):
            ask(session, "f")

    @pytest.mark.parametrize(
        "tree",
        [{"passed": True}, {"outcome": "passed", "points": 9}, {"number": 0, "value": None}],
    )
    def test_that_keeps_the_rules_is_an_answer(self, load, tree):
        """A forged answer is the submission's answer, to be compared like any other."""
        session = load(self.FRAMES + f"def f(): send({tree})")
        reply = ask(session, "f")

        assert tree == reply

    def test_in_floods_is_heard_until_the_deadline(self, load):
        """Frames without end do not hold up the grader."""
        session = load(self.FRAMES + "def f():\n while True: send({'printed': ''})")
        session.allow_seconds(0.3)
        with pytest.raises(DeadlinePassed):
            ask(session, "f")

    @pytest.mark.parametrize("form", ["'AssertionError'", "{'type_name': 5}", "{}", "None"])
    def test_of_an_exception_is_a_violation(self, load, form):
        """An exception is described in the agreed words or not at all."""
        with pytest.raises(ProtocolViolation):
            load(self.FRAMES + f"send({{'raised': {form}}})")

    @pytest.mark.parametrize(
        "source",
        [
            "class Odd(torch.Tensor):\n"
            " __torch_function__ = classmethod(lambda c, f, t, a=(), k=None: True)\n"
            "def f(x): return x.as_subclass(Odd)",
            "class Odd(torch.Tensor):\n __eq__ = __le__ = __ne__ = lambda *a: torch.tensor(True)\n"
            "def f(x): return torch.ones(4).as_subclass(Odd)",
            "class Own(torch.nn.Parameter): pass\n"
            "def f(x): return torch.Tensor._make_subclass(Own, x)",
        ],
        ids=["torch_function", "comparisons", "parameter"],
    )
    def test_of_tensors_is_refused(self, load, source):
        """A tensor subclass stays where it is; only its type's name is told."""
        session = load("import torch\n" + source)
        actual = ask(session, "f", Leaf(0, torch.ones(4)))["value"]

        assert isinstance(actual, Refused)

    def test_of_shapes_is_a_violation(self, load):
        """A tensor that lies about its shape does not get past its own bytes."""
        session = load(
            "import torch\ntorch.Tensor.shape = property(lambda self: torch.Size([100]))\n"
            "def f(): return torch.ones(4)"
        )
        with pytest.raises(ProtocolViolation):
            ask(session, "f")


RIGHT = "def double(x): return x + x\n"
WRONG = "def double(x): return x * 3\n"
TRICKS = {
    "none": "",
    "equal": "torch.equal = torch.allclose = lambda *a, **k: True\n",
    "comparison": "torch.Tensor.__eq__ = torch.Tensor.__ne__ = torch.Tensor.__le__ = "
    "lambda *a: torch.tensor(True)\n",
    "gradients": "torch.autograd.grad = lambda outputs, inputs, *a, **k: [None for _ in inputs]\n",
    "engine": "import grader.sandbox.engine as engine, grader.sandbox.worker as worker\n"
    "engine.Engine.differentiate = lambda self, **k: {'value': [], 'passed': True}\n"
    "engine.describe = worker.describe = lambda error: {'passed': True}\n",
    "channel": "import grader.sandbox.protocol as p\nsend = p.Channel.send\n"
    "p.Channel.send = lambda self, message, d=None: send(self, message | {'passed': True}, d)\n",
    "mode": "from torch.overrides import TorchFunctionMode\nclass Mode(TorchFunctionMode):\n"
    " def __torch_function__(self, f, types, args=(), kwargs=None):\n"
    "  return True if f is torch.equal else f(*args, **(kwargs or {}))\nMode().__enter__()\n",
    "frames": "import gc\nfor thing in gc.get_objects():\n"
    " if isinstance(thing, dict) and 'expected' in thing: thing['expected'] = None\n",
    "pytest": "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\n",
    "exit": "import os\nos._exit(0)\n",
    "quit": "import sys\nsys.exit(0)\n",
    "at_exit": "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit(0)\n",
}


class TestBribery:
    """The whole path, from the submission's text to its mark."""

    @pytest.fixture
    def graded(self, toy, sandbox):
        def graded(source):
            catalog = load_catalog(toy)
            submission = Submission("bribe", "bribe", {"toy": "import torch\n" + source})
            (report,) = grade_all(toy, list(catalog.values()), [submission], sandbox, seed=5)
            return report

        return graded

    @pytest.mark.parametrize("trick", TRICKS)
    def test_earns_nothing(self, graded, trick):
        """A wrong answer earns nothing, whatever is done to the process it runs in."""
        report = graded(TRICKS[trick] + WRONG)

        assert report.score == 0.0
        assert Outcome.INTERNAL not in {verdict.outcome for verdict in report.verdicts}

    def test_with_harmless_tricks_costs_nothing_either(self, graded):
        """It is the answers that count, not what was done beside them."""
        report = graded(TRICKS["equal"] + TRICKS["pytest"] + RIGHT)

        assert report.max_score == report.score > 0

    def test_is_safe_to_read_and_to_write(self, graded, toy, tmp_path):
        """What a submission returned may be quoted, but neither drives a terminal nor stops us."""
        toy.suite("toy").write_text(
            "def test_says(submission):\n"
            "    'It speaks.'\n"
            "    said = submission.double('x')\n"
            "    assert said == 'xx', said\n"
        )
        report = graded(r"def double(x): return '\x1b[2J\ud800' + 'x' * 10**5")
        (verdict,) = report.verdicts
        path = write_report(report, tmp_path)

        assert words_of(verdict).rationale.startswith("�[2J�xxx")
        assert len(words_of(verdict).rationale) <= 2000
        assert "�[2J�xxx" in path.read_text(encoding="utf-8")

    def test_is_reported(self, graded):
        """What was tried stands in the report, once."""
        report = graded("try: open('/etc/passwd')\nexcept OSError: pass\n" + RIGHT)

        assert report.refused == ("open('/etc/passwd')",)
