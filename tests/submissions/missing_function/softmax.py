import torch


def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1, keepdim=False):
    top = x.amax(dim, keepdim=True)
    total = top + (x - top).exp().sum(dim, keepdim=True).log()
    return total if keepdim else total.squeeze(dim)
