"""The ten functions of ``clinic`` once more, right and written differently: no symptom may tell
these from the page's own.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F


def norm(x, weight, bias, eps=1e-5):
    return F.layer_norm(x, weight.shape, weight, bias, eps)


def positions(length, d_model):
    rate = torch.exp(-torch.arange(0, d_model, 2) / d_model * torch.log(torch.tensor(10000.0)))
    angle = torch.arange(length)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def sublayer(x, weight, bias, w1, w2):
    branch = F.relu(F.linear(norm(x, weight, bias), w1.mT))
    return torch.add(x, F.linear(branch, w2.mT))


def encoder_layer(x, w_q, w_k, w_v, w1, w2):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    a = F.layer_norm(x + F.scaled_dot_product_attention(q, k, v), x.shape[-1:])
    return F.layer_norm(a + F.relu(a @ w1) @ w2, x.shape[-1:])


def causal_weights(scores):
    q_len, k_len = scores.shape[-2:]
    query = torch.arange(k_len - q_len, k_len)[:, None]
    hidden = torch.arange(k_len) > query
    weights = (scores - scores.amax(-1, keepdim=True)).masked_fill(hidden, -1e9).softmax(-1)
    return weights * (query >= 0)  # a row without keys: zeros here, NaN on the page


def attend(q, k, v, allowed):
    return F.scaled_dot_product_attention(q, k, v, allowed)


def cross(x, memory, w_q, w_k, w_v, heads):
    q, k, v = (
        t.unflatten(-1, (heads, -1)).transpose(-3, -2)
        for t in (x @ w_q, memory @ w_k, memory @ w_v)
    )
    return F.scaled_dot_product_attention(q, k, v).transpose(-3, -2).flatten(-2)


def next_probabilities(logits):
    return torch.softmax(logits[:, -1, :], dim=-1)


def feed_forward(x, w1, w2, p, training):
    hidden = F.relu(x @ w1)
    if training:
        hidden = hidden * (torch.rand_like(hidden) >= p) / (1 - p)
    return hidden @ w2


def loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
