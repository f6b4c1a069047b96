"""What to predict about a KV cache before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(prompt=(3, 4, 5, 6), n=(3, 4, 5))
def tokens_with_a_cache(page, prompt, n):
    """A model writes {n} tokens after a prompt of {prompt}, with a cache. How many tokens go
    through it in all? (A token counts each time it does.)"""
    model = page.CachedGPT(4, 16, 1, 1, 4)
    caches = model.new_caches(1)
    page.generate_cached(model, torch.zeros(1, prompt, dtype=torch.int64), n, caches)
    passes = caches[0].length
    return Answer(
        passes,
        f"The {prompt} of the prompt at once, then each new token alone, but for the last one: "
        "nothing is asked about what follows it.",
        {
            prompt + n: "The last token does not go through the model: nothing follows it here.",
            n: "The prompt has to go through it once as well: its keys and values are needed.",
            sum(range(prompt, prompt + n)): "This is the number without a cache: the whole text, "
            "again for each token.",
        },
    )


@predict(prompt=(3, 4, 5, 6), n=(3, 4, 5))
def tokens_without_a_cache(page, prompt, n):
    """A model writes {n} tokens after a prompt of {prompt}, without a cache. How many tokens go
    through it in all? (A token counts each time it does.)"""
    return Answer(
        sum(range(prompt, prompt + n)),
        f"The whole text in each of {n} steps: {prompt}, then one more in each step, up to "
        f"{prompt + n - 1}.",
        {
            prompt + n - 1: "This is the number with a cache, where each goes through it once.",
            prompt * n: "The text grows by one token in each step.",
            sum(range(prompt, prompt + n + 1)): "One step too many: after the last token nothing "
            "is asked.",
        },
    )


@predict(stored=(3, 5, 8), new=(2, 3, 4))
def keys_of_the_first_new_token(page, stored, new):
    """{stored} tokens are stored, and {new} new ones come at once. How many keys does the first of
    the new tokens attend to?"""
    seen = int(page.causal_mask(new, stored + new)[0].sum())
    return Answer(
        seen,
        f"The {stored} that are stored, and itself.",
        {
            stored: "It attends to itself as well.",
            stored + new: "The new tokens behind it are its future.",
            1: "So it would be if the mask began at the first key: then it would see that key "
            "alone, the oldest one.",
        },
    )


@predict(layers=(2, 3), heads=(2, 4), width=(8, 16), tokens=(10, 20))
def numbers_in_the_store(page, layers, heads, width, tokens):
    """A model has {layers} layers, {heads} heads and d_model = {width}. How many numbers do all
    caches together hold for one text of {tokens} tokens?"""
    caches = page.CachedGPT(4, 32, layers, heads, width).new_caches(1, max_len=tokens)
    held = sum(buffer.numel() for cache in caches for buffer in cache.buffers())
    return Answer(
        held,
        f"2 * {layers} * {tokens} * {width}: a key and a value for each layer and token. The heads "
        "share the width, so their number does not matter.",
        {
            held // 2: "A key and a value: two for each token and layer.",
            held // layers: "Each layer has keys and values of its own.",
            held * heads: "The heads together are d_model wide: each has its share of it.",
        },
    )


@predict(stored=(4, 5), zeros=(4, 5, 10))
def what_zeros_take(page, stored, zeros):
    """A query has the score 0 with each of {stored} stored keys. By mistake it also attends to
    {zeros} places that were never written, and hold zeros. Which share of its attention do these
    places take?"""
    weights = torch.zeros(stored + zeros).softmax(-1)
    return Answer(
        float(weights[stored:].sum()),
        f"A key of zeros has the score 0 too, and exp(0) is 1: {zeros} of {stored + zeros} equal "
        "weights.",
        {
            0.0: "A score of 0 is no weight of 0: exp(0) is 1.",
            zeros / stored: "All weights sum to 1: divide by how many there are together.",
        },
    )
