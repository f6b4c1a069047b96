"""The search once more, on plain numbers: it says how close the decisions were.

A right program may sum in float32 or in float64, so nobody may be asked for what rounding decides.
"""

from __future__ import annotations

import itertools

FEW = 1e-3  # sums here are below 50, so float32 moves them by 1e-5 at most


def rows_of(logits):
    """Log-probabilities after each context, a tuple of the last tokens."""
    log_p = logits.double().cpu().log_softmax(-1)
    contexts = itertools.product(range(log_p.shape[-1]), repeat=log_p.ndim - 1)
    flat = log_p.reshape(-1, log_p.shape[-1]).tolist()
    return log_p.ndim - 1, dict(zip(contexts, flat, strict=True))


def penalised(total, length, alpha):
    return total / ((5 + length) / 6) ** alpha


def searched(logits, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """The best hypotheses, and the smallest difference that decided about them or about the end."""
    memory, rows = rows_of(logits)
    beam, finished, close = [((), 0.0)], [], [1.0]
    for length in range(1, max_len + 1):
        grown = [
            (total + log_p, (*tokens, token))
            for tokens, total in beam
            for token, log_p in enumerate(rows[((bos,) * memory + tokens)[-memory:]])
            if log_p > float("-inf")
        ]
        grown.sort(key=lambda one: (-one[0], one[1]))
        close += gaps([total for total, _ in grown[beam_size - 1 : beam_size + 1]])
        kept = grown[:beam_size]
        ends = [one for one in kept if one[1][-1] == eos or length == max_len]
        finished += [(tokens, penalised(total, length, alpha)) for total, tokens in ends]
        finished.sort(key=lambda one: (-one[1], one[0]))
        beam = [(tokens, total) for total, tokens in kept if (total, tokens) not in ends]
        if not beam:
            break
        if len(finished) >= n_best:
            bound = penalised(beam[0][1], max_len, alpha)
            close.append(abs(finished[n_best - 1][1] - bound))
            if finished[n_best - 1][1] > bound:
                break
    close += gaps([score for _, score in finished[: n_best + 1]])
    return finished[:n_best], min(close)


def gaps(falling):
    return [before - after for before, after in itertools.pairwise(falling)]


def every_text(logits, bos, eos, *, max_len, alpha=0.0):
    """All texts that end with ``eos`` or have ``max_len`` tokens, the best first."""
    memory, rows = rows_of(logits)
    texts, left = [], [((), 0.0)]
    while left:
        tokens, total = left.pop()
        if tokens and (tokens[-1] == eos or len(tokens) == max_len):
            texts.append((list(tokens), penalised(total, len(tokens), alpha)))
            continue
        row = rows[((bos,) * memory + tokens)[-memory:]]
        left += [((*tokens, token), total + log_p) for token, log_p in enumerate(row)]
    return sorted(texts, key=lambda one: (-one[1], one[0]))


def is_apart(logits, bos, eos, **options):
    """Whether rounding decides nothing, of this table and of the one that the harness asks for
    next, whose numbers are moved on by one place along every axis.
    """
    moved = logits.roll((1,) * logits.ndim, tuple(range(logits.ndim)))
    return all(searched(z, bos, eos, **options)[1] > FEW for z in (logits, moved))
