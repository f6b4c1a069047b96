"""What a submission tries in plain Python is refused where it is tried, and noted."""

from __future__ import annotations

import os

import pytest

from grader.errors import ProtocolViolation, WorkerDied


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


PATCHES = {
    "its channel": "import sys\nC = sys.modules['grader.sandbox.channel'].Channel\nold = C.send\n"
    "C.send = C.answer = lambda s, m, d=None: None if 'refused' in m else old(s, m, d)\n",
    "its module": "import sys\na = sys.modules['grader.sandbox.audit']\n"
    "for name in list(vars(a)):\n if name[:2] != '__': setattr(a, name, lambda *a, **k: None)\n",
    "its socket": "import sys\ns = sys.modules['socket'].socket\nold = s.sendall\n"
    "s.send = s.sendall = lambda s, d: len(d) if b'refused' in d else old(s, d) or len(d)\n",
    "paths": "import os, posixpath\nos.readlink = lambda p: '/dev/null'\n"
    "os.getcwd = lambda: '/dev'\nposixpath.realpath = os.fsdecode = lambda p: '/dev/null'\n",
    "text": "import json\nold = json.dumps\n"
    "json.dumps = lambda o, **k: '{}' if 'refused' in o else old(o, **k)\n",
}
TRIES = """
 try: open('/etc/passwd')
 except BaseException: pass
 return 'done'
"""
BUILT_IN = """
import builtins
def f():
 kept = {name: getattr(builtins, name) for name in ('any', 'len', 'issubclass', 'set', 'globals')}
 for name in kept: setattr(builtins, name, lambda *a: 0)
 try: open('/etc/passwd')
 except BaseException: pass
 for name in kept: setattr(builtins, name, kept[name])
"""
FRAMES = """
import types
class All:
    def __contains__(self, item): return True
def functions(thing, found):
    if isinstance(thing, types.CellType):
        functions(thing.cell_contents, found)
    elif isinstance(thing, (list, tuple)):
        for part in thing: functions(part, found)
    elif isinstance(thing, types.FunctionType) and thing not in found:
        found.append(thing)
        functions(thing.__closure__ or (), found)
def f():
    try: open('/etc/harmless')
    except PermissionError as error: step = error.__traceback__
    found = []
    while step is not None:
        names = step.tb_frame.f_globals
        if names.get('__name__') != __name__:
            functions(list(step.tb_frame.f_locals.values()), found)
            names['_NOTED'] = All()
            names['__builtins__']['len'] = names['_quoted'] = names['_pack'] = None
        step = step.tb_next
    for function in found:
        for cell in function.__closure__ or (): cell.cell_contents = lambda *a: ''
    try: open('/etc/passwd')
    except BaseException: pass
    return len(found)
"""
FDS = """
import os, sys
def f():
 own = sys.stdout.channel.socket.fileno()
 null = os.open('/dev/null', os.O_RDONLY)
 others = []
 for fd in range(3, 20):
  try: others += [fd] if os.fstat(fd) and fd not in (own, null) else []
  except OSError: pass
"""


class TestSilencing:
    """What is done to the witness in plain Python is in vain, or ends the worker."""

    @pytest.mark.parametrize("what", PATCHES)
    def test_by_changing_what_it_uses_is_in_vain(self, load, what):
        """Nothing that a submission can rebind is used for a note."""
        session = load(f"{PATCHES[what]}def f():{TRIES}")
        assert ask(session, "f")["value"] == "done"

        assert session.refused == ["open('/etc/passwd')"]

    def test_by_changing_built_in_names_is_in_vain(self, load):
        """The witness has its own copy of these."""
        session = load(BUILT_IN)
        ask(session, "f")

        assert session.refused == ["open('/etc/passwd')"]

    def test_through_a_refusals_traceback_is_in_vain(self, load):
        """Who follows a traceback finds what refuses, and may break it; the note is made before."""
        session = load(FRAMES)
        found = ask(session, "f")["value"]

        assert found > 3
        assert session.refused == ["open('/etc/harmless')", "open('/etc/passwd')"]

    @pytest.mark.parametrize(
        "body",
        [
            " for fd in others: os.close(fd)",
            " for fd in others: os.dup2(null, fd)",
            " for fd in others: os.set_blocking(fd, False)\n try:\n"
            "  while os.write(own, bytes(4096)): pass\n except BlockingIOError: pass",
        ],
        ids="closed replaced filled".split(),
    )
    def test_by_taking_its_socket_ends_the_worker(self, load, body):
        """A note that cannot leave is the end of the process: that is a trace as well."""
        session = load(FDS + body + TRIES)
        with pytest.raises((WorkerDied, ProtocolViolation)):
            ask(session, "f")

    @pytest.mark.parametrize(
        "body",
        [
            "import _io, pathlib; _io.FileIO(pathlib.Path('/etc/passwd'))",
            "sys.audit('open', Odd(), Odd(), Odd())",
            "sys.audit('os.listdir', Odd())",
            "sys.audit('subprocess.Popen', Odd(), [Odd()])",
            "open(Text('/etc/passwd'))",
        ],
    )
    def test_with_odd_values_is_noted(self, load, body):
        """Values that do something when asked are noted without being asked."""
        session = load(
            "import sys\nasked = []\n"
            "def note(*a, **k): asked.append(sys._getframe(1)); return False\n"
            "names = '__eq__ __hash__ __str__ __repr__ __and__ __bool__ __len__ __contains__ '\n"
            "names += '__iter__ __getitem__ startswith split encode'\n"
            "Odd = type('Odd', (), dict.fromkeys(names.split(), note))\n"
            "Text = type('Text', (str,), {'startswith': note, 'split': note})\n"
            f"def f():\n try: {body}\n except PermissionError: pass\n"
            " return [frame.f_code.co_filename for frame in asked]"
        )
        asked = ask(session, "f")["value"]

        assert asked == []
        assert len(session.refused) == 1

    def test_deep_in_a_recursion_is_no_silence(self, load):
        """Where nothing can be noted any more, nothing is done either."""
        session = load(
            "def deep():\n"
            " try: return deep()\n"
            " except RecursionError:\n"
            "  try: return open('/etc/passwd').name\n"
            "  except PermissionError: return 'refused'\n"
            "def f(): return deep()"
        )
        reply = ask(session, "f")

        assert reply.get("value") == "refused" or "raised" in reply
        assert session.refused == ["open('/etc/passwd')"] or "raised" in reply
