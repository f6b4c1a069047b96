"""A picture of an exercise, for whoever shows one: files, feedback pages, notebooks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """What there is to see in one exercise: a PNG, and for those who cannot see it the same in
    words, a title with its sign and a verdict for each panel.
    """

    png: bytes
    panels: tuple[tuple[str, str], ...]
    width: int = 490  # pixels to be shown in: half of the PNG's own, so that it is always sharp

    @property
    def lines(self) -> list[str]:
        return [line for title, verdict in self.panels for line in (title, f"    {verdict}")]

    @property
    def alt(self) -> str:
        words = " ".join(f"{title}: {verdict}" for title, verdict in self.panels)
        return f"Yours, expected and the difference. {words}"
