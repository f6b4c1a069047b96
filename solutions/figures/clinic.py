"""The figures of the page ``clinic``."""

from grader.figures import Figure


def halves() -> Figure:
    """Six steps of a program; each look at a value in the middle halves what is suspected."""
    figure = Figure(236)
    rows = (
        ("suspected: 6", "dddddd", 2),
        ("suspected: 3", "   ddd", 4),
        ("suspected: 1", "   d  ", -1),
    )
    for number, (told, tones, looked) in enumerate(rows):
        y = 34 + 76 * number
        figure.text(14, y - 12, told, kind="small soft", anchor="start")
        for place, tone in enumerate(tones):
            x = 14 + 54 * place
            figure.box(x, y, 38, 28, str(place + 1), tone.strip())
            if place < 5:
                figure.arrow((x + 38, y + 14), (x + 54, y + 14))
            if place == looked:
                word = ("right here: go on behind it", "wrong here: go back")[number]
                figure.line((x + 46, y + 6), (x + 46, y + 40), kind="thick sa")
                figure.text(min(x + 46, 240), y + 52, word, kind="small ta")
    return figure


def sizes() -> Figure:
    """Softmax along the wrong axis, of a square and of an input whose sizes differ."""
    figure = Figure(150)
    for x, columns, told in ((14, 2, "rows sum to 1"), (190, 3, "rows sum to 1.5")):
        figure.shares(x, 34, [[0.5] * columns] * 2, wide=40, tall=36)
        figure.text(x, 22, f"2 queries, {columns} keys", kind="small soft", anchor="start")
        figure.text(x, 128, told, kind="small strong", anchor="start")
    return figure


FIGURES = {"halves": halves, "sizes": sizes}
