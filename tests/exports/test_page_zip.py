"""One archive of pages: the same bytes each time, names for every system, Moodle's folders."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import PurePath

import pytest

from grader.collect.shapes import moodle
from grader.exports.page_zip import moodle_folder, zipped


def names(*paths):
    """What pages of these paths are called in an archive."""
    content = zipped({PurePath(path): path for path in paths})
    return zipfile.ZipFile(io.BytesIO(content)).namelist()


class TestAnArchive:
    def test_is_the_same_each_time(self):
        """In whatever order the pages came, and whenever."""
        pages = {PurePath("b.html"): "two", PurePath("a.html"): "one"}

        assert zipped(pages) == zipped(dict(reversed(pages.items())))

    def test_holds_the_pages(self):
        """As they are, and readable for who unpacks it."""
        archive = zipfile.ZipFile(io.BytesIO(zipped({PurePath("Zoë.html"): "grün"})))
        (entry,) = archive.infolist()

        assert archive.read(entry).decode() == "grün"
        assert (entry.filename, entry.external_attr >> 16 & 0o777) == ("Zoë.html", 0o644)

    def test_loses_none(self):
        """What is one name on macOS or Windows are two in here."""
        found = names("Ann.html", "ann.html", "e\u0301.html", "\u00e9.html")

        assert len({name.casefold() for name in found}) == 4

    @pytest.mark.parametrize(
        "name", ["a:b.html", "what?.html", "con.html", "a\nb.html", 'x"y.html']
    )
    def test_has_names_for_every_system(self, name):
        """Also for Windows, which refuses some characters and some words."""
        (found,) = names(name)

        assert not re.search(r'[<>:"|?*\\\x00-\x1f]', found)
        assert found.partition(".")[0].lower() != "con"

    def test_has_no_way_out(self):
        """No name leads out of the folder it is unpacked in."""
        (found,) = names("../up.html")

        assert ".." not in PurePath(found).parts


class TestMoodle:
    def test_finds_the_participant(self, report):
        """By the number between the first two underscores, so the name holds none."""
        one = replace(report("a", "Ann_Marie Lee"), student_id="12345")

        assert moodle_folder(one) == "Ann Marie Lee_12345_assignsubmission_file_"

    def test_is_the_shape_that_is_collected(self, report):
        """What Moodle gave is what Moodle gets."""
        whose = moodle(moodle_folder(replace(report("a", "Ann Lee"), student_id="12345")))

        assert "Ann Lee" in repr(whose)

    def test_needs_a_number(self, report):
        """Another id is none of Moodle's."""
        assert moodle_folder(replace(report("a"), student_id="ann@u.edu")) == ""
