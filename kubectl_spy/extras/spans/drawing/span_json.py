"""The members of `spans -o json`: docs/spans.md."""

from __future__ import annotations

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.render.findings import error_text


def span_json(span: Span) -> dict[str, JSON]:
    """Return *span* as a JSON object, without members that are empty."""
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
