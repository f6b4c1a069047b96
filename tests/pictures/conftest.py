"""Sample submissions, and what there is to see of them."""

from __future__ import annotations

import struct
import zlib
from functools import cache

import pytest

from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.pictures import look, scene_of
from grader.programs.program import SubmissionProgram

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SAMPLES = COURSE.root / "tests" / "submissions"


@pytest.fixture(scope="session")
def sample():
    """``sample(name)`` is one of the sample submissions."""
    return lambda name: collect(SAMPLES / name, CATALOG)[0]


@pytest.fixture(scope="session")
def seen_of(sandbox):
    """``seen_of(exercise, submission)``: what both sides computed, panel by panel."""

    def seen_of(exercise, submission):
        program = SubmissionProgram(submission, sandbox)
        return look(COURSE, CATALOG[exercise], scene_of(COURSE, exercise), program)

    return seen_of


@pytest.fixture(scope="session")
def perfect(sample, seen_of):
    """What there is to see of the perfect sample, each exercise looked at once."""
    return cache(lambda exercise: seen_of(exercise, sample("perfect")))


@pytest.fixture(scope="session")
def chunks():
    """The chunks of a PNG by kind; a wrong checksum fails."""

    def chunks(image: bytes):
        at, found = 8, {}
        while at < len(image):
            (length,) = struct.unpack(">I", image[at : at + 4])
            kind, data = image[at + 4 : at + 8], image[at + 8 : at + 8 + length]
            assert zlib.crc32(kind + data) == struct.unpack(">I", image[at + 8 + length :][:4])[0]
            found[kind] = data
            at += 12 + length
        return found

    return chunks
