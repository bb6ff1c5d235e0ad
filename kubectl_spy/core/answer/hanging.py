"""How much hangs on an object: what it owns, what needs it, and what leads to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_spy.core.causes.needs import needs
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import services_of
from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON

_NAMED = frozenset(
    {"Node", "PersistentVolumeClaim", "PersistentVolume", "ConfigMap", "Secret"}
    | {"ServiceAccount", "StorageClass", "PriorityClass", "RuntimeClass"}
)
"""The kinds that others need by name. Who does is looked for among all objects."""
Place = tuple[str, str]
"""The kind and the name of an object."""


def hanging(seen: Inventory, uids: Iterable[str]) -> dict[str, int]:
    """Return how many objects hang on each of *uids*, directly or not.

    These are its Pods and all else that it owns, the Services that select these Pods,
    the Ingresses that lead to these, and what names it, such as the Pods of a claim.
    """
    wanted = [each for each in map(seen.entry, uids) if each is not None]
    if len(wanted) < 2:  # there is nothing to compare
        return dict.fromkeys((each.uid for each in wanted), 0)
    above = _Above(seen)
    return {each.uid: above.count(each.uid) for each in wanted}


class _Above:
    """What hangs directly on an object."""

    def __init__(self, seen: Inventory) -> None:
        self._seen = seen
        self._selectors: dict[str | None, list[tuple[dict[str, JSON], str]]] = {}
        """By namespace: the labels that a Service selects by, and its uid."""
        self._needing: defaultdict[Place, list[Entry]] | None = None

    def count(self, uid: str) -> int:
        found, pending = {uid}, [uid]
        while pending:
            entry = self._seen.entry(pending.pop())
            new = set(self._of(entry)) - found if entry else set()
            found |= new
            pending += new
        return len(found) - 1

    def _of(self, entry: Entry) -> Iterator[str]:
        yield from (each.uid for each in self._seen.owned(entry.uid))
        space, kind = entry.namespace, entry.gvk.kind
        if kind == "Pod":
            labels = mapping(entry.document, "metadata", "labels")
            for wanted, uid in self._selecting(space):
                if all(labels.get(key) == value for key, value in wanted.items()):
                    yield uid
        elif kind == "Service":
            for each in self._seen.every("networking.k8s.io", "Ingress", space):
                if entry.name in services_of(each.document):
                    yield each.uid
        elif kind in _NAMED:
            for each in self._names()[kind, entry.name]:
                if space in (None, each.namespace):
                    yield each.uid

    def _selecting(self, namespace: str | None) -> list[tuple[dict[str, JSON], str]]:
        if namespace not in self._selectors:
            services = self._seen.every("", "Service", namespace)
            found = ((mapping(it.document, "spec", "selector"), it) for it in services)
            self._selectors[namespace] = [(by, it.uid) for by, it in found if by]
        return self._selectors[namespace]

    def _names(self) -> defaultdict[Place, list[Entry]]:
        if self._needing is None:
            self._needing = defaultdict(list)
            for each in self._seen.entries():
                for kind, names in needs(each).items():
                    for name in names:
                        self._needing[kind, name].append(each)
        return self._needing
