"""This engine as a wheel, for places where there is no checkout and no index that has it.

It holds what an installed package holds: no suite, no solution.

Source: packaging.python.org, "Binary distribution format".
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from grader import DISTRIBUTION, __version__
from grader.platforms.packed import zipped

WHEEL = f"{DISTRIBUTION.replace('-', '_')}-{__version__}-py3-none-any.whl"
_PACKAGE = Path(__file__).resolve().parents[1]
_INFO = f"{DISTRIBUTION.replace('-', '_')}-{__version__}.dist-info"
_TAGS = "Wheel-Version: 1.0\nGenerator: grader\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_COMMANDS = "[console_scripts]\ngrader = grader.cli:main\n"


@dataclass(frozen=True)
class Needs:
    """Which Python, and which packages, as in ``pyproject.toml``."""

    python: str
    packages: Sequence[str]


def wheel() -> bytes:
    """The wheel; of the same files the same bytes."""
    files = {f"grader/{path.relative_to(_PACKAGE).as_posix()}": path for path in _own_files()}
    held = {name: path.read_bytes() for name, path in files.items()}
    held[f"{_INFO}/METADATA"] = _metadata(needs()).encode()
    held[f"{_INFO}/WHEEL"] = _TAGS.encode()
    held[f"{_INFO}/entry_points.txt"] = _COMMANDS.encode()
    held[f"{_INFO}/RECORD"] = _record(held).encode()
    return zipped(held)


def torch_version() -> str:
    """Without ``+cpu`` or ``+cu128``: marks are to be given with the torch that was tried here."""
    return torch.__version__.partition("+")[0]


def needs() -> Needs:
    """Of the checkout that this package runs from, else of what is installed."""
    file = _PACKAGE.parent / "pyproject.toml"
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"] if file.is_file() else {}
    if project.get("name") == DISTRIBUTION:
        return Needs(project["requires-python"], project["dependencies"])
    told = importlib.metadata.metadata(DISTRIBUTION)
    wanted = importlib.metadata.requires(DISTRIBUTION) or []
    return Needs(told["Requires-Python"], [one for one in wanted if "extra ==" not in one])


def _own_files() -> Iterator[Path]:
    """What of the package is no suite and no stale bytecode."""
    for path in sorted(_PACKAGE.rglob("*")):
        parts = path.relative_to(_PACKAGE).parts
        if path.is_file() and parts[0] != "suites" and "__pycache__" not in parts:
            yield path


def _metadata(wanted: Needs) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {DISTRIBUTION}", f"Version: {__version__}"]
    lines += [f"Requires-Python: {wanted.python}"]
    return "\n".join([*lines, *(f"Requires-Dist: {one}" for one in wanted.packages)]) + "\n"


def _record(held: Mapping[str, bytes]) -> str:
    """What is in it, with digests; the list itself has none."""
    lines = [f"{name},sha256={_digest(raw)},{len(raw)}" for name, raw in held.items()]
    return "\n".join([*lines, f"{_INFO}/RECORD,,"]) + "\n"


def _digest(raw: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).rstrip(b"=").decode()
