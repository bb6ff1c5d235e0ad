"""What is known of each kind: shipped entries, and those of users, which win."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from kubectl_spy.knowledge.compiled import GROUPS, MAKERS
from kubectl_spy.knowledge.form import NOTHING, Kind, kind_of, kinds_of_flux
from kubectl_spy.knowledge.problem import BadEntry, mapping_of

Kinds = Mapping[tuple[str, str], Kind]
"""Entries by group and kind. The group `*.example.org` is all groups that end so, and
the kind `*` is all other kinds of the group."""

ANY = "*"
FLUX = "healthCheckExprs"
_FILE = ("group", "docs", "kinds", FLUX)
_users: dict[tuple[str, str], Kind] = {}


def kinds_in(data: Any, origin: str) -> dict[tuple[str, str], Kind]:
    """Return the entries in a file's *data*. Raises BadEntry."""
    mapping_of(data, (), _FILE)
    if FLUX in data:
        return kinds_of_flux(data[FLUX], (FLUX,), origin)
    group = data.get("group")
    if not isinstance(group, str):  # that of Pods is ""
        raise BadEntry(("group",), "the API group of these kinds is expected here")
    docs = data.get("docs", "")
    return {
        (group, name): kind_of(entry, ("kinds", name), docs=docs, origin=origin)
        for name, entry in mapping_of(data.get("kinds"), ("kinds",)).items()
    }


def use(kinds: Kinds) -> None:
    """Let *kinds*, those of the user, win over shipped ones from now on."""
    _users.clear()
    _users.update(kinds)
    known.cache_clear()


@lru_cache(maxsize=1_000)
def known(group: str, kind: str) -> Kind:
    """Return what is known of a kind; NOTHING if nothing is."""
    for name in _names(group):
        for each in (kind, ANY):
            if found := _users.get((name, each)):
                return found
    for name in _names(group):
        entries = _shipped(name)
        if found := entries.get((name, kind)) or entries.get((name, ANY)):
            return found
    return NOTHING


def makers(group: str, kind: str) -> tuple[tuple[str, str], ...]:
    """Return the groups and kinds that make objects of a kind."""
    own = (
        each
        for each, entry in _users.items()
        for made in entry.makes
        if (made.group, made.kind) == (group, kind)
    )
    return (*dict.fromkeys(own), *MAKERS.get((group, kind), ()))


def every() -> Iterator[tuple[str, str, Kind]]:
    """Yield all entries by group and kind, those of the user first."""
    for (group, kind), entry in sorted(_users.items()):
        yield group, kind, entry
    for name in sorted(GROUPS):
        for (group, kind), entry in _shipped(name).items():
            if (group, kind) not in _users:
                yield group, kind, entry


def _names(group: str) -> Iterator[str]:
    """Yield the names of a group in files: its own, and those of its endings."""
    yield group
    rest = group
    while "." in rest:
        rest = rest.partition(".")[2]
        yield f"*.{rest}"


@cache
def _shipped(group: str) -> Kinds:
    if group not in GROUPS:
        return {}
    name = GROUPS[group]
    module = import_module(f"kubectl_spy.knowledge.compiled.{name}")
    return kinds_in(module.DATA, "kubectl-spy")
