"""Mends change one place of a learner's function, and read nothing that could hurt."""

from __future__ import annotations

import ast

import pytest

from grader.programs.mends.kinds import RANK
from grader.programs.mends.made import Stretch, mends_of

HEAD = "def f(x, y, mask=None, dim=-1):\n"


def changes(*body, first=()):
    """What becomes of the body's lines: each by its kind, all lines as one."""
    text = HEAD + "".join(f"    {line}\n" for line in body)
    return [
        (mend.kind, "; ".join(line.strip() for line in mend.text.splitlines()[1:]))
        for mend in mends_of(text, [Stretch(1, 1 + len(body))], first)
    ]


class TestALine:
    @pytest.mark.parametrize(
        ("line", "kind", "wanted"),
        [
            ("return x.softmax(-2)", "axis", "return x.softmax(-1)"),
            ("return x.softmax(dim=0)", "axis_from_the_end", "return x.softmax(dim=-1)"),
            ("return x.sum()", "no_axis", "return x.sum(dim=-1)"),
            ("return x.sum()", "no_axis", "return x.sum(dim=dim)"),
            ("return x.transpose(1, 2)", "axes_from_the_end", "return x.transpose(-2, -3)"),
            ("return x.shape[0]", "axis", "return x.shape[-1]"),
            ("return x.sum(-1)", "keepdim", "return x.sum(-1, keepdim=True)"),
            ("return x.sum(-1, keepdim=True)", "keepdim", "return x.sum(-1)"),
            ("return x @ y", "transposed", "return x @ y.mT"),
            ("return x @ y.T", "transposed", "return x @ y"),
            ("return x.view(2, 3)", "transposed", "return x.view(2, 3).transpose(1, 2)"),
            ("return x - y", "sides", "return y - x"),
            ("return x - y / 2", "sides", "return (x - y) / 2"),
            ("return (x - y) / 2", "sides", "return x - y / 2"),
            ("return x + y", "operator", "return x - y"),
            ("return x * y", "operator", "return x @ y.mT"),
            ("return x - x.max()", "no_axis", "return x - x.amax(dim=-1, keepdim=True)"),
            ("return x / x.max()", "function", "return x / x.sum(dim=-1, keepdim=True)"),
            ("return x @ y.weight.T", "missing", "return y(x)"),
            ("return torch.cat([x, y])", "function", "return torch.stack([x, y])"),
            ("return x.view(2, 3)", "order", "return x.view(3, 2)"),
            ("return sorted(x)", "order", "return sorted(x, reverse=True)"),
            ("return x", "sign", "return -x"),
            ("return x.masked_fill(mask, 0)", "turned", "return x.masked_fill(~mask, 0)"),
            ("return x.masked_fill(mask, 0)", "number", 'x.masked_fill(mask, float("-inf"))'),
            ("return x + 2", "too_large", "return x + 1"),
            ("return x + 2", "too_small", "return x + 3"),
            ("return x - -50.0", "too_large", 'return x - float("-inf")'),
            ("return x and mask", "part_left_out", "return x"),
            ("return x + 1e-7", "part_left_out", "return x"),
            ("return x.exp(x.exp(y))", "part_left_out", "return x.exp(y)"),
            ("return x / y", "power", "return x / y ** 0.5"),
            ("return x.mean(-1)", "power", "return (x ** 2).mean(-1)"),
            ("return x.sum(-1)", "more", "return x.sum(-1).sqrt()"),
            ("return x.mean(-1).square()", "nested", "return x.square().mean(-1)"),
            ("return x.softmax(-1) / y", "nested", "return (x / y).softmax(-1)"),
            ("return x.sqrt() + 1e-5", "nested", "return (x + 1e-05).sqrt()"),
            ("return f(g(x), 1)", "nested", "return g(f(x, 1))"),
            ("return x @ y", "missing", "return x.softmax(-1) @ y"),
            ("return x @ y", "missing", "return x @ y + x"),
            ("return x.var(-1)", "correction", "return x.var(-1, correction=0)"),
            ("return x[1:]", "bound", "return x[:]"),
            ("return range(x)", "bound", "return range(x + 1)"),
            ("return x.float() + y", "left_out", "return x + y"),
            ("return x < y", "comparison", "return x <= y"),
            ("return x if mask else y", "condition", "return y if mask else x"),
            ("return x if mask else y", "condition", "return x if (mask is not None) else y"),
            ("return x if not mask else y", "condition", "return x if (mask is None) else y"),
            ("return x if mask else y", "one_case", "return x if True else y"),
            ("if mask > 0: x = y", "one_case", "if False: x = y"),
            ("if mask > 0: x = y", "always", "if True: x = y"),
            ("if mask: x = y", "condition", "if mask is not None: x = y"),
            ("return x.relu_()", "in_place", "return x.relu()"),
            ("return torch.zeros(3)", "dtype", "return torch.zeros(3, dtype=x.dtype)"),
            ("return x * x", "unused", "return mask * x"),
            ("return f(x, y, mask, dim)", "name", "return f(y, y, mask, dim)"),
            ("return x", "returned", "return x.squeeze(-1)"),
        ],
    )
    def test_may_be_meant_otherwise(self, line, kind, wanted):
        assert any(k == kind and wanted in text for k, text in changes(line))

    def test_may_lack_a_layer_of_its_class(self):
        text = "class A:\n    def forward(self, x):\n        return self.f(x)\n"
        found = {m.text.splitlines()[-1].strip() for m in mends_of(text, [Stretch(2, 3, ("g",))])}

        assert found >= {"return self.g(self.f(x))", "return self.f(self.g(x))"}

    def test_may_lack_a_layer_or_a_matrix_in_a_term(self):
        """An argument that goes through nothing."""
        text = "class A:\n    def forward(self, x):\n        return self.f(x) * x\n"
        found = {m.text.splitlines()[-1].strip() for m in mends_of(text, [Stretch(2, 3, ("g",))])}

        assert found >= {"return self.f(x) * self.g(x)", "return self.f(x) * (x @ self.g)"}

    def test_may_be_too_much(self):
        """First of all what goes on with what was there before."""
        assert ("line_too_much", "pass; return x") in changes("x = x + 1", "return x")
        assert ("line_left_out", "pass; return x") in changes("y = x + 1", "return x")

    @pytest.mark.parametrize("line", ["if {}: y = x", "y = x if {} else y", "while {}: y = x"])
    def test_that_asks_a_name_is_not_to_ask_another(self, line):
        """One that is always true would switch a wrong branch off, and seem to be enough."""
        others = {f"{line.format(name)}; return y" for name in ("x", "y", "dim")}

        assert not others & {new for _, new in changes(line.format("mask"), "return y")}

    def test_is_told_from_others_that_read_alike(self):
        """By how many of these stand before it in the line."""
        found = mends_of("def f(x, y):\n    return x + 2 * y - y / (2 * y)\n", [Stretch(1, 2)])
        numbers = [m for m in found if m.name == "2` in `2 * y" and not m.more]

        assert {m.before for m in numbers} == {0, 1}
        assert {m.before for m in numbers if m.text.endswith("(1 * y)\n")} == {1}
        assert {m.before for m in found if m.name == "x` in `x + 2 * y"} == {None}

    def test_counts_no_further_in_what_is_indexed(self):
        """One more is meant of an index."""
        found = {new for kind, new in changes("return x[dim]") if kind == "bound"}

        assert "return x[dim + 1]" in found and "return (x + 1)[dim]" not in found

    def test_exchanges_no_axis_with_itself(self):
        """That does nothing, and what is to be taken out would be told to be another axis."""
        found = {new for kind, new in changes("return x.transpose(-2, -1)") if kind == "axis"}

        assert "return x.transpose(-3, -1)" in found
        assert not found & {f"return x.transpose({n}, {n})" for n in (-2, -1, 0)}

    def test_is_changed_wherever_it_stands(self):
        """The same slip is often made twice."""
        wanted = "x = x - x.mean(dim=-1); return x / x.mean(dim=-1)"

        assert ("no_axis", wanted) in changes("x = x - x.mean()", "return x / x.mean()")

    def test_that_raised_comes_first_of_its_kind(self):
        """What raises a line may leave out is seldom what is meant: an axis further up is."""
        found = changes("y = x.sum(0)", "return y + x.sum(1)", first=[3])
        kinds = [kind for kind, _ in found]

        assert found[0] == ("axis_from_the_end", "y = x.sum(0); return y + x.sum(-1)")
        assert kinds == sorted(kinds, key=RANK.__getitem__)


def test_a_long_line_is_told_around_its_operator():
    """The beginning alone would not say which."""
    line = "return (x.unsqueeze(0) + x.unsqueeze(1) + x.unsqueeze(2)) * (y.unsqueeze(0) + mask)"
    text = f"def f(x, y, mask):\n    {line}\n"
    names = {m.name for m in mends_of(text, [Stretch(1, 2)]) if m.kind == "operator"}

    assert "*` in `…1) + x.unsqueeze(2)) * (y.unsqueeze(0) + ma…" in names


class TestAll:
    def test_are_one_change_each(self):
        text = "def f(x, y):\n    x = x.sum(0)\n    return x @ y\n"
        found = [mend.text for mend in mends_of(text, [Stretch(1, 3)])]

        assert len(set(found)) == len(found) > 30
        assert text not in found

    def test_are_of_known_kinds(self):
        assert {kind for kind, _ in changes("x = -x.sum(0)", "return x @ y[1:]")} < set(RANK)

    def test_leave_other_functions_alone(self):
        text = "def g(x):\n    return x\n\n\nclass A:\n    def f(self, x):\n        return x + 1\n"
        found = [mend.text for mend in mends_of(text, [Stretch(6, 7)])]

        assert found
        assert all(one.startswith(text[: text.index("    def f")]) for one in found)

    def test_count_lines_as_python_does(self):
        """Not as ``splitlines``, for which a form feed or U+2028 ends one."""
        text = "SEEN = '\u2028'\n\n\ndef f(x):\n    return x + 1\n"

        assert {mend.line for mend in mends_of(text, [Stretch(4, 5)])} == {5}

    def test_can_nearly_all_be_read(self):
        """Whatever stands beside what is changed, brackets are put where they are needed."""
        body = ("x = -(x + y) ** 2 / (x @ y - 1)", "return [x[1:, -1], (x, y)[0].sum(-1) or not y]")
        text = HEAD + "".join(f"    {line}\n" for line in body)

        for mend in mends_of(text, [Stretch(1, 3)]):
            ast.parse(mend.text)


class TestAHostileText:
    @pytest.mark.parametrize(
        "body",
        [
            "return " + "(" * 5000 + ")" * 5000,
            "return " + "(\n" * 90 + ")\n" * 90,
            "return " + "-" * 399 + "x",
            "return " + "\\\n".join(["not "] * 2000) + "x",
            "return x\n" * 500,
            "return )",
            "return '\0'",
            "return 1" + "0" * 350,
            "\N{ZERO WIDTH SPACE}",
            "return 'ä' + x",
        ],
    )
    def test_hurts_nobody(self, body):
        text = f"{HEAD}    {body}\n"
        last = len(text.splitlines())

        assert isinstance(mends_of(text, [Stretch(1, last)]), list)
