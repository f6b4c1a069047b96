"""Right answers to ``hand_weights`` that are written differently."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache

import numpy as np
import torch

from grader.check import variant


def _weights(wte, wpe, *layers):
    """The dict of a model. A layer is its query, key, value and c_proj, and c_proj_bias or not."""
    found = {"wte": wte, "wpe": wpe}
    for index, (query, key, value, write, *bias) in enumerate(layers):
        found[f"layers.{index}.c_attn"] = np.hstack([query, key, value])
        found[f"layers.{index}.c_proj"] = write
        if bias:
            found[f"layers.{index}.c_proj_bias"] = bias[0]
    return found


def _rotated(weights, seed):
    """The same model with its stream turned: no column means anything by itself any more."""
    width = weights["wte"].shape[1]
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))
    return {
        name: turn.T @ array if name.endswith("c_attn") else array @ turn
        for name, array in weights.items()
    }


def _widened(weights, width):
    """The same model with empty columns at the end."""
    old = weights["wte"].shape[1]
    found = {}
    for name, array in weights.items():
        rows = width if name.startswith("layers") and array.ndim == 2 else len(array)
        parts = np.split(array, 3, axis=-1) if name.endswith("c_attn") else [array]
        wider = []
        for part in parts:
            new = np.zeros((rows, width) if part.ndim == 2 else (width,))
            new[tuple(slice(n) for n in part.shape)] = part
            wider.append(new)
        found[name] = np.concatenate(wider, axis=-1)
    assert old < width
    return found


def _with_idle_layer_first(weights):
    width = weights["wte"].shape[1]
    found = {"layers.0.c_attn": np.ones((width, 3 * width)), "layers.0.c_proj": np.eye(width) * 0}
    for name, array in weights.items():
        head, _, rest = name.partition("layers.")
        found[name if not rest else f"layers.{int(rest[0]) + 1}{rest[1:]}"] = array
    return found


# aab_weights -----------------------------------------------------------------------------------


def _aab(scale=1024.0, write=1024.0, say=(1.0, -1.0), bias=None, newer=1.0, older=1.0, places=5):
    width = places + 3
    letters, value = [places, places + 1], places + 2
    query, key, values, out = np.zeros((4, width, width))
    ask = np.log(newer) * np.eye(places) + np.log(older) * np.eye(places, k=-1)
    query[:places, :places] = scale * (np.eye(places) + np.eye(places, k=-1)) + ask * width**0.5
    key[:places, :places] = np.eye(places)
    values[letters, value] = say
    out[value, letters] = -write, write
    spoken = np.zeros(width)
    spoken[letters] = (write, 0) if bias is None else bias
    one = np.eye(width)
    return _weights(one[letters], one[:places], (query, key, values, out, spoken))


@variant(of="aab_weights")
def in_lists_as_printed():
    """Nested lists of the published program, in the page's names."""
    size, large = 8, 1024.0
    rows = []
    for place in range(5):
        row = [0.0] * 24
        row[place] = large
        if place:
            row[place - 1] = large
        row[size + place] = 1.0
        rows.append(row)
    a, b, empty = [0.0] * 24, [0.0] * 24, [0.0] * 24
    a[23], b[23] = 1.0, -1.0
    return {
        "wte": [[0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0]],
        "wpe": [[float(i == j) for j in range(8)] for i in range(5)],
        "layers.0.c_attn": [*rows, a, b, empty],
        "layers.0.c_attn_bias": [0.0] * 24,
        "layers.0.c_proj": [[0.0] * 8] * 7 + [[0, 0, 0, 0, 0, -large, large, 0]],
        "layers.0.c_proj_bias": [0, 0, 0, 0, 0, large, 0, 0],
    }


@variant(of="aab_weights")
def smallest_queries():
    return _aab(scale=2.0)


@variant(of="aab_weights")
def smallest_writing():
    return _aab(write=2.0)


@variant(of="aab_weights")
def in_between():
    return _aab(scale=30.0, write=7.0)


@variant(of="aab_weights")
def very_large():
    return _aab(scale=1e9, write=1e9)


@variant(of="aab_weights")
def silent_b_and_a_bias_in_between():
    return _aab(say=(1.0, 0.0), bias=(1536.0, 0.0))


@variant(of="aab_weights")
def negative_a():
    weights = _aab(say=(-1.0, 1.0))
    return weights | {"layers.0.c_proj": -weights["layers.0.c_proj"]}


@variant(of="aab_weights")
def unequal_shares():
    """Seven tenths for the last letter, three for the one before: 1 against 0.4 and -0.4."""
    return _aab(newer=0.7, older=0.3, bias=(1434.0, 0.0))


@variant(of="aab_weights")
def by_recency():
    """No place asks for any other: keys grow with the place, so newer letters weigh more."""
    query, key, value, write = np.zeros((4, 4, 4))
    key[2, 0] = 1.0
    value[0, 3], value[1, 3] = 1.0, -1.0
    write[3, :2] = -100, 100
    wpe = np.zeros((5, 4))
    wpe[:, 2] = np.arange(5)
    weights = _weights(np.eye(4)[:2], wpe, (query, key, value, write, np.array([133.0, 0, 0, 0])))
    bias = np.zeros(12)
    bias[0] = 2.0  # times one step of the keys, over sqrt(4): each letter e times the one before
    return weights | {"layers.0.c_attn_bias": bias}


@variant(of="aab_weights")
def turned_and_wider():
    return _rotated(_widened(_aab(), 24), 7)


@variant(of="aab_weights")
def with_places_to_spare():
    return _aab(places=12)


@variant(of="aab_weights")
def in_single_precision():
    return {name: array.astype(np.float32) for name, array in _aab().items()}


@variant(of="aab_weights")
def in_integers():
    return {name: array.astype(int) for name, array in _aab(scale=1000, write=1000).items()}


@variant(of="aab_weights")
def in_tensors():
    return {name: torch.from_numpy(array) for name, array in _aab().items()}


@variant(of="aab_weights")
def with_an_idle_layer():
    return _with_idle_layer_first(_aab())


@variant(of="aab_weights")
def letters_first():
    """Another order of columns: value, letters, positions backwards."""
    weights, order = _aab(), [7, 6, 5, 4, 3, 2, 1, 0]
    found = {}
    for name, array in weights.items():
        if name.endswith("c_attn"):
            query, key, value = np.split(array[order], 3, axis=1)
            found[name] = np.hstack([query, key, value[:, order]])
        elif name.endswith("c_proj"):
            found[name] = array[order][:, order]
        else:
            found[name] = array[..., order]
    return found


# periodic_weights ------------------------------------------------------------------------------


def _copying(ask, scale=1024.0, copies=2.0, wpe=None):
    wpe = np.eye(12) if wpe is None else wpe
    places, width = wpe.shape[1], 4 + wpe.shape[1]
    query, key, value, write = np.zeros((4, width, width))
    query[4:, 4:], key[4:, 4:] = scale * ask, np.eye(places)
    value[:4, :4], write[:4, :4] = np.eye(4), copies * np.eye(4)
    positions = np.hstack([np.zeros((12, 4)), wpe])
    return _weights(np.eye(width)[:4], positions, (query, key, value, write))


def _on_a_circle(back):
    """Positions as angles: the query is turned back by so many steps. Twelve make a full turn."""
    angle = 2 * np.pi * np.arange(12) / 12
    wpe = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    turn = 2 * np.pi * back / 12
    cos, sin = np.cos(turn), np.sin(turn)
    return _copying(np.array([[cos, -sin], [sin, cos]]), scale=1e4, wpe=wpe)


@variant(of="periodic_weights")
def from_the_first_period(pattern):
    """Looks up the place in the first period that has the same remainder as the next one."""
    ask = np.zeros((12, 12))
    for place in range(12):
        ask[place, (place + 1) % len(pattern)] = 1
    return _copying(ask)


@variant(of="periodic_weights")
def all_places_of_the_same_remainder(pattern):
    size = len(pattern)
    wpe = np.eye(12)[np.arange(12) % size]
    ask = np.zeros((12, 12))
    for rest in range(size):
        ask[rest, (rest + 1) % size] = 1
    return _copying(ask, wpe=wpe)


@variant(of="periodic_weights")
def on_a_circle(pattern):
    return _on_a_circle(len(pattern) - 1)


@variant(of="periodic_weights")
def with_modest_numbers(pattern):
    return _copying(np.eye(12, k=1 - len(pattern)), scale=40.0, copies=3.0)


@variant(of="periodic_weights")
def turned(pattern):
    return _rotated(_copying(np.eye(12, k=1 - len(pattern))), len(pattern))


@variant(of="periodic_weights")
def wider_and_single(pattern):
    weights = _widened(_copying(np.eye(12, k=1 - len(pattern))), 50)
    return {name: array.astype(np.float32) for name, array in weights.items()}


@variant(of="periodic_weights")
def cancels_the_last_letter(pattern):
    """A first layer takes the letter itself away, and a second writes it only once."""
    keep = _copying(np.eye(12), copies=-1.0)
    width = 20
    found = _widened(keep, width)
    store = found["layers.0.c_proj"].copy()
    store[:4, 16:20] = np.eye(4)
    look = _widened(_copying(np.eye(12, k=1 - len(pattern)), copies=1.0), width)
    query, key, _ = np.split(look["layers.0.c_attn"], 3, axis=1)
    value = np.zeros((width, width))
    value[16:20, :4] = np.eye(4)
    return found | {
        "layers.0.c_proj": store,
        "layers.1.c_attn": np.hstack([query, key, value]),
        "layers.1.c_proj": look["layers.0.c_proj"],
    }


# previous_token_head ---------------------------------------------------------------------------


@variant(of="previous_token_head")
def head_on_a_circle():
    return _on_a_circle(1)


@variant(of="previous_token_head")
def head_that_copies_nothing():
    return _copying(np.eye(12, k=-1), copies=0.0, scale=30.0)


@variant(of="previous_token_head")
def head_turned():
    return _rotated(_copying(np.eye(12, k=-1)), 3)


@variant(of="previous_token_head")
def head_that_shifts_the_keys():
    """The key says which place may read it, instead of the query asking for a place."""
    weights = _copying(np.eye(12, k=-1))
    query, key, value = np.split(weights["layers.0.c_attn"], 3, axis=1)
    query[4:, 4:], key[4:, 4:] = 1024 * np.eye(12), np.eye(12, k=1)
    return weights | {"layers.0.c_attn": np.hstack([query, key, value])}


@variant(of="previous_token_head")
def head_with_biases():
    weights = _copying(np.eye(12, k=-1))
    biases = {"layers.0.c_attn_bias": np.arange(48.0), "layers.0.c_proj_bias": np.arange(16.0)}
    biases["layers.0.c_attn_bias"][:16] = 0  # a bias of keys alone would matter with it
    return weights | biases


# induction_head --------------------------------------------------------------------------------


def _induction(copies=2.0, sharp=1024.0, shyness="by letter"):
    letter, place, before, spare = slice(0, 4), slice(4, 16), slice(16, 20), 20
    q0, k0, v0, w0, q1, k1, v1, w1 = np.zeros((8, 21, 21))
    q0[place, place], k0[place, place] = 1024 * np.eye(12, k=-1), np.eye(12)
    v0[letter, letter], w0[letter, before] = np.eye(4), np.eye(4)
    q1[letter, letter], k1[before, letter] = sharp * np.eye(4), np.eye(4)
    if shyness == "by letter":
        k1[4, letter] = -1
    else:
        k1[4, spare] = -1
    v1[letter, letter], w1[letter, letter] = np.eye(4), copies * np.eye(4)
    layers = (q0, k0, v0, w0), (q1, k1, v1, w1)
    weights = _weights(np.eye(21)[letter], np.eye(21)[place], *layers)
    if shyness == "by bias":
        bias = np.zeros(63)
        bias[spare] = 2 * sharp
        weights["layers.1.c_attn_bias"] = bias
    if shyness == "by place":
        weights["layers.1.c_attn"][place, spare] = 2 * sharp
    return weights


@variant(of="induction_head")
def first_place_shut_by_a_bias():
    return _induction(shyness="by bias")


@variant(of="induction_head")
def first_place_shut_by_every_place():
    return _induction(shyness="by place")


@variant(of="induction_head")
def induction_with_modest_numbers():
    return _induction(copies=3.0, sharp=40.0)


@variant(of="induction_head")
def induction_with_large_copies():
    return _induction(copies=500.0)


@variant(of="induction_head")
def induction_turned():
    return _rotated(_induction(), 11)


@variant(of="induction_head")
def induction_in_three_layers():
    return _with_idle_layer_first(_induction())


@variant(of="induction_head")
def induction_wider_and_single():
    return {name: array.astype(np.float32) for name, array in _widened(_induction(), 64).items()}


@variant(of="induction_head")
def printed_and_in_order():
    """Looked at, printed, and in a dict of another type."""
    weights = _induction(shyness="by place")
    assert all(np.isfinite(array).all() for array in weights.values())
    print({name: array.shape for name, array in weights.items()})
    return OrderedDict(weights)


@variant(of="periodic_weights")
def of_the_shortest_period(pattern):
    """abab is ab twice: the last two letters say as much as the last four."""
    if not 2 <= len(pattern) <= 6 or set(pattern) - set("abcd"):
        raise ValueError(f"{pattern!r} is no pattern")
    size = (2 * pattern).index(pattern, 1)
    return _copying(np.eye(12, k=1 - size))


@variant(of="periodic_weights")
def kept_by_length(pattern):
    """The letters do not matter at all; what was made once is returned again."""
    return _of_length(len(pattern))


@lru_cache
def _of_length(length):
    return _copying(np.eye(12, k=1 - length), copies=5.0)


@variant(of="aab_weights")
def read_only_views():
    """Rows that are the same are one row in memory."""
    found = _aab()
    found["layers.0.c_attn_bias"] = np.broadcast_to(0.0, (24,))
    found["layers.0.c_proj"] = np.asfortranarray(found["layers.0.c_proj"])
    found["wpe"] = found["wpe"][::-1][::-1]
    for array in found.values():
        array.flags.writeable = False
    return found


@variant(of="aab_weights")
def cell_by_cell_in_half_precision():
    found = {name: np.zeros(array.shape, dtype=np.float16) for name, array in _aab().items()}
    for name, array in _aab(scale=64.0, write=32.0).items():
        for place in np.ndindex(array.shape):
            found[name][place] = array[place]
    return found


@variant(of="previous_token_head")
def head_built_with_torch():
    ask = torch.diag(torch.full((11,), 200.0), -1)
    c_attn = torch.zeros(16, 48)
    c_attn[4:, 4:16], c_attn[4:, 20:32] = ask, torch.eye(12)
    weights = {"wte": torch.eye(16)[:4], "wpe": torch.eye(16)[4:], "layers.0.c_attn": c_attn}
    weights["layers.0.c_proj"] = torch.zeros(16, 16)
    return {name: tensor.numpy() for name, tensor in weights.items()}
