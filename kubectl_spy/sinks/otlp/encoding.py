"""Spans as opentelemetry's SDK has them, with the ids they already have.

The SDK's tracer would invent ids and read the clock; spans here are in the past and
their ids follow from what they are about. https://opentelemetry.io/docs/specs/otlp/
"""

from __future__ import annotations

import re
from functools import lru_cache

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from kubectl_spy import __version__
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.spans.span import Span

SCOPE = InstrumentationScope("kubectl-spy", __version__)
UNFINISHED = "kubectl_spy.unfinished"
"""An attribute of spans that were not over when they were sent."""

# https://www.w3.org/TR/trace-context/#traceparent-header-field-values
# Versions after 00 may have more behind the flags; ff is none.
_TRACEPARENT = re.compile(
    "(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})(?P<trace>[0-9a-f]{32})"
    "-(?!0{16})(?P<span>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?"
)
_SERVICES = 256
# https://opentelemetry.io/docs/specs/semconv/resource/#service
_UNKNOWN = "unknown_service"


class Encoding:
    """Makes the SDK's spans, each with the resource of its `service`.

    What OTEL_RESOURCE_ATTRIBUTES says of where they come from (the cluster, say) is
    in every resource; who acted is no one thing, so OTEL_SERVICE_NAME is not.
    """

    def __init__(self) -> None:
        here = Resource.create()

        # Names of services come from the cluster: a cache without bound would grow.
        @lru_cache(_SERVICES)
        def resource(service: str) -> Resource:
            return here.merge(Resource({SERVICE_NAME: service or _UNKNOWN}))

        self._resource = resource

    def encode(self, span: Span, until: float) -> ReadableSpan:
        """Return *span*; if it is not over, it ends at *until* here and says so."""
        trace = int(span.trace_id, 16)
        attributes: dict[str, bool | int | float | str] = {}
        for name, value in span.attributes:
            if value is not None:  # the specification leaves out what has no value
                attributes[_text(name)] = _value(value)
        if span.end is None:
            attributes[UNFINISHED] = True
        end = until if span.end is None else span.end
        return ReadableSpan(
            name=_text(span.name),
            context=_context(trace, span.span_id),
            parent=_context(trace, span.parent_id) if span.parent_id else None,
            resource=self._resource(_text(span.service)),
            attributes=attributes,
            links=[link for text in span.links if (link := _link(text))],
            kind=SpanKind.INTERNAL,
            status=_status(span.error),
            start_time=_nanoseconds(span.start),
            end_time=_nanoseconds(max(span.start, end)),
            instrumentation_scope=SCOPE,
        )


def _context(trace: int, span: str) -> SpanContext:
    return SpanContext(
        trace, int(span, 16), False, trace_flags=TraceFlags(TraceFlags.SAMPLED)
    )


def _link(text: str) -> Link | None:
    """Return what a traceparent leads to; None for what is none: anyone wrote it."""
    found = _TRACEPARENT.fullmatch(text)
    if found is None or (found["version"] == "00" and found["more"]):
        return None
    return Link(
        SpanContext(
            int(found["trace"], 16),
            int(found["span"], 16),
            True,
            trace_flags=TraceFlags(int(found["flags"], 16)),
        )
    )


def _status(error: str) -> Status:
    return Status(StatusCode.ERROR, _text(error)) if error else Status()


def _value(value: JSON) -> bool | int | float | str:
    """Return *value* as one that OTLP has: whole numbers there have 64 bits."""
    match value:
        case bool() | float():
            return value
        case int():
            return value if -(1 << 63) <= value < 1 << 63 else str(value)
        case str():
            return _text(value)
        case _:
            return _text(dumps(value).decode())


def _text(text: str) -> str:
    """Return *text* as it can be encoded: UTF-8 has no halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode()


def _nanoseconds(time: float) -> int:
    """Return *time* exactly to the microsecond, which is what a float holds of it."""
    return round(time * 1_000_000) * 1000
