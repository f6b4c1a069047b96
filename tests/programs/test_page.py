"""A page is read by path, becomes a program, and becomes a wrong one by a slip in its text."""

from __future__ import annotations

import os
import sys
import time
import types

import pytest

from grader.errors import SuiteError
from grader.programs.page import Page, load_by_path

TEXT = '''\
"""x + x is said here, and in nobody's body."""


def double_all(xs):
    return [x + x for x in xs]


def double(x):
    y = x + x
    return y + 0 * (x + x)


class Even:
    def forward(self, x):
        return x + x


class Odd:
    def reset(self):
        return 0

    def forward(self, x):
        return x + x
'''


@pytest.fixture
def page(tmp_path):
    (tmp_path / "toy.py").write_text(TEXT)
    return Page(tmp_path / "toy.py")


def changed(page, of, *slips):
    """The lines that differ, by number."""
    pairs = zip(TEXT.split("\n"), page.with_slips(of, slips).split("\n"), strict=True)
    return {n: new for n, (old, new) in enumerate(pairs, start=1) if new != old}


class TestSlips:
    @pytest.mark.parametrize(
        ("of", "line"),
        [("double_all", 5), ("double", 9), ("Even", 15), ("Even.forward", 15), ("Odd.forward", 23)],
    )
    def test_are_made_in_the_first_place_after_the_beginning(self, page, of, line):
        """Of a function, a class or a method; neither above it nor in a name that begins alike."""
        assert list(changed(page, of, ("x + x", "x * x"))) == [line]

    def test_may_be_made_in_what_follows(self, page):
        """Where it begins is said, and not where it ends: a slip may lie in a later method."""
        assert list(changed(page, "Odd.reset", ("x + x", "x * x"))) == [23]

    def test_may_be_several(self, page):
        """One after another, each from the beginning again."""
        assert changed(page, "double", ("x + x", "x * x"), ("x + x", "1")) == {
            9: "    y = x * x",
            10: "    return y + 0 * (1)",
        }

    def test_may_be_made_in_one_another(self, page):
        """The second finds what the first has written."""
        assert changed(page, "double", ("x + x", "a - b"), ("a - b", "x")) == {9: "    y = x"}

    def test_leave_the_page_itself_alone(self, page):
        """The next slip is made in the right page again."""
        page.with_slips("double", [("x + x", "1")])

        assert page.text == TEXT
        assert list(changed(page, "double", ("x + x", "1"))) == [9]

    @pytest.mark.parametrize(
        ("of", "old", "complaint"),
        [
            ("double", "x - x", r"after the beginning of double the page does not hold 'x - x'"),
            ("Odd", "y = x", r"after the beginning of Odd the page does not hold"),
            ("double", "", r"does not hold ''"),
            ("doubl", "x + x", "the page defines no doubl"),
            ("forward", "x + x", "the page defines no forward"),
            ("Odd.backward", "x + x", "the page defines no Odd.backward"),
            ("x", "x + x", "the page defines no x"),
        ],
    )
    def test_without_a_place_are_refused(self, page, of, old, complaint):
        """Whatever is not found is named."""
        with pytest.raises(SuiteError, match=complaint):
            page.with_slips(of, [(old, "1")])

    def test_are_not_made_in_the_method_of_another_class(self, page):
        """``Even`` has no ``reset``; that ``Odd`` below has one is no reason to change it."""
        with pytest.raises(SuiteError, match=r"the page defines no Even\.reset"):
            page.with_slips("Even.reset", [("return 0", "return 1")])


class TestPrograms:
    def test_are_the_names_that_a_text_defines(self, page):
        """Of this text, and not of the file."""
        names = page.program("def double(x):\n    return 7\n")

        assert names["double"](1) == 7
        assert names["__name__"] == "toy"
        assert "Even" not in names

    def test_say_which_page_is_wrong(self, page):
        """A traceback names the page by its name, and no file."""
        names = page.program("def double(x):\n    return 1 / 0\n")
        with pytest.raises(ZeroDivisionError) as caught:
            names["double"](1)

        assert caught.tb.tb_next.tb_frame.f_code.co_filename == "<toy>"


COUNTED = """\
import builtins

builtins.imported_neighbours.append(__name__)


def one():
    return 1
"""
IMPORTING = "from neighbour import one\n\n\ndef two():\n    return one() + one()\n"


class TestNeighbours:
    @pytest.fixture
    def imported(self, monkeypatch):
        """The neighbours that were executed, in their order."""
        found = []
        monkeypatch.setattr("builtins.imported_neighbours", found, raising=False)
        return found

    @pytest.fixture
    def page(self, tmp_path, imported):
        (tmp_path / "neighbour.py").write_text(COUNTED)
        (tmp_path / "toy.py").write_text(IMPORTING)
        return Page(tmp_path / "toy.py")

    def test_are_imported_once(self, page, imported):
        """However many programs are made of a page."""
        programs = [page.program(page.text) for _ in range(3)]

        assert [names["two"]() for names in programs] == [2, 2, 2]
        assert imported == ["neighbour"]
        assert programs[0]["one"] is programs[2]["one"]

    def test_leave_no_trace(self, page):
        """Neither a module nor a folder to import from stays behind."""
        path, modules = list(sys.path), set(sys.modules)
        page.program(page.text)
        load_by_path(page.path)

        assert sys.path == path
        assert set(sys.modules) - modules == set()

    def test_leave_no_trace_of_a_page_that_cannot_be_imported(self, page):
        """Not even after an error."""
        path, modules = list(sys.path), set(sys.modules)
        with pytest.raises(ZeroDivisionError):
            page.program(page.text + "\n\n1 / 0\n")

        assert sys.path == path
        assert set(sys.modules) - modules == set()

    def test_come_before_what_is_loaded_already(self, page, monkeypatch):
        """A module of the same name from elsewhere is put aside, and put back."""
        other = types.ModuleType("neighbour")
        monkeypatch.setitem(sys.modules, "neighbour", other)

        assert page.program(page.text)["two"]() == 2
        assert load_by_path(page.path).two() == 2
        assert sys.modules["neighbour"] is other


class TestLoading:
    def test_of_a_file_that_is_not_there_is_refused(self, tmp_path):
        """By its folder and name."""
        with pytest.raises(SuiteError, match=r"^there is no solutions/toy\.py$"):
            load_by_path(tmp_path / "solutions" / "toy.py")

    def test_is_done_anew_every_time(self, tmp_path):
        """What changed meanwhile is seen, and two that loaded it share nothing."""
        path = tmp_path / "toy.py"
        path.write_text("x = [1]\n")
        first = load_by_path(path)
        path.write_text("x = [1, 2]\n")
        second = load_by_path(path)

        assert (first.x, second.x) == ([1], [1, 2])

    def test_takes_no_text_for_another_that_is_as_long(self, tmp_path):
        """Written within the same second, and loaded at once."""
        page = tmp_path / "page.py"
        found = []
        for text in ("x = 1", "x = 2"):
            page.write_text(text)
            os.utime(page, ns=(when := time.time_ns() // 10**9 * 10**9, when))
            found.append(load_by_path(page).x)

        assert found == [1, 2]

    def test_looks_for_neighbours_where_it_is_told(self, tmp_path):
        """A bank imports the pages of the course, and not what lies beside it."""
        for folder, value in (("own", 1), ("pages", 2)):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "neighbour.py").write_text(f"def one():\n    return {value}\n")
        path = tmp_path / "own" / "bank.py"
        path.write_text(IMPORTING)

        assert load_by_path(path).two() == 2
        assert load_by_path(path, tmp_path / "pages").two() == 4


class TestWhatCannotBeImported:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("x = 1\nx = \n", "pages/toy.py cannot be imported: line 2: invalid syntax."),
            ("\nimport nowhere_at_all\n", "line 2: ModuleNotFoundError: No module named"),
            ("def f():\n    return {}[1]\n\nf()\n", "line 2: KeyError: 1"),
        ],
    )
    def test_is_said_with_its_line(self, tmp_path, text, said):
        """Whoever wrote the file is told where, and sees no traceback of ours."""
        page = tmp_path / "pages" / "toy.py"
        page.parent.mkdir()
        page.write_text(text)

        with pytest.raises(SuiteError) as caught:
            load_by_path(page)
        assert said in str(caught.value)
