"""Hidden checks of ``hand_weights``.

Only weights come from the submission. They are read and refused in words here, and then run in the
page's own model, on this side.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch

from grader.check import CheckFailed, finding, kind_name, load_by_path, printable

CURES = load_by_path(Path(__file__).with_name("cures.py"))

LETTERS = "abcd"
LONGEST = 12
MARGIN = 1e-6  # of the largest logit: far above float64's rounding
WIDEST = 256
SURE = 0.9
NAME = re.compile(r"wte|wpe|layers\.[0-7]\.c_(attn|proj)(_bias)?")


RETURN_THE_DICT = (
    'Return the weights themselves, {"wte": wte, "wpe": wpe, ...}: the checks run them in forward.'
)
NAMES = (
    "The names are wte, wpe, and for each layer, counted from 0: layers.0.c_attn, "
    "layers.0.c_attn_bias, layers.0.c_proj, layers.0.c_proj_bias."
)
MISSING = {
    "wte": "Add it under this name: one row for each letter.",
    "wpe": "Add it under this name: one row for each place of a text.",
    "c_attn": "Add it under this name. Layers are counted from 0, and none is left out.",
    "c_proj": "Add it under this name: without it nothing is written back into x. Only biases may "
    "be left out.",
}
SHAPES = {
    "wte": "wte is (V, d), d numbers wide: two rows in aab_weights, and four everywhere else, for "
    "a, b, c and d, also for letters that do not occur.",
    "wpe": "wpe is (N, d): one row for each place of the longest text that is asked for, and as "
    "wide as wte.",
    "c_attn": "c_attn is (d, 3 d), and d is the width of wte: queries, keys and values stand side "
    "by side, np.concatenate([q, k, v], axis=1).",
    "c_attn_bias": "It is one row of 3 d numbers, where d is the width of wte.",
    "c_proj": "c_proj is (d, d), where d is the width of wte.",
    "c_proj_bias": "It is one row of d numbers, where d is the width of wte.",
}


# Weights ----------------------------------------------------------------------------------------


def weights_of(given, letters, longest):
    """What the submission returned as float64 arrays; whatever is wrong with it is said here."""
    if not isinstance(given, dict):
        said = f"A dict of arrays by name is expected, not {kind_name(given)}."
        raise finding(said, help=RETURN_THE_DICT)
    strays = [printable(repr(key), 60) for key in given if not NAME.fullmatch(str(key))]
    if strays:
        said = f"The model has no weights named {', '.join(sorted(strays)[:6])}."
        raise finding(said, help=NAMES)
    found = {name: array_of(name, value) for name, value in given.items()}
    for name in ("wte", "wpe"):
        demand(name in found, f"There is no {name} among your weights.", MISSING[name])
        demand(found[name].ndim == 2, f"{name} has {found[name].ndim} axes, not 2.", SHAPES[name])
    width = found["wte"].shape[1]
    assert 1 <= width <= WIDEST, f"The width is {width}, not 1 to {WIDEST}."
    layers = sorted({int(name.split(".")[1]) for name in found if "." in name})
    demand(layers, "There is no layers.0.c_attn among your weights.", MISSING["c_attn"])
    for index in range(layers[-1] + 1):
        for part in ("c_attn", "c_proj"):
            name = f"layers.{index}.{part}"
            demand(name in found, f"There is no {name} among your weights.", MISSING[part])
    rows = max(longest, len(found["wpe"]))
    check_shapes(found, {"wte": (letters, width), "wpe": (rows, width)}, width)
    return found


def demand(holds, said, help):
    """Says what is wrong, and how to go on, where something does not hold."""
    if not holds:
        raise finding(said, help=help)


def array_of(name, value):
    """Lists and tensors of numbers are read as well."""
    said = f"{name} is no array of real numbers."
    assert isinstance(value, (np.ndarray, torch.Tensor, list, tuple)), said
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        raise AssertionError(said) from None
    assert array.dtype.kind in "fiub", said
    array = array.astype(np.float64)
    said = f"{name} holds NaN or infinity: all weights are finite."
    demand(np.isfinite(array).all(), said, "Large numbers do as well: 1024 is plenty.")
    return array


def check_shapes(found, ends, width):
    parts = {
        "c_attn": (width, 3 * width),
        "c_attn_bias": (3 * width,),
        "c_proj": (width, width),
        "c_proj_bias": (width,),
    }
    for name, array in found.items():
        part = name.rpartition(".")[2]
        wanted = ends.get(name) or parts[part]
        said = f"{name} has shape {array.shape}, not {wanted}."
        demand(array.shape == wanted, said, SHAPES[part])


# The model's answers ----------------------------------------------------------------------------


def run(reference, weights, text):
    """Logits and attention, from the model of the page."""
    with np.errstate(all="ignore"):
        logits, attention = reference.forward(weights, [LETTERS.index(c) for c in text])
    finite = np.isfinite(logits).all() and np.isfinite(attention).all()
    assert finite, "Your weights are so large that the model computes infinities."
    return logits, attention


def predicted(row):
    """The letter whose logit is clearly above all others; of a tie, all letters in it."""
    close = row >= row.max() - MARGIN * np.abs(row).max()
    return " or ".join(LETTERS[index] for index in np.flatnonzero(close))


def cure(weights, holds):
    """The first change after which all of these weights are right, in words, or nothing: numbers
    may be so large that a change makes infinities of them.
    """
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        for said, change in CURES.cures(weights[0]):
            tried = (change(given) for given in weights)
            with suppress(AssertionError):
                if all(new is not None and holds(n, new) for n, new in enumerate(tried)):
                    return said
    return ""


class Record:
    """All answers of a check, and the shortest text after which one was wrong."""

    def __init__(self, reference, advice, besides=()):
        """``advice`` says how to go on, of a text, what comes, where each layer looks, what would
        cure it, if anything, and the weights. A cure must hold for the texts ``besides`` as well,
        not by luck.
        """
        self.reference, self.advice, self.besides = reference, advice, besides
        self.weights, self.asked = [], []
        self.answers, self.right, self.worst = [], 0, None

    def of(self, weights):
        """The weights that are asked from now on."""
        self.weights.append(weights)
        self.asked.append([])

    def ask(self, text, wanted):
        """What comes after so many letters of the text, for each number of them in ``wanted``."""
        self.asked[-1].append((text, wanted))
        logits, attention = run(self.reference, self.weights[-1], text)
        for length, letter in wanted.items():
            self.add(text[:length], predicted(logits[length - 1]), letter, attention)

    def add(self, text, answer, wanted, attention):
        self.answers.append(answer)
        if answer == wanted:
            self.right += 1
        elif self.worst is None or len(text) < len(self.worst[0]):
            self.worst = text, answer, wanted, attention, self.weights[-1]

    def holds(self, n, weights):
        """Whether other weights would have been right, in place of the ones of this number."""
        for text, wanted in [*self.asked[n], *self.besides]:
            logits, _ = self.reference.forward(weights, [LETTERS.index(c) for c in text])
            if any(predicted(logits[length - 1]) != letter for length, letter in wanted.items()):
                return False
        return True

    def judge(self):
        if self.worst is None:
            return
        text, answer, wanted, attention, weights = self.worst
        last = [layer[len(text) - 1, : len(text)] for layer in attention]
        attended = "; ".join(f"layer {n}: {spread(row)}" for n, row in enumerate(last))
        said = (
            f"After {text} comes {wanted}, but your weights predict {answer}. The last letter "
            f"attends to its places with {attended}. {self.right} of {len(self.answers)} "
            "predictions are right."
        )
        cured = cure(self.weights, self.holds)
        help = self.advice(text, wanted, attention, cured, weights)
        shown = [self.answers, [row.round(1) for row in last], cured]
        raise finding(said, wanted, answer, help, seen=shown)


def spread(shares):
    return " ".join(f"{share:.2f}" for share in shares)


def without_a_look(weights):
    """What to say of letters whose row in wte is all zeros; nothing if there are none."""
    rows = zip(LETTERS, weights["wte"], strict=False)
    bare = " and ".join(letter for letter, row in rows if not row.any())
    if not bare:
        return ""
    return (
        f"wte says nothing of {bare}: the row is all zeros, and so is the logit. Give each letter "
        "a number in a column of its own; row 0 is for a, row 1 for b, and so on."
    )


def why_astray(weights):
    """What is plainly wrong with weights whose attention is astray; nothing if it is not seen."""
    width, layers = len(weights["wte"][0]), sum(name.endswith("c_attn") for name in weights)
    for layer in range(layers):
        name = f"layers.{layer}.c_attn"
        given = np.vstack([weights[name], weights.get(f"{name}_bias", np.zeros(3 * width))])
        for n, part in enumerate(CURES.PARTS[:2]):
            if not given[:, n * width : (n + 1) * width].any():
                return (
                    f"The {part} of layer {layer} are all zeros, and so are its scores: all places "
                    f"that can be seen get an equal share. The {part} are the columns {n * width} "
                    f"to {(n + 1) * width - 1} of {name}."
                )
        if layer + 1 < layers and not weights[f"layers.{layer}.c_proj"].any():
            return (
                f"layers.{layer}.c_proj is all zeros, so layer {layer} writes nothing that layer "
                f"{layer + 1} could find: let it write what it found into columns kept for that."
            )
    both = np.flatnonzero(weights["wte"].any(axis=0) & weights["wpe"].any(axis=0))
    if not len(both):
        return ""
    return (
        f"wte and wpe both have numbers in column {both[0]}, so a letter may be taken for a place. "
        "Give letters and places columns of their own, and let queries and keys read those."
    )


def copied(text, wanted, attention, source, weights):
    """How to go on where one letter is to be copied, which stands at the place ``source``."""
    if bare := without_a_look(weights):
        return bare
    shares = attention[-1][len(text) - 1, : len(text)]
    most = np.flatnonzero(shares > shares.max() - (1 - SURE) / 2)
    if len(most) == 1 and text[most[0]] == wanted and shares.max() >= SURE:
        matter = what_is_written(weights, len(attention) - 1, text[-1], wanted)
        return f"The attention is on a letter {wanted}, as it should be. {matter}"
    asked = f"The {wanted} that is to be copied stands at place {source}, counted from 0"
    if [source] == list(most):
        return f"{asked}, and has most of the attention, but not enough: larger queries give more."
    where = f"most on place {most[0]}" if len(most) == 1 else "spread over several places"
    found = f"{asked}, and the attention is {where}."
    if why := why_astray(weights):
        return f"{found} {why}"
    return (
        f"{found} A score is the last query times a key, place by "
        f"place: print both, and see why it is not the largest at place {source}."
    )


MANY_KINDS = ["cdabda", "acbddb", "bacccdda", "abbbcdaaac", "dcbabbbabdbc", "badca", "dabbcdcda"]
WRITTEN = (
    "What is written must be larger than what x holds of the last letter, be made of the letter "
    "there and not of its place, and stand in the columns that wte has for letters."
)


NOTHING, UNREAD, ASTRAY = (
    "But the value of every letter is 0 there: nothing is copied.",
    "But c_proj does not read the columns in which the values stand: row i of it is what column i "
    "of the answer adds to x.",
    "But what is written stands in columns that wte has for no letter: let c_proj write into those "
    "of the letters.",
)
OF_PLACES, OF_BEFORE = (
    "But the value there is made of its place, and not of the letter that stands there: make it of "
    "the columns that wte has for letters.",
    "But the value there is made of what layer 0 wrote, and not of the letter itself: make it of "
    "the columns that wte has for letters.",
)


def what_is_written(weights, layer, last, wanted):
    """What is wrong with it, where the attention is right: the first of several that applies."""
    if layer > 1:
        return WRITTEN
    values = np.split(weights[f"layers.{layer}.c_attn"], 3, axis=1)[2]
    stands, write = CURES.basis(weights, layer), weights[f"layers.{layer}.c_proj"]
    said = {name: rows @ values @ write @ weights["wte"].T for name, rows in stands.items()}
    tells = {name: np.ptp(rows, axis=0).max() for name, rows in said.items()}
    most = max(tells, key=tells.get)
    if not tells[CURES.LETTER] > MARGIN * tells[most]:
        letters = stands[CURES.LETTER] @ values
        elsewhere = {CURES.PLACE: OF_PLACES, CURES.BEFORE: OF_BEFORE}
        if tells[most] > 0 and most in elsewhere:
            return elsewhere[most]
        return NOTHING if not letters.any() else ASTRAY if (letters @ write).any() else UNREAD
    own, letter = LETTERS.index(last), LETTERS.index(wanted)
    row = said[CURES.LETTER][letter]
    if not row[letter] >= row.max():
        spoken = LETTERS[int(row.argmax())]
        return (
            f"But what is written there speaks most for {spoken}: let the value be the letter "
            "itself, and write it into that letter's column."
        )
    more = row[letter] - row[own]
    there = weights["wte"][own] @ (weights["wte"][own] - weights["wte"][letter])
    if last != wanted and not more > there:
        return (
            f"But what is written there adds only {more:.3g} more to the logit of {wanted} than to "
            f"that of {last}, the last letter, for which x holds {there:.3g} more: write more."
        )
    return WRITTEN


def looks_back(attention):
    """How many places back every row of a layer looks, of those that can; None if it differs."""
    back = len(attention) - 1 - int(attention[-1].argmax())
    shares = np.diagonal(attention, -back)
    return back if len(shares) > 2 and shares.min() >= SURE else None


def looks_at_its_like(text, layer):
    """Whether the last letter attends to letters like itself, and more of them than itself."""
    shares = layer[len(text) - 1, : len(text)]
    like = np.array([letter == text[-1] for letter in text])
    return bool(like.sum() > 1 and shares[like].sum() >= SURE and shares[like].min() > 1 - SURE)


def advice_on_aab(text, wanted, attention, cured, weights):
    """The page's way: half of the attention on each of the last two letters."""
    if cured:
        return cured
    if bare := without_a_look(weights):
        return bare
    shares = attention[-1][len(text) - 1, len(text) - 2 : len(text)]
    if shares.sum() < SURE:
        others = attention[-1][len(text) - 1, : len(text) - 2]
        said = (
            f"The last two letters have only {shares.sum():.2f} of the attention together: their "
            "scores must be far above the others."
        )
        if shares.min() - others.max() > MARGIN:
            return f"{said} Larger queries make it so."
        if why := why_astray(weights):
            return f"{said} {why}"
        return (
            f"{said} They are not: a score is the last query times a key, place by place. Print "
            "both: is one of them all zeros, or does the query ask for other places?"
        )
    if abs(shares[0] - shares[1]) < 1 - SURE:
        return f"The last two letters share the attention, as they should. {what_cancels(weights)}"
    said = "Both of the last two letters should have half of the attention"
    if shares.max() < SURE:
        return f"{said}: let the query ask for both with the same number."
    return f"{said}: place i is to ask for i - 1 and for i, and asks for one of them alone."


def what_cancels(weights):
    """What the values and the bias of one layer say, of b against a."""
    if "layers.1.c_attn" in weights:
        return WRITTEN
    against = weights["wte"][1] - weights["wte"][0]
    values = np.split(weights["layers.0.c_attn"], 3, axis=1)[2]
    said = weights["layers.0.c_proj"] @ against
    letters, write = weights["wte"] @ values, weights["layers.0.c_proj"]
    if not (letters @ write @ weights["wte"].T).any():
        return NOTHING if not letters.any() else ASTRAY if (letters @ write).any() else UNREAD
    a, b = letters @ said
    both, own = (a + b) / 2, weights["wte"][1] @ against
    value_bias = weights.get("layers.0.c_attn_bias", np.zeros(3 * len(said)))[-len(said) :]
    bias = value_bias @ said + weights.get("layers.0.c_proj_bias", 0 * said) @ against
    if abs(both) > (1 - SURE) * max(abs(a), abs(b)):
        return (
            f"But the values speak {for_whom(a)} after aa, and {for_whom(both)} after ab and ba. "
            "Let the two values add up to 0: then a bias alone decides after ab and ba."
        )
    found = (
        f"But the values speak {for_whom(a)} after aa, and cancel after ab and ba, where the bias "
        f"speaks {for_whom(bias)}; and for the last letter x holds {own:.3g}."
    )
    if -bias <= own:
        found += f" The bias is to speak for a by more than {own:.3g}: after ab that is due."
    if a <= own - bias:
        found += (
            " After aa, bias and last letter both speak for a: the values are to speak for b by "
            "more than their sum."
        )
    return found


def made_of_places(weights):
    """Whether values are made of places, and of no letter."""
    values = np.split(weights["layers.0.c_attn"], 3, axis=1)[2]
    letters, places = (np.abs(weights[table] @ values).max() for table in ("wte", "wpe"))
    return letters < 1e-6 < places


def for_whom(said):
    """What is said of b against a."""
    return f"for {'b' if said > 0 else 'a'} by {abs(said):.3g}"


def advice_on_period(pattern):
    def advice(text, wanted, attention, cured, weights):
        right, back = len(pattern) - 1, looks_back(attention[-1])
        if back is not None and (back - right) % len(pattern):
            if back == 0 and made_of_places(weights):
                return (
                    "Every place looks at itself, and its value is made of the place, as if every "
                    "text began with the pattern. It may begin with any letter of it: look "
                    f"{steps(right)}, so that place i asks for i - (p - 1), and make the value of "
                    "the letter that stands there."
                )
            return (
                f"Every place that can looks {steps(back)}. Of {len(pattern)} letters the one to "
                f"copy stands {steps(right)}: place i is to ask for i - (p - 1)."
            )
        if cured:
            return cured
        if looks_at_its_like(text, attention[-1]):
            return (
                "The last letter looks at letters like itself, wherever they stand. The same "
                "letter may be followed by this one or that: let places alone decide where to "
                "look, p - 1 back, and copy the letter there."
            )
        return copied(text, wanted, attention, len(text) - len(pattern), weights)

    return advice


def steps(back):
    return "at itself" if not back else f"{back} place{'s' * (back > 1)} back"


def advice_on_induction(back):
    """The page's way: two layers, of which the second finds what is to be copied. ``back`` is how
    far the first one looks."""

    def advice(text, wanted, attention, cured, weights):
        if len(attention) < 2:
            return "It takes two layers, and this model has one."
        if len(attention) == 2 and back not in (None, 1):
            return (
                f"Every place of layer 0 looks {steps(back)}: it is to look one place back, at the "
                "letter before. Mend that first, as layer 1 searches in what layer 0 wrote."
            )
        if cured:
            return cured
        if looks_at_its_like(text, attention[-1]):
            return (
                "The last letter looks at letters like itself. It is to look at places that came "
                "after such a letter: there the key is the letter before, which an earlier layer "
                "wrote."
            )
        return copied(text, wanted, attention, text.index(text[-1]) + 1, weights)

    return advice


def judge_continuations(record, pattern, shortest, longest):
    """Every text of shortest to longest letters, begun at each letter of the pattern."""
    for start in range(len(pattern)):
        endless = pattern[start:] + pattern * (longest + 1)
        wanted = {length: endless[length] for length in range(shortest, longest + 1)}
        record.ask(endless[:longest], wanted)


def judge_patterns(submission, reference, patterns):
    record = Record(reference, None)
    for pattern in patterns:
        record.of(weights_of(submission.periodic_weights(pattern), 4, LONGEST))
        before = record.worst
        judge_continuations(record, pattern, len(pattern), LONGEST)
        if record.worst is not before:
            record.advice = advice_on_period(pattern)
    record.judge()


def judge_induction(submission, reference, texts):
    weights = weights_of(submission.induction_head(), 4, LONGEST)
    _, attention = run(reference, weights, max(texts, key=len))
    advice = advice_on_induction(looks_back(attention[0]))
    record = Record(reference, advice, [followed(text) for text in MANY_KINDS])
    record.of(weights)
    for text in texts:
        record.ask(*followed(text))
    record.judge()


def followed(text):
    """The text, and what followed its last letter where that stood before."""
    return text, {len(text): text[text.index(text[-1]) + 1]}


# Texts ------------------------------------------------------------------------------------------


def spelled(letters):
    return "".join(LETTERS[int(index)] for index in letters)


def shuffled(draw, letters):
    return "".join(letters[int(index)] for index in draw.permutation(len(letters)))


def recall(draw, before, between, last=""):
    """A text whose last letter stood once before, with so many others around."""
    order = last + shuffled(draw, LETTERS.replace(last, ""))
    others = [order[1 + int(index)] for index in draw.integers(0, 3, (before + between,))]
    return "".join([*others[:before], order[0], *others[before:], order[0]])


def among_equals(draw, before, between):
    """The same where only the letter that follows differs from all others."""
    one, follows, other = shuffled(draw, LETTERS)[:3]
    return other * before + one + follows + other * (between - 1) + one


# aab --------------------------------------------------------------------------------------------


def judge_aab(submission, reference, shortest, longest):
    endless = "aabaabaab"
    places = [(endless[n : n + 5], {m: endless[n + m] for m in range(2, 6)}) for n in range(3)]
    record = Record(reference, advice_on_aab, places)
    record.of(weights_of(submission.aab_weights(), 2, 5))
    judge_continuations(record, "aab", shortest, longest)
    record.judge()


@pytest.mark.core("aab_weights")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("After aa comes b, after ab and ba comes a")
def test_aab_after_two_letters(submission, reference):
    """After aa comes b, after ab comes a, after ba comes a."""
    judge_aab(submission, reference, 2, 2)


@pytest.mark.points(2)
@pytest.mark.rests_on("graded after every text of two to five letters cut out of aabaabaab")
def test_aab_after_longer_texts(submission, reference):
    """Three to five letters, cut out of aabaabaab... at any place, are continued."""
    judge_aab(submission, reference, 3, 5)


# Periods ----------------------------------------------------------------------------------------


@pytest.mark.core("periodic_weights")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("graded after every text of p to 12 letters cut out of the repeated pattern")
def test_periodic_example(submission, reference):
    """The pattern aaab is continued after 4 to 12 letters, whichever letter comes first."""
    judge_patterns(submission, reference, ["aaab"])


@pytest.mark.core("periodic_weights")
@pytest.mark.points(2)
@pytest.mark.kept("tells a wrong distance from letters that are missing")
@pytest.mark.rests_on("patterns have two to six letters out of a, b, c and d")
def test_patterns_of_two_letters(submission, reference):
    """Patterns of two to six letters a and b are continued."""
    judge_patterns(submission, reference, ["ab", "aab", "bba", "aabb", "aabab", "bbabaa"])


@pytest.mark.points(2)
@pytest.mark.rests_on("patterns have two to six letters out of a, b, c and d")
def test_patterns_of_more_letters(submission, reference, draw):
    """Patterns with c and d are continued, with or without an a, and with letters twice."""
    three, four = shuffled(draw, "bcd"), shuffled(draw, LETTERS)
    longer = [spelled(draw.integers(0, 4, (length,))) for length in (3, 4, 5, 6)]
    repeated = [2 * three, 2 * four[:2], 2 * four[0], 6 * four[1]]
    patterns = ["dc", three, four, four[::-1], four + three[:2], *longer, *repeated]
    judge_patterns(submission, reference, patterns)


# Previous token ---------------------------------------------------------------------------------


def judge_previous(submission, reference, texts):
    """Every row but the first attends to the place before."""
    weights = weights_of(submission.previous_token_head(), 4, LONGEST)
    found = [run(reference, weights, text)[1] for text in texts]
    wrong = [(n, row) for n, layers in enumerate(found) for row in astray(layers[0])]
    if not wrong:
        return
    number, row = wrong[0]
    text, attention = texts[number], found[number][0]
    shares = attention[row, : row + 1]
    said = (
        f"In {text} row {row} of layer 0 attends to the places up to its own with {spread(shares)}"
        f": at least {SURE} belongs to the one before."
    )
    cured = cure([weights], lambda _, new: points_back(reference, new, texts))
    long = run(reference, weights, "dabcbbacdcab")[1][0]
    help = advice_on_previous(weights, text, long, shares, cured)
    raise finding(said, help=help, seen=[[layers.round(1) for layers in found], cured])


def astray(attention):
    """The rows that do not attend to the place before."""
    return [n + 1 for n, share in enumerate(np.diagonal(attention, -1)) if not share >= SURE]


def points_back(reference, weights, texts):
    for text in texts:
        _, attention = reference.forward(weights, [LETTERS.index(c) for c in text])
        if astray(attention[0]):
            return False
    return True


def advice_on_previous(weights, text, long, shares, cured):
    """``long`` is the attention over a text of twelve letters, ``shares`` that of the wrong row."""
    row, back = len(shares) - 1, looks_back(long)
    if back not in (None, 1):
        return f"Every place that can looks {steps(back)}, and is to look one place back."
    scores = of_all_places(weights, text)
    if len(text) > 2 and all(scores[n].argmax() == n + 1 for n in range(1, len(text) - 1)):
        return (
            "Every place asks for the one after it, which it cannot see, so nothing is left to "
            "tell apart those that it can. Place i is to ask for i - 1: in the queries' part of "
            "c_attn, the row of a place's column is what that place asks for."
        )
    if cured:
        return cured
    wanted = np.flatnonzero(scores[row] >= scores[row].max() - MARGIN * np.abs(scores[row]).max())
    if len(wanted) == 1 and wanted[0] > row:
        return f"Place {row} asks for place {wanted[0]}, which comes later and cannot be seen."
    close = np.flatnonzero(shares >= (1 - MARGIN) * shares.max())
    if len(close) > 1:
        which = " and ".join([", ".join(map(str, close[:-1])), str(close[-1])])
        return (
            f"The places {which} have the same share: what place {row} asks for stands at none of "
            f"them, or at all. It is to ask for what the key of place {row - 1} alone has."
        )
    if shares.argmax() == row - 1:
        return (
            "It points the right way, and is spread too thin: the score of the place before is to "
            "stand out among those of all others, by more than ln of nine times their number."
        )
    return f"Whom does the query of place {row} ask for, and which key has what it asks for?"


def of_all_places(weights, text):
    """The scores in layer 0 of every place with every other, later ones as well."""
    x = weights["wte"][[LETTERS.index(c) for c in text]] + weights["wpe"][: len(text)]
    qkv = x @ weights["layers.0.c_attn"] + weights.get("layers.0.c_attn_bias", 0.0)
    q, k, _ = np.split(qkv, 3, axis=-1)
    return q @ k.T


@pytest.mark.core("previous_token_head")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("row i on i - 1", "a weight of at least 0.9 on the place before")
def test_previous_token_example(submission, reference):
    """In dabc every letter but the first attends to the one before."""
    judge_previous(submission, reference, ["dabc"])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "attends to the letter before, whatever the letters are",
    "a weight of at least 0.9 on the place before",
)
def test_previous_token_in_long_texts(submission, reference, draw):
    """Also after twelve letters, and where all of them are the same: only places matter."""
    texts = [letter * LONGEST for letter in LETTERS]
    texts += [spelled(draw.integers(0, 4, (LONGEST,))) for _ in range(16)]
    judge_previous(submission, reference, texts)


# Induction --------------------------------------------------------------------------------------


@pytest.mark.core("induction_head")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("predicted is the letter that followed it there")
def test_induction_example(submission, reference):
    """After cdabda comes b, which followed the a before."""
    judge_induction(submission, reference, ["cdabda"])


@pytest.mark.core("induction_head")
@pytest.mark.points(2)
@pytest.mark.kept("the general case, told apart from the first place and from doubled letters")
@pytest.mark.rests_on(
    "whose last letter stands in it exactly once before, at any place",
    "however many other letters there are",
)
def test_induction_from_any_place(submission, reference, draw):
    """However long ago the last letter stood, at any place but the first, what followed it comes
    again."""
    places = range(1, LONGEST - 2)
    pairs = [(here, gap) for here in places for gap in range(1, LONGEST - 1 - here)]
    texts = [recall(draw, *pair) for pair in pairs]
    judge_induction(submission, reference, texts + [among_equals(draw, *p) for p in pairs])


@pytest.mark.points(2)
@pytest.mark.rests_on("the first place is marked as if its own letter came before it")
def test_induction_from_the_first_place(submission, reference, draw):
    """Also a letter that opened the text is remembered, and what followed it."""
    each = [recall(draw, 0, 1, letter) for letter in LETTERS]
    any_ = [recall(draw, 0, n) for n in (*range(1, LONGEST - 1), 2, 3)]
    judge_induction(submission, reference, [*each, *any_])


@pytest.mark.rests_on("after caa comes a")
def test_induction_right_after(submission, reference, draw):
    """A letter that follows itself is expected to follow itself again."""
    judge_induction(submission, reference, [recall(draw, n, 0) for n in range(1, LONGEST - 1)])


# All of them ------------------------------------------------------------------------------------


@pytest.mark.rests_on("every call returns weights that are right, whatever was called before")
def test_asked_for_once_more(submission, reference):
    """What is right is right once more, after all four models were asked for."""
    judges = [
        lambda: judge_aab(submission, reference, 2, 2),
        lambda: judge_patterns(submission, reference, ["aaab", "ab"]),
        lambda: judge_previous(submission, reference, ["dabc"]),
        lambda: judge_induction(submission, reference, ["cdabda"]),
    ]
    right = [judge for judge in judges if is_right(judge)]
    demand(right, "None of the four models is right.", "Mend what the other checks name.")
    for judge in right:
        judge()


def is_right(judge):
    """Of what is wrong already, other checks speak."""
    with suppress(CheckFailed):
        judge()
        return True
    return False
