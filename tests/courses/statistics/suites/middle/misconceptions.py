"""Wrong answers to ``middle``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

wrong("arithmetic_mean", "divides_by_one_less", "the_mean_divides_by_the_count",
    """You divide by n - 1. That belongs to the variance: a mean is the sum of n numbers over n.""",
    "x.shape[-1]", "(x.shape[-1] - (x.dim() == 1))")

wrong("arithmetic_mean", "one_mean_for_all", "every_sample_has_its_own_mean",
    """You take one mean of the whole table. Every row is a sample of its own.""",
    "x.sum(dim=-1) / x.shape[-1]", "x.mean()")

SORTED, EVEN = "the_sample_is_sorted_for_the_median", "an_even_number_has_two_in_the_middle"

wrong("middle_value", "not_sorted", f"{SORTED} {EVEN}",
    """You take the number that stands in the middle. Sort the sample before you look there.""",
    "x.sort().values", "x")

wrong("middle_value", "sorted_where_even", SORTED,
    """You sort samples with an even number of numbers only. All of them must be sorted.""",
    "x.sort().values", "x if len(x) % 2 else x.sort().values")

wrong("middle_value", "upper_of_two", EVEN,
    """You take the upper one of the two numbers in the middle. Their mean is the median.""",
    "in_order[half] if len(x) % 2 else (in_order[half - 1] + in_order[half]) / 2", "in_order[half]")
