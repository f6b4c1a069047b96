"""What students read in a released folder, and instructors when they make one."""

README = """\
# {title}

Exercises to work on, and their practice. You need Python and `pip install {distribution}`
(version {grader}); nothing else has to be downloaded.

1. Open `exercises/README.md`, the map, and the first page, `exercises/{first}.py`. Replace each
   `TODO`.
2. In this folder, type `grader check {first}`. Or type `grader watch`: it checks whenever you save.
3. Stuck? `grader hint {first}` says a little more each time; `grader show {first}` draws what your
   code computed beside what was expected; `grader reset {first}` puts a fresh page there.
4. `grader pack` makes the file to hand in, and says what is still missing in it.

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
CORE_ONLY = "it is neither of the core nor an example"
REJECTS = "its recording rejects {name}, which it accepts"
ACCEPTS = "its recording accepts {name}, which it rejects"
FAILS = "its recording finds no verdict on {name}"
TOO_LARGE = "its numbers take {kib} KiB"
CLOCKED = "it is clocked"
ASKS_THE_STUB = "it compares with what the stub gives"
COMPUTED = "what it judges is computed of the answers"
NOTHING_ASKED = "it asks nothing"
NOT_REFUSED = "the reference accepts what it says is refused"
EARLIER_OBJECT = "it uses an object of an earlier comparison"
NO_DATA = "it hands over {kind}, which is no data"
ONE_OF_BOTH = "--core lets the examples out too: give one of --core and --examples."
THE_REFERENCE = "the reference"
TAKEN = "{folder} holds other files: name a new folder, or one that was released before."
EMPTY = "None of the checks of {names} can be let out: choose other exercises."
LEAKED = (
    "Nothing was released: {leaks}. What students get must share no line with a solution, a bank "
    "or a suite: say it differently in one of the two."
)

# What packs claim, for instructors.
YOURS = "Yours: {course}, grader {grader}{given}."
GIVEN = ", {title!r} in {folder}"
GIVEN_TITLE = ", {title!r}"
CLAIMS_HEAD = (
    "submission",
    "claims: assignment",
    "course",
    "released by",
    "packed by",
    "as yours?",
)
AS_YOURS = "yes"
DIFFERS = "no"
NO_PACK = "no pack"
NOT_UNDERSTOOD = "not understood"
DIFFERENCE = "differs  {submission}: {says}"
NAMELESS = "a course without a name"
WHOLE_COURSE = "the whole course"
NO_VERSION = "no version"
OTHER_COURSE = "it is of another course, {claimed}"
OTHER_COURSE_VERSION = "version {claimed!r} of the course; yours is {mine!r}"
OTHER_GRADER = "packed by version {claimed!r} of grader; yours is {mine!r}"
UNKNOWN_EXERCISES = "exercises that your course does not have: {names}"
OTHER_PRACTICE = (
    "the folder was released from other suites or solutions than yours are now, or changed: {names}"
)
OTHER_SUITES = "suites or solutions are others than yours: {names}"
OTHER_ASSIGNMENT = "it is of another assignment, {claimed!r}"
OTHER_RELEASE = "released by version {claimed!r} of grader; your folder by {mine!r}"
OTHER_CATALOG = "the catalog is another one, or was changed"
PRACTICE_CHANGED = "the practice is not that of your folder: {names}"
FILES_CHANGED = "changed after it was packed: {names}"
FILES_GONE = "packed, and not found or not readable: {names}"
FILES_ADDED = "added after it was packed: {names}"
AND_MORE = " and {count} more"
CLAIMED = (
    "Packs say this of themselves, and anybody can write it. No mark depends on it: "
    "`grader grade` reads the modules alone, and asks your suites, with a seed of yours."
)
TO_COMPARE = "To compare the practice as well, name the folder that you gave away: --release DIR."
NOT_RELEASED = "{folder} is no folder that `grader release` made: it has no release.toml."
VERIFY_AT_HOME = (
    "{folder} is what students get, and holds nothing to compare with. Name your course: "
    "--course DIR."
)
