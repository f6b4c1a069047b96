"""The engine knows no exercise by name: a course of any other subject is served as this one is.

Docstrings and comments may take their examples from this course, for they do nothing.
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from pathlib import Path

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.course.course import find_course

COURSE = find_course()
ENGINE = COURSE.root / "grader"
EXERCISES = set(load_catalog(COURSE))
TEXTS = {".py", ".html", ".jinja", ".md", ".toml", ".css", ".js", ".mako"}
CALLED_ALIKE = {"grader.sandbox.decoder", "grader.sandbox.encoder"}  # modules of the engine

# Where the engine says such a name, and whose it is there.
ALLOWED = {
    ("__init__.py", COURSE.about.name): "what `pip install` calls the engine",
    ("programs/dropped.py", "heads"): "an axis of weights",
    ("programs/mends/calls.py", "softmax"): "torch's function",
    ("programs/mends/expressions.py", "softmax"): "torch's function",
    ("programs/mends/nested.py", "softmax"): "torch's function",
    ("examiner/surroundings.py", "softmax"): "torch's function",
    ("sandbox/encoder.py", "Encoder"): "makes bytes of values",
    ("sandbox/forbidden.py", "multi_head_attention"): "torch's, with _forward behind it",
    ("sandbox/forbidden.py", "softmax"): "torch's operation",
}


def torchs_own(name):
    """What torch or Python calls so, whoever else does."""
    places = (
        torch,
        torch.nn,
        torch.nn.functional,
        torch.optim,
        torch.Tensor,
        torch.nn.Module,
        builtins,
    )
    return any(hasattr(place, name) for place in places)


def defined_on_the_pages():
    """The functions and classes of the course that torch has not."""
    for exercise in EXERCISES:
        for node in ast.parse(COURSE.solution(exercise).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not torchs_own(node.name):
                yield node.name


OURS = EXERCISES | set(defined_on_the_pages()) | {COURSE.about.name}


def is_compound(name):
    """Of several words, so that it is no word of a sentence: not `heads`, but `split_heads`."""
    return re.search(r"\w[_-]\w|[a-z][A-Z]", name) is not None


def named_in(text):
    """Names of ours in a text: compound ones as words of it, any one if it is the whole text."""
    words = set(re.findall(r"\w+(?:-\w+)*", text))
    return {name for name in words & OURS if is_compound(name)} | ({text} & OURS)


def named_by(tree):
    """Names of ours in code: its literals, but no docstrings, and its identifiers."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found |= named_in(node.value)
        names = {getattr(node, field, None) for field in ("id", "attr", "arg", "name", "module")}
        found |= {name for name in names & OURS if is_compound(name)}
    return found


@cache
def engine():
    """The text of each of its files, by its path; suites and what lies beside them are a course."""
    paths = (path for path in ENGINE.rglob("*") if path.suffix in TEXTS)
    inside = {path.relative_to(ENGINE): path for path in paths}
    return {
        where.as_posix(): path.read_text(encoding="utf-8")
        for where, path in inside.items()
        if where.parts[0] != "suites"
    }


def all_named():
    """``(file, name)`` of every name of ours in the engine."""
    for path, text in engine().items():
        found = named_by(ast.parse(text)) if path.endswith(".py") else named_in(text)
        yield from ((path, name) for name in found)


class TestTheEngine:
    def test_has_files(self):
        """The tests below would pass without any."""
        assert {Path(path).suffix for path in engine()} >= {".py", ".html", ".jinja"}

    def test_names_no_exercise(self):
        """No exercise, and nothing that one defines, in a word that is shown or compared."""
        assert {found for found in all_named() if found not in ALLOWED} == set()

    def test_every_exception_is_needed(self):
        """A name that is gone needs no reason any more."""
        assert ALLOWED.keys() - set(all_named()) == set()

    def test_imports_nothing_of_a_course(self):
        """Neither suites nor solutions, nor a page by its name."""
        courses = {"suites", "solutions", "exercises", *EXERCISES}
        found = {
            (path, name)
            for path, text in engine().items()
            if path.endswith(".py")
            for name in imported_by(ast.parse(text))
            if courses & set(name.split(".")) and name not in CALLED_ALIKE
        }

        assert found == set()


def imported_by(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize(
    "code",
    [
        "if name == 'softmax': pass",
        "SCENES = {'masks': 1}",
        "say('Look at combine_masks first.')",
        "say(f'{course} is no transformer-exercises')",
        "impl.split_heads(x)",
        "def causal_mask(size): pass",
        "from grader.pictures.scenes import self_attention",
    ],
)
def test_names_are_found(code):
    """Compared, shown, asked for, or defined."""
    assert named_by(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "'''As in split_heads.'''",
        "say('Is the mask one of several masks?')",
        "torch.nn.functional.log_softmax",
        "encoder = Encoder()",
        "layer.forward(x)",
    ],
)
def test_other_words_are_no_names(code):
    """What every author may say of any course."""
    assert named_by(ast.parse(code)) == set()
