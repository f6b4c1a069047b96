"""Right answers to ``write_the_tests`` that are written differently."""

from __future__ import annotations
