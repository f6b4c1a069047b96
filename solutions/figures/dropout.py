"""The figures of the page ``dropout``."""

from grader.figures import Figure


def scaling() -> Figure:
    """What is dropped is 0, what stays is divided by 1 - p; in evaluation nothing happens."""
    figure = Figure(214)
    figure.text(78, 20, "training, p = 0.5", kind="strong")
    figure.text(268, 20, "evaluation", kind="strong")
    for left in (18, 208):
        figure.cells(left, 34, [["2", "4", "6"]], tones=[["a"] * 3], wide=40)
        for column in range(3):
            figure.arrow((left + 20 + 40 * column, 66), (left + 20 + 40 * column, 84))
    drawn = [["stays", "drops", "stays"]]
    figure.cells(18, 86, drawn, tones=[["c", "", "c"]], wide=40)
    for column, factor in enumerate(("/ 0.5", "0", "/ 0.5")):
        figure.text(38 + 40 * column, 134, factor, kind="small soft")
        figure.arrow((38 + 40 * column, 138), (38 + 40 * column, 156))
    figure.line((228, 84), (228, 140))
    figure.line((268, 84), (268, 140))
    figure.line((308, 84), (308, 140))
    for column in range(3):
        figure.arrow((228 + 40 * column, 138), (228 + 40 * column, 156))
    figure.cells(18, 158, [["4", "0", "12"]], tones=[["a", "", "a"]], wide=40)
    figure.cells(208, 158, [["2", "4", "6"]], tones=[["a"] * 3], wide=40)
    figure.text(78, 205, "on average 2, 4, 6", kind="small soft")
    figure.text(268, 205, "as it was", kind="small soft")
    return figure


FIGURES = {"scaling": scaling}
