"""The figures of the page ``gpt``."""

from grader.figures import Figure


def block() -> Figure:
    """The model on the left, one of its blocks on the right."""
    figure = Figure(372)
    figure.text(66, 18, "idx (T numbers)", kind="small")
    figure.arrow((66, 24), (66, 40))
    figure.box(6, 42, 120, 44, "token vectors\n+ positions", "a")
    figure.arrow((66, 86), (66, 104))
    for place in range(3):
        top = 106 + 44 * place
        figure.box(6, top, 120, 28, ("block", "block", "… n_layer blocks")[place], "d")
        figure.arrow((66, top + 28), (66, top + 42))
    figure.box(6, 238, 120, 28, "norm", "c")
    figure.arrow((66, 266), (66, 284))
    figure.box(6, 286, 120, 44, "matrix W\n(V, n_embd)", "a")
    figure.arrow((66, 330), (66, 346))
    figure.text(66, 362, "logits (T, V)", kind="small")
    figure.line((126, 106), (158, 30), kind="dashed")
    figure.line((126, 134), (158, 346), kind="dashed")
    _inside(figure)
    return figure


def _inside(figure: Figure) -> None:
    """Pre-norm: two branches beside a straight way."""
    figure.box(158, 28, 176, 320, "", "d")
    figure.text(246, 46, "one block", kind="strong small")
    straight, middle = 178, 264
    figure.line((straight, 34), (straight, 60), kind="thick sc")
    for top, parts in (
        (60, (("norm", "c"), ("causal attention", "a"))),
        (200, (("norm", "c"), ("feed-forward", "b"))),
    ):
        figure.line((straight, top), (straight, top + 109), kind="thick sc")
        figure.line((straight, top + 6), (middle, top + 6))
        figure.arrow((middle, top + 6), (middle, top + 18))
        for place, (named, tone) in enumerate(parts):
            figure.box(middle - 60, top + 18 + 40 * place, 122, 26, named, tone)
            figure.line((middle, top + 44 + 40 * place), (middle, top + 58 + 40 * place))
        figure.arrow((middle, top + 98), (middle, top + 118), (straight + 9, top + 118))
        figure.plus(straight, top + 118)
        figure.line((straight, top + 127), (straight, top + 140), kind="thick sc")


FIGURES = {"block": block}
