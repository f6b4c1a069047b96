import torch


def softmax(x, dim=-1):
    print("softmax of", tuple(x.shape))
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def softmax_backward(grad_out, y, dim=-1):
    while True:
        print("still here", "." * 1000)


def logsumexp(x, dim=-1, keepdim=False):
    top = x.amax(dim, keepdim=True)
    total = top + (x - top).exp().sum(dim, keepdim=True).log()
    return total if keepdim else total.squeeze(dim)


def log_softmax(x, dim=-1):
    return x - logsumexp(x, dim, keepdim=True)
