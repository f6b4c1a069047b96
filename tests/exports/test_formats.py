"""Rules that every format keeps."""

from __future__ import annotations

import os
import re

import pytest
from typer.main import get_command

from grader.cli.app import app
from grader.exports.formats import NAMES, PAGES, TABLES, page_path
from grader.model import Outcome

CONTEXT = {"CLASSROOM": "nlp", "ASSIGNMENT": "ps1"}
POINTS = 23.5  # found in no page by chance


class TestNoVerdict:
    @pytest.mark.parametrize("name", TABLES)
    def test_is_no_number_in_a_table(self, report, verdict, name):
        """The part that is known is no mark either; that of another exercise is."""
        checks = [verdict(points=POINTS), verdict(Outcome.INTERNAL)]
        one = report(softmax=checks, masks=[verdict(points=7.25)])
        text = TABLES[name]([one])

        assert not re.search(r"30\.75", text)  # the sum of what is known
        assert "7.25" in text or name == "junit"

    @pytest.mark.parametrize("name", PAGES)
    def test_is_no_number_in_a_page(self, report, verdict, name):
        """If there is a page at all."""
        one = report(softmax=[verdict(points=POINTS), verdict(Outcome.INTERNAL)])
        text = PAGES[name](one, CONTEXT)

        assert text is None or not re.search(rf"score\D*{POINTS}|\*\*{POINTS}", text)

    @pytest.mark.parametrize("name", PAGES)
    def test_is_a_number_with_one(self, report, verdict, name):
        """Otherwise the rule above would say nothing."""
        one = report(softmax=[verdict(points=POINTS), verdict(Outcome.FAILED)])
        text = PAGES[name](one, CONTEXT)

        assert re.search(rf"score\D*({POINTS}|47)|\*\*{POINTS}", text)


class TestThePlaceOfAPage:
    @pytest.mark.parametrize("name", ["..", ".", "../x", "/etc/x", ".hidden", "x" * 300, "ü" * 200])
    @pytest.mark.parametrize("format_name", PAGES)
    def test_is_in_the_folder(self, report, verdict, tmp_path, format_name, name):
        """Whatever a submission is called, and however long."""
        path = tmp_path / page_path(format_name, report(name, softmax=[verdict()]))
        above = os.path.normpath(path)

        assert above.startswith(f"{tmp_path}{os.sep}")
        assert above == str(path)
        assert all(len(part.encode()) <= 143 for part in path.relative_to(tmp_path).parts)


def test_the_command_names_them_all():
    """What its help says is what there is."""
    said = next(
        p.help for p in get_command(app).commands["export"].params if p.name == "format_name"
    )

    assert set(re.findall(r"[a-z0-9-]+", said)) - {"or"} == set(NAMES)
