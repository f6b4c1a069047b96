"""A Dask scheduler on this machine, and workers of it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest


@pytest.fixture
def cluster(tmp_path):
    """``cluster(checkout, number)``: the address of a scheduler with so many workers, each a process
    that has the checkout's package, and the processes of the workers.
    """
    pytest.importorskip("distributed", reason="Dask distributed is not installed")
    with ExitStack() as stack:

        def started(*arguments, said, checkout):
            """The process, and the rest of the line in which it says so."""
            settings = {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", *arguments],
                    stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=os.environ | settings,
                )
            )  # fmt: skip
            stack.callback(process.kill)
            for line in process.stderr:
                if said in line:
                    return process, line.partition(said)[2].strip()
            raise AssertionError(f"{arguments[0]} did not start")

        def cluster(checkout, number):
            scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
            worker = ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
            _, address = started(
                *scheduler, "--no-dashboard", said="Scheduler at:", checkout=checkout
            )
            workers = [
                started(
                    "distributed.cli.dask_worker", address, *worker, "--no-dashboard",
                    said="Registered to:", checkout=checkout,
                )[0]
                for _ in range(number)
            ]  # fmt: skip
            return address, workers

        yield cluster
