"""Wrong answers to ``hand_weights``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

# aab_weights --------------------------------------------------------------------------------------

AAB, LONGER = "aab_weights", "aab_after_longer_texts"
AFTER_ANY = f"aab_after_two_letters {LONGER}"
WINDOW = "np.eye(5) + np.eye(5, k=-1)"
ASK = f"query[position, position] = 1024 * ({WINDOW})"
C_ATTN = "np.hstack([query, key, say])"

wrong(AAB, "residual_not_drowned", AFTER_ANY,
    """What your layer writes is no larger than what x already holds: the last letter's own logit of
    1 makes a tie after aa. Write more, at least twice as much.""",
    "[-1024, 1024]", "[-1, 1]", "[1024, 0]", "[1, 0]")

wrong(AAB, "attends_to_itself", AFTER_ANY,
    """Every letter attends to itself alone: after an a it depends on the letter before it what
    comes. Place i is to ask for i - 1 as well.""",
    WINDOW, "np.eye(5)")

wrong(AAB, "attends_to_the_letter_before", AFTER_ANY,
    """Every letter attends only to the one before, and cannot tell aa from ab: let place i ask for
    i as well.""",
    WINDOW, "np.eye(5, k=-1)")

wrong(AAB, "positions_left_out", LONGER,
    """All places look alike, so every letter attends to all before it: that is right only in a text
    of two. Positions need columns that queries and keys read.""",
    "np.eye(8)[position]", "np.zeros((5, 8))")

wrong(AAB, "attention_leaks", LONGER,
    """Your queries are too small: with scores below 1 other letters keep nearly as much attention
    as the last two, and the b of baa is still heard. Multiply them by 1024.""",
    "1024 * (", "(")

wrong(AAB, "window_of_three", LONGER,
    """Your window is three letters wide, and every three letters of the text hold one b: their sum
    tells nothing. Ask for two places.""",
    WINDOW, f"{WINDOW} + np.eye(5, k=-2)")

wrong(AAB, "window_off_by_one", AFTER_ANY,
    """Your window is off by one: it holds the two letters before the last, without that itself. Row
    i of the queries asks for i - 1 and i.""",
    WINDOW, "np.eye(5, k=-1) + np.eye(5, k=-2)")

wrong(AAB, "reads_the_first_place", AFTER_ANY,
    """Every letter attends to the first of the text: texts begin at any letter of the pattern, so
    the first one tells nothing. Ask for places counted from your own.""",
    ASK, "query[position, 0] = 1024")

wrong(AAB, "for_three_letters_only", LONGER,
    """Only the third place asks for the last two letters: other texts end at other places, and each
    place needs its own row of the queries.""",
    ASK, "query[2, 1:3] = 1024")

wrong(AAB, "window_at_the_front", LONGER,
    """Your window counts from the front: the places 0 and 1 are the last two letters of a text of
    two only.""",
    ASK, "query[position, :2] = 1024")

wrong(AAB, "sign_of_the_values", AFTER_ANY,
    """Your model always says a: the sum of the values speaks against b where it should speak for
    it. The values have the wrong sign, or c_proj has, which comes to the same.""",
    "[1, -1]", "[-1, 1]")

wrong(AAB, "transposed_c_proj", AFTER_ANY,
    """Your c_proj is transposed, so what the values say is not written: row i of it is what column
    i of the answer adds to x.""",
    "write[value, letter]", "write[letter, value]")

wrong(AAB, "bias_drowns_the_values", AFTER_ANY,
    """Your model always says a: after aa the bias of c_proj and the last letter together say more
    for a than the values for b. Write more for the values, or make the bias smaller.""",
    "bias[letter] = [1024, 0]", "bias[letter] = [4096, 0]")

wrong(AAB, "queries_and_keys_exchanged", AFTER_ANY,
    """Queries and keys have changed places in your c_attn: the order is queries, keys, values. As
    they stand, every place asks for itself alone.""",
    "[query, key, say]", "[key, query, say]")

wrong(AAB, "parts_transposed_one_by_one", AFTER_ANY,
    """Your queries, keys and values are transposed, each in its own third of c_attn. They stand
    side by side as they are: np.concatenate([q, k, v], axis=1), and no .T of a stack.""",
    C_ATTN, "np.vstack([query, key, say]).T")

wrong(AAB, "bias_forgotten", AFTER_ANY,
    """After ab and ba the last letter predicts itself, and no bias of c_proj outweighs it. Where
    the two values add up to 0, as 1 and -1 do, it alone can say a then: let it be larger than what
    x holds.""",
    "bias[letter] = [1024, 0]", "")

wrong(AAB, "values_do_not_cancel", AFTER_ANY,
    """Your model always says b: the values do not cancel after ab and ba, where half of each is
    added, and speak for b there too. Let the two values add up to 0, as 1 and -1 do: then the bias
    decides.""",
    "[1, -1]", "[1, 0]", "[1024, 0]", "[512, 0]")

wrong(AAB, "an_a_has_no_value", AFTER_ANY,
    """Your model always says a: after aa the values do not speak for b, or by too little. Let the
    two values add up to 0, as 1 and -1 do: then they speak for b after aa, and the bias decides
    where they cancel.""",
    "[1, -1]", "[0, -1]", "[1024, 0]", "[512, 0]")

wrong(AAB, "bias_for_the_other_letter", AFTER_ANY,
    """Your model always says b: the bias speaks for it where the values add up to 0, and after ab
    and ba an a is due. Or a and b have changed places in wte: a is its first row.""",
    "[1024, 0]", "[0, 1024]")

wrong(AAB, "letters_exchanged", AFTER_ANY,
    """Your answers are the other letter throughout: a and b have changed places in what is written.
    After two a the values are to speak for b, and the bias for a where they add up to 0.""",
    "[-1024, 1024]", "[1024, -1024]", "[1024, 0]", "[0, 1024]")

wrong(AAB, "letters_and_positions_overlap", LONGER,
    """Letters and positions share columns: an a looks like place 0, a b like place 1, and queries
    and keys mistake one for the other. Keep their columns apart.""",
    "slice(5, 7)", "slice(0, 2)")

wrong(AAB, "transposed_c_attn", AFTER_ANY,
    """The axes of your c_attn are exchanged: here it is (d, 3 d), and queries are x @ c_attn. Is it
    transposed, as torch's Linear would have it, or do the three matrices lie below one another
    (axis=0) that are to stand side by side (axis=1)?""",
    C_ATTN, f"{C_ATTN}.T")

wrong(AAB, "queries_alone", AFTER_ANY,
    """Your c_attn holds queries alone: queries, keys and values stand side by side in it, three
    times the width.""",
    C_ATTN, "query")

wrong(AAB, "nested", AFTER_ANY,
    """Your dict is nested: the page's names are flat, such as layers.0.c_attn.""",
    '"layers.0.c_attn": np', '"layers": [{"c_attn": np', '"layers.0.c_proj"', '"c_proj"',
    '"layers.0.c_proj_bias": bias', '"c_proj_bias": bias}]')

wrong(AAB, "without_names", AFTER_ANY,
    """You return the arrays without their names: forward looks them up in a dict.""",
    "return {", "return [*{", "    }\n", "    }.values()]\n")

wrong(AAB, "minus_infinity", AFTER_ANY,
    """You write -inf into the weights to forbid something: 0 * inf is NaN. Large finite numbers do,
    and the causal mask is the model's own.""",
    f"1024 * ({WINDOW})", f"np.where({WINDOW}, 1024, -np.inf)")

wrong(AAB, "beyond_floats", AFTER_ANY,
    """Your numbers are so large that their products overflow: 1024 is plenty: exp turns a gap of
    some hundreds into certainty.""",
    C_ATTN, f"1e200 * {C_ATTN}")

wrong(AAB, "three_positions", AFTER_ANY,
    """You have three positions, as many as the pattern has letters: there is one row for each place
    of a text, and texts have up to five.""",
    "np.eye(8)[position]", "np.eye(8)[:3]")

wrong(AAB, "no_c_proj", AFTER_ANY,
    """You leave c_proj out: without it nothing your values say reaches x. Only biases may be left
    out.""",
    '"layers.0.c_proj": write,', "")

wrong(AAB, "bias_grows_with_every_call", "asked_for_once_more",
    """Your first model is right, the second is not: its bias is an array outside of the function,
    to which every call adds. Make all arrays anew in every call.""",
    "write, bias = np.zeros((8, 8)), np.zeros(8)",
    "write, bias = np.zeros((8, 8)), LETTERS_SAY",
    "bias[letter] = [1024, 0]", "bias[letter] += [1024, 0]",
    "\n\ndef periodic_weights", "\n\nLETTERS_SAY = np.zeros(8)\n\n\ndef periodic_weights")

# periodic_weights ---------------------------------------------------------------------------------

PERIODIC, TWO_LETTERS = "periodic_weights", "patterns_of_two_letters"
ANY_PATTERN = f"periodic_example {TWO_LETTERS}"
BACK = "len(pattern) - 1"
COPY = "value[letter, letter] = np.eye(4)"

wrong(PERIODIC, "always_two_back", ANY_PATTERN,
    """You look two places back for every pattern, which continues those of three letters: the
    distance is len(pattern) - 1.""",
    BACK, "2")

wrong(PERIODIC, "one_place_too_far", ANY_PATTERN,
    """You look back one place too far: p places back stands the last letter itself. What followed
    it stands p - 1 back.""",
    BACK, "len(pattern)")

wrong(PERIODIC, "one_place_too_few", ANY_PATTERN,
    """You look back one place too few.""",
    BACK, "len(pattern) - 2")

wrong(PERIODIC, "three_back_at_most", TWO_LETTERS,
    """You never look back more than three places, enough for patterns of four letters: they may
    have six.""",
    BACK, "min(3, len(pattern) - 1)")

wrong(PERIODIC, "recites_by_place", ANY_PATTERN,
    """Your model recites the pattern by place and never looks at letters: that is right only for
    texts that begin with the pattern's first letter.""",
    "k=-back", "k=0", COPY, "value[position, letter] = np.eye(4)[tokens_of(12 * pattern)[1:13]]")

wrong(PERIODIC, "values_of_places_too", ANY_PATTERN,
    """You look at the right place, but the value there is made of its place as well, as if the text
    began with the pattern: let the value be the letter there, and nothing else.""",
    COPY, f"{COPY}\n    value[position, letter] = 2 * np.eye(4)[tokens_of(12 * pattern)[1:13]]")

wrong(PERIODIC, "values_of_the_places_after", ANY_PATTERN,
    """You look at the right place, but your values are made of places: each says which letter of
    the pattern comes after it, as if every text began with the pattern. Make the value of the
    letter that stands there.""",
    COPY, "value[position, letter] = np.eye(4)[tokens_of(12 * pattern)[1:13]]")

wrong(PERIODIC, "values_of_places", ANY_PATTERN,
    """You look at the right place, but your values are made of places: each says which letter of
    the pattern stands there if the text begins with the pattern. Texts begin at any letter: make
    the value of the letter itself.""",
    COPY, "value[position, letter] = np.eye(4)[tokens_of(12 * pattern)[:12]]")

wrong(PERIODIC, "looks_at_equal_letters", TWO_LETTERS,
    """Your model looks at letters like the last one, wherever they stand, and says what follows
    them most often. Let places alone decide where to look: p - 1 back.""",
    "query[position, position] = 1024 * np.eye(12, k=-back)",
    "query[letter, letter] = 1024 * np.eye(4)",
    "key[position, position] = np.eye(12)", "key[letter, letter] = np.eye(4)", COPY,
    """for here, after in zip(pattern, pattern[1:] + pattern[0]):
        value[tokens_of(here)[0], tokens_of(after)[0]] = 2""")

wrong(PERIODIC, "copies_once", ANY_PATTERN,
    """You copy a letter once, and x holds the last letter once: that is a tie. Copy it twice as
    large.""",
    "2 * np.eye(4)", "np.eye(4)")

wrong(PERIODIC, "letters_and_places_overlap", ANY_PATTERN,
    """wte and wpe use the same columns, so a letter looks like a place, and queries and keys
    mistake one for the other. Give the letters columns of their own, and the places others.""",
    "np.eye(16)[position]", "np.eye(16)[:12]")

wrong(PERIODIC, "subtracts_the_copy", ANY_PATTERN,
    """You subtract the letter you look at: it is the one to come, so add it.""",
    "2 * np.eye(4)", "-2 * np.eye(4)")

wrong(PERIODIC, "copies_two_letters", "patterns_of_more_letters",
    """You copy a and b only: patterns have c and d as well.""",
    COPY, "value[:2, :2] = np.eye(2)")

wrong(PERIODIC, "only_letters_that_occur", ANY_PATTERN,
    """Your wte has a row for each letter that occurs: it has four, for a, b, c and d, whatever the
    pattern.""",
    "np.eye(16)[letter]", "np.eye(16)[: len(set(pattern))]")

wrong(PERIODIC, "places_for_one_period", ANY_PATTERN,
    """Your model has places for one run of the pattern: texts have up to 12 letters.""",
    "np.eye(16)[position]", "np.eye(16)[4 : 4 + len(pattern)]")

wrong(PERIODIC, "after_one_period_only", ANY_PATTERN,
    """Your model continues a text of exactly p letters: every later place needs its own question
    too.""",
    "query[position, position] = 1024 * np.eye(12, k=-back)", "query[4 + back, 4] = 1024")

wrong(PERIODIC, "copies_the_whole_window", ANY_PATTERN,
    """Your attention is spread over the last p - 1 letters, and copies the most frequent: ask for
    one place alone.""",
    "np.eye(12, k=-back)", "sum(np.eye(12, k=-n) for n in range(1, len(pattern)))")

wrong(PERIODIC, "nearly_even", ANY_PATTERN,
    """Your queries are too small: after the division by sqrt(d) the scores hardly differ, and the
    attention is nearly even. Multiply them by 1024.""",
    "1024 * ", "")

wrong(PERIODIC, "asks_for_the_future", ANY_PATTERN,
    """You ask for the place of the next letter, which is not there yet: the causal mask leaves you
    with an even share of everything.""",
    "k=-back", "k=1")

wrong(PERIODIC, "counts_the_first_letter", f"{TWO_LETTERS} patterns_of_more_letters",
    """Your model waits for a run of the first letter and then calls the last one: that continues
    aab and aaab, but hardly any other pattern. Look back p - 1 places and copy.""",
    "np.eye(12, k=-back)", "sum(np.eye(12, k=-n) for n in range(back))",
    COPY, "first, last = tokens_of(pattern[0] + pattern[-1])\n    value[first, 0] = 1",
    "write[letter, letter] = 2 * np.eye(4)", "write[0, [first, last]] = -1024, 1024",
    "write,", 'write,\n        "layers.0.c_proj_bias": '
    "(1024 - 512 / back) * (np.eye(16)[first] - np.eye(16)[last]),")

wrong(PERIODIC, "one_follower_for_each_letter", ANY_PATTERN,
    """Your model knows one letter that follows each letter, and looks at nothing but the last: that
    is right only for patterns in which no letter occurs twice. Look back p - 1 places and copy.""",
    "k=-back", "k=0", "write[letter, letter] = 2 * np.eye(4)",
    """for here, after in zip(pattern, pattern[1:] + pattern[0]):
        write[tokens_of(here)[0]] = 0
        write[tokens_of(here)[0], tokens_of(after)[0]] = 4""")

wrong(PERIODIC, "always_copies_the_first_letter", ANY_PATTERN,
    """Your model always copies the first letter of the text, as in the worked example: here the
    letter to copy stands p - 1 places before the last one, so each place asks for another.""",
    "query[position, position] = 1024 * np.eye(12, k=-back)", "query[position, 4] = 1024")

wrong(PERIODIC, "what_follows_each_letter", TWO_LETTERS,
    """Your model knows what follows each letter, and looks at nothing but the last: that is right
    only for patterns in which no letter occurs twice. Look back p - 1 places and copy.""",
    "k=-back", "k=0", "write[letter, letter] = 2 * np.eye(4)",
    """for here, after in zip(pattern, pattern[1:] + pattern[0]):
        write[tokens_of(here)[0], tokens_of(after)[0]] = 4""")

wrong(PERIODIC, "counts_different_letters", ANY_PATTERN,
    """You look back as many places as the pattern has different letters, less one: what counts is
    its length, and aaab has four letters.""",
    BACK, "len(set(pattern)) - 1")

wrong(PERIODIC, "two_back_for_one_letter", "patterns_of_more_letters",
    """A pattern may consist of one letter alone, like cc: you take it for one that ends there.""",
    "back = len", "assert len(set(pattern)) > 1\n    back = len")

wrong(PERIODIC, "copies_three_letters", "patterns_of_more_letters",
    """You copy a, b and c only: patterns may have a d.""",
    COPY, "value[:3, :3] = np.eye(3)")

wrong(PERIODIC, "queries_of_all_calls", f"{TWO_LETTERS} patterns_of_more_letters",
    """Your queries are an array outside of the function, in which those of earlier patterns stay:
    the second model looks at two places at once. Make all arrays anew in every call.""",
    "query, key, value, write = np.zeros((4, 16, 16))",
    "query, (key, value, write) = QUERY, np.zeros((3, 16, 16))",
    "query[position, position] =", "query[position, position] +=",
    "\n\ndef previous_token_head", "\n\nQUERY = np.zeros((16, 16))\n\n\ndef previous_token_head")

# previous_token_head ------------------------------------------------------------------------------

HEAD, LONG_TEXTS = "previous_token_head", "previous_token_in_long_texts"
ANY_TEXT = f"previous_token_example {LONG_TEXTS}"


def spoiled(lines):
    """The slip that does something to the weights before they are returned, to their ``query``."""
    query = 'query = weights["layers.0.c_attn"][:, :16]'
    steps = ['weights = periodic_weights("ab")', query, lines, "return weights"]
    return 'return periodic_weights("ab")', "\n    ".join(steps)


wrong(HEAD, "head_on_itself", ANY_TEXT,
    """Every place attends to itself: shift what it asks for by one.""",
    '"ab"', '"a"')

wrong(HEAD, "head_on_the_next", ANY_TEXT,
    """Every place asks for the one after it, which the mask forbids, and is left with an even share
    of all: shift the other way. In the queries' part, the row of a place's column is what that
    place asks for.""",
    *spoiled("query[4:, 4:] = 1024 * np.eye(12, k=1)"))

wrong(HEAD, "head_with_its_keys_first", ANY_TEXT,
    """The place after is asked for, which the mask forbids: the shift goes the wrong way, or it
    stands in the keys, or the keys stand where the queries belong. What a place asks for stands in
    the queries' part, in the row of that place's column: it is one place less than its own.""",
    *spoiled('parts = np.split(weights["layers.0.c_attn"], 3, axis=1)\n'
             '    weights["layers.0.c_attn"] = np.hstack([parts[1], parts[0], parts[2]])'))

wrong(HEAD, "head_on_the_first", ANY_TEXT,
    """Every place attends to the first one: the place before is another for every row.""",
    *spoiled("query[4:, 4:] = 1024 * np.eye(1, 12)"))

wrong(HEAD, "head_on_both", ANY_TEXT,
    """Every place attends by half to itself and by half to the one before, as in aab_weights: here
    only the one before counts.""",
    *spoiled("query[4:, 4:] += 1024 * np.eye(12)"))

wrong(HEAD, "head_two_back", ANY_TEXT,
    """You look two places back.""",
    '"ab"', '"abc"')

wrong(HEAD, "head_too_soft", ANY_TEXT,
    """Your attention points the right way but is spread too thin: the score is divided by sqrt(d)
    and must still stand out among twelve. Make the queries larger.""",
    *spoiled("query *= 4 / 1024"))

wrong(HEAD, "head_soft_in_long_texts", LONG_TEXTS,
    """Your attention would do in a short text, but with twelve places to share it with the one
    before gets less than 0.9: make the queries a good deal larger.""",
    *spoiled("query *= 14 / 1024"))

wrong(HEAD, "head_of_five_places", LONG_TEXTS,
    """Only the first five places look back: there are twelve.""",
    *spoiled("query[4 + 5 :] = 0"))

wrong(HEAD, "head_turned_away", ANY_TEXT,
    """Your keys have the wrong sign: you attend to all places but the one before.""",
    *spoiled("query *= -1"))

wrong(HEAD, "head_that_reads_letters", LONG_TEXTS,
    """Letters and positions share columns, so a letter is taken for a place: keep their columns
    apart, and let queries and keys read positions alone.""",
    *spoiled('weights["wte"] = np.eye(16)[8:12]'))

wrong(HEAD, "head_in_the_second_layer", ANY_TEXT,
    """Your head sits in layer 1, and layer 0 looks at everything: it is layer 0 that is asked to
    look back.""",
    *spoiled("""for part in ("c_attn", "c_proj"):
        weights[f"layers.1.{part}"] = weights[f"layers.0.{part}"]
        weights[f"layers.0.{part}"] = 0 * weights[f"layers.0.{part}"]"""))

wrong(HEAD, "head_after_an_equal_letter", ANY_TEXT,
    """A place attends to letters like its own, and to the one before only if there is none: keys
    and queries read letters as well as positions. Positions alone count here.""",
    *spoiled('weights["layers.0.c_attn"][:4, :4] += 4096 * np.eye(4)\n'
             '    weights["layers.0.c_attn"][:4, 16:20] += np.eye(4)'))

wrong(HEAD, "head_writes_into_the_other_model", "asked_for_once_more",
    """You change the arrays of the other model: periodic_weights keeps what it has returned and
    returns it again, and is wrong from then on. Copy arrays before you change them.""",
    *spoiled('weights["layers.0.c_proj"] *= 0'),
    "\n\ndef induction_head", """


make_periodic, kept = periodic_weights, {}


def periodic_weights(pattern):
    if pattern not in kept:
        kept[pattern] = make_periodic(pattern)
    return kept[pattern]


def induction_head""")

# induction_head -----------------------------------------------------------------------------------

INDUCTION = "induction_head"
FROM_ANY, FROM_FIRST = "induction_from_any_place", "induction_from_the_first_place"
ANYWHERE = f"induction_example {FROM_ANY}"
SEARCH, FOUND = "query[1, letter, before] = 1024 * np.eye(4)", "key[1, before, before] = np.eye(4)"
SHY = "key[1, first_place, before] = -1"

wrong(INDUCTION, "believes_the_first_place", FROM_FIRST,
    """The first place takes itself for a letter that follows itself: row 0 of layer 0 can attend to
    nobody else. Make its key in layer 1 unattractive, by -1 for every letter, and the key of no
    other place.""",
    SHY, "")

wrong(INDUCTION, "avoids_the_second_place", FROM_FIRST,
    """You shut the second place out as well: a letter that opened the text is followed by exactly
    that one. Only the key of position 0 is to be avoided.""",
    SHY, "key[1, 4:6, before] = -1")

wrong(INDUCTION, "never_on_itself", "induction_right_after",
    """A place never attends to itself in your layer 1: after a letter that follows itself it has
    to, since what came after the first is the last one.""",
    SHY, f"""{SHY}
    query[1, position, position] = -4096 * np.eye(12)
    key[1, position, position] = np.eye(12)""",
    "2 * np.eye(4)", "1024 * np.eye(4)")

wrong(INDUCTION, "finds_itself", ANYWHERE,
    """Your layer finds the letter itself again and copies it: asked for is the letter that
    followed. A place must know which letter came before it, and that takes layer 0.""",
    "k=-1", "k=0")

wrong(INDUCTION, "keys_of_the_letter_itself", ANYWHERE,
    """Layer 0 is right, but the keys of layer 1 are made of the letter itself, so the last letter
    finds its like, and itself. Make the keys of the letter before, which layer 0 wrote.""",
    FOUND, "key[1, letter, before] = np.eye(4)")

wrong(INDUCTION, "avoids_what_followed_its_like", FROM_FIRST,
    """Your query speaks against the letter before the last one as well, so layer 1 avoids places
    that may be the right ones. The query is the last letter, and nothing else.""",
    SEARCH, f"{SEARCH}\n    query[1, before, before] = -1024 * np.eye(4)")

wrong(INDUCTION, "copies_the_letter_before", ANYWHERE,
    """You find the right place but copy the letter before it, which is the one you have: values
    come from the letter's own columns.""",
    "value[1, letter, letter]", "value[1, before, letter]")

wrong(INDUCTION, "asks_with_the_letter_before", ANYWHERE,
    """Your query is the letter before the last one: you look for what followed that, and find the
    last letter itself. The query is the last letter.""",
    "query[1, letter, before]", "query[1, before, before]")

wrong(INDUCTION, "the_letter_after_next", ANYWHERE,
    """Layer 0 looks two places back, so you predict the letter after next.""",
    "k=-1", "k=-2")

wrong(INDUCTION, "induction_copies_once", ANYWHERE,
    """You copy a letter once, and x holds the last letter once: a tie. Copy it twice as large, so
    that it wins.""",
    "2 * np.eye(4)", "np.eye(4)")

wrong(INDUCTION, "induction_too_soft", ANYWHERE,
    """Your layer 1 is too soft: the right place gets hardly more than any other. Make its queries
    as large as those of layer 0.""",
    "1024 * np.eye(4)", "np.eye(4)")

wrong(INDUCTION, "knows_two_letters", FROM_ANY,
    """Your layer 1 knows the letters a and b only: any of the four may come again.""",
    "1024 * np.eye(4)", "1024 * np.diag([1, 1, 0, 0])")

wrong(INDUCTION, "layers_swapped", ANYWHERE,
    """Your layers are in the wrong order: the one that looks back comes first, or there is nothing
    for the other to find.""",
    "return {",
    "query, key, value, write = np.stack([query, key, value, write])[:, ::-1]\n    return {")

wrong(INDUCTION, "fixed_distance", FROM_ANY,
    """Your model copies from a fixed distance, as if there were a period: how far back the letter
    stood is different every time.""",
    SEARCH, "query[1, position, position] = 1024 * np.eye(12, k=-2)",
    FOUND, "key[1, position, position] = np.eye(12)")

wrong(INDUCTION, "after_the_first_place", ANYWHERE,
    """Your model always copies the second letter of the text, which is right if the first one comes
    again: it may be any.""",
    SEARCH, "query[1, position, 5] = 1024", FOUND, "key[1, 5, 5] = 1")

wrong(INDUCTION, "writes_over_the_letter", ANYWHERE,
    """Layer 0 writes the letter before into the letters' own columns, where it mixes with the
    letter itself: write it into columns that are still empty.""",
    "write[0, before, before]", "write[0, before, letter]",
    "key[1, before, before]", "key[1, letter, before]")

wrong(INDUCTION, "writes_into_the_letter_as_well", ANYWHERE,
    """Layer 0 writes the letter before into columns of its own, and into the letters' columns as
    well. So the last place asks for two letters at once, its own and the one before. Let c_proj of
    layer 0 write only into the columns that are kept for the letter before.""",
    "write[0, before, before] =", "write[0, before, before] = write[0, before, letter] =")

wrong(INDUCTION, "writes_into_both", ANYWHERE,
    """Layer 0 writes the letter before not only into the columns kept for it, but also over the
    letter itself. So the last place asks for two letters, and finds places that followed either.
    Leave out of its c_proj what writes into the letters' own columns.""",
    "value[0, letter, before]", "value[0, letter, letter]",
    "write[0, before, before]", "write[0, letter, letter] = write[0, letter, before]")

wrong(INDUCTION, "columns_of_the_letter_before_stay_empty", ANYWHERE,
    """The keys of layer 1 read columns into which layer 0 writes nothing: it writes the letter
    before over the letter itself. Let c_proj of layer 0 write it into the columns that those keys
    read.""",
    "write[0, before, before]", "write[0, before, letter]")

wrong(INDUCTION, "one_layer_only", ANYWHERE,
    """Your model has one layer, which looks one place back: one layer cannot both find out what
    came before each place and search for it.""",
    "# BEGIN SOLUTION", 'return periodic_weights("ab")')

wrong(INDUCTION, "forgets_after_five_places", f"{FROM_ANY} {FROM_FIRST}",
    """Your layer 1 finds a letter only if it stands at most five places back: it may stand at any
    place of the text.""",
    SHY, f"""{SHY}
    query[1, position, position] = -4096 * np.tri(12, k=-5)
    key[1, position, position] = np.eye(12)""")

wrong(INDUCTION, "avoids_the_first_place_for_a_alone", FROM_FIRST,
    """Only an a avoids the first place: each of the four letters would take itself for the one that
    follows. The key of position 0 needs a -1 for every letter.""",
    SHY, "key[1, first_place, 16] = -1")

wrong(INDUCTION, "copies_the_commonest_letter", FROM_ANY,
    """Your layer 1 is soft and writes a lot: where one other letter fills the text, its many small
    shares outweigh the right place. Make the queries as large as those of layer 0.""",
    "1024 * np.eye(4)", "6 * np.eye(4)", "2 * np.eye(4)", "1024 * np.eye(4)")
