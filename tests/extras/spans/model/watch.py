"""A span log that observes what a test makes happen, second by second."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import (
    EventType,
    GroupVersionKind,
    Resource,
    Selection,
    WatchEvent,
)
from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.extras.spans.model.span_log import SpanLog
from tests import builders
from tests.tracing import START

Document = dict[str, Any]


class Watch:
    """A span log whose root is called `web`. Times are seconds since START."""

    def __init__(
        self,
        kind: str = "Deployment",
        *,
        emits: bool = False,
        keep: int | None = None,
        most: int = 50_000,
    ) -> None:
        scope = Scope((), (), lambda it: (it.gvk.kind, it.name) == (kind, "web"))
        self.log = SpanLog(scope, emits=emits, keep=keep, most=most)
        self._selections: dict[GroupVersionKind, Selection] = {}
        self._history = History()
        self.records: list[ChangeRecord] = []
        """All records that the log observed."""
        self._version = 0

    def observe(
        self, second: float, document: Document, kind: str = "MODIFIED"
    ) -> None:
        """Observe a version of an object; LISTED if it was there before."""
        self._version += 1
        metadata = {**document["metadata"], "resourceVersion": str(self._version)}
        group, _, version = document["apiVersion"].rpartition("/")
        gvk = GroupVersionKind(group, version, document["kind"])
        self._observe(second, EventType[kind], gvk, {**document, "metadata": metadata})

    def sees(self, *versions: tuple[Any, ...]) -> None:
        """Observe versions, each as `observe` takes it."""
        for each in versions:
            self.observe(*each)

    def lists(self, second: float, since: float, *documents: Document) -> None:
        """Observe a list of all objects of a kind, after a connection lost *since*."""
        (kind,) = {(each["apiVersion"], each["kind"]) for each in documents}
        group, _, version = kind[0].rpartition("/")
        gvk = GroupVersionKind(group, version, kind[1])
        self._observe(second, EventType.LISTING, gvk, None, since)
        for each in documents:
            self.observe(second, each, "LISTED")
        self._observe(second, EventType.SYNCED, gvk, None)

    def _observe(
        self,
        second: float,
        kind: EventType,
        gvk: GroupVersionKind,
        document: Document | None,
        since: float | None = None,
    ) -> None:
        resource = Resource(gvk=gvk, plural="x", singular="x", namespaced=True)
        selection = self._selections.setdefault(gvk, Selection(resource=resource))
        lost = None if since is None else START + since
        event = WatchEvent(
            kind, selection, START + second, document, lost, lost is not None
        )
        for record in self._history.observe(event):
            self.records.append(record)
            self.log.observe(record)

    def spans(self, second: float = 1000) -> dict[str, Span]:
        """Return the last span of each name."""
        return {span.name: span for span in self.log.spans(START + second)}


def times(span: Span) -> tuple[float, float | None]:
    """Return the start and the end of a span, in seconds since START."""
    end = None if span.end is None else round(span.end - START, 3)
    return round(span.start - START, 3), end


def obj(
    kind: str, name: str, owner: str = "", generation: int = 1, **parts: Any
) -> Document:
    """Return an object that was made at START."""
    made = {"generation": generation, "creationTimestamp": rfc3339(START)}
    made |= parts.pop("metadata", {})
    return builders.obj(kind, name, owner=owner, metadata=made, **parts)


def deployment(generation: int = 1, available: int = 1, **parts: Any) -> Document:
    replicas = parts.pop("replicas", 1)
    return obj(
        "Deployment",
        "web",
        generation=generation,
        spec={"replicas": replicas, "template": parts.pop("template", {})},
        status={
            "observedGeneration": generation,
            "replicas": replicas,
            "updatedReplicas": replicas,
            "readyReplicas": available,
            "availableReplicas": available,
            "conditions": [{"type": "Available", "status": str(available > 0)}],
        },
        **parts,
    )


def pod(name: str = "web-1", ready: bool = True, **parts: Any) -> Document:
    status = {
        "phase": "Running" if ready else "Pending",
        "conditions": [{"type": "Ready", "status": str(ready)}],
    }
    return obj("Pod", name, parts.pop("owner", "web"), status=status, **parts)


def event(about: str, second: float, count: int = 1, **parts: Any) -> Document:
    said = {
        "involvedObject": {"kind": "Pod", "uid": f"uid-{about}", "name": about},
        "reason": "Scheduled",
        "message": "it is",
        "count": count,
        "firstTimestamp": rfc3339(START),
        "lastTimestamp": rfc3339(START + second),
        "source": {"component": "default-scheduler"},
    }
    return obj("Event", "e", **{"type": "Normal", **said, **parts})
