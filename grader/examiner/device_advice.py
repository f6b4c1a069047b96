"""Would this fail on a GPU? Found out without one: inputs and modules are moved to torch's meta
device, which has shapes but no values, and whatever was made on the CPU all the same meets them.

What needs values cannot go on there either, and is told what that costs on a GPU, if the reference
needs none: ``.item()`` waits for all work that is still queued, and ``.cpu()`` takes the rest of
the work off the GPU. Of an ``if`` nothing is said: it may well look for a mistake of the caller's.
All of it is advice and costs no marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from grader.errors import GraderError, Raised, SubmissionRaised, WorkerFailure
from grader.examiner.expected import tensors_of
from grader.programs.client import Client
from grader.programs.proxy import Implementation

_TWO_DEVICES = re.compile(r"\bcpu\b.*\bmeta\b|\bmeta\b.*\bcpu\b", re.S)
_READS = re.compile(r"item\(\) cannot be called on meta")
_READING = re.compile(r"\.item\(|\b(float|int)\(")
_LEAVES = re.compile(r"Cannot copy out of meta tensor")
_TO_NUMPY = re.compile(r"can't convert meta device type tensor to numpy")

Probe = Callable[[Implementation], Any]


def devices_elsewhere(client: Client, probe: Probe) -> list[str] | str:
    """On which devices the results are when all inputs are elsewhere; or what to say of the line
    that could not go on there.

    Raises ``WorkerFailure`` and nothing else.
    """
    client.begin()
    client.elsewhere = True
    try:
        return [tensor.device.type for tensor in tensors_of(probe(Implementation(client)))]
    except SubmissionRaised as error:
        return _said_of(error.raised)
    except WorkerFailure:
        raise
    except (GraderError, AssertionError, TypeError, ValueError, RuntimeError):
        return ""
    finally:
        client.elsewhere = False


def _said_of(raised: Raised) -> str:
    place = f"`{raised.text}` ({raised.file}, line {raised.line})" if raised.line else "Your code"
    if _TO_NUMPY.search(raised.message):
        return (
            f"Would fail on a GPU: {place} makes a numpy array of a tensor, which only one on the "
            "CPU can become. Stay with torch's operations."
        )
    if _TWO_DEVICES.search(raised.message):
        return (
            f"Would fail on a GPU: {raised}. Something here is made on the CPU; make it with "
            "device=x.device, or as a buffer if it belongs to a module."
        )
    if _LEAVES.search(raised.message):
        return (
            f"{place} takes a tensor's values to the CPU. On a GPU that waits for all work before "
            "it, and what follows is slow: stay with torch's operations, on the tensor's device."
        )
    if _READS.search(raised.message) and _READING.search(raised.text):
        return (
            f"{place} reads a value out of a tensor. On a GPU that waits until all work before it "
            "is done: decide with torch.where, masked_fill, max or sizes, and leave values there."
        )
    return ""


def advice(found: list[str] | str, right: list[str] | str) -> str:
    """What to say, given what the submission did elsewhere and what the reference did there."""
    if not isinstance(right, list):
        return ""
    if isinstance(found, str):
        return found
    stayed = any(
        mine == "cpu" and theirs == "meta" for mine, theirs in zip(found, right, strict=False)
    )
    return "Would return a tensor on the CPU although its inputs are on a GPU." if stayed else ""
