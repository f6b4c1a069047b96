import torch


def softmax(x, dim=-1):
    return softmax(x - x.amax(dim, keepdim=True), dim)


def logsumexp(x, dim=-1, keepdim=False):
    return torch.logsumexp(x, dim, keepdim)
