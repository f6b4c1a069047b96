"""A page names its figures in words, and each is drawn; the files are generated of both."""

from __future__ import annotations

import pytest

from grader.course.figures import drawn_figures, figure_in, figures_of, figures_there
from grader.course.release import generated_files, stale_files, write_stubs
from grader.errors import MarkerError

NAMED = '"""A toy.\n\n[Figure twice: a bar, and\none twice as long.]\n"""\n'
DRAWS = """
from grader.figures import Figure


def twice():
    figure = Figure(20)
    figure.bar(0, 0, 10, 5, "a")
    return figure


FIGURES = {"twice": twice}
"""


@pytest.fixture
def drawn(toy):
    """The toy's page names a figure, and draws it."""
    page = toy.solution("toy")
    page.write_text(page.read_text().replace('"""A toy."""\n', NAMED))
    toy.drawings("toy").parent.mkdir()
    toy.drawings("toy").write_text(DRAWS)
    return toy


class TestNames:
    def test_are_read_with_their_words(self):
        """A paragraph of its own, in any docstring of a page."""
        page = f'{NAMED}\n\ndef f():\n    """Do.\n\n    [Figure two: b.]\n    """\n'

        assert figures_of(page) == {"twice": "a bar, and one twice as long.", "two": "b."}

    @pytest.mark.parametrize("text", ["See [Figure a: b.]", "[Figures: none]", "Figure a: b."])
    def test_stand_alone(self, text):
        """Nothing else is taken for a figure."""
        assert figure_in(text) is None


class TestFiles:
    def test_are_generated_with_the_stub(self, drawn):
        """The words are the alternative text; a figure that nobody names any more is removed."""
        write_stubs(drawn)
        path = drawn.figure("toy", "twice")
        old = path.with_name("toy_old.svg")
        old.write_text("")

        assert "<title>a bar, and one twice as long.</title>" in path.read_text()
        assert figures_there(drawn, "toy") == {"twice": path.read_text()}
        assert generated_files(drawn)[path] == path.read_text()
        assert stale_files(drawn) == [old]

    def test_are_only_of_the_course_itself(self, drawn, tmp_path):
        """Those of a course that it extends lie there."""
        other = type(drawn)(tmp_path / "other")
        other.catalog.parent.mkdir(parents=True)
        other.catalog.write_text(f'extends = "{drawn.root}"\n')

        assert not [path for path in generated_files(other) if path.suffix == ".svg"]
        assert other.figure("toy", "twice") == drawn.figure("toy", "twice")

    @pytest.mark.parametrize(
        ("old", "new"), [("[Figure twice", "[Picture twice"), ("twice:", "one:")]
    )
    def test_must_be_named_and_drawn(self, drawn, old, new):
        """A figure without words, or words without a figure, is an author's slip."""
        page = drawn.solution("toy")
        page.write_text(page.read_text().replace(old, new))

        with pytest.raises(MarkerError, match=r"toy.py names the figures .* draws \['twice'\]"):
            drawn_figures(drawn, "toy")
