"""The wheel that is taken to a platform."""

from __future__ import annotations

import base64
import hashlib
import io
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

import grader
from grader.platforms.engine import WHEEL, needs, torch_version, wheel

ROOT = Path(grader.__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def held():
    """What is in it, by name."""
    with zipfile.ZipFile(io.BytesIO(wheel())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def one(held, ending):
    (name,) = [name for name in held if name.endswith(ending)]
    return held[name]


class TestTheWheel:
    def test_holds_no_suite_and_no_solution(self, held):
        """What may be installed at students' too."""
        secret = [name for name in held if name.startswith(("grader/suites", "solutions", "tests"))]
        pages = {name: raw for name, raw in held.items() if name.endswith(".py")}
        marked = [name for name, raw in pages.items() if b"\n    # BEGIN SOLUTION\n" in raw]

        assert secret + marked == []

    def test_holds_all_else_that_the_package_is(self, held):
        """Programs, migrations, templates; its own as well."""
        wanted = {"grader/pipeline.py", "grader/report/feedback_page.html", "grader/__main__.py"}
        wanted |= {"grader/course/templates/suite.py.jinja"}
        wanted |= {"grader/platforms/templates/setup.sh.jinja"}

        assert wanted <= set(held)
        assert [name for name in held if "__pycache__" in name] == []

    def test_lists_itself(self, held):
        """pip compares every file with its digest."""
        rows = [line.rsplit(",", 2) for line in one(held, "/RECORD").decode().splitlines()]
        listed = {name: said for name, said, _ in rows if said}

        assert {name for name, _, _ in rows} == set(held)
        assert listed == {
            name: f"sha256={digest(raw)}" for name, raw in held.items() if "/RECORD" not in name
        }

    def test_says_what_it_needs(self, held):
        """As ``pyproject.toml`` does, in the form that an index takes."""
        told = Metadata.from_email(one(held, "/METADATA"))

        assert (told.name, str(told.version)) == (PROJECT["name"], grader.__version__)
        assert str(told.requires_python) == PROJECT["requires-python"]
        assert len(told.requires_dist) == len(PROJECT["dependencies"])

    def test_brings_the_command(self, held):
        """``grader``, as everywhere."""
        assert one(held, "/entry_points.txt").decode() == (
            "[console_scripts]\ngrader = grader.cli:main\n"
        )

    def test_is_named_as_wheels_are(self):
        """For any Python and any machine."""
        name, version, _, tags = parse_wheel_filename(WHEEL)

        assert (name, str(version)) == (PROJECT["name"], grader.__version__)
        assert {str(tag) for tag in tags} == {"py3-none-any"}

    def test_is_the_same_bytes_every_time(self):
        """Who builds twice can compare."""
        assert wheel() == wheel()


def digest(raw):
    return base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).rstrip(b"=").decode()


class TestWhereThereIsNoCheckout:
    def test_the_installed_package_says_what_it_needs(self, monkeypatch, tmp_path):
        """The same, but for what only its extras need."""
        monkeypatch.setattr("grader.platforms.engine._PACKAGE", tmp_path / "grader")

        assert "numpy>=1.26" in needs().packages
        assert [one for one in needs().packages if "extra" in one] == []


def test_torch_is_named_without_its_kind():
    """An index for processors has 2.13.0+cpu where that for GPUs has 2.13.0."""
    assert "+" not in torch_version()
