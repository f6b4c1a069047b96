"""A model in a notebook, made of what its cells define."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from grader.bridges import ending
from grader.bridges.kernel import train

FINALE = """\
from grader.finale import Break, Finale, Map, Part, Task


class Doubling:
    facts = ""

    def __init__(self, setting):
        self.double, self.number = setting.pages["toy"].double, 1.0


FINALE = Finale(
    (Part("toy", "doubling"),),
    (Task("grow", "a number grows", ("toy",), 6, Doubling),),
    (Break("all", "nothing learns", "Of course.", "grow"),),
)
"""
END = {
    "kind": "end",
    "costs": [1.0, 0.5],
    "share": 1.0,
    "says": "well",
    "text": "two\nlines",
    "maps": [{"title": "who", "rows": "a", "columns": "b", "shares": [[1.0]], "under": ""}],
}


@pytest.fixture
def notebook(toy, tmp_path, monkeypatch):
    """``notebook(text)``: a session in which this was typed; the orders that are given in it."""
    place = toy.root / "solutions" / "finale" / "__init__.py"
    place.parent.mkdir()
    place.write_text(FINALE)
    monkeypatch.setenv("GRADER_COURSE", str(toy.root))
    monkeypatch.chdir(tmp_path)
    orders = []

    def told(order, folder, printed):
        orders.append((order, sorted(path.name for path in folder.iterdir())))
        for run in ("", "all") if order.broken else ("",):
            yield {"kind": "step", "run": run, "step": 1, "cost": 1.0}
            yield {"kind": "step", "run": run, "step": 2, "cost": 0.5}
            yield END | {"run": run}

    def notebook(text):
        shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", text]))
        here = sys.modules["__main__"]
        monkeypatch.setattr(here, "get_ipython", lambda: shell, raising=False)
        return orders

    monkeypatch.setattr(ending, "told", told)
    monkeypatch.setattr(ending, "show_lines", lambda lines: print("\n".join(lines)))
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    return notebook


def test_cells_that_are_right_are_parts(notebook, capsys):
    """And their text is what is run."""
    orders = notebook("def double(x):\n    return x * 2\n")
    train("grow", seed=3)
    said = capsys.readouterr().out
    ((order, files),) = orders

    assert files == ["toy.py"]
    assert (order.task, order.seed, [*order.mine]) == ("grow", 3, ["toy"])
    assert "✓ doubling: yours" in said
    assert "grow: loss 0.750; well\nIt writes:\n  two\n  lines" in said


def test_cells_that_are_wrong_are_not(notebook, capsys):
    """The course's page is taken; with a break it says why that is seen."""
    orders = notebook("def double(x):\n    return x * 3\n")
    train(broken="all")
    said = capsys.readouterr().out
    ((order, files),) = orders

    assert (files, order.mine, order.broken) == ([], {}, "all")
    assert "all broken: loss 0.750" in said
    assert "Of course." in said


def test_what_cannot_be_is_a_sentence(notebook, monkeypatch):
    """No traceback."""
    from grader.bridges import kernel

    said = []
    monkeypatch.setattr(kernel, "show_lines", said.extend)
    notebook("")
    train("grwo")

    assert "Did you mean 'grow'?" in said[0]
