"""Reads YAML files of the user, within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from kubectl_spy.errors import SpyError

LARGEST = 8 << 20
"""The most bytes of a file."""
_DEPTH_LIMIT = 100
_ALIAS_LIMIT = 20


def read_yaml(path: Path, *, missing_ok: bool) -> Any:
    """Return the parsed YAML of *path*, or None if it is missing and may be.

    Raises SpyError that names the file and, for bad YAML, the line.
    """
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        if missing_ok:
            return None
        raise SpyError(f"{path} does not exist", "check the path") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "this is no path"
        raise SpyError(
            f"cannot read {path}: {why}", "check the path and its mode"
        ) from None
    found = yaml_documents(text, path)
    if len(found) > 1:
        raise malformed(path, "it holds more than one document")
    return found[0] if found else None


def yaml_documents(text: bytes, path: Path, *, strict: bool = False) -> list[Any]:
    """Return the YAML documents in *text*, the content of *path*. Dates stay texts.

    Raises SpyError that names the file and, for bad YAML, the line. With *strict* a key
    that a mapping has twice is an error, as for kubectl.
    """
    if len(text) > LARGEST:
        raise SpyError(f"{path} is larger than {LARGEST >> 20} MiB", "check the path")
    import yaml

    loader = _loader()
    try:
        _check_shape(yaml.parse(text, Loader=loader), path)
        if strict:
            _check_keys(yaml.parse(text, Loader=loader), path)
        return list(yaml.load_all(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}" if mark else ""
        # What it quotes may be a password: `password: !hunter2` is a YAML tag.
        problem = re.sub(r"""[ \t]*['"].*""", "", str(error.problem), flags=re.DOTALL)
        raise malformed(path, f"{problem}{where}") from None
    except (yaml.YAMLError, ValueError, TypeError):
        raise malformed(path, "it is not YAML") from None


def malformed(path: Path, why: str) -> SpyError:
    """Return the error that the content of *path* is not as it should be."""
    return SpyError(f"{path} cannot be used: {why}", "correct the file")


@cache
def _loader() -> Any:
    """Return a Loader for which dates are texts, as they are in JSON."""
    import yaml

    # libyaml parses a kubeconfig ten times faster; it is not in every build.
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc, valid-type]
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [each for each in found if not each[0].endswith(":timestamp")]
            for first, found in base.yaml_implicit_resolvers.items()
        }

    return Loader


def _check_shape(events: Iterable[object], path: Path) -> None:
    """Refuse deep nesting, which overruns libyaml's C stack, and many aliases."""
    from yaml import events as kinds

    around: list[str | None] = []
    aliases = 0
    for event in events:
        if isinstance(event, kinds.CollectionStartEvent):
            around.append(event.anchor)
        elif isinstance(event, kinds.CollectionEndEvent):
            around.pop()
        elif isinstance(event, kinds.AliasEvent):
            aliases += 1
            if event.anchor in around:
                raise malformed(path, "it contains itself by an alias")
        if len(around) > _DEPTH_LIMIT or aliases > _ALIAS_LIMIT:
            raise malformed(path, "it is nested too deeply or has too many aliases")


def _check_keys(events: Iterable[Any], path: Path) -> None:
    """Refuse a mapping that has a key twice."""
    from yaml import events as kinds

    around: list[tuple[set[str] | None, int]] = []  # the keys, and how many nodes
    for event in events:
        if isinstance(event, kinds.NodeEvent) and around:
            keys, count = around.pop()
            around.append((keys, count + 1))
            if (
                keys is not None
                and count % 2 == 0
                and isinstance(event, kinds.ScalarEvent)
            ):
                if event.value in keys:
                    mark = event.start_mark
                    where = f", line {mark.line + 1}" if mark else ""
                    raise malformed(path, f"it has a key twice{where}")
                keys.update({event.value} - {"<<"})
        if isinstance(event, kinds.CollectionStartEvent):
            is_map = isinstance(event, kinds.MappingStartEvent)
            around.append((set() if is_map else None, 0))
        elif isinstance(event, kinds.CollectionEndEvent):
            around.pop()
