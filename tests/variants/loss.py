"""Right answers to ``loss`` that are written differently."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grader.check import variant


@variant(of="cross_entropy")
def only_rows_that_count(logits, targets, ignore_index=-100, label_smoothing=0.0):
    """Rows that do not count are left out first; then log_softmax, and a number of each row."""
    counts = targets != ignore_index
    z, y = logits[counts], targets[counts]
    log_p = F.log_softmax(z, dim=-1)
    loss = -log_p[torch.arange(len(y), device=y.device), y]
    if label_smoothing:
        loss = (1 - label_smoothing) * loss - label_smoothing * log_p.mean(-1)
    return loss.sum() / max(len(y), 1)


@variant(of="cross_entropy")
def flattened_in_float32(logits, targets, ignore_index=-100, label_smoothing=0.0):
    """As in many programs: one axis of positions, the logarithms in float32, cast back at last."""
    z = logits.reshape(-1, logits.shape[-1])
    z = z.float() if z.dtype == torch.bfloat16 else z
    y = targets.reshape(-1)
    mask = y.ne(ignore_index)
    log_p = z.log_softmax(-1)
    picked = log_p.gather(1, torch.where(mask, y, 0)[:, None])[:, 0]
    loss = -picked
    if label_smoothing != 0.0:
        loss = torch.lerp(loss, -log_p.mean(-1), label_smoothing)
    loss = torch.where(mask, loss, torch.zeros_like(loss))
    return (loss.sum() / mask.sum().clamp_min(1)).to(logits.dtype)


@variant(of="cross_entropy")
def against_the_row_of_the_target(logits, targets, ignore_index=-100, label_smoothing=0.0):
    """The sum of q times the logarithms, where q is 0 it adds nothing."""
    counts = (targets != ignore_index).unsqueeze(-1)
    y = targets.clamp(0, logits.shape[-1] - 1)
    q = F.one_hot(y, logits.shape[-1]) * (1 - label_smoothing)
    q = (q + label_smoothing / logits.shape[-1]).to(logits.dtype) * counts
    log_p = torch.log_softmax(logits, -1)
    terms = q * torch.where(q > 0, log_p, 0.0)
    return -terms.sum() / counts.sum().clamp(min=1)


@variant(of="cross_entropy")
def shifted_by_the_maximum(logits, targets, ignore_index=-100, label_smoothing=0.0):
    """No function of torch's beyond exp and log."""
    counts = targets != ignore_index
    z = logits - logits.amax(-1, keepdim=True).detach()
    total = z.exp().sum(-1).log()
    columns = torch.arange(z.shape[-1], device=z.device)
    of_target = z.where(columns == targets.unsqueeze(-1), torch.zeros_like(z)).sum(-1)
    loss = total - of_target
    if label_smoothing > 0:
        loss = total - (1 - label_smoothing) * of_target - label_smoothing * z.mean(-1)
    n = counts.sum()
    return (loss * counts).sum() / (n if n > 0 else 1)


@variant(of="cross_entropy")
def checked_on_the_way(logits, targets, ignore_index=-100, label_smoothing=0.0):
    """Assertions and prints, as in code that is being debugged."""
    assert logits.shape[:-1] == targets.shape, (logits.shape, targets.shape)
    assert targets.dtype == torch.int64 and 0 <= label_smoothing <= 1
    counts = targets != ignore_index
    known = torch.where(counts, targets, torch.zeros_like(targets))
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    loss = -torch.take_along_dim(log_p, known.unsqueeze(-1), dim=-1).squeeze(-1)
    if label_smoothing > 0:
        loss = loss + label_smoothing * (-log_p.mean(-1) - loss)
    loss = loss.masked_fill(counts.logical_not(), 0)
    mean = loss.sum().div(counts.sum().clamp(min=1))
    print("loss:", mean.item())
    return mean


@variant(of="smoothed_targets")
def by_one_hot(targets, vocab_size, epsilon):
    return (1 - epsilon) * F.one_hot(targets, vocab_size).float() + epsilon / vocab_size


@variant(of="smoothed_targets")
def by_scatter(targets, vocab_size, epsilon):
    rows = torch.full((*targets.shape, vocab_size), epsilon / vocab_size, device=targets.device)
    return rows.scatter(-1, targets[..., None], 1 - epsilon + epsilon / vocab_size)


@variant(of="smoothed_targets")
def rows_of_the_identity(targets, vocab_size, epsilon):
    return torch.lerp(
        torch.eye(vocab_size, device=targets.device)[targets],
        torch.tensor(1 / vocab_size, device=targets.device),
        epsilon,
    )


@variant(of="kl_divergence")
def by_xlogy(p, log_q):
    return (torch.xlogy(p, p) - torch.where(p == 0, 0.0, p * log_q)).sum(dim=-1)


@variant(of="kl_divergence")
def chosen_by_where(p, log_q):
    some = p > 0
    safe = torch.where(some, p, torch.ones_like(p))
    terms = safe * (safe.log() - torch.where(some, log_q, torch.zeros_like(log_q)))
    return terms.where(some, torch.zeros_like(p)).sum(-1)


@variant(of="kl_divergence")
def without_what_is_no_number(p, log_q):
    """0 times -inf is NaN, and NaN is left out."""
    return (p * (p.log() - log_q)).nansum(-1)


@variant(of="kl_divergence")
def entropies_apart(p, log_q):
    """Minus the entropy of p, plus the cross-entropy of both."""
    entropy = torch.special.entr(p).sum(-1)
    crossed = -(p * log_q.masked_fill(p == 0, 0.0)).sum(-1)
    return crossed - entropy


@variant(of="perplexity")
def without_the_function_above(logits, targets, ignore_index=-100):
    log_p = torch.log_softmax(logits, -1)
    counts = targets != ignore_index
    picked = log_p.gather(-1, targets.masked_fill(~counts, 0)[..., None])[..., 0]
    return torch.exp(-(picked.where(counts, 0.0)).sum() / counts.sum().clamp(min=1))


@variant(of="cross_entropy_backward")
def one_hot_subtracted(logits, targets, ignore_index=-100):
    counts = (targets != ignore_index).unsqueeze(-1)
    V = logits.shape[-1]
    y = F.one_hot(targets.clamp(0, V - 1), V)
    return torch.where(counts, logits.softmax(-1) - y, 0.0) / counts.sum().clamp(min=1)


@variant(of="cross_entropy_backward")
def written_into_rows(logits, targets, ignore_index=-100):
    flat, y = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    rows = (y != ignore_index).nonzero().squeeze(-1)
    gradient = torch.zeros_like(flat)
    gradient[rows] = (flat[rows] - flat[rows].logsumexp(-1, keepdim=True)).exp()
    gradient[rows, y[rows]] -= 1
    return (gradient / max(1, rows.numel())).reshape(logits.shape)


@variant(of="cross_entropy_backward")
def by_autograd(logits, targets, ignore_index=-100):
    """The gradient that autograd finds is as right."""
    with torch.enable_grad():
        z = logits.detach().requires_grad_()
        counts = targets != ignore_index
        picked = z.gather(-1, targets.masked_fill(~counts, 0).unsqueeze(-1)).squeeze(-1)
        loss = ((z.logsumexp(-1) - picked) * counts).sum() / counts.sum().clamp(min=1)
        return torch.autograd.grad(loss, z)[0]
