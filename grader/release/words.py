"""What students read in a released folder, and instructors when they make one."""

README = """\
# {title}

Exercises to work on, and their practice. You need Python and `pip install transformer-exercises`
(version {grader}); nothing else has to be downloaded.

1. Open `exercises/README.md`, the map, and the first page, `exercises/{first}.py`. Replace each
   `TODO`.
2. In this folder, type `grader check {first}`. Or type `grader watch`: it checks whenever you save.
3. Stuck? `grader hint {first}` says a little more each time; `grader show {first}` draws what your
   code computed beside what was expected; `grader reset {first}` puts a fresh page there.

`practice/` holds what your answers are compared with, as numbers. Changing it changes what you
are told and nothing else: marks are given elsewhere, by other inputs and by more checks than these
({out} of {all} are here).
"""
STAYS = "  {name} stays at home: {why}"
KEPT = "✓ {name}: as released before"
DONE = "✓ {name}: {out} of {all} checks are let out ({kib} KiB)"
WRITTEN = "Released in {folder} and {archive} ({mib:.1f} MiB): {names}."
LEAK = "{path} holds what must stay at home: {line!r}"
EXAMPLES_ONLY = "it is no example"
REJECTS = "its recording rejects {name}, which it accepts"
ACCEPTS = "its recording accepts {name}, which it rejects"
TOO_LARGE = "its numbers take {kib} KiB"
CLOCKED = "it is clocked"
COMPUTED = "what it judges is computed of the answers"
NOTHING_ASKED = "it asks nothing"
NOT_REFUSED = "the reference accepts what it says is refused"
EARLIER_OBJECT = "it uses an object of an earlier comparison"
NO_DATA = "it hands over {kind}, which is no data"
THE_REFERENCE = "the reference"
TAKEN = "{folder} holds other files: name a new folder, or one that was released before."
EMPTY = "None of the checks of {names} can be let out: choose other exercises."
LEAKED = "Nothing was released: {leaks}"
