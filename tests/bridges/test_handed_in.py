"""A notebook that was handed in may be anything; what it says of a page becomes a module."""

from __future__ import annotations

import json

import pytest

from grader.bridges.exercise_cells import exercise_cells
from grader.bridges.handed_in import HandedIn, module_of, read_notebook
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.model import Place
from grader.report.words import told

COURSE = find_course()
CATALOG = load_catalog(COURSE)


class TestWhatWasHandedIn:
    @pytest.mark.parametrize(
        ("raw", "says"),
        [
            (b"{]", "no JSON"),
            (b"\xff\xfe\x00", "is not a notebook (UnicodeDecodeError)"),
            (b"[" * 100_000, "is not a notebook"),
            (b"[1, 2]", "no cells"),
            (b'{"cells": 3}', "no cells"),
            (b"1" * 10_000, "is not a notebook"),
            (b"", "no JSON"),
        ],
    )
    def test_may_be_anything(self, tmp_path, raw, says):
        """Bytes of any kind have a named outcome."""
        path = tmp_path / "softmax.ipynb"
        path.write_bytes(raw)

        assert says in told(read_notebook(path).problem).rationale

    def test_may_hold_cells_of_any_shape(self, tmp_path):
        """Cells that are no cells are passed over."""
        good = {"metadata": {"nbgrader": {"grade_id": "f"}}, "source": ["a\r\n", 3, "\ud800"]}
        cells = [3, None, [], {}, {"metadata": 1}, {"metadata": {"nbgrader": []}}, good]
        path = tmp_path / "softmax.ipynb"
        path.write_text(json.dumps({"cells": cells, "metadata": []}))

        assert read_notebook(path).cells == {"f": "a\n?"}

    def test_may_not_be_a_link(self, tmp_path):
        """It could point at a solution."""
        (tmp_path / "secret").write_text("{}")
        (tmp_path / "softmax.ipynb").symlink_to(tmp_path / "secret")

        assert "cannot be read" in told(read_notebook(tmp_path / "softmax.ipynb").problem).rationale

    @pytest.mark.parametrize(
        "line", ["%time f()", "!ls", "?f", "f?", "torch.exp??", "    %timeit f()", "files = !ls"]
    )
    def test_commands_to_the_notebook_are_not_python(self, line):
        """They are left out, and the line numbers stay."""
        text, notes = solved(f"{line}\nx = 1")

        assert text.split("\n")[0].strip().startswith("pass  #")
        assert notes

    @pytest.mark.parametrize(
        "text", ["x = (7\n     % 3)", "if a != b:\n    pass", "x = 7 % 3", "y = (a\n    != b)"]
    )
    def test_python_is_left_alone(self, text):
        """An operator at the beginning of a line is no command."""
        assert solved(text) == (text, ())

    def test_a_cell_of_another_language_is_not_run(self):
        """Nothing of it is Python."""
        text, notes = solved("%%bash\nrm -rf x")

        assert text == "# %%bash\n# rm -rf x"
        assert "'%%bash'" in notes[0]

    def test_lines_are_told_as_cells(self):
        """Those who wrote a notebook know nothing of the lines of a module."""
        cells = exercise_cells(COURSE, CATALOG["softmax"])
        module = module_of(cells, HandedIn({"softmax": "a\nb", "logsumexp": "c\nd"}))
        line = module.text.split("\n").index("d") + 1

        spot = module.spot("softmax")

        assert spot(Place("softmax.py", line, "d")) == "cell logsumexp, line 2"
        assert spot(Place("masks.py", line, "d")) == f"masks.py, line {line}"


def solved(text: str) -> tuple[str, tuple[str, ...]]:
    """What becomes of one solution cell."""
    cells = [c for c in exercise_cells(COURSE, CATALOG["softmax"]) if c.name == "softmax"]
    module = module_of(cells, HandedIn({"softmax": text}))
    return module.text.removesuffix("\n"), module.notes["softmax"]
