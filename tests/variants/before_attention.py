"""Right answers to ``before_attention`` that are written differently."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from grader.check import variant


@variant(of="recurrent_states")
def states_with_one_variable(x, w_in, w_state):
    state = torch.zeros(w_in.shape[1], dtype=x.dtype, device=x.device)
    rows = []
    for t in range(x.shape[0]):
        state = torch.tanh(x[t] @ w_in + state @ w_state)
        rows.append(state[None])
    return torch.cat(rows)


@variant(of="recurrent_states")
def states_all_inputs_first(x, w_in, w_state):
    inputs = x @ w_in
    states = [inputs[0].tanh()]
    for row in inputs[1:]:
        states.append((row + states[-1] @ w_state).tanh())
    return torch.stack(states)


@variant(of="recurrent_states")
def states_by_recursion(x, w_in, w_state):
    if len(x) == 1:
        return torch.tanh(x @ w_in)
    before = states_by_recursion(x[:-1], w_in, w_state)
    return torch.cat([before, torch.tanh(x[-1:] @ w_in + before[-1:] @ w_state)])


@variant(of="recurrent_states")
def states_of_one_joined_matrix(x, w_in, w_state):
    joined, state = torch.cat([w_in, w_state]), w_state.new_zeros(1, len(w_state))
    states = ()
    for token in x:
        state = torch.tanh(torch.cat([token[None], state], dim=-1) @ joined)
        states += (state,)
    return torch.vstack(states)


@variant(of="recurrent_states")
def states_filled_into_zeros(x, w_in, w_state):
    states = x.new_zeros(len(x) + 1, w_state.shape[0])
    for t, token in enumerate(x):
        row = torch.tanh(token @ w_in + states[t] @ w_state)
        states = states.index_put((torch.tensor(t + 1, device=x.device),), row)
    return states[1:]


@variant(of="steps_to_forget")
def steps_by_logarithms(factor, share):
    steps = max(1, math.floor(math.log(share) / math.log(factor)) - 1)
    while factor**steps >= share:
        steps += 1
    return steps


@variant(of="steps_to_forget")
def steps_multiplied(factor, share):
    left, steps = 1.0, 0
    while True:
        left, steps = left * factor, steps + 1
        if left < share:
            return steps


@variant(of="steps_to_forget")
def steps_as_the_first_of_many(factor, share):
    return next(n for n in range(1, 10**6) if pow(factor, n) < share)


@variant(of="causal_convolution")
def convolution_in_loops(x, kernel):
    rows = []
    for t in range(len(x)):
        row = torch.zeros(kernel.shape[-1], dtype=x.dtype, device=x.device)
        for j in range(min(len(kernel), t + 1)):
            row = row + x[t - j] @ kernel[j]
        rows.append(row)
    return torch.stack(rows)


@variant(of="causal_convolution")
def convolution_by_torch(x, kernel):
    """torch's conv1d has channels first, and turns the kernel round."""
    padded = F.pad(x.T[None], (len(kernel) - 1, 0))
    return F.conv1d(padded, kernel.flip(0).permute(2, 1, 0))[0].T


@variant(of="causal_convolution")
def convolution_of_windows(x, kernel):
    k = kernel.shape[0]
    windows = F.pad(x, (0, 0, k - 1, 0)).unfold(0, k, 1).flip(-1)
    return torch.einsum("tdk,kdc->tc", windows, kernel)


@variant(of="causal_convolution")
def convolution_moved_down(x, kernel):
    tokens = x.shape[0]
    result = x @ kernel[0]
    for j in range(1, min(tokens, len(kernel))):
        result = result + torch.cat([torch.zeros_like(x[:j]), x[:-j]]) @ kernel[j]
    return result


@variant(of="receptive_field")
def field_layer_by_layer(kernel_size, layers):
    field = 1
    for _ in range(layers):
        field += kernel_size - 1
    return field


@variant(of="receptive_field")
def field_multiplied_out(kernel_size, layers):
    return layers * kernel_size - layers + 1


@variant(of="sequential_operations")
def steps_by_table(layer, tokens):
    return {"recurrent": tokens, "convolution": 1, "self-attention": 1}[layer]


@variant(of="longest_path")
def path_by_cases(layer, tokens, kernel_size):
    match layer:
        case "recurrent":
            return tokens - 1
        case "convolution":
            return -(-(tokens - 1) // (kernel_size - 1))
    return 1


@variant(of="longest_path")
def path_step_by_step(layer, tokens, kernel_size):
    if layer == "self-attention":
        return 1
    step = 1 if layer == "recurrent" else kernel_size - 1
    return len(range(0, tokens - 1, step))


@variant(of="longest_path")
def path_by_numpy(layer, tokens, kernel_size):
    reach = dict(zip(("recurrent", "convolution"), (1, kernel_size - 1), strict=True))
    return int(np.ceil((tokens - 1) / reach.get(layer, tokens - 1)))


@variant(of="operations_per_layer")
def operations_by_table(layer, tokens, width, kernel_size):
    table = {
        "recurrent": tokens * width * width,
        "convolution": kernel_size * tokens * width * width,
        "self-attention": tokens * tokens * width,
    }
    return table[layer]


@variant(of="soft_lookup")
def lookup_in_a_loop(query, keys, values):
    scores = torch.stack([(key * query).sum() for key in keys])
    exponentials = torch.exp(scores - scores.max())
    weights = exponentials / exponentials.sum()
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


@variant(of="soft_lookup")
def lookup_as_rows(query, keys, values):
    return (torch.softmax(query[None] @ keys.T, dim=-1) @ values)[0]


@variant(of="soft_lookup")
def lookup_by_broadcasting(query, keys, values):
    weights = (keys * query).sum(-1).softmax(-1)
    return (weights[:, None] * values).sum(0)


@variant(of="soft_lookup")
def lookup_by_torchs_attention(query, keys, values):
    return F.scaled_dot_product_attention(query[None], keys, values, scale=1.0)[0]


@variant(of="soft_lookup")
def lookup_by_a_module(query, keys, values):
    weights = nn.Softmax(dim=-1)(torch.einsum("td,d->t", keys, query))
    return torch.einsum("t,tc->c", weights, values)
