"""A bank holds whole programs: the page with a slip, or with something else in a place of it."""

from __future__ import annotations

import sys

import pytest

from grader.errors import SuiteError
from grader.programs.bank import load_bank
from grader.programs.page import load_by_path

PAGE = '''\
"""A page."""


def double(x):
    """Twice ``x``."""
    return x + x


class HalfNorm:
    def forward(self, x):
        return x / 2


def quadruple(x):
    return double(double(x))
'''
HEAD = "from grader.check import Bank, variant\n\nwrong = Bank()\n"


@pytest.fixture
def bank(tmp_path):
    """``bank(text)``: the entries of a bank with this text, over the page."""
    (tmp_path / "solutions").mkdir()
    page = tmp_path / "solutions" / "toy.py"
    page.write_text(PAGE)
    path = tmp_path / "misconceptions.py"

    def bank(text):
        path.write_text(HEAD + text)
        bank.reference = vars(load_by_path(page))
        return load_bank(path, page)

    return bank


class TestSlips:
    SQUARES = 'wrong("double", "squares", "one two", """You\n  square.""", "x + x", "x * x")\n'

    def test_are_the_whole_page(self, bank):
        """What calls the changed function calls the wrong one."""
        (entry,) = bank(self.SQUARES)
        names = entry.applied_to(bank.reference)

        assert names["quadruple"](3) == 81
        assert bank.reference["quadruple"](3) == 12

    def test_say_who_they_are_and_what_catches_them(self, bank):
        """The sentence on one line, the checks by their whole names."""
        (entry,) = bank(self.SQUARES)

        assert (entry.name, entry.sentence) == ("squares", "You square.")
        assert entry.caught_by == ("test_one", "test_two")

    def test_take_several_pairs_of_words(self, bank):
        """One slip after another."""
        (entry,) = bank('wrong("double", "n", "c", "S.", "x + x", "x * y", "(x)", "(x, y)")\n')

        assert entry.slips == (("x + x", "x * y"), ("(x)", "(x, y)"))

    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            ('"x - x", "1"', "after the beginning of double the page does not hold 'x - x'"),
            ('"return x / 2", "1", "return x / 2", "2"', "the page does not hold 'return x / 2'"),
        ],
    )
    def test_without_a_place_name_page_and_entry(self, bank, tmp_path, words, complaint):
        """Already when the bank is loaded, so that no table of slips is half made; the file too."""
        with pytest.raises(SuiteError) as caught:
            bank(f'wrong("double", "misplaced", "c", "S.", {words})\n')

        assert str(caught.value).startswith(f"{tmp_path.name}/misconceptions.py: toy, misplaced")
        assert complaint in str(caught.value)

    def test_that_leave_no_python_name_page_and_entry(self, bank):
        """When the program is made."""
        (entry,) = bank('wrong("double", "broken", "c", "S.", "x + x", "x +")\n')
        with pytest.raises(SuiteError, match=r"^toy, broken: invalid syntax \(<toy>, line 6\)$"):
            entry.applied_to(bank.reference)

    def test_that_leave_no_page_name_page_and_entry(self, bank):
        """Python it is, but it cannot be imported: said like any other slip of no use."""
        (entry,) = bank('wrong("HalfNorm", "broken", "c", "S.", "def quadruple", "x\\ndef four")\n')
        with pytest.raises(SuiteError, match=r"^toy, broken: "):
            entry.applied_to(bank.reference)


class TestReplacements:
    def test_stand_in_for_one_name(self, bank):
        """All other names are the reference's own, which is left as it was."""
        (entry,) = bank(
            '@wrong.instead_of("double", "c")\ndef triples(x):\n    """You triple."""\n'
            "    return 3 * x\n"
        )
        before = dict(bank.reference)
        names = entry.applied_to(bank.reference)

        assert names["double"](2) == 6
        assert names["HalfNorm"] is bank.reference["HalfNorm"]
        assert names.keys() == before.keys()
        assert bank.reference == before

    def test_are_named_after_what_they_are(self, bank):
        """A class by its words; the docstring is the sentence, and on one line."""
        (entry,) = bank(
            '@wrong.instead_of("HalfNorm", "one two")\nclass OnlyCentred:\n'
            '    """You centre,\n    and do not halve.\n    """\n'
        )

        assert (entry.name, entry.of) == ("only_centred", "HalfNorm")
        assert entry.sentence == "You centre, and do not halve."
        assert entry.caught_by == ("test_one", "test_two")

    def test_go_by_the_name_of_what_they_stand_in_for(self, bank):
        """A message that quotes a function's name tells nothing of the bank; a class keeps its."""
        function, made = bank(
            '@wrong.instead_of("double", "c")\ndef triples(x):\n    """You triple."""\n\n\n'
            '@wrong.instead_of("HalfNorm", "c")\nclass Other:\n    """You do not."""\n'
        )

        assert (function.name, function.program.__name__) == ("triples", "double")
        assert made.program.__name__ == "Other"

    def test_may_use_the_pages_of_the_course(self, bank):
        """By bare name, as the page itself does; nothing of it stays behind."""
        before = set(sys.modules)
        (entry,) = bank(
            "import toy\n\n\n"
            '@wrong.instead_of("double", "c")\ndef triples(x):\n    """You triple."""\n'
            "    return toy.double(x) + x\n"
        )

        assert entry.program(2) == 6
        assert set(sys.modules) - before == set()


class TestVariants:
    def test_have_no_sentence_and_are_caught_by_nothing(self, bank):
        """A right program is nobody's mistake."""
        (entry,) = bank('@variant(of="double")\ndef in_steps(x):\n    return 2 * x\n')

        assert (entry.name, entry.of) == ("in_steps", "double")
        assert (entry.sentence, entry.caught_by) == ("", ())
        assert entry.applied_to(bank.reference)["double"](4) == 8

    def test_may_stand_in_a_bank_of_misconceptions(self, bank):
        """Wrong ones are made from it, and it is an entry itself."""
        entries = bank(
            '@variant(of="double")\ndef in_steps(x, times=2):\n    return times * x\n\n\n'
            '@wrong.instead_of("double", "c")\ndef triples(x):\n    """You triple."""\n'
            "    return in_steps(x, 3)\n"
        )
        found = {entry.name: entry.applied_to(bank.reference)["double"](1) for entry in entries}

        assert found == {"in_steps": 2, "triples": 3}


class TestOrder:
    def test_is_that_of_the_file(self, bank):
        """Whether a misconception is a slip or is written anew."""
        entries = bank(
            'wrong("double", "squares", "c", "You square.", "x + x", "x * x")\n\n\n'
            '@wrong.instead_of("double", "c")\ndef triples(x):\n    """You triple."""\n\n\n'
            'wrong("double", "nothing", "c", "You do nothing.", "x + x", "x")\n'
        )

        assert [entry.name for entry in entries] == ["squares", "triples", "nothing"]

    def test_of_several_banks_is_that_of_the_file_too(self, bank):
        """A file may hold more than one."""
        entries = bank(
            'wrong("double", "squares", "c", "You square.", "x + x", "x * x")\nmore = Bank()\n'
            'more("double", "nothing", "c", "You do nothing.", "x + x", "x")\n'
        )

        assert [entry.name for entry in entries] == ["squares", "nothing"]

    def test_of_an_empty_bank_is_empty(self, bank):
        """A file without entries is no error."""
        assert bank("") == []
