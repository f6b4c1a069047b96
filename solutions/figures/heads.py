"""The figures of the page ``heads``."""

from grader.figures import Figure

TOKENS = (("1", "2", "3", "4"), ("5", "6", "7", "8"), ("9", "10", "11", "12"))
ORDER = [number for token in TOKENS for number in token]


def split() -> Figure:
    """The right way to two heads, and a reshape that only has the right shape."""
    figure = Figure(336)
    figure.text(170, 18, "three tokens, two heads of width 2", kind="strong")
    figure.cells(110, 28, TOKENS, tones=[["a", "a", "b", "b"]] * 3)
    for row in range(3):
        figure.text(102, 47 + 30 * row, f"token {row}", kind="small soft", anchor="end")
    figure.arrow((140, 120), (140, 134), (85, 134), (85, 152))
    figure.arrow((200, 120), (200, 134), (255, 134), (255, 152))
    figure.text(85, 170, "reshape, then transpose", kind="strong small")
    figure.text(255, 170, "reshape(2, 3, 2) alone", kind="strong small")
    _heads(figure, 16, [[row[:2] for row in TOKENS], [row[2:] for row in TOKENS]])
    pairs = [ORDER[place : place + 2] for place in range(0, 12, 2)]
    _heads(figure, 186, [pairs[:3], pairs[3:]])
    figure.text(85, 318, "✓ each head: its two", kind="small tc")
    figure.text(85, 332, "columns of every token", kind="small tc")
    figure.text(255, 318, "✗ head 0: token 0 twice,", kind="small tb")
    figure.text(255, 332, "and never token 2", kind="small tb")
    return figure


def _heads(figure: Figure, left: float, heads: list[list]) -> None:
    for place, rows in enumerate(heads):
        x = left + 74 * place
        tones = [["a" if int(n) % 4 in (1, 2) else "b" for n in row] for row in rows]
        figure.text(x + 30, 192, f"head {place}", kind="small soft")
        figure.cells(x, 200, rows, tones=tones)


FIGURES = {"split": split}
