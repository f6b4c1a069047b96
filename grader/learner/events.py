"""What a watching learner can cause: a save, a key. Gathered by threads, taken by one reader."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SAVE, TICK, QUIT, END, SUSPEND = "save", "tick", "q", "end", "suspend"
_URGENT = (SAVE, QUIT, END, SUSPEND)
_TICK_SECONDS = 0.5
_POLL_SECONDS = 0.1
_SETTLE_MILLISECONDS = 5

Stamp = tuple[int, int, int] | None


@dataclass(frozen=True)
class Event:
    """What happened, and when on the monotonic clock.

    ``what`` is ``SAVE``, ``TICK`` (time went by), ``SUSPEND`` (the learner turns to something else
    in this terminal), ``END`` (the terminal is gone) or the key.
    """

    what: str
    at: float


class Events:
    """Events in their order. Urgent ones, such as a save or an end, end the check at hand at once.

    An event and its interrupt are put in one step: were the event taken in between, the interrupt
    would hit the very check that answers it.
    """

    def __init__(self) -> None:
        self._waiting: list[Event] = []
        self._arrived = threading.Condition()
        self._interrupt: Callable[[], None] = _nothing

    def put(self, what: str) -> None:
        """Note an event; saves that nobody has answered yet are one."""
        with self._arrived:
            if what != SAVE or all(event.what != SAVE for event in self._waiting):
                self._waiting.append(Event(what, time.monotonic()))
            if what in _URGENT:
                self._interrupt()
            self._arrived.notify()

    def next(self) -> Event:
        """The next event, or a ``TICK`` every now and then."""
        with self._arrived:
            if not self._waiting:
                self._arrived.wait(_TICK_SECONDS)
            return self._waiting.pop(0) if self._waiting else Event(TICK, time.monotonic())

    @property
    def urgent(self) -> bool:
        """Whether the check at hand is out of date."""
        return any(event.what in _URGENT for event in list(self._waiting))

    @property
    def any(self) -> bool:
        """Whether anything waits for an answer."""
        return bool(self._waiting)

    @contextlib.contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Call ``interrupt``, from another thread, when something urgent comes."""
        self._interrupt = interrupt
        try:
            yield
        finally:
            self._interrupt = _nothing


class Files:
    """Tells which watched files were saved: by their stamps, whenever something wakes us.

    File events wake us at once; where they do not arrive (network drives, containers, WSL) time
    does, twice a second, or ten times with ``poll``.
    """

    def __init__(self, folder: Path, events: Events, *, poll: bool = False) -> None:
        self._folder, self._events, self._poll = folder, events, poll
        self._stamps: dict[str, Stamp] = {}
        self.saved: set[str] = set()
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="files").start()

    def close(self) -> None:
        self._ended.set()

    def watch(self, names: Iterable[str]) -> None:
        """Watch these from now on; what they hold at this moment is known."""
        with self._lock:
            self._stamps, self.saved = self._stamps_of(names), set()

    @contextlib.contextmanager
    def written_by_us(self) -> Iterator[None]:
        """What changes in the meantime is no save: nobody looks before all of it is written."""
        with self._lock:
            try:
                yield
            finally:
                self._stamps, self.saved = self._stamps_of(self._stamps), set()

    def look(self) -> None:
        """Report a save if any watched file is not as it was; ``saved`` are their names."""
        with self._lock:
            now = self._stamps_of(self._stamps)
            self.saved = {name for name in now if now[name] != self._stamps[name]} or self.saved
            changed, self._stamps = now != self._stamps, now
        if changed:
            self._events.put(SAVE)

    def _stamps_of(self, names: Iterable[str]) -> dict[str, Stamp]:
        return {name: stamp_of(self._folder / f"{name}.py") for name in names}

    def _run(self) -> None:
        for _ in self._wakes():
            if self._ended.is_set():
                return
            self.look()

    def _wakes(self) -> Iterator[object]:
        if not self._poll:
            # No watches left, a file system without events, a library that does not load here.
            with contextlib.suppress(ImportError, OSError, RuntimeError):
                from watchfiles import watch

                yield from watch(
                    self._folder,
                    watch_filter=None,
                    debounce=10 * _SETTLE_MILLISECONDS,
                    step=_SETTLE_MILLISECONDS,
                    rust_timeout=int(_TICK_SECONDS * 1000),
                    yield_on_timeout=True,
                    stop_event=self._ended,
                    recursive=False,
                )
        while not self._ended.wait(_POLL_SECONDS):
            yield None


def stamp_of(path: Path) -> Stamp:
    """What changes with every save, also with one that replaces the file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _nothing() -> None:
    pass
