"""What the surroundings tell of exceptions about shapes, beside the message."""

from __future__ import annotations

import re

from grader.errors import OwnLine, Raised
from grader.examiner.refined import Facts, Recognised, Refine
from grader.examiner.shapes import (
    alike,
    counted_from_the_front,
    index_of_the_whole,
    lost_axis,
    may_be_product,
    one_for_all,
    other_factor,
    two_rows,
    unfit_factors,
)
from grader.examiner.surroundings import Surroundings


def _product(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """A product that fits once the right side is transposed is told so. numpy transposes in words
    of its own.
    """
    if raised.type_name == "ValueError":
        facts = {**facts, "turned": "array"}
    own = around.own_line(raised.lines)
    if "columns" in facts and not _PRODUCT.search(own.text) and _CALL.search(own.text):
        return "matmul_in_layer", facts
    if "inner" in facts and "outer" in facts and (names := other_factor(own)):
        return "matmul_other", facts | names
    if "inner" in facts and (names := alike(own)):
        return "matmul_alike", facts | names
    if "columns" in facts and facts["inner"] == facts["columns"]:
        if _TURNED_RIGHT.search(own.text):
            return "matmul_turned", facts
        weight = ".weight" in own.text
        return "matmul_of_linear" if weight else "matmul_transposed", facts
    if "columns" in facts and facts["rows"] == facts["outer"]:
        return "matmul_left", facts
    if "inner" in facts and "outer" in facts and (names := unfit_factors(own)):
        return "matmul_of_names", facts | names
    return ("matmul", facts) if "inner" in facts else ("matmul_unsized", facts)


def _unfit(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What stands in a line in which shapes do not fit: a mask, an empty part, a transpose in a
    product, or a ``*`` without ``@``, where a product may be meant.
    """
    own = around.own_line(raised.lines)
    line = own.text
    if kind == "broadcast" and not _PRODUCT.search(line) and (names := lost_axis(own)):
        return "broadcast_axis_lost", facts | names
    if kind == "broadcast" and (rows := two_rows(own)):
        return "broadcast_two_rows", facts | rows
    if kind == "broadcast" and (name := around.can_keep(own)):
        return "broadcast_keepdim_of_own", facts | {"name": name}
    if kind == "broadcast" and (copied := _COPIED.search(line)):
        return "broadcast_copied", facts | {"name": copied[1]}
    if kind == "broadcast" and (picked := _picked_all(own, around)):
        return "broadcast_picked_all", facts | picked
    if _STAR.search(line) and "@" not in line and may_be_product(own):
        return f"{kind}_by_star", facts
    if kind == "broadcast" and ".masked_fill" in line and not _COMPARES.search(line):
        return _masked(facts, own, around)
    if kind == "broadcast" and "0" in (facts["a"], facts["b"]) and _PART.search(line):
        return "broadcast_empty", facts
    if kind == "broadcast" and _PRODUCT.search(line) and not _are_matrices(own):
        found = "broadcast_transposed" if _TURNS_FRONT.search(line) else "broadcast_in_product"
        return found, facts
    return kind, facts


def _are_matrices(line: OwnLine) -> bool:
    """Whether no tensor of the line has an axis in front of its last two, in which a product could
    not fit.
    """
    axes = [
        len(held) - bool(re.search(rf"(?<![\w.]){re.escape(name)}\[\w+\]", line.text))
        for name, held in line.held
        if isinstance(held, tuple)
    ]
    return bool(axes) and max(axes) <= 2 and "self." not in line.text


def _masked(facts: Facts, line: OwnLine, around: Surroundings) -> Recognised:
    """A mask of another shape, with the line that gave it other axes, where one did."""
    found = _MASK.search(line.text)
    made = around.set_above(line, found[1]) if found else OwnLine("")
    if found is None or not _OTHER_AXES.search(made.text):
        return "broadcast_mask", facts
    more: Facts = {"name": found[1], "set_at": made.line, "set_line": made.text}
    return "broadcast_mask_of_other_axes", facts | more


def _picked_all(line: OwnLine, around: Surroundings) -> Facts:
    """A name of the line that was set above by asking a tensor along its last axis with another
    tensor; nothing if there is none.
    """
    for name, held in line.held:
        made = around.set_above(line, name) if isinstance(held, tuple) else OwnLine("")
        if found := _PICKED.search(made.text):
            asked, places = found.groups()
            more: Facts = {"name": name, "set_at": made.line, "set_line": made.text}
            return more | {"asked": asked, "picks": places}
    return {}


_COPIED = re.compile(r"((?:self\.)?\w+)\.copy_\(")
_PICKED = re.compile(r"=\s*-?([\w.]+)\[(?:\.\.\.|:(?:,\s*:)*),\s*([a-z_]{2,})\]")
_PART = re.compile(r"\[[^\]]*:")
_MASK = re.compile(r"\.masked_fill_?\(\s*~?\s*(\w+)")
_OTHER_AXES = re.compile(r"\b(?:unsqueeze|squeeze|view|reshape|expand|transpose)\(|\bNone\b")
_COMPARES = re.compile(r"\.masked_fill\([^,]*[<>]")
_PRODUCT = re.compile(r"@|\b(?:matmul|mm|bmm|mv|addmm|baddbmm|einsum|linear)\(")
# The right side of the first product of a line, or of the last one.
_TURNED = r"@\s*\(?[\w.\[\]]+(?:\.m?T\b|\.t\(\)|\.transpose\()"
_TURNED_RIGHT = re.compile(rf"^[^@]*{_TURNED}|{_TURNED}[^@]*$")
_CALL = re.compile(r"\w[\])]?\(")
# A transpose that moves the axes in front, or may.
_TURNS_FRONT = re.compile(r"\.T\b|\.t\(\)|\btranspose\(\s*0|\bpermute\(")
# A single * between two things, and none before the arguments of a call.
_STAR = re.compile(r"[\w)\]]\s*\*(?!\*)\s*[\w(]")


def _stretched(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What is written into a part of a tensor that was made too small, or in another order."""
    own = around.own_line(raised.lines)
    found = _WRITTEN.match(own.text)
    held = dict(own.held).get(found[1]) if found else None
    more: Facts = {"name": found[1] if found else "", "whole": str(held)}
    if not isinstance(held, tuple):
        return kind, facts
    nowhere = "0" in str(facts.get("target", "")).split(", ")
    return "written_nowhere" if nowhere else "written_slice", facts | more


def _few_axes(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Where what lacks an axis was made: by a sum that takes one away, or by a function of the
    page.
    """
    own = around.own_line(raised.lines)
    for name, places in _INDEXED.findall(own.text):
        held = dict(own.held).get(name)
        wanted = [place for place in places.split(",") if place.strip() not in ("None", "...")]
        if isinstance(held, tuple) and len(held) >= len(wanted):
            continue
        made = around.set_above(own, name)
        more: Facts = {"name": name, "set_at": made.line, "set_line": made.text}
        called = _GIVEN_BY.match(made.text)
        if called and around.is_function(called[1]):
            return "few_axes_of_call", facts | more | {"called": called[1]}
        if _REDUCED.search(made.text) and "keepdim" not in made.text:
            return "few_axes_of_sum", facts | more
    return kind, facts


_INDEXED = re.compile(r"([^\W\d]\w*)\[([^\[\]]*(?:[:,]|None)[^\[\]]*)\]")
_REDUCED = re.compile(r"\b(?:sum|mean|a?max|a?min|norm|std|var|logsumexp|prod)\(")
_GIVEN_BY = re.compile(r"\w+[ ]*=[ ]*(\w+)\(")


def _expanded(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What is written to a place is stretched to it, without a word of it in the line."""
    written = _WRITTEN.match(around.own_line(raised.lines).text)
    return ("place_axes" if written else kind), facts


_WRITTEN = re.compile(r"((?:self\.)?\w+)\[.*\][ \t]*=(?!=)")


def _next_place(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who asks for the place behind i forgets that the last one has none."""
    if kind == "index_of_list" and _SIZE_OF.search(around.own_line(raised.lines).text):
        return "shape_too_short", facts
    own = around.own_line(raised.lines)
    if kind == "index_of_axis" and facts.get("size") == "1" and (one := one_for_all(own)):
        return "index_of_one_for_all", facts | one
    if kind == "index_of_axis" and _EVERY_ROW.search(own.text):
        return "index_for_each_row", facts
    if kind == "index_of_axis" and (name := index_of_the_whole(own)):
        return "index_of_the_whole", facts | {"name": name}
    if kind == "index_of_axis" and (name := counted_from_the_front(own)):
        return "index_from_the_front", facts | {"name": name}
    asked = _NEXT.search(own.text)
    if asked is None or facts.get("index") != facts.get("size"):
        return _reckoned(kind, facts, own, around)
    return "index_behind_the_last", facts | {"next": f"{asked[1]} + 1"}


def _reckoned(kind: str, facts: Facts, line: OwnLine, around: Surroundings) -> Recognised:
    """The place of a list with the line in which it was reckoned, where one was."""
    for name in re.findall(r"\[(\w+)\]", line.text)[:2] if kind == "index_of_list" else ():
        if (made := around.set_above(line, name)).line:
            more: Facts = {"name": name, "set_at": made.line, "set_line": made.text}
            return "index_of_list_reckoned", facts | more
    return kind, facts


_SIZE_OF = re.compile(r"\.shape\[-?\d+\]|\.size\(\)\[-?\d+\]")
# All rows, and then a name: it may stand for a place in each row.
_EVERY_ROW = re.compile(r"\[(?::|\.\.\.),\s*[a-z]\w{2,}\]")
_NEXT = re.compile(r"\[(?:[^\]]*[\s,])?(\w+)\s*\+\s*1\s*[\],]")


def _index(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """Who asks a table of positions with token numbers."""
    asked = _POSITIONS_OF_TOKENS.search(around.own_line(raised.lines).text)
    return ("index_of_positions", facts) if asked else (kind, facts)


_POSITIONS_OF_TOKENS = re.compile(r"\b\w*pos\w*\(\s*(?:idx|ids|tokens?|x|input_ids|inputs?)\s*\)")


def _unpacked(kind: str, facts: Facts, raised: Raised, around: Surroundings) -> Recognised:
    """What is taken apart is a shape, or what a call returned, or anything else."""
    text = around.own_line(raised.lines).text
    if _OF_SHAPE.search(text):
        return "unpacked_shape", facts
    return ("unpacked_call" if _OF_CALL.search(text) else kind), facts


_OF_SHAPE = re.compile(r",.*=\s*[\w.]+\.(?:shape|size\(\))\s*(?:#.*)?$")
# Of what is their own, and not of what torch and Python take apart by themselves.
_OF_CALL = re.compile(
    r"^[^=(]*,[^=(]*=\s*(?:self\.)?(?!(?:zip|enumerate|map|sorted|torch|F|nn)\b)\w+(?:\[\w+\])?\("
)


OF_SHAPES: dict[str, Refine] = {
    "matmul": _product,
    "broadcast": _unfit,
    "broadcast_shapes": _unfit,
    "expand": _stretched,
    "few_axes": _few_axes,
    "index": _index,
    "index_of_axis": _next_place,
    "index_of_list": _next_place,
    "expand_axes": _expanded,
    "unpacked": _unpacked,
}
