"""What is said where a worker gave no answer that could be judged, by kind of cause: what became of
it, or why there is no verdict. The braces are those of ``sentences.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.report.told import Told

LOOPS = (
    "Look for a loop that never ends, or one that takes too many steps: Python takes far longer "
    "for many small operations than torch for a single large one."
)
OF_WORKERS: Mapping[str, Told] = {
    # What became of the worker.
    "timeout": Told(
        "No answer within {seconds} s for {importing}.",
        "",
        "{code}",
        LOOPS,
    ),
    "hung_before": Told(
        "Not called: in {times} checks before this one, no answer came from `{name}` in time.",
        "",
        "{code}",
        LOOPS,
    ),
    "budget": Told(
        "Not run: this {what} has used up its time, {seconds} s.",
        help="Look for what is slow in the checks before this one.",
    ),
    "budget_of_bytes": Told(
        "Not run: this submission has sent all that it may, {gib} GiB.",
        help="Return what is asked for, and no more.",
    ),
    "flood": Told("Printing without end in {importing}: {said}.", help="Print less."),
    "too_much_in_all": Told(
        "What came back in {importing} is too much in all: {said}.",
        help="Return what was asked for, and nothing beside it.",
    ),
    "died": Told(
        "Your code ended its own process during {importing}: {ended}.",
        help="Take out os._exit, or look for what crashes native code.",
    ),
    "overfull": Told(
        "Your code put more into its temporary folder than it holds, {mib} MiB in {files} files.",
        help="Keep what you compute in tensors, and write no files in a loop.",
    ),
    "violation": Told(
        "What came back in {importing} is not an answer: {said}.",
        help="Return plain tensors and leave the grader's channel alone.",
    ),
    # No verdict.
    "internal": Told(
        "No verdict: the grader itself failed on this check. This is not your fault, and your "
        "instructor will repeat it.",
        actual="{said}",
    ),
    "lost": Told(
        "No verdict: the process that this check ran in was lost, every time it was tried. This is "
        "not shown to be your fault, and your instructor will repeat it.",
        actual="{said}",
    ),
    "grading_ended": Told(
        "No verdict: the process that graded this submission ended, every time it was tried. This "
        "is not shown to be your fault, and your instructor will repeat it.",
    ),
    "no_gpu": Told("There is no GPU here."),
    "no_clock": Told("How fast this is is judged on the CPU alone."),
    "memory_unknown": Told("This system does not tell how much memory a process needs."),
    "peak_unknown": Told(
        "This system does not tell how much memory a call needs that stays below what was needed "
        "before it."
    ),
}
