"""What a released folder says of itself can be read again."""

from __future__ import annotations

import tomllib

import pytest

from grader.course.released import Facts, as_toml, read_facts, write_facts
from grader.errors import CourseNotFound, OtherForm


def test_facts_come_back(tmp_path):
    """With every character of a title."""
    counts = {"a": 1}, {"a": 2.5}, {"a": 0}, {"a": "5e"}
    title = 'Sheet "1" \N{GRINNING FACE}\x7f\n'
    facts = Facts(title, "1", "2", *counts, ("a",), "2026-11-20T23:59:00+01:00")
    write_facts(tmp_path, facts)

    assert read_facts(tmp_path) == facts


@pytest.mark.parametrize("further", ["", "form = 99\nunheard_of = 1\n"])
def test_what_another_version_wrote_must_be_released_anew(tmp_path, further):
    """It says which version that was, whatever else stands there; an older one names no form."""
    (tmp_path / "release.toml").write_text(f'title = "x"\ngrader = "0.0.9"\n{further}')

    with pytest.raises(OtherForm, match=r"(?s)released by grader 0\.0\.9.* released anew"):
        read_facts(tmp_path)


def test_a_file_that_is_cut_off_is_unpacked_again(tmp_path):
    """Which is another fault, with another way out."""
    (tmp_path / "release.toml").write_text('title = "x')

    with pytest.raises(CourseNotFound, match="unpack what you were given once more"):
        read_facts(tmp_path)


def test_tables_in_lists_come_back():
    """As hints of a catalog are, which say of what they are."""
    form = {"name": "x", "toy": {"hints": ["one", {"of": ["f"], "says": "two"}], "needs": []}}

    assert tomllib.loads(as_toml(form)) == form
