"""Reads the objects that `kubectl diff` writes for the program that compares them.

https://github.com/kubernetes/kubectl/blob/master/pkg/cmd/diff/diff.go
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.yaml_file import malformed, read_yaml

Object = dict[str, JSON]


def objects_in(directory: str) -> dict[str, Object]:
    """Return the objects in *directory* by the names of their files.

    The file of an object that does not exist is empty. Raises SpyError if a file cannot
    be read, or holds no object.
    """
    try:
        files = sorted(filter(Path.is_file, Path(directory).iterdir()))
    except OSError as error:
        raise SpyError(
            f"cannot read {directory}: {error.strerror}",
            "diff compares the directories that kubectl diff makes",
        ) from None
    documents = {each: read_yaml(each, missing_ok=False) for each in files}
    return {
        path.name: _object(document, path)
        for path, document in documents.items()
        if document is not None
    }


def _object(document: Any, path: Path) -> Object:
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise malformed(path, "it holds something else than a Kubernetes object")
    if not isinstance(mapping(document, "metadata").get("name"), str):
        raise malformed(path, f"its {document['kind']} has no metadata.name")
    if not _is_json(document):
        raise malformed(path, "it holds a value that JSON does not have")
    return document


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        named = all(isinstance(name, str) for name in value)
        return named and all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, bool | int | str)
