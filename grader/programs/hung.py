"""What hung twice is not asked a third time: every hang costs the class five seconds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from grader.errors import DeadlinePassed, NotAskedAgain
from grader.programs.client import Client, Perform

MOST_HANGS = 2
_SHARE = 0.5  # of a check's seconds: who was not waited for that long may only be slow
_CALLS = ("call", "call_object")


class Hangs:
    """How often each function or method of a submission was waited for in vain."""

    def __init__(self) -> None:
        self._counted: Counter[tuple[str, ...]] = Counter()

    def __bool__(self) -> bool:
        """Whether any was."""
        return bool(self._counted)

    def note(self, *called: str) -> None:
        """One more time: ``called`` are its module, its class if it has one, and its name."""
        self._counted[called] += 1

    def require(self, *called: str) -> None:
        """Raises ``NotAskedAgain`` for one that hung too often."""
        if self._counted[called] >= MOST_HANGS:
            raise NotAskedAgain(".".join(called))


class WatchedClient(Client):
    """A client whose submission's ``hangs`` are known and counted; its check has ``seconds``.

    They are for all calls of the check together, and count against what was called last only
    if this one answer was waited for most of them: one that is merely slow, in a check that calls
    it often, may be in time for another check.
    """

    def __init__(
        self,
        perform: Perform,
        module: str,
        names: Sequence[str],
        device: str,
        hangs: Hangs,
        seconds: float,
    ) -> None:
        super().__init__(perform, module, names, device)
        self._hangs, self._seconds = hangs, seconds

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        last = self.calls[-1] if self.calls else {"of": "", "name": ""}
        called = self.module, str(last["of"]), str(last["name"])
        begun = time.monotonic()
        try:
            if request["op"] in _CALLS:
                self._hangs.require(*called)
            return super()._request(request)
        except NotAskedAgain as refusal:
            refusal.calls = tuple(self.calls)
            raise
        except DeadlinePassed as failure:
            waited = max(time.monotonic() - begun, failure.waited_seconds)
            hung = waited > _SHARE * self._seconds
            if hung and not self.elsewhere:  # a trial on another device is no check
                self._hangs.note(*called)
            raise
