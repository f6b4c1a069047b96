"""`grader page`, as a person types it."""

from __future__ import annotations

import pytest

from grader.cli import page as command
from grader.course.course import find_course


class TestPage:
    def test_writes_a_file_of_its_own(self, grader, own):
        """NAME.html where one stands; exit status 0, also where no browser can be opened."""
        done = grader("page", "heads", cwd=own)
        text = (own / "heads.html").read_text(encoding="utf-8")

        assert (done.returncode, done.stdout) == (0, "Written: heads.html\n"), done.stderr
        assert "<svg" in text and "<math" in text

    def test_refuses_in_a_sentence(self, grader, own):
        """Exit status 2: an unknown page, and a place that is not there."""
        unknown = grader("page", "haeds", cwd=own)
        nowhere = grader("page", "heads", "--out", "no/heads.html", cwd=own)

        assert (unknown.returncode, nowhere.returncode) == (2, 2)
        assert "Did you mean 'heads'?" in unknown.stderr
        assert "no/heads.html cannot be written: No such file or directory." in nowhere.stderr


class TestOpening:
    @pytest.fixture
    def opened(self, monkeypatch):
        """Which addresses a browser was asked for."""
        asked = []
        monkeypatch.setattr(command.webbrowser, "open", lambda uri: asked.append(uri) or True)
        monkeypatch.setattr(command.sys, "platform", "linux")
        for name in command._WINDOWS:
            monkeypatch.delenv(name, raising=False)
        return asked

    @pytest.mark.parametrize(
        ("terminal", "display", "count"), [(True, ":0", 1), (False, ":0", 0), (True, "", 0)]
    )
    def test_needs_a_person_and_a_window(
        self, opened, monkeypatch, tmp_path, terminal, display, count
    ):
        """Not from a pipe, and not on a machine without windows."""
        monkeypatch.setenv("DISPLAY", display)
        monkeypatch.setattr(command.sys.stdout, "isatty", lambda: terminal)
        monkeypatch.setenv("GRADER_COURSE", str(find_course().root))
        command.page("residual", tmp_path / "residual.html")

        assert opened == [(tmp_path / "residual.html").as_uri()] * count
