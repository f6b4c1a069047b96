"""The front door for authors: all that a suite, a bank or a file of variants may import.

A suite is an ordinary pytest file; what its checks ask for (``compare``, ``submission``, ``draw``,
``reference``, ``given``, ``device``, ``faster_than``, ``leaner_than``) needs no import.
"""

from __future__ import annotations

from grader.errors import SubmissionRaised
from grader.programs.bank import Bank, load_bank, variant
from grader.programs.coins import dependence
from grader.programs.covering import pairs
from grader.programs.draw import Draw, SeededGenerator
from grader.programs.dropped import alike_along, demand_others_dropped, levels, spread_faults
from grader.programs.failure import CheckFailed, finding
from grader.programs.given import statements_changed
from grader.programs.kinds import kind_name
from grader.programs.observe import (
    autocast,
    gradient,
    gradient_by_shape,
    inputs_of,
    on_meta,
    on_one_device,
    torch_module,
    work_of,
)
from grader.programs.page import load_by_path
from grader.programs.predictions import Answer, Predictions
from grader.programs.refusal import refuses
from grader.programs.started import demand_random_start
from grader.programs.under_test import UnderTest
from grader.programs.usable import usable
from grader.sandbox.protocol import printable

__all__ = [
    "Answer",
    "Bank",
    "CheckFailed",
    "Draw",
    "Predictions",
    "SeededGenerator",
    "SubmissionRaised",
    "UnderTest",
    "alike_along",
    "autocast",
    "demand_others_dropped",
    "demand_random_start",
    "dependence",
    "finding",
    "gradient",
    "gradient_by_shape",
    "inputs_of",
    "kind_name",
    "levels",
    "load_bank",
    "load_by_path",
    "on_meta",
    "on_one_device",
    "pairs",
    "printable",
    "refuses",
    "spread_faults",
    "statements_changed",
    "torch_module",
    "usable",
    "variant",
    "work_of",
]
