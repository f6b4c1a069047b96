import torch


def softmax(x, dim=-1):
    return torch.softmax(x, dim)


def log_sum_exp(x, dim=-1, keepdim=False):
    return torch.logsumexp(x, dim, keepdim)
