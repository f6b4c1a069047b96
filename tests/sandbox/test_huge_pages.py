"""What is in memory is made into huge pages, where the kernel makes any."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux has them")

PROGRAM = """
import hashlib, os, sys
from grader.sandbox.huge_pages import collapse

held = bytearray(os.urandom(1 << 20)) * 64
digest = hashlib.sha256(held).digest()
made = collapse()
if os.fork() == 0:
    with open("/proc/self/smaps_rollup") as rollup:
        huge = next(line for line in rollup if "AnonHugePages" in line).split()[1]
    print(made, huge, hashlib.sha256(held).digest() == digest)
else:
    os.wait()
"""


@pytest.fixture(scope="module")
def told():
    """How many were made of 64 MiB and what else there was, and what a fork has of them."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    made, kibibytes, same = run.stdout.split()
    if made == "0":
        pytest.skip("this kernel makes none")
    return int(made), int(kibibytes), same


def test_forks_have_them(told):
    """What began as small pages, and nothing is written to."""
    made, kibibytes, _ = told

    assert made >= 31
    assert kibibytes >= 31 * 2048


def test_contents_stay(told):
    """Every byte is where it was."""
    assert told[2] == "True"


def test_workers_have_them(sandbox, told):
    """A zygote that was started anew has many workers."""
    if sandbox.isolation != "full":
        pytest.skip("there is no zygote")
    session = sandbox.open()
    try:
        with open(f"/proc/{session.stats._pid}/smaps_rollup") as rollup:
            huge = next(line for line in rollup if "AnonHugePages" in line)
    except PermissionError:
        pytest.skip("what is known of a worker is root's")
    finally:
        session.close()

    assert int(huge.split()[1]) >= 2048
