"""What a learner reads beside the course and the report: the watch screen, the commands."""

from __future__ import annotations

# The main screen of `grader watch`.
GETTING_READY = "Getting ready …"
PLACE_IN_COURSE = "exercise {number} of {total}"
OPEN = "Open {place}"
CHECKING = "Checking {name}.py …"
CHECKING_THE_REST = "Checking {name}.py … core {core} of {cores} right, now what makes it robust"
CHECKING_CHANGED = "Checking what you have changed ({count}) …"
CHECKING_EVERYTHING = "Everything is done. Checking all of it once more …"
PROGRESS = "{bar} {core} of {total} cores right, {done} of {total} exercises done"

# What a check has found.
NOT_IN_FOLDER = "✗ {name}.py is not in this folder. x puts a fresh one there."
ALL_PASS = "✓ All {count} checks pass: {points:g} points."
THE_ONLY_ONE_PASSES = "✓ The only check passes: {points:g} points."
SOME_PASS = "{right} of {total} checks pass, {points} of {most:g} points"
PARTS = "core {core} of {cores} right, robust {robust} of {robusts}, {points} of {most:g} points"
STEP = "Step {number} of {total}: {step}"
STEP_OF = "Step {number} of {total}: {step} ({of})"
CORE_PASSES = "✓ The core is right: you have the idea. n goes on, or make it robust:"
LATER_CORE_ONE = "1 more check of the core comes after this"
LATER_CORE = "{count} more checks of the core come after this"
LATER_ROBUST_ONE = "1 robust check comes later"
LATER_ROBUST = "{count} robust checks come later"
LATER = "{parts}. m shows all."
ONE_PASSES = "✓ 1 check"
MORE_PASS = "✓ {count} checks"
TOOK = "({seconds:.2f} s)"
REFUSED = "! not allowed here: {attempt}"
ONE_LEFT_OUT = "The other check was left out: mend the one that never ends first."
LEFT_OUT = "The other {count} checks were left out: mend the one that never ends first."
MORE_LINES = "  … {count} more lines: m shows all"

# What to do next.
SOLUTION_BESIDE = "s shows the solution beside yours."
ON_TO = "n goes on to {name}."
BACK_TO = "Every core is right. n goes back to {name}, which is not robust yet."
ALL_ONCE_MORE = "That was the last one: n checks everything once more."
NOT_YET = "n goes on once {name} passes. l lets you go elsewhere."
NO_CORE_YET = "n goes on once the core of {name} is right. l lets you go elsewhere."
OTHERS_CHANGED = "{pages} changed; this is about {name}. l lets you go elsewhere."
NOTHING_TO_CHECK = "Nothing has been changed yet, so there is nothing to check."

# Keys, each with what it does.
NEXT_KEY = "n next"
HINT_KEY = "h hint"
NEXT_HINT_KEY = "h next hint"
LIST_KEY = "l list"
CHECK_ALL_KEY = "c check all"
RESET_KEY = "x reset"
SOLUTION_KEY = "s solution"
ASK_KEY = "? predict"
MORE_KEY = "m more"
PICTURE_KEY = "p picture"
QUIT_KEY = "q quit"
PAGE_KEYS = "space j k scroll   any other key: back"
CHOICE_KEYS = "j k move   Enter go there   any other key: back"

# The picture of what differs.
SEE_IT = "p draws what differs."
DRAWING = "Drawing what differs …"
NOTHING_TO_SEE = "There is no picture of this. `grader show {name}` draws the whole exercise."
ALSO_AS_EXPECTED = "✓ As expected: {titles}."
ALL_AS_EXPECTED = "✓ Nothing differs in this picture, so what fails is another case: {titles}."
DRAWN_IN = "Curves and large matrices are drawn in {path}."

# Hints.
HINT_OF = "→ Hint {number} of {total}{about}: {hint}"
HINT_ABOUT = " ({names})"
NO_HINT_NEEDED = "It passes already: no more hints are needed."
LAST_HINT = "That was the last hint. m shows all of them once more."
TRY_FIRST = "Try this first; `grader hint {name}` then shows the next."
NO_SUCH_FUNCTION = "{name} has no function {function!r}.{near}"
NO_MORE_HINTS = "Those are all. Read the page's formula again beside your own line."

# Predictions.
ASKING_KEYS = "Enter answer, or go on   ↑ ↓ another question   Esc back"
ASKED_BEFORE = (
    "Before you write {name}: what do you expect? Nothing depends on it. Your answers stand in "
    "predictions.txt."
)
PREDICTION = "{number}. {question}"
ANSWER_AS = "Answer: {form}"
TYPING = "   > {typed}▌"
FORM_SHAPE = "a shape, such as 2, 3"
FORM_WHOLE = "a whole number"
FORM_DIGITS = "a number; three digits are enough"
FORM_YES_OR_NO = "yes or no"
PREDICTED_RIGHT = "✓ {typed}: {says}"
PREDICTED_WRONG = "✗ {typed}: {says}"
TRY_IT_OUT = "That is not it. Try it out, on paper or in Python, and answer again."
NO_SUCH_FORM = "! {typed!r} cannot be read as an answer. Write {form}."
NOTHING_TO_PREDICT = "There are no predictions about {name}."
NO_SUCH_QUESTION = "{name} has the questions 1 to {count}, and no {number}."
HOW_TO_ANSWER = "Answer with `grader ask {name} NUMBER ANSWER`, or with ? in the watch screen."
PREDICTIONS_HEAD = "# Your predictions. Yours are drawn from the number {number}: keep this line."
NOT_KEPT_THERE = "! Your answers could not be kept in {path} ({said})."

# The list.
EXERCISE = "exercise"
POINTS = "points"
CORE = "core"
TRIES = "tries"
LEVEL = "level"
MINUTES = "min"
NEEDS = "needs"
NEXT_IS = "Next: {name} ({title})."
TAKES = "About {minutes} minutes{sittings}."
SITTINGS = " in {count} sittings"
BEFORE = "Know before: {what}."
AFTERWARDS = "Afterwards you can {what}."
DONE = "{core} of {total} cores right, {done} of {total} done, {points} of {most:g} points."

# Several exercises, or all of a report.
SCORE = "{points} of {most:g} points"
TOTAL = "{points} of {most:g} points."
NO_VERDICT = (
    "No verdict on {checks}: the grader itself failed, not your code. Check again; if it stays so, "
    "tell who gave you the course."
)
PASSED_BEFORE = "(it passed before)"
EXERCISES_PASS = "{done} of {total} exercises pass."
NOT_ALLOWED = "! not allowed in an exercise: {attempt}"

GO_ON_WITH = "→ {name}: go on with step {number} of {total}, {step}."
NOT_RIGHT_YET = (
    "→ {name}: step {number} of {total}, {step}, does not pass yet: look at what is told there."
)
GO_ON_BELOW = "→ {name}: {other} comes first, for step {number} of {total}, {step}, is built on it."
LEFT_ONE = "→ {name}: the core is right, and 1 more check is left."
LEFT = "→ {name}: the core is right, and {count} more checks are left."
CARRIED_LEFT = "→ {name}: mend what is told above: all {count} checks that fail come of that."
WRONG_ROBUST_ONE = "  1 robust check fails in what you wrote."
WRONG_ROBUST = "  {count} robust checks fail in what you wrote."

# Everything passes.
BUILT = "You did it: all {total} exercises, checked again just now."
EARNED = "{points} points in {attempts} attempts, with {hints} hints."
DAYS = "The first on {first}, the last on {last}."

# The solution.
YOURS = "yours"
THE_SOLUTION = "the solution"
SOLUTION_LATER = "The solution can be seen once yours has passed. h shows a hint."
SOLUTION_OF_LATER = (
    "The solution of {name} can be seen once yours has passed. "
    "`grader hint {name}` helps on the way."
)
NO_SOLUTIONS = "This course came without solutions."
NO_SOLUTIONS_HERE = "This course came without solutions: ask your instructor."

# Starting again.
ASK_FOR_FRESH = "Put a fresh {name}.py in place of yours? Yours is kept beside it. y/n"
CONFIRM_FRESH = "Put a fresh {name}.py in place of yours (yours is kept)?"
NOTHING_CHANGED = "Nothing was changed."
FRESH_NOW = "A fresh {name}.py lies there now."
FRESH_IN = "A fresh {name}.py lies in {folder}."
KEPT_AS = "What you had is kept as {kept}."
NOT_REPLACED = "{page} could not be replaced ({said}). Nothing was lost."
BRING_BACK = "! `grader reset {name}` puts a fresh {name}.py there."

# A folder of one's own.
STARTED = """\
{count} exercises lie in {folder} now, and README.md is their map.

  cd {quoted}
  grader                  # shows what to do, and answers every time you save

Open {first}.py first, read it like a page, replace its TODOs."""
STARTED_BEFORE = (
    "You have started in {folder} already, and nothing was changed. Go on there: "
    "cd {quoted} && grader"
)
ALREADY_HOLDS = "{folder} already holds {files}, and nothing was changed. Choose a new folder."
ALREADY_HOLDS_MORE = (
    "{folder} already holds {files} and {more} more, and nothing was changed. Choose a new folder."
)
CANNOT_BE_MADE = "{folder} cannot be made or written to ({said})."
NO_EXERCISES = (
    "There are no exercises in this folder. `grader start DIR` makes a folder for them; "
    "in it, `grader` shows what to do."
)
NEITHER = "No such command or exercise {word!r}.{near}"
NO_PROGRESS_HERE = (
    "This folder holds no exercises, so no progress is shown. Go to the folder that you started; "
    "`grader start DIR` makes one."
)
NO_SUCH_PAGE = "{page} is not in this folder. `grader reset {name}` puts a fresh one there."
NOTHING_TOUCHED = (
    "Nothing in {folder} has been changed yet. Open {first}.py, replace a TODO, save, and check "
    "again. (`grader check {first}` checks it as it is.)"
)
SEVERAL_FOLDERS = "These pages lie in several folders. Check those of one folder at a time."
PARTS_FROM_HOME = "Not beside it, so from {folder}: {parts}."
NO_TERMINAL = (
    "`grader watch` needs a terminal, and this is none. Run `grader check` after every save "
    "instead, and `grader hint` when you are stuck."
)
GOES_ON = "Kept for next time. `grader` goes on where you were, in {folder}"

# The progress file.
HELD = (
    "Another grader has held {path} for {seconds:g} seconds. Close it and try again. "
    "Your exercises are not affected."
)
UNREADABLE = "{path} cannot be read ({said}). Make it readable, or move it away."
NOT_KEPT = "Your progress could not be kept in {path} ({said}). Your exercises are not affected."
CANNOT_BE_SET_ASIDE = "{path} is damaged and cannot be set aside ({said}). Move it away."
DAMAGED_WITH_COPY = (
    "Your progress file was damaged. It is kept as {aside}; it goes on from the copy before it. "
    "Your exercises are not affected."
)
DAMAGED = (
    "Your progress file was damaged. It is kept as {aside}; it starts afresh. "
    "Your exercises are not affected."
)

# A picture.
PICTURE_WRITTEN = "Written: {path}. It shows some cases; `grader check {name}` decides."
CANNOT_BE_WRITTEN = "{path} cannot be written: {said}."

# A released course.
PRACTICE = "Practice: {count} more checks are made where marks are given."
OTHER_VERSION = """\
! This folder was made for version {wanted} of grader, and {found} is installed: what is said here \
may be out of date."""

# Handing in.
PACKED = "Packed in {path} ({kib} KiB), and read once more as it will be where it is collected:"
IS_IN_IT = "  ✓ {name}"
OWN_MODULE = "  ✓ {name}.py, which is imported there"
PATIENT_IN_IT = "  ✓ {name}.py, which `grader patients` judges where it is collected"
LEFT_TO_WRITE = "  ! {name}: still to be written in it: {count}"
NOT_PYTHON = "  ✗ {name} is not Python ({said}): no check of it can pass. Mend it and pack again."
IN_LINE = "line {line}: {said}: {text}"
CANNOT_BE_READ = "  ✗ {why}"
NOT_FOUND_IN_IT = "  ✗ {name} is in it, and is not found: rename the files beside it."
TAKEN_APART = "  ✗ It is taken for {count} submissions: rename the files that have nearly one name."
AS_GIVEN = "  ! still as given, and not packed: {names}"
ABSENT = "  ✗ not in this folder: {names}"
NOT_IMPORTED = "nothing that is packed imports it"
LEFT_OUT_OF_PACK = "  · not packed: {name}: {reason}"
PACKED_FOR_NOTHING = "  ! packed, and not graded: {name}: {reason}"
PACKED_AND_TOLD = "  · {name}: {says}"
NOTHING_MISSED = "Nothing is missed."
SOME_MISSED = (
    "What is marked ✗ or ! will be missed: mend it and pack again, or hand in what there is."
)
HAND_IN = (
    "Hand in this one file, under any name. It holds your modules and the versions that it was "
    "made with: no progress, no outputs, nothing about your machine."
)
DUE = "Due {due}."
WAS_DUE = "It was due {due}."
NOTHING_TO_PACK = (
    "Nothing has been written yet of what can be handed in from {folder}, and nothing was packed."
    "{why}"
)
NO_ZIP = "{path} must end with .zip: name another file with --out."
NO_PACK_THERE = (
    "{path} is there already and was not made by `grader pack`: nothing was changed. Name another "
    "file with --out."
)

# The clinic.
WHAT_WAS_SEEN = (
    "One place of this page is wrong. What was seen: {seen} Find the place, and change as little "
    "as you can."
)
PATIENT_WRITTEN = (
    "Written: {path}. One place of it is wrong. `grader check {stem}` says what is right so far."
)
CHANGED = "Statements that you changed: {count}. The right page differs in {smallest}."
WHAT_IT_WAS = "Mended. What is told to somebody who wrote this: {sentence}"
PATIENT_WAITS = "{path} is there already: mend it, or rename it, before you ask for another one."
NO_SUCH_PATIENT = "There is no {path} here: `grader clinic EXERCISE` writes one."
NO_PATIENT_THERE = (
    "The first lines of the file no longer say how it was drawn: put back the one that begins with "
    "`# grader clinic`."
)
NOT_IN_IT = "it is not among what was handed in"
NO_HEAD_THERE = "its first lines do not say how it was drawn, or of another exercise"
DRAWN_FOR_NOBODY = "drawn for nobody here: --seed {seed}"
DRAWN_FOR = "drawn for {name}"
OF_LEVEL = "of level {level}"
NO_PATIENT = "No misconception of {name} is of level {level}: try another level, or none."
NO_BANK_HERE = (
    "Patients are made of solutions and of known wrong answers, which a folder that was given away "
    "does not hold: the clinic needs the whole house."
)
NO_CLINIC_AMONG_STUBS = (
    "Files in this folder are generated. Begin a folder of your own with `grader start DIR`, or "
    "name one with --folder."
)
CLINIC_LATER = (
    "All of a patient but one place is the solution of {name}: it can be had once yours has passed."
)
