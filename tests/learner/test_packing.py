"""The file that somebody hands in: all of what was asked for, and nothing else."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from grader.bridges.exercise_cells import exercise_cells, page_of
from grader.bridges.notebook import notebook_text
from grader.collect import MAX_SOURCE_BYTES, collect
from grader.collect.reasons import PACK
from grader.course.catalog import load_catalog
from grader.course.claims import NOTEBOOK, claims_of, read_claims
from grader.course.markers import MEND
from grader.course.release import untouched
from grader.errors import LearnerError
from grader.learner.packing import file_name, packed, require_free, without_outputs
from grader.learner.workspace import Workspace
from grader.runs.texts import digest_of
from tests.collect.downloads import download, zip_of

MINE = "import helper\n\n\ndef double(x):\n    return helper.twice(x)\n"
HELPER = "def twice(x):\n    return 2 * x\n"
SECRET = "my password"


@pytest.fixture
def pack(workspace):
    """``pack()``: what would be handed in now."""

    def pack():
        pages = {e.name: page_of(workspace.course, e) for e in workspace.catalog.values()}
        return packed(workspace, workspace.catalog.values(), pages.__getitem__)

    return pack


@pytest.fixture
def write(workspace):
    """``write(toy=text)`` writes modules into the folder."""

    def write(**texts):
        for name, text in texts.items():
            (workspace.folder / f"{name}.py").write_bytes(text.encode())

    return write


@pytest.fixture
def notebook(workspace):
    """``notebook(name, code)``: the toy's notebook with this solution, as somebody leaves it."""

    def notebook(name, code):
        exercise = load_catalog(workspace.course)["toy"]
        form = json.loads(notebook_text(exercise_cells(workspace.course, exercise)))
        for cell in form["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("solution"):
                cell["source"] = code
            if cell["cell_type"] == "code":
                cell |= {"outputs": [{"text": SECRET}], "execution_count": 3}
        form["metadata"]["kernelspec"]["name"] = SECRET
        path = workspace.folder / name
        path.write_text(json.dumps(form), encoding="utf-8")
        workspace.page("toy").unlink(missing_ok=True)
        return path

    return notebook


def names(pack):
    with zipfile.ZipFile(io.BytesIO(pack.archive)) as archive:
        return set(archive.namelist())


class TestWhatIsPacked:
    def test_is_the_work_and_what_it_imports(self, pack, write):
        """Byte for byte, under the names by which it is imported."""
        write(toy=MINE.replace("\n", "\r\n"), helper=HELPER)

        assert pack().files.keys() == {"toy.py", "helper.py", PACK}
        assert pack().files["toy.py"] == MINE.replace("\n", "\r\n").encode()

    def test_is_nothing_else(self, pack, write, workspace):
        """Neither progress nor notes, nor where the folder lies; work that is left out is told."""
        write(toy=MINE, helper=HELPER, notes=f"# {SECRET}")
        (workspace.folder / "notes.md").write_text(SECRET)
        (workspace.folder / "answers.pdf").write_text(SECRET)
        made = pack()

        assert names(made) == {"toy.py", "helper.py", PACK}
        assert made.left_out.keys() == {"notes.py", "answers.pdf"}
        assert SECRET.encode() not in made.archive
        assert str(workspace.folder.parent).encode() not in made.archive

    def test_takes_what_the_clinic_made_of_it_along(self, pack, write):
        """Nothing imports it, and it is work."""
        write(toy=MINE, helper=HELPER, clinic_toy=MINE, clinic_other="")
        made = pack()

        assert names(made) == {"toy.py", "helper.py", "clinic_toy.py", PACK}
        assert made.left_out.keys() == {"clinic_other.py"}

    def test_says_with_what_it_was_made(self, pack, write, workspace):
        """And which texts are in it."""
        write(toy=MINE, helper=HELPER)
        digests = {"helper": digest_of(HELPER), "toy": digest_of(MINE)}

        assert read_claims(pack().files[PACK].decode()) == claims_of(workspace.course, digests)

    def test_is_the_same_of_the_same_work(self, pack, write, workspace):
        """Whenever it is made, and although there is a pack in the folder already."""
        write(toy=MINE, helper=HELPER)
        first = pack().archive
        (workspace.folder / "toys.zip").write_bytes(first)
        write(helper=HELPER, toy=MINE)

        assert pack().archive == first

    def test_is_found_by_who_collects_it(self, pack, write, tmp_path):
        """Nothing of it is ignored."""
        write(toy=MINE, helper=HELPER)
        found = collect(download(tmp_path, "folder", {"ann.zip": pack().archive}), ["toy"])

        assert [(one.name, one.files) for one in found] == [
            ("ann", {"toy": MINE, "helper": HELPER})
        ]
        assert found.ignored == found.notes == ()

    def test_is_what_is_checked_too(self, pack, workspace):
        """A page under another name goes under its own."""
        workspace.page("toy").unlink()
        (workspace.folder / "Toy.py").write_text("def double(x): ...")

        assert names(pack()) == {"toy.py", PACK}


class TestWhatIsNotPacked:
    def test_a_stub_by_itself_is_nothing_to_hand_in(self, pack):
        """One sentence, and no file."""
        with pytest.raises(LearnerError, match="Nothing has been written yet"):
            pack()

    def test_what_is_too_large_is_told(self, pack, write):
        """Once, as the reason why it is missed, although it is only imported."""
        write(toy=MINE, helper="#" * (MAX_SOURCE_BYTES + 1))
        made = pack()

        assert made.unread == {"helper": "helper.py is larger than 1 MiB."}
        assert made.left_out == {}
        assert names(made) == {"toy.py", PACK}

    def test_the_only_page_that_is_too_large_is_nothing(self, pack, write):
        """The reason stands in the sentence."""
        write(toy="#" * (MAX_SOURCE_BYTES + 1))

        with pytest.raises(LearnerError, match=r"nothing was packed\. toy\.py is larger"):
            pack()

    def test_a_stub_that_is_imported_is_told(self, workspace, pack, write):
        """Whoever asks only for what imports it misses it as well."""
        course = workspace.course
        listed = course.catalog.read_text()
        course.catalog.write_text(listed + listed.replace("[toy]", "[more]"))
        page = course.solution("toy").read_text().replace("double", "more")
        course.solution("more").write_text(page)
        write(more=untouched(course, "more"), toy="import more\n" + MINE, helper=HELPER)
        both = Workspace(course, load_catalog(course), workspace.folder)
        made = packed(both, [both.catalog["toy"]], pages=None)

        assert names(made) == {"toy.py", "helper.py", PACK}
        assert made.as_given == ["more"]

    def test_a_page_that_is_gone_as_well(self, pack, write, workspace):
        """Also where there is other work."""
        workspace.page("toy").unlink()
        write(notes="x = 1")

        with pytest.raises(LearnerError, match="nothing was packed"):
            pack()


class TestANotebook:
    @pytest.mark.parametrize("name", ["toy.ipynb", "toy (1).ipynb", "my homework.ipynb"])
    def test_is_packed_as_one(self, pack, notebook, name, workspace, tmp_path):
        """Without outputs and settings, and under a name by which it is found."""
        notebook(name, MINE)
        made = pack()
        place = download(tmp_path, "folder", {"ann.zip": made.archive})
        pages = {"toy": page_of(workspace.course, workspace.catalog["toy"])}
        found = collect(place, ["toy"], pages=pages.__getitem__)

        assert names(made) == {name.replace(" (1)", ""), PACK}
        assert SECRET.encode() not in made.archive
        assert MINE in found[0].files["toy"]
        assert read_claims(made.files[PACK].decode()).files == {"toy": NOTEBOOK}

    def test_takes_the_modules_that_it_imports_along(self, pack, notebook, write):
        """A notebook cannot be alone."""
        notebook("toy.ipynb", MINE)
        write(helper=HELPER)

        assert names(pack()) == {"toy.ipynb", "helper.py", PACK}

    @pytest.mark.parametrize("name", ["toy.ipynb", "homework.ipynb"])
    def test_beside_a_page_as_it_was_given_counts(self, pack, notebook, write, workspace, name):
        """The stub came with the folder; also where that lies further in."""
        notebook(name, MINE)
        write(toy=untouched(workspace.course, "toy"), helper=HELPER)
        (workspace.folder / "exercises").mkdir()
        (workspace.folder / "exercises" / "toy.py").write_text(untouched(workspace.course, "toy"))

        assert names(pack()) == {name, "helper.py", PACK}

    def test_as_it_was_given_is_nothing_to_hand_in(self, pack, notebook):
        """As of a page; whoever gave it out may say so in other words."""
        notebook("toy.ipynb", 'def double(x):\n    raise NotImplementedError("replace this line")')

        with pytest.raises(LearnerError, match="nothing was packed"):
            pack()

    @pytest.mark.parametrize(("body", "is_work"), [("y = x", False), ("y = x + x", True)])
    def test_with_a_body_that_was_given_counts_when_that_is_mended(
        self, pack, notebook, toy, body, is_work
    ):
        """The comment above it may stay."""
        page = toy.solution("toy")
        end, given = (
            "    # END SOLUTION",
            "    return y\n    # GIVEN: y = x\n    # GIVEN: return y\n",
        )
        page.write_text(page.read_text().replace(end, f"{given}{end}", 1))
        assert MEND in untouched(toy, "toy")
        stub = untouched(toy, "toy").replace("y = x", body)
        notebook("toy.ipynb", stub[stub.index("def ") :])

        if is_work:
            assert "toy.ipynb" in names(pack())
        else:
            with pytest.raises(LearnerError, match="nothing was packed"):
                pack()

    @pytest.mark.parametrize("cell", [3, {"cell_type": "code"}, {"metadata": []}])
    def test_may_be_odd(self, cell):
        """What is no cell stays what it is."""
        raw = json.dumps({"cells": [cell]}).encode()

        assert json.loads(without_outputs(raw))["metadata"] == {}


class TestItsName:
    @pytest.mark.parametrize(
        ("title", "name"),
        [
            ("Problem set 1: attention", "problem-set-1-attention.zip"),
            ("Übungsblatt 3", "ubungsblatt-3.zip"),
            ("第一章", "pack.zip"),
            ("../a_1_2_b", "a-1-2-b.zip"),
        ],
    )
    def test_is_one_that_every_platform_keeps(self, title, name):
        """Of the title, without what is a sign to a platform or a shell."""
        assert file_name(title) == name

    def test_is_short(self):
        """A platform puts a name and numbers before it."""
        assert len(file_name("attention " * 40)) < 70

    def test_another_file_stays(self, tmp_path):
        """Only what was packed before is replaced."""
        mine, thesis = tmp_path / "mine.zip", tmp_path / "thesis.zip"
        mine.write_bytes(zip_of({PACK: ""}))
        thesis.write_bytes(zip_of({"thesis.tex": ""}))
        require_free(mine)
        require_free(tmp_path / "new.zip")

        with pytest.raises(LearnerError, match="nothing was changed"):
            require_free(thesis)
        with pytest.raises(LearnerError, match=r"must end with \.zip"):
            require_free(tmp_path / "new.tar")
