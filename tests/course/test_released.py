"""What a released folder says of itself can be read again."""

from __future__ import annotations

import tomllib

from grader.course.released import Facts, as_toml, read_facts, write_facts


def test_facts_come_back(tmp_path):
    """With every character of a title."""
    counts = {"a": 1}, {"a": 2.5}, {"a": 0}, {"a": "5e"}
    title = 'Sheet "1" \N{GRINNING FACE}\x7f\n'
    facts = Facts(title, "1", "2", *counts, ("a",), "2026-11-20T23:59:00+01:00")
    write_facts(tmp_path, facts)

    assert read_facts(tmp_path) == facts


def test_tables_in_lists_come_back():
    """As hints of a catalog are, which say of what they are."""
    form = {"name": "x", "toy": {"hints": ["one", {"of": ["f"], "says": "two"}], "needs": []}}

    assert tomllib.loads(as_toml(form)) == form
