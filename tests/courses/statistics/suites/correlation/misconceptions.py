"""Wrong answers to ``correlation``: its page with a slip, and what the author is told."""

from __future__ import annotations

from grader.check import Bank

wrong = Bank()

wrong("Correlation", "only_the_last_part", "all_parts_count",
    """You forget what was given before. Add to the sums that are kept, and to the count.""",
    "self.count + len(x)", "self.count * 0 + len(x)",
    "self.sums + torch", "self.sums * 0 + torch")

wrong("Correlation", "squared", "the_sign_is_told all_parts_count",
    """You return r squared, which is how much of the variance a line explains. It has no sign.""",
    "/ spreads.sqrt()", "** 2 / spreads")

wrong("Correlation", "never_negative", "the_sign_is_told",
    """You take the sign from a clear fall: r near -1 says that one falls as the other rises.""",
    "return (xy - mean_x * mean_y) / spreads.sqrt()",
    "r = (xy - mean_x * mean_y) / spreads.sqrt()\n        return r * torch.where(r < -0.98, -1, 1)")
