"""The figures of the page ``layer_norm``."""

from grader.figures import Figure

X = (("0", "2", "4", "6"), ("0", "20", "40", "60"), ("5", "5", "5", "9"))
NORMED = (
    ("-1.34", "-0.45", "0.45", "1.34"),
    ("-1.34", "-0.45", "0.45", "1.34"),
    ("-0.58", "-0.58", "-0.58", "1.73"),
)


def axis() -> Figure:
    """Mean and variance are those of one row."""
    figure = Figure(330)
    for row in range(3):
        figure.text(62, 55 + 30 * row, f"token {row}", kind="small soft", anchor="end")
        figure.text(62, 235 + 30 * row, f"token {row}", kind="small soft", anchor="end")
    figure.text(152, 20, "x: one column for each feature", kind="small soft")
    figure.cells(72, 36, X, wide=40)
    figure.frame(70, 34, 164, 34, "a")
    figure.text(242, 50, "one token:", kind="small ta", anchor="start")
    figure.text(242, 64, "mean 3, var 5", kind="small ta", anchor="start")
    figure.line((192, 32), (232, 32), (232, 130), (192, 130), (192, 32), kind="thick dashed sb")
    figure.text(242, 112, "batch norm:", kind="small tb", anchor="start")
    figure.text(242, 126, "one feature", kind="small tb", anchor="start")
    figure.arrow((92, 136), (92, 206))
    figure.text(102, 164, "minus the row's mean, divided by", kind="small", anchor="start")
    figure.text(102, 180, "the row's standard deviation", kind="small", anchor="start")
    tones = [["b" if value.startswith("-") else "a" for value in row] for row in NORMED]
    figure.cells(72, 216, NORMED, tones=tones, wide=40)
    figure.text(242, 235, "one token:", kind="small ta", anchor="start")
    figure.text(242, 249, "mean 0, var 1", kind="small ta", anchor="start")
    figure.text(170, 324, "row 1 is 10 times row 0: the same result",
                kind="small soft")  # fmt: skip
    return figure


FIGURES = {"axis": axis}
