"""A class with names of many scripts, and what everybody handed in; drawn with a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# First and last names of a script. Some compose in two ways (NFC, NFD), some have marks that never
# compose, joiners, apostrophes, hyphens or spaces; some people have one name only.
SCRIPTS = (
    ("Ann|Seán|Zoë|María José|Jean-Luc|Łukasz|M̈arta|X Æ A-12",
     "Lee|O'Brien|D’Angelo|García-López|van der Berg|Groß|Ångström|Ó Súilleabháin|King Jr.|-1+1"),
    ("Thị Ánh|Văn Đức|Hữu Ước", "Nguyễn|Trần|Phạm"),
    ("प्रिया|प्रीया|राहुल|क्षितिज", "शर्मा|गुप्ता"),
    ("محمد|فاطمة|عبد الله", "الحسن|بن علي"),
    ("پری‌ناز|مینا", "حسین‌زاده|رضایی"),
    ("สมชาย|กุลธิดา|น้ำฝน", "ศรีสุข|วงศ์ใหญ่"),
    ("கார்த்திக்|மீனாட்சி", "சுப்பிரமணியன்|ராஜா"),
    ("伟|小明|娜", "王|李|陈"),
    ("민수|지영", "김|이"),
    ("がく|さくら|べニ", "山田|ポポフ"),
    ("Άννα|Γιώργος", "Παπαδόπουλος|Ιωάννου"),
    ("Андрей|Алёна|Йосип", "Йовович|Щербак"),
    ("דוד|נֹעָה", "כֹּהֵן|לוי"),
    ("Wanjirũ|Njoroge", "Ngũgĩ|wa Thiong'o"),
    ("İpek|Işıl", "Yıldız|Öztürk"),
    ("|Dewi|Putra|Sri", "Suharto|Þórr|ꦱꦸꦏꦂꦤꦺꦴ"),
)  # fmt: skip
NAMESAKES = {5: 3, 12: 8}  # who is called like whom, by number
VARIANT, SLIP, STUB, BROKEN, HANGS = "variant", "slip", "stub", "broken", "hangs"
KINDS = {VARIANT: 9, SLIP: 6, STUB: 2, BROKEN: 3}  # how often each is drawn
MODULES, NOTHING, UNREAD = "modules", "nothing", "unread"


@dataclass(frozen=True)
class Cell:
    """A piece of a module; ``mine`` says that the student wrote it."""

    name: str
    text: str
    mine: bool


@dataclass(frozen=True)
class Work:
    """What somebody wrote for an exercise; ``note`` says which of its ``kind`` it is."""

    exercise: str
    kind: str
    note: str
    cells: tuple[Cell, ...]

    def text(self, mark: str = "") -> str:
        """The module, with a ``mark`` in the student's last cell."""
        return "\n\n\n".join(cell.text for cell in self._marked(mark)) + "\n"

    def notebook(self, mark: str) -> str:
        """The same as a notebook, as nbgrader releases them, with a cell of the student's own."""
        cells = [_cell(one.text, one.name) for one in self._marked(mark)]
        form = {"cells": [*cells, _cell("1 + 1")], "metadata": {}, "nbformat": 4}
        return json.dumps({**form, "nbformat_minor": 5}, ensure_ascii=False)

    def _marked(self, mark: str) -> Sequence[Cell]:
        last = max(place for place, cell in enumerate(self.cells) if cell.mine)
        said = f"\n# {mark}" if mark else ""
        return [
            Cell(cell.name, cell.text + (said if place == last else ""), cell.mine)
            for place, cell in enumerate(self.cells)
        ]


def _cell(source: str, name: str = "") -> dict[str, object]:
    metadata = {"nbgrader": {"grade_id": name}} if name else {}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": []}


@dataclass(frozen=True)
class Student:
    """``works`` are what counts, by exercise, and ``earlier`` what was handed in before it;
    ``hours_late`` is negative for who was in time. ``handed_in`` is one of three words.
    """

    number: int
    first: str
    last: str
    works: Mapping[str, Work] = field(default_factory=dict)
    earlier: Mapping[str, Work] = field(default_factory=dict)
    hours_late: float = -3.0
    handed_in: str = MODULES
    namesake: bool = False

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}".strip()

    @property
    def sortable(self) -> str:
        return f"{self.last}, {self.first}" if self.first else self.last

    @property
    def canvas(self) -> str:
        return str(90_001 + 7 * self.number)

    @property
    def moodle(self) -> str:
        return str(4_001 + 3 * self.number)

    @property
    def sis(self) -> str:
        return f"s{100_000 + self.number}"

    @property
    def login(self) -> str:
        return f"ab{self.number}cd"

    @property
    def github(self) -> str:
        """The end of some is the whole of another's."""
        return f"x-dev-{self.number - 1}" if self.number % 10 == 9 else f"dev-{self.number}"

    @property
    def late(self) -> bool:
        return self.hours_late > 0

    def kind_of(self, exercise: str) -> str:
        """What kind of work counts; empty without any."""
        work = self.works.get(exercise)
        return work.kind if work else ""

    def marked(self, exercise: str, *, before: bool = False) -> str:
        """What stands in a module, so that everybody finds it again."""
        return f"{exercise} of student {self.number}, {'earlier' if before else 'counts'}"


def a_class(count: int, works: Sequence[Work], seed: int) -> list[Student]:
    """So many students. Of a kind that hangs there are few: of every fifty students one."""
    chance = random.Random(seed)
    students: list[Student] = []
    taken: set[str] = set()
    for number in range(count):
        name = _name(number, chance, taken)
        if number in NAMESAKES:
            name = students[NAMESAKES[number]].first, students[NAMESAKES[number]].last
        taken.add(_in_any_order(name))
        called = number in NAMESAKES or number in NAMESAKES.values()
        students.append(_student(number, *name, works, chance, called))
    return students


def _name(number: int, chance: random.Random, taken: set[str]) -> tuple[str, str]:
    """A name that nobody has in another order either: with more last names, if need be."""
    firsts, lasts = (names.split("|") for names in SCRIPTS[number % len(SCRIPTS)])
    first, last = chance.choice(firsts), chance.choice(lasts)
    while _in_any_order((first, last)) in taken:
        last = f"{last} {chance.choice(lasts)}"
    return first, last


def _in_any_order(name: tuple[str, str]) -> str:
    return " ".join(sorted(" ".join(name).split()))


def _student(
    number: int, first: str, last: str, works: Sequence[Work], chance: random.Random, called: bool
) -> Student:
    exercises = sorted({work.exercise for work in works})
    there = [name for name in exercises if chance.random() < 0.9] or exercises[:1]
    mine = {name: _drawn(works, name, chance) for name in there}
    again = [name for name in there if chance.random() < 0.2]
    earlier = {name: _drawn(works, name, chance) for name in again}
    hanging = [work for work in works if work.kind == HANGS]
    handed_in = chance.choices((MODULES, NOTHING, UNREAD), (20, 1, 1))[0]
    if number % 50 == 11 and hanging:
        one = hanging[number // 50 % len(hanging)]
        mine[one.exercise], handed_in = one, MODULES
    if handed_in != MODULES:
        mine, earlier = {}, {}
    hours = chance.choice((-30.0, -3.0, -0.1, -0.1, 0.3, 5.0, 30.0, 49.0))
    return Student(number, first, last, mine, earlier, hours, handed_in, called)


def _drawn(works: Sequence[Work], exercise: str, chance: random.Random) -> Work:
    kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
    mine = [work for work in works if work.exercise == exercise]
    return chance.choice([work for work in mine if work.kind == kind] or mine)
