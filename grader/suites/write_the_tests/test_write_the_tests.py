"""Hidden checks of ``write_the_tests``.

A submission's tests are tested: they are handed functions that are computed here, and all that is
looked at is whether they raise an ``AssertionError``. Right and wrong functions come in an order
that is drawn, so nothing can be told from when a test is called.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.check import SubmissionRaised, UnderTest, finding, kind_name, load_by_path

KINDS = load_by_path(Path(__file__).with_name("kinds.py"))
STYLES = load_by_path(Path(__file__).with_name("right.py")).RIGHT
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

# No test can mean these, if it is given a right function: they are told with the line they come of.
SLIPS_OF_THE_PEN = ("NameError", "UnboundLocalError", "RecursionError", "ImportError")


def said_of(submission, check, function, calls=None, stops=()):
    """Whether a test rejects or accepts a function; else, in words, how it ended. After how many
    calls, ``calls`` is told. An exception that ``stops`` names goes on to whoever asked.
    """
    tested = UnderTest(function)
    try:
        value = getattr(submission, check)(tested)
    except SubmissionRaised as error:
        if tested.broken:
            raise broken(check, tested) from None
        if calls is not None:
            calls.append(tested.calls)
        kind = error.raised.type_name
        if kind in ("NotImplementedError", *stops):
            raise
        return REJECTED if kind == "AssertionError" else f"ends with {kind}"
    if tested.broken:
        raise broken(check, tested)
    if calls is not None:
        calls.append(tested.calls)
    return ACCEPTED if value is None else f"returns {kind_name(value)}"


def broken(check, tested):
    return finding(f"{check} does with its function what it may not: {tested.broken}.")


def fair(submission, check, draw, right, wrong):
    """What a test says of each of these wrong functions, by name; raises unless it accepts all
    these ``right`` ones. A wrong one is made when its turn has come.
    """
    cases = [("right", None, function) for function in right]
    cases += [("wrong", name, make) for name, make in wrong.items()]
    said, refused = {}, {}
    for index in draw.permutation(len(cases)).tolist():
        sort, name, function = cases[index]
        if sort == "wrong":
            said[name] = said_of(submission, check, function())
            continue
        calls = []
        verdict = said_of(submission, check, function, calls, stops=SLIPS_OF_THE_PEN)
        if verdict != ACCEPTED:
            refused[index] = verdict, *calls
    if refused:
        how = [refused[index][0] for index in sorted(refused)]
        raise rejects_right_ones(check, how, len(right), sorted(refused.items()))
    return said


def rejects_right_ones(check, how, asked, seen=()):
    others = sorted({one for one in how if one != REJECTED})
    rejected = f"{check} rejects " + (f"{len(how)} of them" if asked > 1 else "it")
    return finding(
        f"{check} does not accept every right function.",
        f"all {asked} right functions are accepted" if asked > 1 else "a right one is accepted",
        f"{check} {others[0]} for a right function" if others else rejected,
        _how_to_go_on(check, others, every=len(how) == asked),
        seen=[check, len(how), others, repr(seen)],
    )


def _how_to_go_on(check, others, *, every):
    if others and others[0].startswith("returns"):
        return (
            "A test has no result: leave `return` out, and write `assert` before what must hold. "
            "Where nothing is wrong, the last line is reached, and None comes back by itself."
        )
    if others:
        return (
            "A test says no by an AssertionError alone, and a right function gives no reason for "
            f"one. Call {check} with a right function of your own, and read which line raises."
        )
    if every:
        return (
            "Even the plainest one is rejected, so it is no matter of style. Is the truth that you "
            "compare with that of the page, is the function called as the page says, and have "
            "numbers room for rounding (2e-5 is enough in float32)?"
        )
    return (
        "A right function may be written in another style: it rounds differently, forbids with "
        "another number, or returns a view. Where does your test demand more than the page says?"
    )


def knows_right_from_wrong(submission, check, draw):
    """The wrong functions of the page, and a plain right one. Right ones of every style are among
    the hidden functions.
    """
    wrong = {function.__name__: lambda function=function: function for function in WRONG[check]}
    said = fair(submission, check, draw, RIGHT[check][:1], wrong)
    for name in wrong:
        if said[name] != REJECTED:
            raise finding(
                f"{check} does not reject {name}, which stands on the page.",
                "AssertionError",
                "None" if said[name] == ACCEPTED else f"{check} {said[name]}",
                ONLY_ASSERTIONS if said[name].startswith("ends with") else "",
                seen=[check, name, said[name], asked_for(submission, check, wrong[name]())],
            )


def asked_for(submission, check, function):
    """How often a test calls a function before it has said yes or no."""
    calls = []
    said_of(submission, check, function, calls)
    return calls


def rejects_hidden_ones(submission, check, draw):
    """Every kind of mistake that is rejected as a whole earns its part."""
    cases = KINDS.hidden(check)
    wrong = {
        (kind, name): lambda name=name: KINDS.wrong_function(check, name) for kind, name in cases
    }
    said = fair(submission, check, draw, RIGHT[check], wrong)
    kinds = dict.fromkeys(kind for kind, _ in cases)
    alive = {
        kind: [said[case] for case in cases if case[0] == kind and said[case] != REJECTED]
        for kind in kinds
    }
    living = {kind: found for kind, found in alive.items() if found}
    if not living:
        return
    whole = {kind: sum(case[0] == kind for case in cases) for kind in kinds}
    told = ", ".join(f"{kind} ({len(found)} of {whole[kind]})" for kind, found in living.items())
    strange = sorted({one for found in living.values() for one in found if one != ACCEPTED})
    unseen = [kind for kind, found in living.items() if len(found) == whole[kind]]
    help = [ONLY_ASSERTIONS] if strange and strange[0].startswith("ends with") else []
    if unseen:
        help.append(
            f"Of the kind {unseen[0]} not one is noticed: is the function called anywhere so that "
            "such a mistake would show?"
        )
    raise finding(
        f"{check} lets wrong functions live. Of these kinds: {told}.",
        "every wrong function is rejected by an AssertionError",
        f"{check} {strange[0]}, for one of them" if strange else "these are accepted",
        " ".join(help),
        seen=[check, sorted(case for case in wrong if said[case] != REJECTED)],
        earned=(len(kinds) - len(living)) / len(kinds),
    )


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


@pytest.mark.points(4)
@pytest.mark.rests_on("A test raises AssertionError and nothing else, or returns None")
def test_assertion_errors_and_nothing_else(submission):
    """A function that raises, or returns what nobody expects, is rejected by an AssertionError."""
    strange = (raises, returns_nothing, returns_a_number, returns_a_tensor_of_no_axis)
    for check in RIGHT:
        for function in (*strange, returns_three, returns_an_empty_one):
            said = said_of(submission, check, function)
            if said == REJECTED:
                continue
            what = function.__name__.replace("_", " ")
            raise finding(
                f"{check} does not reject a function that {what}.",
                "AssertionError",
                "None" if said == ACCEPTED else f"{check} {said}",
                seen=[check, said],
            )
        if (said := said_of(submission, check, RIGHT[check][0])) != ACCEPTED:
            raise rejects_right_ones(check, [said], 1)


@pytest.mark.points(3)
@pytest.mark.kept("what draws anew in every call also misses or rejects by chance elsewhere")
@pytest.mark.rests_on("a function that is tested twice is rejected twice, or accepted twice")
def test_the_same_answer_every_time(submission):
    """A test says the same of the same function when it is asked again."""
    for check in RIGHT:
        right, (_, name) = RIGHT[check][0], KINDS.hidden(check)[0]
        for make in (lambda r=right: r, lambda n=name, c=check: KINDS.wrong_function(c, n)):
            said = [said_of(submission, check, make()) for _ in range(2)]
            if len(set(said)) > 1:
                raise finding(
                    f"{check} does not say the same of one function every time.",
                    "twice the same answer",
                    ", ".join(said),
                    "Draw from a torch.Generator that you seed yourself, and keep nothing.",
                    seen=check,
                )
        if said[0] != REJECTED:
            raise finding(f"{check} does not tell right from wrong.", seen=[check, *said])
