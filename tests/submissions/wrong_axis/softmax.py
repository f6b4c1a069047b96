import torch


def softmax(x, dim=-1):
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def logsumexp(x, dim=-1, keepdim=False):
    top = x.amax(dim, keepdim=True)
    total = top + (x - top).exp().sum(dim, keepdim=True).log()
    return total if keepdim else total.squeeze(dim)


def log_softmax(x, dim=-1):
    return x - logsumexp(x, dim, keepdim=True)


def softmax_backward(grad_out, y, dim=-1):
    return y * (grad_out - (grad_out * y).sum(dim, keepdim=True))
