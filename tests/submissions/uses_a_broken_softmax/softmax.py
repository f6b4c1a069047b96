def softmax(x, dim=-1):
    raise NotImplementedError("softmax: replace this line")
