"""Whatever a worker sends is read as agreed, or is one of the agreed failures.

A normal run tries a hundred of each; ``--hypothesis-profile=long`` tries many more.
"""

from __future__ import annotations

import json

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import DeadlinePassed, ProtocolViolation, WorkerDied
from grader.sandbox.channel import MAGIC, PREFIX, Channel
from grader.sandbox.deadline import Deadline
from grader.sandbox.decoder import Decoder
from grader.sandbox.encoder import Encoder
from grader.sandbox.own_text import placed, raised_from
from grader.sandbox.protocol import (
    MAX_HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    NUMPY_DTYPES,
    TORCH_DTYPES,
    printable,
)

KINDS = ["list", "tuple", "dict", "tensor", "array", "dtype", "device", "object", "generator"]
KINDS += ["bytes", "refused", "result", "leaf", "built", "pickle"]
PAYLOAD = bytes(range(256)) * 4

numbers = st.integers() | st.integers(-2, 9) | st.floats() | st.sampled_from([2**31, 2**63])
texts = st.text() | st.sampled_from([*TORCH_DTYPES, "cpu", "meta", "cuda:0", "a.py"])
atoms = st.none() | st.booleans() | numbers | texts
sizes = st.integers(0, 20) | st.sampled_from([-1, 2**31 - 1, 2**31])
tensors = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(sorted(TORCH_DTYPES.keys() | NUMPY_DTYPES.keys() | {"object"})),
        "shape": st.lists(sizes, max_size=9),
        "device": st.sampled_from(["cpu", "meta", "cuda:0", "mars"]),
    },
    optional={"offset": atoms},
)


def forms(inner):
    pairs = st.lists(st.tuples(inner, inner).map(list))
    known = st.tuples(st.sampled_from(KINDS), inner | tensors | pairs | st.lists(inner)).map(list)
    return known | st.lists(inner) | st.dictionaries(texts, inner)


trees = st.recursive(atoms | tensors, forms, max_leaves=30)
small = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["float64", "int64", "uint8"]),
        "shape": st.lists(st.sampled_from([2, 4]), min_size=1, max_size=2),
        "device": st.just("cpu"),
    }
)
packs = st.recursive(
    st.tuples(st.sampled_from(["tensor", "array"]), small).map(list)
    | st.tuples(st.just("bytes"), st.integers(0, 40)).map(list),
    lambda inner: st.lists(inner, min_size=1, max_size=6).map(lambda items: ["list", items]),
    max_leaves=12,
)
keys = st.none() | st.integers() | texts | st.binary()
values = st.recursive(
    atoms | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(keys | st.tuples(keys, keys), inner)
    ),
    max_leaves=20,
)


def bytes_of(value):
    """Of all tensors and arrays in a value that have any of their own."""
    if isinstance(value, torch.Tensor):
        return 0 if value.device.type == "meta" else value.nbytes
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    return sum(map(bytes_of, value)) if isinstance(value, (list, tuple)) else 0


class Bytes:
    """Stands for a socket on whose far side somebody has written this and gone."""

    def __init__(self, raw):
        self.raw, self.asked, self.given = raw, 0, 0

    def recv_into(self, view):
        self.asked = max(self.asked, self.given + len(view))
        piece, self.raw = self.raw[: len(view)], self.raw[len(view) :]
        self.given += len(piece)
        view[: len(piece)] = piece
        return len(piece)

    def settimeout(self, seconds):
        assert seconds is None or seconds > 0


def heard(raw):
    """How much room the channel made for these bytes, and what it made of them, if anything."""
    line = Bytes(raw)
    try:
        value = Channel(line).receive(Deadline(60))
    except (ProtocolViolation, WorkerDied, DeadlinePassed):
        value = None
    return line.asked, value


@given(trees | packs, st.integers(0, 12).map(lambda n: PAYLOAD[: 16 * n]))
def test_a_tree_becomes_no_more_than_its_payload(tree, payload):
    """Every byte is used once, whatever the forms say."""
    try:
        value = Decoder(memoryview(payload)).decode(tree)
    except ProtocolViolation:
        return

    assert bytes_of(value) <= len(payload)


@given(st.dictionaries(texts, trees), st.binary() | st.just(PAYLOAD))
def test_a_frame_is_read_or_refused(tree, payload):
    """A whole frame, of which everything but the form is right."""
    header = json.dumps(tree).encode()
    heard(PREFIX.pack(MAGIC, len(header), len(payload)) + header + payload)


@given(st.binary(), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1), st.binary())
def test_no_room_is_made_for_what_may_not_come(magic, header_bytes, payload_bytes, rest):
    """What a prefix claims is checked before memory is asked for."""
    raw = PREFIX.pack(MAGIC if len(magic) < 4 else magic[:4], header_bytes, payload_bytes) + rest
    asked, _ = heard(raw)

    assert asked <= PREFIX.size + MAX_HEADER_BYTES + MAX_PAYLOAD_BYTES


@given(st.binary(max_size=200), st.data())
def test_a_damaged_frame_is_read_or_refused(noise, data):
    """A right frame with bytes put in, taken out or exchanged anywhere."""
    encoder = Encoder()
    tree = {
        "value": encoder.encode([torch.arange(6.0), np.eye(2), {(b"a", 1): b"bc"}]),
        "number": 0,
    }
    header = json.dumps(tree).encode()
    whole = PREFIX.pack(MAGIC, len(header), encoder.size) + header + b"".join(encoder.chunks)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    heard(whole[:start] + noise + whole[end:])


@given(values)
def test_what_was_encoded_is_decoded(value):
    """Every plain value arrives as what it was, and nothing is left over."""
    encoder = Encoder()
    tree = json.loads(json.dumps(encoder.encode(value)))
    decoder = Decoder(memoryview(b"".join(encoder.chunks)))

    assert repr(decoder.decode(tree)) == repr(value)
    decoder.finish()


described = st.fixed_dictionaries(
    {},
    optional={
        "type_name": texts | st.just("ModuleNotFoundError"),
        "message": texts | atoms,
        "lines": st.lists(st.tuples(texts | atoms, numbers) | atoms, max_size=3) | atoms,
        "memory": st.booleans() | atoms,
        "by_hand": st.booleans() | atoms,
    },
)


@given(described | trees, st.dictionaries(st.sampled_from(["a", "b"]), st.text()))
def test_an_exception_is_told_or_refused(form, files):
    """In bounded words, one line each, and with a place that exists."""
    try:
        raised = raised_from(placed(form, files))
    except ProtocolViolation:
        return

    assert len(str(raised)) < 2000
    assert {line.file.removesuffix(".py") for line in raised.lines} <= files.keys()
    assert "\n" not in str(raised)


@given(st.text(), st.integers(2, 50))
def test_text_is_one_short_line(text, limit):
    """Whatever it was, it can be shown."""
    shown = printable(text, limit)

    assert len(shown) <= limit
    assert all(character.isprintable() for character in shown)
    assert shown.splitlines() in ([], [shown])
