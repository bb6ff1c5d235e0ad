"""Caches the types of an API server for ten minutes, in kubectl's cache directory.

The kubernetes package caches them for ever, in a file in /tmp that others may write
(compare CVE-2019-11244). Here the files belong to the user alone, are written
atomically, and are ignored if anything is wrong.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from kubectl_spy.core.objects import GroupVersionKind, Resource
from kubectl_spy.private_files import replacing
from kubectl_spy.sources.resolution.discovery import Catalogue, fits_a_path

_FORMAT = 1
_SECONDS = 600
_PARTIAL_SECONDS = 60  # for a catalogue with failed groups, which may work again soon
_SIZE_LIMIT = 32 << 20


def cache_path(cache_dir: Path, *identity: str) -> Path:
    """Return the file for the server that *identity* (URL, CA, proxy…) describes."""
    digest = hashlib.sha256("\0".join(identity).encode("utf-8", "surrogatepass"))
    return cache_dir / "spy" / f"{digest.hexdigest()[:32]}.json"


def read_cache(path: Path) -> Catalogue | None:
    """Return the catalogue in *path*, or None if it is old, damaged or not ours."""
    try:
        text = _read_own(path)
        saved = json.loads(text) if text else None
        if not isinstance(saved, dict) or saved.get("format") != _FORMAT:
            return None
        seconds = _PARTIAL_SECONDS if saved["failed"] else _SECONDS
        if saved["key"] != path.stem or not 0 <= time.time() - saved["time"] < seconds:
            return None
        split = cache(
            lambda words: tuple(words.split())
        )  # most types have the same verbs
        resources = tuple(_decode(row, split) for row in saved["resources"])
        return Catalogue(resources, tuple(map(_text, saved["failed"])), cached=True)
    except (OSError, RecursionError):
        return None
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError):
        return None  # not of this format


def write_cache(path: Path, catalogue: Catalogue) -> None:
    """Write *catalogue* to *path*. A failure is ignored."""
    content = {
        "format": _FORMAT,
        "key": path.stem,
        "time": time.time(),
        "failed": catalogue.failed,
        "resources": [_encode(resource) for resource in catalogue.resources],
    }
    text = json.dumps(content, separators=(",", ":"))
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_own_directory(path.parent):
            with replacing(path, sync=False) as file:
                file.write(text.encode())


def _encode(resource: Resource) -> list[Any]:
    return [
        *resource.gvk,
        resource.plural,
        resource.singular,
        int(resource.namespaced),
        " ".join(resource.verbs),
        " ".join(resource.short_names),
        " ".join(resource.categories),
        int(resource.has_status),
    ]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _decode(row: list[Any], split: Callable[[str], tuple[str, ...]]) -> Resource:
    *texts, namespaced, verbs, short, cats, status = row
    group, version, kind, plural, singular = map(_text, texts)
    if not fits_a_path(group, version, kind, plural):
        raise ValueError
    return Resource(
        gvk=GroupVersionKind(group, version, kind),
        plural=plural,
        singular=singular,
        namespaced=namespaced == 1,
        verbs=split(verbs),
        short_names=split(short),
        categories=split(cats),
        has_status=status == 1,
    )


def _read_own(path: Path) -> bytes | None:
    """Return the content of a file that only the user can have written, or None."""
    if not _is_own_directory(path.parent):
        return None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not _is_ours(found):
            return None
        if found.st_size > _SIZE_LIMIT:
            return None
        return file.read()


def _is_own_directory(path: Path) -> bool:
    found = os.lstat(path)
    return stat.S_ISDIR(found.st_mode) and _is_ours(found)


def _is_ours(found: os.stat_result) -> bool:
    if os.name == "nt":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022
