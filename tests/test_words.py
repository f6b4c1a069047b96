"""What a learner or a student may read stands in few, named places, where a translator finds it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from grader.report.sentences import SENTENCES

ROOT = Path(__file__).parents[1]
GRADER = ROOT / "grader"
ROOMS = ("learner", "pictures", "bridges", "exports", "gradebook", "runs", "examiner")
ROOMS += ("programs", "similarity", "cli", "platforms", "pages", "finale")

# Where words may stand, and why.
PLACES = {
    "learner/words.py": "what a learner reads",
    "pictures/words.py": "what is said beside a picture",
    "finale/words.py": "what is said while a model learns",
    "pages/words.py": "what is said beside a page",
    "bridges/words.py": "what a student reads in a notebook",
    "bridges/exercise_cells.py": "the given cells of a notebook, half prose and half code",
    "programs/dropped.py": "messages of the checks of several suites: content",
    "programs/under_test.py": "which rule of being called was broken",
    "cli/app.py": "the help",
    "cli/commands/author.py": "the commands' help",
    "cli/commands/gradebook.py": "the commands' help",
    "cli/commands/instructor.py": "the commands' help",
    "cli/commands/learner.py": "the commands' help",
    "cli/commands/options.py": "the options' help",
    "cli/versions.py": "which grader and which course this is",
    "cli/commands/platforms.py": "the commands' help",
    "platforms/words.py": "what a student reads where a platform runs the grader",
}
NOT_FOR_STUDENTS = {
    "bridges/nbgrader.py": "instructors set nbgrader up",
    "bridges/notebook.py": "instructors build a course",
    "examiner/gpu_gives_up.py": "what torch says, which is looked for",
    "pages/formula.py": "the words by which formulas are told from sentences",
    "bridges/run_folder.py": "instructors keep the seed of an assignment",
    "cli/assigning.py": "instructors say by what a class is graded",
    "cli/author.py": "authors prove their suites",
    "cli/doctor.py": "instructors ask what protects their machine",
    "cli/elsewhere.py": "instructors take a course to a platform",
    "cli/explaining.py": "instructors ask why a check failed",
    "cli/exporting.py": "instructors take marks to another program",
    "cli/files.py": "instructors hear what could not be written",
    "cli/gradebook.py": "instructors keep the marks of a class",
    "cli/instructor.py": "instructors grade a class",
    "cli/jupyter.py": "instructors build a course",
    "pictures/scenes.py": "authors prove their pictures",
    "examiner/expected.py": "authors hear which probe cannot be asked for gradients",
    "cli/unattended.py": "the log of a job says what was graded",
    "cli/regrading.py": "instructors grade a class again",
    "cli/progress.py": "instructors wait for a class",
    "cli/screen.py": "instructors read the table of a class",
    "exports/canvas.py": "instructors give a roster",
    "platforms/classroom50.py": "instructors build a folder",
    "platforms/engine.py": "pip reads what a wheel says of itself",
    "platforms/container.py": "instructors build an image",
    "platforms/packed.py": "instructors choose a folder, and authors extend a course",
    "exports/classroom50.py": "instructors say for which classroom",
    "exports/filling.py": "instructors hear who has no mark, and who is not in the roster",
    "exports/moodle.py": "instructors give a roster",
    "exports/nbgrader_gradebook.py": "instructors hear who is not in the gradebook",
    "runs/finding.py": "instructors name a student and a check",
    "gradebook/book.py": "instructors say what they think of a mark",
    "gradebook/database.py": "instructors say where the gradebook lies",
    "gradebook/finding.py": "instructors name assignments, exercises and entries",
    "gradebook/history.py": "instructors read what happened to a mark",
    "gradebook/identity.py": "instructors hear whose report was taken for whose",
    "gradebook/taking_in.py": "instructors take in a run",
    "gradebook/upgrading.py": "instructors open a gradebook",
    "runs/folder.py": "instructors say where a run is written",
    "runs/remarks.py": "instructors hear what an assignment says nothing about",
    "runs/reading.py": "instructors hear which report cannot be read",
    "runs/settings.py": "instructors go on with a run",
    "runs/texts.py": "instructors hear which text is not there",
    "examiner/by_hand.py": "authors run their suites with pytest",
    "examiner/collection.py": "authors ask pytest which marks there are",
    "examiner/device_advice.py": "torch's words, by which its errors are known",
    "examiner/exception_table.py": "torch's words, by which its errors are known",
    "examiner/call_exception_table.py": "torch's words, by which its errors are known",
    "examiner/python_exception_table.py": "Python's words, by which its errors are known",
    "examiner/known_exception.py": "Python's words, by which its errors are known",
    "examiner/known_names.py": "lines that import a library, as Python has them",
    "examiner/sealed/codec.py": "instructors release a course",
    "examiner/sealed/numbers.py": "authors, of steps that are none",
    "examiner/sealed/playing.py": "Python's words on an answer that is no module; authors' steps",
    "examiner/scripts/assertions.py": "instructors run what a check asked",
    "examiner/scripts/expressions.py": "instructors run what a check asked",
    "examiner/scripts/parts.py": "instructors run what a check asked",
    "programs/page.py": "authors prove pages and banks",
    "programs/predictions.py": "authors prove their predictions",
    "programs/examples.py": "authors prove the examples of a page",
    "examiner/scripts/statements.py": "instructors run what a check asked",
    "examiner/scripts/script.py": "instructors run what a check asked",
}
FOR_AUTHORS = {"SuiteError", "ProtocolViolation", "SandboxError"}
LOGS = {"debug", "info", "warning", "error"}


@cache
def trees(*rooms):
    """The parsed modules of these rooms, by their path in ``grader``; without any, of all."""
    folders = [GRADER / room for room in rooms] or [GRADER]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    texts = {path.relative_to(GRADER).as_posix(): path.read_text("utf-8") for path in paths}
    return {name: ast.parse(text) for name, text in texts.items()}


def words_in(text):
    """How many words there are, not counting fields, names in code and signs."""
    bare = (part.strip(".,:;!?()“”`'\"").replace("'", "") for part in text.split())
    return sum(word.isalpha() for word in bare)


def sentences(tree):
    """The literals of three and more words that somebody could be shown, by their lines."""
    if is_passed_over(tree):
        return {}
    text = text_of(tree)
    if text is not None:
        return {tree.lineno: text} if words_in(text) >= 3 else {}
    return {k: v for child in ast.iter_child_nodes(tree) for k, v in sentences(child).items()}


def is_passed_over(node):
    """Docstrings, assertions, logs, and errors that only authors see."""
    match node:
        case ast.Assert() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name))):
            return name in FOR_AUTHORS
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="log"), attr=level)):
            return level in LOGS
    return False


def text_of(node):
    """A literal's text; what an f-string puts in is no word of it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or "{}" for part in parts)
    return None


@pytest.fixture(scope="module")
def found():
    """The sentences of every module, by its name."""
    return {name: sentences(tree) for name, tree in trees(*ROOMS).items()}


def test_words_stand_in_named_places(found):
    """A sentence in any other module would be missed by a translator."""
    allowed = PLACES | NOT_FOR_STUDENTS
    strays = {name: lines for name, lines in found.items() if lines and name not in allowed}

    assert strays == {}


def test_every_named_place_is_needed(found):
    """What holds no sentence any more needs no exception."""
    allowed = PLACES | NOT_FOR_STUDENTS

    assert [name for name in allowed if not found.get(name)] == []


@pytest.mark.parametrize(
    "code",
    [
        "say('Not in this folder.')",
        "say(f'Not {here} in this folder')",
        "raise LearnerError('Not in this folder.')",
        "NOTICE = 'It\\'s not here.'",
        "def f(x='not in this folder'): pass",
        "say('Open ' 'it ' 'again')",
    ],
)
def test_sentences_are_found(code):
    """Wherever they stand, also in pieces."""
    assert sentences(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "'''Not in this folder.'''",
        "def f():\n    '''Not in this folder.'''",
        "raise SuiteError(f'{path} is not in this folder')",
        "assert here, 'not in this folder'",
        "self.log.warning('not in this folder')",
        "open_file('utf-8', 'r+b')",
        "'{:<32.32} {task.description} a'",
    ],
)
def test_other_texts_are_no_sentences(code):
    """What no student is shown."""
    assert sentences(ast.parse(code)) == {}


@pytest.mark.parametrize(
    "room", ["learner", "pictures", "bridges", "exports", "report", "platforms", "finale"]
)
def test_every_word_is_said(room):
    """A constant that nobody uses would be translated in vain."""
    (words,) = (tree for name, tree in trees(room).items() if name == f"{room}/words.py")
    defined = {
        target.id
        for node in words.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    users = [tree for tree in trees().values() if takes_words_of(tree, room)]

    assert defined - used_in_itself(words) - {n for tree in users for n in said_by(tree)} == set()


def takes_words_of(tree, room):
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == f"grader.{room}"
        and "words" in [alias.name for alias in node.names]
        for node in ast.walk(tree)
    )


def said_by(tree):
    """The names that are used as ``words.NAME``."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="words"), attr=name):
                yield name


def used_in_itself(tree):
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def test_every_cause_has_a_sentence():
    """A kind without one could not be told to anybody."""
    kinds = {
        (name, text_of(kind))
        for name, tree in trees().items()
        for node in ast.walk(tree)
        for kind in kinds_of_cause(node)
    }

    assert {(name, kind) for name, kind in kinds if kind and kind not in SENTENCES} == set()


def kinds_of_cause(node):
    match node:
        case ast.Call(func=ast.Name(id="Cause"), args=[kind, *_]):
            yield kind
