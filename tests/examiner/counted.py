"""A program of ours that counts its openings."""

from __future__ import annotations

from grader.programs.program import LocalProgram


class CountedProgram:
    """Counts how often it is opened and closed; raises first what it is given."""

    session, student, cores = None, "", None

    def __init__(self, double, *failures):
        self.program, self.failures = LocalProgram({"double": double}), list(failures)
        self.opened = self.closed = 0

    def open(self, opening):
        self.opened += 1
        if self.failures:
            raise self.failures.pop(0)
        return self.program.open(opening)

    def close(self):
        self.closed += 1

    def beside(self, names, sources):
        return LocalProgram(names)
