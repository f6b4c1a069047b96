"""The figures of the page ``projections_by_hand``."""

from grader.figures import Figure

WORDS = ("Your", "journey", "starts", "with", "one", "step")
SCORES = (1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440)  # of the worked example, for "journey"
WEIGHTS = (0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820)
ALL_WEIGHTS = (  # of the second one
    (0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510),
    (0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477),
    (0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480),
    (0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564),
    (0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585),
    (0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529),
)
_WIDE, _TALL = 40, 23


def one_word() -> Figure:
    """From the rows of six words to the context vector of the second one."""
    figure = Figure(388)
    figure.box(94, 8, 152, 40, "x (6, 3)\na row for each word")
    ways = (
        (8, "W_query", "query of\n“journey”\n(0.43, 1.46)", "a"),
        (122, "W_key", "keys\nof all words\n(6, 2)", "b"),
        (236, "W_value", "values\nof all words\n(6, 2)", "c"),
    )
    for left, matrix, text, tone in ways:
        middle = left + 48
        figure.line((170, 48), (170, 60), (middle, 60))
        figure.arrow((middle, 60), (middle, 92))
        figure.text(middle + 6, 80, matrix, kind="small", anchor="start")
        figure.box(left, 94, 96, 62, text, tone)
    figure.line((56, 156), (56, 168), (170, 168))
    figure.arrow((170, 156), (170, 196))
    figure.text(178, 184, "dot products", kind="small", anchor="start")
    for column, word in enumerate(WORDS):
        figure.text(_column(column), 212, word, kind="small soft")
    figure.text(52, 236, "scores", kind="small", anchor="end")
    figure.cells(58, 218, [[f"{score:.2f}" for score in SCORES]], wide=44)
    figure.arrow((170, 250), (170, 274))
    figure.text(178, 266, "over sqrt(2), softmax", kind="small", anchor="start")
    figure.text(52, 296, "weights", kind="small", anchor="end")
    figure.shares(58, 276, [WEIGHTS], wide=44)
    figure.arrow((170, 308), (170, 338))
    figure.line((328, 156), (328, 322), (180, 322))
    figure.text(162, 326, "times", kind="small", anchor="end")
    figure.box(80, 340, 180, 40, "context of “journey”\n(0.31, 0.82)", "d")
    return figure


def _column(number: int) -> float:
    return 80 + 44 * number


def hiding() -> Figure:
    """The weights without the future, before and after every row is divided by its sum."""
    figure = Figure(400)
    past = [row[: place + 1] for place, row in enumerate(ALL_WEIGHTS)]
    shares = [[weight / sum(row) for weight in row] for row in past]
    figure.text(8, 18, "weights of later words set to 0", kind="strong", anchor="start")
    _table(figure, 44, past)
    figure.text(170, 206, "each row divided by its sum", kind="small")
    figure.arrow((60, 190), (60, 214))
    figure.text(8, 230, "weights that sum to 1 again", kind="strong", anchor="start")
    _table(figure, 256, shares)
    return figure


def _table(figure: Figure, top: float, rows: list[tuple[float, ...]] | list[list[float]]) -> None:
    figure.text(332, top - 8, "sum", kind="small soft", anchor="end")
    for place, row in enumerate(rows):
        down = top + _TALL * place
        figure.text(52, down + 16, WORDS[place], kind="small soft", anchor="end")
        figure.shares(58, down, [row], wide=_WIDE, tall=_TALL)
        later = ["0"] * (len(WORDS) - len(row))
        figure.cells(58 + _WIDE * len(row), down, [later], wide=_WIDE, tall=_TALL)
        figure.text(332, down + 16, f"{sum(row):.2f}", kind="small", anchor="end")


FIGURES = {"one_word": one_word, "hiding": hiding}
