"""A second examiner changes nothing but how long it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked there")


@pytest.fixture(scope="module")
def found():
    """What the script beside this file tells."""
    command = [sys.executable, str(Path(__file__).with_name("second.py"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_finds_what_one_alone_finds(found):
    """Verdicts, names and advice of right, wrong and unwritten pages, in their order."""
    assert found["both"] == found["alone"]
    assert found["helped"] > 0


def test_is_done_without_when_it_is_gone(found):
    """Killed while it waits."""
    assert found["gone"] == found["alone"]


def test_leaves_what_never_ends(found):
    """As soon as nobody waits for that any more, and takes its part in what comes next."""
    assert found["after"]["all"]
    assert found["after"]["seconds"] < 8  # what it left would have taken ten


def test_ends_with_the_first(found):
    assert not found["is_there"]
