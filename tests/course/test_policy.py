"""What of torch an exercise forbids and welcomes is said on its page as the catalog has it."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.policy import policy_of, policy_on
from grader.model import Exercise

COURSE = find_course()
CATALOG = load_catalog(COURSE)


def exercise(forbids=(), welcomes=()):
    return Exercise("a", "A", "nowhere", ("a",), forbids=forbids, welcomes=welcomes)


@pytest.fixture
def page(tmp_path):
    """``page(text)`` is the path of a page with this text at its top."""

    def page(text):
        path = tmp_path / "a.py"
        path.write_text(f'"""A page.\n\n{text}\n"""\n')
        return path

    return page


class TestSentences:
    @pytest.mark.parametrize(
        ("forbids", "welcomes", "sentences"),
        [
            ((), (), []),
            (
                ("F.gelu",),
                (),
                ["Write it yourself: ``F.gelu`` is not available here, under any name."],
            ),
            (
                ("F.gelu", "F.silu"),
                (),
                [
                    "Write it yourself: ``F.gelu`` and ``F.silu`` are not available here, "
                    "under any name."
                ],
            ),
            ((), ("a.b", "c", "d"), ["``a.b``, ``c`` and ``d`` are welcome here."]),
        ],
    )
    def test_name_everything(self, forbids, welcomes, sentences):
        """One about what is forbidden, one about what is welcome, in the catalog's order."""
        assert policy_of(exercise(forbids, welcomes)) == sentences

    @pytest.mark.parametrize("names", [("a",), ("a", "b.c"), ("a", "b", "F.d_e")])
    def test_are_found_on_a_page_however_its_lines_break(self, page, names):
        """A page is wrapped at 99 columns; the sentence is the same."""
        sentences = policy_of(exercise(names, names))
        text = "Before.\n" + " ".join(sentences).replace(" ", "\n") + "\nAfter."

        assert policy_on(page(text)) == sentences

    def test_are_found_nowhere_else(self, page):
        """Other words about torch are no policy."""
        assert policy_on(page("``torch.exp`` is welcome anywhere. Write it yourself.")) == []


@pytest.mark.parametrize("name", CATALOG)
def test_page_and_catalog_agree(name):
    """Neither forbids nor welcomes what the other does not; the stub is given the same page."""
    policy = policy_of(CATALOG[name])

    assert policy_on(COURSE.solution(name)) == policy
    assert policy_on(COURSE.stub(name)) == policy
