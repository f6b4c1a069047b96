"""There is nothing to see."""

from __future__ import annotations

NO_PICTURE = "its answers are texts and their scores, which `grader check` puts side by side"
