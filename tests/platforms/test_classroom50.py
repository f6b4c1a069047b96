"""The folder that Classroom 50's runner fetches."""

from __future__ import annotations

import ast
import json

import pytest

from grader.errors import GraderError
from grader.platforms import classroom50
from grader.platforms.engine import WHEEL


class TestTheFolder:
    def test_has_what_the_runner_looks_for(self):
        """``autograder.py``, and beside it all that it needs."""
        found = classroom50.folder({"course/x": b"1"}, None)

        assert set(found) == {"autograder.py", "runtime.json", WHEEL, "course/x"}

    @pytest.mark.parametrize(("isolation", "options"), [(None, []), ("process", ["process"])])
    def test_its_program_is_python(self, isolation, options):
        """It needs nothing that the runner does not have."""
        tree = ast.parse(classroom50.folder({}, isolation)["autograder.py"])
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                    for name in node.names}  # fmt: skip
        assigned = {node.targets[0].id: node.value for node in tree.body
                    if isinstance(node, ast.Assign)}  # fmt: skip

        assert imported <= {"os", "subprocess", "sys", "tempfile"}
        assert ast.literal_eval(assigned["options"])[1:] == options

    def test_asks_for_a_machine_with_walls(self):
        """And for a Python that the grader runs on."""
        runtime = json.loads(classroom50.folder({}, None)["runtime.json"])

        assert runtime == {"runs-on": "ubuntu-24.04", "python": "3.12"}

    def test_is_refused_where_it_would_not_be_fetched(self, monkeypatch):
        """The runner has a limit."""
        monkeypatch.setattr(classroom50, "MAX_BYTES", 1 << 10)

        with pytest.raises(GraderError, match="Choose fewer exercises"):
            classroom50.folder({}, None)
