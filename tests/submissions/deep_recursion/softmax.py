import torch


def softmax(x, dim=-1):
    return softmax(x - x.amax(dim, keepdim=True), dim)


def logsumexp(x, dim=-1, keepdim=False):
    top = x.amax(dim, keepdim=True)
    total = top + (x - top).exp().sum(dim, keepdim=True).log()
    return total if keepdim else total.squeeze(dim)
