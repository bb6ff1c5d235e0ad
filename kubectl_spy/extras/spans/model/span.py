"""A span, as all views and exporters get it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.fact import Fact, args_json
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.render.findings import error_text


class SpanKind(Enum):
    """What a span stands for."""

    CHANGE = "change"  # all that one change of the root led to: the root span
    OBJECT = "object"  # all that happened to one object because of that
    PHASE = "phase"  # a phase of an object, or the time until a condition changed
    EVENT = "event"  # a Kubernetes Event, from its first time to its last


class Span(NamedTuple):
    """A span as in OpenTelemetry, with ids that follow from what it is about.

    https://opentelemetry.io/docs/specs/otel/trace/api/#span
    """

    trace_id: str
    """32 hexadecimal digits, the same for the same change of the same object."""
    span_id: str  # 16 hexadecimal digits
    parent_id: str  # the span that caused it; "" for the root of a trace
    kind: SpanKind
    name: str  # `Deployment.update`, `Pod.ContainerCreating`, `Pod.BackOff`
    service: str  # the component that acted: `service.name`; "" if that is not known
    start: float  # seconds since the epoch
    end: float | None  # None while it goes on
    attributes: tuple[tuple[str, JSON], ...] = ()
    """Named by the semantic conventions where possible: `k8s.pod.name`.
    https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
    """
    error: Fact | str = ""
    """What went wrong: a fact, or what an Event says; or ""."""
    revision: int = 1  # above 1: it was emitted before, and is longer now
    links: tuple[str, ...] = ()
    """W3C traceparents of traces elsewhere that this is a part of."""
    owned: bool = True
    """False for an object below one that selects or names it, but does not own it."""

    @property
    def all_attributes(self) -> tuple[tuple[str, JSON], ...]:
        """Its attributes, and the code and arguments of the fact that went wrong.

        https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/
        """
        if not isinstance(self.error, Fact):
            return self.attributes
        found: list[tuple[str, JSON]] = [("error.type", self.error.code)]
        if self.error.args:
            found.append(("k8s.finding.args", args_json(self.error.args)))
        return (*self.attributes, *found)


def span_json(span: Span) -> dict[str, JSON]:
    """Return *span* as in `spans -o json`, without members that are empty."""
    members: dict[str, JSON] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "kind": span.kind.value,
        "name": span.name,
        "service": span.service,
        "start": rfc3339(span.start),
        "parentId": span.parent_id,
        "end": None if span.end is None else rfc3339(span.end),
        "attributes": dict(span.all_attributes),
        "error": error_text(span.error),
        "links": list(span.links),
        "revision": span.revision if span.revision > 1 else None,
    }
    return {name: each for name, each in members.items() if each}
