"""Both ends of a channel, and what each of them hears."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from grader.sandbox.channel import MAGIC, PREFIX, Channel
from grader.sandbox.deadline import Deadline


class Line:
    """Two ends of one socket pair: ``near`` is the grader's, ``far`` the worker's."""

    def __init__(self):
        near, far = socket.socketpair()
        self.near, self.far = Channel(near), Channel(far)

    def cross(self, value):
        """What arrives at the grader when a worker sends ``value``."""
        self.far.send({"value": value})
        return self.near.receive(soon())["value"]

    def hand_in(self, value):
        """What arrives at the worker when the grader sends ``value``."""
        sending = threading.Thread(target=self.near.send, args=({"value": value}, soon()))
        sending.start()
        try:
            return self.far.receive(soon(), inputs=True)["value"]
        finally:
            self.far.close()
            sending.join()

    def hear(self, raw: bytes):
        """What the grader makes of bytes after which the worker has gone."""
        self.far.socket.sendall(raw)
        self.far.close()
        return self.near.receive(soon())

    def hear_value(self, form, payload=b""):
        """What the grader makes of a frame whose value has this form."""
        header = json.dumps({"value": form}).encode()
        raw = PREFIX.pack(MAGIC, len(header), len(payload)) + header + payload
        return self.hear(raw)["value"]

    def close(self):
        self.near.close()
        self.far.close()


def soon():
    return Deadline(5.0)


@pytest.fixture
def new_line():
    """``new_line()`` is a line of its own; all are closed in the end."""
    lines = []

    def new_line():
        lines.append(Line())
        return lines[-1]

    yield new_line
    for line in lines:
        line.close()


@pytest.fixture
def line(new_line):
    return new_line()
