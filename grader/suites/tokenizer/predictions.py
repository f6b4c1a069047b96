"""What to predict about tokenizers before writing one."""

from __future__ import annotations

from grader.check import Answer, Predictions

predict = Predictions()


@predict(text=("naïve", "schön", "привет", "🙂🙂"))
def ids_without_merges(page, text):
    """A vocabulary of the 256 bytes, and no merges. How many ids does the text {text} have?"""
    vocab, merges = page.train_bpe("", 256)
    count = len(page.encode(text, vocab, merges))
    return Answer(
        count,
        f"{len(text)} characters, but {count} bytes in UTF-8: a letter outside of English takes "
        "two or more, an emoji four.",
        {len(text): "That is the number of characters. Without merges every byte is a token."},
    )


@predict(length=(5, 6, 8))
def pairs_in_a_run(page, length):
    """A word is {length} times the byte a. How often does pair_counts find the pair (a, a)?"""
    counts = page.pair_counts({(b"a",) * length: 1})
    return Answer(
        counts[b"a", b"a"],
        "Every place counts, and the places overlap: one less than there are bytes.",
        {
            length // 2: "So many can be joined. But every place counts, also where two overlap.",
            length: "The last a has none behind it.",
        },
    )


@predict(length=(5, 7, 9))
def tokens_after_a_merge(page, length):
    """A word is {length} times the byte a. How many tokens has it after merge_pair with (a, a)?"""
    word = page.merge_pair((b"a",) * length, (b"a", b"a"))
    return Answer(
        len(word),
        f"{length // 2} times aa, and one a is left at the end. What was joined is not joined "
        "again in the same merge.",
        {
            1: "A merge joins two tokens. To join aa and a, another merge is needed.",
            length // 2: "The last a is left alone, and it is a token too.",
            length - 1: "There are so many pairs, but where two overlap only one is joined.",
        },
    )


@predict(special=(1, 2, 3), size=(300, 400, 512))
def how_many_merges(page, special, size):
    """train_bpe on a long text, with vocab_size = {size} and {special} special tokens: how many
    merges does it learn?"""
    names = tuple(f"<|{number}|>" for number in range(special))
    text = " ".join(f"{a}{b}{c}" for a in "abcdefgh" for b in "ijklmnop" for c in "qrstuvwx")
    _, merges = page.train_bpe(text, size, names)
    return Answer(
        len(merges),
        f"The vocabulary also holds the 256 bytes and {special} of the special tokens.",
        {
            size: "The 256 bytes are in the vocabulary too, and so are special tokens.",
            size - 256: "Special tokens count as well.",
        },
    )


@predict(text=("abc", "xabc"))
def which_tokens(page, text):
    """The merges are (b, c), (a, b), (a, bc), in this order. Which tokens does {text} become?"""
    merges = [(b"b", b"c"), (b"a", b"b"), (b"a", b"bc")]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    start = "x, " if text[0] == "x" else ""
    tokens = page.apply_merges(tuple(bytes([b]) for b in text.encode()), ranks)
    return Answer(
        ", ".join(token.decode() for token in tokens),
        "First (b, c), which has rank 0. Then (a, b) stands there no more, but (a, bc) does.",
        {
            f"{start}ab, c": "From left to right a, b comes first. But the lowest rank comes "
            "first, and that is (b, c).",
            f"{start}a, bc": "After (b, c) there is a new pair, (a, bc), and it has a rank as "
            "well.",
        },
    )
