"""Wrong answers to ``spread``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

CORRECTED, UNITS = "the_variance_is_corrected", "units_are_those_of_the_spread"

wrong("variance", "divides_by_n", f"{CORRECTED} {UNITS}",
    """You divide by n. The mean was taken from the same numbers, so divide by n - 1.""",
    "(len(x) - 1)", "len(x)")

wrong("variance", "divides_small_samples_by_n", CORRECTED,
    """You divide by n where the sample is small. Where it is small it matters most: n - 1.""",
    "(len(x) - 1)", "(len(x) - (len(x) > 5))")

wrong("variance", "large_means_are_kept", "differences_are_from_the_mean",
    """You square large numbers as they are: it is their differences from the mean that count.""",
    "x - x.mean()", "x - x.mean() * (x.mean().abs() < 20)")

wrong("standardized", "divides_by_the_variance", UNITS,
    """You divide by the variance, which is in squared units. Its square root is the spread.""",
    "/ spread", "/ spread.square()")

wrong("standardized", "nothing_is_refused", "equal_numbers_are_refused",
    """You divide by zero where all numbers are equal. Raise a ValueError for such a sample.""",
    "if spread == 0:", "if spread < 0:")
