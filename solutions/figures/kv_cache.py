"""The figures of the page ``kv_cache``."""

from grader.figures import Figure

PROMPT, TOKENS = 3, "56789"  # of the worked example


def steps() -> Figure:
    """Which tokens go through the model in each of three steps: on the left without a cache."""
    figure = Figure(204)
    figure.text(77, 20, "without a cache", kind="small strong")
    figure.text(263, 20, "with a cache", kind="small strong")
    for step in range(3):
        top, length = 36 + 40 * step, PROMPT + step
        for place in range(length):
            is_new = step == 0 or place == length - 1
            figure.box(12 + 26 * place, top, 24, 26, TOKENS[place], "a")
            figure.box(198 + 26 * place, top, 24, 26, TOKENS[place], "a" if is_new else "d")
    figure.text(77, 174, "3 + 4 + 5 = 12", kind="small")
    figure.text(263, 174, "3 + 1 + 1 = 5", kind="small")
    figure.box(40, 186, 12, 12, "", "a")
    figure.text(58, 196, "goes through the model", kind="small soft", anchor="start")
    figure.box(232, 186, 12, 12, "", "d")
    figure.text(250, 196, "is stored", kind="small soft", anchor="start")
    return figure


FIGURES = {"steps": steps}
