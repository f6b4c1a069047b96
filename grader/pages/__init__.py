"""A page of the course as one file of HTML, to be read in a browser: nothing is loaded or run.

``prose.py`` takes a docstring apart, ``formula.py`` sets formulas as MathML, ``page.py`` puts the
page together in ``page.html``.
"""

from __future__ import annotations

from grader.pages.page import page_html

__all__ = ["page_html"]
