"""Hints in a notebook come one by one, on the function that is at hand."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from grader.bridges import hinting
from grader.bridges.exercise_cells import module_cells
from grader.bridges.hinting import one_more
from grader.bridges.so_far import unfinished
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import given_instead
from grader.errors import CatalogError

COURSE = find_course()
SOFTMAX = load_catalog(COURSE)["softmax"]


@pytest.fixture(autouse=True)
def _new_kernel(monkeypatch):
    monkeypatch.setattr(hinting, "_shown", type(hinting._shown)())
    monkeypatch.setattr(hinting, "_counted", set())
    monkeypatch.setattr(hinting, "wrong", {})


@pytest.fixture
def run_cells(monkeypatch):
    """The cells of this session, as they were typed."""

    def run_cells(*texts):
        shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=texts))
        monkeypatch.setattr(sys.modules["__main__"], "get_ipython", lambda: shell, raising=False)

    return run_cells


def first_hint(function):
    says = SOFTMAX.hint_of(function)
    return f"→ Hint 1 of {len(SOFTMAX.hints_of(function))} ({function}): {says}"


class TestHints:
    def test_are_counted_first(self):
        """Who runs all cells of a notebook has asked for none."""
        told = one_more(COURSE, "softmax")

        assert told[1:] == [f"  {name}: {len(SOFTMAX.hints_of(name))}" for name in SOFTMAX.names]
        assert "→" not in "".join(told)

    def test_come_one_by_one(self):
        """Those before are shown again, and after the last one that is said."""
        count = len(SOFTMAX.hints_of("logsumexp"))
        told = [one_more(COURSE, "softmax", "logsumexp") for _ in range(count + 1)]

        assert [len(lines) for lines in told] == [*range(1, count + 1), count + 1]
        assert told[0] == [first_hint("logsumexp")]
        assert told[-1][-1].startswith("Those are all on logsumexp.")

    def test_are_on_what_is_not_written_yet(self, run_cells):
        """The first function of the page whose cell was not run, or is as it was given."""
        run_cells("def softmax(x, dim=-1):\n    return x", "def logsumexp(x):\n    raise "
                  "NotImplementedError('replace this line')")  # fmt: skip
        one_more(COURSE, "softmax")

        assert one_more(COURSE, "softmax") == [first_hint("logsumexp")]

    def test_are_on_what_is_still_to_be_mended(self, run_cells):
        """A body that was given, and is as it was: its comment may stay for ever."""
        clinic = load_catalog(COURSE)["clinic"]
        cells = {c.name: given_instead(c.text) for c in module_cells(COURSE, clinic)}
        mended = cells["norm"].replace("x.var(-1", "x.var(-1, correction=0")
        assert mended != cells["norm"]

        run_cells(cells["norm"], cells["positions"])
        assert unfinished(COURSE, clinic) == "norm"
        run_cells(cells["norm"], mended, cells["positions"])
        assert unfinished(COURSE, clinic) == "positions"

    def test_are_on_what_does_not_come_out(self, run_cells, monkeypatch):
        """Once all is written, by the examples that were run."""
        run_cells(*(f"def {name}(x): return x" for name in SOFTMAX.names))
        monkeypatch.setitem(hinting.wrong, "log_softmax", ["✗"])
        one_more(COURSE, "softmax")

        assert one_more(COURSE, "softmax") == [first_hint("log_softmax")]

    def test_of_another_function(self):
        """A name that is none is told with the nearest."""
        with pytest.raises(CatalogError, match=r"no function 'softmx'\. Did you mean 'softmax'\?"):
            one_more(COURSE, "softmax", "softmx")
