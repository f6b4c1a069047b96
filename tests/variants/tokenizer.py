"""Right answers to ``tokenizer`` that are written differently."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from itertools import pairwise

from grader.check import variant


@variant(of="char_encode")
def by_index(text, alphabet):
    for character in text:
        if character not in alphabet:
            raise ValueError("not in the alphabet: " + repr(character))
    return [alphabet.index(character) for character in text]


@variant(of="char_encode")
def found_or_refused(text, alphabet):
    ids = []
    for character in text:
        place = alphabet.find(character)
        assert place >= 0, character
        ids.append(place)
    return ids


@variant(of="char_decode")
def from_a_dict(ids, alphabet):
    table = dict(enumerate(alphabet))
    text = ""
    for place in ids:
        if place not in table:
            raise ValueError(place)
        text += table[place]
    return text


@variant(of="pair_counts")
def in_a_counter(words):
    """A Counter is a dict."""
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word) - 1):
            counts[word[i], word[i + 1]] += n
    return counts


@variant(of="pair_counts")
def from_the_end(words):
    """In another order: a dict has none that counts."""
    counts = defaultdict(int)
    for word, n in reversed(words.items()):
        for pair in pairwise(word):
            counts[pair] += n
    return counts


@variant(of="merge_pair")
def in_a_loop_with_a_flag(word, pair):
    """A list comes back: items count, and not in what they are kept."""
    out, skip = [], False
    for i, token in enumerate(word):
        if skip:
            skip = False
            continue
        if i + 1 < len(word) and token == pair[0] and word[i + 1] == pair[1]:
            out.append(token + word[i + 1])
            skip = True
        else:
            out.append(token)
    return tuple(out)


@variant(of="merge_pair")
def onto_a_stack(word, pair):
    """Each token goes onto a stack, and is joined with the one below it, which is new."""
    stack: list[tuple[bytes, bool]] = []
    for token in word:
        if stack and stack[-1] == (pair[0], True) and token == pair[1]:
            stack[-1] = (pair[0] + pair[1], False)
        else:
            stack.append((token, True))
    return tuple(token for token, _ in stack)


@variant(of="merge_pair")
def by_slices(word, pair):
    for i in range(len(word) - 1):
        if word[i : i + 2] == pair:
            return (*word[:i], b"".join(pair), *by_slices(word[i + 2 :], pair))
    return word


def _cut(text, special_tokens):
    """By looking at each place."""
    parts, since, at = [], 0, 0
    while at < len(text):
        here = [s for s in special_tokens if text.startswith(s, at)]
        if here:
            longest = max(here, key=len)
            parts += [text[since:at], longest]
            since = at = at + len(longest)
        else:
            at += 1
    return [part for part in [*parts, text[since:]] if part]


PIECE = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


@variant(of="split_special")
def place_by_place(text, special_tokens):
    return _cut(text, special_tokens)


@variant(of="split_special")
def by_finditer(text, special_tokens):
    if not special_tokens:
        return [text] if text != "" else []
    ordered = sorted(special_tokens, key=lambda s: (-len(s), s))
    parts, end = [], 0
    for found in re.finditer("|".join(map(re.escape, ordered)), text):
        if found.start() > end:
            parts.append(text[end : found.start()])
        parts.append(found.group())
        end = found.end()
    return parts + ([text[end:]] if end < len(text) else [])


@variant(of="train_bpe")
def with_strings_and_spaces(text, vocab_size, special_tokens=()):
    """As in the paper's program: a word is a string with spaces between its tokens, and a merge is
    a pattern. Bytes are written as two digits, so that no space is among them.
    """
    assert vocab_size >= 256 + len(special_tokens)
    words = Counter(
        " ".join(f"{byte:02x}" for byte in piece.encode("utf-8"))
        for part in _cut(text, special_tokens)
        if part not in special_tokens
        for piece in PIECE.findall(part)
    )
    merges = []
    for _ in range(vocab_size - 256 - len(special_tokens)):
        counts = Counter()
        for word, n in words.items():
            for pair in pairwise(word.split()):
                counts[pair] += n
        if not counts:
            break
        _, best = sorted((n, pair) for pair, n in counts.items())[-1]
        merges.append(tuple(map(bytes.fromhex, best)))
        apart = re.compile(r"(?<!\S)" + " ".join(best) + r"(?!\S)")
        words = {apart.sub("".join(best), word): n for word, n in words.items()}
    vocab = [i.to_bytes(1, "big") for i in range(256)]
    vocab.extend(a + b for a, b in merges)
    vocab.extend(s.encode("utf-8") for s in special_tokens)
    return vocab, merges


@variant(of="train_bpe")
def with_numbers_for_tokens(text, vocab_size, special_tokens=()):
    """As many programs do it: words of ids; bytes only to compare and to return."""
    if vocab_size < 256 + len(special_tokens):
        raise ValueError("too small")
    vocab = {i: bytes((i,)) for i in range(256)}
    words = Counter()
    for part in _cut(text, special_tokens):
        if part in special_tokens:
            continue
        words.update(tuple(piece.encode()) for piece in PIECE.findall(part))
    merges = []
    while len(vocab) < vocab_size - len(special_tokens):
        counts = Counter()
        for word, n in words.items():
            for i in range(1, len(word)):
                counts[word[i - 1], word[i]] += n
        if not counts:
            break
        a, b = max(counts, key=lambda p: (counts[p], vocab[p[0]], vocab[p[1]]))
        new = len(vocab)
        vocab[new] = vocab[a] + vocab[b]
        merges.append((vocab[a], vocab[b]))
        changed = Counter()
        for word, n in words.items():
            out = []
            for token in word:
                if out and (out[-1], token) == (a, b):
                    out[-1] = new
                else:
                    out.append(token)
            changed[tuple(out)] += n
        words = changed
    return [*vocab.values(), *(s.encode() for s in special_tokens)], merges


@variant(of="train_bpe")
def counts_that_are_kept(text, vocab_size, special_tokens=()):
    """Only the pairs of words that change are counted again; the best is found in a heap."""
    room = vocab_size - 256 - len(special_tokens)
    if room < 0:
        raise ValueError(f"no room in {vocab_size}")
    found = Counter(
        piece
        for part in _cut(text, special_tokens)
        if part not in special_tokens
        for piece in PIECE.findall(part)
    )
    words = [([bytes([b]) for b in piece.encode()], n) for piece, n in found.items()]
    counts, where = Counter(), defaultdict(set)

    def note(index, sign):
        word, n = words[index]
        for pair in pairwise(word):
            counts[pair] += sign * n
            where[pair].add(index)

    for index in range(len(words)):
        note(index, 1)
    merges = []
    while len(merges) < room:
        counts = +counts
        if not counts:
            break
        [best] = heapq.nlargest(1, counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        for index in where.pop(best):
            note(index, -1)
            word, n = words[index]
            out, i = [], 0
            while i < len(word):
                two = tuple(word[i : i + 2]) == best
                out.append(b"".join(word[i : i + 2]) if two else word[i])
                i += 2 if two else 1
            words[index] = (out, n)
            note(index, 1)
    vocab = [bytes([b]) for b in range(256)] + [b"".join(pair) for pair in merges]
    return [*vocab, *map(str.encode, special_tokens)], merges


@variant(of="apply_merges")
def merge_after_merge(word, ranks):
    """Every merge in the order of its rank, over the whole word: later ones are made of earlier
    ones, so nothing is missed."""
    for pair in sorted(ranks, key=ranks.__getitem__):
        out, fresh = [], True
        for token in word:
            if not fresh and (out[-1], token) == pair:
                out[-1] += token
                fresh = True
            else:
                out.append(token)
                fresh = False
        word = tuple(out)
    return word


@variant(of="apply_merges")
def one_place_at_a_time(word, ranks):
    """The lowest rank, and of equal ones the first place; one place in every round."""
    parts = list(word)
    while True:
        known = [
            (ranks[parts[i], parts[i + 1]], i)
            for i in range(len(parts) - 1)
            if (parts[i], parts[i + 1]) in ranks
        ]
        if not known:
            return tuple(parts)
        _, i = min(known)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@variant(of="encode")
def in_one_function(text, vocab, merges, special_tokens=()):
    """No helper: pieces are remembered, ids are looked up in the list."""
    known, ids = {}, []
    order = {pair: rank for rank, pair in enumerate(merges)}
    for part in _cut(text, special_tokens):
        if part in special_tokens:
            ids.append(len(vocab) - 1 - vocab[::-1].index(part.encode()))
            continue
        for match in PIECE.finditer(part):
            piece = match.group()
            if piece not in known:
                known[piece] = [vocab.index(t) for t in one_place_at_a_time(_bytes(piece), order)]
            ids.extend(known[piece])
    return ids


def _bytes(piece):
    raw = piece.encode("utf-8")
    return tuple(raw[i : i + 1] for i in range(len(raw)))


@variant(of="decode")
def into_a_bytearray(ids, vocab):
    raw = bytearray()
    for token in ids:
        if token < 0 or token >= len(vocab):
            raise ValueError(f"unknown: {token}")
        raw += vocab[token]
    return str(raw, "utf8", "replace")


@variant(of="decode")
def bit_by_bit(ids, vocab):
    """An incremental decoder holds back what is not whole yet."""
    import codecs

    if not set(ids) <= set(range(len(vocab))):
        raise ValueError("unknown ids")
    reader = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join(
        [*(reader.decode(vocab[place]) for place in ids), reader.decode(b"", final=True)]
    )
