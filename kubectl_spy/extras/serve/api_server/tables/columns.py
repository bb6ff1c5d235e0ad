"""The columns of a table: those of Kubernetes itself, and of custom resources."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import seconds
from kubectl_spy.core.waiting.jsonpath import parse_path, printed
from kubectl_spy.extras.serve.api_server.tables import kinds
from kubectl_spy.extras.serve.api_server.tables.cells import (
    FUNCTIONS,
    Cell,
    human_duration,
    value,
)
from kubectl_spy.knowledge.paths import path_of

_CELL = re.compile(r"(?:(\w+)\((.*)\)|(.+?))(?: or (.+))?")
_SPACES = re.compile(r"\s{2,}")


class Column(NamedTuple):
    """A column of a table."""

    name: str
    cell: Cell
    type: str = "string"
    wide: bool = False  # whether only `-o wide` shows it
    format: str = ""

    def as_json(self) -> JSON:
        """Return the definition of the column. Its description is left out."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": "",
            "priority": int(self.wide),
        }


Columns = tuple[Column, ...]


def cell_of(described: str) -> Cell:
    """Return the cell that is *described*.

    >>> cell_of("status.phase or <none>")({"status": {"phase": "Bound"}}, 0)
    'Bound'
    >>> cell_of("age(status.began) or <none>")({}, 0)
    '<none>'
    """
    found = _CELL.fullmatch(described)
    assert found is not None, described
    function, arguments, path, default = found.groups()
    if function and not arguments:
        computed: Cell = vars(kinds)[function]
        return computed
    paths = [path_of(each, ()) for each in (arguments or path).split(", ")]
    make = FUNCTIONS[function] if function else value
    return make(paths) if default is None else make(paths, _default(default))


def _default(word: str) -> JSON:
    """Return what *word* is in JSON, or else itself."""
    try:
        return json.loads(word)
    except ValueError:
        return word


def _column(line: str) -> Column:
    name, kind, cell = _SPACES.split(line[2:])
    form = "name" if name == "Name" else ""
    return Column(name, cell_of(cell), kind, line.startswith("*"), form)


NAME_AGE: Columns = (
    _column("  Name  string  metadata.name"),
    _column("  Age  string  age(metadata.creationTimestamp)"),
)


@lru_cache(None)
def _by_kind() -> dict[str, Columns]:
    """Return all columns by `Deployment.apps`."""
    file = resources.files("kubectl_spy.extras.serve.api_server.tables") / "kinds.txt"
    found: dict[str, Columns] = {}
    named: list[str] = []
    for line in file.read_text("utf-8").splitlines():
        if line.startswith(("  ", "* ")):
            column = _column(line)
            found |= {kind: (*found.get(kind, ()), column) for kind in named}
        elif not line.startswith("#"):
            named = line.split(", ")
    return found


def columns_of(group: str, kind: str) -> Columns | None:
    """Return the columns of a kind of Kubernetes itself."""
    return _by_kind().get(f"{kind}.{group}" if group else kind)


# The columns of custom resources: additionalPrinterColumns of their definitions.


def custom_columns(definition: dict[str, JSON], version: str) -> Columns:
    """Return the columns that a CustomResourceDefinition has for *version*."""
    name, age = NAME_AGE
    found = [name]
    for served in mappings(definition, "spec", "versions"):
        if served.get("name") != version:
            continue
        for each in mappings(served, "additionalPrinterColumns"):
            kind = text(each, "type")
            cell = _custom_cell(text(each, "jsonPath"), kind)
            wide = each.get("priority") not in (None, 0)
            title, form = text(each, "name"), text(each, "format")
            found.append(Column(title, cell, kind, wide, form))
    return tuple(found) if len(found) > 1 else (*found, age._replace(type="date"))


def _custom_cell(path: str, kind: str) -> Cell:
    find: Callable[[JSON], list[JSON]] = _nothing
    with suppress(ValueError):  # the API server refuses such a definition
        find = parse_path(path).find

    def cell(item: dict[str, JSON], now: float) -> JSON:
        try:
            values = find(item)
        except ValueError:
            return None
        return _shown(values[0], kind, now) if values else None

    return cell


def _nothing(document: JSON) -> list[JSON]:
    return []


def _shown(value: JSON, kind: str, now: float) -> JSON:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "string":
        is_text = not isinstance(value, (dict, list))
        return printed(value) if is_text else dumps(value).decode()
    if kind == "integer":
        return int(value) if is_number else None
    if kind == "number":
        return value if is_number else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind == "date" and isinstance(value, str):
        try:
            return human_duration(now - seconds(value))
        except ValueError:
            return "<invalid>"
    return None
