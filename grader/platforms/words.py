"""What a student reads where a platform runs the grader, beside what exports say."""

from __future__ import annotations

NO_MARK = (
    "Your work has arrived, and has no mark yet: the grader itself failed. It is not your fault "
    "and costs you nothing. Your instructor sees why, and can let it run again."
)
