"""What is made on the CPU whatever the inputs are is found without a GPU, as advice."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.model import Outcome, Submission
from grader.pipeline import grade_all
from grader.report.feedback import advice_on, exercise_lines

SUITE = '''
def test_function(compare, draw):
    """Every number is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x), wrt=[x])


def test_flags(compare, draw):
    """A flag for every row."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.flags(x))


def test_layer(compare, draw):
    """A layer does the same."""
    x, weight = draw.normal(2, 3), draw.normal(3)

    def layer(impl):
        made = impl.Layer(3)
        made.load({"weight": weight})
        return made(x)

    compare(layer)
'''
PAGE = """
import torch
from torch import nn


def double(x):
    {function}


def flags(x):
    {flags}


class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        {init}

    def forward(self, x):
        {forward}
"""
RIGHT = {
    "function": "return x + x",
    "flags": "return torch.ones(len(x), dtype=torch.bool, device=x.device)",
    "init": "pass",
    "forward": "return x * self.weight",
}
SOLUTION = PAGE.format(
    function="# BEGIN SOLUTION\n    return x + x\n    # END SOLUTION",
    flags=f"# BEGIN SOLUTION\n    {RIGHT['flags']}\n    # END SOLUTION",
    init="pass",
    forward="# BEGIN SOLUTION\n        return x * self.weight\n        # END SOLUTION",
)


@pytest.fixture
def advised(toy, sandbox):
    """``advised(part=text)``: the report on a page with that part, which is right on a CPU."""
    (toy.root / "solutions/toy.py").write_text(SOLUTION)
    (toy.root / "grader/suites/toy/test_toy.py").write_text(SUITE)

    def advised(**parts):
        submission = Submission("ada", "ada", {"toy": PAGE.format(**(RIGHT | parts))})
        exercises = list(load_catalog(toy).values())
        (report,) = grade_all(toy, exercises, [submission], sandbox, seed=5)
        assert {v.outcome for v in report.verdicts} == {Outcome.PASSED}
        return report

    return advised


@pytest.mark.parametrize(
    "parts",
    [
        {"function": "return x + x * torch.ones(3)"},
        {"function": "return x.masked_fill(torch.zeros(3) > 1, 0.0) * 2"},
        {"init": "self.one = torch.ones(n)", "forward": "return x * self.weight * self.one"},
        {"function": "return x @ (torch.eye(3) * 2)"},
        {"function": "return 2 * x.gather(1, torch.arange(3).expand(2, 3))"},
        {"forward": "return x * nn.functional.embedding(torch.zeros(2).long(), self.weight[None])"},
    ],
    ids=["tensor", "mask", "plain attribute", "product", "gather", "embedding"],
)
def test_what_meets_a_tensor_of_the_cpu_is_advised(advised, parts):
    """With the line, and without costing a mark."""
    report = advised(**parts)
    words = "\n".join(exercise_lines(report.exercises[0]))

    assert report.score == report.max_score
    assert "Would fail on a GPU" in words
    assert "toy.py, line" in words
    assert "device=x.device" in words


@pytest.mark.parametrize(
    ("function", "is_told"),
    [
        ("one = torch.ones(3)\n    return x + x * one", True),
        ("one = torch.ones(3, device='cpu')\n    return x + x * one", False),
        (
            "one, two = torch.ones(3), 2\n    no = torch.zeros(3)\n    return 2 * x * one + no",
            False,
        ),
    ],
)
def test_the_line_that_made_it_is_told_where_it_is_the_only_one(advised, function, is_told):
    """Of one that names a device, or of several, nobody knows."""
    (advice,) = advice_on(advised(function=function))

    assert ("`one = torch.ones(3)` makes a tensor on the CPU" in advice) == is_told
    assert ("Something here is made on the CPU" in advice) == (not is_told)


def test_taking_values_off_the_device_is_advised(advised):
    """Nothing fails on a GPU, but everything waits; the line is named."""
    code = "keep = x.detach().cpu() == x.detach().cpu()\n    return x * 2 * keep"
    (advice,) = advice_on(advised(function=code))

    assert "to the CPU" in advice
    assert "toy.py, line" in advice
    assert "Would fail" not in advice


def test_numpy_is_advised_against(advised):
    """A tensor on a GPU cannot become a numpy array."""
    code = "import numpy as np\n    return x * np.array(x.detach()).size / 3"
    (advice,) = advice_on(advised(function=code))

    assert advice.startswith("Would fail on a GPU: `return x * np.array")
    assert "toy.py, line" in advice


def test_a_result_that_stays_behind_is_advised(advised):
    """A result on the CPU meets the GPU's tensors later."""
    report = advised(flags="return torch.ones(len(x), dtype=torch.bool)")

    assert advice_on(report) == [
        "Would return a tensor on the CPU although its inputs are on a GPU."
    ]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"function": "return 2 * x if x.sum() > 0 else x + x"},
        {"function": "if x.isnan().any():\n        raise ValueError('NaN')\n    return 2 * x"},
        {"function": "assert x.isfinite().all()\n    return 2 * x"},
        {"function": "print(f'{x.mean():.3f}', x)\n    return 2 * x"},
        {"function": "if int(x.abs().max()) >= 1000:\n        raise ValueError\n    return 2 * x"},
        {"function": "most = x.abs().max().item()\n    assert most < 1000\n    return 2 * x"},
        {"function": "return 2 * x if x[x > 0].numel() else x + x"},
        {"function": "return 2 * x[:, torch.arange(3)]"},
        {"function": "return x * torch.full_like(x, 2.0)"},
        {"function": "return x * torch.tensor(2.0)"},
        {"function": "return x * torch.ones(3, device=x.device) * 2"},
        {
            "init": "self.register_buffer('one', torch.ones(n), persistent=False)",
            "forward": "return x * self.weight * self.one",
        },
        {"function": "import math\n    return x * math.sqrt(4.0)"},
    ],
    ids=[
        "right",
        "decides",
        "refuses",
        "finite",
        "printed",
        "range",
        "item",
        "some",
        "index",
        "like",
        "number",
        "device",
        "buffer",
        "plain number",
    ],
)
def test_nobody_who_is_right_is_advised(advised, parts):
    """A look at the inputs, numbers without axes, buffers and device=x.device all work on a GPU."""
    assert advice_on(advised(**parts)) == []
