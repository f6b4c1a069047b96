"""What `grader pack` made, among what was handed in.

A pack is an archive like any other: its modules are graded as everybody's are, and what it says of
itself is kept aside, untrusted, for who asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grader.collect.layout import Name, spelled
from grader.collect.modules import Modules, NotRead
from grader.collect.near import is_source, stem_of
from grader.collect.reasons import PACKED_AGAIN, is_archive, is_pack, stem_of_file
from grader.collect.tree import Read

MAX_CLAIMS_BYTES = 64 << 10  # a pack of 300 exercises says as much of itself
UNREADABLE = "\0"  # in the place of claims; no TOML


def settled(found: Mapping[Name, Read], modules: Modules) -> dict[Name, Read]:
    """``found`` without what the same student packed again later, and without claims, which go to
    ``modules``. In one's own folder a pack beside other work is what was made of that.
    """
    claims = sorted((name for name in found if is_pack(name[-1])), key=_age)
    archives = [name[:-1] for name in claims if len(name) > 1 and is_archive(name[-2])]
    packed = _packed(found, archives)
    if modules.own and any(is_source(name[-1]) for name in found.keys() - packed.keys()):
        beaten = set(packed)
    else:
        beaten = _packed_again(packed)
        modules.claims = _text(found[claims[-1]]) if claims else ""
        for name in sorted(beaten - set(claims)):
            modules.ignore(spelled(name), PACKED_AGAIN)
    return {name: found[name] for name in found if name not in beaten and not is_pack(name[-1])}


def _age(name: Name) -> tuple[int, int, str]:
    """The latest comes last: `ps1.zip`, `ps1-1.zip` and `ps1-12.zip` are three attempts, as Canvas
    calls them; what was unpacked already counts before all archives.
    """
    stem = stem_of_file(name[-2]) if len(name) > 1 else ""
    return -len(name), len(stem), stem


def _packed(found: Iterable[Name], archives: Sequence[Name]) -> dict[Name, tuple[int, Name]]:
    """What lies in packs: in which of them, and as which module there: it may be a notebook now."""
    place = {archive: number for number, archive in enumerate(archives)}
    within = {}
    for name in found:
        cut = next((cut for cut in range(1, len(name)) if name[:cut] in place), 0)
        if cut:
            within[name] = place[name[:cut]], (*name[cut:-1], stem_of(name[-1]))
    return within


def _packed_again(packed: Mapping[Name, tuple[int, Name]]) -> set[Name]:
    """Files of earlier packs that a later one has as well; two packs may be of two assignments."""
    last: dict[Name, int] = {}
    for number, inner in packed.values():
        last[inner] = max(number, last.get(inner, 0))
    return {name for name, (number, inner) in packed.items() if number < last[inner]}


def _text(read: Read) -> str:
    try:
        raw = read(MAX_CLAIMS_BYTES)
    except NotRead:
        return UNREADABLE
    whole = 0 < len(raw) <= MAX_CLAIMS_BYTES
    return raw.decode("utf-8-sig", "replace") if whole else UNREADABLE
