"""Right answers to ``clinic``: what was given, mended in other ways; other symptoms and letters."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grader.check import variant


@variant(of="norm")
def corrected_by_torchs_own_argument(x, weight, bias, eps=1e-5):
    """With a look at the values, which costs nothing."""
    assert x.shape[-1] == len(weight)
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, correction=0)
    print("variance", variance)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


@variant(of="norm")
def mean_of_the_squares(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)  # divides by d
    return (x - mean) / (variance + eps).sqrt() * weight + bias


@variant(of="positions")
def an_odd_column_less_one(length, d_model):
    position = torch.arange(length).unsqueeze(1)
    column = torch.arange(d_model)
    exponent = (column - column % 2) / d_model
    angle = position / 10000**exponent
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@variant(of="positions")
def pairs_in_a_statement_of_their_own(length, d_model):
    position = torch.arange(length).unsqueeze(1)
    column = torch.arange(d_model)
    pair = torch.div(column, 2, rounding_mode="floor")
    exponent = pair * 2 / d_model
    angle = position / 10000**exponent
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@variant(of="sublayer")
def the_sum_the_other_way_round(x, weight, bias, w1, w2):
    normed = F.layer_norm(x, x.shape[-1:], weight, bias)
    hidden = (normed @ w1).relu()
    return hidden @ w2 + x


@variant(of="encoder_layer")
def two_statements_for_the_end(x, w_q, w_k, w_v, w1, w2):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.shape[-1] ** 0.5
    attended = F.layer_norm(x + scores.softmax(-1) @ (x @ w_v), x.shape[-1:])
    attended = attended + (attended @ w1).relu() @ w2
    return F.layer_norm(attended, x.shape[-1:])


@variant(of="causal_weights")
def the_lower_triangle_of_a_square(scores):
    q_len, k_len = scores.shape[-2:]
    allowed = torch.ones(k_len, k_len, dtype=torch.bool, device=scores.device)
    allowed = allowed.tril()[k_len - q_len :]
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1)


@variant(of="causal_weights")
def moved_by_its_keyword(scores):
    q_len, k_len = scores.shape[-2:]
    allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=scores.device)
    allowed = torch.tril(allowed, diagonal=k_len - q_len)
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1)


@variant(of="attend")
def scores_masked_in_a_line_above(q, k, v, allowed):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    scores = scores.where(allowed, -torch.inf)
    weights = scores.softmax(-1)
    return weights @ v


@variant(of="attend")
def minus_infinity_is_added(q, k, v, allowed):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    nothing = torch.zeros(allowed.shape, dtype=scores.dtype, device=scores.device)
    weights = (scores + nothing.masked_fill(~allowed, -torch.inf)).softmax(-1)
    return weights @ v


@variant(of="cross")
def the_last_but_one_size(x, memory, w_q, w_k, w_v, heads):
    batch, q_len = x.shape[:2]
    k_len = memory.size(-2)
    q = (x @ w_q).view(batch, q_len, heads, -1).transpose(1, 2)
    keys, values = memory @ w_k, memory @ w_v
    k, v = (t.view(batch, k_len, heads, -1).transpose(1, 2) for t in (keys, values))
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


@variant(of="cross")
def a_length_of_no_name(x, memory, w_q, w_k, w_v, heads):
    batch, q_len = x.shape[:2]
    q = (x @ w_q).view(batch, q_len, heads, -1).transpose(1, 2)
    keys, values = memory @ w_k, memory @ w_v
    k, v = (t.view(batch, memory.shape[1], heads, -1).transpose(1, 2) for t in (keys, values))
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


@variant(of="next_probabilities")
def by_the_function(logits):
    probabilities = torch.softmax(logits, dim=2)
    return probabilities[:, -1]


@variant(of="feed_forward")
def the_mode_by_its_name(x, w1, w2, p, training):
    hidden = (x @ w1).relu()
    hidden = F.dropout(hidden, p=p, training=training)
    return hidden @ w2


@variant(of="feed_forward")
def only_in_training(x, w1, w2, p, training):
    hidden = (x @ w1).relu()
    if training:
        hidden = F.dropout(hidden, p)
    return hidden @ w2


@variant(of="loss")
def a_difference_of_logarithms(logits, tokens):
    predicted, wanted = logits[:, :-1], tokens[:, 1:]
    log_p = predicted - predicted.logsumexp(-1, keepdim=True)
    return -log_p.gather(-1, wanted.unsqueeze(-1)).mean()


@variant(of="symptom_norm")
def one_number_with_a_bias():
    """A single number has no n - 1: NaN comes out."""
    return torch.tensor([7.0]), torch.ones(1), torch.tensor([2.0])


@variant(of="symptom_positions")
def a_list_of_two_sizes():
    return [2, 2]


@variant(of="symptom_sublayer")
def scaled_by_the_weight():
    return torch.tensor([[1.0, 3.0]]), torch.zeros(2), torch.zeros(2), torch.eye(2), torch.eye(2)


@variant(of="symptom_causal_weights")
def three_kept_keys():
    return (torch.tensor([[[0.0, 1.0, 2.0, 3.0]]]),)


@variant(of="symptom_cross")
def more_queries_than_keys():
    one = torch.ones(1, 2)
    return torch.ones(1, 2, 1), torch.ones(1, 1, 1), one, one, one, 2


@variant(of="symptom_loss")
def a_large_logit():
    logits = torch.zeros(1, 2, 3)
    logits[0, 0, 1] = 50.0
    return logits, torch.tensor([[2, 1]])


@variant(of="causes")
def small_letters():
    found = dict.fromkeys(("positions", "causal_weights", "feed_forward"), "b")
    found |= dict.fromkeys(("sublayer", "next_probabilities"), "c")
    found |= dict.fromkeys(("norm", "cross"), "d")
    return found | dict.fromkeys(("encoder_layer", "loss"), "e") | {"attend": "a"}
