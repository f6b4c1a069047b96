"""Hidden checks of ``beam_search``.

Tables are drawn until no decision about the answer is close (``search.py``): no right program is
judged by how it rounds. Where texts are to be equally good, they are so to the last bit.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.check import finding, load_by_path, pairs

SEARCH = load_by_path(Path(__file__).with_name("search.py"))

V = 5
DRAWS = 5000  # tables are drawn until one is as a check needs it: one in 110 is, or more


def table(draw, fits, *, size=V, memory=1, scale=1.5, end=None):
    """Logits for which ``fits`` holds; ``end`` is a token and what its logits have more."""
    for _ in range(DRAWS):
        logits = draw.normal(*(size,) * (memory + 1), scale=scale)
        if end is not None:
            logits[..., end[0]] += end[1]
        if fits(logits):
            return logits
    raise RuntimeError("no table fits: the check asks for too much")  # it is nobody's mistake


def apart(bos, eos, **options):
    """Fits a table with which rounding decides nothing."""
    return lambda logits: SEARCH.is_apart(logits, bos, eos, **options)


def telling(rule, bos, eos, **options):
    """Fits a table on which a search by another rule finds others; rounding decides nothing."""

    def fits(logits):
        found, _ = SEARCH.searched(logits, bos, eos, **options)
        other, _ = SEARCH.searched(logits, bos, eos, **options, **rule)
        return found != other and SEARCH.is_apart(logits, bos, eos, **options)

    return fits


def winner(logits, bos, eos, **options):
    """The tokens of the best hypothesis."""
    return SEARCH.searched(logits, bos, eos, **options)[0][0][0]


def model_of(impl, logits):
    """A TableModel with this table."""
    model = impl.TableModel(logits.shape[0], logits.ndim - 1)
    model.load({"table": logits})
    return model


def greedy(impl, logits, bos, eos, max_len):
    return impl.greedy_search(model_of(impl, logits), bos, eos, max_len)


def beam(impl, logits, bos, eos, **options):
    return impl.beam_search(model_of(impl, logits), bos, eos, **options)


def plain_numbers(name, tokens, score):
    """Whether a hypothesis is a list of Python's ints, and a float."""
    among = any(isinstance(token, torch.Tensor) for token in tokens)
    where = ["among the tokens"] * among + ["as the score"] * isinstance(score, torch.Tensor)
    if where:
        raise finding(
            f"{name} returns tensors where plain numbers are wanted: {' and '.join(where)}.",
            help="A hypothesis is a list of ints, and a float. int(...) and float(...) make plain "
            "numbers of tensors with one number in them.",
        )


def only(device, rows):
    """Logits of equally probable tokens: those that each row names; the others cannot come."""
    logits = torch.full((len(rows), len(rows)), -torch.inf, device=device)
    for row, tokens in enumerate(rows):
        logits[row, list(tokens)] = 0.0
    return logits


@pytest.mark.core("beam_search: the n_best finished ones")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> [(tokens, score)] = beam_search(model, bos=0, eos=0, beam_size=2, max_len=3)",
)
def test_example(compare, device):
    """In the worked example beam search finds "b." with log(0.36), and greedy search "aaa"."""
    rows = [[0.10, 0.50, 0.40], [0.20, 0.45, 0.35], [0.90, 0.06, 0.04]]
    logits = torch.tensor(rows, device=device).log()
    compare(lambda impl: beam(impl, logits, 0, 0, beam_size=2, max_len=3))
    compare(lambda impl: greedy(impl, logits, 0, 0, 3))


# The penalty, and the greedy text -----------------------------------------------------------------


@pytest.mark.core("length_penalty")
@pytest.mark.points(2)
@pytest.mark.kept("the formula by itself, for a sentence of its own")
@pytest.mark.rests_on("lp(n) = ((5 + n) / 6) ** alpha")
def test_length_penalty(compare):
    """The penalty of n tokens is ((5 + n) / 6) to the power of alpha."""
    for row in pairs(length=(1, 2, 7, 40, 300), alpha=(0.0, 0.6, 1.0, 1.7)):
        compare.length_penalty(**row)


@pytest.mark.core("greedy_search")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of greedy search")
@pytest.mark.rests_on(
    "the text that has the most probable token in every place, and its log-probability",
    "is handed the state that its last call returned",
    "its tokens, a list of Python's ints, and its score, a float",
    "the bos at the beginning ends nothing",
)
def test_greedy_search(submission, compare, draw):
    """Every token is the most probable one after those before it, and the score is the sum of the
    log-probabilities: a list of ints, and a float."""
    for memory, max_len in ((1, 1), (1, 4), (2, 6), (3, 5)):
        options = {"beam_size": 1, "max_len": max_len}

        def leaves_bos(logits):  # or nobody could tell what a model remembers
            return apart(2, 4, **options)(logits) and winner(logits, 2, 4, **options)[0] != 2

        logits = table(draw, leaves_bos, memory=memory, end=(4, -20.0))
        compare(lambda impl: greedy(impl, logits, 2, 4, max_len))
    tokens, score = greedy(submission, logits, 2, 4, 5)
    plain_numbers("greedy_search", tokens, score)
    logits = table(draw, apart(4, 4, **options), end=(4, -20.0))
    compare(lambda impl: greedy(impl, logits, 4, 4, 5))


@pytest.mark.points(2)
@pytest.mark.kept("how a greedy text ends, for a sentence of its own")
@pytest.mark.rests_on("the text ends with the first eos, or when it has max_len tokens")
def test_greedy_search_ends(compare, draw):
    """The text ends with the first eos, which is one of its tokens, and whose log-probability
    counts; it ends at max_len without one."""
    for length, max_len in ((1, 6), (2, 6), (3, 4), (4, 4)):
        options = {"beam_size": 1, "max_len": max_len}

        def ends(logits):
            text = winner(logits, 2, 4, **options)
            return len(text) == length and text[-1] == 4 and apart(2, 4, **options)(logits)

        logits = table(draw, ends, memory=2)
        compare(lambda impl: greedy(impl, logits, 2, 4, max_len))


# The beam -----------------------------------------------------------------------------------------


@pytest.mark.core("beam_search: the rounds, without a state")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of a round, without any end")
@pytest.mark.rests_on(
    "The log-probability of a continuation is that of the hypothesis plus that of the token",
    "Of the continuations of all open hypotheses together, the beam_size with the largest",
)
def test_keeps_the_best_of_all(compare, draw):
    """In each round the beam_size best continuations of all hypotheses together are kept: so texts
    are found that greedy search misses."""
    for beam_size, max_len in ((2, 3), (4, 5)):
        options = {"beam_size": beam_size, "max_len": max_len}

        def greedy_loses(logits):
            one = winner(logits, 2, 4, beam_size=1, max_len=max_len)
            return one != winner(logits, 2, 4, **options) and apart(2, 4, **options)(logits)

        logits = table(draw, greedy_loses, end=(4, -20.0))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))
    options = {"beam_size": 3, "max_len": 5}
    for keeps in SEARCH.KEPT:
        logits = table(draw, telling({"keeps": keeps}, 2, 4, **options), end=(4, -20.0))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))


@pytest.mark.core("beam_search: the n_best finished ones")
@pytest.mark.points(4)
@pytest.mark.kept("what becomes of finished ones: a step of its own")
@pytest.mark.rests_on(
    "A kept one is finished if its last token is eos, or if it has max_len tokens",
    "takes nobody's place in later rounds",
    "whenever they were finished, the largest score first",
)
def test_finished_ones_compete(compare, draw):
    """A hypothesis that ends with eos leaves the beam, is not continued, and competes at the end
    with all that end later or are cut off at max_len."""
    for length, beam_size, max_len in ((1, 3, 4), (2, 3, 4), (3, 2, 5), (4, 3, 4), (3, 4, 3)):
        options = {"beam_size": beam_size, "max_len": max_len}

        def wins(logits):
            text = winner(logits, 2, 4, **options)
            last = text[-1] == 4 or length == max_len
            return len(text) == length and last and apart(2, 4, **options)(logits)

        logits = table(draw, wins, end=(4, -0.5))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))
    options = {"beam_size": 3, "max_len": 5, "n_best": 3}
    for keeps in SEARCH.KEPT_WITH_ENDS:
        logits = table(draw, telling({"keeps": keeps}, 2, 4, **options), end=(4, 0.5))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))


@pytest.mark.core("beam_search: the state")
@pytest.mark.points(3)
@pytest.mark.kept("what becomes of the state: a step of its own")
@pytest.mark.rests_on("row i of the state must belong to hypothesis i again")
def test_the_state_follows_its_hypothesis(compare, draw):
    """Each hypothesis goes on with the state of the one it continues, also where some are finished
    or given up, and others have several continuations."""
    for memory, beam_size, max_len, rows in zip(
        (2, 3, 2, 2, 3), (3, 4, 5, 2, 3), (5, 6, 5, 6, 5), SEARCH.ROWS, strict=True
    ):
        options = {"beam_size": beam_size, "max_len": max_len, "n_best": 3}
        fits = telling({"rows": rows}, 0, 4, **options)
        logits = table(draw, fits, memory=memory, end=(4, -0.5))
        compare(lambda impl: beam(impl, logits, 0, 4, **options))


@pytest.mark.core("beam_search: alpha")
@pytest.mark.points(3)
@pytest.mark.kept("what alpha is for: a step of its own")
@pytest.mark.rests_on("score(y) = log p(y) / lp(n)")
def test_alpha_changes_the_winner(compare, draw):
    """The score is the log-probability divided by the penalty of all tokens after bos, eos
    included: with a larger alpha a longer text may win."""
    many = {"beam_size": 4, "max_len": 6}

    def changes(logits):
        alphas = 0.0, 0.6, 1.0
        short, middle, long = (winner(logits, 1, 4, **many, alpha=alpha) for alpha in alphas)
        ends = middle[-1] == 4  # not cut off, so that eos counts
        return (ends and len(short) < len(long)) and all(
            apart(1, 4, **many, alpha=alpha)(logits) for alpha in alphas
        )

    logits = table(draw, changes, end=(4, 0.5))
    for alpha in (0.6, 1.0, 0.0):
        compare(lambda impl: beam(impl, logits, 1, 4, **many, alpha=alpha))


@pytest.mark.core("beam_search: alpha")
@pytest.mark.points(2)
@pytest.mark.kept("what n_best is for: an idea of its own")
@pytest.mark.rests_on("the result is the n_best finished ones", "or all, if these are fewer")
def test_n_best(compare, draw):
    """The n_best finished ones are returned, the largest score first; all, if they are fewer."""
    for n_best, beam_size, max_len in ((3, 4, 5), (6, 3, 5), (2, 6, 3), (40, 2, 4)):
        options = {"beam_size": beam_size, "max_len": max_len, "n_best": n_best, "alpha": 0.8}

        def many_in_another_order(logits):
            found = SEARCH.searched(logits, 3, 0, **options)[0]
            lengths = [len(text) for text, _ in found]
            enough = len(found) > min(beam_size, n_best - 1)
            return enough and lengths != sorted(lengths) and apart(3, 0, **options)(logits)

        logits = table(draw, many_in_another_order, end=(0, 0.5))
        compare(lambda impl: beam(impl, logits, 3, 0, **options))
    options = {"beam_size": 4, "max_len": 5, "n_best": 3, "alpha": 0.8}
    full = {"ends": lambda finished, sums, length: len(finished) >= 3}
    logits = table(draw, telling(full, 3, 0, **options), end=(0, 0.5))
    compare(lambda impl: beam(impl, logits, 3, 0, **options))


# Both ends of the beam size -----------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.kept("one end of the beam size, of which the right text is known")
@pytest.mark.rests_on(
    "And with beam size 1 it is greedy search",
    "its tokens, a list of Python's ints, and its score, a float",
)
def test_width_one_is_greedy(submission, compare, draw):
    """With beam size 1 the text is that of greedy search, whatever alpha is: a list of ints, and a
    score that is a float."""
    for alpha in (0.0, 1.0):
        options = {"beam_size": 1, "max_len": 6, "alpha": alpha}
        logits = table(draw, apart(2, 4, **options), memory=2, end=(4, 0.5))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))
        compare(lambda impl: greedy(impl, logits, 2, 4, 6))
        [(found, score)], (wanted, _) = (
            beam(submission, logits, 2, 4, **options),
            greedy(submission, logits, 2, 4, 6),
        )
        plain_numbers("beam_search", found, score)
        assert list(found) == list(wanted), (
            "with beam size 1 another text is found than by greedy search"
        )


@pytest.mark.points(3)
@pytest.mark.kept("the other end, where another program knows the right texts")
@pytest.mark.rests_on("if the beam size is so large that nothing is ever given up, beam search")
def test_wide_beams_try_out_all(submission, compare, draw):
    """A beam so wide that nothing is given up finds what trying out all texts finds."""
    for memory, max_len, alpha in ((4, 4, 0.0), (3, 3, 0.7), (4, 4, 1.0)):
        options = {"beam_size": 3**max_len, "max_len": max_len, "alpha": alpha, "n_best": 50}
        logits = table(draw, apart(1, 2, **options), size=3, memory=memory)
        compare(lambda impl: beam(impl, logits, 1, 2, **options))
        found = beam(submission, logits, 1, 2, **options)
        for place, (tokens, _) in enumerate(
            SEARCH.every_text(logits, 1, 2, max_len=max_len, alpha=alpha)
        ):
            if list(found[place][0]) != tokens:
                raise finding(
                    f"Number {place + 1} of all texts of up to {max_len} tokens is another one.",
                    str(tokens),
                    str(found[place][0]),
                )


# Where programs go wrong --------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.asked_once("two hundred tokens, which take long")
@pytest.mark.rests_on("The sum of the logarithms is -832, which is no trouble")
def test_two_hundred_tokens(compare, draw):
    """Two hundred tokens of probability 1/44 give a score near -757, and not 0 or -inf."""
    size, eos = 64, 7
    order = draw.permutation(size)
    order = order[order != eos]
    logits = draw.normal(size, size, scale=0.01)
    logits[order, order.roll(1)] += 0.4  # so after each token one is the best, and never eos
    compare(lambda impl: greedy(impl, logits, 3, 7, 200))
    compare(lambda impl: beam(impl, logits, 3, 7, beam_size=1, max_len=200))


@pytest.mark.points(2)
@pytest.mark.asked_once("with other numbers texts are no longer equal to the last bit")
@pytest.mark.rests_on(
    "of equal ones, the one whose tokens are lexicographically smaller comes first",
    "of equally probable tokens it is the smallest",
)
def test_equal_ones(compare, device):
    """Of equally good texts the lexicographically smaller ones are kept, and come first; also one
    that ends later than another."""
    uniform = torch.zeros(4, 4, device=device)
    some = only(device, [(1, 2, 4), (0, 3, 4), (1, 3, 4), (0, 2, 4), (0,)])
    for logits, bos, eos in ((uniform, 1, 3), (uniform, 3, 0), (some, 0, 4), (some, 2, 1)):
        compare(lambda impl: greedy(impl, logits, bos, eos, 3))
        for beam_size, max_len, n_best in ((2, 3, 2), (3, 2, 5), (5, 3, 5), (1, 3, 1)):
            options = {"beam_size": beam_size, "max_len": max_len, "n_best": n_best}
            compare(lambda impl: beam(impl, logits, bos, eos, **options))
    later = only(device, [(1, 2), (3,), (4,), (4,), (0,)])  # [1, 3, 4] and [2, 4]
    for n_best in (2, 1):
        options = {"beam_size": 2, "max_len": 4, "n_best": n_best}
        compare(lambda impl: beam(impl, later, 0, 4, **options))
    crossed = only(device, [(1, 2), (0, 3), (2, 3), (0,), (0,)])
    crossed[0, 1] = crossed[1, 0] = crossed[2, 3] = -1.0  # [2] is before [1], [1, 3] like [2, 3]
    compare(lambda impl: beam(impl, crossed, 0, 4, beam_size=2, max_len=2, n_best=2))


@pytest.mark.points(2)
@pytest.mark.rests_on("One with the log-probability -inf is never kept, so there may be fewer")
def test_what_cannot_come(compare, draw):
    """A token of log-probability -inf is in no text, however many places the beam has left."""
    for beam_size, n_best in ((2, 2), (6, 6), (30, 40)):
        options = {"beam_size": beam_size, "max_len": 4, "n_best": n_best}

        def with_holes(logits):
            logits[..., 1] = logits[0, :, 2] = logits[3, :, 0] = logits[:, 3, 2] = -torch.inf
            return apart(0, 4, **options)(logits)

        logits = table(draw, with_holes, memory=2)
        compare(lambda impl: beam(impl, logits, 0, 4, **options))


@pytest.mark.points(2)
@pytest.mark.kept("whoever begins with copies is told of it in a sentence of its own")
@pytest.mark.rests_on("In the beginning one hypothesis is open, the empty one")
def test_never_the_same_text_twice(submission, compare, draw):
    """No text is found twice, also where the beam is wider than the vocabulary."""
    for beam_size, max_len in ((8, 1), (8, 2), (V + 1, 4)):
        options = {"beam_size": beam_size, "max_len": max_len, "n_best": 20}
        logits = table(draw, apart(0, 4, **options))
        texts = [tuple(tokens) for tokens, _ in beam(submission, logits, 0, 4, **options)]
        twice = next((text for text in texts if texts.count(text) > 1), None)
        assert twice is None, "the same text is among the best ones twice"
        compare(lambda impl: beam(impl, logits, 0, 4, **options))
        wanted = [tokens for tokens, _ in SEARCH.searched(logits, 0, 4, **options)[0]]
        assert texts == wanted, "the best texts are other ones"


@pytest.mark.points(2)
@pytest.mark.kept("both ends of a text in one place")
@pytest.mark.rests_on("the bos at the beginning ends nothing", "bos and eos may be the same number")
def test_ends_at_once(compare, draw):
    """A text may end with its first token; bos is no end, even if it is the same number as eos."""
    for bos, more, max_len in ((4, 3.0, 6), (0, 3.0, 6), (4, -0.5, 5), (4, 0.5, 1)):
        options = {"beam_size": 2, "max_len": max_len, "n_best": 2, "alpha": 0.6}
        logits = table(draw, apart(bos, 4, **options), end=(4, more))
        compare(lambda impl: beam(impl, logits, bos, 4, **options))
        one = table(draw, apart(bos, 4, beam_size=1, max_len=max_len), end=(4, more))
        compare(lambda impl: greedy(impl, one, bos, 4, max_len))


# What it costs ------------------------------------------------------------------------------------


def rows_asked(model):
    """How many rows each call of the model had."""
    rows = model.rows_asked()
    if type(rows) is not list or not all(isinstance(row, int) for row in rows):
        raise finding("TableModel is not as it was given: rows_asked is a list of whole numbers.")
    return rows


def asked_of(impl, logits, bos, eos, **options):
    """The same of a beam search."""
    model = model_of(impl, logits)
    impl.beam_search(model, bos, eos, **options)
    return rows_asked(model)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "it is called with at most beam_size rows, and at most max_len times",
    "step is called once, for all open hypotheses, and for no others",
    "step is called once for each token, with one row",
)
def test_calls_of_the_model(submission, reference, compare, draw):
    """In each round the model is asked once, for the open hypotheses only: at most beam_size rows,
    at most max_len times."""
    for beam_size, max_len in ((3, 5), (2, 7), (1, 4)):
        options = {"beam_size": beam_size, "max_len": max_len}
        logits = table(draw, apart(2, 4, **options), memory=2, end=(4, -20.0))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))
        rows = asked_of(submission, logits, 2, 4, **options)
        assert rows, "the model is not called, or does not count its calls any more"
        alone = "beam_search calls the model once for each hypothesis"
        assert len(rows) <= max_len or max(rows) > 1, alone
        assert len(rows) <= max_len, "the model is called more than max_len times"
        assert max(rows) <= beam_size, "the model is called with more than beam_size rows"
        same = rows == asked_of(reference, logits, 2, 4, **options)
        assert same, "the model is called with other rows than those of the open hypotheses"
    compare(lambda impl: greedy(impl, logits, 2, 4, 5))
    model = model_of(submission, logits)
    submission.greedy_search(model, 2, 4, 5)
    assert rows_asked(model) == [1] * 5, "greedy_search does not call the model once for a token"


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "The search ends when none is open",
    "it is known that no open one can come among the n_best any more",
)
def test_ends_as_soon_as_it_may(submission, reference, compare, draw):
    """The search ends when nothing is open, or no open one can come among the n_best any more."""
    needed, calls = [], []
    for alpha, n_best, beam_size in ((0.0, 1, 3), (1.0, 1, 3), (0.6, 2, 4), (0.0, 3, 2)):
        options = {"beam_size": beam_size, "max_len": 9, "alpha": alpha, "n_best": n_best}

        def ends_early(logits):
            if not apart(2, 4, **options)(logits):
                return False
            return 2 <= len(asked_of(reference, logits, 2, 4, **options)) <= 6

        logits = table(draw, ends_early, end=(4, 1.0))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))
        needed.append(len(asked_of(reference, logits, 2, 4, **options)))
        calls.append(len(asked_of(submission, logits, 2, 4, **options)))
    if any(more > enough for more, enough in zip(calls, needed, strict=True)):
        raise finding(
            "The search goes on though no open hypothesis can come among the n_best any more.",
            f"calls of the model in four searches: {needed}",
            f"{calls}",
            seen=calls,
        )
    assert calls == needed, "the model is called less often than there are rounds"


@pytest.mark.points(3)
@pytest.mark.kept("every rule that ends too soon is met here, with all seeds")
@pytest.mark.rests_on("If n_best finished ones have scores larger than that, for every open one")
def test_does_not_end_too_soon(compare, draw):
    """The search goes on as long as an open hypothesis may still come among the n_best: it will be
    divided by the penalty of up to max_len tokens."""
    options = {"beam_size": 4, "max_len": 6, "alpha": 1.0, "n_best": 2}
    for ends in SEARCH.ends_too_soon(2, 4, 6, 1.0):
        logits = table(draw, telling({"ends": ends}, 2, 4, **options), end=(4, 0.5))
        compare(lambda impl: beam(impl, logits, 2, 4, **options))
