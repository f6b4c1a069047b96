"""The figures of the page ``tokenizer``."""

from grader.figures import Figure

ROWS = (  # what is joined in each row, and the tokens after it, of the worked example
    ("11 bytes", "a a a b d a a a b a c"),
    ("a + a = 256", "aa a b d aa a b a c"),
    ("aa + a = 257", "aaa b d aaa b a c"),
    ("aaa + b = 258", "aaab d aaab a c"),
)
TONES = {2: "a", 3: "b", 4: "c"}  # by the length of a token
LETTER = 29.0


def merges() -> Figure:
    """The text aaabdaaabac: eleven bytes, and after each of three merges."""
    figure = Figure(292)
    for row, (said, text) in enumerate(ROWS):
        top, tokens = 22 + 70 * row, text.split()
        figure.text(12, top, said, kind="small strong", anchor="start")
        figure.text(328, top, f"{len(tokens)} tokens", kind="small soft", anchor="end")
        _tokens(figure, top + 8, tokens)
    return figure


def _tokens(figure: Figure, top: float, tokens: list[str]) -> None:
    left = 12.0
    for token in tokens:
        wide = LETTER * len(token)
        figure.box(left, top, wide - 3, 32, token, TONES.get(len(token), ""))
        left += wide


FIGURES = {"merges": merges}
