"""Stands at the end of a page: whatever is called from outside then computes several times.

Its text is appended to a solution, and ``_repeat(globals(), times)`` after it.
"""

import functools
import inspect

_RUNNING = []


def _repeat(names, times):
    """Every public function and every ``forward`` of ``names`` is called ``times`` times and
    returns what it returned last; what they call among themselves is called once.
    """
    own = [value for value in names.values() if getattr(value, "__module__", "") == __name__]
    for value in own:
        if inspect.isfunction(value) and not value.__name__.startswith("_"):
            names[value.__name__] = _repeated(value, times)
        elif inspect.isclass(value) and "forward" in vars(value):
            value.forward = _repeated(value.forward, times)


def _repeated(function, times):
    @functools.wraps(function)
    def repeated(*args, **kwargs):
        if _RUNNING:
            return function(*args, **kwargs)
        _RUNNING.append(True)
        try:
            for _ in range(times - 1):
                function(*args, **kwargs)
            return function(*args, **kwargs)
        finally:
            _RUNNING.clear()

    return repeated
