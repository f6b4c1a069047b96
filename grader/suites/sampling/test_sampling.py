"""Hidden checks of ``sampling``.

What is drawn is judged by chi-squared tests: one refuses a right program once in a million times.
"""

from __future__ import annotations

import pytest
import torch

from grader.check import SeededGenerator, refuses, usable

V, BLOCK = 7, 5
DRAWS = 20_000
CALLS = 30  # of which two differ, if chance has a part in them
MISSED = 1e-6  # how often a test refuses what is right

# Logits that are apart, and tables of a model whose sums are never nearer than 0.1 to one another:
# so rounding decides nothing.


def apart(draw, *shape, step=0.9):
    """Rows of logits in random order, ``step`` apart, each around a number of its own."""
    rows = [draw.permutation(shape[-1]) for _ in range(torch.Size(shape[:-1]).numel())]
    return (torch.stack(rows) * step + draw.normal(len(rows), 1, scale=3.0)).reshape(shape)


def tables(draw):
    """Weights of a TinyModel: what comes next depends on the token and on its place."""
    return {
        "tokens.weight": torch.stack([draw.permutation(V) for _ in range(V)]) * 1.0,
        "places.weight": torch.stack([draw.permutation(V) for _ in range(BLOCK)]) * 0.7,
    }


def tiny(impl, weights, dropout=0.0):
    """A TinyModel with these weights."""
    size, block = weights["tokens.weight"].shape[0], weights["places.weight"].shape[0]
    model = impl.TinyModel(size, block, dropout)
    model.load(weights)
    return model


def counting(device, size=V, steepness=9.0):
    """The tables of a model that says after token i: i + 1."""
    return {
        "tokens.weight": torch.eye(size, device=device).roll(1, 1) * steepness,
        "places.weight": torch.zeros(BLOCK, size, device=device),
    }


def is_from(counts, shares):
    """Whether these counts may come from a distribution with these shares: a chi-squared test."""
    possible = (shares := shares.cpu()) > 0
    if (counts[~possible] > 0).any():
        return False
    wanted = shares[possible].double() * counts.sum()
    distance = ((counts[possible] - wanted) ** 2 / wanted).sum()
    if len(wanted) == 1:
        return True
    freedom = distance.new_tensor(len(wanted) - 1)
    return bool(torch.special.gammaincc(freedom / 2, distance / 2) > MISSED)


def counted(impl, tokens, size=V, shape=(DRAWS,)):
    """How often each token came, of ``tokens``, an answer of ``impl``."""
    tokens = usable(impl, tokens, shape, torch.int64, varied=False)
    assert tokens.min() >= 0 and tokens.max() < size, "a token is no number from 0 to V - 1"
    return tokens.flatten().bincount(minlength=size).double().cpu()


def look_at_shares(name, counts, wanted, known):
    """Asserts that ``counts`` are drawn by ``wanted``; ``known`` are shares of known mistakes."""
    if is_from(counts, wanted.cpu()):
        return
    assert (counts > 0).sum() > 1, f"{name} gives the same token {DRAWS} times."
    for said, shares in known.items():
        assert not is_from(counts, shares.cpu()), f"{name} {said}."
    gone = counts[wanted.cpu() == 0].sum() > 0
    assert not gone, f"{name} draws tokens that were to be removed."
    raise AssertionError(f"{name} draws tokens more or less often than their probabilities say.")


def true_of_all(asked):
    """The first of the known mistakes by which all of these counts may be drawn; or nothing."""
    for said in asked[0][3]:
        if all(is_from(counts, known[said].cpu()) for _, counts, _, known in asked):
            return said
    return ""


@pytest.mark.core("sample")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(">>> sample(z, temperature=0.0) tensor([2, 0]) >>> sample(z, top_k=1)")
def test_example(compare, device):
    """With temperature 0, and with top_k=1, the largest logit of each row is chosen."""
    z = torch.tensor([[0.0, 1.0, 5.0], [3.0, 2.0, 1.0]], device=device)
    compare.sample(z, temperature=0.0)
    compare.sample(z, top_k=1)


# What stays ---------------------------------------------------------------------------------------


@pytest.mark.core("apply_temperature")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the temperature")
@pytest.mark.rests_on("the logits divided by the temperature")
def test_temperature_divides(compare, draw):
    """Logits are divided by the temperature: a small one makes differences larger."""
    z = draw.normal(2, 3, V)
    for temperature in (0.5, 2.0, 0.1):
        compare.apply_temperature(z, temperature)
    compare.apply_temperature(z[0, 0], 3)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "the largest logit of each row stays as it is, and all others become -inf",
    "where several are the largest, it is the first of them",
)
def test_temperature_zero_is_greedy(compare, device, draw):
    """At temperature 0 the largest logit of each row stays, the first one of several."""
    for shape in ((2, 3, V), (4, 4), (V,)):
        compare.apply_temperature(apart(draw, *shape), 0.0)
    ties = torch.tensor([[1.0, 3.0, 0.0, 3.0, 3.0], [2.0, 2.0, 2.0, 2.0, 2.0]], device=device)
    compare.apply_temperature(ties, 0)


@pytest.mark.core("top_k_filter")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of top-k")
@pytest.mark.rests_on(
    "with -inf in the place of all that are smaller than the k-th largest of the row",
    "What stays, stays as it is",
)
def test_top_k(compare, draw):
    """The k largest logits of every row stay as they are, the others become -inf."""
    for shape in ((2, 3, V), (4, 4), (V,)):
        z = apart(draw, *shape)
        for k in (1, 2, 3):
            compare.top_k_filter(z, k)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "Logits equal to the k-th largest all stay, so there may be more than k",
    "With k >= V all stay",
)
def test_top_k_at_its_ends(compare, device, draw):
    """Logits as large as the k-th all stay; with k of V or more, everything stays."""
    z = apart(draw, 2, V)
    for k in (V, V + 1, 1000):
        compare.top_k_filter(z, k)
    ties = torch.tensor([[2.0, 3.0, 0.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0, 1.0]], device=device)
    for k in (1, 2, 3):
        compare.top_k_filter(ties, k)
    compare.top_k_filter(ties.masked_fill(ties < 3, -torch.inf)[:1], 2)


@pytest.mark.core("top_p_filter")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of top-p")
@pytest.mark.rests_on(
    "go through the probabilities of the row from the largest to the smallest",
    "The token with which the sum reaches p is the last one that stays",
)
def test_top_p(compare, device, draw):
    """The most probable tokens stay until their sum reaches p, the one that reaches it included."""
    flat, steep = [0.4, 0.25, 0.15, 0.1, 0.06, 0.04], [0.52, 0.22, 0.12, 0.08, 0.04, 0.02]
    rows = torch.tensor([flat, steep, flat, steep], device=device).log()
    z = torch.stack([row[draw.permutation(6)] for row in rows])
    for p in (0.7, 0.3, 0.5, 0.83, 0.97):  # none of them a sum of the first shares of a row
        compare.top_p_filter(z, p)
    compare.top_p_filter(z.reshape(2, 2, 6), 0.7)
    compare.top_p_filter(z[0], 0.5)
    compare.top_p_filter(apart(draw, 4, 4), 0.8)


@pytest.mark.points(2)
@pytest.mark.rests_on("So at least one stays. With p = 1 all do")
def test_top_p_at_its_ends(compare, device, draw):
    """A tiny p leaves the most probable token, and p = 1 leaves all, however improbable."""
    z = apart(draw, 3, V)
    compare.top_p_filter(z, 0.001)
    compare.top_p_filter(z, 1.0)
    steep = torch.tensor([[0.0, 40.0, 20.0, -30.0, -torch.inf]], device=device)
    for same in (steep, steep.double()):  # an answer of its own may have a dtype of its own
        compare.top_p_filter(same, 1)
        compare.top_p_filter(same, 0.9)


@pytest.mark.rests_on("of equal ones the first comes first")
def test_top_p_with_equal_probabilities(compare, device):
    """Of equally probable tokens the first ones stay; a sum that equals p has reached it."""
    equal = torch.zeros(2, 64, device=device)  # so many that an unstable sort shows
    equal[1, ::2] = 1.0
    for p in (0.1, 0.4, 0.9):
        compare.top_p_filter(equal, p)
    for p in (0.25, 0.5, 0.75):  # sums of quarters, which no float rounds
        compare.top_p_filter(torch.zeros(4, device=device), p)


@pytest.mark.rests_on("Logits may be -inf, which is a token that was removed already")
def test_removed_tokens_stay_removed(compare, draw):
    """A logit of -inf stays -inf in every function, and its token is never drawn."""
    z = apart(draw, 3, V)
    z[0, 2] = z[1, 0] = z[1, 5] = -torch.inf
    compare.apply_temperature(z, 0.7)
    compare.top_k_filter(z, 3)
    compare.top_p_filter(z, 0.8)
    compare.apply_temperature(z, 0.0)
    compare.sample(z, temperature=0.0)


@pytest.mark.rests_on(
    "ValueError: temperature is less than 0",
    "ValueError: k is less than 1",
    "ValueError: p is not in 0 < p <= 1",
    "ValueError: one of the functions above refuses its option",
)
def test_refuses_what_is_no_option(submission, draw):
    """A negative temperature, k = 0, and p = 0 or more than 1 are refused, by sample as well."""
    z = apart(draw, 2, V)
    refuses(lambda: submission.apply_temperature(z, -0.5), "a temperature of -0.5")
    refuses(lambda: submission.top_k_filter(z, 0), "k = 0")
    refuses(
        lambda: submission.top_p_filter(z, 0.0),
        "p = 0",
        lambda: submission.top_p_filter(z, 1.1),
        "p = 1.1",
    )
    refuses(lambda: submission.sample(z, top_k=0), "top_k = 0, which is not None,")
    refuses(lambda: submission.sample(z, top_p=0.0), "top_p = 0, which is not None,")


# What is drawn ------------------------------------------------------------------------------------


@pytest.mark.core("sample")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of a draw")
@pytest.mark.rests_on(
    "drawn by the probabilities that are left",
    "each row draws by the softmax of its logits",
)
def test_draws_by_the_probabilities(submission, draw):
    """Of 20,000 draws each token gets the share that the softmax of z / T gives it."""
    row = apart(draw, V, step=0.4)
    for temperature in (1.0, 0.5, 2.0):
        tokens = submission.sample(row.expand(DRAWS, V), temperature=temperature)
        known = {
            "draws all tokens equally often": torch.full((V,), 1 / V),
            "draws by the softmax of z, whatever the temperature is": row.softmax(-1),
            "multiplies by the temperature": (row * temperature).softmax(-1),
            "divides the probabilities, not the logits, by the temperature": (
                row.softmax(-1) / temperature
            ).softmax(-1),
            "draws by the softmax of the softmax": (row / temperature).softmax(-1).softmax(-1),
        }
        wanted, counts = (row / temperature).softmax(-1), counted(submission, tokens)
        if (counts > 0).sum() == 1:
            few = row.expand(4, V)
            calls = [submission.sample(few, temperature=temperature) for _ in range(CALLS)]
            chance = any(not torch.equal(calls[0], other) for other in calls)
            assert not chance, f"in one call all {DRAWS} rows draw the same token."
        look_at_shares("sample", counts, wanted, known)


@pytest.mark.points(3)
@pytest.mark.rests_on(
    "First the temperature, then top-k, then top-p, on what top-k has left; what is None is left",
)
def test_options_in_their_order(submission, reference, draw):
    """Temperature first, then top-k, then top-p on what top-k has left, renormalised."""
    shares = torch.tensor([0.4, 0.3, 0.2, 0.06, 0.04])[draw.permutation(5).cpu()]
    row = shares.log().to(draw.normal(1).device)

    def left(*steps):
        """The probabilities after these steps, in float32 as the page has them."""
        z = row.cpu()
        for name, value in steps:
            z = getattr(reference, name)(z, value)
        return z.softmax(-1)

    asked = []
    for temperature, k, p in ((1.0, 4, 0.72), (1.0, 3, None), (1.0, None, 0.75), (3.0, 4, 0.6)):
        heat = ("apply_temperature", temperature)
        cut = [] if k is None else [("top_k_filter", k)]
        nucleus = [] if p is None else [("top_p_filter", p)]
        options = {"temperature": temperature, "top_k": k, "top_p": p}
        tokens = submission.sample(row.expand(DRAWS, 5), **options)
        known = {
            "does not use top_k": left(heat, *nucleus),
            "does not use top_p": left(heat, *cut),
            "does not use top_p where top_k is given": left(heat, *(cut or nucleus)),
            "uses neither top_k nor top_p": left(heat),
            "takes top_p of all tokens, also where top_k is given": left(heat, *nucleus, *cut),
            "applies the temperature last": left(*cut, *nucleus, heat),
            "takes top_p, then top_k, then the temperature": left(*nucleus, *cut, heat),
        }
        name = f"sample with temperature={temperature}, top_k={k}, top_p={p}"
        wanted = left(heat, *cut, *nucleus)
        asked.append((name, counted(submission, tokens, 5), wanted, known))
    for name, counts, wanted, _ in asked:
        said = "" if is_from(counts, wanted.cpu()) else true_of_all(asked)
        assert not said, f"sample {said}."
        look_at_shares(name, counts, wanted, {})


@pytest.mark.points(2)
@pytest.mark.kept("shares alone do not show what rows have in common")
@pytest.mark.rests_on("independently of all other rows, and afresh in every call")
def test_rows_draw_independently(compare, submission, draw):
    """Every row draws for itself, any number of axes before it, and every call draws anew."""
    for shape in ((2, 3, V), (1, V), (4, 4, 4), (V,)):
        compare.sample(apart(draw, *shape), top_k=1)
    z = torch.zeros(1, 1, 4, device=draw.normal(1).device).expand(100, 200, 4)
    tokens = submission.sample(z)
    counts = counted(submission, tokens, 4, (100, 200))
    look_at_shares("sample", counts, torch.full((4,), 0.25), {})
    for axis in (0, 1):
        first, second = tokens.unflatten(axis, (-1, 2)).unbind(axis + 1)
        alike = bool((first == second).all())
        assert not alike, f"all rows along axis {axis} draw the same token."
        pairs = (first * 4 + second).flatten().bincount(minlength=16).double().cpu()
        fair = is_from(pairs, torch.full((16,), 1 / 16))
        assert fair, "what one row draws depends on what its neighbour draws."
    again = torch.equal(tokens, submission.sample(z))
    assert not again, "two calls draw the same tokens."


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "two generators with the same seed give the same tokens", "other seeds and later calls give"
)
def test_the_generator_decides(submission, draw):
    """Same seed, same tokens, in sample and in generate; the next call and another seed differ."""
    z = draw.normal(50, V)
    idx, weights = draw.integers(0, V, (6, 3)), tables(draw)
    model = tiny(submission, {name: table * 0.1 for name, table in weights.items()})

    def write(generator):
        return submission.generate(model, idx, 12, block_size=BLOCK, generator=generator)

    ways = {
        "sample": (lambda generator: submission.sample(z, generator=generator), (50,)),
        "generate": (write, (6, 15)),
    }
    for name, (run, shape) in ways.items():
        one = draw.generator()
        again, other = SeededGenerator(one.seed), SeededGenerator(one.seed + 1)
        first, second, repeated, differs = (
            usable(submission, run(generator), shape, torch.int64)
            for generator in (one, one, again, other)
        )
        assert torch.equal(first, repeated), (
            f"{name}: two generators with the same seed give different tokens."
        )
        assert not torch.equal(first, second), f"{name}: the next call repeats the draws."
        assert not torch.equal(first, differs), f"{name}: another seed gives the same tokens."


# What is written ----------------------------------------------------------------------------------


@pytest.mark.core("generate: the loop")
@pytest.mark.points(3)
@pytest.mark.kept("the loop itself")
@pytest.mark.rests_on(
    "The next token is sampled from those of the last position",
    "stands unchanged at the beginning of the result",
)
def test_continues_a_text(compare, draw):
    """Token after token is chosen from the logits of the last position, and appended."""
    weights = tables(draw)
    for shape, n in (((6, 2), 3), ((1, 3), 2), ((3, 1), 4)):
        idx = draw.integers(0, V, shape)
        compare(lambda impl: impl.generate(tiny(impl, weights), idx, n, temperature=0.0))
    compare(lambda impl: impl.generate(tiny(impl, weights), idx, 0, temperature=0.0))


@pytest.mark.core("generate: block_size")
@pytest.mark.points(2)
@pytest.mark.kept("what the context is, in words of its own")
@pytest.mark.rests_on("the model sees the last block_size tokens of the text at most")
def test_sees_the_last_tokens(compare, draw):
    """However long the text is, the model sees its last block_size tokens: prompts may be longer
    than that, and what is written as well."""
    weights = tables(draw)
    for shape, n, block_size in (((6, 3), 12, BLOCK), ((6, 9), 4, BLOCK), ((6, 4), 5, 2)):
        idx = draw.integers(0, V, shape)
        options = {"block_size": block_size, "temperature": 0.0}
        compare(lambda impl: impl.generate(tiny(impl, weights), idx, n, **options))


@pytest.mark.core("generate: eos_id")
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "all that follows in it is eos_id",
    "The loop stops as soon as all rows have ended",
    "An eos_id in the prompt ends nothing",
)
def test_ends_where_the_text_ends(compare, draw, device):
    """A row that has drawn eos_id goes on with it; when all rows have, nothing more is written."""
    weights = counting(device)
    idx = torch.tensor([[3, 1], [1, 4], [5, 0]], device=device)  # 5, 2 and 6 steps before token 6
    how = {"block_size": BLOCK, "temperature": 0.0}
    for n in (4, 9):
        compare(lambda impl: impl.generate(tiny(impl, weights), idx, n, eos_id=6, **how))
    one = idx[1:2]
    compare(lambda impl: impl.generate(tiny(impl, weights), one, 9, eos_id=6, **how))
    compare(lambda impl: impl.generate(tiny(impl, weights), one, 9, eos_id=0, **how))
    somewhere, at_an_end = [[2, 6, 3], [0, 3, 1]], [[6, 2], [1, 6]]
    nothing_else, mixed = [[6]], [[6, 6], [4, 6], [6, 1]]
    for prompts in (somewhere, at_an_end, nothing_else, mixed):
        prompt = torch.tensor(prompts, device=device)
        compare(lambda impl: impl.generate(tiny(impl, weights), prompt, 8, eos_id=6, **how))


@pytest.mark.points(2)
@pytest.mark.kept("each option by itself, for a sentence of its own")
@pytest.mark.rests_on("where how may hold temperature, top_k, top_p and generator")
def test_hands_the_options_on(submission, reference, draw):
    """What generate draws has the shares that temperature, top_k and top_p leave."""
    row = apart(draw, V, step=0.5)
    weights = counting(row.device, steepness=0.0)
    weights["places.weight"][1] = row
    model, idx = tiny(submission, weights), torch.zeros(DRAWS, 2, dtype=torch.int64)
    idx, plain = idx.to(row.device), row.softmax(-1)
    ways = (
        ({"temperature": 0.5}, (row / 0.5).softmax(-1)),
        ({"top_k": 3}, reference.top_k_filter(row, 3).softmax(-1)),
        ({"top_p": 0.6}, reference.top_p_filter(row, 0.6).softmax(-1)),
    )
    for options, wanted in ways:
        text = submission.generate(model, idx, 1, **options)
        text = usable(submission, text, (DRAWS, 3), torch.int64)
        counts = text[:, 2].bincount(minlength=V).double().cpu()
        said, name = next(iter(options)), "generate"
        greedy = wanted.new_zeros(V).scatter(0, wanted.argmax(-1), 1.0)
        known = {f"does not hand {said} on to sample": plain, "always takes the best": greedy}
        look_at_shares(name, counts, wanted, known)


@pytest.mark.kept("no single step shows a draw that is repeated in every step")
@pytest.mark.rests_on("Then each row draws by the softmax of its logits, independently")
def test_every_token_is_a_new_draw(submission, draw):
    """Two tokens in a row are two draws: the second does not repeat the first."""
    weights = counting(draw.normal(1).device, size=4, steepness=0.0)
    idx = torch.zeros(DRAWS, 1, dtype=torch.int64, device=weights["tokens.weight"].device)
    texts = []
    for generator in (None, draw.generator()):
        model = tiny(submission, weights)
        text = submission.generate(model, idx, 2, generator=generator)
        text = usable(submission, text, (DRAWS, 3), torch.int64)
        texts.append(text)
        repeated = len(texts) > 1 and torch.equal(*texts)
        assert not repeated, "generate gives the same text with a generator as it gave without one."
        same = bool((text[:, 1] == text[:, 2]).all())
        assert not same, "generate draws the same token in every step: a seed was set again."
        pairs = (text[:, 1] * 4 + text[:, 2]).bincount(minlength=16).double().cpu()
        fair = is_from(pairs, torch.full((16,), 1 / 16))
        assert fair, "what generate draws depends on the token drawn before."


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "The model is in eval mode meanwhile, and afterwards in the mode in which it came"
)
def test_writes_in_eval_mode(compare, submission, draw):
    """No dropout while it writes; afterwards the model is in train mode if it came so, in eval mode
    if it came so."""
    weights, idx = tables(draw), draw.integers(0, V, (6, 3))

    def run(impl):
        model = tiny(impl, weights, dropout=0.5)
        return impl.generate(model, idx, 9, block_size=BLOCK, temperature=0.0)

    compare(run)
    model = tiny(submission, {name: table + 1 for name, table in weights.items()}, dropout=0.5)
    texts = draw.integers(0, V, (20, BLOCK))

    def drops():
        """Whether dropout acts in the model: its logits are never 0 without."""
        text = submission.generate(model, idx, 2, temperature=0.0)
        usable(submission, text, (6, 5), torch.int64)
        logits = usable(submission, model(texts)[0], (20, BLOCK, V))
        return bool((logits == 0).any())

    assert drops(), "a model that came in train mode is in eval mode after generate."
    model.eval()
    assert not drops(), "a model that came in eval mode is in train mode after generate."
