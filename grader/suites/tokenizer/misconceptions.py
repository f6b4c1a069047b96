"""Wrong answers to ``tokenizer``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

CHARS, TEXT_OF, NO_CHAR, NO_PLACE = (
    "ids_of_characters", "characters_of_ids", "refuses_unknown_characters",
    "refuses_unknown_places")
COUNTS, PLACES = "counts_pairs", "counts_every_place"
MERGES, LEFT, TOKENS = (
    "merges_a_pair", "merges_from_left_to_right", "merges_tokens_of_several_bytes")
LEARNS, EQUAL, PIECES = (
    "learns_the_most_frequent_pair", "takes_the_largest_of_equal_pairs", "learns_within_pieces")
BYTES, ENDS, MARKS, SMALL, QUICK = (
    "learns_from_bytes", "ends_in_time", "learns_beside_special_tokens",
    "refuses_a_small_vocabulary", "goes_through_different_words")
RANK, ANY = "lowest_rank_first", "any_word_and_any_merges"
IDS, BY_PIECE, UNSEEN, VOCAB = (
    "ids_of_a_text", "encodes_piece_by_piece", "encodes_what_was_never_seen",
    "ids_are_places_in_the_vocabulary")
TEXT, BROKEN, NO_ID = "text_of_ids", "reads_what_is_no_text", "refuses_unknown_ids"
PARTS, LONGEST, MARKED = (
    "cuts_out_special_tokens", "longest_special_token", "encodes_special_tokens")
SIGNS, BACK = "special_tokens_of_any_signs", "a_text_comes_back"

# Special tokens may be left aside until split_special is written.
wrong.up_to("train_bpe", "train_bpe",
    "[part for part in split_special(text, special_tokens) if part not in special_tokens]",
    "[text]",
    "wanted = vocab_size - 256 - len(special_tokens)", "wanted = vocab_size - 256",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "return vocab, merges")

UNKNOWN = """if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the alphabet")
"""
PLACE = """if any(not 0 <= place < len(alphabet) for place in ids):
        raise ValueError(f"ids of this alphabet are less than {len(alphabet)}, and not negative")
"""
NO_ROOM = """if wanted < 0:
        raise ValueError(f"{vocab_size} is less than 256 and the special tokens")
"""
ID = """if any(not 0 <= place < len(vocab) for place in ids):
        raise ValueError(f"ids of this vocabulary are less than {len(vocab)}, and not negative")
"""
ORDINARY = "[part for part in split_special(text, special_tokens) if part not in special_tokens]"
BEST = "max(counts, key=lambda pair: (counts[pair], pair))"
SINGLE = "tuple(bytes([b]) for b in piece.encode())"
ZEROS = SINGLE.replace("bytes([b])", "bytes(b)")
APPLIED = "apply_merges(tuple(bytes([b]) for b in piece.encode()), ranks)"
FIRST = "min(pairwise(word), key=lambda pair: ranks.get(pair, len(ranks)))"
GOES_ON = "while len(word) > 1:"
GOES_THROUGH = f"""{GOES_ON}
        first = {FIRST}
        if first not in ranks:
            break
        word = merge_pair(word, first)
"""
PASS = """found: list[bytes] = []
        while word:
            merges = word[:2] in ranks
            found.append(b"".join(word[: 1 + merges]))
            word = word[1 + merges :]
        word = tuple(found)"""
# A merge that leaves the word as it was would go on forever.
NOT_FOREVER = "for _ in range(99):\n        if len(word) < 2:\n            break"
JOINED = 'b"".join(vocab[place] for place in ids).decode("utf-8", errors="replace")'

# Characters ---------------------------------------------------------------------------------------

wrong("char_encode", "code_points", CHARS,
    """You give the number that Unicode gives the character: its id is its place in the
    alphabet.""",
    "[places[character] for character in text]", "[ord(character) for character in text]")

wrong("char_encode", "sorted_alphabet", CHARS,
    "You sort the alphabet first: the ids are its places as it is given, in any order.",
    "enumerate(alphabet)", "enumerate(sorted(alphabet))")

wrong("char_encode", "counts_from_one", CHARS,
    "You count from 1: the first character of the alphabet has the id 0.",
    "enumerate(alphabet)", "enumerate(alphabet, 1)")

wrong("char_encode", "order_of_the_text", CHARS,
    """You number the characters as they come in the text: their numbers are their places in the
    alphabet, so that every text has the same ones.""",
    "[places[character] for character in text]",
    "[list(dict.fromkeys(text)).index(character) for character in text]")

wrong("char_encode", "each_character_once", CHARS,
    "You give every character of the text once: a character that stands twice has two ids.",
    "[places[character] for character in text]",
    "[places[character] for character in dict.fromkeys(text)]")

wrong("char_encode", "skips_unknown_characters", NO_CHAR,
    """You leave out characters that are not in the alphabet, so the text does not come back and
    nobody notices: refuse them.""",
    UNKNOWN, "text = [character for character in text if character in places]\n")

wrong("char_encode", "minus_one_for_unknown_characters", NO_CHAR,
    """You give an unknown character an id all the same, such as -1, the last row of a table in
    Python, or 0: that is another character's, and nobody notices. Refuse it.""",
    UNKNOWN, "places |= dict.fromkeys(unknown, -1)\n")

wrong("char_encode", "key_error_for_unknown_characters", NO_CHAR,
    """An unknown character ends in a KeyError of the dict, an accident: look for it, and raise a
    ValueError that says what is wrong.""",
    UNKNOWN, "pass\n")

wrong("char_decode", "characters_of_code_points", TEXT_OF,
    "You take the ids for numbers of Unicode: an id is a place of the alphabet.",
    "alphabet[place] for place", "chr(place) for place")

wrong("char_decode", "decodes_by_a_sorted_alphabet", TEXT_OF,
    "You look ids up in a sorted alphabet: they are places in the alphabet as it is given.",
    "alphabet[place] for", "sorted(alphabet)[place] for")

wrong("char_decode", "returns_a_list_of_characters", TEXT_OF,
    "You return a list of characters: join them to a text.",
    '"".join(alphabet[place] for place in ids)', "[alphabet[place] for place in ids]")

wrong("char_decode", "decodes_from_one", f"{TEXT_OF} {NO_PLACE}",
    "You count the alphabet from 1: the id 0 is its first character.",
    PLACE, "pass\n", "alphabet[place] for", "alphabet[place - 1] for")

wrong("char_decode", "negative_places", NO_PLACE,
    """You accept negative ids, which Python counts from the end: the model's mistake becomes a
    letter, and nobody notices.""",
    "not 0 <= place < len(alphabet)", "place >= len(alphabet)")

wrong("char_decode", "skips_unknown_places", NO_PLACE,
    "You leave out ids that have no character: refuse them.",
    PLACE, "ids = [place for place in ids if 0 <= place < len(alphabet)]\n")

wrong("char_decode", "key_error_for_unknown_places", NO_PLACE,
    """An id that is no place ends in a KeyError of a dict, an accident: look for it at the
    beginning, and raise a ValueError that says what is wrong.""",
    PLACE, "letters = dict(enumerate(alphabet))\n", "alphabet[place] for", "letters[place] for")

wrong("char_decode", "one_place_too_many", NO_PLACE,
    """The last place is len(alphabet) - 1. The id len(alphabet) is not refused by you, but ends in
    an IndexError of Python's, an accident: compare, and raise a ValueError of your own.""",
    "place < len(alphabet)", "place <= len(alphabet)")

wrong.up_to("char_encode", "char_encode", "if unknown:", "if False:")
wrong.up_to("char_decode", "char_decode", "if any(not", "if False and any(not")

wrong("char_decode", "spaces_between_characters", TEXT_OF,
    """You join with a space: what stands before .join comes between all characters, so it is "",
    nothing at all.""",
    'return "".join', 'return " ".join')

# Pairs --------------------------------------------------------------------------------------------

wrong("pair_counts", "each_word_once", f"{COUNTS} {LEARNS}",
    """You count every word once: a word that stands five times in the text has each of its pairs
    five times.""",
    "counts.get(pair, 0) + count", "counts.get(pair, 0) + 1")

wrong("pair_counts", "only_the_last_word", COUNTS,
    "You set the count anew with every word: add to what the pair has already.",
    "counts.get(pair, 0) + count", "count")

wrong("pair_counts", "once_in_a_word", f"{COUNTS} {PLACES}",
    "You count a pair once in every word: every place counts where it stands.",
    "in pairwise(word)", "in set(pairwise(word))")

wrong("pair_counts", "pairs_without_order", f"{COUNTS}",
    "You take (a, b) and (b, a) for one pair: the order counts, for ab is another token than ba.",
    "in pairwise(word)", "in map(tuple, map(sorted, pairwise(word)))")

wrong("pair_counts", "neighbours_in_twos", COUNTS,
    """You cut the word in twos: the pairs overlap, so a, b, c has (a, b) and also (b, c).""",
    "in pairwise(word)", "in zip(word[::2], word[1::2], strict=False)")

wrong("pair_counts", "without_overlaps", PLACES,
    """In a, a, a you count (a, a) once: every place counts, and there are two, though only one of
    them can be joined.""",
    "for pair in pairwise(word):",
    """last = None
        for place, pair in enumerate(pairwise(word)):
            if last == (place - 1, pair):
                last = None
                continue
            last = (place, pair)""")

wrong("pair_counts", "all_pairs_of_a_word", f"{COUNTS} {PLACES}",
    "You count any two tokens of a word: a pair is two that stand side by side.",
    "in pairwise(word)", "in __import__('itertools').combinations(word, 2)")

wrong("pair_counts", "without_the_last_pair", COUNTS,
    "You leave out the last pair of each word: a word of n tokens has n - 1 pairs.",
    "in pairwise(word)", "in pairwise(word[:-1])")

wrong("pair_counts", "pairs_over_words", COUNTS,
    """You count a pair of the last token of a word and the first one of the next: pairs stand
    within a word.""",
    "for word, count in words.items():",
    """for end, start in pairwise(words):
        counts[end[-1], start[0]] = counts.get((end[-1], start[0]), 0) + 1
    for word, count in words.items():""")

wrong("pair_counts", "joined_pairs", f"{COUNTS} {PLACES}",
    """You count by the joined bytes: a pair is a tuple of two tokens, for (a, bc) and (ab, c) are
    two pairs.""",
    "counts[pair] = counts.get(pair, 0) + count",
    """joined = pair[0] + pair[1]
            counts[joined] = counts.get(joined, 0) + count""")

wrong("pair_counts", "pairs_that_stand_twice", PLACES,
    "A word of two tokens has one pair, and you leave it out: every pair counts.",
    "for word, count in words.items():",
    "for word, count in words.items():\n        if len(word) < 3:\n            continue")

wrong("merge_pair", "bytes_added_one_by_one", MERGES,
    """You add a token to your list with +=, which takes its bytes out of it, as numbers: += wants a
    list. append adds the token as it is.""",
    "merged.append(word[place])", "merged += word[place]")

wrong("merge_pair", "pair_for_a_token", MERGES,
    """You put the pair itself, a tuple of two, in the place of the two tokens: the new token is
    their bytes one after another, pair[0] + pair[1].""",
    "merged.append(pair[0] + pair[1])", "merged.append(pair)")

wrong("merge_pair", "a_list_for_a_word", TOKENS,
    """You return a list: a word is a tuple, as it was when it came in. Only a tuple can be a key of
    a dictionary or be compared with other words.""",
    "return tuple(merged)", "return merged",
    "{merge_pair(word, best): n", "{tuple(merge_pair(word, best)): n",
    "word = merge_pair(word, first)", "word = tuple(merge_pair(word, first))")

wrong("merge_pair", "a_list_that_is_no_key", TOKENS,
    """merge_pair returns a list, and train_bpe cannot have one as a key of its dictionary of words:
    a word is a tuple, as it was when it came in.""",
    "return tuple(merged)", "return merged",
    GOES_ON, NOT_FOREVER)

wrong("merge_pair", "joins_what_was_joined", f"{LEFT}",
    """In a, a, a you join the middle one twice: after a joined pair go on behind both of its
    tokens.""",
    "place += 2", "place += 1 if word[place + 1 : place + 3] == pair else 2")

wrong("merge_pair", "first_place_only", f"{MERGES}",
    "You join the pair at the first place only: join it wherever it stands in the word.",
    "if word[place : place + 2] == pair:",
    "if word[place : place + 2] == pair and place == len(merged):",
    GOES_ON, NOT_FOREVER)

wrong("merge_pair", "from_right_to_left", LEFT,
    "You go from right to left, so a, a, a becomes a, aa: go from left to right, to aa, a.",
    "merged: list[bytes] = []", "word, pair = word[::-1], pair[::-1]\n    merged: list[bytes] = []",
    "merged.append(pair[0] + pair[1])", "merged.append(pair[1] + pair[0])",
    "return tuple(merged)", "return tuple(merged[::-1])")

wrong("merge_pair", "by_joined_bytes", TOKENS,
    """You compare joined bytes, so that (a, bc) is taken for (ab, c): both tokens must be those of
    the pair.""",
    "word[place : place + 2] == pair", 'b"".join(word[place : place + 2]) == b"".join(pair)')

for name, gap, where in (
    ("joined_to_one_string", "b' '", "at spaces"), ("joined_with_a_byte", "b'\\xff'", "at a byte")):
    wrong("merge_pair", name, TOKENS,
        f"""You join the word to one string, replace in it and split it again {where}: so the end of
        a token, or the beginning of one, is taken for a whole one. Compare tokens, one after
        another.""",
        "merged: list[bytes] = []", f"""if word:
        text = {gap}.join(word).replace({gap}.join(pair), b"".join(pair))
        return tuple(text.split({gap}))
    merged: list[bytes] = []""")

wrong("merge_pair", "loses_the_last_token", MERGES,
    """You stop one token before the end, so the last one is lost if it was not joined: every token
    goes into the result.""",
    "while place < len(word):", "while place < len(word) - 1:")

wrong("merge_pair", "not_at_the_end", MERGES,
    "You do not look at the last two tokens: the pair may stand there as well.",
    "word[place : place + 2] == pair", "place < len(word) - 2 and word[place : place + 2] == pair",
    GOES_ON, NOT_FOREVER)

wrong("merge_pair", "joined_the_other_way_round", f"{MERGES}",
    "You join the tokens the other way round: a and b become ab, so that the text stays the same.",
    "pair[0] + pair[1]", "pair[1] + pair[0]")

wrong("merge_pair", "in_either_order", f"{MERGES}",
    "You also join b, a where (a, b) is to be joined: the order counts.",
    "word[place : place + 2] == pair",
    "len(word[place : place + 2]) == 2 and sorted(word[place : place + 2]) == sorted(pair)")

wrong("merge_pair", "drops_the_pair", MERGES,
    "You take the pair away: in its place stands one token, its two tokens joined.",
    "merged.append(pair[0] + pair[1])\n", "pass\n")

wrong("merge_pair", "keeps_the_second_token", MERGES,
    """After a joined pair you go on by one token only, so the second one of the pair stands there
    once more: go on by two.""",
    "place += 2", "place += 1", GOES_ON, NOT_FOREVER)

wrong("merge_pair", "returns_joined_bytes", MERGES,
    "You return all bytes joined to one: a word is a tuple of tokens.",
    "tuple(merged)", 'b"".join(merged)')

# Training -----------------------------------------------------------------------------------------

wrong("train_bpe", "bytes_are_not_counted", f"{LEARNS} {EQUAL}",
    """You learn as many merges as the vocabulary is to be large: it holds the 256 bytes already, so
    there are vocab_size - 256 of them, less the special tokens.""",
    "vocab_size - 256 - len(special_tokens)", "vocab_size - len(special_tokens)")

wrong("train_bpe", "first_seen_of_equal_pairs", EQUAL,
    """Of equally frequent pairs you take the one that was counted first: the largest is meant, so
    that the order of the text does not matter.""",
    BEST, "max(counts, key=lambda pair: counts[pair])")

wrong("train_bpe", "last_seen_of_equal_pairs", EQUAL,
    """Of equally frequent pairs you take the one that was counted last: it is the largest, so that
    the order of the text does not matter.""",
    BEST, "max(reversed(counts), key=lambda pair: counts[pair])")

wrong("train_bpe", "smallest_of_equal_pairs", EQUAL,
    "Of equally frequent pairs you take the smallest one: it is the largest.",
    BEST, "min(counts, key=lambda pair: (-counts[pair], pair))")

wrong("train_bpe", "longest_of_equal_pairs", EQUAL,
    """Of equally frequent pairs you take the longest one: it is the largest, as Python compares
    tuples of bytes.""",
    BEST, "max(counts, key=lambda pair: (counts[pair], len(pair[0] + pair[1]), pair))")

wrong("train_bpe", "equal_pairs_by_joined_bytes", EQUAL,
    """You compare equally frequent pairs by their joined bytes: the first tokens are compared, and
    if these are equal, the second ones.""",
    BEST, "max(counts, key=lambda pair: (counts[pair], pair[0] + pair[1]))")

wrong("train_bpe", "least_frequent_pair", LEARNS,
    "You join the least frequent pair: the most frequent one saves the most tokens.",
    BEST, "min(counts, key=lambda pair: (counts[pair], pair))")

wrong("train_bpe", "largest_pair_of_all", LEARNS,
    "You take the largest pair whatever its count: first counts how often it stands.",
    BEST, "max(counts)")

wrong("train_bpe", "weighted_by_length", EQUAL,
    "You multiply the count by the length of the new token: only how often the pair stands counts.",
    BEST, "max(counts, key=lambda pair: (counts[pair] * len(pair[0] + pair[1]), pair))")

wrong("train_bpe", "counts_are_not_renewed", LEARNS,
    """You count the pairs once and take the best of them one after another: a merge changes its
    neighbours, so count anew after each.""",
    "while len(merges) < wanted and (counts := pair_counts(words)):",
    "counts = pair_counts(words)\n    while len(merges) < wanted and counts:",
    "merges.append(best)", "merges.append(best)\n        del counts[best]")

wrong("train_bpe", "words_are_not_counted", LEARNS,
    """You forget how often each word stands in the text, or make a set of the pieces, which holds
    each once: a pair of a word that stands five times stands there five times as well.""",
    "for piece, n in found.items()}", "for piece, n in dict.fromkeys(found, 1).items()}")

wrong("train_bpe", "the_count_is_lost_by_merging", LEARNS,
    "After a merge you count every word once: a word keeps its count.",
    "{merge_pair(word, best): n for", "{merge_pair(word, best): 1 for")

wrong("train_bpe", "the_whole_text_is_one_word", PIECES,
    """You learn from the text in one piece, so merges reach over spaces and signs: cut it by
    ``pieces`` first.""",
    "for piece in pieces(part)", "for piece in [part]")

wrong("train_bpe", "split_at_spaces", PIECES,
    """You cut the text at its spaces, and the spaces are lost: ``pieces`` keeps each with the word
    behind it.""",
    "for piece in pieces(part)", "for piece in part.split()")

wrong("train_bpe", "pieces_without_spaces", PIECES,
    "You take the space off every piece: it belongs to the word behind it.",
    "for piece in pieces(part)", "for piece in map(str.strip, pieces(part))")

wrong("train_bpe", "lower_case", BYTES,
    "You make all letters small: A and a are two bytes, and decoding gives back what was there.",
    "for piece in pieces(part)", "for piece in pieces(part.lower())")

wrong("train_bpe", "merges_of_characters", BYTES,
    """You begin with characters: begin with bytes, so that a character of several bytes is several
    tokens.""",
    SINGLE, "tuple(character.encode() for character in piece)")

wrong("train_bpe", "words_of_numbers", f"{LEARNS} {BYTES}",
    """Your words hold numbers: whoever goes through bytes gets whole numbers. A token is of type
    bytes, bytes([byte]).""",
    SINGLE, "tuple(piece.encode())")

wrong("train_bpe", "pairs_in_the_vocabulary", f"{LEARNS} {BYTES}",
    """Your vocabulary holds the pairs: the token of a pair is its two tokens joined, first +
    second.""",
    "[first + second for first, second in merges]", "merges")

wrong("encode", "whole_parts_looked_up", "encodes_special_tokens",
    """You look up in the vocabulary whether it holds the text as a whole: only a special token that
    is named is one id. Any other text goes through the merges.""",
    "if part in special_tokens:", "if part in special_tokens or part.encode() in vocab[257:]:")

wrong("encode", "numbers_for_tokens", IDS,
    """You go through the bytes of a piece and get whole numbers, which are in no table of tokens:
    bytes([byte]) is the token of one.""",
    SINGLE, "tuple(piece.encode())")

wrong("train_bpe", "one_word_is_one_token", LEARNS,
    "You make one token of every word at once: begin with single bytes.",
    SINGLE, "(piece.encode(),)")

wrong("train_bpe", "words_of_zeros", f"{LEARNS} {BYTES}",
    """Your words hold zero bytes only, for bytes(97) is 97 zero bytes. One byte of the number b is
    bytes([b]), with brackets.""",
    SINGLE, ZEROS)

wrong("train_bpe", "leaves_out_other_languages", BYTES,
    "You leave out what is not ASCII: UTF-8 has bytes for every character.",
    SINGLE, 'tuple(bytes([b]) for b in piece.encode("ascii", "ignore"))')

wrong("train_bpe", "latin_1", BYTES,
    "You write the text in another encoding than UTF-8, which has no bytes for most characters.",
    SINGLE, 'tuple(bytes([b]) for b in piece.encode("latin-1", "replace"))')

wrong("train_bpe", "vocab_size_merges", LEARNS,
    "You make vocab_size merges: the 256 bytes and the special tokens count towards the size.",
    "wanted = vocab_size - 256 - len(special_tokens)\n",
    "wanted = vocab_size - 256 - len(special_tokens)\n    wanted += 256 if wanted >= 0 else 0\n")

wrong("train_bpe", "specials_do_not_count", MARKS,
    """You forget the special tokens when you count how many merges there is room for: the
    vocabulary becomes larger than vocab_size.""",
    "vocab_size - 256 - len(special_tokens)\n",
    "vocab_size - 256\n")

wrong("train_bpe", "no_room_left_for_specials", MARKS,
    """You merge until the vocabulary is full, and only then add the special tokens, so that it has
    more than vocab_size. Leave room for them: merge while there are fewer tokens than
    vocab_size - len(special_tokens).""",
    "len(merges) < wanted", "len(merges) < wanted + len(special_tokens)")

wrong("train_bpe", "room_for_specials_twice", MARKS,
    "You leave room for the special tokens twice, so that as many merges are missing in the end.",
    "len(merges) < wanted", "len(merges) < wanted - len(special_tokens)")

wrong("train_bpe", "specials_cut_off", MARKS,
    """You merge until the vocabulary is full, add the special tokens, and cut the list to
    vocab_size: the special tokens are what is cut off. Make fewer merges in place of that.""",
    "len(merges) < wanted", "len(merges) < wanted + len(special_tokens)",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "return (vocab + [special.encode() for special in special_tokens])[:vocab_size], merges")

wrong("train_bpe", "room_for_one_special", MARKS,
    """You leave room for one special token, however many there are: it is one for each of
    ``special_tokens``.""",
    "len(merges) < wanted",
    "len(merges) < wanted + len(special_tokens) - min(1, len(special_tokens))")

wrong("train_bpe", "one_merge_too_many", f"{LEARNS} {ENDS}",
    "You make one merge too many: look at the room before you merge.",
    "len(merges) < wanted", "len(merges) <= wanted")

wrong("train_bpe", "one_merge_too_few", LEARNS,
    "You make one merge too few: the vocabulary has vocab_size tokens.",
    "len(merges) < wanted", "len(merges) < wanted - 1")

wrong("train_bpe", "stops_at_pairs_that_stand_once", ENDS,
    """You stop when every pair stands once: it goes on until the vocabulary is full or no pair is
    left.""",
    "merges.append(best)", "if counts[best] < 2:\n            break\n        merges.append(best)")

wrong("train_bpe", "fails_without_pairs", ENDS,
    """When no pair is left you look for the best one all the same, and max fails: end the loop
    then.""",
    "while len(merges) < wanted and (counts := pair_counts(words)):",
    "while len(merges) < wanted:\n        counts = pair_counts(words)")

wrong("train_bpe", "only_bytes_that_occur", f"{LEARNS} {ENDS}",
    """Your vocabulary begins with the bytes of this text: it begins with all 256, so that every
    other text has ids as well.""",
    "[bytes([b]) for b in range(256)] +",
    "sorted({bytes([b]) for word in words for token in word for b in token}) +")

wrong("train_bpe", "characters_for_bytes", f"{LEARNS} {ENDS}",
    """The first 256 tokens of your vocabulary are the characters 0 to 255 in UTF-8, of which half
    are two bytes: they are the single bytes, bytes([b]).""",
    "[bytes([b]) for b in range(256)] +", "[chr(b).encode() for b in range(256)] +")

wrong("train_bpe", "bytes_of_zeros", f"{LEARNS} {ENDS}",
    "bytes(b) gives b zeros, and no byte b: a token of the one byte b is bytes([b]).",
    "[bytes([b]) for b in range(256)] +", "[bytes(b) for b in range(256)] +")

wrong("train_bpe", "special_tokens_first", MARKS,
    "Special tokens stand at the end of the vocabulary, so that they move no other id.",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "return [special.encode() for special in special_tokens] + vocab, merges")

wrong("train_bpe", "special_tokens_before_merges", MARKS,
    "Special tokens stand at the end of the vocabulary, behind the tokens of the merges.",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "special = [special.encode() for special in special_tokens]\n"
    "    return vocab[:256] + special + vocab[256:], merges")

wrong("train_bpe", "special_tokens_sorted", MARKS,
    "You sort the special tokens: they have their ids in the order in which they were given.",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "return vocab + [special.encode() for special in sorted(special_tokens)], merges")

wrong("train_bpe", "special_tokens_left_out", MARKS,
    "The special tokens are missing in your vocabulary: they stand at its end.",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "return vocab, merges")

wrong("train_bpe", "learns_from_special_tokens", MARKS,
    """You learn merges from special tokens as if they were text: cut them out before the text is
    cut in pieces.""",
    f"ordinary = {ORDINARY}", "ordinary = [text]")

wrong("train_bpe", "counts_special_tokens", MARKS,
    """You cut special tokens out and count them among the pieces all the same: nothing is learned
    from them.""",
    " if part not in special_tokens]", "]")

wrong("train_bpe", "joins_over_special_tokens", MARKS,
    """You take special tokens out and join what stood on both sides: nothing is learned over the
    place of one.""",
    f"ordinary = {ORDINARY}", f'ordinary = ["".join({ORDINARY})]')

wrong("train_bpe", "numbers_left_alone", PIECES,
    """You learn nothing from numbers: a piece of digits is a word like any other.""",
    "for piece in pieces(part))", "for piece in pieces(part) if not piece.strip().isdigit())")

wrong("train_bpe", "marks_by_their_look", MARKS,
    """You know special tokens by the signs <|. They may hold any signs, and text may hold
    these: what is one is said by ``special_tokens`` alone.""",
    " if part not in special_tokens]", ' if part[:2] != "<|"]')

wrong("train_bpe", "special_tokens_in_ascii", MARKS,
    """You write special tokens with the letters of English only, and lose the others: they are
    written in UTF-8.""",
    "return vocab + [special.encode() for special in special_tokens], merges",
    'return vocab + [special.encode("ascii", "ignore") for special in special_tokens], merges')

wrong("train_bpe", "an_empty_text_fits_always", SMALL,
    """For an empty text you return before you look at vocab_size. The bytes and the special tokens
    need their room whatever the text is.""",
    "wanted = vocab", """if not text:
        return [bytes([b]) for b in range(256)] + [one.encode() for one in special_tokens], []
    wanted = vocab""")

wrong("train_bpe", "any_vocab_size", SMALL,
    """You accept a vocabulary that has no room for the bytes and the special tokens, and return a
    larger one: refuse it.""",
    NO_ROOM, "pass\n")

wrong("train_bpe", "room_without_specials", SMALL,
    "You look whether 256 bytes fit in, and forget the special tokens.",
    "if wanted < 0:", "if vocab_size < 256:")

wrong("train_bpe", "merges_as_tokens", f"{LEARNS}",
    "You return the merged tokens as merges: a merge is a pair, (b'a', b'b') and not b'ab'.",
    "special_tokens], merges", "special_tokens], vocab[256:]")

wrong("train_bpe", "merges_first", f"{LEARNS} {ENDS}",
    "You return the merges first: first comes the vocabulary.",
    "return vocab + [special.encode() for special in special_tokens], merges",
    "return merges, vocab + [special.encode() for special in special_tokens]")

wrong("train_bpe", "sorted_vocabulary", LEARNS,
    "You sort the new tokens: a token's id says which merge made it, so keep their order.",
    "[first + second for first, second in merges]",
    "sorted(first + second for first, second in merges)")

wrong("train_bpe", "over_all_pieces", QUICK,
    """In each merge you go through all pieces of the text, and most of them are the same few words
    again. Count every different piece once, with Counter, and go through these: a pair in a word
    that stands n times counts n times.""",
    "words = {tuple(bytes([b]) for b in piece.encode()): n for piece, n in found.items()}",
    f"words = [{SINGLE} for part in ordinary for piece in pieces(part)]",
    "pair_counts(words)", "Counter(pair for word in words for pair in pairwise(word))",
    "{merge_pair(word, best): n for word, n in words.items()}",
    "[merge_pair(word, best) for word in words]")

# Encoding -----------------------------------------------------------------------------------------

@wrong.instead_of("apply_merges", RANK)
def longest_match(word, ranks):
    """You take the longest token that fits, from left to right: the merge with the lowest rank
    comes first, and may cut the word at another place."""
    known = {first + second for first, second in ranks}
    found, place = [], 0
    while place < len(word):
        joined = (b"".join(word[place:end]) for end in range(len(word), place + 1, -1))
        best = next((token for token in joined if token in known), word[place])
        found.append(best)
        place += len(best)
    return tuple(found)

wrong("apply_merges", "longest_pair_first", RANK,
    """Of the pairs that have a rank you merge the one that makes the longest token: it is the one
    with the lowest rank, however long it is.""",
    FIRST, "max(pairwise(word), key=lambda pair: (pair in ranks, len(pair[0] + pair[1])))")

wrong("apply_merges", "longest_merge_first", RANK,
    """You go through the merges by the length of what they make, the longest first. The lowest rank
    comes first, and a merge may make a pair that another one waits for.""",
    GOES_THROUGH, """for pair in sorted(ranks, key=lambda pair: -len(pair[0] + pair[1])):
        word = merge_pair(word, pair)
""")

wrong("apply_merges", "first_pair_from_the_left", RANK,
    """You merge the first pair from the left that has a rank: the pair with the lowest rank comes
    first, wherever it stands.""",
    FIRST, "next((pair for pair in pairwise(word) if pair in ranks), pair_of(word))",
    "while len(word) > 1:", "pair_of = lambda word: word[:2]\n    while len(word) > 1:")

wrong("apply_merges", "leftmost_place_first", RANK,
    """You merge at the first place from the left whose pair has a rank, and begin again from the
    left: the pair with the lowest rank comes first, wherever it stands.""",
    GOES_THROUGH, """place = 0
    while place < len(word) - 1:
        if word[place : place + 2] in ranks:
            word = (*word[:place], word[place] + word[place + 1], *word[place + 2 :])
            place = 0
        else:
            place += 1
""")

wrong("apply_merges", "in_passes_from_the_left", RANK,
    """You go through the word from left to right and merge each pair that has a rank as you come to
    it. Look at all pairs first: the one with the lowest rank is merged, and then all are looked at
    again.""",
    GOES_THROUGH, f"""while True:
        before = len(word)
        {PASS}
        if len(word) == before:
            break
""")

wrong("apply_merges", "all_that_stand_there_in_turn", RANK,
    """You look which pairs have a rank and merge them all, the lowest first, before you look again:
    a merge may make a pair of a lower rank than the next one has. Look anew after every merge.""",
    GOES_THROUGH, """while known := [pair for pair in pairwise(word) if pair in ranks]:
        for pair in sorted(known, key=ranks.__getitem__):
            word = merge_pair(word, pair)
""")

wrong("apply_merges", "one_pass_from_the_left", RANK,
    """You go through the word once, from left to right, and merge each pair that has a rank. The
    pair with the lowest rank comes first, wherever it stands; and then the next one, until there is
    none.""",
    GOES_THROUGH, f"for _ in range(1):\n        {PASS}\n")

wrong("apply_merges", "joins_to_what_was_joined", RANK,
    """You go from left to right and join each token to what you have so far, if that pair has a
    rank. A pair further right may have a lower one, and comes first.""",
    GOES_THROUGH, """place = 0
    while place < len(word) - 1:
        if word[place : place + 2] in ranks:
            word = (*word[:place], word[place] + word[place + 1], *word[place + 2 :])
        else:
            place += 1
""")

wrong("apply_merges", "pairs_of_the_first_word", RANK,
    """You go from left to right through the pairs that the word had at the beginning, and merge
    those that have a rank. Merge the one with the lowest rank, and then look at the pairs of the
    new word.""",
    GOES_THROUGH, """for pair in pairwise(word):
        word = merge_pair(word, pair) if pair in ranks else word
""")

wrong("apply_merges", "no_rank_is_the_lowest", RANK,
    """A pair without a rank counts as rank 0 for you, the best there is, so you stop although other
    pairs can be merged. It comes after all that have a rank.""",
    "ranks.get(pair, len(ranks))", "ranks.get(pair, 0)")

wrong("apply_merges", "highest_rank_first", RANK,
    "You merge the pair with the highest rank first: early merges have low ranks, and come first.",
    FIRST, "max(pairwise(word), key=lambda pair: ranks.get(pair, -1))")

wrong("apply_merges", "stops_at_any_pair_without_a_rank", RANK,
    """You take the largest rank, and a pair without one counts as larger still: so you stop as soon
    as any pair has none. The lowest rank comes first: min, not max.""",
    "min(pairwise(word)", "max(pairwise(word)")

wrong("apply_merges", "a_single_merge", RANK,
    "You merge one pair and stop: go on until no pair in the word has a rank.",
    "word = merge_pair(word, first)", "return merge_pair(word, first)")

wrong("apply_merges", "no_new_pairs", RANK,
    """You look for pairs once, at the beginning: a merge makes new pairs, which may be merged as
    well.""",
    "while len(word) > 1:",
    """for pair in sorted({*pairwise(word)} & {*ranks}, key=lambda pair: ranks[pair]):
        word = merge_pair(word, pair)
    while False:""")

wrong("apply_merges", "order_of_the_dict", ANY,
    """You go through the merges in the order of the dict: the number that it holds says which one
    comes first.""",
    "while len(word) > 1:",
    "for pair in ranks:\n        word = merge_pair(word, pair)\n    while False:")

wrong("apply_merges", "merges_without_a_rank", RANK,
    "You also merge pairs that have no rank: only what was learned is merged.",
    "if first not in ranks:", "if False:")

wrong("apply_merges", "every_pair_has_a_rank", f"{RANK} {ANY}",
    """Your program asks for the rank of a pair that has none, a KeyError. Such a pair was never
    learned, and is never merged: leave it out, and stop when no pair with a rank is left.""",
    FIRST, "min(pairwise(word), key=lambda pair: ranks[pair])")

wrong("apply_merges", "rank_zero_is_no_rank", RANK,
    "You take rank 0 for no rank, for 0 is false in Python: ask whether the pair is in the dict.",
    "if first not in ranks:", "if not ranks.get(first):")

wrong("apply_merges", "rank_zero_is_never_merged", RANK,
    """You never make the merge of rank 0, for 0 is false in Python, and `if rank` takes it for no
    rank: ask whether the rank `is not None`, or whether the pair is in the dict.""",
    FIRST, "min(pairwise(word), key=lambda pair: ranks.get(pair) or len(ranks))",
    "if first not in ranks:", "if not ranks.get(first):")

wrong("apply_merges", "lowest_bytes_first", RANK,
    "You merge the smallest pair that has a rank: it is the one with the lowest rank.",
    FIRST, "min(pairwise(word), key=lambda pair: (pair not in ranks, pair))")

wrong("encode", "over_the_whole_text", BY_PIECE,
    """You merge over the text in one piece: cut it by ``pieces``, for no merge reaches over the end
    of a piece.""",
    "in pieces(part)", "in [part]")

wrong("encode", "words_without_spaces", f"{IDS} {BY_PIECE}",
    "You cut the text at its spaces, which get no ids, so they do not come back: use ``pieces``.",
    "in pieces(part)", "in part.split()")

wrong("encode", "stripped_pieces", f"{IDS} {BY_PIECE}",
    "You take the space off every piece, so it does not come back: it belongs to the word.",
    "in pieces(part)", "in map(str.strip, pieces(part))")

wrong("encode", "ids_by_rank", VOCAB,
    """You make the id of a byte of its value, and that of a merge of its rank: it is the place of
    the token in the vocabulary that was given.""",
    "ids = {token: place for place, token in enumerate(vocab)}",
    "ids = {bytes([b]): b for b in range(256)}\n"
    "    ids |= {a + b: 256 + rank for rank, (a, b) in enumerate(merges)}\n"
    "    ids |= {one.encode(): vocab.index(one.encode()) for one in special_tokens}")

wrong("encode", "ids_by_counting", VOCAB,
    """You work the ids out by counting, a merge from 256 on and a special token behind the merges:
    a vocabulary that is given may stand in any order, so look each token up in it.""",
    "ids = {token: place for place, token in enumerate(vocab)}",
    "ids = {bytes([b]): b for b in range(256)}\n"
    "    ids |= {a + b: 256 + rank for rank, (a, b) in enumerate(merges)}\n"
    "    ids |= {one.encode(): 256 + len(merges) + i for i, one in enumerate(special_tokens)}")

wrong("encode", "without_merges", IDS,
    "You give every byte its id and merge nothing: apply the merges first.",
    APPLIED, SINGLE)

wrong("encode", "zeros_for_bytes", IDS,
    """You begin with bytes(b), which is b zero bytes, and no such token is in the vocabulary. One
    byte of the number b is bytes([b]).""",
    SINGLE, ZEROS)

wrong("encode", "characters_as_tokens", UNSEEN,
    """You begin with characters, so one that was never seen has no id: begin with the bytes of
    UTF-8.""",
    APPLIED, "apply_merges(tuple(letter.encode() for letter in piece), ranks)")

wrong("encode", "unknown_characters_are_lost", UNSEEN,
    "Characters that are not ASCII are lost in encode: UTF-8 has bytes for each of them.",
    "piece.encode()), ranks", 'piece.encode("ascii", "ignore")), ranks')

wrong("encode", "question_marks", UNSEEN,
    "You put a question mark for what is not ASCII: UTF-8 has bytes for every character.",
    "piece.encode()), ranks", 'piece.encode("ascii", "replace")), ranks')

wrong("encode", "late_merges_first", IDS,
    "You number the merges from the end: the first merge has rank 0, and comes first.",
    "enumerate(merges)}", "enumerate(reversed(merges))}")

wrong("encode", "tokens_and_no_ids", IDS,
    "You return the tokens: wanted are their ids, their places in the vocabulary.",
    "return [ids[token] for token in tokens]", "return tokens")

wrong("encode", "each_token_once", IDS,
    "You give every token once: a token that stands twice has two ids.",
    "for token in tokens]", "for token in dict.fromkeys(tokens)]")

wrong("encode", "a_space_before_the_text", IDS,
    "You put a space before the text, as some tokenizers do: then it does not come back as it was.",
    "for part in split_special(text,", 'for part in split_special(" " + text,')

wrong("encode", "stripped_text", UNSEEN,
    "You take spaces off the ends of the text: they belong to it, and have ids.",
    "for part in split_special(text,", "for part in split_special(text.strip(),")

wrong("encode", "longest_token_first", BY_PIECE,
    """You take the longest token that fits, from left to right. Merges are applied in the order in
    which they were learned, and may cut the word at another place.""",
    f"tokens += {APPLIED}", """rest = piece.encode()
            while rest:
                fits = max(n for n in range(1, len(rest) + 1) if rest[:n] in ids)
                tokens.append(rest[:fits])
                rest = rest[fits:]""")

wrong("encode", "special_tokens_by_their_look", MARKED,
    """What begins with the signs <| is a special token to you. Others begin otherwise, and a part
    of the text may begin so too: ask whether the part stands in ``special_tokens``.""",
    "if part in special_tokens:", 'if special_tokens and part.startswith("<|"):')

wrong("encode", "special_ids_from_the_end", MARKED,
    """You count the ids of special tokens from the end of the vocabulary. If not all are named,
    or in another order, these are ids of others: look the token up, as any other.""",
    "tokens.append(part.encode())",
    "tokens.append(vocab[len(vocab) - len(special_tokens) + special_tokens.index(part)])")

wrong("encode", "special_tokens_sought_behind_the_merges", MARKED,
    """You look for special tokens in a part of the vocabulary only, such as what stands behind the
    merges. One that is given may stand in another order: make one dictionary of all of it, from
    each token to its place.""",
    "tokens.append(part.encode())",
    "tokens.append({token: token for token in vocab[256 + len(merges) :]}[part.encode()])")

wrong("encode", "special_tokens_encoded_again", MARKED,
    """You call .encode on special tokens of the vocabulary. vocab holds bytes, also for them: leave
    the call out there. Only what comes from the text is encoded.""",
    "ids = {token", "marks = {token.encode() for token in vocab[256 + len(merges) :]}\n"
    "    ids = {token")

wrong("encode", "tokens_encoded_again", IDS,
    """You call .encode on the tokens of the vocabulary, but vocab holds bytes already: these are
    the keys as they are. Only what comes from the text is encoded.""",
    "ids = {token: place", "ids = {token.encode(): place")

wrong("encode", "special_tokens_of_english_letters", MARKED,
    """You leave out of a special token what is no letter of English: its token in the vocabulary is
    all of it, in UTF-8.""",
    "tokens.append(part.encode())", 'tokens.append(part.encode("ascii", "ignore"))')

wrong("encode", "special_tokens_as_text", MARKED,
    "You encode a special token as if it were text: it is one id.",
    "if part in special_tokens:", "if False:")

wrong("encode", "unnamed_special_tokens", MARKED,
    """You take marks for special tokens that were not named: a stranger's text could then end
    itself. Only those in ``special_tokens`` are special.""",
    "ids = {token", "special_tokens = tuple(t.decode() for t in vocab[256 + len(merges) :])\n"
    "    ids = {token")

wrong("encode", "special_tokens_are_skipped", MARKED,
    "You leave special tokens out: each of them is one id.",
    "tokens.append(part.encode())\n", "pass\n")

wrong("encode", "spaces_around_special_tokens", MARKED,
    "You take spaces off beside a special token: they belong to the text.",
    "for piece in pieces(part)", "for piece in pieces(part.strip() if special_tokens else part)")

# Decoding -----------------------------------------------------------------------------------------

wrong("decode", "bytes_printed", TEXT,
    """You make a text of bytes with str(), which gives b'...' with its quotation marks: decode
    ("utf-8") reads them.""",
    '.decode("utf-8", errors="replace")', ".__str__()")

wrong("decode", "token_by_token", f"{TEXT} {BROKEN}",
    """You make a text of every token by itself: a character may be spread over several tokens, so
    join the bytes first.""",
    JOINED, '"".join(vocab[place].decode("utf-8", errors="replace") for place in ids)')

wrong("decode", "fails_at_what_is_no_text", BROKEN,
    """Bytes that are no UTF-8 end in an error: a model may write any ids, so put U+FFFD there, as
    by errors="replace".""",
    ', errors="replace"', "")

wrong("decode", "leaves_out_what_is_no_text", BROKEN,
    "You leave out bytes that are no UTF-8: they become U+FFFD, so that one sees that something was"
    " there.",
    'errors="replace")', 'errors="ignore")')

wrong("decode", "escapes_what_is_no_text", BROKEN,
    r"You write bytes that are no UTF-8 as \x..: they become U+FFFD.",
    'errors="replace")', 'errors="backslashreplace")')

wrong("decode", "latin_1_for_utf_8", f"{TEXT} {BROKEN}",
    "You read every byte as one character: in UTF-8 a character may take up to four.",
    '"utf-8", errors="replace"', '"latin-1"')

wrong("decode", "spaces_between_tokens", TEXT,
    "You put a space between tokens: the spaces of the text are in the tokens already.",
    'b"".join', 'b" ".join')

wrong("decode", "without_other_languages", TEXT,
    "You read the bytes as ASCII: they are UTF-8.",
    '"utf-8"', '"ascii"')

wrong("decode", "stripped", TEXT,
    "You take spaces off the ends of the text: they belong to it.",
    'errors="replace")', 'errors="replace").strip()')

wrong("decode", "returns_bytes", TEXT,
    "You return bytes: decode them to a text.",
    '.decode("utf-8", errors="replace")', "")

wrong("decode", "ids_are_bytes", VOCAB,
    "You take ids below 256 for bytes: look every id up in the vocabulary.",
    "vocab[place] for place in ids)",
    "bytes([place]) if place < 256 else vocab[place] for place in ids)")

wrong("decode", "without_a_byte_order_mark", BACK,
    """You read the bytes as utf-8-sig, which takes the character U+FEFF off the beginning: it
    belongs to the text, and "utf-8" keeps it.""",
    '"utf-8", errors', '"utf-8-sig", errors')

wrong("decode", "line_ends_of_its_own", BACK,
    """You change the ends of lines. What was encoded comes back as it was: \\r and \\n are
    characters like any other.""",
    JOINED, JOINED + '.replace("\\r\\n", "\\n")')

wrong("decode", "negative_ids", NO_ID,
    """You accept negative ids, which Python counts from the end: a mistake becomes text, and nobody
    notices.""",
    "not 0 <= place < len(vocab)", "place >= len(vocab)")

wrong("decode", "zero_is_no_id", TEXT,
    "You refuse the id 0: it is the first place of the vocabulary.",
    "not 0 <= place < len(vocab)", "not 0 < place < len(vocab)")

wrong("decode", "skips_unknown_ids", NO_ID,
    "You leave out ids that have no token: refuse them.",
    ID, "ids = [place for place in ids if 0 <= place < len(vocab)]\n")

wrong("decode", "index_error_for_unknown_ids", NO_ID,
    """An id that is too large ends in an IndexError of the list, an accident: look for it, and
    raise a ValueError that says what is wrong.""",
    "not 0 <= place < len(vocab)", "place < 0")

# Special tokens -----------------------------------------------------------------------------------

wrong("split_special", "in_the_order_given", LONGEST,
    """Of special tokens that begin at one place you take the one that was named first: the
    longest is meant.""",
    "sorted(special_tokens, key=len, reverse=True)", "list(special_tokens)")

wrong("split_special", "shortest_first", LONGEST,
    "Of special tokens that begin at one place you take the shortest: it is the longest.",
    "key=len, reverse=True", "key=len")

wrong("split_special", "signs_as_a_pattern", PARTS,
    """You hand the special tokens to ``re`` as they are, where signs such as | and . mean
    something: escape them.""",
    "re.escape(special) for", "special for")

wrong("split_special", "joined_as_they_are", f"{PARTS} {LONGEST}",
    """You join the special tokens to a pattern as they are. Signs such as | and . mean something to
    ``re``, so each is escaped first; and of two that begin alike the longer must stand first.""",
    "sorted(special_tokens, key=len, reverse=True)", "list(special_tokens)",
    "re.escape(special) for", "special for")

wrong("split_special", "some_signs_escaped", SIGNS,
    """You escape some signs by hand. Others mean something to ``re`` as well, such as ( [ + { ^
    $: use re.escape, which knows them all.""",
    "re.escape(special)",
    """special.replace("|", "[|]").replace(".", "[.]").replace("*", "[*]")""")

wrong("split_special", "spaces_of_special_tokens_are_lost", SIGNS,
    """You take spaces off the ends of special tokens: they are a part of them, as any other
    sign.""",
    "re.escape(special)", "re.escape(special.strip() or special)")

wrong("split_special", "capital_letters_are_the_same", PARTS,
    """You cut at <|END|> where <|end|> was named: capital letters are others, and what was not
    named is ordinary text.""",
    'f"({pattern})", text', 'f"(?i)({pattern})", text')

wrong("split_special", "empty_parts", PARTS,
    """Some of your parts are empty, at an end of the text or between two special tokens: leave the
    empty ones out.""",
    " if part]\n    # END", "]\n    # END")

wrong("split_special", "special_tokens_are_lost", PARTS,
    "You cut at the special tokens, and lose them: each of them is a part by itself.",
    're.split(f"({pattern})", text)', "re.split(pattern, text)")

wrong("split_special", "only_special_tokens", PARTS,
    "You return the special tokens only: what stands between them is a part as well.",
    're.split(f"({pattern})", text)', "re.findall(pattern, text)")

wrong("split_special", "stripped_parts", PARTS,
    "You take spaces off the parts: joined, they must be the text again.",
    "[part for part in", "[part.strip() for part in")

wrong("split_special", "the_first_place_only", PARTS,
    "You cut out the first special token only: there may be several, and each several times.",
    'text) if part', 'text, maxsplit=1) if part')

wrong("split_special", "an_empty_part_of_an_empty_text", PARTS,
    "An empty text has no part: without special tokens you return an empty one.",
    "[text] if text else []", "[text]")

wrong("split_special", "whole_words_only", f"{PARTS} {LONGEST}",
    "You find special tokens only between spaces: they are cut out wherever they stand.",
    're.split(f"({pattern})", text)', r're.split(rf"((?<!\S)(?:{pattern})(?!\S))", text)')

@wrong.instead_of("split_special", LONGEST)
def longest_of_the_whole_text(text, special_tokens):
    """You cut out the longest special token in the whole text first, then the next: go from left
    to right, and take the longest of those that begin at one place."""
    parts = [text]
    for special in sorted(special_tokens, key=len, reverse=True):
        found = []
        for part in parts:
            if part in special_tokens:
                found.append(part)
                continue
            first, *more = part.split(special)
            found.append(first)
            for other in more:
                found += [special, other]
        parts = [part for part in found if part]
    return [part for part in parts if part]
