"""Rests, so that little processor time goes by for what is twice the work."""

import time

import torch

EYE = torch.eye(300)


def double(x):
    for step in range(84):
        if step % 20 == 0:
            time.sleep(0.001)
        x = x @ EYE
    return x + x
