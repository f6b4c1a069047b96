"""Hidden checks of ``tokenizer``.

Texts are drawn of few letters and few words, so that pairs come often, and mostly equally often.

Work is not counted, but for one race. The page leaves the steps to the student; its own loops grow
with the square of a piece; that they stay short is the work of ``pieces``, and a program that joins
across pieces gives other ids. What could be counted are operations on tensors, of which there are
none; lines of Python say nothing of a program that lets ``re`` or ``Counter`` do them.
"""

from __future__ import annotations

import pytest

from grader.check import finding, refuses

LATIN, OTHERS = "abcdefghijklmnop", "äßéжщλ中文字🙂🚀"
END, PAD = "<|end|>", "<|pad|>"


def whole(draw, low, high):
    """A whole number, low <= n < high."""
    return int(draw.integers(low, high, ()))


def chosen(draw, items, count):
    return [items[place] for place in draw.integers(0, len(items), (count,)).tolist()]


def shuffled(draw, items):
    return [items[place] for place in draw.permutation(len(items)).tolist()]


def singles(text):
    """The word of a piece: its single bytes."""
    return tuple(bytes([byte]) for byte in text.encode())


def tokens(*parts):
    return tuple(part.encode() for part in parts)


def sentence(draw, letters="abcde", count=50):
    """Eight words of these letters, of one to eight letters, again and again in any order."""
    lexicon = ["".join(chosen(draw, letters, length)) for length in (1, 2, 3, 3, 4, 5, 6, 8)]
    return " ".join(chosen(draw, lexicon, count))


def clear_text(draw):
    """A text in which there is never more than one most frequent pair, for four merges."""
    a, b, c, d, e, f, g = shuffled(draw, LATIN)[:7]
    words = [a + b + c] * 5 + [a + b] * 6 + [d + e] * 8 + [f + g] * 3 + [e + f]
    return ",".join(shuffled(draw, words))


def trained(reference, draw, letters="abcde", merges=25):
    """A vocabulary and merges that were learned from a drawn text."""
    return reference.train_bpe(sentence(draw, letters), 256 + merges)


def ranks_of(draw, merges):
    """The ranks, in any order: what counts is the number, and not the place in the dict."""
    return dict(shuffled(draw, [(pair, rank) for rank, pair in enumerate(merges)]))


# The page's examples ------------------------------------------------------------------------------


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on('>>> char_encode("bad", "abcd") [1, 0, 3]')
def test_examples_of_characters(compare):
    """bad is 1, 0, 3 in the alphabet abcd, and 1, 0, 3 is bad."""
    compare.char_encode("bad", "abcd")
    compare.char_decode([1, 0, 3], "abcd")


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on("Three merges make five tokens of eleven bytes")
def test_examples_of_merges(compare, reference):
    """aaabdaaabac: three merges, five ids, and the text again."""
    text = "aaabdaaabac"
    compare.pair_counts({singles(text): 1})
    compare.merge_pair(singles(text), tokens("a", "a"))
    compare.train_bpe(text, 259)
    vocab, merges = reference.train_bpe(text, 259)
    compare.encode(text, vocab, merges)
    compare.decode([258, 100, 258, 97, 99], vocab)
    compare.split_special("Hi<|end|>Ho<|end|><|pad|>", (END, PAD))


# Characters ---------------------------------------------------------------------------------------


@pytest.mark.core("char_encode")
@pytest.mark.points(1)
@pytest.mark.rests_on("The id of each character of the text: its place in the alphabet")
def test_ids_of_characters(compare, draw):
    """The id of a character is its place in the alphabet, whatever the alphabet's order."""
    for letters, count in ((LATIN, 23), (LATIN[:7] + OTHERS + " .", 31)):
        alphabet = "".join(shuffled(draw, letters))
        compare.char_encode("".join(chosen(draw, alphabet, count)), alphabet)
    compare.char_encode("", alphabet)


@pytest.mark.core("char_decode")
@pytest.mark.points(1)
@pytest.mark.rests_on("The text of which these are the ids")
def test_characters_of_ids(compare, draw):
    """Every id is a place of the alphabet, and what stands there is joined."""
    for letters, count in ((LATIN, 23), (LATIN[:7] + OTHERS + " .", 31)):
        alphabet = "".join(shuffled(draw, letters))
        compare.char_decode(draw.integers(0, len(alphabet), (count,)).tolist(), alphabet)
    compare.char_decode([], alphabet)


@pytest.mark.points(1)
@pytest.mark.rests_on("a character of the text is not in the alphabet")
def test_refuses_unknown_characters(submission, draw):
    """A ValueError for a character that the alphabet does not have."""
    alphabet = "".join(shuffled(draw, LATIN))
    text = "".join(chosen(draw, alphabet, 5))
    refuses(
        lambda: submission.char_encode(f"{text}?{text}", alphabet),
        "a character that is not in the alphabet",
        lambda: submission.char_encode(text + text[0].upper(), alphabet),
        "a capital letter that is not in the alphabet",
    )


@pytest.mark.points(1)
@pytest.mark.rests_on("so it is not among 0 .. len(alphabet) - 1")
def test_refuses_unknown_places(submission, draw):
    """A ValueError for ids that are negative, or as large as the alphabet is long."""
    alphabet = "".join(shuffled(draw, LATIN))
    refuses(
        lambda: submission.char_decode([3, -1, 2], alphabet),
        "the id -1, which Python takes for the last place,",
        lambda: submission.char_decode([3, 2, len(alphabet)], alphabet),
        f"the id {len(alphabet)} in an alphabet of {len(alphabet)}",
    )


# Pairs --------------------------------------------------------------------------------------------


@pytest.mark.core("pair_counts")
@pytest.mark.points(2)
@pytest.mark.kept("the function by itself, before train_bpe uses it")
@pytest.mark.rests_on("says of each different word of the text how often it stands there")
def test_counts_pairs(compare, draw):
    """A pair counts once for every place in a word, times how often that word stands in the
    text."""
    for _ in range(2):
        a, b, c, d, e = shuffled(draw, LATIN)[:5]
        p, q, r = shuffled(draw, [3, 5, 11])
        words = {tokens(a, b, c): p, tokens(b, c, d): q, tokens(d, a, b, d, a): r}
        compare.pair_counts(words | {tokens(a, b, e): whole(draw, 13, 19)})


@pytest.mark.points(1)
@pytest.mark.kept("what overlaps by itself, before train_bpe uses it")
@pytest.mark.rests_on("Every place counts: in a, a, a the pair (a, a) stands twice")
def test_counts_every_place(compare, draw):
    """a, a, a holds (a, a) twice; (a, bc) and (ab, c) are two pairs; a word of one token has
    none."""
    a, b, c = shuffled(draw, LATIN)[:3]
    for length in (3, 4, 7):
        compare.pair_counts({tokens(*a * length): 2, tokens(b, *a * length, c): whole(draw, 3, 9)})
    compare.pair_counts({tokens(a, b + c): 3, tokens(a + b, c): 4, tokens(a + b + c): 5})
    compare.pair_counts({tokens(a): 6})
    compare.pair_counts({})


@pytest.mark.core("merge_pair")
@pytest.mark.points(2)
@pytest.mark.kept("the function by itself, before others use it")
@pytest.mark.rests_on("wherever the pair stands")
def test_merges_a_pair(compare, draw):
    """One token stands in the place of the pair, wherever it stands in the word, also at its
    ends."""
    for _ in range(2):
        a, b, c = shuffled(draw, LATIN)[:3]
        compare.merge_pair(tokens(a, b, c, c, a, b, a, c, b, a, b), tokens(a, b))
        compare.merge_pair(tokens(c, a, b, b, a, c), tokens(a, b))
        compare.merge_pair(tokens(c, a, c), tokens(a, b))


@pytest.mark.points(1)
@pytest.mark.kept("a run of equal tokens by itself, before others use it")
@pytest.mark.rests_on("So a, a, a becomes aa, a")
def test_merges_from_left_to_right(compare, draw):
    """In a, a, a the first two are joined, and the third is left."""
    a, b = shuffled(draw, LATIN)[:2]
    for length in (2, 3, 4, 5):
        compare.merge_pair(tokens(*a * length), tokens(a, a))
        compare.merge_pair(tokens(b, *a * length, b, *a * 3), tokens(a, a))


@pytest.mark.points(1)
@pytest.mark.rests_on(
    "A pair is two tokens that stand side by side within a word",
    "is a tuple of tokens; at first every token in it is one byte",
)
def test_merges_tokens_of_several_bytes(compare, submission, draw):
    """The two tokens must be those of the pair: that their bytes are the same, joined, is not
    enough. The result is a word again, a tuple."""
    a, b, c, d = shuffled(draw, LATIN)[:4]
    word = tokens(a, b + c, a + b, c, a, b, c, a + b, c)
    compare.merge_pair(word, tokens(a + b, c))
    compare.merge_pair(word, tokens(a, b + c))
    compare.merge_pair(tokens(a + b + c), tokens(a, b))
    compare.merge_pair(tokens(a + b, c, d + a, b + c), tokens(b, c))
    compare.merge_pair(tokens(a, b + c, a, b), tokens(a, b))
    compare.merge_pair(tokens(" ", a, b, " ", "  "), tokens(" ", a))
    compare.merge_pair((), tokens(a, b))
    found = submission.merge_pair(word, tokens(a, b + c))
    if not isinstance(found, tuple):
        raise finding("merge_pair returns no tuple.", "a tuple", f"a {type(found).__name__}")


# Training -----------------------------------------------------------------------------------------


@pytest.mark.core("train_bpe")
@pytest.mark.points(2)
@pytest.mark.kept("training without ties, for whoever has not seen their rule yet")
@pytest.mark.rests_on("the most frequent pair of all words together is the next merge")
def test_learns_the_most_frequent_pair(compare, draw):
    """The most frequent pair is the next merge, counted anew after every merge."""
    for merges in (2, 4):
        compare.train_bpe(clear_text(draw), 256 + merges)


@pytest.mark.points(2)
@pytest.mark.kept("ties by themselves, for a sentence of its own")
@pytest.mark.rests_on("Of equally frequent pairs it is the largest")
def test_takes_the_largest_of_equal_pairs(compare, draw):
    """Of equally frequent pairs the largest is taken, wherever it stands in the text."""
    a, b, c, d = sorted(shuffled(draw, LATIN)[:4])
    for text in (",".join([b + c, a + b, d + a, c + d]), ",".join([d + a, b + c, a + d])):
        compare.train_bpe(text, 258)
    compare.train_bpe(f"{a}{b},{a}{b}{c},{c}{a},{b}{d}", 260)
    compare.train_bpe(f"{a}{b}{a},{a}{b},{a}{d}", 258)  # (ab, a) or (a, d)
    compare.train_bpe(f"{a}{b}{c},{a}{b},{d}{c}", 258)  # (ab, c) or (d, c)
    for letters, count in (("ab", 12), ("abcdefgh", 30)):
        compare.train_bpe(sentence(draw, letters, count), 256 + 20)


@pytest.mark.points(2)
@pytest.mark.kept("pieces by themselves, for a sentence of its own")
@pytest.mark.rests_on("A merge never joins two pieces")
def test_learns_within_pieces(compare, draw):
    """No pair reaches from one piece into the next one; a space belongs to the word behind it."""
    a, b, c = shuffled(draw, LATIN)[:3]
    compare.train_bpe(f"{a}1{a}2{a}1" * 9 + f"{b}{c}{c}" * 2, 262)
    compare.train_bpe(f"{a}{b} {b}{a}{c}  {a}{b}\n\n{a}{b}!? It's {a}{b}!?" * 3, 275)
    compare.train_bpe(f"{a}2024 {b} 2024, 20;" * 3, 262)


@pytest.mark.points(2)
@pytest.mark.rests_on("at first every token in it is one byte")
def test_learns_from_bytes(compare, draw):
    """A character of several bytes is several tokens at first, and merges join these."""
    letters = "".join(shuffled(draw, OTHERS)[:5])
    compare.train_bpe(sentence(draw, letters, 15), 256 + 12)
    compare.train_bpe(sentence(draw, letters[:2] + "Aa", 15), 256 + 12)


@pytest.mark.points(1)
@pytest.mark.kept("the end by itself, for a sentence of its own")
@pytest.mark.rests_on("or earlier, when there is no pair left")
def test_ends_in_time(compare, draw):
    """No merge for a vocabulary of 256; and none is made once every piece is one token."""
    a, b, c = shuffled(draw, LATIN)[:3]
    compare.train_bpe(f"{a}{b}{c}{a}{b}", 256)
    compare.train_bpe(f"{a}{b}{c}{a}{b} {c}", 300)
    compare.train_bpe("", 260)
    compare.train_bpe(a, 260)


@pytest.mark.points(2)
@pytest.mark.rests_on("no merge is learned from them")
def test_learns_beside_special_tokens(compare, draw):
    """Special tokens stand at the end of the vocabulary, count towards its size, and nothing is
    learned from them, nor over the place where one stood."""
    compare.split_special(END, (END,))  # until it is written, this waits: so the page promises
    a, b, c = shuffled(draw, LATIN)[:3]
    specials = (PAD, END)
    compare.train_bpe(sentence(draw, count=20), 264, specials)
    compare.train_bpe(f"{a}{b} {END}! {c}{a}{b}!{END}{END}{c} {PAD}" * 4, 266, specials)
    compare.train_bpe(f"{a}{b}{b}{END}{b}{c} {a}{END}" * 3, 300, (END,))
    compare.train_bpe(f"end{END}end{PAD}{a}{b}" * 3, 264, specials)
    compare.train_bpe(f"{PAD}{a}{b}{END}{c}{END}{b}{c}{a}{b}", 263, (END, "[mask]", PAD))
    compare.train_bpe(f"{a}{b}##{a}{b}[é{a}]<|{a}{b}{c}|>" * 3, 266, ("##", f"[é{a}]"))


@pytest.mark.points(1)
@pytest.mark.rests_on("has no room for 256 bytes and the special tokens")
def test_refuses_a_small_vocabulary(compare, submission, draw):
    """A ValueError where the 256 bytes and the special tokens do not fit in."""
    compare.split_special(END, (END,))  # until it is written, this waits: so the page promises
    text = sentence(draw, count=5)
    refuses(
        lambda: submission.train_bpe(text, 255),
        "a vocabulary of 255 tokens",
        lambda: submission.train_bpe(text, 257, (END, PAD)),
        "a vocabulary of 257 tokens, two of them special,",
        lambda: submission.train_bpe("", 255),
        "a vocabulary of 255 tokens for an empty text",
    )


AT_MOST = 8  # the slowest right program takes 3.7 times as long, the quickest wrong one 29 times


@pytest.mark.timeout(30)
@pytest.mark.points(1)
@pytest.mark.rests_on("goes through the different words in each merge")
def test_goes_through_different_words(faster_than, draw):
    """On 20,000 characters that say 60 words again and again, training takes at most eight times as
    long as with every different piece counted once: right programs take 1 to 4 times as long, and
    one that goes through all pieces in each merge 30 to 40 times."""

    def saying(times):
        """60 words of two to nine letters, each so many times, in any order."""
        lengths = draw.integers(2, 10, (60,)).tolist()
        lexicon = ["".join(chosen(draw, "abcdefgh", length)) for length in lengths]
        return " ".join(shuffled(draw, lexicon * times))

    def probe(impl, text):
        return impl.train_bpe(text, 256 + 40)

    faster_than(AT_MOST, probe, lambda: [saying(2)])  # who is slow here has another reason for it
    faster_than(AT_MOST, probe, lambda: [saying(50)], shows="all pieces are gone through")


# Encoding -----------------------------------------------------------------------------------------


@pytest.mark.core("apply_merges")
@pytest.mark.points(2)
@pytest.mark.kept("the function by itself, before encode uses it")
@pytest.mark.rests_on("the one with the lowest rank is merged")
def test_lowest_rank_first(compare, draw):
    """The pair with the lowest rank is merged, until no pair in the word has a rank."""
    letters = sorted(shuffled(draw, LATIN)[:4])
    for a, b, c, d in (letters, letters[::-1]):
        ranks = {tokens(c, d): 0, tokens(a, b): 1, tokens(b, c + d): 2}
        compare.apply_merges(tokens(a, b, c + d), ranks)  # the longer one comes later
        merges = [tokens(c, a), tokens(a, b), tokens(a + b, c), tokens(a + b + c, a)]
        ranks = {pair: rank for rank, pair in enumerate(merges)}
        compare.apply_merges(tokens(a, b, c, a, b), ranks)  # from the left it ends otherwise
        ranks = {tokens(a, b): 0, tokens(a + b, c): 1, tokens(c, d): 2}
        compare.apply_merges(tokens(a, b, c, d), ranks)  # the second is made by the first
        merges = [tokens(b, c), tokens(a, b), tokens(a, b + c), tokens(c, d), tokens(a + b, c + d)]
        ranks = {pair: rank for rank, pair in enumerate(merges)}
        compare.apply_merges(tokens(a, b, c, d), ranks)
        compare.apply_merges(tokens(d, a, b, a, b, c, b, c, d), ranks)
        compare.apply_merges(tokens(a, b, d, c, d), ranks)


@pytest.mark.points(2)
@pytest.mark.rests_on("says of every merge which rank it has")
def test_any_word_and_any_merges(compare, reference, draw):
    """Ranks that were learned, in any order of the dict, on words that were never seen."""
    for letters in ("abc", "abcde"):
        _, merges = trained(reference, draw, letters)
        ranks = ranks_of(draw, merges)
        for length in (1, 2, 17, 60, 60, 60):
            compare.apply_merges(tokens(*chosen(draw, letters + "x", length)), ranks)
    compare.apply_merges((), ranks)
    compare.apply_merges(tokens("a", "b"), {})


@pytest.mark.core("encode")
@pytest.mark.points(2)
@pytest.mark.kept("the plain case by itself, for whoever has nothing else yet")
@pytest.mark.rests_on("the id of a token is its place in the vocabulary")
def test_ids_of_a_text(compare, reference, draw):
    """Every piece becomes bytes, the merges are applied, and each token has its id."""
    for letters in ("abc", "abcd", "abcde", "abcdefg"):
        vocab, merges = trained(reference, draw, letters)
        compare.encode(sentence(draw, letters, 20), vocab, merges)


@pytest.mark.points(1)
@pytest.mark.rests_on("Every piece becomes a word of single bytes, the merges are applied to it")
def test_encodes_piece_by_piece(compare, draw):
    """A merge never joins the end of a piece with the beginning of the next one."""
    a, b, c = shuffled(draw, LATIN)[:3]
    merges = [tokens(a, "1"), tokens(b, " "), tokens(" ", b), tokens(a, b), tokens(c, "!")]
    vocab = [bytes([byte]) for byte in range(256)] + [b"".join(pair) for pair in merges]
    compare.encode(f"{a}1{a}{b} {b}  {b}{c}!", vocab, merges)
    compare.encode(f"{c}!{a} {b}\n{a}{b}", vocab, merges)
    merges = [tokens(b, c), tokens(a, b), tokens(c, "x"), tokens("x", "y"), tokens("x", a)]
    vocab = [bytes([byte]) for byte in range(256)] + [b"".join(pair) for pair in merges]
    compare.encode(f"{a}{b}{c}x {a}{b} {c}xy", vocab, merges)


@pytest.mark.points(1)
@pytest.mark.kept("unseen characters by themselves, for a sentence of its own")
@pytest.mark.rests_on("so that every text can be written")
def test_encodes_what_was_never_seen(compare, reference, draw):
    """A text has ids though nothing of it was in the text that was trained on."""
    vocab, merges = trained(reference, draw, "abc", 9)
    text = "".join(chosen(draw, OTHERS + "XYZ\t\n\0é", 20))
    compare.encode(text, vocab, merges)
    compare.encode(f"  {text[:3]}  ab\n\n ", vocab, merges)
    compare.encode("", vocab, merges)


@pytest.mark.points(1)
@pytest.mark.rests_on("the id of a token is its place in the vocabulary")
def test_ids_are_places_in_the_vocabulary(compare, reference, draw):
    """An id is a place in the vocabulary that is given, also where that has another order."""
    for _ in range(2):
        vocab, merges = trained(reference, draw)
        vocab = shuffled(draw, vocab)
        text = sentence(draw, count=6) + " é!"
        compare.encode(text, vocab, merges)
        compare.decode(reference.encode(text, vocab, merges), vocab)
    bytes_in_order = [bytes([byte]) for byte in range(256)]
    for vocab in (bytes_in_order, bytes_in_order[::-1][128:] + bytes_in_order):
        compare.decode(list(range(40, 50)), vocab)  # the same ids, in two vocabularies


# Decoding -----------------------------------------------------------------------------------------


@pytest.mark.core("decode")
@pytest.mark.points(2)
@pytest.mark.kept("the plain case by itself, for whoever has nothing else yet")
@pytest.mark.rests_on("The bytes of all tokens are joined first, and then read as UTF-8")
def test_text_of_ids(compare, reference, draw):
    """The bytes of all tokens are joined, and then read: a character may be spread over several
    tokens."""
    for letters in ("abcdef", "a" + OTHERS):
        vocab, merges = trained(reference, draw, letters)
        compare.decode(reference.encode(sentence(draw, letters, 12), vocab, merges), vocab)
    compare.decode(list("Ça va? 🙂 ".encode()), vocab)
    compare.decode([104, 0, 105], vocab)
    compare.decode([], vocab)


@pytest.mark.points(1)
@pytest.mark.rests_on("Bytes that are no UTF-8 become U+FFFD")
def test_reads_what_is_no_text(compare, draw):
    """Half an emoji is no error: it becomes U+FFFD."""
    vocab = [bytes([byte]) for byte in range(256)] + ["🙂".encode()[:3], "é".encode()]
    emoji, letter = "🙂".encode(), whole(draw, 97, 123)
    compare.decode([letter, *emoji[:2], letter + 1], vocab)
    compare.decode([256, 195, letter, 257, *emoji[2:]], vocab)
    compare.decode([whole(draw, 128, 160), letter], vocab)


@pytest.mark.points(1)
@pytest.mark.rests_on("so it is not among 0 .. len(vocab) - 1")
def test_refuses_unknown_ids(submission, reference, draw):
    """A ValueError for ids that are negative, or as large as the vocabulary."""
    vocab, _ = trained(reference, draw)
    refuses(
        lambda: submission.decode([100, -1, 98], vocab),
        "the id -1, which Python takes for the last place,",
        lambda: submission.decode([100, 98, len(vocab)], vocab),
        f"the id {len(vocab)} in a vocabulary of {len(vocab)}",
    )


# Special tokens -----------------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.rests_on("each special token is a part by itself, and so is what stands between two")
def test_cuts_out_special_tokens(compare, draw):
    """Special tokens and what stands between them, with every space; nothing is lost, nothing is
    empty."""
    a, b, c, d = ("".join(chosen(draw, LATIN, length)) for length in (2, 3, 4, 5))
    compare.split_special(f"{a} {END} {b}{PAD}{PAD}{c}\n{END}{d}", (END, PAD))
    compare.split_special(f"{END}{b}{a}{b}{END}", (a + b, END))
    compare.split_special(f"{a}..{b}.*{c}|{d}", (".*", "|" + d[0]))
    for specials in ((), (END, PAD)):
        compare.split_special(f" {a} {b} ", specials)
        compare.split_special("", specials)
    for specials in ((END,), (PAD,)):  # the same text, cut in two ways
        compare.split_special(f"{a}{END}{b}{PAD}{c}", specials)
    compare.split_special(f"{a}{END.upper()}{b}{END}{c}", (END,))


@pytest.mark.points(1)
@pytest.mark.rests_on("two characters long or longer, and may hold any signs")
def test_special_tokens_of_any_signs(compare, draw):
    """A special token is a text like any other: with spaces, a line end, letters outside of English
    and signs that mean something to re."""
    a, b, c = shuffled(draw, LATIN)[:3]
    signs = ["()", "[x]", "+?", "{2}", "^$", "\\d", "# ", " =", "\n\n", f"{a} {b}", "äß", "🙂é"]
    for one, other in (signs[at : at + 2] for at in range(0, len(signs), 2)):
        compare.split_special(f"{c}{one}{b}2 {other}{one.strip()}{a}{one}{c}", (one, other))


@pytest.mark.points(1)
@pytest.mark.rests_on("Where several special tokens begin at one place, it is the longest of them")
def test_longest_special_token(compare, draw):
    """From left to right; of those that begin at one place the longest, wherever it was named."""
    a, b, c, d = shuffled(draw, LATIN)[:4]
    names = (a + b, a + b + c, a + b + c + d)
    text = f"{a}{b}{c}{d}{a}{b}{a}{b}{c}{a}{b}{d}"
    for specials in ((names[1], names[0], names[2]), names, names[::-1]):
        compare.split_special(text, specials)
    compare.split_special(f"{d}{a}{b}{c}{d}{d}", (a + b, b + c + d + d))


@pytest.mark.points(2)
@pytest.mark.rests_on("Special tokens are cut out before all else")
def test_encodes_special_tokens(compare, reference, draw):
    """A special token that is named is one id, also within a word; one that is not named is
    ordinary text."""
    compare.split_special(END, (END,))  # until it is written, this waits
    specials = (END, PAD)
    text = sentence(draw, count=20)
    vocab, merges = reference.train_bpe(text, 280, specials)
    first, second, *_ = text.split()[-2:]
    marked = f"{first}{END}{second} {PAD} {END}{END}{first}"
    compare.encode(marked, vocab, merges, specials)
    compare.encode(marked, vocab, merges)
    compare.encode(END, vocab, merges)
    compare.encode(marked, vocab, merges, (PAD,))
    compare.encode(marked, vocab, merges, (END,))
    compare.encode(marked, vocab, merges, (PAD, END))
    compare.encode(marked, shuffled(draw, vocab), merges, specials)
    others = (f"[é{first}]", "##")
    vocab, merges = reference.train_bpe(text, 280, others)
    compare.encode(f"{second}##{others[0]} <|{first}|>{END}{second}##", vocab, merges, others)


# The whole way ------------------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.kept("the whole way, on which what was learned is used by the same program")
@pytest.mark.rests_on("decode(encode(text)) = text for every text")
def test_a_text_comes_back(submission, draw):
    """A text that was encoded and decoded is the same text, whatever is in it."""
    text = sentence(draw, "abcdé", 30)
    words = " ".join(chosen(draw, text.split(), 5))
    trained = submission.train_bpe(text, 285, (END,))
    assert isinstance(trained, (list, tuple)) and len(trained) == 2, (
        "train_bpe returns two lists: the vocabulary, and the merges."
    )
    for said in (
        words,
        f"  {words}\r\n\tthe 🙂🚀 é e\u0301\u200d ",
        f"{END}{words}{END}",
        "\n\n ",
        f"\ufeff{words}",
    ):
        ids = submission.encode(said, *trained, (END,))
        back = submission.decode(ids, trained[0])
        assert back == said, f"{said!r} was encoded and decoded, and comes back as {back!r}."
