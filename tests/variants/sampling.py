"""Right answers to ``sampling`` that are written differently."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from sampling import apply_temperature, sample, top_k_filter, top_p_filter

from grader.check import variant

NONE = float("-inf")


@variant(of="apply_temperature")
def greedy_by_one_hot(logits, temperature):
    assert temperature >= 0, "a temperature below 0"
    if temperature == 0:
        best = F.one_hot(logits.argmax(-1), logits.shape[-1]).bool()
        return torch.where(best, logits, NONE)
    return logits * (1 / temperature)


@variant(of="apply_temperature")
def greedy_written_in_place(logits, temperature):
    if temperature < 0:
        raise ValueError("temperature must not be negative")
    if temperature:
        return torch.div(logits, temperature)
    index = torch.max(logits, dim=-1, keepdim=True).indices
    out = torch.full_like(logits, NONE)
    out.scatter_(-1, index, logits.gather(-1, index))
    return out


@variant(of="top_k_filter")
def threshold_from_a_sort(logits, k):
    if k <= 0:
        raise ValueError("k must be 1 or more")
    k = min(k, logits.size(-1))
    threshold = torch.sort(logits, dim=-1, descending=True)[0][..., k - 1]
    return torch.where(logits >= threshold[..., None], logits, torch.tensor(NONE).to(logits))


@variant(of="top_k_filter")
def threshold_by_kthvalue(logits, k):
    assert k >= 1
    V = logits.shape[-1]
    if k >= V:
        return logits.clone()
    threshold = logits.kthvalue(V - k + 1, dim=-1, keepdim=True).values
    out = logits.clone()
    out[logits < threshold] = NONE
    return out


@variant(of="top_k_filter")
def counts_the_larger(logits, k):
    """A logit stays if fewer than k others are larger."""
    if k < 1:
        raise ValueError(k)
    larger = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).sum(-1)
    return logits.masked_fill(larger >= k, NONE)


@variant(of="top_p_filter")
def shifted_by_one(logits, p):
    """As in many programs: mark what is beyond p, and move the marks by one place."""
    if p <= 0 or p > 1:
        raise ValueError("p must be in (0, 1]")
    probs = torch.softmax(logits, dim=-1)
    ordered, order = torch.sort(probs, dim=-1, descending=True, stable=True)
    beyond = ordered.cumsum(-1) >= p
    beyond = torch.cat([torch.zeros_like(beyond[..., :1]), beyond[..., :-1]], dim=-1)
    remove = torch.zeros_like(beyond).scatter(-1, order, beyond)
    return logits if p == 1.0 else logits.masked_fill(remove, NONE)


@variant(of="top_p_filter")
def put_back_by_a_second_sort(logits, p):
    assert 0 < p <= 1
    order = torch.argsort(-logits, dim=-1, stable=True)
    ordered = logits.gather(-1, order)
    total = ordered.double().softmax(-1).cumsum(-1)
    needed = (total < p).sum(-1, keepdim=True) + 1
    if p == 1:
        needed = torch.full_like(needed, logits.shape[-1])
    rank = order.argsort(-1)
    return torch.where(rank < needed, logits, NONE)


@variant(of="top_p_filter")
def a_row_at_a_time(logits, p):
    """Plain Python, token after token."""
    if not 0 < p <= 1:
        raise ValueError(p)
    if p == 1:
        return logits
    rows = logits.reshape(-1, logits.shape[-1])
    out = torch.full_like(rows, NONE)
    for z, kept in zip(rows, out, strict=True):
        shares = z.softmax(-1).tolist()
        total = 0.0
        for token in sorted(range(len(shares)), key=lambda t: -z[t].item()):
            kept[token] = z[token]
            total += shares[token]
            if total >= p:
                break
    return out.reshape(logits.shape)


@variant(of="sample")
def by_the_gumbel_trick(logits, *, temperature=1.0, top_k=None, top_p=None, generator=None):
    """The largest of logits plus Gumbel noise is a draw from their softmax."""
    z = apply_temperature(logits, temperature)
    z = z if top_k is None else top_k_filter(z, top_k)
    z = z if top_p is None else top_p_filter(z, top_p)
    noise = torch.empty_like(z, memory_format=torch.contiguous_format)
    noise.exponential_(generator=generator)
    return (z - noise.log()).argmax(-1)


@variant(of="sample")
def by_the_inverse_of_the_sum(logits, *, temperature=1.0, top_k=None, top_p=None, generator=None):
    """A random number between 0 and 1, and the first token whose running sum is larger."""
    if temperature == 0:
        return logits.argmax(-1)
    z = logits / temperature
    if top_k is not None:
        z = top_k_filter(z, top_k)
    if top_p is not None:
        z = top_p_filter(z, top_p)
    total = z.double().softmax(-1).cumsum(-1)
    u = torch.rand((*z.shape[:-1], 1), generator=generator, dtype=torch.float64, device=z.device)
    return (total <= u * total[..., -1:]).sum(-1)


@variant(of="sample")
def by_a_distribution_object(logits, *, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Without a generator torch.distributions does it."""
    z = apply_temperature(logits, temperature)
    for function, value in ((top_k_filter, top_k), (top_p_filter, top_p)):
        z = z if value is None else function(z, value)
    if generator is None:
        return torch.distributions.Categorical(logits=z).sample()
    p = torch.softmax(z, dim=-1)
    return torch.multinomial(p.flatten(0, -2), 1, generator=generator).view(z.shape[:-1])


@variant(of="generate")
def into_a_list(model, idx, max_new_tokens, *, block_size=None, eos_id=None, **how):
    """Tokens are collected, and put together at the end; the mode comes back whatever happens."""
    mode = model.training
    model.train(False)
    parts, text = [idx], idx
    live = torch.ones(len(idx), dtype=torch.bool, device=idx.device)
    try:
        with torch.inference_mode():
            while len(parts) <= max_new_tokens and bool(live.any()):
                seen = text[:, max(0, text.shape[1] - (block_size or text.shape[1])) :]
                token = sample(model(seen)[0][:, -1, :], **how)
                if eos_id is not None:
                    token = torch.where(live, token, torch.full_like(token, eos_id))
                    live = live & token.ne(eos_id)
                parts.append(token[:, None])
                text = torch.cat(parts, dim=1)
    finally:
        model.train(mode)
    return text.clone()


@variant(of="generate")
def into_a_table(model, idx, max_new_tokens, *, block_size=None, eos_id=None, **how):
    """Room for all tokens is made first; what was not needed is cut off."""
    B, T = idx.shape
    out = torch.empty(B, T + max_new_tokens, dtype=idx.dtype, device=idx.device)
    out[:, :T] = idx
    training = model.training
    model.eval()
    end = T
    done = torch.zeros(B, 1, dtype=torch.bool, device=idx.device)
    while end < T + max_new_tokens:
        begin = 0 if block_size is None else max(0, end - block_size)
        token = sample(model(out[:, begin:end])[0][:, -1].detach(), **how).unsqueeze(1)
        if eos_id is not None:
            token[done] = eos_id
            done |= token == eos_id
        out[:, end : end + 1] = token
        end += 1
        if done.all():
            break
    if training:
        model.train()
    return out[:, :end]


@variant(of="generate")
def by_calling_itself(model, idx, max_new_tokens, *, block_size=None, eos_id=None, **how):
    """One token, and then the rest by the function itself."""
    training, prompt = model.training, idx.shape[1]

    @torch.no_grad()
    def go_on(idx, left):
        new = idx[:, prompt:]
        ended = (new == eos_id).any(1) if eos_id is not None else torch.zeros(len(idx)).bool()
        if left == 0 or ended.all():
            return idx
        context = idx[:, -block_size:] if block_size else idx
        token = sample(model(context)[0][:, -1], **how)
        if eos_id is not None:
            token[ended] = eos_id
        return go_on(torch.hstack((idx, token[:, None])), left - 1)

    model.eval()
    text = go_on(idx, max_new_tokens)
    model.train(training)
    return text
