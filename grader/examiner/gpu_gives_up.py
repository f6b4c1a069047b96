"""What is wrong with an index ends a GPU's work for the whole process: nothing that comes later can
be computed there, and what it says names neither the mistake nor its line.

So a program of ours is tried on the CPU first, where the same mistake is an exception like any
other, and who is examined and ended a GPU's work is told what the CPU says of it.
"""

from __future__ import annotations

import re

import torch

from grader.errors import SandboxError, SubmissionRaised
from grader.sandbox.devices import gave_up

# What torch says on the CPU of what is only found out on a GPU once it is too late.
_ON_THE_CPU = re.compile(
    r"out of (?:range|bounds)|probability tensor contains|p_in >= 0 && p_in <= 1|Class values must"
    r"|should be between 0 and 1",
    re.IGNORECASE,
)


def would_give_up(error: BaseException | None) -> bool:
    """Whether a GPU would have given up where this was raised on the CPU."""
    if not isinstance(error, SubmissionRaised):
        return False
    raised = error.raised
    return raised.type_name == "IndexError" or bool(_ON_THE_CPU.search(raised.message))


def has_given_up(error: BaseException | None) -> bool:
    """Whether this was raised because a GPU gave up."""
    return isinstance(error, SubmissionRaised) and gave_up(error.raised.message)


def require_answers(device: str) -> None:
    """Raises ``SandboxError`` if nothing can be computed on ``device`` in this process any more:
    no verdict may rest on that.
    """
    if device == "cpu":
        return
    try:
        torch.ones(1, device=device).item()
    except RuntimeError as error:
        raise SandboxError(f"{device} no longer answers the grader's own process") from error
