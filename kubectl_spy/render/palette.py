"""Colours by their meaning; the plain palette has none."""

from __future__ import annotations

from typing import NamedTuple


class Palette(NamedTuple):
    """ANSI sequences by role; *reset* ends any of them."""

    faint: str = ""
    name: str = ""
    good: str = ""
    bad: str = ""
    change: str = ""
    notice: str = ""
    path: str = ""
    reset: str = ""

    def paint(self, role: str, text: str) -> str:
        """Return *text* in the colour of *role*, one of this palette's."""
        return f"{role}{text}{self.reset}" if role else text

    def around(self, role: str) -> tuple[str, str]:
        """Return the sequences before and behind text in the colour of *role*."""
        return (role, self.reset) if role else ("", "")


PLAIN = Palette()


def coloured() -> Palette:
    """Return the palette for terminals."""
    from colorama import Fore, Style  # output to a pipe does not need it

    return Palette(
        faint=Style.DIM,
        name=Style.BRIGHT,
        good=Fore.GREEN,
        bad=Fore.RED,
        change=Fore.YELLOW,
        notice=Fore.MAGENTA,
        path=Fore.CYAN,
        reset=Style.RESET_ALL,
    )
