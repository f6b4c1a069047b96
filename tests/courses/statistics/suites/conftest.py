"""Lets plain pytest run the suites: ``pytest suites/NAME --submission FOLDER``."""

from grader.examiner.by_hand import *  # noqa: F403
