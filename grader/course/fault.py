"""What a proof has found wrong with a course, and what its author does about it."""

from __future__ import annotations


class Fault(str):
    """A sentence; ``to_do`` is another one, for whoever is to mend it."""

    to_do: str

    def __new__(cls, says: str, to_do: str) -> Fault:
        fault = super().__new__(cls, says)
        fault.to_do = to_do
        return fault

    def of(self, exercise: str) -> Fault:
        """The same, with the exercise at its beginning."""
        return Fault(f"{exercise}: {self}", self.to_do)


def missing_file(path: str) -> Fault:
    """A file that is written by hand is not there."""
    return Fault(
        f"{path} is missing",
        "Write it, or take its exercise out of exercises/catalog.toml. `grader new exercise NAME` "
        "makes all the files of a new one.",
    )


def stale_file(path: str) -> Fault:
    """A generated file differs from what would be generated now."""
    return Fault(
        f"{path} is not as generated",
        "`grader dev stubs` writes it anew from solutions/ and exercises/catalog.toml: what you "
        "want to change in it is changed there.",
    )


def stray(name: str) -> Fault:
    """There are files of an exercise that is none."""
    return Fault(
        f"{name} is not in the catalog",
        f"Add [{name}] to exercises/catalog.toml, or remove its page and its suite.",
    )


def unreadable(says: str) -> Fault:
    """A suite, a bank or a picture cannot be made at all."""
    return Fault(
        says,
        "Mend this first: much of what is proved rests on it. A slip's words are copied from the "
        "solution, so they change with it.",
    )


def not_caught(name: str, check: str) -> Fault:
    """A misconception passes a check that claims to catch it."""
    return Fault(
        f"{name} is not caught by {check}",
        "Let the check draw inputs on which this answer differs; or name the checks that do catch "
        "it, as they are called without test_. If none ever can, it is right, and a variant.",
    )


def earned_by_the_stub(check: str) -> Fault:
    """A check gives points to who has written nothing."""
    return Fault(
        f"the stub earns {check}",
        "Nothing is written yet, and it must earn nothing: let the check ask the submission for a "
        "value, and say whether it is one (`usable`), before anything that can be true without.",
    )


def unclaimed(name: str) -> Fault:
    """A misconception says nothing of who catches it."""
    return Fault(
        f"{name} names no check that catches it",
        "Write the names of those that must, without test_, behind the misconception's.",
    )


def unnamed(name: str) -> Fault:
    """A misconception is rejected, but not told its own sentence."""
    return Fault(
        f"{name} is caught but not named",
        "Its author would be told something else: another misconception gives the same answers "
        "(let a check tell the two apart, or make one of them), or many mistakes look like this "
        "one (let the check say what it saw: `finding`).",
    )


def unneeded(check: str) -> Fault:
    """Without a check, every misconception would still be caught."""
    return Fault(
        f"{check} catches nothing alone, and does not say why it is kept",
        "Add a misconception that only this check catches; or take the check out; or say why it "
        'stays: @pytest.mark.kept("the page\'s own example").',
    )


def too_dear(misconception: str, share: float) -> Fault:
    """What it costs is more than one mistake may cost."""
    return Fault(
        f"the misconception {misconception} costs {share:.0%} of the exercise's points, also with "
        "follow-through",
        "A check that it fails is not told as this misconception, so what follows from it is not "
        "carried. `grader dev costs` shows all; see which check it is, and let its evidence be "
        "comparable: values that the check draws, and no sentence of its own.",
    )


def without_core() -> Fault:
    """An exercise has no core."""
    return Fault(
        "no check is marked as core",
        "Put @pytest.mark.core above the three to eight checks that ask for the idea and nothing "
        "else: a learner is led to these first.",
    )


def harmless(check: str) -> Fault:
    """A core check that nothing wrong fails."""
    return Fault(
        f"{check} is core, and no misconception fails it when it is asked first",
        "Add the misconception of somebody who lacks the idea; or take the mark off.",
    )


def step_without_check(step: str) -> Fault:
    """A step of the catalog's that no check asks for."""
    return Fault(
        f"the step {step!r} has no core check"
        if step
        else "core checks name steps, and there are none in the catalog",
        "Name it in the mark of a check, @pytest.mark.core(STEP), as `steps` in the catalog does; "
        "or let both speak of none.",
    )


def unknown_step(step: str) -> Fault:
    """A step of a check's that the catalog does not name."""
    return Fault(
        f"a core check is of the step {step!r}, which the catalog does not name"
        if step
        else "a core check names no step, and the catalog has some",
        "Write it in `steps` of the exercise in exercises/catalog.toml, where the order is; or "
        "correct the mark.",
    )


def step_nowhere(step: str) -> Fault:
    """A step that the stub does not lead to."""
    return Fault(
        f"no TODO of the stub is of the step {step!r}",
        "Let it name a function, a class or a `Class.method` whose body is cut out.",
    )


def without_idea(check: str) -> Fault:
    """A check whose points have no reason."""
    return Fault(
        f"{check} is in none of the `ideas`",
        "Add its name, without `test_`, to the idea that its points are for.",
    )


def in_two_ideas(check: str) -> Fault:
    """A check whose points would count twice."""
    return Fault(
        f"{check} is in more than one of the `ideas`",
        "Leave it in the one that its points are for.",
    )


def idea_of_no_check(check: str) -> Fault:
    """An idea names what the suite does not have."""
    return Fault(
        f"the `ideas` name {check}, which is no check of the suite",
        "Write the name as the suite has it, without `test_` and parameters, or take it out.",
    )
