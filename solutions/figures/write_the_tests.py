"""The figure of the page ``write_the_tests``."""

from grader.figures import Figure

RIGHT, WRONG = (52, 84, 116), (148, 180, 212)  # the heights at which they come in
TESTS = (  # name, where its gate stands, which of them it lets through
    ("good", 24, RIGHT),
    ("too loose", 134, (*RIGHT, WRONG[1])),
    ("too strict", 244, RIGHT[:2]),
)


def sieve() -> Figure:
    """Three tests, and what each of them accepts of three right and three wrong functions."""
    figure = Figure(250)
    for name, left, accepted in TESTS:
        figure.text(left + 36, 22, name, kind="small strong")
        figure.line((left + 36, 36), (left + 36, 228), kind="thick sd")
        for y in RIGHT + WRONG:
            _sign(figure, left + 10, y, is_right=y in RIGHT)
            if y in accepted:
                figure.arrow((left + 20, y), (left + 56, y))
                _sign(figure, left + 66, y, is_right=y in RIGHT)
            else:
                figure.line((left + 20, y), (left + 33, y))
    return figure


def _sign(figure: Figure, x: float, y: float, *, is_right: bool) -> None:
    figure.text(x, y + 6, "○" if is_right else "×", kind="strong ta" if is_right else "strong tb")


FIGURES = {"sieve": sieve}
