"""One change of the weights that were handed in, after which all their answers are right.

How large the numbers are and which column means what is the learner's choice, so nothing is read
off the weights themselves: changes are tried in turn, and the first one that cures them is told.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

LARGER = 1024
ORDERS = {  # where the query, the key and the value are found, if c_attn is in another order
    (1, 0, 2): "queries and keys",
    (0, 2, 1): "keys and values",
    (2, 1, 0): "queries and values",
    (2, 0, 1): "all three parts",
    (1, 2, 0): "all three parts",
}
PARTS = "queries", "keys", "values"


def cures(weights):
    """What to do, and what the weights are then, one cure after another. They fit all weights of
    the same layers, in the same order."""
    layers = sum(name.endswith("c_attn") for name in weights)
    for layer in range(layers):
        yield from parts_alone(weights, layer)
        yield from simple(TURNED, layer)
        if layer == 1:
            yield ASKS_AND_ANSWERS, asks_and_answers
        yield from orders(layer)
        yield from letters_exchanged(weights, layer)
    if layers > 1:
        yield from moved(weights)
    if len(weights["wte"]) == 2:
        yield from ((CANCELLED, cancelling(of_both)) for of_both in CANCELLING)
    for cure in SIZES:
        for layer in range(layers):
            yield from simple([cure], layer)


def simple(table, layer):
    for said, part, change in table:
        yield said.replace("layers.n", f"layers.{layer}"), changed(layer, part, change)


def changed(layer, part, change):
    """The change of one part of a layer, or of a part of its c_attn."""
    if part not in PARTS:
        name = f"layers.{layer}.{part}"
        return lambda given: given | {name: change(given[name])} if name in given else None

    def of_c_attn(given):
        return with_parts(given, layer, {PARTS.index(part): change})

    return of_c_attn


def with_parts(given, layer, changes):
    name = f"layers.{layer}.c_attn"
    parts = np.split(given[name], 3, axis=1)
    new = [changes.get(n, unchanged)(part) for n, part in enumerate(parts)]
    return given | {name: np.hstack(new)}


def unchanged(part):
    return part


def transposed(part):
    return part.T


def negative(part):
    return -part


def larger(part):
    return LARGER * part


TURNED = [
    (
        "Transpose layers.n.c_proj, and every prediction here is right: row i of it is what column "
        "i of the answer adds to x, so rows and columns have changed places.",
        "c_proj", transposed,
    ),
    (
        "The sign is wrong: with the other one for layers.n.c_proj, or for the values that it "
        "writes, every prediction here is right.",
        "c_proj", negative,
    ),
    (
        "The bias has the wrong sign: with the other one for layers.n.c_proj_bias every prediction "
        "here is right.",
        "c_proj_bias", negative,
    ),
    (
        "Transpose the queries' part of layers.n.c_attn, and all is right here: row i of it is "
        "what a 1 in column i of x asks for.",
        "queries", transposed,
    ),
    (
        "The sign of the queries or of the keys is wrong: with the other one in one of these parts "
        "of layers.n.c_attn all is right here.",
        "queries", negative,
    ),
]  # fmt: skip
SIZES = [
    (
        "The queries of layers.n.c_attn are too small. How large they must be was not sought: "
        f"with {LARGER} times as much all is right here.",
        "queries", larger,
    ),
    (
        "What layers.n.c_proj writes is too small beside what else is in x, its bias included. "
        f"What is needed was not sought: with {LARGER} times as much all predictions are right.",
        "c_proj", larger,
    ),
]  # fmt: skip
TRANSPOSED = (
    "Each part of layers.n.c_attn is transposed by itself, and turned back, all is right here. "
    "Queries, keys and values stand side by side as they are, np.concatenate([q, k, v], axis=1): "
    "stacked on one another and transposed as a whole, rows and columns change places."
)
LATE_TRANSPOSES = [
    (
        "Transpose the keys' part of layers.n.c_attn, and all is right here: row i of it is what a "
        "1 in column i of x offers.",
        1,
    ),
    (
        "Transpose the values' part of layers.n.c_attn, and all is right here: row i of it is what "
        "a 1 in column i of x has as its value.",
        2,
    ),
]


def orders(layer):
    """Of parts that have changed places, or were all of them transposed."""
    name = f"layers.{layer}"
    for order, which in ORDERS.items():
        yield (
            f"In {name}.c_attn {which} have changed places: queries, keys and values stand side by "
            "side, in this order. Put so, all is right here.",
            lambda given, order=order: reordered(given, f"{name}.c_attn", order),
        )
    for said, part in LATE_TRANSPOSES:
        yield said.replace("layers.n", name), changed(layer, PARTS[part], transposed)
    yield (
        TRANSPOSED.replace("layers.n", name),
        lambda given: with_parts(given, layer, dict.fromkeys(range(3), transposed)),
    )


def reordered(given, name, order):
    parts = np.split(given[name], 3, axis=1)
    return given | {name: np.hstack([parts[n] for n in order])}


CANCELLED = (
    "Let the two values add up to 0, as 1 and -1 do, and every prediction here is right: then they "
    "cancel after ab and ba, and the bias decides."
)
# What becomes of the values of a and of b: how much of each of them is in the new ones.
CANCELLING = [
    np.array([[0.5, -0.5], [-0.5, 0.5]]),
    np.array([[1.0, 0.0], [-1.0, 0.0]]),
    np.array([[0.0, -1.0], [0.0, 1.0]]),
]


def cancelling(of_both):
    """The change that makes other values of those of a and b, and leaves those of places."""

    def change(given):
        stands = basis(given, 0)
        wide = np.vstack([*stands.values()])
        values = stands[LETTER] @ np.split(given["layers.0.c_attn"], 3, axis=1)[2]
        wanted = np.zeros((len(wide), values.shape[1]))
        wanted[: len(values)] = of_both @ values - values
        more = np.linalg.pinv(wide) @ wanted
        if not np.allclose(wide @ more, wanted):
            return None  # letters and places cannot be told apart
        return with_parts(given, 0, {PARTS.index("values"): lambda rows: rows + more})

    return change


# Where a layer writes ---------------------------------------------------------------------------


def letters_exchanged(weights, layer):
    """Two letters have changed places in what a layer writes, or in a part of that."""
    written = [f"layers.{layer}.{part}" for part in ("c_proj", "c_proj_bias")]
    for pair in combinations(range(len(weights["wte"])), 2):
        for names in (written, written[:1], written[1:]):
            if all(name in weights for name in names):
                yield (
                    f"Exchange the columns of the letters {' and '.join('abcd'[n] for n in pair)} "
                    f"in {' and in '.join(names)}, and every prediction here is right: one is "
                    "written where the other is due.",
                    lambda given, pair=pair, names=names: exchanged_letters(given, pair, names),
                )


def exchanged_letters(given, pair, names):
    letters = given["wte"]
    places = np.arange(len(letters))
    places[[*pair]] = places[[*reversed(pair)]]
    turn = np.eye(letters.shape[1]) + np.linalg.pinv(letters) @ (letters[places] - letters)
    return given | {name: given[name] @ turn for name in names if name in given}


def moved(weights):
    """Layer 0 writes into other columns than those in which layer 1 looks for it."""
    used = np.flatnonzero(np.any(weights["layers.0.c_proj"], axis=0))
    if not len(used):
        return
    first, width = used[0], used[-1] + 1 - used[0]
    for place in range(len(weights["layers.0.c_proj"]) - width + 1):
        if place != first:
            yield (
                f"layers.0.c_proj writes into {columns(first, width)}. Let it write into "
                f"{columns(place, width)}, and all is right here: layer 1 looks for it there.",
                lambda given, place=place: in_other_columns(given, first, place, width),
            )


def columns(first, width):
    return f"the columns {first} to {first + width - 1}" if width > 1 else f"column {first}"


def in_other_columns(given, first, place, width):
    write = np.zeros_like(given["layers.0.c_proj"])
    write[:, place : place + width] = given["layers.0.c_proj"][:, first : first + width]
    return given | {"layers.0.c_proj": write}


# What a part is made of -------------------------------------------------------------------------

LETTER, PLACE, BEFORE = "the letter itself", "the place", "what layer 0 wrote"


def parts_alone(weights, layer):
    """Of a part that is made of what it should not be made of, or of another thing than it should.

    x is a sum of the letter, the place and, in layer 1, what layer 0 wrote. A table says what each
    becomes, for the part to read; what is left out becomes 0.
    """
    if layer > 1:
        return
    parts = np.split(weights[f"layers.{layer}.c_attn"], 3, axis=1)
    for n, part in enumerate(PARTS):
        read = [name for name, rows in basis(weights, layer).items() if np.any(rows @ parts[n])]
        for kept in read:
            others = " and ".join(other for other in read if other != kept)
            yield (
                f"Let the {part} of layer {layer} be made of {kept} alone, and not of {others} as "
                "well: then all is right here.",
                reading(layer, n, {kept: kept}),
            )
        if layer:
            yield from exchanged(part, n)


def exchanged(part, n):
    for right, wrong in ((BEFORE, LETTER), (LETTER, BEFORE)):
        made = f"Let the {part} of layer 1 be made of {right} where they are made of {wrong} now"
        yield f"{made}: then all is right here.", reading(1, n, {right: wrong, PLACE: PLACE})


ASKS_AND_ANSWERS = (
    "In layer 1 what layer 0 wrote asks, and the letter itself answers. It is the other way round: "
    "exchange what the queries and what the keys are made of, column by column of c_attn, and all "
    "is right here."
)


def asks_and_answers(given):
    """Of queries and keys: made of the letter where they were made of what layer 0 wrote, and the
    other way round.
    """
    for n in (0, 1):
        change = reading(1, n, {LETTER: BEFORE, BEFORE: LETTER, PLACE: PLACE})
        given = None if given is None else change(given)
    return given


def reading(layer, part, becomes):
    def change(given):
        stands = basis(given, layer)
        wide = np.vstack([*stands.values()])
        wanted = [stands.get(becomes.get(name), 0 * rows) for name, rows in stands.items()]
        turn = np.linalg.pinv(wide) @ np.vstack(wanted)
        if not np.allclose(wide @ turn, np.vstack(wanted)):
            return None  # they cannot be told apart
        return with_parts(given, layer, {part: lambda rows: turn @ rows})

    return change


def basis(given, layer):
    """What x is made of in a layer: a row for each letter, for each place, and for each letter as
    layer 0 writes it."""
    stands = {LETTER: given["wte"], PLACE: given["wpe"]}
    if layer:
        value = np.split(given["layers.0.c_attn"], 3, axis=1)[2]
        stands[BEFORE] = given["wte"] @ value @ given["layers.0.c_proj"]
    return stands
