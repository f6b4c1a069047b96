"""Automatic slips change one place of one body, and are known by their words."""

from __future__ import annotations

import ast

import pytest

from grader.programs.slips.automatic import slips_of

PAGE = '''\
"""A page."""

import torch
from torch import nn


def given(x):
    """Not to be written by anybody: 1 + 1."""
    return x + 1


def f(x: Tensor, y: Tensor, flag: bool = False) -> Tensor:
    """Not ``1 + 1``."""
    # BEGIN SOLUTION
    {body}
    # END SOLUTION
'''
LAYER = '''\
class Layer(nn.Module):
    """A layer."""

    def __init__(self, d):
        # BEGIN SOLUTION
        super().__init__()
        self.one = nn.Linear(d, d)
        self.two = nn.Linear(d, d)
        self.scale = nn.Parameter(torch.ones(d))
        self.register_buffer("mask", torch.ones(d))
        # END SOLUTION

    def forward(self, x):
        # BEGIN SOLUTION
        return self.one(x)
        # END SOLUTION
'''


def changes(body):
    """What becomes of a line of a body."""
    line = body.splitlines()[-1].strip()
    return [slip.after for slip in slips_of(PAGE.format(body=body)) if slip.before == line]


class TestALine:
    @pytest.mark.parametrize(
        ("body", "wanted"),
        [
            ("return x - y", ["return x + y", "return y - x", "return x", "return y"]),
            ("return x @ y", ["return x * y", "return (x @ y).detach()", "return x @ y.detach()"]),
            ("return x < 0", ["return x <= 0", "return x > 0", "return x < 1", "return y < 0"]),
            ("return not flag", ["return flag"]),
            ("return x and y", ["return x or y", "return x", "return y"]),
            ("return x.sum(dim=-1)", ["return x.sum(dim=-2)", "return x.sum(dim=0)", "return x"]),
            ("return x.sum(-1, True)", ["return x.sum(-1)", "return x.sum(True, -1)"]),
            ("return x.sum(-1, keepdim=True)", ["return x.sum(-1)"]),
            ("return torch.sum(x)", ["return x", "return torch.mean(x)"]),
            ("return x.exp()", ["return x.exp_()"]),
            ("return x.mT", ["return x"]),
            ("return x * 0.5", ["return x * 1.0", "return x * 0.25", "return x * 0.0"]),
            ("return x[1:]", ["return x[:]", "return x[2:]", "return x[0:]"]),
            ("return x[:n]", ["return x[:]", "return x[:n + 1]", "return x[:n - 1]"]),
            ("return x, y", ["return (y, x)"]),
            ("return x if flag else y", ["return x", "return y", "return y if flag else x"]),
            ("return [i for i in range(n)]", ["return [i for i in range(n - 1)]"]),
            ("return torch.ones(2, device=x.device)", [
                "return torch.ones(2)", 'return torch.ones(2, device="cpu")',
            ]),
            ("return torch.ones(2, dtype=x.dtype)", ["return torch.ones(2, dtype=torch.float32)"]),
            ("return x.to(y)", ["return x"]),
            ("return x == 'relu' or x == 'gelu'", ["return x == \"gelu\" or x == 'gelu'"]),
            ("x = x + y", ["x += y", "pass", "x = x"]),
            ("x += y", ["x = y", "x -= y", "pass"]),
            ("if flag: x = y", ["if True: x = y", "if False: x = y", "if not flag: x = y"]),
            ("raise ValueError('no')", ["pass"]),
            ("for i in range(3): x = y", ["pass"]),
        ],
    )  # fmt: skip
    def test_becomes_others(self, body, wanted):
        """Each is one place changed."""
        assert [line for line in wanted if line not in changes(body)] == []

    @pytest.mark.parametrize("body", ["raise ValueError('no', 1 + 1)", "y: int = 1"])
    def test_keeps_messages_and_annotations(self, body):
        """They are no part of what a program does."""
        assert not any("1 - 1" in line or "y: 1" in line for line in changes(body))


@pytest.fixture(scope="module")
def afters():
    """What becomes of which line of a layer."""
    return {(slip.before, slip.after) for slip in slips_of(LAYER)}


class TestALayer:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("super().__init__()", "pass"),
            ("return self.one(x)", "return self.two(x)"),
            ("self.scale = nn.Parameter(torch.ones(d))", "self.scale = torch.ones(d)"),
            (
                "self.scale = nn.Parameter(torch.ones(d))",
                "self.scale = nn.Parameter(torch.ones(d), requires_grad=False)",
            ),
            (
                'self.register_buffer("mask", torch.ones(d))',
                'self.register_buffer("mask", torch.ones(d), persistent=False)',
            ),
            ('self.register_buffer("mask", torch.ones(d))', "self.mask = torch.ones(d)"),
            ("", "@torch.no_grad()"),
        ],
    )
    def test_is_registered_otherwise(self, afters, before, after):
        """Parameters, buffers, and attributes of one kind."""
        assert (before, after) in afters


class TestSlips:
    BODY = "if flag:\n        return x - y\n    return x - y"

    def test_compile_and_are_no_two_alike(self):
        """And none is the page itself."""
        text = PAGE.format(body=self.BODY)
        texts = [slip.text for slip in slips_of(text)]

        assert len({program(text) for text in [text, *texts]}) == len(texts) + 1

    def test_leave_alone_what_is_given(self):
        """Docstrings, annotations and what stands outside of the markers, but for defaults."""
        text = PAGE.format(body=self.BODY)
        given = [line for line in text.splitlines() if "1 + 1" in line or "x + 1" in line]
        kept = [all(line in slip.text for line in given) for slip in slips_of(text)]

        assert kept and all(kept)
        assert "x: Tensor, y: Tensor, flag: bool = True" in "".join(s.after for s in slips_of(text))

    def test_are_told_apart_where_a_line_stands_twice(self):
        """The places are counted."""
        twice = [s for s in slips_of(PAGE.format(body=self.BODY)) if s.after == "return x + y"]

        assert [slip.place for slip in twice] == [1, 2]
        assert twice[0].digest != twice[1].digest

    def test_keep_their_digests_when_other_lines_change(self):
        """So a mark and a share stay what they are."""
        page, longer = (PAGE.format(body=f"{more}return x - y") for more in ("", "z = 1\n    "))
        digests, after = ({s.digest for s in slips_of(text)} for text in (page, longer))

        assert digests < after

    def test_are_shown_as_small_diffs(self):
        """One line out, one line in."""
        page = PAGE.format(body="return x - y")
        (slip,) = (slip for slip in slips_of(page) if slip.after == "return x + y")
        lines = slip.diff(page, "page").splitlines()

        assert [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")] == [
            "-    return x - y",
            "+    return x + y",
        ]


def program(text):
    """Two texts of one program are equal."""
    return ast.dump(ast.parse(text))
