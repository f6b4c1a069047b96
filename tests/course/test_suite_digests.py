"""Which suite gave a mark: every exercise has a digest of its own."""

from __future__ import annotations

import pytest

from grader.course.course import find_course
from grader.course.suite_digests import suite_digests
from grader.errors import CatalogError
from grader.programs.page import load_by_path

TOWER = {
    "solutions/tower.py": "from toy import double\n\n\ndef quadruple(x):\n    return double(x)\n",
    "grader/suites/tower/test_tower.py": "def test_it(submission):\n    '''It is.'''\n",
    "grader/suites/tower/misconceptions.py": "from alone import one\n",
    "solutions/alone.py": "one = 1\n",
    "grader/suites/alone/test_alone.py": "def test_it(submission):\n    '''It is.'''\n",
    "grader/suites/alone/parts/truth.py": "two = 2\n",
}


@pytest.fixture
def towers(toy):
    """The toy course with two more: ``tower`` is built on ``toy``, its bank asks ``alone``."""
    for name, text in TOWER.items():
        (toy.root / name).parent.mkdir(parents=True, exist_ok=True)
        (toy.root / name).write_text(text)
    entry = '\n[{}]\ntitle = "A tower"\nsource = "nowhere"\nhints = ["Twice."]\n'
    with toy.catalog.open("a") as file:
        file.writelines(entry.format(name) for name in ("tower", "alone"))
    return toy


def changed(course, change):
    """The exercises whose digest is another one after ``change()``."""
    before = suite_digests(course)
    change()
    after = suite_digests(course)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


class TestTheDigest:
    @pytest.mark.parametrize(
        ("path", "exercises"),
        [
            ("grader/suites/toy/test_toy.py", {"toy"}),
            ("grader/suites/toy/misconceptions.py", {"toy"}),
            ("solutions/toy.py", {"toy", "tower"}),
            ("grader/suites/tower/test_tower.py", {"tower"}),
            ("solutions/tower.py", {"tower"}),
            ("solutions/alone.py", {"alone", "tower"}),
            ("grader/suites/alone/parts/truth.py", {"alone"}),
        ],
    )
    def test_changes_with_what_its_marks_come_from(self, towers, path, exercises):
        """Suite, bank and solution, and the solutions that these import: of no other exercise."""
        place = towers.root / path

        assert changed(towers, lambda: place.write_text(place.read_text() + "\n")) == exercises

    @pytest.mark.parametrize(
        ("path", "exercises"),
        [
            ("grader/suites/toy/misconceptions.py", {"toy", "alone"}),
            ("solutions/toy.py", {"toy", "tower", "alone"}),
            ("grader/suites/toy/test_toy.py", {"toy"}),
        ],
    )
    def test_follows_the_banks_that_a_suite_says_it_reads(self, towers, path, exercises):
        """And the pages of which their entries are slips; no more of that suite."""
        (towers.suite("alone").parent / "kinds.py").write_text('READS_BANKS_OF = ("toy",)\n')
        place = towers.root / path

        assert changed(towers, lambda: place.write_text(place.read_text() + "\n")) == exercises

    @pytest.mark.parametrize(
        ("said", "why"), [('("alone",)', "has none"), ("NAMES", "names of exercises themselves")]
    )
    def test_refuses_what_it_cannot_read(self, towers, said, why):
        """A bank that is not there, and names that only a run would tell."""
        (towers.suite("toy").parent / "kinds.py").write_text(f"READS_BANKS_OF = {said}\n")

        with pytest.raises(CatalogError, match=why):
            suite_digests(towers)

    def test_follows_the_banks_of_write_the_tests(self):
        """All banks that its programs open are named."""
        course = find_course()
        kinds = load_by_path(course.suite("write_the_tests").with_name("kinds.py"))

        assert {exercise for exercise, _ in kinds.EXERCISES.values()} == set(kinds.READS_BANKS_OF)

    @pytest.mark.parametrize("key", ["forbids", "welcomes", "dtypes"])
    def test_changes_with_what_the_catalog_allows(self, towers, key):
        """Marks depend on it."""
        text = towers.catalog.read_text()
        other = text.replace("[toy]\n", f'[toy]\n{key} = ["float64"]\n')

        assert changed(towers, lambda: towers.catalog.write_text(other)) == {"toy"}

    def test_changes_with_a_name(self, towers):
        """The same text in another place is another suite."""
        path = towers.suite("toy")

        assert changed(towers, lambda: path.rename(path.with_name("test_tay.py"))) == {"toy"}

    @pytest.mark.parametrize(
        "path",
        [
            "exercises/toy.py",
            "grader/suites/toy/predictions.py",
            "grader/suites/toy/notes.txt",
            "grader/suites/toy/equivalent.toml",
            "grader/suites/conftest.py",
        ],
    )
    def test_stays_otherwise(self, towers, path):
        """What is generated, no program, or for plain pytest alone decides no mark."""
        assert changed(towers, lambda: (towers.root / path).write_text("mine = 1\n")) == set()

    def test_stays_where_words_of_the_catalog_change(self, towers):
        """A better hint moves no mark, and asks nothing else."""
        other = towers.catalog.read_text().replace("Twice x is x + x.", "Add x to itself.")

        assert changed(towers, lambda: towers.catalog.write_text(other)) == set()
