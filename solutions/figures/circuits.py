"""The figures of the page ``circuits``."""

from grader.figures import Figure

TEXT = "dabcdabc"
STREAM = 52  # where the straight way stands
CELL = 17.5


def stream() -> Figure:
    """The stream from x_0 down to the logits, and on the right what each tool reads or changes."""
    figure = Figure(414)
    figure.text(STREAM, 18, "x_0", kind="strong small")
    figure.text(78, 18, "token + position", kind="small soft", anchor="start")
    figure.line((STREAM, 26), (STREAM, 314), kind="thick sc")
    for block in range(2):
        top = 26 + 144 * block
        _branch(figure, top, "heads", "a")
        _branch(figure, top + 60, "network", "b")
        figure.text(14, top + 141, f"x_{block + 1}", kind="strong small", anchor="start")
        for down, words in (
            (26, "maps: where heads look"),
            (41, "ablate: without one head"),
            (93, "shares: what each adds"),
        ):
            figure.text(142, top + down, words, kind="small", anchor="start")
        figure.text(68, top + 141, "patch: x of another text", kind="small", anchor="start")
    figure.arrow((STREAM, 314), (STREAM, 334))
    figure.box(STREAM - 42, 334, 84, 26, "last norm", "c")
    figure.arrow((STREAM, 360), (STREAM, 376))
    figure.box(STREAM - 42, 376, 84, 26, "matrix W_U", "d")
    figure.text(110, 364, "logit_lens: these two,", kind="small", anchor="start")
    figure.text(110, 379, "applied to x_0, x_1 and x_2", kind="small", anchor="start")
    return figure


def _branch(figure: Figure, top: float, named: str, tone: str) -> None:
    """A part reads the stream, and adds to it."""
    figure.arrow((STREAM, top + 14), (102, top + 14), (102, top + 24))
    figure.box(72, top + 24, 60, 24, named, tone)
    figure.arrow((102, top + 48), (102, top + 62), (STREAM + 9, top + 62))
    figure.plus(STREAM, top + 62)


def heads() -> Figure:
    """Where the two heads of the circuit look, in dabcdabc."""
    figure = Figure(372)
    figure.text(170, 18, "block 0, head 0: one place back", kind="strong small")
    _map(figure, 28, [{max(place - 1, 0): 1.0} for place in range(8)])
    figure.text(170, 202, "block 1, head 0: what followed this letter", kind="strong small")
    early = [{0: 1.0}, {1: 1.0}, {1: 0.5, 2: 0.5}, {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}]
    _map(figure, 212, early + [{place - 3: 1.0} for place in range(4, 8)])
    return figure


def _map(figure: Figure, top: float, rows: list[dict[int, float]]) -> None:
    """A map of 8 by 8, letters around it; the second half of the rows is framed."""
    left = 100.0
    for place, letter in enumerate(TEXT):
        figure.text(left + CELL * (place + 0.5), top + 8, letter, kind="small")
        figure.text(left - 10, top + 25 + CELL * place, letter, kind="small")
    values = [[row.get(key, 0.0) for key in range(8)] for row in rows]
    figure.shares(left, top + 12, values, wide=CELL, tall=CELL, numbers=False)
    figure.frame(left, top + 12 + 4 * CELL, 8 * CELL, 4 * CELL, "b")
    figure.text(left + 8 * CELL + 8, top + 92, "the text", kind="small soft", anchor="start")
    figure.text(left + 8 * CELL + 8, top + 107, "once more", kind="small soft", anchor="start")


FIGURES = {"stream": stream, "heads": heads}
