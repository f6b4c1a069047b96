"""Right answers to ``circuits`` that are written differently."""

from __future__ import annotations

import copy
import math

import torch
from circuits import attention_maps, head_results, residual_stream, undisturbed

from grader.check import variant


def _last_matrix(model):
    head = getattr(model, "head", None)
    return model.token_embedding.weight if head is None else head.weight


def _logits(model, x):
    return model.norm(x) @ _last_matrix(model).T


@variant(of="residual_stream")
def by_hooks_before_the_blocks(model, idx):
    """What each block is given, and what the last norm is given."""
    seen = []
    was_training = model.training
    model.eval()
    keep = lambda module, given: seen.append(given[0].detach().clone())  # noqa: E731
    handles = [m.register_forward_pre_hook(keep) for m in (*model.blocks, model.norm)]
    with torch.no_grad():
        model(idx)
    for handle in handles:
        handle.remove()
    model.train(was_training)
    return torch.stack(seen)


@variant(of="residual_stream")
def written_into_one_tensor(model, idx):
    B, T = idx.shape
    n_embd = model.token_embedding.weight.shape[1]
    weight = model.position_embedding.weight
    out = torch.empty(len(model.blocks) + 1, B, T, n_embd, dtype=weight.dtype, device=idx.device)
    with undisturbed(model):
        x = model.token_embedding(idx) + model.position_embedding(
            torch.arange(T, device=idx.device)
        )
        out[0] = x
        for i, block in enumerate(model.blocks, start=1):
            x = block(x)
            out[i] = x
    return out


@variant(of="residual_stream")
def in_a_deep_copy(model, idx):
    """A copy may be disturbed."""
    model = copy.deepcopy(model).eval().requires_grad_(False)
    xs = [model.token_embedding(idx) + model.position_embedding.weight[: idx.size(1)]]
    for block in model.blocks:
        xs += [block(xs[-1])]
    return torch.stack(tuple(xs), 0)


@variant(of="attention_maps")
def computed_from_the_weights(model, idx):
    """Queries and keys once more, without asking the layer."""
    heads = _heads(model, idx)
    maps = []
    stream = residual_stream(model, idx)
    with undisturbed(model):
        for layer, block in enumerate(model.blocks):
            y = block.residual1.norm(stream[layer])
            q, k = (
                w(y).unflatten(-1, (heads, -1)).transpose(1, 2)
                for w in (block.attention.w_q, block.attention.w_k)
            )
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            T = idx.shape[1]
            future = torch.ones(T, T, dtype=torch.bool, device=idx.device).triu(1)
            maps.append(torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1))
    return torch.stack(maps)


def _heads(model, idx):
    """How many heads there are, as the layer itself shows."""
    with undisturbed(model):
        x = model.token_embedding(idx[:1, :1])
        return model.blocks[0].attention(x, need_weights=True)[1].shape[1]


@variant(of="attention_maps")
def by_a_hook_that_asks_for_weights(model, idx):
    maps = []

    def ask(module, given, named):
        return given, {**named, "need_weights": True}

    def take(module, given, named, result):
        maps.append(result[1])
        return result[0]

    with undisturbed(model):
        handles = []
        try:
            for block in model.blocks:
                one = block.attention
                handles.append(one.register_forward_pre_hook(ask, with_kwargs=True))
                handles.append(one.register_forward_hook(take, with_kwargs=True))
            model(idx)
        finally:
            for handle in handles:
                handle.remove()
    return torch.stack(maps, dim=0)


@variant(of="head_results")
def one_head_after_another(model, idx, layer):
    A = attention_maps(model, idx)[layer]
    attention = model.blocks[layer].attention
    d = attention.w_v.weight.shape[0] // A.shape[1]
    results = []
    with undisturbed(model):
        y = model.blocks[layer].residual1.norm(residual_stream(model, idx)[layer])
        for h in range(A.shape[1]):
            own = slice(h * d, (h + 1) * d)
            v = y @ attention.w_v.weight[own].T
            if attention.w_v.bias is not None:
                v = v + attention.w_v.bias[own]
            results.append(A[:, h] @ v @ attention.w_o.weight[:, own].T)
    return torch.stack(results)


@variant(of="head_results")
def all_but_one_head_zeroed(model, idx, layer):
    """What w_o makes of one head's columns alone, without its bias."""
    A = attention_maps(model, idx)[layer]
    H = A.shape[1]
    with undisturbed(model):
        attention = model.blocks[layer].attention
        v = attention.w_v(model.blocks[layer].residual1.norm(residual_stream(model, idx)[layer]))
        z = (A @ v.unflatten(-1, (H, -1)).transpose(1, 2)).transpose(1, 2)  # B T H d
        alone = z[None] * torch.eye(H, dtype=z.dtype, device=z.device)[:, None, None, :, None]
        return torch.nn.functional.linear(alone.flatten(-2), attention.w_o.weight)


@variant(of="logit_lens")
def layer_by_layer(model, idx):
    return torch.stack([_logits(model, x).detach() for x in residual_stream(model, idx)])


@variant(of="logit_lens")
@torch.no_grad()
def cut_models(model, idx):
    """The model itself, with fewer and fewer blocks."""
    model, lens = copy.deepcopy(model), []
    model.eval()
    blocks = model.blocks
    for n in range(len(blocks) + 1):
        model.blocks = blocks[:n]
        lens.append(model(idx)[0])
    return torch.stack(lens)


@variant(of="direct_logit_attribution")
def centred_part_by_part(model, idx, token):
    """As the formula has it: the mean of each part is taken from it."""
    stream = residual_stream(model, idx)
    W, n = _last_matrix(model)[token], stream.shape[-1]
    end = stream[-1]
    centred = end - end.mean(-1, keepdim=True)
    scale = ((centred**2).sum(-1, keepdim=True) / n + 1e-5) ** 0.5

    def share(c):
        c = (c - c.mean(-1, keepdim=True)) / scale * model.norm.weight
        return (c * W).sum(-1).detach()

    tokens = model.token_embedding.weight[idx]
    constant = torch.zeros_like(end)
    shares = {"bias": constant[..., 0], "position": share(stream[0] - tokens)}
    shares["embedding"] = share(tokens)
    for layer, block in enumerate(model.blocks):
        results = head_results(model, idx, layer)
        rest = stream[layer + 1] - stream[layer] - results.sum(0)  # network and w_o.bias
        b_o = block.attention.w_o.bias
        if b_o is not None:
            rest, constant = rest - b_o, constant + b_o
        for h, result in enumerate(results):
            shares[f"head {layer}.{h}"] = share(result)
        shares[f"network {layer}"] = share(rest)
    shares["bias"] = share(constant)
    if model.norm.bias is not None:
        shares["bias"] += float(model.norm.bias @ W)
    return shares


@variant(of="previous_token_score")
def by_a_loop(maps):
    T = maps.size(-1)
    assert T > 1, "no previous token"
    total = 0
    for i in range(1, T):
        total = total + maps[..., i, i - 1]
    return total / (T - 1)


@variant(of="previous_token_score")
def by_two_ranges(maps):
    T = maps.shape[-1]
    if T == 1:
        raise ValueError("T = 1")
    i = torch.arange(1, T, device=maps.device)
    return maps[..., i, i - 1].mean(dim=-1)


@variant(of="induction_score")
def by_indices(maps, period):
    assert maps.shape[-1] == 2 * period
    i = torch.arange(period, 2 * period, device=maps.device)
    return maps[..., i, i - period + 1].mean(-1)


@variant(of="induction_score")
def by_a_mask(maps, period):
    T = maps.shape[-1]
    if period * 2 != T:
        raise ValueError(f"{T} is not 2 * {period}")
    wanted = torch.zeros(T, T, dtype=maps.dtype, device=maps.device)
    for i in range(period, T):
        wanted[i, i - period + 1] = 1 / period
    return (maps * wanted).sum((-2, -1))


@variant(of="ablate")
def by_a_hook_on_the_attention(model, idx, layer, head, how="zero"):
    if how == "zero":
        change = -head_results(model, idx, layer)[head]
    elif how == "mean":
        result = head_results(model, idx, layer)[head]
        change = result.flatten(0, 1).mean(0) - result
    else:
        raise ValueError(how)
    attention = model.blocks[layer].attention
    with undisturbed(model), attention.register_forward_hook(lambda m, given, y: y + change):
        return model(idx)[0]


@variant(of="ablate")
def by_a_hook_before_w_o(model, idx, layer, head, how="zero"):
    """The columns of one head, before they are projected."""
    assert how in {"zero", "mean"}
    w_o = model.blocks[layer].attention.w_o
    d = w_o.weight.shape[1] // _heads(model, idx)
    own = slice(head * d, (head + 1) * d)

    def without(module, given):
        z = given[0].clone()
        z[..., own] = 0 if how == "zero" else z[..., own].mean(dim=(0, 1))
        return (z,)

    handle = w_o.register_forward_pre_hook(without)
    try:
        with undisturbed(model):
            return model(idx)[0]
    finally:
        handle.remove()


@variant(of="ablate")
def in_a_copy_of_the_model(model, idx, layer, head, how="zero"):
    """A copy without the columns of the head; the mean is a part of the bias."""
    if how not in ("zero", "mean"):
        raise ValueError("how")
    result = head_results(model, idx, layer)[head]
    other = copy.deepcopy(model).eval()
    heads, w_o = _heads(model, idx), other.blocks[layer].attention.w_o
    d = w_o.weight.shape[1] // heads
    with torch.no_grad():
        w_o.weight[:, head * d : (head + 1) * d] = 0
        if how == "mean":
            mean = result.mean((0, 1))
            w_o.bias = torch.nn.Parameter(mean if w_o.bias is None else w_o.bias + mean)
        return other(idx)[0]


@variant(of="patch")
def by_a_hook_at_the_layer(model, clean, corrupted, layer, position):
    new = residual_stream(model, clean)[layer, :, position]
    module = [*model.blocks, model.norm][layer]

    def put(module, given):
        x = given[0].clone()
        x[:, position] = new
        return (x, *given[1:])

    with undisturbed(model), module.register_forward_pre_hook(put):
        logits, _ = model(corrupted)
    return logits


@variant(of="patch")
def by_where(model, clean, corrupted, layer, position):
    both = residual_stream(model, torch.cat([clean, corrupted]))[layer]
    one, two = both.chunk(2)
    here = torch.arange(one.shape[1], device=one.device) == position
    x = torch.where(here[None, :, None], one, two)
    with undisturbed(model):
        for number, block in enumerate(model.blocks):
            if number >= layer:
                x = block(x)
        return _logits(model, x)
