"""A submission that works on its judges instead of its answers earns nothing by it."""

from __future__ import annotations

import pytest

from grader.model import Outcome
from grader.report.feedback import words_of
from grader.report.record import write_report

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
    "channel": "import grader.sandbox.channel as c\nsend = c.Channel.send\n"
    "c.Channel.send = lambda self, message, d=None: send(self, message | {'passed': True}, d)\n",
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

    @pytest.mark.parametrize("trick", TRICKS)
    def test_earns_nothing(self, graded, trick):
        """A wrong answer earns nothing, whatever is done to the process it runs in."""
        report = graded(TRICKS[trick] + WRONG)

        assert report.score == 0.0
        assert Outcome.INTERNAL not in {verdict.outcome for verdict in report.verdicts}

    @pytest.mark.parametrize("trick", sorted(TRICKS.keys() - {"exit", "quit", "at_exit"}))
    def test_is_tried_in_earnest(self, graded, trick):
        """The wrong answer comes back and is judged: the trick found what it set out to change."""
        outcomes = {verdict.outcome for verdict in graded(TRICKS[trick] + WRONG).verdicts}

        assert outcomes == {Outcome.FAILED}

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
