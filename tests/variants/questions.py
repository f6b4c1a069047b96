"""Right answers to ``questions`` that are written differently."""

from __future__ import annotations

import math

import numpy as np
import torch

from grader.check import variant


@variant(of="score_standard_deviation")
def tensor_of_no_axes(d_k, sigma, scaled):
    spread = torch.tensor(float(d_k)).sqrt() * sigma**2
    return spread / d_k**0.5 if scaled else spread


@variant(of="score_standard_deviation")
def product_of_two_sigmas(d_k, sigma, scaled):
    return sigma * sigma * (1 if scaled else d_k**0.5)


@variant(of="largest_weight")
def softmax_of_all_scores(tokens, gap):
    scores = torch.zeros(tokens)
    scores[0] = gap
    return scores.softmax(0)[0]


@variant(of="largest_weight")
def as_a_sigmoid(tokens, gap):
    return 1 / (1 + (tokens - 1) * np.exp(-gap))


@variant(of="gap_for_weight")
def as_a_difference_of_logarithms(tokens, weight):
    return float(np.log(weight) - np.log1p(-weight) + np.log(tokens - 1))


@variant(of="gap_for_weight")
def as_a_logit(tokens, weight):
    return torch.logit(torch.tensor(weight)).item() + math.log(tokens - 1)


@variant(of="entropy_of_weights")
def all_weights_written_out(tokens, largest):
    rest = [(1 - largest) / (tokens - 1)] * (tokens - 1)
    return -math.fsum(w * math.log(w) for w in [largest, *rest] if w)


@variant(of="entropy_of_weights")
def entropy_through_torch(tokens, largest):
    weights = torch.full((tokens,), (1 - largest) / (tokens - 1), dtype=torch.float64)
    weights[0] = largest
    return torch.special.entr(weights).sum()


@variant(of="entropy_of_weights")
def two_entropies(tokens, largest):
    odds = np.array([largest, 1 - largest])
    logs = np.log(odds, out=np.zeros(2), where=odds > 0)
    return float(-(odds * logs).sum() + (1 - largest) * np.log(tokens - 1))


@variant(of="sequential_steps")
def steps_from_a_table(model, phase, source, target):
    return {
        ("recurrent", "training"): source + target,
        ("recurrent", "generation"): source + target,
        ("transformer", "training"): 2,
        ("transformer", "generation"): 1 + target,
    }[model, phase]


@variant(of="path_length")
def rounded_up_with_whole_numbers(layer, distance, kernel):
    if layer == "self-attention":
        return 1
    reach = 1 if layer == "recurrent" else kernel - 1
    return -(-distance // reach)


@variant(of="path_length")
def hops_counted(layer, distance, kernel):
    reached = hops = 0
    while reached < distance:
        reached += {"recurrent": 1, "convolution": kernel - 1, "self-attention": distance}[layer]
        hops += 1
    return float(hops)


@variant(of="operations_per_layer")
def product_of_factors(layer, tokens, width, kernel):
    factors = {
        "self-attention": (tokens, tokens, width),
        "recurrent": (tokens, width, width),
        "convolution": (kernel, tokens, width, width),
    }
    return math.prod(factors[layer])


@variant(of="operations_per_layer")
def through_a_tensor(layer, tokens, width, kernel):
    n, d = torch.tensor(tokens), torch.tensor(width)
    return n * n * d if layer == "self-attention" else n * d * d * kernel ** (layer[0] == "c")


@variant(of="scaling_statements")
def in_lower_case(d_k):
    answer = "a"
    if d_k > 100:
        answer += "c"
    if d_k > 200:
        answer += "d"
    return answer


@variant(of="similarity_statements")
def in_reverse_order(x_length, y_length, cosine):
    x, y = torch.tensor([x_length, 0.0]), torch.tensor([y_length * cosine, 0.0])
    y[1] = y_length * math.sqrt(1 - cosine**2)
    prefers_x, prefers_y = bool(x @ x > x @ y), bool(y @ y > y @ x)
    return "E" * prefers_y + "B" * prefers_x + "A"


@variant(of="long_context_statements")
def joined_list(tokens, gap):
    now = math.exp(gap) / (math.exp(gap) + tokens - 1)
    then = math.exp(gap) / (math.exp(gap) + 10 * tokens - 1)
    found = ["E"]
    if now > 1 - now:
        found.append("B")
    if 2 * then < now:
        found.append("C")
    return "".join(sorted(found))


@variant(of="parallel_statements")
def looked_up(part, phase):
    table = {"encoder": {"training": "A", "generation": "A"}}
    table["decoder"] = {"training": "ECA", "generation": "de"}
    return table[part][phase]


@variant(of="distance_statements")
def from_a_set(distance, kernel):
    found = {"A"}
    found |= {"B"} if distance * np.log10(0.9) < -2 else set()
    found |= {"C"} if math.ceil(distance / (kernel - 1)) <= 4 else set()
    return "".join(found)


@variant(of="cost_statements")
def from_pairs(tokens, width):
    n, d = tokens, width
    pairs = [("A", n * n * d < n * d * d), ("B", True), ("D", n > 512), ("E", n < 2 * d)]
    return "".join(letter for letter, holds in pairs if holds)


@variant(of="heads_statements")
def mixed_case(d_model, num_heads):
    d_k = d_model // num_heads
    return "AE" + "c" * (d_k**0.5 == 8) + "d" * (num_heads * 1e4 > d_model**2)


@variant(of="block_statements")
def counted_with_torch(d_model, d_ff):
    with torch.device("meta"):
        attention = 4 * torch.nn.Linear(d_model, d_model, bias=False).weight.numel()
        network = 2 * torch.nn.Linear(d_model, d_ff, bias=False).weight.numel()
        norms = 2 * sum(p.numel() for p in torch.nn.LayerNorm(d_model).parameters())
    answer = "D"
    answer += "A" if network > attention else ""
    return answer + ("E" if norms / attention < 0.01 else "")


@variant(of="order_statements")
def case_by_case(positions, causal):
    if positions:
        return "D" if causal else ""
    return "CDE" if causal else "ACE"


@variant(of="mask_statements")
def counted_in_the_mask(tokens, position):
    row = torch.ones(tokens, tokens, dtype=torch.bool).tril()[position]
    answer = ["D", "E"]
    if (~row).sum() > row.sum():
        answer.insert(0, "A")
    if row.float().div(row.sum())[position] > 0.1:
        answer.insert(0, "B")
    return "".join(answer)


@variant(of="window_statements")
def weights_written_out(position, window, score):
    query = torch.zeros(8, dtype=torch.float64)
    query[max(0, position - window + 1) : position + 1] = score
    weights = query.softmax(0)
    answer = "E" if query.count_nonzero() != window else "BE"
    return answer + "C" * int(weights[query == 0].sum() < 0.01)


@variant(of="residual_statements")
def logits_written_out(scale):
    logits = torch.tensor([[1.0, scale], [1.0 + scale, 0.0], [scale, 1.0]], dtype=torch.float64)
    after_aa, after_ba, after_ab = logits.softmax(-1).unbind()
    answer = "D"
    if after_aa.argmax() == 1:
        answer += "B"
    if after_ba.argmax() == 0:
        answer += "A"
    return answer + ("E" if after_ab[0] > 0.99 else "")


@variant(of="temperature_statements")
def probabilities_computed(temperature):
    larger, smaller = torch.tensor([2.0, 0.0], dtype=torch.float64).div(temperature).softmax(0)
    plain, other = torch.tensor([2.0, 0.0], dtype=torch.float64).softmax(0)
    answer = "B" if larger > 0.9 else ""
    answer += "C" if larger - smaller < plain - other else ""
    return answer + ("A" if larger > smaller else "")


@variant(of="family_statements")
def a_table_of_families(family):
    return {"encoder-only": "CE", "decoder-only": "AD", "encoder-decoder": "ABE"}[family]


@variant(of="divergence_statements")
def through_torchs_losses(right, model):
    p, q = (torch.tensor([x, 1 - x], dtype=torch.float64) for x in (right, model))
    more = torch.tensor([model + 1e-6, 1 - model - 1e-6], dtype=torch.float64)
    loss, next_loss = (-(p * x.log()).sum() for x in (q, more))
    return "A" + "B" * bool(loss > np.log(2)) + "D" + "E" * bool(next_loss < loss)


@variant(of="prefix_statements")
def the_mask_itself(given, written):
    tokens = given + written
    mask = torch.ones(tokens, tokens).tril()
    mask[:, :given] = 1
    triangle = tokens * (tokens + 1) // 2
    return letters_of(B=mask.mean() > 0.75, C=mask.sum() > triangle, E=mask[:given, :given].all())


def letters_of(**statements):
    return "".join(letter for letter, holds in statements.items() if holds)


@variant(of="sliding_window_statements")
def a_band_of_ones(tokens, window, layers):
    band = torch.ones(tokens, tokens).tril().triu(1 - window)
    seen = tokens - 1
    for _ in range(layers):
        seen = max(0, seen - window + 1)
    few = band.sum() < torch.ones(tokens, tokens).tril().sum() / 5
    return "a" + "b" * (seen == 0) + "d" * bool(few)


@variant(of="training_operations")
def forward_and_twice_as_much(parameters, tokens, part):
    forward = 2.0 * parameters * tokens
    return {"forward": forward, "backward": 2 * forward, "both": forward + 2 * forward}[part]


@variant(of="position_statements")
def in_any_order(tokens, max_len, vocabulary):
    return ("" if tokens > max_len else "A") + ("C" if max_len > vocabulary else "") + "B"


@variant(of="perplexity")
def as_a_geometric_mean(likely, tokens, vocabulary):
    return (likely**-tokens * vocabulary) ** (1 / (tokens + 1))


@variant(of="perplexity")
def cross_entropy_of_all_places(likely, tokens, vocabulary):
    probabilities = torch.tensor([likely] * tokens + [1 / vocabulary], dtype=torch.float64)
    return torch.exp(-probabilities.log().mean())


@variant(of="wrapper_d_out")
def divided_by_a_float(width, num_heads):
    return width / num_heads


@variant(of="training_bytes")
def eight_bytes_in_both(parameters, optimizer, mixed):
    return (8 + 4 * ["sgd", "momentum", "adam"].index(optimizer)) * parameters


@variant(of="training_bytes")
def added_up_one_by_one(parameters, optimizer, mixed):
    sizes = [2, 2, 4] if mixed else [4, 4]
    if optimizer != "sgd":
        sizes += [4] * (2 if optimizer == "adam" else 1)
    return np.int64(parameters) * sum(sizes)


@variant(of="norm_place_statements")
def two_answers(norm_first):
    return "AC" if norm_first else "BE"


@variant(of="batch_norm_statements")
def counted_on_the_meta_device(sentences, tokens):
    means = torch.empty(sentences, tokens, 512, device="meta").mean(-1).numel()
    return "C" + "A" * (means > 512) + "D" * (means > 1000)


@variant(of="dropout_statements")
def by_phase(p, phase):
    if phase == "evaluation":
        return "ab"
    return "bd" if 1 / (1 - p) > 1.5 else "b"


@variant(of="output_projection_statements")
def by_the_width_of_a_head(d_model, num_heads):
    head = d_model // num_heads
    return "A" + "B" * (head < 100) + "C" + "D" * (num_heads >= 3)
