"""Wrong answers to ``hand_weights``, and what their authors are told."""

from __future__ import annotations

import numpy as np

from grader.programs.bank import misconception

LARGE = 1024


def _weights(wte, wpe, *layers):
    """The dict of a model. A layer is its query, key, value and c_proj, and c_proj_bias or not."""
    found = {"wte": wte, "wpe": wpe}
    for index, (query, key, value, write, *bias) in enumerate(layers):
        found[f"layers.{index}.c_attn"] = np.hstack([query, key, value])
        found[f"layers.{index}.c_proj"] = write
        if bias:
            found[f"layers.{index}.c_proj_bias"] = bias[0]
    return found


# aab_weights -----------------------------------------------------------------------------------


def _aab(ask=None, scale=LARGE, say=(1, -1), write=LARGE, bias=(LARGE, 0), letters=(5, 6)):
    """The right weights, but for what is given. ``ask`` is what places ask for."""
    query, key, value, out = np.zeros((4, 8, 8))
    query[:5, :5] = scale * (np.eye(5) + np.eye(5, k=-1) if ask is None else ask)
    key[:5, :5] = np.eye(5)
    value[letters, 7] = say
    out[7, [5, 6]] = -write, write
    spoken = np.zeros(8)
    spoken[[5, 6]] = bias
    return _weights(np.eye(8)[list(letters)], np.eye(8)[:5], (query, key, value, out, spoken))


@misconception(
    of="aab_weights",
    sentence="What your layer writes is no larger than what x already holds: the last letter's own "
    "logit of 1 makes a tie after aa. Write more, at least twice as much.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def residual_not_drowned():
    return _aab(write=1, bias=(1, 0))


@misconception(
    of="aab_weights",
    sentence="Every letter attends to itself alone: after an a it depends on the letter before it "
    "what comes. Either place i does not ask for i - 1, or queries and keys have changed places.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def attends_to_itself():
    return _aab(np.eye(5))


@misconception(
    of="aab_weights",
    sentence="Every letter attends only to the one before: after a second letter a it must see "
    "both of them to know what comes. Let place i ask for i as well.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def attends_to_the_letter_before():
    return _aab(np.eye(5, k=-1))


@misconception(
    of="aab_weights",
    sentence="All places look alike, so every letter attends to all before it: that is right only "
    "in a text of two. Positions need columns that queries and keys read.",
    caught_by=("test_aab_after_longer_texts",),
)
def positions_left_out():
    return _aab() | {"wpe": np.zeros((5, 8))}


@misconception(
    of="aab_weights",
    sentence="Your queries are too small: with scores below 1 other letters keep nearly as much "
    "attention as the last two, and the b of baa is still heard. Multiply them by 1024.",
    caught_by=("test_aab_after_longer_texts",),
)
def attention_leaks():
    return _aab(scale=1)


@misconception(
    of="aab_weights",
    sentence="Your window is three letters wide, and every three letters of the text hold one b: "
    "their sum tells nothing. Ask for two places.",
    caught_by=("test_aab_after_longer_texts",),
)
def window_of_three():
    return _aab(sum(np.eye(5, k=-n) for n in range(3)))


@misconception(
    of="aab_weights",
    sentence="Your window is off by one: it holds the two letters before the last, without that "
    "itself. Row i of the queries asks for i - 1 and i.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def window_off_by_one():
    return _aab(np.eye(5, k=-1) + np.eye(5, k=-2))


@misconception(
    of="aab_weights",
    sentence="Every letter attends to the first of the text: texts begin at any letter of the "
    "pattern, so the first one tells nothing. Ask for places counted from your own.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def reads_the_first_place():
    first = np.zeros((5, 5))
    first[:, 0] = 1
    return _aab(first)


@misconception(
    of="aab_weights",
    sentence="Only the third place asks for the last two letters: other texts end at other places, "
    "and each place needs its own row of the queries.",
    caught_by=("test_aab_after_longer_texts",),
)
def for_three_letters_only():
    ask = np.zeros((5, 5))
    ask[2, 1:3] = 1
    return _aab(ask)


@misconception(
    of="aab_weights",
    sentence="Your window counts from the front: the places 0 and 1 are the last two letters of a "
    "text of two only.",
    caught_by=("test_aab_after_longer_texts",),
)
def window_at_the_front():
    ask = np.zeros((5, 5))
    ask[:, :2] = 1
    return _aab(ask)


@misconception(
    of="aab_weights",
    sentence="Your model always says a: what the values add up to never calls for b. Either their "
    "sign is wrong, or c_proj is transposed and writes nothing, or its bias drowns them.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def sign_of_the_values():
    return _aab(say=(-1, 1))


@misconception(
    of="aab_weights",
    sentence="After ab and ba what you write favours neither letter, so the last one predicts "
    "itself: let the two values add up to 0, and a bias of c_proj say a when nobody objects.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def bias_forgotten():
    return _aab(bias=(0, 0))


@misconception(
    of="aab_weights",
    sentence="Your model always says b: the bias speaks for it where the values add up to 0, and "
    "after ab and ba an a is due. Or a and b have changed places in wte: a is its first row.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def bias_for_the_other_letter():
    return _aab(bias=(0, LARGE))


@misconception(
    of="aab_weights",
    sentence="Letters and positions share columns: an a looks like place 0, a b like place 1, and "
    "queries and keys mistake one for the other. Keep their columns apart.",
    caught_by=("test_aab_after_longer_texts",),
)
def letters_and_positions_overlap():
    weights = _aab(letters=(0, 1))
    weights["layers.0.c_proj"][7] = [-LARGE, LARGE, 0, 0, 0, 0, 0, 0]
    weights["layers.0.c_proj_bias"][:] = [LARGE, 0, 0, 0, 0, 0, 0, 0]
    return weights


@misconception(
    of="aab_weights",
    sentence="Your c_attn is transposed, as torch's Linear would have it: here it is (d, 3 d), and "
    "queries are x @ c_attn.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def transposed_c_attn():
    weights = _aab()
    return weights | {"layers.0.c_attn": weights["layers.0.c_attn"].T}


@misconception(
    of="aab_weights",
    sentence="Your c_attn holds queries alone: queries, keys and values stand side by side in it, "
    "three times the width.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def queries_alone():
    weights = _aab()
    return weights | {"layers.0.c_attn": weights["layers.0.c_attn"][:, :8]}


@misconception(
    of="aab_weights",
    sentence="Your dict is nested: the page's names are flat, such as layers.0.c_attn.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def nested():
    weights = _aab()
    layer = {name: weights[f"layers.0.{name}"] for name in ("c_attn", "c_proj")}
    return {"wte": weights["wte"], "wpe": weights["wpe"], "layers": [layer]}


@misconception(
    of="aab_weights",
    sentence="You return the arrays without their names: forward looks them up in a dict.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def without_names():
    return list(_aab().values())


@misconception(
    of="aab_weights",
    sentence="You write -inf into the weights to forbid something: 0 * inf is NaN. Large finite "
    "numbers do, and the causal mask is the model's own.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def minus_infinity():
    weights = _aab()
    attn = weights["layers.0.c_attn"]
    return weights | {"layers.0.c_attn": np.where(attn == LARGE, attn, -np.inf)}


@misconception(
    of="aab_weights",
    sentence="Your numbers are so large that their products overflow: 1024 is plenty: exp turns "
    "a gap of some hundreds into certainty.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def beyond_floats():
    weights = _aab()
    return weights | {"layers.0.c_attn": weights["layers.0.c_attn"] * 1e200}


@misconception(
    of="aab_weights",
    sentence="You have three positions, as many as the pattern has letters: there is one row for "
    "each place of a text, and texts have up to five.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def three_positions():
    weights = _aab()
    return weights | {"wpe": weights["wpe"][:3]}


@misconception(
    of="aab_weights",
    sentence="You leave c_proj out: without it nothing your values say reaches x. Only biases "
    "may be left out.",
    caught_by=("test_aab_after_two_letters", "test_aab_after_longer_texts"),
)
def no_c_proj():
    weights = _aab()
    del weights["layers.0.c_proj"]
    return weights


# periodic_weights ------------------------------------------------------------------------------


def _copying(ask, *, copies=2.0, factor=LARGE, letters=4, places=12):
    """One layer over four letters and twelve places; ``ask`` is what places ask for."""
    query, key, value, write = np.zeros((4, 16, 16))
    query[4:, 4:] = factor * np.asarray(ask)
    key[4:, 4:] = np.eye(12)
    value[:letters, :letters] = np.eye(letters)
    write[:4, :4] = copies * np.eye(4)
    return _weights(np.eye(16)[:4], np.eye(16)[4 : 4 + places], (query, key, value, write))


def _back(steps):
    return np.eye(12, k=-steps)


@misconception(
    of="periodic_weights",
    sentence="You look two places back for every pattern, which continues those of three letters: "
    "the distance is len(pattern) - 1.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def always_two_back(pattern):
    return _copying(_back(2))


@misconception(
    of="periodic_weights",
    sentence="You look back one place too far: p places back stands the last letter itself. What "
    "followed it stands p - 1 back.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def one_place_too_far(pattern):
    return _copying(_back(len(pattern)))


@misconception(
    of="periodic_weights",
    sentence="You look back one place too few.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def one_place_too_few(pattern):
    return _copying(_back(len(pattern) - 2))


@misconception(
    of="periodic_weights",
    sentence="You never look back more than three places, enough for patterns of four letters: "
    "they may have six.",
    caught_by=("test_patterns_of_two_letters",),
)
def three_back_at_most(pattern):
    return _copying(_back(min(3, len(pattern) - 1)))


@misconception(
    of="periodic_weights",
    sentence="Your model recites the pattern by place and never looks at letters: that is right "
    "only for texts that begin with the pattern's first letter.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def recites_by_place(pattern):
    query, key, value, write = np.zeros((4, 16, 16))
    query[4:, 4:], key[4:, 4:] = LARGE * np.eye(12), np.eye(12)
    for place in range(12):
        value[4 + place, "abcd".index(pattern[(place + 1) % len(pattern)])] = 1
    write[:4, :4] = 2 * np.eye(4)
    return _weights(np.eye(16)[:4], np.eye(16)[4:], (query, key, value, write))


@misconception(
    of="periodic_weights",
    sentence="You copy a letter once, and x holds the last letter once: that is a tie. Copy it "
    "twice as large.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def copies_once(pattern):
    return _copying(_back(len(pattern) - 1), copies=1.0)


@misconception(
    of="periodic_weights",
    sentence="You subtract the letter you look at: it is the one to come, so add it.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def subtracts_the_copy(pattern):
    return _copying(_back(len(pattern) - 1), copies=-2.0)


@misconception(
    of="periodic_weights",
    sentence="You copy a and b only: patterns have c and d as well.",
    caught_by=("test_patterns_of_more_letters",),
)
def copies_two_letters(pattern):
    return _copying(_back(len(pattern) - 1), letters=2)


@misconception(
    of="periodic_weights",
    sentence="Your wte has a row for each letter that occurs: it has four, for a, b, c and d, "
    "whatever the pattern.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def only_letters_that_occur(pattern):
    weights = _copying(_back(len(pattern) - 1))
    return weights | {"wte": weights["wte"][: len(set(pattern))]}


@misconception(
    of="periodic_weights",
    sentence="Your model has places for one run of the pattern: texts have up to 12 letters.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def places_for_one_period(pattern):
    return _copying(_back(len(pattern) - 1), places=len(pattern))


@misconception(
    of="periodic_weights",
    sentence="Your model continues a text of exactly p letters: every later place needs its own "
    "question too.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def after_one_period_only(pattern):
    ask = np.zeros((12, 12))
    ask[len(pattern) - 1, 0] = 1
    return _copying(ask)


@misconception(
    of="periodic_weights",
    sentence="Your attention is spread over the last p - 1 letters, and copies the most frequent: "
    "ask for one place alone.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def copies_the_whole_window(pattern):
    return _copying(sum(_back(n) for n in range(1, max(2, len(pattern)))))


@misconception(
    of="periodic_weights",
    sentence="Your queries are too small: after the division by sqrt(d) the scores hardly differ, "
    "and the attention is nearly even. Multiply them by 1024.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def nearly_even(pattern):
    return _copying(_back(len(pattern) - 1), factor=1.0)


@misconception(
    of="periodic_weights",
    sentence="You ask for the place of the next letter, which is not there yet: the causal mask "
    "leaves you with an even share of everything.",
    caught_by=("test_periodic_example", "test_patterns_of_two_letters"),
)
def asks_for_the_future(pattern):
    return _copying(_back(-1))


@misconception(
    of="periodic_weights",
    sentence="Your model waits for a run of the first letter and then calls the last one: that "
    "continues aab and aaab, but hardly any other pattern. Look back p - 1 places and copy.",
    caught_by=("test_patterns_of_two_letters", "test_patterns_of_more_letters"),
)
def counts_the_first_letter(pattern):
    first, last, window = "abcd".index(pattern[0]), "abcd".index(pattern[-1]), len(pattern) - 1
    query, key, value, write = np.zeros((4, 16, 16))
    query[4:, 4:], key[4:, 4:] = LARGE * sum(_back(n) for n in range(window)), np.eye(12)
    value[first, 0] = 1
    write[0, first], write[0, last] = -LARGE, LARGE
    bias = np.zeros(16)
    bias[last] = -LARGE * (1 - 0.5 / window)
    bias[first] = LARGE * (1 - 0.5 / window)
    return _weights(np.eye(16)[:4], np.eye(16)[4:], (query, key, value, write, bias))


# previous_token_head ---------------------------------------------------------------------------


@misconception(
    of="previous_token_head",
    sentence="Every place attends to itself: shift what it asks for by one.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_on_itself():
    return _copying(_back(0))


@misconception(
    of="previous_token_head",
    sentence="Every place asks for the one after it, which the mask forbids, and is left with an "
    "even share of all: shift the other way, or give queries and keys each other's part.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_on_the_next():
    return _copying(_back(-1))


@misconception(
    of="previous_token_head",
    sentence="Every place attends to the first one: the place before is another for every row.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_on_the_first():
    ask = np.zeros((12, 12))
    ask[:, 0] = 1
    return _copying(ask)


@misconception(
    of="previous_token_head",
    sentence="Every place attends by half to itself and by half to the one before, as in "
    "aab_weights: here only the one before counts.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_on_both():
    return _copying(_back(0) + _back(1))


@misconception(
    of="previous_token_head",
    sentence="You look two places back.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_two_back():
    return _copying(_back(2))


@misconception(
    of="previous_token_head",
    sentence="Your attention points the right way but is spread too thin: the score is divided by "
    "sqrt(d) and must still stand out among twelve. Make the queries larger.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_too_soft():
    return _copying(_back(1), factor=4.0)


@misconception(
    of="previous_token_head",
    sentence="Your attention would do in a short text, but with twelve places to share it with the "
    "one before gets less than 0.9: make the queries a good deal larger.",
    caught_by=("test_previous_token_in_long_texts",),
)
def head_soft_in_long_texts():
    return _copying(_back(1), factor=14.0)


@misconception(
    of="previous_token_head",
    sentence="Only the first five places look back: there are twelve.",
    caught_by=("test_previous_token_in_long_texts",),
)
def head_of_five_places():
    return _copying(_back(1) * (np.arange(12) < 5)[:, None])


@misconception(
    of="previous_token_head",
    sentence="Your keys have the wrong sign: you attend to all places but the one before.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_turned_away():
    return _copying(-_back(1))


@misconception(
    of="previous_token_head",
    sentence="Letters and positions share columns, so a letter is taken for a place: keep their "
    "columns apart, and let queries and keys read positions alone.",
    caught_by=("test_previous_token_in_long_texts",),
)
def head_that_reads_letters():
    return _copying(_back(1)) | {"wte": np.eye(16)[8:12]}


@misconception(
    of="previous_token_head",
    sentence="Your head sits in layer 1, and layer 0 looks at everything: it is layer 0 that is "
    "asked to look back.",
    caught_by=("test_previous_token_example", "test_previous_token_in_long_texts"),
)
def head_in_the_second_layer():
    idle = np.zeros((4, 16, 16))
    weights = _copying(_back(1))
    layer = (*np.split(weights["layers.0.c_attn"], 3, axis=1), weights["layers.0.c_proj"])
    return _weights(weights["wte"], weights["wpe"], idle, layer)


# induction_head --------------------------------------------------------------------------------


def _induction(*, ask=None, steps=1, shy=(0,), copies=2.0, sharp=LARGE, known=4, match="letter",
               take="letter", turned=False):  # fmt: skip
    """The right weights, but for what is given: 4 letters, 12 places, 4 for the letter before."""
    columns = {"letter": slice(0, 4), "before": slice(16, 20)}
    letter, place, before = slice(0, 4), slice(4, 16), slice(16, 20)
    some = np.diag((np.arange(4) < known).astype(float))
    q0, k0, v0, w0, q1, k1, v1, w1 = np.zeros((8, 20, 20))
    q0[place, place], k0[place, place] = LARGE * _back(steps), np.eye(12)
    v0[letter, before], w0[before, before] = np.eye(4), np.eye(4)
    q1[columns[match], before], k1[before, before] = sharp * some, np.eye(4)
    for first in shy:
        k1[4 + first, before] = -1
    if ask is not None:
        q1[:], k1[:] = 0, 0
        q1[place, place], k1[place, place] = LARGE * ask, np.eye(12)
    v1[columns[take], letter], w1[letter, letter] = np.eye(4), copies * np.eye(4)
    layers = [(q0, k0, v0, w0), (q1, k1, v1, w1)]
    return _weights(np.eye(20)[letter], np.eye(20)[place], *(layers[::-1] if turned else layers))


@misconception(
    of="induction_head",
    sentence="The first place takes itself for a letter that follows itself: row 0 of layer 0 can "
    "attend to nobody else. Make its key in layer 1 unattractive, by -1 for every letter.",
    caught_by=("test_induction_from_the_first_place",),
)
def believes_the_first_place():
    return _induction(shy=())


@misconception(
    of="induction_head",
    sentence="You shut the second place out as well: a letter that opened the text is followed by "
    "exactly that one. Only the key of position 0 is to be avoided.",
    caught_by=("test_induction_from_the_first_place",),
)
def avoids_the_second_place():
    return _induction(shy=(0, 1))


@misconception(
    of="induction_head",
    sentence="A place never attends to itself in your layer 1: after a letter that follows itself "
    "it has to, since what came after the first is the last one.",
    caught_by=("test_induction_right_after",),
)
def never_on_itself():
    weights = _induction(copies=LARGE)
    attn = weights["layers.1.c_attn"]
    attn[4:16, 4:16] = -4 * LARGE * np.eye(12)
    attn[4:16, 24:36] = np.eye(12)
    return weights


@misconception(
    of="induction_head",
    sentence="Your layer finds the letter itself again and copies it: asked for is the letter that "
    "followed. A place must know which letter came before it, and that takes layer 0.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def finds_itself():
    return _induction(steps=0)


@misconception(
    of="induction_head",
    sentence="You find the right place but copy the letter before it, which is the one you have: "
    "values come from the letter's own columns.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def copies_the_letter_before():
    return _induction(take="before")


@misconception(
    of="induction_head",
    sentence="Your query is the letter before the last one: you look for what followed that, and "
    "find the last letter itself. The query is the last letter.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def asks_with_the_letter_before():
    return _induction(match="before")


@misconception(
    of="induction_head",
    sentence="Layer 0 looks two places back, so you predict the letter after next.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def the_letter_after_next():
    return _induction(steps=2)


@misconception(
    of="induction_head",
    sentence="You copy a letter once, and x holds the last letter once: a tie. Copy it twice as "
    "large, so that it wins.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def induction_copies_once():
    return _induction(copies=1.0)


@misconception(
    of="induction_head",
    sentence="Your layer 1 is too soft: the right place gets hardly more than any other. Make its "
    "queries as large as those of layer 0.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def induction_too_soft():
    return _induction(sharp=1.0)


@misconception(
    of="induction_head",
    sentence="Your layer 1 knows the letters a and b only: any of the four may come again.",
    caught_by=("test_induction_from_any_place",),
)
def knows_two_letters():
    return _induction(known=2)


@misconception(
    of="induction_head",
    sentence="Your layers are in the wrong order: the one that looks back comes first, or there "
    "is nothing for the other to find.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def layers_swapped():
    return _induction(turned=True)


@misconception(
    of="induction_head",
    sentence="Your model copies from a fixed distance, as if there were a period: how far back "
    "the letter stood is different every time.",
    caught_by=("test_induction_from_any_place",),
)
def fixed_distance():
    return _induction(ask=_back(2))


@misconception(
    of="induction_head",
    sentence="Your model always copies the second letter of the text, which is right if the first "
    "one comes again: it may be any.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def after_the_first_place():
    ask = np.zeros((12, 12))
    ask[:, 1] = 1
    return _induction(ask=ask)


@misconception(
    of="induction_head",
    sentence="Layer 0 writes the letter before into the letters' own columns, where it mixes with "
    "the letter itself: write it into columns that are still empty.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def writes_over_the_letter():
    weights = _induction()
    move = np.eye(20)
    move[16:, 16:], move[16:, :4] = 0, np.eye(4)
    weights["layers.0.c_proj"] = weights["layers.0.c_proj"] @ move
    weights["layers.1.c_attn"][:4, 36:40] = np.eye(4)
    return weights


@misconception(
    of="induction_head",
    sentence="Your model has one layer, which looks one place back: one layer cannot both find "
    "out what came before each place and search for it.",
    caught_by=("test_induction_example", "test_induction_from_any_place"),
)
def one_layer_only():
    return _copying(_back(1))
