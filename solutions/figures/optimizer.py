"""The figures of the page ``optimizer``."""

import math

from grader.figures import Figure

BETA_1, BETA_2, LR = 0.8, 0.9, 0.1  # of the worked example
WARMUP, TOTAL = 20, 100


def steps() -> Figure:
    """Gradients that agree and gradients that do not, and the steps that are made of them."""
    figure = Figure(282)
    _row(figure, 20, [0.5] * 6, "gradients that agree")
    _row(figure, 142, [0.5, -0.5] * 3, "gradients that contradict each other")
    return figure


def schedules() -> Figure:
    """Both learning rates, from one peak."""
    figure = Figure(220)
    figure.line((42, 30), (42, 180), (332, 180))
    for step in (0, WARMUP, TOTAL):
        figure.text(_place(step, 0)[0], 197, str(step), kind="small")
    figure.line((_place(WARMUP, 0)[0], 180), _place(WARMUP, 1), kind="dashed")
    figure.line(*(_place(step, _noam(step)) for step in range(1, TOTAL + 1)), kind="thick sb")
    figure.line(*(_place(step, _cosine(step)) for step in range(TOTAL + 1)), kind="thick sa")
    figure.text(160, 56, "cosine", kind="small ta", anchor="start")
    figure.text(308, 100, "Noam", kind="small tb", anchor="end")
    figure.text(38, 54, "peak", kind="small", anchor="end")
    figure.text(42, 20, "learning rate", kind="small strong", anchor="start")
    figure.text(188, 213, "step", kind="small soft")
    return figure


def _row(figure: Figure, top: float, gradients: list[float], named: str) -> None:
    """A bar for each gradient on the left, and one for the step that follows on the right."""
    figure.text(170, top, named, kind="small strong")
    middle = top + 66
    for left, values, largest, tone, word in (
        (20, gradients, 0.5, "b", "g"),
        (186, _lengths(gradients), LR, "a", "step"),
    ):
        figure.line((left - 4, middle), (left + 138, middle))
        for number, value in enumerate(values):
            tall = 36 * abs(value) / largest
            figure.bar(left + 23 * number, middle - tall * (value > 0), 16, tall, tone)
            over = middle - tall - 5 if value > 0 else middle + tall + 13
            said = f"{abs(value):.2f}".removeprefix("0").removesuffix("0" if word == "g" else "-")
            figure.text(left + 23 * number + 8, over, said, kind="small")
        lowest = middle + 18 if min(values) > 0 else middle + 66
        figure.text(left + 66, lowest, word, kind="small soft")
    figure.arrow((162, middle), (178, middle))


def _lengths(gradients: list[float]) -> list[float]:
    """How far each step leads: the formula of the page, without eps and decay."""
    m = v = 0.0
    found = []
    for t, g in enumerate(gradients, start=1):
        m, v = BETA_1 * m + (1 - BETA_1) * g, BETA_2 * v + (1 - BETA_2) * g**2
        found.append(LR * m / (1 - BETA_1**t) / math.sqrt(v / (1 - BETA_2**t)))
    return found


def _noam(step: int) -> float:
    """As a share of the peak."""
    return min((step / WARMUP) ** -0.5, step / WARMUP)


def _cosine(step: int) -> float:
    if step < WARMUP:
        return (step + 1) / WARMUP
    return (1 + math.cos(math.pi * (step - WARMUP) / (TOTAL - WARMUP))) / 2


def _place(step: float, share: float) -> tuple[float, float]:
    return 42 + 2.8 * step, 180 - 130 * share


FIGURES = {"schedules": schedules, "steps": steps}
