"""A container's recipe: a Dockerfile, and beside it what goes into the image."""

from __future__ import annotations

import shlex

from grader.course.course import Course
from grader.platforms.engine import WHEEL, needs, torch_version, wheel
from grader.platforms.packed import Files, rendered

PYTHON = "3.12"  # of the image
_IGNORED = "*\n!course*\n!*.whl\n"
_SECRET = "The course, solutions and hidden checks too: push this image to no public registry."
_PRACTICE = "The course as students have it: there is nothing secret in this image."


def folder(course: Course, files: Files) -> dict[str, bytes]:
    """What ``docker build`` is run in; ``files`` are the course's."""
    others = sorted({name.partition("/")[0] for name in files} - {"course"})
    recipe = rendered(
        "Dockerfile",
        title=course.about.shown or course.root.name,
        python=PYTHON,
        torch=torch_version(),
        packages=" ".join(shlex.quote(one) for one in needs().packages if not _is_torch(one)),
        wheel=WHEEL,
        warning=_PRACTICE if course.is_released else _SECRET,
        more="".join(f"\nCOPY {name} /{name}" for name in others),
    )
    return {"Dockerfile": recipe, ".dockerignore": _IGNORED.encode(), WHEEL: wheel(), **files}


def _is_torch(requirement: str) -> bool:
    return requirement.startswith("torch") and not requirement.startswith("torchvision")
