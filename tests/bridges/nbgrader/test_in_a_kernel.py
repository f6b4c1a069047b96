"""What a kernel makes of a released notebook: pictures for its student, and never a mark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.programs.page import load_by_path

room = load_by_path(Path(__file__).with_name("classroom.py"))


class TestWithoutUs:
    def test_a_kernel_gives_no_points(self, course, tmp_path):
        """Were the notebooks run by nbgrader itself, a check would earn 0 and not full marks."""
        script = """
import sys, nbformat
from nbgrader.utils import determine_grade
from nbformat.v4 import new_output
notebook = nbformat.read(sys.argv[1], 4)
for cell in notebook.cells:
    if cell.metadata.get("nbgrader", {}).get("grade"):
        import contextlib, io
        with contextlib.redirect_stderr(io.StringIO()) as said:
            exec(cell.source, {})
        cell.outputs = [new_output("stream", name="stderr", text=said.getvalue())]
        assert said.getvalue() and determine_grade(cell)[0] == 0
"""
        path = course / "source" / "ps1" / "softmax.ipynb"
        command = [sys.executable, "-W", "ignore", "-c", script, str(path)]

        assert subprocess.run(command, check=False).returncode == 0


KERNEL = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=300, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(notebook, sys.argv[1])
"""


class TestInAKernel:
    def test_the_picture_is_shown(self, tmp_path):
        """The released notebook, filled in and run from top to bottom as a student does."""
        pytest.importorskip("matplotlib")
        room.build(tmp_path, "softmax")
        path = tmp_path / "source" / "ps1" / "softmax.ipynb"
        wrong = room.sample("wrong_axis")["softmax"]
        room.edit(path, lambda notebook: room.typed_in(notebook, wrong))
        environment = os.environ | {"PYTHONPATH": str(room.COURSE.root)}
        command = [sys.executable, "-W", "ignore", "-c", KERNEL, str(path), str(tmp_path)]
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=300)
        image, words = room.cell(json.loads(path.read_text("utf-8")), "show-picture")["outputs"]

        assert image["data"]["image/png"].startswith("iVBOR")
        assert "Differs by up to 0.99" in image["metadata"]["image/png"]["alt"]
        assert "    Differs by up to 0.99, most at row 0, column 3.\n" in "".join(words["text"])
