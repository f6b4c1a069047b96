"""The figures of the page ``multi_head_attention``."""

from grader.figures import Figure


def flow() -> Figure:
    """From the inputs through the heads to the output."""
    figure = Figure(398)
    for left, named, tone in ((8, "query", "a"), (122, "key", "b"), (236, "value", "c")):
        middle = left + 48
        figure.box(left, 8, 96, 30, named, tone)
        figure.arrow((middle, 38), (middle, 66))
        figure.text(middle - 6, 56, f"w_{named[0]}", kind="small", anchor="end")
        figure.box(left, 68, 96, 30, "H*d wide", tone)
        figure.arrow((middle, 98), (middle, 126))
    figure.text(113, 116, "split_heads", kind="small")
    figure.text(227, 116, "split_heads", kind="small")
    for head, top in enumerate((128, 176)):
        figure.box(8, top, 324, 40, "", "d")
        figure.text(16, top + 24, f"head {head}", kind="small strong", anchor="start")
        for left, named, tone in ((66, "q", "a"), (98, "k", "b"), (130, "v", "c")):
            figure.box(left, top + 7, 26, 26, named, tone)
        figure.arrow((158, top + 20), (176, top + 20))
        figure.text(182, top + 24, "attention", kind="small", anchor="start")
        figure.arrow((238, top + 20), (256, top + 20))
        figure.box(258, top + 7, 68, 26, "(T, d)", "c")
    figure.text(20, 234, "… H heads, each with weights of its own", anchor="start",
                kind="small soft")  # fmt: skip
    figure.arrow((170, 242), (170, 268))
    figure.text(178, 260, "merge_heads", kind="small", anchor="start")
    figure.box(90, 270, 160, 32, "(T, H*d)", "c")
    figure.arrow((170, 302), (170, 338))
    figure.text(178, 324, "w_o mixes the heads", kind="small", anchor="start")
    figure.box(90, 340, 160, 32, "out (T, d_model)", "c")
    figure.text(170, 391, "the axis of sentences, B, is left out", kind="small soft")
    return figure


FIGURES = {"flow": flow}
