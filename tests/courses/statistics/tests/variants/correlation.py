"""Right answers to ``correlation`` that are written differently."""

from __future__ import annotations

import torch
from torch import nn

from grader.check import variant


@variant(of="Correlation")
class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("sums", torch.zeros(5))

    def forward(self, x, y):
        n = self.count = self.count + x.shape[0]
        parts = [x.sum(), y.sum(), x @ x, y @ y, x @ y]
        self.sums = self.sums + torch.stack(parts)
        a, b, aa, bb, ab = self.sums
        return (n * ab - a * b) / ((n * aa - a * a) * (n * bb - b * b)).sqrt()
