"""Turn our spans into those of opentelemetry's SDK, with their own ids and times.

Not with the SDK's tracer, which makes up ids and reads the clock.
https://opentelemetry.io/docs/specs/otlp/
"""

from __future__ import annotations

from functools import lru_cache

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.extras.otel.lines import SCOPE, nanoseconds, otlp_value, utf8
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.render.findings import error_text

_UNFINISHED = "kubectl_spy.unfinished"  # of spans that were not over when sent

_BARE = 300  # bytes of a span without attributes, about
_SERVICES = 256
# https://opentelemetry.io/docs/specs/semconv/resource/#service
_UNKNOWN = "unknown_service"


class Encoding:
    """Makes the SDK's spans, each with the resource of its service.

    OTEL_RESOURCE_ATTRIBUTES are in every resource. OTEL_SERVICE_NAME is in none: the
    spans of one cluster have many services.
    """

    def __init__(self) -> None:
        here = Resource.create()

        # Bounded: the names of services come from the cluster.
        @lru_cache(_SERVICES)
        def resource(service: str) -> Resource:
            return here.merge(Resource({SERVICE_NAME: service or _UNKNOWN}))

        self._resource = resource

    def weight(self, span: Span) -> int:
        """Return about how many bytes *span* takes, in memory or in a request."""
        total = _BARE + len(span.name) + len(span.service)
        total += len(error_text(span.error))
        for name, value in span.all_attributes:
            total += len(name) + 16
            if isinstance(value, str):
                total += len(value)
            elif isinstance(value, (list, dict)):
                total += len(dumps(value))
        return total + 64 * len(span.links)

    def encode(self, span: Span, until: float) -> ReadableSpan:
        """Return *span*; an unfinished one ends at *until* and is marked."""
        attributes: dict[str, bool | int | float | str] = {}
        for name, value in span.all_attributes:
            if value is not None:  # OTLP has no null attributes
                attributes[utf8(name)] = otlp_value(value)
        if span.end is None:
            attributes[_UNFINISHED] = True
        end = until if span.end is None else span.end
        return ReadableSpan(
            name=utf8(span.name),
            context=_context(span.trace_id, span.span_id),
            parent=_context(span.trace_id, span.parent_id) if span.parent_id else None,
            resource=self._resource(utf8(span.service)),
            attributes=attributes,
            links=list(map(_link, span.links)),
            kind=SpanKind.INTERNAL,
            status=Status(StatusCode.ERROR, utf8(error_text(span.error)))
            if span.error
            else Status(),
            start_time=nanoseconds(span.start),
            end_time=nanoseconds(max(span.start, end)),
            instrumentation_scope=SCOPE,
        )


def _context(
    trace: str, span: str, *, remote: bool = False, flags: int = TraceFlags.SAMPLED
) -> SpanContext:
    return SpanContext(
        int(trace, 16), int(span, 16), remote, trace_flags=TraceFlags(flags)
    )


def _link(traceparent: str) -> Link:
    _, trace, span, flags = traceparent.split("-")
    return Link(_context(trace, span, remote=True, flags=int(flags, 16)))
