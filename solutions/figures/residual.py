"""The figures of the page ``residual``."""

from grader.figures import Figure


def ways() -> Figure:
    """The straight way and the branch, in both forms."""
    figure = Figure(322)
    for left, named in ((8, "pre-norm"), (178, "post-norm")):
        pre = named == "pre-norm"
        straight, branch = left + 22, left + 96
        figure.text(left + 77, 20, named, kind="strong")
        figure.text(straight, 46, "x")
        figure.line((straight, 52), (straight, 231), kind="thick sc")
        figure.line((straight, 66), (branch, 66))
        figure.arrow((branch, 66), (branch, 82))
        parts = [("norm", "a")] * pre + [("sub-layer", "b"), ("dropout", "")]
        top = 84.0
        for text, tone in parts:
            figure.box(branch - 42, top, 84, 30, text, tone)
            figure.line((branch, top + 30), (branch, top + 46))
            top += 46
        figure.arrow((branch, top), (branch, 240), (straight + 9, 240))
        figure.plus(straight, 240)
        if pre:
            figure.arrow((straight, 249), (straight, 304))
        else:
            figure.arrow((straight, 249), (straight, 264))
            figure.box(left, 266, 84, 26, "norm", "a")
            figure.arrow((straight, 292), (straight, 310))
    figure.text(40, 302, "nothing stands on the", kind="small tc", anchor="start")
    figure.text(40, 316, "straight way", kind="small tc", anchor="start")
    return figure


FIGURES = {"ways": ways}
