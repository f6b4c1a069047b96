"""What can be said of notebooks without nbgrader: pages, what was handed in, a student's cells."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

from grader.bridges.exercise_cells import CellKind, exercise_cells
from grader.bridges.handed_in import HandedIn, module_of, read_notebook
from grader.bridges.kernel import check, examples, import_notebooks, show
from grader.bridges.notebook import build_course, notebook_text
from grader.bridges.prose import markdown, tex
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import stub_text, without_markers
from grader.course.suite_text import suite_points
from grader.errors import CourseNotFound, GraderError
from grader.model import Place
from grader.pictures import SCENES
from grader.report.words import told

COURSE = find_course()
CATALOG = load_catalog(COURSE)


def code_of(text: str) -> list[str]:
    """The lines that hold anything."""
    return [line for line in text.split("\n") if line.strip()]


class TestAPage:
    @pytest.mark.parametrize("name", CATALOG)
    def test_is_the_solution(self, name):
        """The cells, put together again, are the solution without its opening docstring."""
        cells = exercise_cells(COURSE, CATALOG[name])
        mine = {c.name: without_markers(c.text) for c in cells if c.kind is CellKind.SOLUTION}
        whole = without_markers(COURSE.solution(name).read_text(encoding="utf-8"))
        code = code_of(module_of(cells, HandedIn(mine)).text)

        assert code == code_of(whole)[-len(code) :]
        assert code[0] == "from __future__ import annotations"

    @pytest.mark.parametrize("name", CATALOG)
    def test_is_worth_what_the_suite_is(self, name):
        """One grade cell for every check; no name is given twice; every cell has a valid id."""
        cells = exercise_cells(COURSE, CATALOG[name])
        names = [cell.name for cell in cells]

        assert sum(cell.points for cell in cells) == suite_points(COURSE, name)
        assert len(names) == len(set(names))
        assert all(n.replace("-", "_").isidentifier() for n in names)

    @pytest.mark.parametrize("name", CATALOG)
    def test_shows_no_solution(self, name):
        """Cell by cell, what nbgrader's cut leaves of the code is what our own stub holds."""
        cells = [
            c
            for c in exercise_cells(COURSE, CATALOG[name])
            if c.kind in (CellKind.GIVEN, CellKind.SOLUTION)
        ]
        stub = code_of(stub_text(COURSE.solution(name).read_text(encoding="utf-8"), name))
        left = "\n".join(
            c.text if c.kind is CellKind.GIVEN else stub_text(c.text, name) for c in cells
        )
        code = code_of(left)

        assert code == stub[-len(code) :]

    @pytest.mark.parametrize("name", CATALOG)
    def test_has_markers_in_solution_cells_alone(self, name):
        """Elsewhere nbgrader would refuse them."""
        for cell in exercise_cells(COURSE, CATALOG[name]):
            assert ("SOLUTION" in cell.text) == (cell.kind is CellKind.SOLUTION)

    def test_is_written_the_same_every_time(self):
        """The same bytes from the same solution."""
        first, second = (notebook_text(exercise_cells(COURSE, CATALOG["masks"])) for _ in range(2))

        assert first == second

    @pytest.mark.parametrize("name", CATALOG)
    def test_offers_a_picture_where_there_is_one(self, name):
        """Right after the cell that checks everything; a student may leave it out."""
        cells = exercise_cells(COURSE, CATALOG[name])
        names = [cell.name for cell in cells]
        place = names.index("check-all") + 1

        assert (names[place] == "show-picture") == (name in SCENES)
        assert cells[place].kind is (CellKind.TRIAL if name in SCENES else CellKind.CHECK)


class TestACourse:
    def test_holds_what_an_exercise_is_assembled_from(self, tmp_path):
        """Who asks for gpt gets the notebooks it imports."""
        build_course(COURSE, tmp_path, "ps1", ["gpt"])
        names = {path.stem for path in (tmp_path / "source" / "ps1").iterdir()}

        assert names == {"gpt", "feed_forward", "layer_norm", "multi_head_attention"}

    def test_is_not_mixed_with_another(self, tmp_path):
        """A configuration that would run submissions in a kernel is not built upon."""
        (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")

        with pytest.raises(GraderError, match="would run in a kernel"):
            build_course(COURSE, tmp_path, "ps1", ["softmax"])


class TestWhatWasHandedIn:
    @pytest.mark.parametrize(
        ("raw", "says"),
        [
            (b"{]", "no JSON"),
            (b"\xff\xfe\x00", "is not a notebook (UnicodeDecodeError)"),
            (b"[" * 100_000, "is not a notebook"),
            (b"[1, 2]", "no cells"),
            (b'{"cells": 3}', "no cells"),
            (b"1" * 10_000, "is not a notebook"),
            (b"", "no JSON"),
        ],
    )
    def test_may_be_anything(self, tmp_path, raw, says):
        """Bytes of any kind have a named outcome."""
        path = tmp_path / "softmax.ipynb"
        path.write_bytes(raw)

        assert says in told(read_notebook(path).problem).rationale

    def test_may_hold_cells_of_any_shape(self, tmp_path):
        """Cells that are no cells are passed over."""
        good = {"metadata": {"nbgrader": {"grade_id": "f"}}, "source": ["a\r\n", 3, "\ud800"]}
        cells = [3, None, [], {}, {"metadata": 1}, {"metadata": {"nbgrader": []}}, good]
        path = tmp_path / "softmax.ipynb"
        path.write_text(json.dumps({"cells": cells, "metadata": []}))

        assert read_notebook(path).cells == {"f": "a\n?"}

    def test_may_not_be_a_link(self, tmp_path):
        """It could point at a solution."""
        (tmp_path / "secret").write_text("{}")
        (tmp_path / "softmax.ipynb").symlink_to(tmp_path / "secret")

        assert "cannot be read" in told(read_notebook(tmp_path / "softmax.ipynb").problem).rationale

    @pytest.mark.parametrize(
        "line", ["%time f()", "!ls", "?f", "f?", "torch.exp??", "    %timeit f()", "files = !ls"]
    )
    def test_commands_to_the_notebook_are_not_python(self, line):
        """They are left out, and the line numbers stay."""
        text, notes = solved(f"{line}\nx = 1")

        assert text.split("\n")[0].strip().startswith("pass  #")
        assert notes

    @pytest.mark.parametrize(
        "text", ["x = (7\n     % 3)", "if a != b:\n    pass", "x = 7 % 3", "y = (a\n    != b)"]
    )
    def test_python_is_left_alone(self, text):
        """An operator at the beginning of a line is no command."""
        assert solved(text) == (text, ())

    def test_a_cell_of_another_language_is_not_run(self):
        """Nothing of it is Python."""
        text, notes = solved("%%bash\nrm -rf x")

        assert text == "# %%bash\n# rm -rf x"
        assert "'%%bash'" in notes[0]

    def test_lines_are_told_as_cells(self):
        """Those who wrote a notebook know nothing of the lines of a module."""
        cells = exercise_cells(COURSE, CATALOG["softmax"])
        module = module_of(cells, HandedIn({"softmax": "a\nb", "logsumexp": "c\nd"}))
        line = module.text.split("\n").index("d") + 1

        spot = module.spot("softmax")

        assert spot(Place("softmax.py", line, "d")) == "cell logsumexp, line 2"
        assert spot(Place("masks.py", line, "d")) == f"masks.py, line {line}"


def solved(text: str) -> tuple[str, tuple[str, ...]]:
    """What becomes of one solution cell."""
    cells = [c for c in exercise_cells(COURSE, CATALOG["softmax"]) if c.name == "softmax"]
    module = module_of(cells, HandedIn({"softmax": text}))
    return module.text.removesuffix("\n"), module.notes["softmax"]


class TestAStudentsCells:
    def test_examples_that_come_out(self, capsys, monkeypatch):
        """A tick and the name."""
        monkeypatch.setattr(sys.modules["__main__"], "double", lambda x: 2 * x, raising=False)
        examples("double", ">>> double(2)\n4\n")

        assert capsys.readouterr().out == "✓ double gives what its examples say.\n"

    def test_examples_that_do_not(self, capsys, monkeypatch):
        """The first line that differs, what was expected, what came."""
        monkeypatch.setattr(sys.modules["__main__"], "double", lambda x: x, raising=False)
        examples("double", ">>> double(0)\n0\n>>> double(2)\n4\n>>> double(3)\n6\n")
        said = capsys.readouterr().out

        assert "double(2) gave something else." in said
        assert "expected  4" in said
        assert "got       2" in said

    def test_a_stub(self, capsys, monkeypatch):
        """What is not written yet is called that, without a traceback."""
        names: dict[str, object] = {}
        exec("def double(x):\n    raise NotImplementedError('replace this line')", names)
        monkeypatch.setattr(sys.modules["__main__"], "double", names["double"], raising=False)
        examples("double", ">>> double(2)\n4\n")

        assert "Not written yet: double." in capsys.readouterr().out

    def test_notebooks_import_one_another(self, tmp_path, monkeypatch):
        """The page's code and the solutions are run, trials and checks are not."""
        text = notebook_text(exercise_cells(COURSE, CATALOG["masks"]))
        (tmp_path / "a_notebook_of_masks.ipynb").write_text(text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
        import_notebooks()
        import_notebooks()
        import a_notebook_of_masks

        assert a_notebook_of_masks.causal_mask(1).tolist() == [[True]]
        del sys.modules["a_notebook_of_masks"]


class _Display(ModuleType):
    """IPython's part in it: what was displayed, and with what."""

    def __init__(self):
        super().__init__("IPython.display")
        self.shown = []

    def Image(self, data, **options):
        return data, options

    def display(self, shown):
        self.shown.append(shown)


@pytest.fixture
def display(monkeypatch, tmp_path):
    """A notebook in an empty folder; what it displays."""
    fake = _Display()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    return fake


@pytest.fixture
def run_cells(monkeypatch, display):
    """The cells of this session, as they were typed."""

    def run_cells(*texts):
        history = SimpleNamespace(input_hist_raw=["", *texts])
        here = sys.modules["__main__"]
        shell = SimpleNamespace(history_manager=history)
        monkeypatch.setattr(here, "get_ipython", lambda: shell, raising=False)

    return run_cells


class TestAStudentsPicture:
    def test_is_of_the_cells_run_so_far(self, run_cells, display, capsys):
        """Inline, with its words for who cannot see it, and the words of the command below."""
        pytest.importorskip("matplotlib")
        first = "def softmax(x, dim=-1):\n    return x"
        run_cells(first, first.replace("return x", "return 1 / 0"), "softmax(2)")
        show("softmax")
        said = capsys.readouterr().out
        ((png, options),) = display.shown

        assert png.startswith(b"\x89PNG")
        assert "ZeroDivisionError" in options["alt"]
        assert said.startswith("✗ softmax of the scores x, 0 and 1\n    The call raised Zero")
        assert "(cell softmax, line 2)" in said

    def test_without_matplotlib(self, run_cells, display, capsys, monkeypatch):
        """One sentence, with what to type into a cell."""
        run_cells("x = 1")
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        show("softmax")

        assert capsys.readouterr().out == (
            "Pictures are drawn with matplotlib, which is not installed: "
            "`%pip install matplotlib`.\n"
        )

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("questions", "There is no picture of 'questions': its answers are numbers"),
            ("softmx", "'softmx' is not an exercise. Did you mean 'softmax'?"),
        ],
    )
    def test_where_there_is_none(self, name, says, run_cells, display, capsys):
        """One sentence, and nothing is shown."""
        run_cells("x = 1")
        show(name)
        said = capsys.readouterr().out

        assert said.startswith(says)
        assert said.count("\n") == 1
        assert display.shown == []

    @pytest.mark.parametrize("call", [show, check])
    def test_without_a_checkout(self, call, display, capsys, monkeypatch):
        """One sentence, which says where it can be had."""

        def nowhere():
            raise CourseNotFound("no")

        monkeypatch.setattr("grader.bridges.kernel.find_course", nowhere)
        call("softmax")
        said = capsys.readouterr().out

        assert said.count("\n") == 1
        assert said.startswith(("Pictures are drawn in a checkout", "The examples above are what"))

    def test_outside_a_notebook(self, monkeypatch, capsys, tmp_path):
        """The words, without a picture."""
        pytest.importorskip("matplotlib")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setitem(sys.modules, "IPython.display", None)
        show("residual")

        assert capsys.readouterr().out.startswith("✗ ")


class TestProse:
    @pytest.mark.parametrize(
        ("line", "shown"),
        [
            ("y_i = x_i / sum_j x_j", r"y_{i}=x_{i}/\sum _{j}x_{j}"),
            ("Q K^T / sqrt(d_k)", r"Q\, K^{T}/\sqrt{d_{k}}"),
            ("sin(p / 10000^(2i / d_model))", r"\sin (p/10000^{2i/d_{\mathrm{model}}})"),
            ("softmax(x)_i = x,  m = 2", r"\mathrm{softmax}(x)_{i}=x,\quad m=2"),
            ("x[..., 0]", r"x[\dots ,0]"),
        ],
    )
    def test_a_formula_is_typeset(self, line, shown):
        """Names upright, letters slanted, roots and powers over what is in their brackets."""
        assert tex(line) == shown

    @pytest.mark.parametrize(
        "line", ["y = x over all tokens", "a) = (b", "W_q,h^T", "for i in range(T):", "1 == 'a'"]
    )
    def test_what_is_not_plain_stays_as_it_is(self, line):
        """Words, code and brackets that do not pair are shown as they stand."""
        assert tex(line) is None
        assert markdown(f"    {line}") == f"    {line}"

    def test_a_stub_is_not_in_it(self):
        """Prose is made of docstrings alone."""
        stub = stub_text(COURSE.solution("softmax").read_text(encoding="utf-8"), "softmax")

        assert "NotImplementedError" in stub
        assert not any(
            "NotImplementedError" in c.text for c in exercise_cells(COURSE, CATALOG["softmax"])
        )

    def test_examples_are_python(self):
        """They keep their prompts and their line breaks."""
        assert (
            markdown("Twice.\n\n>>> double(2)\n4") == "Twice.\n\n```python\n>>> double(2)\n4\n```"
        )
