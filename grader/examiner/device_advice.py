"""Would this fail on a GPU? Found out without one: inputs and modules are moved to torch's meta
device, which has shapes but no values, and whatever was made on the CPU all the same meets them.

What is taken to the CPU cannot go on there either, and is told what that costs on a GPU, if the
reference needs none of it. Of values that are only looked at nothing is said: that may well be for
a mistake of the caller's. All of it is advice and costs no marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.errors import GraderError, Raised, SubmissionRaised, ValueMissing, WorkerFailure
from grader.examiner.expected import tensors_of
from grader.examiner.functions_in import Line, functions_in
from grader.model import Cause, Place
from grader.programs.client import Client
from grader.programs.proxy import Implementation

_KINDS = {
    "gpu_numpy": re.compile(r"can't convert meta device type tensor to numpy"),
    "gpu_two_devices": re.compile(r"\bcpu\b.*\bmeta\b|\bmeta\b.*\bcpu\b", re.S),
    "gpu_leaves": re.compile(r"Cannot copy out of meta tensor"),
}

Probe = Callable[[Implementation], Any]


@dataclass(frozen=True)
class Elsewhere:
    """What came of a probe with all inputs elsewhere: the devices of its results, or nothing where
    it could not go on; then ``advice`` may say what to do about it.
    """

    devices: tuple[str, ...] = ()
    went_on: bool = True
    advice: Cause | None = None


def tried_elsewhere(client: Client, probe: Probe) -> Elsewhere:
    """Run the probe with all inputs and modules elsewhere; raises ``WorkerFailure`` only."""
    client.begin()
    client.elsewhere = True
    try:
        results = tensors_of(probe(Implementation(client)))
        return Elsewhere(tuple(tensor.device.type for tensor in results))
    except ValueMissing:
        return Elsewhere(went_on=False)
    except SubmissionRaised as error:
        return Elsewhere(went_on=False, advice=_advice_on(error.raised))
    except WorkerFailure:
        raise
    except (GraderError, AssertionError, TypeError, ValueError, RuntimeError):
        return Elsewhere(went_on=False)
    finally:
        client.elsewhere = False


def advice(found: Elsewhere, right: Elsewhere) -> Cause | None:
    """What to say, given what the submission did elsewhere and what the reference did there."""
    if not found.went_on:
        return found.advice
    stayed = any(
        mine == "cpu" and theirs == "meta"
        for mine, theirs in zip(found.devices, right.devices, strict=False)
    )
    return Cause("gpu_stays") if stayed else None


def with_its_maker(cause: Cause | None, files: Mapping[str, str]) -> Cause | None:
    """With the line of the same function that makes a tensor and names no device, if there is one
    up to where it met another.
    """
    if cause is None or cause.kind != "gpu_two_devices" or cause.place is None:
        return cause
    place = cause.place
    for function in functions_in(files.get(place.file.removesuffix(".py"), "")):
        if any(line.number == place.line for line in function.body):
            made = [
                line.text for line in function.body if line.number <= place.line and _makes(line)
            ]
            if len(made) == 1:
                return replace(cause, facts={**cause.facts, "made_there": made[0]})
    return cause


def _makes(line: Line) -> bool:
    return bool(_MAKERS.search(line.text)) and not _PLACED.search(line.text)


_MAKERS = re.compile(
    r"\btorch\.(?:arange|zeros|ones|full|empty|eye|tensor|rand|randn|randint|randperm|linspace)\("
)
_PLACED = re.compile(r"\bdevice\b|\.to\(|\.cuda\(")


def _advice_on(raised: Raised) -> Cause | None:
    last = raised.last
    place = Place(last.file, last.line, last.text) if last.line else None
    for kind, pattern in _KINDS.items():
        if pattern.search(raised.message):
            return Cause(kind, {"said": f"{raised.type_name}: {raised.message}"}, place)
    return None
