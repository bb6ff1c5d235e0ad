"""Writes the tables of docs/recording-format.md from the types of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.changes.line_members import TYPES, Row
from kubectl_spy.core.changes.lines import CHANGES

_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_MEMBERS = re.compile(r"^\| member \|", re.MULTILINE)
_CHANGES = ", ".join(("ADDED", "MODIFIED", "DELETED", "LEFT", "GAP"))


def format_page(page: str) -> str:
    """Return *page* with a new table in each section of a type that has one."""
    parts = re.split(r"(?m)^(?=### )", page)
    return "".join(map(_section, parts))


def _section(text: str) -> str:
    title = text.partition("\n")[0].removeprefix("### ")
    found = _MEMBERS.search(text)
    if found is None or not (title == _CHANGES or title in TYPES):
        return text
    rows = _of_changes() if title == _CHANGES else _of_type(TYPES[title])
    table = "".join(rows)
    return text[: found.start()] + _TABLE.sub(
        lambda _: table, text[found.start() :], count=1
    )


def _of_type(rows: tuple[Row, ...]) -> Iterator[str]:
    yield "| member | is | |\n|---|---|---|\n"
    for row in rows:
        always = "**" if row.needed else ""
        yield f"| {_names(row)} | {always}{row.kind}{always} | {row.says} |\n"


def _of_changes() -> Iterator[str]:
    """Yield which changes have a member always."""
    kinds: dict[str, str] = {}
    needed: dict[str, list[str]] = {}
    for kind in _CHANGES.split(", "):
        for row in TYPES[kind]:
            for name in row.names:
                kinds[name] = row.kind
                needed.setdefault(name, []).extend([kind] * row.needed)
    yield "| member | is | always in |\n|---|---|---|\n"
    for name, which in needed.items():
        always = "all" if set(which) >= CHANGES else ", ".join(sorted(set(which)))
        yield f"| `{name}` | {kinds[name]} | {always} |\n"


def _names(row: Row) -> str:
    return " ".join(f"`{each}`" for each in row.names)
