"""Which other objects an object names, by the entry of its kind or by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubectl_spy.knowledge.form import BY_ITSELF, Kind, Reference
from kubectl_spy.knowledge.paths import EACH, Path, text_at, values_at

_MOST = 50  # the most references of an object
_DEEPEST = 8  # the most levels of a spec that are searched for references
_ENDINGS = ("Ref", "Refs", "Reference", "References")


class Named(NamedTuple):
    """An object that another one names."""

    group: str
    kind: str
    namespace: str  # "" is that of the object that names it
    name: str
    path: str  # where it is named: `spec.issuerRef`
    waits: bool = True  # whether the object does not work without it
    known: bool = True  # whether an entry says so, and not only the form of a member


def named_by(obj: Any, group: str, kind: Kind) -> list[Named]:
    """Return what *obj*, of an API *group*, refers to, by the entry of its *kind*.

    Without one, members of the spec that end with Ref and hold kind and name count.
    """
    found: dict[Named, None] = {}
    given = _by_itself(obj) if kind.references is None else _given(obj, kind.references)
    for each in given:
        if each.kind and each.name:
            known = each._replace(group=group) if each.group == _OWN else each
            found[known] = None
        if len(found) == _MOST:
            break
    return list(found)


def made_by(obj: Any, kind: Kind) -> Iterator[Named]:
    """Yield what *obj* makes, by the entry of its *kind*."""
    yield from _given(obj, kind.makes)


_OWN = "?"  # the group of a reference that names none: that of its object


def _given(obj: Any, references: Iterable[Reference]) -> Iterator[Named]:
    for each in references:
        path, namespace = each.path, each.namespace
        holders, rest, within = [obj], path, namespace
        if EACH in path:
            # Its namespace stands in the same element.
            last = len(path) - path[::-1].index(EACH)
            holders, rest = values_at(obj, path[:last]), path[last:]
            if namespace[:last] == path[:last]:
                within = namespace[last:]
            elif namespace:
                holders, rest, within = [obj], path, namespace
        for holder in holders:
            space = text_at(holder, within) if within else ""
            for value in values_at(holder, rest):
                if isinstance(value, str) and each.kind != BY_ITSELF:
                    yield _named(each, each.group, each.kind, space, value, path)
                elif isinstance(value, dict):
                    yield _of_reference(each, value, space, path)


def _of_reference(
    of: Reference, value: dict[str, Any], space: str, path: Path
) -> Named:
    kind = text_at(value, ("kind",)) or of.kind
    kind = "" if kind == BY_ITSELF else kind
    group = of.group if of.group or kind == of.kind else _OWN
    for member in ("group", "apiGroup", "apiVersion"):
        said = value.get(member)
        if isinstance(said, str) and (said or member == "group"):
            group = said.rpartition("/")[0] if member == "apiVersion" else said
    space = text_at(value, ("namespace",)) or space
    return _named(of, group, kind, space, text_at(value, ("name",)), path)


def _named(
    of: Reference, group: str, kind: str, space: str, name: str, path: Path
) -> Named:
    steps = path[:-1] if path[-1] == "name" else path
    where = ".".join(step for step in steps if step != EACH)
    return Named(group, kind, space, name, where, of.waits)


def _by_itself(obj: Any) -> Iterator[Named]:
    level: list[tuple[Path, Any]] = [
        (("spec",), each) for each in values_at(obj, ("spec",))
    ]
    for _ in range(_DEEPEST):
        inner: list[tuple[Path, Any]] = []
        for path, each in level:
            if isinstance(each, dict):
                inner += (((*path, str(key)), it) for key, it in each.items())
            elif isinstance(each, list):
                inner += ((path, it) for it in each)
            if not isinstance(each, dict) or not path[-1].endswith(_ENDINGS):
                continue
            if isinstance(each.get("kind"), str) and isinstance(each.get("name"), str):
                of = Reference(path, BY_ITSELF)
                yield _of_reference(of, each, "", path)._replace(known=False)
        level = inner[:1_000]
