import torch


def softmax(x, dim=-1):
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def logsumexp(x, dim=-1, keepdim=False):
    return torch.logsumexp(x, dim, keepdim)


def log_softmax(x, dim=-1):
    return x - logsumexp(x, dim, keepdim=True)


def softmax_backward(grad_out, y, dim=-1):
    return y * (grad_out - (grad_out * y).sum(dim, keepdim=True))
