"""What to predict about counts before writing it."""

from __future__ import annotations

from grader.check import Answer, Predictions

predict = Predictions()


@predict(d_model=(256, 512, 1024))
def heads_cost_nothing(page, d_model):
    """Multi-head attention of width {d_model}: 16 heads in the place of 8. Are there more numbers
    to learn?"""
    few, many = (page.count_mha_params(d_model, heads) for heads in (8, 16))
    return Answer(
        many > few,
        "The heads share out the same columns.",
        {True: "Each head is half as wide, so the matrices stay as large."},
    )


@predict(d_model=(64, 256, 512))
def feed_forward_against_attention(page, d_model):
    """In one layer with d_model = {d_model} and d_ff = 4 d_model, without biases: divide the number
    of parameters of the feed-forward network by that of the attention. What comes out?"""
    network = page.count_feed_forward_params(d_model, 4 * d_model, bias=False)
    return Answer(
        network // page.count_mha_params(d_model, 8, bias=False),
        "8 d^2 against 4 d^2: two thirds of a layer stand in the feed-forward network.",
        {
            4: "There are two matrices of 4 d^2, against four of d^2.",
            1: "Two matrices of 4 d^2 are 8 d^2; attention has four of d^2.",
        },
    )


@predict(tokens=(128, 512, 1024))
def twice_the_tokens(page, tokens):
    """The cache of keys and values for {tokens} tokens: how many times as large is it for twice as
    many?"""
    once, twice = (page.kv_cache_bytes(1, n, 512, 8, 6) for n in (tokens, 2 * tokens))
    return Answer(
        twice // once,
        "A key and a value for each token: it grows in proportion.",
        {4: "The matrix of scores grows so. The cache holds keys and values, not pairs."},
    )


@predict(tokens=(128, 512, 1024))
def weights_of_attention(page, tokens):
    """The attention weights that training keeps: how many times as many are they for twice {tokens}
    tokens?"""
    once, twice = (page.activation_bytes(1, n, 8) for n in (tokens, 2 * tokens))
    return Answer(
        twice // once,
        "A weight for every pair of tokens.",
        {2: "There is a weight for every pair of tokens, not for every token."},
    )


@predict(vocabulary=(32_000, 50_257), d_model=(512, 768))
def tying(page, vocabulary, d_model):
    """A model has {vocabulary} tokens and d_model = {d_model}. When its output layer (without a
    bias) uses the table of tokens as its weight, instead of a matrix of its own, how many
    parameters does that save?"""
    sizes = (vocabulary, d_model, 8, 4 * d_model, 2)
    free, tied = (page.count_model_params(*sizes, tie_weights=tie) for tie in (False, True))
    return Answer(
        free - tied,
        f"One matrix of {vocabulary} times {d_model}.",
        {
            2 * vocabulary * d_model: "Of two tables one remains.",
            vocabulary: "Every token has d_model numbers.",
        },
    )
