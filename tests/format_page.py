"""Checks the tables of docs/recording-format.md against the types of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.changes.line_reading import TYPES, Member
from kubectl_spy.core.changes.lines import CHANGES

_CHANGES = "ADDED, MODIFIED, DELETED, LEFT, GAP"
_TABLE = re.compile(r"^\| member \| is \|.*\n\|---.*\n((?:\|.*\n)*)", re.MULTILINE)


def format_page(page: str) -> str:
    """Return *page* with what its tables say of the members of each type.

    What a member means stays. Raises AssertionError if a table lacks a member.
    """
    return "".join(map(_section, re.split(r"(?m)^(?=### )", page)))


def _section(text: str) -> str:
    title = text.partition("\n")[0].removeprefix("### ")
    found = _TABLE.search(text)
    if found is None:
        return text
    rows = list(_of_changes() if title == _CHANGES else _rows(title, found[1]))
    return text[: found.start(1)] + "".join(rows) + text[found.end(1) :]


def _rows(title: str, table: str) -> Iterator[str]:
    members = {each.name: each for each in TYPES[title]}
    for row in table.splitlines():
        names, _, says = (each.strip() for each in row.strip("|").split("|", 2))
        (what,) = {_kind(members.pop(name)) for name in re.findall(r"`(\w+)`", names)}
        yield f"| {names} | {what} | {says} |\n"
    assert not members, (title, members)


def _kind(member: Member) -> str:
    return f"**{member.kind}**" if member.needed else member.kind


def _of_changes() -> Iterator[str]:
    """Yield the members of changes, and in which types they always are."""
    always: dict[tuple[str, str], set[str]] = {}
    for kind in _CHANGES.split(", "):
        for name, what, needed in TYPES[kind]:
            always.setdefault((name, what), set()).update([kind] if needed else ())
    rows: dict[tuple[str, str], list[str]] = {}
    for (name, what), which in always.items():
        types = "all" if which >= CHANGES else ", ".join(sorted(which))
        rows.setdefault((what, types), []).append(f"`{name}`")
    for (what, types), names in rows.items():
        yield f"| {' '.join(names)} | {what} | {types} |\n"
