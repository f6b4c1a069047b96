r"""Tokenizer: from a text to numbers, and back: characters, then bytes and merges.

Idea
----

A language model does not see letters. It sees whole numbers, the *ids*, and each of them is a row
of its token table. A *tokenizer* cuts a text into *tokens* and gives every token its id: this is to
*encode*. What the model writes are ids again, and to make a text of them is to *decode*. All tokens
that there are make up the *vocabulary*.

What is a token? If it is a character, the vocabulary is small, but texts are long, and a character
that was never seen has no id. If it is a word, texts are short, but there are very many words, and
new ones all the time. *Byte-pair encoding* (BPE) lies between the two. It begins with single bytes,
of which there are 256, so that every text can be written. Then it looks for the two tokens that
stand side by side most often, and joins them to a new token: a *merge*. This is done again and
again. In the end a frequent word is one token, and a rare one is several.

Formula
-------

    merge        (a, b) -> a + b                          for the most frequent pair of neighbours
    vocabulary   256 bytes, one token for every merge, special tokens         ids 0, 1, 2, ...
    decode(encode(text)) = text                                               for every text

The number of a merge, 0 for the first one, is its *rank*.

Worked example
--------------

The text aaabdaaabac has eleven bytes. How often does every pair stand in it? In aaa the pair (a, a)
stands twice.

>>> word = tuple(bytes([byte]) for byte in "aaabdaaabac".encode("utf-8"))
>>> word[:5]
(b'a', b'a', b'a', b'b', b'd')
>>> counts = pair_counts({word: 1})  # this word stands once in the text
>>> counts[b"a", b"a"], counts[b"a", b"b"], counts[b"b", b"d"]
(4, 2, 1)

The other pairs, (d, a), (b, a) and (a, c), stand once as well. So (a, a) is the first merge, and
its token aa gets the id 256. From left to right, every aaa becomes aa, a:

>>> word = merge_pair(word, (b"a", b"a"))
>>> word
(b'aa', b'a', b'b', b'd', b'aa', b'a', b'b', b'a', b'c')

Now (aa, a) and (a, b) stand twice each. Of equally frequent pairs the larger one is taken, in the
order in which Python compares bytes: aa is larger than a. So (aa, a) is the second merge, 257. In
aaa, b, d, aaa, b, a, c the most frequent pair is (aaa, b), which is 258. Three merges make five
tokens of eleven bytes:

>>> vocab, merges = train_bpe("aaabdaaabac", 259)
>>> merges
[(b'a', b'a'), (b'aa', b'a'), (b'aaa', b'b')]
>>> encode("aaabdaaabac", vocab, merges)
[258, 100, 258, 97, 99]
>>> decode([258, 100, 258, 97, 99], vocab)
'aaabdaaabac'

[Figure merges: the text aaabdaaabac in four rows of boxes. At first every letter is a token: eleven
tokens. After the merge of a and a, token 256: nine. After that of aa and a, token 257: seven. After
that of aaa and b, token 258: five, which are aaab, d, aaab, a and c.]

What is graded
--------------

Nine functions, in the order of this file. ``pieces``, which cuts a text before anything is merged,
is given, and so are two classes that hold a vocabulary and call your functions. All of it is plain
Python: strings, bytes, tuples, lists and dicts.

A token is of type ``bytes``. A *word* is a tuple of tokens; at first every token in it is one byte.
Texts are written in UTF-8. They may be empty, and may hold any characters: a letter outside of
English takes two bytes or more, an emoji four.

The core is all but ``split_special``, and needs no special tokens. Write that function last, and
then use it in ``train_bpe`` and ``encode``. Until then you may leave ``special_tokens`` aside.

``re`` and ``collections`` are welcome. Which steps a function takes is yours to choose: what it
returns is judged, and of ``train_bpe`` also its time, on 20,000 characters that say 60 words again
and again. It may take up to eight times as long as a program that counts every different piece
once, and then goes through the different words in each merge. One that goes through all pieces of
the text in each merge takes thirty times as long.

Why it is like this
-------------------

Why bytes? A vocabulary of characters has no id for a character that was not in the training text.
There are about 150,000 characters, but only 256 bytes.

Why is the text cut into pieces first? Without this, frequent words would be joined to what stands
around them: "dog.", "dog!" and "dog?" would be three tokens, and what they have in common would be
lost (Radford et al. 2019). A merge never joins two pieces. A piece takes the space before it along,
so spaces need no tokens of their own, and decoding gives back every space.

Why the merge with the lowest rank, and not the longest token that fits? Merges were learned one
after another, and later ones are made of earlier ones. Only in the same order does the text get
the tokens that it had in training. The longest token that fits may cut it at another place.

Why is every different piece counted once? A text of a million words may hold only 30,000 different
ones. A merge does the same to equal words, so it is enough to do it once, and to know how often the
word stands in the text.

Why a rule for equally frequent pairs? Early merges are clear, but of the late ones many pairs stand
equally often. Without a rule two right programs would give other ids, and a model that was trained
with the ids of one could not read those of the other.

Why special tokens? A model must see where a text ends. A mark such as <|end|> is no part of a
language, so it gets an id of its own, which no merge can make. Only the marks that are named in
``special_tokens`` are taken as such. If a stranger's text is encoded without naming them, he cannot
end it with a mark that he typed.

Why does decode not fail? A model may write any ids, also the first half of an emoji. These bytes
are no text, and a model that is being trained writes many such. So they become the character
U+FFFD, a question mark in a diamond.

Look further
------------

Gage 1994, "A New Algorithm for Data Compression" (pairs of bytes, to save room); Sennrich, Haddow,
Birch 2016, "Neural Machine Translation of Rare Words with Subword Units" (for language models);
Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2 (bytes, and
pieces). ``Tokenizer.train(text, 512)`` makes ids for your own ``GPT``, with vocab_size 512, from a
text of your own.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise


def char_encode(text: str, alphabet: str) -> list[int]:
    """The id of each character of the text: its place in the alphabet.

    ``alphabet`` holds different characters, in any order.

    Raises:
        ValueError: a character of the text is not in the alphabet.

    >>> char_encode("bad", "abcd")
    [1, 0, 3]
    """
    places = {character: place for place, character in enumerate(alphabet)}
    unknown = [character for character in text if character not in places]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the alphabet")
    return [places[character] for character in text]


def char_decode(ids: list[int], alphabet: str) -> str:
    """The text of which these are the ids.

    Raises:
        ValueError: an id is no place of the alphabet, so it is not among 0 .. len(alphabet) - 1.

    >>> char_decode([1, 0, 3], "abcd")
    'bad'
    """
    if any(not 0 <= place < len(alphabet) for place in ids):
        raise ValueError(f"ids of this alphabet are less than {len(alphabet)}, and not negative")
    return "".join(alphabet[place] for place in ids)


class CharTokenizer:
    """Every character is a token; complete as it is. The alphabet is that of a text, sorted.

    >>> tokenizer = CharTokenizer("hello world")
    >>> tokenizer.alphabet
    ' dehlorw'
    >>> tokenizer.decode(tokenizer.encode("old red")), tokenizer.vocab_size
    ('old red', 8)
    """

    def __init__(self, text: str) -> None:
        self.alphabet = "".join(sorted(set(text)))
        self.vocab_size = len(self.alphabet)

    def encode(self, text: str) -> list[int]:
        return char_encode(text, self.alphabet)

    def decode(self, ids: list[int]) -> str:
        return char_decode(ids, self.alphabet)


PIECE = re.compile(
    r"'(?:[sdmt]|ll|ve|re)"  # what follows an apostrophe: it's, we'll
    r"| ?[^\W\d_]+"  # letters, with the space before them
    r"| ?\d+"  # digits
    r"| ?(?:[^\s\w]|_)+"  # other signs
    r"|\s+(?!\S)|\s+"  # more spaces, but for the last one, which goes with what follows
)


def pieces(text: str) -> list[str]:
    """The text, cut into words, numbers, signs and spaces; complete as it is. Joined, the pieces
    are the text.

    Source: Radford et al. 2019, section 2.2; the pattern is that of GPT-2's program, in the words
    of Python's ``re``.

    >>> pieces("It's 1 dog, or 22  dogs!")
    ['It', "'s", ' 1', ' dog', ',', ' or', ' 22', ' ', ' dogs', '!']
    """
    return PIECE.findall(text)


def pair_counts(words: dict[tuple[bytes, ...], int]) -> dict[tuple[bytes, bytes], int]:
    """How often every pair of neighbours stands in a text.

    ``words`` says of each different word of the text how often it stands there. A pair is two
    tokens that stand side by side within a word. Every place counts: in a, a, a the pair (a, a)
    stands twice. In the result is every pair that there is, and no other.

    Source: Sennrich et al. 2016, algorithm 1 (``get_stats``).

    >>> counts = pair_counts({(b"t", b"o"): 5, (b"t", b"o", b"o"): 2})
    >>> counts == {(b"t", b"o"): 7, (b"o", b"o"): 2}
    True
    """
    counts: dict[tuple[bytes, bytes], int] = {}
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge_pair(word: tuple[bytes, ...], pair: tuple[bytes, bytes]) -> tuple[bytes, ...]:
    """The word, with one token in the place of the pair, wherever the pair stands.

    The word is gone through once, from left to right, and a token that was joined is not joined
    again. So a, a, a becomes aa, a.

    Source: Sennrich et al. 2016, algorithm 1 (``merge_vocab``).

    >>> merge_pair((b"a", b"b", b"c", b"a", b"b"), (b"a", b"b"))
    (b'ab', b'c', b'ab')
    >>> merge_pair((b"a", b"a", b"a"), (b"a", b"a"))
    (b'aa', b'a')
    """
    merged: list[bytes] = []
    place = 0
    while place < len(word):
        if word[place : place + 2] == pair:
            merged.append(pair[0] + pair[1])
            place += 2
        else:
            merged.append(word[place])
            place += 1
    return tuple(merged)


def train_bpe(
    text: str, vocab_size: int, special_tokens: tuple[str, ...] = ()
) -> tuple[list[bytes], list[tuple[bytes, bytes]]]:
    """A vocabulary of up to ``vocab_size`` tokens, and the merges in their order.

    The text is cut by ``pieces``, and every piece becomes a word of single bytes. Then, again and
    again, the most frequent pair of all words together is the next merge, and is joined in every
    word. Of equally frequent pairs it is the largest, as Python compares tuples of bytes. It ends
    when the vocabulary is full, or earlier, when there is no pair left; a pair that stands only
    once is joined as well.

    The vocabulary is a list, and the place of a token is its id: first the 256 single bytes, 0 to
    255; then for every merge its token; and at last the special tokens in UTF-8, in their order.
    They count towards ``vocab_size``. Special tokens are cut out of the text by ``split_special``
    before all else, and no merge is learned from them.

    Raises:
        ValueError: ``vocab_size`` has no room for 256 bytes and the special tokens.

    Source: Sennrich et al. 2016, algorithm 1; Radford et al. 2019, section 2.2.

    >>> vocab, merges = train_bpe("low low lower", 260, ("<|end|>",))
    >>> merges
    [(b'o', b'w'), (b'l', b'ow'), (b' ', b'low')]
    >>> vocab[97], vocab[256:]
    (b'a', [b'ow', b'low', b' low', b'<|end|>'])
    """
    wanted = vocab_size - 256 - len(special_tokens)
    if wanted < 0:
        raise ValueError(f"{vocab_size} is less than 256 and the special tokens")
    ordinary = [part for part in split_special(text, special_tokens) if part not in special_tokens]
    found = Counter(piece for part in ordinary for piece in pieces(part))
    words = {tuple(bytes([b]) for b in piece.encode()): n for piece, n in found.items()}
    merges: list[tuple[bytes, bytes]] = []
    while len(merges) < wanted and (counts := pair_counts(words)):
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        words = {merge_pair(word, best): n for word, n in words.items()}
    vocab = [bytes([b]) for b in range(256)] + [first + second for first, second in merges]
    return vocab + [special.encode() for special in special_tokens], merges


def apply_merges(
    word: tuple[bytes, ...], ranks: dict[tuple[bytes, bytes], int]
) -> tuple[bytes, ...]:
    """The word, after all merges that fit.

    ``ranks`` says of every merge which rank it has, as a training learned them. Of all pairs that
    stand in the word, the one with the lowest rank is merged; then the next one is looked for, in
    the new word; until no pair in it has a rank.

    Source: Sennrich et al. 2016, section 3.2.

    >>> ranks = {(b"b", b"c"): 0, (b"a", b"b"): 1, (b"a", b"bc"): 2}
    >>> apply_merges((b"a", b"b", b"c", b"a", b"b"), ranks)
    (b'abc', b'ab')
    """
    while len(word) > 1:
        first = min(pairwise(word), key=lambda pair: ranks.get(pair, len(ranks)))
        if first not in ranks:
            break
        word = merge_pair(word, first)
    return word


def encode(
    text: str,
    vocab: list[bytes],
    merges: list[tuple[bytes, bytes]],
    special_tokens: tuple[str, ...] = (),
) -> list[int]:
    """The ids of the text's tokens.

    The text is cut by ``pieces``. Every piece becomes a word of single bytes, the merges are
    applied to it, and the id of a token is its place in the vocabulary. Special tokens are cut out
    before all else, by ``split_special``, and each of them is one id. A mark that is not named in
    ``special_tokens`` is ordinary text, also if it stands in the vocabulary. A vocabulary that is
    given may stand in any order.

    Source: Radford et al. 2019, section 2.2.

    >>> vocab, merges = train_bpe("low low lower", 260, ("<|end|>",))
    >>> encode("low lower<|end|>", vocab, merges, ("<|end|>",))
    [257, 258, 101, 114, 259]
    >>> len(encode("<|end|>", vocab, merges))
    7
    """
    ids = {token: place for place, token in enumerate(vocab)}
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens: list[bytes] = []
    for part in split_special(text, special_tokens):
        if part in special_tokens:
            tokens.append(part.encode())
            continue
        for piece in pieces(part):
            tokens += apply_merges(tuple(bytes([b]) for b in piece.encode()), ranks)
    return [ids[token] for token in tokens]


def decode(ids: list[int], vocab: list[bytes]) -> str:
    """The text of which these are the ids.

    The bytes of all tokens are joined first, and then read as UTF-8: one character may be spread
    over several tokens. Bytes that are no UTF-8 become U+FFFD, as by ``errors="replace"``.

    Raises:
        ValueError: an id is no place of the vocabulary, so it is not among 0 .. len(vocab) - 1.

    >>> vocab, merges = train_bpe("", 256)
    >>> decode([72, 105, 33, 195, 169], vocab)
    'Hi!é'
    >>> decode([72, 195], vocab) == "H\N{REPLACEMENT CHARACTER}"
    True
    """
    if any(not 0 <= place < len(vocab) for place in ids):
        raise ValueError(f"ids of this vocabulary are less than {len(vocab)}, and not negative")
    return b"".join(vocab[place] for place in ids).decode("utf-8", errors="replace")


def split_special(text: str, special_tokens: tuple[str, ...]) -> list[str]:
    """The text in parts: each special token is a part by itself, and so is what stands between two.

    The text is gone through from left to right. Where several special tokens begin at one place, it
    is the longest of them. No part is empty; joined, the parts are the text.

    Special tokens are different from one another, two characters long or longer, and may hold any
    signs.

    >>> split_special("Hi<|end|>Ho<|end|><|pad|>", ("<|end|>", "<|pad|>"))
    ['Hi', '<|end|>', 'Ho', '<|end|>', '<|pad|>']
    >>> split_special("aa=>b", ("=>", "=>b"))
    ['aa', '=>b']
    """
    if not special_tokens:
        return [text] if text else []
    longest_first = sorted(special_tokens, key=len, reverse=True)
    pattern = "|".join(re.escape(special) for special in longest_first)
    return [part for part in re.split(f"({pattern})", text) if part]


class Tokenizer:
    """Byte-pair encoding with a vocabulary of its own; complete as it is.

    >>> tokenizer = Tokenizer.train("the cat, the hat, the cat.", 270, ("<|end|>",))
    >>> ids = tokenizer.encode("that cat<|end|>")
    >>> [tokenizer.vocab[place] for place in ids]
    [b'th', b'at', b' cat', b'<|end|>']
    >>> tokenizer.decode(ids)
    'that cat<|end|>'
    """

    def __init__(
        self,
        vocab: list[bytes],
        merges: list[tuple[bytes, bytes]],
        special_tokens: tuple[str, ...] = (),
    ) -> None:
        self.vocab, self.merges, self.special_tokens = vocab, merges, special_tokens
        self.vocab_size = len(vocab)

    @classmethod
    def train(cls, text: str, vocab_size: int, special_tokens: tuple[str, ...] = ()) -> Tokenizer:
        return cls(*train_bpe(text, vocab_size, special_tokens), special_tokens)

    def encode(self, text: str) -> list[int]:
        return encode(text, self.vocab, self.merges, self.special_tokens)

    def decode(self, ids: list[int]) -> str:
        return decode(ids, self.vocab)
