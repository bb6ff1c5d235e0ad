"""Finds what the targets refer to, before it is watched along with them.

Only objects know which others they name. So each target with a name is read once, and
then what it names, as far as entries of `knowledge` or the form of its members tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from kubectl_spy.core.objects import BUILT_IN_GROUPS, JSON, Resource, Selection
from kubectl_spy.errors import SpyError
from kubectl_spy.knowledge.kinds import known
from kubectl_spy.knowledge.references import Named, named_by
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import is_watchable

_MOST = 20  # the most objects that are read
_SEVERAL = 5  # objects of a type, above which all of the namespace are watched
_PRIVATE = ("", "Secret")
"""Who may watch them may read them all. Others tell that one does not exist."""

Fetch = Callable[[str], JSON]
"""Return the JSON document at a path. Raises SpyError."""


def referred(
    catalogue: Catalogue, selections: Sequence[Selection], fetch: Fetch
) -> tuple[Selection, ...]:
    """Return the objects that those of *selections* refer to, directly or not."""
    served: dict[tuple[str, str], Resource] = {}
    for resource in reversed(catalogue.resources):  # the preferred version wins
        if is_watchable(resource):
            served[_kind(resource)] = resource
    found: dict[Selection, None] = {}
    pending = [each for each in selections if each.name is not None]
    read = 0
    while pending and read < _MOST:
        each = pending.pop(0)
        group, entry = each.resource.gvk.group, known(*_kind(each.resource))
        if entry.references is None and group in BUILT_IN_GROUPS:
            continue
        read += 1
        path = each.resource.path(each.namespace)
        try:
            document = fetch(f"{path}/{quote(each.name or '', safe='')}")
        except SpyError:
            continue  # it is absent, or must not be read: the watch will tell
        for named in named_by(document, group, entry):
            other = _selection(named, each, served)
            if other is not None and other not in found:
                found[other] = None
                pending.append(other)
    return _together(found, selections)


def _kind(resource: Resource) -> tuple[str, str]:
    return resource.gvk.group, resource.gvk.kind


def _selection(
    named: Named, of: Selection, served: dict[tuple[str, str], Resource]
) -> Selection | None:
    resource = served.get((named.group, named.kind))
    if resource is None or _kind(resource) == _PRIVATE:
        return None
    namespace = named.namespace or of.namespace if resource.namespaced else None
    if resource.namespaced and namespace is None:
        return None
    return Selection(resource, namespace, named.name, asked=False)


def _together(
    found: dict[Selection, None], selections: Sequence[Selection]
) -> tuple[Selection, ...]:
    """Return *found*, where several of a type are one selection of all of its kind."""
    asked = {each._replace(asked=False) for each in selections}
    spaces = [(each.resource, each.namespace) for each in found]
    kept: dict[Selection, None] = {}
    for each in found:
        if spaces.count((each.resource, each.namespace)) > _SEVERAL:
            each = each._replace(name=None)
        if each not in asked:
            kept[each] = None
    return tuple(kept)
