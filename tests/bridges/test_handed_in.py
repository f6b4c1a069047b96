"""A notebook that was handed in may be anything; what it says of a page becomes a module."""

from __future__ import annotations

import json
import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.bridges.exercise_cells import CellKind, exercise_cells
from grader.bridges.handed_in import (
    HandedIn,
    module_of,
    read_notebook,
    submission_of,
)
from grader.collect import MAX_SOURCE_BYTES, MAX_SUBMISSION_BYTES
from grader.collect.notebook import MAX_STRUCTURE_BYTES
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.model import Place
from grader.report.words import told

COURSE = find_course()
CATALOG = load_catalog(COURSE)


texts = st.text(st.characters(exclude_categories=()), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
marks = st.fixed_dictionaries(
    {"nbgrader": st.fixed_dictionaries({"grade_id": st.just("softmax") | values}) | values}
)
cells = st.fixed_dictionaries(
    {"metadata": marks | values, "source": texts | st.lists(texts, max_size=4) | values}
)
documents = st.fixed_dictionaries({"cells": st.lists(cells | values, max_size=5)}) | values


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

    def test_may_be_one_cell_in_many_parts(self, tmp_path):
        """The time grows with the parts, and not with their square."""
        count = 80_000
        cell = {"metadata": {"nbgrader": {"grade_id": "f"}}, "source": "x = 1\n"}
        path = tmp_path / "softmax.ipynb"
        path.write_text(json.dumps({"cells": [cell] * count}))
        started = time.process_time()
        text = read_notebook(path).cells["f"]

        assert text == "\n".join(["x = 1\n"] * count)
        assert time.process_time() - started < 4.0  # seconds; it takes 0.3, and took 24

    @pytest.mark.parametrize("parts", [1, 1000])
    def test_may_hold_no_more_code_than_a_module(self, tmp_path, parts):
        """In one cell or in many."""
        cell = {"metadata": {"nbgrader": {"grade_id": "f"}}}
        cell["source"] = "#" * (MAX_SOURCE_BYTES // parts + 1)
        path = tmp_path / "softmax.ipynb"
        path.write_text(json.dumps({"cells": [cell] * parts}))

        assert "code in softmax.ipynb is larger" in told(read_notebook(path).problem).rationale

    def test_may_not_be_mostly_structure(self, tmp_path):
        """Empty lists take thirty times as much memory as they do in a file."""
        path = tmp_path / "softmax.ipynb"
        path.write_bytes(b'{"cells": [' + b"[]," * (6 << 20) + b"[]]}")

        assert "too many outputs or cells" in told(read_notebook(path).problem).rationale

    def test_may_have_long_outputs(self, tmp_path):
        """Whoever forgot to clear them still has the code graded."""
        cell = {"metadata": {"nbgrader": {"grade_id": "f"}}, "source": "x = 1"}
        loud = {"source": "", "outputs": [{"text": ['"[1, 2]\\\n' * 1000] * 2500}]}
        path = tmp_path / "softmax.ipynb"
        path.write_text(json.dumps({"cells": [cell, loud]}))

        assert path.stat().st_size > MAX_STRUCTURE_BYTES
        assert read_notebook(path).cells == {"f": "x = 1"}

    @pytest.mark.timeout(20)
    def test_may_not_be_a_pipe(self, tmp_path):
        """It would hold up the class."""
        os.mkfifo(tmp_path / "softmax.ipynb")
        said = told(read_notebook(tmp_path / "softmax.ipynb").problem).rationale

        assert said == "softmax.ipynb cannot be read: it is a named pipe, not a file."

    @given(documents)
    @settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_are_always_a_record(self, tmp_path, document):
        """Whatever JSON it is, and whatever stands where cells should."""
        path = tmp_path / "softmax.ipynb"
        path.write_text(json.dumps(document))
        found = read_notebook(path)
        module = module_of(exercise_cells(COURSE, CATALOG["softmax"]), found)

        assert (found.problem is None) == (isinstance(document, dict) and "cells" in document)
        assert module.text.encode()

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


class TestAllNotebooks:
    def test_have_a_limit_together(self, tmp_path):
        """Each is just small enough, and nineteen of them would be 19 MiB for every worker."""
        pages = {name: exercise_cells(COURSE, CATALOG[name]) for name in list(CATALOG)[:6]}
        for name, page in pages.items():
            solution = next(c.name for c in page if c.kind is CellKind.SOLUTION)
            marks = {"nbgrader": {"grade_id": solution}}
            cell = {"metadata": marks, "source": "#" * (MAX_SOURCE_BYTES - 50_000)}
            (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": [cell]}))
        submission, _, _ = submission_of(pages, tmp_path, "ann")
        last = list(pages)[-1]

        assert sum(map(len, submission.files.values())) <= MAX_SUBMISSION_BYTES
        assert len(submission.files) == 4
        assert "larger than 4 MiB" in told(submission.problems[last]).rationale


def solved(text: str) -> tuple[str, tuple[str, ...]]:
    """What becomes of one solution cell."""
    cells = [c for c in exercise_cells(COURSE, CATALOG["softmax"]) if c.name == "softmax"]
    module = module_of(cells, HandedIn({"softmax": text}))
    return module.text.removesuffix("\n"), module.notes["softmax"]
