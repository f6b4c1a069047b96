"""Whatever is wrong, every command says it in a sentence."""

from __future__ import annotations

import shutil

import pytest

from grader.course.course import find_course

COURSE = find_course()


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """``course(part)`` is a copy of the course without it."""
    copies = {}

    def course(part):
        if part not in copies:
            copies[part] = copy = tmp_path_factory.mktemp("course")
            for folder in ("grader", "exercises", "solutions"):
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(COURSE.root / folder, copy / folder, ignore=ignored)
            gone = copy / part
            gone.unlink() if gone.is_file() else shutil.rmtree(gone)
        return copies[part]

    return course


class TestAnIncompleteCourse:
    """A class's copy of a checkout, or a clone in which something was deleted."""

    COMMANDS = [
        ["list"], ["hint", "softmax"], ["check", "softmax"], ["reset", "softmax", "--yes"],
        ["solution", "softmax"], ["show", "softmax"], ["watch"], [], ["start", "elsewhere"],
    ]  # fmt: skip

    @pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
    @pytest.mark.parametrize("part", ["solutions", "grader/suites", "solutions/softmax.py"])
    def test_every_command_says_what_is_missing(self, own, course, command, part, grader):
        """In a sentence, and what to do about it; nothing is made or changed."""
        before = sorted(path.name for path in own.iterdir())
        done = grader(*command, cwd=own, course=course(part))

        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert part in done.stderr
        assert "git restore" in done.stderr or "whole clone" in done.stderr
        assert sorted(path.name for path in own.iterdir()) == before

    @pytest.mark.parametrize("command", [["list"], ["check", "softmax"], ["start", "elsewhere"]])
    def test_a_missing_suite_is_said(self, own, course, command, grader):
        """By the commands that need it."""
        part = "grader/suites/softmax/test_softmax.py"
        done = grader(*command, cwd=own, course=course(part))

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"grader: {part} is missing, and without it softmax cannot")
