"""The columns of custom resources: additionalPrinterColumns of their definitions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import seconds
from kubectl_spy.core.waiting.jsonpath import parse_path, printed
from kubectl_spy.extras.serve.api_server.tables.cells import Cell, human_duration
from kubectl_spy.extras.serve.api_server.tables.columns import NAME_AGE, Column, Columns

_NAME, _AGE = NAME_AGE[0], NAME_AGE[1]._replace(type="date")


def custom_columns(definition: dict[str, JSON], version: str) -> Columns:
    """Return the columns that a CustomResourceDefinition has for *version*."""
    found = [_NAME]
    for served in mappings(definition, "spec", "versions"):
        if served.get("name") != version:
            continue
        for each in mappings(served, "additionalPrinterColumns"):
            kind = text(each, "type")
            cell = _cell(text(each, "jsonPath"), kind)
            wide = each.get("priority") not in (None, 0)
            name, form = text(each, "name"), text(each, "format")
            found.append(Column(name, cell, kind, wide, form))
    return tuple(found) if len(found) > 1 else (*found, _AGE)


def _cell(path: str, kind: str) -> Cell:
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
