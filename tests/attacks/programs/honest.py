"""As fast as the reference: what the others are measured by."""

import torch

EYE = torch.eye(300)


def double(x):
    for _ in range(40):
        x = x @ EYE
    return x + x
