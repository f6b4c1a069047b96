"""Would this fail on a GPU? Found out without one: inputs and modules are moved to torch's meta
device, which has shapes but no values, and whatever was made on the CPU all the same meets them.

It is advice and costs no marks. A program that reads values (``.item()``, a loop over a mask) is
none the worse for it, and nothing is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from grader.errors import GraderError, SubmissionRaised, WorkerFailure
from grader.examiner.caller import Caller
from grader.examiner.comparison import tensors_of
from grader.examiner.implementation import Implementation

_TWO_DEVICES = re.compile(r"\bcpu\b.*\bmeta\b|\bmeta\b.*\bcpu\b", re.S)

Probe = Callable[[Implementation], Any]


def devices_elsewhere(caller: Caller, probe: Probe) -> list[str] | str:
    """On which devices the results are when all inputs are elsewhere; or what went wrong.

    Raises ``WorkerFailure`` and nothing else.
    """
    caller.begin()
    caller.elsewhere = True
    try:
        return [tensor.device.type for tensor in tensors_of(probe(Implementation(caller)))]
    except SubmissionRaised as error:
        return str(error.raised) if _TWO_DEVICES.search(error.raised.message) else ""
    except WorkerFailure:
        raise
    except (GraderError, AssertionError, TypeError, ValueError, RuntimeError):
        return ""
    finally:
        caller.elsewhere = False


def advice(found: list[str] | str, right: list[str] | str) -> str:
    """What to say, given what the submission did elsewhere and what the reference did there."""
    if not isinstance(right, list) or not found:
        return ""
    if isinstance(found, str):
        return (
            f"Would fail on a GPU: {found}. Something here is made on the CPU; make it with "
            "device=x.device, or as a buffer if it belongs to a module."
        )
    stayed = any(
        mine == "cpu" and theirs == "meta" for mine, theirs in zip(found, right, strict=False)
    )
    return "Would return a tensor on the CPU although its inputs are on a GPU." if stayed else ""
