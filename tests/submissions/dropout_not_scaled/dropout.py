import torch
from torch import nn


def dropout(x, p, training, generator=None):
    if not 0 <= p <= 1:
        raise ValueError(f"p must be between 0 and 1, not {p}")
    if not training:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    return x * keep


class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"p must be between 0 and 1, not {p}")
        self.p = p

    def forward(self, x):
        return dropout(x, self.p, self.training)
