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
        """Were the notebooks run by nbgrader itself, a check would earn 0 and not full marks; and
        no cell of a check makes a red box.
        """
        script = """
import sys, nbformat
from nbclient import NotebookClient
from nbgrader.utils import determine_grade
notebook = nbformat.read(sys.argv[1], 4)
checks = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")]
notebook.cells = checks
NotebookClient(notebook, timeout=300).execute()
kinds = {output.output_type for cell in checks for output in cell.outputs}
assert kinds == {"execute_result"}, kinds
assert {determine_grade(cell)[0] for cell in checks} == {0}
assert "Checked after you hand in." in checks[0].outputs[0].data["text/html"]
"""
        path = course / "source" / "ps1" / "softmax.ipynb"
        command = [sys.executable, "-W", "ignore", "-c", script, str(path)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)

        assert done.returncode == 0, done.stderr


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
        assert (
            "    Differs by up to 0.99, most at row 0, column 3.\n" in words["data"]["text/plain"]
        )
