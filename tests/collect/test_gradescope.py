"""Names out of a list that anybody may have edited, read line by line."""

from __future__ import annotations

import json

import pytest

from grader.collect.gradescope import MAX_BYTES, NOBODY, submitter, submitters
from grader.collect.modules import NotRead
from grader.collect.shapes import Whose


def listed(text):
    return submitters(lambda limit: text.encode()[: limit + 1])


def one(name, sid="7"):
    return f"---\nsubmission_1:\n  :submitters:\n  - :name: {name}\n    :sid: {sid}\n  :score: 1\n"


class TestNames:
    @pytest.mark.parametrize(
        ("written", "name"),
        [
            ("Ann Lee", "Ann Lee"),
            ("'Seán O''Brien'", "Seán O'Brien"),
            ('"Jos\\xE9"', "José"),
            ('"\\u0928\\u0947\\u0939\\u093E"', "नेहा"),
            ("张伟", "张伟"),
            ("Ann: Lee", "Ann: Lee"),
        ],
    )
    def test_are_read_as_written(self, written, name):
        """Plain or quoted, with the escapes that Ruby writes."""
        assert listed(one(written, "'007'")) == {"submission_1": Whose(name, "007")}

    def test_are_those_of_the_submitters_alone(self):
        """A check or a result may be called anything, also ``:name:``."""
        more = "  :results:\n    :tests:\n    - :name: Eve\n  - :name: Eve\n"

        assert listed(one("Ann") + more) == {"submission_1": Whose("Ann", "7")}

    @pytest.mark.parametrize("written", ["!ruby/object:Eve {}", "*ann", "&a Ann", "", "null", '"'])
    def test_that_are_more_than_text_are_not_read(self, written):
        """Nothing is unfolded and no object is made."""
        with pytest.raises(NotRead):
            listed(one(written))

    def test_of_a_list_without_end_are_not_read(self):
        """Up to a limit, which is named."""
        with pytest.raises(NotRead) as refused:
            listed("#" * (MAX_BYTES + 5))

        assert refused.value.facts["said"] == "it is larger than 4 MiB"


class TestIds:
    def test_of_a_group_are_its_id_only_together(self):
        """One alone would be taken for its owner's work."""
        more = "  - :name: Bo\n    :sid: {}\n"

        both = one("Ann").replace("  :score: 1\n", more.format("8"))
        alone = one("Ann").replace("  :score: 1\n", more.format(""))

        assert listed(both) == {"submission_1": Whose("Ann, Bo", "7 8")}
        assert listed(alone) == {"submission_1": Whose("Ann, Bo", "")}


class TestTimes:
    def test_are_those_of_the_submission(self):
        """Not of what lies in its history."""
        text = (
            one("Ann")
            + "  :created_at: 2026-01-31 23:59:00.000000000 -07:00\n"
            + "  :history:\n  - :id: 3\n    :created_at: 2026-01-30 00:00:00.000000000 Z\n"
        )

        assert listed(text)["submission_1"].handed_in == "2026-02-01T06:59:00Z"


class TestTheSubmitter:
    """Of one submission, as an autograder is told it."""

    def told(self, **form):
        return submitter(json.dumps(form).encode())

    def test_is_known_by_the_schools_id(self):
        """Or else by an address; Gradescope's own number is nobody's."""
        ann = {"name": "Ann Lee", "id": 1, "email": "ann@x.org"}

        assert self.told(users=[ann | {"sid": "007"}]) == Whose("Ann Lee", "007")
        assert self.told(users=[ann]) == Whose("Ann Lee", "ann@x.org")

    def test_may_be_several(self):
        """All names; an id only where all have one, for one alone would be its owner's."""
        ann, bob = {"name": "Ann", "sid": "7"}, {"name": "Bob", "sid": "8"}

        assert self.told(users=[ann, bob]) == Whose("Ann, Bob", "7 8")
        assert self.told(users=[ann, {"name": "Bob"}]) == Whose("Ann, Bob")

    def test_handed_in_when_gradescope_says(self):
        """With its zone."""
        when = "2018-07-01T14:22:32.365935-07:00"

        assert self.told(created_at=when, users=[{"name": "Ann"}]).handed_in == (
            "2018-07-01T21:22:32Z"
        )

    @pytest.mark.parametrize(
        "raw",
        [b"", b"{", b"[]", b"\xff", b"null", b'{"users": 7}', b'{"users": [7]}',
         b'{"users": [{"name": 7, "email": []}], "created_at": {}}'],
    )  # fmt: skip
    def test_may_be_unknown(self, raw):
        """Whatever stands there: it is graded all the same."""
        assert submitter(raw) == Whose(NOBODY)
