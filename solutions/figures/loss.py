"""The figures of the page ``loss``."""

import math

from grader.figures import Figure

TOKENS = "abc"
LOGITS = (2.0, 1.0, 0.0)  # of the worked example
SHARES = [math.exp(logit) / sum(map(math.exp, LOGITS)) for logit in LOGITS]
SMOOTHED = (0.8, 0.1, 0.1)  # epsilon = 0.3, as in smoothed_targets
BEST = math.log(SMOOTHED[0] / SMOOTHED[1])  # the logit that gives the target 0.8, the others 0.1


def cost() -> Figure:
    """Logits, probabilities, and what each of them costs as the target, on the curve -log p."""
    figure = Figure(370)
    _bars(figure, 24, LOGITS, 3.0, "d", "logits z")
    figure.arrow((132, 70), (208, 70))
    figure.text(170, 60, "softmax", kind="small soft")
    _bars(figure, 220, SHARES, 1.0, "a", "probabilities p")
    _axes(figure, 56, 320, 330, 170)
    points = [(share / 100, -math.log(share / 100)) for share in range(6, 101)]
    figure.line(*(_on_curve(*point) for point in points), kind="thick sa")
    for token, share in zip(TOKENS, SHARES, strict=True):
        x, y = _on_curve(share, -math.log(share))
        figure.line((x, 320), (x, y), (56, y), kind="dashed")
        figure.bar(x - 4, y - 4, 8, 8, "b")
        figure.text(50, y + 4, f"{-math.log(share):.2f}", kind="small", anchor="end")
        figure.text(x, 336, f"{share:.2f}", kind="small")
        figure.text(x + 8, y - 7, f"target {token}", kind="small", anchor="start")
    figure.text(320, 336, "1", kind="small")
    figure.text(64, 166, "loss = -log p", kind="small strong", anchor="start")
    figure.text(188, 358, "probability p of the target", kind="small soft")
    return figure


def smoothing() -> Figure:
    """The target as it is and smoothed, and both losses against the logit of the target."""
    figure = Figure(372)
    _bars(figure, 24, (1.0, 0.0, 0.0), 1.2, "b", "target a")
    figure.arrow((132, 70), (208, 70))
    figure.text(170, 60, "epsilon", kind="small soft")
    figure.text(170, 88, "0.3", kind="small soft")
    _bars(figure, 220, SMOOTHED, 1.2, "a", "smoothed")
    _axes(figure, 36, 320, 330, 170)
    for share, tone in ((1.0, "sb"), (SMOOTHED[0], "sa")):
        logits = [step / 10 for step in range(81)]
        figure.line(*(_on_slope(z, _loss(z, share)) for z in logits), kind=f"thick {tone}")
    x, y = _on_slope(BEST, _loss(BEST, SMOOTHED[0]))
    figure.line((x, 320), (x, y), kind="dashed")
    figure.bar(x - 4, y - 4, 8, 8, "a")
    figure.text(x, 336, f"{BEST:.2f}", kind="small")
    figure.text(
        x + 7, y + 18, f"best: {_loss(BEST, SMOOTHED[0]):.2f}", kind="small ta", anchor="start"
    )
    figure.text(290, 206, "smoothed", kind="small ta", anchor="end")
    figure.text(318, 308, "not smoothed", kind="small tb", anchor="end")
    figure.text(36, 336, "0", kind="small")
    figure.text(320, 336, "8", kind="small")
    figure.text(44, 166, "loss", kind="small strong", anchor="start")
    figure.text(180, 360, "logit of a; those of b and c are 0", kind="small soft")
    return figure


def _bars(
    figure: Figure,
    left: float,
    values: tuple[float, ...] | list[float],
    largest: float,
    tone: str,
    named: str,
) -> None:
    """One bar for each token, 100 wide in all, on a line 110 below the top."""
    for place, (token, value) in enumerate(zip(TOKENS, values, strict=True)):
        tall = 72 * value / largest
        middle = left + 34 * place + 14
        if tall:
            figure.bar(middle - 12, 110 - tall, 24, tall, tone)
        said = f"{value:.2f}".removesuffix("0").removesuffix(".0")
        figure.text(middle, 104 - tall, said, kind="small")
        figure.text(middle, 126, token, kind="small soft")
    figure.line((left - 4, 110), (left + 100, 110))
    figure.text(left + 48, 22, named, kind="small strong")


def _axes(figure: Figure, left: float, bottom: float, right: float, top: float) -> None:
    figure.line((left, top), (left, bottom), (right, bottom))


def _on_curve(share: float, loss: float) -> tuple[float, float]:
    """A probability from 0 to 1, and a loss from 0 to 3, as a place on the paper."""
    return 56 + 264 * share, 320 - 50 * loss


def _on_slope(logit: float, loss: float) -> tuple[float, float]:
    """A logit from 0 to 8, and a loss from 0 to 2, as a place on the paper."""
    return 36 + 35.5 * logit, 320 - 75 * loss


def _loss(logit: float, share: float) -> float:
    """Of three tokens, of which the target has this logit and this share, the others 0."""
    return math.log(math.exp(logit) + 2) - share * logit


FIGURES = {"cost": cost, "smoothing": smoothing}
