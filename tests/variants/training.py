"""Right answers to ``training`` that are written differently."""

from __future__ import annotations

import random
from itertools import pairwise

import torch
from training import next_token_batch, train_step

from grader.check import variant


@variant(of="next_token_batch")
def a_list_of_slices(data, batch, tokens, generator):
    """As in nanoGPT: slices of the stream, stacked."""
    if data.size(0) < tokens + 1:
        raise ValueError("the stream is too short")
    at = torch.randint(
        0, data.size(0) - tokens, (batch,), generator=generator, device=generator.device
    )
    x = torch.stack([data[i : i + tokens] for i in at.tolist()])
    y = torch.stack([data[i + 1 : i + 1 + tokens] for i in at.tolist()])
    return x, y


@variant(of="next_token_batch")
def all_windows_at_once(data, batch, tokens, generator):
    """unfold shows every window of the stream, without a copy."""
    assert len(data) > tokens, "too short"
    windows = data.unfold(0, tokens + 1, 1)
    uniform = torch.rand(batch, generator=generator, device=generator.device, dtype=torch.float64)
    starts = (uniform * len(windows)).long().to(data.device)
    chosen = windows[starts]
    return chosen.narrow(1, 0, tokens), chosen.narrow(1, 1, tokens)


@variant(of="next_token_batch")
def drawn_one_by_one(data, batch, tokens, generator):
    """A draw for each piece, by the probabilities of a uniform distribution."""
    if len(data) - tokens <= 0:
        raise ValueError(len(data))
    p = torch.ones(len(data) - tokens, device=generator.device)
    starts = torch.multinomial(p, batch, replacement=True, generator=generator)
    steps = torch.arange(tokens, device=starts.device)
    inputs = (starts[:, None] + steps).to(data.device)
    return [data.take(inputs), data.take(inputs + 1)]


@variant(of="teacher_forcing")
def by_where(tgt, pad_id):
    inputs, targets = tgt[:, :-1].clone(), tgt[:, 1:].clone()
    targets[targets == pad_id] = -100
    return inputs, targets


@variant(of="teacher_forcing")
def by_arithmetic(tgt, pad_id):
    B, T = tgt.shape
    real = (tgt != pad_id)[:, 1:].long()
    return tgt.narrow(1, 0, T - 1), tgt[:, 1:] * real - 100 * (1 - real)


@variant(of="teacher_forcing")
def column_by_column(tgt, pad_id):
    """Two lists that grow side by side, and a tensor of its own for the mark."""
    columns = tgt.unbind(1)
    inputs, targets = [], []
    for now, following in pairwise(columns):
        inputs.append(now)
        targets.append(
            torch.where(following.eq(pad_id), torch.full_like(following, -100), following)
        )
    return [torch.stack(side, dim=1) for side in (inputs, targets)]


@variant(of="train_step")
def one_graph_for_all(model, batches, optimizer, max_norm=None):
    """The losses are added up, and differentiated once; gradients are clipped by hand."""
    total = max(sum(int(y.ne(-100).sum()) for _, y in batches), 1)
    loss = sum(model(x, y)[1] * int(y.ne(-100).sum()) for x, y in batches) / total
    optimizer.zero_grad()
    loss.backward()
    if max_norm is not None:
        grads = [w.grad for w in model.parameters() if w.grad is not None]
        norm = torch.sqrt(sum(g.square().sum() for g in grads))
        if norm > max_norm:
            for g in grads:
                g.mul_(max_norm / norm)
    optimizer.step()
    return float(loss)


@variant(of="train_step")
def sums_divided_at_the_end(model, batches, optimizer, max_norm=None):
    """Gradients of sums are collected, and divided before the step; zeroed afterwards too."""
    for weight in model.parameters():
        weight.grad = None
    loss_sum, count = 0.0, 0
    for idx, targets in batches:
        n = (targets >= 0).sum().item()
        _, loss = model(idx, targets)
        (loss * n).backward()
        loss_sum += loss.item() * n
        count += n
    count = max(count, 1)
    for weight in model.parameters():
        if weight.grad is not None:
            weight.grad /= count
    if max_norm is not None:
        torch.nn.utils.clip_grad_norm_([w for w in model.parameters() if w.requires_grad], max_norm)
    optimizer.step()
    optimizer.zero_grad()
    return loss_sum / count


@variant(of="train_step")
def gradients_by_autograd_grad(model, batches, optimizer, max_norm=None):
    """Gradients are asked for, weighted, and only then written into .grad."""
    weights = [w for w in model.parameters() if w.requires_grad]
    counts = torch.stack([(y != -100).sum() for _, y in batches])
    shares = counts / counts.sum().clamp(min=1)
    collected, mean, used = [torch.zeros_like(w) for w in weights], 0.0, set()
    for share, (x, y) in zip(shares, batches, strict=True):
        loss = model(x, y)[1]
        found = torch.autograd.grad(loss, weights, allow_unused=True)
        for i, g in enumerate(found):
            if g is not None:
                collected[i] = collected[i] + share * g
                used.add(i)
        mean = mean + share * loss.detach()
    if max_norm is not None:
        norm = torch.cat([c.flatten() for c in collected]).norm()
        collected = [c * (max_norm / (norm + 1e-6)).clamp(max=1.0) for c in collected]
    for i, w in enumerate(weights):
        w.grad = collected[i] if i in used else None
    optimizer.step()
    return mean.item()


@variant(of="evaluate")
def modes_in_a_list(model, batches):
    parts = list(model.modules())
    before = [part.training for part in parts]
    model.train(False)
    sums, counts = [], []
    try:
        with torch.inference_mode():
            for x, y in batches:
                counts.append((y != -100).sum())
                sums.append(model(x, y)[1] * counts[-1])
    finally:
        for part, mode in zip(parts, before, strict=True):
            part.training = mode
    return (torch.stack(sums).sum() / torch.stack(counts).sum().clamp(min=1)).item()


@variant(of="evaluate")
def running_mean(model, batches):
    """A mean that is corrected with every batch."""
    active = [part for part in model.modules() if part.training]
    mean, seen = 0.0, 0
    for part in active:
        part.training = False
    with torch.set_grad_enabled(False):
        for idx, targets in batches:
            n = len(targets[targets != -100])
            if n:
                seen += n
                mean += (model(idx, targets)[1].item() - mean) * n / seen
    for part in active:
        part.training = True
    return mean


@variant(of="fit")
def as_one_expression(model, data, steps, *, batch, tokens, lr, generator):
    opt = torch.optim.AdamW(model.train().parameters(), lr=lr, foreach=False)

    def loss():
        return train_step(model, [next_token_batch(data, batch, tokens, generator)], opt)

    return [loss() for _ in range(steps)]


@variant(of="fit")
def written_out(model, data, steps, *, batch, tokens, lr, generator):
    """Without train_step, and with an AdamW of its own."""
    model.train()
    weights = [w for w in model.parameters() if w.requires_grad]
    m, v = [torch.zeros_like(w) for w in weights], [torch.zeros_like(w) for w in weights]
    losses = []
    for t in range(1, steps + 1):
        loss = model(*next_token_batch(data, batch, tokens, generator))[1]
        losses.append(loss.item())
        gradients = torch.autograd.grad(loss, weights, allow_unused=True)
        with torch.no_grad():
            for i, (w, g) in enumerate(zip(weights, gradients, strict=True)):
                if g is None:
                    continue
                m[i] = 0.9 * m[i] + 0.1 * g
                v[i] = 0.999 * v[i] + 0.001 * g * g
                w *= 1 - lr * 0.01
                w -= lr * (m[i] / (1 - 0.9**t)) / ((v[i] / (1 - 0.999**t)).sqrt() + 1e-8)
    return losses


@variant(of="fit")
def with_everything_spelled_out(model, data, steps, *, batch, tokens, lr, generator):
    for part in model.modules():
        part.train()
    optimizer = torch.optim.AdamW(
        list(model.parameters()), lr=lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01
    )
    history: list[float] = []
    while len(history) < steps:
        inputs, targets = next_token_batch(data, batch, tokens, generator)
        history += [train_step(model, [(inputs, targets)], optimizer, None)]
    return history


@variant(of="next_token_batch")
def places_from_python(data, batch, tokens, generator):
    """One number of the generator is the seed of Python's own dice."""
    places = data.numel() - tokens
    assert places > 0, "no piece has all of its targets"
    dice = random.Random(
        int(torch.randint(2**62, (), generator=generator, device=generator.device))
    )
    begins = [dice.randrange(places) for _ in range(batch)]
    both = torch.stack([data.narrow(0, at, tokens + 1) for at in begins])
    return both[:, :-1], both[:, 1:]


@variant(of="evaluate")
def one_after_another(model, batches):
    """Asked for by next(), and the mode kept on the parts that were in train mode."""
    was = {part: part.training for part in model.modules()}
    model.train(False)
    source, total, count = iter(batches), 0.0, 0
    while (pair := next(source, None)) is not None:
        with torch.inference_mode():
            loss = model(*pair)[1].item()
        n = int(torch.count_nonzero(pair[1] + 100))
        total, count = total + n * loss, count + n
    for part in reversed(list(was)):
        part.training = was[part]
    return total / count if count else 0.0


@variant(of="fit")
def all_batches_first(model, data, steps, *, batch, tokens, lr, generator):
    """The same draws in the same order, before the first step."""
    model.train(True)
    groups = [{"params": [weight]} for weight in model.parameters()]
    optimizer = torch.optim.AdamW(groups, lr, foreach=False)
    drawn = [next_token_batch(data, batch, tokens, generator) for _ in range(steps)]
    return [train_step(model, [pair], optimizer, max_norm=None) for pair in drawn]
