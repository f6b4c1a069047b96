"""The search once more, on plain numbers: it says how close the decisions were, and what a search
by other rules would find.

A right program may sum in float32 or in float64, so nobody may be asked for what rounding decides.
And a table on which another rule finds the same texts does not show which rule a program follows.
"""

from __future__ import annotations

import itertools

FEW = 1e-3  # sums here are below 50, so float32 moves them by 1e-5 at most


def rows_of(logits):
    """Log-probabilities after each context, a tuple of the last tokens; and how many these are."""
    log_p = logits.double().cpu().log_softmax(-1)
    contexts = itertools.product(range(log_p.shape[-1]), repeat=log_p.ndim - 1)
    flat = log_p.reshape(-1, log_p.shape[-1]).tolist()
    return log_p.ndim - 1, dict(zip(contexts, flat, strict=True))


def penalised(total, length, alpha):
    return total / ((5 + length) / 6) ** alpha


def best(grown, count):
    """The first ones of continuations: tokens, log-probability, that of the last token, parent."""
    return sorted(grown, key=lambda one: (-one[1], one[0]))[:count]


def searched(logits, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1, **rules):
    """The best hypotheses, and the smallest difference that decided about them or about the end.

    Other ``rules``: ``keeps(grown, beam_size, eos, ended)`` says which continuations are kept,
    where so many have ``ended`` before; ``rows(open, kept)`` of which parents the open ones get the
    state; ``ends(finished, sums, length)`` whether the search ends, with open ones of these sums.
    """
    memory, table = rows_of(logits)
    beam, read, finished, close = [((), 0.0)], [(bos,) * memory], [], [1.0]
    for length in range(1, max_len + 1):
        grown = [
            ((*tokens, token), total + log_p, log_p, parent)
            for parent, (tokens, total) in enumerate(beam)
            for token, log_p in enumerate(table[read[parent][-memory:]])
            if log_p > float("-inf")
        ]
        close += gaps([one[1] for one in best(grown, beam_size + 1)[beam_size - 1 :]])
        kept = rules.get("keeps", _the_best)(grown, beam_size, eos, len(finished))
        done = [one for one in kept if one[0][-1] == eos or length == max_len]
        left = [one for one in kept if one not in done]
        finished += [(one[0], penalised(one[1], length, alpha)) for one in done]
        finished.sort(key=lambda one: (-one[1], one[0]))
        beam = [one[:2] for one in left]
        if not beam or rules.get("ends", _never)(finished, [one[1] for one in beam], length):
            break
        parents = rules.get("rows", _the_open)([one[3] for one in left], [one[3] for one in kept])
        read = [read[row % len(read)] + one[0][-1:] for row, one in zip(parents, left, strict=True)]
        if len(finished) >= n_best:
            bound = penalised(beam[0][1], max_len, alpha)
            close.append(abs(finished[n_best - 1][1] - bound))
    close += gaps([score for _, score in finished[: n_best + 1]])
    return finished[:n_best], min(close)


def _the_best(grown, beam_size, eos, ended):
    return best(grown, beam_size)


def _the_open(of_open, of_kept):
    return of_open


def _never(finished, sums, length):
    return False


def gaps(falling):
    return [before - after for before, after in itertools.pairwise(falling)]


def every_text(logits, bos, eos, *, max_len, alpha=0.0):
    """All texts that end with ``eos`` or have ``max_len`` tokens, the best first."""
    memory, table = rows_of(logits)
    texts, left = [], [((), 0.0)]
    while left:
        tokens, total = left.pop()
        if tokens and (tokens[-1] == eos or len(tokens) == max_len):
            texts.append((list(tokens), penalised(total, len(tokens), alpha)))
            continue
        row = table[((bos,) * memory + tokens)[-memory:]]
        left += [((*tokens, token), total + log_p) for token, log_p in enumerate(row)]
    return sorted(texts, key=lambda one: (-one[1], one[0]))


def is_apart(logits, bos, eos, **options):
    """Whether rounding decides nothing, of this table and of the one that the harness asks for
    next, whose numbers are moved on by one place along every axis.
    """
    moved = logits.roll((1,) * logits.ndim, tuple(range(logits.ndim)))
    return all(searched(z, bos, eos, **options)[1] > FEW for z in (logits, moved))


# Other rules, which a check tells from the right one ----------------------------------------------


def each_its_best(grown, beam_size, eos, ended):
    """Of each hypothesis the best continuation."""
    parents = {one[3] for one in grown}
    alone = [best([one for one in grown if one[3] == row], 1)[0] for row in parents]
    return best(grown if len(alone) == 1 else alone, beam_size)


def as_many_of_each(grown, beam_size, eos, ended):
    """Of each hypothesis the beam_size best continuations, so the beam grows. (Here no further than
    to four times its size: that is quick, and where it finds a better text, more do as well.)
    """
    parents = {one[3] for one in grown}
    each = [best([one for one in grown if one[3] == row], beam_size) for row in parents]
    return best([one for some in each for one in some], 4 * beam_size)


def by_the_next_token(grown, beam_size, eos, ended):
    return sorted(grown, key=lambda one: -one[2])[:beam_size]


def filled_up(grown, beam_size, eos, ended):
    """Those that end take nobody's place in their own round either."""
    left = best([one for one in grown if one[0][-1] != eos], beam_size)
    return best({*best(grown, beam_size), *left}, len(grown))


def every_end(grown, beam_size, eos, ended):
    ends = [one for one in grown if one[0][-1] == eos]
    return best({*best(grown, beam_size), *ends}, len(grown))


def narrower(grown, beam_size, eos, ended):
    """Those that have ended keep their places."""
    return best(grown, max(0, beam_size - ended))


KEPT = (
    each_its_best,
    as_many_of_each,
    by_the_next_token,
    lambda grown, beam_size, eos, ended: best(grown, beam_size + 1),
    lambda grown, beam_size, eos, ended: best(grown, beam_size - 1),
)
KEPT_WITH_ENDS = (filled_up, every_end, narrower)
ROWS = (
    lambda of_open, of_kept: range(len(of_open)),
    lambda of_open, of_kept: of_kept[: len(of_open)],
    lambda of_open, of_kept: sorted(of_open),
    lambda of_open, of_kept: of_open[::-1],
    lambda of_open, of_kept: [of_open[0]] * len(of_open),
)


def ends_too_soon(n_best, beam_size, max_len, alpha):
    """Rules by which a search ends though an open hypothesis may still come among the best."""

    def ending(place, bound):
        """If the finished one in this place has a larger score than the bound."""
        return lambda finished, sums, length: (
            len(finished) >= n_best and finished[place][1] > bound(sums, length)
        )

    return (
        lambda finished, sums, length: len(finished) > 0,
        lambda finished, sums, length: len(finished) >= n_best,
        lambda finished, sums, length: len(finished) >= beam_size,
        ending(n_best - 1, lambda sums, length: penalised(sums[0], length, alpha)),
        ending(n_best - 1, lambda sums, length: sums[0]),
        ending(n_best - 1, lambda sums, length: penalised(sums[-1], max_len, alpha)),
        ending(0, lambda sums, length: penalised(sums[0], max_len, alpha)),
    )
