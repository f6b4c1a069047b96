"""What leaves the house: the wheel and the source archive hold no solution and no suite."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile

import pytest

from grader.course.course import find_course
from grader.course.release import SECRET

COURSE = find_course()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(COURSE.root)], check=True, capture_output=True, text=True)
    return out


def names_in(folder):
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive, tarfile.open(source) as tar:
        return [*archive.namelist(), *(name.partition("/")[2] for name in tar.getnames())]


def test_no_secret_is_packed(built):
    """Neither solutions nor suites nor tests are in the wheel or the source archive."""
    leaked = [n for n in names_in(built) for secret in SECRET if f"/{n}".find(f"/{secret}/") >= 0]

    assert leaked == []


def test_no_packed_file_holds_a_solution(built):
    """No file in the wheel contains the markers' regions or a misconception's decorator."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        texts = {n: archive.read(n).decode() for n in archive.namelist() if n.endswith(".py")}

    assert [name for name, text in texts.items() if "\nwrong = Bank()\n" in text] == []
    assert [name for name, text in texts.items() if "\n    # BEGIN SOLUTION\n" in text] == []


def test_the_migrations_are_packed(built):
    """A gradebook is made and brought up to date by what was installed."""
    (wheel,) = built.glob("*.whl")
    folder = "grader/gradebook/migrations"
    here = {
        path.relative_to(COURSE.root).as_posix() for path in (COURSE.root / folder).rglob("*.py")
    }
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith(f"{folder}/")}

    assert f"{folder}/versions/revision_1.py" in packed
    assert packed == here


def test_the_grader_itself_is_packed(built):
    """The wheel is not empty."""
    files = {"grader/pipeline.py", "grader/report/feedback_page.html"}
    files.add("grader/course/templates/suite.py.jinja")

    assert files <= set(names_in(built))
