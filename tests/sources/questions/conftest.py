"""The page of questions, what its suite holds true, and the cases that the suite draws."""

from __future__ import annotations

import pytest
import torch

from grader.course.course import find_course
from grader.programs.draw import Draw
from grader.programs.page import load_by_path

COURSE = find_course()
SUITE = COURSE.suite("questions")


@pytest.fixture(scope="module")
def page():
    return load_by_path(COURSE.solution("questions"))


@pytest.fixture(scope="module")
def truth():
    return load_by_path(SUITE.with_name("truth.py"))


@pytest.fixture(scope="module")
def cases_of():
    """``cases_of(question, seed)`` are those that the suite draws for a student."""
    names = {"__file__": str(SUITE), "__name__": "suite"}
    text = SUITE.read_text(encoding="utf-8").partition("# Numeric questions")[0]
    exec(compile(text, SUITE, "exec"), names)  # without pytest seeing its marks
    return lambda question, seed: names[question.replace("_statements", "_cases")](Draw(seed))


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(20170612)


@pytest.fixture
def attention():
    """``attention(x)``: tokens of x attend by plain dot products; returns the weights."""

    def attention(x, causal=False):
        scores = x @ x.mT
        if causal:
            scores = scores.masked_fill(~torch.ones_like(scores).tril().bool(), -torch.inf)
        return scores.softmax(-1)

    return attention
