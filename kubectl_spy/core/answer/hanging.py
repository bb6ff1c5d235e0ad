"""How much hangs on an object: what it owns, what needs it, and what leads to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_spy.core.causes.needs import needs
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import owner_uids
from kubectl_spy.core.fields import mapping

_LEADING = ("Service", "PodDisruptionBudget")  # what selects Pods, and needs them
Place = tuple[str, str | None, str]
"""The kind, namespace and name of an object."""


def hanging(seen: Inventory, uids: Iterable[str]) -> dict[str, int]:
    """Return how many objects hang on each of *uids*, directly or not.

    These are its Pods and all else that it owns, the Services that select these Pods,
    the Ingresses that lead to these, and what names it, such as the Pods of a claim.
    """
    wanted = [each for each in map(seen.entry, uids) if each is not None]
    if len(wanted) < 2:
        return dict.fromkeys((each.uid for each in wanted), 0)
    above = _edges(seen)
    return {each.uid: _reach(above, each.uid) for each in wanted}


def _reach(above: dict[str, list[str]], uid: str) -> int:
    found, pending = {uid}, [uid]
    while pending:
        new = set(above.get(pending.pop(), ())) - found
        found |= new
        pending += new
    return len(found) - 1


def _edges(seen: Inventory) -> dict[str, list[str]]:
    """Return the uids of what hangs directly on each object."""
    entries = list(seen.entries())
    uids = {_place(each): each.uid for each in entries}
    above: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        for owner in owner_uids(entry.document):
            above[owner].append(entry.uid)
        for place in _needed(entry):
            if uid := uids.get(place):
                above[uid].append(entry.uid)
        selector = mapping(entry.document, "spec", "selector")
        labels = {key: each for key, each in selector.items() if isinstance(each, str)}
        if entry.gvk.kind in _LEADING and labels:
            for pod in seen.labelled("Pod", entry.namespace, labels):
                above[pod.uid].append(entry.uid)
    return above


def _place(entry: Entry) -> Place:
    return entry.gvk.kind, entry.namespace, entry.name


def _needed(entry: Entry) -> Iterator[Place]:
    for kind, names in needs(entry).items():
        for name in names:
            yield kind, entry.namespace, name
            yield kind, None, name  # of the cluster
