"""Completes targets and namespaces."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from kubectl_spy.cli.run.run_with_timeout import run_with_timeout
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import Names, find, is_watchable

_NAME = re.compile(r"[A-Za-z0-9][\w.:@-]*")  # does not begin like an option

Offer = tuple[str, str]  # a word and its description


class Known(Names, Protocol):
    """The names in a cluster or in a recording, and their types."""

    def catalogue(self) -> Catalogue:
        """Return the types."""


Look = tuple[Callable[[], Known], float]
"""Where to look names up, and for how many seconds."""


def offer_targets(
    look: Look, words: Sequence[str], typed: str, namespace: str | None
) -> list[Offer]:
    """Return the targets that begin with *typed* and may follow the targets *words*.

    Return [] if the cluster does not answer in time.
    """
    return _asked(look, lambda known: list(_targets(known, words, typed, namespace)))


def offer_namespaces(look: Look, typed: str) -> list[Offer]:
    """Return the namespaces that begin with *typed*."""
    return _asked(look, lambda known: _plain(known.namespaces(), typed))


def _asked(look: Look, question: Callable[[Known], list[Offer]]) -> list[Offer]:
    known, timeout = look
    try:
        return run_with_timeout(lambda: question(known()), timeout)
    except SpyError:
        return []


def _targets(
    known: Known, words: Sequence[str], typed: str, namespace: str | None
) -> Iterator[Offer]:
    catalogue = known.catalogue()
    pairs = "/" in typed or any("/" in word for word in words)
    if words and not pairs:
        types, prefix = words[0].split(","), ""
    elif "/" in typed:
        word, _, typed = typed.partition("/")
        types, prefix = [word], f"{word}/"
    else:
        yield from _types(catalogue, typed, pairs=bool(words))
        return
    offered = dict.fromkeys(
        f"{prefix}{name}"
        for word in types
        for resource in find(catalogue, word)[:1]
        for name, _ in _plain(known.names(resource, namespace), typed)
    )
    yield from ((each, "") for each in offered if each not in words)


def _types(catalogue: Catalogue, typed: str, *, pairs: bool) -> Iterator[Offer]:
    """Yield the unambiguous name of each type; *typed* may hold others and a comma."""
    before, comma, typed = typed.rpartition(",")
    types = [each for each in catalogue.resources if is_watchable(each)]
    taken: set[tuple[str, str]] = set()
    shorts = ""
    for resource in types:
        key = (resource.gvk.group, resource.plural)
        if key in taken:
            continue
        name = resource.plural
        if any(plural == name for _, plural in taken):
            name = resource.group_resource
        taken.add(key)
        if typed in resource.short_names:
            shorts = shorts or name
        if name.startswith(typed):
            yield f"{before}{comma}{name}{'/' * pairs}", resource.gvk.kind
    if shorts and not shorts.startswith(typed):
        yield f"{before}{comma}{typed}{'/' * pairs}", shorts


def _plain(names: Sequence[str], typed: str) -> list[Offer]:
    return [
        (name, "") for name in names if name.startswith(typed) and _NAME.fullmatch(name)
    ]


# Completes names of recordings.

_MARK = b'"format":"kubectl-spy"'
_HEAD = 512  # a recording says so in these first bytes
_FILES = 500


def recordings_at(typed: str) -> list[str]:
    """Return the recordings and the directories whose path begins with *typed*."""
    directory, slash, beginning = typed.rpartition("/")
    folder = Path(os.path.expanduser(f"{directory}{slash}") or ".")  # noqa: PTH111
    try:
        entries = sorted(islice(os.scandir(folder), _FILES), key=lambda each: each.name)
    except OSError:
        return []
    found = list[str]()
    recorded = False
    for entry in entries:
        hidden = entry.name.startswith(".") and not beginning.startswith(".")
        if hidden or not entry.name.startswith(beginning):
            continue
        path = f"{directory}{slash}{entry.name}"
        if entry.is_dir():
            found.append(f"{path}/")
        elif entry.is_file() and _is_recording(Path(entry.path)):
            found.append(path)
            recorded = True
    return found if recorded else []


def _is_recording(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head.startswith(b"\x1f\x8b"):
            with gzip.open(path) as unpacked:
                head = unpacked.read(_HEAD)
    except (OSError, EOFError):
        return False
    return _MARK in head
