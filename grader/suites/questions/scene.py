"""There is nothing to see."""

from __future__ import annotations

NO_PICTURE = "its answers are numbers and letters, which `grader check` puts side by side"
