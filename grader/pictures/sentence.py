"""A sentence of five words to draw with: who attends to whom, and what depends on what.

Where several scenes of a course ask about the same words, their pictures can be laid side by side.
"""

from __future__ import annotations

import torch

from grader.pictures.panels import Axis, normal

WORDS = ("a", "dog", "bit", "the", "man")
T = len(WORDS)

# Of attention, and of how strongly a layer's outputs depend on its inputs.
QUERIES = Axis("query", ticks=WORDS)
KEYS = Axis("key", ticks=WORDS)
INPUTS = Axis("depends on", ticks=WORDS)
OUTPUTS = Axis("output", ticks=WORDS)

# Five columns say what a word is, five more which one it is. Where queries and keys are made of the
# first, and values hand on the others, an output is the attention itself. (T, 2 T)
VECTORS = torch.cat([normal(T, T, seed=21), torch.eye(T)], dim=-1)
UNUSED = torch.zeros(T, T)  # the rows of a matrix that takes nothing from five of the columns
