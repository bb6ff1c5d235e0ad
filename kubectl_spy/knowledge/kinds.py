"""What is known of each kind: shipped entries, and those of users, which win."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from kubectl_spy.knowledge.form import NOTHING, Kind, kind_of, kinds_of_flux
from kubectl_spy.knowledge.generated import GROUPS, MAKERS
from kubectl_spy.knowledge.problem import BadEntry, mapping_of

Kinds = Mapping[tuple[str, str], Kind]
"""Entries by group and kind. The group `*.example.org` is all groups that end so, and
the kind `*` is all other kinds of the group."""

ANY = "*"
FLUX = "healthCheckExprs"
SHIPPED = "kubectl-spy"
"""The origin of shipped entries. That of a user's entry is its file."""
_FILE = ("group", "docs", "kinds", FLUX)
_readers: list[Callable[[], Kinds]] = [dict]


def kinds_in(data: Any, origin: str) -> dict[tuple[str, str], Kind]:
    """Return the entries in a file's *data*. Raises BadEntry."""
    mapping_of(data, (), _FILE)
    if FLUX in data:
        return kinds_of_flux(data[FLUX], (FLUX,), origin)
    group = data.get("group")
    if not isinstance(group, str):  # that of Pods is ""
        raise BadEntry(("group",), "the API group of these kinds is expected here")
    if "/" in group:
        raise BadEntry(("group",), "the group without its version is expected here")
    docs = data.get("docs", "")
    if not isinstance(docs, str):
        raise BadEntry(("docs",), "the address of a page is expected here")
    return {
        (group, name): kind_of(entry, ("kinds", name), docs=docs, origin=origin)
        for name, entry in mapping_of(data.get("kinds"), ("kinds",)).items()
    }


def use(read: Callable[[], Kinds]) -> None:
    """Let the entries of the user win over shipped ones from now on.

    *read* returns them. It is called once, when something is first judged.
    """
    _readers[:] = [read]
    users.cache_clear()
    known.cache_clear()


@cache
def users() -> Kinds:
    """Return the entries of the user."""
    return _readers[0]()


@lru_cache(maxsize=1_000)
def known(group: str, kind: str) -> Kind:
    """Return what is known of a kind; NOTHING if nothing is."""
    found = entry_for(group, kind)
    if found is None:
        return NOTHING
    entry, given = found[1], _shipped_for(group, kind)
    if entry is given:
        return entry
    # What the user says nothing of stays as it is shipped.
    kept = {
        name: shipped
        for name, shipped in given._asdict().items()
        if getattr(entry, name) == getattr(NOTHING, name)
    }
    return entry._replace(**kept)


def _shipped_for(group: str, kind: str) -> Kind:
    found = _in(_shipped, group, kind)
    return NOTHING if found is None else found[1]


def entry_for(group: str, kind: str) -> tuple[tuple[str, str], Kind] | None:
    """Return the entry of a kind, and the group and kind that it is under."""
    return _in(lambda _: users(), group, kind) or _in(_shipped, group, kind)


def _in(
    of: Callable[[str], Kinds], group: str, kind: str
) -> tuple[tuple[str, str], Kind] | None:
    for name in _names(group):
        entries = of(name)
        for each in ((name, kind), (name, ANY)):
            if (found := entries.get(each)) is not None:
                return each, found
    return None


def entries_named(word: str) -> list[tuple[tuple[str, str], Kind]]:
    """Return the entries of `widgets.example.org`, `Widget.example.org` or `widget`.

    An entry may be one of all kinds of the group.
    """
    name, _, group = word.lower().partition(".")
    found = [
        ((its_group, kind), entry)
        for its_group, kind, entry in every()
        if name in _words_for(kind)
        and (not group or its_group in (group, *_names(group)))
    ]
    if found or not group:
        return found
    of_all = entry_for(group, ANY)
    return [] if of_all is None else [of_all]


def _words_for(kind: str) -> set[str]:
    """Return what a kind may be called, in small letters."""
    word = kind.lower()
    return {word, f"{word}s", f"{word}es", f"{word.removesuffix('y')}ies"}


def makers(group: str, kind: str) -> tuple[tuple[str, str], ...]:
    """Return the groups and kinds that make objects of a kind."""
    own = (
        each
        for each, entry in users().items()
        for made in entry.makes
        if (made.group, made.kind) == (group, kind)
    )
    return (*dict.fromkeys(own), *MAKERS.get((group, kind), ()))


def every() -> Iterator[tuple[str, str, Kind]]:
    """Yield all entries by group and kind, those of the user first."""
    own = users()
    for (group, kind), entry in sorted(own.items(), key=lambda each: each[0]):
        yield group, kind, entry
    for name in sorted(GROUPS):
        for (group, kind), entry in _shipped(name).items():
            if (group, kind) not in own:
                yield group, kind, entry


def _names(group: str) -> Iterator[str]:
    """Yield the names of a group in files: its own, and those of its endings."""
    yield group
    rest = group
    while "." in rest:
        rest = rest.partition(".")[2]
        yield f"*.{rest}"


def shipped_data(group: str) -> Any:
    """Return what the file of a *group* in GROUPS holds."""
    return json.loads(GROUPS[group])


@cache
def _shipped(group: str) -> Kinds:
    return kinds_in(shipped_data(group), SHIPPED) if group in GROUPS else {}
