"""Reads the releases of Helm of a namespace, as far as they matter for a time.

The metadata of all is listed first. Then only those within the time are read, and the
one before them, up to 20 MB.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kubectl_spy.core.fields import mapping, mappings, moment, number, text
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.releases import Key, Release
from kubectl_spy.core.past.times import SECOND
from kubectl_spy.core.times import time_of
from kubectl_spy.errors import RequestRefused, SpyError, TimedOut
from kubectl_spy.sources.past.asking import SECONDS, Fetch, listed, why
from kubectl_spy.sources.yaml_file import documents, malformed

# Reads the manifests of releases: YAML documents that a chart was rendered to.

_CHARACTERS = 4 << 20  # characters that are parsed, which takes some 5 s
_DOCUMENTS = 2_000  # of a manifest
_SEPARATOR = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_WHERE = Path("manifest")


class Manifests:
    """Reads manifests. What two of them share is parsed once.

    *check* is called before each of their documents. What it raises ends the reading.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._parsed: dict[str, list[dict[str, JSON]]] = {}
        self._left = _CHARACTERS
        self.unpackable = _UNPACKED
        """Bytes of releases that may still be unpacked."""

    def unpacked(self, packed: bytes) -> bytes:
        """Return what gzipped or plain bytes hold. Raises ValueError if too much."""
        if packed[:2] != b"\x1f\x8b":
            return packed  # releases of early versions are plain
        unpacker = zlib.decompressobj(wbits=31)
        found = unpacker.decompress(packed, max(1, min(_LARGEST, self.unpackable)))
        self.unpackable -= len(found)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("it is too large, or torn")
        return found

    def objects(self, manifest: str, namespace: str) -> dict[Key, dict[str, JSON]]:
        """Return the objects of a *manifest*, those without a namespace in this one.

        Raises SpyError if it is too much, or cannot be read.
        """
        found: dict[Key, dict[str, JSON]] = {}
        for part in _SEPARATOR.split(manifest)[:_DOCUMENTS]:
            self._check()
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


MOST_BYTES = 20 << 20
"""Bytes of releases that are read, as base64."""
_LARGEST = 16 << 20  # bytes of a release that is unpacked; hostile ones have more
_UNPACKED = 64 << 20  # bytes of all together, which takes some 4 s
_MOST = 200  # releases that are read
_HOOKS = 1_000  # of a release
_BEFORE = ("pre-install", "pre-upgrade", "pre-rollback")
_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class Releases:
    """Reads the releases of a *namespace*. *say* gets what could not be read.

    *check* is called often. It raises TimedOut once `--timeout` is over.
    """

    def __init__(
        self,
        fetch: Fetch,
        namespace: str,
        say: Callable[[str], None],
        check: Callable[[], None],
    ) -> None:
        self._fetch = fetch
        self._check = check
        self._where = f"releases of Helm in namespace {namespace}"
        self._path = f"/api/v1/namespaces/{quote(namespace, safe='')}/secrets"
        self._say = say

    def between(self, since: float, until: float) -> list[Release]:
        """Return those between two times, by name and revision.

        The last one before *since* is among them: it says what was there before.
        """
        try:
            found = listed(
                self._fetch, self._path, _METADATA, labelSelector="owner=helm"
            )
        except TimedOut:
            raise
        except SpyError as error:
            self._say(f"note: {self._where} tell nothing: {why(error)}")
            return []
        manifests = Manifests(self._check)
        read: list[Release] = []
        left = MOST_BYTES
        unread = 0
        wanted = list(_wanted(found, since, until))
        for number_of, secret in enumerate(wanted):
            if left <= 0 or manifests.unpackable <= 0 or number_of == _MOST:
                only = f"only the newest {number_of} of {len(wanted)} are read"
                self._say(f"note: {self._where}: {only}")
                break
            name = quote(text(secret, "metadata", "name"), safe="")
            try:
                path = f"{self._path}/{name}"
                document = self._fetch(path, read_timeout=SECONDS)
            except TimedOut:
                raise
            except SpyError as error:
                if not isinstance(error, RequestRefused) or error.status == 403:
                    self._say(f"note: {self._where} tell no more: {why(error)}")
                    break
                unread += error.status != 404  # deleted meanwhile: one of Helm's oldest
                continue
            left -= len(text(document, "data", "release"))
            if (release := release_of(document, manifests)) is not None:
                read.append(release)
            else:
                unread += 1
        if unread:
            self._say(f"note: {self._where}: {unread} cannot be read")
        return sorted(read, key=lambda it: (it.name, it.revision))


def _wanted(found: Sequence[JSON], since: float, until: float) -> Iterator[JSON]:
    """Yield the Secrets of revisions between two times, and the ones just before.

    Those of a release that failed say nothing of what was there, so the last one that
    was applied as a whole is among them. The newest come first.
    """
    of: dict[str, list[tuple[int, float, str, JSON]]] = defaultdict(list)
    for secret in found:
        labels = mapping(secret, "metadata", "labels")
        name, word = text(labels, "name"), text(labels, "version")
        made = moment(secret, "metadata", "creationTimestamp")
        if name and word.isdecimal() and len(word) < 10 and made is not None:
            status = text(labels, "status")
            of[name].append((int(word), made, status, secret))
    wanted: list[tuple[float, JSON]] = []
    for revisions in of.values():
        revisions.sort(key=lambda each: each[0], reverse=True)
        inside = False
        for _, made, status, secret in revisions:
            if made >= until:
                continue
            if made >= since:
                inside = True
            elif not inside:
                break  # nothing of it was within the time
            wanted.append((made, secret))
            if made < since and status in ("deployed", "superseded"):
                break
    wanted.sort(key=lambda each: each[0], reverse=True)
    yield from (secret for _, secret in wanted)


def release_of(secret: JSON, manifests: Manifests) -> Release | None:
    """Return the release in a Secret, or None if it cannot be read.

    Raises what the check of *manifests* raises.
    """
    packed = text(secret, "data", "release")
    try:
        document = loads(manifests.unpacked(base64.b64decode(base64.b64decode(packed))))
    except (binascii.Error, ValueError, zlib.error, UnreadableJSON):
        return None
    time = time_of(text(document, "info", "last_deployed"))
    if time is None or not isinstance(document, dict):
        return None
    namespace = text(secret, "metadata", "namespace")
    try:
        manifest = manifests.objects(text(document, "manifest"), namespace)
    except TimedOut:
        raise
    except SpyError:
        return None
    return Release(
        text(document, "name"),
        namespace,
        number(document, "version"),
        text(document, "info", "status"),
        *_times(secret, document, time),
        manifest,
    )


def _times(secret: JSON, document: JSON, time: float) -> tuple[float, float]:
    """Return between which times a release was written that began at *time*.

    That is by the clock of whoever ran Helm. By the server's it was stored, once the
    chart was rendered and checked. Then the hooks ran that come before. All of it is
    the same second as a rule. A Secret from a backup is stored far later.
    """
    stored = moment(secret, "metadata", "creationTimestamp") or time
    behind = stored - time
    if abs(behind) <= SECOND:
        behind, stored = 0.0, time
    ends = [stored]
    for hook in mappings(document, "hooks")[:_HOOKS]:
        ended = time_of(text(hook, "last_run", "completed_at"))
        events = hook.get("events")
        first = isinstance(events, list) and any(it in _BEFORE for it in events)
        if first and ended is not None:
            ends.append(ended + behind)
    begin, end = min(time, stored), max(ends)
    return begin, end if end - begin > SECOND else begin
