import torch
from a_package_nobody_has import rearrange


def softmax(x, dim=-1):
    return rearrange(torch.softmax(x, dim), "... -> ...")
