"""The house rules that tools can check: style, types, floors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent

COMMANDS = {
    "ruff check": [BIN / "ruff", "check", "."],
    "ruff format": [BIN / "ruff", "format", "--check", "."],
    "mypy": [BIN / "mypy"],
    "import-linter": [BIN / "lint-imports"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_tools_are_content(name):
    """ruff, mypy (strict) and import-linter find nothing."""
    done = subprocess.run(
        list(map(str, COMMANDS[name])), cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_only_the_prescribed_entries_are_at_the_top():
    """A newcomer sees the architecture in the folder listing."""
    allowed = {"exercises", "solutions", "grader", "tests", "pyproject.toml", "README.md"}
    allowed |= {"CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"}
    tracked = subprocess.run(
        ["git", "ls-tree", "--name-only", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()

    assert {name for name in tracked if not name.startswith(".")} <= allowed
