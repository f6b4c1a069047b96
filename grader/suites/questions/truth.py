"""What is true: one function a choice question, with the same arguments as the question."""

from __future__ import annotations

import math


def scaling_statements(d_k):
    return {"A": True, "B": False, "C": d_k > 100, "D": d_k > 200, "E": False}


def similarity_statements(x_length, y_length, cosine):
    x_first, y_first = x_length > y_length * cosine, y_length > x_length * cosine
    return {"A": True, "B": x_first, "C": False, "D": False, "E": y_first}


def long_context_statements(tokens, gap):
    half, halved = gap > math.log(tokens - 1), gap < math.log(8 * tokens + 1)
    return {"A": False, "B": half, "C": halved, "D": False, "E": True}


def temperature_statements(temperature):
    return {
        "A": True,
        "B": temperature < 2 / math.log(9),
        "C": temperature > 1,
        "D": False,
        "E": False,
    }


def divergence_statements(right, model):
    surprise = math.log(model) * right + math.log(1 - model) * (1 - right)
    return {"A": True, "B": surprise < math.log(0.5), "C": False, "D": True, "E": right > model}


def parallel_statements(part, phase):
    case = part, phase
    return {
        "A": case != ("decoder", "generation"),
        "B": False,
        "C": case == ("decoder", "training"),
        "D": case == ("decoder", "generation"),
        "E": part == "decoder",
    }


def family_statements(family):
    reads, writes = "encoder" in family, "decoder" in family
    return {
        "A": writes,
        "B": reads and writes,
        "C": not writes,
        "D": not reads,
        "E": reads,
    }


def prefix_statements(given, written):
    tokens = given + written
    forbidden = given * written + written * (written - 1) // 2
    return {"A": False, "B": 4 * forbidden < tokens * tokens, "C": given > 1, "D": False, "E": True}


def distance_statements(distance, kernel):
    return {"A": True, "B": distance >= 44, "C": distance <= 4 * kernel - 4, "D": False, "E": False}


def cost_statements(tokens, width):
    cheaper, projections = tokens < width, tokens < 2 * width
    return {"A": cheaper, "B": True, "C": False, "D": tokens > 512, "E": projections}


def sliding_window_statements(tokens, window, layers):
    rows = sum(min(place, window) for place in range(1, tokens + 1))
    few = 5 * rows < sum(range(1, tokens + 1))
    return {"A": True, "B": tokens <= 1 + layers * (window - 1), "C": False, "D": few, "E": False}


def heads_statements(d_model, num_heads):
    eighths, weights = d_model // num_heads == 64, 10_000 * num_heads > d_model * d_model
    return {"A": True, "B": False, "C": eighths, "D": weights, "E": True}


def block_statements(d_model, d_ff):
    return {"A": d_ff > 2 * d_model, "B": False, "C": False, "D": True, "E": d_model > 100}


def order_statements(positions, causal):
    unseen = not positions
    return {"A": unseen and not causal, "B": False, "C": unseen, "D": causal, "E": unseen}


def position_statements(tokens, max_len, vocabulary):
    fits, larger = not tokens > max_len, vocabulary < max_len
    return {"A": fits, "B": True, "C": larger, "D": False, "E": False}


def mask_statements(tokens, position):
    return {
        "A": 2 * (tokens - 1 - position) > tokens,
        "B": position < 9,
        "C": False,
        "D": True,
        "E": True,
    }


def window_statements(position, window, score):
    seen = min(position + 1, window)
    sharp = seen == 8 or score > math.log(99 * (8 - seen) / seen)  # of 8, none is outside
    return {"A": False, "B": position >= window - 1, "C": sharp, "D": False, "E": True}


def output_projection_statements(d_model, num_heads):
    return {
        "A": True,
        "B": d_model < 100 * num_heads,
        "C": True,
        "D": num_heads > 2,
        "E": False,
    }


def norm_place_statements(norm_first):
    post = not norm_first
    return {"A": norm_first, "B": post, "C": norm_first, "D": False, "E": post}


def batch_norm_statements(sentences, tokens):
    count = sentences * tokens
    return {"A": count > 512, "B": False, "C": True, "D": count > 1000, "E": False}


def dropout_statements(p, phase):
    training = phase == "training"
    return {"A": not training, "B": True, "C": False, "D": training and p > 1 / 3, "E": False}


def residual_statements(scale):
    return {"A": True, "B": scale > 1, "C": False, "D": True, "E": scale > 1 + math.log(99)}
