"""Gradients as they come from the far side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from grader.errors import ProtocolViolation


@dataclass(frozen=True)
class Gradients:
    """Vector-Jacobian products: by input, in order, and by parameter name, of which a parameter
    may have several.
    """

    attached: list[bool]
    leaves: list[torch.Tensor | None]
    parameters: dict[str, torch.Tensor | None]
    aliases: Mapping[str, str]

    def of_parameter(self, name: str) -> torch.Tensor | None:
        return self.parameters.get(self.aliases.get(name, name))


def read_gradients(reply: Mapping[str, Any], outputs: int, inputs: int) -> Gradients:
    """What an untrusted worker says; raises ``ProtocolViolation`` if it is of another form, or not
    as much as was asked for.
    """
    attached, leaves, named = (reply.get(k) for k in ("attached", "leaves", "parameters"))
    aliases = reply.get("aliases")
    if not (type(attached) is list and type(leaves) is list and type(named) is dict):
        raise ProtocolViolation("the worker's gradients are not of the form asked for")
    if len(attached) != outputs or len(leaves) != inputs:
        raise ProtocolViolation("the worker's gradients are not as many as asked for")
    if type(aliases) is not dict or any(type(name) is not str for name in aliases.values()):
        raise ProtocolViolation("the worker did not say which parameters have several names")
    return Gradients([flag is True for flag in attached], leaves, named, aliases)
