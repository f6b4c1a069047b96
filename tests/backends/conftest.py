"""A Dask scheduler on this machine, and workers of it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest


@pytest.fixture
def cluster(tmp_path):
    """``cluster(checkout, number)``: the address of a scheduler with so many workers, and their
    processes, which have the checkout's package.
    """
    pytest.importorskip("distributed", reason="Dask distributed is not installed")
    with ExitStack() as stack:

        def started(*arguments, checkout):
            settings = {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", *arguments],
                    stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=os.environ | settings,
                )
            )  # fmt: skip
            stack.callback(process.kill)
            return process

        def said(process, what):
            """The rest of the line in which it says so."""
            lines = (line for line in process.stderr if what in line)
            return next(lines).partition(what)[2].strip()

        def cluster(checkout, number):
            scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
            options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
            options += ["--local-directory", str(tmp_path)]
            first = started(*scheduler, "--no-dashboard", checkout=checkout)
            address = said(first, "Scheduler at:")
            worker = ["distributed.cli.dask_worker", address, *options]
            workers = [started(*worker, checkout=checkout) for _ in range(number)]
            for one in workers:
                said(one, "Registered to:")
            return address, workers

        yield cluster
