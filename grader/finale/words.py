"""What a learner reads while a model learns."""

from __future__ import annotations

# What is asked for.
NO_FINALE = "This course has nothing to train at its end."
NO_TASK = "There is nothing called {name!r} to train, and no such file. There is: {names}.{near}"
NO_BREAK = "{name!r} is nothing that can be broken here. There is: {names}.{near}"
ONE_OF_BOTH = "With --break both sides begin anew: leave out --go-on."
NO_TEXT = "{path} cannot be read as text ({said})."
TOO_SHORT = "{path} holds {count} characters: too few to learn from. Take {least} or more."
TASK = "  {name:10} {says}"
BREAK = "  --break {name:10} {says}"
OR_A_FILE = "  FILE       any text of your own"
WHAT_THERE_IS = "What can be trained:"
WHAT_CAN_BREAK = "What can be broken, to see what it is for:"

# Of which parts.
CHECKING = "Checking which parts are ready: {names} ..."
YOURS = "  ✓ {says}: yours ({page}.py)"
OURS = "  · {says}: the course's, until your {page}.py is right in its core"
TORCHS = "  · {says}: {stands_in}, until your {page}.py is right in its core"
WITHOUT = "  · {says}: without it, until your {page}.py is right in its core"
COUNTED = "{mine} of {all} parts are yours:"
NEEDED = "{what} cannot be trained yet. Finish first: {pages}."
ABSENT = "{what} is made of pages that are not among the exercises here: {pages}."
OUTSIDE = (
    "Your files run as Python runs them, unchecked and outside the wall, in a process of their own."
)

# While it learns.
TITLE = "{task}: {says}"
STEP = "step {step} of {steps} · {seconds:.0f} s{left} · loss {cost:.3f}{device}"
LEFT = " · about {seconds:.0f} s to go"
ON = " · on {device}"
WROTE = "after {step} steps it writes:"
PLAIN = "step {step:>4} of {steps}, {seconds:.0f} s, loss {cost:.3f}: {text}"
WHOLE = "whole"
BROKEN = "{name} broken"
GOES_ON = "Goes on after step {step} of the checkpoint {path}."

# At the end.
STOPPED = "Stopped after step {step}. `grader train {task} --go-on` goes on from there."
ENDED = "{steps} steps in {seconds:.0f} s ({cpu:.0f} s of computing): loss {first:.2f} → {last:.3f}"
SCORE = "{name}: loss {cost:.3f}; {says}"
WRITES = "It writes:"
UNBROKEN = (
    "! Nothing of your model changed when this part was broken: it goes another way than the "
    "pages say, so both sides are the same."
)
BREAKS_THIS = "Broken: {says}."
KEPT = "Kept: {paths}"
NEXT = "`grader talk{task}` continues what you begin; `grader train{task} --go-on` trains on."
NOT_REPEATED = "On {device} the same seed gives nearly the same numbers, not the very same."

# Faults.
RAISED = "Your files stopped it: {said}"
PLACE = " ({file}, line {line})"
ENDED_EARLY = "The process in which your files ran has ended (exit status {status})."
NO_CHECKPOINT = (
    "Nothing has been trained here yet: {path} is not there. `grader train {task}` first."
)
OTHER_CHECKPOINT = "{path} is of another model ({said}). `grader train {task}` makes a new one."
NOT_KEPT = "{path} cannot be written: {said}."
NO_DEVICE = "torch finds no device {device!r} here. Without --device the best there is is taken."

# Talking.
TALK = "Begin a text and press Enter; it goes on. An empty line ends."
PROMPT = "> "
CACHED = "(with the cache: each letter reads one letter)"
UNCACHED = "(without a cache: each letter reads the whole text again)"

# Looking inside.
NO_LOOK = "There is no way to look into {task}: it is not made for that."
NO_TOOLS = "To look inside, finish {page}.py first: its functions are the tools."

# Pictures.
CURVE_TITLE = "the loss"
CURVE_ALT = "The loss over {steps} steps, from {first:.2f} to {last:.3f}."
MAPS_ALT = " Below it: {titles}."
STEPS_AXIS = "steps"
