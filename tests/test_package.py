"""What leaves the house: the wheel and the source archive hold no solution and no suite."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string

import pytest
from packaging.metadata import Metadata

from grader import DISTRIBUTION, __version__
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


def test_it_is_typed(built):
    """Who uses the package has its types checked (PEP 561)."""
    assert "grader/py.typed" in names_in(built)


@pytest.fixture(scope="module")
def text(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


@pytest.fixture(scope="module")
def metadata(text):
    return Metadata.from_email(text, validate=True)


class TestMetadata:
    """What a package index shows, and refuses where it is wrong."""

    def test_is_valid(self, metadata):
        """By the standard's own rules, with the name and version that the package says itself."""
        assert (metadata.name, str(metadata.version)) == (DISTRIBUTION, __version__)

    def test_says_license_and_python(self, metadata):
        """As an expression (PEP 639), with the file, and in no classifier beside it."""
        assert (metadata.license_expression, metadata.license_files) == ("MIT", ["LICENSE"])
        assert str(metadata.requires_python) == ">=3.11"
        assert [name for name in metadata.classifiers if name.startswith("License")] == []

    def test_shows_the_readme(self, text, metadata):
        """As Markdown."""
        readme = (COURSE.root / "README.md").read_text(encoding="utf-8")

        assert metadata.description_content_type == "text/markdown"
        assert message_from_string(text).get_payload().strip() == readme.strip()

    def test_can_be_searched(self, metadata):
        """By words, and by what an index calls them, which the builder knows and compares."""
        assert "Typing :: Typed" in metadata.classifiers
        assert "transformer" in metadata.keywords


def test_it_is_built_the_same_elsewhere(built, tmp_path):
    """In another folder, by another user, at another time: byte for byte, so that anybody can see
    that an archive was made of this source.
    """
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in PACKED:
        source = COURSE.root / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=IGNORED)
        else:
            shutil.copyfile(source, copy / name)
    for path in copy.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (86_400 * 365 * 12, 86_400 * 365 * 12))  # 1981; no ZIP is older than 1980
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / "out")]
    elsewhere = {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1", "LC_ALL": "C"}
    subprocess.run(command, cwd=copy, env=os.environ | elsewhere, check=True, capture_output=True)

    assert digests_in(tmp_path / "out") == digests_in(built)


PACKED = ("grader", "exercises", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
PACKED += ("CONTRIBUTING.md", ".gitignore")
IGNORED = shutil.ignore_patterns("suites", "__pycache__")  # which others are writing


def digests_in(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
