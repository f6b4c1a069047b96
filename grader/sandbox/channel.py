"""Frames over a stream socket: a fixed prefix, a JSON header, a payload of raw bytes.

The prefix holds a magic number and both lengths, which are checked before anything is read.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

from grader.errors import DeadlinePassed, ProtocolViolation, WorkerDied
from grader.sandbox.deadline import Deadline
from grader.sandbox.decoder import Decoder
from grader.sandbox.encoder import Encoder
from grader.sandbox.protocol import require

MAGIC = b"GRD1"
PREFIX = struct.Struct("!4sIQ")
MAX_HEADER_BYTES = 1 << 20
MAX_PAYLOAD_BYTES = 256 << 20


class Channel:
    """Frames over a stream socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock

    def send(self, message: dict[str, Any], deadline: Deadline | None = None) -> None:
        """Send a dict of values; raises ``WorkerDied`` when nobody is there to read it."""
        encoder = Encoder()
        tree = {key: encoder.encode(value) for key, value in message.items()}
        header = json.dumps(tree, separators=(",", ":")).encode()
        prefix = PREFIX.pack(MAGIC, len(header), encoder.size)
        try:
            self._allow_until(deadline)
            self.socket.sendall(b"".join([prefix, header, *encoder.chunks]))
        except TimeoutError:
            raise DeadlinePassed("the worker had not read its request in time") from None
        except OSError as error:
            raise WorkerDied("the worker is gone") from error

    def receive(self, deadline: Deadline | None = None, *, inputs: bool = False) -> dict[str, Any]:
        """The next frame, as a dict of values.

        A worker reads ``inputs``, whose header holds a whole submission and has no limit.
        """
        magic, header_bytes, payload_bytes = PREFIX.unpack(self._read(PREFIX.size, deadline))
        require(magic == MAGIC, "the opening bytes")
        require(inputs or header_bytes <= MAX_HEADER_BYTES, "a header that long")
        require(payload_bytes <= MAX_PAYLOAD_BYTES, "a payload that long")
        header = self._read(header_bytes, deadline)
        payload = self._read(payload_bytes, deadline)
        try:
            tree = json.loads(header)
        except (ValueError, RecursionError) as error:
            raise ProtocolViolation("the worker's reply is not JSON") from error
        require(type(tree) is dict, "a header that is no object")
        decoder = Decoder(payload, inputs=inputs)
        return {key: decoder.decode(value) for key, value in tree.items()}

    def _read(self, size: int, deadline: Deadline | None) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        got = 0
        while got < size:
            try:
                self._allow_until(deadline)
                count = self.socket.recv_into(view[got:])
            except TimeoutError:
                raise DeadlinePassed("the worker had not answered in time") from None
            except OSError as error:
                raise WorkerDied("the worker is gone") from error
            if not count:
                raise WorkerDied("the worker is gone")
            got += count
        return data

    def _allow_until(self, deadline: Deadline | None) -> None:
        """Let the next socket call wait until ``deadline`` and no longer."""
        if deadline is None:
            self.socket.settimeout(None)
        elif (left := deadline.left()) > 0:
            self.socket.settimeout(left)
        else:
            raise TimeoutError

    def close(self) -> None:
        self.socket.close()
