"""What in a learner's own function leads nowhere: a result that nothing takes, a ``return`` in the
first round of a loop, an argument or a name that is never used.

Only what is certain is found, and it is told beside a failure, which it may explain or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import takewhile
from typing import Any

from grader.errors import OwnLine
from grader.examiner.exchanged import exchanged
from grader.examiner.functions_in import Function, Line, arguments, functions_in
from grader.examiner.printed import Signature
from grader.examiner.surroundings import Surroundings
from grader.examiner.thrown_away import is_one_call, reckoned, thrown
from grader.model import Fact
from grader.sandbox.own_text import own_lines

MOST = 2  # are told
_MOST_LETTERS, _MOST_LINES = 100_000, 400  # of a file, of a function: more is read by nobody here
_SET = re.compile(r"([^\W\d]\w*)[ \t]*(?::[^=]+)?=(?!=)")
_LOOP = re.compile(r"(?:async[ \t]+)?(?:for|while)\b.*:$")
_MODE = re.compile(r"\btraining\b")
_EVERYTHING = re.compile(
    r"(except(?:[ \t]+(?:Exception|BaseException)\b)?)[ \t]*(?:as[ \t]+\w+[ \t]*)?:"
)
_UNWRITTEN = "NotImplementedError"


def loose_ends(
    around: Surroundings, of: str, call: Mapping[str, Any] | None, *, graph: bool = False
) -> tuple[Fact, ...]:
    """Of the function or class that is called so in the module at hand; ``call`` says with which
    arguments it was asked. Nothing of what is not written to its end, or stands as the page gave
    it. With ``graph`` also what cuts the way of a gradient.
    """
    text = around.files.get(around.module, "")
    if len(text) > _MOST_LETTERS:
        return ()
    functions = [f for f in functions_in(text) if f.name == of or f.name.startswith(f"{of}.")]
    short = [f for f in functions if len(f.lines) <= _MOST_LINES]
    written = [f for f in short if _UNWRITTEN not in f.words and not is_given(f, around)]
    own = frozenset(around.set_on_self(of))
    pure = frozenset(f.name for f in functions_in(text) if _is_of_tensors(around.signature(f.name)))
    found = [end for f in written for end in (*thrown(f, own, pure), *reckoned(f))]
    found += [end for f in written for end in _first_rounds(f)]
    found += [end for f in written for end in (*_halves(f), *_last_rounds(f))]
    found += [end for f in written for end in (*_swallowed(f), *_tuples(f))]
    found += [end for f in written for end in (*_always_dropping(f), *_one_layer_twice(f))]
    found += [end for f in written for end in _left_to_its_own(f, around)]
    found += [end for f in written for end in (*_flags(f), *_one_list_twice(f))]
    found += [end for f in written for end in (*_made_anew(f), *_deaf(f))]
    found += [end for f in written for end in _strange_words(f, around)]
    found += [end for f in written for end in _exchanged(f, around)]
    found += [end for f in written for end in (_cuts(f) if graph else ())]
    found += [end for f in written for end in _unused_arguments(f, around, call)]
    found += [end for f in written for end in _unused_names(f)]
    return tuple({**end, "file": f"{around.module}.py"} for end in found[:MOST])


def _is_of_tensors(signature: Signature | None) -> bool:
    """Whether a function of the page takes a tensor first: such a one only returns."""
    return signature is not None and bool(next(iter(signature.axes.values()), ""))


def is_given(function: Function, around: Surroundings) -> bool:
    """Whether it stands there as on the page, line by line."""
    lines, printed = own_lines(around.files[around.module]), around.printed(around.module)
    own = [(lines[line.number - 1].strip(), line.number) for line in function.body]
    file = f"{around.module}.py"
    return all(printed.gives(OwnLine(file, at, text, function.name)) for text, at in own)


def _first_rounds(function: Function) -> Iterator[dict[str, Fact]]:
    """A ``return`` that stands in a loop under no condition, where no round is left before."""
    openers: list[Line] = []
    for line in function.body:
        while openers and openers[-1].margin >= line.margin:
            openers.pop()
        inside = openers[-1] if openers else None
        if inside and line.text.startswith("return") and _LOOP.match(inside.text):
            rounds = [o for o in function.body if inside.number < o.number < line.number]
            if not any(re.match(r"continue\b|.*:\s*continue\b", o.text) for o in rounds):
                yield {"kind": "first_round", "line": line.number, "name": line.text}
        if line.text.endswith(":"):
            openers.append(line)


def _last_rounds(function: Function) -> Iterator[dict[str, Fact]]:
    """A name that every round of a ``for`` sets anew, of which nothing in the loop makes use, and
    that is returned after it.
    """
    for at, loop in enumerate(function.body):
        if not loop.text.startswith("for ") or not loop.text.endswith(":"):
            continue
        rest = function.body[at + 1 :]
        rounds = list(takewhile(partial(_is_inside, loop.margin), rest))
        if any(re.search(r"\b(?:break|return|raise|yield)\b", line.text) for line in rounds):
            continue
        for line in rounds:
            begins = line.margin == rounds[0].margin and line in function.statements
            found = _SET.match(line.text) if begins else None
            if found is None:
                continue
            used = re.compile(rf"(?<![\w.]){found[1]}\b")
            others = [one.text for one in (loop, *rounds) if one is not line]
            others.append(line.text[found.end() :])
            after = [one.text for one in rest[len(rounds) :] if one.text.startswith("return")]
            if not any(map(used.search, others)) and any(map(used.search, after)):
                yield {"kind": "last_round", "line": line.number, "name": found[1]}


def _is_inside(margin: int, line: Line) -> bool:
    return line.margin > margin


def _halves(function: Function) -> Iterator[dict[str, Fact]]:
    """A power that is to be a fraction, and is 1 instead: ``d ** 1 / 2``."""
    for line in function.body:
        for found in re.finditer(r"[\w.\])]+[ \t]*\*\*[ \t]*1[ \t]*/[ \t]*\d\b(?!\.)", line.text):
            yield {"kind": "halves", "line": line.number, "name": found[0]}


def _swallowed(function: Function) -> Iterator[dict[str, Fact]]:
    """An ``assert`` in a ``try`` whose ``except`` catches what it raises and lets it be."""
    for at, line in enumerate(function.body):
        if line.text != "try:":
            continue
        inside = partial(_is_inside, line.margin)
        tried = list(takewhile(inside, function.body[at + 1 :]))
        if not any(one.text.startswith("assert ") for one in tried):
            continue
        for then, one in enumerate(function.body[at + 1 + len(tried) :], start=at + 1 + len(tried)):
            if inside(one):
                continue
            if not one.text.startswith("except"):
                break
            handler = (one, *takewhile(inside, function.body[then + 1 :]))
            caught = _EVERYTHING.match(one.text)
            if caught and not any(re.search(r"\b(?:raise|assert)\b", o.text) for o in handler):
                yield {"kind": "swallowed", "line": one.number, "name": caught[1]}


def _tuples(function: Function) -> Iterator[dict[str, Fact]]:
    """An ``assert`` of a condition and its message in one pair of brackets: a tuple is true."""
    for line in function.body:
        if line.text.startswith("assert (") and is_one_call(line.text):
            given = arguments(line.text[len("assert (") :])
            if given is not None and len(given) > 1:
                yield {"kind": "assert_of_a_tuple", "line": line.number, "name": "assert (...)"}


def _always_dropping(function: Function) -> Iterator[dict[str, Fact]]:
    """torch's function, which drops in eval mode as well unless it is told, or asked for under a
    condition.
    """
    asks = any(map(_MODE.match, function.words))
    for line in function.body if not asks else ():
        for found in re.finditer(r"\b(?:F|functional)\.dropout\(", line.text):
            given = arguments(line.text[found.end() :])
            if given is not None and len(given) <= 2 and not _MODE.search("".join(given)):
                name = found[0].removesuffix("(")
                yield {"kind": "always_drops", "line": line.number, "name": name}


def _made_anew(function: Function) -> Iterator[dict[str, Fact]]:
    """A layer with weights or a mode of its own that is made when the model is called."""
    asks = any(map(_MODE.match, function.words))
    for line in function.body if function.name.endswith(".forward") else ():
        for found in _LAYERS.finditer(line.text):
            if not ((asks and "Dropout" in found[1]) or "elementwise_affine=False" in line.text):
                yield {"kind": "made_anew", "line": line.number, "name": found[1]}


_LAYERS = re.compile(
    r"(?<![\w.])(?:torch\.)?(nn\.(?:Dropout\w*|Linear|Embedding|Parameter|(?:Layer|RMS)Norm))\("
)


def _deaf(function: Function) -> Iterator[dict[str, Fact]]:
    """A small function that is handed on, and makes no use of what it is given."""
    for line in function.body:
        for found in _LAMBDA.finditer(line.text):
            rest = arguments(line.text[found.end() :])  # what ends it is a comma or a bracket
            if rest and not re.search(rf"(?<![\w.]){found[1]}\b", rest[0]) and "(" in rest[0]:
                yield {"kind": "deaf", "line": line.number, "name": found[1]}


_LAMBDA = re.compile(r"\blambda[ \t]+([^\W\d_]\w*)[ \t]*:")


def _left_to_its_own(function: Function, around: Surroundings) -> Iterator[dict[str, Fact]]:
    """A part with a share of its own, to drop for example, in an ``__init__`` that is told one and
    does not hand it on.
    """
    if not function.name.endswith("__init__"):
        return
    code = "\n".join(line.text for line in function.body)
    for made in _MADE.finditer(code):
        module = around.where_from(made[1])
        signature = around.of_exercise(module).signature(made[1]) if module else None
        share = _SHARE.search(signature.shown) if signature else None
        given = arguments(code[made.end() :])
        if signature is None or share is None or given is None:
            continue
        option, own = share.groups()
        by_place = sum(not re.match(r"\w+[ \t]*=(?!=)", one) for one in given)
        told = by_place > list(signature.axes).index(option) or option in "".join(given)
        unpacked = any(one.startswith("*") for one in given)
        if re.search(rf"\b{option}\b", function.head) and not (told or unpacked):
            line = function.body[code.count("\n", 0, made.start())].number
            named: dict[str, Fact] = {"name": made[1], "option": option, "own": own}
            yield {"kind": "own_share", "line": line, **named}


_MADE = re.compile(r"(?<![\w.])([A-Z]\w+)\(")
_SHARE = re.compile(r"\b(\w+)=(0?\.\d*[1-9])\b")


def _one_layer_twice(function: Function) -> Iterator[dict[str, Fact]]:
    """One module under two names, of the class's own or of what it holds; a weight may be, and what
    an option asks for.
    """
    made = re.compile(r"self\.(\w+)[ \t]*=[ \t]*(?:\w+\.)*[A-Z]\w*\(")
    layers = {found[1] for line in function.body if (found := made.match(line.text))}
    for line in function.body:
        found = re.fullmatch(r"self\.([\w.]+)[ \t]*=[ \t]*self\.([\w.]+)", line.text)
        if (
            found
            and line.margin == function.body[0].margin
            and (found[2] in layers or _OF_BOTH.fullmatch(line.text))
        ):
            names = f"self.{found[1]}` and `self.{found[2]}"
            yield {"kind": "one_layer_twice", "line": line.number, "name": names}


_OF_BOTH = re.compile(
    r"self\.(?:\w+\.)+(?!weight\b|bias\b|data\b)(\w+)[ \t]*=[ \t]*self\.(?:\w+\.)+\1"
)


def _one_list_twice(function: Function) -> Iterator[dict[str, Fact]]:
    """Two names of one list that is empty still; a list of one and the same list."""
    for line in function.statements:
        if found := _EMPTY.fullmatch(line.text):
            names = f"{found[1]}` and `{found[2]}"
            yield {"kind": "one_list_twice", "line": line.number, "name": names}
        if same := re.search(r"\[\[\]\][ \t]*\*", line.text):
            yield {"kind": "one_list_often", "line": line.number, "name": same[0]}


_EMPTY = re.compile(r"(\w+)[ \t]*=[ \t]*(\w+)[ \t]*=[ \t]*(?:\[\]|\{\}|(?:list|dict|set)\(\))")


def _exchanged(function: Function, around: Surroundings) -> Iterator[dict[str, Fact]]:
    lines = ((line.number, line.text) for line in function.body)
    for one in exchanged(lines, function.name, around):
        of: dict[str, Fact] = {"takes": one.takes, "called": one.called}
        yield {"kind": "exchanged", "line": one.line, "name": one.name, **of}


def _strange_words(function: Function, around: Surroundings) -> Iterator[dict[str, Fact]]:
    """A text that an argument of the page's is compared with, and that the page does not have."""
    signature, quoted = around.signature(function.name), around.printed(around.module).quoted
    lines = own_lines(around.files.get(around.module, ""))
    for line in function.body if signature is not None and signature.axes else ():
        for name, _, word in _COMPARED.findall(lines[line.number - 1].partition("#")[0]):
            if signature and name in signature.axes and word not in quoted:
                yield {"kind": STRANGE_WORD, "line": line.number, "name": name, "word": word}


STRANGE_WORD = "strange_word"
_COMPARED = re.compile(r"(?<![\w.])([^\W\d]\w*)[ \t]*[=!]=[ \t]*([\"'])([^\"'\n]{1,40})\2")


def _flags(function: Function) -> Iterator[dict[str, Fact]]:
    """A method of a module in the place of its mode; and ``is`` between what may be numbers."""
    for line in function.body:
        for found in re.finditer(r"\bself\.(eval|train)\b(?![ \t]*\()", line.text):
            yield {"kind": "method_as_flag", "line": line.number, "name": found[0]}
        same = IDENTITY.search(line.text)
        if same and not _OF_OBJECTS.search(line.text):
            yield {"kind": "identity", "line": line.number, "name": same[0]}


def _cuts(function: Function) -> Iterator[dict[str, Fact]]:
    """Not what makes a constant, looks at a value, or holds a maximum that is only subtracted."""
    for line in function.body:
        found = _CUTS.search(_HARMLESS.sub("", line.text))
        if found and not line.text.startswith(("print(", "assert ")):
            yield {"kind": "cut", "line": line.number, "name": found[0]}


_CONSTANT = r"[\[\s]*[-+]?(?:[\d.]+(?:e-?\d+)?|[\"']|float\([\"']|math\.)"
_HARMLESS = re.compile(
    rf"(?:torch\.tensor|(?<![\w.])float)\((?={_CONSTANT})"
    r"|(?:\.detach\(\)|\.data)(?=\.a?max\()|(?<=max\()\w+\.detach\(\)"
    r"|(?<=max\()[^()]*\)(?:\.values|\[0\])?\.(?:detach\(\)|data\b)"
)
_CUTS = re.compile(
    r"(?:torch\.)?no_grad\(\)|(?:torch\.)?inference_mode\(\)|\.(?:detach_?|item|tolist|numpy)\(\)"
    r"|\.data\b(?!_ptr)|(?:torch\.)tensor\(|(?<![\w.])float\("
)
# Of things that are there once, is asks what it should.
_OF_OBJECTS = re.compile(r"\b(?:any|all)\(|\b(?:parameters|modules|children)\(")
IDENTITY = re.compile(r"\bis (?:not )?(?!not\b|None\b|True\b|False\b|torch\.)[a-z_]\w*\b(?![.(\[])")


def _unused_arguments(
    function: Function, around: Surroundings, call: Mapping[str, Any] | None
) -> Iterator[dict[str, Fact]]:
    """Those that the page names, that this call gave, and that the function never speaks of."""
    signature = around.signature(function.name)
    if signature is None or call is None or around.own_name(call) != function.name:
        return
    placed = zip(signature.axes, call["args"], strict=False)
    for name, value in (*placed, *call["kwargs"].items()):
        if value in _NOT_GIVEN:
            continue
        if name in signature.axes and name not in function.words and name in function.head:
            line = function.lines[0].number
            yield {"kind": "unused_argument", "line": line, "name": name, "of": function.name}


# As good as left out.
_NOT_GIVEN = (("plain", "None"), ("plain", "False"))


def _unused_names(function: Function) -> Iterator[dict[str, Fact]]:
    for line in function.statements:
        found = _SET.match(line.text)
        if found and found[1][0] != "_" and found[1] not in function.words:
            yield {"kind": "unused_name", "line": line.number, "name": found[1]}
