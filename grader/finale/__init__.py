"""The end of a course: what was built is made to learn, and shown while it does.

A course says in ``solutions/finale/`` what is trained and of which pages it is made (``plan.py``
holds the nouns it says that with). Here it is run: ``there.py`` is the far side, a process of its
own in which the learner's files are imported (``pages.py``) and a model learns (``course_of.py``);
``here.py`` starts it and reads what it tells. ``drawn.py`` and ``curve.py`` draw what was told.
"""

from __future__ import annotations

from grader.finale.plan import Break, Finale, Learning, Look, Map, Part, Setting, Task

__all__ = ["Break", "Finale", "Learning", "Look", "Map", "Part", "Setting", "Task"]
