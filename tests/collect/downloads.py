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
