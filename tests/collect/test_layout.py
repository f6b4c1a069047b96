"""Which of many Python files are the modules that were handed in."""

from __future__ import annotations

import pytest

from grader.collect.layout import ANOTHER_SPELLING, ELSEWHERE, layout_of

KNOWN = ("softmax", "attention")


def layout(*paths):
    return layout_of([tuple(path.split("/")) for path in paths], KNOWN)


def chosen(*paths):
    return {module: "/".join(name) for module, name in layout(*paths).chosen.items()}


class TestModules:
    @pytest.mark.parametrize("folder", ["", "ann/", "ann/ann/", "a/b/exercises/"])
    def test_may_lie_in_folders(self, folder):
        """Archives and copies often have a folder around them, or two."""
        assert chosen(f"{folder}softmax.py", f"{folder}notes.py") == {
            "softmax": f"{folder}softmax.py",
            "notes": f"{folder}notes.py",
        }

    def test_are_not_outdone_by_what_lies_further_out(self):
        """A utils.py at the top does not hide the exercises below it."""
        found = layout("utils.py", "exercises/softmax.py")

        assert found.chosen == {"softmax": ("exercises", "softmax.py")}
        assert found.ignored == {("utils.py",): ELSEWHERE}

    def test_lie_in_the_outermost_folder_that_has_any(self):
        """Older tries below are no part of it, and are named."""
        found = layout("softmax.py", "old/softmax.py")

        assert found.chosen == {"softmax": ("softmax.py",)}
        assert found.ignored == {("old", "softmax.py"): ELSEWHERE}

    @pytest.mark.parametrize("root", ["", "course/"])
    def test_of_a_checkout_lie_in_its_folder_exercises(self, root):
        """Whatever else a checkout holds of the same name."""
        found = chosen(f"{root}softmax.py", f"{root}exercises/softmax.py")
        beside = chosen(f"{root}solutions/softmax.py", f"{root}exercises/softmax.py")

        assert found == beside == {"softmax": f"{root}exercises/softmax.py"}

    def test_may_lie_in_several_folders(self):
        """As long as each is there only once."""
        assert chosen("week1/softmax.py", "week2/attention.py") == {
            "softmax": "week1/softmax.py",
            "attention": "week2/attention.py",
        }

    def test_may_lie_one_folder_further_in(self):
        """Below or beside the others, but not where solutions or older work lie."""
        found = layout("week1/softmax.py", "part2/week2/attention.py")
        theirs = layout("exercises/softmax.py", "solutions/a/attention.py", "b/c/attention.py")

        assert found.chosen["attention"] == ("part2", "week2", "attention.py")
        assert found.told == {("part2", "week2", "attention.py"): "graded as attention.py"}
        assert set(theirs.chosen) == {"softmax"}

    def test_that_are_there_twice_are_nobodys_guess(self):
        """Neither is taken; the other modules are."""
        found = layout("a/softmax.py", "b/softmax.py", "b/attention.py")

        assert found.chosen == {"attention": ("b", "attention.py")}
        assert found.several == {"softmax": [("a", "softmax.py"), ("b", "softmax.py")]}

    def test_in_two_spellings_are_the_one_that_python_imports(self):
        """Only a file system that minds case can hold both."""
        found = layout("SOFTMAX.PY", "softmax.py", "Softmax.py")

        assert found.chosen == {"softmax": ("softmax.py",)}
        assert set(found.ignored.values()) == {ANOTHER_SPELLING}

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("softmax (1).py", "softmax.py, which lies beside it, counts"),
            ("softmax - Copy.py", "softmax.py, which lies beside it, counts"),
            ("softmax.py.txt", ANOTHER_SPELLING),
            ("._softmax.py", "no module has such a name: Python could not import it"),
        ],
    )
    def test_under_their_own_name_go_before_copies(self, name, reason):
        """Copies that a browser or an archiver made are named."""
        found = layout("softmax.py", name)

        assert found.chosen == {"softmax": ("softmax.py",)}
        assert found.ignored == {(name,): reason}

    def test_of_no_exercise_are_taken_where_there_is_no_other(self):
        """They tell at least what was handed in."""
        assert chosen("essay/notes.py", "essay/deep/more.py") == {"notes": "essay/notes.py"}
