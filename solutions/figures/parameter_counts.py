"""The figures of the page ``parameter_counts``."""

from grader.figures import Figure

WIDTH, LAYERS = 768, 12
COUNTS = (
    ("feed-forward networks", LAYERS * (2 * WIDTH * 4 * WIDTH + 4 * WIDTH + WIDTH), "b"),
    ("token table", 50_257 * WIDTH, "d"),
    ("attention", LAYERS * 4 * (WIDTH * WIDTH + WIDTH), "a"),
    ("positions", 1_024 * WIDTH, "c"),
    ("norms", (2 * LAYERS + 1) * 2 * WIDTH, "c"),
)


def where() -> Figure:
    """Where the parameters of GPT-2 small sit."""
    figure = Figure(240)
    total = sum(count for _, count, _ in COUNTS)
    figure.text(170, 20, f"GPT-2 small: {total:,} parameters", kind="strong")
    for place, (named, count, tone) in enumerate(COUNTS):
        top = 36 + 40 * place
        share = count / total
        said = f"{named}: {count / 1e6:.2f} million, {share:.1%}"
        figure.text(10, top + 12, said, kind="small", anchor="start")
        figure.bar(10, top + 18, max(640 * share, 1.0), 14, tone)
    return figure


FIGURES = {"where": where}
