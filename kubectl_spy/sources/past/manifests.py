"""Reads the manifests of releases: YAML documents that a chart was rendered to."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.releases import Key
from kubectl_spy.sources.yaml_file import documents, malformed

_MOST = 4 << 20  # characters that are parsed, which takes some 5 s
_DOCUMENTS = 2_000  # of a manifest
_SEPARATOR = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_WHERE = Path("manifest")


class Manifests:
    """Reads manifests. What two of them share is parsed once."""

    def __init__(self) -> None:
        self._parsed: dict[str, list[dict[str, JSON]]] = {}
        self._left = _MOST

    def objects(self, manifest: str, namespace: str) -> dict[Key, dict[str, JSON]]:
        """Return the objects of a *manifest*, those without a namespace in this one.

        Raises SpyError if it is too much, or cannot be read.
        """
        found: dict[Key, dict[str, JSON]] = {}
        for part in _SEPARATOR.split(manifest)[:_DOCUMENTS]:
            for each in self._of(part):
                metadata = mapping(each, "metadata")
                name = text(metadata, "name")
                space = text(metadata, "namespace") or namespace
                key = text(each, "apiVersion"), text(each, "kind"), space, name
                found[key] = _stored(each) if key[:2] == ("v1", "Secret") else each
        return found

    def _of(self, part: str) -> list[dict[str, JSON]]:
        if part not in self._parsed:
            if len(part) > self._left:
                raise malformed(_WHERE, "it is too large")
            self._left -= len(part)
            yaml = part.encode("utf-8", "replace")
            # Only by aliases it has more values than characters.
            left = iter(range(len(part)))
            self._parsed[part] = documents(
                yaml, _WHERE, lambda loader, _: _objects(loader, left)
            )
        return self._parsed[part]


def _objects(loader: Any, left: Iterator[int]) -> Iterator[dict[str, JSON]]:
    while loader.check_data():
        document = _as_json(loader.get_data(), left)
        if isinstance(document, dict):
            yield document


def _as_json(value: Any, left: Iterator[int]) -> JSON:
    """Return *value* as the JSON that clients make of it. YAML has more.

    Raises SpyError if there is none, or if no values are *left*.
    """
    if next(left, None) is None:
        raise malformed(_WHERE, "it has too many aliases")
    if isinstance(value, dict):
        return {_name(key): _as_json(each, left) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_json(each, left) for each in value]
    finite = not isinstance(value, float) or math.isfinite(value)
    if finite and (value is None or isinstance(value, str | bool | int | float)):
        return value
    raise malformed(_WHERE, "it is no JSON")


def _name(key: Any) -> str:
    """Return the name of a member. In YAML it may be a number, as that of a port."""
    if isinstance(key, bool):
        return str(key).lower()
    if isinstance(key, str | int):
        return str(key)
    raise malformed(_WHERE, "it is no JSON")


def _stored(secret: dict[str, JSON]) -> dict[str, JSON]:
    """Return a Secret as the server keeps it, which codes its `stringData`."""
    kept = {**secret}
    plain = mapping(kept.pop("stringData", None))
    coded = {
        name: base64.b64encode(value.encode("utf-8", "replace")).decode()
        for name, value in plain.items()
        if isinstance(value, str)
    }
    return {**kept, "data": {**mapping(kept, "data"), **coded}}
