"""A worker loads a module and knows nothing but what the module needs."""

from __future__ import annotations

import pytest

from grader.errors import SubmissionRaised
from grader.sandbox import temporary


def call(session, name, *args, **kwargs):
    """The worker's whole reply to a call."""
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": kwargs})


def value(session, name, *args, **kwargs):
    """What a call returned."""
    return call(session, name, *args, **kwargs)["value"]


def of_a_null_byte():
    """Python says this in one way up to some 3.11, and in another one since."""
    try:
        compile("\0", "", "exec")
    except (SyntaxError, ValueError) as error:
        return type(error).__name__


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
            ("x = '\0'", of_a_null_byte(), 0, ""),
        ],
    )
    def test_that_fails_says_where(self, load, source, type_name, line, text):
        """An exception while importing names the submission's own line."""
        with pytest.raises(SubmissionRaised) as caught:
            load(source)

        raised = caught.value.raised
        assert (type_name, line, text) == (raised.type_name, raised.last.line, raised.last.text)

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
        session = load(source, forbids=["torch.softmax"])
        raised = call(session, "f")["raised"]

        assert raised["type_name"] == "NotAllowedHere"
        assert [(line.file, line.line) for line in raised["lines"]] == [("m.py", 2)]
        assert raised["message"].startswith("torch.softmax does this exercise for you")

    def test_forbids_already_while_it_imports(self, load):
        """What a module does at its top is refused as well."""
        with pytest.raises(SubmissionRaised, match=r"F\.gelu does this exercise for you"):
            load("import torch\nx = torch._C._nn.gelu(torch.ones(2))", forbids=["F.gelu"])

    def test_starts_anew_every_time(self, load):
        """What one submission does to its worker is unknown to the next worker."""
        load("import torch\ntorch.secret = 1\nimport sys\nsys.modules['math'] = None")
        session = load("import torch, math\ndef f(): return hasattr(torch, 'secret'), math.pi > 3")
        actual = value(session, "f")

        assert actual == (False, True)


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

    def test_the_environment_leads_to_the_temporary_folder_alone(self, load):
        """No token, path or setting of the grader is known to a worker."""
        session = load("import os, tempfile\ndef f(): return tempfile.tempdir, dict(os.environ)")
        folder, actual = value(session, "f")

        assert temporary.surroundings(folder) == actual

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
