"""Reads Kubernetes objects from manifests: YAML and JSON, of any number of objects."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.yaml_file import LARGEST, malformed, yaml_documents

Object = dict[str, JSON]
_STDIN = "-"
_BEGINNINGS = (b'{"seq":', b'{"resource')  # of recordings in JSON Lines


def are_manifests(names: Sequence[str]) -> bool:
    """Return whether the first two words of a command line are manifests.

    So are directories and two pipes, if there are no more words: two recordings are
    read from files.
    """
    if any(map(_is_manifest, names[:2])):
        return True
    directory = any(Path(each).is_dir() for each in names)
    return len(names) == 2 and (directory or all(map(is_read_once, names)))


def _is_manifest(name: str) -> bool:
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        return True
    if path.suffix != ".json":
        return False
    try:
        with path.open("rb") as file:
            return not file.read(10).startswith(_BEGINNINGS)
    except OSError:
        return True  # reading it will say why


class Manifests(NamedTuple):
    """The objects in a manifest or a directory."""

    objects: list[Object]
    left_out: int = 0  # files of manifests in subdirectories


def manifests_in(
    name: str, *, any_name: bool = False, recursive: bool = False
) -> Manifests:
    """Return the objects in a file, in a directory, or on standard input (`-`).

    Of a directory only files named .yaml, .yml and .json are read, unless *any_name*.
    As in kubectl, links to directories are not followed. Lists are taken apart. Raises
    SpyError if one cannot be read, or is no object.
    """
    path = Path(name)
    try:
        if name == _STDIN:
            return Manifests(list(_objects(sys.stdin.buffer.read(LARGEST + 1), path)))
        if not path.is_dir():
            return Manifests(list(_objects(_content(path), path)))
        files = [
            Path(place, each)
            for place, _, names in os.walk(path, onerror=_fail)
            for each in names
            if any_name or each.endswith((".yaml", ".yml", ".json"))
        ]
        files = sorted(filter(Path.is_file, files))
        chosen = [each for each in files if recursive or each.parent == path]
        found = [each for file in chosen for each in _objects(_content(file), file)]
        return Manifests(found, len(files) - len(chosen))
    except OSError as error:
        where = error.filename or name
        raise SpyError(f"cannot read {where}: {error.strerror}") from None


def _fail(error: OSError) -> None:
    raise error


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def _objects(text: bytes, path: Path) -> Iterator[Object]:
    if text.startswith(_BEGINNINGS):
        raise SpyError(f"{path} is a recording, and not a manifest", "save it first")
    for document in yaml_documents(text, path, strict=True):
        if document is None:  # between two `---`, or an empty file
            continue
        found = _as_json(document, path)
        items = found.get("items") if isinstance(found, dict) else None
        for each in items if isinstance(items, list) else [found]:
            if not isinstance(each, dict) or not isinstance(each.get("kind"), str):
                raise malformed(path, "it holds something else than Kubernetes objects")
            if not isinstance(mapping(each, "metadata").get("name"), str):
                raise malformed(path, f"its {each['kind']} has no metadata.name")
            yield each


def _as_json(value: object, path: Path) -> JSON:
    """Return *value* with names as texts, as kubectl reads YAML."""
    if isinstance(value, dict):
        return {_name(name): _as_json(each, path) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_json(each, path) for each in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    raise malformed(path, "it holds a value that JSON does not have")


def _name(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
