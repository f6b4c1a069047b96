"""What happened in a run and when, a line of JSON each: only ever added to."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FILE = "journal.jsonl"


class Journal:
    """The journal of a run; it need not exist yet."""

    def __init__(self, run: Path) -> None:
        self._path = run / FILE

    def add(self, event: str, **facts: Any) -> None:
        """One line, on the disk when this returns. After a line that was torn it begins anew."""
        entry = {"at": now(), "event": event, **facts}
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with self._path.open("a+b") as file:
            file.write(line if _ends_whole(file.fileno()) else b"\n" + line)
            file.flush()
            os.fsync(file.fileno())

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """All that is whole, in order; what was torn when a run was killed is left out."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            for line in file:
                try:
                    entry = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(entry, dict):
                    yield entry


def _ends_whole(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def now() -> str:
    """UTC, to the second."""
    return f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
