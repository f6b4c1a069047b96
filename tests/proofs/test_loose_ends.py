"""Nothing that leads nowhere is seen in a function that is right."""

from __future__ import annotations

import ast
import re

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import without_markers
from grader.examiner.loose_ends import loose_ends
from grader.examiner.surroundings import Surroundings
from grader.programs.bank import Slip, load_bank

COURSE = find_course()
CATALOG = load_catalog(COURSE)
VARIANTS = COURSE.root / "tests" / "variants"


def right_texts(name):
    """Of the solution and of every variant: who it is, its text, the function or class in it."""
    path, solution = VARIANTS / f"{name}.py", COURSE.solution(name)
    texts = {"solution": solution.read_text(encoding="utf-8")}
    bank = load_bank(path, solution)
    texts |= {entry.name: entry.text for entry in bank if isinstance(entry, Slip)}
    for who, text in texts.items():
        yield from ((who, without_markers(text), of) for _, of in defined(text))
    replaced = {entry.name: entry.of for entry in bank if not isinstance(entry, Slip)}
    text = path.read_text(encoding="utf-8")
    for node, own in defined(text):
        if of := replaced.get(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", own).lower()):
            segment = ast.get_source_segment(text, node)
            yield own, re.sub(rf"\b(def|class) {own}\b", rf"\1 {of}", segment, count=1), of


def defined(text):
    """The functions and classes at the top of a file, with their names."""
    kinds = ast.FunctionDef | ast.ClassDef
    return [(node, node.name) for node in ast.parse(text).body if isinstance(node, kinds)]


@pytest.mark.parametrize("name", CATALOG)
def test_nothing_is_seen_in_what_is_right(name):
    """However it is written; ``is`` between names is told as what it is, and may be meant."""
    seen = [
        (who, end)
        for who, text, of in right_texts(name)
        for end in loose_ends(Surroundings(COURSE, {name: text}, name), of, None)
        if end["kind"] != "identity"
    ]

    assert seen == []


def test_variants_of_every_kind_are_looked_at():
    """The solution, pages with another line, functions and classes in the place of ours."""
    looked_at = {who for who, _, _ in right_texts("layer_norm")}

    assert {"solution", "WithAShape", "rms_checked_and_printed"} <= looked_at
