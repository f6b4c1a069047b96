"""Where things lie in a course, and which course is meant."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course.about import About, about
from grader.course.released import FILE_NAME, read_facts
from grader.errors import CourseNotFound

VARIABLE = "GRADER_COURSE"  # as --course, for all commands of a shell and for their processes
POINTER = ".grader-course"  # in a learner's folder: where the course lies that it was made from
_CATALOG = Path("exercises", "catalog.toml")
_OWN = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Course:
    """A folder with a catalog, pages, solutions and suites."""

    root: Path

    @property
    def exercises(self) -> Path:
        return self.root / "exercises"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def suites(self) -> Path:
        """In the checkout of the engine they lie beside it."""
        folder = self.root / "grader" if (self.root / "grader").is_dir() else self.root
        return folder / "suites"

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

    @property
    def catalog(self) -> Path:
        return self.root / _CATALOG

    @property
    def about(self) -> About:
        """What the catalog says at its top; raises ``CatalogError``."""
        return about(self.catalog.read_text(encoding="utf-8") if self.catalog.exists() else "")

    @property
    def extended(self) -> Course | None:
        """The course whose exercises are this one's too; raises ``CourseNotFound``."""
        place = self.about.extends
        return course_to_extend(self.root, place) if place else None

    @property
    def line(self) -> Iterator[Course]:
        """This course, the one that it extends, the one which that extends."""
        course: Course | None = self
        seen: list[Course] = []
        while course is not None:
            if course in seen:
                raise CourseNotFound(f"{self.root} extends a course that extends it.")
            seen.append(course)
            yield course
            course = course.extended

    def home(self, name: str) -> Course:
        """Whose exercise it is: the first in line with such a page."""
        for course in self.line:
            if (course.solutions / f"{name}.py").exists():
                return course
        return self

    @property
    def solution_texts(self) -> dict[str, str]:
        """All solutions, as the files of a submission: module name -> text."""
        pages = [p for course in reversed([*self.line]) for p in course.solutions.glob("*.py")]
        texts = {page.stem: page.read_text(encoding="utf-8") for page in pages}
        return dict(sorted(texts.items()))

    def stub(self, name: str) -> Path:
        return self.exercises / f"{name}.py"

    def solution(self, name: str) -> Path:
        return self.home(name).solutions / f"{name}.py"

    def drawings(self, name: str) -> Path:
        """What draws the figures of the page; there need not be any."""
        return self.home(name).solutions / "figures" / f"{name}.py"

    def figure(self, name: str, figure: str) -> Path:
        """A figure as a file, which the page names."""
        return self.home(name).exercises / "figures" / f"{name}_{figure}.svg"

    def suite(self, name: str) -> Path:
        return self.home(name).suites / name / f"test_{name}.py"

    def misconceptions(self, name: str) -> Path:
        return self.home(name).suites / name / "misconceptions.py"

    def variants(self, name: str) -> Path:
        """Right answers in other styles; there need not be any."""
        return self.home(name).root / "tests" / "variants" / f"{name}.py"

    def equivalent(self, name: str) -> Path:
        """Which automatic slips leave the solution right; there need not be any."""
        return self.home(name).suites / name / "equivalent.toml"

    def scene(self, name: str) -> Path:
        """What there is to see in the exercise; there need not be any."""
        if self.is_released:
            return self.practice / "scenes" / f"{name}.py"
        return self.home(name).suites / name / "scene.py"

    def predictions(self, name: str) -> Path:
        """What is asked before the code is written; there need not be any."""
        if self.is_released:
            return self.practice / "predictions" / f"{name}.json"
        return self.home(name).suites / name / "predictions.py"

    @property
    def finale(self) -> Path:
        """What is trained at the end, a package; there need not be any."""
        if self.is_released:
            return self.practice / "finale"
        found = (course.solutions / "finale" for course in self.line)
        return next((place for place in found if place.is_dir()), self.solutions / "finale")

    def shown(self, path: Path) -> str:
        """A path as it is spoken of: from the course's folder on, where it lies in it."""
        inside = path.is_relative_to(self.root)
        return (path.relative_to(self.root) if inside else path).as_posix()


def course_to_extend(root: Path, place: str) -> Course:
    """The course in the folder ``place``, as seen from ``root``, or the one that is called so and
    in the checkout that this package runs from; raises ``CourseNotFound``.
    """
    found, own = Course(Path(os.path.abspath(root / place))), Course(_OWN)
    if found.catalog.exists():
        return found
    if own.catalog.exists() and own.about.name == place:
        return own
    raise CourseNotFound(
        f"{root} extends {place!r}, and there is no such course: {found.root} holds no "
        f"{_CATALOG.as_posix()}, and grader runs from no checkout of a course that is called so. "
        "Write the folder in which it lies, in exercises/catalog.toml."
    )


def find_course() -> Course:
    """The course that ``--course`` or ``GRADER_COURSE`` names; else the one above the current
    folder; else the checkout that this package runs from.

    Raises ``CourseNotFound`` where there is none, and for one that is not whole.
    """
    named = os.environ.get(VARIABLE, "")
    course = Course(Path(os.path.abspath(named))) if named else course_above(_here()) or _own()
    if not course.catalog.exists():
        raise CourseNotFound(
            f"{course.root}, which --course or {VARIABLE} names, is no course: it holds no "
            f"{_CATALOG.as_posix()}. Name the folder above exercises/; `grader new course DIR` "
            "makes one."
        )
    if course.is_released:
        read_facts(course.root)  # says if it is of another version
        return course
    needed = (course.solutions, course.suites)
    missing = [f"{course.shown(folder)}/" for folder in needed if not folder.is_dir()]
    if missing:
        raise CourseNotFound(
            f"{course.root} is a copy of the course without {' and '.join(missing)}, which nothing "
            "can be checked or shown without: use a whole clone, or ask whoever gave you this copy."
        )
    return course


def course_above(place: Path) -> Course | None:
    """The course that a file or folder belongs to, or that a learner's folder was made from."""
    for folder in (place, *place.parents):
        if (folder / _CATALOG).is_file():
            return Course(folder)
        if (folder / POINTER).is_file():
            return Course(Path((folder / POINTER).read_text(encoding="utf-8").strip()))
    return None


def is_own(course: Course) -> bool:
    """Whether it is the checkout that this package runs from."""
    return course.root == _OWN


def _own() -> Course:
    course = Course(_OWN)
    if not course.catalog.exists():
        raise CourseNotFound(
            "There is no course here, and this installation of grader holds none. Go into the "
            f"folder of one, or name it: --course DIR, or {VARIABLE}=DIR. "
            "`grader new course DIR` makes one."
        )
    return course


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was deleted meanwhile
        return _OWN
