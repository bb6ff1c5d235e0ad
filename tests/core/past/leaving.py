"""Objects that leave traces of their past, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.headlines.edits import earlier_edit
from kubectl_spy.core.objects import JSON, Resource, Selection
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.core.times import rfc3339
from tests.builders import Object, resource

START = 1_795_273_200.0
"""2026-11-21T15:00:00Z. Times of tests are seconds after it."""
HORIZON = START + 3600


def at(second: float) -> str:
    """Return the time some seconds after START, as managedFields have it."""
    return rfc3339(START + second)[:19] + "Z"


def unmasked(document: Object, resource: Resource) -> Object:
    return document


def managed(manager: str, second: float | None, fields: Any, **more: str) -> Object:
    """Return an entry of managedFields."""
    time = {} if second is None else {"time": at(second)}
    return {
        "manager": manager,
        "operation": "Update",
        "fieldsV1": fields,
        **time,
        **more,
    }


def left(
    kind: str,
    *,
    group: str = "apps",
    settled: bool = True,
    entries: Iterable[Object] = (),
    annotations: dict[str, str] | None = None,
    **members: JSON,
) -> Subject:
    """Return an object named web that the server remembers no write of."""
    metadata = {
        "name": "web",
        "namespace": "shop",
        "uid": "web",
        "creationTimestamp": at(0),
        "managedFields": list(entries),
        "annotations": annotations or {},
    }
    of = resource(kind, group)
    document = {"apiVersion": of.gvk.api_version, "kind": kind, "metadata": metadata}
    selection = Selection(of, "shop", "web")
    return Subject(selection, {**document, **members}, HORIZON, settled)


def owned(name: str, second: float, **members: JSON) -> Object:
    """Return an object that belongs to web and was created then."""
    owner = {"uid": "web", "controller": True}
    metadata = {
        "name": name,
        "creationTimestamp": at(second),
        "ownerReferences": [owner],
    }
    return {"metadata": metadata | members.pop("metadata", {}), **members}


def told(writes: Iterable[EarlierWrite]) -> list[str]:
    """Return each write: its seconds, what it changed, and who made it."""
    found = []
    for each in writes:
        when = f"{each.time - START:g}"
        if each.until > each.time:
            last = "horizon" if each.until == HORIZON else f"{each.until - START:g}"
            when += f"-{last}"
        by = f" by {', '.join(each.managers)}" if each.managers else ""
        found.append(f"{when} {earlier_edit(each).text()}{by}")
    return found
