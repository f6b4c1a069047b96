"""Does the work on two cores at once, so that the wall clock shows half of it."""

import queue
import threading

import torch

EYE = torch.eye(300)
TODO, DONE = queue.Queue(), queue.Queue()


def _work():
    while True:
        number, rows = TODO.get()
        for _ in range(84):
            rows = rows @ EYE
        DONE.put((number, rows))


for _ in range(2):
    threading.Thread(target=_work, daemon=True).start()


def double(x):
    for part in enumerate(x.chunk(2)):
        TODO.put(part)
    parts = dict(DONE.get() for _ in range(2))
    x = torch.cat([parts[0], parts[1]])
    return x + x
