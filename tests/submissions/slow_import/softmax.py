import time

time.sleep(60)


def softmax(x, dim=-1):
    return x.softmax(dim)
