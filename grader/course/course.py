"""Where things lie in a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.course.released import FILE_NAME
from grader.errors import CourseNotFound


@dataclass(frozen=True)
class Course:
    """The folders of one checkout."""

    root: Path

    @property
    def exercises(self) -> Path:
        return self.root / "exercises"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def suites(self) -> Path:
        return self.root / "grader" / "suites"

    @property
    def practice(self) -> Path:
        """What a course that was given away holds in the place of solutions and suites."""
        return self.root / "practice"

    @property
    def is_released(self) -> bool:
        """Whether it was given away: it then holds neither solutions nor suites."""
        return (self.root / FILE_NAME).is_file()

    def page(self, name: str) -> Path:
        """From which an exercise's stub and names are taken."""
        return self.practice / "pages" / f"{name}.py" if self.is_released else self.solution(name)

    def variants(self, name: str) -> Path:
        """Right programs that are written differently; there need not be any."""
        return self.root / "tests" / "variants" / f"{name}.py"

    @property
    def catalog(self) -> Path:
        return self.exercises / "catalog.toml"

    @property
    def solution_texts(self) -> dict[str, str]:
        """All solutions, as the files of a submission: module name -> text."""
        pages = sorted(self.solutions.glob("*.py"))
        return {page.stem: page.read_text(encoding="utf-8") for page in pages}

    def stub(self, name: str) -> Path:
        return self.exercises / f"{name}.py"

    def solution(self, name: str) -> Path:
        return self.solutions / f"{name}.py"

    def suite(self, name: str) -> Path:
        return self.suites / name / f"test_{name}.py"

    def misconceptions(self, name: str) -> Path:
        return self.suites / name / "misconceptions.py"

    def equivalent(self, name: str) -> Path:
        """Which automatic slips leave the solution right; there need not be any."""
        return self.suites / name / "equivalent.toml"


def find_course() -> Course:
    """The released folder that one stands in, or the checkout this package runs from; raises
    ``CourseNotFound`` for less than that.
    """
    here = Path.cwd()
    released = next((c for c in map(Course, (here, *here.parents)) if c.is_released), None)
    if released is not None:
        return released
    course = Course(Path(__file__).resolve().parents[2])
    if not course.catalog.exists():
        raise CourseNotFound(
            "This installation holds no suites or solutions. Grading needs a checkout of the "
            "course: clone it and install it with `pip install -e .`"
        )
    needed = {"solutions/": course.solutions, "grader/suites/": course.suites}
    missing = [name for name, folder in needed.items() if not folder.is_dir()]
    if missing:
        raise CourseNotFound(
            f"{course.root} is a copy of the course without {' and '.join(missing)}, which nothing "
            "can be checked or shown without: use a whole clone, or ask whoever gave you this copy."
        )
    return course
