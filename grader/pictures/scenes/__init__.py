"""What there is to see in each exercise, and where there is nothing."""

from __future__ import annotations

from grader.pictures.panels import Scene
from grader.pictures.scenes.attention import ATTENTION
from grader.pictures.scenes.layers import LAYERS
from grader.pictures.scenes.models import MODELS
from grader.pictures.scenes.rows import ROWS

COURSE = "transformer-exercises"  # whose exercises these are
SCENES: dict[str, Scene] = ROWS | ATTENTION | LAYERS | MODELS

# A number has no picture.
NO_PICTURE = {
    "parameter_counts": "its answers are single numbers, which `grader check` puts side by side",
    "questions": "its answers are numbers and letters, which `grader check` puts side by side",
}
