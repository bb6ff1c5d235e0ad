"""A span of time: what every view and every exporter of spans is given."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339


class SpanKind(Enum):
    """What a span stands for."""

    CHANGE = "change"
    """All that one change of a top-level object led to: the root of a trace."""
    OBJECT = "object"
    """What one object under it went through because of that."""
    PHASE = "phase"
    """A phase of an object, or the time until one of its conditions changed."""
    EVENT = "event"
    """A Kubernetes Event: from the first time to the last."""


class Span(NamedTuple):
    """A span, as OpenTelemetry means it, whose ids follow from what it is about.

    https://opentelemetry.io/docs/specs/otel/trace/api/#span
    """

    trace_id: str
    """32 hexadecimal digits: the same for the same change of the same object."""
    span_id: str
    """16 hexadecimal digits."""
    parent_id: str
    """The span that caused it; "" for the root of a trace."""
    kind: SpanKind
    name: str
    """`Deployment.update`, `Pod.ContainerCreating`, `Pod.BackOff`: few and telling."""
    service: str
    """The component that acted: `service.name`; "" if that is not known."""
    start: float
    """Seconds since the epoch."""
    end: float | None
    """None while it is not over."""
    attributes: tuple[tuple[str, JSON], ...] = ()
    """By the semantic conventions where they have a name: `k8s.pod.name`.
    https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
    """
    error: str = ""
    """What went wrong; "" is no error."""
    revision: int = 1
    """Above 1 it was told before, and has become longer since."""
    links: tuple[str, ...] = ()
    """W3C traceparents of what this is a part of, elsewhere."""

    def as_json(self) -> dict[str, JSON]:
        """Return the span as a JSON object; what does not apply is absent."""
        span: dict[str, JSON] = {
            "traceId": self.trace_id,
            "spanId": self.span_id,
            "kind": self.kind.value,
            "name": self.name,
        }
        if self.service:
            span["service"] = self.service
        span["start"] = rfc3339(self.start)
        if self.parent_id:
            span["parentId"] = self.parent_id
        if self.end is not None:
            span["end"] = rfc3339(self.end)
        if self.attributes:
            span["attributes"] = dict(self.attributes)
        if self.error:
            span["error"] = self.error
        if self.links:
            span["links"] = list(self.links)
        if self.revision > 1:
            span["revision"] = self.revision
        return span
