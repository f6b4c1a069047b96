"""What is said beside a picture; titles and lessons stand in the scenes."""

from __future__ import annotations

# The three columns, and what stands in a frame that is empty.
YOURS = "yours"
EXPECTED = "expected"
DIFFERENCE = "difference"
NO_ANSWER = "no answer"
NOT_COMPARED = "not compared"
NO_DIFFERENCE = "none"
NO_NUMBERS = "no numbers"

# In a terminal.
WRONG_HERE = "wrong here"
NAN_OR = {True: "nan", False: "∞"}
MASK_LEGEND = "█ True   · False"
SHADE_LEGEND = "· nothing   ░ ▒ ▓ in between   █ {high:.2g} or nearly so   - below 0"

# What a panel shows.
AS_EXPECTED = "As expected."
FREE = "One of many right ways: yours may differ."
OTHER_FORM = "The right numbers, but as {got} and not as {wanted}."
LEFT_OUT = "Left out: mend the one that never ends first."
NOT_FINITE = "NaN or infinity in {wrong} of {total} places."
TURNED_ROUND = "{wrong} of {total} places are the other way round."
CHOSEN_WRONG = "{wrong} of {total} are wrong: {row} {verb} {got}, expected {wanted}."
CHOOSES_NOTHING = "nothing"
ALSO_RIGHT = "✓ As expected: {titles}."
SAME_REASON = "✗ No answer, for the same reason: {titles}."
IN_A_GROUP = "{group} {number}, {label}"
DIFFERS = "Differs by up to {most:.2g}, most {where}."
IN_A_CURVE = "in “{line}” at {x} = {value:.2g}"
IN_A_CELL = "at {row}, {column}"
TENSOR = "a tensor of {dtype}"
ARRAY = "an array of {dtype}"
COMPLEX = "complex numbers"

# Where nothing can be drawn.
NO_PICTURE = "There is no picture of {exercise!r}."
NO_PICTURE_FOR = "There is no picture of {exercise!r}: {why}."
NO_MATPLOTLIB = (
    "Pictures are drawn with matplotlib, which is not installed: `pip install matplotlib`."
)
