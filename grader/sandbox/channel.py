"""Frames over a stream socket: a fixed prefix, a JSON header, a payload of raw bytes.

The prefix holds a magic number and both lengths, which are checked before anything is read. What a
worker sends is bounded frame by frame and check by check; what it is sent is not.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from grader.errors import (
    AnswerTooLarge,
    DeadlinePassed,
    ProtocolViolation,
    TooMuchReturned,
    WorkerDied,
)
from grader.sandbox.deadline import Deadline
from grader.sandbox.decoder import Decoder
from grader.sandbox.encoder import Encoder
from grader.sandbox.protocol import (
    MAX_CHECK_BYTES,
    MAX_HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    require,
)
from grader.sandbox.reader import Reader

MAGIC = b"GRD1"
PREFIX = struct.Struct("!4sIQ")
_LARGE = 1 << 16
_as_json = json.JSONEncoder(separators=(",", ":")).encode


class Frame(NamedTuple):
    """What came, not read yet."""

    header: memoryview
    payload: memoryview


class Channel:
    """Frames over a stream socket. ``received_bytes`` counts all that ever came."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.received_bytes = 0
        self._allowed_bytes = MAX_CHECK_BYTES

    def allow_bytes(self, count: int) -> None:
        """From now on so many bytes may be received."""
        self._allowed_bytes = self.received_bytes + count

    def answer(self, reply: dict[str, Any]) -> None:
        """A worker's reply; of one that is larger than allowed, it is only said that it is."""
        try:
            parts = self.parts_of(reply, bounded=True)
        except AnswerTooLarge:
            parts = self.parts_of({"too_large": True})
        self.send_parts(parts)

    def send(self, message: dict[str, Any], deadline: Deadline | None = None) -> None:
        """Send a dict of values; raises ``WorkerDied`` when nobody is there to read it."""
        self.send_parts(self.parts_of(message), deadline)

    def parts_of(self, message: dict[str, Any], *, bounded: bool = False) -> list[bytes]:
        """The frame of a dict of values, in parts; one that is ``bounded`` raises
        ``AnswerTooLarge`` before it is larger than what may come back.
        """
        encoder = Encoder(bounded=bounded)
        tree = {key: encoder.encode(value) for key, value in message.items()}
        header = _as_json(tree).encode()
        if bounded and len(header) > MAX_HEADER_BYTES:
            raise AnswerTooLarge
        return [PREFIX.pack(MAGIC, len(header), encoder.size), header, *encoder.chunks]

    def send_parts(self, parts: Iterable[bytes], deadline: Deadline | None = None) -> None:
        """Send a frame; raises ``WorkerDied`` when nobody is there to read it."""
        try:
            for piece in _pieces(parts):
                while piece:
                    piece = piece[self._in_time(self.socket.send, piece, deadline) :]
        except TimeoutError:
            raise DeadlinePassed("the worker had not read its request in time") from None
        except OSError as error:
            raise WorkerDied("the worker is gone") from error

    def receive(self, deadline: Deadline | None = None, *, inputs: bool = False) -> dict[str, Any]:
        """The next frame, as a dict of values.

        A worker reads ``inputs``, which have no limit; the grader reads what is limited.
        """
        frame = self.receive_frame(deadline, inputs=inputs)
        return self.message_in(frame, deadline, inputs=inputs)

    def receive_frame(self, deadline: Deadline | None = None, *, inputs: bool = False) -> Frame:
        """The next frame, of which only the sizes are known to be allowed."""
        magic, header_bytes, payload_bytes = PREFIX.unpack(self._read(PREFIX.size, deadline))
        require(magic == MAGIC, "the opening bytes")
        require(inputs or header_bytes <= MAX_HEADER_BYTES, "a header that long")
        require(inputs or payload_bytes <= MAX_PAYLOAD_BYTES, "a payload that long")
        self.received_bytes += PREFIX.size + header_bytes + payload_bytes
        if not inputs and self.received_bytes > self._allowed_bytes:
            raise TooMuchReturned(f"more than {MAX_CHECK_BYTES >> 20} MiB")
        data = self._read(header_bytes + payload_bytes, deadline)
        return Frame(data[:header_bytes], data[header_bytes:])

    def message_in(
        self, frame: Frame, deadline: Deadline | None = None, *, inputs: bool = False
    ) -> dict[str, Any]:
        """The dict of values in a frame."""
        try:
            tree = json.loads(str(frame.header, "utf-8"))
        except (ValueError, RecursionError) as error:
            raise ProtocolViolation("the worker's reply is not JSON") from error
        if inputs:
            reader = Reader(frame.payload)
            return {key: reader.read(value) for key, value in tree.items()}
        require(type(tree) is dict, "a header that is no object")
        decoder = Decoder(frame.payload, deadline=deadline)
        values = {key: decoder.decode(value) for key, value in tree.items()}
        decoder.finish()
        return values

    def _read(self, size: int, deadline: Deadline | None) -> memoryview:
        view = np.empty(size, np.uint8).data
        got = 0
        while got < size:
            try:
                count = self._in_time(self.socket.recv_into, view[got:], deadline)
            except TimeoutError:
                raise DeadlinePassed("the worker had not answered in time") from None
            except OSError as error:
                raise WorkerDied("the worker is gone") from error
            if not count:
                raise WorkerDied("the worker is gone")
            got += count
        return view

    def _in_time(
        self,
        transfer: Callable[[memoryview], int],
        view: memoryview,
        deadline: Deadline | None,
    ) -> int:
        """How many bytes a socket call sends or receives. It waits until ``deadline``, which may
        have moved meanwhile, and no longer; then raises ``TimeoutError``.
        """
        if deadline is None:
            self.socket.settimeout(None)
            return transfer(view)
        while (left := deadline.left()) > 0:
            self.socket.settimeout(left)
            with contextlib.suppress(TimeoutError):
                return transfer(view)
        raise TimeoutError

    def close(self) -> None:
        self.socket.close()


def _pieces(parts: Iterable[bytes]) -> Iterator[memoryview]:
    """What is sent in one go: small parts together, a large one as it is, for to copy it takes as
    long as to send it.
    """
    for _, group in groupby(parts, key=lambda part: len(part) >= _LARGE):
        yield memoryview(b"".join(group))
