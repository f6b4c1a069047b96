"""The same class as a folder, as a zip and as tars."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest

KNOWN = ("softmax", "attention")
TWO = {"ann": {"softmax": "a", "attention": "aa"}, "ben": {"softmax": "b"}}
PACKINGS = ("folder", "zip", "tar", "tgz", "tar.bz2", "tar.xz")
_MODES = {"tar": "w", "tar.bz2": "w:bz2", "tar.xz": "w:xz"}


def zip_of(files):
    """The bytes of a zip with ``{"path": "text or bytes"}``."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return raw.getvalue()


def tar_of(files, mode="w"):
    """As ``zip_of``, for a tar."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            data = text.encode() if isinstance(text, str) else text
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return raw.getvalue()


def download(place, packing, files):
    """Write ``files`` below ``place`` as one download; returns its path."""
    path = place / ("class" if packing == "folder" else f"class.{packing}")
    if packing != "folder":
        mode = _MODES.get(packing, "w:gz")
        path.write_bytes(zip_of(files) if packing == "zip" else tar_of(files, mode))
        return path
    for name, text in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


every_packing = pytest.mark.parametrize("packing", PACKINGS)

METADATA = """---
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '101'
    :email: ann@uni.edu
  :created_at: 2026-01-01 00:00:00.000000000 Z
  :score: 3.0
  :results:
    :name: nobody
submission_12:
  :submitters:
  - :name: "Jos\\u00e9 D\\xEDaz"
    :sid:
  - :name: 'Mary O''Brien'
    :sid: '103'
"""


SHAPES = {
    "a folder each": (
        {"ann/softmax.py": "a", "ann/attention.py": "aa", "ben/softmax.py": "b"}, TWO,
    ),
    "a zip each": (
        {"ann.zip": zip_of({"hw/softmax.py": "a", "hw/attention.py": "aa"}),
         "ben.zip": zip_of({"softmax.py": "b"})}, TWO,
    ),
    "a tar each": (
        {"ann.tar.gz": tar_of({"softmax.py": "a", "attention.py": "aa"}, "w:gz"),
         "ben.tar": tar_of({"softmax.py": "b"})}, TWO,
    ),
    "a file for each exercise": (
        {"ann_softmax.py": "a", "ann_attention.py": "aa", "ben_softmax.py": "b"}, TWO,
    ),
    "archives in archives": (
        {"ann.zip": zip_of({"w.tar.gz": tar_of({"softmax.py": "a"}, "w:gz"),
                            "hw.zip": zip_of({"x.zip": zip_of({"attention.py": "aa"})})}),
         "ben.zip": zip_of({"ben.zip": zip_of({"hw/softmax.py": "b"})})},
        TWO,
    ),
    "clones": (
        {"ann/setup.py": "", "ann/src/ps1/softmax.py": "a", "ann/src/ps1/attention.py": "aa",
         "ben/setup.py": "", "ben/exercises/softmax.py": "b", "ben/README.md": ""}, TWO,
    ),
    "Canvas": (
        {"ann_LATE_1_90_softmax-1.py": "a", "ann_LATE_1_80_softmax.py": "stub",
         "ann_LATE_1_91_attention.py": "aa", "ben_2_92_softmax.py": "b"}, TWO,
    ),
    "Canvas, a zip each": (
        {"ann_1_90_hw.zip": zip_of({"hw/softmax.py": "a", "hw/attention.py": "aa"}),
         "ben_2_92_ps1.zip": zip_of({"softmax.py": "b"})}, TWO,
    ),
    "Moodle": (
        {"ann_1_assignsubmission_file_/softmax.py": "a",
         "ann_1_assignsubmission_file_/attention.py": "aa",
         "ann_1_assignsubmission_onlinetext_/onlinetext.html": "<p>done</p>",
         "ben_2_assignsubmission_file_/softmax.py": "b"}, TWO,
    ),
    "Moodle, a zip in each folder": (
        {"ann_1_assignsubmission_file_/hw.zip": zip_of({"softmax.py": "a", "attention.py": "aa"}),
         "ben_2_assignsubmission_file_/ps.zip": zip_of({"ps/softmax.py": "b"})}, TWO,
    ),
    "Moodle without folders": (
        {"ann_1_assignsubmission_file_softmax.py": "a",
         "ann_1_assignsubmission_file_attention.py": "aa",
         "ben_2_assignsubmission_file_softmax.py": "b"}, TWO,
    ),
    "nbgrader": (
        {"submitted/ann/ps1/softmax.py": "a", "submitted/ann/ps1/attention.py": "aa",
         "submitted/ann/ps1/timestamp.txt": "", "submitted/ben/ps1/softmax.py": "b",
         "source/ps1/softmax.py": "solution", "gradebook.db": ""}, TWO,
    ),
    "a stray module beside": (
        {"ann/softmax.py": "a", "ann/attention.py": "aa", "ben/softmax.py": "b",
         "softmax.py": "stray"}, TWO,
    ),
    "a stray folder exercises beside": (
        {"ann/softmax.py": "a", "ann/attention.py": "aa", "ben/softmax.py": "b",
         "exercises/softmax.py": "stub"}, TWO,
    ),
    "a list beside the folder around it": (
        {"hw 1/ann/softmax.py": "a", "hw 1/ann/attention.py": "aa", "hw 1/ben/softmax.py": "b",
         "hw 1/cleo/softmax.py": "c", "README.txt": ""}, TWO | {"cleo": {"softmax": "c"}},
    ),
    "a folder with a date around it": (
        {"ml-ps_submissions_2026_11_21_T_09/ann/softmax.py": "a",
         "ml-ps_submissions_2026_11_21_T_09/ann/attention.py": "aa",
         "ml-ps_submissions_2026_11_21_T_09/ben/softmax.py": "b",
         "ml-ps_submissions_2026_11_21_T_09/scores.csv": ""}, TWO,
    ),
    "folders with dates in their names": (
        {"ps_2026_1_9_ann/softmax.py": "a", "ps_2026_1_9_ann/attention.py": "aa",
         "ps_2026_11_21_ben/softmax.py": "b"},
        {"ps_2026_1_9_ann": TWO["ann"], "ps_2026_11_21_ben": TWO["ben"]},
    ),
    "further files named after the same students": (
        {"ann_softmax.py": "a", "ann_attention.py": "aa", "ann_report.pdf": "", "ben_notes.txt": "",
         "ben_softmax.py": "b", "ben-more.zip": zip_of({"plots.py": "p"}), "ann_util.py": "u"}, TWO,
    ),
    "ids in the names of files": (
        {"101_softmax.py": "a", "101_attention.py": "aa", "102_softmax.py": "b",
         "103_softmax.py": "c"},
        {"101": TWO["ann"], "102": TWO["ben"], "103": {"softmax": "c"}},
    ),
    "ids behind the exercise": (
        {"softmax_101.py": "a", "softmax_102.py": "b", "softmax_103.py": "c"},
        {f"softmax_{n}": {"softmax": text} for n, text in zip((101, 102, 103), "abc", strict=True)},
    ),
    "Gradescope": (
        {"assignment_7_export/submission_11/softmax.py": "a",
         "assignment_7_export/submission_12/softmax.py": "b",
         "assignment_7_export/submission_metadata.yml": METADATA},
        {"Ann Lee": {"softmax": "a"}, "José Díaz, Mary O'Brien": {"softmax": "b"}},
    ),
}  # fmt: skip


def modules(found):
    """``{"ann": {"softmax": "a"}}``, without modules that are no exercise."""
    return {
        one.name: {name: text for name, text in one.files.items() if name in KNOWN} for one in found
    }


def reasons(found):
    """Why what lay there is not graded, by the last part of its path."""
    return {one.path.rpartition("/")[2]: one.reason for one in found.ignored}


def notes(found):
    return {one.path.rpartition("/")[2]: one.says for one in found.notes}
