"""Hidden checks of ``kv_cache``."""

from __future__ import annotations

import pytest
import torch

from grader.check import (
    finding,
    gradient,
    gradient_by_shape,
    on_one_device,
    refuses,
    usable,
    work_of,
)

ROOM, HEADS, D = 9, 3, 4  # max_len, and the heads of a cache
WIDTH = HEADS * D
V, LONGEST = 11, 10  # vocabulary, block_size
SIZES = V, LONGEST, 2, HEADS, WIDTH  # two layers, so that each needs a cache of its own
WAYS = ((6,), (1,) * 6, (3, 2, 1), (1, 4, 1))  # six tokens: at once, one by one, in chunks

# A cache remembers: of the same one asked twice, the second answer follows from both askings.
remembers = pytest.mark.asked_once("a cache goes on where it was left", "same_object")
same_tokens = pytest.mark.asked_once(
    "these weights have no ties, others may have", "others", "flipped"
)


def parts(x, sizes, dim):
    """Consecutive pieces of these sizes."""
    ends = torch.tensor(sizes).cumsum(0).tolist()
    return [x.narrow(dim, end - size, size).clone() for size, end in zip(sizes, ends, strict=True)]


@pytest.mark.core("generate_cached")
@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.asked_once("few numbers, which other checks vary")
@pytest.mark.rests_on("Room for 4 tokens of width 1", "Five tokens at once, and the same five")
def test_example(compare, device):
    """The examples of the page: three stored tokens, rows reordered, five tokens as 3 + 2."""
    k = torch.tensor([[[[1.0], [2.0]]]], device=device)
    x = torch.ones(1, 5, 4, device=device).cumsum(1)
    one = torch.eye(4, device=device)
    rows, counting = torch.tensor([1, 1, 0], device=device), counts_on(device)
    idx = torch.tensor([[5, 0, 1]], device=device)

    def probe(impl):
        cache, two = impl.KVCache(1, 1, 4, 1), impl.KVCache(2, 1, 4, 1)
        stored = cache.append(k, k * 10), cache.append(k[:, :, :1] + 2, k[:, :, :1] + 20)
        two.append(k.transpose(0, 2), k.transpose(0, 2) * 0)
        two.reorder(rows)
        zeros = torch.zeros(3, 1, 1, 1, device=device)
        layer, other = impl.CachedAttention(4, 2, bias=False), impl.KVCache(1, 2, 8, 2)
        layer.load({f"w_{name}.weight": one for name in "qkvo"})
        layer.requires_grad_(False)
        found = layer(x), layer(x[:, :3], other), layer(x[:, 3:], other)
        text = impl.generate_cached(gpt(impl, counting, (6, 8, 1, 2, 6)), idx, 3)
        return stored, two.append(zeros, zeros), found, text

    compare(probe)


# The store ----------------------------------------------------------------------------------------


@pytest.mark.core("KVCache.append")
@pytest.mark.points(3)
@remembers
@pytest.mark.kept("the definition of the store")
@pytest.mark.rests_on(
    "return the keys and values of all L tokens that are stored now",
    "length is an attribute, an int: how many tokens are stored",
)
def test_append_returns_what_is_stored(compare, submission, draw):
    """After every append the keys and values of all tokens so far come back, in their order, and
    nothing behind them."""
    cache, new = submission.KVCache(2, HEADS, ROOM, D), draw.normal(2, HEADS, 3, D)
    first, second = parts(new, (2, 1), 2)
    cache.append(first, first)
    cache.append(second, second)
    both = torch.cat([second, first[:, :, 1:]], 2)
    if any(starts_with(buffer, both) for buffer in cache.buffers().values()):
        raise finding(
            "append was given 2 tokens, then 1. The second call wrote its token over the first "
            "one, at place 0 of the buffer.",
            "length 3",
            help="After a chunk is written, the length is the place behind it: there the next call "
            "begins to write.",
        )
    for batch, heads, d in ((2, HEADS, D), (1, 1, 1), (6, 6, 6)):
        k, v = draw.normal(batch, heads, 6, d), draw.normal(batch, heads, 6, d)
        for sizes in ((2, 1, 3), (6,), (1, 1, 4)):
            pieces = list(zip(parts(k, sizes, 2), parts(v, sizes, 2), strict=True))

            def probe(impl, pieces=pieces, shape=(batch, heads, ROOM, d)):
                cache = impl.KVCache(*shape)
                return [cache.append(*piece) for piece in pieces]

            compare(probe)


@pytest.mark.points(2)
@remembers
@pytest.mark.kept("what a store refuses, in words of its own")
@pytest.mark.rests_on("there is no room for t more tokens. Nothing was changed then")
def test_no_more_than_there_is_room(compare, submission, draw):
    """max_len tokens fit; one more raises ValueError, and the cache is as it was before."""
    k, v = draw.normal(2, HEADS, 8, D), draw.normal(2, HEADS, 8, D)
    first, second, third = zip(parts(k, (4, 3, 1), 2), parts(v, (4, 3, 1), 2), strict=True)

    def full(impl):
        cache = impl.KVCache(2, HEADS, 5, D)
        return cache.append(*first), cache.append(*third)

    compare(full)
    cache = submission.KVCache(2, HEADS, 5, D)
    before = pair(cache, cache.append(*first), (2, HEADS, 4, D))
    refuses(lambda: cache.append(*second), "4 + 3 tokens where there is room for 5")
    after = pair(cache, cache.append(*third), (2, HEADS, 5, D))
    for name, was, now, new in zip(("keys", "values"), before, after, third, strict=True):
        same = torch.equal(now, torch.cat([was, new], dim=2))
        assert same, f"what was refused has changed the stored {name}"
    refuses(lambda: cache.append(*third), "one more token in a cache that is full")
    empty = submission.KVCache(2, HEADS, 5, D)
    refuses(lambda: empty.append(k, v), "8 tokens at once where there is room for 5")


@pytest.mark.core("KVCache.reset")
@pytest.mark.points(2)
@remembers
@pytest.mark.kept("the definition of reset")
@pytest.mark.rests_on("the next one is stored as the first. The room stays")
def test_reset_forgets(compare, draw):
    """After reset the cache is as good as new: the next token is the first one, and there is room
    for max_len of them."""
    old, (k, v) = draw.normal(2, HEADS, 5, D, offset=1e4), draw.normal(2, 2, HEADS, 5, D)
    first, second = zip(parts(k, (2, 3), 2), parts(v, (2, 3), 2), strict=True)

    def roomy(impl):
        cache = impl.KVCache(2, HEADS, 8, D)
        cache.append(old, old)
        cache.reset()
        return cache.append(*second)

    def probe(impl):
        cache = impl.KVCache(2, HEADS, 5, D)
        cache.append(old, old)
        cache.reset()
        found = cache.append(*first), cache.append(*second)
        cache.reset()
        return found, cache.append(*first)

    compare(roomy)
    compare(probe)


@pytest.mark.core("KVCache.reorder")
@pytest.mark.points(3)
@remembers
@pytest.mark.kept("the definition of reorder")
@pytest.mark.rests_on(
    "Row b becomes a copy of what row rows[b] was",
    "a row may come several times or not at all, and there may be fewer or more rows than before",
)
def test_reorder(compare, draw):
    """Row b goes on with the keys and values of row rows[b]: with repeats, with fewer rows, with
    more, and several times."""
    k, v = draw.normal(3, HEADS, 2, D), draw.normal(3, HEADS, 2, D)
    device = k.device
    for rows in ([2, 0, 1], [1, 2, 2], [1, 0, 0], [2, 0], [1, 1, 0, 2, 2], [1, 1, 1]):
        more, again = draw.normal(2, len(rows), HEADS, 1, D), draw.normal(2, 2, HEADS, 3, D)

        def probe(impl, rows=rows, more=more, again=again):
            cache = impl.KVCache(3, HEADS, ROOM, D)
            cache.append(k, v)
            cache.reorder(torch.tensor(rows, device=device))
            found = cache.append(more[0], more[1])
            cache.reorder(torch.tensor([1, 0], device=device))
            return found, cache.append(again[0], again[1])

        compare(probe)


@pytest.mark.points(2)
@pytest.mark.asked_once("two caches at once are the question here")
@pytest.mark.kept("two stores, without layer and model")
@pytest.mark.rests_on("functions remember nothing between calls, and an object nothing of another")
def test_caches_share_nothing(submission, draw):
    """What one cache stores, forgets or reorders, another one does not notice; nor does a copy."""
    first, second, third = (draw.normal(2, HEADS, n, D) for n in (3, 2, 1))
    one, two = submission.KVCache(2, HEADS, ROOM, D), submission.KVCache(2, HEADS, ROOM, D)
    swap = torch.tensor([1, 0], device=first.device)
    one.append(first, -first)
    two.append(second, -second)
    copy = one.deepcopy()
    one.reorder(swap)
    looked_at(one, third, torch.cat([first.flip(0), third], 2), "a cache")
    two.reset()
    looked_at(copy, third + 1, torch.cat([first, third + 1], 2), "a deep copy of a cache")
    looked_at(two, third, third, "the second of two caches")
    looked_at(one, third, torch.cat([first.flip(0), third, third], 2), "the first of two caches")


@pytest.mark.points(1)
@pytest.mark.asked_once("gradients are the question here")
@pytest.mark.rests_on("what comes back has no gradient, though k and v may need one")
def test_stores_no_history(submission, draw):
    """What append returns leads back to no k and no v: numbers are stored, and no graph."""
    k, v = (draw.normal(2, HEADS, 3, D, grad=True) for _ in range(2))
    more = draw.normal(2, HEADS, 1, D)
    cache = submission.KVCache(2, HEADS, ROOM, D)
    found = pair(cache, cache.append(k, v), (2, HEADS, 3, D))
    found += pair(cache, cache.append(more, more), (2, HEADS, 4, D))
    for name, given, answer in zip(("k", "v") * 2, (k, v) * 2, found, strict=True):
        cotangent = torch.ones_like(answer)
        kept = gradient(submission, answer, cotangent, given)
        assert kept is None, f"what append returns still has a gradient for {name}: detach it"
        assert torch.equal(answer[:, :, :3], given), f"append returns other numbers than {name}"


@pytest.mark.points(2)
@pytest.mark.asked_once("work is the question here")
@pytest.mark.kept("the store by itself, in words of its own")
@pytest.mark.rests_on(
    "The work does not depend on how much is stored",
    "no operation makes a tensor larger than what is appended",
    "2 * batch * num_heads * max_len * head_dim numbers, which are made at the start",
)
def test_append_writes_only_what_is_new(submission, draw):
    """Room is made once, for keys and for values; after that, append writes the new tokens alone,
    however many are stored."""
    cache = submission.KVCache(2, HEADS, 40, D)
    sizes = [buffer.numel() for buffer in cache.buffers().values()]
    assert sum(sizes) == 2 * 2 * HEADS * 40 * D, (
        f"the buffers of a new cache hold {sum(sizes)} numbers, not 2 * batch * num_heads * "
        "max_len * head_dim"
    )
    token = draw.normal(2, HEADS, 1, D)
    cache.append(token, token)
    early = work_of(submission, lambda _: cache.append(token, token))
    many = draw.normal(2, HEADS, 30, D)
    cache.append(many, many)
    late = work_of(submission, lambda _: cache.append(token, token))
    pair(cache, cache.append(token, token), (2, HEADS, 34, D))
    wide = submission.KVCache(2, HEADS, 160, D)
    wide.append(token, token)
    roomy = work_of(submission, lambda _: wide.append(token, token))
    pair(wide, wide.append(token, token), (2, HEADS, 3, D))
    assert late.steps <= early.steps, "append takes more operations when more is stored"
    assert late.largest <= max(early.largest, 2 * token.numel()), (
        "append makes a tensor larger than what is appended: it copies what was stored before"
    )
    assert roomy.largest <= max(early.largest, 2 * token.numel()), (
        "append makes a tensor as large as the whole room: write the new places alone"
    )


@pytest.mark.points(1)
@remembers
@pytest.mark.kept("the store by itself: the model chooses dtype and device for it")
@pytest.mark.rests_on(
    "of both buffers; None means torch's default", "since they are buffers, .to(...) moves them"
)
def test_dtype_and_device(compare, draw, device):
    """A cache is made in the dtype and on the device that are asked for, and .to(...) moves it with
    all that is stored, also after reorder."""
    k, v = draw.normal(2, HEADS, 3, D), draw.normal(2, HEADS, 3, D)
    # A module that was made on meta cannot be moved to a GPU, where the check puts what is made.
    where = "meta" if torch.device(device).type == "cpu" else device
    far, swap = k.to(where), torch.tensor([1, 0], device=k.device)

    def chosen(impl):
        cache = impl.KVCache(2, HEADS, ROOM, D, dtype=torch.float64)
        return cache.append(k.double(), v.double())

    def cast(impl):
        cache = impl.KVCache(2, HEADS, ROOM, D)
        cache.append(k, v)
        cache.to(torch.float64)
        return cache.append(k.double(), v.double())

    def reordered(impl):
        cache = impl.KVCache(2, HEADS, ROOM, D)
        cache.append(k, v)
        cache.reorder(swap)
        cache.to(torch.float64)
        return cache.append(k.double(), v.double())

    def there(impl):
        return impl.KVCache(2, HEADS, ROOM, D, device=where).append(far, far)

    compare(chosen)
    compare(cast)
    compare(reordered)
    with on_one_device("the cache"):
        compare(there)


# The layer ----------------------------------------------------------------------------------------


@pytest.mark.core("CachedAttention: without a cache")
@pytest.mark.points(2)
@pytest.mark.kept("the attention itself, with its gradients")
@pytest.mark.rests_on(
    "Without a cache, each token attends to itself and to those before it",
    "gradients flow back to x and all weights",
)
def test_layer_without_a_cache(compare, draw):
    """Without a cache it is causal multi-head attention, with gradients; biases or none."""
    x, weights = draw.normal(2, 5, WIDTH), attention_weights(draw)
    compare(lambda impl: layer(impl, weights)(x), wrt=[x])
    plain = attention_weights(draw, bias=False)
    compare(lambda impl: layer(impl, plain, bias=False)(x), wrt=[x])
    even, small = draw.normal(4, 4, 4), attention_weights(draw, 4)
    compare(lambda impl: layer(impl, small, 4, 4)(even), wrt=[even])


@pytest.mark.core("CachedAttention: with a cache")
@pytest.mark.points(4)
@remembers
@pytest.mark.kept("the definition of attention with a cache")
@pytest.mark.rests_on(
    "With a cache or without, at once, token by token or in chunks",
    "the keys and values of the t tokens are appended to it, once",
)
def test_layer_with_a_cache(compare, draw):
    """Six tokens at once, one by one, as 3 + 2 + 1 and as 1 + 4 + 1: the answers are the same."""
    for batch, width, heads in ((2, WIDTH, HEADS), (1, 4, 1), (4, 16, 4)):
        x, weights = draw.normal(batch, 6, width), attention_weights(draw, width)
        for sizes in WAYS:

            def probe(impl, pieces=parts(x, sizes, 1), weights=weights, heads=heads):
                rows, _, width = pieces[0].shape
                attention = layer(impl, weights, width, heads)
                attention.requires_grad_(False)
                cache = impl.KVCache(rows, heads, ROOM, width // heads)
                return [attention(piece, cache) for piece in pieces]

            compare(probe)


@pytest.mark.points(2)
@pytest.mark.kept("what a chunk sees, in words of its own")
@pytest.mark.asked_once("what depends on what is the question here")
@pytest.mark.rests_on("among the t tokens to itself and to those before it")
def test_a_chunk_stays_causal(submission, draw):
    """Three tokens are stored and four come at once: a change of one of the four is noticed by it
    and by those behind it alone, and a change of a stored one by all four."""
    x, weights = draw.normal(2, 7, WIDTH), attention_weights(draw)
    attention = layer(submission, weights)
    seen = []
    for changed in (None, 1, 5):
        given = x.clone()
        if changed is not None:
            given[:, changed] = draw.normal(2, WIDTH)
        cache = submission.KVCache(2, HEADS, ROOM, D)
        attention(given[:, :3].clone(), cache)
        y = attention(given[:, 3:].clone(), cache)
        seen.append(usable(attention, y, (2, 4, WIDTH), unlike=seen))
    stored, new = ((seen[0] - other).abs().amax((0, 2)) > 1e-5 for other in seen[1:])
    assert not new[:2].any(), "a token of a chunk sees the tokens behind it in the chunk"
    assert new[2:].all(), "a token of a chunk does not see all tokens before it in the chunk"
    assert stored.all(), "a token of a chunk does not see all that was stored before"


@pytest.mark.points(2)
@remembers
@pytest.mark.rests_on("No token attends to a place where nothing is stored")
def test_unwritten_places_are_never_seen(compare, draw):
    """A cache that was full of large numbers, and reset, gives what a new one gives."""
    x, weights = draw.normal(2, 5, WIDTH), attention_weights(draw)
    large = torch.full((2, HEADS, ROOM, D), 1e4, device=x.device)

    def probe(impl):
        attention = layer(impl, weights)
        attention.requires_grad_(False)
        cache = impl.KVCache(2, HEADS, ROOM, D)
        cache.append(large, large)
        cache.reset()
        return [attention(piece, cache) for piece in parts(x, (2, 1, 2), 1)]

    compare(probe)


@pytest.mark.points(1)
@pytest.mark.asked_once("one layer and two texts are the question here")
@pytest.mark.rests_on("functions remember nothing between calls, and an object nothing of another")
def test_one_layer_two_texts(submission, draw):
    """Two texts in turns through one layer, each with its cache, and a third without any: none
    notices the others."""
    x, weights = draw.normal(3, 2, 4, WIDTH), attention_weights(draw)
    attention = layer(submission, weights)
    texts = [text.clone() for text in x]
    alone = usable(attention, attention(texts[2]), (2, 4, WIDTH), unlike=[texts[2]])

    def in_turns(*numbers):
        """The texts of these numbers, piece by piece, each with a cache of its own."""
        caches = {number: submission.KVCache(2, HEADS, ROOM, D) for number in numbers}
        found = {number: [] for number in numbers}
        for piece in parts(x, (1, 2, 1), 2):
            for number, cache in caches.items():
                y = attention(piece[number].clone(), cache)
                found[number].append(usable(attention, y, (2, y.shape[1], WIDTH)))
        return {number: torch.cat(pieces, 1) for number, pieces in found.items()}

    cached, both = in_turns(0) | in_turns(1), in_turns(0, 1)
    again = usable(attention, attention(texts[2]), (2, 4, WIDTH))
    assert torch.allclose(again, alone, atol=1e-4), (
        "without a cache, the layer remembers what it was called with before"
    )
    for number, wanted in cached.items():
        near = torch.allclose(both[number], wanted, atol=1e-4)
        assert near, "two texts with a cache each, in turns through one layer, disturb one another"


@pytest.mark.points(1)
@pytest.mark.rests_on("num_heads does not divide d_model (when the layer is made)")
def test_heads_must_divide_the_width(submission):
    """A width of 10 in 4 heads raises ValueError when the layer is made."""
    refuses(lambda: submission.CachedAttention(10, 4), "a width of 10 in 4 heads")


# The model ----------------------------------------------------------------------------------------


@pytest.mark.core("CachedGPT")
@pytest.mark.points(4)
@remembers
@pytest.mark.kept("the definition of the model")
@pytest.mark.rests_on(
    "With a cache or without, at once, token by token or in chunks",
    "the new ones stand at the positions L - t to L - 1",
    "caches[i] is that of block i",
)
def test_model_in_parts(compare, draw):
    """Six tokens at once, one by one and in chunks give the same logits: positions go on, and every
    block has a cache of its own."""
    for sizes, batch in ((SIZES, 2), ((6, 6, 1, 1, 6), 1), ((4, 8, 3, 4, 4), 4)):
        idx, weights = draw.integers(0, sizes[0], (batch, 6)), gpt_weights(draw, sizes)
        for pieces in WAYS:

            def probe(impl, pieces=parts(idx, pieces, 1), weights=weights, sizes=sizes):
                model = gpt(impl, weights, sizes)
                caches = model.new_caches(pieces[0].shape[0])
                return [model(piece, caches) for piece in pieces]

            compare(probe)

    idx, weights = draw.integers(0, V, (2, 2, 5)), gpt_weights(draw)
    begun, rest = idx[:, :, :3], idx[0, :, 3:]

    def exchanged(impl):
        model = gpt(impl, weights)
        one, two = model.new_caches(2), model.new_caches(2)
        before = model(begun[0], one), model(begun[1], two)
        return before, model(rest, [one[0], *two[1:]])

    compare(exchanged)


@pytest.mark.points(1)
@remembers
@pytest.mark.rests_on("It has the parameters of a GPT of these sizes, by the same names")
def test_options_of_the_model(compare, draw):
    """bias and tie_weights mean what they mean in GPT, and are True unless it is said otherwise;
    the names of parameters are those of a GPT."""
    idx = draw.integers(0, V, (2, 5))
    for options in ({}, {"bias": False, "tie_weights": False}, {"bias": False}):
        bias, tied = options.get("bias", True), options.get("tie_weights", True)
        weights = gpt_weights(draw, bias=bias, tied=tied)

        def probe(impl, weights=weights, options=options):
            model = impl.CachedGPT(*SIZES, **options)
            model.load(weights)
            caches = model.new_caches(2)
            return model(idx[:, :3].clone(), caches), model(idx[:, 3:].clone(), caches)

        compare(probe)


@pytest.mark.points(2)
@pytest.mark.asked_once("the dtype is the question here")
@pytest.mark.rests_on(
    "Each has room for max_len tokens",
    "the dtype and the device of the weights, as they are now",
    "Every call makes others",
)
def test_new_caches(compare, submission, draw):
    """new_caches gives one for every block, of the right room, batch, dtype and device; other ones
    in every call."""
    idx, weights = draw.integers(0, V, (2, 4)), gpt_weights(draw)
    model = gpt(submission, weights)
    for room in (3, LONGEST + 4):
        caches = model.new_caches(2, max_len=room)
        many = len(caches) if isinstance(caches, (list, tuple)) else "no list of"
        assert many == 2, f"new_caches of a model with 2 blocks gives {many} caches"
        for cache in caches:
            held = sum(buffer.numel() for buffer in cache.buffers().values())
            assert held == 2 * 2 * HEADS * room * D, (
                f"with max_len={room}, a cache of new_caches has room for {held} numbers"
            )
    token, (first, second) = draw.normal(2, HEADS, 1, D), caches
    first.append(token, token)
    stored = second.append(token, token)[0]
    assert stored.shape == token.shape, "the caches of two blocks are one and the same"

    def cast(impl):
        model = gpt(impl, weights)
        model.to(torch.float64)
        return model(idx, model.new_caches(2))

    def there(impl):
        model = impl.CachedGPT(*SIZES)
        model.to("meta")
        return model(idx.to("meta"), model.new_caches(2))

    compare(cast)
    with on_one_device("the model"):
        compare(there)
    model = gpt(submission, weights)
    small = model.new_caches(2, max_len=3)
    refuses(lambda: model(idx, small), "4 tokens in caches with room for 3")
    first, again = (usable(model, model(idx, model.new_caches(2)), (2, 4, V)) for _ in range(2))
    assert torch.allclose(first, again, atol=1e-4), "caches of two calls share what they store"


@pytest.mark.points(2)
@pytest.mark.asked_once("what is refused is the question here")
@pytest.mark.rests_on("L is more than block_size, or one of the caches has no room for L tokens")
def test_no_more_than_there_are_positions(submission, draw):
    """More tokens than positions raise ValueError, also one at a time, and leave the caches as they
    were."""
    idx, weights = draw.integers(0, V, (2, LONGEST + 1)), gpt_weights(draw)
    model = gpt(submission, weights)

    def after(first, then, room):
        """What follows where nothing is refused on the way."""
        caches = model.new_caches(2, max_len=room)
        model(first, caches)
        return usable(model, model(then, caches), (2, then.shape[1], V))

    wanted = after(idx[:, :8].clone(), idx[:, 8:LONGEST].clone(), LONGEST + 5)
    caches = model.new_caches(2, max_len=LONGEST + 5)
    model(idx[:, :8].clone(), caches)
    refuses(
        lambda: model(idx, model.new_caches(2, max_len=LONGEST + 5)),
        f"{LONGEST + 1} tokens with {LONGEST} positions",
        lambda: model(idx[:, 8:].clone(), caches),
        "3 more tokens with 2 positions left",
    )
    last = model(idx[:, 8:LONGEST].clone(), caches)
    last = usable(model, last, (2, 2, V))
    near = torch.allclose(last, wanted, atol=1e-3)
    assert near, "what was refused has changed the caches"
    refuses(lambda: model(idx[:, LONGEST:].clone(), caches), "a token behind the last position")
    cut, first, then = model.new_caches(2, max_len=3), idx[:, :2].clone(), idx[:, 2:3].clone()
    wanted = after(first, then, 3)
    model(first, cut)
    refuses(lambda: model(first, cut), "2 more tokens in caches with room for 1")
    third = usable(model, model(then, cut), (2, 1, V))
    near = torch.allclose(third, wanted, atol=1e-3)
    assert near, "what was refused has changed the caches"
    uneven = [model.new_caches(2, max_len=room)[n] for n, room in enumerate((5, 3))]
    model(first, uneven)
    refuses(lambda: model(first, uneven), "2 more tokens where the second cache has room for 1")
    third = usable(model, model(then, uneven), (2, 1, V))
    if not torch.allclose(third, wanted, atol=1e-3):
        raise finding(
            "The second of two caches was too small, and the first one was changed all the same.",
            help="Ask for the room in all caches before the first block appends anything.",
        )


@pytest.mark.points(1)
@pytest.mark.asked_once("gradients are the question here")
@pytest.mark.rests_on("The logits have no history for a backward pass")
def test_logits_have_no_history(submission, draw):
    """No graph is kept: the logits lead back to no weights."""
    idx, weights = draw.integers(0, V, (2, 4)), gpt_weights(draw, tied=True)
    model = gpt(submission, weights, tie_weights=True)
    caches, others = model.new_caches(2), model.new_caches(2)
    for piece in parts(idx, (3, 1), 1):
        logits, shape = model(piece, caches), (2, piece.shape[1], V)
        usable(model, logits, shape)
        again = usable(model, model(piece, others), shape)
        assert torch.allclose(logits, again, atol=1e-4), "the same text gives other logits"
        found = gradient_by_shape(submission, logits, draw.normal(*shape), (V, WIDTH))
        assert not found.any(), "the logits still have a gradient for the weights"


# The loop -----------------------------------------------------------------------------------------


@pytest.mark.core("generate_cached")
@pytest.mark.points(4)
@same_tokens
@pytest.mark.rests_on(
    "continued by n = max_new_tokens tokens, each with the largest logit",
    "First the whole prompt goes through it, in one call",
)
def test_writes_what_is_most_likely(compare, reference, draw):
    """Every new token is the one with the largest logit after the whole text before it: prompts of
    one token and of several, one row and more, and no new token at all."""
    for shape, n in (((3, 4), 6), ((1, 1), 9), ((2, 5), 1)):
        idx, weights = steady(draw, reference, shape, n)
        compare(lambda impl: impl.generate_cached(gpt(impl, weights), idx, n))
    compare(lambda impl: impl.generate_cached(gpt(impl, weights), idx, 0))


@pytest.mark.points(2)
@same_tokens
@pytest.mark.rests_on(
    "caches may hold the beginning of a text already, and idx what follows it",
    "in the end T + n - 1 tokens are stored",
)
def test_goes_on_with_a_text(compare, reference, draw):
    """With caches that hold the beginning of a text, idx is what follows, and the last token that
    is written is not stored yet; the caches given are the ones that are filled, also if they are
    empty."""
    idx, weights = steady(draw, reference, (2, 3), 7)
    first, rest = parts(idx, (2, 1), 1)

    def probe(impl):
        model = gpt(impl, weights)
        caches = model.new_caches(2)
        before = model(first, caches)
        text = impl.generate_cached(model, rest, 3, caches)
        is_text = isinstance(text, torch.Tensor) and text.ndim == 2
        last = text[:, -1:] if is_text else rest
        more = impl.generate_cached(model, last, 4, caches=caches)
        empty = model.new_caches(2)
        whole = impl.generate_cached(model, idx, 2, empty)
        return before, text, more, model(rest, caches), whole, model(rest, empty)

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.asked_once("two texts in one model are the question here")
@pytest.mark.kept("two texts, in words of their own")
@pytest.mark.rests_on("None: model.new_caches(B), other ones in every call")
def test_two_texts_share_nothing(submission, reference, draw):
    """Without caches, every call begins a new text: asked again, and with another text in between,
    the answer stays the same."""
    idx, weights = steady(draw, reference, (2, 3), 4)
    model, other = gpt(submission, weights), draw.integers(0, V, (2, 2))
    wanted = reference.generate_cached(gpt(reference, weights), idx, 4)
    for said in ("the first text", "a text after another one", "a text asked for again"):
        text = usable(model, submission.generate_cached(model, idx, 4), (2, 7), torch.int64)
        assert torch.equal(text, wanted), f"generate_cached writes {said} wrongly"
        if said == "the first text":
            usable(model, submission.generate_cached(model, other, 3), (2, 5), torch.int64)


@pytest.mark.points(1)
@pytest.mark.asked_once("what is refused is the question here")
@pytest.mark.rests_on("the model has no position, or a cache no room, for one of the tokens")
def test_writes_no_further_than_positions(submission, draw):
    """T + n - 1 tokens must have a position: that many are written, and one more is refused."""
    idx, weights = draw.integers(0, V, (2, 4)), gpt_weights(draw)
    model = gpt(submission, weights)
    most = LONGEST - 4 + 1
    text = submission.generate_cached(model, idx, most)
    usable(model, text, (2, LONGEST + 1), torch.int64)
    refuses(
        lambda: submission.generate_cached(model, idx, most + 1),
        f"{most + 1} new tokens after 4, with {LONGEST} positions",
    )
    prompt = draw.integers(0, V, (2, LONGEST + 1))
    refuses(
        lambda: submission.generate_cached(model, prompt, 1),
        f"a prompt of {LONGEST + 1} tokens, with {LONGEST} positions",
    )


# The saving ---------------------------------------------------------------------------------------


@pytest.mark.points(3)
@pytest.mark.asked_once("work is the question here")
@pytest.mark.rests_on(
    "costs as many operations after 20 tokens as after 2",
    "No tensor that is made for it grows with the text",
)
def test_a_token_costs_the_same(submission, draw):
    """A token after 20 others costs as many operations as one after 2, and only what has a number
    for each head and stored token is larger."""
    sizes = V, 24, 2, 2, 32
    idx, weights = draw.integers(0, V, (2, 21)), gpt_weights(draw, sizes)
    model, matrices = gpt(submission, weights, sizes), attention_weights(draw, 32)
    attention = layer(submission, matrices, 32, 2)
    caches, x = [submission.KVCache(2, 2, 24, 16) for _ in range(4)], draw.normal(2, 21, 32)
    for name, part, inputs, (store, *stores), shape in (
        ("CachedAttention", attention, x, caches, (2, 1, 32)),
        ("CachedGPT", model, idx, [model.new_caches(2) for _ in range(4)], (2, 1, V)),
    ):
        first, early, more, late = parts(inputs, (2, 1, 17, 1), 1)
        part(first, store)
        before = work_of(submission, lambda _: part(early, store))
        part(more, store)
        after = work_of(submission, lambda _: part(late, store))
        whole, other = (part(inputs, one) for one in stores[:2]), stores[2]
        part(inputs[:, :20].clone(), other)
        last = usable(part, part(late, other), shape, unlike=[late])
        for y in whole:
            y = usable(part, y, (2, 21, shape[2]))[:, 20:]
            assert torch.allclose(y, last, atol=1e-3), f"{name}: in parts the answer is another one"
        assert after.steps <= before.steps, (
            f"{name}: a token after 20 others takes more operations than one after 2: a loop runs "
            "over what is stored"
        )
        # Weights: 2 texts * 2 heads * 21 tokens. Keys made anew: 2 texts * 21 tokens * 32 columns.
        assert after.largest <= max(before.largest, 3 * 2 * 2 * 21), (
            f"{name}: a token after 20 others makes a tensor of {after.largest} numbers: what is "
            "stored is computed or copied again"
        )


@pytest.mark.points(3)
@pytest.mark.asked_once("work is the question here")
@pytest.mark.rests_on(
    "First the whole prompt goes through it, in one call; then every token that was written, alone",
    "there are n calls",
)
def test_writing_costs_what_is_new(submission, draw):
    """The prompt goes through the model in one call, and every new token alone: work grows with the
    number of new tokens, and not with its square."""
    sizes = V, 24, 1, 2, 32
    weights = gpt_weights(draw, sizes)
    model, idx = gpt(submission, weights, sizes), draw.integers(0, V, (2, 9))

    def work(tokens, n):
        prompt = idx[:, :tokens].clone()
        found = work_of(submission, lambda impl: impl.generate_cached(model, prompt, n))
        text = submission.generate_cached(model, prompt, n)
        usable(model, text, (2, tokens + n), torch.int64, varied=False)
        assert torch.equal(text[:, :tokens], prompt), "the text does not begin with the prompt"
        return found

    few, some, many = (work(2, n) for n in (5, 10, 15))
    assert many.steps - some.steps <= some.steps - few.steps, (
        "each token costs more operations than the one before it"
    )
    assert work(9, 5).steps <= few.steps, (
        "a longer prompt takes more operations: it goes through the model in one call"
    )
    one = work(2, 1)
    extra = (many.steps - few.steps) / 10
    assert extra * 0.9 < one.steps, "each token goes through the model more than once"
    assert many.largest <= max(few.largest, 3 * 2 * 2 * 17), (
        "a longer text makes larger tensors: tokens go through the model again that went before"
    )


# What the checks share ----------------------------------------------------------------------------


def pair(cache, found, shape):
    """What append returned, if it is keys and values of this shape."""
    assert isinstance(found, (tuple, list)) and len(found) == 2, (
        "append does not return two tensors, keys and values"
    )
    return [usable(cache, part, shape) for part in found]


def starts_with(buffer, wanted):
    """Whether a buffer of this shape holds these tokens in its first places."""
    there = buffer[:, :, : wanted.shape[2]] if buffer.ndim == 4 else buffer
    return there.shape == wanted.shape and torch.equal(there, wanted)


def looked_at(cache, new, wanted, whose):
    """Assert that after one more token the cache holds this as keys, and its negative as values."""
    keys, values = pair(cache, cache.append(new, -new), wanted.shape)
    for name, found, right in (("keys", keys, wanted), ("values", values, -wanted)):
        assert torch.equal(found, right), f"{whose} holds other {name} than it was given"


def attention_weights(draw, width=WIDTH, bias=True):
    """The parameters of a layer."""
    weights = {f"w_{name}.weight": draw.normal(width, width, scale=0.6) for name in "qkvo"}
    if bias:
        weights |= {f"w_{name}.bias": draw.normal(width) for name in "qkvo"}
    return weights


def layer(impl, weights, width=WIDTH, heads=HEADS, **options):
    attention = impl.CachedAttention(width, heads, **options)
    attention.load(weights)
    return attention


def gpt_weights(draw, sizes=SIZES, bias=True, tied=False):
    """The parameters of a model, in which attention and positions decide a lot."""
    vocab, longest, layers, _, width = sizes
    weights = {
        "token_embedding.weight": draw.normal(vocab, width),
        "position_embedding.weight": draw.normal(longest, width),
        "norm.weight": draw.normal(width, offset=1.0, scale=0.4),
    }
    if not tied:
        weights["head.weight"] = draw.normal(vocab, width)
    norms = ["norm"]
    for number in range(layers):
        block = f"blocks.{number}"
        for norm in ("residual1.norm", "residual2.norm"):
            weights[f"{block}.{norm}.weight"] = draw.normal(width, offset=1.0, scale=0.4)
            norms.append(f"{block}.{norm}")
        matrices = attention_weights(draw, width, bias)
        weights |= {f"{block}.attention.{name}": values for name, values in matrices.items()}
        for name, shape in (("w_1", (4 * width, width)), ("w_2", (width, 4 * width))):
            weights[f"{block}.feed_forward.{name}.weight"] = draw.normal(*shape, scale=0.2)
            if bias:
                weights[f"{block}.feed_forward.{name}.bias"] = draw.normal(shape[0], scale=0.4)
    if bias:
        weights |= {f"{norm}.bias": draw.normal(width, scale=0.4) for norm in norms}
    return weights


def gpt(impl, weights, sizes=SIZES, *, tie_weights=False):
    model = impl.CachedGPT(*sizes, tie_weights=tie_weights)
    model.load(weights)
    return model


def counts_on(device):
    """Weights of a model (6, 8, 1, 2, 6) that says after token i: i + 1; its branches are 0."""
    six, ones = torch.eye(6, device=device), torch.ones(6, device=device)
    weights = {
        "token_embedding.weight": six * 9,
        "position_embedding.weight": torch.zeros(8, 6, device=device),
        "head.weight": six.roll(1, 0),
    }
    shapes = {f"attention.w_{name}": (6, 6) for name in "qkvo"}
    shapes |= {"feed_forward.w_1": (24, 6), "feed_forward.w_2": (6, 24)}
    for name, shape in shapes.items():
        weights[f"blocks.0.{name}.weight"] = torch.zeros(shape, device=device)
        weights[f"blocks.0.{name}.bias"] = torch.zeros(shape[0], device=device)
    for norm in ("norm", "blocks.0.residual1.norm", "blocks.0.residual2.norm"):
        weights |= {f"{norm}.weight": ones, f"{norm}.bias": ones * 0}
    return weights


def steady(draw, reference, shape, n):
    """A prompt, and weights with which no two logits compete and the text does not stand still."""
    for _ in range(100):
        idx, weights = draw.integers(0, V, shape), gpt_weights(draw)
        # A token that speaks against itself is seldom written twice in a row: half as many tries.
        weights["head.weight"] -= weights["token_embedding.weight"]
        model = gpt(reference, weights)
        text = reference.generate_cached(model, idx, n)
        logits = model(text[:, :-1], model.new_caches(shape[0]))[:, -n:]
        best = logits.topk(2, dim=-1).values
        changes = (text[:, -n - 1 : -1] != text[:, -n:]).double().mean()
        if (best[..., 0] - best[..., 1]).min() > 0.02 and changes > 0.7:
            break
    return idx, weights
