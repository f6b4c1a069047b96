"""The text that was graded, kept as it was: ``submissions/NAME/MODULE.py``.

A report tells by their digests which texts it is about, so what was changed later is noticed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from grader.errors import ReportError
from grader.model import Cause, Report, Submission
from grader.report.files import file_name, folder_name

FOLDER = "submissions"


def digest_of(text: str) -> str:
    """Tells which text was graded."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def digests_of(submission: Submission) -> dict[str, str]:
    """By module."""
    return {name: digest_of(text) for name, text in submission.files.items()}


def folder_of(run: Path, submission: str) -> Path:
    """Where the modules of a submission are kept."""
    return run / FOLDER / folder_name(submission)


def write_texts(submission: Submission, run: Path) -> None:
    """All modules or, after an accident, what was there before."""
    folder = folder_of(run, submission.name)
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        beside.mkdir(parents=True)
        for module, text in submission.files.items():
            (beside / file_name(module, ".py")).write_bytes(text.encode())
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def has_texts(report: Report, run: Path) -> bool:
    """Whether what is kept is what the report is about."""
    try:
        read_texts(report, run)
    except ReportError:
        return False
    return folder_of(run, report.submission).is_dir()


def read_texts(report: Report, run: Path) -> dict[str, str]:
    """The modules by name; raises ``ReportError`` unless they are what the report is about."""
    return {module: read_text(report, module, run) for module in report.digests}


def read_text(report: Report, module: str, run: Path) -> str:
    """One of its modules; raises ``ReportError`` as well."""
    path = folder_of(run, report.submission) / file_name(module, ".py")
    try:
        text = path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise ReportError(f"{path} is not there, or cannot be read") from error
    if digest_of(text) != report.digests[module]:
        raise ReportError(f"{path} is not the text that was graded")
    return text


def submission_of(report: Report, problems: Mapping[str, Cause], run: Path) -> Submission:
    """What was graded, to be graded again; raises ``ReportError`` where it is not there."""
    return Submission(
        name=report.submission,
        student=report.student,
        files=read_texts(report, run),
        problems=problems,
        path=report.path,
        student_id=report.student_id,
        late=report.late,
        handed_in=report.handed_in,
    )
