"""The end of a log in a trace."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.record import ContainerRun, Logged
from kubectl_spy.render.tracing.parts import log_lines


def lines(*texts: str, room: int = 0, most: int = 5, cut: bool = False) -> list[str]:
    log = Logged(ContainerRun("u", "shop", "web-0", "app", "c1"), texts, cut, 0.0)
    return list(log_lines(log, room, dots="…", most=most))


def test_earlier_lines_are_cut_with_a_count_and_the_last_is_whole() -> None:
    long = "0123456789" * 6
    assert lines(long, long, room=45) == [
        "log  0123456789012345678901234567… 32 more",
        f"log  {long}",
    ]
    assert lines(long, long) == [f"log  {long}"] * 2
    assert lines("a", "b", "c", most=1) == ["log  c"]


def test_wide_characters_take_two_columns() -> None:
    first, _ = lines("\u955c" * 25, "", room=45)
    assert first == "log  " + "\u955c" * 14 + "… 11 more"


def test_a_huge_line_is_counted_and_one_without_its_end_says_so() -> None:
    (line,) = lines("x" * 16_384)
    assert line == f"log  {'x' * 1_000}… 15,384 more"
    assert lines("half", cut=True) == ["log  half … cut here"]
    assert lines() == ["log  nothing was written"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31;1mred\x1b[0m", "red"),
        ("\x1b[2J\x1b]0;title\x07", "\\u001b[2J\\u001b]0;title\\u0007"),
        ("a\tb\x00\u202e", "a   b\\u0000\\u202e"),
    ],
)
def test_colours_are_dropped_and_controls_escaped(text: str, shown: str) -> None:
    assert lines(text) == [f"log  {shown}"]
