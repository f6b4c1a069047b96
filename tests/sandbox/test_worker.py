"""A worker loads a module, answers calls, and takes everything down with it when it fails."""

from __future__ import annotations

import os
import time

import pytest
import torch

from grader.errors import (
    DeadlinePassed,
    OutputFlood,
    ProtocolViolation,
    SubmissionRaised,
    WorkerDied,
)
from grader.sandbox.protocol import Generator, Leaf, Object, Refused, Result


def call(session, name, *args, **kwargs):
    """The worker's whole reply to a call."""
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": kwargs})


def value(session, name, *args, **kwargs):
    """What a call returned."""
    return call(session, name, *args, **kwargs)["value"]


def gone(pid):
    """Whether a process has ended; one that nobody has asked about yet counts as ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


class TestLoading:
    def test_tells_the_public_names(self, sandbox):
        """Loading a module says what it defines, without names that begin with an underscore."""
        session = sandbox.open()
        names = session.load({"m": "import math\n_x = 1\ndef f(): pass\nclass C: pass"}, "m")
        session.close()

        assert names == ["math", "f", "C"]

    def test_modules_of_one_submission_import_each_other(self, sandbox):
        """A submission's modules are importable by name, whatever order they come in."""
        session = sandbox.open()
        session.load({"m": "from other import x", "other": "x = 5\ndef f(): return x"}, "m")
        session.load({"m": "import other\ndef f(): return other.x", "other": "x = 5"}, "m")
        actual = value(session, "f")
        session.close()

        assert actual == 5

    @pytest.mark.parametrize(
        ("source", "type_name", "line", "text"),
        [
            ("x = 1\ndef f(:\n", "SyntaxError", 2, "def f(:"),
            ("\n\nraise ValueError('no')", "ValueError", 3, "raise ValueError('no')"),
            ("import nothing_like_this", "ModuleNotFoundError", 1, "import nothing_like_this"),
            ("import sys\nsys.exit(3)", "SystemExit", 2, "sys.exit(3)"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt", 1, "raise KeyboardInterrupt"),
            ("x = '\0'", "SyntaxError", 0, ""),
        ],
    )
    def test_that_fails_says_where(self, load, source, type_name, line, text):
        """An exception while importing names the submission's own line."""
        with pytest.raises(SubmissionRaised) as caught:
            load(source)

        raised = caught.value.raised
        assert (type_name, line, text) == (raised.type_name, raised.line, raised.text)

    def test_seeds_every_generator(self, load):
        """The same seed gives the same random numbers, from all three libraries."""
        source = (
            "import random, numpy, torch\n"
            "def f(): return random.random(), numpy.random.rand(), torch.rand(1)"
        )
        one, same, other = (value(load(source, seed=seed), "f") for seed in (3, 3, 4))

        assert one == same
        assert not set(map(float, one)) & set(map(float, other))

    def test_forbids_what_would_do_the_exercise(self, load):
        """A forbidden function of torch says why it is not there."""
        source = "import torch\ndef f(): return torch.softmax(torch.ones(2), 0)"
        session = load(source, forbids=["softmax"])
        raised = call(session, "f")["raised"]

        assert raised["type_name"] == "NotAllowedHere"
        assert "softmax does this exercise for you" in raised["message"]

    def test_starts_anew_every_time(self, load):
        """What one submission does to its worker is unknown to the next worker."""
        load("import torch\ntorch.secret = 1\nimport sys\nsys.modules['math'] = None")
        session = load("import torch, math\ndef f(): return hasattr(torch, 'secret'), math.pi > 3")
        actual = value(session, "f")

        assert actual == (False, True)


class TestCalling:
    def test_hands_values_over(self, load):
        """Arguments go in and values come back, by position and by name."""
        session = load("def f(a, b=2, *, c): return [a, (b, c)]")
        actual = value(session, "f", 1, c={"x": None})

        assert actual == [1, (2, {"x": None})]

    def test_sends_an_input_once(self, load):
        """A tensor that was sent is afterwards known by its number, and is the same tensor."""
        session = load("def f(a, b): return a is b")
        actual = value(session, "f", Leaf(0, torch.ones(2)), Leaf(0))

        assert actual is True

    def test_hands_generators_in(self, load):
        """A generator is made over there from its seed, and goes on where it stood."""
        session = load("import torch\ndef f(g): return torch.rand(2, generator=g)")
        first, second = (value(session, "f", Generator(0, 9)) for _ in range(2))
        here = torch.Generator().manual_seed(9)

        assert torch.rand(2, generator=here).equal(first)
        assert torch.rand(2, generator=here).equal(second)

    def test_keeps_modules_over_there(self, load):
        """A module stays in the worker; its parameters can be asked for, its methods called."""
        session = load("import torch\nclass C(torch.nn.Linear): pass")
        made = value(session, "C", 2, 3)
        weights = {"weight": torch.ones(3, 2), "bias": torch.zeros(3)}
        session.perform({"op": "load", "number": 0, "weights": weights})
        named = session.perform({"op": "parameters", "number": 0})["value"]
        request = {"op": "call_object", "number": 0, "name": "__call__", "kwargs": {}}
        output = session.perform(request | {"args": [Leaf(0, torch.ones(2))]})["value"]

        assert Object(0, "C") == made
        assert list(named) == ["weight", "bias"]
        assert output.tolist() == [2.0, 2.0, 2.0]

    def test_describes_what_was_raised(self, load):
        """An exception comes back as words, with the last line of the submission's own."""
        session = load(
            "import torch\ndef g(x):\n    return torch.ones(2) @ x\ndef f(x): return g(x)"
        )
        raised = call(session, "f", Leaf(0, torch.ones(3)))["raised"]

        assert (raised["type_name"], raised["file"], raised["line"]) == ("RuntimeError", "m.py", 3)
        assert raised["text"] == "return torch.ones(2) @ x"

    def test_goes_on_after_an_exception(self, load):
        """A call that raised leaves the worker as good as before."""
        session = load("def f(x): return 1 / x")
        raised, actual = call(session, "f", 0), value(session, "f", 2)

        assert raised["raised"]["type_name"] == "ZeroDivisionError"
        assert actual == 0.5

    def test_keeps_what_was_printed(self, load):
        """Printed text is kept apart from answers, made safe to show."""
        session = load("import sys\ndef f():\n print('hé\\x1b[2J')\n print('err', file=sys.stderr)")
        call(session, "f")

        assert session.printed == "hé�[2J\nerr\n"

    @pytest.mark.parametrize(
        ("expression", "type_name"),
        [
            ("lambda: 0", "function"),
            ("(i for i in [])", "generator"),
            ("torch.ones(2).as_subclass(type('Odd', (torch.Tensor,), {}))", "Odd"),
            ("object()", "object"),
        ],
    )
    def test_refuses_what_cannot_cross(self, load, expression, type_name):
        """What has no plain form comes back as the name of its type."""
        session = load(f"import torch\ndef f(): return {expression}")
        actual = value(session, "f")

        assert Refused(type_name) == actual

    @pytest.mark.parametrize(
        "expression",
        [
            "10**5000",
            "(l := []) or l.append(l) or l",
            "'x' * (2 << 20)",
        ],
        ids=["digits", "cycle", "text"],
    )
    def test_survives_answers_that_cannot_be_sent(self, load, expression):
        """An impossible value costs at most the worker that returned it."""
        session = load(f"import torch\ndef f(): return {expression}")
        try:
            reply = call(session, "f")
        except ProtocolViolation as violation:
            reply = {"raised": str(violation)}

        assert "raised" in reply


class TestGradients:
    SOURCE = "def f(x, w): return (x * w).sum(), w * 2, w.detach()"

    def differentiate(self, session, outputs):
        request = {"op": "differentiate", "outputs": outputs, "wrt": [Leaf(0), Leaf(1)]}
        return session.perform(request | {"cotangents": [torch.ones(()), torch.ones(2)]})

    def test_come_back_per_input(self, load):
        """Backward through several outputs adds up, and an input nobody wanted has none."""
        session = load(self.SOURCE)
        x, w = torch.tensor([3.0, 5.0]), torch.tensor([1.0, 1.0])
        call(session, "f", Leaf(0, x, True), Leaf(1, w, True))
        reply = self.differentiate(session, [Result(0, (0,)), Result(0, (1,))])

        assert reply["attached"] == [True, True]
        assert [g.tolist() for g in reply["leaves"]] == [[1.0, 1.0], [5.0, 7.0]]

    def test_tell_what_has_left_the_graph(self, load):
        """An output that was detached is said to be, and contributes nothing."""
        session = load(self.SOURCE)
        call(session, "f", Leaf(0, torch.ones(2), True), Leaf(1, torch.ones(2), True))
        reply = self.differentiate(session, [Result(0, (0,)), Result(0, (2,))])

        assert reply["attached"] == [True, False]

    def test_are_there_although_the_submission_turns_them_off(self, load):
        """Gradients are switched on for every call, whatever was done while importing."""
        session = load("import torch\ntorch.set_grad_enabled(False)\ndef f(x): return x * 2")
        call(session, "f", Leaf(0, torch.ones(2), True))
        request = {"op": "differentiate", "outputs": [Result(0)], "wrt": [Leaf(0)]}
        reply = session.perform(request | {"cotangents": [torch.ones(2)]})

        assert reply["leaves"][0].tolist() == [2.0, 2.0]

    @pytest.mark.parametrize(
        ("body", "expected"),
        [("x.add_(1)", [0]), ("x[0] = 9", [0]), ("x.t_()", [0]), ("x + 1", []), ("x.view(-1)", [])],
    )
    def test_inputs_that_were_changed_are_named(self, load, body, expected):
        """A change in place is told with the answer."""
        session = load(f"def f(x): {body}")
        actual = call(session, "f", Leaf(0, torch.arange(6.0).reshape(2, 3)))["changed"]

        assert expected == actual


class TestLimits:
    def test_the_deadline_ends_a_call(self, load):
        """A call that does not return ends the worker when its time is up."""
        session = load("def f():\n while True: pass")
        session.allow_seconds(0.1)
        with pytest.raises(DeadlinePassed):
            call(session, "f")

        assert session.how_it_ended() == ("signal", "SIGKILL")

    def test_the_deadline_ends_an_import(self, load):
        """A module that never finishes importing is not waited for."""
        with pytest.raises(DeadlinePassed):
            load("while True: pass", seconds=0.1)

    def test_a_failed_worker_is_not_asked_again(self, load):
        """After one failure every request fails in the same way."""
        session = load("import os\ndef f(): os._exit(0)\ndef g(): return 1")
        for name in ("f", "g"):
            with pytest.raises(WorkerDied):
                call(session, name)

    @pytest.mark.parametrize(
        ("body", "how"),
        [
            ("os._exit(0)", ("exit", "0")),
            ("os._exit(3)", ("exit", "3")),
            ("os.abort()", ("signal", "SIGABRT")),
            ("ctypes.string_at(0)", ("signal", "SIGSEGV")),
            ("libc.kill(os.getpid(), 40)", ("signal", "40")),
            ("libc.kill(os.getpid(), 64)", ("signal", "SIGRTMAX")),
        ],
    )
    def test_a_crash_is_told_apart(self, load, body, how):
        """How a worker ended is known and said."""
        session = load(
            f"import ctypes, os, time\nlibc = ctypes.CDLL(None)\ndef f():\n {body}\n time.sleep(9)"
        )
        with pytest.raises(WorkerDied):
            call(session, "f")

        assert how == session.how_it_ended()

    def test_endless_recursion_is_an_exception(self, load):
        """Recursion without end raises, and the worker lives on."""
        session = load("def f(): return f()\ndef g(): return 1")
        raised, actual = call(session, "f")["raised"], value(session, "g")

        assert raised["type_name"] == "RecursionError"
        assert actual == 1

    @pytest.mark.parametrize(
        "expression",
        [
            "torch.ones(25 * 10**9)",
            "bytearray(100 * 10**9)",
            "[torch.empty(1 << 26) for _ in range(9)]",
        ],
        ids=["tensor", "bytes", "many_tensors"],
    )
    def test_memory_is_bounded(self, load, expression):
        """Asking for too much memory raises, and the worker lives on."""
        session = load(f"import torch\ndef f(): return {expression}\ndef g(): return 1")
        raised, actual = call(session, "f")["raised"], value(session, "g")

        assert raised["memory"] is True
        assert actual == 1

    def test_printing_is_bounded(self, load):
        """Printing without end ends the worker; its first words are kept."""
        session = load("def f():\n while True: print('again and again')")
        with pytest.raises(OutputFlood):
            call(session, "f")

        assert session.printed.startswith("again and again\n")
        assert len(session.printed) <= 4000

    def test_closing_ends_the_process(self, sandbox, monkeypatch):
        """When a session is closed its process is gone, also in the middle of nowhere."""
        pids, ask = [], os.pidfd_open
        monkeypatch.setattr(os, "pidfd_open", lambda pid: pids.append(pid) or ask(pid))
        session = sandbox.open()
        session.load({"m": "def f(): return 1"}, "m")
        alive = not gone(pids[0])
        session.close()
        for _ in range(500):
            if gone(pids[0]):
                break
            time.sleep(0.01)

        assert alive
        assert gone(pids[0])

    def test_closing_twice_does_no_harm(self, load):
        """A session may be closed by whoever holds it."""
        session = load("x = 1")
        session.close()
        session.close()


class TestKnowsNothing:
    @pytest.mark.parametrize(
        "module",
        [
            "solutions.softmax",
            "solutions",
            "exercises.softmax",
            "grader.examiner",
            "grader.examiner.compare",
            "grader.course.catalog",
            "grader.pipeline",
            "grader.suites.softmax.misconceptions",
            "grader.suites.softmax.test_softmax",
            "test_softmax",
            "misconceptions",
            "tests.conftest",
        ],
    )
    def test_nothing_secret_can_be_imported(self, load, module):
        """Solutions, suites and the examiner are not on a worker's import path."""
        with pytest.raises(SubmissionRaised) as caught:
            load(f"import {module}")

        assert caught.value.raised.type_name == "ModuleNotFoundError"

    def test_the_environment_is_empty(self, load):
        """No token, path or setting of the grader is known to a worker."""
        session = load("import os\ndef f(): return dict(os.environ)")
        actual = value(session, "f")

        assert actual == {}

    def test_no_folder_of_ours_is_on_the_path(self, load, course):
        """A worker imports from Python's own folders alone."""
        session = load("import sys\ndef f(): return sys.path")
        actual = value(session, "f")

        assert [path for path in actual if course.suites.is_relative_to(path or ".")] == []

    def test_nothing_else_is_in_memory(self, load):
        """No module of the grader's trusted side was ever loaded where workers come from."""
        session = load(
            "import sys\ndef f(): return sorted(n for n in sys.modules if 'grader' in n)"
        )
        actual = value(session, "f")
        trusted = ("examiner", "course", "suites", "report", "pipeline", "cli", "collect", "model")

        assert [
            name for name in actual if name.split(".")[1:2] and name.split(".")[1] in trusted
        ] == []
