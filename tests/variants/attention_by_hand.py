"""Right answers to ``attention_by_hand`` that are written differently."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from grader.check import variant


def _stack(rows):
    return torch.stack(rows) if isinstance(rows[0], torch.Tensor) else np.stack(rows)


@variant(of="attention_scores")
def scores_in_two_loops(x):
    return _stack([_stack([(query * key).sum() for key in x]) for query in x])


@variant(of="attention_scores")
def scores_row_by_row(x):
    return _stack([x @ query for query in x])


@variant(of="attention_scores")
def scores_filled_into_an_empty_table(x):
    length = len(x)
    table = x.new_empty(length, length) if torch.is_tensor(x) else None
    table = np.zeros((length, length)) if table is None else table
    for i in range(length):
        for j in range(length):
            table[i, j] = x[i] @ x[j]
    return table


@variant(of="attention_scores")
def scores_by_einsum(x):
    einsum = torch.einsum if isinstance(x, torch.Tensor) else np.einsum
    return einsum("id,jd->ij", x, x)


@variant(of="attention_scores")
def scores_by_broadcasting(x):
    return (x[:, None, :] * x[None, :, :]).sum(-1)


@variant(of="attention_scores")
def scores_by_matmul(x):
    return torch.matmul(x, x.transpose(0, 1)) if torch.is_tensor(x) else np.dot(x, x.transpose())


@variant(of="normalize_by_sum")
def shares_row_by_row(s):
    return s / s.sum(-1)[..., None]


@variant(of="normalize_by_sum")
def shares_in_loops(s):
    if s.ndim > 1:
        return _stack([shares_in_loops(row) for row in s])
    total = sum(value for value in s)
    return _stack([value / total for value in s])


@variant(of="normalize_by_sum")
def shares_by_the_inverse(s):
    if isinstance(s, torch.Tensor):
        return s * s.sum(dim=-1, keepdim=True).reciprocal()
    return np.divide(s, np.sum(s, axis=-1, keepdims=True))


@variant(of="normalize_by_sum")
def shares_by_einsum(s):
    einsum = torch.einsum if isinstance(s, torch.Tensor) else np.einsum
    return einsum("...j,...->...j", s, 1 / s.sum(-1))


@variant(of="attention_weights")
def weights_by_torch_or_numpy(x, scale=None):
    if isinstance(x, torch.Tensor):
        scores = x @ x.T
        return F.softmax(scores if scale is None else scores * scale, dim=-1)
    scores = x @ x.T * (1.0 if scale is None else scale)
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


@variant(of="attention_weights")
def weights_through_torch_and_back(x, scale=None):
    t = torch.from_numpy(x) if isinstance(x, np.ndarray) else x
    weights = torch.softmax(t.mm(t.t()) * (1 if scale is None else scale), 1)
    return weights.numpy() if isinstance(x, np.ndarray) else weights


@variant(of="attention_weights")
def weights_through_float32(x, scale=None):
    t = torch.tensor(x) if isinstance(x, np.ndarray) else x
    scores = (t @ t.mT).float()
    weights = torch.softmax(scores * (1.0 if scale is None else scale), dim=-1).to(t.dtype)
    return np.array(weights) if isinstance(x, np.ndarray) else weights


@variant(of="attention_weights")
def weights_in_loops(x, scale=None):
    exp = torch.exp if isinstance(x, torch.Tensor) else math.exp
    rows = []
    for query in x:
        scores = [(query * key).sum() * (1 if scale is None else scale) for key in x]
        top = max(scores)
        exponentials = [exp(score - top) for score in scores]
        total = sum(exponentials)
        shares = [e / total for e in exponentials]
        rows.append(torch.stack(shares) if isinstance(x, torch.Tensor) else shares)
    return torch.stack(rows) if isinstance(x, torch.Tensor) else np.array(rows)


@variant(of="attention_weights")
def weights_from_log_softmax(x, scale=None):
    scale = 1.0 if scale is None else scale
    if isinstance(x, torch.Tensor):
        scores = (scale * x) @ x.T
        return (scores - scores.logsumexp(-1, keepdim=True)).exp()
    scores = (scale * x) @ x.T
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


@variant(of="attention_weights")
def weights_scaled_after_the_maximum(x, scale=None):
    scores = x @ x.T
    if isinstance(x, torch.Tensor):
        centred = scores - scores.max(dim=-1, keepdim=True).values.detach()
    else:
        centred = scores - scores.max(axis=-1)[:, np.newaxis]
    if scale is not None:
        centred = centred * scale
    e = math.e**centred
    return e / e.sum(-1, keepdims=True)


@variant(of="attention_weights")
def weights_by_columns_and_transposed(x, scale=None):
    library = torch if isinstance(x, torch.Tensor) else np
    scores = x @ x.T
    scores = scores * scale if scale is not None else scores
    e = library.exp(scores - library.amax(scores, axis=0))
    return (e / e.sum(0)).T


@variant(of="context_vectors")
def contexts_in_loops(x):
    exp = torch.exp if isinstance(x, torch.Tensor) else np.exp
    contexts = []
    for query in x:
        scores = x @ query
        e = exp(scores - scores.max())
        weights = e / e.sum()
        context = sum(w * row for w, row in zip(weights, x, strict=True))
        contexts.append(context)
    return _stack(contexts)


@variant(of="context_vectors")
def contexts_by_torch(x):
    t = torch.as_tensor(x)
    contexts = F.softmax(torch.einsum("id,jd->ij", t, t), dim=1).matmul(t)
    return contexts if isinstance(x, torch.Tensor) else contexts.numpy()


@variant(of="context_vectors")
def contexts_in_a_batch_of_one(x):
    t = torch.as_tensor(x)[None]
    contexts = torch.bmm(torch.bmm(t, t.mT).softmax(-1), t)[0]
    return contexts if isinstance(x, torch.Tensor) else contexts.numpy()


@variant(of="context_vectors")
def contexts_normalised_at_the_end(x):
    library = torch if isinstance(x, torch.Tensor) else np
    scores = x @ x.T
    e = library.exp(scores - library.amax(scores, axis=-1, keepdims=True))
    return (e @ x) / e.sum(-1)[:, None]


@variant(of="dictionary_lookup")
def lookup_in_a_loop(query_weights, values):
    answer = 0
    for weight, value in zip(query_weights, values, strict=True):
        answer = answer + weight * value
    return answer


@variant(of="dictionary_lookup")
def lookup_into_zeros(query_weights, values):
    zeros = torch.zeros_like if isinstance(values, torch.Tensor) else np.zeros_like
    answer = zeros(values[0])
    for i in range(len(values)):
        answer += query_weights[i] * values[i]
    return answer


@variant(of="dictionary_lookup")
def lookup_by_broadcasting(query_weights, values):
    return (query_weights.reshape(-1, *[1] * (values.ndim - 1)) * values).sum(0)


@variant(of="dictionary_lookup")
def lookup_by_einsum(query_weights, values):
    einsum = torch.einsum if isinstance(values, torch.Tensor) else np.einsum
    return einsum("n,n...->...", query_weights, values)


@variant(of="dictionary_lookup")
def lookup_from_the_right(query_weights, values):
    return values.T @ query_weights if values.ndim == 2 else (values * query_weights).sum()


@variant(of="dictionary_lookup")
def lookup_with_python_floats_for_arrays(query_weights, values):
    if values.ndim == 1 and isinstance(values, np.ndarray):
        return sum(float(w) * float(v) for w, v in zip(query_weights, values, strict=True))
    return query_weights @ values


@variant(of="attention_weights")
def weights_looked_at(x, scale=None):
    """Type checks and assertions, as in code that is being debugged."""
    if not isinstance(x, (np.ndarray, torch.Tensor)):
        raise TypeError("an array or a tensor")
    assert x.ndim == 2, x.shape
    library = torch if torch.is_tensor(x) else np
    scores = x @ x.T if scale is None else (x @ x.T) * scale
    assert library.isfinite(scores).all(), scores
    weights = library.exp(scores - library.amax(scores, axis=1)[:, None])
    weights = weights / weights.sum(axis=1)[:, None]
    print("largest share:", float(weights.max()))
    return weights


@variant(of="context_vectors")
def contexts_in_chunks_of_queries(x):
    """Two queries at a time, as tiled attention does."""
    library = torch if isinstance(x, torch.Tensor) else np
    parts = []
    for start in range(0, len(x), 2):
        scores = x[start : start + 2] @ x.T
        e = library.exp(scores - library.amax(scores, axis=-1, keepdims=True))
        parts.append(e / e.sum(axis=-1, keepdims=True) @ x)
    return torch.cat(parts) if library is torch else np.concatenate(parts)


@variant(of="attention_weights")
def weights_as_in_the_book(x, scale=None):
    """torch.softmax for tensors; arrays go through a tensor and back."""
    if isinstance(x, np.ndarray):
        return weights_as_in_the_book(torch.from_numpy(x), scale).detach().numpy()
    attn_scores = torch.empty(x.shape[0], x.shape[0], dtype=x.dtype, device=x.device)
    for i, query in enumerate(x):
        for j, key in enumerate(x):
            attn_scores[i, j] = torch.dot(query, key)
    if scale is not None:
        attn_scores = attn_scores * scale
    return torch.softmax(attn_scores, dim=-1)
