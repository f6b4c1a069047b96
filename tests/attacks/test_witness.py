"""What a submission tries in plain Python is refused where it is tried, and noted."""

from __future__ import annotations

import os

import pytest


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
