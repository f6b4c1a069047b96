"""What one session sends and receives: noted on a tape, or asked ahead of a check that will ask it.

A check asks what follows from what it was answered before. Who answers every request byte for byte
as another did, is asked by that check what the other was, and found to be what the other was found.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from grader.errors import WorkerFailure, WorkerLost
from grader.sandbox.channel import Channel, Frame
from grader.sandbox.deadline import Deadline

MAX_TAPE_BYTES = 1 << 20  # of requests; those of a check that only compares have up to some 100 KiB


@dataclass(eq=False)
class Tape:
    """The requests of one check in their order, and of each frame that came back a digest.

    It is ``whole`` unless there was more to it: text was printed, a question was asked back, or it
    grew too large to keep; or less, for who is asked nothing has answered nothing.
    """

    requests: list[bytes] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    spoiled: bool = False
    size: int = 0

    @property
    def whole(self) -> bool:
        return not self.spoiled and 0 < len(self.requests) == len(self.answers)

    def note_request(self, frame: bytes) -> None:
        self.size += len(frame)
        self.spoiled |= self.size > MAX_TAPE_BYTES
        if not self.spoiled:
            self.requests.append(frame)

    def note_answer(self, frame: Frame) -> None:
        if not self.spoiled:
            self.answers.append(_digest(frame))

    def share(self, other: Tape) -> None:
        """Keep once what both were asked, which is nearly all: answers are asked for by number."""
        pairs = zip(self.requests, other.requests, strict=False)
        self.requests[: len(other.requests)] = [b if a == b else a for a, b in pairs]

    def goes_on(self, step: int, request: bytes, answer: bytes) -> bool:
        """Whether this was asked and answered as the next thing, after ``step`` others."""
        known = step < len(self.requests)
        return known and (self.requests[step], self.answers[step]) == (request, answer)


class Exchange:
    """One session's requests and answers over a ``channel``, which the next session uses too."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.tape: Tape | None = None
        self._asked: deque[bytes] = deque()
        self._came: deque[Frame | WorkerFailure] = deque()

    def send(self, message: dict[str, Any], deadline: Deadline | None) -> None:
        """Send a request, unless it was asked ahead."""
        parts = self.channel.parts_of(message)
        if self.tape is None and not self._asked:
            self.channel.send_parts(parts, deadline)
            return
        frame = b"".join(parts)
        if self.tape is not None:
            self.tape.note_request(frame)
        if not self._asked:
            self.channel.send_parts([frame], deadline)
        elif self._asked.popleft() != frame:
            raise WorkerLost("a check asked otherwise than it had asked before")

    def receive(self, deadline: Deadline | None) -> dict[str, Any]:
        """The next message, or the failure that came in its place."""
        frame = self._came.popleft() if self._came else self.channel.receive_frame(deadline)
        if isinstance(frame, WorkerFailure):
            raise frame
        if self.tape is not None:
            self.tape.note_answer(frame)
        return self.channel.message_in(frame, deadline)

    def ask_ahead(self, tapes: Sequence[Tape], deadline: Deadline) -> Tape | None:
        """Put to the worker what is on some ``tapes`` of one check; returns the one whose every
        answer it gave. Of another worker, what it was asked and has answered stays, and is what
        ``send`` and ``receive`` have when the check asks it.
        """
        step = 0
        while tapes:
            if step == len(tapes[0].requests):
                return tapes[0]
            request = tapes[0].requests[step]
            frame = self._answer_to(request, deadline)
            self._asked.append(request)
            self._came.append(frame)
            if isinstance(frame, WorkerFailure):
                return None
            answer = _digest(frame)
            tapes = [tape for tape in tapes if tape.goes_on(step, request, answer)]
            step += 1
        return None

    def _answer_to(self, request: bytes, deadline: Deadline) -> Frame | WorkerFailure:
        begun = time.monotonic()
        deadline.go_on()
        try:
            self.channel.send_parts([request], deadline)
            return self.channel.receive_frame(deadline)
        except WorkerFailure as failure:
            failure.waited_seconds = time.monotonic() - begun
            return failure
        finally:
            deadline.pause()


def _digest(frame: Frame) -> bytes:
    both = sha256(frame.header)
    both.update(frame.payload)
    return both.digest()
