"""Which texts of a class are nearly the same: copies are found, and independent ones are not."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import pytest

from grader.course.markers import without_markers
from grader.course.release import untouched
from grader.similarity import compared as compared_module
from grader.similarity.compared import FEWEST, PUBLISHED, SHARE, Given, compared

VARIANTS = Path(__file__).parents[1] / "variants"
LARGE = ["dropout", "attention", "multi_head_attention", "layer_norm", "positional_encoding"]


def given(course, name):
    solution = course.solution(name).read_text(encoding="utf-8")
    return Given(untouched(course, name), without_markers(solution))


def variants(name):
    """By function: the texts of the right answers that are written in other ways."""
    text = (VARIANTS / f"{name}.py").read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id="variant")) as mark]):
                of = mark.keywords[0].value.value
                found.setdefault(of, []).append(ast.get_source_segment(text, node))
    return found


def renamed(text):
    """Every name that the text gives a value to is another one."""
    names = {
        n.id
        for n in ast.walk(ast.parse(text))
        if isinstance(getattr(n, "ctx", None), ast.Store) and isinstance(n, ast.Name)
    }
    return re.sub(r"\w+", lambda m: f"my_{m[0]}" if m[0] in names else m[0], text)


def reordered(text):
    """The functions the other way round."""
    tree = ast.parse(text)
    parts = [ast.get_source_segment(text, node) for node in tree.body]
    places = [n for n, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)]
    swapped = dict(zip(places, reversed(places), strict=True))
    return "\n\n".join(parts[swapped.get(n, n)] for n in range(len(parts)))


def commented(text):
    """A comment after every line of a body."""
    return re.sub(r"(?m)^(    (?:return|\w+ = ).*[^,(\[]$)", r"\1  # as I see it", text)


def with_one_line_changed(text):
    """The last return gives something else."""
    before, returns, after = text.rpartition("return ")
    return f"{before}{returns}1.0 * {after}"


CHANGES = [
    renamed,
    reordered,
    commented,
    with_one_line_changed,
    lambda text: renamed(reordered(commented(text))),
]


class TestCopies:
    @pytest.mark.parametrize(
        "change", CHANGES, ids=["renamed", "reordered", "commented", "one line", "all"]
    )
    @pytest.mark.parametrize("name", ["softmax", "masks", "attention", "layer_norm"])
    def test_are_found_however_they_are_disguised(self, course, name, change):
        """Of our solution, and of each other."""
        everything = given(course, name)
        text = everything.published
        copies = compared([("ann", change(text))], everything)
        pairs = compared([("ann", text), ("ben", change(text))], Given(everything.stub)).pairs

        assert [(pair.left, pair.right) for pair in copies.pairs] == [("ann", PUBLISHED)]
        assert [(pair.left, pair.right) for pair in pairs] == [("ann", "ben")]
        assert min(pairs[0].left_share, pairs[0].right_share) > SHARE
        assert [group.submissions for group in copies.groups] == [("ann",)]

    def test_that_are_equal_to_the_letter_say_so(self, course):
        """And are one group with who copied a part of them."""
        text = given(course, "layer_norm").published
        half = with_one_line_changed(text)
        found = compared(
            [("ann", text), ("ben", text), ("eve", half)], Given(untouched(course, "layer_norm"))
        )

        assert [(pair.left, pair.right, pair.same) for pair in found.pairs] == [
            ("ann", "ben", True), ("ann", "eve", False), ("ben", "eve", False),
        ]  # fmt: skip
        assert [(group.submissions, group.same) for group in found.groups] == [
            (("ann", "ben", "eve"), False)
        ]

    def test_of_our_solution_are_not_paired_with_each_other(self, course):
        """That they are alike follows; they need not know each other."""
        everything = given(course, "attention")
        copies = [(str(n), f"{everything.published}\n# {n}\n") for n in range(5)]
        found = compared(copies, everything)

        assert {pair.right for pair in found.pairs} == {PUBLISHED}
        assert [group.like_published for group in found.groups] == [True]

    def test_are_found_where_most_of_a_class_copied(self, course):
        """Copies count once where it is asked what more than half of the class writes."""
        stub = Given(untouched(course, "attention"))
        others = variants("attention")["scaled_dot_product_attention"]
        class_ = [(f"own {n}", text) for n, text in enumerate(others)]
        class_ += [(f"copy {n}", f"{others[0]}# {n}\n") for n in range(3 * len(others))]
        (group, *_) = compared(class_, stub).groups

        assert {name for name, _ in class_ if name.startswith("copy")} < set(group.submissions)


class TestIndependent:
    @pytest.mark.parametrize("name", LARGE)
    def test_right_answers_are_not_claimed(self, course, name):
        """Nor as near our solution: these are written in other ways."""
        everything = given(course, name)
        for texts in variants(name).values():
            found = compared([(str(n), text) for n, text in enumerate(texts)], everything)

            assert found.pairs == ()

    def test_who_left_the_stub_as_it_was_has_copied_nobody(self, course):
        """Nor who wrote a line or two: it is counted instead."""
        stub = untouched(course, "softmax")
        begun = stub.replace(
            'raise NotImplementedError("softmax: replace this line")',
            "return x.exp() / x.exp().sum(dim, keepdim=True)",
            1,
        )
        found = compared(
            [("ann", stub), ("ben", stub), ("eve", begun), ("joe", begun)], given(course, "softmax")
        )

        assert (found.pairs, found.groups, found.too_small) == ((), (), 2)

    def test_what_most_of_a_class_writes_does_not_count(self, course):
        """As it was shown in the lecture; but in a small class it does."""
        shown = "\n".join(
            f"    x{n} = q.roll({n}).clamp(min=k.size({n})) + v.sum() ** {n}" for n in range(8)
        )
        rest = [
            f"def a{n}(q):\n    return [{'q.t(), ' * n} q.{'neg' * (n + 1)}(q), *q]\n"
            for n in range(12)
        ]
        texts = [
            (str(n), f"def f(q, k, v):\n{shown}\n    return x1\n\n\n{text}")
            for n, text in enumerate(rest)
        ]

        assert compared(texts, Given()).pairs == ()
        assert len(compared(texts[:3], Given()).pairs) == 3


def test_the_shares_are_of_either_side():
    """Who copied all of a small text into a large one holds a small part of it."""
    texts = variants("layer_norm")["layer_norm_backward"]
    small, large = texts[0], "\n".join(texts)
    (pair,) = compared([("small", small), ("large", large)], Given()).pairs

    assert pair.left_share > 0.9
    assert pair.right_share < SHARE


def test_how_far_copies_and_independent_answers_are_apart(monkeypatch):
    """The threshold lies between them, for all functions that are large enough."""
    monkeypatch.setattr(compared_module, "SHARE", 0.0)
    independent, copied = [0.0], []
    for name in LARGE:
        for texts in variants(name).values():
            for one, other in itertools.combinations(texts, 2):
                independent += nearest(one, other)
            copied += [
                share
                for text in texts
                for share in nearest(text, with_one_line_changed(renamed(text)))
            ]

    assert max(independent) < SHARE < min(copied)


def nearest(one, other):
    """The larger share of two texts; nothing where they are small, or share too little."""
    pairs = compared([("one", one), ("other", other)], Given()).pairs
    return [max(pair.left_share, pair.right_share) for pair in pairs if pair.shared >= FEWEST]


class TestManyAndLarge:
    def test_only_the_beginning_of_a_long_text_is_compared(self):
        """And whose it is, is told."""
        found = compared([("ann", "x = y.exp() + 1\n" * 70_000), ("ben", "x = 1\n")], Given())

        assert found.cut == ("ann",)

    def test_pairs_are_bounded_and_groups_are_not(self, course):
        """Thirty with one text make 435 pairs."""
        text = given(course, "layer_norm").published
        found = compared(
            [(str(n), text) for n in range(30)], Given(untouched(course, "layer_norm"))
        )

        assert (len(found.pairs), found.left_out) == (200, 235)
        assert len(found.groups[0].submissions) == 30
