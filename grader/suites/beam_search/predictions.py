"""What to predict about beam search before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


def _model(page, rows):
    """A TableModel with these probabilities."""
    model = page.TableModel(len(rows))
    model.table.data = torch.tensor(rows).log()
    return model


@predict(first=(0.5, 0.55), last=(0.8, 0.9))
def greedy_or_beam(page, first, last):
    """A text begins with a (probability {first}) or with b (0.4). Of the three tokens that may come
    after a, each has about 1/3; after b the text ends with the probability {last}. Of which letter
    is the best text that a beam of size 2 finds, and of which the greedy one?"""
    rows = [[0.6 - first, first, 0.4], [0.32, 0.35, 0.33], [last, 0.5 - last / 2, 0.5 - last / 2]]
    names = {1: "a", 2: "b", 0: "."}
    (found, _), *_ = page.beam_search(_model(page, rows), 0, 0, beam_size=2, max_len=3)
    greedy, _ = page.greedy_search(_model(page, rows), 0, 0, 3)
    right = f"beam {names[found[0]]}, greedy {names[greedy[0]]}"
    return Answer(
        right,
        f"Greedy search takes a, because {first} is more than 0.4. After b the text ends with "
        f"0.4 * {last} = {0.4 * last:.2f}, more than any text that begins with a.",
        {
            "beam a, greedy a": "A beam of size 2 keeps b as well, and what comes after it.",
            "beam b, greedy b": "Greedy search looks at the next token only, and that is a.",
            "beam a, greedy b": "It is the other way round: greedy search takes the best first "
            "token, and the beam may find what comes of the other one.",
        },
    )


@predict(beam_size=(2, 3, 4), size=(100, 1000))
def continuations_in_a_round(page, beam_size, size):
    """The beam size is {beam_size}, and the vocabulary has {size} tokens. Among how many
    continuations does a round choose, if {beam_size} hypotheses are open?"""
    asked = page.TableModel(size)(torch.zeros(beam_size, dtype=torch.int64))[0].numel()
    return Answer(
        asked,
        f"Each of the {beam_size} hypotheses has {size} continuations, and all of them compete "
        "together.",
        {
            size: "These are the continuations of one hypothesis.",
            beam_size: "So many are kept.",
            size
            ** beam_size: "The hypotheses are continued one by one, and not in all combinations.",
        },
    )


@predict(length=(7, 13, 19), alpha=(0.5, 1.0))
def the_score_of_a_long_text(page, length, alpha):
    """A text of {length} tokens has the log-probability -12. What is its score with alpha =
    {alpha}? (You may use a calculator.)"""
    return Answer(
        -12 / page.length_penalty(length, alpha),
        f"(5 + {length}) / 6 is {(5 + length) / 6:g}, to the power of {alpha}; -12 is divided by "
        "it.",
        {
            -12 / length**alpha: "This is divided by the length to the power of alpha. The penalty "
            "is ((5 + n) / 6) ** alpha.",
            -12 * page.length_penalty(length, alpha): "This is multiplied. Then long texts would "
            "lose even more.",
            -12.0: "This is the score with alpha = 0.",
        },
    )


@predict(length=(100, 200, 400), one_in=(50, 100))
def the_probability_of_a_text(page, length, one_in):
    """A text has {length} tokens, and each had the probability 1/{one_in}. What is its
    log-probability? (You may use a calculator.)"""
    model = page.TableModel(one_in)
    _, total = page.greedy_search(model, 0, one_in, length)
    return Answer(
        round(total, 2),
        f"{length} times -log({one_in}). The probability itself is 10 to the power of "
        f"{total / math.log(10):.0f}.",
        {
            0.0: "So it would be if every token were certain.",
            -math.log(one_in): "This is the log-probability of one token. They are added up.",
            -length * math.log10(one_in): "This is the logarithm to base 10. Log-probabilities are "
            "natural logarithms.",
        },
    )


@predict(parents=((0, 0, 2), (1, 1, 0), (2, 0, 0), (1, 2, 2)))
def rows_of_a_state(page, parents):
    """Three hypotheses have a state with the rows 10, 20 and 30. In the next round hypothesis 0
    continues the old number {parents[0]}, hypothesis 1 number {parents[1]}, and hypothesis 2 number
    {parents[2]}. What are the rows of the state that the model must get?"""
    state = torch.tensor([10, 20, 30])
    rows = tuple(state[list(parents)].tolist())
    return Answer(
        rows,
        "state[parents]: row i is the state of the hypothesis that number i continues.",
        {
            (10, 20, 30): "These rows belong to the old hypotheses. One of them was given up, and "
            "another one has two continuations.",
            tuple(sorted(rows)): "These are the right rows in another order: row i belongs to "
            "hypothesis i.",
        }
        if tuple(sorted(rows)) != rows
        else {
            (10, 20, 30): "These rows belong to the old hypotheses. One of them was given up, and "
            "another one has two continuations."
        },
    )
