"""Right answers to ``beam_search`` that are written differently."""

from __future__ import annotations

import heapq
import math

import numpy as np
import torch
from beam_search import beam_search as the_page
from beam_search import length_penalty

from grader.check import variant


@variant(of="length_penalty")
def by_math_pow(length, alpha):
    return math.pow(5 + length, alpha) / math.pow(6, alpha)


@variant(of="length_penalty")
def by_logarithms(length, alpha):
    return math.exp(alpha * (math.log(length + 5.0) - math.log(6.0)))


@variant(of="length_penalty")
def as_a_tensor(length, alpha):
    return ((torch.tensor(5.0 + length, dtype=torch.float64) / 6) ** alpha).item()


@variant(of="greedy_search")
def a_beam_of_one(step, bos, eos, max_len):
    return the_page(step, bos, eos, beam_size=1, max_len=max_len)[0]


@variant(of="greedy_search")
def all_in_torch(step, bos, eos, max_len):
    """Tokens and log-probabilities are collected, and added up at the end."""
    token, state, tokens, parts = torch.full((1,), bos), None, [], []
    while len(parts) < max_len:
        log_probs, state = step(token, state)
        part, token = log_probs.max(dim=-1)
        tokens.append(token)
        parts.append(part)
        if token.item() == eos:
            break
    return torch.cat(tokens).tolist(), torch.stack(parts).sum().item()


@variant(of="greedy_search")
def by_calling_itself(step, bos, eos, max_len):
    def text_from(last, state, left):
        if left == 0:
            return [], 0.0
        (row,), state = step(torch.tensor([last]), state)
        row = row.tolist()
        token = max(range(len(row)), key=row.__getitem__)
        if token == eos:
            return [eos], row[token]
        tokens, total = text_from(token, state, left - 1)
        return [token, *tokens], row[token] + total

    return text_from(bos, None, max_len)


@variant(of="beam_search")
def flat_and_sorted(step, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """As in libraries: (N, V) sums in a row, and a stable sort. Rows stay in lexicographic order,
    so places in the row are in that order too."""
    last, sums, state = torch.tensor([bos]), None, None
    texts, done = torch.empty(1, 0, dtype=torch.int64), []
    for n in range(1, max_len + 1):
        log_probs, state = step(last, state)
        log_probs = log_probs.cpu()
        sums = log_probs if sums is None else sums[:, None] + log_probs
        V = sums.shape[1]
        flat, order = sums.flatten().sort(descending=True, stable=True)
        flat, order = flat[:beam_size], order[:beam_size]
        order = order[flat.isfinite()].sort().values
        parents, last = order // V, order % V
        sums = sums.flatten()[order]
        texts = torch.cat([texts[parents], last[:, None]], dim=1)
        ends = (last == eos) | (n == max_len)
        for text, total in zip(texts[ends].tolist(), sums[ends].tolist(), strict=True):
            done.append((text, total / length_penalty(n, alpha)))
        texts, sums, last, parents = texts[~ends], sums[~ends], last[~ends], parents[~ends]
        state = state[parents.to(state.device)]
        if not len(last):
            break
        bound = sums.max().item() / length_penalty(max_len, alpha)
        if sum(score > bound for _, score in done) >= n_best:
            break
    return sorted(done, key=lambda one: (-one[1], one[0]))[:n_best]


class Node:
    """A hypothesis that knows the one it continues."""

    def __init__(self, token, total, row, before=None):
        self.token, self.total, self.row, self.before = token, total, row, before

    @property
    def tokens(self):
        return [] if self.before is None else [*self.before.tokens, self.token]


@variant(of="beam_search")
def linked_nodes(step, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """Hypotheses are objects, chosen by a heap."""
    live, finished, state = [Node(bos, 0.0, 0)], [], None
    length = 0
    while live and length < max_len:
        length += 1
        rows, state = step(torch.tensor([node.token for node in live]), state)
        grown = [
            Node(token, node.total + p, row, node)
            for row, node in enumerate(live)
            for token, p in enumerate(rows[row].tolist())
            if not math.isinf(p)
        ]
        kept = heapq.nsmallest(beam_size, grown, key=lambda node: (-node.total, node.tokens))
        live = [node for node in kept if node.token != eos and length < max_len]
        for node in kept:
            if node.token == eos or length == max_len:
                score = node.total / length_penalty(length, alpha)
                heapq.heappush(finished, (-score, node.tokens))
        if not live:
            break
        state = torch.stack([state[node.row] for node in live])
        worst = heapq.nsmallest(n_best, finished)[n_best - 1 :]
        if worst and -worst[0][0] > live[0].total / length_penalty(max_len, alpha):
            break
    return [(tokens, -minus) for minus, tokens in heapq.nsmallest(n_best, finished)]


@variant(of="beam_search")
def penalised_throughout(step, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """Hypotheses of one round have one length, so their scores have the order of their sums."""
    beam, finished, state = {(): 0.0}, {}, None
    for n in range(1, max_len + 1):
        lp = length_penalty(n, alpha)
        last = torch.tensor([(bos, *tokens)[-1] for tokens in beam])
        log_probs, state = step(last, state)
        scores = {}
        for row, (tokens, total) in enumerate(beam.items()):
            for token in range(log_probs.shape[1]):
                p = log_probs[row, token].item()
                if p > -math.inf:
                    scores[*tokens, token] = ((total + p) / lp, total + p, row)
        kept = sorted(scores, key=lambda tokens: (-scores[tokens][0], tokens))[:beam_size]
        finished |= {t: scores[t][0] for t in kept if t[-1] == eos or n == max_len}
        beam = {t: scores[t][1] for t in kept if t not in finished}
        if not beam:
            break
        state = state.index_select(0, torch.tensor([scores[t][2] for t in beam]).to(state.device))
        limit = max(beam.values()) / length_penalty(max_len, alpha)
        if sum(1 for score in finished.values() if score > limit) >= n_best:
            break
    ranked = sorted(finished.items(), key=lambda item: (-item[1], item[0]))
    return [(list(tokens), score) for tokens, score in ranked[:n_best]]


@variant(of="beam_search")
def in_numpy(step, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """A lexsort of columns: the sums first, then token after token."""
    tokens, sums, state = np.zeros((1, 0), dtype=np.int64), np.zeros(1), None
    finished = []
    for n in range(1, max_len + 1):
        last = tokens[:, -1] if n > 1 else np.array([bos])
        log_probs, state = step(torch.from_numpy(last.copy()), state)
        total = sums[:, None] + log_probs.double().cpu().numpy()
        parents, token = np.nonzero(total > -np.inf)
        grown = np.column_stack([tokens[parents], token])
        total = total[parents, token]
        order = np.lexsort((*grown.T[::-1], -total))[:beam_size]
        parents, grown, total = parents[order], grown[order], total[order]
        ends = (grown[:, -1] == eos) | (n == max_len)
        finished += [
            (row.tolist(), float(s) / length_penalty(n, alpha))
            for row, s in zip(grown[ends], total[ends], strict=True)
        ]
        tokens, sums, parents = grown[~ends], total[~ends], parents[~ends]
        if not len(sums):
            break
        state = state[torch.from_numpy(parents).to(state.device)]
        finished.sort(key=lambda one: (-one[1], one[0]))
        bound = sums[0] / length_penalty(max_len, alpha)
        if len(finished) >= n_best and finished[n_best - 1][1] > bound:
            break
    return sorted(finished, key=lambda one: (-one[1], one[0]))[:n_best]


@variant(of="beam_search")
def round_after_round(step, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """A function that does a round and calls itself with what is left; sums in float32."""

    def order(one):
        return -one[1], one[0]

    def search(beam, state, finished, n):
        log_probs, state = step(torch.tensor([t[-1] if t else bos for t, _ in beam]), state)
        sums = torch.tensor([s for _, s in beam]).to(log_probs)[:, None] + log_probs
        grown = [
            (beam[row][0] + [token], sums[row, token].item(), row)
            for row, token in sums.isfinite().nonzero().tolist()
        ]
        kept = sorted(grown, key=order)[:beam_size]
        ended = [one for one in kept if one[0][-1] == eos or n == max_len]
        going = [one for one in kept if one not in ended]
        finished = finished + [(t, s / length_penalty(n, alpha)) for t, s, _ in ended]
        finished = sorted(finished, key=order)[:n_best]
        if not going:
            return finished
        if len(finished) == n_best:
            bound = going[0][1] / length_penalty(max_len, alpha)
            if finished[-1][1] > bound:
                return finished
        rows = [row for *_, row in going]
        return search([(t, s) for t, s, _ in going], state[rows], finished, n + 1)

    return search([([], 0.0)], None, [], 1)


@variant(of="beam_search")
def texts_as_tuples(step, bos, eos, *, beam_size, max_len, alpha=0.0, n_best=1):
    """A tuple compares as a list does, and can be a key: of each text its sum."""
    sums, done, state = {(): 0.0}, {}, None
    while sums:
        asked = list(sums)
        last = torch.tensor([text[-1] if text else bos for text in asked])
        log_p, state = step(last, state)
        all_of_them = {
            (*text, token): sums[text] + float(log_p[row, token])
            for row, text in enumerate(asked)
            for token in log_p[row].isfinite().nonzero().flatten().tolist()
        }
        kept = sorted(all_of_them, key=lambda text: (-all_of_them[text], text))[:beam_size]
        ended = {text for text in kept if text[-1] == eos or len(text) == max_len}
        done |= {t: all_of_them[t] / length_penalty(len(t), alpha) for t in kept if t in ended}
        sums = {text: all_of_them[text] for text in kept if text not in ended}
        best = sorted(done, key=lambda text: (-done[text], text))[:n_best]
        most = max(sums.values(), default=0.0) / length_penalty(max_len, alpha)
        if len(best) == n_best and done[best[-1]] > most:
            break
        state = state[[asked.index(text[:-1]) for text in sums]] if sums else None
    return [(text, done[text]) for text in best]
