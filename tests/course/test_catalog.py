"""The catalog is read in teaching order, and every slip in it is said in words."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog, select, top_level_names
from grader.errors import CatalogError
from grader.model import Hint
from grader.spelling import did_you_mean

ENTRY = 'title = "{0}"\nsource = "nowhere"\nhints = ["Think."]\n'


@pytest.fixture
def catalog(toy):
    """``catalog("[a] ...", ...)`` reads a catalog of this text, whose solutions all exist."""

    def catalog(*sections):
        toy.catalog.write_text("\n".join(sections))
        for name in "abc":
            toy.solution(name).write_text(f"def {name}(): pass\n")
        return load_catalog(toy)

    return catalog


def section(name, extra=""):
    return f"[{name}]\n{ENTRY.format(name)}{extra}\n"


class TestReading:
    def test_keeps_the_order_of_the_file(self, catalog):
        """Teaching order is the order in which the file names the exercises."""
        exercises = catalog(section("b"), section("c"), section("a", 'needs = ["c"]'))

        assert list(exercises) == ["b", "c", "a"]
        assert exercises["a"].needs == ("c",)

    def test_gives_whole_records(self, catalog):
        """Everything the file says is in the record, and the names come from the solution."""
        text = section("a", 'forbids = ["torch.softmax"]\nwelcomes = ["torch.exp"]')
        exercise = catalog(text)["a"]

        assert (exercise.name, exercise.title, exercise.source) == ("a", "a", "nowhere")
        assert (exercise.names, exercise.hints) == (("a",), (Hint("Think.", ("a",)),))
        assert (exercise.needs, exercise.forbids) == ((), ("torch.softmax",))
        assert exercise.welcomes == ("torch.exp",)

    def test_gives_what_an_exercise_takes(self, catalog):
        """Level, minutes and sittings are numbers; where nothing is said, one sitting is enough."""
        told = 'level = 2\nminutes = 40\nsittings = 3\nbefore = ["sums"]\nafterwards = ["add"]'
        exercises = catalog(section("a", told), section("b"))
        said, silent = exercises["a"], exercises["b"]

        assert (said.level, said.minutes, said.sittings) == (2, 40, 3)
        assert (said.before, said.afterwards) == (("sums",), ("add",))
        assert (silent.level, silent.minutes, silent.sittings) == (0, 0, 1)

    def test_gives_hints_to_whom_they_belong(self, catalog):
        """A table says of which functions; a bare sentence is of a page's only one, or of all."""
        table = '{ of = ["a"], says = "Look." }'
        one = catalog(section("a").replace('"Think."', f'"Think.", {table}'))["a"]

        assert one.hints == (Hint("Think.", ("a",)), Hint("Look.", ("a",)))
        assert (one.hint_of("a"), one.hint_of("b"), one.hint_of("")) == ("Think.", "", "")

    def test_of_this_course_succeeds(self, course):
        """The catalog of this very checkout has no slip, and begins with softmax."""
        exercises = load_catalog(course)

        assert next(iter(exercises)) == "softmax"
        assert "log_softmax" in exercises["softmax"].names

    def test_of_this_course_says_what_each_exercise_takes_and_gives(self, course):
        """A learner knows beforehand how hard and how long, and what for."""
        silent = [
            e.name
            for e in load_catalog(course).values()
            if not (e.level and e.minutes and e.afterwards)
        ]

        assert silent == []


class TestSlips:
    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (section("a", 'hint = ["x"]'), "'a' has the unknown key 'hint'. Did you mean 'hints'?"),
            (
                section("a", 'forbids = ["torch.exp"]\nwelcomes = ["torch.exp"]'),
                "'a' both forbids and welcomes 'torch.exp'.",
            ),
            (
                section("a").replace('"Think."', '{ of = ["aa"], says = "x" }'),
                "a hint of 'a' is of 'aa', which its page does not define. Did you mean 'a'?",
            ),
            (
                section("a").replace('"Think."', '{ for = ["a"], says = "x" }'),
                "a hint of 'a' must be a sentence, or a table such as",
            ),
            (section("a", "points = 3"), "'points' of 'a' must be of type dict, not int."),
            (section("a", "points = { test_x = -1 }"), "'test_x' of 'a' must be worth a number"),
            (section("a", "level = 6"), "'level' of 'a' must be a number, from 1 to 5, not 6."),
            (section("a", "minutes = 0"), "'minutes' of 'a' must be a number, 1 or more, not 0."),
            (section("a", "sittings = 0"), "'sittings' of 'a' must be a number, 1 or more, not 0."),
            (section("a", 'level = "2"'), "'level' of 'a' must be of type int, not str."),
            (section("a", "needs = 3"), "'needs' of 'a' must be of type list, not int."),
            (section("a").replace('["Think."]', '"Think."'), "'hints' of 'a' must be of type list"),
            (
                section("a").replace('title = "a"', "title = 1"),
                "'title' of 'a' must be of type str",
            ),
            (section("a").replace('title = "a"', ""), "'a' lacks 'title'. Add it."),
            (section("a", 'needs = ["softmx"]') + section("softmax"), "has no file solutions/"),
            (section("a", 'needs = ["bb"]') + section("b"), "which is not an exercise. Did you"),
            (section("a", 'needs = ["zebra"]'), "'a' needs 'zebra', which is not an exercise."),
            (section("a", 'needs = ["b"]') + section("b"), "'b', which must come before it."),
            (section("a", 'needs = ["a"]'), "'a' needs 'a', which must come before it."),
            (section("nothing_here"), "'nothing_here' has no file solutions/nothing_here.py"),
            ("a = 1", "'a' must be a table: write [a] above it."),
            ("[a\ntitle = 1", "is not TOML"),
        ],
    )
    def test_are_said_in_words(self, catalog, text, complaint):
        """What was found, what was expected, and what to do."""
        with pytest.raises(CatalogError) as caught:
            catalog(text)

        assert complaint in str(caught.value)
        assert str(caught.value).startswith("catalog.toml")


class TestSelecting:
    def test_gives_teaching_order(self, catalog):
        """Whatever order the names are given in, each comes once and in the course's order."""
        exercises = catalog(section("a"), section("b"), section("c"))
        chosen = select(exercises, ["c", "a", "c"])

        assert [e.name for e in chosen] == ["a", "c"]

    def test_gives_all_when_none_is_named(self, catalog):
        """No name means the whole course."""
        exercises = catalog(section("a"), section("b"))
        chosen = select(exercises, [])

        assert [e.name for e in chosen] == ["a", "b"]

    def test_refuses_unknown_names(self, toy):
        """A typing error is answered with the name that was probably meant."""
        with pytest.raises(CatalogError, match=r"'tay' is not an exercise\. Did you mean 'toy'\?"):
            select(load_catalog(toy), ["toy", "tay"])


def test_far_misses_are_not_guessed():
    """A guess is made only when it is a good one."""
    assert did_you_mean("sofmax", ["softmax", "masks"]) == " Did you mean 'softmax'?"
    assert did_you_mean("zebra", ["softmax", "masks"]) == ""


def test_names_are_those_a_student_defines():
    """Public functions and classes at the top level, and nothing below or imported."""
    source = "import math\nX = 1\ndef f():\n  def g(): pass\nclass C:\n  def h(self): pass"

    assert top_level_names(source + "\ndef _private(): pass\n") == ("f", "C")


class TestASolution:
    def test_that_is_not_python_is_said(self, toy):
        """With its line, to whoever has just saved it."""
        with toy.solution("toy").open("a") as page:
            page.write("def f(:\n")

        with pytest.raises(CatalogError, match=r"solutions/toy\.py, line 9, is not Python"):
            load_catalog(toy)
