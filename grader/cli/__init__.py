"""The command line: short commands over the pipeline, and the only user of rich."""

from __future__ import annotations

from grader.cli.app import main

__all__ = ["main"]
