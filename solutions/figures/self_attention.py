"""The figures of the page ``self_attention``."""

from grader.figures import Figure

WEIGHTS = ((0.1554, 0.4223, 0.4223), (0.0634, 0.4683, 0.4683), (0.0243, 0.4879, 0.4879))
CAUSAL = ((1.0, 0.0, 0.0), (0.1192, 0.8808, 0.0), (0.0243, 0.4879, 0.4879))


def roles() -> Figure:
    """One token row becomes a query, a key and a value; two of them make the weights."""
    figure = Figure(262)
    figure.box(120, 8, 100, 40, "x (T, d_in)")
    for left, matrix, named, tone in (
        (8, "W_query", "q", "a"),
        (122, "W_key", "k", "b"),
        (236, "W_value", "v", "c"),
    ):
        middle = left + 48
        figure.line((170, 48), (170, 60), (middle, 60))
        figure.arrow((middle, 60), (middle, 96))
        figure.text(middle - 6, 82, matrix, kind="small", anchor="end")
        figure.box(left, 98, 96, 36, f"{named} (T, d_out)", tone)
    figure.line((56, 136), (56, 150), (113, 150))
    figure.line((170, 136), (170, 150), (113, 150))
    figure.arrow((113, 150), (113, 168))
    figure.box(38, 170, 150, 36, "weights (T, T)", "d")
    figure.line((113, 208), (113, 220), (190, 220))
    figure.line((284, 136), (284, 220), (190, 220))
    figure.arrow((190, 220), (190, 228))
    figure.box(130, 228, 120, 30, "out (T, d_out)", "c")
    return figure


def causal() -> Figure:
    """The weights of the example, without and with the mask that hides the future."""
    figure = Figure(194)
    for left, named, rows in ((36, "every token", WEIGHTS), (204, "causal", CAUSAL)):
        figure.text(left + 57, 18, named, kind="strong")
        for column in range(3):
            figure.text(left + 19 + 38 * column, 36, f"key {column}", kind="small soft")
        figure.shares(left, 44, rows, wide=38, tall=34)
    for row in range(3):
        figure.text(30, 66 + 34 * row, f"q {row}", kind="small soft", anchor="end")
        figure.text(198, 66 + 34 * row, f"q {row}", kind="small soft", anchor="end")
    figure.text(170, 172, "above the diagonal is the future", kind="small soft")
    figure.text(170, 187, "each row sums to 1 in both", kind="small soft")
    return figure


FIGURES = {"roles": roles, "causal": causal}
