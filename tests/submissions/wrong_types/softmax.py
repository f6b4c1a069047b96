import math


def softmax(x, dim=-1):
    e = [math.exp(v) for v in x.flatten().tolist()]
    return [v / sum(e) for v in e]


def logsumexp(x, dim=-1, keepdim=False):
    return x.detach().numpy().sum(dim)


def log_softmax(x, dim=-1):
    print(softmax(x, dim))


def softmax_backward(grad_out, y, dim=-1):
    return (value for value in grad_out)
