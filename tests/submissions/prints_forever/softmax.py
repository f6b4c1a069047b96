import torch


def softmax(x, dim=-1):
    print("softmax of", tuple(x.shape))
    return torch.softmax(x, dim)


def softmax_backward(grad_out, y, dim=-1):
    while True:
        print("still here", y)


def logsumexp(x, dim=-1, keepdim=False):
    return torch.logsumexp(x, dim, keepdim)


def log_softmax(x, dim=-1):
    return torch.log_softmax(x, dim)
