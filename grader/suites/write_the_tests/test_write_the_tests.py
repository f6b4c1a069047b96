"""Hidden checks of ``write_the_tests``.

A submission's tests are tested: they are handed functions that are computed here, and all that is
looked at is whether they raise an ``AssertionError``. Right and wrong functions come in an order
that is drawn, so nothing can be told from when a test is called.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from grader.check import SubmissionRaised, finding, kind_name, load_by_path

HERE = Path(__file__)
KINDS = load_by_path(HERE.with_name("kinds.py"))
ADVICE = load_by_path(HERE.with_name("asks.py"))
WATCHED = load_by_path(HERE.with_name("watched.py"))
STYLES = load_by_path(HERE.with_name("right.py")).RIGHT
WRONG = load_by_path(KINDS.PAGES / "write_the_tests.py").WRONG

RIGHT = {
    check: [*styles, *(KINDS.wrong_function(check, name) for name in KINDS.SLOW[check].split())]
    for check, styles in STYLES.items()
}
REJECTED, ACCEPTED = "rejected", "accepted"


# What a test says ---------------------------------------------------------------------------------

ONLY_ASSERTIONS = (
    "A test says no by an AssertionError, and by no other exception: write `assert` before what "
    "must hold, or raise AssertionError. Ask first whether a tensor came back, and of which shape."
)
ITS_OWN = (
    "{kind} is raised by the wrong function itself, and your test lets it through. Put each call, "
    "and each backward, into `try`; what `except Exception` catches there is a fault of the "
    "function's, so raise an AssertionError."
)

# No test can mean these, if it is given a right function: they are told with the line they come of.
SLIPS_OF_THE_PEN = ("NameError", "UnboundLocalError", "RecursionError", "ImportError")


class Heard(NamedTuple):
    """What a test says of a function, and how it came to it."""

    said: str
    tested: WATCHED.Watched
    raised: object = None

    @property
    def calls(self):
        return self.tested.calls

    @property
    def is_the_functions_own(self):
        return self.raised is not None and self.tested.raised(self.raised)


def said_of(submission, check, function, stops=()):
    """Whether a test rejects or accepts a function; else, in words, how it ended."""
    return heard_of(submission, check, function, stops).said


def heard_of(submission, check, function, stops=()):
    """The same, with what was seen. An exception that ``stops`` names goes on to whoever asked."""
    tested = WATCHED.Watched(function)
    try:
        value = getattr(submission, check)(tested)
    except SubmissionRaised as error:
        if tested.broken:
            raise broken(check, tested) from None
        kind = error.raised.type_name
        if kind in ("NotImplementedError", *stops):
            raise
        said = REJECTED if kind == "AssertionError" else f"ends with {kind}"
        return Heard(said, tested, error.raised)
    if tested.broken:
        raise broken(check, tested)
    return Heard(ACCEPTED if value is None else f"returns {kind_name(value)}", tested)


SMALL_ENOUGH = "A few small tensors on the CPU, and plain values, are enough to tell."


def broken(check, tested):
    said = f"{check} does with its function what it may not: {tested.broken}."
    fewer = "Leave out cases, or let one call ask for several things at once."
    return finding(said, help=fewer if "times" in tested.broken else SMALL_ENOUGH)


def fair(submission, check, draw, right, wrong):
    """What a test says of each of these wrong functions, by name; raises unless it accepts all
    these ``right`` ones. A wrong one is made when its turn has come.
    """
    cases = [("right", None, function) for function in right]
    cases += [("wrong", name, make) for name, make in wrong.items()]
    heard, refused = {}, {}
    for index in draw.permutation(len(cases)).tolist():
        sort, name, function = cases[index]
        if sort == "wrong":
            heard[name] = heard_of(submission, check, function())
            continue
        found = heard_of(submission, check, function, stops=SLIPS_OF_THE_PEN)
        if found.said != ACCEPTED:
            refused[index] = found.said, found.calls
    if refused:
        how = [refused[index][0] for index in sorted(refused)]
        raise rejects_right_ones(submission, check, how, len(right), sorted(refused.items()))
    return heard


def rejects_right_ones(submission, check, how, asked, seen=()):
    others = sorted({one for one in how if one != REJECTED})
    rejected = f"{check} rejects " + (f"{len(how)} of them" if asked > 1 else "it")
    return finding(
        f"{check} does not accept every right function.",
        f"all {asked} right functions are accepted" if asked > 1 else "a right one is accepted",
        f"{check} {others[0]} for a right function" if others else rejected,
        _why_rejected(submission, check),
        seen=[check, len(how), others, repr(seen)],
    )


# Why a right function is rejected -----------------------------------------------------------------

NO_RESULT = (
    "A test has no result: leave `return` out, and write `assert` before what must hold. Where "
    "nothing is wrong, the last line is reached, and None comes back by itself."
)
SMALL, NEARLY_EQUAL = 1e-7, 1e-4
NUMBER = r"\d[\d.]*e-\d+|0\.0{6,}\d+"
FOUND = r"Greatest absolute difference: ([\d.e+-]+)"


def _why_rejected(submission, check):
    """From what happens with all right functions; with a few wrong ones if all are rejected."""
    heard = [heard_of(submission, check, function) for function in RIGHT[check]]
    refused = [one for one in heard if one.said != ACCEPTED]
    if not refused:
        return "Asked again, your test accepts it: it does not say the same every time."
    first = next((one for one in refused if one.said != REJECTED), refused[0])
    if first.said.startswith("returns"):
        return NO_RESULT
    every = len(refused) == len(heard)
    for reason in (_call_not_promised, _raises_itself, _rounding):
        if told := reason(check, first):
            return told
    if every:
        return (
            _another_truth(submission, check, first)
            or _another_form(check, first)
            or _of_few_bits(first)
            or _largest_difference(check, first)
        )
    how = [ADVICE.DIFFERS[check][at] for at, one in enumerate(heard) if one.said != ACCEPTED]
    which = "; another one ".join(how[:2])
    return (
        f"Others are accepted. A right function is rejected that {which}. {_place(first)} demands "
        "more there than the page says: it allows all of these."
    )


def _call_not_promised(check, heard):
    name = KINDS.EXERCISES[check][1]
    asked = f"call {heard.calls}, {heard.tested.call(name)}"
    if told := heard.tested.not_promised(WATCHED.RULES[check]):
        return f"Look at {asked}: {told}."
    if not heard.tested.failed:
        return ""
    return (
        f"In {asked}, a right function itself raises {heard.tested.message(name)}. So it is not "
        "called as the page says: compare the order, number and shapes of the arguments with the "
        f"first lines of {check}."
    )


def _raises_itself(check, heard):
    if heard.said == REJECTED:
        return ""
    kind, message = heard.raised.type_name, heard.raised.message.splitlines()[:1]
    return (
        f"{kind} is raised by your test itself, and a right function gives no reason for one. "
        f"{_place(heard)} says: {' '.join(message)[:160]}"
    )


def _rounding(check, heard):
    """Whether the numbers are so near that only rounding can be between them."""
    if check == "check_causal_mask" or _asked_by(heard) == {FORM}:
        return ""
    lines = heard.raised.lines
    found = re.search(FOUND, heard.raised.message)
    narrow = [float(one) for line in lines for one in re.findall(NUMBER, line.text)]
    narrow = [one for one in narrow if one < SMALL and check != "check_layer_norm"] or [
        float(one) for line in lines[-1:] for one in re.findall(NUMBER, line.text)
    ]
    enough = (
        "3e-2 is enough in bfloat16" if heard.tested.is_coarse() else "2e-5 is enough in float32"
    )
    if found and float(found[1]) < (0.1 if heard.tested.is_coarse() else NEARLY_EQUAL):
        return (
            f"The numbers differ by {found[1]} only, which is rounding: {enough}. {_place(heard)}."
        )
    if narrow and min(narrow) < SMALL:
        told = f"Your test asks for closer than {min(narrow):g}"
        return f"{told}, and right functions round differently: {enough}. {_place(heard)}."
    if lines and "torch.equal" in lines[-1].text:
        told = "torch.equal leaves no room for rounding"
        return f"{_place(heard)}: {told}, and right functions round differently. {enough}."
    return ""


def _another_truth(submission, check, heard):
    """A wrong function that gets further than the right ones is what the test takes for true."""
    furthest, truth = heard.calls, ""
    for name, says in ADVICE.TRUTHS[check].items():
        found = heard_of(submission, check, KINDS.wrong_function(check, name))
        if found.said == ACCEPTED:
            furthest, truth = float("inf"), truth if furthest == float("inf") else says
        elif found.calls > furthest:
            furthest, truth = found.calls, says
    if not truth:
        return ""
    return (
        f"Your test takes something else for true. Where every right function is rejected, it "
        f"accepts a wrong one: {truth}. {_place(heard)}."
    )


def _of_few_bits(heard):
    if not heard.tested.is_coarse():
        return ""
    return (
        "The last call before it was one in bfloat16, of 8 bits: two right results may be some "
        f"percent apart there, so 3e-2 is a tolerance, and 2e-5 is not. {_place(heard)}."
    )


FORM, DIFFERENCE = "form", "difference"
ASKED = {  # by what in a line
    FORM: r"isinstance|\b(type|len|size|dim)\(|\.(shape|ndim|dtype|requires_grad)\b|is (not )?None",
    DIFFERENCE: r"close|\babs\(|[<>]|equal",
}
LETTERS = r"f?\"[^\"]*\"|f?'[^']*'"
OTHER_FORM = "for attribute '"  # said by torch.testing


def _asked_by(heard):
    """Whether a line that says no asks for a form, such as a shape, or for a difference, or both;
    nothing where it does not show.
    """
    if OTHER_FORM in heard.raised.message:
        return {FORM}
    text = re.sub(LETTERS, "", _last_line(heard))
    return {what for what, signs in ASKED.items() if re.search(signs, text)}


def _last_line(heard):
    return heard.raised.lines[-1].text if heard.raised.lines else ""


def _another_form(check, heard):
    """Where a line asks for a kind, a shape or a dtype, numbers and rounding play no part."""
    if _asked_by(heard) != {FORM}:
        return ""
    called = f"call {heard.calls}, {heard.tested.call(KINDS.EXERCISES[check][1])}"
    leaves = (
        " A gradient comes after backward, to leaves that require one, such as leaf_of makes."
        if "grad" in _last_line(heard)
        else ""
    )
    return (
        f"{_place(heard)}. What is asked there is not so of any right function, and no difference "
        f"or rounding plays a part: print what it is asked of. {ADVICE.RETURNS[check]}. The last "
        f"call before it, {called}, returned {heard.tested.answer_in_words()}.{leaves}"
    )


def _largest_difference(check, heard):
    if check == "check_causal_mask":
        return (
            f"{_place(heard)}. Every right mask is rejected there. For 2 queries and 4 keys, print "
            "what you compare with: by the page it is True, True, True, False and four times True."
        )
    cases = (
        "if it is about 1e-6, it is rounding, and 2e-5 is enough in float32; if it is larger, your "
        "truth is not that of the page; and if it is NaN, your truth becomes NaN, "
        f"{ADVICE.NOT_A_NUMBER[check]}."
    )
    everywhere = f"{_place(heard)}. Every right function is rejected there."
    if _asked_by(heard) == {DIFFERENCE}:
        return f"{everywhere} Print the largest difference just before it: {cases}"
    return (
        f"{everywhere} Print what it looks at just before it. A kind, a shape or a dtype has "
        f"nothing to do with rounding. {ADVICE.RETURNS[check]}. Of a difference print the largest: "
        f"{cases}"
    )


def _place(heard):
    """The line that said no, and the case that it was about."""
    lines = [line for line in heard.raised.lines if line.line] if heard.raised else []
    if not lines:
        return "The line that raises"
    told = f"Line {lines[-1].line}, `{lines[-1].text}`"
    if len(lines) == 1:
        return told
    return f"{told} (come to from line {lines[0].line}, `{lines[0].text}`)"


# What a test says of wrong functions --------------------------------------------------------------


def knows_right_from_wrong(submission, check, draw):
    """The wrong functions of the page, and a plain right one. Right ones of every style are among
    the hidden functions.
    """
    wrong = {function.__name__: lambda function=function: function for function in WRONG[check]}
    heard = fair(submission, check, draw, RIGHT[check][:1], wrong)
    for name in wrong:
        said = heard[name].said
        if said != REJECTED:
            raise finding(
                f"{check} does not reject {name}, which stands on the page.",
                "AssertionError",
                "None" if said == ACCEPTED else f"{check} {said}",
                _of_exceptions([heard[name]]) or f"To see its mistake, {ADVICE.PUBLISHED[name]}.",
                seen=[check, name, said, [heard_of(submission, check, wrong[name]()).calls]],
            )


def _of_exceptions(heard):
    """How to go on where tests of wrong functions end with another exception."""
    ended = [one for one in heard if one.said.startswith("ends with")]
    if not ended:
        return ""
    own = [one for one in ended if one.is_the_functions_own]
    if own:
        return ITS_OWN.format(kind=own[0].raised.type_name)
    return f"{ONLY_ASSERTIONS} {_place(ended[0])} raises {ended[0].raised.type_name}."


def rejects_hidden_ones(submission, check, draw):
    """Every kind of mistake that is rejected as a whole earns its part."""
    cases = KINDS.hidden(check)
    wrong = {
        (kind, name): lambda name=name: KINDS.wrong_function(check, name) for kind, name in cases
    }
    heard = fair(submission, check, draw, RIGHT[check], wrong)
    kinds = dict.fromkeys(kind for kind, _ in cases)
    alive = {
        kind: [case for case in cases if case[0] == kind and heard[case].said != REJECTED]
        for kind in kinds
    }
    living = {kind: found for kind, found in alive.items() if found}
    if not living:
        return
    whole = {kind: sum(case[0] == kind for case in cases) for kind in kinds}
    told = ", ".join(f"{kind} ({len(found)} of {whole[kind]})" for kind, found in living.items())
    ended = [heard[case] for found in living.values() for case in found]
    ended = sorted((one for one in ended if one.said != ACCEPTED), key=lambda one: one.said)
    unseen = [kind for kind, found in living.items() if len(found) == whole[kind]]
    unnoticed = {
        kind: [name for _, name in found if heard[kind, name].said == ACCEPTED]
        for kind, found in living.items()
    }
    raise finding(
        f"{check} lets wrong functions live. Of these kinds: {told}.",
        "every wrong function is rejected by an AssertionError",
        f"{check} {ended[0].said}, for one of them" if ended else "these are accepted",
        " ".join(filter(None, [_of_exceptions(ended), _what_to_ask(check, unnoticed, unseen)])),
        seen=[check, sorted(case for case in wrong if heard[case].said != REJECTED)],
        earned=(len(kinds) - len(living)) / len(kinds),
    )


def _what_to_ask(check, unnoticed, unseen):
    """One thing to ask for, for each kind of which some are accepted; ``unseen`` kinds first."""
    asks = ADVICE.ASKS[check]
    kinds = [kind for kind, names in unnoticed.items() if names]
    kinds.sort(key=lambda kind: kind not in unseen)
    said = [f"{kind}: {asks[unnoticed[kind][0]]}." for kind in kinds]
    return f"What to ask for next, one thing of each kind. {' '.join(said)}" if said else ""


# Five tests ---------------------------------------------------------------------------------------


@pytest.mark.core("check_causal_mask")
@pytest.mark.points(2)
@pytest.mark.kept("right and wrong in sight: the idea of the step")
@pytest.mark.rests_on("It is a bool tensor of shape (q_len, k_len), and True where query i may")
def test_causal_mask(submission, draw):
    """check_causal_mask accepts a right causal mask, and rejects the wrong one of the page."""
    knows_right_from_wrong(submission, "check_causal_mask", draw)


@pytest.mark.core("check_softmax")
@pytest.mark.points(2)
@pytest.mark.kept("right and wrong in sight: the idea of the step")
@pytest.mark.rests_on("It is exp(x) divided by its sum along dim")
def test_softmax(submission, draw):
    """check_softmax accepts a right softmax, and rejects the two wrong ones of the page."""
    knows_right_from_wrong(submission, "check_softmax", draw)


@pytest.mark.core("check_layer_norm")
@pytest.mark.points(2)
@pytest.mark.kept("right and wrong in sight: the idea of the step")
@pytest.mark.rests_on("over the last axis, of any number of axes")
def test_layer_norm(submission, draw):
    """check_layer_norm accepts a right layer norm, and rejects the wrong one of the page."""
    knows_right_from_wrong(submission, "check_layer_norm", draw)


@pytest.mark.core("check_attention")
@pytest.mark.points(2)
@pytest.mark.kept("right and wrong in sight: the idea of the step")
@pytest.mark.rests_on("A query that may attend to no key is not to be tested")
def test_attention(submission, draw):
    """check_attention accepts a right attention, and rejects the wrong one of the page."""
    knows_right_from_wrong(submission, "check_attention", draw)


@pytest.mark.core("check_multi_head_attention")
@pytest.mark.points(2)
@pytest.mark.kept("right and wrong in sight: the idea of the step")
@pytest.mark.rests_on("returns the result alone, (B, Tq, d_out)")
def test_multi_head_attention(submission, draw):
    """check_multi_head_attention accepts a right one, and rejects the wrong one of the page."""
    knows_right_from_wrong(submission, "check_multi_head_attention", draw)


# What is hidden -----------------------------------------------------------------------------------


@pytest.mark.points(4)
@pytest.mark.timeout(20)
@pytest.mark.rests_on("you are told which kind of mistake lives on")
def test_hidden_causal_masks(submission, draw):
    """check_causal_mask rejects wrong causal masks of every kind."""
    rejects_hidden_ones(submission, "check_causal_mask", draw)


@pytest.mark.points(5)
@pytest.mark.timeout(20)
@pytest.mark.rests_on("you are told which kind of mistake lives on")
def test_hidden_softmaxes(submission, draw):
    """check_softmax rejects wrong functions of every kind."""
    rejects_hidden_ones(submission, "check_softmax", draw)


@pytest.mark.points(6)
@pytest.mark.timeout(20)
@pytest.mark.rests_on("you are told which kind of mistake lives on")
def test_hidden_layer_norms(submission, draw):
    """check_layer_norm rejects wrong functions of every kind."""
    rejects_hidden_ones(submission, "check_layer_norm", draw)


@pytest.mark.points(8)
@pytest.mark.timeout(30)
@pytest.mark.rests_on("you are told which kind of mistake lives on")
def test_hidden_attentions(submission, draw):
    """check_attention rejects wrong functions of every kind."""
    rejects_hidden_ones(submission, "check_attention", draw)


@pytest.mark.points(8)
@pytest.mark.timeout(30)
@pytest.mark.rests_on("you are told which kind of mistake lives on")
def test_hidden_multi_head_attentions(submission, draw):
    """check_multi_head_attention rejects wrong functions of every kind."""
    rejects_hidden_ones(submission, "check_multi_head_attention", draw)


# How a test behaves -------------------------------------------------------------------------------


def raises(*args, **options):
    raise KeyError("a function that cannot be called")


def returns_nothing(*args, **options):
    return None


def returns_a_number(*args, **options):
    return 0.5


def returns_a_tensor_of_no_axis(*args, **options):
    return torch.tensor(0.5)


def returns_three(*args, **options):
    return torch.ones(2, 3), torch.ones(2, 3), torch.ones(2, 3)


def returns_an_empty_one(*args, **options):
    return torch.ones(0)


SAME_FOR_ALL = (
    "It does say the same each time, but whoever never tells right from wrong does so as well. "
    "Why it does not is told where its right and wrong functions are: mend that first."
)


@pytest.mark.points(4)
@pytest.mark.rests_on("A test raises AssertionError and nothing else, or returns None")
def test_assertion_errors_and_nothing_else(submission):
    """A function that raises, or returns what nobody expects, is rejected by an AssertionError."""
    strange = (raises, returns_nothing, returns_a_number, returns_a_tensor_of_no_axis)
    for check in RIGHT:
        for function in (*strange, returns_three, returns_an_empty_one):
            heard = heard_of(submission, check, function)
            said = heard.said
            if said == REJECTED:
                continue
            what = function.__name__.replace("_", " ")
            raise finding(
                f"{check} does not reject a function that {what}.",
                "AssertionError",
                "None" if said == ACCEPTED else f"{check} {said}",
                _of_exceptions([heard]),
                seen=[check, said],
            )
        if (said := said_of(submission, check, RIGHT[check][0])) != ACCEPTED:
            raise rejects_right_ones(submission, check, [said], 1)


@pytest.mark.points(3)
@pytest.mark.kept("what draws anew in every call also misses or rejects by chance elsewhere")
@pytest.mark.rests_on("a function that is tested twice is rejected twice, or accepted twice")
def test_the_same_answer_every_time(submission):
    """A test says the same of the same function when it is asked again."""
    for check in RIGHT:
        right, (_, name) = RIGHT[check][0], KINDS.hidden(check)[0]
        answers = []
        for make in (lambda r=right: r, lambda n=name, c=check: KINDS.wrong_function(c, n)):
            said = [said_of(submission, check, make()) for _ in range(2)]
            answers.append(said[0])
            if len(set(said)) > 1:
                raise finding(
                    f"{check} does not say the same of one function every time.",
                    "twice the same answer",
                    ", ".join(said),
                    "Draw from a torch.Generator that you seed yourself, and keep nothing.",
                    seen=check,
                )
        if answers != [ACCEPTED, REJECTED]:
            raise finding(
                f"{check} does not tell right from wrong.",
                "a right function is accepted, a wrong one is rejected, and so each time",
                f"a right one: {answers[0]}; a wrong one: {answers[1]}",
                SAME_FOR_ALL,
                seen=[check, *answers],
            )
