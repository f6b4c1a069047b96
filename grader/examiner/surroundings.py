"""Where an exception happened, in the terms of the exercise: whose line, what its sizes are called.

What a worker says of an exception is not believed; what is said here rests on the submission's own
text, the page, and the calls that were made.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.course.course import Course
from grader.course.imports import own_modules
from grader.errors import OwnLine, Raised
from grader.examiner.functions_in import functions_in
from grader.examiner.known_exception import CALLED, OWNER
from grader.examiner.printed import Printed, Signature, printed_in
from grader.sandbox.own_text import condition, own_lines, within
from grader.sandbox.session import DEFAULT_MEMORY_MIB

_OWN_FUNCTION = re.compile(r"[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(")
_RETURNS = re.compile(r"(?:.*[):;])?[ \t]+return[ \t]*[^ \t#\n]|.*\byield\b")
_RETURNS_NONE = re.compile(r".*\breturn\b.*\bNone\b")
_SET_ON_SELF = re.compile(r"\bself\.(\w+)|register_(?:buffer|parameter)\([\"'](\w+)|def (\w+)")
_HIDES = re.compile(
    r"[ \t]*self\.(train|eval|to|type|float|half|apply|modules|children)[ \t]*=(?!=)"
)
_SET = re.compile(r"\bself\.(\w+)[ \t]*(?::[^=]*)?=(?!=)")
_BEGINNING = 5  # letters in which a name may be known
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"\b(\w+)[ \t]*\(|(?<=[(,])[ \t]*(\w+)[ \t]*(?=[,)])")
_NO_CODE = re.compile(r"#[^\n]*|\"\"\"(?:.|\n)*?\"\"\"|\'\'\'(?:.|\n)*?\'\'\'")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,60})[\"']")
_MOST_NAMES = 12
_NO_SIZES = ("dim", "axis")


@dataclass(frozen=True)
class Surroundings:
    """The course, the submission's files by module name, the exercise at hand, and the memory that
    its worker may take.
    """

    course: Course | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    module: str = ""
    memory_mib: int = DEFAULT_MEMORY_MIB

    @property
    def memory_gib(self) -> float:
        """As people speak of it: 1 and 1.5, and of 1000 MiB 0.98."""
        gib = round(self.memory_mib / 1024, 2)
        return int(gib) if gib == int(gib) else gib

    def of_exercise(self, module: str) -> Surroundings:
        return replace(self, module=module)

    def printed(self, module: str) -> Printed:
        return Printed() if self.course is None else printed_in(self.course, module)

    def own_line(self, lines: Sequence[OwnLine]) -> OwnLine:
        """The last line that is the learner's own, and not given code of a page."""
        written = [line for line in lines if not self._is_given(line)]
        return (written or list(lines) or [OwnLine("")])[-1]

    def given_within(self, raised: Raised) -> str:
        """The given function in which an exception was raised; empty when it was none."""
        last = raised.last
        return last.within if self._is_given(last) else ""

    def helper(self, *names: str) -> str:
        """A given function of the page that uses all these names; empty when there is none."""
        used = self.printed(self.module).used
        return next((given for given, own in used.items() if own.issuperset(names)), "")

    def signature(self, name: str, type_name: str = "") -> Signature | None:
        return self.printed(self.module).called(name, type_name)

    def signature_elsewhere(self, name: str) -> Signature | None:
        """Of a function or ``Class.method`` of another page, from which the text imports it."""
        module = self.where_from(name.partition(".")[0])
        return self.printed(module).signatures.get(name) if module else None

    def sizes(self, calls: Sequence[Mapping[str, Any]]) -> dict[int, str]:
        """What the page calls the sizes in these calls, where each has one name: those of the last
        call of each function.
        """
        names: dict[int, set[str]] = {}
        for call in {(_class_of(call), call["name"]): call for call in calls}.values():
            signature = self.signature(call["name"], _class_of(call))
            for size, name in _named_sizes(call, signature) if signature else ():
                names.setdefault(size, set()).add(name)
        known = {size: found.pop() for size, found in names.items() if len(found) == 1}
        return {size: name for size, name in known.items() if name.isidentifier()}

    def signature_of(self, lines: Sequence[OwnLine]) -> str:
        """Of the first function of the module at hand that the traceback enters, as on its page."""
        printed = self.printed(self.module).signatures
        entered = [line.within for line in lines if line.file == f"{self.module}.py"]
        return printed[entered[0]].shown if entered and entered[0] in printed else ""

    # The submission's own text ------------------------------------------------------------------

    def line_of(self, name: str) -> OwnLine:
        """Where the module at hand defines ``function``, ``Class.method`` or ``Class``."""
        owner, _, function = name.rpartition(".")
        whole = self.files.get(self.module, "")
        lines = own_lines(whole) if function in whole else []
        begins_owner = re.compile(rf"class[ \t]+{re.escape(owner)}\b").match
        begins = re.compile(rf"(?:def|class)[ \t]+{re.escape(function)}\b").match
        inside = not owner
        for number, text in enumerate(lines, start=1):
            bare = text.strip()
            inside = inside or bool(begins_owner(bare))
            if inside and begins(bare):
                return OwnLine(f"{self.module}.py", number, bare[:160])
        return OwnLine("")

    def defines(self, name: str) -> bool:
        """Whether any file of the submission has a function or class of this name."""
        last = re.escape(name.rpartition(".")[2])
        named = re.compile(rf"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{last}\b")
        return any(named.search(text) for text in self.files.values())

    def is_function(self, name: str) -> bool:
        """Whether the page at hand, or one that it imports from, has a function of this name."""
        module = self.where_from(name)
        return bool(module) and name in self.printed(module).signatures

    def end_of(self, line: OwnLine) -> int:
        """The last line of the function or class that begins there; 0 if there is none."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        if not line.line:
            return 0
        first = lines[line.line - 1]
        block = list(_block(lines[line.line :], len(first) - len(first.lstrip())))
        while block and not block[-1].strip():
            block.pop()
        return line.line + len(block)

    def own_name(self, call: Mapping[str, Any]) -> str:
        """Of the function that a call is of: ``function`` or ``Class.method``."""
        owner, name = _class_of(call), call["name"].strip(".")
        return f"{owner}.{name or 'forward'}" if owner else name

    def never_returns(self, line: OwnLine) -> bool:
        """Whether the function that is defined in this line returns no value on any way."""
        text = self.files.get(line.file.removesuffix(".py"), "")
        return line.line in dict(_without_return(text))

    def returns_none(self, line: OwnLine) -> bool:
        """Whether the function that is defined in this line says itself that it returns None."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        return any(map(_RETURNS_NONE.match, lines[line.line - 1 : self.end_of(line)]))

    def falls_through(self, line: OwnLine) -> bool:
        """Whether the function that is defined in this line may end without a ``return``."""
        text = self.files.get(line.file.removesuffix(".py"), "")
        found = [own for own in functions_in(text) if own.lines[0].number == line.line]
        return any(own.falls_through for own in found)

    def nests_functions(self) -> bool:
        """Whether a function of the page holds another one."""
        return any(own.holds_another for own in functions_in(self.files.get(self.module, "")))

    def named_by(self, raised: Raised) -> OwnLine:
        """The line that an exception without any speaks of: a function that was called wrongly, or
        the beginning of a class that is not set up.
        """
        if called := CALLED.match(raised.message):
            return self.line_of(called.group(1))
        owner = OWNER.match(raised.message)
        return self.line_of(f"{owner.group(1)}.__init__") if owner else OwnLine("")

    def without_return(self, line: OwnLine) -> str:
        """An own function called in this line, or handed on in it, that never returns anything;
        empty if none is.
        """
        text = self.files.get(line.file.removesuffix(".py"), "")
        called = {name for pair in _CALLED.findall(line.text) for name in pair}
        return next((name for _, name in _without_return(text) if name in called), "")

    def can_keep(self, line: OwnLine) -> str:
        """A function of the page that can keep an axis (``keepdim``) and is called in this line
        without a word of it; empty if there is none.
        """
        called = re.findall(r"\b(\w+)[ \t]*\(", line.text) if "keepdim" not in line.text else []
        printed = self.printed(line.file.removesuffix(".py")).signatures
        return next((n for n in called if n in printed and "keepdim" in printed[n].axes), "")

    def speaks_of(self, name: str, *words: str) -> bool:
        """Whether one of these words, or a longer one with it, stands in the code of an own
        function or class.
        """
        line = self.line_of(name)
        lines = own_lines(self.files.get(self.module, ""))[line.line - 1 : self.end_of(line)]
        code = _NO_CODE.sub("", "\n".join(lines)) if line.line else ""
        return any(word in code for word in words)

    def may_take_exp(self) -> bool:
        """Whether exp, or what is made of it, stands in the code of the page or of an own module
        that it imports.
        """
        pages = {self.module, *own_modules(self.files, self.module)}
        code = "".join(_NO_CODE.sub("", self.files.get(page, "")) for page in pages)
        return any(word in code for word in ("exp", "softmax", "sigmoid"))

    def sets_to_none(self, line: OwnLine, name: str) -> OwnLine:
        """Where, outside of ``__init__``, a name on self is set to None in the file of a line."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        sets = re.compile(rf"[ \t]*{re.escape(name)}[ \t]*=[ \t]*None\b")
        found = [n for n, text in enumerate(lines, start=1) if sets.match(text)]
        for number in found[:_MOST_NAMES] if name.startswith("self.") else ():
            inside = within(lines, number)
            if not inside.endswith("__init__"):
                return OwnLine(line.file, number, lines[number - 1].strip()[:160], inside)
        return OwnLine("")

    def hides_a_method(self) -> OwnLine:
        """Where the module at hand sets on self what every module of torch has as a method."""
        for number, text in enumerate(own_lines(self.files.get(self.module, "")), start=1):
            if found := _HIDES.match(text):
                return OwnLine(f"{self.module}.py", number, text.strip()[:160], found[1])
        return OwnLine("")

    def base_of(self, name: str) -> str:
        """What a class of the module at hand extends, if it is one."""
        lines = own_lines(self.files.get(self.module, ""))
        heads = re.compile(rf"class[ \t]+{re.escape(name)}[ \t]*\([ \t]*(\w+)[ \t]*\)")
        return next((found[1] for text in lines if (found := heads.match(text))), "")

    def where_from(self, name: str) -> str:
        """The module whose page names this function or class: the one at hand, or one from which
        its text imports it; empty if there is none.
        """
        if self.printed(self.module).called(name):
            return self.module
        imports = re.compile(rf"from[ \t]+(\w+)[ \t]+import\b.*\b{re.escape(name)}\b(?![ \t]+as)")
        lines = own_lines(self.files.get(self.module, ""))
        return next((found[1] for text in lines if (found := imports.match(text))), "")

    def without_brackets(self, line: OwnLine, name: str) -> OwnLine:
        """Where the file of a line sets something to the class ``name``, and not to one of it."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        sets = re.compile(rf"[ \t]*[\w.]+[ \t]*=[^#]*\b{re.escape(name)}[ \t]*(?:[,)}}\]#]|if\b|$)")
        found = [n for n, text in enumerate(lines, start=1) if sets.match(text)]
        for number in found[:1]:
            text, inside = lines[number - 1].strip()[:160], within(lines, number)
            return OwnLine(line.file, number, text, inside)
        return OwnLine("")

    def condition_of(self, line: OwnLine) -> str:
        """The condition under which an own ``raise`` stands, as it is written."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        number = condition(lines, line.line)
        return lines[number - 1].strip()[:160] if number else ""

    def asked_above(self, line: OwnLine) -> OwnLine:
        """The nearest condition above a line, in its function, under which something is raised."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        for number, _ in _above(lines, line.line):
            if asked := condition(lines, number):
                return OwnLine(line.file, asked, lines[asked - 1].strip()[:160])
        return OwnLine("")

    def set_above(self, line: OwnLine, name: str) -> OwnLine:
        """The nearest line above one, in its function, that gives a name its value."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))
        sets = re.compile(rf"(?:[\w., ]*,[ ]*)?{re.escape(name)}[ ]*(?:,[\w., ]*)?=(?!=)")
        for number, text in _above(lines, line.line):
            if sets.match(text):
                return OwnLine(line.file, number, text[:160])
        return OwnLine("")

    def takes(self, line: OwnLine, name: str) -> bool:
        """Whether the function in which this line stands has an argument of that name."""
        lines = own_lines(self.files.get(line.file.removesuffix(".py"), ""))[: line.line]
        begins = re.compile(rf"[ \t]*(?:async )?def {re.escape(line.within.rpartition('.')[2])}\(")
        found = [number for number, text in enumerate(lines) if begins.match(text)]
        if not (found and line.within):
            return False
        head, _, _ = "\n".join(lines[found[-1] :]).partition(":\n")
        return bool(re.search(rf"[(,]\s*\*{{0,2}}{re.escape(name)}\s*[:=,)]", head))

    def argument_alike(self, line: OwnLine, name: str) -> str:
        """The one argument of a line's function that begins as ``name`` does; empty if none does,
        or several do.
        """
        begin = name[:_BEGINNING]
        words = set(_NAME.findall(self.files.get(line.file.removesuffix(".py"), ""))) - {name}
        alike = [word for word in words if word.startswith(begin) and self.takes(line, word)]
        return alike[0] if len(alike) == 1 and len(begin) == _BEGINNING else ""

    def resembling(self, name: str, type_name: str = "") -> str:
        """What stands in the module at hand and looks like ``name``, in its code if no type is
        given; empty if nothing does.
        """
        text = self.files.get(self.module, "")
        words = set(_NAME.findall(text if type_name else _NO_CODE.sub("", text))) - {name}
        words.difference_update(keyword.kwlist)
        if type_name in words:
            words = {n for found in _SET_ON_SELF.findall(text) for n in found if n} - {name}
        return nearest(name, sorted(words)[:2000])

    def resembling_text(self, wanted: str, line: OwnLine | None = None) -> str:
        """A text between quotation marks in the code of the module at hand, or of the function that
        begins in a line, that looks like this one; empty if none does, or if this one stands there
        itself.
        """
        code = self.files.get(self.module, "")
        if line is not None:
            code = "\n".join(own_lines(code)[line.line - 1 : self.end_of(line)])
        code = _NO_CODE.sub("", code)
        texts = set(_QUOTED.findall(code))
        return "" if wanted in texts else nearest(wanted, sorted(texts)[:2000])

    def set_on_self(self, owner: str) -> tuple[str, ...]:
        """What the class of this name, in whatever file of the submission, sets on itself, in
        order; nothing where there is no such class.
        """
        for module in self.files if owner else ():
            line = self.of_exercise(module).line_of(owner)
            if line.text.startswith("class"):
                lines = own_lines(self.files[module])[line.line : self.end_of(line)]
                names = dict.fromkeys(n for text in lines for n in _SET.findall(text))
                return tuple(names)[:_MOST_NAMES]
        return ()

    def set_on_bases(self, owner: str) -> tuple[str, ...]:
        """The same of the classes from which the module at hand makes its own of this name."""
        bases = re.findall(r"\w+", self.line_of(owner).text.partition("(")[2])
        return tuple(name for base in bases for name in self.set_on_self(base))[:_MOST_NAMES]

    def _is_given(self, line: OwnLine) -> bool:
        return self.printed(line.file.removesuffix(".py")).gives(line)


def nearest(name: str, words: Sequence[str], least: float = 0.75) -> str:
    """The one that is most probably meant by a name that is none; empty if no one is near, with
    ``least`` of its letters in common. The same letters, small or large, come first.
    """
    same = [word for word in words if word.lower() == name.lower()]
    return next(iter(same or difflib.get_close_matches(name, words, 1, least)), "")


def _without_return(text: str) -> Iterator[tuple[int, str]]:
    """The functions of a text whose lines hold no ``return`` of a value, each with the line it
    begins in; told by indentation.
    """
    lines = own_lines(text)
    for number, line in enumerate(lines):
        if opened := _OWN_FUNCTION.match(line):
            margin = len(line) - len(line.lstrip())
            body = [line[opened.end() :], *_block(lines[number + 1 :], margin)]
            if opened.group(1)[:2] != "__" and not any(map(_RETURNS.match, body)):
                yield number + 1, opened.group(1)


def _above(lines: Sequence[str], number: int) -> Iterator[tuple[int, str]]:
    """The lines above one, the nearest first, up to where its function begins."""
    for above in range(min(number, len(lines)) - 1, 0, -1):
        text = lines[above - 1].strip()
        if re.match(r"(?:async[ \t]+)?(?:def|class)\b", text):
            return
        yield above, text


def _block(lines: Sequence[str], margin: int) -> Iterator[str]:
    for line in lines:
        bare = line.strip()
        if bare and len(line) - len(line.lstrip()) <= margin and bare[0] not in ")]#":
            return
        yield line


def _class_of(call: Mapping[str, Any]) -> str:
    """The class whose method was called; empty for a function or a class itself."""
    return "" if call.get("of") == call["name"] else str(call.get("of", ""))


def _named_sizes(call: Mapping[str, Any], signature: Signature) -> Iterator[tuple[int, str]]:
    """The sizes of what a call was given, each with the page's name for it."""
    by_place = zip(signature.axes, call["args"], strict=False)
    for name, (kind, *more) in [*by_place, *call["kwargs"].items()]:
        if kind in ("tensor", "array", "bool"):
            axes = signature.axes.get(name, "").removeprefix("...").split()
            shape = tuple(more[0])[-len(axes) :] if axes else ()
            yield from ((n, axis) for n, axis in zip(shape, axes, strict=False) if n > 1)
        elif kind == "plain" and name not in _NO_SIZES and re.fullmatch(r"\d{1,9}", str(more[0])):
            yield from [(int(more[0]), name)] if int(more[0]) > 1 else []


NOWHERE = Surroundings()
