"""What is told of a function makes a general hint on it needless."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from grader.examiner.unexplained import without_hints
from grader.model import Cause, Outcome

HINT = "Add before you divide."


@dataclass
class Of:
    """As much of a case as is asked for."""

    of: str


@dataclass
class Found:
    """As much of a finding."""

    case: Of | None
    verdict: Any = None


@pytest.fixture
def verdicts(verdict):
    """Of three checks of f, f and g, each with a hint; the first one's cause knows ``facts``."""

    def verdicts(**facts):
        wrong = verdict(Outcome.FAILED, cause=Cause("numbers", {}), lesson=HINT)
        return [replace(wrong, cause=Cause("numbers", facts)), wrong, wrong]

    return verdicts


FOUND = [Found(Of("f")), Found(Of("f")), Found(Of("g"))]


@pytest.mark.parametrize("told", ["first_wrong", "mend", "advice"])
def test_no_hint_is_left_on_what_is_told(verdicts, told):
    """It may not fit, and would lead away. Another function's stays."""
    lessons = [v.lesson for v in without_hints(FOUND, verdicts(**{told: {"line": 3}}))]

    assert lessons == ["", "", HINT]


def test_all_hints_stay_where_nothing_is_told(verdicts):
    """They are all that there is."""
    assert without_hints(FOUND, verdicts()) == verdicts()


def test_what_a_known_mistake_is_told_stays(verdicts):
    """That is no general hint."""
    known = [replace(v, misconception="squares") for v in verdicts()]

    assert without_hints(FOUND, known) == known
