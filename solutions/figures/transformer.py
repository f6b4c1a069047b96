"""The figures of the page ``transformer``."""

from grader.figures import Figure


def wiring() -> Figure:
    """Encoder on the left, decoder on the right, and which mask goes where."""
    figure = Figure(400)
    for left, source, tone in ((8, "src", "a"), (192, "tgt", "b")):
        middle = left + 70
        figure.text(middle, 18, f"{source} (token numbers)", kind="small")
        figure.arrow((middle, 24), (middle, 42))
        figure.box(left, 44, 140, 44, "embedding\n+ positions", tone)
        figure.arrow((middle, 88), (middle, 124))
    figure.box(8, 126, 140, 92, "", "a")
    figure.text(78, 146, "encoder, N layers", kind="strong small")
    figure.box(18, 156, 120, 24, "self-attention")
    figure.box(18, 186, 120, 24, "feed-forward")
    figure.box(192, 126, 140, 122, "", "b")
    figure.text(262, 146, "decoder, N layers", kind="strong small")
    figure.box(202, 156, 120, 24, "self-attention")
    figure.box(202, 186, 120, 24, "cross-attention")
    figure.box(202, 216, 120, 24, "feed-forward")
    figure.text(12, 112, "src_mask", kind="small td", anchor="start")
    figure.text(328, 112, "tgt_mask", kind="small td", anchor="end")
    figure.line((78, 218), (78, 272), (170, 272), (170, 198))
    figure.arrow((170, 198), (200, 198))
    figure.text(120, 266, "memory", kind="small strong")
    figure.text(14, 292, "with src_mask again:", kind="small td", anchor="start")
    figure.text(14, 307, "pads of the source stay hidden", kind="small td", anchor="start")
    figure.arrow((262, 248), (262, 310))
    figure.box(202, 312, 120, 30, "generator", "c")
    figure.arrow((262, 342), (262, 364))
    figure.text(262, 380, "logits: the next token", kind="small")
    return figure


FIGURES = {"wiring": wiring}
