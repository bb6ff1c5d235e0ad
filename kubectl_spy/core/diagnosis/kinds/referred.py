"""What an object refers to: what is below it in a trace, and what does not exist."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Finding, fact, finding
from kubectl_spy.core.diagnosis.makers import maker_of
from kubectl_spy.core.objects import BUILT_IN_GROUPS
from kubectl_spy.core.remedy import NO_REMEDY, advice
from kubectl_spy.knowledge.kinds import known
from kubectl_spy.knowledge.references import Named, named_by


class Referred(NamedTuple):
    """What was found of the references of an object."""

    children: tuple[Child, ...] = ()
    missing: tuple[Finding, ...] = ()


def referred(entry: Entry, inventory: Inventory, *, well: bool) -> Referred:
    """Return the objects that *entry* refers to. *well* says that it works.

    What fails among them counts for an object that does not work. What does not exist
    waits, if the kind is known not to work without it.
    """
    children: list[Child] = []
    missing: list[Finding] = []
    known_uids = {entry.uid}  # an object may refer to itself, and twice to another
    group, kind = entry.gvk.group, known(entry.gvk.group, entry.gvk.kind)
    if kind.references is None and group in BUILT_IN_GROUPS:
        return Referred()
    for each in named_by(entry.document, group, kind):
        found, space = _found(each, entry, inventory)
        if found is not None:
            if found.uid not in known_uids:
                counts = each.waits and not well
                children.append(Child(found.uid, each.path, counts))
            known_uids.add(found.uid)
            continue
        needed = each.waits and each.known
        if needed and not inventory.unseen(
            each.group, each.kind, space, name=each.name
        ):
            missing.append(_absent(each, space, inventory))
    return Referred(tuple(children), tuple(missing))


def _found(
    named: Named, entry: Entry, inventory: Inventory
) -> tuple[Entry | None, str | None]:
    """Return the object that is meant, and the namespace in which it should be."""
    space = named.namespace or entry.namespace
    found = inventory.named(named.group, named.kind, space, named.name)
    if found is None and not named.namespace:  # its kind may have no namespaces
        found = inventory.named(named.group, named.kind, None, named.name)
    return found, space


def _absent(named: Named, space: str | None, inventory: Inventory) -> Finding:
    within = (
        advice(" in namespace {}", named.namespace) if named.namespace else NO_REMEDY
    )
    remedy = advice(
        "create {} {}{}, or correct {}",
        *(named.kind, named.name, within, named.path),
    )
    made = maker_of(named.group, named.kind, space, named.name, inventory)
    return finding(
        "ReferenceMissing",
        f"reference/{named.kind}/{named.name}",
        path=named.path,
        missing=fact("ObjectMissing", kind=named.kind, name=named.name),
        namespace=named.namespace,
        remedy=made or remedy,
    )
